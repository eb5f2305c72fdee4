// Flushing subnormal numbers to zero. See subnormal.h.
#include "par/subnormal.h"

#include "par/par.h"

#if MUSLIN_X86
#include <xmmintrin.h>

enum { FLUSH = 0x8000 | 0x0040 }; // of results, and of operands

// Of a thread between the two calls: its own state before, if it was there.
static _Thread_local unsigned own;
static _Thread_local int is_kept;

unsigned mus_subnormal_flush(void) {
  unsigned before = _mm_getcsr();
  MUS_PARALLEL
  {
    own = _mm_getcsr();
    is_kept = 1;
    _mm_setcsr(own | FLUSH);
  }
  _mm_setcsr(before | FLUSH); // clang's library hands on what the calling thread has outside of loops
  return before;
}

// Threads that were started in between have taken the state of the calling thread over.
void mus_subnormal_restore(unsigned before) {
  MUS_PARALLEL
  {
    _mm_setcsr(is_kept ? own : before);
    is_kept = 0;
  }
  _mm_setcsr(before);
}
#else
unsigned mus_subnormal_flush(void) { return 0; }
void mus_subnormal_restore(unsigned before) { (void)before; }
#endif
