// Contact in steps as long as a frame: friction as Coulomb has it, what lies stays, what falls is caught, one step a
// frame.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "par/par.h"
#include "sim/access.h"
#include "support/check.h"
#include "support/runs.h"

#define FRAMES "\"frame_rate\": 24, \"time_step\": 0.0417, \"integrator\": \"minimise\", "

static run *on_slope(double angle, double friction) {
  char text[512];
  snprintf(text, sizeof text,
           "{" FRAMES "\"air_density\": 0, \"bodies\": [{\"shape\": {\"kind\": \"plane\", \"size\": [6, 1, 6]},"
           "\"friction\": %g, \"rotate\": [0, 0, %g]}],"
           "\"cloths\": [{\"translate\": [0, 0.001, 0], \"rotate\": [0, 0, %g],"
           "\"shape\": {\"vertices\": 64, \"size\": [0.2, 0.2]}}]}",
           friction, angle, angle);
  return runs_start(text);
}

// The mean of positions or velocities of all vertices, down the slope and up from it.
static void mean_on_slope(const run *r, const double *x, double angle, double *down, double *up) {
  int vertices = mus_sim_model(r->sim)->vertices;
  double a = angle * acos(-1) / 180;
  *down = *up = 0;
  for (int i = 0; i < vertices; ++i) {
    *down -= (x[3 * i] * cos(a) + x[3 * i + 1] * sin(a)) / vertices;
    *up += (x[3 * i + 1] * cos(a) - x[3 * i] * sin(a)) / vertices;
  }
}

// As long as the slope is below the angle of friction, cloth stays where it is; beyond, it slides as it should, and as
// close to the slope as at the start.
static void friction_is_coulombs(void **state) {
  (void)state;
  const double angles[] = {0, 10, 15, 20, 30};
  for (int k = 0; k < 5; ++k) {
    run *r = on_slope(angles[k], 0.3);
    double from, to, slow = 0, fast, up, a = angles[k] * acos(-1) / 180, pull = 9.81 * (sin(a) - 0.3 * cos(a));
    mean_on_slope(r, mus_sim_positions(r->sim), angles[k], &from, &up);
    for (int frame = 0; frame < 24; ++frame) {
      int steps = 0;
      if (frame == 12)
        mean_on_slope(r, mus_sim_velocities(r->sim), angles[k], &slow, &up);
      assert_ok(mus_sim_frame(r->sim, &steps));
      assert_int_equal(steps, 1);
    }
    assert_int_equal(runs_crossings(r), 0);
    mean_on_slope(r, mus_sim_velocities(r->sim), angles[k], &fast, &up);
    mean_on_slope(r, mus_sim_positions(r->sim), angles[k], &to, &up);
    assert_true(up > 0.0005 && up < 0.0012);
    print_message("%g degrees: %g m, %g m/s^2 of %g\n", angles[k], to - from, 2 * (fast - slow), pull);
    if (pull < 0)
      assert_true(fabs(to - from) < 1e-4);
    else // in half a second
      assert_true(to > from && fabs((fast - slow) / (pull / 2) - 1) < 0.05);
    runs_free(r);
  }
}

#define BALL                                                                                                           \
  "\"bodies\": [{\"shape\": {\"kind\": \"sphere\", \"radius\": 0.15, \"facet\": 0.0005}, \"friction\": 0.5}],"
static const char on_ball[] =
    "{" FRAMES BALL
    "\"cloths\": [{\"translate\": [0.01, 0.17, 0.01], \"shape\": {\"vertices\": 196, \"size\": [0.4, 0.4]}}]}";

// A sheet falls on a ball, drapes and comes to rest there; then it stays.
static void cloth_on_a_ball_comes_to_rest(void **state) {
  (void)state;
  run *r = runs_start(on_ball);
  for (int frame = 0; frame < 48; ++frame) {
    const mus_step_record *record = runs_frame(r);
    assert_int_equal(record->impossible, 0);
    assert_int_equal(runs_crossings(r), 0);
  }
  size_t n = 3 * (size_t)mus_sim_model(r->sim)->vertices;
  double *before = malloc(n * sizeof *before), low = runs_lowest(r);
  assert_non_null(before);
  memcpy(before, mus_sim_positions(r->sim), n * sizeof *before);
  assert_true(low > -0.3 && low < 0.1);
  for (int frame = 0; frame < 12; ++frame)
    runs_frame(r);
  for (size_t i = 0; i < n; ++i)
    assert_true(fabs(mus_sim_positions(r->sim)[i] - before[i]) < 0.005);
  double height = 1; // it lies on the ball, neither inside nor well above
  for (size_t i = 0; i < n; i += 3)
    height = fmin(height, mus_length3(mus_sim_state(r->sim)->position + i) - 0.15);
  assert_true(height > 0 && height < 0.0015);
  free(before);
  runs_free(r);
}

static void same_bits_for_any_number_of_threads(void **state) {
  (void)state;
  run *r[2];
  for (int k = 0; k < 2; ++k) {
    mus_par_set_threads(k ? 3 : 1);
    r[k] = runs_start(on_ball);
    for (int frame = 0; frame < 6; ++frame)
      runs_frame(r[k]);
  }
  mus_par_set_threads(0);
  assert_memory_equal(mus_sim_positions(r[0]->sim), mus_sim_positions(r[1]->sim),
                      3 * (size_t)mus_sim_model(r[0]->sim)->vertices * sizeof(double));
  runs_free(r[0]);
  runs_free(r[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(friction_is_coulombs),
                                     cmocka_unit_test(cloth_on_a_ball_comes_to_rest),
                                     cmocka_unit_test(same_bits_for_any_number_of_threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
