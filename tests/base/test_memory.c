// Allocation: alignment, padding, overflow, arenas, and failing on demand.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/memory.h"

static int is_aligned(const void *memory) { return (uintptr_t)memory % MUS_ALIGNMENT == 0; }

// 1 when the bytes that kernels may read past the end are there and zero.
static int padding_is_zero(const void *memory, size_t bytes) {
  const unsigned char *end = (const unsigned char *)memory + bytes;
  for (int i = 0; i < MUS_ALIGNMENT; ++i)
    if (end[i] != 0)
      return 0;
  return 1;
}

static void dirty_the_heap(void) {
  void *memory[32];
  for (size_t i = 0; i < 32; ++i) {
    memory[i] = mus_alloc(1, 64 * i);
    assert_non_null(memory[i]);
    memset(memory[i], 0xA5, 64 * i);
  }
  for (size_t i = 0; i < 32; ++i)
    mus_free(memory[i]);
}

static void allocations_are_aligned_and_padded(void **state) {
  (void)state;
  const size_t sizes[] = {0, 1, 3, 63, 64, 65, 127, 128, 1000, 100000, (9 << 20) + 1};
  dirty_the_heap();
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
    char *memory = mus_alloc(sizes[i], 1);
    assert_non_null(memory);
    assert_true(is_aligned(memory));
    memset(memory, 0xFF, sizes[i]);
    assert_true(padding_is_zero(memory, sizes[i]));
    mus_free(memory);
  }
}

static void zeroed_allocations_are_zero(void **state) {
  (void)state;
  dirty_the_heap();
  mus_arena arena = {0};
  double *alone = mus_alloc_zero(37, sizeof *alone), *pooled = mus_arena_alloc_zero(&arena, 37, sizeof *pooled);
  assert_non_null(alone);
  assert_non_null(pooled);
  for (int i = 0; i < 37; ++i) {
    assert_true(alone[i] == 0);
    assert_true(pooled[i] == 0);
  }
  mus_free(alone);
  mus_arena_clear(&arena);
}

static void impossible_sizes_give_null(void **state) {
  (void)state;
  mus_arena arena = {0};
  const size_t counts[] = {SIZE_MAX,     SIZE_MAX / 8,    SIZE_MAX / 8 + 1,
                           SIZE_MAX / 2, PTRDIFF_MAX / 8, PTRDIFF_MAX / 8 - 8};
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
    assert_null(mus_alloc(counts[i], 8));
    assert_null(mus_alloc_zero(8, counts[i]));
    assert_null(mus_arena_alloc(&arena, counts[i], 8));
    assert_null(mus_arena_alloc_zero(&arena, 8, counts[i]));
  }
  assert_int_equal(arena.bytes, 0);
  assert_null(arena.newest);
}

static void arena_memory_is_aligned_padded_and_apart(void **state) {
  (void)state;
  mus_arena arena = {0};
  char *memory[100];
  dirty_the_heap();
  for (size_t i = 0; i < 100; ++i) {
    memory[i] = mus_arena_alloc(&arena, i, 7);
    assert_non_null(memory[i]);
    assert_true(is_aligned(memory[i]));
    memset(memory[i], (int)i, 7 * i);
  }
  for (size_t i = 0; i < 100; ++i) {
    assert_true(padding_is_zero(memory[i], 7 * i));
    for (size_t k = 0; k < 7 * i; ++k)
      assert_int_equal(memory[i][k], (char)i);
  }
  mus_arena_clear(&arena);
}

static void rewinding_gives_back_what_came_after_the_mark(void **state) {
  (void)state;
  mus_arena arena = {0};
  int *kept = mus_arena_alloc(&arena, 100, sizeof *kept);
  assert_non_null(kept);
  kept[99] = 42;
  size_t bytes = arena.bytes;
  assert_true(bytes >= 100 * sizeof *kept);

  mus_arena_mark mark = mus_arena_here(&arena);
  mus_arena_rewind(&arena, mark);
  assert_int_equal(arena.bytes, bytes);
  for (int i = 0; i < 3; ++i)
    assert_non_null(mus_arena_alloc(&arena, 1000, 8));
  assert_true(arena.bytes >= bytes + 3 * 8000);
  mus_arena_rewind(&arena, mark);
  assert_int_equal(arena.bytes, bytes);
  assert_int_equal(kept[99], 42);

  mus_arena_clear(&arena);
  assert_int_equal(arena.bytes, 0);
  assert_non_null(mus_arena_alloc(&arena, 1, 1));
  mus_arena_clear(&arena);
  mus_arena_clear(&arena);
}

static void allocations_fail_on_demand(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_memory_fail_after(2);
  void *first = mus_alloc(1, 8), *second = mus_arena_alloc(&arena, 1, 8);
  void *third = mus_alloc(1, 8), *fourth = mus_arena_alloc_zero(&arena, 1, 8), *fifth = mus_alloc_zero(1, 8);
  mus_memory_fail_after(-1);
  assert_non_null(first);
  assert_non_null(second);
  assert_null(third);
  assert_null(fourth);
  assert_null(fifth);
  mus_free(first);
  mus_arena_clear(&arena);

  mus_memory_fail_after(0);
  void *refused = mus_alloc(1, 1);
  mus_memory_fail_after(-5);
  void *granted = mus_alloc(1, 1);
  assert_null(refused);
  assert_non_null(granted);
  mus_free(granted);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(allocations_are_aligned_and_padded),
      cmocka_unit_test(zeroed_allocations_are_zero),
      cmocka_unit_test(impossible_sizes_give_null),
      cmocka_unit_test(arena_memory_is_aligned_padded_and_apart),
      cmocka_unit_test(rewinding_gives_back_what_came_after_the_mark),
      cmocka_unit_test(allocations_fail_on_demand),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
