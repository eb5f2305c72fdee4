// Steps that are minima on a device that is emulated, against the host's; with MUSLIN_TEST_DEVICE=cuda, on the device
// that there is.
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
#include "step/search.h"
#include "support/check.h"

static int use_emulation(void **state) {
  (void)state;
  const char *asked = getenv("MUSLIN_TEST_DEVICE");
  int is_real = asked && strcmp(asked, "cuda") == 0;
  mus_device_use(is_real ? NULL : mus_emulated_stages());
  mus_device_step_use(is_real ? NULL : mus_emulated_step_stages());
  return 0;
}

// Cloths of all models, in wind or in still air or in none, and solids of all laws; pins that move among them; bodies
// that they touch.
static const char *const texts[] = {
    "{\"wind\": [2, 0, 1], \"gust\": 0.5, \"cloths\": [{\"fabric\": \"denim\", \"pins\": [{\"where\": {\"vertices\": "
    "[0, 5]}, \"amplitude\": [0.01, 0.02, 0], \"frequency\": 3}]}]}",
    "{\"gravity\": [0, -9.81, 0.5], \"air_density\": 0, \"cloths\": [{\"fabric\": \"silk\", \"stiffness\": 1.5}]}",
    "{\"cloths\": [{\"model\": \"choi-ko\"}, {\"model\": \"mass-spring\", \"translate\": [2, 0, 0]}]}",
    "{\"solids\": [{\"model\": \"co-rotated\", \"shape\": {\"kind\": \"box\", \"vertices\": 150}}]}",
    "{\"solids\": [{\"model\": \"neo-hookean\", \"shape\": {\"kind\": \"box\", \"vertices\": 150}}]}",
    "{\"solids\": [{\"model\": \"venant-kirchhoff\", \"shape\": {\"kind\": \"box\", \"vertices\": 150}}]}",
    "{\"contact_with\": \"bodies\", \"bodies\": [{\"shape\": {\"kind\": \"sphere\", \"radius\": 0.3}, \"translate\": "
    "[0, "
    "-0.31, 0]}, {\"shape\": {\"kind\": \"box\", \"size\": [2, 0.1, 2]}, \"translate\": [{\"time\": 0, \"value\": [0, "
    "-0.1, "
    "0]}, {\"time\": 1, \"value\": [1, 1, 0]}]}], \"cloths\": [{\"pins\": [{\"where\": {\"vertices\": [0]}}]}]}"};
enum { TEXTS = sizeof texts / sizeof *texts };

