// Contact in the simulator, at length: friction on a slope, cloth that falls on bodies and on itself, is carried and
// pinched.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/runs.h"

static run *start(const char *text, double time_step) {
  run *r = runs_scene(text);
  r->scene.time_step = time_step;
  runs_begin(r);
  return r;
}

static void mean(const double *x, int vertices, double *centre) {
  centre[0] = centre[1] = centre[2] = 0;
  for (int i = 0; i < 3 * vertices; ++i)
    centre[i % 3] += x[i] / vertices;
}

// How far a sheet slides down a slope in half a second, m.
static double slid(double degrees, double friction, double time_step) {
  char text[1024];
  double angle = degrees * acos(-1) / 180, lift = 0.00098;
  snprintf(text, sizeof text,
           "{\"frames\": 12, \"air_density\": 0, \"bodies\": [{\"name\": \"slope\", \"friction\": %g, \"rotate\": [0, "
           "0, %g],"
           "\"shape\": {\"kind\": \"plane\", \"size\": [20, 1, 20]}}],"
           "\"cloths\": [{\"rotate\": [0, 0, %g], \"translate\": [%.17g, %.17g, 0], \"shape\": {\"vertices\": 121,"
           "\"size\": [0.3, 0.3]}}]}",
           friction, degrees, degrees, -lift * sin(angle), lift * cos(angle));
  run *r = start(text, time_step);
  double from[3], to[3];
  mean(mus_sim_positions(r->sim), mus_sim_vertices(r->sim), from);
  for (int k = 0; k < r->scene.frames; ++k)
    runs_frame(r);
  mean(mus_sim_positions(r->sim), mus_sim_vertices(r->sim), to);
  assert_int_equal(runs_crossings(r), 0);
  runs_free(r);
  return (from[0] - to[0]) * cos(angle) + (from[1] - to[1]) * sin(angle);
}

// Below the angle of friction a sheet stays, above it slides, with what gravity leaves over.
static void slopes(void **state) {
  (void)state;
  double steps[] = {0.002, 1 / 120.0};
  for (int s = 0; s < 2; ++s) {
    double angle = atan(0.3) * 180 / acos(-1),
           pull = sin((angle + 5) * acos(-1) / 180) - 0.3 * cos((angle + 5) * acos(-1) / 180);
    double stays = slid(angle - 1, 0.3, steps[s]), slides = slid(angle + 1, 0.3, steps[s]);
    print_message("a degree below: %g m, a degree beyond: %g m\n", stays, slides);
    assert_true(fabs(stays) < 2e-4);
    assert_true(slides > 1.5e-2);
    double way = slid(angle + 5, 0.3, steps[s]), ideal = 9.81 * pull * 0.25 / 2;
    print_message("5 degrees beyond: %g m, without creep %g m\n", way, ideal);
    assert_true(way > 0.9 * ideal && way < 1.02 * ideal);
    double free_way = slid(20, 0, steps[s]), free_fall = 9.81 * sin(20 * acos(-1) / 180) * 0.25 / 2;
    assert_true(fabs(free_way / free_fall - 1) < 0.05);
  }
}

static const char falling[] =
    "{\"frames\": 12, \"bodies\": [{\"name\": \"ball\", \"shape\": {\"kind\": \"sphere\", \"radius\": 0.2}},"
    "{\"name\": \"floor\", \"translate\": [0, -0.25, 0], \"shape\": {\"kind\": \"plane\", \"size\": [10, 1, 10]}}],"
    "\"cloths\": [{\"translate\": [0, 0.205, 0], \"shape\": {\"vertices\": 441}}]}";

// A sheet that falls on a ball and a floor goes through neither, nor through itself, whatever the step.
static void falls_on_bodies(void **state) {
  (void)state;
  double steps[] = {0.002, 1 / 120.0};
  for (int s = 0; s < 2; ++s) {
    run *r = start(falling, steps[s]);
    int touching = 0;
    for (int k = 0; k < 18; ++k) {
      const mus_step_record *record = runs_frame(r);
      touching = record->body_contacts + record->cloth_contacts;
      assert_int_equal(runs_crossings(r), 0);
    }
    assert_true(touching > 20);
    assert_true(runs_lowest(r) > -0.25);
    runs_free(r);
  }
}

