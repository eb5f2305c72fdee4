// Steps as minima: the energy's derivative is what is assembled, whatever is in it; no minimiser raises it, and all of
// them find the same minimum.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "sim/simulator.h"
#include "step/minimise/minimise.h"
#include "support/check.h"
#include "support/runs.h"

enum { VERTICES = 81 };

// --- the energy and its derivative -----------------------------------------------------------------------------------

// A sheet that falls onto a ball in the wind, with a soft pin and a hard one that moves.
static run *busy_sheet(mus_cloth_model model) {
  run *r = runs_scene(
      "{\"time_step\": 0.0333, \"integrator\": \"minimise\", \"wind\": [{\"time\": 0, \"value\": [2, 0, 1]}],"
      "\"cloths\": [{\"translate\": [0, 0.336, 0], \"velocity\": [0, -0.2, 0],"
      "\"damping_scale\": 20, \"pins\": [{\"where\": {\"box\": [-0.6, -1, -0.6, -0.4, 1, -0.4]},"
      "\"stiffness\": 50, \"damping\": 0.5}, {\"where\": {\"box\": [0.4, -1, 0.4, 0.6, 1, 0.6]},"
      "\"offset\": [{\"time\": 0, \"value\": [0, 0, 0]}, {\"time\": 1, \"value\": [0, 0.5, 0]}]}]}],"
      "\"bodies\": [{\"shape\": {\"kind\": \"sphere\", \"radius\": 0.333}}]}");
  mus_scene_resize(&r->scene, VERTICES, MUS_TESSELLATION_REGULAR);
  r->scene.cloths[0].model = model;
  return r;
}

static double *vector(size_t n) {
  double *made = calloc(n, sizeof *made);
  assert_non_null(made);
  return made;
}

// The energy at `part` of the way along from a velocity.
static double energy_along(const mus_step_context *c, const mus_scheme *s, const double *from, const double *way,
                           double part) {
  size_t n = c->work->unknowns;
  for (size_t i = 0; i < n; ++i)
    c->state->velocity[i] = from[i] + part * way[i];
  mus_scheme_move(s, n, c->work->predicted, c->state->velocity, c->state->position);
  return mus_objective(c, s);
}

// Along random ways from where a step begins and from where it has been thrown about.
static void check_derivative(run *r, double thrown) {
  mus_step_context c = mus_sim_context(r->sim);
  mus_scheme s = mus_scheme_choose(1, c.state, 0.0333);
  mus_step_record record = {0};
  size_t n = c.work->unknowns;
  double *from = vector(n), *way = vector(n), *start_x = vector(n), *start_v = vector(n);
  memcpy(start_x, c.state->position, n * sizeof *start_x);
  memcpy(start_v, c.state->velocity, n * sizeof *start_v);
  assert_ok(mus_step_begin(&c, &s, &record));
  assert_true(record.body_contacts > 0);
  for (size_t i = 0; i < n; ++i)
    from[i] = c.state->velocity[i] + thrown * mus_random(1, i);
  for (uint64_t seed = 2; seed < 8; ++seed) {
    for (size_t i = 0; i < n; ++i)
      way[i] = mus_random(seed, i);
    const double e = 1e-6; // terms of contact come and go with the distance: few do within that
    double slope = (energy_along(&c, &s, from, way, -2 * e) - 8 * energy_along(&c, &s, from, way, -e) +
                    8 * energy_along(&c, &s, from, way, e) - energy_along(&c, &s, from, way, 2 * e)) /
                   (12 * e);
    energy_along(&c, &s, from, way, 0);
    mus_objective_assemble(&c, &s, 0);
    double along = 0, size = 0;
    for (size_t i = 0; i < n; ++i) {
      along += c.work->right[i] * way[i];
      size += fabs(c.work->right[i] * way[i]);
    }
    assert_true(fabs(slope + along) < 1e-7 * size);
  }
  memcpy(c.state->position, start_x, n * sizeof *start_x);
  memcpy(c.state->velocity, start_v, n * sizeof *start_v);
  free(from), free(way), free(start_x), free(start_v);
}

