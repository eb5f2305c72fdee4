// Terms beyond a pattern: their sum, its products, diagonals and merged matrices against dense algebra.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "constrain/beyond.h"
#include "par/vector.h"
#include "support/dense.h"

// Rank-one terms: block (i, j) is d_i d_j^T.
enum { ROWS = 24, TERMS = 30, BLOCK_MAXIMUM = 3 };

typedef struct term {
  int count, node[MUS_TERM_NODES];
  double direction[MUS_TERM_NODES][BLOCK_MAXIMUM];
} term;

typedef struct list {
  int block;
  term item[TERMS];
} list;

static int term_nodes(const void *self, int t, const int **node) {
  const list *l = self;
  *node = l->item[t].node;
  return l->item[t].count;
}

static void term_block(const void *self, int t, int i, int j, double *out) {
  const list *l = self;
  for (int r = 0; r < l->block; ++r)
    for (int c = 0; c < l->block; ++c)
      out[r * l->block + c] = l->item[t].direction[i][r] * l->item[t].direction[j][c];
}

static list random_terms(int block, uint64_t seed) {
  list l = {.block = block};
  for (int t = 0; t < TERMS; ++t) {
    uint64_t key = 100 * seed + (uint64_t)t;
    l.item[t].count = 1 + (int)(mus_random_bits(key, 0) % MUS_TERM_NODES);
    for (int i = 0; i < l.item[t].count; ++i) {
      l.item[t].node[i] = (int)(mus_random_bits(key, 1 + (uint64_t)i) % ROWS);
      for (int c = 0; c < block; ++c)
        l.item[t].direction[i][c] = mus_random(key, 10 + (uint64_t)(3 * i + c));
    }
  }
  return l;
}

static mus_terms terms_of(const list *l) { return (mus_terms){TERMS, l, term_nodes, term_block}; }

// The whole of the terms, as a dense matrix.
static double *dense_terms(const list *l) {
  int n = ROWS * l->block;
  double *a = calloc((size_t)n * (size_t)n, sizeof *a);
  assert_non_null(a);
  for (int t = 0; t < TERMS; ++t)
    for (int i = 0; i < l->item[t].count; ++i)
      for (int j = 0; j < l->item[t].count; ++j)
        for (int r = 0; r < l->block; ++r)
          for (int c = 0; c < l->block; ++c)
            a[(l->item[t].node[j] * l->block + c) * n + l->item[t].node[i] * l->block + r] +=
                l->item[t].direction[i][r] * l->item[t].direction[j][c];
  return a;
}

static void dense_multiply(int n, const double *a, const double *x, double *y) {
  for (int r = 0; r < n; ++r) {
    y[r] = 0;
    for (int c = 0; c < n; ++c)
      y[r] += a[c * n + r] * x[c];
  }
}

// Symmetric storage gives the same products, with what lies beyond and without.
static void check_symmetric(random_system *system, mus_arena *arena, mus_block_operator whole, const double *x) {
  mus_symmetric_pattern pattern;
  mus_symmetric symmetric;
  int n = system->n;
  double y[ROWS * BLOCK_MAXIMUM], expected[ROWS * BLOCK_MAXIMUM];
  assert_int_equal(mus_symmetric_pattern_create(arena, system->pattern, system->block, &pattern), MUS_OK);
  assert_int_equal(mus_symmetric_create(arena, &pattern, &symmetric), MUS_OK);
  mus_symmetric_fill(&system->a, &symmetric);
  for (int with = 0; with < 2; ++with) {
    mus_block_operator plain = {.a = whole.a, .beyond = with ? whole.beyond : NULL}, stored = plain;
    stored.symmetric = &symmetric;
    mus_block_operator_multiply(&plain, x, expected);
    double dot = mus_dot((size_t)n, x, expected);
    assert_true(mus_block_operator_multiply_dot(&plain, x, y) == dot);
    assert_true(fabs(mus_block_operator_multiply_dot(&stored, x, y) - dot) < 1e-12 * fabs(dot));
    assert_true(dense_difference(n, y, expected) < 1e-13);
    mus_block_operator_multiply(&stored, x, y);
    assert_true(dense_difference(n, y, expected) < 1e-13);
    mus_block_operator_residual(&plain, system->b, x, expected);
    mus_block_operator_residual(&stored, system->b, x, y);
    assert_true(dense_difference(n, y, expected) < 1e-12);
  }
}

