// The stages of Projective Dynamics on a device that is emulated, against the host's; with MUSLIN_TEST_DEVICE=cuda, on
// the device that there is.
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
#include "cuda/projective_device.h"
#include "cuda/step_emulated.h"
#include "multigrid/skinning/affine.h"
#include "par/vector.h"
#include "sim/simulator.h"
#include "step/constant.h"
#include "step/objective.h"
#include "step/projective_there.h"
#include "support/check.h"

static const mus_stages *stages;

static int use_emulation(void **state) {
  (void)state;
  const char *asked = getenv("MUSLIN_TEST_DEVICE");
  int is_real = asked && strcmp(asked, "cuda") == 0;
  mus_device_use(is_real ? NULL : mus_emulated_stages());
  mus_device_projective_use(is_real ? NULL : mus_emulated_projective_stages());
  return mus_device_stages(&stages) != MUS_OK;
}

#define HEAD                                                                                                           \
  "{\"frame_rate\": 30, \"time_step\": 0.034, \"contact\": false, \"air_density\": 0, \"integrator\": \"projective\"," \
  " \"projective_tolerance\": 0, "
#define CLOTH(model, pins)                                                                                             \
  HEAD "\"cloths\": [{\"model\": \"" model                                                                             \
       "\", \"shape\": {\"vertices\": 169}, \"velocity\": [0.5, 0, 1], \"pins\": [" pins "]}]}"
#define CORNERS "{\"where\": {\"vertices\": [0, 12]}}"

// Solids, two of them in one case, and cloths of all models; held, held softly and by pins that move.
static const char *const scenes[] = {
    HEAD "\"solids\": [{\"model\": \"co-rotated\", \"shape\": {\"vertices\": 120, \"size\": [0.4, 0.2, 0.2]}, "
         "\"young\": 2000, \"poisson\": 0.3, \"density\": 1000, \"velocity\": [0, 1, 0.5], \"pins\": [{\"where\": "
         "{\"box\": [-1, -1, -1, -0.199, 1, 1]}}]}]}",
    HEAD "\"solids\": [{\"model\": \"co-rotated\", \"damping\": 0, \"shape\": {\"vertices\": 100}, \"young\": 3000, "
         "\"density\": 1000}, {\"model\": \"co-rotated\", \"shape\": {\"vertices\": 100}, \"young\": 3000, "
         "\"density\": 1000, \"translate\": [3, 0, 0], \"velocity\": [1, 0, 2]}]}",
    CLOTH("mass-spring", CORNERS),
    CLOTH("mass-spring", "{\"where\": {\"vertices\": [0, 12, 40]}, \"stiffness\": 50, \"damping\": 0.05}"),
    CLOTH("choi-ko", "{\"where\": {\"vertices\": [0, 12]}, \"amplitude\": [0.1, 0.2, 0], \"frequency\": 2}"),
    CLOTH("baraff-witkin", CORNERS)};
enum { SCENES = sizeof scenes / sizeof *scenes };

static const char *const smoothers[] = {"gs:2", "chebyshev:3", "jacobi:2/gs:1"};
enum { SMOOTHERS = sizeof smoothers / sizeof *smoothers };

typedef struct plan {
  int scene, smoother, single, iterations, cycles, memory;
} plan;

static mus_sim *sim_of(const plan *p, mus_device_choice device, mus_scene *scene) {
  mus_sim *sim;
  assert_ok(mus_scene_parse("test", scenes[p->scene], scene));
  for (int k = 0; k < scene->cloth_count; ++k)
    scene->cloths[k].strain_limit_given = 1; // none: what brings threads back is the host's
  scene->projective_iterations = p->iterations;
  scene->projective_cycles = p->cycles;
  scene->projective_memory = p->memory;
  scene->solver.precision = p->single ? MUS_PRECISION_SINGLE : MUS_PRECISION_DOUBLE;
  scene->solver.threads = 1;
  scene->solver.device = device;
  snprintf(scene->solver.skinning.levels, sizeof scene->solver.skinning.levels, "%s", "2/12/all");
  snprintf(scene->solver.multigrid.smoother, sizeof scene->solver.multigrid.smoother, "%s", smoothers[p->smoother]);
  assert_ok(mus_sim_create(scene, &sim));
  assert_int_equal(sim->resident != NULL, device != MUS_DEVICE_CPU);
  return sim;
}

static void expect_close(size_t n, const double *is, const double *ought, double allowed, const char *what,
                         const plan *p) {
  double off = 0, size = 0;
  for (size_t k = 0; k < n; ++k) {
    assert_true(isfinite(is[k]));
    off = fmax(off, fabs(is[k] - ought[k]));
    size = fmax(size, fabs(ought[k]));
  }
  assert_true(size > 0);
  if (!(off <= allowed * size))
    fail_msg("scene %d, smoother %s, %s: %s is off by %g of %g", p->scene, smoothers[p->smoother],
             p->single ? "single" : "double", what, off, size);
}

