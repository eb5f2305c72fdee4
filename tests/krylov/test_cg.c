// Conjugate gradients against dense solves; the stopping rules recomputed; PPCG, corrected and original MPCG compared.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "krylov/cg.h"
#include "par/par.h"
#include "par/vector.h"
#include "sheet_system.h"
#include "solve/constraints.h"
#include "support/dense.h"
#include "support/filtered.h"

enum { LIMIT = 2000 };

// Block-Jacobi, counting its applications.
typedef struct jacobi {
  int rows, block, applied;
  double *inverse;
} jacobi;

static void apply_jacobi(void *self, const double *r, double *z) {
  jacobi *j = self;
  ++j->applied;
  mus_block_diagonal_multiply(j->rows, j->block, 1, j->inverse, r, z);
}

static jacobi create_jacobi(mus_arena *arena, const mus_matrix *a, const int *place) {
  jacobi j = {.rows = a->pattern->rows, .block = a->row_block};
  j.inverse = mus_arena_alloc(arena, (size_t)(j.rows * j.block * j.block), sizeof *j.inverse);
  assert_non_null(j.inverse);
  assert_int_equal(mus_inverse_diagonal(a, place, j.inverse), MUS_OK);
  return j;
}

// A system with everything that a solve needs.
typedef struct bench {
  random_system system;
  jacobi jacobi;
  mus_preconditioner m;
  mus_cg_options options;
  mus_cg_result result;
  double *work, *x;
} bench;

static bench *create_bench(int rows, int block, uint64_t seed) {
  bench *t = calloc(1, sizeof *t);
  t->system = random_system_create(rows, block, seed);
  t->jacobi = create_jacobi(&t->system.arena, &t->system.a, t->system.place);
  t->m = (mus_preconditioner){.self = &t->jacobi, .apply = apply_jacobi};
  t->options = (mus_cg_options){.tolerance = 1e-13, .iterations = LIMIT, .stop = MUS_STOP_INITIAL};
  t->result.residuals = mus_arena_alloc(&t->system.arena, LIMIT + 1, sizeof(double));
  t->work = mus_arena_alloc(&t->system.arena, (size_t)(MUS_CG_VECTORS * t->system.n), sizeof(double));
  t->x = mus_arena_alloc_zero(&t->system.arena, (size_t)t->system.n, sizeof(double));
  assert_non_null(t->x);
  return t;
}

static void free_bench(bench *t) {
  random_system_free(&t->system);
  free(t);
}

static mus_status pcg(bench *t) {
  mus_block_operator matrix = {.a = &t->system.a};
  mus_operator a = mus_block_operator_view(&matrix);
  return mus_pcg(&a, NULL, &t->m, t->system.b, t->x, &t->options, t->work, &t->result);
}

// ||S(b - A x)||_{M^-1}, S = I where the filter is NULL
static double residual_norm(bench *t, const mus_filter *s, const double *b, const double *x) {
  size_t n = (size_t)t->system.n;
  double *r = malloc(n * sizeof *r), *z = malloc(n * sizeof *z);
  mus_residual(&t->system.a, b, x, r);
  if (s)
    mus_filter_apply(s, r);
  mus_block_diagonal_multiply(t->jacobi.rows, t->jacobi.block, 1, t->jacobi.inverse, r, z);
  double norm = sqrt(mus_dot(n, r, z));
  free(r);
  free(z);
  return norm;
}

static void assert_close(double value, double expected, double relative) {
  if (!(fabs(value - expected) <= relative * fabs(expected)))
    fail_msg("%.17g is not %.17g to %g", value, expected, relative);
}

// What the workspace held before does not matter.
static void stationary_iterations_start_from_any_workspace(void **state) {
  (void)state;
  bench *t = create_bench(25, 3, 1);
  mus_block_operator matrix = {.a = &t->system.a};
  mus_operator a = mus_block_operator_view(&matrix);
  t->options = (mus_cg_options){.tolerance = 0, .iterations = 3, .stop = MUS_STOP_INITIAL};
  for (int k = 0; k < MUS_CG_VECTORS * t->system.n; ++k)
    t->work[k] = NAN;
  assert_int_equal(mus_stationary(&a, NULL, &t->m, t->system.b, t->x, &t->options, t->work, &t->result),
                   MUS_NOT_CONVERGED);
  assert_true(isfinite(t->result.residuals[3]));
  free_bench(t);
}

// --- PCG ------------------------------------------------------------------------------------------------------------

