// Packed prolongators: what rounding keeps of P, and products against dense ones, for every instruction set and any
// number of threads.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "par/par.h"
#include "sparse/packed.h"
#include "support/guarded.h"
#include "support/patterns.h"
#include "support/sweep.h"

enum { ROWS = 3000, COLUMNS = 400, X = 0, Y, VALUE, SCALE, PAGES };
static guarded pages[PAGES];

static int open_pages(void **state) {
  (void)state;
  return guarded_create_all((size_t)1 << 20, PAGES, pages);
}

static int close_pages(void **state) {
  (void)state;
  return guarded_free_all(PAGES, pages);
}

// --- prolongators ---------------------------------------------------------------------------------------------------

// Along a chain: rows of one to four blocks, some of none, whose sizes differ by many orders of magnitude.
typedef struct prolongator {
  mus_arena arena;
  mus_pattern pattern;
  mus_matrix_f p;
  float *given; // P before it was rounded
  mus_packed packed;
  mus_restriction plan;
} prolongator;

static prolongator *prolongator_create(int block) {
  static int start[ROWS + 1], column[4 * ROWS];
  prolongator *t = calloc(1, sizeof *t);
  int blocks = 0;
  for (int i = 0; i < ROWS; start[++i] = blocks) {
    int home = (int)((long long)i * (COLUMNS - 4) / ROWS), count = i % 11 == 0 ? 0 : 1 + i * 7 % 5 % 4;
    for (int k = 0; k < count; ++k)
      column[blocks++] = home + k;
  }
  assert_int_equal(mus_pattern_copy(&t->arena, ROWS, COLUMNS, start, column, &t->pattern), MUS_OK);
  assert_int_equal(mus_matrix_create_f(&t->arena, &t->pattern, block, 6, &t->p), MUS_OK);
  assert_int_equal(mus_packed_create(&t->arena, &t->pattern, block, &t->packed), MUS_OK);
  assert_int_equal(mus_restriction_create(&t->arena, &t->pattern, 6, sizeof(float), &t->plan), MUS_OK);
  assert_true(t->plan.chunks > 3);
  size_t size = (size_t)block * 6;
  for (int i = 0; i < ROWS; ++i)
    for (size_t k = (size_t)start[i] * size; k < (size_t)start[i + 1] * size; ++k)
      t->p.value[k] = (float)ldexp(mus_random(3, k), i % 40 - 20);
  t->given = mus_arena_alloc(&t->arena, (size_t)blocks * size, sizeof *t->given);
  assert_non_null(t->given);
  memcpy(t->given, t->p.value, (size_t)blocks * size * sizeof *t->given);
  mus_packed_round(&t->p, &t->packed);
  return t;
}

static void prolongator_free(prolongator *t) {
  mus_arena_clear(&t->arena);
  free(t);
}

static size_t row_begin(const prolongator *t, int row) {
  return (size_t)t->pattern.row_start[row] * (size_t)(6 * t->p.row_block);
}

// --- rounding -------------------------------------------------------------------------------------------------------

// P is what its packed copy says, to the last bit, and no further from what was given than the header promises.
static void expect_rounded(const prolongator *t) {
  for (int i = 0; i < ROWS; ++i) {
    int exponent;
    float largest = 0;
    for (size_t k = row_begin(t, i); k < row_begin(t, i + 1); ++k)
      largest = fmaxf(largest, fabsf(t->given[k]));
    assert_true(frexpf(t->packed.scale[i], &exponent) == 0.5f); // a power of two
    for (size_t k = row_begin(t, i); k < row_begin(t, i + 1); ++k) {
      assert_true(t->p.value[k] == t->packed.scale[i] * (float)t->packed.value[k]);
      assert_true(fabsf(t->p.value[k] - t->given[k]) <= ldexpf(largest, -15));
    }
  }
}

static void prolongators_become_their_packed_copies(void **state) {
  (void)state;
  for (int block = 3; block <= 6; block += 3) {
    prolongator *t = prolongator_create(block);
    expect_rounded(t);
    size_t values = row_begin(t, ROWS);
    float *once = malloc(values * sizeof *once);
    assert_non_null(once);
    memcpy(once, t->p.value, values * sizeof *once);
    mus_packed_round(&t->p, &t->packed); // a second time, nothing changes
    assert_memory_equal(once, t->p.value, values * sizeof *once);
    int rows[2] = {5, ROWS - 1};
    for (int r = 0; r < 2; ++r)
      for (size_t k = row_begin(t, rows[r]); k < row_begin(t, rows[r] + 1); ++k)
        t->p.value[k] = t->given[k] = 0.3f * t->p.value[k];
    mus_packed_round_rows(&t->p, 2, rows, &t->packed);
    expect_rounded(t);
    free(once);
    prolongator_free(t);
  }
}

// Numbers just below a power of two, which would be rounded up to it, zeros, numbers too small to matter, and the
// largest there are.
static void extreme_rows(void **state) {
  (void)state;
  static const int start[] = {0, 1, 2, 3, 4}, column[] = {0, 0, 0, 0};
  const float size[] = {nextafterf(1, 0), 0, FLT_MIN, FLT_MAX};
  mus_pattern pattern = {4, 1, (int *)start, (int *)column};
  float value[72];
  for (int k = 0; k < 72; ++k)
    value[k] = (float)(k % 3 - 1) * size[k / 18];
  mus_matrix_f p = {&pattern, 3, 6, value};
  mus_arena arena = {0};
  mus_packed packed;
  assert_int_equal(mus_packed_create(&arena, &pattern, 3, &packed), MUS_OK);
  mus_packed_round(&p, &packed);
  for (int k = 0; k < 72; ++k) {
    assert_true(isfinite(value[k]) && value[k] == packed.scale[k / 18] * (float)packed.value[k]);
    assert_true(fabsf(value[k] - (float)(k % 3 - 1) * size[k / 18]) <= fmaxf(ldexpf(size[k / 18], -15), FLT_MIN));
  }
  mus_arena_clear(&arena);
}

