// Solves that begin from earlier solutions: fewer iterations for systems that change slowly, the accuracy that was
// asked for, no harm from systems that have nothing to do with each other, and the same bits wherever these are
// promised.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "par/vector.h"
#include "sparse/matrix.h"
#include "support/given.h"

enum { STEPS = 8 };

// A sheet that swings: positions of a step, and with them matrix and right-hand side.
static void move(sheet_system *sheet, int step) {
  for (int i = 0; i < sheet->rows; ++i) {
    const double *rest = sheet->rest + 3 * i;
    double phase = 0.15 * step;
    sheet->position[3 * i + 1] = 0.05 * sin(5 * rest[0] + phase) * cos(4 * rest[2] - phase);
  }
  assert_int_equal(sheet_system_assemble(sheet), MUS_OK);
}

static mus_solver_options options_of(mus_method method, double tolerance, int recycle) {
  mus_solver_options options = given_options(method, tolerance);
  options.recycle = recycle;
  return options;
}

static void give(mus_solver *solver, const given *g) {
  assert_int_equal(mus_solver_set_values(solver, g->values), MUS_OK);
  assert_int_equal(mus_solver_set_coordinates(solver, g->positions), MUS_OK);
  assert_int_equal(mus_solver_set_constraints(solver, g->count, g->constraint), MUS_OK);
}

// ||x - y||_A / ||y||_A
static double energy_error(const given *g, const double *x, const double *y) {
  mus_pattern pattern = {g->rows, g->rows, (int *)g->row_start, (int *)g->column};
  mus_matrix a = {&pattern, g->block, g->block, (double *)g->values};
  size_t n = (size_t)g->n;
  double *e = malloc(n * sizeof *e), *q = malloc(n * sizeof *q);
  for (size_t i = 0; i < n; ++i)
    e[i] = x[i] - y[i];
  mus_multiply(&a, e, q);
  double error = mus_dot(n, e, q);
  mus_multiply(&a, y, q);
  error /= mus_dot(n, y, q);
  free(e), free(q);
  return sqrt(error);
}

// Solves all steps from zero. Iterations of those in which as many solutions are at hand as are kept, and the largest
// error of all against solves to the last digit.
static int run(mus_method method, mus_stop stop, int recycle, double *error) {
  sheet_system sheet = given_cloth(25);
  given g = given_sheet(&sheet);
  mus_solver_options options = options_of(method, 1e-5, recycle), exact = options_of(MUS_METHOD_SA, 1e-12, 0);
  options.stop = stop;
  double *x = malloc((size_t)g.n * sizeof *x), *y = malloc((size_t)g.n * sizeof *y);
  mus_solver *solver = given_solver(&g, &options), *reference = given_solver(&g, &exact);
  int iterations = 0;
  *error = 0;
  for (int step = 0; step < STEPS; ++step) {
    move(&sheet, step);
    give(solver, &g);
    give(reference, &g);
    given_solve(solver, &g, x);
    given_solve(reference, &g, y);
    *error = fmax(*error, energy_error(&g, x, y));
    iterations += step >= 4 ? mus_solver_record(solver)->iterations : 0;
  }
  mus_solver_free(solver), mus_solver_free(reference);
  sheet_system_free(&sheet);
  free(x), free(y);
  return iterations;
}

static void slowly_changing_systems_take_fewer_iterations(void **state) {
  (void)state;
  const mus_method methods[] = {MUS_METHOD_SA, MUS_METHOD_DIAG, MUS_METHOD_SKINNING};
  for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m)
    for (int stop = 0; stop < 4; ++stop) {
      double plain_error, error;
      int plain = run(methods[m], (mus_stop)stop, 0, &plain_error), some = run(methods[m], (mus_stop)stop, 4, &error);
      if (some > 0.9 * plain)
        fail_msg("%s to %s: %d iterations in place of %d", mus_method_name(methods[m]), mus_stop_name((mus_stop)stop),
                 some, plain);
      if (error > 3 * plain_error)
        fail_msg("%s to %s: an error of %g in place of %g", mus_method_name(methods[m]), mus_stop_name((mus_stop)stop),
                 error, plain_error);
      if (stop == MUS_STOP_ENERGY)
        assert_true(error <= 1e-5);
    }
}

