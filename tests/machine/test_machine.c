// The machine's figures are figures, and the public product is a product.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "muslin/machine.h"

static void figures_make_sense(void **state) {
  (void)state;
  mus_machine one = {0}, two = {0};
  assert_int_equal(mus_machine_measure(1, &one), MUS_OK);
  assert_int_equal(mus_machine_measure(2, &two), MUS_OK);
  assert_int_equal(one.threads, 1);
  assert_int_equal(two.threads, 2);
  assert_true(one.cpu[0] != 0);
  assert_true(one.stream_gb_s > 0.1 && one.stream_gb_s < 1e4);
}

static void product_is_right(void **state) {
  (void)state;
  enum { ROWS = 3, BLOCK = 2 };
  const int row_start[ROWS + 1] = {0, 2, 3, 5}, column[] = {0, 2, 1, 0, 2};
  double values[5 * BLOCK * BLOCK], x[ROWS * BLOCK], y[ROWS * BLOCK];
  for (int i = 0; i < 5 * BLOCK * BLOCK; ++i)
    values[i] = i + 1;
  for (int i = 0; i < ROWS * BLOCK; ++i)
    x[i] = i - 2;
  for (int threads = 0; threads < 3; ++threads) {
    mus_machine_multiply(threads, ROWS, BLOCK, row_start, column, values, x, y);
    for (int row = 0; row < ROWS; ++row)
      for (int i = 0; i < BLOCK; ++i) {
        double sum = 0;
        for (int k = row_start[row]; k < row_start[row + 1]; ++k)
          for (int j = 0; j < BLOCK; ++j)
            sum += values[(k * BLOCK + i) * BLOCK + j] * x[column[k] * BLOCK + j];
        assert_true(sum == y[row * BLOCK + i]); // whole numbers: no rounding
      }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(figures_make_sense), cmocka_unit_test(product_is_right)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
