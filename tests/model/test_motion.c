// Keyframes and the motion of pins.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "model/motion.h"

static void keys_are_linear_between_and_constant_outside(void **state) {
  (void)state;
  double time[] = {1, 2, 4}, value[] = {0, 10, 1, 20, 5, 0};
  mus_keys keys = {3, 2, time, value};
  const struct {
    double time, value[2];
  } expected[] = {{0, {0, 10}}, {1, {0, 10}},  {1.5, {0.5, 15}}, {2, {1, 20}},
                  {3, {3, 10}}, {3.5, {4, 5}}, {4, {5, 0}},      {99, {5, 0}}};
  for (size_t k = 0; k < sizeof expected / sizeof *expected; ++k) {
    double found[2];
    mus_keys_at(&keys, 2, expected[k].time, NULL, found);
    for (int c = 0; c < 2; ++c)
      assert_true(fabs(found[c] - expected[k].value[c]) < 1e-14);
  }
}

static void without_keys_the_fallback_holds(void **state) {
  (void)state;
  mus_keys none = {0};
  double fallback[] = {0, -9.81, 0}, found[3];
  mus_keys_at(&none, 3, 5, fallback, found);
  assert_memory_equal(found, fallback, sizeof found);
}

static void pins_start_where_they_are_and_swing(void **state) {
  (void)state;
  double time[] = {0, 1}, value[] = {0, 0, 0, 1, 0, 0}, target[3];
  const double start[] = {3, 2, 1};
  mus_pin pin = mus_default_pin();
  pin.offset = (mus_keys){2, 3, time, value};
  pin.amplitude[1] = 0.5;
  pin.frequency = 2;
  pin.phase = 0.3;
  mus_pin_target(&pin, 0, start, target);
  assert_memory_equal(target, start, sizeof start);
  mus_pin_target(&pin, 0.75, start, target);
  assert_true(fabs(target[0] - 3.75) < 1e-14 && target[2] == 1);
  assert_true(fabs(target[1] - 2 - 0.5 * (sin(2 * 3.14159265358979323846 * 2 * 0.75 + 0.3) - sin(0.3))) < 1e-14);
}

// About x first, then y, then z, around the pivot; the offset comes after.
static void pins_turn_around_their_pivot(void **state) {
  (void)state;
  double time[] = {0, 4}, turn[] = {0, 0, 0, 720, 0, 0}, target[3];
  const double start[] = {5, 2, 7};
  mus_pin pin = mus_default_pin();
  pin.turn = (mus_keys){2, 3, time, turn};
  pin.pivot[1] = 1;
  pin.pivot[2] = 7;
  mus_pin_target(&pin, 0, start, target);
  assert_memory_equal(target, start, sizeof start);
  mus_pin_target(&pin, 0.5, start, target); // a quarter: y goes to z
  assert_true(target[0] == 5 && fabs(target[1] - 1) < 1e-14 && fabs(target[2] - 8) < 1e-14);
  mus_pin_target(&pin, 2, start, target); // a whole turn
  assert_true(fabs(target[1] - 2) < 1e-14 && fabs(target[2] - 7) < 1e-14);
  double once = 0, all[] = {90, 90, 90}, offset[] = {10, 20, 30};
  const double unit[] = {0, 1, 0};
  pin = mus_default_pin();
  pin.turn = (mus_keys){1, 3, &once, all};
  pin.offset = (mus_keys){1, 3, &once, offset};
  mus_pin_target(&pin, 0, unit, target); // y to z, z to x, x to y
  assert_true(fabs(target[0] - 10) < 1e-14 && fabs(target[1] - 21) < 1e-14 && fabs(target[2] - 30) < 1e-14);
}

static void pins_hold_in_their_time_only(void **state) {
  (void)state;
  mus_pin pin = mus_default_pin();
  assert_true(mus_pin_holds(&pin, 0) && mus_pin_holds(&pin, 1e6));
  pin.from = 1;
  pin.to = 2;
  assert_false(mus_pin_holds(&pin, 0.999));
  assert_true(mus_pin_holds(&pin, 1) && mus_pin_holds(&pin, 2));
  assert_false(mus_pin_holds(&pin, 2.001));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(keys_are_linear_between_and_constant_outside), cmocka_unit_test(without_keys_the_fallback_holds),
      cmocka_unit_test(pins_start_where_they_are_and_swing), cmocka_unit_test(pins_turn_around_their_pivot),
      cmocka_unit_test(pins_hold_in_their_time_only)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