static void the_same_system_is_solved_at_once(void **state) {
  (void)state;
  sheet_system sheet = given_cloth(41);
  given g = given_sheet(&sheet);
  double *x = malloc((size_t)g.n * sizeof *x);
  const mus_method methods[] = {MUS_METHOD_SA, MUS_METHOD_DIAG, MUS_METHOD_AUTO};
  for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) {
    mus_solver_options options = options_of(methods[m], 1e-5, 4);
    mus_solver *solver = given_solver(&g, &options);
    given_solve(solver, &g, x);
    const mus_solve_record *record = mus_solver_record(solver);
    int first = record->iterations;
    double guess = record->residuals[0];
    given_solve(solver, &g, x);
    assert_true(first > 4 && record->iterations <= 2);
    assert_true(record->residuals[0] == guess); // the norm of what the caller gave
    assert_true(record->residuals[record->iterations] <= 1e-5 * record->reference);
    mus_solver_free(solver);
  }
  free(x);
  sheet_system_free(&sheet);
}

// Right-hand sides that have nothing in common: as many iterations, and now and then a product more.
static void unrelated_systems_do_not_suffer(void **state) {
  (void)state;
  enum { SOLVES = 12 };
  sheet_system sheet = given_cloth(31);
  given g = given_sheet(&sheet);
  size_t n = (size_t)g.n;
  double *x = malloc(n * sizeof *x), *b = malloc(n * sizeof *b);
  const mus_method methods[] = {MUS_METHOD_SA, MUS_METHOD_DIAG};
  for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) {
    mus_solver_options with = options_of(methods[m], 1e-5, 4), without = options_of(methods[m], 1e-5, 0);
    mus_solver *solver = given_solver(&g, &with), *plain = given_solver(&g, &without);
    double work = 0, plain_work = 0;
    for (uint64_t k = 0; k < SOLVES; ++k) {
      mus_fill_random(n, k + 1, b);
      memset(x, 0, n * sizeof *x);
      assert_int_equal(mus_solver_solve(solver, b, x), MUS_OK);
      memset(x, 0, n * sizeof *x);
      assert_int_equal(mus_solver_solve(plain, b, x), MUS_OK);
      assert_true(mus_solver_record(solver)->iterations <= mus_solver_record(plain)->iterations + 1);
      work += mus_solver_work(solver);
      plain_work += mus_solver_work(plain);
    }
    if (work > 1.02 * plain_work)
      fail_msg("%s: %g products in place of %g", mus_method_name(methods[m]), work, plain_work);
    mus_solver_free(solver), mus_solver_free(plain);
  }
  free(x), free(b);
  sheet_system_free(&sheet);
}

// What is held changes from solve to solve, and is held at other values; equalities and couplings too.
static void constraints_may_come_and_go(void **state) {
  (void)state;
  enum { ROWS = 30, BLOCK = 3 };
  random_system s = random_system_create(ROWS, BLOCK, 21);
  const mus_method methods[] = {MUS_METHOD_SA, MUS_METHOD_DIAG};
  mus_constraint constraint[ROWS];
  mus_equality equality = {.count = 2, .node = {3, 20}, .direction = {{0, 1, 0}, {0, -1, 0}}, .value = 0.1};
  const int node[] = {2, 25};
  const double weight[] = {1, -1};
  mus_coupling coupling = {.count = 2, .node = node, .weight = weight, .block = {9, 0, 0, 0, 9, 0, 0, 0, 9}};
  for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) {
    given g = given_random(&s);
    mus_solver_options options = options_of(methods[m], 1e-10, 4);
    mus_solver *solver = given_solver(&g, &options);
    for (int solve = 0; solve < 12; ++solve) {
      g.count = solve % 3 == 2 ? 0 : random_constraints(ROWS, BLOCK, (uint64_t)solve / 2, constraint);
      g.constraint = constraint;
      g.equality_count = solve % 4 == 3;
      g.equality = &equality;
      g.coupling_count = solve % 5 > 2;
      g.coupling = &coupling;
      if (g.equality_count)
        g.count = 0; // random ones may contradict it
      assert_int_equal(mus_solver_set_constraints(solver, g.count, constraint), MUS_OK);
      assert_int_equal(mus_solver_set_equalities(solver, g.equality_count, &equality), MUS_OK);
      assert_int_equal(mus_solver_set_couplings(solver, g.coupling_count, &coupling), MUS_OK);
      double *reference = given_reference(&g);
      expect_solution(solver, &g, reference, 1e-7);
      free(reference);
    }
    mus_solver_free(solver);
  }
  random_system_free(&s);
}

// Some steps, each from a guess of its own.
static void step_on(mus_solver *solver, sheet_system *sheet, const given *g, int first, int end, double *x) {
  for (int step = first; step < end; ++step) {
    move(sheet, step);
    give(solver, g);
    for (int i = 0; i < g->n; ++i)
      x[i] = step % 2 ? 0 : 1e-3 * mus_random(4, (uint64_t)i);
    assert_int_equal(mus_solver_solve(solver, g->b, x), MUS_OK);
  }
}

