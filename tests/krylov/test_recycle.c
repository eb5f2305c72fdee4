// Projections onto earlier solutions: the minimum among what these span, by dense algebra; dependent and useless
// vectors; what is kept, and when it is done without.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "constrain/beyond.h"
#include "krylov/cg.h"
#include "par/vector.h"
#include "support/dense.h"
#include "support/sweep.h"

enum { ROWS = 40, BLOCK = 3, N = ROWS * BLOCK };

// A system, its solution, and a store of vectors.
typedef struct bench {
  random_system system;
  mus_block_operator matrix;
  mus_operator a;
  double solution[N];
  mus_recycle recycle;
} bench;

static bench *create(int most) {
  bench *t = calloc(1, sizeof *t);
  t->system = random_system_create(ROWS, BLOCK, 11);
  t->matrix = (mus_block_operator){.a = &t->system.a};
  t->a = mus_block_operator_view(&t->matrix);
  double *dense = dense_from_matrix(&t->system.a);
  dense_solve(N, dense, t->system.b, t->solution);
  free(dense);
  t->recycle = (mus_recycle){.most = most};
  assert_int_equal(mus_recycle_open(&t->recycle, N), MUS_OK);
  return t;
}

static void destroy(bench *t) {
  mus_recycle_free(&t->recycle);
  random_system_free(&t->system);
  free(t);
}

static double energy_error(const bench *t, const double *x) {
  double e[N], q[N];
  for (int i = 0; i < N; ++i)
    e[i] = x[i] - t->solution[i];
  mus_operator_multiply(&t->a, e, q);
  return mus_dot(N, e, q);
}

static void residual(const bench *t, const double *x, double *r) { mus_operator_residual(&t->a, t->system.b, x, r); }

static void it_finds_the_best_that_vectors_span(void **state) {
  (void)state;
  bench *t = create(4);
  double x[N] = {0}, r[N], v[N], dot[5];
  for (uint64_t k = 1; k <= 4; ++k) {
    mus_fill_random(N, k, v);
    mus_recycle_keep(&t->recycle, v);
  }
  mus_lanes_put(N, 5, mus_recycle_lane(&t->recycle), 1, t->system.b, t->recycle.v);
  residual(t, x, r);
  double before = energy_error(t, x), gain = mus_recycle_project(&t->recycle, &t->a, r, x);
  double after = energy_error(t, x);
  assert_true(gain > 0 && after < before);
  assert_true(fabs(before - after - gain) < 1e-9 * before);
  residual(t, x, r); // is orthogonal to all of them, where the error is least
  mus_lanes_dot(N, 5, t->recycle.v, r, dot);
  for (int k = 0; k < 5; ++k)
    assert_true(fabs(dot[k]) < 1e-10 * sqrt(mus_dot(N, t->system.b, t->system.b)));
  destroy(t);
}

static void the_solution_itself_is_found_among_dependent_vectors(void **state) {
  (void)state;
  bench *t = create(4);
  double x[N] = {0}, r[N], v[N];
  for (int k = 0; k < 3; ++k) { // three times the same, scaled
    mus_copy(N, t->solution, v);
    mus_scale(N, k + 1, v);
    mus_recycle_keep(&t->recycle, v);
  }
  residual(t, x, r);
  double before = energy_error(t, x);
  assert_true(mus_recycle_project(&t->recycle, &t->a, r, x) > 0);
  assert_true(energy_error(t, x) < 1e-11 * before); // the square; vectors are in single precision
  destroy(t);
}

static void vectors_that_are_no_use_change_nothing(void **state) {
  (void)state;
  bench *t = create(2);
  double x[N] = {0}, r[N], zero[N] = {0}, huge[N], tiny[N];
  residual(t, x, r);
  assert_true(mus_recycle_project(&t->recycle, &t->a, r, x) == 0); // there are none
  for (int i = 0; i < N; ++i)
    huge[i] = 1e300, tiny[i] = 1e-300;
  mus_recycle_keep(&t->recycle, zero);
  mus_recycle_keep(&t->recycle, huge);
  mus_recycle_keep(&t->recycle, tiny);
  assert_int_equal(t->recycle.count, 0);
  for (int i = 0; i < N; ++i)
    assert_true(x[i] == 0);
  assert_false(mus_recycle_is_due(&t->recycle));
  destroy(t);
}

static void the_oldest_vector_goes_first(void **state) {
  (void)state;
  bench *t = create(2);
  double v[N], back[N];
  for (uint64_t k = 1; k <= 3; ++k) {
    mus_fill_random(N, k, v);
    mus_recycle_keep(&t->recycle, v);
  }
  assert_int_equal(t->recycle.count, 2);
  mus_lanes_get(N, 3, 0, t->recycle.v, back); // where the first was
  mus_scale(N, 1 / sqrt(mus_dot(N, v, v)), v);
  for (int i = 0; i < N; ++i)
    assert_true(fabs(back[i] - v[i]) < 1e-7);
  mus_recycle_free(&t->recycle);
  assert_int_equal(t->recycle.count, 0);
  mus_recycle_keep(&t->recycle, v); // which nobody has asked for
  assert_int_equal(t->recycle.count, 0);
  assert_int_equal(mus_recycle_open(&t->recycle, N), MUS_OK);
  mus_lanes_get(N, 3, 0, t->recycle.v, back);
  assert_true(mus_max_abs(N, back) == 0);
  destroy(t);
}

