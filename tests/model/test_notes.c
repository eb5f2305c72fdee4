// What a user is told of a scene that is sound but may not be what was meant.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(large_and_small), cmocka_unit_test(files_have_a_scale)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