// Bent, stretched and moving.
static void shake(mus_sim *sim) {
  for (int i = 0; i < sim->model.vertices; ++i) {
    double *x = sim->state.position + 3 * i, *v = sim->state.velocity + 3 * i, u = x[0], w = x[2];
    x[0] += 0.01 * sin(9 * u + w);
    x[1] += 0.05 * sin(7 * u) * cos(5 * w);
    x[2] += 0.01 * cos(8 * w + 1);
    for (int c = 0; c < 3; ++c)
      v[c] = sin(4 * u + 5 * w + c);
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

static mus_scene scene_of(const char *text, int vertices, mus_device_choice device) {
  mus_scene scene;
  assert_ok(mus_scene_parse("test", text, &scene));
  if (scene.cloth_count > 0)
    assert_ok(mus_scene_resize(&scene, vertices * scene.cloth_count, MUS_TESSELLATION_REGULAR));
  if (scene.integrator != MUS_INTEGRATOR_NEWTON)
    scene.integrator = MUS_INTEGRATOR_MINIMISE;
  scene.contact = scene.contact_with == MUS_CONTACT_BODIES;
  scene.solver = mus_preset_solver_options(MUS_PRESET_FAST);
  scene.solver.threads = 1;
  scene.solver.device = device;
  return scene;
}

// At the first iterate.
static void energy_and_system_are_the_hosts(void **state) {
  (void)state;
  for (int text = 0; text < TEXTS; ++text) {
    mus_scene scene = scene_of(texts[text], 150, MUS_DEVICE_CUDA);
    mus_sim *sim;
    assert_ok(mus_sim_create(&scene, &sim));
    assert_non_null(sim->resident);
    shake(sim);
    mus_step_context c = mus_sim_context(sim);
    mus_scheme s = mus_scheme_choose(1, &sim->state, 1.0 / 30);
    mus_step_record record = {0};
    mus_minimisation there, here;
    mus_search search;
    assert_ok(mus_step_begin(&c, &s, &record));
    assert_ok(mus_resident_search(&c, &s, &search));
    assert_ok(mus_minimise_begin_on(&mus_minimise_there, &search, &c, &s, NULL, &record, &there));
    size_t n = sim->work.unknowns, values = mus_matrix_values(&sim->linear.matrix);
    double *a = malloc(values * sizeof *a), *b = malloc(n * sizeof *b), *r = malloc(n * sizeof *r);
    mus_minimise_assemble(&there, 1);
    assert_ok(mus_resident_look(sim->resident, a, b));
    mus_stage_failure failure;
    assert_ok(search.stages->get_free(search.device, r, &failure));

    mus_minimise_workspace work;
    mus_arena arena = {0};
    assert_ok(mus_minimise_workspace_create(&arena, n, &work));
    assert_ok(mus_step_begin(&c, &s, &record));
    assert_ok(mus_minimise_begin(&c, &s, &work, &record, &here));
    mus_minimise_assemble(&here, 1);
    expect_close(1, &there.energy, &here.energy, 1e-12, "the energy", text);
    expect_close(values, a, sim->linear.matrix.value, 1e-11, "the matrix", text);
    expect_close(n, b, sim->work.right, 1e-11, "r", text);
    expect_close(n, r, here.free, 1e-11, "r where nothing is held", text);

    // the change there is zero still: a direction that leads nowhere
    there.machine->conjugate(&there, NULL, 1, 0.1);
    assert_true(there.machine->start(&there) == 0);
    assert_true(there.machine->way(&there, 1) == 0);
    assert_true(there.machine->energy(&there, 1) == there.energy);
    assert_ok(there.machine->status(&there));
    free(a);
    free(b);
    free(r);
    mus_arena_clear(&arena);
    mus_sim_free(sim);
    mus_scene_free(&scene);
  }
}

// --- whole steps -----------------------------------------------------------------------------------------------------

static const char *const moving_texts[] = {
    // a pin that moves, wind
    "{\"wind\": [1, 0, 0.5], \"gust\": 0.3, \"time_step\": 0.0333333333333333, \"frame_rate\": 30, \"accuracy\": "
    "1e-4, \"cloths\": [{\"pins\": [{\"where\": {\"box\": [-0.6, -1, -1, -0.4999, 1, 1]}, \"amplitude\": [0.01, 0.02, "
    "0], \"frequency\": 3}]}]}",
    // Newton's method by its own tolerance, no air
    "{\"integrator\": \"newton\", \"newton_tolerance\": 1e-8, \"newton_iterations\": 100, \"air_density\": 0, "
    "\"time_step\": 0.01, \"frame_rate\": 100, \"cloths\": [{\"pins\": [{\"where\": {\"vertices\": [0]}}]}]}",
    // a solid
    "{\"time_step\": 0.0333333333333333, \"frame_rate\": 30, \"accuracy\": 1e-4, \"solids\": [{\"shape\": {\"kind\": "
    "\"box\", \"vertices\": 150}}]}",
    // threads that reach their limits, which the host brings back
    "{\"gravity\": [0, -200, 0], \"time_step\": 0.0333333333333333, \"frame_rate\": 30, \"accuracy\": 1e-4, "
    "\"cloths\": [{\"fabric\": \"silk\", \"stiffness\": 0.005, \"pins\": [{\"where\": {\"box\": [-0.6, -1, -1, "
    "-0.4999, "
    "1, 1]}}]}]}"};
enum { MOVING = sizeof moving_texts / sizeof *moving_texts, LIMITED = 3, STEPS = 3 };

static mus_sim *moving(int text, mus_device_choice device, mus_scene *scene) {
  mus_sim *sim;
  *scene = scene_of(moving_texts[text], 100, device);
  if (scene->integrator == MUS_INTEGRATOR_NEWTON)
    scene->solver.tolerance = 1e-8;
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
  expect_near(is->bend, ought->bend, 1e-5 * all, "energy of bending");
  expect_near(is->strain_maximum, ought->strain_maximum, 1e-5, "the largest strain");
  assert_int_equal(is->halvings, ought->halvings);
  assert_int_equal(is->unfinished, 0);
  assert_true(is->newton_iterations > 1);
  assert_true(is->iterations > 0);
}

static void steps_are_the_hosts(void **state) {
  (void)state;
  for (int text = 0; text < MOVING; ++text) {
    mus_scene scene[3];
    mus_sim *host = moving(text, MUS_DEVICE_CPU, &scene[0]);
    mus_sim *there[2] = {moving(text, MUS_DEVICE_CUDA, &scene[1]), moving(text, MUS_DEVICE_AUTO, &scene[2])};
    size_t n = 3 * (size_t)mus_sim_vertices(host);
    int on_device = 0;
    for (int step = 0; step < STEPS; ++step) {
      assert_ok(mus_sim_frame(host, NULL));
      for (int k = 0; k < 2; ++k) {
        assert_ok(mus_sim_frame(there[k], NULL));
        const mus_step_record *record = mus_sim_step_record(there[k], 0);
        expect_same_record(record, mus_sim_step_record(host, 0));
        on_device += record->on_device;
      }
    }
    if (text != LIMITED)
      assert_int_equal(on_device, 2 * STEPS);
    else
      assert_true(on_device < 2 * STEPS);
    double off = 0, way = 0;
    for (size_t i = 0; i < n; ++i) {
      off = fmax(off, fabs(mus_sim_positions(there[0])[i] - mus_sim_positions(host)[i]));
      way = fmax(way, fabs(mus_sim_positions(host)[i] - host->model.start[i]));
    }
    assert_true(way > 1e-3);
    if (!(off < 1e-6 * fmax(way, 1)))
      fail_msg("scene %d: positions are off by %g m after %d steps", text, off, STEPS);
    assert_memory_equal(mus_sim_positions(there[0]), mus_sim_positions(there[1]), n * sizeof(double));
    for (int k = 0; k < 2; ++k)
      mus_sim_free(there[k]);
    mus_sim_free(host);
    for (int k = 0; k < 3; ++k)
      mus_scene_free(&scene[k]);
  }
}

// What is left of r after a step, for whoever looks at it.
static void residual_is_small(void **state) {
  (void)state;
  mus_scene scene;
  mus_sim *sim = moving(0, MUS_DEVICE_CUDA, &scene);
  assert_ok(mus_sim_frame(sim, NULL));
  const double *left = mus_sim_residual(sim);
  double most = 0, weight = 0;
  for (int i = 0; i < 3 * sim->model.vertices; ++i)
    most = fmax(most, fabs(left[i]));
  for (int i = 0; i < sim->model.vertices; ++i)
    weight = fmax(weight, sim->model.mass[i] * 9.81 / 30);
  assert_true(most > 0 && most < 1e-3 * weight);
  mus_sim_free(sim);
  mus_scene_free(&scene);
}

static void comparisons_run_there(void **state) {
  (void)state;
  enum { ITERATIONS = 40 };
  mus_scene scene[2];
  mus_minimise_entry entries[2][ITERATIONS + 1];
  int count[2];
  for (int k = 0; k < 2; ++k) {
    mus_sim *sim = moving(0, k ? MUS_DEVICE_CUDA : MUS_DEVICE_CPU, &scene[k]);
    shake(sim);
    mus_minimise_options options = {.method = "newton-sa", .iterations = ITERATIONS, .stop = 1e-12, .repeat = 3};
    assert_ok(mus_sim_minimise(sim, &options, entries[k], &count[k]));
    assert_true(count[k] > 3);
    mus_sim_free(sim);
    mus_scene_free(&scene[k]);
  }
  double fall = entries[0][0].energy - entries[0][count[0] - 1].energy;
  expect_near(entries[1][0].energy, entries[0][0].energy, 1e-10 * fall, "the energy at first");
  expect_near(entries[1][count[1] - 1].energy, entries[0][count[0] - 1].energy, 1e-6 * fall, "the least energy");
}

// Nonlinear multigrid as published: orders of colours, and what coarse levels know of held nodes, differ from the
// host's, so that the same cycles lead about as far.
static void nested_levels_run_there(void **state) {
  (void)state;
  enum { CYCLES = 4 };
  mus_scene scene[2];
  mus_minimise_entry entries[2][CYCLES + 1];
  int count[2];
  for (int k = 0; k < 2; ++k) {
    mus_sim *sim;
    scene[k] = scene_of(moving_texts[0], 1200, k ? MUS_DEVICE_CUDA : MUS_DEVICE_CPU);
    assert_ok(mus_sim_create(&scene[k], &sim));
    shake(sim);
    mus_minimise_options options = {.method = "fmg:plain", .iterations = CYCLES};
    assert_ok(mus_sim_minimise(sim, &options, entries[k], &count[k]));
    assert_int_equal(count[k], CYCLES + 1);
    mus_sim_free(sim);
    mus_scene_free(&scene[k]);
  }
  double fall = entries[0][0].energy - entries[0][CYCLES].energy;
  expect_near(entries[1][0].energy, entries[0][0].energy, 1e-10 * fall, "the energy at first");
  for (int k = 1; k <= CYCLES; ++k) {
    double left = entries[0][k - 1].energy - entries[0][k].energy;
    expect_near(entries[1][k].energy, entries[0][k].energy, 0.2 * left + 1e-3 * fall, "the energy after a cycle");
    assert_true(entries[1][k].products > entries[1][k - 1].products);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(energy_and_system_are_the_hosts),
                                     cmocka_unit_test(steps_are_the_hosts), cmocka_unit_test(residual_is_small),
                                     cmocka_unit_test(comparisons_run_there),
                                     cmocka_unit_test(nested_levels_run_there)};
  return cmocka_run_group_tests_name("the stages of a minimum", tests, use_emulation, NULL);
}
