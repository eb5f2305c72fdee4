// The smoother against its polynomial in closed form: orders, starts, precisions, and how far a sweep reaches.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "multigrid/smoothers/chebyshev.h"
#include "par/par.h"
#include "support/dense.h"
#include "support/problem.h"
#include "support/reference_cycle.h"

enum { ORDERS = 6 };

// What a sweep ought to make of the guess x for A x = b: x* + V p(Lambda) V^T D (x - x*), x* = A^-1 b.
static double *expected_sweep(const pencil *p, const mus_chebyshev *c, const double *b, const double *x) {
  int n = p->n;
  double *solution = malloc((size_t)n * sizeof *solution), *error = malloc((size_t)n * sizeof *error);
  dense_solve(n, p->a, b, solution);
  for (int i = 0; i < n; ++i)
    error[i] = x[i] - solution[i];
  double *weighted = dense_product(n, n, 1, p->d, error),
         *parts = dense_transposed_product(n, n, 1, p->vectors, weighted);
  for (int k = 0; k < n; ++k)
    parts[k] *= reference_polynomial(c, p->values[k]);
  double *left = dense_product(n, n, 1, p->vectors, parts);
  for (int i = 0; i < n; ++i)
    solution[i] += left[i];
  free(error), free(weighted), free(parts), free(left);
  return solution;
}

// --- both precisions behind one face -------------------------------------------------------------------------------

static float *rounded(size_t n, const double *x) {
  float *y = mus_alloc(n, sizeof *y);
  for (size_t i = 0; i < n; ++i)
    y[i] = (float)x[i];
  return y;
}

// One sweep, from x or, where x is NULL, from zero with all scratch full of NaN.
static double *sweep(const problem *p, const mus_chebyshev *c, const double *b, const double *x) {
  size_t n = (size_t)p->n;
  double *first = vector_zero(p->n), *second = vector_zero(p->n);
  for (size_t i = 0; i < n; ++i) {
    first[i] = x ? x[i] : NAN;
    second[i] = NAN;
  }
  double *result = first, *other = second;
  if (x)
    mus_chebyshev_sweep(c, &(mus_block_operator){.a = &p->a}, p->inverse_diagonal, b, &result, &other);
  else
    mus_chebyshev_start(c, &(mus_block_operator){.a = &p->a}, p->inverse_diagonal, b, &result, &other);
  assert_true((result == first && other == second) || (result == second && other == first));
  mus_free(other);
  return result;
}

static double *sweep_f(const problem *p, const mus_chebyshev *c, const double *b, const double *x) {
  size_t n = (size_t)p->n;
  mus_matrix_f a = {p->pattern, p->block, p->block, rounded(mus_matrix_values(&p->a), p->a.value)};
  float *inverse = rounded(n * (size_t)p->block, p->inverse_diagonal), *right = rounded(n, b);
  float *first = mus_alloc(n, sizeof *first), *second = mus_alloc(n, sizeof *second);
  for (size_t i = 0; i < n; ++i) {
    first[i] = x ? (float)x[i] : NAN;
    second[i] = NAN;
  }
  float *result = first, *other = second;
  if (x)
    mus_chebyshev_sweep_f(c, &(mus_block_operator_f){.a = &a}, inverse, right, &result, &other);
  else
    mus_chebyshev_start_f(c, &(mus_block_operator_f){.a = &a}, inverse, right, &result, &other);
  assert_true((result == first && other == second) || (result == second && other == first));
  double *wide = vector_zero(p->n);
  for (size_t i = 0; i < n; ++i)
    wide[i] = result[i];
  mus_free(a.value), mus_free(inverse), mus_free(right), mus_free(first), mus_free(second);
  return wide;
}

// --- the polynomial ------------------------------------------------------------------------------------------------

static void check_close(const char *name, int order, int n, double *x, const double *expected, double tolerance) {
  double difference = dense_difference(n, x, expected);
  if (!(difference <= tolerance))
    fail_msg("%s, order %d: off by %g", name, order, difference);
  mus_free(x);
}

