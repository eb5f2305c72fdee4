// Iterations against the number of vertices, on sheets of 3,721 and 160,801 with the preset robust: smoothed
// aggregation hardly notices the difference (Tamstorf et al. 2015, section 11.1), block-Jacobi needs about as many
// times more as the sheet has more vertices along a side. Prints the figures.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "muslin/solver.h"
#include "sheet_system.h"
#include "support/problem.h"

enum { SMALL = 61, LARGE = 401 };

static sheet_system create_sheet(int side, int irregular, sheet_boundary boundary) {
  sheet_options options = sheet_default_options();
  options.side = side;
  options.irregular = irregular;
  options.boundary = boundary;
  sheet_system s;
  assert_int_equal(sheet_system_create(&options, &s), MUS_OK);
  return s;
}

// How many it takes, and how many it would take to reach the tolerance exactly, at the same rate: whole numbers as
// small as these would compare roundings.
typedef struct iterations {
  int count;
  double exact;
} iterations;

static iterations solve(const sheet_system *s, mus_method method, mus_precision precision) {
  mus_solver_options options = mus_preset_solver_options(MUS_PRESET_ROBUST);
  options.method = method;
  options.precision = precision;
  mus_solver *solver;
  double *x = vector_zero(3 * s->rows);
  assert_int_equal(mus_solver_create(&options, &solver), MUS_OK);
  assert_int_equal(mus_solver_set_pattern(solver, s->rows, 3, s->pattern->row_start, s->pattern->column), MUS_OK);
  assert_int_equal(mus_solver_set_values(solver, s->a.value), MUS_OK);
  assert_int_equal(mus_solver_set_coordinates(solver, s->position), MUS_OK);
  assert_int_equal(mus_solver_set_constraints(solver, s->constraint_count, s->constraint), MUS_OK);
  assert_int_equal(mus_solver_solve(solver, s->b, x), MUS_OK);
  const mus_solve_record *record = mus_solver_record(solver);
  iterations found = {record->iterations, log(options.tolerance) / log(record->rate)};
  printf("  %-9s %-9s %6d vertices  %-4s %-6s %5d iterations  rate %.3f  levels %d  complexity %.3f  %6.2f s\n",
         s->options.boundary == SHEET_PINNED ? "pinned" : "drooping", s->options.irregular ? "irregular" : "regular",
         s->rows, mus_method_name(method), precision == MUS_PRECISION_SINGLE ? "single" : "double", found.count,
         record->rate, record->levels, record->operator_complexity, record->setup_seconds + record->solve_seconds);
  fflush(stdout);
  mus_solver_free(solver);
  mus_free(x);
  return found;
}

// Iterations on one sheet: smoothed aggregation in double and single precision, block-Jacobi where asked for.
typedef struct counts {
  iterations sa, sa_single, diag;
} counts;

static counts measure(int side, int irregular, sheet_boundary boundary, int with_diag) {
  sheet_system s = create_sheet(side, irregular, boundary);
  counts c = {.sa = solve(&s, MUS_METHOD_SA, MUS_PRECISION_DOUBLE),
              .sa_single = solve(&s, MUS_METHOD_SA, MUS_PRECISION_SINGLE)};
  if (with_diag)
    c.diag = solve(&s, MUS_METHOD_DIAG, MUS_PRECISION_DOUBLE);
  sheet_system_free(&s);
  return c;
}

static void check_scaling(int irregular, sheet_boundary boundary, int with_diag) {
  counts small = measure(SMALL, irregular, boundary, with_diag), large = measure(LARGE, irregular, boundary, with_diag);
  assert_true(small.sa.count >= 3); // fewer would make the ratio a matter of luck
  assert_true(2 * large.sa.exact < 3 * small.sa.exact);
  assert_true(small.sa_single.count <= small.sa.count + 1);
  assert_true(large.sa_single.count <= large.sa.count + 1);
  if (!with_diag)
    return;
  double growth = (double)large.diag.count / small.diag.count,
         sides = (double)LARGE / SMALL; // the root of the vertices' ratio
  printf("  block-Jacobi: %.2f times the iterations for %.2f times the vertices along a side\n", growth, sides);
  assert_true(growth > 0.6 * sides && growth < 1.8 * sides);
}

static void pinned_regular(void **state) {
  (void)state;
  check_scaling(0, SHEET_PINNED, 0);
}

static void pinned_irregular(void **state) {
  (void)state;
  check_scaling(1, SHEET_PINNED, 0);
}

static void drooping_regular(void **state) {
  (void)state;
  check_scaling(0, SHEET_DROOPING, 1);
}

static void drooping_irregular(void **state) {
  (void)state;
  check_scaling(1, SHEET_DROOPING, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pinned_regular),
      cmocka_unit_test(pinned_irregular),
      cmocka_unit_test(drooping_regular),
      cmocka_unit_test(drooping_irregular),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
