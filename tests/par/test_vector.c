// Vector updates and sums: against plain loops, for odd lengths, and with the same bits for any number of threads.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "par/par.h"
#include "par/vector.h"

// Around the lengths at which loops are split (multiples of 4096), and one at which runs grow longer (1024 * 4096).
static const size_t lengths[] = {0,    1,    2,    3,     4,     5,     7,         511,        513,
                                 4095, 4096, 4097, 12287, 12289, 50001, 1024 * 97, 4194304 + 5};
static const int thread_counts[] = {1, 2, 3, 7};
enum {
  LENGTHS = sizeof lengths / sizeof lengths[0],
  THREAD_COUNTS = sizeof thread_counts / sizeof thread_counts[0],
  SHORT_LENGTHS = LENGTHS - 1 // those that a plain loop gets through in no time
};

// Four vectors of one length, filled with random numbers.
typedef struct vectors {
  mus_arena arena;
  double *x, *y, *p, *q;
} vectors;

static void fill(vectors *v, size_t n) {
  mus_fill_random(n, 1, v->x);
  mus_fill_random(n, 2, v->y);
  mus_fill_random(n, 3, v->p);
  mus_fill_random(n, 4, v->q);
}

static vectors create(size_t n) {
  vectors v = {{0}, NULL, NULL, NULL, NULL};
  double **all[] = {&v.x, &v.y, &v.p, &v.q};
  for (int i = 0; i < 4; ++i) {
    *all[i] = mus_arena_alloc(&v.arena, n, sizeof(double));
    assert_non_null(*all[i]);
  }
  fill(&v, n);
  return v;
}

static int restore_threads(void **state) {
  (void)state;
  mus_par_set_threads(0);
  return 0;
}

static void random_entries_are_those_of_the_stream(void **state) {
  (void)state;
  for (int l = 0; l < SHORT_LENGTHS; ++l) {
    vectors v = create(lengths[l]);
    for (size_t i = 0; i < lengths[l]; ++i)
      assert_true(v.y[i] == mus_random(2, i));
    mus_arena_clear(&v.arena);
  }
}

static void dot_is_the_sum_of_products(void **state) {
  (void)state;
  for (int l = 0; l < SHORT_LENGTHS; ++l) {
    size_t n = lengths[l];
    vectors v = create(n);
    double sum = 0, size = 0;
    for (size_t i = 0; i < n; ++i) {
      sum += v.x[i] * v.y[i];
      size += fabs(v.x[i] * v.y[i]);
    }
    assert_true(fabs(mus_dot(n, v.x, v.y) - sum) <= (double)n * DBL_EPSILON * size);
    mus_arena_clear(&v.arena);
  }
}

// Small whole numbers add up without rounding, so a number that is left out or taken twice shows at any length.
static void dot_takes_every_entry_once(void **state) {
  (void)state;
  for (int l = 0; l < LENGTHS; ++l) {
    size_t n = lengths[l];
    vectors v = create(n);
    double sum = 0;
    for (size_t i = 0; i < n; ++i) {
      v.x[i] = (double)(i % 1021);
      v.y[i] = (double)(i % 3) - 1;
      sum += v.x[i] * v.y[i];
    }
    assert_true(mus_dot(n, v.x, v.y) == sum);
    mus_arena_clear(&v.arena);
  }
}

static void updates_match_plain_loops(void **state) {
  (void)state;
  for (int l = 0; l < SHORT_LENGTHS; ++l) {
    size_t n = lengths[l];
    vectors v = create(n), expected = create(n);
    mus_scale(n, 0.75, v.x);
    mus_axpy(n, -1.5, v.x, v.y);
    mus_xpay(n, v.y, 0.3, v.p);
    mus_copy(n, v.p, v.q);
    for (size_t i = 0; i < n; ++i) {
      expected.x[i] *= 0.75;
      expected.y[i] += -1.5 * expected.x[i];
      expected.p[i] = expected.y[i] + 0.3 * expected.p[i];
      assert_true(v.x[i] == expected.x[i] && v.y[i] == expected.y[i]);
      assert_true(v.p[i] == expected.p[i] && v.q[i] == expected.p[i]);
    }
    mus_fill(n, -2.5, v.x);
    for (size_t i = 0; i < n; ++i)
      assert_true(v.x[i] == -2.5);
    mus_arena_clear(&v.arena);
    mus_arena_clear(&expected.arena);
  }
}

// --- the passes of conjugate gradients ------------------------------------------------------------------------------

static float *singles(vectors *v, size_t n, const double *from) {
  float *single = mus_arena_alloc(&v->arena, n + 1, sizeof *single);
  assert_non_null(single);
  mus_to_float(n, 1, from, single);
  single[n] = 99;
  return single;
}