// A cloth that lies on a turning ball turns with it.
static void is_carried(void **state) {
  (void)state;
  run *r = start(
      "{\"frames\": 24, \"bodies\": [{\"name\": \"ball\", \"friction\": 1, \"shape\": {\"kind\": \"sphere\","
      "\"radius\": 0.2}, \"rotate\": [{\"time\": 0.5, \"value\": [0, 0, 0]}, {\"time\": 1, \"value\": [0, 20, 0]},"
      "{\"time\": 2, \"value\": [0, 110, 0]}]}],"
      "\"cloths\": [{\"translate\": [0, 0.2012, 0], \"shape\": {\"vertices\": 441, \"size\": [0.4, 0.4]}}]}",
      0.002);
  for (int k = 0; k < 48; ++k)
    runs_frame(r);
  // the middle of the sheet lies on the pole: how has the vertex beside it turned?
  const double *x = mus_sim_positions(r->sim), *pole = x + 3 * 220, *beside = x + 3 * 221;
  double turned = atan2(-(beside[2] - pole[2]), beside[0] - pole[0]) * 180 / acos(-1);
  print_message("turned by %g degrees\n", turned);
  assert_true(fabs(fabs(turned) - 110) < 5);
  assert_true(pole[1] > 0.2);
  runs_free(r);
}

// A strip let down on the floor folds over itself: layers rest on layers.
static void falls_on_itself(void **state) {
  (void)state;
  double steps[] = {0.002, 1 / 120.0};
  for (int s = 0; s < 2; ++s) {
    run *r = start("{\"frames\": 12, \"bodies\": [{\"name\": \"floor\", \"shape\": {\"kind\": \"plane\", \"size\": "
                   "[10, 1, 10]}}],"
                   "\"cloths\": [{\"rotate\": [90, 0, 0], \"translate\": [0, 0.32, 0], \"shape\": {\"vertices\": 441,"
                   "\"size\": [0.6, 0.6]}}]}",
                   steps[s]);
    int touching = 0, impacts = 0;
    for (int k = 0; k < 20; ++k) {
      const mus_step_record *record = runs_frame(r);
      touching += record->cloth_contacts;
      impacts += record->impacts;
      assert_int_equal(runs_crossings(r), 0);
    }
    print_message("%d repulsions, %d impacts in last steps of frames\n", touching, impacts);
    assert_true(touching > 0);
    assert_true(runs_lowest(r) > 0);
    runs_free(r);
  }
}

// Two boxes close on a hanging sheet until they overlap, with no room left for it, and open again.
static void pinched_cloth_stays_calm_and_comes_free(void **state) {
  (void)state;
  run *r =
      runs_start("{\"frames\": 40, \"time_step\": 0.00833333334, \"bodies\": ["
                 "{\"name\": \"left\", \"shape\": {\"kind\": \"box\", \"size\": [0.1, 0.2, 0.4]}, \"translate\": ["
                 "{\"time\": 0, \"value\": [-0.06, 0, 0]}, {\"time\": 0.3, \"value\": [-0.047, 0, 0]},"
                 "{\"time\": 0.6, \"value\": [-0.047, 0, 0]}, {\"time\": 0.9, \"value\": [-0.06, 0, 0]}]},"
                 "{\"name\": \"right\", \"shape\": {\"kind\": \"box\", \"size\": [0.1, 0.2, 0.4]}, \"translate\": ["
                 "{\"time\": 0, \"value\": [0.06, 0, 0]}, {\"time\": 0.3, \"value\": [0.047, 0, 0]},"
                 "{\"time\": 0.6, \"value\": [0.047, 0, 0]}, {\"time\": 0.9, \"value\": [0.06, 0, 0]}]}],"
                 "\"cloths\": [{\"shape\": {\"vertices\": 225, \"size\": [0.6, 0.6]}, \"rotate\": [0, 0, 90],"
                 "\"pins\": [{\"where\": {\"box\": [-1, 0.299, -1, 1, 1, 1]}}]}]}");
  int tangled = 0;
  for (int k = 0; k < 26; ++k) {
    const mus_step_record *record = runs_frame(r);
    tangled += record->tangled > 0;
    int closing = k >= 4 && k <= 6; // the last of the room goes: some steps shake the cloth, which then swings out
    assert_true(record->strain_maximum < (closing ? 1 : 0.1));
    assert_true(record->kinetic < (closing ? 0.2 : k <= 10 ? 0.02 : 2e-3));
  }
  assert_true(tangled > 3);
  assert_int_equal(runs_crossings(r), 0);
  runs_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(slopes), cmocka_unit_test(falls_on_bodies),
                                     cmocka_unit_test(is_carried), cmocka_unit_test(falls_on_itself),
                                     cmocka_unit_test(pinched_cloth_stays_calm_and_comes_free)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
