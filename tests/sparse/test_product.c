// Sparse products and Galerkin products against dense ones, with every instruction set of this machine.
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
#include "sparse/product.h"
#include "support/dense.h"
#include "support/guarded.h"
#include "support/patterns.h"

typedef struct shape {
  int rows, inner, columns; // of blocks
} shape;

// The common ones, blocks with six columns, which have loops of their own up to 6 x 6 x 6, and others.
static const shape shapes[] = {{3, 3, 6}, {6, 6, 6}, {3, 3, 3},  {6, 3, 6},    {3, 6, 6}, {1, 1, 6},
                               {1, 6, 6}, {2, 5, 6}, {4, 4, 6},  {5, 2, 6},    {5, 6, 6}, {6, 1, 6},
                               {7, 3, 6}, {4, 7, 6}, {6, 12, 6}, {12, 6, 6},   {1, 1, 1}, {2, 2, 2},
                               {2, 5, 4}, {4, 3, 2}, {5, 1, 7},  {12, 12, 12}, {1, 12, 1}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static const int threads[] = {1, 2, 3, 7};
enum { THREADS = sizeof threads / sizeof *threads };

// Calls `body` once for each instruction set that this machine has, and puts back the one in use. On one thread unless
// it says otherwise: waking others takes longer than these products.
static void with_every_instruction_set(void (*body)(void)) {
  mus_instructions before = mus_instructions_current();
  mus_par_set_threads(1);
  for (int which = 0; which < MUS_INSTRUCTION_SETS; ++which)
    if (mus_instructions_available((mus_instructions)which)) {
      assert_int_equal(mus_instructions_use((mus_instructions)which), MUS_OK);
      body();
    }
  mus_par_set_threads(0);
  assert_int_equal(mus_instructions_use(before), MUS_OK);
}

static mus_matrix create(mus_arena *arena, const mus_pattern *pattern, int row_block, int column_block) {
  mus_matrix a;
  assert_int_equal(mus_matrix_create(arena, pattern, row_block, column_block, &a), MUS_OK);
  for (size_t k = 0; k < mus_matrix_values(&a); ++k)
    a.value[k] = NAN; // products must overwrite it
  return a;
}

// C += A B or A^T B, all dense, column after column; A is m x n, or n x m where it is transposed.
static void dense_add_product(int m, int n, int columns, int transposed, const double *a, const double *b, double *c) {
  for (int j = 0; j < columns; ++j)
    for (int k = 0; k < n; ++k) {
      double factor = b[j * n + k];
      for (int i = 0; factor != 0 && i < m; ++i)
        c[j * m + i] += factor * a[transposed ? i * n + k : k * m + i];
    }
}

static double *dense_product(int m, int n, int columns, int transposed, const double *a, const double *b) {
  double *c = calloc((size_t)(m * columns), sizeof *c);
  dense_add_product(m, n, columns, transposed, a, b, c);
  return c;
}

static double *magnitudes(int count, const double *a) {
  double *b = malloc((size_t)count * sizeof *b);
  for (int k = 0; k < count; ++k)
    b[k] = fabs(a[k]);
  return b;
}

// |a - b| <= error * magnitude, entry by entry
static void assert_near(int count, const double *a, const double *b, const double *magnitude, double error) {
  for (int k = 0; k < count; ++k)
    if (!(fabs(a[k] - b[k]) <= error * magnitude[k]))
      fail_msg("entry %d is %.17g, not %.17g", k, a[k], b[k]);
}

static void assert_is_product(const mus_matrix *a, const mus_matrix *b, const mus_matrix *c) {
  int m = a->pattern->rows * a->row_block, n = b->pattern->rows * b->row_block;
  int columns = b->pattern->columns * b->column_block;
  double *dense_a = dense_from_matrix(a), *dense_b = dense_from_matrix(b), *got = dense_from_matrix(c);
  double *size_a = magnitudes(m * n, dense_a), *size_b = magnitudes(n * columns, dense_b);
  double *expected = dense_product(m, n, columns, 0, dense_a, dense_b);
  double *magnitude = dense_product(m, n, columns, 0, size_a, size_b);
  assert_near(m * columns, got, expected, magnitude, n * DBL_EPSILON);
  free(dense_a), free(dense_b), free(got), free(size_a), free(size_b), free(expected), free(magnitude);
}

// --- patterns -------------------------------------------------------------------------------------------------------

static void assert_is_product_pattern(const mus_pattern *a, const mus_pattern *b, const mus_pattern *c) {
  assert_int_equal(c->rows, a->rows);
  assert_int_equal(c->columns, b->columns);
  assert_int_equal(mus_pattern_check(c->rows, c->columns, c->row_start, c->column), MUS_OK);
  for (int i = 0; i < c->rows; ++i)
    for (int j = 0; j < c->columns; ++j) {
      int expected = 0;
      for (int k = a->row_start[i]; k < a->row_start[i + 1]; ++k)
        expected |= mus_pattern_find(b, a->column[k], j) >= 0;
      assert_int_equal(mus_pattern_find(c, i, j) >= 0, expected);
    }
}

static void product_patterns(void **state) {
  (void)state;
  for (int k = 0; k < THREADS; ++k)
    for (uint64_t seed = 0; seed < 8; ++seed) {
      mus_arena arena = {0};
      mus_pattern a = random_pattern(&arena, 150, 40, 0, 1 + (int)seed, seed), c;
      mus_pattern b = random_pattern(&arena, 40, 33, 0, 5, seed + 1);
      mus_par_set_threads(threads[k]);
      assert_int_equal(mus_product_pattern(&arena, &a, &b, &c), MUS_OK);
      mus_par_set_threads(0);
      assert_is_product_pattern(&a, &b, &c);
      mus_arena_clear(&arena);
    }
}

static void empty_products(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_pattern a = random_pattern(&arena, 5, 4, 0, 0, 1), b = random_pattern(&arena, 4, 6, 1, 3, 1), c;
  assert_int_equal(mus_product_pattern(&arena, &a, &b, &c), MUS_OK);
  assert_int_equal(mus_pattern_blocks(&c), 0);
  mus_matrix value_a = create(&arena, &a, 3, 3), value_b = create(&arena, &b, 3, 6), value_c = create(&arena, &c, 3, 6);
  assert_int_equal(mus_product(&value_a, &value_b, &value_c), MUS_OK);
  mus_arena_clear(&arena);
}

// --- values ---------------------------------------------------------------------------------------------------------

enum { PAGES = 4 };
static guarded pages[PAGES];

static int open_pages(void **state) {
  (void)state;
  return guarded_create_all((size_t)1 << 20, PAGES, pages);
}

static int close_pages(void **state) {
  (void)state;
  return guarded_free_all(PAGES, pages);
}

// Moves the values to where they are flush with a guard page at their end, or at their start.
static void guard(int page, int at_end, mus_matrix *a) {
  a->value = guarded_copy(&pages[page], at_end, mus_matrix_values(a) * sizeof *a->value, a->value);
}

static void all_shapes_agree(void) {
  for (int s = 0; s < SHAPES; ++s)
    for (uint64_t seed = 0; seed < 3; ++seed) {
      mus_arena arena = {0};
      mus_pattern pattern_a = random_pattern(&arena, 14, 11, 0, 6, seed), pattern_c;
      mus_pattern pattern_b = random_pattern(&arena, 11, 17, 0, 5, seed + 9);
      assert_int_equal(mus_product_pattern(&arena, &pattern_a, &pattern_b, &pattern_c), MUS_OK);
      mus_matrix a = random_matrix(&arena, &pattern_a, shapes[s].rows, shapes[s].inner, seed);
      mus_matrix b = random_matrix(&arena, &pattern_b, shapes[s].inner, shapes[s].columns, seed + 1);
      mus_matrix c = create(&arena, &pattern_c, shapes[s].rows, shapes[s].columns);
      guard(0, seed % 2 == 0, &a), guard(1, seed % 2 == 0, &b), guard(2, seed % 2 == 0, &c);
      assert_int_equal(mus_product(&a, &b, &c), MUS_OK);
      assert_is_product(&a, &b, &c);
      // A pattern that holds more: what the product does not fill becomes zero.
      mus_pattern full = random_pattern(&arena, 14, 17, 17, 17, 0);
      mus_matrix d = create(&arena, &full, shapes[s].rows, shapes[s].columns);
      assert_int_equal(mus_product(&a, &b, &d), MUS_OK);
      assert_is_product(&a, &b, &d);
      mus_arena_clear(&arena);
    }
}

static void products_agree_with_dense(void **state) {
  (void)state;
  with_every_instruction_set(all_shapes_agree);
}

// A part of A, as a pattern with the places of its blocks, and the same part as a matrix with zeros elsewhere.
static void split(mus_arena *arena, const mus_matrix *a, uint64_t seed, mus_pattern *part, int **source,
                  mus_matrix *rest) {
  int blocks = 0, size = a->row_block * a->column_block;
  int *start = mus_arena_alloc(arena, (size_t)a->pattern->rows + 1, sizeof *start);
  int *column = mus_arena_alloc(arena, (size_t)mus_pattern_blocks(a->pattern), sizeof *column);
  *source = mus_arena_alloc(arena, (size_t)mus_pattern_blocks(a->pattern), sizeof **source);
  assert_int_equal(mus_matrix_create(arena, a->pattern, a->row_block, a->column_block, rest), MUS_OK);
  memcpy(rest->value, a->value, mus_matrix_values(a) * sizeof *a->value);
  for (int i = 0; i < a->pattern->rows; ++i) {
    start[i] = blocks;
    for (int k = a->pattern->row_start[i]; k < a->pattern->row_start[i + 1]; ++k)
      if (mus_random(seed, (uint64_t)k) > 0) {
        (*source)[blocks] = k;
        column[blocks++] = a->pattern->column[k];
      } else {
        memset(rest->value + k * size, 0, (size_t)size * sizeof(double));
      }
  }
  start[a->pattern->rows] = blocks;
  *part = (mus_pattern){a->pattern->rows, a->pattern->columns, start, column};
}

static void all_parts_agree(void) {
  for (int s = 0; s < SHAPES; ++s) {
    mus_arena arena = {0};
    mus_pattern pattern_a = random_pattern(&arena, 14, 11, 0, 6, 1), part, pattern_c;
    mus_pattern pattern_b = random_pattern(&arena, 11, 17, 0, 5, 2);
    mus_matrix a = random_matrix(&arena, &pattern_a, shapes[s].rows, shapes[s].inner, 3), rest;
    mus_matrix b = random_matrix(&arena, &pattern_b, shapes[s].inner, shapes[s].columns, 4);
    int *source;
    split(&arena, &a, 5, &part, &source, &rest);
    assert_true(mus_pattern_blocks(&part) > 5 && mus_pattern_blocks(&part) < mus_pattern_blocks(&pattern_a) - 5);
    assert_int_equal(mus_product_pattern(&arena, &part, &pattern_b, &pattern_c), MUS_OK);
    mus_matrix c = create(&arena, &pattern_c, shapes[s].rows, shapes[s].columns);
    assert_int_equal(mus_product_part(&a, &part, source, &b, &c), MUS_OK);
    assert_is_product(&rest, &b, &c);
    mus_arena_clear(&arena);
  }
}

static void parts_agree_with_dense(void **state) {
  (void)state;
  with_every_instruction_set(all_parts_agree);
}

// --- Galerkin products ----------------------------------------------------------------------------------------------

typedef struct galerkin {
  random_system fine;
  mus_arena arena;
  mus_pattern pattern;
  mus_matrix p, coarse;
  mus_matrix_f a_f, p_f, coarse_f;
  mus_galerkin plan;
} galerkin;

static mus_matrix_f create_single(mus_arena *arena, const mus_matrix *like) {
  mus_matrix_f a;
  assert_int_equal(mus_matrix_create_f(arena, like->pattern, like->row_block, like->column_block, &a), MUS_OK);
  mus_matrix_round(like, &a);
  return a;
}

// P has rows of `least` to `most` blocks, and a last column of blocks without any.
static galerkin *create_with_rows(int rows, int columns, int least, int most, int fine_block, int coarse_block,
                                  uint64_t seed) {
  galerkin *g = calloc(1, sizeof *g);
  g->fine = random_system_create(rows, fine_block, seed);
  g->pattern = random_pattern(&g->arena, rows, columns - 1, least, most, seed);
  g->pattern.columns = columns;
  g->p = random_matrix(&g->arena, &g->pattern, fine_block, coarse_block, seed);
  assert_int_equal(mus_galerkin_create(&g->arena, g->fine.pattern, &g->pattern, &g->plan), MUS_OK);
  g->coarse = create(&g->arena, &g->plan.coarse, coarse_block, coarse_block);
  g->a_f = create_single(&g->arena, &g->fine.a);
  g->p_f = create_single(&g->arena, &g->p);
  g->coarse_f = create_single(&g->arena, &g->coarse);
  return g;
}

static galerkin *create_galerkin(int rows, int columns, int fine_block, int coarse_block, uint64_t seed) {
  return create_with_rows(rows, columns, 0, 3, fine_block, coarse_block, seed);
}

static void destroy_galerkin(galerkin *g) {
  random_system_free(&g->fine);
  mus_arena_clear(&g->arena);
  free(g);
}

// The coarse matrix is the product up to rounding with this epsilon, and symmetric to the last bit.
static void assert_is_galerkin(const galerkin *g, double epsilon) {
  int n = g->fine.n, m = g->pattern.columns * g->p.column_block;
  double *a = dense_from_matrix(&g->fine.a), *p = dense_from_matrix(&g->p), *got = dense_from_matrix(&g->coarse);
  double *size_a = magnitudes(n * n, a), *size_p = magnitudes(n * m, p);
  double *ap = dense_product(n, n, m, 0, a, p), *size_ap = dense_product(n, n, m, 0, size_a, size_p);
  double *expected = dense_product(m, n, m, 1, p, ap), *magnitude = dense_product(m, n, m, 1, size_p, size_ap);
  assert_near(m * m, got, expected, magnitude, 2 * n * epsilon);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < i; ++j)
      assert_memory_equal(&got[i * m + j], &got[j * m + i], sizeof *got);
  free(a), free(p), free(got), free(size_a), free(size_p), free(ap), free(size_ap), free(expected), free(magnitude);
}

