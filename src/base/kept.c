// Freed blocks in lists by size. See kept.h.
#include "base/kept.h"

#include <malloc.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

// What is smaller comes from pages that the C library keeps anyway.
enum { LEAST = 32 << 10 };
// A list for each quarter of a power of two: blocks of the next one are at most half as large again as was asked for.
enum { QUARTERS = 4, LISTS = QUARTERS * 64 };

typedef struct block {
  struct block *next;
  size_t bytes;
} block;

static block *list[LISTS];
static size_t bytes_kept;
static atomic_flag busy = ATOMIC_FLAG_INIT;

// What is done meanwhile takes little longer than to put a thread to sleep.
static void enter(void) {
  while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
    sched_yield();
}

static void leave(void) { atomic_flag_clear_explicit(&busy, memory_order_release); }

static int list_of(size_t bytes) {
  int power = 63 - __builtin_clzll(bytes);
  return QUARTERS * power + (int)((bytes >> (power - 2)) & (QUARTERS - 1));
}

// The first block of a list that is large enough, taken out of it; all others wait meanwhile, so only a few are looked
// at.
static block *take_from(int which, size_t bytes) {
  enum { LOOKED_AT = 16 };
  int looked_at = 0;
  for (block **at = &list[which]; *at && looked_at < LOOKED_AT; at = &(*at)->next, ++looked_at)
    if ((*at)->bytes >= bytes) {
      block *found = *at;
      *at = found->next;
      bytes_kept -= found->bytes;
      return found;
    }
  return NULL;
}

void *mus_kept_take(size_t bytes) {
  if (bytes < LEAST || bytes > MUS_KEPT_MAXIMUM)
    return NULL;
  int which = list_of(bytes);
  enter();
  block *found = take_from(which, bytes);
  if (!found)
    found = take_from(which + 1, bytes);
  leave();
  return found;
}

static void free_list(block *b) {
  while (b) {
    block *next = b->next;
    free(b);
    b = next;
  }
}

// All blocks, as one list that nobody else has. Between enter() and leave().
static block *take_all(void) {
  block *all = NULL;
  for (int which = 0; which < LISTS; ++which)
    while (list[which]) {
      block *b = list[which];
      list[which] = b->next;
      b->next = all;
      all = b;
    }
  bytes_kept = 0;
  return all;
}

// Sanitizers of memory are to see what is used after it was freed: gcc and clang tell of them in different ways.
#if defined(__SANITIZE_ADDRESS__)
enum { KEEPS = 0 };
#elif defined(__has_feature)
enum { KEEPS = !__has_feature(address_sanitizer) && !__has_feature(memory_sanitizer) };
#else
enum { KEEPS = 1 };
#endif

// Where too much would be kept, what is there has not been asked for lately, and goes.
int mus_kept_put(void *memory) {
  size_t bytes = KEEPS && memory ? malloc_usable_size(memory) : 0;
  if (bytes < LEAST || bytes > MUS_KEPT_MAXIMUM)
    return 0;
  block *b = memory, *old = NULL;
  b->bytes = bytes;
  enter();
  if (bytes_kept + bytes > MUS_KEPT_MAXIMUM)
    old = take_all();
  int which = list_of(bytes);
  b->next = list[which];
  list[which] = b;
  bytes_kept += bytes;
  leave();
  free_list(old);
  return 1;
}

size_t mus_memory_kept(void) {
  enter();
  size_t bytes = bytes_kept;
  leave();
  return bytes;
}

void mus_memory_release(void) {
  enter();
  block *old = take_all();
  leave();
  free_list(old);
}
