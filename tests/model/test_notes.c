// What a user is told of a scene that is sound but may not be what was meant.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "support/runs.h"

static void large_and_small(void **state) {
  (void)state;
  run *r =
      runs_start("{\"bodies\": [{\"shape\": {\"size\": [300, 1, 300]}}, {\"name\": \"hill\", \"shape\": {\"kind\": "
                 "\"box\", \"size\": [400, 20, 300]}}, {\"shape\": {\"kind\": \"sphere\", \"radius\": 0.001}}],"
                 " \"cloths\": [{\"shape\": {\"vertices\": 64, \"size\": [36, 4]}}, {\"shape\": {\"vertices\": 64}},"
                 " {\"name\": \"dot\", \"shape\": {\"vertices\": 16, \"size\": [0.01, 0.01]}}]}");
  assert_string_equal(mus_sim_note(r->sim, 0),
                      "cloths[0] (cloth) is 36 x 0 x 4 m, implausibly large: lengths are in metres");
  assert_string_equal(mus_sim_note(r->sim, 1),
                      "cloths[2] (dot) is 0.01 x 0 x 0.01 m, implausibly small: lengths are in metres");
  assert_string_equal(mus_sim_note(r->sim, 2),
                      "bodies[1] (hill) is 400 x 20 x 300 m, implausibly large: lengths are in metres");
  assert_non_null(strstr(mus_sim_note(r->sim, 3), "bodies[2] is 0.00"));
  assert_null(mus_sim_note(r->sim, 4)); // floors may be large
  assert_null(mus_sim_note(r->sim, -1));
  runs_free(r);
}

static void files_have_a_scale(void **state) {
  (void)state;
  run *r = runs_start("{\"cloths\": [{\"name\": \"dress\", \"shape\": {\"kind\": \"file\", \"file\": "
                      "\"tests/data/obj/good_crlf.obj\", \"scale\": 100}}]}");
  assert_non_null(strstr(mus_sim_note(r->sim, 0), "cloths[0] (dress) is 100 x 100 x 0 m"));
  assert_non_null(strstr(mus_sim_note(r->sim, 0), "\"scale\" gives the metres per unit of the file"));
  runs_free(r);
}

// The notes of a scene with one cloth of these keys, and a fabric "mine" with a limit.
static run *cloth_with(const char *keys) {
  char text[512];
  snprintf(text, sizeof text,
           "{\"fabrics\": [{\"name\": \"mine\", \"strain_limit\": 0.1}],"
           " \"cloths\": [{\"name\": \"flag\", \"shape\": {\"vertices\": 64}, %s}]}",
           keys);
  return runs_start(text);
}

static void assert_one_note(const char *keys, const char *start) {
  run *r = cloth_with(keys);
  const char *note = mus_sim_note(r->sim, 0);
  assert_non_null(note);
  assert_memory_equal(note, start, strlen(start));
  assert_null(mus_sim_note(r->sim, 1));
  runs_free(r);
}

static void assert_no_note(const char *keys) {
  run *r = cloth_with(keys);
  assert_null(mus_sim_note(r->sim, 0));
  runs_free(r);
}

// Springs have a Poisson's ratio of their own.
static void ratios_without_effect(void **state) {
  (void)state;
  static const char *const keys[] = {"\"model\": \"mass-spring\", \"poisson\": 0.4", "\"model\": \"mass-spring\"",
                                     "\"poisson\": 0.4"};
  for (int k = 0; k < 3; ++k) {
    char text[512];
    snprintf(text, sizeof text, "{\"solids\": [{\"name\": \"jelly\", \"shape\": {\"vertices\": 100}, %s}]}", keys[k]);
    run *r = runs_start(text);
    const char *note = mus_sim_note(r->sim, 0);
    assert_int_equal(note != NULL, k == 0);
    assert_true(!note || strstr(note, "solids[0] (jelly): \"poisson\" has no effect with its model"));
    runs_free(r);
  }
}

// Keys that a cloth's model has no use for are named, with the cloth, the model and a remedy; what nobody asked for
// is not.
static void keys_without_effect(void **state) {
  (void)state;
  assert_one_note("\"model\": \"choi-ko\", \"strain_limit\": 0.1",
                  "cloths[0] (flag): \"strain_limit\" has no effect with \"model\": \"choi-ko\"; choose "
                  "\"baraff-witkin\" for limits, or a larger \"stretch_scale\" for less stretch");
  assert_one_note("\"model\": \"mass-spring\", \"strain_limit\": [0, 0.1]",
                  "cloths[0] (flag): \"strain_limit\" has no effect with \"model\": \"mass-spring\"");
  assert_one_note("\"model\": \"mass-spring\", \"shear_scale\": 0.5",
                  "cloths[0] (flag): \"shear_scale\" has no effect with \"model\": \"mass-spring\"");
  assert_no_note("\"model\": \"choi-ko\", \"shear_scale\": 0.5");
  assert_no_note("\"model\": \"baraff-witkin\", \"shear_scale\": 0.5, \"strain_limit\": 0.1");
  assert_no_note("\"model\": \"mass-spring\", \"strain_limit\": 0");
  assert_no_note("\"model\": \"choi-ko\"");
  run *r = cloth_with("\"model\": \"choi-ko\", \"fabric\": \"mine\"");
  assert_non_null(strstr(mus_sim_note(r->sim, 0), "damping of shear"));
  assert_non_null(strstr(mus_sim_note(r->sim, 1), "\"strain_limit\" has no effect"));
  assert_null(mus_sim_note(r->sim, 2));
  runs_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(large_and_small), cmocka_unit_test(files_have_a_scale),
                                     cmocka_unit_test(ratios_without_effect), cmocka_unit_test(keys_without_effect)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