static const int galerkin_blocks[][2] = {{3, 6},   {6, 6}, {3, 3}, {1, 1}, {2, 5}, {6, 3},
                                         {12, 12}, {1, 6}, {2, 6}, {5, 6}, {7, 6}, {12, 6}};
enum { GALERKIN_BLOCKS = sizeof galerkin_blocks / sizeof *galerkin_blocks };

static void all_galerkin_agree(void) {
  for (int k = 0; k < 2 * GALERKIN_BLOCKS; ++k) {
    const int *block = galerkin_blocks[k / 2];
    galerkin *g = create_galerkin(22, 9, block[0], block[1], (uint64_t)k + 1);
    guard(0, k % 2, &g->fine.a), guard(1, k % 2, &g->p), guard(2, k % 2, &g->coarse);
    assert_int_equal(mus_galerkin_fill(&g->plan, &g->fine.a, &g->p, &g->coarse), MUS_OK);
    assert_is_galerkin(g, DBL_EPSILON);
    mus_transpose transpose;
    assert_int_equal(mus_transpose_create(&g->arena, &g->plan.coarse, &transpose), MUS_OK);
    assert_true(mus_pattern_is_symmetric(&g->plan.coarse, &transpose));
    assert_true(mus_asymmetry(&g->coarse, &transpose) == 0);
    destroy_galerkin(g);
  }
}

