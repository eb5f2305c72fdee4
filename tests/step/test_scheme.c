// The scheme: which one a step gets, and that BDF2 is exact for what is quadratic in time.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "step/scheme.h"

static void bdf2_needs_a_step_before_of_the_same_length(void **state) {
  (void)state;
  mus_state s = {.time = 3};
  assert_int_equal(mus_scheme_choose(2, &s, 0.1).order, 1);
  s.step_before = 0.05;
  assert_int_equal(mus_scheme_choose(2, &s, 0.1).order, 1);
  s.step_before = 0.1;
  assert_int_equal(mus_scheme_choose(1, &s, 0.1).order, 1);
  mus_scheme second = mus_scheme_choose(2, &s, 0.1);
  assert_int_equal(second.order, 2);
  assert_true(second.time == 3.1 && second.h == 0.1 && fabs(second.length - 0.2 / 3) < 1e-15);
  assert_true(mus_scheme_choose(1, &s, 0.1).length == 0.1);
}

// x = 1 + 2 t + 3 t^2 about t = 0, with a step of 0.1 before and after.
static void bdf2_is_exact_for_parabolas(void **state) {
  (void)state;
  double x = 1, before = 1 - 0.2 + 0.03, v = 2 + 0.6, predicted, end;
  mus_state s = {.position = &x, .position_before = &before, .step_before = 0.1};
  mus_scheme second = mus_scheme_choose(2, &s, 0.1), first = mus_scheme_choose(1, &s, 0.1);
  mus_scheme_predict(&second, &s, 1, &predicted);
  mus_scheme_move(&second, 1, &predicted, &v, &end);
  assert_true(fabs(end - 1.23) < 1e-15);
  mus_scheme_predict(&first, &s, 1, &predicted);
  assert_true(predicted == x);
  mus_scheme_move(&first, 1, &predicted, &v, &end);
  assert_true(fabs(end - 1.26) < 1e-15);
}

// Constant acceleration: with forces M a, nothing is left at the velocities that it leads to.
static void right_hand_sides_vanish_at_the_solution(void **state) {
  (void)state;
  double mass = 2, start[3] = {1, 2, 3}, before[3] = {0.5, 2, 3.5}, end[3] = {1.5, 2, 2.5};
  mus_model model = {.vertices = 1, .mass = &mass};
  mus_state s = {.velocity = end, .velocity_before = before, .step_before = 0.1};
  for (int order = 1; order <= 2; ++order) {
    mus_scheme scheme = mus_scheme_choose(order, &s, 0.1);
    double right[3] = {2 * 5, 0, 2 * -5};
    mus_scheme_load(&scheme, &model, start, &s, right);
    for (int c = 0; c < 3; ++c)
      assert_true(fabs(right[c]) < 1e-14);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(bdf2_needs_a_step_before_of_the_same_length),
                                     cmocka_unit_test(bdf2_is_exact_for_parabolas),
                                     cmocka_unit_test(right_hand_sides_vanish_at_the_solution)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