static void agrees_with_a_dense_solve(void **state) {
  (void)state;
  for (int block = 1; block <= 6; ++block)
    for (uint64_t seed = 1; seed <= 10; ++seed) {
      bench *t = create_bench(25, block, seed);
      double expected[25 * 6], *a = dense_from_matrix(&t->system.a);
      dense_solve(t->system.n, a, t->system.b, expected);
      mus_fill_random((size_t)t->system.n, seed, t->x);
      assert_int_equal(pcg(t), MUS_OK);
      assert_true(dense_difference(t->system.n, t->x, expected) < 1e-10);
      free(a);
      free_bench(t);
    }
}

// The same preconditioner in single precision.
typedef struct jacobi_f {
  jacobi *inner;
  float *right, *z;
  double largest; // that it was given
} jacobi_f;

static const float *apply_jacobi_f(void *self) {
  jacobi_f *j = self;
  size_t n = (size_t)(j->inner->rows * j->inner->block);
  double *r = malloc(n * sizeof *r), *z = malloc(n * sizeof *z);
  mus_to_double(n, 1, j->right, r);
  j->largest = fmax(j->largest, mus_max_abs(n, r));
  apply_jacobi(j->inner, r, z);
  mus_to_float(n, 1, z, j->z);
  free(r), free(z);
  return j->z;
}

static void must_not_be_applied(void *self, const double *r, double *z) {
  (void)self, (void)r, (void)z;
  fail();
}

// Right-hand sides of any size, from 1e-100 up: what is rounded is scaled. Both ways to store the matrix.
static void single_precision_takes_as_many_iterations(void **state) {
  (void)state;
  for (int block = 1; block <= 6; ++block)
    for (int power = -100; power <= 100; power += 100) {
      bench *t = create_bench(60, block, 7);
      size_t n = (size_t)t->system.n;
      double *expected = malloc(n * sizeof *expected);
      mus_symmetric_pattern pattern;
      mus_symmetric symmetric;
      assert_int_equal(mus_symmetric_pattern_create(&t->system.arena, t->system.pattern, block, &pattern), MUS_OK);
      assert_int_equal(mus_symmetric_create(&t->system.arena, &pattern, &symmetric), MUS_OK);
      mus_symmetric_fill(&t->system.a, &symmetric);
      mus_scale(n, pow(10, power), t->system.b);
      t->options.tolerance = 1e-9;
      assert_int_equal(pcg(t), MUS_OK);
      int iterations = t->result.iterations;
      mus_copy(n, t->x, expected);
      jacobi_f single = {&t->jacobi, calloc(n, sizeof(float)), calloc(n, sizeof(float)), 0};
      t->m = (mus_preconditioner){
          .self = &single, .apply = must_not_be_applied, .right = single.right, .apply_f = apply_jacobi_f};
      mus_block_operator a = {.a = &t->system.a, .symmetric = &symmetric};
      mus_operator view = mus_block_operator_view(&a);
      mus_fill(n, 0, t->x);
      assert_int_equal(mus_pcg(&view, NULL, &t->m, t->system.b, t->x, &t->options, t->work, &t->result), MUS_OK);
      assert_true(abs(t->result.iterations - iterations) <= 1);
      assert_true(dense_difference((int)n, t->x, expected) < 1e-7);
      assert_true(single.largest > 0 && single.largest < 1e12);
      free(expected), free(single.right), free(single.z);
      free_bench(t);
    }
}

// The first norm at or below tolerance * reference ends it, none before; the norms are those of the iterates.
static void check_stop(bench *t, double reference) {
  const mus_cg_result *result = &t->result;
  double goal = t->options.tolerance * result->reference;
  assert_close(result->reference, reference, 1e-12);
  assert_true(result->iterations > 0);
  for (int i = 0; i < result->iterations; ++i)
    assert_true(result->residuals[i] > goal);
  assert_true(result->residuals[result->iterations] <= goal);
}

static void stops_exactly_by_the_rule(void **state) {
  (void)state;
  for (int stop = MUS_STOP_INITIAL; stop <= MUS_STOP_RHS; ++stop)
    for (uint64_t seed = 1; seed <= 10; ++seed) {
      bench *t = create_bench(30, 3, seed);
      size_t n = (size_t)t->system.n;
      double *guess = malloc(n * sizeof *guess), *zero = calloc(n, sizeof *zero);
      mus_fill_random(n, seed, guess);
      mus_copy(n, guess, t->x);
      t->options = (mus_cg_options){.tolerance = 1e-6, .iterations = LIMIT, .stop = (mus_stop)stop};
      assert_int_equal(pcg(t), MUS_OK);
      double first = residual_norm(t, NULL, t->system.b, guess), right = residual_norm(t, NULL, t->system.b, zero);
      assert_true(fabs(first - right) > 0.01 * right); // so that the two rules can be told apart
      check_stop(t, stop == MUS_STOP_INITIAL ? first : right);
      assert_close(t->result.residuals[0], first, 1e-12);
      // Each recorded norm is that of the iterate after so many iterations.
      for (int i = 1, last = t->result.iterations; i <= last; i += 7) {
        double recorded = t->result.residuals[i];
        t->options.iterations = i;
        mus_copy(n, guess, t->x);
        pcg(t);
        assert_int_equal(t->result.iterations, i);
        assert_close(residual_norm(t, NULL, t->system.b, t->x), recorded, 1e-8);
      }
      free(guess);
      free(zero);
      free_bench(t);
    }
}

