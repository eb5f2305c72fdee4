// Memory between two pages that may not be touched: reading or writing one byte beyond an array that is flush with them
// ends the test.
#ifndef TESTS_SUPPORT_GUARDED_H
#define TESTS_SUPPORT_GUARDED_H

#include <stddef.h>

typedef struct guarded {
  char *begin, *end; // between the guards
  size_t page;
} guarded;

// Room for at least `bytes`.
guarded guarded_create(size_t bytes);
// A copy of `bytes` bytes, its end flush with the pages' end (or its start with the start), in place of what was there.
void *guarded_copy(const guarded *pages, int at_end, size_t bytes, const void *from);
void guarded_free(guarded *pages);
// Several at once, for the set-up and the end of a group of tests; both return 0.
int guarded_create_all(size_t bytes, int count, guarded *pages);
int guarded_free_all(int count, guarded *pages);

#endif