// Frees the problem.
static void check_polynomial(problem p) {
  pencil dense = pencil_create(&p.a);
  double radius = pencil_radius(&dense), *b = vector_random(p.n, 1), *x = vector_random(p.n, 2);
  double *zero = vector_zero(p.n);
  const double range[] = {2, 10, 100};
  for (int order = 1; order <= ORDERS; ++order)
    for (size_t k = 0; k < sizeof range / sizeof *range; ++k) {
      mus_chebyshev c = {order, 1.02 * radius / range[k], 1.02 * radius};
      double *expected = expected_sweep(&dense, &c, b, x), *from_zero = expected_sweep(&dense, &c, b, zero);
      check_close(p.name, order, p.n, sweep(&p, &c, b, x), expected, 1e-9);
      check_close(p.name, order, p.n, sweep(&p, &c, b, NULL), from_zero, 1e-9);
      check_close(p.name, order, p.n, sweep(&p, &c, b, zero), from_zero, 1e-9);
      check_close(p.name, order, p.n, sweep_f(&p, &c, b, x), expected, 2e-4);
      check_close(p.name, order, p.n, sweep_f(&p, &c, b, NULL), from_zero, 2e-4);
      free(expected), free(from_zero);
    }
  mus_free(b), mus_free(x), mus_free(zero);
  pencil_free(&dense);
  problem_free(&p);
}

static void sweeps_are_chebyshev_polynomials(void **state) {
  (void)state;
  check_polynomial(problem_poisson(6, 1));
  for (int block = 1; block <= 6; ++block)
    check_polynomial(problem_random(18, block, (uint64_t)block));
  check_polynomial(problem_diagonal(5, 3, 1));
  check_polynomial(problem_random(1, 1, 1));
}

static void sweeps_on_cloth_are_chebyshev_polynomials(void **state) {
  (void)state;
  check_polynomial(problem_small_sheet(7, 0, SHEET_DROOPING));
  check_polynomial(problem_small_sheet(7, 1, SHEET_PINNED));
}

// From zero a pass is saved, and the result is the same up to rounding.
static void starting_equals_sweeping_from_zero(void **state) {
  (void)state;
  problem p = problem_small_sheet(25, 1, SHEET_DROOPING);
  double *b = vector_random(p.n, 3), *zero = vector_zero(p.n);
  for (int order = 1; order <= 16; ++order) {
    mus_chebyshev c = {order, 0.25, 2.5};
    double *slow = sweep(&p, &c, b, zero), *slow_f = sweep_f(&p, &c, b, zero);
    check_close("start", order, p.n, sweep(&p, &c, b, NULL), slow, 1e-12);
    check_close("start_f", order, p.n, sweep_f(&p, &c, b, NULL), slow_f, 1e-5);
    mus_free(slow), mus_free(slow_f);
  }
  mus_free(b), mus_free(zero);
  problem_free(&p);
}

// --- passes --------------------------------------------------------------------------------------------------------

// The nodes of a chain that differ from zero, as a distance from its middle.
static int reach(int n, double *x) {
  int farthest = -1;
  for (int i = 0; i < n; ++i)
    if (x[i] != 0 && abs(i - n / 2) > farthest)
      farthest = abs(i - n / 2);
  mus_free(x);
  return farthest;
}

// Each matrix pass carries a disturbance one node further: a sweep of order k makes k, a start k - 1.
static void order_counts_matrix_passes(void **state) {
  (void)state;
  enum { NODES = 41 };
  problem p = problem_chain(NODES);
  double *middle = vector_zero(p.n), *zero = vector_zero(p.n);
  for (int c = 0; c < 3; ++c)
    middle[NODES / 2 * 3 + c] = 1;
  for (int order = 1; order <= 16; ++order) {
    mus_chebyshev c = {order, 0.2, 2};
    assert_int_equal(reach(3 * NODES, sweep(&p, &c, zero, middle)) / 3, order);
    assert_int_equal(reach(3 * NODES, sweep_f(&p, &c, zero, middle)) / 3, order);
    assert_int_equal(reach(3 * NODES, sweep(&p, &c, middle, NULL)) / 3, order - 1);
    assert_int_equal(reach(3 * NODES, sweep_f(&p, &c, middle, NULL)) / 3, order - 1);
  }
  mus_free(middle), mus_free(zero);
  problem_free(&p);
}