static void right_hand_side_costs_one_more_application(void **state) {
  (void)state;
  bench *t = create_bench(20, 3, 1);
  t->options = (mus_cg_options){.tolerance = 1e-5, .iterations = LIMIT, .stop = MUS_STOP_RHS};
  assert_int_equal(pcg(t), MUS_OK);
  assert_int_equal(t->jacobi.applied, t->result.iterations + 1);
  mus_fill_random((size_t)t->system.n, 3, t->x);
  t->jacobi.applied = 0;
  assert_int_equal(pcg(t), MUS_OK);
  assert_int_equal(t->jacobi.applied, t->result.iterations + 2);
  free_bench(t);
}

static void good_guess_saves_iterations_against_the_right_hand_side(void **state) {
  (void)state;
  bench *t = create_bench(30, 3, 2);
  assert_int_equal(pcg(t), MUS_OK);
  for (int i = 0; i < t->system.n; ++i)
    t->x[i] *= 1 + 1e-4 * mus_random(5, (uint64_t)i);
  double *guess = malloc((size_t)t->system.n * sizeof *guess);
  mus_copy((size_t)t->system.n, t->x, guess);
  t->options = (mus_cg_options){.tolerance = 1e-5, .iterations = LIMIT, .stop = MUS_STOP_INITIAL};
  assert_int_equal(pcg(t), MUS_OK);
  int against_initial = t->result.iterations;
  mus_copy((size_t)t->system.n, guess, t->x);
  t->options.stop = MUS_STOP_RHS;
  assert_int_equal(pcg(t), MUS_OK);
  assert_true(t->result.iterations < against_initial);
  free(guess);
  free_bench(t);
}

static void nothing_to_do(void **state) {
  (void)state;
  for (int stop = MUS_STOP_INITIAL; stop <= MUS_STOP_RHS; ++stop) {
    bench *t = create_bench(10, 3, 1);
    t->options.stop = (mus_stop)stop;
    mus_fill((size_t)t->system.n, 0, t->system.b);
    assert_int_equal(pcg(t), MUS_OK); // b = 0 from zero
    assert_int_equal(t->result.iterations, 0);
    assert_true(t->result.residuals[0] == 0 && t->result.reference == 0);
    assert_true(mus_max_abs((size_t)t->system.n, t->x) == 0);
    // A guess whose residual is exactly zero, since integers do not round.
    for (size_t i = 0; i < mus_matrix_values(&t->system.a); ++i)
      t->system.a.value[i] = rint(t->system.a.value[i]);
    for (int i = 0; i < t->system.n; ++i)
      t->x[i] = i % 5 - 2;
    mus_multiply(&t->system.a, t->x, t->system.b);
    assert_int_equal(pcg(t), MUS_OK);
    assert_int_equal(t->result.iterations, 0);
    assert_true(t->result.residuals[0] == 0);
    for (int i = 0; i < t->system.n; ++i)
      assert_true(t->x[i] == i % 5 - 2);
    free_bench(t);
  }
}

static void zero_right_hand_side_from_a_guess(void **state) {
  (void)state;
  bench *t = create_bench(10, 3, 1);
  mus_fill((size_t)t->system.n, 0, t->system.b);
  mus_fill_random((size_t)t->system.n, 8, t->x);
  t->options.stop = MUS_STOP_RHS;
  assert_int_equal(pcg(t), MUS_OK);
  assert_true(mus_max_abs((size_t)t->system.n, t->x) == 0);
  assert_int_equal(t->result.iterations, 0);
  mus_fill_random((size_t)t->system.n, 8, t->x);
  t->options.stop = MUS_STOP_INITIAL;
  assert_int_equal(pcg(t), MUS_OK);
  assert_true(mus_max_abs((size_t)t->system.n, t->x) < 1e-10);
  assert_true(t->result.iterations > 0);
  free_bench(t);
}

