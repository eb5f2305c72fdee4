// Symmetric storage against plain storage: every operation, both precisions, every instruction set of this machine, for
// patterns that are banded, reach beyond chunks and beyond the ring, and are in no order at all.
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
#include "par/vector.h"
#include "sheet_system.h"
#include "sparse/symmetric.h"
#include "support/guarded.h"
#include "support/patterns.h"

typedef enum operation { MULTIPLY, RESIDUAL, CHEBYSHEV, FIRST, OPERATIONS } operation; // FIRST: with gamma = 0

typedef struct problem {
  mus_arena arena;
  mus_pattern full;
  mus_matrix a;
  mus_symmetric_pattern pattern;
  mus_symmetric s;
  mus_symmetric_f s_f;
  size_t n;
  double *x, *b, *y, *inverse; // single precision holds all of them exactly
} problem;

// --- making them --------------------------------------------------------------------------------------------------

// Values of block (i, j) are those of (j, i), transposed, and single precision holds them.
static void fill_values(problem *p) {
  int block = p->a.row_block;
  for (int i = 0; i < p->full.rows; ++i)
    for (int k = p->full.row_start[i]; k < p->full.row_start[i + 1]; ++k) {
      int j = p->full.column[k], low = i < j ? i : j, high = i < j ? j : i;
      for (int r = 0; r < block; ++r)
        for (int c = 0; c < block; ++c) {
          int first = i < j || (i == j && r < c) ? r : c, second = first == r ? c : r;
          uint64_t pair = (uint64_t)low * (uint64_t)p->full.rows + (uint64_t)high;
          p->a.value[((size_t)k * (size_t)block + (size_t)r) * (size_t)block + (size_t)c] =
              (float)mus_random(pair, (uint64_t)(first * block + second));
        }
    }
}

static problem *finish(problem *p, int block) {
  assert_int_equal(mus_matrix_create(&p->arena, &p->full, block, block, &p->a), MUS_OK);
  fill_values(p);
  assert_int_equal(mus_symmetric_pattern_create(&p->arena, &p->full, block, &p->pattern), MUS_OK);
  assert_int_equal(mus_symmetric_create(&p->arena, &p->pattern, &p->s), MUS_OK);
  assert_int_equal(mus_symmetric_create_f(&p->arena, &p->pattern, &p->s_f), MUS_OK);
  mus_symmetric_fill(&p->a, &p->s);
  mus_symmetric_fill_f(&p->a, &p->s_f);
  p->n = (size_t)p->full.rows * (size_t)block;
  p->x = random_vector(&p->arena, p->n, 1);
  p->b = random_vector(&p->arena, p->n, 2);
  p->y = random_vector(&p->arena, p->n, 3);
  p->inverse = random_vector(&p->arena, p->n * (size_t)block, 4);
  for (int i = 0; i < p->full.rows; ++i)
    for (int r = 0; r < block; ++r)
      for (int c = 0; c < r; ++c)
        p->inverse[(i * block + c) * block + r] = p->inverse[(i * block + r) * block + c];
  return p;
}

// Row i has the columns i - d and i + d for all distances d, of which the first is 0. Every `leave_out`-th pair is
// missing, so that rows differ.
static problem *banded(int rows, int block, int count, const int *distance, int leave_out) {
  problem *p = calloc(1, sizeof *p);
  size_t most = (size_t)rows * (size_t)(2 * count);
  p->full = (mus_pattern){rows, rows, mus_arena_alloc(&p->arena, (size_t)rows + 1, sizeof(int)),
                          mus_arena_alloc(&p->arena, most, sizeof(int))};
  int at = 0;
  for (int i = 0; i < rows; ++i) {
    p->full.row_start[i] = at;
    for (int d = -count + 1; d < count; ++d) {
      int apart = d < 0 ? -distance[-d] : distance[d], j = i + apart, low = i < j ? i : j;
      if (j >= 0 && j < rows && (d == 0 || (low * 7 + abs(d)) % leave_out != 0))
        p->full.column[at++] = j;
    }
  }
  p->full.row_start[rows] = at;
  return finish(p, block);
}

