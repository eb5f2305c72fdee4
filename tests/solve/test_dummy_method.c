// A linear method that is in no list: all of it is in this file, and nothing else knows of it.
//
// Steepest descent, x += (r.r / r.Ar) r, on a copy of the matrix that it keeps for itself, as a method on a device
// would. docs/developing.md shows it as an example of how to add one.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/timer.h"
#include "par/vector.h"
#include "solve/run.h"
#include "support/given.h"

typedef struct descent {
  mus_system *system;
  mus_arena arena;
  mus_matrix copy; // of the filtered matrix
  int is_stale;
  int fetched; // how often it was copied, for the tests
} descent;

static descent *latest; // for the tests to look into

static mus_status create(const mus_solver_options *options, mus_system *system, void **self) {
  (void)options;
  descent *d = mus_alloc_zero(1, sizeof *d);
  if (!d)
    return mus_fail_memory();
  *d = (descent){.system = system, .is_stale = 1};
  *self = latest = d;
  return MUS_OK;
}

static void destroy(void *self) {
  descent *d = self;
  mus_arena_clear(&d->arena);
  mus_free(d);
}

static void changed(void *self, unsigned what) {
  descent *d = self;
  if (what & (MUS_CHANGED_VALUES | MUS_CHANGED_CONSTRAINTS))
    d->is_stale = 1;
}

static size_t bytes(const void *self) {
  const descent *d = self;
  return sizeof *d + d->arena.bytes;
}

// Brings the copy up to date with the filtered matrix.
static mus_status fetch(descent *d) {
  const mus_matrix *a = &d->system->a;
  if (!d->is_stale)
    return MUS_OK;
  mus_status status =
      d->copy.value ? MUS_OK : mus_matrix_create(&d->arena, a->pattern, a->row_block, a->row_block, &d->copy);
  if (status)
    return status;
  mus_copy(mus_matrix_values(a), a->value, d->copy.value);
  d->is_stale = 0;
  ++d->fetched;
  return MUS_OK;
}

// r = S(b - Ax), its norm to the history
static double residual(const mus_block_operator *a, const mus_system *system, double *r, double *norm) {
  size_t n = mus_system_unknowns(system);
  mus_block_operator_residual(a, system->right, system->solution, r);
  mus_filter_apply(&system->filter, r);
  double square = mus_dot(n, r, r);
  *norm = sqrt(square);
  return square;
}

static mus_status descend(const descent *d, const mus_cg_options *limits, mus_cg_result *result) {
  const mus_system *system = d->system;
  size_t n = mus_system_unknowns(system);
  double *r = system->work, *ar = system->work + n;
  mus_block_operator a = mus_system_now(system); // with couplings
  a.a = &d->copy;
  double square = residual(&a, system, r, &result->residuals[0]);
  result->reference = result->residuals[0];
  while (result->residuals[result->iterations] > limits->tolerance * result->reference) {
    if (result->iterations == limits->iterations)
      return mus_fail(MUS_NOT_CONVERGED, "steepest descent has not converged in %d iterations", limits->iterations);
    double curvature = mus_block_operator_multiply_dot(&a, r, ar);
    if (!(curvature > 0))
      return mus_fail(MUS_BREAKDOWN, "r.Ar = %g: the matrix is not positive definite", curvature);
    mus_axpy(n, square / curvature, r, system->solution);
    square = residual(&a, system, r, &result->residuals[++result->iterations]);
  }
  return MUS_OK;
}

static mus_status solve(void *self, mus_run *run, const mus_cg_options *limits) {
  descent *d = self;
  mus_run_prefilter(run);
  double begin = mus_seconds();
  mus_status status = fetch(d);
  run->record->setup_seconds += mus_seconds() - begin;
  if (status)
    return status;
  mus_cg_result result = {.residuals = mus_run_residuals(run)};
  begin = mus_seconds();
  status = descend(d, limits, &result);
  mus_run_keep(run, status, &result, 0);
  run->record->solve_seconds += mus_seconds() - begin;
  return status;
}

static const mus_method_kind steepest_descent = {.name = "descent",
                                                 .is_prefiltered = 1,
                                                 .create = create,
                                                 .free = destroy,
                                                 .changed = changed,
                                                 .solve = solve,
                                                 .bytes = bytes};

// --- tests -----------------------------------------------------------------------------------------------------------

enum { ROWS = 12, N = 3 * ROWS };