static void galerkin_agrees_with_dense(void **state) {
  (void)state;
  with_every_instruction_set(all_galerkin_agree);
}

static void guard_single(int page, int at_end, mus_matrix_f *a) {
  size_t values = (size_t)mus_pattern_blocks(a->pattern) * (size_t)(a->row_block * a->column_block);
  a->value = guarded_copy(&pages[page], at_end, values * sizeof *a->value, a->value);
}

static void all_single_galerkin_agree(void) {
  for (int k = 0; k < 2 * GALERKIN_BLOCKS + 8; ++k) {
    const int *block = galerkin_blocks[k < 2 * GALERKIN_BLOCKS ? k / 2 : 2];
    galerkin *g = create_galerkin(22 + k % 3, 9 + k % 5, block[0], block[1], (uint64_t)k + 1);
    guard_single(0, k % 2, &g->a_f), guard_single(1, k % 2, &g->p_f), guard_single(2, k % 2, &g->coarse_f);
    // from the matrix in double first: rounded as it is read, it is the rounded one
    size_t bytes = mus_matrix_values(&g->coarse) * sizeof *g->coarse_f.value;
    float *rounded = malloc(bytes);
    assert_int_equal(mus_galerkin_fill_rounded(&g->plan, &g->fine.a, &g->p_f, &g->coarse_f), MUS_OK);
    memcpy(rounded, g->coarse_f.value, bytes);
    assert_int_equal(mus_galerkin_fill_f(&g->plan, &g->a_f, &g->p_f, &g->coarse_f), MUS_OK);
    assert_memory_equal(rounded, g->coarse_f.value, bytes);
    free(rounded);
    mus_matrix_widen(&g->a_f, &g->fine.a), mus_matrix_widen(&g->coarse_f, &g->coarse);
    assert_is_galerkin(g, FLT_EPSILON);
    destroy_galerkin(g);
  }
}

