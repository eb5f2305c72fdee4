// Every product of block matrices, in both precisions and with every instruction set of this machine, against dense
// matrices.
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
#include "support/guarded.h"
#include "support/patterns.h"

typedef enum operation { MULTIPLY, ADD, RESIDUAL, TRANSPOSED, RESTRICT, CHEBYSHEV, OPERATIONS } operation;
static const char *const operation_name[] = {"multiply", "add", "residual", "transposed", "restrict", "chebyshev"};

static int is_across(operation op) { return op == TRANSPOSED || op == RESTRICT; }

// One matrix and what the operations want besides. Single precision holds every number exactly, so that both precisions
// have the same right answers.
typedef struct problem {
  mus_arena arena;
  mus_pattern pattern;
  mus_transpose transpose;
  mus_matrix a;
  double *x, *b, *y; // long enough for A and for A^T
  double *inverse;   // for Chebyshev steps; NULL where A is not square
  double alpha, beta, gamma;
} problem;

typedef struct shape {
  int row_block, column_block;
} shape;

static const shape all_shapes[] = {{1, 1},   {2, 2}, {3, 3}, {4, 4}, {5, 5},  {6, 6},  {7, 7},
                                   {12, 12}, {3, 6}, {6, 3}, {2, 5}, {12, 1}, {1, 12}, {3, 12}};
static const shape fast_shapes[] = {
    {1, 1}, {2, 2}, {3, 3},   {4, 4},  {5, 5},
    {6, 6}, {3, 6}, {12, 12}, {3, 12}, {2, 5}}; // those with kernels of their own, and one without
enum { SHAPES = sizeof all_shapes / sizeof *all_shapes, FAST_SHAPES = sizeof fast_shapes / sizeof *fast_shapes };

static problem *create(int rows, int columns, int most, shape s, uint64_t seed) {
  problem *p = calloc(1, sizeof *p);
  int height = rows * s.row_block, width = columns * s.column_block, longest = height > width ? height : width;
  p->pattern = random_pattern(&p->arena, rows, columns, 0, most, seed);
  assert_int_equal(mus_transpose_create(&p->arena, &p->pattern, &p->transpose), MUS_OK);
  p->a = random_matrix(&p->arena, &p->pattern, s.row_block, s.column_block, seed);
  p->x = random_vector(&p->arena, (size_t)longest, seed + 1);
  p->b = random_vector(&p->arena, (size_t)longest, seed + 2);
  p->y = random_vector(&p->arena, (size_t)longest, seed + 3);
  p->alpha = 0.75;
  p->beta = -0.375;
  p->gamma = 0.625;
  if (height != width)
    return p;
  int block = s.row_block;
  p->inverse = random_vector(&p->arena, (size_t)(height * block), seed + 4);
  for (int i = 0; i < rows; ++i)
    for (int r = 0; r < block; ++r)
      for (int c = 0; c < r; ++c)
        p->inverse[(i * block + c) * block + r] = p->inverse[(i * block + r) * block + c];
  return p;
}

static void destroy(problem *p) {
  mus_arena_clear(&p->arena);
  free(p);
}

static int height(const problem *p) { return p->pattern.rows * p->a.row_block; }
static int width(const problem *p) { return p->pattern.columns * p->a.column_block; }
static int inputs(const problem *p, operation op) { return is_across(op) ? height(p) : width(p); }
static int outputs(const problem *p, operation op) { return is_across(op) ? width(p) : height(p); }

static int possible(const problem *p, operation op) { return op != CHEBYSHEV || p->inverse; }

// --- running an operation between guard pages -----------------------------------------------------------------------

enum { ROW_START, COLUMN, SOURCE, VALUE, X, B, Y, INVERSE, PAGES };
static guarded pages[PAGES];

static int open_pages(void **state) {
  (void)state;
  return guarded_create_all((size_t)1 << 25, PAGES, pages);
}

static int close_pages(void **state) {
  (void)state;
  return guarded_free_all(PAGES, pages);
}

static const void *lay_integers(int page, int at_end, int count, const int *from) {
  return guarded_copy(&pages[page], at_end, (size_t)count * sizeof *from, from);
}

