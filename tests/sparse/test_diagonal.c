// The block diagonal of matrices and its inverse, in both precisions.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "par/par.h"
#include "sparse/matrix.h"
#include "support/dense.h"
#include "support/patterns.h"

static const int threads[] = {1, 2, 3, 7};
enum { THREADS = sizeof threads / sizeof *threads };

static void block_diagonal_products(void **state) {
  (void)state;
  for (int block = 1; block <= MUS_BLOCK_MAXIMUM; ++block)
    for (int rows = 7; rows <= 700; rows += 693) {
      mus_arena arena = {0};
      size_t n = (size_t)(rows * block);
      double *b = random_vector(&arena, n * (size_t)block, 1), *x = random_vector(&arena, n, 2);
      double *y = random_vector(&arena, n, 3), *first = random_vector(&arena, n, 4);
      for (int i = 0; i < rows; ++i) // symmetric
        for (int r = 0; r < block; ++r)
          for (int c = 0; c < r; ++c)
            b[(i * block + r) * block + c] = b[(i * block + c) * block + r];
      for (int k = 0; k < THREADS; ++k) {
        mus_par_set_threads(threads[k]);
        mus_block_diagonal_multiply(rows, block, 0.75, b, x, k == 0 ? first : y);
        mus_par_set_threads(0);
        assert_memory_equal(k == 0 ? first : y, first, n * sizeof *y);
      }
      for (int i = 0; i < rows * block; ++i) {
        long double sum = 0;
        for (int c = 0; c < block; ++c)
          sum += (long double)b[i * block + c] * x[i / block * block + c];
        assert_true(fabsl(0.75L * sum - first[i]) <= block * block * DBL_EPSILON);
      }
      mus_arena_clear(&arena);
    }
}

static void diagonals_are_found(void **state) {
  (void)state;
  mus_pattern good = {3, 3, (int[]){0, 2, 3, 5}, (int[]){0, 2, 1, 0, 2}};
  mus_pattern bad = {3, 3, (int[]){0, 2, 3, 5}, (int[]){0, 2, 2, 0, 1}};
  int place[3];
  assert_int_equal(mus_diagonal_places(&good, place), MUS_OK);
  assert_true(place[0] == 0 && place[1] == 2 && place[2] == 4);
  assert_int_equal(mus_diagonal_places(&bad, place), MUS_BAD_INPUT);
  assert_non_null(strstr(mus_last_error(), "node 1 has no diagonal block"));
}

// A diagonal matrix of blocks that lie in the values in reverse order, so that rows and places differ.
typedef struct diagonal {
  mus_arena arena;
  mus_pattern pattern;
  mus_matrix a;
  int *place;
  double *inverse;
} diagonal;

// A well-conditioned symmetric positive definite block, its rows and columns scaled by factors from 1e-6 to 1e6.
static void random_block(int block, uint64_t seed, double *scale, double *a) {
  double g[MUS_BLOCK_MAXIMUM * MUS_BLOCK_MAXIMUM];
  for (int k = 0; k < block; ++k)
    scale[k] = pow(10, 6 * mus_random(seed + 1, (uint64_t)k));
  for (int k = 0; k < block * block; ++k)
    g[k] = mus_random(seed, (uint64_t)k);
  for (int i = 0; i < block; ++i)
    for (int j = 0; j <= i; ++j) {
      double sum = i == j;
      for (int k = 0; k < block; ++k)
        sum += g[i * block + k] * g[j * block + k];
      a[i * block + j] = a[j * block + i] = sum * scale[i] * scale[j];
    }
}

static diagonal *create_diagonal(int rows, int block) {
  diagonal *d = calloc(1, sizeof *d);
  d->pattern = random_pattern(&d->arena, rows, rows, 1, 1, 0);
  assert_int_equal(mus_matrix_create(&d->arena, &d->pattern, block, block, &d->a), MUS_OK);
  d->place = mus_arena_alloc(&d->arena, (size_t)rows, sizeof *d->place);
  d->inverse = mus_arena_alloc(&d->arena, (size_t)(rows * block * block), sizeof *d->inverse);
  for (int i = 0; i < rows; ++i) {
    double scale[MUS_BLOCK_MAXIMUM];
    d->place[i] = rows - 1 - i;
    random_block(block, (uint64_t)i, scale, d->a.value + d->place[i] * block * block);
  }
  return d;
}

static void destroy_diagonal(diagonal *d) {
  mus_arena_clear(&d->arena);
  free(d);
}

