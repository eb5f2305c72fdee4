// Every smoother in the list, alone and mixed: its sweeps make errors smaller in the norm of A, its cycle is symmetric
// and definite, also with terms beyond the pattern, and the same bits come out for any number of threads.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "par/par.h"
#include "par/vector.h"
#include "support/smoothed.h"

static const char *const kinds[] = {"chebyshev:2", "gs:1",          "gs:3",          "jacobi:1",
                                    "jacobi:5",    "jacobi:4/gs:2", "gs/chebyshev:3", "sweep"};
enum { KINDS = sizeof kinds / sizeof *kinds };

// ||e - M A e||_A < ||e||_A for the cycle M.
static void makes_errors_smaller(mus_hierarchy *h, const mus_block_operator *a, int n) {
  double *e = mus_alloc(3 * (size_t)n, sizeof *e), *ae = e + n, *z = ae + n;
  mus_operator view = mus_block_operator_view(a);
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    mus_fill_random((size_t)n, seed, e);
    mus_operator_multiply(&view, e, ae);
    double before = mus_dot((size_t)n, e, ae);
    mus_hierarchy_apply(h, ae, z);
    mus_axpy((size_t)n, -1, z, e);
    mus_operator_multiply(&view, e, ae);
    double after = mus_dot((size_t)n, e, ae);
    assert_true(after > 0 && after < before);
  }
  mus_free(e);
}

static void cycles_are_symmetric_and_definite_and_converge(void **state) {
  (void)state;
  problem p = problem_small_sheet(21, 1, SHEET_DROOPING);
  for (int k = 0; k < KINDS; ++k)
    for (int precision = MUS_PRECISION_DOUBLE; precision <= MUS_PRECISION_SINGLE; ++precision) {
      smoothed s = smoothed_create(&p, NULL, kinds[k], (mus_precision)precision);
      expect_symmetric_and_definite(s.hierarchy, p.n, (mus_precision)precision);
      makes_errors_smaller(s.hierarchy, &(mus_block_operator){.a = &p.a}, p.n);
      assert_int_equal(mus_hierarchy_renew(s.hierarchy, &p.a, NULL), MUS_OK);
      makes_errors_smaller(s.hierarchy, &(mus_block_operator){.a = &p.a}, p.n);
      smoothed_free(&s);
    }
  problem_free(&p);
}

// A spring between two far corners, and one between neighbours that the pattern joins too.
static const int ends[2][2] = {{0, 440}, {200, 201}};

static int nodes_of(const void *self, int term, const int **node) {
  (void)self;
  *node = ends[term];
  return 2;
}

static void spring(const void *self, int term, int i, int j, double *out) {
  (void)self, (void)term;
  for (int e = 0; e < 9; ++e)
    out[e] = e % 4 == 0 ? (i == j ? 50 : -50) : 0;
}

static void they_take_what_lies_beyond_the_pattern(void **state) {
  (void)state;
  problem p = problem_small_sheet(21, 0, SHEET_FREE);
  mus_arena arena = {0};
  mus_beyond beyond;
  mus_terms terms = {2, NULL, nodes_of, spring};
  assert_int_equal(mus_beyond_create(&arena, p.rows, 3, &terms, &beyond), MUS_OK);
  for (int k = 0; k < KINDS; ++k)
    for (int precision = MUS_PRECISION_DOUBLE; precision <= MUS_PRECISION_SINGLE; ++precision) {
      smoothed s = smoothed_create(&p, NULL, kinds[k], (mus_precision)precision);
      assert_int_equal(mus_hierarchy_couple(s.hierarchy, &p.a, &beyond), MUS_OK);
      expect_symmetric_and_definite(s.hierarchy, p.n, (mus_precision)precision);
      makes_errors_smaller(s.hierarchy, &(mus_block_operator){.a = &p.a, .beyond = &beyond}, p.n);
      smoothed_free(&s);
    }
  mus_arena_clear(&arena);
  problem_free(&p);
}

static void threads_change_no_bits(void **state) {
  (void)state;
  problem p = problem_small_sheet(45, 1, SHEET_DROOPING);
  double *one = mus_alloc(2 * (size_t)p.n, sizeof *one), *many = one + p.n;
  for (int k = 0; k < KINDS; ++k) {
    int before = mus_par_set_threads(1);
    smoothed s = smoothed_create(&p, NULL, kinds[k], MUS_PRECISION_SINGLE);
    mus_hierarchy_apply(s.hierarchy, p.b, one);
    mus_par_set_threads(5);
    mus_hierarchy_apply(s.hierarchy, p.b, many);
    assert_memory_equal(one, many, (size_t)p.n * sizeof *one);
    mus_par_set_threads(before);
    smoothed_free(&s);
  }
  mus_free(one);
  problem_free(&p);
}

// Symmetric Gauss-Seidel of a chain whose nodes alternate in colour, by hand: for nodes 0, 2, ... then 1, 3, ..., and
// back.
static void gauss_seidel_is_by_colours(void **state) {
  (void)state;
  enum { N = 101 };
  problem p = problem_chain(N);
  mus_smoother_calls calls = mus_gauss_seidel_smoother.in_double;
  mus_multigrid_options options = mus_preset_solver_options(MUS_PRESET_ROBUST).multigrid;
  options.smoother_order = 1;
  mus_arena arena = {0};
  mus_level_system level = {.a = p.a, .diagonal = p.place, .inverse_diagonal = p.inverse_diagonal};
  void *own = NULL;
  assert_int_equal(calls.create(&options, &level, &arena, &own), MUS_OK);
  assert_int_equal(calls.set_up(own, &level), MUS_OK);
  double *x = mus_alloc((size_t)p.n, sizeof *x), *other = mus_alloc((size_t)p.n, sizeof *other), y[3 * N] = {0};
  calls.pre(own, &level, p.b, &x, &other);
  for (int half = 0; half < 4; ++half)
    for (int i = half == 1 || half == 2; i < N; i += 2) {
      double r[3];
      memcpy(r, p.b + 3 * i, sizeof r);
      for (int k = p.pattern->row_start[i]; k < p.pattern->row_start[i + 1]; ++k)
        for (int e = 0; e < 9; ++e)
          r[e / 3] -= p.a.value[9 * k + e] * y[3 * p.pattern->column[k] + e % 3];
      for (int e = 0; e < 9; ++e)
        y[3 * i + e / 3] += p.inverse_diagonal[9 * i + e] * r[e % 3];
    }
  for (int i = 0; i < p.n; ++i)
    assert_true(fabs(x[i] - y[i]) <= 1e-13 * fmax(fabs(y[i]), 1e-6));
  mus_free(x), mus_free(other);
  mus_arena_clear(&arena);
  problem_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(cycles_are_symmetric_and_definite_and_converge),
                                     cmocka_unit_test(they_take_what_lies_beyond_the_pattern),
                                     cmocka_unit_test(threads_change_no_bits),
                                     cmocka_unit_test(gauss_seidel_is_by_colours)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
