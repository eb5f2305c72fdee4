// Estimates of the energy norm of errors against those by dense solves, and on terms that are known.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "constrain/beyond.h"
#include "krylov/cg.h"
#include "krylov/estimate.h"
#include "par/vector.h"
#include "sheet_system.h"
#include "support/dense.h"

enum { LIMIT = 4000 };

// Errors that fall by the same factor with every iteration: the sum of all terms is known.
static void steady_errors_are_found(void **state) {
  (void)state;
  for (double rate = 0.05; rate < 0.95; rate += 0.1) {
    enum { COUNT = 60 };
    double term[COUNT + 1], square = 4;
    mus_estimate e;
    mus_estimate_begin(&e, term, 5);
    for (int k = 0; k < COUNT; ++k) {
      mus_estimate_add(&e, square * (1 - rate));
      square *= rate;
      if (isfinite(e.square)) { // hardly ever too small, and not much too large
        double before = 4 * pow(rate, e.next - 1), error = 4 * pow(rate, e.next);
        int is_before = e.square > 0.98 * before && e.square < 1.3 * before;
        int is_next = e.square > 0.98 * error && e.square < 1.6 * error;
        if (!is_before && !is_next)
          fail_msg("rate %g, term %d: %g instead of %g", rate, k, e.square, error);
      }
    }
    assert_true(e.next > 0);
    assert_true(fabs(mus_estimate_solution(&e) - 3) < 0.2);
    mus_estimate_end(&e);
    for (int k = 0; k < COUNT / 2; ++k)
      assert_true(fabs(term[k] - 2 * pow(rate, 0.5 * k)) < 0.15 * term[k]);
    for (int k = 1; k <= COUNT; ++k)
      assert_true(term[k] <= term[k - 1]);
  }
}

// Errors that hardly fall for a while: nothing is known before they do.
static void a_plateau_is_waited_for(void **state) {
  (void)state;
  double term[64];
  mus_estimate e;
  mus_estimate_begin(&e, term, 0);
  for (int k = 0; k < 20; ++k) {
    mus_estimate_add(&e, 1);
    assert_false(mus_estimate_is_below(&e, 0.5));
  }
  for (int k = 0; k < 12; ++k)
    mus_estimate_add(&e, pow(0.1, k));
  assert_true(mus_estimate_is_below(&e, 0.5));
}

static void no_terms_and_negative_ones_do_no_harm(void **state) {
  (void)state;
  double term[8] = {NAN};
  mus_estimate e;
  mus_estimate_begin(&e, term, 4);
  assert_false(mus_estimate_is_below(&e, 1));
  assert_true(mus_estimate_solution(&e) == 2);
  mus_estimate_add(&e, -1);
  mus_estimate_add(&e, 0);
  mus_estimate_add(&e, -3);
  mus_estimate_end(&e);
  for (int k = 0; k <= 3; ++k)
    assert_true(term[k] >= 0);
}

// --- errors of iterations
// ---------------------------------------------------------------------------------------------

typedef struct jacobi {
  const mus_matrix *a;
  double *inverse;
} jacobi;

static void apply(void *self, const double *r, double *z) {
  const jacobi *j = self;
  mus_block_diagonal_multiply(j->a->pattern->rows, j->a->row_block, 1, j->inverse, r, z);
}

static double energy_norm(const mus_matrix *a, int n, const double *x, const double *y) {
  double *e = malloc(2 * (size_t)n * sizeof *e), *ae = e + n;
  for (int i = 0; i < n; ++i)
    e[i] = x[i] - (y ? y[i] : 0);
  mus_multiply(a, e, ae);
  double norm = sqrt(mus_dot((size_t)n, e, ae));
  free(e);
  return norm;
}

enum { CONJUGATE, STATIONARY, SEMI_ITERATIVE, KINDS };

// The error is below the tolerance when it stops, whatever iterates, from zero and from a guess. It could not have
// stopped much earlier.
static void errors_are_below_the_tolerance(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 12; ++seed)
    for (int kind = 0; kind < KINDS; ++kind)
      for (int guess = 0; guess < 2; ++guess) {
        random_system s = random_system_create(40, 3, seed);
        size_t n = (size_t)s.n;
        double *dense = dense_from_matrix(&s.a), *exact = malloc(n * sizeof *exact), *x = calloc(n, sizeof *x);
        double *work = malloc(MUS_CG_VECTORS * n * sizeof *work), residuals[LIMIT + 1];
        jacobi j = {&s.a, malloc(3 * n * sizeof *j.inverse)};
        assert_true(exact && x && work && j.inverse);
        dense_solve(s.n, dense, s.b, exact);
        assert_int_equal(mus_inverse_diagonal(&s.a, s.place, j.inverse), MUS_OK);
        for (size_t i = 0; i < 3 * n && kind == STATIONARY; ++i)
          j.inverse[i] *= 0.3; // so that it converges
        mus_preconditioner m = {.self = &j, .apply = apply};
        mus_block_operator matrix = {.a = &s.a};
        mus_operator a = mus_block_operator_view(&matrix);
        mus_cg_options options = {.tolerance = 1e-5, .iterations = LIMIT, .stop = MUS_STOP_ENERGY};
        mus_cg_result result = {.residuals = residuals};
        for (size_t i = 0; i < n && guess; ++i)
          x[i] = exact[i] * (1 + 0.01 * sin((double)i));
        double size = energy_norm(&s.a, s.n, exact, NULL);
        mus_status status = kind == CONJUGATE    ? mus_pcg(&a, NULL, &m, s.b, x, &options, work, &result)
                            : kind == STATIONARY ? mus_stationary(&a, NULL, &m, s.b, x, &options, work, &result)
                                                 : mus_semi_iterative(&a, NULL, &m, 3, s.b, x, &options, work, &result);
        assert_int_equal(status, MUS_OK);
        assert_true(fabs(result.reference - size) < 1e-3 * size);
        assert_true(energy_norm(&s.a, s.n, x, exact) <= 1e-5 * size);
        assert_true(residuals[result.iterations] <= 1e-5 * result.reference);
        // The norms are those of the iterates, and of the last but a few iterates they are above the tolerance.
        int first = 0;
        while (residuals[first] > 1e-5 * result.reference)
          ++first;
        assert_true(result.iterations - first <= 3 + result.iterations / 2);
        if (kind == CONJUGATE && !guess) {
          options = (mus_cg_options){.tolerance = 0, .iterations = result.iterations / 2, .stop = MUS_STOP_ENERGY};
          mus_cg_result half = {.residuals = malloc((LIMIT + 1) * sizeof(double))};
          mus_fill(n, 0, x);
          assert_int_equal(mus_pcg(&a, NULL, &m, s.b, x, &options, work, &half), MUS_NOT_CONVERGED);
          double error = energy_norm(&s.a, s.n, x, exact), told = residuals[half.iterations];
          assert_true(fabs(told - error) < 0.05 * error);
          free(half.residuals);
        }
        free(dense), free(exact), free(x), free(work), free(j.inverse);
        random_system_free(&s);
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steady_errors_are_found),
      cmocka_unit_test(a_plateau_is_waited_for),
      cmocka_unit_test(no_terms_and_negative_ones_do_no_harm),
      cmocka_unit_test(errors_are_below_the_tolerance),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
