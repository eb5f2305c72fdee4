// Patterns and values from elements, against sums in a dense table.
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "par/par.h"
#include "sparse/assembly.h"
#include "support/dense.h"
#include "support/patterns.h"

enum { LISTS = 8, EMPTY = 4, RANK_ONE = 6, BLOCK_MOST = 4 }; // the last two are of rank one
static const int arities[LISTS] = {3, 1, 4, 2, 3, 2, 4, 3};
static const int firsts[LISTS] = {0, 3, 0, 1, 0, 0, 2, 0};

// Random elements in several lists, with random blocks and vectors.
typedef struct elements {
  mus_arena arena;
  int nodes, block;
  mus_tuples tuples[LISTS];
  double *blocks[LISTS], *vectors[LISTS], *roots[LISTS]; // roots: r of r r^T, from which the blocks are
  atomic_int *visits[LISTS];                             // how often each was evaluated
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

// The upper blocks of r r^T.
static void square_roots(int arity, int count, int block, const double *r, double *blocks) {
  for (int e = 0; e < count; ++e, r += arity * block)
    for (int i = 0; i < arity; ++i)
      for (int j = i; j < arity; ++j)
        for (int k = 0; k < block * block; ++k)
          *blocks++ = r[i * block + k / block] * r[j * block + k % block];
}

static elements *create(int nodes, int count, int block, uint64_t seed, int whole) {
  elements *e = calloc(1, sizeof *e);
  e->nodes = nodes;
  e->block = block;
  for (int list = 0; list < LISTS; ++list) {
    int arity = arities[list], many = list == EMPTY ? 0 : count + list; // a list without elements is no fault
    uint64_t own = seed * 100 + (uint64_t)list;
    e->tuples[list] = (mus_tuples){.arity = arity,
                                   .count = many,
                                   .index = random_tuples(&e->arena, nodes - firsts[list], arity, many, own),
                                   .first = firsts[list],
                                   .rank_one = list >= RANK_ONE};
    e->blocks[list] =
        random_numbers(&e->arena, (size_t)(many * mus_tuple_blocks(arity) * block * block), own + 20, whole);
    e->vectors[list] = random_numbers(&e->arena, (size_t)(many * arity * block), own + 40, whole);
    e->visits[list] = mus_arena_alloc_zero(&e->arena, (size_t)many, sizeof(atomic_int));
    e->roots[list] = random_numbers(&e->arena, (size_t)(many * arity * block), own + 60, whole);
    if (list >= RANK_ONE)
      square_roots(arity, many, block, e->roots[list], e->blocks[list]);
    symmetrise_diagonals(arity, many, block, e->blocks[list]);
  }
  return e;
}

// Hands out the elements' numbers.
static void evaluate(const void *context, int list, int first, int count, double *vectors, double *blocks) {
  const elements *e = context;
  int vector = arities[list] * e->block, matrix = mus_tuple_blocks(arities[list]) * e->block * e->block;
  memcpy(vectors, e->vectors[list] + first * vector, (size_t)(count * vector) * sizeof *vectors);
  if (blocks && list >= RANK_ONE)
    memcpy(blocks, e->roots[list] + first * vector, (size_t)(count * vector) * sizeof *blocks);
  else if (blocks)
    memcpy(blocks, e->blocks[list] + first * matrix, (size_t)(count * matrix) * sizeof *blocks);
  for (int k = first; k < first + count; ++k)
    atomic_fetch_add(&e->visits[list][k], 1);
}

// The number of a node of an element.
static int node_of(const mus_tuples *t, int element, int corner) {
  return t->first + t->index[element * t->arity + corner];
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
  for (int list = 0; list < LISTS; ++list) {
    const mus_tuples *t = &e->tuples[list];
    const double *from = e->blocks[list];
    for (int k = 0; k < t->count; ++k)
      for (int i = 0; i < t->arity; ++i)
        for (int j = i; j < t->arity; ++j, from += e->block * e->block)
          add_block(e, node_of(t, k, i), node_of(t, k, j), from, dense);
  }
  return dense;
}

static double *dense_vector(const elements *e) {
  double *dense = calloc((size_t)(e->nodes * e->block), sizeof *dense);
  for (int list = 0; list < LISTS; ++list)
    for (int k = 0; k < e->tuples[list].count * arities[list]; ++k)
      for (int c = 0; c < e->block; ++c)
        dense[node_of(&e->tuples[list], 0, k) * e->block + c] += e->vectors[list][k * e->block + c];
  return dense;
}

// Which nodes share an element, and all diagonals.
static char *dense_pattern(const elements *e) {
  char *table = calloc((size_t)(e->nodes * e->nodes), 1);
  for (int i = 0; i < e->nodes; ++i)
    table[i * e->nodes + i] = 1;
  for (int list = 0; list < LISTS; ++list) {
    const mus_tuples *t = &e->tuples[list];
    for (int k = 0; k < t->count; ++k)
      for (int i = 0; i < t->arity; ++i)
        for (int j = 0; j < t->arity; ++j)
          table[node_of(t, k, i) * e->nodes + node_of(t, k, j)] = 1;
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
    assert_int_equal(mus_pattern_from_tuples(&e->arena, e->nodes, LISTS, e->tuples, &pattern), MUS_OK);
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
  assert_int_equal(mus_scatter_create(&arena, &pattern, 2, 0, NULL, &scatter), MUS_OK);
  a = random_matrix(&arena, &pattern, 2, 2, 1);
  double y[6] = {1, 2, 3, 4, 5, 6};
  mus_scatter_run(scatter, evaluate, NULL, &a, y);
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
  for (int list = 0; list < LISTS; ++list)
    memset(e->visits[list], 0, (size_t)e->tuples[list].count * sizeof(atomic_int));
  mus_scatter_run(s, evaluate, e, a, y);
  for (int list = 0; list < LISTS; ++list)
    for (int k = 0; k < e->tuples[list].count; ++k)
      assert_int_equal(e->visits[list][k], 1);
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
      assert_int_equal(mus_pattern_from_tuples(&e->arena, e->nodes, LISTS, e->tuples, &pattern), MUS_OK);
      assert_int_equal(mus_scatter_create(&e->arena, &pattern, e->block, LISTS, e->tuples, &s), MUS_OK);
      assert_int_equal(mus_matrix_create(&e->arena, &pattern, block, block, &a), MUS_OK);
      scatter(e, s, &a, y);
      assert_sums(e, &a, y);
      for (int list = 0; list < LISTS; ++list) { // other numbers for the same topology
        int count = e->tuples[list].count;
        for (int k = 0; k < count * mus_tuple_blocks(arities[list]) * block * block; ++k)
          e->blocks[list][k] += k % 7;
        for (int k = 0; k < count * arities[list] * block; ++k)
          e->roots[list][k] += k % 5;
        if (list >= RANK_ONE)
          square_roots(arities[list], count, block, e->roots[list], e->blocks[list]);
        symmetrise_diagonals(arities[list], e->tuples[list].count, block, e->blocks[list]);
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
  assert_int_equal(mus_scatter_create(&e->arena, &pattern, e->block, LISTS, e->tuples, &s), MUS_OK);
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
    assert_int_equal(mus_pattern_from_tuples(&e->arena, e->nodes, LISTS, e->tuples, &pattern), MUS_OK);
    assert_int_equal(mus_transpose_create(&e->arena, &pattern, &transpose), MUS_OK);
    assert_int_equal(mus_scatter_create(&e->arena, &pattern, e->block, LISTS, e->tuples, &s), MUS_OK);
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

// Vectors alone are the same as with a matrix, to the last bit.
static void vectors_alone(void **state) {
  (void)state;
  elements *e = create(40, 60, 3, 5, 0);
  mus_pattern pattern;
  mus_scatter *s;
  mus_matrix a;
  double y[120], alone[120];
  assert_int_equal(mus_pattern_from_tuples(&e->arena, e->nodes, LISTS, e->tuples, &pattern), MUS_OK);
  assert_int_equal(mus_scatter_create(&e->arena, &pattern, 3, LISTS, e->tuples, &s), MUS_OK);
  assert_int_equal(mus_matrix_create(&e->arena, &pattern, 3, 3, &a), MUS_OK);
  scatter(e, s, &a, y);
  memset(alone, 0xff, sizeof alone);
  mus_scatter_run(s, evaluate, e, NULL, alone);
  assert_memory_equal(alone, y, sizeof y);
  destroy(e);
}

// Sums of numbers of very different size, with elements that lie all over the nodes, and with such that follow their
// order.
static void same_bits_for_any_number_of_threads(void **state) {
  (void)state;
  enum { NODES = 4000, BLOCK = 3 };
  for (int ordered = 0; ordered < 2; ++ordered) {
    elements *e = create(NODES, 3000, BLOCK, 8, 0);
    mus_pattern pattern;
    mus_scatter *s;
    mus_matrix a[3];
    double *y[3];
    int shares, colours;
    for (int list = 0; list < LISTS && ordered; ++list) {
      int *index = (int *)e->tuples[list].index; // our own
      for (int k = 0; k < e->tuples[list].count * arities[list]; ++k)
        index[k] = k / arities[list] + 7 * (k % arities[list]);
    }
    assert_int_equal(mus_pattern_from_tuples(&e->arena, NODES, LISTS, e->tuples, &pattern), MUS_OK);
    assert_int_equal(mus_scatter_create(&e->arena, &pattern, BLOCK, LISTS, e->tuples, &s), MUS_OK);
    mus_scatter_shape(s, &shares, &colours);
    assert_int_equal(shares, 6);
    assert_int_equal(colours, ordered ? 2 : 6);
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
}

// Whatever instructions add them.
static void same_bits_on_any_machine(void **state) {
  (void)state;
  elements *e = create(40, 200, 3, 6, 0);
  mus_instructions before = mus_instructions_current();
  mus_pattern pattern;
  mus_scatter *s;
  mus_matrix a[2];
  double y[120];
  assert_int_equal(mus_pattern_from_tuples(&e->arena, e->nodes, LISTS, e->tuples, &pattern), MUS_OK);
  assert_int_equal(mus_scatter_create(&e->arena, &pattern, 3, LISTS, e->tuples, &s), MUS_OK);
  for (int k = 0; k < 2; ++k) {
    assert_int_equal(mus_instructions_use(k == 0 ? before : MUS_SCALAR), MUS_OK);
    assert_int_equal(mus_matrix_create(&e->arena, &pattern, 3, 3, &a[k]), MUS_OK);
    scatter(e, s, &a[k], y);
  }
  assert_int_equal(mus_instructions_use(before), MUS_OK);
  assert_memory_equal(a[0].value, a[1].value, mus_matrix_values(&a[0]) * sizeof(double));
  destroy(e);
}

// The order of a sum is that of the elements, list after list, within a share, which a small scatter has only one of.
static void sums_are_taken_in_order(void **state) {
  (void)state;
  elements *e = create(25, 60, 2, 4, 0);
  mus_pattern pattern;
  mus_scatter *s;
  mus_matrix a;
  double y[50], *matrix = dense_matrix(e), *vector = dense_vector(e); // which add up in that order
  assert_int_equal(mus_pattern_from_tuples(&e->arena, e->nodes, LISTS, e->tuples, &pattern), MUS_OK);
  assert_int_equal(mus_scatter_create(&e->arena, &pattern, 2, LISTS, e->tuples, &s), MUS_OK);
  assert_int_equal(mus_matrix_create(&e->arena, &pattern, 2, 2, &a), MUS_OK);
  scatter(e, s, &a, y);
  double *got = dense_from_matrix(&a);
  assert_memory_equal(got, matrix, 50 * 50 * sizeof *got);
  assert_memory_equal(y, vector, sizeof y);
  free(got), free(matrix), free(vector);
  destroy(e);
}

// --- what is refused ------------------------------------------------------------------------------------------------

static void assert_refused(int nodes, int lists, const mus_tuples *tuples, const char *text) {
  mus_arena arena = {0};
  mus_pattern pattern, full = random_pattern(&arena, nodes < 1 ? 1 : nodes, 10, 10, 10, 0);
  mus_scatter *s;
  assert_int_equal(mus_pattern_from_tuples(&arena, nodes, lists, tuples, &pattern), MUS_BAD_INPUT);
  if (!strstr(mus_last_error(), text))
    fail_msg("\"%s\" does not say \"%s\"", mus_last_error(), text);
  if (nodes >= 1) {
    assert_int_equal(mus_scatter_create(&arena, &full, 3, lists, tuples, &s), MUS_BAD_INPUT);
    if (!strstr(mus_last_error(), text))
      fail_msg("\"%s\" does not say \"%s\"", mus_last_error(), text);
  }
  mus_arena_clear(&arena);
}

static void bad_tuples_are_refused(void **state) {
  (void)state;
  int springs[] = {0, 1, 2, 3, 4, 5}, triangles[] = {0, 1, 2, 3, 4, 5, 7, 8, 9};
  mus_tuples tuples[] = {{2, 3, springs, 0, 0}, {3, 3, triangles, 0, 0}};
  static const int outside[] = {-1, 10, INT_MIN, INT_MAX};
  static const char *const said[] = {"element 2 of list 1 has node -1, outside 0...9", "has node 10, outside 0...9",
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
        assert_refused(10, 2, tuples, "element 1 of list 1 has node");
        assert_non_null(strstr(mus_last_error(), "twice"));
        triangles[i] = before;
      }
  assert_refused(0, 2, tuples, "0 nodes");
  assert_refused(-3, 2, tuples, "-3 nodes");
  assert_refused(10, -1, tuples, "-1 lists");
  tuples[1].first = 1;
  assert_refused(10, 2, tuples, "element 2 of list 1 has node 10, outside 0...9");
  tuples[1].first = INT_MAX;
  assert_refused(10, 2, tuples, "element 0 of list 1 has node 2147483647, outside 0...9");
}

// A count below zero must not pass because the other lists' elements outweigh it.
static void negative_counts_are_refused(void **state) {
  (void)state;
  int springs[] = {0, 1, 2, 3, 4, 5};
  assert_refused(10, 2, (mus_tuples[]){{2, 3, springs, 0, 0}, {2, -1, springs, 0, 0}},
                 "list 1 has -1 elements of 2 nodes");
  assert_refused(10, 2, (mus_tuples[]){{-1, 2, springs, 0, 0}, {2, 3, springs, 0, 0}},
                 "list 0 has 2 elements of -1 nodes");
  assert_refused(10, 1, (mus_tuples[]){{-2, -1, springs, 0, 0}}, "list 0 has -1 elements of -2 nodes");
  assert_refused(10, 1, (mus_tuples[]){{0, 1, springs, 0, 0}}, "list 0 has 1 elements of 0 nodes");
}

// Elements whose numbers have no room, and nodes with more neighbours than an offset can tell apart.
static void sizes_have_limits(void **state) {
  (void)state;
  enum { MANY = 40, LEAVES = UINT16_MAX + 1 };
  mus_arena arena = {0};
  mus_pattern pattern;
  mus_scatter *s;
  int *index = mus_arena_alloc(&arena, 2 * LEAVES, sizeof *index);
  for (int k = 0; k < MANY; ++k)
    index[k] = k;
  mus_tuples large = {MANY, 1, index, 0, 0};
  assert_int_equal(mus_pattern_from_tuples(&arena, MANY, 1, &large, &pattern), MUS_OK);
  assert_int_equal(mus_scatter_create(&arena, &pattern, 3, 1, &large, &s), MUS_BAD_INPUT);
  assert_string_equal(mus_last_error(), "list 0 has elements of 40 nodes, which are too many with 3 unknowns per node");
  assert_int_equal(mus_scatter_create(&arena, &pattern, 1, 1, &large, &s), MUS_OK);
  for (int k = 0; k < LEAVES; ++k) {
    index[2 * k] = 0;
    index[2 * k + 1] = 1 + k;
  }
  for (int more = 0; more < 2; ++more) {
    mus_tuples star = {2, LEAVES - 1 + more, index, 0, 0};
    assert_int_equal(mus_pattern_from_tuples(&arena, LEAVES + 1, 1, &star, &pattern), MUS_OK);
    assert_int_equal(mus_scatter_create(&arena, &pattern, 1, 1, &star, &s), more ? MUS_BAD_INPUT : MUS_OK);
  }
  assert_string_equal(mus_last_error(), "node 0 has 65536 neighbours: at most 65535 are possible");
  mus_arena_clear(&arena);
}

static void missing_blocks_are_named(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_pattern pattern;
  mus_scatter *s;
  int springs[] = {0, 1, 1, 2}, more[] = {1, 2, 3, 0};
  mus_tuples tuples[] = {{2, 2, springs, 0, 0}, {2, 2, more, 0, 0}};
  assert_int_equal(mus_pattern_from_tuples(&arena, 4, 1, tuples, &pattern), MUS_OK);
  assert_int_equal(mus_scatter_create(&arena, &pattern, 3, 1, tuples, &s), MUS_OK);
  assert_int_equal(mus_scatter_create(&arena, &pattern, 3, 2, tuples, &s), MUS_BAD_INPUT);
  assert_non_null(strstr(mus_last_error(), "no block (3, 0), which element 1 of list 1 needs"));
  mus_arena_clear(&arena);
}

static void failing_allocations(void **state) {
  (void)state;
  elements *e = create(20, 9, 1, 1, 1);
  mus_pattern pattern, kept;
  mus_scatter *s;
  mus_matrix a;
  double y[20];
  assert_int_equal(mus_pattern_from_tuples(&e->arena, e->nodes, LISTS, e->tuples, &kept), MUS_OK);
  assert_int_equal(mus_matrix_create(&e->arena, &kept, 1, 1, &a), MUS_OK);
  for (int way = 0; way < 2; ++way) {
    mus_status status = MUS_OUT_OF_MEMORY;
    long n = 0;
    for (; status; ++n) {
      mus_arena arena = {0};
      mus_memory_fail_after(n);
      status = way == 0 ? mus_pattern_from_tuples(&arena, e->nodes, LISTS, e->tuples, &pattern)
                        : mus_scatter_create(&arena, &kept, 1, LISTS, e->tuples, &s);
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
      cmocka_unit_test(vectors_alone),
      cmocka_unit_test(same_bits_for_any_number_of_threads),
      cmocka_unit_test(same_bits_on_any_machine),
      cmocka_unit_test(sums_are_taken_in_order),
      cmocka_unit_test(bad_tuples_are_refused),
      cmocka_unit_test(negative_counts_are_refused),
      cmocka_unit_test(sizes_have_limits),
      cmocka_unit_test(missing_blocks_are_named),
      cmocka_unit_test(failing_allocations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
