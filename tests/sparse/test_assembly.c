// Patterns and values from elements, against sums in a dense table.
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "par/par.h"
#include "sparse/assembly.h"
#include "support/dense.h"
#include "support/patterns.h"

enum { KINDS = 6, EMPTY = 4, BLOCK_MOST = 4 };
static const int arities[KINDS] = {3, 1, 4, 2, 3, 2};

// Random elements of several kinds, with random blocks and vectors.
typedef struct elements {
  mus_arena arena;
  int nodes, block;
  mus_tuples tuples[KINDS];
  double *blocks[KINDS], *vectors[KINDS];
} elements;

static int has_twice(int count, const int *index) {
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < i; ++j)
      if (index[i] == index[j])
        return 1;
  return 0;
}

// The last two nodes stay without elements.
static int *random_tuples(mus_arena *arena, int nodes, int arity, int count, uint64_t seed) {
  int *index = mus_arena_alloc(arena, (size_t)(arity * count), sizeof *index);
  uint64_t k = 0;
  for (int e = 0; e < count; ++e)
    do
      for (int c = 0; c < arity; ++c)
        index[e * arity + c] = (int)(mus_random_bits(seed, k++) % (uint64_t)(nodes - 2));
    while (has_twice(arity, index + e * arity));
  return index;
}

// Whole numbers, which add up to the same in any order, or numbers of very different size, which do not.
static double *random_numbers(mus_arena *arena, size_t count, uint64_t seed, int whole) {
  double *x = random_vector(arena, count, seed);
  for (size_t k = 0; k < count; ++k)
    x[k] = whole ? rint(9 * x[k]) : x[k] * pow(10, 8 * mus_random(seed + 1, k));
  return x;
}

// Elements emit symmetric matrices, so their diagonal blocks are.
static void symmetrise_diagonals(int arity, int count, int block, double *blocks) {
  int size = block * block;
  for (int e = 0; e < count; ++e)
    for (int i = 0, place = 0; i < arity; place += arity - i, ++i) {
      double *b = blocks + (e * mus_tuple_blocks(arity) + place) * size;
      for (int r = 0; r < block; ++r)
        for (int c = 0; c < r; ++c)
          b[c * block + r] = b[r * block + c];
    }
}

static elements *create(int nodes, int count, int block, uint64_t seed, int whole) {
  elements *e = calloc(1, sizeof *e);
  e->nodes = nodes;
  e->block = block;
  for (int kind = 0; kind < KINDS; ++kind) {
    int arity = arities[kind], many = kind == EMPTY ? 0 : count + kind; // a kind without elements is no fault
    uint64_t own = seed * 100 + (uint64_t)kind;
    e->tuples[kind] = (mus_tuples){arity, many, random_tuples(&e->arena, nodes, arity, many, own)};
    e->blocks[kind] =
        random_numbers(&e->arena, (size_t)(many * mus_tuple_blocks(arity) * block * block), own + 20, whole);
    e->vectors[kind] = random_numbers(&e->arena, (size_t)(many * arity * block), own + 40, whole);
    symmetrise_diagonals(arity, many, block, e->blocks[kind]);
  }
  return e;
}

static void destroy(elements *e) {
  mus_arena_clear(&e->arena);
  free(e);
}

// --- dense sums -----------------------------------------------------------------------------------------------------

// Adds an element block to its place in the dense matrix (stored column after column), and to the mirrored place.
static void add_block(const elements *e, int row, int column, const double *from, double *dense) {
  int n = e->nodes * e->block;
  for (int r = 0; r < e->block; ++r)
    for (int c = 0; c < e->block; ++c) {
      int i = row * e->block + r, j = column * e->block + c;
      dense[j * n + i] += from[r * e->block + c];
      if (row != column)
        dense[i * n + j] += from[r * e->block + c];
    }
}

static double *dense_matrix(const elements *e) {
  int n = e->nodes * e->block;
  double *dense = calloc((size_t)(n * n), sizeof *dense);
  for (int kind = 0; kind < KINDS; ++kind) {
    const mus_tuples *t = &e->tuples[kind];
    const double *from = e->blocks[kind];
    for (int k = 0; k < t->count; ++k)
      for (int i = 0; i < t->arity; ++i)
        for (int j = i; j < t->arity; ++j, from += e->block * e->block)
          add_block(e, t->index[k * t->arity + i], t->index[k * t->arity + j], from, dense);
  }
  return dense;
}