static void *lay_numbers(int page, int at_end, int single, size_t count, const double *from) {
  if (!single)
    return guarded_copy(&pages[page], at_end, count * sizeof *from, from);
  float *rounded = malloc((count + 1) * sizeof *rounded);
  for (size_t k = 0; k < count; ++k)
    rounded[k] = (float)from[k];
  void *to = guarded_copy(&pages[page], at_end, count * sizeof *rounded, rounded);
  free(rounded);
  return to;
}

static mus_restriction restriction_of(mus_arena *arena, const mus_pattern *pattern, int column_block, size_t size) {
  mus_restriction plan;
  assert_int_equal(mus_restriction_create(arena, pattern, column_block, size, &plan), MUS_OK);
  assert_true(plan.chunks > 0);
  return plan;
}

static void call_double(const problem *p, operation op, const mus_matrix *a, const mus_transpose *at, const double *x,
                        const double *b, const double *inverse, double *y) {
  switch (op) {
  case MULTIPLY:
    mus_multiply(a, x, y);
    break;
  case ADD:
    mus_multiply_add(a, x, y);
    break;
  case RESIDUAL:
    mus_residual(a, b, x, y);
    break;
  case TRANSPOSED:
    mus_multiply_transposed(a, at, x, y);
    break;
  case RESTRICT: {
    mus_arena arena = {0};
    mus_restriction plan = restriction_of(&arena, a->pattern, a->column_block, sizeof *x);
    mus_restrict(a, &plan, x, y);
    mus_arena_clear(&arena);
    break;
  }
  default:
    mus_chebyshev_step(a, inverse, b, x, p->alpha, p->beta, p->gamma, y);
  }
}

static void call_single(const problem *p, operation op, const mus_matrix_f *a, const mus_transpose *at, const float *x,
                        const float *b, const float *inverse, float *y) {
  switch (op) {
  case MULTIPLY:
    mus_multiply_f(a, x, y);
    break;
  case ADD:
    mus_multiply_add_f(a, x, y);
    break;
  case RESIDUAL:
    mus_residual_f(a, b, x, y);
    break;
  case TRANSPOSED:
    mus_multiply_transposed_f(a, at, x, y);
    break;
  case RESTRICT: {
    mus_arena arena = {0};
    mus_restriction plan = restriction_of(&arena, a->pattern, a->column_block, sizeof *x);
    mus_restrict_f(a, &plan, x, y);
    mus_arena_clear(&arena);
    break;
  }
  default:
    mus_chebyshev_step_f(a, inverse, b, x, (float)p->alpha, (float)p->beta, (float)p->gamma, y);
  }
}

// Runs the operation on copies of all arrays that lie flush with a guard page at their end, or at their start.
static void run(const problem *p, operation op, int single, int at_end, double *out) {
  int blocks = mus_pattern_blocks(&p->pattern), from = inputs(p, op), to = outputs(p, op);
  const mus_pattern *given = op == TRANSPOSED ? &p->transpose.pattern : &p->pattern;
  mus_pattern pattern = {given->rows, given->columns, NULL, NULL};
  pattern.row_start = (int *)lay_integers(ROW_START, at_end, given->rows + 1, given->row_start);
  pattern.column = (int *)lay_integers(COLUMN, at_end, blocks, given->column);
  mus_transpose transpose = {pattern, (int *)lay_integers(SOURCE, at_end, blocks, p->transpose.source)};
  const mus_pattern *rows = op == TRANSPOSED ? &p->pattern : &pattern;
  void *value = lay_numbers(VALUE, at_end, single, mus_matrix_values(&p->a), p->a.value);
  const void *x = lay_numbers(X, at_end, single, (size_t)from, p->x);
  const void *b = lay_numbers(B, at_end, single, (size_t)to, p->b), *inverse = NULL;
  void *y = lay_numbers(Y, at_end, single, (size_t)to, p->y);
  if (op == CHEBYSHEV)
    inverse = lay_numbers(INVERSE, at_end, single, (size_t)(to * p->a.row_block), p->inverse);
  if (single) {
    mus_matrix_f a = {rows, p->a.row_block, p->a.column_block, value};
    call_single(p, op, &a, &transpose, x, b, inverse, y);
    for (int i = 0; i < to; ++i)
      out[i] = (double)((float *)y)[i];
  } else {
    mus_matrix a = {rows, p->a.row_block, p->a.column_block, value};
    call_double(p, op, &a, &transpose, x, b, inverse, y);
    memcpy(out, y, (size_t)to * sizeof *out);
  }
}