// The pattern of a sheet, in its own order or in none.
static problem *sheet(int side, int shuffled) {
  problem *p = calloc(1, sizeof *p);
  sheet_options options = sheet_default_options();
  sheet_system system;
  options.side = side;
  options.irregular = 1;
  assert_int_equal(sheet_system_create(&options, &system), MUS_OK);
  const mus_pattern *from = system.pattern;
  int rows = from->rows, *place = calloc((size_t)rows, sizeof *place), *back = calloc((size_t)rows, sizeof *back);
  for (int i = 0; i < rows; ++i)
    place[i] = i;
  for (int i = rows - 1; shuffled && i > 0; --i) {
    int j = (int)(mus_random_bits(5, (uint64_t)i) % (uint64_t)(i + 1)), swap = place[i];
    place[i] = place[j];
    place[j] = swap;
  }
  for (int i = 0; i < rows; ++i)
    back[place[i]] = i;
  p->full = (mus_pattern){rows, rows, mus_arena_alloc(&p->arena, (size_t)rows + 1, sizeof(int)),
                          mus_arena_alloc(&p->arena, (size_t)mus_pattern_blocks(from), sizeof(int))};
  int at = 0;
  for (int i = 0; i < rows; ++i) {
    int begin = p->full.row_start[i] = at;
    for (int k = from->row_start[back[i]]; k < from->row_start[back[i] + 1]; ++k) {
      int j = place[from->column[k]], to = at++;
      for (; to > begin && p->full.column[to - 1] > j; --to)
        p->full.column[to] = p->full.column[to - 1];
      p->full.column[to] = j;
    }
  }
  p->full.row_start[rows] = at;
  free(place);
  free(back);
  sheet_system_free(&system);
  return finish(p, 3);
}

static void destroy(problem *p) {
  mus_arena_clear(&p->arena);
  free(p);
}

// --- running them between guard pages -------------------------------------------------------------------------------

enum { X, B, Y, INVERSE, PAGES };
static guarded pages[PAGES];

static int open_pages(void **state) {
  (void)state;
  return guarded_create_all((size_t)1 << 23, PAGES, pages);
}

static int close_pages(void **state) {
  (void)state;
  return guarded_free_all(PAGES, pages);
}

static void *lay(int page, int at_end, int single, size_t count, const double *from) {
  if (!single)
    return guarded_copy(&pages[page], at_end, count * sizeof *from, from);
  float *rounded = calloc(count, sizeof *rounded);
  for (size_t k = 0; k < count; ++k)
    rounded[k] = (float)from[k];
  void *to = guarded_copy(&pages[page], at_end, count * sizeof *rounded, rounded);
  free(rounded);
  return to;
}

// The result goes to `out` in double precision.
static void run(const problem *p, operation op, int single, int at_end, double *out) {
  size_t n = p->n;
  void *x = lay(X, at_end, single, n, p->x), *b = lay(B, at_end, single, n, p->b), *y = lay(Y, at_end, single, n, p->y);
  void *inverse = lay(INVERSE, at_end, single, n * (size_t)p->a.row_block, p->inverse);
  double gamma = op == FIRST ? 0 : 0.625;
  if (op == MULTIPLY)
    single ? mus_symmetric_multiply_f(&p->s_f, x, y) : mus_symmetric_multiply(&p->s, x, y);
  else if (op == RESIDUAL)
    single ? mus_symmetric_residual_f(&p->s_f, b, x, y) : mus_symmetric_residual(&p->s, b, x, y);
  else if (single)
    mus_symmetric_chebyshev_f(&p->s_f, inverse, b, x, 0.75f, -0.375f, (float)gamma, y);
  else
    mus_symmetric_chebyshev(&p->s, inverse, b, x, 0.75, -0.375, gamma, y);
  for (size_t k = 0; k < n; ++k)
    out[k] = single ? (double)((float *)y)[k] : ((double *)y)[k];
}