// x and other trade places with every pass.
static void buffers_trade_places_with_every_pass(void **state) {
  (void)state;
  problem p = problem_poisson(3, 1);
  double *first = vector_zero(p.n), *second = vector_zero(p.n);
  for (int order = 1; order <= 5; ++order) {
    mus_chebyshev c = {order, 0.2, 2};
    double *x = first, *other = second;
    mus_chebyshev_sweep(&c, &(mus_block_operator){.a = &p.a}, p.inverse_diagonal, p.b, &x, &other);
    assert_ptr_equal(x, order % 2 ? second : first);
    assert_ptr_equal(other, order % 2 ? first : second);
    x = first, other = second;
    mus_chebyshev_start(&c, &(mus_block_operator){.a = &p.a}, p.inverse_diagonal, p.b, &x, &other);
    assert_ptr_equal(x, order % 2 ? first : second);
    assert_ptr_equal(other, order % 2 ? second : first);
  }
  mus_free(first), mus_free(second);
  problem_free(&p);
}

// --- what it is for ------------------------------------------------------------------------------------------------

// Along [low, high] nothing is left larger than 1 / T_k(theta / delta), whatever the error was.
static void errors_in_the_interval_are_damped(void **state) {
  (void)state;
  problem p = problem_poisson(9, 1);
  pencil dense = pencil_create(&p.a);
  double *zero = vector_zero(p.n);
  for (int order = 1; order <= ORDERS; ++order) {
    mus_chebyshev c = {order, pencil_radius(&dense) / 10, pencil_radius(&dense)};
    double bound = 1 / cosh(order * acosh(11.0 / 9));
    for (int k = 0; k < p.n; ++k) {
      double *error = dense.vectors + k * p.n, *left = sweep(&p, &c, zero, error), norm = 0, before = 0;
      for (int i = 0; i < p.n; ++i) {
        norm += left[i] * left[i];
        before += error[i] * error[i];
      }
      double factor = sqrt(norm / before);
      assert_true(factor < 1);
      assert_true(dense.values[k] < c.low || factor < bound * (1 + 1e-9));
      mus_free(left);
    }
  }
  mus_free(zero);
  pencil_free(&dense);
  problem_free(&p);
}

static void the_solution_stays(void **state) {
  (void)state;
  problem p = problem_poisson(8, 1);
  double *x = vector_random(p.n, 4), *b = vector_zero(p.n);
  mus_multiply(&p.a, x, b);
  for (int order = 1; order <= ORDERS; ++order) {
    mus_chebyshev c = {order, 0.2, 2};
    check_close("solution", order, p.n, sweep(&p, &c, b, x), x, 1e-14);
  }
  mus_free(x), mus_free(b);
  problem_free(&p);
}

static void threads_do_not_change_a_bit(void **state) {
  (void)state;
  problem p = problem_small_sheet(41, 1, SHEET_DROOPING);
  double *b = vector_random(p.n, 5), *x = vector_random(p.n, 6);
  mus_chebyshev c = {3, 0.25, 2.5};
  double *(*const kinds[])(const problem *, const mus_chebyshev *, const double *, const double *) = {sweep, sweep_f};
  for (int kind = 0; kind < 2; ++kind)
    for (int from_zero = 0; from_zero < 2; ++from_zero) {
      mus_par_set_threads(1);
      double *one = kinds[kind](&p, &c, b, from_zero ? NULL : x);
      for (int threads = 2; threads <= 7; threads += 5) {
        mus_par_set_threads(threads);
        double *many = kinds[kind](&p, &c, b, from_zero ? NULL : x);
        assert_memory_equal(one, many, (size_t)p.n * sizeof *one);
        mus_free(many);
      }
      mus_free(one);
    }
  mus_par_set_threads(0);
  mus_free(b), mus_free(x);
  problem_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sweeps_are_chebyshev_polynomials),
      cmocka_unit_test(sweeps_on_cloth_are_chebyshev_polynomials),
      cmocka_unit_test(starting_equals_sweeping_from_zero),
      cmocka_unit_test(order_counts_matrix_passes),
      cmocka_unit_test(buffers_trade_places_with_every_pass),
      cmocka_unit_test(errors_in_the_interval_are_damped),
      cmocka_unit_test(the_solution_stays),
      cmocka_unit_test(threads_do_not_change_a_bit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