static void single_galerkin_agrees_with_dense(void **state) {
  (void)state;
  with_every_instruction_set(all_single_galerkin_agree);
}

// Rows at and beyond the length up to which targets are kept.
static void long_rows(void) {
  for (int k = 0; k < 4; ++k) {
    int columns = MUS_TARGETS_MAXIMUM + k / 2, block = k % 2 ? 3 : 1;
    galerkin *g = create_with_rows(12, columns + 1, columns, columns, block, block, 5);
    assert_int_equal(g->plan.longest, columns);
    assert_true((g->plan.up_targets.row_start != NULL) == (columns == MUS_TARGETS_MAXIMUM));
    assert_int_equal(mus_galerkin_fill(&g->plan, &g->fine.a, &g->p, &g->coarse), MUS_OK);
    assert_is_galerkin(g, DBL_EPSILON);
    assert_int_equal(mus_galerkin_fill_f(&g->plan, &g->a_f, &g->p_f, &g->coarse_f), MUS_OK);
    mus_matrix_widen(&g->a_f, &g->fine.a), mus_matrix_widen(&g->coarse_f, &g->coarse);
    assert_is_galerkin(g, FLT_EPSILON);
    destroy_galerkin(g);
  }
}

static void long_rows_agree_with_dense(void **state) {
  (void)state;
  with_every_instruction_set(long_rows);
}

