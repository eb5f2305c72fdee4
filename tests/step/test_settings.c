// What is changed while a scene runs.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "step/settings.h"
#include "support/check.h"
#include "support/runs.h"

#define STEP "\"frame_rate\": 100, \"time_step\": 0.01, \"contact\": false,"

static double fastest_fall(const run *r) {
  double most = 0;
  for (int i = 0; i < mus_sim_vertices(r->sim); ++i)
    most = fmax(most, -mus_sim_velocities(r->sim)[3 * (size_t)i + 1]);
  return most;
}

static void gravity_turns(void **state) {
  (void)state;
  run *r = runs_start("{" STEP "\"air_density\": 0, \"cloths\": [{\"shape\": {\"vertices\": 49}}]}");
  double now[3];
  mus_sim_gravity(r->sim, now);
  assert_true(now[1] == -9.81);
  runs_frame(r);
  assert_true(fabs(fastest_fall(r) - 0.0981) < 1e-9);
  assert_ok(mus_sim_set_gravity(r->sim, (double[]){0, 0, 0}));
  const mus_step_record *record = runs_frame(r);
  assert_true(fabs(fastest_fall(r) - 0.0981) < 1e-9);
  assert_int_equal(record->halvings, 0); // the energy that went with gravity is not missed
  assert_true(record->potential == 0);
  assert_ok(mus_sim_set_gravity(r->sim, (double[]){0, 20, 0}));
  runs_frame(r);
  assert_true(fastest_fall(r) < 0 + 1e-12);
  mus_sim_gravity(r->sim, now);
  assert_true(now[1] == 20);
  assert_fails(mus_sim_set_gravity(r->sim, (double[]){0, NAN, 0}), MUS_BAD_INPUT, "gravity");
  runs_free(r);
}

static void wind_blows(void **state) {
  (void)state;
  run *r = runs_start("{" STEP "\"gravity\": [0, 0, 0], \"cloths\": [{\"shape\": {\"vertices\": 49}}]}");
  assert_true(fabs(runs_frame(r)->momentum[1]) < 1e-12);
  assert_ok(mus_sim_set_wind(r->sim, (double[]){0, 5, 0}));
  assert_true(runs_frame(r)->momentum[1] > 0.01);
  double now[3];
  mus_sim_wind(r->sim, now);
  assert_true(now[1] == 5);
  assert_fails(mus_sim_set_wind(r->sim, (double[]){INFINITY, 0, 0}), MUS_BAD_INPUT, "wind");
  runs_free(r);
}

// A wind of nothing is still air: steps are the same to the last bit, energy checked and all.
static void still_air_changes_nothing(void **state) {
  (void)state;
  run *r[2];
  int halvings[2] = {0, 0};
  for (int n = 0; n < 2; ++n) {
    r[n] = runs_scene("corners");
    r[n]->scene.time_step = 1.0 / 60;
    r[n]->scene.frame_rate = 60;
    runs_begin(r[n]);
    if (n == 1)
      assert_ok(mus_sim_set_wind(r[n]->sim, (double[]){0, 0, 0}));
    for (int frame = 0; frame < 30; ++frame)
      halvings[n] += runs_frame(r[n])->halvings;
  }
  assert_true(halvings[0] > 0);
  assert_int_equal(halvings[0], halvings[1]);
  assert_memory_equal(mus_sim_positions(r[0]->sim), mus_sim_positions(r[1]->sim),
                      3 * (size_t)mus_sim_vertices(r[0]->sim) * sizeof(double));
  runs_free(r[0]);
  runs_free(r[1]);
}

static void stiffness_scales(void **state) {
  (void)state;
  double sag[2];
  for (int k = 0; k < 2; ++k) {
    run *r = runs_start("{" STEP "\"cloths\": [{\"shape\": {\"vertices\": 121}, \"pins\": "
                        "[{\"where\": {\"boundary\": true}}]}]}");
    assert_true(mus_sim_stiffness(r->sim, 0) == 1);
    if (k == 1)
      assert_ok(mus_sim_set_stiffness(r->sim, 0, 0.01));
    for (int frame = 0; frame < 40; ++frame)
      runs_frame(r);
    sag[k] = runs_lowest(r);
    assert_fails(mus_sim_set_stiffness(r->sim, 1, 1), MUS_BAD_INPUT, "there is no part 1");
    assert_fails(mus_sim_set_stiffness(r->sim, 0, 0), MUS_BAD_INPUT, "0.001 to 1000");
    runs_free(r);
  }
  assert_true(sag[1] < 2 * sag[0]); // both are below 0
}