// Calls `body` once for each instruction set that this machine has, and puts back the one in use.
static void with_every_instruction_set(void (*body)(void)) {
  mus_instructions before = mus_instructions_current();
  for (int which = 0; which < MUS_INSTRUCTION_SETS; ++which)
    if (mus_instructions_available((mus_instructions)which)) {
      assert_int_equal(mus_instructions_use((mus_instructions)which), MUS_OK);
      assert_int_equal(mus_instructions_current(), which);
      body();
    }
  assert_int_equal(mus_instructions_use(before), MUS_OK);
}

// --- against dense matrices -----------------------------------------------------------------------------------------

// The right answer, and how far rounding may lead away from it, in units in the last place of one: a sum of t products
// has an error of at most t u times the sum of their magnitudes, in whatever order it is taken.
typedef struct answer {
  long double *value;
  double *allowed;
} answer;

static void finish_chebyshev(const problem *p, long double *value, double *magnitude) {
  int block = p->a.row_block, n = height(p);
  long double *residual = malloc((size_t)n * sizeof *residual);
  double *size = malloc((size_t)n * sizeof *size);
  memcpy(residual, value, (size_t)n * sizeof *residual);
  memcpy(size, magnitude, (size_t)n * sizeof *size);
  for (int i = 0; i < n; ++i) {
    value[i] = (1 + (long double)p->beta) * p->x[i];
    magnitude[i] = (1 + fabs(p->beta)) * fabs(p->x[i]);
    if (p->gamma != 0) {
      value[i] -= (long double)p->gamma * p->y[i];
      magnitude[i] += fabs(p->gamma * p->y[i]);
    }
    for (int c = 0; c < block; ++c) {
      int j = i / block * block + c;
      value[i] += (long double)p->alpha * p->inverse[i * block + c] * residual[j];
      magnitude[i] += fabs(p->alpha * p->inverse[i * block + c]) * size[j];
    }
  }
  free(residual);
  free(size);
}

static answer reference(const problem *p, operation op) {
  int n = outputs(p, op), m = inputs(p, op), lead = height(p), most = 0;
  answer a = {calloc((size_t)n, sizeof *a.value), calloc((size_t)n, sizeof *a.allowed)};
  int *terms = calloc((size_t)n, sizeof *terms);
  double *dense = dense_from_matrix(&p->a);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < m; ++j) {
      double entry = dense[is_across(op) ? (size_t)i * (size_t)lead + (size_t)j : (size_t)j * (size_t)lead + (size_t)i];
      a.value[i] += (long double)entry * p->x[j];
      a.allowed[i] += fabs(entry * p->x[j]);
      terms[i] += entry != 0;
    }
    most = terms[i] > most ? terms[i] : most;
    if (op == ADD)
      a.value[i] += p->y[i];
    if (op == RESIDUAL || op == CHEBYSHEV)
      a.value[i] = p->b[i] - a.value[i];
    if (op == ADD || op == RESIDUAL || op == CHEBYSHEV)
      a.allowed[i] += fabs(op == ADD ? p->y[i] : p->b[i]);
  }
  if (op == CHEBYSHEV)
    finish_chebyshev(p, a.value, a.allowed);
  for (int i = 0; i < n; ++i)
    a.allowed[i] *= op == CHEBYSHEV ? most + p->a.row_block + 6 : terms[i] + 1;
  free(terms);
  free(dense);
  return a;
}

static void free_answer(answer *a) {
  free(a->value);
  free(a->allowed);
}

static void assert_near(const problem *p, operation op, int single, const answer *right, const double *got,
                        const char *other) {
  for (int i = 0; i < outputs(p, op); ++i) {
    double difference = (double)fabsl(right->value[i] - got[i]);
    if (!(difference <= right->allowed[i] * (single ? FLT_EPSILON : DBL_EPSILON) / 2))
      fail_msg("%s of %d x %d blocks in %s precision with %s: entry %d is %.17g, not %.17Lg as %s", operation_name[op],
               p->a.row_block, p->a.column_block, single ? "single" : "double",
               mus_instructions_name(mus_instructions_current()), i, got[i], right->value[i], other);
  }
}