static void limit_is_kept(void **state) {
  (void)state;
  bench *t = create_bench(30, 3, 4);
  double *zero = calloc((size_t)t->system.n, sizeof *zero);
  t->options = (mus_cg_options){.tolerance = 1e-10, .iterations = 5, .stop = MUS_STOP_INITIAL};
  assert_int_equal(pcg(t), MUS_NOT_CONVERGED);
  assert_int_equal(t->result.iterations, 5);
  assert_close(residual_norm(t, NULL, t->system.b, t->x), t->result.residuals[5], 1e-9);
  assert_non_null(strstr(mus_last_error(), "5 iterations"));
  t->options.iterations = 0;
  mus_fill((size_t)t->system.n, 0, t->x);
  assert_int_equal(pcg(t), MUS_NOT_CONVERGED);
  assert_int_equal(t->result.iterations, 0);
  assert_memory_equal(t->x, zero, (size_t)t->system.n * sizeof *zero);
  free(zero);
  free_bench(t);
}

// A tolerance that cannot be met neither breaks down nor spoils the solution.
// Whoever looks at the iterations now and then, and allows some more of them.
typedef struct onlooker {
  int looks, most, step;
} onlooker;

static int allow_more(void *self, const mus_cg_result *result) {
  onlooker *o = self;
  ++o->looks;
  assert_true(result->iterations > 0 && result->residuals[result->iterations] > 0);
  return result->iterations < o->most ? o->step : 0;
}

// The bits are those of iterations that nobody looks at, so conjugate gradients have not started anew.
static void extended_iterations_are_the_same(void **state) {
  (void)state;
  bench *whole = create_bench(60, 3, 5), *looked = create_bench(60, 3, 5);
  onlooker o = {.most = LIMIT, .step = 3};
  looked->options.iterations = 2;
  looked->options.extend = allow_more;
  looked->options.extender = &o;
  assert_int_equal(pcg(whole), MUS_OK);
  assert_true(whole->result.iterations > 8);
  assert_int_equal(pcg(looked), MUS_OK);
  assert_int_equal(looked->result.iterations, whole->result.iterations);
  assert_int_equal(o.looks, (whole->result.iterations - 2 + o.step - 1) / o.step);
  assert_memory_equal(looked->x, whole->x, (size_t)whole->system.n * sizeof *whole->x);
  free_bench(looked);
  looked = create_bench(60, 3, 5);
  o = (onlooker){.most = 5, .step = 3};
  looked->options = (mus_cg_options){
      .tolerance = 1e-13, .iterations = 2, .stop = MUS_STOP_INITIAL, .extend = allow_more, .extender = &o};
  assert_int_equal(pcg(looked), MUS_NOT_CONVERGED);
  assert_int_equal(looked->result.iterations, 5);
  assert_int_equal(o.looks, 2);
  free_bench(looked);
  free_bench(whole);
}

// Their norms are known later, so that nobody could judge.
static void estimates_of_errors_are_not_extended(void **state) {
  (void)state;
  bench *t = create_bench(60, 3, 5);
  onlooker o = {.most = LIMIT, .step = 3};
  t->options = (mus_cg_options){
      .tolerance = 1e-13, .iterations = 2, .stop = MUS_STOP_ENERGY, .extend = allow_more, .extender = &o};
  assert_int_equal(pcg(t), MUS_NOT_CONVERGED);
  assert_int_equal(o.looks, 0);
  free_bench(t);
}

static void tolerance_of_zero(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    bench *t = create_bench(20, 3, seed);
    double expected[60], *a = dense_from_matrix(&t->system.a);
    dense_solve(60, a, t->system.b, expected);
    t->options.tolerance = 0;
    mus_status status = pcg(t);
    assert_true(status == MUS_OK || status == MUS_NOT_CONVERGED);
    assert_true(status != MUS_OK || t->result.residuals[t->result.iterations] == 0);
    assert_true(dense_difference(60, t->x, expected) < 1e-11);
    free(a);
    free_bench(t);
  }
}

static void indefinite_matrix_breaks_down(void **state) {
  (void)state;
  bench *t = create_bench(15, 3, 6);
  // The preconditioner stays that of the positive definite matrix; one coupling outweighs its two diagonal blocks.
  int place = mus_pattern_find(t->system.pattern, 3, 4), back = mus_pattern_find(t->system.pattern, 4, 3);
  t->system.a.value[place * 9] = t->system.a.value[back * 9] = 1e4;
  assert_int_equal(pcg(t), MUS_BREAKDOWN);
  assert_non_null(strstr(mus_last_error(), "not positive definite"));
  for (int i = 0; i < t->system.n; ++i)
    assert_true(isfinite(t->x[i]));
  assert_close(residual_norm(t, NULL, t->system.b, t->x), t->result.residuals[t->result.iterations], 1e-8);
  free_bench(t);
}

static void negate(void *self, const double *r, double *z) {
  apply_jacobi(self, r, z);
  mus_scale((size_t)(((jacobi *)self)->rows * ((jacobi *)self)->block), -1, z);
}

