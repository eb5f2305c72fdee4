// Allocation: checked, aligned for SIMD, padded, and able to fail on demand for the tests.
//
// mus_alloc() is for objects that live on their own. Everything that is made together and dies together (a hierarchy, a
// solver's workspace) comes from an arena: one call frees it all, so code that fails half-way has nothing to unwind.
#ifndef MUS_BASE_MEMORY_H
#define MUS_BASE_MEMORY_H

#include <stddef.h>

// Every allocation is aligned to this, so that no vector load straddles two cache lines at its start, and is followed
// by as many zero bytes.
enum { MUS_ALIGNMENT = 64 };

// `count` items of `size` bytes, uninitialised; NULL when the product overflows or memory is short.
void *mus_alloc(size_t count, size_t size);
// The same, filled with zero bytes.
void *mus_alloc_zero(size_t count, size_t size);
void mus_free(void *memory);

// Bytes of memory that this machine has, whoever uses them; 0 where that is not known.
size_t mus_memory_physical(void);

// For tests: the n-th allocation from now (0 is the next) and all after it fail; a negative n ends this.
void mus_memory_fail_after(long n);

// A growing pool. `mus_arena arena = {0};` is a valid empty arena.
typedef struct mus_arena {
  struct mus_arena_block *newest;
  size_t bytes; // handed out and not yet given back
} mus_arena;

// A place in an arena, to give back everything that was taken after it.
typedef struct mus_arena_mark {
  struct mus_arena_block *newest;
  size_t bytes;
} mus_arena_mark;

void *mus_arena_alloc(mus_arena *arena, size_t count, size_t size);
void *mus_arena_alloc_zero(mus_arena *arena, size_t count, size_t size);
mus_arena_mark mus_arena_here(const mus_arena *arena);
void mus_arena_rewind(mus_arena *arena, mus_arena_mark mark);
// Frees everything; the arena is empty and usable again.
void mus_arena_clear(mus_arena *arena);

#endif
