// The default options for cloth that is far softer or stiffer than cotton, and for short and long steps: iterations
// stay near those of cotton, except where it hardly stretches at all, and neither robust settings nor a factor take
// over. docs/solver.md has the same of simulations.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/given.h"

enum { SIDE = 41, SOLVES = 16, LAST = 10 };

// Of the last solves by a solver that is kept, on average, while the sheet is bent more and more.
static double iterations_of(const sheet_options *options) {
  sheet_system sheet;
  assert_int_equal(sheet_system_create(options, &sheet), MUS_OK);
  given g = given_sheet(&sheet);
  mus_solver_options usual = mus_default_solver_options();
  usual.threads = 1;
  usual.recycle = 0; // solutions of this sheet are almost those before
  mus_solver *solver = given_solver(&g, &usual);
  double *x = malloc((size_t)g.n * sizeof *x), sum = 0;
  assert_non_null(x);
  for (int step = 0; step < SOLVES; ++step) {
    for (int i = 0; i < sheet.rows; ++i)
      sheet.position[3 * i + 1] *= 1.05;
    assert_int_equal(sheet_system_assemble(&sheet), MUS_OK);
    assert_int_equal(mus_solver_set_values(solver, sheet.a.value), MUS_OK);
    assert_int_equal(mus_solver_set_coordinates(solver, sheet.position), MUS_OK);
    given_solve(solver, &g, x);
    const mus_solve_record *record = mus_solver_record(solver);
    assert_int_equal(record->fall_back, MUS_FALL_BACK_NONE);
    sum += step >= SOLVES - LAST ? record->iterations : 0;
  }
  free(x);
  mus_solver_free(solver);
  sheet_system_free(&sheet);
  return sum / LAST;
}

// What is allowed, in units of cotton's, by the power of ten.
static const double stretch_most[] = {1.2, 1.2, 1.2, 1.5, 2, 4, 8}, bend_most[] = {1.2, 1.2, 1.2, 1.2, 1.3, 1.5, 2};
static const double step_most = 2.2;

static void expect_even(sheet_boundary boundary, const char *what, const double *most) {
  sheet_options options = sheet_default_options();
  options.side = SIDE;
  options.boundary = boundary;
  double middle = iterations_of(&options);
  for (int power = -2; power <= 4; ++power) {
    sheet_options other = options;
    double factor = pow(10, power);
    if (strcmp(what, "stretch") == 0)
      other.stretch *= factor, other.shear *= factor;
    else
      other.bend *= factor;
    double iterations = iterations_of(&other);
    print_message("%s, %s x 1e%d: %.1f iterations, cotton %.1f\n", boundary == SHEET_PINNED ? "pinned" : "drooping",
                  what, power, iterations, middle);
    assert_true(iterations <= most[power + 2] * middle);
  }
}

static void stretch_stiffness_counts_little(void **state) {
  (void)state;
  expect_even(SHEET_PINNED, "stretch", stretch_most);
  expect_even(SHEET_DROOPING, "stretch", stretch_most);
}

static void bending_stiffness_counts_little(void **state) {
  (void)state;
  expect_even(SHEET_PINNED, "bend", bend_most);
  expect_even(SHEET_DROOPING, "bend", bend_most);
}

static void the_time_step_counts_little(void **state) {
  (void)state;
  static const double step[] = {0.001, 0.005, 0.01, 0.02, 0.04};
  for (int pinned = 0; pinned < 2; ++pinned) {
    sheet_options options = sheet_default_options();
    options.side = SIDE;
    options.boundary = pinned ? SHEET_PINNED : SHEET_DROOPING;
    double middle = iterations_of(&options);
    for (size_t k = 0; k < sizeof step / sizeof *step; ++k) {
      options.time_step = step[k];
      double iterations = iterations_of(&options);
      print_message("%s, %g s: %.1f iterations, 2 ms %.1f\n", pinned ? "pinned" : "drooping", step[k], iterations,
                    middle);
      assert_true(iterations <= step_most * middle);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(stretch_stiffness_counts_little),
                                     cmocka_unit_test(bending_stiffness_counts_little),
                                     cmocka_unit_test(the_time_step_counts_little)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