static void annihilate(void *self, const double *r, double *z) {
  (void)r;
  mus_fill((size_t)(((jacobi *)self)->rows * ((jacobi *)self)->block), 0, z);
}

static void bad_preconditioners_break_down(void **state) {
  (void)state;
  bench *t = create_bench(15, 3, 6);
  t->m.apply = negate;
  assert_int_equal(pcg(t), MUS_BREAKDOWN);
  assert_non_null(strstr(mus_last_error(), "preconditioner"));
  t->m.apply = annihilate;
  assert_int_equal(pcg(t), MUS_BREAKDOWN);
  assert_true(mus_max_abs((size_t)t->system.n, t->x) == 0);
  free_bench(t);
}

static void not_a_number_breaks_down(void **state) {
  (void)state;
  bench *t = create_bench(15, 3, 6);
  size_t n = (size_t)t->system.n;
  double good = t->system.b[7], entry = t->system.a.value[20];
  for (int stop = MUS_STOP_INITIAL; stop <= MUS_STOP_RHS; ++stop) {
    t->options.stop = (mus_stop)stop;
    t->system.b[7] = NAN;
    mus_fill(n, 1, t->x);
    assert_int_equal(pcg(t), MUS_BREAKDOWN);
    for (size_t i = 0; i < n; ++i)
      assert_true(t->x[i] == 1);
    t->system.b[7] = INFINITY;
    assert_int_equal(pcg(t), MUS_BREAKDOWN);
    t->system.b[7] = good;
    t->x[3] = NAN;
    assert_int_equal(pcg(t), MUS_BREAKDOWN);
    t->system.a.value[20] = NAN;
    mus_fill(n, 0, t->x);
    assert_int_equal(pcg(t), MUS_BREAKDOWN);
    t->system.a.value[20] = entry;
  }
  free_bench(t);
}

// --- constraints: three ways to one answer --------------------------------------------------------------------------

// (S A S + scale (I - S)) y = S(b - A z), x = y + z (Tamstorf et al. 2015, eq. 7)
static mus_status ppcg(bench *t, const mus_filter *s, double *x) {
  random_system *system = &t->system;
  size_t n = (size_t)system->n;
  double *z = malloc(n * sizeof *z), *right = malloc(n * sizeof *right);
  mus_matrix filtered;
  assert_int_equal(mus_matrix_create(&system->arena, system->pattern, system->block, system->block, &filtered), MUS_OK);
  filtered_matrix(s, &system->a, system->place, mus_filter_scale(&system->a, system->place), &filtered);
  jacobi inner = create_jacobi(&system->arena, &filtered, system->place);
  mus_preconditioner m = {.self = &inner, .apply = apply_jacobi};
  mus_filter_target(s, z);
  mus_residual(&system->a, system->b, z, right);
  mus_filter_apply(s, right);
  mus_axpy(n, -1, z, x);
  mus_filter_apply(s, x);
  mus_block_operator matrix = {.a = &filtered};
  mus_operator a = mus_block_operator_view(&matrix);
  mus_status status = mus_pcg(&a, NULL, &m, right, x, &t->options, t->work, &t->result);
  mus_axpy(n, 1, z, x);
  free(z);
  free(right);
  return status;
}

static mus_status mpcg(bench *t, const mus_filter *s, int original, double *x) {
  mus_block_operator matrix = {.a = &t->system.a};
  mus_operator a = mus_block_operator_view(&matrix);
  mus_projection projection = mus_filter_view(s);
  return mus_mpcg(&a, &projection, &t->m, original, t->system.b, x, &t->options, t->work, &t->result);
}

static void check_constraints(int block, int count, const mus_constraint *constraint, const double *x) {
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < constraint[i].count; ++k) {
      double sum = 0, size = fabs(constraint[i].value[k]);
      for (int l = 0; l < block; ++l) {
        sum += constraint[i].direction[k][l] * x[constraint[i].node * block + l];
        size += fabs(constraint[i].direction[k][l] * x[constraint[i].node * block + l]);
      }
      assert_true(fabs(sum - constraint[i].value[k]) <= 1e-12 * size);
    }
}

// All ways against the dense null-space solution, from a random guess.
static void compare_ways(int rows, int block, uint64_t seed, int count, const mus_constraint *constraint) {
  bench *t = create_bench(rows, block, seed);
  int n = t->system.n;
  mus_filter filter;
  double *c, *d, *a = dense_from_matrix(&t->system.a), *expected = malloc((size_t)n * sizeof *expected);
  double *x = malloc((size_t)n * sizeof *x);
  assert_int_equal(mus_constraints_filter(&t->system.arena, rows, block, count, constraint, &filter), MUS_OK);
  int equations = constraint_equations(rows, block, count, constraint, &c, &d);
  dense_null_space_solve(n, a, t->system.b, equations, c, d, expected);
  for (int way = 0; way < 3; ++way) {
    mus_fill_random((size_t)n, seed + 5, x);
    assert_int_equal(way == 0 ? ppcg(t, &filter, x) : mpcg(t, &filter, way == 2, x), MUS_OK);
    if (!(dense_difference(n, x, expected) < 1e-10))
      fail_msg("way %d, block %d, seed %d: off by %g", way, block, (int)seed, dense_difference(n, x, expected));
    check_constraints(block, count, constraint, x);
  }
  free(a), free(c), free(d), free(expected), free(x);
  free_bench(t);
}

