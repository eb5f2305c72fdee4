// Settling: what starts tangled is free before time begins, and stays so; what is free is not touched.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/runs.h"

static size_t bytes_of(const run *r) { return 3 * (size_t)mus_sim_vertices(r->sim) * sizeof(double); }

static void free_cloth_is_not_touched(void **state) {
  (void)state;
  run *r =
      runs_start("{\"cloths\": [{\"translate\": [0, 0.2, 0], \"velocity\": [1, 2, 3], \"shape\": {\"vertices\": 225}}],"
                 "\"bodies\": [{\"shape\": {\"kind\": \"sphere\", \"radius\": 0.1, \"facet\": 0.002}}]}");
  double *before = memcpy(malloc(bytes_of(r)), mus_sim_positions(r->sim), bytes_of(r));
  mus_settling settling;
  assert_ok(mus_sim_settle(r->sim, &settling));
  assert_int_equal(settling.steps, 0);
  assert_int_equal(settling.crossings, 0);
  assert_int_equal(settling.tangled, 0);
  assert_memory_equal(before, mus_sim_positions(r->sim), bytes_of(r));
  assert_true(mus_sim_velocities(r->sim)[2] == 3);
  free(before);
  runs_free(r);
}

// Settles, then runs with steps as long as frames: nothing is tangled at any time.
static void comes_free(const char *scene, int most) {
  run *r = runs_scene(scene);
  r->scene.settle = most;
  runs_begin(r);
  int before = runs_crossings(r);
  mus_settling settling;
  assert_ok(mus_sim_settle(r->sim, &settling));
  print_message("%d crossings, free after %d steps\n", before, settling.steps);
  assert_true(before > 0);
  assert_int_equal(settling.crossings, before);
  assert_true(settling.steps > 0);
  assert_int_equal(settling.tangled, 0);
  assert_int_equal(runs_crossings(r), 0);
  assert_true(mus_sim_time(r->sim) == 0);
  for (int i = 0; i < 3 * mus_sim_vertices(r->sim); ++i)
    assert_true(mus_sim_velocities(r->sim)[i] == 0);
  for (int f = 0; f < 4; ++f) {
    runs_frame(r);
    assert_int_equal(runs_crossings(r), 0);
  }
  runs_free(r);
}

// Its middle lies 14 mm inside all around, and it must stretch to come out.
static const char tight[] = "{\"time_step\": 0.0416666667, \"gravity\": [0, 0, 0],"
                            "\"cloths\": [{\"shape\": {\"kind\": \"tube\", \"size\": [1.8, 0.9], \"vertices\": 700}}],"
                            "\"bodies\": [{\"shape\": {\"kind\": \"sphere\", \"radius\": 0.3, \"facet\": 0.002}}]}";

static void a_tight_tube_comes_out_of_a_sphere(void **state) {
  (void)state;
  comes_free(tight, 100);
}

static void a_tube_beside_the_middle_comes_out(void **state) {
  (void)state;
  comes_free("{\"time_step\": 0.0416666667, \"gravity\": [0, 0, 0], \"cloths\": [{\"translate\": [0, 0.1, 0],"
             "\"shape\": {\"kind\": \"tube\", \"size\": [2.2, 0.9], \"vertices\": 700}}],"
             "\"bodies\": [{\"shape\": {\"kind\": \"sphere\", \"radius\": 0.3, \"facet\": 0.002}}]}",
             100);
}

// A sleeve that is too narrow for the limb, and tilted, so that the limb goes in by its end and out by its side. For
// half of it the far side of the limb is nearer than the near one.
static void a_sleeve_comes_out_of_a_limb(void **state) {
  (void)state;
  comes_free("{\"time_step\": 0.0416666667, \"gravity\": [0, 0, 0], \"cloths\": [{\"rotate\": [0, 0, 12],"
             "\"shape\": {\"kind\": \"tube\", \"size\": [0.36, 0.2], \"vertices\": 900}}],"
             "\"bodies\": [{\"rotate\": [0, 0, 90],"
             "\"shape\": {\"kind\": \"capsule\", \"radius\": 0.055, \"length\": 0.6, \"facet\": 0.001}}]}",
             200);
}

static void sheets_come_apart(void **state) {
  (void)state;
  comes_free("{\"time_step\": 0.0416666667, \"gravity\": [0, 0, 0], \"cloths\": ["
             "{\"name\": \"one\", \"shape\": {\"vertices\": 225, \"size\": [0.4, 0.4]}},"
             "{\"name\": \"two\", \"shape\": {\"vertices\": 225, \"size\": [0.4, 0.4]}, \"rotate\": [0, 20, 6],"
             "\"translate\": [0.1, 0.015, 0.03]}]}",
             200);
}

static void settling_can_be_turned_off(void **state) {
  (void)state;
  run *r = runs_scene(tight);
  r->scene.settle = 0;
  runs_begin(r);
  int before = runs_crossings(r);
  mus_settling settling;
  assert_ok(mus_sim_settle(r->sim, &settling));
  assert_int_equal(settling.steps, 0);
  assert_int_equal(runs_crossings(r), before);
  runs_free(r);
}

static void threads_change_nothing(void **state) {
  (void)state;
  double *first = NULL;
  int threads[] = {1, 2, 7};
  for (int k = 0; k < 3; ++k) {
    run *r = runs_scene(tight);
    r->scene.solver.threads = threads[k];
    r->scene.settle = 4;
    runs_begin(r);
    mus_settling settling;
    assert_ok(mus_sim_settle(r->sim, &settling));
    assert_int_equal(settling.steps, 4);
    if (!first)
      first = memcpy(malloc(bytes_of(r)), mus_sim_positions(r->sim), bytes_of(r));
    assert_memory_equal(first, mus_sim_positions(r->sim), bytes_of(r));
    runs_free(r);
  }
  free(first);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(free_cloth_is_not_touched),
                                     cmocka_unit_test(a_tight_tube_comes_out_of_a_sphere),
                                     cmocka_unit_test(a_tube_beside_the_middle_comes_out),
                                     cmocka_unit_test(a_sleeve_comes_out_of_a_limb),
                                     cmocka_unit_test(sheets_come_apart),
                                     cmocka_unit_test(settling_can_be_turned_off),
                                     cmocka_unit_test(threads_change_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
