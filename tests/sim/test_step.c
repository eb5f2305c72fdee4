// A step's own decisions: retries, halved steps, what keys change over time, several cloths at once.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "muslin/sim.h"

static mus_sim *create(const char *text, mus_scene *scene) {
  if (mus_scene_parse("test", text, scene))
    fail_msg("%s", mus_last_error());
  mus_sim *sim = NULL;
  if (mus_sim_create(scene, &sim))
    fail_msg("%s", mus_last_error());
  return sim;
}

static void destroy(mus_sim *sim, mus_scene *scene) {
  mus_sim_free(sim);
  mus_scene_free(scene);
}

static int run_frame(mus_sim *sim) {
  int steps = 0;
  if (mus_sim_frame(sim, &steps))
    fail_msg("%s", mus_last_error());
  return steps;
}

#define SHEET "\"shape\": {\"vertices\": 121}"
#define HELD "\"pins\": [{\"where\": {\"box\": [-0.6, -1, -1, -0.4999, 1, 1]}}]"

// A solver that is not allowed to finish: the step is done by Cholesky's method, and counted.
static void failed_solves_are_done_again(void **state) {
  (void)state;
  if (!mus_method_available(MUS_METHOD_CHOLMOD))
    skip();
  mus_scene scene;
  mus_sim *sim =
      create("{\"solver\": {\"method\": \"diag\", \"iterations\": 1}, \"cloths\": [{" SHEET ", " HELD "}]}", &scene);
  int steps = run_frame(sim);
  assert_int_equal(steps, 21);
  for (int k = 0; k < steps; ++k) {
    assert_int_equal(mus_sim_step_record(sim, k)->retries, 1);
    assert_true(mus_sim_step_record(sim, k)->residual < 1e-8);
  }
  destroy(sim, &scene);
}

// A pin that tears at the cloth: with halved steps it is followed, and the records say how; without, the step is
// refused and the state stays.
static void strain_jumps_halve_steps(void **state) {
  (void)state;
  static const char text[] =
      "{\"time_step\": 0.0416667, \"cloths\": [{" SHEET ", \"pins\": [{\"where\": {\"vertices\": [120]}},"
      "{\"where\": {\"vertices\": [0]}, \"offset\": [{\"time\": 0, \"value\": [0, 0, 0]},"
      "{\"time\": 0.0416667, \"value\": [-0.6, 0, -0.6]}]}]}]}";
  mus_scene scene;
  mus_sim *sim = create(text, &scene);
  int steps = run_frame(sim), halvings = 0;
  double time = 0;
  for (int k = 0; k < steps; ++k) {
    const mus_step_record *r = mus_sim_step_record(sim, k);
    halvings = r->halvings > halvings ? r->halvings : halvings;
    assert_true(fabs(r->time_step * (1 << r->halvings) - 1.0 / 24) < 1e-9);
    time += r->time_step;
  }
  assert_true(halvings > 0 && steps > 1);
  assert_true(fabs(time - 1.0 / 24) < 1e-9);
  destroy(sim, &scene);

  sim = create(text, &scene);
  scene.adaptive = 0;
  double before[3], *x = before;
  memcpy(x, mus_sim_positions(sim), sizeof before);
  assert_int_equal(mus_sim_frame(sim, NULL), MUS_BREAKDOWN);
  assert_non_null(strstr(mus_last_error(), "time_step"));
  assert_memory_equal(before, mus_sim_positions(sim), sizeof before);
  destroy(sim, &scene);
}

// Up for half a frame, down for the other half.
static void gravity_follows_its_keys(void **state) {
  (void)state;
  mus_scene scene;
  mus_sim *sim = create("{\"air_density\": 0, \"frame_rate\": 10, \"time_step\": 0.001, \"gravity\": ["
                        "{\"time\": 0, \"value\": [0, 8, 0]}, {\"time\": 0.1, \"value\": [0, 0, 0]}],"
                        "\"cloths\": [{" SHEET "}]}",
                        &scene);
  run_frame(sim);
  assert_true(fabs(mus_sim_velocities(sim)[1] - 0.4) < 0.005); // the integral of 8 (1 - 10 t)
  run_frame(sim);
  assert_true(fabs(mus_sim_velocities(sim)[1] - 0.4) < 0.005);
  destroy(sim, &scene);
}

static double lowest(const mus_sim *sim) {
  double low = INFINITY;
  for (int i = 0; i < mus_sim_vertices(sim); ++i)
    low = fmin(low, mus_sim_positions(sim)[3 * i + 1]);
  return low;
}