static mus_solver *make(const given *g, double tolerance, int iterations) {
  mus_solver *solver = NULL;
  mus_solver_options options = given_options(MUS_METHOD_SA, tolerance);
  options.iterations = iterations;
  assert_int_equal(mus_solver_create_with(&options, &steepest_descent, &solver), MUS_OK);
  assert_int_equal(mus_solver_set_pattern(solver, g->rows, g->block, g->row_start, g->column), MUS_OK);
  assert_int_equal(mus_solver_set_values(solver, g->values), MUS_OK);
  assert_int_equal(mus_solver_set_constraints(solver, g->count, g->constraint), MUS_OK);
  assert_int_equal(mus_solver_set_couplings(solver, g->coupling_count, g->coupling), MUS_OK);
  assert_int_equal(mus_solver_set_equalities(solver, g->equality_count, g->equality), MUS_OK);
  return solver;
}

static const mus_constraint held[] = {{.node = 2, .count = 1, .direction = {{1, 2, 0}}, .value = {0.3}},
                                      {.node = 7, .count = 2, .direction = {{0, 0, 1}, {1, 0, 0}}, .value = {1, -1}}};
static const int ends[] = {0, 9};
static const double apart[] = {1, -1};
static const mus_coupling spring = {2, ends, apart, {2, 0, 0, 0, 2, 0, 0, 0, 2}};
static const mus_equality tie = {2, {4, 10}, {{0, 1, 0}, {0, -1, 0}}, 0.25};

static void a_method_of_its_own_solves_what_all_others_do(void **state) {
  (void)state;
  random_system system = random_system_create(ROWS, 3, 11);
  given g = given_random(&system);
  for (int with = 0; with < 4; ++with) {
    g.count = with > 0 ? 2 : 0;
    g.constraint = held;
    g.coupling_count = with > 1;
    g.coupling = &spring;
    g.equality_count = with > 2;
    g.equality = &tie;
    double *reference = given_reference(&g);
    mus_solver *solver = make(&g, 1e-10, 100000);
    expect_solution(solver, &g, reference, 1e-6);
    const mus_solve_record *record = mus_solver_record(solver);
    assert_true(record->iterations > 3 && record->true_residual < 1e-9);
    assert_true(record->residuals[record->iterations] <= 1e-10 * record->reference);
    assert_int_equal(record->method, MUS_METHODS);
    assert_int_equal(record->levels, 0);
    assert_true(record->bytes > (size_t)g.row_start[ROWS] * 9 * 2 * sizeof(double)); // the matrix and its copy
    mus_solver_free(solver);
    free(reference);
  }
  random_system_free(&system);
}

// The matrix is fetched when values or constraints have changed, and not otherwise.
static void it_is_told_what_changes(void **state) {
  (void)state;
  random_system system = random_system_create(ROWS, 3, 12);
  given g = given_random(&system);
  double x[N], doubled[N], *values = NULL;
  mus_solver *solver = make(&g, 1e-11, 100000);
  given_solve(solver, &g, x);
  given_solve(solver, &g, x);
  assert_int_equal(latest->fetched, 1);
  assert_int_equal(mus_solver_map_values(solver, &values), MUS_OK);
  for (size_t k = 0; k < (size_t)g.row_start[ROWS] * 9; ++k)
    values[k] *= 2;
  assert_int_equal(mus_solver_unmap_values(solver), MUS_OK);
  given_solve(solver, &g, doubled);
  assert_int_equal(latest->fetched, 2);
  for (int k = 0; k < N; ++k)
    assert_true(fabs(2 * doubled[k] - x[k]) < 1e-7);
  assert_int_equal(mus_solver_set_couplings(solver, 1, &spring), MUS_OK);
  given_solve(solver, &g, doubled);
  assert_int_equal(latest->fetched, 2);
  assert_int_equal(mus_solver_set_constraints(solver, 1, held), MUS_OK);
  given_solve(solver, &g, doubled);
  assert_int_equal(latest->fetched, 3);
  mus_solver_free(solver);
  random_system_free(&system);
}

static void its_failures_are_told_like_others(void **state) {
  (void)state;
  random_system system = random_system_create(ROWS, 3, 13);
  given g = given_random(&system);
  double x[N] = {0};
  mus_solver *solver = make(&g, 1e-12, 2);
  expect_status(MUS_NOT_CONVERGED, "in 2 iterations", mus_solver_solve(solver, g.b, x));
  assert_int_equal(mus_solver_record(solver)->iterations, 2);
  assert_true(mus_max_abs(N, x) > 0);
  char text[128] = "";
  FILE *file = fmemopen(text, sizeof text, "w");
  mus_solve_record_print_levels(mus_solver_record(solver), file);
  fclose(file);
  assert_non_null(strstr(text, "this method has one level only"));
  mus_solver_free(solver);
  random_system_free(&system);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_method_of_its_own_solves_what_all_others_do),
      cmocka_unit_test(it_is_told_what_changes),
      cmocka_unit_test(its_failures_are_told_like_others),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
