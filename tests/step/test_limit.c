// Strain limits: held at any step, on cloth that hangs, is pulled or rests on bodies; momentum kept; nothing changed
// below them; and an honest record where pins leave no way.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/simulator.h"
#include "support/check.h"
#include "support/runs.h"

// The largest strain over its limit in so many frames.
static double reached_in(run *r, int frames, int *rounds) {
  double reached = 0;
  *rounds = 0;
  for (int frame = 0; frame < frames; ++frame) {
    int steps = 0;
    assert_ok(mus_sim_frame(r->sim, &steps));
    for (int k = 0; k < steps; ++k) {
      const mus_step_record *record = mus_sim_step_record(r->sim, k);
      reached = fmax(reached, record->strain_reached);
      *rounds += record->limit_rounds;
      assert_true((record->overstretched > 0) == (record->strain_reached > 1.02));
    }
  }
  return reached;
}

#define CORNERS                                                                                                        \
  "\"pins\": [{\"where\": {\"sphere\": [-0.5, 0, -0.5, 0.01]}}, {\"where\": {\"sphere\": [0.5, 0, -0.5, 0.01]}}]"

static void hanging_cloth_stays_within_its_limits(void **state) {
  (void)state;
  const double steps[] = {0.002, 0.0083, 0.0416};
  for (int k = 0; k < 3; ++k) {
    char text[600];
    int rounds;
    snprintf(text, sizeof text,
             "{\"time_step\": %g, \"contact\": false, \"cloths\": [{\"fabric\": \"jersey\","
             "\"strain_limit\": [0.05, 0.03], \"rotate\": [0, 0, 0], \"shape\": {\"vertices\": 256}, " CORNERS "}]}",
             steps[k]);
    run *r = runs_start(text);
    assert_true(reached_in(r, 12, &rounds) <= 1.02);
    assert_true(rounds > 0);
    runs_free(r);
    run *free = runs_start("{\"time_step\": 0.0083, \"contact\": false, \"cloths\": [{\"fabric\": \"jersey\","
                           "\"shape\": {\"vertices\": 256}, " CORNERS "}]}");
    double most = 0;
    for (int frame = 0; frame < 12; ++frame)
      most = fmax(most, runs_frame(free)->strain_maximum);
    assert_true(most > 0.06); // or the limit would have had nothing to do
    runs_free(free);
  }
}

