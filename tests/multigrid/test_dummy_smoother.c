// A smoother of another kind, in this one file: block Gauss-Seidel, forward before the coarse correction and backward
// after it. It reads the rows of the matrix, has no state and asks for no spectral radius. Nothing outside this file
// knows of it.
//
// The file includes itself for both precisions: the part where REAL is defined is the template.
#ifdef REAL

// Row i of x <- x + D^-1 (b - A x), with `beyond` the first row of what lies beyond the pattern that is not before i.
static void NAME(relax)(const TYPE(mus_level_system) *level, int i, int beyond, const REAL *b, REAL *x) {
  int block = level->a.row_block, size = block * block;
  const mus_pattern *p = level->a.pattern;
  const TYPE(mus_beyond) *c = level->beyond;
  REAL residual[MUS_BLOCK_MAXIMUM];
  memcpy(residual, b + i * block, (size_t)block * sizeof *residual);
  for (int k = p->row_start[i]; k < p->row_start[i + 1]; ++k)
    for (int e = 0; e < size; ++e)
      residual[e / block] -= level->a.value[k * size + e] * x[p->column[k] * block + e % block];
  if (c && beyond < c->count && c->node[beyond] == i)
    for (int k = c->pattern.row_start[beyond]; k < c->pattern.row_start[beyond + 1]; ++k)
      for (int e = 0; e < size; ++e)
        residual[e / block] -= c->value[k * size + e] * x[c->pattern.column[k] * block + e % block];
  for (int e = 0; e < size; ++e)
    x[i * block + e / block] += level->inverse_diagonal[i * size + e] * residual[e % block];
}

static mus_status NAME(create)(const mus_multigrid_options *options, const TYPE(mus_level_system) *level,
                               mus_arena *arena, void **state) {
  (void)options, (void)arena, (void)state;
  return level->a.value && level->radius >= 0 ? MUS_OK : MUS_BAD_INPUT; // rows were asked for
}

static void NAME(forward)(const void *state, const TYPE(mus_level_system) *level, const REAL *b, REAL **x,
                          REAL **other) {
  (void)state, (void)other;
  int rows = level->a.pattern->rows, beyond = 0;
  memset(*x, 0, (size_t)(rows * level->a.row_block) * sizeof **x);
  for (int i = 0; i < rows; ++i) {
    beyond += level->beyond && beyond < level->beyond->count && level->beyond->node[beyond] < i;
    NAME(relax)(level, i, beyond, b, *x);
  }
}

static void NAME(backward)(const void *state, const TYPE(mus_level_system) *level, const REAL *b, REAL **x,
                           REAL **other) {
  (void)state, (void)other;
  int beyond = level->beyond ? level->beyond->count : 0;
  for (int i = level->a.pattern->rows - 1; i >= 0; --i) {
    beyond -= beyond > 0 && level->beyond->node[beyond - 1] >= i;
    NAME(relax)(level, i, beyond, b, *x);
  }
}

#else

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "krylov/cg.h"
#include "par/vector.h"
#include "support/smoothed.h"

#define TEMPLATE "multigrid/test_dummy_smoother.c"
#include "base/both_precisions.h"

static double passes(const mus_multigrid_options *options, int from_zero) {
  (void)options, (void)from_zero;
  return 1;
}

static const mus_smoother gauss_seidel = {
    .name = "gauss-seidel",
    .reads_rows = 1,
    .passes = passes,
    .in_double = {.create = create, .pre = forward, .post = backward},
    .in_single = {.create = create_f, .pre = forward_f, .post = backward_f},
};

// --- a hierarchy with it ---------------------------------------------------------------------------------------------

static void apply(void *self, const double *r, double *z) { mus_hierarchy_apply(self, r, z); }

