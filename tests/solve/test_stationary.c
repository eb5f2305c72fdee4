// Methods without conjugate gradients, Gauss-Seidel alone and Chebyshev's semi-iterative one: the right solution with
// all that a system may have, the same bits on any number of threads, and what their iterations are.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "support/given.h"

static const mus_method methods[] = {MUS_METHOD_GAUSS_SEIDEL, MUS_METHOD_CHEBYSHEV};
enum { METHODS = 2, ROWS = 40, MOST = 12 };

// What comes on top of a random system, by bits.
enum { CONSTRAINED = 1, COUPLED = 2, EQUAL = 4, ALL = 8 };

typedef struct extras {
  mus_constraint constraint[ROWS];
  int pair[MOST][2];
  mus_coupling coupling[MOST];
  mus_equality equality[MOST];
} extras;

static const double apart[2] = {1, -1};

static void add_extras(given *g, int which, uint64_t seed, extras *e) {
  if (which & CONSTRAINED)
    g->count = random_constraints(ROWS, 3, seed + 50, e->constraint);
  for (int k = 0; k < MOST; ++k) {
    e->pair[k][0] = (int)(mus_random_bits(seed, (uint64_t)k) % ROWS);
    e->pair[k][1] = (e->pair[k][0] + 7 + k) % ROWS;
    e->coupling[k] = (mus_coupling){2, e->pair[k], apart, {3, 0, 0, 0, 3, 0, 0, 0, 3}};
    e->equality[k] = (mus_equality){2, {2 * k, 2 * k + 1}, {{1, 0.5, 0}, {-1, 0, 0.3}}, 0.1 * k};
  }
  g->constraint = e->constraint;
  g->coupling = e->coupling;
  g->equality = e->equality;
  g->coupling_count = which & COUPLED ? MOST : 0;
  g->equality_count = which & EQUAL && !(which & CONSTRAINED) ? MOST : 0;
}

static void they_find_the_solution(void **state) {
  (void)state;
  for (int which = 0; which < ALL; ++which) {
    random_system system = random_system_create(ROWS, 3, 3);
    given g = given_random(&system);
    extras e;
    add_extras(&g, which, 5, &e);
    double *reference = given_reference(&g);
    for (int m = 0; m < METHODS; ++m) {
      mus_solver_options options = given_options(methods[m], 1e-13);
      mus_solver *solver = given_solver(&g, &options);
      expect_solution(solver, &g, reference, 1e-9);
      const mus_solve_record *record = mus_solver_record(solver);
      assert_int_equal(record->method, methods[m]);
      assert_true(record->true_residual < 1e-9 && record->iterations > 3 && record->rate < 1);
      expect_solution(solver, &g, reference, 1e-9); // with nothing new
      mus_solver_free(solver);
    }
    free(reference);
    random_system_free(&system);
  }
}

// Couplings that come and go, and values that change, in one solver.
static void they_follow_changes(void **state) {
  (void)state;
  random_system system = random_system_create(ROWS, 3, 4);
  given plain = given_random(&system), coupled = plain, other = plain;
  extras e;
  add_extras(&coupled, COUPLED, 6, &e);
  size_t numbers = 9 * (size_t)plain.row_start[ROWS];
  double *values = malloc(numbers * sizeof *values);
  for (size_t k = 0; k < numbers; ++k)
    values[k] = 2.5 * plain.values[k];
  other.values = values;
  double *reference[3] = {given_reference(&plain), given_reference(&coupled), given_reference(&other)};
  for (int m = 0; m < METHODS; ++m) {
    mus_solver_options options = given_options(methods[m], 1e-13);
    mus_solver *solver = given_solver(&plain, &options);
    expect_solution(solver, &plain, reference[0], 1e-9);
    assert_int_equal(mus_solver_set_couplings(solver, MOST, e.coupling), MUS_OK);
    expect_solution(solver, &coupled, reference[1], 1e-9);
    assert_int_equal(mus_solver_set_couplings(solver, 0, NULL), MUS_OK);
    assert_int_equal(mus_solver_set_values(solver, values), MUS_OK);
    expect_solution(solver, &other, reference[2], 1e-9);
    mus_solver_free(solver);
  }
  for (int k = 0; k < 3; ++k)
    free(reference[k]);
  free(values);
  random_system_free(&system);
}

static void threads_change_no_bits(void **state) {
  (void)state;
  sheet_system sheet = given_cloth(40);
  given g = given_sheet(&sheet);
  size_t bytes = (size_t)g.n * sizeof(double);
  double *x = malloc(bytes), *first = malloc(bytes);
  for (int m = 0; m < METHODS; ++m)
    for (int threads = 1; threads <= 7; threads += 3) {
      mus_solver_options options = given_options(methods[m], 0.05);
      options.threads = threads;
      mus_solver *solver = given_solver(&g, &options);
      given_solve(solver, &g, threads == 1 ? first : x);
      if (threads > 1)
        assert_memory_equal(x, first, bytes);
      mus_solver_free(solver);
    }
  free(x), free(first);
  sheet_system_free(&sheet);
}

static int iterations_of(const given *g, mus_method method, double tolerance) {
  mus_solver_options options = given_options(method, tolerance);
  mus_solver *solver = given_solver(g, &options);
  double *x = malloc((size_t)g->n * sizeof *x);
  given_solve(solver, g, x);
  int iterations = mus_solver_record(solver)->iterations;
  free(x);
  mus_solver_free(solver);
  return iterations;
}

// Acceleration takes the square root of what relaxation needs, and nearly what conjugate gradients do.
static void acceleration_pays(void **state) {
  (void)state;
  sheet_system sheet = given_cloth(31);
  given g = given_sheet(&sheet);
  int plain = iterations_of(&g, MUS_METHOD_GAUSS_SEIDEL, 1e-4),
      accelerated = iterations_of(&g, MUS_METHOD_CHEBYSHEV, 1e-4), krylov = iterations_of(&g, MUS_METHOD_DIAG, 1e-4);
  print_message("gauss-seidel %d, chebyshev %d, diag %d iterations\n", plain, accelerated, krylov);
  assert_true(accelerated < plain / 2 && accelerated < 3 * krylov);
  sheet_system_free(&sheet);
}

static void failing_allocations_are_told(void **state) {
  (void)state;
  random_system system = random_system_create(ROWS, 3, 3);
  given g = given_random(&system);
  extras e;
  add_extras(&g, COUPLED | EQUAL, 5, &e);
  double *reference = given_reference(&g), x[3 * ROWS];
  for (int m = 0; m < METHODS; ++m)
    for (long k = 0, done = 0; !done; ++k) {
      mus_solver_options options = given_options(methods[m], 1e-12);
      mus_solver *solver = given_solver(&g, &options);
      memset(x, 0, sizeof x);
      mus_memory_fail_after(k);
      mus_status status = mus_solver_solve(solver, g.b, x);
      mus_memory_fail_after(-1);
      done = status == MUS_OK;
      assert_true(done || status == MUS_OUT_OF_MEMORY);
      expect_solution(solver, &g, reference, 1e-9);
      mus_solver_free(solver);
    }
  free(reference);
  random_system_free(&system);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(they_find_the_solution), cmocka_unit_test(they_follow_changes),
                                     cmocka_unit_test(threads_change_no_bits), cmocka_unit_test(acceleration_pays),
                                     cmocka_unit_test(failing_allocations_are_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
