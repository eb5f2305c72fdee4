// The stages of a step on a device that is emulated, against the host's assembly and measurement; with
// MUSLIN_TEST_DEVICE=cuda, on the device that there is.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cuda/device.h"
#include "cuda/emulated.h"
#include "cuda/step_device.h"
#include "cuda/step_emulated.h"
#include "par/vector.h"
#include "sim/simulator.h"
#include "step/linearised.h"
#include "step/resident.h"
#include "support/check.h"

static int use_emulation(void **state) {
  (void)state;
  const char *asked = getenv("MUSLIN_TEST_DEVICE");
  int is_real = asked && strcmp(asked, "cuda") == 0;
  mus_device_use(is_real ? NULL : mus_emulated_stages());
  mus_device_step_use(is_real ? NULL : mus_emulated_step_stages());
  return 0;
}

// What is simulated: cloths of all models, in wind or in still air or in none, and solids of all laws.
static const char *const texts[] = {
    "{\"wind\": [2, 0, 1], \"gust\": 0.5, \"cloths\": [{\"fabric\": \"denim\"}]}",
    "{\"gravity\": [0, -9.81, 0.5], \"air_density\": 0, \"cloths\": [{\"fabric\": \"silk\", \"stiffness\": 1.5}]}",
    "{\"cloths\": [{\"model\": \"choi-ko\"}, {\"model\": \"mass-spring\", \"translate\": [2, 0, 0]}]}",
    "{\"solids\": [{\"model\": \"co-rotated\", \"shape\": {\"kind\": \"box\", \"vertices\": 150}}]}",
    "{\"solids\": [{\"model\": \"neo-hookean\", \"shape\": {\"kind\": \"box\", \"vertices\": 150}}]}",
    "{\"solids\": [{\"model\": \"venant-kirchhoff\", \"shape\": {\"kind\": \"box\", \"vertices\": 150}}]}"};
enum { TEXTS = sizeof texts / sizeof *texts };

static mus_scene scene_of(int text, int vertices) {
  mus_scene scene;
  assert_ok(mus_scene_parse("test", texts[text], &scene));
  if (scene.cloth_count > 0)
    assert_ok(mus_scene_resize(&scene, vertices * scene.cloth_count, MUS_TESSELLATION_REGULAR));
  scene.contact = 0;
  return scene;
}

// Bent, stretched and moving.
static void shake(mus_sim *sim) {
  for (int i = 0; i < sim->model.vertices; ++i) {
    double *x = sim->state.position + 3 * i, *v = sim->state.velocity + 3 * i, u = x[0], w = x[2];
    double *x0 = sim->state.position_before + 3 * i, *v0 = sim->state.velocity_before + 3 * i;
    x[0] += 0.01 * sin(9 * u + w);
    x[1] += 0.05 * sin(7 * u) * cos(5 * w);
    x[2] += 0.01 * cos(8 * w + 1);
    for (int c = 0; c < 3; ++c) {
      v[c] = sin(4 * u + 5 * w + c);
      x0[c] = x[c] - 0.01 * v[c];
      v0[c] = v[c] - 0.1;
    }
  }
}

static void expect_close(size_t n, const double *is, const double *ought, double allowed, const char *what, int text) {
  double off = 0, size = 0;
  for (size_t k = 0; k < n; ++k) {
    assert_true(isfinite(is[k]));
    off = fmax(off, fabs(is[k] - ought[k]));
    size = fmax(size, fabs(ought[k]));
  }
  assert_true(size > 0);
  if (!(off <= allowed * size))
    fail_msg("scene %d: %s is off by %g of %g", text, what, off, size);
}

static void system_is_the_hosts(void **state) {
  (void)state;
  for (int text = 0; text < TEXTS; ++text)
    for (int order = 1; order <= 2; ++order) {
      mus_scene scene = scene_of(text, 400);
      mus_sim *sim;
      assert_ok(mus_sim_create(&scene, &sim));
      shake(sim);
      mus_step_context c = mus_sim_context(sim);
      mus_scheme s = {.time = 0.7, .h = 0.01, .length = order == 2 ? 0.02 / 3 : 0.01, .order = order};
      size_t n = sim->work.unknowns, values = mus_matrix_values(&sim->linear.matrix);
      mus_copy(n, sim->state.velocity, sim->work.start_velocity);
      mus_scheme_predict(&s, &sim->state, n, sim->work.predicted);
      mus_instant at = {s.time, sim->work.predicted, sim->state.velocity, s.length, s.length, NULL};
      mus_assemble_step(&c, &s, &at, 1);
      mus_resident *resident;
      assert_ok(mus_resident_create(&sim->model, NULL, &resident));
      assert_ok(mus_resident_put(resident, &sim->state, order));
      double *a = malloc(values * sizeof *a), *b = malloc(n * sizeof *b), *again = malloc(values * sizeof *again);
      for (int turn = 0; turn < 2; ++turn) {
        assert_ok(mus_resident_assemble(&c, resident, &s));
        assert_ok(mus_resident_look(resident, turn ? again : a, b));
      }
      expect_close(values, a, sim->linear.matrix.value, 1e-11, "the matrix", text);
      expect_close(n, b, sim->work.right, 1e-11, "the right-hand side", text);
      assert_memory_equal(a, again, values * sizeof *a);
      free(a);
      free(b);
      free(again);
      mus_resident_free(resident);
      mus_sim_free(sim);
      mus_scene_free(&scene);
    }
}

