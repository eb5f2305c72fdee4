// Every allocation of a call fails in turn. See sweep.h.
#include "support/sweep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

int sweep_allocations(mus_arena *arena, mus_status (*call)(mus_arena *arena, void *data), void *data) {
  mus_status status = MUS_OUT_OF_MEMORY;
  int failures = 0;
  for (; status != MUS_OK; ++failures) {
    mus_arena_mark mark = mus_arena_here(arena);
    mus_memory_fail_after(failures);
    status = call(arena, data);
    mus_memory_fail_after(-1);
    assert_true(status == MUS_OK || status == MUS_OUT_OF_MEMORY);
    mus_arena_rewind(arena, mark);
  }
  return failures;
}