static int iterations(mus_hierarchy *h, const problem *p, const mus_beyond *beyond) {
  enum { LIMIT = 100 };
  mus_preconditioner m = {.self = h, .apply = apply};
  mus_cg_options options = {.tolerance = 1e-8, .iterations = LIMIT, .stop = MUS_STOP_INITIAL};
  double *work = mus_alloc((size_t)(MUS_CG_VECTORS * p->n), sizeof *work), *x = mus_alloc_zero((size_t)p->n, sizeof *x);
  mus_cg_result result = {.residuals = mus_alloc(LIMIT + 1, sizeof(double))};
  mus_block_operator system = {.a = &p->a, .beyond = beyond};
  mus_operator a = mus_block_operator_view(&system);
  assert_int_equal(mus_pcg(&a, NULL, &m, p->b, x, &options, work, &result), MUS_OK);
  mus_free(work), mus_free(x), mus_free(result.residuals);
  return result.iterations;
}

static void its_cycle_is_symmetric_and_definite_and_converges(void **state) {
  (void)state;
  problem p = problem_poisson(24, 3);
  for (int precision = MUS_PRECISION_DOUBLE; precision <= MUS_PRECISION_SINGLE; ++precision) {
    smoothed s = smoothed_create(&p, &gauss_seidel, NULL, (mus_precision)precision);
    expect_symmetric_and_definite(s.hierarchy, p.n, (mus_precision)precision);
    assert_in_range(iterations(s.hierarchy, &p, NULL), 2, 20);
    for (size_t k = 0; k < mus_matrix_values(&p.a); ++k) // a matrix that has changed, with the prolongators of the old
      p.a.value[k] *= 2;
    assert_int_equal(mus_hierarchy_renew(s.hierarchy, &p.a, NULL), MUS_OK);
    expect_symmetric_and_definite(s.hierarchy, p.n, (mus_precision)precision);
    assert_in_range(iterations(s.hierarchy, &p, NULL), 2, 20);
    smoothed_free(&s);
  }
  problem_free(&p);
}

// A spring between two far corners.
static int corners(const void *self, int term, const int **node) {
  (void)term;
  *node = self;
  return 2;
}

static void spring(const void *self, int term, int i, int j, double *out) {
  (void)self, (void)term;
  for (int e = 0; e < 9; ++e)
    out[e] = e % 4 == 0 ? (i == j ? 5 : -5) : 0;
}

static void it_takes_what_lies_beyond_the_pattern(void **state) {
  (void)state;
  problem p = problem_poisson(24, 3);
  int ends[] = {0, p.rows - 1};
  mus_arena arena = {0};
  mus_beyond beyond;
  mus_terms terms = {1, ends, corners, spring};
  assert_int_equal(mus_beyond_create(&arena, p.rows, 3, &terms, &beyond), MUS_OK);
  for (int precision = MUS_PRECISION_DOUBLE; precision <= MUS_PRECISION_SINGLE; ++precision) {
    smoothed s = smoothed_create(&p, &gauss_seidel, NULL, (mus_precision)precision);
    assert_int_equal(mus_hierarchy_couple(s.hierarchy, &p.a, &beyond), MUS_OK);
    expect_symmetric_and_definite(s.hierarchy, p.n, (mus_precision)precision);
    assert_in_range(iterations(s.hierarchy, &p, &beyond), 2, 20);
    smoothed_free(&s);
  }
  mus_arena_clear(&arena);
  problem_free(&p);
}

// And no other in its place.
static void it_is_what_smooths(void **state) {
  (void)state;
  problem p = problem_poisson(24, 3);
  smoothed with = smoothed_create(&p, &gauss_seidel, NULL, MUS_PRECISION_DOUBLE),
           without = smoothed_create(&p, NULL, NULL, MUS_PRECISION_DOUBLE);
  double *z = mus_alloc(2 * (size_t)p.n, sizeof *z);
  mus_hierarchy_apply(with.hierarchy, p.b, z);
  mus_hierarchy_apply(without.hierarchy, p.b, z + p.n);
  assert_memory_not_equal(z, z + p.n, (size_t)p.n * sizeof *z);
  mus_solve_record record;
  mus_hierarchy_report(with.hierarchy, &record);
  assert_int_equal(record.level[0].numbers, 2); // the coarsening's: this smoother has nothing to tell
  mus_free(z);
  smoothed_free(&with), smoothed_free(&without);
  problem_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(its_cycle_is_symmetric_and_definite_and_converges),
      cmocka_unit_test(it_takes_what_lies_beyond_the_pattern),
      cmocka_unit_test(it_is_what_smooths),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