// What has saved too little is left alone for 1, 2, 4 ... solves, until it has saved enough.
static void it_pauses_where_it_does_not_pay(void **state) {
  (void)state;
  bench *t = create(1);
  const double idle[] = {1, 0.5, 0.25, 0.125}, good[] = {1, 0.01, 0.005, 0.0025};
  mus_recycle_keep(&t->recycle, t->solution);
  for (int pause = 1; pause <= 64; pause *= 2) {
    assert_true(mus_recycle_is_due(&t->recycle));
    mus_recycle_note(&t->recycle, idle, 3, 1);
    for (int k = 0; k < (pause < 32 ? pause : 32); ++k)
      assert_false(mus_recycle_is_due(&t->recycle));
  }
  assert_true(mus_recycle_is_due(&t->recycle));
  mus_recycle_note(&t->recycle, good, 3, 1);
  assert_true(mus_recycle_is_due(&t->recycle));
  mus_recycle_note(&t->recycle, idle, 3, 1);
  assert_false(mus_recycle_is_due(&t->recycle));
  assert_true(mus_recycle_is_due(&t->recycle));
  destroy(t);
}

static mus_status open_one(mus_arena *arena, void *data) {
  (void)arena;
  return mus_recycle_open(data, N);
}

static void memory_may_run_out(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_recycle recycle = {.most = 3};
  double x[N] = {1};
  mus_recycle_keep(&recycle, x); // without memory: nothing happens
  assert_int_equal(sweep_allocations(&arena, open_one, &recycle), 2);
  assert_true(mus_recycle_bytes(&recycle) >= 4 * N * sizeof(float));
  mus_recycle_free(&recycle);
  assert_int_equal(mus_recycle_bytes(&recycle), 0);
  mus_arena_clear(&arena);
}

// --- in conjugate gradients ------------------------------------------------------------------------------------------

static void identity(void *self, const double *r, double *z) {
  (void)self;
  mus_copy(N, r, z);
}

// Every stop: the first norm is that of the guess, the solution is as close as without, iterations are fewer.
static void iterations_end_where_they_would_from_the_guess(void **state) {
  (void)state;
  enum { LIMIT = 500 };
  for (int stop = 0; stop < 4; ++stop)
    for (int has_guess = 0; has_guess < 2; ++has_guess) {
      bench *t = create(4);
      mus_cg_options options = {.tolerance = 1e-6, .iterations = LIMIT, .stop = (mus_stop)stop};
      double work[MUS_CG_VECTORS * N], x[2][N], norm[2][LIMIT + 1], near[N];
      mus_preconditioner m = {.apply = identity};
      mus_cg_result result[2] = {{.residuals = norm[0]}, {.residuals = norm[1]}};
      for (int k = 0; k < 4; ++k) {
        for (int i = 0; i < N; ++i)
          near[i] = t->solution[i] * (1 + 1e-3 * sin(i + k));
        mus_recycle_keep(&t->recycle, near);
      }
      for (int recycled = 0; recycled < 2; ++recycled) {
        mus_copy(N, near, x[recycled]); // the last one, as a caller might
        mus_scale(N, has_guess, x[recycled]);
        assert_int_equal(mus_pcg_recycled(&t->a, NULL, &m, recycled ? &t->recycle : NULL, t->system.b, x[recycled],
                                          &options, work, &result[recycled]),
                         MUS_OK);
      }
      assert_true(result[1].is_projected && !result[0].is_projected);
      assert_true(result[1].iterations < result[0].iterations);
      if (stop != MUS_STOP_ENERGY)
        assert_true(norm[0][0] == norm[1][0] && result[0].reference == result[1].reference);
      else
        assert_true(fabs(norm[1][0] / norm[0][0] - 1) < 0.01 &&
                    fabs(result[1].reference / result[0].reference - 1) < 1e-5);
      assert_true(norm[1][result[1].iterations] <= options.tolerance * result[1].reference);
      double plain = sqrt(energy_error(t, x[0])), recycled = sqrt(energy_error(t, x[1]));
      assert_true(recycled < 10 * plain);
      double scale[N];
      mus_operator_multiply(&t->a, t->solution, scale);
      if (stop == MUS_STOP_ENERGY) // the promise itself
        assert_true(recycled <= options.tolerance * sqrt(mus_dot(N, t->solution, scale)));
      destroy(t);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_finds_the_best_that_vectors_span),
      cmocka_unit_test(the_solution_itself_is_found_among_dependent_vectors),
      cmocka_unit_test(vectors_that_are_no_use_change_nothing),
      cmocka_unit_test(the_oldest_vector_goes_first),
      cmocka_unit_test(it_pauses_where_it_does_not_pay),
      cmocka_unit_test(memory_may_run_out),
      cmocka_unit_test(iterations_end_where_they_would_from_the_guess),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
