// Contact with bodies only in steps as long as a frame: friction as Coulomb has it, cloth that comes to rest on bodies
// and stays off them, the same bits for any number of threads and after a checkpoint.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run/saved.h"
#include "sim/access.h"
#include "support/check.h"
#include "support/runs.h"

#define FRAMES                                                                                                         \
  "\"contact_with\": \"bodies\", \"solver\": {\"method\": \"sa\"}, \"frame_rate\": 24, \"time_step\": 0.0417, "
static const char *const minimised = "\"integrator\": \"minimise\", ",
                         *const newton = "\"integrator\": \"newton\", \"newton_tolerance\": 1e-6, ";

static run *start_with(const char *text, int threads) {
  run *r = runs_scene(text);
  r->scene.solver.threads = threads;
  runs_begin(r);
  return r;
}

static run *start(const char *text) { return start_with(text, 1); } // meshes are small

// --- friction --------------------------------------------------------------------------------------------------------

static run *on_slope(const char *integrator, double angle, double friction) {
  char text[1000];
  snprintf(text, sizeof text,
           "{" FRAMES "%s\"air_density\": 0, \"bodies\": [{\"shape\": {\"kind\": \"plane\", \"size\": [6, 1, 6]},"
           "\"friction\": %g, \"rotate\": [0, 0, %g]}], \"cloths\": [{\"translate\": [0, 0.001, 0], \"rotate\": [0, 0, "
           "%g], \"shape\": {\"vertices\": 100, \"size\": [0.2, 0.2]}}]}",
           integrator, friction, angle, angle);
  return start(text);
}

// The mean of positions or velocities of all vertices down the slope, and how far the nearest is from it.
static double mean_on_slope(const run *r, const double *x, double angle, double *nearest) {
  int vertices = mus_sim_model(r->sim)->vertices;
  double a = angle * acos(-1) / 180, down = 0;
  *nearest = INFINITY;
  for (int i = 0; i < vertices; ++i) {
    down -= (x[3 * i] * cos(a) + x[3 * i + 1] * sin(a)) / vertices;
    *nearest = fmin(*nearest, x[3 * i + 1] * cos(a) - x[3 * i] * sin(a));
  }
  return down;
}

// Below the angle of friction it creeps by less than 0.2 mm/s; beyond it gathers speed as it should.
static void friction_is_coulombs(void **state) {
  (void)state;
  const double angles[] = {0, 10, 15, 18, 20, 30};
  for (int k = 0; k < 6; ++k) {
    run *r = on_slope(k == 3 ? newton : minimised, angles[k], 0.3);
    double near, slow = 0, a = angles[k] * acos(-1) / 180, pull = 9.81 * (sin(a) - 0.3 * cos(a));
    double from = mean_on_slope(r, mus_sim_positions(r->sim), angles[k], &near);
    for (int frame = 0; frame < 24; ++frame) {
      if (frame == 12)
        slow = mean_on_slope(r, mus_sim_velocities(r->sim), angles[k], &near);
      assert_ok(mus_sim_frame(r->sim, NULL));
    }
    double fast = mean_on_slope(r, mus_sim_velocities(r->sim), angles[k], &near);
    double to = mean_on_slope(r, mus_sim_positions(r->sim), angles[k], &near);
    print_message("%g degrees: %g m, %g m/s^2 of %g, %g m off\n", angles[k], to - from, 2 * (fast - slow),
                  fmax(pull, 0), near);
    assert_true(fabs(near - 0.001) < 1e-5);
    if (pull < 0)
      assert_true(fabs(to - from) < 2.1e-4);
    else
      assert_true(to > from && fabs((fast - slow) / (pull / 2) - 1) < 0.02);
    runs_free(r);
  }
}

// --- rest ------------------------------------------------------------------------------------------------------------

#define BALL                                                                                                           \
  "\"bodies\": [{\"shape\": {\"kind\": \"sphere\", \"radius\": 0.15}, \"friction\": 0.5}, {\"shape\": {\"kind\": "     \
  "\"floor\"}, \"translate\": [0, -0.25, 0]}],"
#define SHEET "\"cloths\": [{\"translate\": [0.01, 0.25, 0.01], \"shape\": {\"vertices\": 196, \"size\": [0.7, 0.7]}}]}"

// m: how far the vertices are from the ball and from the floor, the nearest.
static double nearest_of(const run *r) {
  double nearest = INFINITY;
  for (int i = 0; i < mus_sim_vertices(r->sim); ++i) {
    const double *x = mus_sim_positions(r->sim) + 3 * i;
    nearest = fmin(nearest, fmin(sqrt(mus_dot3(x, x)) - 0.15, x[1] + 0.25));
  }
  return nearest;
}

