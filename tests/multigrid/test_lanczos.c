// The spectral radius against dense eigenvalues: from above within 10%, or flagged.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "multigrid/lanczos.h"
#include "par/par.h"
#include "support/algebra.h"
#include "support/problem.h"

enum { STEPS = 30 };

static mus_status measure(const problem *p, int steps, mus_radius *out) {
  double *work = vector_zero(4 * p->n);
  mus_status status = mus_spectral_radius(&(mus_block_operator){.a = &p->a}, p->inverse_diagonal, steps, work, out);
  mus_free(work);
  return status;
}

static void check_radius(const problem *p, double truth, int steps) {
  mus_radius radius;
  assert_int_equal(measure(p, steps, &radius), MUS_OK);
  if (radius.ritz > truth * (1 + 1e-12) || radius.value < radius.ritz)
    fail_msg("%s, %d steps: ritz %.17g, value %.17g, truth %.17g", p->name, steps, radius.ritz, radius.value, truth);
  if (!radius.converged)
    return;
  if (radius.value < truth * (1 - 1e-12) || radius.value > 1.1 * truth)
    fail_msg("%s, %d steps: value %.17g counts as converged, truth %.17g", p->name, steps, radius.value, truth);
}

// Frees the problem.
static void check_all_steps(problem p) {
  pencil dense = pencil_create(&p.a);
  for (int steps = 1; steps <= STEPS; ++steps)
    check_radius(&p, pencil_radius(&dense), steps);
  pencil_free(&dense);
  problem_free(&p);
}

static void radius_of_cloth(void **state) {
  (void)state;
  for (int irregular = 0; irregular < 2; ++irregular)
    for (int boundary = SHEET_FREE; boundary <= SHEET_DROOPING; ++boundary)
      for (int side = 2; side <= 12; side += 5)
        check_all_steps(problem_small_sheet(side, irregular, (sheet_boundary)boundary));
}

static void radius_of_stiff_cloth(void **state) {
  (void)state;
  sheet_options options = sheet_default_options();
  options.side = 10;
  options.stretch = 5e6;
  options.time_step = 0.05;
  check_all_steps(problem_sheet(&options));
  options.bend = 0;
  check_all_steps(problem_sheet(&options));
}

static void radius_of_poisson(void **state) {
  (void)state;
  for (int side = 2; side <= 14; side += 4)
    check_all_steps(problem_poisson(side, 1));
  check_all_steps(problem_poisson(7, 3));
}

static void radius_of_random_springs(void **state) {
  (void)state;
  for (int block = 1; block <= 6; ++block)
    for (int rows = 2; rows <= 40; rows += 19)
      check_all_steps(problem_random(rows, block, (uint64_t)(block * 100 + rows)));
}

// D^-1 A = I: exact after one step, however many are asked for.
static void radius_of_a_block_diagonal_is_one(void **state) {
  (void)state;
  for (int block = 1; block <= 6; ++block)
    for (int rows = 1; rows <= 31; rows += 10) {
      problem p = problem_diagonal(rows, block, 5);
      for (int steps = 1; steps <= STEPS; ++steps) {
        mus_radius radius;
        assert_int_equal(measure(&p, steps, &radius), MUS_OK);
        assert_true(radius.converged);
        assert_true(fabs(radius.value - 1) < 1e-7 && fabs(radius.ritz - 1) < 1e-12);
      }
      problem_free(&p);
    }
}

// With as many steps as unknowns the Krylov space is everything.
static void radius_of_tiny_systems_is_exact(void **state) {
  (void)state;
  for (int rows = 1; rows <= 6; ++rows) {
    problem p = problem_random(rows, 1, (uint64_t)rows);
    pencil dense = pencil_create(&p.a);
    mus_radius radius;
    assert_int_equal(measure(&p, STEPS, &radius), MUS_OK);
    assert_true(radius.converged);
    assert_true(fabs(radius.value / pencil_radius(&dense) - 1) < 1e-6);
    pencil_free(&dense);
    problem_free(&p);
  }
}

// Many nodes on their own hide two that are coupled: a start that hardly contains the pair must not count as converged.
static void a_hidden_pair_is_found_or_flagged(void **state) {
  (void)state;
  enum { NODES = 150 };
  double *positions = calloc(3 * NODES, sizeof *positions);
  const double weak[] = {0.03, 0.3, 1, 3, 30};
  for (size_t k = 0; k < sizeof weak / sizeof *weak; ++k) {
    int ends[2] = {17, 112};
    check_all_steps(problem_springs(NODES, positions, 1, ends, &weak[k], 1, 0, NULL));
  }
  free(positions);
}