static void shapes_and_bytes(void **state) {
  (void)state;
  assert_true(mus_packed_takes(3, 6) && mus_packed_takes(6, 6));
  assert_false(mus_packed_takes(3, 3) || mus_packed_takes(6, 12) || mus_packed_takes(12, 6));
  assert_int_equal(mus_packed_bytes(&(mus_packed){0}), 0);
  prolongator *t = prolongator_create(3);
  assert_int_equal(mus_packed_bytes(&t->packed), 36 * mus_pattern_blocks(&t->pattern) + 4 * ROWS);
  prolongator_free(t);
}

static mus_status create(mus_arena *arena, void *data) {
  mus_packed packed;
  return mus_packed_create(arena, data, 3, &packed);
}

static void failing_allocations(void **state) {
  (void)state;
  mus_arena arena = {0}, own = {0};
  mus_pattern pattern = random_pattern(&own, 20, 5, 1, 3, 1);
  assert_true(sweep_allocations(&arena, create, &pattern) > 2);
  mus_arena_clear(&arena);
  mus_arena_clear(&own);
}

// --- products -------------------------------------------------------------------------------------------------------

// y + P x or P^T x in double precision, and the sum of the sizes of what is added up.
static void expected(const prolongator *t, int transposed, const float *x, const float *y, double *sum, double *size) {
  int block = t->p.row_block;
  size_t to = transposed ? (size_t)COLUMNS * 6 : (size_t)ROWS * (size_t)block;
  for (size_t k = 0; k < to; ++k) {
    sum[k] = transposed ? 0 : (double)y[k];
    size[k] = fabs(sum[k]);
  }
  for (int i = 0; i < ROWS; ++i)
    for (int k = t->pattern.row_start[i]; k < t->pattern.row_start[i + 1]; ++k)
      for (int e = 0; e < 6 * block; ++e) {
        size_t row = (size_t)i * (size_t)block + (size_t)(e / 6),
               column = (size_t)t->pattern.column[k] * 6 + (size_t)(e % 6);
        double term =
            (double)t->p.value[(size_t)k * (size_t)(6 * block) + (size_t)e] * (double)x[transposed ? row : column];
        sum[transposed ? column : row] += term;
        size[transposed ? column : row] += fabs(term);
      }
}

// With arrays that lie flush with pages that may not be touched.
static float *product(const prolongator *t, int transposed, int at_end, const float *x, const float *y) {
  size_t fine = (size_t)ROWS * (size_t)t->p.row_block, coarse = (size_t)COLUMNS * 6;
  mus_packed p = t->packed;
  p.value = guarded_copy(&pages[VALUE], at_end, (row_begin(t, ROWS) + 2) * sizeof *p.value, p.value);
  p.scale = guarded_copy(&pages[SCALE], at_end, ROWS * sizeof *p.scale, p.scale);
  float *from = guarded_copy(&pages[X], at_end, (transposed ? fine : coarse) * sizeof *x, x);
  float *to = guarded_copy(&pages[Y], at_end, (transposed ? coarse : fine) * sizeof *y, y);
  if (transposed)
    mus_packed_restrict(&p, &t->plan, from, to);
  else
    mus_packed_multiply_add(&p, from, to);
  return to;
}

static void check_products(const prolongator *t, int transposed) {
  size_t fine = (size_t)ROWS * (size_t)t->p.row_block, coarse = (size_t)COLUMNS * 6,
         most = fine > coarse ? fine : coarse;
  size_t count = transposed ? coarse : fine;
  float *x = malloc(3 * most * sizeof *x), *y = x + most, *first = y + most;
  double *sum = malloc(2 * most * sizeof *sum), *size = sum + most;
  assert_true(x && sum);
  for (size_t k = 0; k < most; ++k) {
    x[k] = (float)mus_random(7, k);
    y[k] = (float)mus_random(8, k);
  }
  expected(t, transposed, x, y, sum, size);
  for (int at_end = 0; at_end < 2; ++at_end)
    for (int threads = 1; threads <= 7; threads += 3) {
      mus_par_set_threads(threads);
      float *is = product(t, transposed, at_end, x, y);
      for (size_t k = 0; k < count; ++k)
        assert_true(fabs((double)is[k] - sum[k]) <= 40 * FLT_EPSILON * size[k]);
      if (!at_end && threads == 1)
        memcpy(first, is, count * sizeof *is);
      assert_memory_equal(first, is, count * sizeof *is);
      mus_par_set_threads(0);
    }
  free(x);
  free(sum);
}

static void products_agree_with_dense(void **state) {
  (void)state;
  for (int which = 0; which < MUS_INSTRUCTION_SETS; ++which) {
    mus_instructions before = mus_instructions_current();
    if (!mus_instructions_available((mus_instructions)which))
      continue;
    assert_int_equal(mus_instructions_use((mus_instructions)which), MUS_OK);
    for (int block = 3; block <= 6; block += 3) {
      prolongator *t = prolongator_create(block);
      check_products(t, 0);
      check_products(t, 1);
      prolongator_free(t);
    }
    assert_int_equal(mus_instructions_use(before), MUS_OK);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(prolongators_become_their_packed_copies),
      cmocka_unit_test(extreme_rows),
      cmocka_unit_test(shapes_and_bytes),
      cmocka_unit_test(failing_allocations),
      cmocka_unit_test(products_agree_with_dense),
  };
  return cmocka_run_group_tests(tests, open_pages, close_pages);
}
