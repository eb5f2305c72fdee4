// Memory between two pages that may not be touched. See guarded.h.
#include "support/guarded.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

guarded guarded_create(size_t bytes) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), inside = (bytes / page + 1) * page;
  int zeros = open("/dev/zero", O_RDWR);
  assert_true(zeros >= 0);
  char *all = mmap(NULL, inside + 2 * page, PROT_NONE, MAP_PRIVATE, zeros, 0);
  assert_true(all != MAP_FAILED);
  close(zeros);
  assert_int_equal(mprotect(all + page, inside, PROT_READ | PROT_WRITE), 0);
  return (guarded){all + page, all + page + inside, page};
}

void *guarded_copy(const guarded *pages, int at_end, size_t bytes, const void *from) {
  assert_true(bytes <= (size_t)(pages->end - pages->begin));
  char *to = at_end ? pages->end - bytes : pages->begin;
  if (bytes > 0)
    memcpy(to, from, bytes);
  return to;
}

void guarded_free(guarded *pages) {
  munmap(pages->begin - pages->page, (size_t)(pages->end - pages->begin) + 2 * pages->page);
  *pages = (guarded){0};
}

int guarded_create_all(size_t bytes, int count, guarded *pages) {
  for (int k = 0; k < count; ++k)
    pages[k] = guarded_create(bytes);
  return 0;
}

int guarded_free_all(int count, guarded *pages) {
  for (int k = 0; k < count; ++k)
    guarded_free(&pages[k]);
  return 0;
}