static void cg_residual_is_an_update_and_a_dot(void **state) {
  (void)state;
  for (int l = 0; l < SHORT_LENGTHS; ++l) {
    size_t n = lengths[l];
    vectors v = create(n), expected = create(n);
    float *rounded = singles(&v, n, v.x);
    double square = mus_cg_residual(n, 0.4, v.q, v.y);
    mus_axpy(n, -0.4, expected.q, expected.y);
    assert_memory_equal(v.y, expected.y, n * sizeof(double));
    assert_true(square == mus_dot(n, expected.y, expected.y));
    fill(&v, n);
    assert_true(square == mus_cg_residual_f(n, 0.4, v.q, v.y, 1.5, rounded));
    assert_memory_equal(v.y, expected.y, n * sizeof(double));
    for (size_t i = 0; i < n; ++i)
      assert_true(rounded[i] == (float)(1.5 * v.y[i]));
    assert_true(rounded[n] == 99);
    mus_arena_clear(&v.arena);
    mus_arena_clear(&expected.arena);
  }
}

static void cg_advance_is_two_updates(void **state) {
  (void)state;
  for (int l = 0; l < SHORT_LENGTHS; ++l) {
    size_t n = lengths[l];
    vectors v = create(n), expected = create(n);
    float *z = singles(&v, n, v.q);
    mus_cg_advance(n, 0.4, v.q, 0.7, v.x, v.p);
    mus_axpy(n, 0.4, expected.p, expected.x);
    mus_xpay(n, expected.q, 0.7, expected.p);
    assert_memory_equal(v.x, expected.x, n * sizeof(double));
    assert_memory_equal(v.p, expected.p, n * sizeof(double));
    fill(&v, n);
    fill(&expected, n);
    mus_to_double(n, 1.25, z, expected.q);
    mus_cg_advance_f(n, 0.4, 1.25, z, 0.7, v.x, v.p);
    mus_axpy(n, 0.4, expected.p, expected.x);
    mus_xpay(n, expected.q, 0.7, expected.p);
    assert_memory_equal(v.x, expected.x, n * sizeof(double));
    assert_memory_equal(v.p, expected.p, n * sizeof(double));
    mus_arena_clear(&v.arena);
    mus_arena_clear(&expected.arena);
  }
}

static void dot_with_singles_takes_every_entry_once(void **state) {
  (void)state;
  for (int l = 0; l < LENGTHS; ++l) {
    size_t n = lengths[l];
    vectors v = create(n);
    double sum = 0;
    for (size_t i = 0; i < n; ++i) {
      v.x[i] = (double)(i % 1021);
      v.y[i] = (double)(i % 3) - 1;
      sum += v.x[i] * v.y[i];
    }
    assert_true(mus_dot_f(n, v.x, singles(&v, n, v.y)) == sum);
    mus_arena_clear(&v.arena);
  }
}

static void single_precision_is_added_in_double(void **state) {
  (void)state;
  for (int l = 0; l < SHORT_LENGTHS; ++l) {
    size_t n = lengths[l];
    vectors v = create(n), expected = create(n);
    const float *x = singles(&v, n, v.x);
    mus_axpy_f(n, 0.3, x, v.y);
    for (size_t i = 0; i < n; ++i)
      assert_true(v.y[i] == expected.y[i] + 0.3 * (double)x[i]);
    mus_arena_clear(&v.arena);
    mus_arena_clear(&expected.arena);
  }
}

static void updates_write_nothing_past_the_end(void **state) {
  (void)state;
  for (int l = 0; l < SHORT_LENGTHS; ++l) {
    size_t n = lengths[l];
    vectors v = create(n + 1);
    v.x[n] = v.y[n] = v.p[n] = 99;
    mus_fill(n, 1, v.x);
    mus_fill_random(n, 5, v.y);
    mus_scale(n, 2, v.x);
    mus_axpy(n, 2, v.x, v.y);
    mus_xpay(n, v.x, 2, v.y);
    mus_copy(n, v.x, v.p);
    mus_cg_residual(n, 2, v.q, v.y);
    mus_cg_advance(n, 2, v.q, 2, v.x, v.p);
    assert_true(v.x[n] == 99 && v.y[n] == 99 && v.p[n] == 99);
    mus_arena_clear(&v.arena);
  }
}