// A hanging sheet whose stiffness falls to a quarter is stretched four times as far.
static void stiffness_follows_its_keys(void **state) {
  (void)state;
  mus_scene scene;
  mus_sim *sim = create("{\"air_density\": 0, \"frame_rate\": 10, \"time_step\": 0.1, \"cloths\": [{" SHEET
                        ", \"rotate\": [90, 0, 0], \"density\": 2, \"stiffness\": [{\"time\": 1, \"value\": 1},"
                        " {\"time\": 1.1, \"value\": 0.25}], \"pins\": [{\"where\": {\"box\": "
                        "[-1, 0.4999, -1, 1, 1, 1]}}]}]}",
                        &scene);
  for (int k = 0; k < 10; ++k)
    run_frame(sim);
  double stiff = -0.5 - lowest(sim);
  for (int k = 0; k < 20; ++k)
    run_frame(sim);
  double soft = -0.5 - lowest(sim);
  assert_true(stiff > 1e-4);
  assert_true(fabs(soft / stiff - 4) < 0.05);
  destroy(sim, &scene);
}

static void pins_let_go_in_time(void **state) {
  (void)state;
  mus_scene scene;
  mus_sim *sim = create("{\"air_density\": 0, \"frame_rate\": 10, \"time_step\": 0.002, \"cloths\": [{" SHEET
                        ", \"pins\": [{\"where\": {\"box\": [-1, -1, -1, 1, 1, 1]}, \"to\": 0.101}]}]}",
                        &scene);
  run_frame(sim);
  assert_true(lowest(sim) == 0);
  run_frame(sim);
  assert_true(fabs(lowest(sim) + 0.5 * 9.81 * 0.1 * 0.1) < 0.002);
  destroy(sim, &scene);
}

static void wind_blows_when_it_does(void **state) {
  (void)state;
  mus_scene scene;
  mus_sim *sim = create("{\"gravity\": [0, 0, 0], \"wind\": [{\"time\": 0.1, \"value\": [0, 0, 0]},"
                        "{\"time\": 0.11, \"value\": [0, 3, 0]}], \"frame_rate\": 10, \"cloths\": [{" SHEET "}]}",
                        &scene);
  run_frame(sim);
  assert_true(fabs(mus_sim_velocities(sim)[1]) < 1e-12);
  run_frame(sim);
  assert_true(mus_sim_velocities(sim)[1] > 0.1);
  destroy(sim, &scene);
}

// Two cloths in one scene move as each does alone.
static void cloths_do_not_disturb_each_other(void **state) {
  (void)state;
#define FIRST "{" SHEET ", " HELD "}"
#define SECOND                                                                                                         \
  "{\"shape\": {\"kind\": \"disc\", \"vertices\": 90}, \"fabric\": \"silk\", \"model\": \"choi-ko\", \"translate\": "  \
  "[3, 0, 0], \"pins\": [{\"where\": {\"sphere\": [3, 0, 0, 0.2]}}]}"
  static const char *const texts[] = {"{\"solver\": {\"tolerance\": 1e-10}, \"cloths\": [" FIRST ", " SECOND "]}",
                                      "{\"solver\": {\"tolerance\": 1e-10}, \"cloths\": [" FIRST "]}",
                                      "{\"solver\": {\"tolerance\": 1e-10}, \"cloths\": [" SECOND "]}"};
  mus_scene scene[3];
  mus_sim *sim[3];
  for (int k = 0; k < 3; ++k) {
    sim[k] = create(texts[k], &scene[k]);
    run_frame(sim[k]);
  }
  int split = mus_sim_first_vertex(sim[0], 1);
  assert_int_equal(split, mus_sim_vertices(sim[1]));
  assert_int_equal(mus_sim_vertices(sim[0]) - split, mus_sim_vertices(sim[2]));
  for (int i = 0; i < 3 * mus_sim_vertices(sim[0]); ++i) {
    double alone = i < 3 * split ? mus_sim_positions(sim[1])[i] : mus_sim_positions(sim[2])[i - 3 * split];
    assert_true(fabs(mus_sim_positions(sim[0])[i] - alone) < 1e-7);
  }
  assert_true(lowest(sim[1]) < -1e-3 && lowest(sim[2]) < -1e-3);
  for (int k = 0; k < 3; ++k)
    destroy(sim[k], &scene[k]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(failed_solves_are_done_again),
                                     cmocka_unit_test(strain_jumps_halve_steps),
                                     cmocka_unit_test(gravity_follows_its_keys),
                                     cmocka_unit_test(stiffness_follows_its_keys),
                                     cmocka_unit_test(pins_let_go_in_time),
                                     cmocka_unit_test(wind_blows_when_it_does),
                                     cmocka_unit_test(cloths_do_not_disturb_each_other)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
