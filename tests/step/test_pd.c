// Projective Dynamics as a minimiser: with every global step and acceleration the energy never rises and ends where
// Newton's method does; those that solve better need fewer iterations; bits do not depend on threads; what has no
// constant matrix is refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "muslin/sim.h"
#include "support/check.h"
#include "support/runs.h"

// A sheet that hangs by two corners and is thrown aside, in the wind.
#define SHEET(model)                                                                                                   \
  "{\"frame_rate\": 30, \"time_step\": 0.034, \"contact\": false, \"wind\": [2, 0, 1], \"solver\": {\"skinning\": "    \
  "{\"levels\": \"2/12/all\"}, \"sa\": {\"smoother\": \"gs:3\"}, \"threads\": 1}, \"cloths\": [{\"model\": \"" model   \
  "\", \"shape\": {\"vertices\": 100}, \"velocity\": [0.5, 0, 1], \"stretch_scale\": 0.05,"                            \
  " \"pins\": [{\"where\": {\"vertices\": [0, 9]}}]}]}"

static const char *const scenes[] = {
    SHEET("baraff-witkin"), SHEET("mass-spring"), SHEET("choi-ko"),
    "{\"frame_rate\": 30, \"time_step\": 0.034, \"contact\": false, \"solver\": {\"skinning\": {\"levels\": "
    "\"2/8/all\"}, "
    "\"threads\": 1}, \"solids\": [{\"model\": \"co-rotated\", \"shape\": {\"vertices\": 120, \"size\": [0.4, 0.2, "
    "0.2]},"
    " \"young\": 2000, \"velocity\": [0, 1, 0.5], \"pins\": [{\"where\": {\"box\": [-1, -1, -1, -0.199, 1, 1]}}]}]}"};
enum { SCENES = sizeof scenes / sizeof *scenes, CHOI_KO = 2, SOLID = 3, ITERATIONS = 400 };

// What may be left after so many iterations, of what the first estimate of the step has above the minimum.
static const struct {
  const char *name;
  double left;
} methods[] = {{"pd-cholmod", 0.1},
               {"pd-skinning", 0.1},
               {"pd-sa", 0.1},
               {"pd-geometric", 0.1},
               {"pd-fmg", 0.1},
               {"pd-pcg", 0.1},
               {"pd-gs10", 0.1},
               {"pd-gs50", 0.1},
               {"pd-jacobi-chebyshev", 0.01},
               {"pd-cholmod:chebyshev", 1e-3},
               {"pd-skinning:chebyshev", 1e-3},
               {"pd-gs10:chebyshev", 1e-3},
               {"pd-fmg:chebyshev", 1e-3},
               {"pd-cholmod:secants", 1e-3},
               {"pd-skinning:secants", 1e-3},
               {"pd-gs10:secants", 1e-3},
               {"pd-fmg:secants", 1e-3}};
enum { METHODS = sizeof methods / sizeof *methods };

// Energies of an iteration after the other, in a state that has swung for some frames. Returns how many.
static int minimise(run *r, const char *method, int iterations, mus_minimise_entry *entries) {
  mus_minimise_options options = {.method = method, .iterations = iterations, .cold = 1};
  int count = 0;
  mus_status status = mus_sim_minimise(r->sim, &options, entries, &count);
  if (status)
    fail_msg("%s: %s", method, mus_last_error());
  return count;
}

static run *swinging(const char *text) {
  run *r = runs_start(text);
  for (int frame = 0; frame < 3; ++frame)
    runs_frame(r);
  return r;
}

static void all_end_at_the_minimum(void **state) {
  (void)state;
  static mus_minimise_entry entry[ITERATIONS + 1];
  for (int scene = 0; scene < SCENES; ++scene) {
    run *r = swinging(scenes[scene]);
    int count = minimise(r, "newton-cholmod", 60, entry);
    double lowest = entry[count - 1].energy, drop = entry[0].energy - lowest;
    assert_true(drop > 1e-6);
    for (int k = 0; k < METHODS; ++k) {
      if (scene == SOLID && (strstr(methods[k].name, "geometric") || strstr(methods[k].name, "fmg")))
        continue; // their levels are those of a cloth
      count = minimise(r, methods[k].name, ITERATIONS, entry);
      assert_true(count > 2);
      for (int i = 1; i < count; ++i) {
        assert_true(entry[i].energy <= entry[i - 1].energy + 1e-13 * fabs(entry[0].energy));
        assert_true(entry[i].products >= entry[i - 1].products);
      }
      double left = (entry[count - 1].energy - lowest) / drop;
      print_message("scene %d, %s: %g left after %d iterations\n", scene, methods[k].name, left, count - 1);
      // springs that go slack have many minima, some lower than Newton's
      if (!(left > (scene == CHOI_KO ? -1e-3 : -1e-9) && left < methods[k].left))
        fail_msg("scene %d: %s has %g of the energy left", scene, methods[k].name, left);
    }
    runs_free(r);
  }
}

