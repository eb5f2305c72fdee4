// Several right-hand sides at once: the bits of solves in turn, a record for each, one set-up, and failures of some.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#if defined __SSE__
#include <xmmintrin.h>
#endif

#include "base/memory.h"
#include "base/random.h"
#include "support/given.h"

enum { COLUMNS = 4 };

typedef struct several {
  sheet_system sheet;
  given given;
  size_t n;
  double *b, *x; // COLUMNS vectors
} several;

// Vectors of different sizes, one of them zero.
static several *create(int side) {
  several *s = calloc(1, sizeof *s);
  sheet_options options = sheet_default_options();
  options.side = side;
  options.irregular = 1;
  assert_int_equal(sheet_system_create(&options, &s->sheet), MUS_OK);
  s->given = given_sheet(&s->sheet);
  s->n = (size_t)s->given.n;
  s->b = calloc(COLUMNS * s->n, sizeof *s->b);
  s->x = calloc(COLUMNS * s->n, sizeof *s->x);
  for (size_t k = 0; k < COLUMNS * s->n; ++k)
    s->b[k] = k / s->n == 2 ? 0 : mus_random(3, k) * (k / s->n == 3 ? 1e-120 : 1);
  return s;
}

static void destroy(several *s) {
  sheet_system_free(&s->sheet);
  free(s->b), free(s->x), free(s);
}

static void clear(several *s) { memset(s->x, 0, COLUMNS * s->n * sizeof *s->x); }

static void they_have_the_bits_of_solves_in_turn(void **state) {
  (void)state;
  several *s = create(31);
  double *expected = calloc(COLUMNS * s->n, sizeof *expected);
  const mus_method methods[] = {MUS_METHOD_SA, MUS_METHOD_DIAG, MUS_METHOD_MPCG, MUS_METHOD_AUTO};
  for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m)
    for (int threads = 1; threads <= 3; threads += 2) {
      mus_solver_options options = given_options(methods[m], 1e-8);
      options.recycle = 4;
      options.threads = threads;
      mus_solver *one = given_solver(&s->given, &options), *all = given_solver(&s->given, &options);
      mus_solve_record turn[COLUMNS], record[COLUMNS];
      double last[COLUMNS];
      memset(expected, 0, COLUMNS * s->n * sizeof *expected);
      clear(s);
      for (size_t k = 0; k < COLUMNS; ++k) {
        assert_int_equal(mus_solver_solve(one, s->b + k * s->n, expected + k * s->n), MUS_OK);
        turn[k] = *mus_solver_record(one);
        last[k] = turn[k].residuals[turn[k].iterations];
      }
      assert_int_equal(mus_solver_solve_several(all, COLUMNS, s->b, s->x, record), MUS_OK);
      assert_memory_equal(s->x, expected, COLUMNS * s->n * sizeof *expected);
      for (int k = 0; k < COLUMNS; ++k) {
        assert_int_equal(record[k].status, MUS_OK);
        assert_int_equal(record[k].iterations, turn[k].iterations);
        assert_true(record[k].residuals[record[k].iterations] == last[k]);
        assert_true(record[k].true_residual == turn[k].true_residual);
        if (k > 0 && methods[m] == MUS_METHOD_SA)
          assert_string_equal(record[k].setup, "none");
      }
      assert_int_equal(mus_solver_record(all)->iterations, record[COLUMNS - 1].iterations);
      clear(s);
      assert_int_equal(mus_solver_solve_several(all, COLUMNS, s->b, s->x, NULL), MUS_OK);
      mus_solver_free(one);
      mus_solver_free(all);
    }
  free(expected);
  destroy(s);
}

// A guess that is good already ends one of them at once; what does not converge does not keep the others from it.
static void each_ends_by_itself(void **state) {
  (void)state;
  several *s = create(21);
  mus_solver_options options = given_options(MUS_METHOD_DIAG, 1e-8);
  mus_solver *solver = given_solver(&s->given, &options);
  mus_solve_record record[COLUMNS];
  assert_int_equal(mus_solver_solve_several(solver, COLUMNS, s->b, s->x, record), MUS_OK);
  assert_true(record[0].iterations > 10 && record[2].iterations == 0);
  mus_solver_free(solver);

  options.iterations = 5;
  options.stop = MUS_STOP_RHS;
  solver = given_solver(&s->given, &options);
  memset(s->x, 0, s->n * sizeof *s->x); // the others begin where they end
  expect_status(MUS_NOT_CONVERGED,
                "right-hand side 0: ", mus_solver_solve_several(solver, COLUMNS, s->b, s->x, record));
  assert_int_equal(record[0].status, MUS_NOT_CONVERGED);
  assert_int_equal(record[0].iterations, 5);
  for (int k = 1; k < COLUMNS; ++k)
    assert_int_equal(record[k].status, MUS_OK);
  mus_solver_free(solver);
  destroy(s);
}