// --- whole steps -----------------------------------------------------------------------------------------------------

static const char *const moving_texts[] = {
    // a pin that moves, wind, Euler
    "{\"wind\": [1, 0, 0.5], \"gust\": 0.3, \"time_step\": 0.002, \"frame_rate\": 500, \"cloths\": [{\"pins\": "
    "[{\"where\": {\"box\": [-0.6, -1, -1, -0.4999, 1, 1]}, \"amplitude\": [0.01, 0.02, 0], \"frequency\": 3}]}]}",
    // nothing that moves but cloth, second order
    "{\"integrator\": \"bdf2\", \"air_density\": 0, \"time_step\": 0.002, \"frame_rate\": 500, \"cloths\": "
    "[{\"pins\": [{\"where\": {\"vertices\": [0]}}]}]}",
    // a solid
    "{\"time_step\": 0.002, \"frame_rate\": 500, \"solids\": [{\"shape\": {\"kind\": \"box\", \"vertices\": 150}}]}"};
enum { MOVING = sizeof moving_texts / sizeof *moving_texts, STEPS = 30 };

static mus_sim *moving(int text, mus_device_choice device, mus_scene *scene) {
  mus_sim *sim;
  assert_ok(mus_scene_parse("test", moving_texts[text], scene));
  if (scene->cloth_count > 0)
    assert_ok(mus_scene_resize(scene, 300, MUS_TESSELLATION_REGULAR));
  scene->contact = 0;
  scene->solver = mus_preset_solver_options(MUS_PRESET_FAST);
  scene->solver.tolerance = 1e-9;
  scene->solver.threads = 1;
  scene->solver.device = device;
  assert_ok(mus_sim_create(scene, &sim));
  assert_int_equal(sim->resident != NULL, device != MUS_DEVICE_CPU);
  return sim;
}

static void expect_near(double is, double ought, double allowed, const char *what) {
  if (!(fabs(is - ought) <= allowed))
    fail_msg("%s is %g instead of %g", what, is, ought);
}

static void expect_same_record(const mus_step_record *is, const mus_step_record *ought) {
  double all = ought->kinetic + ought->stretch + ought->shear + ought->bend + fabs(ought->potential);
  expect_near(is->time, ought->time, 0, "time");
  expect_near(is->kinetic, ought->kinetic, 1e-5 * all, "kinetic energy");
  expect_near(is->potential, ought->potential, 1e-5 * all, "potential energy");
  expect_near(is->stretch, ought->stretch, 1e-5 * all, "energy of stretch");
  expect_near(is->shear, ought->shear, 1e-5 * all, "energy of shear");
  expect_near(is->bend, ought->bend, 1e-5 * all, "energy of bending");
  expect_near(is->strain_maximum, ought->strain_maximum, 1e-5, "the largest strain");
  expect_near(is->strain_reached, ought->strain_reached, 1e-5, "strain over its limit");
  expect_near(is->strain_99, ought->strain_99, 1e-5, "the strain that 99% are below");
  for (int k = 0; k < 3; ++k) {
    expect_near(is->momentum[k], ought->momentum[k], 1e-5, "momentum");
    expect_near(is->angular_momentum[k], ought->angular_momentum[k], 1e-5, "angular momentum");
  }
  for (int k = 0; k < 3; ++k) // among those that are as large, it may be another
    assert_int_equal(is->strain_place[k] != 0, ought->strain_place[k] != 0);
  assert_int_equal(is->halvings, ought->halvings);
  assert_true(is->iterations > 0);
}

static void steps_are_the_hosts(void **state) {
  (void)state;
  for (int text = 0; text < MOVING; ++text) {
    mus_scene scene[3];
    mus_sim *host = moving(text, MUS_DEVICE_CPU, &scene[0]);
    mus_sim *there[2] = {moving(text, MUS_DEVICE_CUDA, &scene[1]), moving(text, MUS_DEVICE_AUTO, &scene[2])};
    size_t n = 3 * (size_t)mus_sim_vertices(host);
    for (int step = 0; step < STEPS; ++step) {
      assert_ok(mus_sim_frame(host, NULL));
      for (int k = 0; k < 2; ++k) {
        assert_ok(mus_sim_frame(there[k], NULL));
        expect_same_record(mus_sim_step_record(there[k], 0), mus_sim_step_record(host, 0));
      }
    }
    double off = 0, way = 0;
    for (size_t i = 0; i < n; ++i) {
      off = fmax(off, fabs(mus_sim_positions(there[0])[i] - mus_sim_positions(host)[i]));
      way = fmax(way, fabs(mus_sim_positions(host)[i] - host->model.start[i]));
    }
    assert_true(way > 1e-3);
    if (!(off < 1e-8))
      fail_msg("scene %d: positions are off by %g m after %d steps", text, off, STEPS);
    assert_memory_equal(mus_sim_positions(there[0]), mus_sim_positions(there[1]), n * sizeof(double));
    assert_memory_equal(there[0]->state.position_before, there[1]->state.position_before, n * sizeof(double));
    for (int k = 0; k < 2; ++k)
      mus_sim_free(there[k]);
    mus_sim_free(host);
    for (int k = 0; k < 3; ++k)
      mus_scene_free(&scene[k]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(system_is_the_hosts), cmocka_unit_test(steps_are_the_hosts)};
  return cmocka_run_group_tests_name("the stages of a step", tests, use_emulation, NULL);
}