static void all_ways_give_the_null_space_solution(void **state) {
  (void)state;
  enum { ROWS = 24 };
  mus_constraint constraint[ROWS];
  for (int block = 1; block <= 3; ++block)
    for (uint64_t seed = 1; seed <= 30; ++seed)
      compare_ways(ROWS, block, seed, random_constraints(ROWS, block, seed, constraint), constraint);
}

// Each rank alone, on every node and on none.
static void every_rank_alone(void **state) {
  (void)state;
  enum { ROWS = 12 };
  mus_constraint constraint[ROWS];
  for (int rank = 0; rank <= 3; ++rank)
    for (int held = 0; held <= ROWS; held += 4) {
      memset(constraint, 0, sizeof constraint);
      for (int i = 0; i < held; ++i) {
        constraint[i].node = (i * 5) % ROWS;
        constraint[i].count = rank;
        for (int k = 0; k < 9; ++k) {
          constraint[i].direction[k / 3][k % 3] = mus_random(11, (uint64_t)(i * 9 + k));
          constraint[i].value[k % 3] = mus_random(12, (uint64_t)(i * 3 + k % 3));
        }
      }
      compare_ways(ROWS, 3, 40 + (uint64_t)rank, held, constraint);
    }
}

static void stops_of_mpcg_are_the_papers(void **state) {
  (void)state;
  enum { ROWS = 24 };
  for (int original = 0; original <= 1; ++original)
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      bench *t = create_bench(ROWS, 3, seed);
      size_t n = (size_t)t->system.n;
      double guess[ROWS * 3], z[ROWS * 3], zero[ROWS * 3] = {0}, start[ROWS * 3];
      mus_constraint constraint[ROWS];
      mus_filter filter;
      int count = random_constraints(ROWS, 3, seed, constraint);
      assert_int_equal(mus_constraints_filter(&t->system.arena, ROWS, 3, count, constraint, &filter), MUS_OK);
      mus_filter_target(&filter, z);
      mus_fill_random(n, seed, guess);
      mus_copy(n, guess, start);
      mus_filter_impose(&filter, start);
      mus_copy(n, guess, t->x);
      t->options = (mus_cg_options){.tolerance = 1e-6, .iterations = LIMIT, .stop = MUS_STOP_INITIAL};
      assert_int_equal(mpcg(t, &filter, original, t->x), MUS_OK);
      check_stop(t, residual_norm(t, &filter, t->system.b, original ? zero : z));
      assert_close(t->result.residuals[0], residual_norm(t, &filter, t->system.b, original ? z : start), 1e-11);
      free_bench(t);
    }
}

// With b = 0 the original form has nothing to compare with, and the corrected one may have nothing to solve.
static void mpcg_with_zero_right_hand_side(void **state) {
  (void)state;
  bench *t = create_bench(10, 3, 3);
  size_t n = (size_t)t->system.n;
  mus_constraint held = {.node = 4, .count = 3, .direction = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .value = {0, 0, 0}};
  mus_filter filter;
  mus_fill(n, 0, t->system.b);
  assert_int_equal(mus_constraints_filter(&t->system.arena, 10, 3, 1, &held, &filter), MUS_OK);
  mus_fill_random(n, 1, t->x);
  assert_int_equal(mpcg(t, &filter, 0, t->x), MUS_OK);
  assert_true(mus_max_abs(n, t->x) == 0);
  held.value[1] = 1;
  assert_int_equal(mus_constraints_filter(&t->system.arena, 10, 3, 1, &held, &filter), MUS_OK);
  double other[30];
  mus_fill(n, 0, t->x);
  assert_int_equal(mpcg(t, &filter, 0, t->x), MUS_OK);
  assert_int_equal(mpcg(t, &filter, 1, other), MUS_OK); // does not read its guess
  assert_true(t->result.iterations > 0 && t->result.iterations < LIMIT);
  assert_true(dense_difference(30, other, t->x) < 1e-10);
  assert_true(t->x[13] == 1 && fabs(t->x[0]) > 0);
  free_bench(t);
}

