// Checked, aligned, padded allocation and arenas. See memory.h.
#define _DEFAULT_SOURCE // madvise

#include "base/memory.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/kept.h"

// Allocations from LARGE on are asked to lie in large pages: fewer faults while they are first written, and fewer
// misses when products walk through them.
enum { PAGE_LARGE = 2 << 20, LARGE = 8 << 20 };

static atomic_long fail_countdown = -1;

void mus_memory_fail_after(long n) { atomic_store(&fail_countdown, n < 0 ? -1 : n); }

size_t mus_memory_physical(void) {
  long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? (size_t)pages * (size_t)page : 0;
}

static int told_to_fail(void) {
  long left = atomic_load(&fail_countdown);
  if (left < 0)
    return 0;
  if (left == 0)
    return 1;
  atomic_fetch_sub(&fail_countdown, 1);
  return 0;
}

// Bytes to ask for: rounded up to the alignment, with one more line of padding. 0 when that overflows.
static size_t padded_bytes(size_t count, size_t size) {
  if (size != 0 && count > (PTRDIFF_MAX - 2 * MUS_ALIGNMENT) / size)
    return 0;
  return (count * size + MUS_ALIGNMENT - 1) / MUS_ALIGNMENT * MUS_ALIGNMENT + MUS_ALIGNMENT;
}

static void *from_system(size_t bytes) {
  int large = bytes >= LARGE;
  void *memory = NULL; // not by aligned_alloc, whose size must be a multiple of the alignment
  if (posix_memalign(&memory, large ? PAGE_LARGE : MUS_ALIGNMENT, bytes) != 0)
    return NULL;
#ifdef MADV_HUGEPAGE
  if (large)
    madvise(memory, bytes, MADV_HUGEPAGE); // a wish: nothing is lost where it is not granted
#endif
  return memory;
}

void *mus_alloc(size_t count, size_t size) {
  size_t bytes = padded_bytes(count, size);
  if (bytes == 0 || told_to_fail())
    return NULL;
  char *memory = mus_kept_take(bytes);
  if (!memory)
    memory = from_system(bytes);
  if (!memory) { // what is kept may be what the system lacks
    mus_memory_release();
    memory = from_system(bytes);
  }
  if (!memory)
    return NULL;
  memset(memory + count * size, 0, bytes - count * size);
  return memory;
}

void *mus_alloc_zero(size_t count, size_t size) {
  void *memory = mus_alloc(count, size);
  if (memory)
    memset(memory, 0, count * size);
  return memory;
}

void mus_free(void *memory) {
  if (!mus_kept_put(memory))
    free(memory);
}

// One allocation of an arena. The header takes a whole line so that what follows stays aligned.
struct mus_arena_block {
  struct mus_arena_block *older;
  size_t bytes;
};

void *mus_arena_alloc(mus_arena *arena, size_t count, size_t size) {
  size_t bytes = padded_bytes(count, size);
  if (bytes == 0)
    return NULL;
  struct mus_arena_block *block = mus_alloc(1, bytes + MUS_ALIGNMENT);
  if (!block)
    return NULL;
  block->older = arena->newest;
  block->bytes = bytes;
  arena->newest = block;
  arena->bytes += bytes;
  char *memory = (char *)block + MUS_ALIGNMENT;
  memset(memory + count * size, 0, bytes - count * size);
  return memory;
}

void *mus_arena_alloc_zero(mus_arena *arena, size_t count, size_t size) {
  void *memory = mus_arena_alloc(arena, count, size);
  if (memory)
    memset(memory, 0, count * size);
  return memory;
}

mus_arena_mark mus_arena_here(const mus_arena *arena) { return (mus_arena_mark){arena->newest, arena->bytes}; }

void mus_arena_rewind(mus_arena *arena, mus_arena_mark mark) {
  while (arena->newest != mark.newest) {
    struct mus_arena_block *block = arena->newest;
    arena->newest = block->older;
    mus_free(block);
  }
  arena->bytes = mark.bytes;
}

void mus_arena_clear(mus_arena *arena) { mus_arena_rewind(arena, (mus_arena_mark){NULL, 0}); }