static void shake(mus_sim *sim) {
  for (int i = 0; i < sim->model.vertices; ++i) {
    double *x = sim->state.position + 3 * i, *v = sim->state.velocity + 3 * i, u = x[0], w = x[2];
    x[1] += 0.02 * sin(7 * u) * cos(5 * w);
    for (int c = 0; c < 3; ++c)
      v[c] = sin(4 * u + 5 * w + c);
  }
}

// --- stages ----------------------------------------------------------------------------------------------------------

// A spring to two corners of a triangle, which the second pulls no harder than it may.
static void attach(mus_sim *sim, int *handle) {
  const int *triangle = mus_sim_triangle_list(sim);
  mus_attachment one = {.count = 3, .weight = {0.5, 0.25, 0.25}, .target = {0.3, 0.4, 0.1}, .stiffness = 40};
  one.limit = 1000;
  memcpy(one.vertex, triangle, sizeof one.vertex);
  assert_ok(mus_sim_attach(sim, &one, &handle[0]));
  one.limit = 0.5;
  one.vertex[0] = triangle[1];
  one.count = 1;
  one.weight[0] = 1;
  assert_ok(mus_sim_attach(sim, &one, &handle[1]));
}

static void stages_are_the_hosts(void **state) {
  (void)state;
  mus_device *device;
  mus_stage_failure failure;
  assert_ok(stages->open(&device, &failure));
  for (int k = 0; k < SCENES * SMOOTHERS * 2; ++k) {
    plan p = {k / 2 % SCENES, k / 2 / SCENES, k % 2, 1, 1, 0};
    mus_scene scene;
    mus_sim *sim = sim_of(&p, MUS_DEVICE_CPU, &scene);
    int handle[2];
    shake(sim);
    attach(sim, handle);
    mus_step_context c = mus_sim_context(sim);
    mus_scheme s = {.time = 0.034, .h = 0.034, .length = 0.034, .order = 1};
    mus_step_record record = {0};
    size_t n = sim->work.unknowns;
    double *is = malloc(n * sizeof *is), *ought = malloc(n * sizeof *ought), energy;
    mus_projective_there *there;
    mus_constant_matrix constant;
    mus_constant_change changed;
    mus_affine *levels;
    assert_ok(mus_projective_there_create(&sim->model, device, NULL, &there));
    assert_ok(mus_projective_there_begin(&c, there, &s, &record));
    assert_ok(mus_projective_there_assemble(there));
    assert_ok(mus_projective_there_look(there, is, NULL));
    // the host's
    assert_ok(mus_step_begin(&c, &s, &record));
    mus_prescribed_go(&sim->work.prescribed, sim->state.velocity);
    mus_prescribe_rest(&sim->work.prescribed);
    mus_scheme_move(&s, n, sim->work.predicted, sim->state.velocity, sim->state.position);
    mus_objective_assemble(&c, &s, 0);
    mus_prescribed_clear(&sim->work.prescribed, sim->work.right);
    expect_close(n, is, sim->work.right, 1e-10, "the right-hand side", &p);
    double size = fabs(mus_objective(&c, &s));
    assert_ok(mus_projective_there_energy(there, &energy));
    assert_true(fabs(energy - mus_objective(&c, &s)) <= 1e-10 * size);
    assert_ok(mus_constant_create(&sim->model, &constant));
    assert_ok(mus_constant_update(&constant, &c, &s, 0, &changed));
    assert_ok(mus_affine_create(&sim->model.pattern, sim->model.start, &sim->settings.solver, &levels));
    assert_ok(mus_affine_set(levels, &constant.matrix));
    mus_affine_cycle(levels, sim->work.right, ought);
    for (int turn = 0; turn < 2; ++turn) {
      assert_ok(mus_projective_there_cycle(there, sim->work.right, turn ? sim->work.change : is));
      expect_close(n, turn ? sim->work.change : is, ought, p.single ? 1e-4 : 1e-9, "a cycle", &p);
    }
    assert_memory_equal(is, sim->work.change, n * sizeof *is);
    mus_affine_free(levels);
    mus_constant_free(&constant);
    mus_projective_there_free(there);
    free(is);
    free(ought);
    mus_sim_free(sim);
    mus_scene_free(&scene);
  }
  stages->close(device);
}

// --- whole steps -----------------------------------------------------------------------------------------------------

