// Freed blocks that are kept: what is taken again, what is not, and how much there may be.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/kept.h"
#include "base/memory.h"

enum { BYTES = 100000 };

// Under address sanitizers nothing is kept, and there is nothing to test.
static void need_keeping(void) {
  void *block = malloc(BYTES);
  assert_non_null(block);
  mus_memory_release();
  if (mus_kept_put(block))
    return;
  free(block);
  skip();
}

static void what_was_freed_is_taken_again(void **state) {
  (void)state;
  need_keeping();
  mus_memory_release();
  char *memory = mus_alloc(BYTES, 1);
  assert_non_null(memory);
  memset(memory, 0xA5, BYTES);
  mus_free(memory);
  assert_true(mus_memory_kept() >= BYTES);
  char *again = mus_alloc_zero(BYTES, 1);
  assert_ptr_equal(again, memory);
  assert_int_equal(mus_memory_kept(), 0);
  for (int k = 0; k < BYTES + MUS_ALIGNMENT; ++k)
    assert_int_equal(again[k], 0);
  mus_free(again);
}

static void blocks_are_large_enough_and_not_much_larger(void **state) {
  (void)state;
  need_keeping();
  mus_memory_release();
  mus_free(mus_alloc(BYTES, 1));
  size_t kept = mus_memory_kept();
  assert_null(mus_kept_take(kept + 1));
  assert_null(mus_kept_take(BYTES / 2));
  assert_int_equal(mus_memory_kept(), kept);
  void *block = mus_kept_take(kept * 9 / 10);
  assert_non_null(block);
  free(block);
}

static void small_blocks_are_not_kept(void **state) {
  (void)state;
  mus_memory_release();
  mus_free(mus_alloc(100, 1));
  mus_free(NULL);
  assert_int_equal(mus_memory_kept(), 0);
  assert_null(mus_kept_take(100));
}

static void no_more_is_kept_than_the_maximum(void **state) {
  (void)state;
  enum { COUNT = 6, LARGE = MUS_KEPT_MAXIMUM / 4 };
  need_keeping();
  mus_memory_release();
  void *block[COUNT];
  for (int k = 0; k < COUNT; ++k) {
    block[k] = mus_alloc(LARGE, 1);
    assert_non_null(block[k]);
  }
  for (int k = 0; k < COUNT; ++k) {
    mus_free(block[k]);
    assert_in_range(mus_memory_kept(), LARGE, MUS_KEPT_MAXIMUM);
  }
  void *huge = mus_alloc(MUS_KEPT_MAXIMUM, 2);
  mus_free(huge);
  assert_in_range(mus_memory_kept(), LARGE, MUS_KEPT_MAXIMUM);
  mus_memory_release();
  assert_int_equal(mus_memory_kept(), 0);
}

static void allocations_fail_on_demand_though_blocks_are_kept(void **state) {
  (void)state;
  mus_free(mus_alloc(BYTES, 1));
  mus_memory_fail_after(0);
  void *memory = mus_alloc(BYTES, 1);
  mus_memory_fail_after(-1);
  assert_null(memory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_was_freed_is_taken_again),
      cmocka_unit_test(blocks_are_large_enough_and_not_much_larger),
      cmocka_unit_test(small_blocks_are_not_kept),
      cmocka_unit_test(no_more_is_kept_than_the_maximum),
      cmocka_unit_test(allocations_fail_on_demand_though_blocks_are_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