static double *dense_vector(const elements *e) {
  double *dense = calloc((size_t)(e->nodes * e->block), sizeof *dense);
  for (int kind = 0; kind < KINDS; ++kind)
    for (int k = 0; k < e->tuples[kind].count * e->tuples[kind].arity; ++k)
      for (int c = 0; c < e->block; ++c)
        dense[e->tuples[kind].index[k] * e->block + c] += e->vectors[kind][k * e->block + c];
  return dense;
}

// Which nodes share an element, and all diagonals.
static char *dense_pattern(const elements *e) {
  char *table = calloc((size_t)(e->nodes * e->nodes), 1);
  for (int i = 0; i < e->nodes; ++i)
    table[i * e->nodes + i] = 1;
  for (int kind = 0; kind < KINDS; ++kind) {
    const mus_tuples *t = &e->tuples[kind];
    for (int k = 0; k < t->count; ++k)
      for (int i = 0; i < t->arity; ++i)
        for (int j = 0; j < t->arity; ++j)
          table[t->index[k * t->arity + i] * e->nodes + t->index[k * t->arity + j]] = 1;
  }
  return table;
}

// --- agreement ------------------------------------------------------------------------------------------------------

static void patterns_join_what_shares_an_element(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    elements *e = create(30, (int)seed * 3, 1, seed, 1);
    char *table = dense_pattern(e);
    mus_pattern pattern;
    assert_int_equal(mus_pattern_from_tuples(&e->arena, e->nodes, KINDS, e->tuples, &pattern), MUS_OK);
    assert_int_equal(pattern.rows, e->nodes);
    assert_int_equal(pattern.columns, e->nodes);
    assert_int_equal(mus_pattern_check(e->nodes, e->nodes, pattern.row_start, pattern.column), MUS_OK);
    for (int i = 0; i < e->nodes; ++i)
      for (int j = 0; j < e->nodes; ++j)
        assert_int_equal(mus_pattern_find(&pattern, i, j) >= 0, table[i * e->nodes + j]);
    free(table);
    destroy(e);
  }
}

static void nodes_without_elements_have_diagonals(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_pattern pattern;
  mus_scatter *scatter;
  mus_matrix a;
  assert_int_equal(mus_pattern_from_tuples(&arena, 3, 0, NULL, &pattern), MUS_OK);
  assert_patterns_equal(&pattern, &(mus_pattern){3, 3, (int[]){0, 1, 2, 3}, (int[]){0, 1, 2}});
  assert_int_equal(mus_scatter_create(&arena, &pattern, 0, NULL, &scatter), MUS_OK);
  a = random_matrix(&arena, &pattern, 2, 2, 1);
  double y[6] = {1, 2, 3, 4, 5, 6};
  mus_scatter_matrix(scatter, NULL, &a);
  mus_scatter_vector(scatter, 2, NULL, y);
  for (int k = 0; k < 12; ++k)
    assert_true(a.value[k] == 0 && y[k % 6] == 0);
  mus_arena_clear(&arena);
}

// Scatters into values that are NaN before.
static void scatter(const elements *e, const mus_scatter *s, mus_matrix *a, double *y) {
  for (size_t k = 0; k < mus_matrix_values(a); ++k)
    a->value[k] = NAN;
  for (int k = 0; k < e->nodes * e->block; ++k)
    y[k] = NAN;
  mus_scatter_matrix(s, (const double *const *)e->blocks, a);
  mus_scatter_vector(s, e->block, (const double *const *)e->vectors, y);
}

static void assert_sums(const elements *e, const mus_matrix *a, const double *y) {
  int n = e->nodes * e->block;
  double *matrix = dense_matrix(e), *vector = dense_vector(e), *got = dense_from_matrix(a);
  for (int k = 0; k < n * n; ++k)
    assert_true(got[k] == matrix[k]);
  for (int k = 0; k < n; ++k)
    assert_true(y[k] == vector[k]);
  free(matrix);
  free(vector);
  free(got);
}