static void mpcg_breaks_down_too(void **state) {
  (void)state;
  bench *t = create_bench(15, 3, 6);
  mus_constraint constraint[15];
  mus_filter filter;
  int count = random_constraints(15, 3, 2, constraint);
  assert_int_equal(mus_constraints_filter(&t->system.arena, 15, 3, count, constraint, &filter), MUS_OK);
  for (int original = 0; original <= 1; ++original) {
    mus_fill(45, 0, t->x);
    t->system.b[5] = NAN;
    assert_int_equal(mpcg(t, &filter, original, t->x), MUS_BREAKDOWN);
    t->system.b[5] = 1;
    mus_scale(mus_matrix_values(&t->system.a), -1, t->system.a.value);
    assert_int_equal(mpcg(t, &filter, original, t->x), MUS_BREAKDOWN);
    mus_scale(mus_matrix_values(&t->system.a), -1, t->system.a.value);
  }
  free_bench(t);
}

// --- the moving-corners experiment of Ascher and Boxerman, section 5 ------------------------------------------------

typedef struct motion {
  sheet_system sheet;
  size_t n;
  int *place;
  double *velocity, *change, *b, *work; // the unknowns are changes of velocity
  mus_cg_result result;
} motion;

static motion create_motion(void) {
  motion o = {0};
  sheet_options options = sheet_default_options();
  options.side = 15;
  options.damping = 0.01;
  options.boundary = SHEET_FREE;
  options.wave = 0;
  assert_int_equal(sheet_system_create(&options, &o.sheet), MUS_OK);
  o.n = (size_t)o.sheet.rows * 3;
  o.place = mus_arena_alloc(&o.sheet.arena, (size_t)o.sheet.rows, sizeof *o.place);
  o.velocity = mus_arena_alloc_zero(&o.sheet.arena, o.n, sizeof(double));
  o.change = mus_arena_alloc_zero(&o.sheet.arena, o.n, sizeof(double));
  o.b = mus_arena_alloc(&o.sheet.arena, o.n, sizeof(double));
  o.work = mus_arena_alloc(&o.sheet.arena, MUS_CG_VECTORS * o.n, sizeof(double));
  o.result.residuals = mus_arena_alloc(&o.sheet.arena, LIMIT + 1, sizeof(double));
  assert_non_null(o.result.residuals);
  assert_int_equal(mus_diagonal_places(o.sheet.pattern, o.place), MUS_OK);
  return o;
}

// The matrix of the current state and the right-hand side h (f + m g + damping (df/dx) v + h (df/dx) v), which is
// b + M v - A v since A = M + (h damping + h^2) K.
static void assemble_step(motion *o) {
  assert_int_equal(sheet_system_assemble(&o->sheet), MUS_OK);
  mus_residual(&o->sheet.a, o->sheet.b, o->velocity, o->b);
  for (size_t i = 0; i < o->n; ++i)
    o->b[i] += o->sheet.mass[i / 3] * o->velocity[i];
}

