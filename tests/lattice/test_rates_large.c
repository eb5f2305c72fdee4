// Rates of cycles on boxes whose ends are held do not depend on their size, nor on Poisson's ratio.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/check.h"
#include "support/lattice_rates.h"

enum { ENDS = 3 };

static void rates_at(int side, int visits, double highest) {
  const double ratios[] = {0.2, 0.45, 0.49, 0.4999, 0.4999999};
  for (size_t k = 0; k < sizeof ratios / sizeof *ratios; ++k) {
    double rate = box_rate(side, ENDS, ratios[k], 0, visits);
    print_message("%d^3, nu %.7g, %s-cycles: %.3f\n", side, ratios[k], visits > 1 ? "K" : "V", rate);
    assert_true(rate < highest);
  }
}

static void rates_hold_at_32(void **state) {
  (void)state;
  rates_at(32, 1, 0.2);
  rates_at(32, 2, 0.15);
}

static void rates_hold_at_64(void **state) {
  (void)state;
  rates_at(64, 1, 0.2);
  rates_at(64, 2, 0.15);
}

static void rates_hold_at_128(void **state) {
  (void)state;
  rates_at(128, 1, 0.2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rates_hold_at_32),
      cmocka_unit_test(rates_hold_at_64),
      cmocka_unit_test(rates_hold_at_128),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
