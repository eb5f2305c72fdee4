// Galerkin multigrid in skinning space: the right solutions, the levels that were asked for, what handles in a plane
// lose, and cycles without conjugate gradients.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/given.h"

static mus_solver_options skinning(const char *levels, const char *smoother) {
  mus_solver_options options = mus_preset_solver_options(MUS_PRESET_ROBUST);
  options.method = MUS_METHOD_SKINNING;
  options.multigrid.cycle = MUS_CYCLE_V;
  strcpy(options.multigrid.smoother, smoother);
  if (levels)
    strcpy(options.skinning.levels, levels);
  return options;
}

static mus_solve_record solved(const given *g, const mus_solver_options *options, double *x) {
  mus_solver *solver = given_solver(g, options);
  given_solve(solver, g, x);
  mus_solve_record record = *mus_solver_record(solver);
  mus_solver_free(solver);
  return record;
}

static sheet_system cloth(int side, double wave, sheet_boundary boundary) {
  sheet_options options = sheet_default_options();
  options.side = side;
  options.wave = wave;
  options.boundary = boundary;
  sheet_system sheet;
  assert_int_equal(sheet_system_create(&options, &sheet), MUS_OK);
  return sheet;
}

static void levels_are_those_that_were_asked_for(void **state) {
  (void)state;
  sheet_system sheet = cloth(30, 0.05, SHEET_DROOPING);
  given g = given_sheet(&sheet);
  double *x = calloc((size_t)g.n, sizeof *x);
  const char *smoothers[] = {"gs:3", "jacobi:5", "chebyshev:2", "jacobi:10/gs:1"};
  for (size_t k = 0; k < sizeof smoothers / sizeof *smoothers; ++k) {
    mus_solver_options options = skinning("4/20/100/all", smoothers[k]);
    mus_solve_record record = solved(&g, &options, x);
    const int rows[] = {900, 100, 20, 4};
    assert_int_equal(record.levels, 4);
    for (int l = 0; l < 4; ++l) {
      assert_int_equal(record.level[l].rows, rows[l]);
      assert_int_equal(record.level[l].block, l == 0 ? 3 : 12);
    }
    assert_in_range(record.iterations, 2, 40);
    assert_true(record.true_residual < 1e-4);
  }
  free(x);
  sheet_system_free(&sheet);
}

// Handles of a flat sheet move in two dimensions: of 12 unknowns, the three that grow along its normal go.
static void handles_in_a_plane_lose_three_unknowns(void **state) {
  (void)state;
  for (int flat = 0; flat < 2; ++flat) {
    sheet_system sheet = cloth(30, flat ? 0 : 0.05, SHEET_FREE);
    given g = given_sheet(&sheet);
    double *x = calloc((size_t)g.n, sizeof *x);
    mus_solver_options options = skinning("4/20/all", "gs:3");
    mus_solve_record record = solved(&g, &options, x);
    assert_int_equal(record.level[1].dropped, flat ? 3 * 20 : 0);
    assert_int_equal(record.level[2].dropped, flat ? 3 * 4 : 0);
    free(x);
    sheet_system_free(&sheet);
  }
}

// Cycles alone find the same solution, each by a factor that is the same for all after the first few.
static void cycles_converge_alone(void **state) {
  (void)state;
  sheet_system sheet = cloth(30, 0.05, SHEET_DROOPING);
  given g = given_sheet(&sheet);
  double *x = calloc((size_t)g.n, sizeof *x), *y = calloc((size_t)g.n, sizeof *y), largest = 0;
  for (int precision = MUS_PRECISION_DOUBLE; precision <= MUS_PRECISION_SINGLE; ++precision) {
    mus_solver_options options = skinning("4/60/all", "gs:3");
    options.precision = (mus_precision)precision;
    options.tolerance = 1e-8;
    mus_solve_record with = solved(&g, &options, x);
    options.stationary = 1;
    mus_solver *solver = given_solver(&g, &options);
    given_solve(solver, &g, y);
    const mus_solve_record *without = mus_solver_record(solver);
    assert_true(without->iterations > with.iterations && without->iterations < 300);
    for (int k = 1; k <= without->iterations; ++k)
      assert_true(without->residuals[k] < without->residuals[k - 1]);
    mus_solver_free(solver);
    for (int i = 0; i < g.n; ++i)
      largest = fmax(largest, fabs(x[i]));
    for (int i = 0; i < g.n; ++i)
      assert_true(fabs(x[i] - y[i]) < 1e-6 * largest);
  }
  mus_solver_options hopeless = skinning("4/60/all", "gs:3");
  hopeless.stationary = 1;
  hopeless.iterations = 3;
  mus_solver *solver = given_solver(&g, &hopeless);
  expect_status(MUS_NOT_CONVERGED, "cycles did not converge", mus_solver_solve(solver, g.b, y));
  mus_solver_free(solver);
  free(x), free(y);
  sheet_system_free(&sheet);
}

// Twelve unknowns a handle take out far more than three would: the point of the method. And more handles help.
static void affine_motions_pay(void **state) {
  (void)state;
  sheet_system sheet = cloth(45, 0.05, SHEET_PINNED);
  given g = given_sheet(&sheet);
  double *x = calloc((size_t)g.n, sizeof *x);
  mus_solver_options options = skinning("60/all", "gs:1");
  int affine = solved(&g, &options, x).iterations;
  options = skinning("15/all", "gs:1");
  int fewer = solved(&g, &options, x).iterations;
  g.positions = NULL; // no affine motions without coordinates: constants
  memset(x, 0, (size_t)g.n * sizeof *x);
  options = skinning("60/all", "gs:1");
  mus_solve_record constants = solved(&g, &options, x);
  print_message("60 handles: %d iterations, 15 handles: %d, 60 with translations alone: %d\n", affine, fewer,
                constants.iterations);
  assert_int_equal(constants.level[1].block, 3);
  assert_true(affine < fewer && affine < constants.iterations);
  free(x);
  sheet_system_free(&sheet);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(levels_are_those_that_were_asked_for),
                                     cmocka_unit_test(handles_in_a_plane_lose_three_unknowns),
                                     cmocka_unit_test(cycles_converge_alone), cmocka_unit_test(affine_motions_pay)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
