// How solves end: every stop with every method and everything that may be given, and right-hand sides of any size.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "par/vector.h"
#include "support/given.h"

enum { ROWS = 48, N = 3 * ROWS };

static mus_solver_options options_of(mus_method method, double tolerance) {
  mus_solver_options options = given_options(method, tolerance);
  options.threads = 1;
  return options;
}

// Constraints on some nodes, an equality, and couplings, as the bits of `what` say.
enum { HELD = 1, EQUAL = 2, COUPLED = 4 };

typedef struct everything {
  random_system system;
  given g;
  mus_constraint constraint[ROWS];
  mus_equality equality[2];
  mus_coupling coupling[3];
  int ends[3][2];
  double *reference;
} everything;

static const double apart[] = {1, -1};

static everything *everything_create(int what, uint64_t seed) {
  everything *e = calloc(1, sizeof *e);
  assert_non_null(e);
  e->system = random_system_create(ROWS, 3, seed);
  e->g = given_random(&e->system);
  if (what & HELD) {
    e->g.count = random_constraints(ROWS / 3, 3, seed + 1, e->constraint);
    e->g.constraint = e->constraint;
  }
  if (what & EQUAL) {
    for (int k = 0; k < 2; ++k)
      e->equality[k] = (mus_equality){
          .count = 2, .node = {30 + 9 * k, 35 + 9 * k}, .direction = {{1, 2, 0}, {-1, 0, 1}}, .value = 0.1 * (k + 1)};
    e->g.equality_count = 2, e->g.equality = e->equality;
  }
  if (what & COUPLED) {
    for (int k = 0; k < 3; ++k) {
      e->ends[k][0] = 20 + k, e->ends[k][1] = 40 - 3 * k;
      e->coupling[k] =
          (mus_coupling){.count = 2, .node = e->ends[k], .weight = apart, .block = {5, 1, 0, 1, 4, 0, 0, 0, 20}};
    }
    e->g.coupling_count = 3, e->g.coupling = e->coupling;
  }
  e->reference = given_reference(&e->g);
  return e;
}

static void everything_free(everything *e) {
  free(e->reference);
  random_system_free(&e->system);
  free(e);
}

// What every solve must keep: the tolerance in the norm that was asked for, and a solution that fits it.
static void check_end(mus_solver *solver, const everything *e, const mus_solver_options *options, const double *x) {
  const mus_solve_record *r = mus_solver_record(solver);
  double error = 0, size = 0;
  assert_true(r->residuals[r->iterations] <= options->tolerance * r->reference);
  if (options->stop == MUS_STOP_EUCLIDEAN)
    assert_true(r->true_residual <= 1.0001 * options->tolerance);
  for (int i = 0; i < N; ++i) {
    error = fmax(error, fabs(x[i] - e->reference[i]));
    size = fmax(size, fabs(e->reference[i]));
  }
  if (!(error <= 1e4 * options->tolerance * size))
    fail_msg("%s, stop %s: %g of %g", mus_method_name(options->method), mus_stop_name(options->stop), error, size);
}

static void every_stop_works_with_everything_that_may_be_given(void **state) {
  (void)state;
  const int whats[] = {0, HELD | EQUAL, HELD | COUPLED, EQUAL | COUPLED, HELD | EQUAL | COUPLED};
  for (int k = 0; k < 5; ++k) {
    everything *e = everything_create(whats[k], (uint64_t)k + 1);
    FOR_EACH_METHOD(method)
    for (int stop = 0; mus_stop_name((mus_stop)stop); ++stop)
      for (int prefilter = 0; prefilter < 2; ++prefilter) {
        mus_solver_options options = options_of(method, 1e-9);
        double x[N];
        options.stop = (mus_stop)stop;
        options.prefilter = prefilter;
        options.precision = prefilter ? MUS_PRECISION_SINGLE : MUS_PRECISION_DOUBLE;
        mus_solver *solver = given_solver(&e->g, &options);
        given_solve(solver, &e->g, x);
        check_end(solver, e, &options, x);
        int cold = mus_solver_record(solver)->iterations;
        for (int i = 0; i < N; ++i)
          x[i] = e->reference[i] * (1 + 1e-4 * mus_random(8, (uint64_t)i));
        assert_int_equal(mus_solver_solve(solver, e->g.b, x), MUS_OK);
        check_end(solver, e, &options, x);
        if (stop != MUS_STOP_INITIAL && method != MUS_METHOD_MPCG_ORIGINAL && cold > 10)
          assert_true(mus_solver_record(solver)->iterations < cold);
        mus_solver_free(solver);
      }
    everything_free(e);
  }
}