static void inverse_blocks_agree_with_dense(void **state) {
  (void)state;
  enum { ROWS = 30 };
  for (int block = 1; block <= MUS_BLOCK_MAXIMUM; ++block) {
    diagonal *d = create_diagonal(ROWS, block);
    assert_int_equal(mus_inverse_diagonal(&d->a, d->place, d->inverse), MUS_OK);
    for (int i = 0; i < ROWS; ++i) {
      double scale[MUS_BLOCK_MAXIMUM], a[MUS_BLOCK_MAXIMUM * MUS_BLOCK_MAXIMUM], *inverse;
      random_block(block, (uint64_t)i, scale, a);
      inverse = d->inverse + i * block * block;
      for (int c = 0; c < block; ++c) {
        double unit[MUS_BLOCK_MAXIMUM] = {0}, column[MUS_BLOCK_MAXIMUM];
        unit[c] = 1;
        dense_solve(block, a, unit, column);
        for (int r = 0; r < block; ++r) { // the scaling is taken out: it costs a Cholesky factorisation no accuracy
          assert_true(fabs(inverse[r * block + c] - column[r]) * scale[r] * scale[c] <= 1e-13 * block * block);
          assert_true(inverse[r * block + c] == inverse[c * block + r]);
        }
      }
    }
    destroy_diagonal(d);
  }
}

// Values and inverse in single precision.
typedef struct diagonal_f {
  mus_matrix_f a;
  float *inverse;
} diagonal_f;

static diagonal_f round_diagonal(diagonal *d) {
  diagonal_f f;
  int block = d->a.row_block;
  assert_int_equal(mus_matrix_create_f(&d->arena, &d->pattern, block, block, &f.a), MUS_OK);
  mus_matrix_round(&d->a, &f.a);
  f.inverse = mus_arena_alloc(&d->arena, mus_matrix_values(&d->a), sizeof *f.inverse);
  return f;
}

static void single_inverses_agree_with_double(void **state) {
  (void)state;
  enum { ROWS = 30 };
  for (int block = 1; block <= MUS_BLOCK_MAXIMUM; ++block) {
    diagonal *d = create_diagonal(ROWS, block);
    diagonal_f f = round_diagonal(d);
    mus_matrix_widen(&f.a, &d->a);
    assert_int_equal(mus_inverse_diagonal(&d->a, d->place, d->inverse), MUS_OK);
    assert_int_equal(mus_inverse_diagonal_f(&f.a, d->place, f.inverse), MUS_OK);
    for (size_t k = 0; k < mus_matrix_values(&d->a); ++k)
      assert_true(f.inverse[k] == (float)d->inverse[k]);
    memset(f.inverse, 0, mus_matrix_values(&d->a) * sizeof *f.inverse);
    assert_int_equal(mus_inverse_diagonal_rounded(&d->a, d->place, f.inverse), MUS_OK);
    for (size_t k = 0; k < mus_matrix_values(&d->a); ++k)
      assert_true(f.inverse[k] == (float)d->inverse[k]);
    destroy_diagonal(d);
  }
}

static void assert_failed_in(mus_status status, int row) {
  char text[60];
  assert_int_equal(status, MUS_BREAKDOWN);
  snprintf(text, sizeof text, "node %d is not positive definite", row);
  if (!strstr(mus_last_error(), text))
    fail_msg("\"%s\" does not say \"%s\"", mus_last_error(), text);
}

// In both precisions.
static void assert_breaks_down(diagonal *d, int row) {
  assert_failed_in(mus_inverse_diagonal(&d->a, d->place, d->inverse), row);
  diagonal_f f = round_diagonal(d);
  assert_failed_in(mus_inverse_diagonal_f(&f.a, d->place, f.inverse), row);
  assert_failed_in(mus_inverse_diagonal_rounded(&d->a, d->place, f.inverse), row);
}

static void blocks_that_are_not_positive_definite(void **state) {
  (void)state;
  enum { ROWS = 5, BAD = 3 };
  for (int block = 1; block <= MUS_BLOCK_MAXIMUM; ++block) {
    diagonal *d = create_diagonal(ROWS, block);
    double *at = d->a.value + d->place[BAD] * block * block, good[MUS_BLOCK_MAXIMUM * MUS_BLOCK_MAXIMUM];
    size_t bytes = (size_t)(block * block) * sizeof *at;
    memcpy(good, at, bytes);
    for (int i = 0; i < block; ++i)
      for (int j = 0; j <= i; ++j) {
        double broken[] = {NAN, INFINITY, -INFINITY, i == j ? 0 : 2 * sqrt(good[i * block + i] * good[j * block + j]),
                           i == j ? -good[i * block + i] : -1e200};
        for (int k = 0; k < 5; ++k) {
          at[i * block + j] = at[j * block + i] = broken[k];
          assert_breaks_down(d, BAD);
          memcpy(at, good, bytes);
        }
      }
    memset(at, 0, bytes);
    assert_breaks_down(d, BAD);
    destroy_diagonal(d);
  }
}

// The identity, but for a pair of unknowns that moves apart with a stiffness of `apart` only.
static void set_nearly_singular(int block, double apart, double *a) {
  int i = block - 2, j = block - 1;
  for (int k = 0; k < block * block; ++k)
    a[k] = k % (block + 1) == 0;
  a[i * block + j] = a[j * block + i] = 1;
  a[j * block + j] = 1 + apart;
}