static void expect_near(double is, double ought, double allowed, const char *what, const plan *p) {
  if (!(fabs(is - ought) <= allowed))
    fail_msg("scene %d, smoother %s, %d iterations: %s is %.12g instead of %.12g", p->scene, smoothers[p->smoother],
             p->iterations, what, is, ought);
}

static void expect_same_record(const mus_step_record *is, const mus_step_record *ought, const plan *p) {
  double allowed = p->single ? 1e-3 : 1e-6;
  double all = ought->kinetic + ought->stretch + ought->shear + ought->bend + fabs(ought->potential);
  expect_near(is->on_device, 1, 0, "whether it ran there", p);
  expect_near(is->kinetic, ought->kinetic, allowed * all, "kinetic energy", p);
  expect_near(is->stretch, ought->stretch, allowed * all, "energy of stretch", p);
  expect_near(is->bend, ought->bend, allowed * all, "energy of bending", p);
  expect_near(is->strain_maximum, ought->strain_maximum, 10 * allowed, "the largest strain", p);
  expect_near(is->strain_99, ought->strain_99, 10 * allowed, "the strain that 99% are below", p);
  expect_near(is->residual, ought->residual, 10 * allowed, "the residual", p);
  assert_int_equal(is->iterations, ought->iterations);
  assert_int_equal(is->newton_iterations, ought->newton_iterations);
}

// The host's steps and those there, with springs that come and go.
static void compare_steps(const plan *p) {
  enum { STEPS = 8 };
  mus_scene scene[2];
  mus_sim *host = sim_of(p, MUS_DEVICE_CPU, &scene[0]), *there = sim_of(p, MUS_DEVICE_CUDA, &scene[1]);
  size_t n = 3 * (size_t)mus_sim_vertices(host);
  double off = 0, way = 0;
  int handle[2][2];
  for (int step = 0; step < STEPS; ++step) {
    mus_sim *both[2] = {host, there};
    for (int k = 0; k < 2; ++k) {
      if (step == 2)
        attach(both[k], handle[k]);
      if (step == 4)
        assert_ok(mus_sim_move_attachment(both[k], handle[k][0], (double[]){0.2, 0.5, 0}));
      if (step == 6)
        assert_ok(mus_sim_detach(both[k], handle[k][0]));
      assert_ok(mus_sim_frame(both[k], NULL));
    }
    expect_same_record(mus_sim_step_record(there, 0), mus_sim_step_record(host, 0), p);
  }
  for (size_t i = 0; i < n; ++i) {
    off = fmax(off, fabs(mus_sim_positions(there)[i] - mus_sim_positions(host)[i]));
    way = fmax(way, fabs(mus_sim_positions(host)[i] - host->model.start[i]));
  }
  assert_true(way > 0.01);
  expect_near(off, 0, (p->single ? 1e-3 : 1e-6) * way, "the distance from the host's positions", p);
  expect_close(n, mus_sim_residual(there), mus_sim_residual(host), p->single ? 1e-2 : 1e-4, "what is left", p);
  for (int k = 0; k < 2; ++k) {
    mus_sim_free(k ? there : host);
    mus_scene_free(&scene[k]);
  }
}

static void steps_are_the_hosts(void **state) {
  (void)state;
  for (int k = 0; k < SCENES; ++k) {
    compare_steps(&(plan){k, 0, 0, 1, 1, 0});             // one iteration at once
    compare_steps(&(plan){k, 1, 0, 1, 2, 0});             // two cycles, by polynomials
    compare_steps(&(plan){k, 2, 0, 5, 1, 0});             // several, without secants
    compare_steps(&(plan){k, k % SMOOTHERS, 0, 6, 1, 3}); // with as many as fit
    compare_steps(&(plan){k, 1, 1, 3, 1, 5});
  }
}

// What is not there yet is left to the host.
static void obstacles_are_named(void **state) {
  (void)state;
  plan p = {2, 0, 0, 1, 1, 0};
  mus_scene scene;
  mus_sim *sim;
  assert_ok(mus_scene_parse("test", scenes[p.scene], &scene));
  scene.air_density = 1.2;
  scene.solver.device = MUS_DEVICE_AUTO;
  assert_ok(mus_sim_create(&scene, &sim));
  assert_null(sim->resident);
  mus_step_context c = mus_sim_context(sim);
  assert_string_equal(mus_projective_there_obstacle(&c), "drag of air with Projective Dynamics");
  assert_ok(mus_sim_frame(sim, NULL));
  assert_false(mus_sim_step_record(sim, 0)->on_device);
  mus_sim_free(sim);
  mus_scene_free(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(stages_are_the_hosts), cmocka_unit_test(steps_are_the_hosts),
                                     cmocka_unit_test(obstacles_are_named)};
  return cmocka_run_group_tests_name("the stages of Projective Dynamics", tests, use_emulation, NULL);
}