// Stationary methods end by the same rules.
static void stationary_methods_know_every_stop(void **state) {
  (void)state;
  const mus_method methods[] = {MUS_METHOD_GAUSS_SEIDEL, MUS_METHOD_CHEBYSHEV, MUS_METHOD_SA};
  everything *e = everything_create(HELD | COUPLED, 5);
  for (int m = 0; m < 3; ++m)
    for (int stop = 0; mus_stop_name((mus_stop)stop); ++stop) {
      mus_solver_options options = options_of(methods[m], 1e-7);
      double x[N];
      options.stop = (mus_stop)stop;
      options.stationary = methods[m] == MUS_METHOD_SA;
      mus_solver *solver = given_solver(&e->g, &options);
      given_solve(solver, &e->g, x);
      check_end(solver, e, &options, x);
      mus_solver_free(solver);
    }
  everything_free(e);
}

// The residual of the Euclidean stop is that of x, even where the recurrence has long lost it. Where rounding keeps it
// above the tolerance, that is said.
static void the_euclidean_stop_is_about_x(void **state) {
  (void)state;
  everything *e = everything_create(0, 3);
  mus_solver_options options = options_of(MUS_METHOD_DIAG, 1e-15);
  double x[N];
  options.stop = MUS_STOP_EUCLIDEAN;
  mus_solver *solver = given_solver(&e->g, &options);
  for (int i = 0; i < N; ++i)
    x[i] = 1e6; // whose rounding errors stay
  mus_status status = mus_solver_solve(solver, e->g.b, x);
  double left = mus_solver_record(solver)->true_residual;
  if (status)
    expect_status(MUS_NOT_CONVERGED, "rounding keeps the residual", status);
  else
    assert_true(left <= 1.0001e-15);
  assert_true(left < 1e-13);
  mus_solver_free(solver);
  everything_free(e);
}

// A single soft node carries nearly all of the energy, so that everything else hardly counts in the norm of M^-1.
static void the_euclidean_stop_sees_past_a_soft_node(void **state) {
  (void)state;
  enum { LONG = 400 };
  int row_start[LONG + 1], column[3 * LONG], used = 0;
  double value[3 * LONG], b[LONG], x[LONG];
  for (int i = 0; i < LONG; ++i) { // a chain of LONG - 1 nodes, and one by itself
    row_start[i] = used;
    for (int k = i - 1; k <= i + 1; ++k)
      if (k == i || (k >= 0 && k < LONG - 1 && i < LONG - 1)) {
        column[used] = k;
        value[used++] = i == LONG - 1 ? 1e-9 : k == i ? 2.001 : -1;
      }
    b[i] = mus_random(4, (uint64_t)i);
  }
  row_start[LONG] = used;
  given g = {.rows = LONG, .block = 1, .n = LONG, .row_start = row_start, .column = column, .values = value, .b = b};
  const mus_method methods[] = {MUS_METHOD_SA, MUS_METHOD_DIAG, MUS_METHOD_MPCG};
  for (int m = 0; m < 3; ++m)
    for (int stop = 0; stop < 2; ++stop) {
      mus_solver_options options = options_of(methods[m], 1e-8);
      options.stop = stop ? MUS_STOP_EUCLIDEAN : MUS_STOP_INITIAL;
      mus_solver *solver = given_solver(&g, &options);
      given_solve(solver, &g, x);
      double left = mus_solver_record(solver)->true_residual;
      if (stop)
        assert_true(left <= 1.0001e-8);
      else // which is why there is another
        assert_true(left > 1e-7);
      mus_solver_free(solver);
    }
}

