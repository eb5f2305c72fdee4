// A step's own decisions: retries, halved steps, what keys change over time, several cloths at once.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "support/check.h"
#include "support/runs.h"

// A frame; how many steps it took.
static int run_frame(run *r) {
  int steps = 0;
  assert_ok(mus_sim_frame(r->sim, &steps));
  return steps;
}

#define SHEET "\"shape\": {\"vertices\": 121}"
#define HELD "\"pins\": [{\"where\": {\"box\": [-0.6, -1, -1, -0.4999, 1, 1]}}]"

// A solver that is not allowed to finish: the step is done by Cholesky's method, and counted.
static void failed_solves_are_done_again(void **state) {
  (void)state;
  if (!mus_method_available(MUS_METHOD_CHOLMOD))
    skip();
  run *r = runs_start("{\"solver\": {\"method\": \"diag\", \"iterations\": 1}, \"cloths\": [{" SHEET ", " HELD "}]}");
  int steps = run_frame(r);
  assert_int_equal(steps, 21);
  for (int k = 0; k < steps; ++k) {
    assert_int_equal(mus_sim_step_record(r->sim, k)->retries, 1);
    assert_true(mus_sim_step_record(r->sim, k)->residual < 1e-8);
  }
  runs_free(r);
}

// A pin that tears at the cloth: with halved steps it is followed, and the records say how; without, the step is
// refused and the state stays.
static void strain_jumps_halve_steps(void **state) {
  (void)state;
  static const char text[] =
      "{\"time_step\": 0.0416667, \"cloths\": [{" SHEET ", \"pins\": [{\"where\": {\"vertices\": [120]}},"
      "{\"where\": {\"vertices\": [0]}, \"offset\": [{\"time\": 0, \"value\": [0, 0, 0]},"
      "{\"time\": 0.0416667, \"value\": [-0.6, 0, -0.6]}]}]}]}";
  run *r = runs_start(text);
  int steps = run_frame(r), halvings = 0;
  double time = 0;
  for (int k = 0; k < steps; ++k) {
    const mus_step_record *record = mus_sim_step_record(r->sim, k);
    halvings = record->halvings > halvings ? record->halvings : halvings;
    assert_true(fabs(record->time_step * (1 << record->halvings) - 1.0 / 24) < 1e-9);
    time += record->time_step;
  }
  assert_true(halvings > 0 && steps > 1);
  assert_true(fabs(time - 1.0 / 24) < 1e-9);
  runs_free(r);

  r = runs_scene(text);
  r->scene.adaptive = 0;
  runs_begin(r);
  double before[3];
  memcpy(before, mus_sim_positions(r->sim), sizeof before);
  assert_fails(mus_sim_frame(r->sim, NULL), MUS_BREAKDOWN, "time_step");
  assert_memory_equal(before, mus_sim_positions(r->sim), sizeof before);
  runs_free(r);
}

// It fades within the first frame, and is gone in the second.
static void gravity_follows_its_keys(void **state) {
  (void)state;
  run *r = runs_start("{\"air_density\": 0, \"frame_rate\": 10, \"time_step\": 0.001, \"gravity\": ["
                      "{\"time\": 0, \"value\": [0, 8, 0]}, {\"time\": 0.1, \"value\": [0, 0, 0]}],"
                      "\"cloths\": [{" SHEET "}]}");
  runs_frame(r);
  assert_true(fabs(mus_sim_velocities(r->sim)[1] - 0.4) < 0.005); // the integral of 8 (1 - 10 t)
  runs_frame(r);
  assert_true(fabs(mus_sim_velocities(r->sim)[1] - 0.4) < 0.005);
  runs_free(r);
}

