// Contact with bodies only in Projective Dynamics: what a touch adds to the energy that a step lowers, cloth and solids
// that come to rest on bodies, what friction holds and lets go, bits that depend neither on threads nor on where a run
// was stopped.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "energy/touch.h"
#include "muslin/run.h"
#include "par/vector.h"
#include "sim/access.h"
#include "sim/simulator.h"
#include "support/check.h"
#include "support/files.h"
#include "support/runs.h"

// --- energy ----------------------------------------------------------------------------------------------------------

// Its derivative is minus the impulse, and that of the impulse minus the block.
static void impulses_are_slopes_of_the_energy(void **state) {
  (void)state;
  const double e = 1e-6;
  for (int k = 0; k < 3; ++k) {
    mus_touched t = {{0.6, 0, 0.8}, {0.1, 0.2, -0.3}, 0.4, 50, 2, {0, 0, 0}};
    double v[3] = {0.3, -0.7, 0.2}, impulse[3], block[9] = {0}, scratch[3];
    if (k == 1) // friction that cannot turn it back
      memcpy(t.rub, (double[]){-0.8, 0, 0.6}, sizeof t.rub);
    if (k == 2)
      t.stiffness = 0;
    double push = mus_touch_end(&t, v, 0.01, impulse);
    assert_true(k == 2 ? push == 0 && mus_touch_energy(&t, v) == 0 : push != 0);
    if (k < 2)
      mus_touch_block(&t, block);
    for (int c = 0; c < 3; ++c) {
      double energy[2], slope[2][3];
      for (int side = 0; side < 2; ++side) {
        v[c] += side ? -2 * e : e;
        energy[side] = mus_touch_energy(&t, v);
        mus_touch_end(&t, v, 0.01, slope[side]);
      }
      v[c] += e;
      assert_true(fabs((energy[0] - energy[1]) / (2 * e) + impulse[c]) < 1e-6);
      for (int r = 0; r < 3; ++r)
        assert_true(fabs((slope[0][r] - slope[1][r]) / (2 * e) + block[3 * r + c]) < 1e-6);
    }
    mus_touch_end(&t, v, 0.01, scratch);
    for (int c = 0; c < 3; ++c)
      assert_true(fabs(scratch[c] - impulse[c]) < 1e-12);
  }
}

#define HEAD "\"contact_with\": \"bodies\", \"integrator\": \"projective\""
#define BALL "{\"shape\": {\"kind\": \"sphere\", \"radius\": 0.3}, \"translate\": [0, -0.32, 0]}"
#define FLOOR "{\"shape\": {\"kind\": \"floor\"}, \"translate\": [0, -0.1, 0]}"
#define SHEET(model) "\"cloths\": [{\"model\": \"" model "\", \"shape\": {\"vertices\": 441}}]"
#define BLOCK                                                                                                          \
  "\"solids\": [{\"model\": \"co-rotated\", \"shape\": {\"vertices\": 400, \"size\": [0.4, 0.2, 0.2]}, "               \
  "\"young\": 20000, \"density\": 1000, \"translate\": [0, 0.15, 0]}]"

// On one thread: most are too small for more.
static run *start(const char *text) {
  run *r = runs_scene(text);
  r->scene.solver.threads = 1;
  runs_begin(r);
  return r;
}

// |v' - v|^2 / 2 by mass, what elements hold and what touches add, after one step from the same state.
static double energy_of_step(run *r) {
  const mus_model *m = mus_sim_model(r->sim);
  size_t n = 3 * (size_t)m->vertices;
  double *start = malloc(n * sizeof *start), sum = 0;
  assert_non_null(start);
  mus_copy(n, mus_sim_state(r->sim)->velocity, start);
  const mus_step_record *record = runs_frame(r);
  for (size_t i = 0; i < n; ++i)
    sum += m->mass[i / 3] / 2 * pow(mus_sim_state(r->sim)->velocity[i] - start[i], 2);
  free(start);
  return sum + runs_energy(record) - record->kinetic +
         mus_touch_potential(r->sim->touch, mus_sim_state(r->sim)->velocity);
}