// Both within what is allowed of the right answer, so within twice that of each other.
static void assert_twins(const problem *p, operation op, int single, const answer *right, const double *scalar,
                         const double *got) {
  int n = outputs(p, op);
  answer twin = {calloc((size_t)n, sizeof *twin.value), calloc((size_t)n, sizeof *twin.allowed)};
  for (int i = 0; i < n; ++i) {
    twin.value[i] = scalar[i];
    twin.allowed[i] = 2 * right->allowed[i];
  }
  assert_near(p, op, single, &twin, got, "plain C says");
  free_answer(&twin);
}

static void compare_with_dense(const problem *p) {
  double *out = malloc((size_t)(height(p) + width(p)) * sizeof *out);
  double *scalar = malloc((size_t)(height(p) + width(p)) * sizeof *scalar);
  mus_instructions current = mus_instructions_current();
  for (int op = 0; op < OPERATIONS; ++op) {
    if (!possible(p, (operation)op))
      continue;
    answer right = reference(p, (operation)op);
    for (int single = 0; single < 2; ++single) {
      for (int at_end = 0; at_end < 2; ++at_end) {
        run(p, (operation)op, single, at_end, out);
        assert_near(p, (operation)op, single, &right, out, "the dense product says");
      }
      mus_instructions_use(MUS_SCALAR);
      run(p, (operation)op, single, 1, scalar);
      mus_instructions_use(current);
      assert_twins(p, (operation)op, single, &right, scalar, out);
    }
    free_answer(&right);
  }
  free(out);
  free(scalar);
}

// Rows of every length from none to 20 blocks; square patterns, wide ones and tall ones.
static void all_shapes_agree(void) {
  static const int size[][2] = {{24, 24}, {22, 31}, {43, 20}};
  for (int s = 0; s < SHAPES; ++s)
    for (int k = 0; k < 3; ++k) {
      problem *p = create(size[k][0], size[k][1], 20, all_shapes[s], (uint64_t)(10 * s + k));
      compare_with_dense(p);
      destroy(p);
    }
}

static void products_agree_with_dense(void **state) {
  (void)state;
  with_every_instruction_set(all_shapes_agree);
}

// Enough rows to be dealt out in several runs, the last of which is short.
static void long_products(void) {
  static const int rows[] = {600, 257};
  for (int k = 0; k < 2; ++k) {
    problem *p = create(rows[k], rows[k], 4, k == 0 ? (shape){1, 1} : (shape){3, 3}, 5);
    compare_with_dense(p);
    destroy(p);
  }
}

static void long_products_agree_with_dense(void **state) {
  (void)state;
  with_every_instruction_set(long_products);
}

// Double keeps what single has to lose.
static void precision_is_the_one_asked_for(void **state) {
  (void)state;
  mus_pattern pattern = {1, 9, (int[]){0, 9}, (int[]){0, 1, 2, 3, 4, 5, 6, 7, 8}}; // up to four sums for a row
  double value[] = {1, 0, 0, 0, 0x1p-40, 0, 0, 0, -1}, x[] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, y[1];
  mus_multiply(&(mus_matrix){&pattern, 1, 1, value}, x, y);
  assert_true(y[0] == 0x1p-40);
  float value_f[] = {1, 0, 0, 0, 0x1p-40f, 0, 0, 0, -1}, x_f[] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, y_f[1];
  mus_multiply_f(&(mus_matrix_f){&pattern, 1, 1, value_f}, x_f, y_f);
  assert_true(y_f[0] == 0);
}

// --- NaN ------------------------------------------------------------------------------------------------------------

static void assert_same_bits(int n, const double *a, const double *b) {
  assert_memory_equal(a, b, (size_t)n * sizeof *a);
}