static void galerkin_patterns(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    galerkin *g = create_galerkin(30, 12, 1, 1, seed);
    mus_transpose pt;
    mus_pattern ap;
    assert_int_equal(mus_product_pattern(&g->arena, g->fine.pattern, &g->pattern, &ap), MUS_OK);
    assert_int_equal(mus_transpose_create(&g->arena, &g->pattern, &pt), MUS_OK);
    assert_is_product_pattern(&pt.pattern, &ap, &g->plan.coarse);
    assert_int_equal(g->plan.coarse.row_start[11], g->plan.coarse.row_start[12]); // the column without blocks
    destroy_galerkin(g);
  }
}

static void refills_have_the_bits_of_a_fresh_plan(void **state) {
  (void)state;
  for (int k = 0; k < GALERKIN_BLOCKS; ++k) {
    galerkin *g = create_galerkin(25, 8, galerkin_blocks[k][0], galerkin_blocks[k][1], 4);
    assert_int_equal(mus_galerkin_fill(&g->plan, &g->fine.a, &g->p, &g->coarse), MUS_OK);
    for (size_t v = 0; v < mus_matrix_values(&g->fine.a); ++v)
      g->fine.a.value[v] *= 1.25;
    for (size_t v = 0; v < mus_matrix_values(&g->p); ++v)
      g->p.value[v] += 0.5;
    assert_int_equal(mus_galerkin_fill(&g->plan, &g->fine.a, &g->p, &g->coarse), MUS_OK);
    assert_is_galerkin(g, DBL_EPSILON);
    mus_galerkin plan;
    assert_int_equal(mus_galerkin_create(&g->arena, g->fine.pattern, &g->pattern, &plan), MUS_OK);
    mus_matrix coarse = create(&g->arena, &plan.coarse, g->coarse.row_block, g->coarse.column_block);
    assert_int_equal(mus_galerkin_fill(&plan, &g->fine.a, &g->p, &coarse), MUS_OK);
    assert_patterns_equal(&plan.coarse, &g->plan.coarse);
    assert_memory_equal(coarse.value, g->coarse.value, mus_matrix_values(&coarse) * sizeof(double));
    destroy_galerkin(g);
  }
}