// A block and a sheet of springs reach a ball in their first step.
static void every_iteration_lowers_the_energy(void **state) {
  (void)state;
  const char *const what[] = {"\"solids\": [{\"model\": \"co-rotated\", \"damping\": 0, \"velocity\": [1, -1, 0], "
                              "\"shape\": {\"vertices\": 300, \"size\": [0.4, 0.2, 0.2]}, \"young\": 20000, "
                              "\"density\": 1000, \"translate\": [0, 0.09, 0]}]",
                              "\"cloths\": [{\"model\": \"mass-spring\", \"damping_scale\": 0, \"velocity\": "
                              "[0.5, -0.7, 0], \"shape\": {\"vertices\": 441}}]"};
  for (int k = 0; k < 8; ++k) {
    double before = INFINITY;
    for (int iterations = 1; iterations <= 8; ++iterations) {
      char text[2000];
      snprintf(text, sizeof text,
               "{" HEAD ", \"frame_rate\": 30, \"time_step\": 0.034, \"air_density\": 0, \"projective_tolerance\": 0, "
               "\"bodies\": [" BALL "], \"solver\": {\"method\": \"%s\", \"sa\": {\"smoother\": \"%s\"}}, %s}",
               k / 2 == 3 ? "cholmod" : "skinning", (const char *[]){"gs:3", "jacobi:3", "chebyshev:2", "gs:3"}[k / 2],
               what[k % 2]);
      run *r = runs_scene(text);
      r->scene.solver.threads = 1;
      r->scene.projective_memory = 0;
      r->scene.projective_iterations = iterations;
      r->scene.adaptive = 0;
      for (int c = 0; c < r->scene.cloth_count; ++c)
        r->scene.cloths[c].strain_limit_given = 1; // none
      runs_begin(r);
      double energy = energy_of_step(r);
      assert_true(mus_sim_step_record(r->sim, 0)->body_contacts > 3);
      if (!(energy < before))
        fail_msg("case %d: iteration %d goes from %.17g to %.17g J", k, iterations, before, energy);
      before = energy;
      runs_free(r);
    }
  }
}

// --- rest ------------------------------------------------------------------------------------------------------------

static double distance(int on_floor, const double *x) {
  double middle[3] = {x[0], x[1] + 0.32, x[2]};
  return on_floor ? x[1] + 0.1 : sqrt(mus_dot3(middle, middle)) - 0.3;
}

// As with euler's steps of this length, nothing gets inside, and energy only falls; on the floor it comes to rest.
static void cloth_and_solids_stay_outside(void **state) {
  (void)state;
  const char *const what[] = {SHEET("baraff-witkin"), SHEET("mass-spring"), BLOCK};
  for (int k = 0; k < 9; ++k) {
    int on_floor = k % 2, most = 0;
    double energy = INFINITY;
    char text[2000];
    snprintf(text, sizeof text, "{" HEAD ", \"time_step\": 0.004, \"frame_rate\": 25, \"bodies\": [%s], %s%s}",
             on_floor ? FLOOR : BALL, what[k / 2 % 3],
             k < 6 ? "" : ", \"solver\": {\"precision\": \"single\", \"sa\": {\"smoother\": \"chebyshev:3\"}}");
    run *r = start(text);
    for (int frame = 0; frame < 25; ++frame) {
      const mus_step_record *record = runs_frame(r);
      for (int i = 0; i < mus_sim_vertices(r->sim); ++i) {
        double away = distance(on_floor, mus_sim_positions(r->sim) + 3 * i);
        if (!(away > 0))
          fail_msg("case %d, frame %d: vertex %d is %g m inside", k, frame, i, -away);
      }
      if (!(runs_energy(record) < energy + 0.01 * fabs(energy)) && frame > 0)
        fail_msg("case %d, frame %d: energy goes from %g to %g J", k, frame, energy, runs_energy(record));
      energy = runs_energy(record);
      most = record->body_contacts > most ? record->body_contacts : most;
    }
    assert_true(most > 20);
    if (on_floor && k / 2 % 3 < 2)
      assert_true(runs_speed(r) < 1e-3);
    runs_free(r);
  }
}

// The body carries it up and along.
static void a_ball_lifts_cloth(void **state) {
  (void)state;
  run *r = start("{" HEAD ", \"time_step\": 0.004, \"frame_rate\": 25, \"bodies\": [{\"shape\": {\"kind\": "
                 "\"sphere\", \"radius\": 0.3}, \"translate\": [{\"time\": 0.4, \"value\": [0, -0.32, 0]}, "
                 "{\"time\": 0.8, \"value\": [0, 0.08, 0]}]}], " SHEET("baraff-witkin") "}");
  for (int frame = 0; frame < 25; ++frame) {
    runs_frame(r);
    double up = frame < 10 ? 0 : fmin((frame + 1 - 10) * 0.04, 0.4);
    for (int i = 0; i < mus_sim_vertices(r->sim); ++i) {
      const double *x = mus_sim_positions(r->sim) + 3 * i;
      double away = distance(0, (const double[]){x[0], x[1] - up, x[2]});
      if (!(away > 0))
        fail_msg("frame %d: vertex %d is %g m inside", frame, i, -away);
    }
  }
  runs_free(r);
}

// --- friction --------------------------------------------------------------------------------------------------------

// On a slope of 30 degrees: the mean speed after half a second, m/s.
static double slide(double friction, double time_step, const char *what) {
  char text[2000];
  snprintf(text, sizeof text,
           "{" HEAD ", \"time_step\": %g, \"frame_rate\": 10, \"air_density\": 0, \"gravity\": [4.905, -8.4957, 0], "
           "\"bodies\": [{\"shape\": {\"kind\": \"floor\"}, \"thickness\": 0.001, \"friction\": %g}], %s}",
           time_step, friction, what);
  run *r = start(text);
  for (int frame = 0; frame < 5; ++frame)
    runs_frame(r);
  double speed = 0;
  int vertices = mus_sim_vertices(r->sim);
  for (int i = 0; i < vertices; ++i)
    speed += mus_sim_velocities(r->sim)[3 * i] / vertices;
  double lowest = runs_lowest(r);
  assert_true(lowest > 0.0013 && lowest < 0.00151);
  runs_free(r);
  return speed;
}

