// Contact is the gradient of a potential of velocities: on bodies, between cloths, at seams, whatever holds vertices.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "sim/simulator.h"
#include "support/check.h"
#include "support/files.h"
#include "support/potential.h"
#include "support/runs.h"

#define FLOOR                                                                                                          \
  "\"bodies\": [{\"shape\": {\"kind\": \"plane\", \"size\": [2, 1, 2]}, \"friction\": %g, \"rotate\": [0, 0, %g]}],"

// Which kinds of holds a run has seen, and the loads of a step that is prepared but not done.
typedef struct seen {
  int slides, sticks, gathers, beyond, within;
} seen;

static void look(run *r, seen *s) {
  mus_step_context context = mus_sim_context(r->sim);
  const mus_contact_workspace *work = r->sim->contact;
  assert_ok(mus_step_prepare(&context, 0.004));
  for (size_t k = 0; k < work->holds.held.count; ++k) {
    const mus_held *held = &mus_held_vertices(&work->holds)[k];
    s->slides += held->state == MUS_HOLD_SLIDES;
    s->sticks += held->state == MUS_HOLD_STICKS;
    s->gathers += mus_dot3(held->along, held->along) > 0;
  }
  s->beyond += (int)work->beyond.couplings.count;
  s->within += (int)work->within.couplings.count;
}

static seen run_and_check(run *r, int frames) {
  seen s = {0};
  for (int frame = 0; frame < frames; ++frame) {
    runs_frame(r);
    int before = s.slides + s.beyond + s.within;
    look(r, &s);
    if (s.slides + s.beyond + s.within > before) // where all stick, constraints do everything
      potential_check(r->sim, (uint64_t)frame);
  }
  return s;
}

// Slides down and gathers speed, or lies and sticks.
static void of_a_sheet_on_a_floor(void **state) {
  (void)state;
  for (int steep = 0; steep < 2; ++steep) {
    char text[512];
    snprintf(text, sizeof text,
             "{\"time_step\": 0.004, " FLOOR "\"cloths\": [{\"translate\": [0, 0.002, 0], \"rotate\": [0, 0, %d],"
             "\"shape\": {\"vertices\": 25, \"size\": [0.2, 0.2]}}]}",
             steep ? 0.1 : 0.6, steep ? 40.0 : 0.0, steep ? 40 : 0);
    run *r = runs_start(text);
    seen s = run_and_check(r, 4);
    assert_true(steep ? s.slides > 0 && s.gathers > 0 : s.sticks > 0);
    runs_free(r);
  }
}

static void of_two_sheets_on_a_sphere(void **state) {
  (void)state;
  run *r = runs_start(
      "{\"time_step\": 0.004, \"bodies\": [{\"shape\": {\"kind\": \"sphere\", \"radius\": 0.1, \"facet\": 0.02}}],"
      "\"cloths\": [{\"translate\": [0.01, 0.103, 0], \"shape\": {\"vertices\": 81, \"size\": [0.3, 0.3]}},"
      "{\"translate\": [0, 0.106, 0.01], \"shape\": {\"vertices\": 64, \"size\": [0.3, 0.3]}}]}");
  seen s = run_and_check(r, 4);
  assert_true(s.slides > 0 && s.within > 0 && s.beyond > 0);
  runs_free(r);
}

// A strip whose halves are sewn together lies over an edge: what touches at the seam is carried by what it follows.
static void write_sewn_strip(const char *path) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  for (int half = 0; half < 2; ++half)
    for (int j = 0; j < 4; ++j)
      for (int i = 0; i < 4; ++i)
        fprintf(file, "v %g 0 %g\nvt %g %g\n", 0.03 * (i + 3 * half), -0.03 * j, 0.03 * (i + 3 * half), 0.03 * j);
  for (int half = 0; half < 2; ++half)
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i) {
        int a = 16 * half + 4 * j + i + 1;
        fprintf(file, "f %d/%d %d/%d %d/%d\nf %d/%d %d/%d %d/%d\n", a, a, a + 1, a + 1, a + 5, a + 5, a, a, a + 5,
                a + 5, a + 4, a + 4);
      }
  for (int j = 0; j < 4; ++j)
    fprintf(file, "stitch %d %d %d 0\n", 16 + 4 * j, 4 * j + 3, 4 * j + 3);
  assert_int_equal(fclose(file), 0);
}

static void of_a_seam_over_an_edge(void **state) {
  char text[1024];
  write_sewn_strip(files_path(*state, "strip.obj"));
  snprintf(text, sizeof text,
           "{\"time_step\": 0.004, \"bodies\": [{\"shape\": {\"kind\": \"box\", \"size\": [0.2, 0.2, 1]},"
           " \"translate\": [0.09, -0.143, 0], \"rotate\": [0, 0, 45]}],"
           "\"cloths\": [{\"shape\": {\"kind\": \"file\", \"file\": \"%s\", \"material_scale\": 1}}]}",
           files_path(*state, "strip.obj"));
  run *r = runs_start(text);
  seen s = run_and_check(r, 4);
  assert_true(r->sim->work.seams.count > 0 && s.within > 0);
  runs_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(of_a_sheet_on_a_floor), cmocka_unit_test(of_two_sheets_on_a_sphere),
      cmocka_unit_test_setup_teardown(of_a_seam_over_an_edge, files_setup, files_teardown)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