// A square matrix with blocks on `wide` diagonals on either side, and a prolongator that joins four nodes and overlaps
// with the next four, or one whose columns lie anywhere.
static void band(mus_arena *arena, int rows, int wide, int anywhere, mus_pattern *a, mus_pattern *p) {
  int *start = mus_arena_alloc(arena, (size_t)rows + 1, sizeof *start), *p_start = NULL, *p_column = NULL;
  int *column = mus_arena_alloc(arena, (size_t)(rows * (2 * wide + 1)), sizeof *column), blocks = 0, p_blocks = 0;
  p_start = mus_arena_alloc(arena, (size_t)rows + 1, sizeof *p_start);
  p_column = mus_arena_alloc(arena, 2 * (size_t)rows, sizeof *p_column);
  for (int i = 0; i < rows; ++i) {
    start[i] = blocks;
    for (int j = i < wide ? 0 : i - wide; j <= i + wide && j < rows; ++j)
      column[blocks++] = j;
    p_start[i] = p_blocks;
    int group = anywhere ? (int)(mus_random_bits(3, (uint64_t)i) % (uint64_t)(rows / 4)) : i / 4;
    p_column[p_blocks++] = group;
    if (group + 1 < rows / 4)
      p_column[p_blocks++] = group + 1;
  }
  start[rows] = blocks;
  p_start[rows] = p_blocks;
  *a = (mus_pattern){rows, rows, start, column};
  *p = (mus_pattern){rows, rows / 4, p_start, p_column};
}

// The product from its definition, P^T (A P).
static void assert_is_triple_product(const mus_matrix *a, const mus_matrix *p, const mus_matrix *coarse) {
  mus_arena arena = {0};
  mus_pattern pattern;
  int fine = p->row_block, block = p->column_block;
  assert_int_equal(mus_product_pattern(&arena, a->pattern, p->pattern, &pattern), MUS_OK);
  mus_matrix ap = create(&arena, &pattern, fine, block);
  assert_int_equal(mus_product(a, p, &ap), MUS_OK);
  double *expected = calloc(mus_matrix_values(coarse), sizeof *expected);
  for (int i = 0; i < a->pattern->rows; ++i)
    for (int l = p->pattern->row_start[i]; l < p->pattern->row_start[i + 1]; ++l)
      for (int k = pattern.row_start[i]; k < pattern.row_start[i + 1]; ++k) {
        int to = mus_pattern_find(coarse->pattern, p->pattern->column[l], pattern.column[k]);
        assert_true(to >= 0);
        for (int r = 0; r < block; ++r)
          for (int c = 0; c < block; ++c)
            for (int q = 0; q < fine; ++q)
              expected[(to * block + r) * block + c] +=
                  p->value[(l * fine + q) * block + r] * ap.value[(k * fine + q) * block + c];
      }
  for (size_t e = 0; e < mus_matrix_values(coarse); ++e)
    assert_true(fabs(coarse->value[e] - expected[e]) < 1e-10);
  free(expected);
  mus_arena_clear(&arena);
}

// Random values, mirrored at the diagonal.
static mus_matrix random_symmetric(mus_arena *arena, const mus_pattern *pattern, int block) {
  mus_matrix a = random_matrix(arena, pattern, block, block, 1);
  for (int i = 0; i < pattern->rows; ++i)
    for (int k = pattern->row_start[i]; k < pattern->row_start[i + 1]; ++k) {
      int across = mus_pattern_find(pattern, pattern->column[k], i);
      for (int r = 0; r < block && across <= k; ++r)
        for (int c = 0; c < block; ++c)
          a.value[(k * block + r) * block + c] = a.value[(across * block + c) * block + r];
    }
  return a;
}

// In one pass where nodes are numbered along the mesh, by way of U P where they are not: the same numbers, and for any
// number of threads the same bits.
static void chunks_change_nothing(void **state) {
  (void)state;
  enum { ROWS = 20000 };
  static const int blocks[][2] = {{1, 1}, {3, 3}, {3, 6}};
  for (int k = 0; k < 6; ++k) {
    mus_arena arena = {0};
    mus_pattern a_pattern, p_pattern;
    mus_galerkin plan;
    int anywhere = k % 2, fine = blocks[k / 2][0], block = blocks[k / 2][1];
    band(&arena, ROWS, 5, anywhere, &a_pattern, &p_pattern);
    assert_int_equal(mus_galerkin_create(&arena, &a_pattern, &p_pattern, &plan), MUS_OK);
    assert_int_equal(plan.pass.chunks, anywhere ? 0 : MUS_GALERKIN_CHUNKS);
    mus_matrix a = random_symmetric(&arena, &a_pattern, fine);
    mus_matrix p = random_matrix(&arena, &p_pattern, fine, block, 2);
    mus_matrix one = create(&arena, &plan.coarse, block, block), many = create(&arena, &plan.coarse, block, block);
    mus_par_set_threads(1);
    assert_int_equal(mus_galerkin_fill(&plan, &a, &p, &one), MUS_OK);
    mus_par_set_threads(7);
    assert_int_equal(mus_galerkin_fill(&plan, &a, &p, &many), MUS_OK);
    mus_par_set_threads(0);
    assert_memory_equal(one.value, many.value, mus_matrix_values(&one) * sizeof(double));
    assert_is_triple_product(&a, &p, &one);
    mus_arena_clear(&arena);
  }
}