// All four corners swing up and down together.
static mus_filter hold_corners(motion *o, double time) {
  int side = o->sheet.options.side, corner[4] = {0, side - 1, side * (side - 1), side * side - 1};
  double amplitude = 0.05, omega = 20;
  mus_constraint held[4];
  mus_filter filter;
  for (int k = 0; k < 4; ++k) {
    held[k] = (mus_constraint){corner[k], 3, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
    held[k].value[1] = amplitude * omega * sin(omega * time) - o->velocity[corner[k] * 3 + 1];
  }
  assert_int_equal(mus_constraints_filter(&o->sheet.arena, o->sheet.rows, 3, 4, held, &filter), MUS_OK);
  return filter;
}

// Each step is warm started with the step before. Returns the iterations of all steps.
static int run_motion(int original, int steps, double tolerance) {
  motion o = create_motion();
  mus_cg_options options = {.tolerance = tolerance, .iterations = LIMIT, .stop = MUS_STOP_INITIAL};
  double h = o.sheet.options.time_step;
  int total = 0;
  for (int step = 1; step <= steps; ++step) {
    mus_arena_mark mark = mus_arena_here(&o.sheet.arena);
    assemble_step(&o);
    mus_filter filter = hold_corners(&o, h * step);
    jacobi block_jacobi = create_jacobi(&o.sheet.arena, &o.sheet.a, o.place);
    mus_preconditioner m = {.self = &block_jacobi, .apply = apply_jacobi};
    mus_block_operator matrix = {.a = &o.sheet.a};
    mus_operator a = mus_block_operator_view(&matrix);
    mus_projection s = mus_filter_view(&filter);
    assert_int_equal(mus_mpcg(&a, &s, &m, original, o.b, o.change, &options, o.work, &o.result), MUS_OK);
    total += o.result.iterations;
    mus_axpy(o.n, 1, o.change, o.velocity);
    mus_axpy(o.n, h, o.velocity, o.sheet.position);
    mus_arena_rewind(&o.sheet.arena, mark);
  }
  sheet_system_free(&o.sheet);
  return total;
}

static void correction_saves_iterations_when_constraints_move(void **state) {
  (void)state;
  enum { STEPS = 40 };
  for (double tolerance = 1e-2; tolerance > 5e-4; tolerance /= 10) {
    int original = run_motion(1, STEPS, tolerance), corrected = run_motion(0, STEPS, tolerance);
    print_message("tolerance %g: original %.1f iterations a step, corrected %.1f\n", tolerance,
                  original / (double)STEPS, corrected / (double)STEPS);
    assert_true(corrected < original);
  }
}

// --- threads --------------------------------------------------------------------------------------------------------

static void same_bits_for_any_number_of_threads(void **state) {
  (void)state;
  sheet_options options = sheet_default_options();
  sheet_system sheet;
  options.side = 51; // sums of 7803 numbers are taken in two runs
  assert_int_equal(sheet_system_create(&options, &sheet), MUS_OK);
  size_t n = (size_t)sheet.rows * 3;
  mus_filter filter;
  int *place = mus_arena_alloc(&sheet.arena, (size_t)sheet.rows, sizeof *place);
  double *work = mus_arena_alloc(&sheet.arena, MUS_CG_VECTORS * n, sizeof *work);
  assert_int_equal(
      mus_constraints_filter(&sheet.arena, sheet.rows, 3, sheet.constraint_count, sheet.constraint, &filter), MUS_OK);
  assert_int_equal(mus_diagonal_places(sheet.pattern, place), MUS_OK);
  jacobi block_jacobi = create_jacobi(&sheet.arena, &sheet.a, place);
  mus_preconditioner m = {.self = &block_jacobi, .apply = apply_jacobi};
  mus_cg_options cg = {.tolerance = 1e-5, .iterations = 20, .stop = MUS_STOP_INITIAL};
  mus_block_operator matrix = {.a = &sheet.a};
  mus_operator a = mus_block_operator_view(&matrix);
  mus_projection s = mus_filter_view(&filter);
  for (int way = 0; way < 3; ++way) {
    double *x[3];
    mus_cg_result result[3];
    for (int k = 0; k < 3; ++k) {
      mus_par_set_threads((int[]){1, 2, 7}[k]);
      x[k] = mus_arena_alloc_zero(&sheet.arena, n, sizeof(double));
      result[k].residuals = mus_arena_alloc(&sheet.arena, LIMIT + 1, sizeof(double));
      mus_status status = way == 2 ? mus_pcg(&a, NULL, &m, sheet.b, x[k], &cg, work, &result[k])
                                   : mus_mpcg(&a, &s, &m, way, sheet.b, x[k], &cg, work, &result[k]);
      assert_int_equal(status, MUS_NOT_CONVERGED); // the limit keeps the test short
      assert_int_equal(result[k].iterations, result[0].iterations);
      assert_memory_equal(result[k].residuals, result[0].residuals,
                          (size_t)(result[0].iterations + 1) * sizeof(double));
      assert_memory_equal(x[k], x[0], n * sizeof(double));
    }
  }
  mus_par_set_threads(0);
  sheet_system_free(&sheet);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(agrees_with_a_dense_solve),
      cmocka_unit_test(single_precision_takes_as_many_iterations),
      cmocka_unit_test(stationary_iterations_start_from_any_workspace),
      cmocka_unit_test(stops_exactly_by_the_rule),
      cmocka_unit_test(right_hand_side_costs_one_more_application),
      cmocka_unit_test(good_guess_saves_iterations_against_the_right_hand_side),
      cmocka_unit_test(nothing_to_do),
      cmocka_unit_test(zero_right_hand_side_from_a_guess),
      cmocka_unit_test(limit_is_kept),
      cmocka_unit_test(extended_iterations_are_the_same),
      cmocka_unit_test(estimates_of_errors_are_not_extended),
      cmocka_unit_test(tolerance_of_zero),
      cmocka_unit_test(indefinite_matrix_breaks_down),
      cmocka_unit_test(bad_preconditioners_break_down),
      cmocka_unit_test(not_a_number_breaks_down),
      cmocka_unit_test(all_ways_give_the_null_space_solution),
      cmocka_unit_test(every_rank_alone),
      cmocka_unit_test(stops_of_mpcg_are_the_papers),
      cmocka_unit_test(mpcg_with_zero_right_hand_side),
      cmocka_unit_test(mpcg_breaks_down_too),
      cmocka_unit_test(correction_saves_iterations_when_constraints_move),
      cmocka_unit_test(same_bits_for_any_number_of_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