// A hanging sheet whose stiffness falls to a quarter is stretched four times as far.
static void stiffness_follows_its_keys(void **state) {
  (void)state;
  run *r = runs_start("{\"air_density\": 0, \"frame_rate\": 10, \"time_step\": 0.1, \"cloths\": [{" SHEET
                      ", \"rotate\": [90, 0, 0], \"density\": 2, \"stiffness\": [{\"time\": 1, \"value\": 1},"
                      " {\"time\": 1.1, \"value\": 0.25}], \"pins\": [{\"where\": {\"box\": "
                      "[-1, 0.4999, -1, 1, 1, 1]}}]}]}");
  for (int k = 0; k < 10; ++k)
    runs_frame(r);
  double stiff = -0.5 - runs_lowest(r);
  for (int k = 0; k < 20; ++k)
    runs_frame(r);
  double soft = -0.5 - runs_lowest(r);
  assert_true(stiff > 1e-4);
  assert_true(fabs(soft / stiff - 4) < 0.05);
  runs_free(r);
}

static void pins_let_go_in_time(void **state) {
  (void)state;
  run *r = runs_start("{\"air_density\": 0, \"frame_rate\": 10, \"time_step\": 0.002, \"cloths\": [{" SHEET
                      ", \"pins\": [{\"where\": {\"box\": [-1, -1, -1, 1, 1, 1]}, \"to\": 0.101}]}]}");
  runs_frame(r);
  assert_true(runs_lowest(r) == 0);
  runs_frame(r);
  assert_true(fabs(runs_lowest(r) + 0.5 * 9.81 * 0.1 * 0.1) < 0.002);
  runs_free(r);
}

static void wind_blows_when_it_does(void **state) {
  (void)state;
  run *r = runs_start("{\"gravity\": [0, 0, 0], \"wind\": [{\"time\": 0.1, \"value\": [0, 0, 0]},"
                      "{\"time\": 0.11, \"value\": [0, 3, 0]}], \"frame_rate\": 10, \"cloths\": [{" SHEET "}]}");
  runs_frame(r);
  assert_true(fabs(mus_sim_velocities(r->sim)[1]) < 1e-12);
  runs_frame(r);
  assert_true(mus_sim_velocities(r->sim)[1] > 0.1);
  runs_free(r);
}

// Two cloths in one scene move as each does alone.
static void cloths_do_not_disturb_each_other(void **state) {
  (void)state;
#define EXACT "\"solver\": {\"preset\": \"robust\", \"tolerance\": 1e-10}"
#define FIRST "{" SHEET ", " HELD "}"
#define SECOND                                                                                                         \
  "{\"shape\": {\"kind\": \"disc\", \"vertices\": 90}, \"fabric\": \"silk\", \"model\": \"choi-ko\", \"translate\": "  \
  "[3, 0, 0], \"pins\": [{\"where\": {\"sphere\": [3, 0, 0, 0.2]}}]}"
  static const char *const texts[] = {"{" EXACT ", \"cloths\": [" FIRST ", " SECOND "]}",
                                      "{" EXACT ", \"cloths\": [" FIRST "]}", "{" EXACT ", \"cloths\": [" SECOND "]}"};
  run *r[3];
  mus_sim *sim[3];
  for (int k = 0; k < 3; ++k) {
    r[k] = runs_start(texts[k]);
    sim[k] = r[k]->sim;
    runs_frame(r[k]);
  }
  int split = mus_sim_first_vertex(sim[0], 1);
  assert_int_equal(split, mus_sim_vertices(sim[1]));
  assert_int_equal(mus_sim_vertices(sim[0]) - split, mus_sim_vertices(sim[2]));
  for (int i = 0; i < 3 * mus_sim_vertices(sim[0]); ++i) {
    double alone = i < 3 * split ? mus_sim_positions(sim[1])[i] : mus_sim_positions(sim[2])[i - 3 * split];
    assert_true(fabs(mus_sim_positions(sim[0])[i] - alone) < 1e-7);
  }
  assert_true(runs_lowest(r[1]) < -1e-3 && runs_lowest(r[2]) < -1e-3);
  for (int k = 0; k < 3; ++k)
    runs_free(r[k]);
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