// A ball goes through the middle of a sheet that is held all around, as far as threads can follow.
static void a_body_that_pushes_leaves_limits_whole(void **state) {
  (void)state;
  int rounds;
  run *r = runs_start("{\"time_step\": 0.01, \"gravity\": [0, 0, 0], \"cloths\": [{\"fabric\": \"jersey\","
                      "\"strain_limit\": 0.2, \"shape\": {\"vertices\": 400}, \"pins\": [{\"where\": {\"boundary\": "
                      "true}}]}], \"bodies\": [{\"shape\": {\"kind\": \"sphere\", \"radius\": 0.2, \"facet\": 0.005},"
                      "\"translate\": [{\"time\": 0, \"value\": [0, -0.21, 0]}, {\"time\": 0.4, \"value\": [0, 0.05, "
                      "0]}]}]}");
  assert_true(reached_in(r, 12, &rounds) <= 1.02);
  runs_free(r);
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// A ball hits a sheet that hangs by two corners, in steps so long that response has much to do. Where that ends depends
// on the last digits of solves: 13 tolerances from 1e-4 to 1e-10 gave 1.009 to 1.025, with other settings of the solver
// 1.009 to 1.019. So several runs are looked at, of which a single one may leave a step beyond the limit, and says so.
static void what_response_moves_stays_within_its_limits(void **state) {
  (void)state;
  const double tolerance[] = {1e-4, 1e-5, 3e-6, 1e-6, 1e-7};
  enum { COUNT = sizeof tolerance / sizeof *tolerance };
  double reached[COUNT];
  for (int k = 0; k < COUNT; ++k) {
    char text[900];
    int rounds;
    snprintf(text, sizeof text,
             "{\"time_step\": 0.02, \"frame_rate\": 25, \"gravity\": [0, 0, 0], \"solver\": {\"tolerance\": %g}, "
             "\"cloths\": [{\"fabric\": \"cotton\", \"strain_limit\": 0.2, \"shape\": {\"vertices\": 400}, " CORNERS
             "}], \"bodies\": [{\"shape\": {\"kind\": \"sphere\", \"radius\": 0.2, \"facet\": 0.005},"
             "\"translate\": [{\"time\": 0, \"value\": [0, -0.21, 0]}, {\"time\": 0.2, \"value\": [0, 0.3, 0]},"
             "{\"time\": 0.4, \"value\": [0, -0.2, 0.4]}]}]}",
             tolerance[k]);
    run *r = runs_start(text);
    reached[k] = reached_in(r, 12, &rounds);
    runs_free(r);
  }
  qsort(reached, COUNT, sizeof *reached, ascending);
  assert_true(reached[COUNT - 2] <= 1.02);
  assert_true(reached[COUNT - 1] <= 1.05);
}

static void free_cloth_keeps_its_momenta(void **state) {
  (void)state;
  run *r = runs_start("{\"time_step\": 0.01, \"gravity\": [0, 0, 0], \"air_density\": 0, \"contact\": false,"
                      "\"solver\": {\"tolerance\": 1e-12},"
                      "\"cloths\": [{\"fabric\": \"jersey\", \"strain_limit\": 0.02, \"velocity\": [1, 2, 3],"
                      "\"shape\": {\"vertices\": 144}, \"rotate\": [20, 30, 40],"
                      "\"pins\": [{\"where\": {\"sphere\": [0, 0, 0, 0.1]}, \"to\": 0.05}]}]}");
  int steps = 0, rounds = 0;
  for (int k = 0; k < 6; ++k)
    assert_ok(mus_sim_step(r->sim, &steps)); // the pin holds the middle, the rest goes on; then it lets go
  mus_step_record before = *mus_sim_step_record(r->sim, steps - 1);
  for (int k = 0; k < 5; ++k) {
    assert_ok(mus_sim_step(r->sim, &steps));
    const mus_step_record *now = mus_sim_step_record(r->sim, steps - 1);
    rounds += now->limit_rounds;
    for (int c = 0; c < 3; ++c)
      assert_true(fabs(now->momentum[c] - before.momentum[c]) < 1e-9);
    assert_true(now->kinetic < 1.5 * before.kinetic);
  }
  assert_true(rounds > 0);
  runs_free(r);
}

// The sums of m v and of m x cross v.
static void momenta(const mus_model *model, const mus_state *state, double momentum[3], double turn[3]) {
  memset(momentum, 0, 3 * sizeof *momentum);
  memset(turn, 0, 3 * sizeof *turn);
  for (int i = 0; i < model->vertices; ++i)
    for (int c = 0; c < 3; ++c) {
      const double *x = state->position + 3 * (size_t)i, *v = state->velocity + 3 * (size_t)i;
      int a = (c + 1) % 3, b = (c + 2) % 3;
      momentum[c] += model->mass[i] * v[c];
      turn[c] += model->mass[i] * (x[a] * v[b] - x[b] * v[a]);
    }
}

// A sheet that a step has blown up to 1.3 times its size while it turns.
static void what_limits_do_changes_no_momentum(void **state) {
  (void)state;
  run *r = runs_start("{\"gravity\": [0, 0, 0], \"contact\": false, \"cloths\": [{\"strain_limit\": 0.1,"
                      "\"shape\": {\"vertices\": 100, \"size\": [1, 0.7]}, \"rotate\": [20, 30, 40]}]}");
  assert_ok(mus_sim_step(r->sim, NULL));
  mus_step_context c = mus_sim_context(r->sim);
  mus_step_record record = {.strain_reached = 3};
  mus_scheme s = {.h = 0.01, .length = 0.01};
  double before[2][3], after[2][3];
  int changed = 0;
  for (int k = 0; k < 3 * c.model->vertices; ++k) {
    c.state->velocity[k] = sin(k) + 0.3 * cos(0.37 * k);
    c.work->start_position[k] = c.state->position[k];
    c.state->position[k] *= 1.3;
  }
  momenta(c.model, c.state, before[0], before[1]);
  assert_ok(mus_limit_strains(&c, &s, NULL, &record, &changed));
  assert_int_equal(changed, 1);
  momenta(c.model, c.state, after[0], after[1]);
  for (int k = 0; k < 2; ++k)
    for (int a = 0; a < 3; ++a)
      assert_true(fabs(after[k][a] - before[k][a]) < 1e-12);
  mus_step_compare_with_present(&c);
  assert_true(c.state->strain_before < 0.1 * 1.02);
  runs_free(r);
}

static void cloth_below_its_limits_is_as_without(void **state) {
  (void)state;
  const char *limits[] = {"0", "[0.5, 0.4]"};
  double last[2][3 * 64];
  for (int k = 0; k < 2; ++k) {
    char text[500];
    snprintf(text, sizeof text,
             "{\"time_step\": 0.01, \"cloths\": [{\"strain_limit\": %s, \"shape\": {\"vertices\": 64}, " CORNERS "}]}",
             limits[k]);
    run *r = runs_start(text);
    for (int frame = 0; frame < 4; ++frame)
      runs_frame(r);
    assert_int_equal(mus_sim_vertices(r->sim), 64);
    memcpy(last[k], mus_sim_positions(r->sim), sizeof last[k]);
    runs_free(r);
  }
  assert_memory_equal(last[0], last[1], sizeof last[0]);
}

// Pins draw the sheet to twice its length: nothing can be done about it, and nothing breaks.
static void pins_that_force_more_are_told_of(void **state) {
  (void)state;
  run *r = runs_start("{\"time_step\": 0.0416, \"contact\": false, \"cloths\": [{\"shape\": {\"vertices\": 144},"
                      "\"pins\": [{\"where\": {\"box\": [-0.6, -1, -1, -0.499, 1, 1]}},"
                      "{\"where\": {\"box\": [0.499, -1, -1, 0.6, 1, 1]}, \"offset\": [{\"time\": 0, \"value\": [0, 0, "
                      "0]}, {\"time\": 0.5, \"value\": [1, 0, 0]}]}]}]}");
  int rounds;
  double reached = reached_in(r, 16, &rounds);
  assert_true(reached > 4.9 && reached < 6); // strains of 1 where 0.2 is allowed
  const double *place = mus_sim_step_record(r->sim, 0)->strain_place;
  assert_true(place[0] > -0.5 && place[0] < 1.5 && fabs(place[2]) < 0.5 && place[0] != 0);
  assert_true(runs_speed(r) < 3);
  runs_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(hanging_cloth_stays_within_its_limits),
                                     cmocka_unit_test(a_body_that_pushes_leaves_limits_whole),
                                     cmocka_unit_test(what_response_moves_stays_within_its_limits),
                                     cmocka_unit_test(free_cloth_keeps_its_momenta),
                                     cmocka_unit_test(what_limits_do_changes_no_momentum),
                                     cmocka_unit_test(cloth_below_its_limits_is_as_without),
                                     cmocka_unit_test(pins_that_force_more_are_told_of)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