// An entry of A that is NaN spoils the rows that it belongs to and no others, not even those of the same block.
static void nan_in_a_value(problem *p, operation op, int single) {
  int block = p->a.row_block, wide = p->a.column_block;
  double *clean = malloc((size_t)outputs(p, op) * sizeof *clean), *out = malloc((size_t)outputs(p, op) * sizeof *out);
  run(p, op, single, 1, clean);
  for (int i = 0; i < p->pattern.rows; ++i)
    for (int k = p->pattern.row_start[i]; k < p->pattern.row_start[i + 1]; ++k)
      for (int e = 0; e < block * wide; ++e) {
        if ((k + e) % 5) // one in five is enough: all entries of a block have their turn
          continue;
        double *at = &p->a.value[k * block * wide + e], before = *at;
        *at = NAN;
        run(p, op, single, 1, out);
        *at = before;
        int row = is_across(op) ? p->pattern.column[k] * wide + e % wide : i * block + e / wide;
        for (int j = 0; j < outputs(p, op); ++j)
          if (op == CHEBYSHEV ? j / block == i : j == row)
            assert_true(isnan(out[j]));
          else
            assert_true(out[j] == clean[j]);
      }
  free(clean);
  free(out);
}

// A node whose x is NaN spoils the rows that have a block there and no others.
static void nan_in_x(problem *p, operation op, int single) {
  int n = outputs(p, op), block = is_across(op) ? p->a.column_block : p->a.row_block;
  int piece = is_across(op) ? p->a.row_block : p->a.column_block;
  const mus_pattern *pattern = is_across(op) ? &p->transpose.pattern : &p->pattern;
  double *clean = malloc((size_t)n * sizeof *clean), *out = malloc((size_t)n * sizeof *out);
  run(p, op, single, 1, clean);
  for (int node = 0; node < pattern->columns; ++node) {
    double before[MUS_BLOCK_MAXIMUM];
    memcpy(before, p->x + node * piece, (size_t)piece * sizeof *before);
    for (int c = 0; c < piece; ++c)
      p->x[node * piece + c] = NAN;
    run(p, op, single, 1, out);
    memcpy(p->x + node * piece, before, (size_t)piece * sizeof *before);
    for (int j = 0; j < n; ++j)
      if (mus_pattern_find(pattern, j / block, node) >= 0 || (op == CHEBYSHEV && j / block == node))
        assert_true(isnan(out[j]));
      else
        assert_true(out[j] == clean[j]);
  }
  free(clean);
  free(out);
}

static void nan_spoils_its_rows_only(void) {
  for (int s = 0; s < FAST_SHAPES; ++s) {
    problem *p = create(9, 9, 5, fast_shapes[s], (uint64_t)s);
    for (int op = 0; op < OPERATIONS; ++op)
      for (int single = 0; single < 2 && possible(p, (operation)op); ++single) {
        nan_in_a_value(p, (operation)op, single);
        nan_in_x(p, (operation)op, single);
      }
    destroy(p);
  }
}

static void nan_stays_in_its_rows(void **state) {
  (void)state;
  with_every_instruction_set(nan_spoils_its_rows_only);
}

// What is overwritten is not read first: old NaN must not survive, in rows without blocks neither.
static void nan_is_overwritten(void) {
  static const operation overwriting[] = {MULTIPLY, RESIDUAL, TRANSPOSED, RESTRICT, CHEBYSHEV};
  for (int s = 0; s < SHAPES; ++s) {
    problem *p = create(12, 12, 7, all_shapes[s], 3);
    double clean[12 * 12], out[12 * 12];
    for (int k = 0; k < 4; ++k)
      for (int single = 0; single < 2 && possible(p, overwriting[k]); ++single) {
        int n = outputs(p, overwriting[k]);
        p->gamma = 0;
        run(p, overwriting[k], single, 1, clean);
        double before[12 * 12];
        memcpy(before, p->y, (size_t)n * sizeof *before);
        for (int i = 0; i < n; ++i)
          p->y[i] = NAN;
        run(p, overwriting[k], single, 1, out);
        memcpy(p->y, before, (size_t)n * sizeof *before);
        assert_same_bits(n, out, clean);
      }
    destroy(p);
  }
}

static void old_nan_is_overwritten(void **state) {
  (void)state;
  with_every_instruction_set(nan_is_overwritten);
}

// --- threads --------------------------------------------------------------------------------------------------------

static const int threads[] = {1, 2, 3, 7};
enum { THREADS = sizeof threads / sizeof *threads };