// As if the scene had said so from the start, to the last bit, with each model; the scene's scale goes on.
static void fabrics_change(void **state) {
  (void)state;
  static const char *const models[] = {"baraff-witkin", "choi-ko", "mass-spring"};
  for (int k = 0; k < 3; ++k) {
    run *r[3]; // in denim, in silk, and changed from denim to silk
    for (int n = 0; n < 3; ++n) {
      char text[400];
      snprintf(text, sizeof text,
               "{" STEP "\"cloths\": [{\"model\": \"%s\", \"fabric\": \"%s\", \"bend_scale\": 2, \"shape\": "
               "{\"vertices\": 121}, \"pins\": [{\"where\": {\"box\": [-1, -1, -1, -0.4, 1, 1]}}]}]}",
               models[k], n == 1 ? "silk" : "denim");
      r[n] = runs_start(text);
    }
    assert_ok(mus_sim_set_fabric(r[2]->sim, 0, "silk"));
    assert_string_equal(mus_sim_fabric(r[2]->sim, 0), "silk");
    assert_string_equal(mus_sim_fabric(r[0]->sim, 0), "denim");
    for (int frame = 0; frame < 5; ++frame)
      for (int n = 0; n < 3; ++n)
        assert_int_equal(runs_frame(r[n])->halvings, 0);
    const size_t bytes = 3 * 121 * sizeof(double);
    assert_memory_equal(mus_sim_positions(r[2]->sim), mus_sim_positions(r[1]->sim), bytes);
    assert_memory_not_equal(mus_sim_positions(r[2]->sim), mus_sim_positions(r[0]->sim), bytes);
    assert_fails(mus_sim_set_fabric(r[2]->sim, 0, "steel"), MUS_BAD_INPUT, "cotton");
    assert_fails(mus_sim_set_fabric(r[2]->sim, 1, "silk"), MUS_BAD_INPUT, "there is no cloth 1");
    assert_string_equal(mus_sim_fabric(r[2]->sim, 0), "silk");
    for (int n = 0; n < 3; ++n)
      runs_free(r[n]);
  }
  assert_string_equal(mus_fabric_name(0), "cotton");
  assert_null(mus_fabric_name(1000));
}

static void solvers_change(void **state) {
  (void)state;
  run *r = runs_scene("drooping"), *same = runs_scene("drooping");
  mus_scene_resize(&r->scene, 441, MUS_TESSELLATION_REGULAR);
  mus_scene_resize(&same->scene, 441, MUS_TESSELLATION_REGULAR);
  r->scene.solver.tolerance = same->scene.solver.tolerance = 1e-10;
  runs_begin(r);
  runs_begin(same);
  assert_int_equal(mus_sim_solve_record(r->sim)->iterations, 0);
  runs_frame(r);
  runs_frame(same);
  mus_solver_options options = *mus_sim_solver_options(r->sim);
  options.method = MUS_METHOD_DIAG;
  assert_ok(mus_sim_set_solver(r->sim, &options));
  runs_frame(r);
  runs_frame(same);
  const mus_solve_record *solve = mus_sim_solve_record(r->sim), *with_sa = mus_sim_solve_record(same->sim);
  assert_int_equal(solve->method, MUS_METHOD_DIAG);
  assert_int_equal(with_sa->method, MUS_METHOD_SA);
  assert_true(solve->iterations > 2 * with_sa->iterations && with_sa->iterations > 1);
  assert_true(with_sa->residuals[with_sa->iterations] <= 1e-9 * with_sa->residuals[0]);
  for (int i = 0; i < 3 * 441; ++i)
    assert_true(fabs(mus_sim_positions(r->sim)[i] - mus_sim_positions(same->sim)[i]) < 1e-7);
  strcpy(options.multigrid.smoother, "gs:2");
  assert_ok(mus_sim_set_solver(r->sim, &options));
  assert_string_equal(mus_sim_solver_options(r->sim)->multigrid.smoother, "gs:2");
  options.method = MUS_METHODS;
  assert_fails(mus_sim_set_solver(r->sim, &options), MUS_UNSUPPORTED, "no solver");
  options.method = MUS_METHOD_SA;
  options.tolerance = -1;
  assert_int_equal(mus_sim_set_solver(r->sim, &options), MUS_BAD_INPUT);
  assert_int_equal(mus_sim_solver_options(r->sim)->method, MUS_METHOD_DIAG);
  runs_frame(r); // and goes on
  runs_free(r);
  runs_free(same);
}