// What plain storage gives in double precision.
static void expect(const problem *p, operation op, double *out) {
  memcpy(out, p->y, p->n * sizeof *out);
  if (op == MULTIPLY)
    mus_multiply(&p->a, p->x, out);
  else if (op == RESIDUAL)
    mus_residual(&p->a, p->b, p->x, out);
  else
    mus_chebyshev_step(&p->a, p->inverse, p->b, p->x, 0.75, -0.375, op == FIRST ? 0 : 0.625, out);
}

// Roundings only: sums of up to `terms` products of numbers below 1.
static void assert_near(const problem *p, operation op, int single) {
  double *expected = malloc(p->n * sizeof *expected), *got = malloc(p->n * sizeof *got);
  double terms = 40 * (double)p->a.row_block, allowed = terms * (single ? FLT_EPSILON : DBL_EPSILON);
  expect(p, op, expected);
  for (int at_end = 0; at_end < 2; ++at_end) {
    run(p, op, single, at_end, got);
    for (size_t k = 0; k < p->n; ++k)
      assert_true(fabs(got[k] - expected[k]) <= allowed * (double)p->a.row_block);
  }
  free(expected);
  free(got);
}

static void check_all(const problem *p) {
  for (int set = 0; set < MUS_INSTRUCTION_SETS; ++set) {
    if (mus_instructions_use((mus_instructions)set))
      continue;
    for (int op = 0; op < OPERATIONS; ++op)
      for (int single = 0; single < 2; ++single)
        assert_near(p, (operation)op, single);
  }
}

// --- tests --------------------------------------------------------------------------------------------------------

static const int near[] = {0, 1, 2, 40, 41}, far[] = {0, 1, 63, 900, 2600};

static void small_matrices(void **state) {
  (void)state;
  for (int rows = 1; rows < 8; ++rows)
    for (int block = 1; block <= MUS_BLOCK_MAXIMUM; ++block) {
      problem *p = banded(rows, block, 3, near, 5);
      assert_int_equal(p->pattern.chunks, 1);
      check_all(p);
      destroy(p);
    }
}

static void every_block_size(void **state) {
  (void)state;
  for (int block = 1; block <= MUS_BLOCK_MAXIMUM; ++block) {
    problem *p = banded(300, block, 5, near, 4);
    check_all(p);
    destroy(p);
  }
}

// Several chunks; and pairs further apart than a ring for 3 or 6 numbers a node holds, or than a chunk is long.
static void across_chunks_and_beyond_the_ring(void **state) {
  (void)state;
  for (int block = 1; block <= 12; block += block < 6 ? 1 : 6) {
    problem *p = banded(4200, block, 5, far, 6);
    assert_true(p->pattern.chunks > 1);
    check_all(p);
    destroy(p);
  }
  problem *p = banded(9000, 3, 2, (int[]){0, 8000}, 9000);
  assert_true(p->pattern.ring < 8000);
  check_all(p);
  destroy(p);
}

static void sheets(void **state) {
  (void)state;
  problem *p = sheet(101, 0), *q = sheet(61, 1);
  assert_true(p->pattern.chunks > 1);
  assert_true(mus_symmetric_blocks(&p->pattern) < 0.6 * mus_pattern_blocks(&p->full));
  assert_true(mus_symmetric_blocks(&q->pattern) <= mus_pattern_blocks(&q->full));
  check_all(p);
  check_all(q);
  destroy(p);
  destroy(q);
}

// More threads than chunks work on pieces of them.
static void check_threads(const problem *p, const int *threads, int count) {
  double *one = malloc(p->n * sizeof *one), *other = malloc(p->n * sizeof *other);
  for (int op = 0; op < OPERATIONS; ++op)
    for (int single = 0; single < 2; ++single) {
      mus_par_set_threads(1);
      run(p, (operation)op, single, 0, one);
      double dot = mus_symmetric_multiply_dot(&p->s, p->x, other);
      for (int k = 0; k < count; ++k) {
        mus_par_set_threads(threads[k]);
        run(p, (operation)op, single, 0, other);
        assert_memory_equal(one, other, p->n * sizeof *one);
        assert_true(dot == mus_symmetric_multiply_dot(&p->s, p->x, other));
      }
    }
  free(one);
  free(other);
  mus_par_set_threads(0);
}