static void same_bits(void) {
  for (int s = 0; s < FAST_SHAPES; ++s) {
    problem *p = create(1900, 1900, 5, fast_shapes[s], (uint64_t)s); // eight runs of rows
    size_t n = (size_t)(height(p) + width(p));
    double *first = malloc(n * sizeof *first), *out = malloc(n * sizeof *out);
    for (int op = 0; op < OPERATIONS; ++op)
      for (int single = 0; single < 2 && possible(p, (operation)op); ++single)
        for (int k = 0; k < THREADS; ++k) {
          mus_par_set_threads(threads[k]);
          run(p, (operation)op, single, k % 2, k == 0 ? first : out);
          mus_par_set_threads(0);
          assert_same_bits(outputs(p, (operation)op), k == 0 ? first : out, first);
        }
    free(first);
    free(out);
    destroy(p);
  }
}

static void same_bits_for_any_number_of_threads(void **state) {
  (void)state;
  with_every_instruction_set(same_bits);
}

// --- creation, rounding, instruction sets ---------------------------------------------------------------------------

static void values_are_rounded(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_pattern pattern = random_pattern(&arena, 200, 50, 0, 6, 1);
  mus_matrix a = random_matrix(&arena, &pattern, 3, 6, 2);
  mus_matrix_f f;
  assert_int_equal(mus_matrix_create_f(&arena, &pattern, 3, 6, &f), MUS_OK);
  assert_true(f.pattern == &pattern && f.row_block == 3 && f.column_block == 6);
  assert_int_equal(mus_matrix_values(&a), mus_pattern_blocks(&pattern) * 18);
  for (size_t k = 0; k < mus_matrix_values(&a); ++k)
    a.value[k] = mus_random(9, k) * pow(10, 9 * mus_random(10, k));
  for (int k = 0; k < THREADS; ++k) {
    memset(f.value, 0xff, mus_matrix_values(&a) * sizeof *f.value);
    mus_par_set_threads(threads[k]);
    mus_matrix_round(&a, &f);
    mus_par_set_threads(0);
    for (size_t e = 0; e < mus_matrix_values(&a); ++e)
      assert_true(f.value[e] == (float)a.value[e]);
    mus_par_set_threads(threads[k]);
    mus_matrix_widen(&f, &a);
    mus_par_set_threads(0);
    for (size_t e = 0; e < mus_matrix_values(&a); ++e)
      assert_true(a.value[e] == (double)f.value[e]);
  }
  mus_arena_clear(&arena);
}

static void failing_allocations(void **state) {
  (void)state;
  mus_pattern pattern = {1, 1, (int[]){0, 1}, (int[]){0}};
  mus_matrix a;
  mus_matrix_f f;
  mus_arena arena = {0};
  mus_memory_fail_after(0);
  assert_int_equal(mus_matrix_create(&arena, &pattern, 3, 3, &a), MUS_OUT_OF_MEMORY);
  assert_int_equal(mus_matrix_create_f(&arena, &pattern, 3, 3, &f), MUS_OUT_OF_MEMORY);
  mus_memory_fail_after(-1);
  mus_arena_clear(&arena);
}

static void instruction_sets_have_names(void **state) {
  (void)state;
  assert_string_equal(mus_instructions_name(MUS_SCALAR), "scalar");
  assert_string_equal(mus_instructions_name(MUS_AVX2), "avx2");
  assert_string_equal(mus_instructions_name(MUS_AVX512), "avx512");
  assert_string_equal(mus_instructions_name(MUS_INSTRUCTION_SETS), "unknown");
  assert_true(mus_instructions_available(MUS_SCALAR));
  assert_true(mus_instructions_available(mus_instructions_current()));
  mus_instructions before = mus_instructions_current();
  for (int which = 0; which <= MUS_INSTRUCTION_SETS; ++which)
    if (!mus_instructions_available((mus_instructions)which)) {
      assert_int_equal(mus_instructions_use((mus_instructions)which), MUS_UNSUPPORTED);
      assert_non_null(strstr(mus_last_error(), mus_instructions_name((mus_instructions)which)));
      assert_int_equal(mus_instructions_current(), before);
    }
}

// --- asymmetry ------------------------------------------------------------------------------------------------------

// Moves one entry and sees that the largest difference is that.
static void move_entry(random_system *system, const mus_transpose *transpose, size_t k, double largest) {
  int block = system->block, size = block * block, place = (int)k / size, row = 0;
  double before = system->a.value[k];
  while (system->pattern->row_start[row + 1] <= place)
    ++row;
  int on_diagonal = place == system->place[row] && (int)k % size % (block + 1) == 0;
  if (fabs(before) > 0.9 * largest)
    return; // it would change the largest, too
  system->a.value[k] += 0x1p-12;
  double expected = on_diagonal ? 0 : fabs(system->a.value[k] - before) / largest;
  assert_true(mus_asymmetry(&system->a, transpose) == expected);
  system->a.value[k] = before;
}

