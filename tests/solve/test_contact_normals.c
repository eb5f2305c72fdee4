// Cloth that lies on something: half of the nodes are held along normals that are nearly the same, to rounding or by
// some degrees. What is left of motions along such normals is next to nothing, and must not become the measure of how
// neighbours move.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "par/vector.h"
#include "support/given.h"

enum { SIDE = 61, ROWS = SIDE * SIDE };

static int lies(int i) {
  int x = i % SIDE - SIDE / 2, y = i / SIDE - SIDE / 2;
  return abs(x) < 22 && abs(y) < 22 && x * x + y * y > 40; // on a plate with a hole
}

static int iterations(double tilt, mus_precision precision, int *special) {
  sheet_options wanted = sheet_default_options();
  sheet_system sheet;
  wanted.side = SIDE;
  wanted.wave = 0.001;
  wanted.boundary = SHEET_FREE;
  assert_int_equal(sheet_system_create(&wanted, &sheet), MUS_OK);
  static mus_constraint held[ROWS];
  double *noise = calloc(3 * ROWS, sizeof *noise), *x = calloc(3 * ROWS, sizeof *x);
  int count = 0;
  mus_fill_random(3 * ROWS, 1, noise);
  for (int i = 0; i < ROWS; ++i)
    if (lies(i))
      held[count++] =
          (mus_constraint){.node = i,
                           .count = 1,
                           .direction = {{tilt * noise[3 * i], 1 + tilt * noise[3 * i + 1], tilt * noise[3 * i + 2]}}};
  given g = given_sheet(&sheet);
  g.count = count;
  g.constraint = held;
  mus_solver_options options = mus_default_solver_options();
  options.precision = precision;
  options.fall_back = 0;
  mus_solver *solver = given_solver(&g, &options);
  given_solve(solver, &g, x);
  const mus_solve_record *record = mus_solver_record(solver);
  int found = record->iterations;
  *special = record->levels > 1 ? record->level[1].special : ROWS;
  mus_solver_free(solver);
  free(noise);
  free(x);
  sheet_system_free(&sheet);
  return found;
}

static void normals_may_differ_by_rounding(void **state) {
  (void)state;
  static const double tilt[] = {0, 1e-16, 1e-14, 1e-9, 1e-6, 1e-4, 1e-2, 0.2};
  for (int precision = MUS_PRECISION_DOUBLE; precision <= MUS_PRECISION_SINGLE; ++precision)
    for (size_t k = 0; k < sizeof tilt / sizeof *tilt; ++k) {
      int special, found = iterations(tilt[k], (mus_precision)precision, &special);
      print_message("normals apart by %g, %s: %d iterations\n", tilt[k], precision ? "single" : "double", found);
      assert_int_equal(special, 0);
      assert_true(found <= 12);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(normals_may_differ_by_rounding)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
