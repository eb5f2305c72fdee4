// Operators: what they offer is used, and what they lack is made up for.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "par/operator.h"

enum { N = 3 };

static void triple(const void *self, const double *x, double *y) {
  ++*(int *)self;
  for (int k = 0; k < N; ++k)
    y[k] = 3 * x[k];
}

static double triple_dot(const void *self, const double *x, double *y) {
  triple(self, x, y);
  return -1; // no dot product, to be told from one
}

static void triple_residual(const void *self, const double *b, const double *x, double *r) {
  ++*(int *)self;
  for (int k = 0; k < N; ++k)
    r[k] = b[k] - 3 * x[k] + 100;
}

static void what_is_missing_is_made_up_for(void **state) {
  (void)state;
  int calls = 0;
  const double x[N] = {1, 2, 3}, b[N] = {10, 20, 40};
  double y[N], r[N];
  mus_operator plain = {.space = &mus_host, .size = N, .self = &calls, .multiply = triple};
  mus_operator_multiply(&plain, x, y);
  assert_true(y[0] == 3 && y[1] == 6 && y[2] == 9);
  assert_true(mus_operator_multiply_dot(&plain, x, y) == 3 + 12 + 27);
  mus_operator_residual(&plain, b, x, r);
  assert_true(r[0] == 7 && r[1] == 14 && r[2] == 31);
  assert_int_equal(calls, 3);
}

static void what_is_offered_is_used(void **state) {
  (void)state;
  int calls = 0;
  const double x[N] = {1, 2, 3}, b[N] = {10, 20, 40};
  double y[N], r[N];
  mus_operator rich = {&mus_host, N, &calls, triple, triple_dot, triple_residual, NULL};
  assert_true(mus_operator_multiply_dot(&rich, x, y) == -1);
  mus_operator_residual(&rich, b, x, r);
  assert_true(r[0] == 107 && r[1] == 114 && r[2] == 131);
  assert_int_equal(calls, 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_missing_is_made_up_for),
      cmocka_unit_test(what_is_offered_is_used),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