static void friction_is_coulombs(void **state) {
  (void)state;
  const char *const sheet =
      "\"cloths\": [{\"thickness\": 0.001, \"shape\": {\"vertices\": 49}, \"translate\": [0, 0.0015, 0]}]";
  const char *const block =
      "\"solids\": [{\"model\": \"co-rotated\", \"shape\": {\"vertices\": 120, \"size\": [0.2, 0.1, 0.1]}, \"young\": "
      "20000, \"poisson\": 0.3, \"density\": 1000, \"thickness\": 0.001, \"translate\": [0, 0.0515, 0]}]";
  for (int k = 0; k < 4; ++k) {
    double time_step = k < 2 ? 0.002 : 0.033, ought = 0.5 * (4.905 - 0.3 * 8.4957);
    const char *what = k % 2 ? block : sheet;
    double speed = slide(0.3, time_step, what), slack = k < 2 ? 0.05 : 0.1; // the push of the step before
    if (!(fabs(speed - ought) < slack * ought))
      fail_msg("case %d: it slides at %g m/s instead of %g", k, speed, ought);
    speed = slide(0.8, time_step, what);
    if (!(fabs(speed) < (k % 2 ? 0.01 : 5e-4))) // a block sways a little
      fail_msg("case %d: it ought to stick, and moves at %g m/s", k, speed);
    assert_true(fabs(slide(0, time_step, what) - 0.5 * 4.905) < 0.01);
  }
}

// --- bits ------------------------------------------------------------------------------------------------------------

static const char *const turning =
    "{\"name\": \"turning\", \"frames\": 8, " HEAD ", \"frame_rate\": 30, \"time_step\": 0.017, \"bodies\": "
    "[{\"shape\": {\"kind\": \"sphere\", \"radius\": 0.3}, \"translate\": [0, -0.31, 0], \"rotate\": [{\"time\": 0, "
    "\"value\": [0, 0, 0]}, {\"time\": 1, \"value\": [0, 90, 40]}]}], \"cloths\": [{\"shape\": {\"vertices\": 900}, "
    "\"velocity\": [0.2, -0.3, 0]}]}";

static void bits_do_not_depend_on_threads(void **state) {
  (void)state;
  static double first[3 * 900];
  const int threads[] = {1, 2, 7};
  for (int k = 0; k < 6; ++k) {
    run *r = runs_scene(turning);
    r->scene.solver.threads = threads[k % 3];
    r->scene.solver.method = k < 3 ? MUS_METHOD_SKINNING : MUS_METHOD_CHOLMOD;
    runs_begin(r);
    int touched = 0;
    for (int frame = 0; frame < 8; ++frame)
      touched += runs_frame(r)->body_contacts;
    assert_int_equal(mus_sim_vertices(r->sim), 900);
    assert_true(touched > 20);
    if (k % 3 == 0)
      memcpy(first, mus_sim_positions(r->sim), sizeof first);
    assert_memory_equal(first, mus_sim_positions(r->sim), sizeof first);
    runs_free(r);
  }
}

typedef struct stopper {
  long limit, asked;
} stopper;

static int stop_soon(void *data) {
  stopper *s = data;
  return ++s->asked > s->limit;
}

// Stopped and resumed several times, a run ends with the same bytes.
static void resumed_runs_end_alike(void **state) {
  mus_scene scene;
  mus_run_options options = mus_default_run_options();
  mus_run_record record;
  char whole[128], parts[128];
  stopper s = {.limit = 1000000};
  snprintf(whole, sizeof whole, "%s/whole", (char *)*state);
  snprintf(parts, sizeof parts, "%s/parts", (char *)*state);
  assert_ok(mus_scene_parse("test", turning, &scene));
  scene.solver.threads = 1;
  options.stop = stop_soon;
  options.data = &s;
  options.checkpoint = 2;
  options.folder = whole;
  assert_ok(mus_run(&scene, &options, &record));
  assert_int_equal(record.frames, 8);
  long questions = s.asked;
  options.folder = parts;
  options.resume = 1;
  int stops = 0;
  for (record.stopped = 1; record.stopped; ++stops) {
    assert_true(stops < 20);
    s = (stopper){.limit = questions / 3};
    assert_ok(mus_run(&scene, &options, &record));
  }
  assert_true(stops > 2);
  files_assert_same(files_path(whole, "cloth.pc2"), files_path(parts, "cloth.pc2"));
  mus_scene_free(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(impulses_are_slopes_of_the_energy),
      cmocka_unit_test(every_iteration_lowers_the_energy),
      cmocka_unit_test(cloth_and_solids_stay_outside),
      cmocka_unit_test(a_ball_lifts_cloth),
      cmocka_unit_test(friction_is_coulombs),
      cmocka_unit_test(bits_do_not_depend_on_threads),
      cmocka_unit_test_setup_teardown(resumed_runs_end_alike, files_setup, files_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