// A sheet falls on a ball and on the floor around it, by steps of a frame and by Newton's method to the end, also at a
// speed at which it would be through the ball in a step. Gaps are 1 mm; a tenth of one may be missing.
static void cloth_stays_outside(void **state) {
  (void)state;
  const char *const texts[] = {"{" FRAMES "\"integrator\": \"minimise\", " BALL SHEET,
                               "{" FRAMES "\"integrator\": \"newton\", \"newton_tolerance\": 1e-4, " BALL SHEET,
                               "{" FRAMES "\"integrator\": \"minimise\", " BALL
                               "\"cloths\": [{\"velocity\": [0, -8, 0], \"translate\": [0.01, 0.25, 0.01], \"shape\": "
                               "{\"vertices\": 196, \"size\": [0.7, 0.7]}}]}"};
  for (int k = 0; k < 3; ++k) {
    run *r = start(texts[k]);
    double nearest = INFINITY;
    int most = 0, unfinished = 0, iterations = 0, frames = k == 0 ? 48 : 12;
    for (int frame = 0; frame < frames; ++frame) {
      const mus_step_record *record = runs_frame(r);
      nearest = fmin(nearest, nearest_of(r));
      most = record->body_contacts > most ? record->body_contacts : most;
      unfinished += record->unfinished;
      iterations += record->newton_iterations;
    }
    print_message("%d: %g m off, %d vertices touch, %d iterations, %g m/s\n", k, nearest, most, iterations,
                  runs_speed(r));
    assert_true(nearest > 0.0009);
    assert_true(most > 10);
    assert_int_equal(unfinished, 0);
    if (k == 0)
      assert_true(runs_speed(r) < 0.1);
    runs_free(r);
  }
}

// By other minimisers as well.
static void minimisers_agree_about_bodies(void **state) {
  (void)state;
  const char *const names[] = {"newton-cholmod", "fmg-sa", "ncg-sa"};
  for (int k = 0; k < 3; ++k) {
    char text[1000];
    snprintf(text, sizeof text, "{" FRAMES "\"integrator\": \"minimise\", \"minimiser\": \"%s\", " BALL SHEET,
             names[k]);
    run *r = start(text);
    for (int frame = 0; frame < 12; ++frame) {
      runs_frame(r);
      if (!(nearest_of(r) > 0.0008))
        fail_msg("%s, frame %d: a vertex is %g m off", names[k], frame, nearest_of(r));
    }
    runs_free(r);
  }
}

// --- the same bits ---------------------------------------------------------------------------------------------------

#define LARGER                                                                                                         \
  "\"cloths\": [{\"translate\": [0.01, 0.2, 0.01], \"shape\": {\"vertices\": 1600, \"size\": [0.7, 0.7]}}]}"

static void same_bits_for_any_number_of_threads(void **state) {
  (void)state;
  const int threads[] = {1, 2, 7};
  run *r[3];
  for (int k = 0; k < 3; ++k) {
    r[k] = start_with("{" FRAMES "\"integrator\": \"minimise\", " BALL LARGER, threads[k]);
    for (int frame = 0; frame < 6; ++frame)
      runs_frame(r[k]);
    assert_true(mus_sim_step_record(r[k]->sim, 0)->body_contacts > 5);
  }
  size_t bytes = 3 * (size_t)mus_sim_vertices(r[0]->sim) * sizeof(double);
  for (int k = 1; k < 3; ++k) {
    assert_memory_equal(mus_sim_positions(r[0]->sim), mus_sim_positions(r[k]->sim), bytes);
    assert_memory_equal(mus_sim_velocities(r[0]->sim), mus_sim_velocities(r[k]->sim), bytes);
  }
  for (int k = 0; k < 3; ++k)
    runs_free(r[k]);
}

static void resumed_runs_are_the_same(void **state) {
  (void)state;
  const char *text = "{" FRAMES "\"integrator\": \"minimise\", " BALL SHEET;
  run *whole = start(text), *rest = start(text);
  mus_checkpoint_section sections[MUS_SAVED_SECTIONS];
  mus_saved kept = {0};
  for (int frame = 0; frame < 8; ++frame)
    runs_frame(whole);
  assert_ok(mus_saved_take(whole->sim, &kept));
  mus_saved_list(&kept, sections);
  mus_checkpoint checkpoint = {.frame = 8, .count = MUS_SAVED_SECTIONS, .sections = sections};
  assert_ok(mus_saved_restore(&checkpoint, rest->sim));
  mus_saved_free(&kept);
  for (int frame = 0; frame < 6; ++frame) {
    runs_frame(whole);
    runs_frame(rest);
  }
  size_t bytes = 3 * (size_t)mus_sim_vertices(whole->sim) * sizeof(double);
  assert_memory_equal(mus_sim_positions(whole->sim), mus_sim_positions(rest->sim), bytes);
  assert_memory_equal(mus_sim_velocities(whole->sim), mus_sim_velocities(rest->sim), bytes);
  runs_free(whole);
  runs_free(rest);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(friction_is_coulombs), cmocka_unit_test(cloth_stays_outside),
                                     cmocka_unit_test(minimisers_agree_about_bodies),
                                     cmocka_unit_test(same_bits_for_any_number_of_threads),
                                     cmocka_unit_test(resumed_runs_are_the_same)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