static void same_bits(void) {
  for (int k = 0; k < 3; ++k) {
    galerkin *first = NULL;
    for (int t = 0; t < THREADS; ++t) {
      mus_par_set_threads(threads[t]);
      galerkin *g = create_galerkin(600, 540, galerkin_blocks[k][0], galerkin_blocks[k][1], 6);
      assert_int_equal(mus_galerkin_fill(&g->plan, &g->fine.a, &g->p, &g->coarse), MUS_OK);
      assert_int_equal(mus_galerkin_fill_f(&g->plan, &g->a_f, &g->p_f, &g->coarse_f), MUS_OK);
      mus_par_set_threads(0);
      if (!first)
        first = g;
      assert_patterns_equal(&g->plan.coarse, &first->plan.coarse);
      assert_memory_equal(g->coarse.value, first->coarse.value, mus_matrix_values(&g->coarse) * sizeof(double));
      assert_memory_equal(g->coarse_f.value, first->coarse_f.value, mus_matrix_values(&g->coarse) * sizeof(float));
      if (g != first)
        destroy_galerkin(g);
    }
    destroy_galerkin(first);
  }
}

static void same_bits_for_any_number_of_threads(void **state) {
  (void)state;
  with_every_instruction_set(same_bits);
}

// --- failing allocations --------------------------------------------------------------------------------------------

static mus_status attempt(int way, galerkin *g, mus_arena *arena) {
  mus_pattern pattern;
  mus_galerkin plan;
  mus_matrix c;
  mus_status status;
  switch (way) {
  case 0:
    return mus_product_pattern(arena, g->fine.pattern, &g->pattern, &pattern);
  case 1:
    status = mus_product_pattern(arena, g->fine.pattern, &g->pattern, &pattern);
    if (!status)
      status = mus_matrix_create(arena, &pattern, g->p.row_block, g->p.column_block, &c);
    return status ? status : mus_product(&g->fine.a, &g->p, &c);
  case 2:
    return mus_galerkin_create(arena, g->fine.pattern, &g->pattern, &plan);
  case 3:
    return mus_galerkin_fill_f(&g->plan, &g->a_f, &g->p_f, &g->coarse_f);
  default:
    return mus_galerkin_fill(&g->plan, &g->fine.a, &g->p, &g->coarse);
  }
}

static void failing_allocations(void **state) {
  (void)state;
  galerkin *g = create_galerkin(20, 7, 3, 6, 2);
  for (int way = 0; way < 5; ++way) {
    mus_status status = MUS_OUT_OF_MEMORY;
    long n = 0;
    for (; status; ++n) {
      mus_arena arena = {0};
      mus_memory_fail_after(n);
      status = attempt(way, g, &arena);
      mus_memory_fail_after(-1);
      assert_true(status == MUS_OK || status == MUS_OUT_OF_MEMORY);
      mus_arena_clear(&arena);
    }
    assert_true(n > 1);
  }
  assert_is_galerkin(g, DBL_EPSILON);
  destroy_galerkin(g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(product_patterns),
      cmocka_unit_test(empty_products),
      cmocka_unit_test(products_agree_with_dense),
      cmocka_unit_test(parts_agree_with_dense),
      cmocka_unit_test(galerkin_agrees_with_dense),
      cmocka_unit_test(single_galerkin_agrees_with_dense),
      cmocka_unit_test(long_rows_agree_with_dense),
      cmocka_unit_test(galerkin_patterns),
      cmocka_unit_test(refills_have_the_bits_of_a_fresh_plan),
      cmocka_unit_test(chunks_change_nothing),
      cmocka_unit_test(same_bits_for_any_number_of_threads),
      cmocka_unit_test(failing_allocations),
  };
  return cmocka_run_group_tests(tests, open_pages, close_pages);
}