static void conversions_scale_and_round(void **state) {
  (void)state;
  for (int l = 0; l < SHORT_LENGTHS; ++l) {
    size_t n = lengths[l];
    vectors v = create(n);
    float *single = mus_arena_alloc(&v.arena, n, sizeof *single);
    assert_non_null(single);
    mus_to_float(n, 1.1, v.x, single);
    mus_to_double(n, 0.7, single, v.y);
    for (size_t i = 0; i < n; ++i) {
      assert_true(single[i] == (float)(1.1 * v.x[i]));
      assert_true(v.y[i] == 0.7 * (double)single[i]);
    }
    mus_arena_clear(&v.arena);
  }
}

static void max_abs_finds_the_largest_anywhere(void **state) {
  (void)state;
  assert_true(mus_max_abs(0, NULL) == 0);
  for (int l = 1; l < LENGTHS; ++l) {
    size_t n = lengths[l];
    const size_t places[] = {0, n / 2, n - 1};
    vectors v = create(n);
    for (int k = 0; k < 3; ++k) {
      double kept = v.x[places[k]];
      v.x[places[k]] = k == 1 ? 3.5 : -3.5;
      assert_true(mus_max_abs(n, v.x) == 3.5);
      v.x[places[k]] = -INFINITY;
      assert_true(mus_max_abs(n, v.x) == INFINITY);
      v.x[places[k]] = kept;
    }
    mus_arena_clear(&v.arena);
  }
}

// NaN must not hide behind larger numbers, infinity or a later run, wherever it stands.
static void max_abs_is_nan_when_any_entry_is(void **state) {
  (void)state;
  for (int l = 1; l < LENGTHS; ++l) {
    size_t n = lengths[l];
    const size_t places[] = {0, n / 2, n - 1};
    vectors v = create(n);
    for (int k = 0; k < 3; ++k) {
      double kept = v.x[places[k]];
      v.x[places[k]] = k == 0 ? -NAN : NAN;
      assert_true(isnan(mus_max_abs(n, v.x)));
      if (n > 1) {
        size_t other = places[(k + 1) % 3] != places[k] ? places[(k + 1) % 3] : places[(k + 2) % 3];
        double kept_other = v.x[other];
        v.x[other] = INFINITY;
        assert_true(isnan(mus_max_abs(n, v.x)));
        v.x[other] = kept_other;
      }
      v.x[places[k]] = kept;
    }
    mus_arena_clear(&v.arena);
  }
}

static void sums_have_the_same_bits_for_any_number_of_threads(void **state) {
  (void)state;
  for (int l = 0; l < LENGTHS; ++l) {
    size_t n = lengths[l];
    vectors v = create(n), first = create(n);
    float *rounded = singles(&v, n, v.x);
    double dot = 0, squares = 0, largest = 0, mixed = 0;
    for (int t = 0; t < THREAD_COUNTS; ++t) {
      mus_par_set_threads(thread_counts[t]);
      fill(&v, n);
      double dot_now = mus_dot(n, v.x, v.y), squares_now = mus_cg_residual_f(n, 0.3, v.q, v.y, 1, rounded);
      double mixed_now = mus_dot_f(n, v.x, rounded);
      mus_cg_advance_f(n, 0.3, 2, rounded, 0.1, v.x, v.p);
      double largest_now = mus_max_abs(n, v.y);
      if (t == 0) {
        dot = dot_now, squares = squares_now, largest = largest_now, mixed = mixed_now;
        mus_copy(n, v.x, first.x);
        mus_copy(n, v.y, first.y);
      }
      assert_true(dot_now == dot && squares_now == squares && largest_now == largest && mixed_now == mixed);
      assert_int_equal(memcmp(v.x, first.x, n * sizeof(double)), 0);
      assert_int_equal(memcmp(v.y, first.y, n * sizeof(double)), 0);
    }
    mus_arena_clear(&v.arena);
    mus_arena_clear(&first.arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_entries_are_those_of_the_stream),
      cmocka_unit_test(dot_is_the_sum_of_products),
      cmocka_unit_test(dot_takes_every_entry_once),
      cmocka_unit_test(updates_match_plain_loops),
      cmocka_unit_test(cg_residual_is_an_update_and_a_dot),
      cmocka_unit_test(cg_advance_is_two_updates),
      cmocka_unit_test(dot_with_singles_takes_every_entry_once),
      cmocka_unit_test(single_precision_is_added_in_double),
      cmocka_unit_test(updates_write_nothing_past_the_end),
      cmocka_unit_test(conversions_scale_and_round),
      cmocka_unit_test(max_abs_finds_the_largest_anywhere),
      cmocka_unit_test(max_abs_is_nan_when_any_entry_is),
      cmocka_unit_test_teardown(sums_have_the_same_bits_for_any_number_of_threads, restore_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
