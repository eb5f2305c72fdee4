// Buttons: two sheets that pull at each other keep their momenta, rest at the length that is asked for, and mistakes
// are named.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/check.h"
#include "support/runs.h"

#define SHEETS                                                                                                         \
  "\"cloths\": [{\"name\": \"a\", \"shape\": {\"vertices\": 36, \"size\": [0.3, 0.3]}, \"velocity\": [0, 0.3, 0]},"    \
  "{\"name\": \"b\", \"shape\": {\"vertices\": 36, \"size\": [0.3, 0.3]}, \"translate\": [0.02, 0.05, 0.01]}],"

static double gap(const run *r, int at) {
  const double *x = mus_sim_positions(r->sim), *y = x + 3 * (mus_sim_first_vertex(r->sim, 1) + at), *a = x + 3 * 14;
  return sqrt((a[0] - y[0]) * (a[0] - y[0]) + (a[1] - y[1]) * (a[1] - y[1]) + (a[2] - y[2]) * (a[2] - y[2]));
}

static void buttons_keep_momenta(void **state) {
  (void)state;
  run *r =
      runs_start("{\"gravity\": [0, 0, 0], \"air_density\": 0, \"contact\": false, \"time_step\": 0.0005,"
                 "\"integrator\": \"newton\", \"solver\": {\"tolerance\": 1e-11}, \"newton_tolerance\": 1e-10," SHEETS
                 "\"buttons\": [{\"from\": \"a\", \"vertex\": 14, \"to\": \"b\", \"at\": [14], \"stiffness\": 30}]}");
  mus_step_record first = *runs_frame(r);
  double before = gap(r, 14);
  for (int frame = 0; frame < 4; ++frame)
    runs_frame(r);
  const mus_step_record *last = runs_frame(r);
  for (int c = 0; c < 3; ++c) {
    assert_true(fabs(last->momentum[c] - first.momentum[c]) < 1e-9);
    // Implicit Euler turns a little less with every step; forces between two points along their line turn nothing.
    assert_true(fabs(last->angular_momentum[c] - first.angular_momentum[c]) < 2e-5);
  }
  assert_true(fabs(gap(r, 14) - before) > 1e-3); // something has pulled
  runs_free(r);
}

static void buttons_rest_at_their_length(void **state) {
  (void)state;
  const double rest[] = {0, 0.03};
  for (int k = 0; k < 2; ++k) {
    char text[900];
    snprintf(text, sizeof text,
             "{\"gravity\": [0, 0, 0], \"contact\": %s, \"time_step\": 0.01, " SHEETS
             "\"buttons\": [{\"from\": \"a\", \"vertex\": 14, \"to\": \"b\", \"at\": [14], \"rest\": %g, \"damping\": "
             "0.05}]}",
             k ? "true" : "false", rest[k]);
    run *r = runs_start(text);
    for (int frame = 0; frame < 48; ++frame)
      runs_frame(r);
    assert_true(fabs(gap(r, 14) - rest[k]) < 1e-4);
    runs_free(r);
  }
}

static void mistakes_are_named(void **state) {
  (void)state;
  const struct {
    const char *button, *part;
  } cases[] = {{"\"from\": \"c\", \"to\": \"b\", \"at\": [1]", "no cloth or solid \"c\""},
               {"\"from\": \"a\", \"to\": \"b\", \"at\": [1, 2]", "\"at\" has 2 vertices"},
               {"\"from\": \"a\", \"to\": \"b\", \"at\": [0, 1, 35]", "not the corners of one triangle"},
               {"\"from\": \"a\", \"vertex\": 99, \"to\": \"b\", \"at\": [1]", "99"},
               {"\"from\": \"a\", \"vertex\": 3, \"to\": \"a\", \"at\": [3]", "to itself"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    char text[900];
    mus_scene scene;
    mus_sim *sim = NULL;
    snprintf(text, sizeof text, "{" SHEETS "\"buttons\": [{%s}]}", cases[k].button);
    mus_status status = mus_scene_parse("s.json", text, &scene);
    if (!status) {
      status = mus_sim_create(&scene, &sim);
      mus_scene_free(&scene);
    }
    assert_int_equal(status, MUS_BAD_INPUT);
    assert_non_null(strstr(mus_last_error(), "buttons[0]"));
    assert_non_null(strstr(mus_last_error(), cases[k].part));
  }
}

// A solid that hangs from a cloth by a cord, below the sheet that pins hold.
static void cloth_and_solids_are_joined(void **state) {
  (void)state;
  run *r = runs_start(
      "{\"time_step\": 0.01, \"cloths\": [{\"name\": \"sheet\", \"shape\": {\"vertices\": 36, \"size\": [0.3, 0.3]},"
      " \"pins\": [{\"where\": {\"boundary\": true}}]}],"
      " \"solids\": [{\"name\": \"ball\", \"translate\": [0, -0.2, 0], \"density\": 100, \"damping\": 0.02,"
      " \"young\": 1e5, \"shape\": {\"kind\": \"ball\", \"radius\": 0.05, \"vertices\": 100}}],"
      " \"buttons\": [{\"from\": \"sheet\", \"vertex\": 14, \"to\": \"ball\", \"at\": [0], \"rest\": 0.15,"
      " \"damping\": 0.05}]}");
  for (int frame = 0; frame < 48; ++frame)
    runs_frame(r);
  assert_true(fabs(gap(r, 0) - 0.15) < 0.01);
  assert_true(runs_lowest(r) > -0.4);
  runs_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(buttons_keep_momenta), cmocka_unit_test(buttons_rest_at_their_length),
      cmocka_unit_test(cloth_and_solids_are_joined), cmocka_unit_test(mistakes_are_named)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