static void threads_change_no_bits(void **state) {
  (void)state;
  sheet_system sheet = given_cloth(61); // with symmetric storage
  given g = given_sheet(&sheet);
  double *one = malloc((size_t)g.n * sizeof *one), *many = malloc((size_t)g.n * sizeof *many);
  const mus_method methods[] = {MUS_METHOD_SA, MUS_METHOD_DIAG, MUS_METHOD_AUTO};
  for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) {
    mus_solver_options options = options_of(methods[m], 1e-5, 4);
    const int threads[] = {1, 2, 7};
    for (int t = 0; t < 3; ++t) {
      options.threads = threads[t];
      mus_solver *solver = given_solver(&g, &options);
      step_on(solver, &sheet, &g, 0, 4, t == 0 ? one : many);
      if (t > 0)
        assert_memory_equal(one, many, (size_t)g.n * sizeof *one);
      mus_solver_free(solver);
    }
  }
  free(one), free(many);
  sheet_system_free(&sheet);
}

static void a_solver_that_recalls_gives_the_same_bits(void **state) {
  (void)state;
  sheet_system sheet = given_cloth(31);
  given g = given_sheet(&sheet);
  size_t bytes = (size_t)g.n * sizeof(double), size;
  double *x = malloc(bytes), *y = malloc(bytes);
  const mus_method methods[] = {MUS_METHOD_SA, MUS_METHOD_DIAG, MUS_METHOD_AUTO};
  for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) {
    mus_solver_options options = options_of(methods[m], 1e-5, 4);
    mus_solver *first = given_solver(&g, &options), *second = given_solver(&g, &options);
    const void *memory;
    step_on(first, &sheet, &g, 0, 4, x);
    give(second, &g); // coordinates
    assert_int_equal(mus_solver_remember(first, &memory, &size), MUS_OK);
    assert_int_equal(mus_solver_recall(second, memory, size), MUS_OK);
    for (int step = 4; step < 8; ++step) {
      step_on(first, &sheet, &g, step, step + 1, x);
      step_on(second, &sheet, &g, step, step + 1, y);
      assert_memory_equal(x, y, bytes);
      assert_int_equal(mus_solver_record(first)->iterations, mus_solver_record(second)->iterations);
    }
    mus_solver_free(first), mus_solver_free(second);
  }
  free(x), free(y);
  sheet_system_free(&sheet);
}

static void presets_and_ranges(void **state) {
  (void)state;
  mus_solver *solver = NULL;
  mus_solver_options options = mus_default_solver_options();
  for (int preset = MUS_PRESET_PAPER; preset <= MUS_PRESET_ROBUST; ++preset)
    assert_int_equal(mus_preset_solver_options((mus_preset)preset).recycle, 0);
  options.recycle = 8;
  expect_status(MUS_BAD_INPUT, "recycle", mus_solver_create(&options, &solver));
  options.recycle = -1;
  expect_status(MUS_BAD_INPUT, "recycle", mus_solver_create(&options, &solver));
}

// Memory is taken by the first solve, and only where conjugate gradients need it.
static void vectors_are_counted(void **state) {
  (void)state;
  sheet_system sheet = given_cloth(31);
  given g = given_sheet(&sheet);
  double *x = malloc((size_t)g.n * sizeof *x);
  for (int direct = 0; direct < 1 + mus_method_available(MUS_METHOD_CHOLMOD); ++direct) {
    size_t bytes[2];
    for (int recycle = 0; recycle < 2; ++recycle) {
      mus_solver_options options = options_of(direct ? MUS_METHOD_CHOLMOD : MUS_METHOD_DIAG, 1e-5, 4 * recycle);
      mus_solver *solver = given_solver(&g, &options);
      given_solve(solver, &g, x);
      bytes[recycle] = mus_solver_bytes(solver);
      mus_solver_free(solver);
    }
    assert_true(direct ? bytes[1] == bytes[0] : bytes[1] - bytes[0] >= 5 * (size_t)g.n * sizeof(float));
  }
  free(x);
  sheet_system_free(&sheet);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slowly_changing_systems_take_fewer_iterations),
      cmocka_unit_test(the_same_system_is_solved_at_once),
      cmocka_unit_test(unrelated_systems_do_not_suffer),
      cmocka_unit_test(constraints_may_come_and_go),
      cmocka_unit_test(threads_change_no_bits),
      cmocka_unit_test(a_solver_that_recalls_gives_the_same_bits),
      cmocka_unit_test(presets_and_ranges),
      cmocka_unit_test(vectors_are_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