static void sums_agree_with_dense(void **state) {
  (void)state;
  for (int block = 1; block <= BLOCK_MOST; ++block)
    for (uint64_t seed = 0; seed < 6; ++seed) {
      elements *e = create(25, 4 + (int)seed * 5, block, seed, 1);
      mus_pattern pattern;
      mus_scatter *s;
      mus_matrix a;
      double y[25 * BLOCK_MOST];
      assert_int_equal(mus_pattern_from_tuples(&e->arena, e->nodes, KINDS, e->tuples, &pattern), MUS_OK);
      assert_int_equal(mus_scatter_create(&e->arena, &pattern, KINDS, e->tuples, &s), MUS_OK);
      assert_int_equal(mus_matrix_create(&e->arena, &pattern, block, block, &a), MUS_OK);
      scatter(e, s, &a, y);
      assert_sums(e, &a, y);
      for (int kind = 0; kind < KINDS; ++kind) { // other numbers for the same topology
        for (int k = 0; k < e->tuples[kind].count * mus_tuple_blocks(arities[kind]) * block * block; ++k)
          e->blocks[kind][k] += k % 7;
        symmetrise_diagonals(arities[kind], e->tuples[kind].count, block, e->blocks[kind]);
      }
      scatter(e, s, &a, y);
      assert_sums(e, &a, y);
      destroy(e);
    }
}

// A pattern with more blocks than the elements fill: the others become zero.
static void patterns_may_hold_more(void **state) {
  (void)state;
  elements *e = create(12, 3, 2, 1, 1);
  mus_pattern pattern = random_pattern(&e->arena, 12, 12, 12, 12, 0);
  mus_scatter *s;
  mus_matrix a;
  double y[24];
  assert_int_equal(mus_scatter_create(&e->arena, &pattern, KINDS, e->tuples, &s), MUS_OK);
  assert_int_equal(mus_matrix_create(&e->arena, &pattern, 2, 2, &a), MUS_OK);
  scatter(e, s, &a, y);
  assert_sums(e, &a, y);
  destroy(e);
}

static void sums_are_exactly_symmetric(void **state) {
  (void)state;
  for (int block = 1; block <= BLOCK_MOST; ++block) {
    elements *e = create(15, 40, block, 3, 0);
    mus_pattern pattern;
    mus_transpose transpose;
    mus_scatter *s;
    mus_matrix a;
    double y[15 * BLOCK_MOST];
    assert_int_equal(mus_pattern_from_tuples(&e->arena, e->nodes, KINDS, e->tuples, &pattern), MUS_OK);
    assert_int_equal(mus_transpose_create(&e->arena, &pattern, &transpose), MUS_OK);
    assert_int_equal(mus_scatter_create(&e->arena, &pattern, KINDS, e->tuples, &s), MUS_OK);
    assert_int_equal(mus_matrix_create(&e->arena, &pattern, block, block, &a), MUS_OK);
    scatter(e, s, &a, y);
    int n = e->nodes * block;
    double *dense = dense_matrix(e), *got = dense_from_matrix(&a);
    assert_true(dense_difference(n * n, got, dense) < 1e-14);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        assert_true(got[i * n + j] == got[j * n + i]);
    assert_true(mus_asymmetry(&a, &transpose) == 0);
    free(dense);
    free(got);
    destroy(e);
  }
}

