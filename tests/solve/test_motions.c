// The near-null space of MUS_MOTIONS_AUTO: rigid motions where positions are known, with which iterations hardly depend
// on the time step, and translations where they are not.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/given.h"

static sheet_system cloth(double time_step) {
  sheet_options options = sheet_default_options();
  options.side = 61;
  options.time_step = time_step;
  sheet_system sheet;
  assert_int_equal(sheet_system_create(&options, &sheet), MUS_OK);
  return sheet;
}

// Unknowns of a node of the second level after a solve, and its iterations.
static int solved_by(const sheet_system *sheet, mus_motions motions, int *iterations) {
  mus_solver_options options = mus_preset_solver_options(MUS_PRESET_FAST);
  assert_int_equal(options.sa.motions, MUS_MOTIONS_AUTO);
  options.sa.motions = motions;
  options.recycle = 0; // iterations are those of the hierarchy
  given g = given_sheet(sheet);
  mus_solver *solver = given_solver(&g, &options);
  double *x = calloc((size_t)sheet->rows * 3, sizeof *x);
  assert_non_null(x);
  given_solve(solver, &g, x);
  const mus_solve_record *record = mus_solver_record(solver);
  *iterations = record->iterations;
  assert_true(record->levels > 1);
  int block = record->level[1].block;
  free(x);
  mus_solver_free(solver);
  return block;
}

static void rotations_count_where_positions_are_known(void **state) {
  (void)state;
  static const double step[] = {0.002, 0.02, 0.5};
  for (int k = 0; k < 3; ++k) {
    sheet_system sheet = cloth(step[k]);
    int automatic, three;
    assert_int_equal(solved_by(&sheet, MUS_MOTIONS_AUTO, &automatic), 6);
    assert_int_equal(solved_by(&sheet, MUS_MOTIONS_TRANSLATIONS, &three), 3);
    print_message("%g s: %d iterations, with translations %d\n", step[k], automatic, three);
    assert_true((k == 0 || automatic < three) && automatic <= 30);
    sheet_system_free(&sheet);
  }
}

static void translations_do_without_positions(void **state) {
  (void)state;
  sheet_system sheet = cloth(0.002);
  mus_solver_options options = mus_default_solver_options();
  mus_solver *solver = NULL;
  double *x = calloc((size_t)sheet.rows * 3, sizeof *x);
  assert_int_equal(mus_solver_create(&options, &solver), MUS_OK);
  assert_int_equal(mus_solver_set_pattern(solver, sheet.rows, 3, sheet.pattern->row_start, sheet.pattern->column),
                   MUS_OK);
  assert_int_equal(mus_solver_set_values(solver, sheet.a.value), MUS_OK);
  assert_int_equal(mus_solver_solve(solver, sheet.b, x), MUS_OK);
  assert_int_equal(mus_solver_record(solver)->level[1].block, 3);
  // and rotations count once they are known
  assert_int_equal(mus_solver_set_coordinates(solver, sheet.position), MUS_OK);
  assert_int_equal(mus_solver_solve(solver, sheet.b, x), MUS_OK);
  assert_int_equal(mus_solver_record(solver)->level[1].block, 6);
  // as if they had been from the start
  mus_solver *other = NULL;
  assert_int_equal(mus_solver_create(&options, &other), MUS_OK);
  assert_int_equal(mus_solver_set_pattern(other, sheet.rows, 3, sheet.pattern->row_start, sheet.pattern->column),
                   MUS_OK);
  assert_int_equal(mus_solver_set_values(other, sheet.a.value), MUS_OK);
  assert_int_equal(mus_solver_set_coordinates(other, sheet.position), MUS_OK);
  assert_int_equal(mus_solver_solve(other, sheet.b, x), MUS_OK);
  const mus_solve_record *late = mus_solver_record(solver), *early = mus_solver_record(other);
  assert_int_equal(late->levels, early->levels);
  for (int k = 0; k < early->levels; ++k)
    assert_true(late->level[k].nonzeros == early->level[k].nonzeros);
  mus_solver_free(other);
  mus_solver_free(solver);
  free(x);
  sheet_system_free(&sheet);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rotations_count_where_positions_are_known),
                                     cmocka_unit_test(translations_do_without_positions)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
