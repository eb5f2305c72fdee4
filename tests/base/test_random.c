// Random numbers: known values, range, spread, and that streams differ.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "base/random.h"

// Every machine must give these. Seed 0 is plain splitmix64; the values come from an independent calculation with
// integers of any length.
static void numbers_are_the_same_everywhere(void **state) {
  (void)state;
  static const struct {
    uint64_t seed, k, bits;
    double number;
  } expected[] = {
      {0, 0, 0xE220A8397B1DCDAF, 0x1.8882a0e5ec772p-1},
      {0, 1, 0x6E789E6AA1B965F4, -0x1.18761955e46a0p-3},
      {1, 0, 0xF4A90164C4749E1A, 0x1.d2a4059311d26p-1},
      {42, 1000000, 0xEE1FEE3237CFB13A, 0x1.b87fb8c8df3ecp-1},
      {7, UINT64_MAX, 0x04C393A14A654EF3, -0x1.ecf1b17ad66aep-1},
      {UINT64_MAX, UINT64_MAX, 0x316C0D67BDE611A0, -0x1.3a4fca610867cp-1},
  };
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; ++i) {
    assert_true(mus_random_bits(expected[i].seed, expected[i].k) == expected[i].bits);
    assert_true(mus_random(expected[i].seed, expected[i].k) == expected[i].number);
  }
}

// Mean 0, variance 1/3, neighbours and neighbouring seeds uncorrelated: each within five standard deviations.
static void numbers_are_spread_over_the_range(void **state) {
  (void)state;
  enum { COUNT = 100000 };
  double sum = 0, squares = 0, neighbours = 0, seeds = 0, lowest = 1, highest = -1;
  for (uint64_t k = 0; k < COUNT; ++k) {
    double x = mus_random(3, k);
    assert_true(x >= -1 && x < 1);
    lowest = fmin(lowest, x);
    highest = fmax(highest, x);
    sum += x;
    squares += x * x;
    neighbours += x * mus_random(3, k + 1);
    seeds += x * mus_random(4, k);
  }
  double scale = sqrt(COUNT);
  assert_true(fabs(sum) < 5 * scale * sqrt(1.0 / 3));
  assert_true(fabs(squares - COUNT / 3.0) < 5 * scale * sqrt(4.0 / 45));
  assert_true(fabs(neighbours) < 5 * scale / 3);
  assert_true(fabs(seeds) < 5 * scale / 3);
  assert_true(lowest < -0.999 && highest > 0.999);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_are_the_same_everywhere),
      cmocka_unit_test(numbers_are_spread_over_the_range),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