static void asymmetry_is_measured(void **state) {
  (void)state;
  for (int t = 0; t < THREADS; ++t)
    for (int block = 1; block <= 6; ++block) {
      random_system system = random_system_create(24, block, 2);
      size_t values = mus_matrix_values(&system.a);
      mus_transpose transpose;
      double largest = 0;
      assert_int_equal(mus_transpose_create(&system.arena, system.pattern, &transpose), MUS_OK);
      for (size_t k = 0; k < values; ++k)
        largest = fmax(largest, fabs(system.a.value[k]));
      mus_par_set_threads(threads[t]);
      assert_true(mus_asymmetry(&system.a, &transpose) == 0);
      for (size_t k = 0; k < values; k += t == 0 ? 5 : 97) // waking threads takes longer than the work
        move_entry(&system, &transpose, k, largest);
      memset(system.a.value, 0, values * sizeof(double));
      assert_true(mus_asymmetry(&system.a, &transpose) == 0);
      mus_par_set_threads(0);
      random_system_free(&system);
    }
}

// A prolongator along a chain, long enough for many chunks: the same as by the transpose, with the same bits for any
// number of threads. Columns in disorder are left to the transpose.
static void restriction_in_chunks(void **state) {
  (void)state;
  enum { ROWS = 5000, COLUMNS = 500, BLOCKS = 2 * ROWS };
  static int start[ROWS + 1], column[BLOCKS];
  for (int disorder = 0; disorder < 2; ++disorder) {
    mus_arena arena = {0};
    mus_pattern pattern;
    mus_transpose transpose;
    mus_restriction plan;
    int blocks = 0;
    for (int i = 0; i < ROWS; start[++i] = blocks) {
      int home = disorder ? i * 37 % (COLUMNS - 1) : i * (COLUMNS - 1) / ROWS;
      column[blocks++] = home;
      column[blocks++] = home + 1;
    }
    assert_int_equal(mus_pattern_copy(&arena, ROWS, COLUMNS, start, column, &pattern), MUS_OK);
    assert_int_equal(mus_transpose_create(&arena, &pattern, &transpose), MUS_OK);
    assert_int_equal(mus_restriction_create(&arena, &pattern, 6, sizeof(double), &plan), MUS_OK);
    if (disorder) {
      assert_int_equal(plan.chunks, 0);
    } else {
      assert_true(plan.chunks > 3);
      mus_matrix a = random_matrix(&arena, &pattern, 3, 6, 5);
      double *x = random_vector(&arena, 3 * ROWS, 6), *right = random_vector(&arena, 6 * COLUMNS, 7);
      double *one = random_vector(&arena, 6 * COLUMNS, 8), *many = random_vector(&arena, 6 * COLUMNS, 9);
      mus_multiply_transposed(&a, &transpose, x, right);
      mus_par_set_threads(1);
      mus_restrict(&a, &plan, x, one);
      mus_par_set_threads(7);
      mus_restrict(&a, &plan, x, many);
      mus_par_set_threads(0);
      assert_memory_equal(one, many, 6 * COLUMNS * sizeof *one);
      for (int i = 0; i < 6 * COLUMNS; ++i)
        assert_true(fabs(one[i] - right[i]) < 1e-12);
    }
    mus_arena_clear(&arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(restriction_in_chunks),
      cmocka_unit_test(products_agree_with_dense),
      cmocka_unit_test(long_products_agree_with_dense),
      cmocka_unit_test(precision_is_the_one_asked_for),
      cmocka_unit_test(nan_stays_in_its_rows),
      cmocka_unit_test(old_nan_is_overwritten),
      cmocka_unit_test(same_bits_for_any_number_of_threads),
      cmocka_unit_test(values_are_rounded),
      cmocka_unit_test(failing_allocations),
      cmocka_unit_test(instruction_sets_have_names),
      cmocka_unit_test(asymmetry_is_measured),
  };
  return cmocka_run_group_tests(tests, open_pages, close_pages);
}
