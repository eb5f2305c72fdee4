// Rates of cycles, as the factor of the residual per cycle, far from the start.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/check.h"
#include "support/lattice_rates.h"

enum { ENDS = 3 };

// Zhu et al. 2010 have 0.26 at a ratio of 0.2 and 0.28 at 0.49 (figure 10).
static void rates_do_not_depend_on_poissons_ratio(void **state) {
  (void)state;
  const double ratios[] = {0.2, 0.49, 0.4999999};
  for (size_t k = 0; k < sizeof ratios / sizeof *ratios; ++k)
    assert_true(box_rate(32, ENDS, ratios[k], 0, 2) < 0.2);
}

// A level that holds walls where it has cells, rather than where the finest has them, is too soft: the rate of V-cycles
// would be 0.46 with three levels, 0.65 with four and 0.8 with five.
static void walls_stay_where_they_are(void **state) {
  (void)state;
  const int held[] = {1, ENDS, 63};
  for (size_t k = 0; k < sizeof held / sizeof *held; ++k)
    for (int side = 16; side <= 32; side *= 2)
      assert_true(box_rate(side, held[k], 0.3, 0, 1) < 0.22);
}

// A ball that is held by little: corrections that are combined make up for what boundaries cost.
static void weakly_held_shapes_lose_four_orders_in_eight_cycles(void **state) {
  (void)state;
  assert_true(ball_residual(20, 0.475, 8) < 1e-4);
}

// With a step of a frame, 1/24 s, rubber of the size of a hand: soft enough for inertia to matter.
static void implicit_steps_converge_faster(void **state) {
  (void)state;
  double inertia = 1000 * 24.0 * 24;
  assert_true(box_rate(16, ENDS, 0.4, inertia, 2) < 0.1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rates_do_not_depend_on_poissons_ratio),
      cmocka_unit_test(walls_stay_where_they_are),
      cmocka_unit_test(weakly_held_shapes_lose_four_orders_in_eight_cycles),
      cmocka_unit_test(implicit_steps_converge_faster),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