// From the smallest number to the largest: the solution is that of a right-hand side of size 1, scaled.
static void right_hand_sides_of_any_size_are_solved(void **state) {
  (void)state;
  const int power[] = {-310, -200, -145, -90, 90, 150, 290};
  const mus_method stationary[] = {MUS_METHOD_GAUSS_SEIDEL, MUS_METHOD_CHEBYSHEV};
  for (int held = 0; held < 2; ++held) {
    everything *e = everything_create(held ? HELD : 0, 7);
    for (int k = 0; k < e->g.count; ++k)
      for (int c = 0; c < 3; ++c)
        e->constraint[k].value[c] = 0;
    free(e->reference);
    e->reference = given_reference(&e->g);
    for (int m = 0; m < MUS_METHODS + 2; ++m) {
      mus_method method = m < MUS_METHODS ? (mus_method)m : stationary[m - MUS_METHODS];
      if (m < MUS_METHODS && given_method_from(m) != method)
        continue;
      for (size_t p = 0; p < sizeof power / sizeof *power; ++p)
        for (int prefilter = 0; prefilter < 2; ++prefilter) {
          mus_solver_options options = options_of(method, 1e-9);
          double scale = pow(10, power[p]), b[N], x[N] = {0};
          options.prefilter = prefilter;
          for (int i = 0; i < N; ++i)
            b[i] = scale * e->g.b[i];
          mus_solver *solver = given_solver(&e->g, &options);
          assert_int_equal(mus_solver_solve(solver, b, x), MUS_OK);
          double lost = power[p] < -300 ? 1e-2 : 1e-6; // of subnormal numbers
          for (int i = 0; i < N; ++i)
            if (!(fabs(x[i] / scale - e->reference[i]) <= lost))
              fail_msg("%s, 1e%d: %g instead of %g", mus_method_name(method), power[p], x[i] / scale, e->reference[i]);
          mus_solver_free(solver);
        }
    }
    everything_free(e);
  }
}

// The same where only what is held is prescribed at a tiny value, and b is zero.
static void tiny_values_of_constraints_count(void **state) {
  (void)state;
  everything *e = everything_create(HELD, 11);
  mus_fill(N, 0, e->system.b);
  free(e->reference);
  e->reference = given_reference(&e->g);
  for (int k = 0; k < e->g.count; ++k)
    for (int c = 0; c < 3; ++c)
      e->constraint[k].value[c] *= 1e-150;
  FOR_EACH_METHOD(method)
  for (int prefilter = 0; prefilter < 2; ++prefilter) {
    mus_solver_options options = options_of(method, 1e-9);
    double x[N] = {0};
    options.prefilter = prefilter;
    mus_solver *solver = given_solver(&e->g, &options);
    assert_int_equal(mus_solver_solve(solver, e->g.b, x), MUS_OK);
    for (int i = 0; i < N; ++i)
      assert_true(fabs(x[i] / 1e-150 - e->reference[i]) <= 1e-6);
    mus_solver_free(solver);
  }
  everything_free(e);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_stop_works_with_everything_that_may_be_given),
      cmocka_unit_test(stationary_methods_know_every_stop),
      cmocka_unit_test(the_euclidean_stop_is_about_x),
      cmocka_unit_test(the_euclidean_stop_sees_past_a_soft_node),
      cmocka_unit_test(right_hand_sides_of_any_size_are_solved),
      cmocka_unit_test(tiny_values_of_constraints_count),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