static void frames_are_whole_numbers_of_steps(void **state) {
  (void)state;
  mus_settings s = {.frame_rate = 24, .time_step = 0.002};
  assert_int_equal(mus_settings_steps_per_frame(&s, 0), 21);
  assert_true(mus_settings_step_length(&s, 0) == 1.0 / (24 * 21));
  s.time_step = 1.0 / 48; // exactly half a frame, in spite of rounding
  assert_int_equal(mus_settings_steps_per_frame(&s, 0), 2);
  s.time_step = 10; // longer than a frame
  assert_int_equal(mus_settings_steps_per_frame(&s, 0), 1);
  assert_true(mus_settings_step_length(&s, 0) == 1.0 / 24);
  // By keys, the value where the frame begins.
  double time[] = {0.5, 1}, value[] = {0.01, 0.002};
  mus_keys keys = {2, 1, time, value};
  s.time_steps = &keys;
  assert_int_equal(mus_settings_steps_per_frame(&s, 0), 5);
  assert_int_equal(mus_settings_steps_per_frame(&s, 12), 5);
  assert_int_equal(mus_settings_steps_per_frame(&s, 18), 7); // 6 ms
  assert_int_equal(mus_settings_steps_per_frame(&s, 24), 21);
  assert_int_equal(mus_settings_steps_per_frame(&s, 2000), 21);
  assert_true(mus_settings_step_length(&s, 18) == 1.0 / (24 * 7));
}

// Frames have as many steps as their keys say, and keys that never change are the constant, bit for bit.
static void steps_by_keys(void **state) {
  (void)state;
  static const char text[] =
      "{\"cloths\": [{\"shape\": {\"vertices\": 25}, \"pins\": [{\"where\": {\"vertices\": [0, 4]}}]}],"
      " \"integrator\": \"bdf2\", \"time_step\": %s}";
  static const char *const values[] = {"0.01", "[{\"time\": 0, \"value\": 0.01}, {\"time\": 1, \"value\": 0.01}]",
                                       "[{\"time\": 0.02, \"value\": 0.01}, {\"time\": 0.06, \"value\": 0.002}]"};
  static const int steps[3][4] = {{5, 5, 5, 5}, {5, 5, 5, 5}, {5, 8, 21, 21}}; // 10, 5.67, 2 ms
  run *r[3];
  for (int k = 0; k < 3; ++k) {
    char whole[400];
    snprintf(whole, sizeof whole, text, values[k]);
    r[k] = runs_start(whole);
    for (int frame = 0; frame < 4; ++frame) {
      int count = 0;
      assert_int_equal(mus_sim_frame(r[k]->sim, &count), MUS_OK);
      assert_int_equal(count, steps[k][frame]);
      assert_true(fabs(mus_sim_step_record(r[k]->sim, count - 1)->time - (frame + 1) / 24.0) < 1e-12);
    }
  }
  size_t bytes = 3 * (size_t)mus_sim_vertices(r[0]->sim) * sizeof(double);
  assert_memory_equal(mus_sim_positions(r[0]->sim), mus_sim_positions(r[1]->sim), bytes);
  assert_true(memcmp(mus_sim_positions(r[0]->sim), mus_sim_positions(r[2]->sim), bytes) != 0);
  for (int k = 0; k < 3; ++k)
    runs_free(r[k]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(gravity_turns),
                                     cmocka_unit_test(wind_blows),
                                     cmocka_unit_test(still_air_changes_nothing),
                                     cmocka_unit_test(stiffness_scales),
                                     cmocka_unit_test(fabrics_change),
                                     cmocka_unit_test(solvers_change),
                                     cmocka_unit_test(frames_are_whole_numbers_of_steps),
                                     cmocka_unit_test(steps_by_keys)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