static void what_is_assembled_is_the_energys_derivative(void **state) {
  (void)state;
  for (int model = 0; model <= MUS_CLOTH_MODEL_MASS_SPRING; ++model) {
    run *r = busy_sheet((mus_cloth_model)model);
    runs_begin(r);
    int handle;
    double place[3] = {0.2, 0.2, 0.1};
    mus_attachment hand = {.count = 1, .vertex = {VERTICES / 2}, .weight = {1}};
    memcpy(hand.target, place, sizeof place);
    assert_ok(mus_sim_attach(r->sim, &hand, &handle));
    for (int f = 0; f < 3; ++f)
      runs_frame(r);
    check_derivative(r, 0);
    check_derivative(r, 0.3);
    runs_free(r);
  }
}

// --- minimisers ------------------------------------------------------------------------------------------------------

enum { ITERATIONS = 200 };

typedef struct fall {
  int count;
  mus_minimise_entry entry[ITERATIONS + 1];
} fall;

static mus_status minimise(run *r, const char *method, int iterations, fall *f) {
  mus_minimise_options options = {.method = method, .time_step = 0.0333, .iterations = iterations, .cold = 1};
  return mus_sim_minimise(r->sim, &options, f->entry, &f->count);
}

// A sheet that hangs from two corners, of which one moves.
static run *hanging_sheet(void) {
  run *r =
      runs_scene("{\"contact\": false, \"time_step\": 0.0333, \"integrator\": \"minimise\", \"cloths\": [{\"pins\": ["
                 "{\"where\": {\"box\": [-0.6, -1, 0.4, -0.4, 1, 0.6]}},"
                 "{\"where\": {\"box\": [0.4, -1, 0.4, 0.6, 1, 0.6]}, \"offset\": ["
                 "{\"time\": 0, \"value\": [0, 0, 0]}, {\"time\": 1, \"value\": [-0.5, 0, 0.2]}]}]}]}");
  mus_scene_resize(&r->scene, VERTICES, MUS_TESSELLATION_REGULAR);
  return r;
}

static void no_minimiser_raises_the_energy_and_all_find_the_same(void **state) {
  (void)state;
  run *r = hanging_sheet();
  runs_begin(r);
  for (int f = 0; f < 2; ++f)
    runs_frame(r);
  fall best, f;
  assert_ok(minimise(r, "newton-diag", 200, &best));
  double start = best.entry[0].energy, lowest = best.entry[best.count - 1].energy;
  int methods = 0;
  for (const char *name; (name = mus_minimiser_name(methods)) != NULL; ++methods) {
    mus_status status = minimise(r, name, 100, &f);
    if (status == MUS_UNSUPPORTED)
      continue;
    assert_ok(status);
    assert_true(f.entry[0].energy == start && f.count > 1);
    for (int k = 1; k < f.count; ++k)
      assert_true(f.entry[k].energy <= f.entry[k - 1].energy && f.entry[k].products >= f.entry[k - 1].products);
    double left = (f.entry[f.count - 1].energy - lowest) / (start - lowest);
    // Those that renew neither the matrix nor a hierarchy take long, Projective Dynamics most of all.
    int fast = strncmp(name, "newton", 6) == 0 || strncmp(name, "fmg", 3) == 0;
    if (!(fabs(left) < (fast ? 2e-3 : 0.15)))
      fail_msg("%s ends with an error of %g after %d iterations", name, left, f.count - 1);
  }
  assert_true(methods > 10);
  runs_free(r);
}

static void variants_of_full_multigrid_find_it_too(void **state) {
  (void)state;
  static const char *const names[] = {"fmg:matrix-level", "fmg-sa:matrix-step", "fmg:matrix-cycle",
                                      "fmg:residual-all", "fmg:residual-cycle", "fmg:matrix-level:residual-all",
                                      "fmg:plain",        "fmg:secants",        "fmg:plain:secants:matrix-level"};
  run *r = hanging_sheet();
  runs_begin(r);
  runs_frame(r);
  fall best, f;
  assert_ok(minimise(r, "newton-diag", 200, &best));
  for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
    assert_ok(minimise(r, names[k], 100, &f));
    double start = best.entry[0].energy, lowest = best.entry[best.count - 1].energy;
    assert_true(f.entry[f.count - 1].energy - lowest < 1e-3 * (start - lowest));
  }
  runs_free(r);
}

