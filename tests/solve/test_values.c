// The values of a matrix, filled in where the solver keeps them, and lent.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "muslin/solver.h"
#include "support/given.h"

// Values that are filled in where the solver keeps them are as good as those it copies; refused ones are gone.
static void values_may_be_filled_in_place(void **state) {
  (void)state;
  random_system system = random_system_create(20, 3, 53);
  given g = given_random(&system);
  size_t bytes = (size_t)g.row_start[20] * 9 * sizeof(double);
  double x[60], again[60];
  mus_solver_options options = given_options(MUS_METHOD_SA, 1e-9);
  mus_solver *solver = given_solver(&g, &options), *other = NULL;
  given_solve(solver, &g, x);
  assert_int_equal(mus_solver_create(&options, &other), MUS_OK);
  double *values = NULL;
  expect_status(MUS_BAD_INPUT, "mus_solver_set_pattern", mus_solver_map_values(other, &values));
  expect_status(MUS_BAD_INPUT, "mus_solver_set_pattern", mus_solver_unmap_values(other));
  assert_null(values);
  assert_int_equal(mus_solver_set_pattern(other, g.rows, g.block, g.row_start, g.column), MUS_OK);
  size_t before = mus_solver_bytes(other);
  for (int turn = 0; turn < 2; ++turn) {
    assert_int_equal(mus_solver_map_values(other, &values), MUS_OK);
    assert_true(mus_solver_bytes(other) >= before + bytes); // they take memory once they are asked for
    memcpy(values, g.values, bytes);
    expect_status(MUS_BAD_INPUT, "are mapped", mus_solver_solve(other, g.b, again));
    expect_status(MUS_BAD_INPUT, "are mapped", mus_solver_set_values(other, g.values));
    assert_int_equal(mus_solver_unmap_values(other), MUS_OK);
    expect_status(MUS_BAD_INPUT, "not mapped", mus_solver_unmap_values(other));
    given_solve(other, &g, again);
    assert_memory_equal(x, again, sizeof x);
    assert_int_equal(mus_solver_bytes(other), mus_solver_record(other)->bytes);
    assert_int_equal(mus_solver_map_values(other, &values), MUS_OK);
    assert_memory_equal(values, g.values, bytes); // a solve leaves them as they were
    values[7] = NAN;
    expect_status(MUS_BAD_INPUT, "all values must be finite", mus_solver_unmap_values(other));
    expect_status(MUS_BAD_INPUT, "has no values", mus_solver_solve(other, g.b, again));
  }
  mus_solver_free(solver);
  mus_solver_free(other);
  random_system_free(&system);
}

// Lent values are neither copied nor changed, solve to the same bits as copied ones, and may be lent to several
// solvers.
static void values_can_be_lent(void **state) {
  (void)state;
  sheet_system sheet = given_cloth(50); // large enough for symmetric storage
  given g = given_sheet(&sheet);
  size_t numbers = (size_t)g.row_start[g.rows] * 9, bytes = numbers * sizeof(double);
  double *lent = malloc(bytes), *x = malloc((size_t)g.n * sizeof *x), *again = malloc((size_t)g.n * sizeof *x);
  assert_true(lent && x && again);
  memcpy(lent, g.values, bytes);
  FOR_EACH_METHOD(method) {
    mus_solver_options options = given_options(method, 1e-6);
    options.threads = 1;
    mus_solver *copying = given_solver(&g, &options), *lending = NULL;
    assert_int_equal(mus_solver_create(&options, &lending), MUS_OK);
    expect_status(MUS_BAD_INPUT, "mus_solver_set_pattern", mus_solver_lend_values(lending, lent));
    assert_int_equal(mus_solver_set_pattern(lending, g.rows, g.block, g.row_start, g.column), MUS_OK);
    assert_int_equal(given_levels(lending, method, g.rows), MUS_OK);
    assert_int_equal(mus_solver_set_coordinates(lending, g.positions), MUS_OK);
    assert_int_equal(mus_solver_set_constraints(lending, g.count, g.constraint), MUS_OK);
    for (int turn = 0; turn < 2; ++turn) {
      assert_int_equal(mus_solver_set_values(copying, g.values), MUS_OK);
      assert_int_equal(mus_solver_lend_values(lending, lent), MUS_OK);
      given_solve(copying, &g, x);
      given_solve(lending, &g, again);
      assert_memory_equal(x, again, (size_t)g.n * sizeof *x);
      assert_memory_equal(lent, g.values, bytes);
    }
    assert_true(mus_solver_bytes(lending) + bytes <= mus_solver_bytes(copying));
    double *mapped = NULL; // what was lent is there to be changed
    assert_int_equal(mus_solver_map_values(lending, &mapped), MUS_OK);
    assert_true(mapped != lent);
    assert_memory_equal(mapped, lent, bytes);
    expect_status(MUS_BAD_INPUT, "are mapped", mus_solver_lend_values(lending, lent));
    assert_int_equal(mus_solver_unmap_values(lending), MUS_OK);
    lent[7] = NAN;
    expect_status(MUS_BAD_INPUT, "all values must be finite", mus_solver_lend_values(lending, lent));
    expect_status(MUS_BAD_INPUT, "has no values", mus_solver_solve(lending, g.b, again));
    lent[7] = g.values[7];
    mus_solver_free(copying);
    mus_solver_free(lending);
  }
  free(lent);
  free(x);
  free(again);
  sheet_system_free(&sheet);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_may_be_filled_in_place),
      cmocka_unit_test(values_can_be_lent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
