// Whether a matrix is symmetric and finite: every entry counts.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "par/par.h"
#include "sparse/soundness.h"

enum { ROWS = 80, BLOCK_MOST = 4 };

// A band of blocks, symmetric to the last bit.
static mus_matrix create(mus_arena *arena, int block, mus_pattern *pattern, mus_transpose *transpose) {
  static int row_start[ROWS + 1], column[ROWS * 5];
  int blocks = 0;
  for (int i = 0; i < ROWS; ++i) {
    for (int j = i > 2 ? i - 2 : 0; j <= i + 2 && j < ROWS; ++j)
      column[blocks++] = j;
    row_start[i + 1] = blocks;
  }
  mus_matrix a;
  assert_int_equal(mus_pattern_copy(arena, ROWS, ROWS, row_start, column, pattern), MUS_OK);
  assert_int_equal(mus_transpose_create(arena, pattern, transpose), MUS_OK);
  assert_int_equal(mus_matrix_create(arena, pattern, block, block, &a), MUS_OK);
  for (int i = 0; i < ROWS; ++i)
    for (int k = row_start[i]; k < row_start[i + 1]; ++k)
      for (int e = 0; e < block * block; ++e) {
        int r = i * block + e / block, c = column[k] * block + e % block, low = r < c ? r : c, high = r < c ? c : r;
        a.value[k * block * block + e] = mus_random((uint64_t)low, (uint64_t)high);
      }
  return a;
}

static void every_entry_counts(void **state) {
  (void)state;
  for (int block = 1; block <= BLOCK_MOST; ++block) {
    mus_arena arena = {0};
    mus_pattern pattern;
    mus_transpose transpose;
    mus_matrix a = create(&arena, block, &pattern, &transpose);
    assert_true(mus_matrix_is_sound(&a, &transpose, 0));
    for (size_t k = 0; k < mus_matrix_values(&a); ++k) {
      double was = a.value[k];
      const double wrong[] = {NAN, INFINITY, -INFINITY};
      for (int w = 0; w < 3; ++w) {
        a.value[k] = wrong[w];
        assert_false(mus_matrix_is_sound(&a, &transpose, 0));
      }
      a.value[k] = was;
    }
    assert_true(mus_matrix_is_sound(&a, &transpose, 0));
    mus_arena_clear(&arena);
  }
}

// By the smallest difference that there is, and by such as would cancel; only what is its own mirror image may change.
static void differences_count(void **state) {
  (void)state;
  for (int threads = 1; threads <= 3; threads += 2) {
    mus_arena arena = {0};
    mus_pattern pattern;
    mus_transpose transpose;
    mus_matrix a = create(&arena, 3, &pattern, &transpose);
    mus_par_set_threads(threads);
    for (int i = 0; i < ROWS; ++i)
      for (int k = pattern.row_start[i]; k < pattern.row_start[i + 1]; ++k)
        for (int e = 0; e < 9; ++e) {
          double *x = &a.value[9 * k + e], was = *x;
          *x = nextafter(was, 2);
          assert_int_equal(mus_matrix_is_sound(&a, &transpose, 0), pattern.column[k] == i && e % 4 == 0);
          *x = was;
        }
    a.value[1] += 1; // of the first row's first block
    a.value[2] -= 1;
    assert_false(mus_matrix_is_sound(&a, &transpose, 0));
    mus_par_set_threads(0);
    mus_arena_clear(&arena);
  }
}

// Two infinities that are mirror images have no difference that is a number.
static void infinities_in_pairs(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_pattern pattern;
  mus_transpose transpose;
  mus_matrix a = create(&arena, 3, &pattern, &transpose);
  a.value[1] = a.value[3] = INFINITY;
  assert_false(mus_matrix_is_sound(&a, &transpose, 0));
  mus_arena_clear(&arena);
}

// Rounding passes where it is allowed, for every entry below the diagonal; values that are not finite never do.
static void rounding_passes(void **state) {
  (void)state;
  for (int block = 1; block <= BLOCK_MOST; ++block) {
    mus_arena arena = {0};
    mus_pattern pattern;
    mus_transpose transpose;
    mus_matrix a = create(&arena, block, &pattern, &transpose);
    for (size_t k = 0; k < mus_matrix_values(&a); ++k)
      a.value[k] *= 1 + 1e-15 * (double)(k % 5);
    assert_true(mus_matrix_is_sound(&a, &transpose, 1e-14));
    assert_false(mus_matrix_is_sound(&a, &transpose, 1e-17));
    double was = a.value[0];
    a.value[0] = NAN;
    assert_false(mus_matrix_is_sound(&a, &transpose, 1));
    a.value[0] = was;
    size_t last = mus_matrix_values(&a) - 2; // of its diagonal block, beside the diagonal
    if (block > 1) {
      a.value[last] += 1e-9;
      assert_true(mus_matrix_is_sound(&a, &transpose, 1e-8));
      assert_false(mus_matrix_is_sound(&a, &transpose, 1e-10));
    }
    mus_arena_clear(&arena);
  }
}

// All of it is copied in the same pass, wherever the rows begin, by every instruction set; what differs is found by
// each.
static void values_are_taken(void **state) {
  (void)state;
  mus_instructions before = mus_instructions_current();
  for (int which = 0; which < MUS_INSTRUCTION_SETS; ++which)
    for (int block = 1; block <= BLOCK_MOST && mus_instructions_available((mus_instructions)which); ++block) {
      mus_arena arena = {0};
      mus_pattern pattern;
      mus_transpose transpose;
      mus_matrix a = create(&arena, block, &pattern, &transpose);
      size_t count = mus_matrix_values(&a);
      double *copy = mus_arena_alloc_zero(&arena, count + 1, sizeof *copy);
      assert_int_equal(mus_instructions_use((mus_instructions)which), MUS_OK);
      assert_true(mus_matrix_take(&a, &transpose, 0, copy));
      assert_memory_equal(copy, a.value, count * sizeof *copy);
      assert_true(copy[count] == 0);
      for (size_t k = 0; k < count; k += 7) {
        double was = a.value[k];
        a.value[k] = NAN;
        assert_false(mus_matrix_take(&a, &transpose, 1, copy));
        a.value[k] = was;
      }
      mus_arena_clear(&arena);
    }
  assert_int_equal(mus_instructions_use(before), MUS_OK);
}

#if MUSLIN_X86
static void copies_past_caches_are_whole(void **state) {
  (void)state;
  enum { MOST = 70 };
  double from[MOST], to[MOST + 8];
  for (int k = 0; k < MOST; ++k)
    from[k] = k + 1;
  for (int first = 0; first < 8 && mus_instructions_available(MUS_AVX2); ++first)
    for (int n = 0; n <= MOST - 8; ++n) {
      memset(to, 0, sizeof to);
      mus_copy_past_caches_avx2((size_t)n, from, to + first);
      for (int k = 0; k < MOST + 8; ++k)
        assert_true(to[k] == (k >= first && k < first + n ? from[k - first] : 0));
    }
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(values_are_taken),
#if MUSLIN_X86
    cmocka_unit_test(copies_past_caches_are_whole),
#endif
    cmocka_unit_test(every_entry_counts),
    cmocka_unit_test(differences_count),
    cmocka_unit_test(infinities_in_pairs),
    cmocka_unit_test(rounding_passes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