// Exact global steps get lower than fifty sweeps, these than ten, and these than one iteration of Jacobi's.
static void better_solutions_go_lower(void **state) {
  (void)state;
  static const char *const order[] = {"pd-cholmod", "pd-gs50", "pd-gs10", "pd-jacobi-chebyshev"};
  mus_minimise_entry entry[11];
  for (int scene = 0; scene < 2; ++scene) {
    run *r = swinging(scenes[scene]);
    double before = -INFINITY;
    for (int k = 0; k < 4; ++k) {
      assert_int_equal(minimise(r, order[k], 10, entry), 11);
      assert_true(entry[10].energy > before);
      before = entry[10].energy;
    }
    runs_free(r);
  }
}

// With a local step before each, directions from all levels lead farther than as much work on the finest alone.
static void all_levels_lead_farther(void **state) {
  (void)state;
  enum { CYCLES = 6 };
  mus_minimise_entry full[CYCLES + 1], fine[8 * CYCLES + 1];
  run *r = runs_scene(scenes[0]);
  mus_scene_resize(&r->scene, 1600, MUS_TESSELLATION_REGULAR);
  runs_begin(r);
  for (int frame = 0; frame < 3; ++frame)
    runs_frame(r);
  assert_int_equal(minimise(r, "pd-fmg", CYCLES, full), CYCLES + 1);
  assert_int_equal(minimise(r, "pd-gs10", 8 * CYCLES, fine), 8 * CYCLES + 1);
  for (int k = 1; k <= CYCLES; ++k)
    assert_true(full[k].energy < full[k - 1].energy);
  assert_true(fine[8 * CYCLES].products > full[CYCLES].products && fine[8 * CYCLES].energy > full[CYCLES].energy);
  runs_free(r);
}

static void bits_do_not_depend_on_threads(void **state) {
  (void)state;
  for (int k = 0; k < METHODS; ++k) {
    mus_minimise_entry entry[3][8];
    for (int t = 0; t < 3; ++t) {
      run *r = runs_scene(scenes[0]);
      mus_scene_resize(&r->scene, 900, MUS_TESSELLATION_REGULAR);
      r->scene.solver.threads = (int[]){1, 2, 7}[t];
      runs_begin(r);
      assert_int_equal(minimise(r, methods[k].name, 7, entry[t]), 8);
      for (int i = 0; i < 8; ++i)
        assert_true(entry[t][i].energy == entry[0][i].energy && entry[t][i].products == entry[0][i].products);
      runs_free(r);
    }
  }
}

// As the minimiser of a run, where a sheet falls on a ball and is pulled along: what touches changes the matrix.
static void runs_with_contact(void **state) {
  (void)state;
  static const char *const names[] = {"pd-cholmod:secants", "pd-sa:secants"};
  for (int k = 0; k < 2; ++k) {
    run *r =
        runs_scene("{\"frame_rate\": 30, \"time_step\": 0.034, \"integrator\": \"minimise\", \"solver\": {\"threads\": "
                   "1}, \"cloths\": [{\"shape\": {\"vertices\": 400}, \"translate\": [0, 0.31, 0]}], \"bodies\": "
                   "[{\"shape\": {\"kind\": \"sphere\", \"radius\": 0.3}}]}");
    snprintf(r->scene.minimiser, sizeof r->scene.minimiser, "%s", names[k]);
    runs_begin(r);
    int touched = 0;
    for (int frame = 0; frame < 8; ++frame)
      touched += runs_frame(r)->body_contacts;
    assert_true(touched > 20);
    assert_int_equal(runs_crossings(r), 0);
    runs_free(r);
  }
}

static void what_has_no_constant_matrix_is_refused(void **state) {
  (void)state;
  mus_minimise_entry entry[2];
  mus_minimise_options options = {.method = "pd-cholmod", .iterations = 1};
  int count;
  run *r = runs_start("{\"solids\": [{\"model\": \"neo-hookean\", \"shape\": {\"vertices\": 64}}]}");
  assert_fails(mus_sim_minimise(r->sim, &options, entry, &count), MUS_UNSUPPORTED, "Neo-Hookean");
  runs_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_end_at_the_minimum),  cmocka_unit_test(better_solutions_go_lower),
      cmocka_unit_test(all_levels_lead_farther), cmocka_unit_test(bits_do_not_depend_on_threads),
      cmocka_unit_test(runs_with_contact),       cmocka_unit_test(what_has_no_constant_matrix_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
