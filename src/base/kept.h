// Freed blocks that are kept for the next allocations. Fresh pages from the system cost more than what is computed in
// them: each is cleared, and interrupts who first touches it. muslin/memory.h has what users call; this is private to
// memory.c.
#ifndef MUS_BASE_KEPT_H
#define MUS_BASE_KEPT_H

#include "muslin/memory.h"

// All that is kept together has at most so many bytes.
enum { MUS_KEPT_MAXIMUM = 256 << 20 };

// A kept block of at least so many bytes and not many more, which is the caller's from now on; NULL if there is none.
void *mus_kept_take(size_t bytes);
// Keeps a block that malloc() or one of its kin has given, or returns 0: then it is still the caller's.
int mus_kept_put(void *memory);

#endif