static void blocks_that_are_singular_to_working_precision(void **state) {
  (void)state;
  for (int block = 2; block <= MUS_BLOCK_MAXIMUM; ++block) {
    diagonal *d = create_diagonal(5, block);
    double *at = d->a.value + d->place[4] * block * block;
    for (int ulps = 0; ulps <= 16; ulps += 4) { // a last pivot of that many, which no digit of the block vouches for
      set_nearly_singular(block, ulps * DBL_EPSILON, at);
      assert_breaks_down(d, 4);
    }
    set_nearly_singular(block, 1e-12, at);
    assert_int_equal(mus_inverse_diagonal(&d->a, d->place, d->inverse), MUS_OK);
    for (int ulps = 2; ulps <= 16; ulps += 14) {
      set_nearly_singular(block, ulps * (double)FLT_EPSILON, at);
      diagonal_f f = round_diagonal(d);
      assert_int_equal(mus_inverse_diagonal_f(&f.a, d->place, f.inverse), ulps < 16 ? MUS_BREAKDOWN : MUS_OK);
    }
    for (int k = 0; k < block * block; ++k) // rank one
      at[k] = (k / block + 1.0) * (k % block + 1.0);
    assert_breaks_down(d, 4);
    destroy_diagonal(d);
  }
}

// Work enough that every thread gets some of it.
static void first_bad_row_is_named(void **state) {
  (void)state;
  enum { ROWS = 3000, BLOCK = 6, SIZE = BLOCK * BLOCK, CASES = 5, TRIALS = 5 };
  static const int first[CASES] = {0, 255, 256, 1500, ROWS - 1};
  diagonal *d = create_diagonal(ROWS, BLOCK);
  double *good = malloc(ROWS * SIZE * sizeof *good);
  memcpy(good, d->a.value, ROWS * SIZE * sizeof *good);
  for (int k = 0; k < THREADS; ++k) {
    mus_par_set_threads(threads[k]);
    for (int trial = 0; trial < TRIALS * CASES; ++trial) { // often: which thread comes last is up to chance
      int expected = first[trial % CASES];
      for (int i = expected; i < ROWS; i += 50) // in the last pivot, so that finding out takes long
        d->a.value[d->place[i] * SIZE + SIZE - 1] = i % 100 ? NAN : -1;
      assert_breaks_down(d, expected);
      memcpy(d->a.value, good, ROWS * SIZE * sizeof *good);
    }
    assert_int_equal(mus_inverse_diagonal(&d->a, d->place, d->inverse), MUS_OK);
    mus_par_set_threads(0);
  }
  free(good);
  destroy_diagonal(d);
}

static void inverses_have_the_same_bits_for_any_number_of_threads(void **state) {
  (void)state;
  diagonal *d = create_diagonal(300, 6);
  size_t bytes = 300 * 36 * sizeof(double);
  double *first = malloc(bytes);
  for (int k = 0; k < THREADS; ++k) {
    mus_par_set_threads(threads[k]);
    assert_int_equal(mus_inverse_diagonal(&d->a, d->place, d->inverse), MUS_OK);
    mus_par_set_threads(0);
    if (k == 0)
      memcpy(first, d->inverse, bytes);
    assert_memory_equal(d->inverse, first, bytes);
  }
  free(first);
  destroy_diagonal(d);
}

// Blocks R + R^T + t I, some of which are not positive definite.
static void definite_blocks_have_inverses(void **state) {
  (void)state;
  int definite = 0, others = 0;
  for (int block = 1; block <= MUS_BLOCK_MAXIMUM; ++block)
    for (uint64_t seed = 0; seed < 40; ++seed) {
      double a[MUS_BLOCK_MAXIMUM * MUS_BLOCK_MAXIMUM], inverse[MUS_BLOCK_MAXIMUM * MUS_BLOCK_MAXIMUM];
      for (int r = 0; r < block; ++r)
        for (int c = 0; c <= r; ++c)
          a[r * block + c] = a[c * block + r] =
              mus_random(seed, (uint64_t)(r * block + c)) + (r == c ? (double)seed * block / 30 : 0);
      int is = mus_block_is_definite(block, a);
      assert_int_equal(is, mus_invert_block(block, a, inverse));
      definite += is;
      others += !is;
    }
  assert_true(definite > 50 && others > 50);
  const double nothing[9] = {0}, singular[4] = {1, 1, 1, 1}, broken[4] = {1, 0, 0, NAN};
  assert_false(mus_block_is_definite(3, nothing));
  assert_false(mus_block_is_definite(2, singular));
  assert_false(mus_block_is_definite(2, broken));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(definite_blocks_have_inverses),
      cmocka_unit_test(block_diagonal_products),
      cmocka_unit_test(diagonals_are_found),
      cmocka_unit_test(inverse_blocks_agree_with_dense),
      cmocka_unit_test(single_inverses_agree_with_double),
      cmocka_unit_test(blocks_that_are_not_positive_definite),
      cmocka_unit_test(blocks_that_are_singular_to_working_precision),
      cmocka_unit_test(first_bad_row_is_named),
      cmocka_unit_test(inverses_have_the_same_bits_for_any_number_of_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