static void same_bits_for_any_number_of_threads(void **state) {
  (void)state;
  enum { NODES = 700, BLOCK = 3 };
  elements *e = create(NODES, 900, BLOCK, 8, 0);
  mus_pattern pattern;
  mus_scatter *s;
  mus_matrix a[3];
  double *y[3];
  assert_int_equal(mus_pattern_from_tuples(&e->arena, NODES, KINDS, e->tuples, &pattern), MUS_OK);
  assert_int_equal(mus_scatter_create(&e->arena, &pattern, KINDS, e->tuples, &s), MUS_OK);
  assert_true(mus_pattern_blocks(&pattern) > 4 * MUS_PAR_MINIMUM);
  for (int k = 0; k < 3; ++k) {
    mus_par_set_threads((int[]){1, 2, 7}[k]);
    assert_int_equal(mus_matrix_create(&e->arena, &pattern, BLOCK, BLOCK, &a[k]), MUS_OK);
    y[k] = mus_arena_alloc(&e->arena, NODES * BLOCK, sizeof(double));
    scatter(e, s, &a[k], y[k]);
    mus_par_set_threads(0);
    assert_memory_equal(a[k].value, a[0].value, mus_matrix_values(&a[0]) * sizeof(double));
    assert_memory_equal(y[k], y[0], NODES * BLOCK * sizeof(double));
  }
  destroy(e);
}

// --- what is refused ------------------------------------------------------------------------------------------------

static void assert_refused(int nodes, int kinds, const mus_tuples *tuples, const char *text) {
  mus_arena arena = {0};
  mus_pattern pattern, full = random_pattern(&arena, nodes < 1 ? 1 : nodes, 10, 10, 10, 0);
  mus_scatter *s;
  assert_int_equal(mus_pattern_from_tuples(&arena, nodes, kinds, tuples, &pattern), MUS_BAD_INPUT);
  if (!strstr(mus_last_error(), text))
    fail_msg("\"%s\" does not say \"%s\"", mus_last_error(), text);
  if (nodes >= 1) {
    assert_int_equal(mus_scatter_create(&arena, &full, kinds, tuples, &s), MUS_BAD_INPUT);
    if (!strstr(mus_last_error(), text))
      fail_msg("\"%s\" does not say \"%s\"", mus_last_error(), text);
  }
  mus_arena_clear(&arena);
}

static void bad_tuples_are_refused(void **state) {
  (void)state;
  int springs[] = {0, 1, 2, 3, 4, 5}, triangles[] = {0, 1, 2, 3, 4, 5, 7, 8, 9};
  mus_tuples tuples[] = {{2, 3, springs}, {3, 3, triangles}};
  static const int outside[] = {-1, 10, INT_MIN, INT_MAX};
  static const char *const said[] = {"element 2 of kind 1 has node -1, outside 0...9", "has node 10, outside 0...9",
                                     "has node -2147483648, outside", "has node 2147483647, outside"};
  for (int at = 6; at < 9; ++at)
    for (int k = 0; k < 4; ++k) {
      int before = triangles[at];
      triangles[at] = outside[k];
      assert_refused(10, 2, tuples, said[k]);
      triangles[at] = before;
    }
  for (int i = 3; i < 6; ++i)
    for (int j = 3; j < 6; ++j)
      if (i != j) {
        int before = triangles[i];
        triangles[i] = triangles[j];
        assert_refused(10, 2, tuples, "element 1 of kind 1 has node");
        assert_non_null(strstr(mus_last_error(), "twice"));
        triangles[i] = before;
      }
  assert_refused(0, 2, tuples, "0 nodes");
  assert_refused(-3, 2, tuples, "-3 nodes");
  assert_refused(10, -1, tuples, "-1 kinds");
  assert_refused(10, 17, tuples, "17 kinds");
}

// A count below zero must not pass because the other kinds' elements outweigh it.
static void negative_counts_are_refused(void **state) {
  (void)state;
  int springs[] = {0, 1, 2, 3, 4, 5};
  assert_refused(10, 2, (mus_tuples[]){{2, 3, springs}, {2, -1, springs}}, "kind 1 has -1 elements of 2 nodes");
  assert_refused(10, 2, (mus_tuples[]){{-1, 2, springs}, {2, 3, springs}}, "kind 0 has 2 elements of -1 nodes");
  assert_refused(10, 1, (mus_tuples[]){{-2, -1, springs}}, "kind 0 has -1 elements of -2 nodes");
}