static void bad_vectors_are_named_before_anything_is_solved(void **state) {
  (void)state;
  several *s = create(11);
  mus_solver_options options = given_options(MUS_METHOD_SA, 1e-8);
  mus_solver *solver = given_solver(&s->given, &options);
  double *before = calloc(COLUMNS * s->n, sizeof *before);
  s->b[2 * s->n + 5] = (double)INFINITY;
  expect_status(MUS_BAD_INPUT, "right-hand side 2: ", mus_solver_solve_several(solver, COLUMNS, s->b, s->x, NULL));
  assert_memory_equal(s->x, before, COLUMNS * s->n * sizeof *before);
  expect_status(MUS_BAD_INPUT, "-1", mus_solver_solve_several(solver, -1, s->b, s->x, NULL));
  expect_status(MUS_BAD_INPUT, "b is NULL", mus_solver_solve_several(solver, 1, NULL, s->x, NULL));
  expect_status(MUS_BAD_INPUT, "x is NULL", mus_solver_solve_several(solver, 1, s->b, NULL, NULL));
  expect_status(MUS_BAD_INPUT, "solver is NULL", mus_solver_solve_several(NULL, 1, s->b, s->x, NULL));
  assert_int_equal(mus_solver_solve_several(solver, 0, NULL, NULL, NULL), MUS_OK);
  free(before);
  mus_solver_free(solver);
  destroy(s);
}

static void memory_runs_out(void **state) {
  (void)state;
  several *s = create(8);
  mus_solver_options options = given_options(MUS_METHOD_SA, 1e-8);
  mus_status status = MUS_OUT_OF_MEMORY;
  int n = 0;
  for (; status != MUS_OK && n < 5000; ++n) {
    mus_solver *solver = given_solver(&s->given, &options);
    mus_solve_record record[COLUMNS];
    clear(s);
    mus_memory_fail_after(n);
    status = mus_solver_solve_several(solver, COLUMNS, s->b, s->x, record);
    mus_memory_fail_after(-1);
    assert_true(status == MUS_OK || status == MUS_OUT_OF_MEMORY);
    assert_int_equal(record[COLUMNS - 1].status, status);
    mus_solver_free(solver);
  }
  assert_true(n > 1 && status == MUS_OK);
  destroy(s);
}

#if defined __SSE__
// Subnormal numbers are flushed during iterations, and the caller does not notice.
static void the_callers_floating_point_state_stays(void **state) {
  (void)state;
  several *s = create(15);
  mus_solver_options options = given_options(MUS_METHOD_SA, 1e-8);
  mus_solver *solver = given_solver(&s->given, &options);
  const unsigned control = 0xffc0, usual = _mm_getcsr();
  for (unsigned flush = 0; flush <= 0x8040; flush += 0x8040) {
    _mm_setcsr(usual | flush);
    unsigned before = _mm_getcsr() & control;
    clear(s);
    assert_int_equal(mus_solver_solve_several(solver, COLUMNS, s->b, s->x, NULL), MUS_OK);
    assert_int_equal(_mm_getcsr() & control, before);
    assert_int_equal(mus_solver_prepare(solver), MUS_OK);
    assert_int_equal(mus_solver_correct(solver, 0, MUS_CORRECT_CYCLE, s->b, s->x), MUS_OK);
    assert_int_equal(_mm_getcsr() & control, before);
  }
  _mm_setcsr(usual);
  mus_solver_free(solver);
  destroy(s);
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(they_have_the_bits_of_solves_in_turn),
    cmocka_unit_test(each_ends_by_itself),
    cmocka_unit_test(bad_vectors_are_named_before_anything_is_solved),
    cmocka_unit_test(memory_runs_out),
#if defined __SSE__
    cmocka_unit_test(the_callers_floating_point_state_stays),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