// D^-1 A does not change when A is scaled.
static void radius_does_not_depend_on_units(void **state) {
  (void)state;
  const double factors[] = {1e-60, 1e-20, 1e20, 1e60};
  problem p = problem_small_sheet(8, 1, SHEET_DROOPING);
  mus_radius before, after;
  assert_int_equal(measure(&p, 10, &before), MUS_OK);
  for (size_t k = 0; k < sizeof factors / sizeof *factors; ++k) {
    double *old = p.a.value, *value = vector_zero((int)mus_matrix_values(&p.a));
    for (size_t i = 0; i < mus_matrix_values(&p.a); ++i)
      value[i] = old[i] * factors[k];
    p.a.value = value;
    assert_int_equal(mus_inverse_diagonal(&p.a, p.place, p.inverse_diagonal), MUS_OK);
    assert_int_equal(measure(&p, 10, &after), MUS_OK);
    assert_true(fabs(after.value / before.value - 1) < 1e-10);
    p.a.value = old;
    mus_free(value);
  }
  problem_free(&p);
}

// As many steps as the paper takes are enough for cloth.
static void ten_steps_converge_on_cloth(void **state) {
  (void)state;
  for (int boundary = SHEET_FREE; boundary <= SHEET_DROOPING; ++boundary) {
    problem p = problem_small_sheet(31, 1, (sheet_boundary)boundary);
    mus_radius radius;
    assert_int_equal(measure(&p, 10, &radius), MUS_OK);
    assert_true(radius.converged);
    problem_free(&p);
  }
}

// --- what is refused -----------------------------------------------------------------------------------------------

// Adds to an off-diagonal pair of entries.
static void couple(problem *p, int i, int j, double value) {
  p->a.value[mus_pattern_find(p->pattern, i, j) * p->block * p->block] += value;
  p->a.value[mus_pattern_find(p->pattern, j, i) * p->block * p->block] += value;
}

static void indefinite_matrices_break_down(void **state) {
  (void)state;
  mus_radius radius;
  problem pair = problem_poisson(2, 1); // 4 on the diagonal
  couple(&pair, 0, 1, -9);
  assert_int_equal(measure(&pair, 10, &radius), MUS_BREAKDOWN);
  problem_free(&pair);
  problem sheet = problem_small_sheet(9, 0, SHEET_DROOPING);
  double large = sheet.a.value[sheet.place[40] * 9];
  couple(&sheet, 40, 41, 3 * large);
  assert_int_equal(measure(&sheet, 10, &radius), MUS_BREAKDOWN);
  problem_free(&sheet);
}

static void indefinite_diagonals_break_down(void **state) {
  (void)state;
  mus_radius radius;
  problem p = problem_poisson(5, 1);
  for (int i = 0; i < p.n; ++i)
    p.inverse_diagonal[i] = -p.inverse_diagonal[i];
  assert_int_equal(measure(&p, 10, &radius), MUS_BREAKDOWN);
  problem_free(&p);
}

static void numbers_that_are_not_finite_break_down(void **state) {
  (void)state;
  const double bad[] = {NAN, INFINITY, -INFINITY};
  mus_radius radius;
  for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k)
    for (int steps = 1; steps <= 3; ++steps) {
      problem p = problem_small_sheet(5, 0, SHEET_FREE);
      double kept = p.inverse_diagonal[4];
      p.inverse_diagonal[4] = bad[k];
      assert_int_equal(measure(&p, steps, &radius), MUS_BREAKDOWN);
      p.inverse_diagonal[4] = kept;
      p.a.value[77] = bad[k];
      assert_int_equal(measure(&p, steps, &radius), MUS_BREAKDOWN);
      problem_free(&p);
    }
}

static void the_zero_matrix_breaks_down(void **state) {
  (void)state;
  mus_radius radius;
  problem p = problem_poisson(4, 1);
  for (size_t k = 0; k < mus_matrix_values(&p.a); ++k)
    p.a.value[k] = 0;
  assert_int_equal(measure(&p, 10, &radius), MUS_BREAKDOWN);
  problem_free(&p);
}

static void threads_do_not_change_a_bit(void **state) {
  (void)state;
  problem p = problem_small_sheet(41, 1, SHEET_DROOPING);
  mus_radius one, many;
  mus_par_set_threads(1);
  assert_int_equal(measure(&p, 10, &one), MUS_OK);
  for (int threads = 2; threads <= 7; threads += 5) {
    mus_par_set_threads(threads);
    assert_int_equal(measure(&p, 10, &many), MUS_OK);
    assert_memory_equal(&one.value, &many.value, sizeof one.value);
    assert_memory_equal(&one.ritz, &many.ritz, sizeof one.ritz);
  }
  mus_par_set_threads(0);
  problem_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(radius_of_cloth),
      cmocka_unit_test(radius_of_stiff_cloth),
      cmocka_unit_test(radius_of_poisson),
      cmocka_unit_test(radius_of_random_springs),
      cmocka_unit_test(radius_of_a_block_diagonal_is_one),
      cmocka_unit_test(radius_of_tiny_systems_is_exact),
      cmocka_unit_test(a_hidden_pair_is_found_or_flagged),
      cmocka_unit_test(radius_does_not_depend_on_units),
      cmocka_unit_test(ten_steps_converge_on_cloth),
      cmocka_unit_test(indefinite_matrices_break_down),
      cmocka_unit_test(indefinite_diagonals_break_down),
      cmocka_unit_test(numbers_that_are_not_finite_break_down),
      cmocka_unit_test(the_zero_matrix_breaks_down),
      cmocka_unit_test(threads_do_not_change_a_bit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