static void missing_blocks_are_named(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_pattern pattern;
  mus_scatter *s;
  int springs[] = {0, 1, 1, 2}, more[] = {1, 2, 3, 0};
  mus_tuples tuples[] = {{2, 2, springs}, {2, 2, more}};
  assert_int_equal(mus_pattern_from_tuples(&arena, 4, 1, tuples, &pattern), MUS_OK);
  assert_int_equal(mus_scatter_create(&arena, &pattern, 1, tuples, &s), MUS_OK);
  assert_int_equal(mus_scatter_create(&arena, &pattern, 2, tuples, &s), MUS_BAD_INPUT);
  assert_non_null(strstr(mus_last_error(), "no block (0, 3), which element 1 of kind 1 needs"));
  mus_arena_clear(&arena);
}

// As many kinds as there can be, each with a value that tells it from the others.
static void every_kind_counts(void **state) {
  (void)state;
  enum { MOST = 16 };
  mus_arena arena = {0};
  mus_tuples tuples[MOST];
  double block[MOST][3], vector[MOST][2], y[2];
  const double *blocks[MOST], *vectors[MOST];
  int index[] = {1, 0};
  mus_pattern pattern;
  mus_scatter *s;
  mus_matrix a;
  for (int kind = 0; kind < MOST; ++kind) {
    double value = ldexp(1, kind);
    tuples[kind] = (mus_tuples){2, 1, index};
    memcpy(block[kind], (double[]){value, 3 * value, 5 * value}, sizeof block[kind]);
    memcpy(vector[kind], (double[]){value, 3 * value}, sizeof vector[kind]);
    blocks[kind] = block[kind];
    vectors[kind] = vector[kind];
  }
  assert_int_equal(mus_pattern_from_tuples(&arena, 2, MOST, tuples, &pattern), MUS_OK);
  assert_int_equal(mus_scatter_create(&arena, &pattern, MOST, tuples, &s), MUS_OK);
  assert_int_equal(mus_matrix_create(&arena, &pattern, 1, 1, &a), MUS_OK);
  mus_scatter_matrix(s, blocks, &a);
  mus_scatter_vector(s, 1, vectors, y);
  double all = ldexp(1, MOST) - 1;
  assert_true(a.value[0] == 5 * all && a.value[1] == 3 * all && a.value[2] == 3 * all && a.value[3] == all);
  assert_true(y[0] == 3 * all && y[1] == all);
  mus_arena_clear(&arena);
}

static void failing_allocations(void **state) {
  (void)state;
  elements *e = create(20, 9, 1, 1, 1);
  mus_pattern pattern, kept;
  mus_scatter *s;
  mus_matrix a;
  double y[20];
  assert_int_equal(mus_pattern_from_tuples(&e->arena, e->nodes, KINDS, e->tuples, &kept), MUS_OK);
  assert_int_equal(mus_matrix_create(&e->arena, &kept, 1, 1, &a), MUS_OK);
  for (int way = 0; way < 2; ++way) {
    mus_status status = MUS_OUT_OF_MEMORY;
    long n = 0;
    for (; status; ++n) {
      mus_arena arena = {0};
      mus_memory_fail_after(n);
      status = way == 0 ? mus_pattern_from_tuples(&arena, e->nodes, KINDS, e->tuples, &pattern)
                        : mus_scatter_create(&arena, &kept, KINDS, e->tuples, &s);
      mus_memory_fail_after(-1);
      assert_true(status == MUS_OK || status == MUS_OUT_OF_MEMORY);
      if (!status && way == 0)
        assert_patterns_equal(&pattern, &kept);
      if (!status && way == 1) {
        scatter(e, s, &a, y);
        assert_sums(e, &a, y);
      }
      mus_arena_clear(&arena);
    }
    assert_true(n > 4);
  }
  destroy(e);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(patterns_join_what_shares_an_element),
      cmocka_unit_test(nodes_without_elements_have_diagonals),
      cmocka_unit_test(sums_agree_with_dense),
      cmocka_unit_test(patterns_may_hold_more),
      cmocka_unit_test(sums_are_exactly_symmetric),
      cmocka_unit_test(same_bits_for_any_number_of_threads),
      cmocka_unit_test(bad_tuples_are_refused),
      cmocka_unit_test(negative_counts_are_refused),
      cmocka_unit_test(missing_blocks_are_named),
      cmocka_unit_test(every_kind_counts),
      cmocka_unit_test(failing_allocations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
