// Translations or rigid motions as the near-null space: MUS_MOTIONS_AUTO keeps three while these are enough, and goes
// over to six once they have taken too long by as much as that costs: after some solves, or in the middle of one.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/given.h"

// Steps of 2 ms are easy for a sheet of this size, steps of 20 ms are not.
static sheet_system cloth(double time_step) {
  sheet_options options = sheet_default_options();
  options.side = 61;
  options.time_step = time_step;
  sheet_system sheet;
  assert_int_equal(sheet_system_create(&options, &sheet), MUS_OK);
  return sheet;
}

static mus_solver_options fast(mus_motions motions) {
  mus_solver_options options = mus_preset_solver_options(MUS_PRESET_FAST);
  assert_int_equal(options.sa.motions, MUS_MOTIONS_AUTO);
  options.sa.motions = motions;
  return options;
}

// Unknowns of a node of the second level after a solve, and its iterations.
static int coarse_block(const sheet_system *sheet, mus_solver *solver, double *x, int *iterations) {
  given g = given_sheet(sheet);
  given_solve(solver, &g, x);
  const mus_solve_record *record = mus_solver_record(solver);
  *iterations = record->iterations;
  assert_true(record->levels > 1);
  return record->level[1].block;
}

static int solved_by(const sheet_system *sheet, mus_motions motions, double *x, int *iterations) {
  mus_solver_options options = fast(motions);
  given g = given_sheet(sheet);
  mus_solver *solver = given_solver(&g, &options);
  int block = coarse_block(sheet, solver, x, iterations);
  mus_solver_free(solver);
  return block;
}

static void few_iterations_keep_three(void **state) {
  (void)state;
  sheet_system sheet = cloth(0.002);
  double *x = calloc((size_t)sheet.rows * 3, sizeof *x);
  int iterations;
  assert_int_equal(solved_by(&sheet, MUS_MOTIONS_AUTO, x, &iterations), 3);
  assert_in_range(iterations, 1, 18);
  free(x);
  sheet_system_free(&sheet);
}

static void many_iterations_turn_to_six(void **state) {
  (void)state;
  sheet_system sheet = cloth(0.02);
  size_t n = (size_t)sheet.rows * 3;
  double *x = calloc(n, sizeof *x), *again = calloc(n, sizeof *again);
  int three, six, turned, later;
  assert_int_equal(solved_by(&sheet, MUS_MOTIONS_TRANSLATIONS, x, &three), 3);
  assert_int_equal(solved_by(&sheet, MUS_MOTIONS_RIGID, x, &six), 6);
  assert_true(three > 20 && six < three);
  mus_solver_options options = fast(MUS_MOTIONS_AUTO);
  given g = given_sheet(&sheet);
  mus_solver *solver = given_solver(&g, &options);
  int solves = 0, block = 3;
  while (block == 3 && ++solves < 40) { // the first are not worth it
    memset(again, 0, n * sizeof *again);
    block = coarse_block(&sheet, solver, again, &turned);
    assert_true(block == 6 || turned > 18);
  }
  assert_int_equal(block, 6);
  assert_true(solves > 1);
  // from then on six, from the start
  memset(again, 0, n * sizeof *again);
  assert_int_equal(coarse_block(&sheet, solver, again, &later), 6);
  print_message("translations %d, rigid %d, on the way %d, later %d\n", three, six, turned, later);
  assert_true(later <= six + 3);
  double difference = 0, size = 0;
  for (size_t i = 0; i < n; ++i) {
    difference = fmax(difference, fabs(again[i] - x[i]));
    size = fmax(size, fabs(x[i]));
  }
  assert_true(difference < 1e-3 * size);
  mus_solver_free(solver);
  free(x), free(again);
  sheet_system_free(&sheet);
}

// A solve that takes so long that another hierarchy pays for itself.
static void very_many_iterations_turn_at_once(void **state) {
  (void)state;
  sheet_system sheet = cloth(0.5);
  double *x = calloc((size_t)sheet.rows * 3, sizeof *x);
  int iterations;
  assert_int_equal(solved_by(&sheet, MUS_MOTIONS_AUTO, x, &iterations), 6);
  assert_true(iterations > 60);
  free(x);
  sheet_system_free(&sheet);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(few_iterations_keep_three),
                                     cmocka_unit_test(many_iterations_turn_to_six),
                                     cmocka_unit_test(very_many_iterations_turn_at_once)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