static void products_are_those_of_the_whole(void **state) {
  (void)state;
  for (int block = 1; block <= BLOCK_MAXIMUM; ++block)
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      random_system system = random_system_create(ROWS, block, seed);
      list l = random_terms(block, seed);
      mus_terms terms = terms_of(&l);
      mus_arena arena = {0};
      mus_beyond beyond;
      assert_int_equal(mus_beyond_create(&arena, ROWS, block, &terms, &beyond), MUS_OK);
      int n = system.n;
      double *c = dense_terms(&l), *a = dense_from_matrix(&system.a);
      double x[ROWS * BLOCK_MAXIMUM], y[ROWS * BLOCK_MAXIMUM], expected[ROWS * BLOCK_MAXIMUM];
      for (int i = 0; i < n; ++i)
        x[i] = mus_random(3, (uint64_t)i);
      memset(y, 0, sizeof y);
      mus_beyond_multiply_add(&beyond, 2, x, y);
      dense_multiply(n, c, x, expected);
      for (int i = 0; i < n; ++i)
        assert_true(fabs(y[i] - 2 * expected[i]) < 1e-12);
      for (int k = 0; k < n * n; ++k)
        a[k] += c[k];
      mus_block_operator whole = {.a = &system.a, .beyond = &beyond};
      mus_block_operator_multiply(&whole, x, y);
      dense_multiply(n, a, x, expected);
      assert_true(dense_difference(n, y, expected) < 1e-13);
      mus_block_operator_residual(&whole, system.b, x, y);
      for (int i = 0; i < n; ++i)
        assert_true(fabs(y[i] - (system.b[i] - expected[i])) < 1e-10);
      check_symmetric(&system, &arena, whole, x);
      free(a), free(c);
      mus_arena_clear(&arena);
      random_system_free(&system);
    }
}

static void merging_makes_one_matrix(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    random_system system = random_system_create(ROWS, 3, seed);
    list l = random_terms(3, seed);
    mus_terms terms = terms_of(&l);
    mus_arena arena = {0};
    mus_beyond beyond;
    mus_pattern pattern;
    mus_matrix merged;
    assert_int_equal(mus_beyond_create(&arena, ROWS, 3, &terms, &beyond), MUS_OK);
    double *a = dense_from_matrix(&system.a), *c = dense_terms(&l);
    mus_block_operator whole = {.a = &system.a, .beyond = &beyond};
    assert_int_equal(mus_block_operator_merge(&arena, &whole, &pattern, &merged), MUS_OK);
    assert_int_equal(mus_pattern_check(ROWS, ROWS, pattern.row_start, pattern.column), MUS_OK);
    mus_transpose transpose;
    assert_int_equal(mus_transpose_create(&arena, &pattern, &transpose), MUS_OK);
    assert_true(mus_asymmetry(&merged, &transpose) < 1e-15); // not 0: a term may name a node twice
    double inverse[9 * ROWS], expected[9 * ROWS], scaled[3 * ROWS] = {0}, product[3 * ROWS] = {0};
    int place[ROWS];
    assert_int_equal(mus_block_operator_inverse_diagonal(&whole, system.place, inverse), MUS_OK);
    assert_int_equal(mus_diagonal_places(&pattern, place), MUS_OK);
    assert_int_equal(mus_inverse_diagonal(&merged, place, expected), MUS_OK);
    assert_memory_equal(inverse, expected, sizeof inverse);
    mus_beyond_scaled_add(&beyond, inverse, -0.5, system.b, scaled);
    mus_beyond_multiply_add(&beyond, 1, system.b, product);
    mus_block_diagonal_multiply(ROWS, 3, 1, inverse, product, expected);
    for (int i = 0; i < system.n; ++i)
      assert_true(fabs(scaled[i] + 0.5 * expected[i]) < 1e-13);
    double *all = dense_from_matrix(&merged);
    for (int k = 0; k < system.n * system.n; ++k)
      assert_true(fabs(all[k] - a[k] - c[k]) < 1e-12 * (1 + fabs(a[k])));
    free(all), free(a), free(c);
    mus_arena_clear(&arena);
    random_system_free(&system);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(products_are_those_of_the_whole),
                                     cmocka_unit_test(merging_makes_one_matrix)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