static void the_state_is_as_before_and_threads_do_not_matter(void **state) {
  (void)state;
  static const char *const names[] = {"newton-sa", "fmg-geometric", "fmg:secants", "gs-chebyshev", "ncg-diag"};
  for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
    fall first, other;
    for (int threads = 1; threads <= 7; threads += 3) {
      run *r = busy_sheet(MUS_CLOTH_MODEL_BARAFF_WITKIN);
      mus_scene_resize(&r->scene, 900, MUS_TESSELLATION_REGULAR);
      r->scene.solver.threads = threads;
      runs_begin(r);
      runs_frame(r);
      double x = mus_sim_positions(r->sim)[7];
      assert_ok(minimise(r, names[k], 6, threads == 1 ? &first : &other));
      assert_true(mus_sim_positions(r->sim)[7] == x);
      runs_free(r);
      for (int i = 0; threads > 1 && i < first.count; ++i)
        assert_true(first.entry[i].energy == other.entry[i].energy);
    }
  }
}

static void names_that_are_none_are_rejected_with_those_that_are(void **state) {
  (void)state;
  mus_minimiser m;
  assert_fails(mus_minimiser_read("gradient-descent", &m), MUS_BAD_INPUT, "newton-sa");
  assert_fails(mus_minimiser_read("newton-unknown", &m), MUS_BAD_INPUT, "newton-cholmod");
  assert_fails(mus_minimiser_read("fmg:residual", &m), MUS_BAD_INPUT, "has no variant \"residual\"");
  assert_fails(mus_minimiser_read("", &m), MUS_BAD_INPUT, "there is no minimiser");
  assert_ok(mus_minimiser_read("fmg", &m));
  assert_string_equal(m.words.solver, "geometric");
}

// --- steps -----------------------------------------------------------------------------------------------------------

// m: how far two runs are apart after some frames, at most.
static double apart(double accuracy, double other) {
  run *r[2] = {hanging_sheet(), hanging_sheet()};
  r[0]->scene.accuracy = accuracy;
  r[1]->scene.accuracy = other;
  double most = 0;
  for (int k = 0; k < 2; ++k)
    runs_begin(r[k]);
  for (int f = 0; f < 12; ++f) {
    assert_false(runs_frame(r[0])->unfinished);
    assert_false(runs_frame(r[1])->unfinished);
    for (int i = 0; i < 3 * VERTICES; ++i)
      most = fmax(most, fabs(mus_sim_positions(r[0]->sim)[i] - mus_sim_positions(r[1]->sim)[i]));
  }
  runs_free(r[0]);
  runs_free(r[1]);
  return most;
}

static void results_follow_the_accuracy(void **state) {
  (void)state;
  double coarse = apart(10, 1e-5), fine = apart(1e-3, 1e-5);
  assert_true(fine < 0.5e-3 && fine < coarse);
}

static void steps_with_contact_reach_their_accuracy(void **state) {
  (void)state;
  for (int model = 0; model <= MUS_CLOTH_MODEL_MASS_SPRING; ++model) {
    run *r = busy_sheet((mus_cloth_model)model);
    runs_begin(r);
    int unfinished = 0;
    for (int f = 0; f < 24; ++f)
      unfinished += runs_frame(r)->unfinished;
    assert_true(unfinished <= 2);
    assert_int_equal(runs_crossings(r), 0);
    runs_free(r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_assembled_is_the_energys_derivative),
      cmocka_unit_test(no_minimiser_raises_the_energy_and_all_find_the_same),
      cmocka_unit_test(variants_of_full_multigrid_find_it_too),
      cmocka_unit_test(the_state_is_as_before_and_threads_do_not_matter),
      cmocka_unit_test(names_that_are_none_are_rejected_with_those_that_are),
      cmocka_unit_test(results_follow_the_accuracy),
      cmocka_unit_test(steps_with_contact_reach_their_accuracy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