static void any_number_of_threads_gives_the_same_bits(void **state) {
  (void)state;
  problem *list[] = {sheet(81, 0),
                     banded(4200, 3, 5, far, 6),
                     banded(4200, 5, 5, near, 6),
                     banded(4200, 6, 5, far, 7),
                     banded(4200, 1, 5, near, 6),
                     banded(4200, 2, 5, far, 7),
                     banded(4200, 4, 5, near, 6),
                     banded(4200, 12, 5, near, 7)};
  for (int k = 0; k < 8; ++k) {
    assert_true(list[k]->pattern.chunks > 1 && list[k]->pattern.chunks < 5);
    assert_true(list[k]->pattern.lead_share > 0 && list[k]->pattern.lead_share < 1);
    for (int set = 0; set < MUS_INSTRUCTION_SETS; ++set)
      if (!mus_instructions_use((mus_instructions)set))
        check_threads(list[k], (int[]){2, 3, 5, 9, 16, 40}, 6);
    destroy(list[k]);
  }
}

static void product_and_dot(void **state) {
  (void)state;
  problem *list[] = {sheet(61, 0), banded(500, 5, 5, near, 4)};
  for (int k = 0; k < 2; ++k) {
    problem *p = list[k];
    double *product = malloc(p->n * sizeof *product), *y = malloc(p->n * sizeof *y);
    for (int set = 0; set < MUS_INSTRUCTION_SETS; ++set) {
      if (mus_instructions_use((mus_instructions)set))
        continue;
      mus_symmetric_multiply(&p->s, p->x, product);
      double dot = mus_symmetric_multiply_dot(&p->s, p->x, y), expected = mus_dot(p->n, p->x, product);
      assert_memory_equal(y, product, p->n * sizeof *y);
      assert_true(fabs(dot - expected) <= 1e-12 * mus_dot(p->n, p->x, p->x));
    }
    free(product);
    free(y);
    destroy(p);
  }
}

// Of a pair only the block above the diagonal counts; and new values replace old ones.
static void filling(void **state) {
  (void)state;
  problem *p = banded(64, 3, 3, near, 5);
  double before[64 * 3], after[64 * 3];
  mus_symmetric_multiply(&p->s, p->x, before);
  for (int i = 0; i < 64; ++i)
    for (int k = p->full.row_start[i]; k < p->full.row_start[i + 1]; ++k)
      for (int e = 0; e < 9; ++e)
        p->a.value[9 * k + e] = p->full.column[k] < i ? NAN : 2 * p->a.value[9 * k + e];
  mus_symmetric_fill(&p->a, &p->s);
  mus_symmetric_multiply(&p->s, p->x, after);
  for (int k = 0; k < 64 * 3; ++k)
    assert_true(after[k] == 2 * before[k]);
  size_t values = (size_t)mus_symmetric_blocks(&p->pattern) * 9;
  double *value = memcpy(malloc(values * sizeof *value), p->s.value, values * sizeof *value);
  mus_fill(values, NAN, p->s.value);
  mus_symmetric_fill_both(&p->a, &p->s, &p->s_f);
  float *value_f = memcpy(malloc(values * sizeof *value_f), p->s_f.value, values * sizeof *value_f);
  mus_symmetric_fill_f(&p->a, &p->s_f);
  assert_memory_equal(p->s.value, value, values * sizeof *value);
  assert_memory_equal(p->s_f.value, value_f, values * sizeof *value_f);
  free(value_f);
  free(value);
  destroy(p);
}

