// Contact in the simulator: cloth that falls, is sewn and untangled; same bits for any number of threads.
// test_contact_large.c has what takes longer.
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

static const char falling[] =
    "{\"frames\": 12, \"time_step\": 0.00833333334, \"bodies\": ["
    "{\"name\": \"ball\", \"shape\": {\"kind\": \"sphere\", \"radius\": 0.1, \"facet\": 0.002}},"
    "{\"name\": \"floor\", \"translate\": [0, -0.15, 0], \"shape\": {\"kind\": \"plane\", \"size\": [10, 1, 10]}}],"
    "\"cloths\": [{\"translate\": [0, 0.105, 0], \"shape\": {\"vertices\": 225, \"size\": [0.5, 0.5]}}]}";

static void falls_on_bodies_with_the_same_bits(void **state) {
  (void)state;
  double *first = NULL;
  int threads[] = {1, 2, 7};
  for (int k = 0; k < 3; ++k) {
    run *r = runs_scene(falling);
    r->scene.solver.threads = threads[k];
    runs_begin(r);
    int touching = 0;
    for (int f = 0; f < 8; ++f) {
      const mus_step_record *record = runs_frame(r);
      touching += record->body_contacts;
      assert_int_equal(runs_crossings(r), 0);
    }
    assert_true(touching > 20);
    assert_true(runs_lowest(r) > -0.15);
    size_t bytes = 3 * (size_t)mus_sim_vertices(r->sim) * sizeof(double);
    if (!first)
      first = memcpy(malloc(bytes), mus_sim_positions(r->sim), bytes);
    assert_memory_equal(first, mus_sim_positions(r->sim), bytes);
    runs_free(r);
  }
  free(first);
}

static void contact_can_be_turned_off(void **state) {
  (void)state;
  run *r = runs_scene(falling);
  r->scene.contact = 0;
  runs_begin(r);
  for (int f = 0; f < 8; ++f)
    assert_int_equal(runs_frame(r)->body_contacts, 0);
  assert_true(runs_lowest(r) < -0.2);
  runs_free(r);
}

// One sheet dips through another at the start.
static void tangled_starts_come_apart(void **state) {
  (void)state;
  run *r =
      runs_start("{\"frames\": 40, \"gravity\": [0, 0, 0], \"cloths\": ["
                 "{\"name\": \"one\", \"shape\": {\"vertices\": 225, \"size\": [0.4, 0.4]}},"
                 "{\"name\": \"two\", \"shape\": {\"vertices\": 225, \"size\": [0.4, 0.4]}, \"rotate\": [0, 20, 6],"
                 "\"translate\": [0.1, 0.015, 0.03]}]}");
  int before = runs_crossings(r), frames = 0;
  assert_true(before > 10);
  while (runs_crossings(r) > 0 && frames < 40) {
    assert_true(runs_frame(r)->strain_maximum < 0.5);
    ++frames;
  }
  print_message("%d crossings, free after %d frames\n", before, frames);
  assert_true(frames < 40);
  for (int k = 0; k < 4; ++k) {
    runs_frame(r);
    assert_int_equal(runs_crossings(r), 0);
  }
  runs_free(r);
}

// Two sheets side by side are sewn along an edge by the scene's seams; one that hangs over a line, by its own stitches.
static void seams_close(void **state) {
  (void)state;
  static const char *const text[] = {
      "{\"gravity\": [0, 0, 0], \"cloths\": [{\"name\": \"a\", \"shape\": {\"vertices\": 25, \"size\": [0.2, 0.2]}},"
      "{\"name\": \"b\", \"shape\": {\"vertices\": 25, \"size\": [0.2, 0.2]}, \"translate\": [0.23, 0, 0]}],"
      "\"seams\": [{\"from\": \"a\", \"to\": \"b\", \"close\": 0.2,"
      "\"pairs\": [4, 0, 9, 5, 14, 10, 19, 15, 24, 20]}]}",
      "{\"cloths\": [{\"shape\": {\"vertices\": 25, \"size\": [0.2, 0.2]}, \"close\": 0.4, \"pins\": [{\"where\":"
      "{\"vertices\": [2, 7, 12, 17, 22]}}], \"stitches\": [0, 4, 5, 9, 10, 14, 15, 19, 20, 24]}]}"};
  for (int k = 0; k < 2; ++k) {
    run *r = runs_start(text[k]);
    for (int f = 0; f < 12; ++f)
      runs_frame(r);
    const double *x = mus_sim_positions(r->sim);
    for (int i = 0; i < 5; ++i) {
      const double *a = x + 3 * (5 * i + (k == 0 ? 4 : 0)), *b = x + 3 * (k == 0 ? 25 + 5 * i : 5 * i + 4);
      double open = sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
      assert_true(open < 1e-3);
    }
    runs_free(r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(falls_on_bodies_with_the_same_bits),
                                     cmocka_unit_test(contact_can_be_turned_off),
                                     cmocka_unit_test(tangled_starts_come_apart), cmocka_unit_test(seams_close)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