// Values as each instruction set fills them, and rounds them from what is filled.
static void filling_is_the_same_with_all_instructions(void **state) {
  (void)state;
  enum { ROWS = 5000 };
  for (int block = 2; block <= 4; ++block) {
    problem *p = banded(ROWS, block, 5, far, 4);
    size_t n = (size_t)mus_symmetric_blocks(&p->pattern) * (size_t)(block * block);
    for (size_t k = 0; k < mus_matrix_values(&p->a); ++k)
      p->a.value[k] = mus_random(11, k); // which single precision does not hold
    double *value = calloc(n, sizeof *value);
    float *value_f = calloc(n, sizeof *value_f);
    mus_instructions before = mus_instructions_current();
    for (int which = MUS_SCALAR; which < MUS_INSTRUCTION_SETS; ++which) {
      if (!mus_instructions_available((mus_instructions)which))
        continue;
      assert_int_equal(mus_instructions_use((mus_instructions)which), MUS_OK);
      mus_symmetric_fill_both(&p->a, &p->s, &p->s_f);
      if (which == MUS_SCALAR) {
        memcpy(value, p->s.value, n * sizeof *value);
        memcpy(value_f, p->s_f.value, n * sizeof *value_f);
      }
      assert_memory_equal(p->s.value, value, n * sizeof *value);
      assert_memory_equal(p->s_f.value, value_f, n * sizeof *value_f);
      memset(p->s_f.value, 0xff, n * sizeof *value_f);
      mus_symmetric_round(&p->s, &p->s_f);
      assert_memory_equal(p->s_f.value, value_f, n * sizeof *value_f);
    }
    assert_int_equal(mus_instructions_use(before), MUS_OK);
    free(value_f);
    free(value);
    destroy(p);
  }
}

// Where there are rows enough and few that lead out of chunks, it depends on the blocks.
static void it_pays_for_some_sizes(void **state) {
  (void)state;
  problem *p = banded(4200, 3, 5, near, 6), *few = banded(300, 3, 5, near, 6);
  for (int block = 1; block <= MUS_BLOCK_MAXIMUM; ++block) {
    mus_arena arena = {0};
    mus_symmetric_pattern plan;
    int pays;
    assert_int_equal(mus_symmetric_plan(&arena, &p->full, block, &plan, &pays), MUS_OK);
    assert_int_equal(pays, (block >= 2 && block <= 6) || block == 12);
    assert_int_equal(mus_symmetric_plan(&arena, &few->full, block, &plan, &pays), MUS_OK);
    assert_int_equal(pays, 0);
    mus_arena_clear(&arena);
  }
  destroy(p);
  destroy(few);
}

static void diagonals_are_needed(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_symmetric_pattern out;
  mus_pattern pattern = {2, 2, (int[]){0, 2, 3}, (int[]){0, 1, 0}};
  assert_int_equal(mus_symmetric_pattern_create(&arena, &pattern, 3, &out), MUS_BAD_INPUT);
  mus_arena_clear(&arena);
}

static void memory_runs_out(void **state) {
  (void)state;
  problem *p = banded(64, 3, 3, near, 5);
  mus_status status = MUS_OUT_OF_MEMORY;
  int n = 0;
  for (; status != MUS_OK && n < 100; ++n) {
    mus_arena arena = {0};
    mus_symmetric_pattern pattern;
    mus_symmetric s;
    mus_symmetric_f s_f;
    mus_memory_fail_after(n);
    status = mus_symmetric_pattern_create(&arena, &p->full, 3, &pattern);
    if (!status)
      status = mus_symmetric_create(&arena, &pattern, &s);
    if (!status)
      status = mus_symmetric_create_f(&arena, &pattern, &s_f);
    mus_memory_fail_after(-1);
    assert_true(status == MUS_OK || status == MUS_OUT_OF_MEMORY);
    mus_arena_clear(&arena);
  }
  assert_true(n > 1);
  destroy(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(small_matrices),
                                     cmocka_unit_test(every_block_size),
                                     cmocka_unit_test(across_chunks_and_beyond_the_ring),
                                     cmocka_unit_test(sheets),
                                     cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
                                     cmocka_unit_test(product_and_dot),
                                     cmocka_unit_test(filling),
                                     cmocka_unit_test(filling_is_the_same_with_all_instructions),
                                     cmocka_unit_test(it_pays_for_some_sizes),
                                     cmocka_unit_test(diagonals_are_needed),
                                     cmocka_unit_test(memory_runs_out)};
  return cmocka_run_group_tests(tests, open_pages, close_pages);
}
