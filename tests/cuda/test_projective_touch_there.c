// Contact with bodies only in steps of Projective Dynamics on a device that is emulated: pieces of a step, and where
// steps end, are the host's; with MUSLIN_TEST_DEVICE=cuda, on the device that there is.
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
#include "step/resident.h"
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

// Under what falls; the second turns and rises, the last has a grid.
static const char *const bodies[] = {
    "{\"shape\": {\"kind\": \"floor\"}, \"translate\": [0, -0.02, 0]}",
    "{\"shape\": {\"kind\": \"sphere\", \"radius\": 0.2}, \"rotate\": [{\"time\": 0, \"value\": [0, 0, 0]}, {\"time\": "
    "1, \"value\": [0, 300, 0]}], \"translate\": [{\"time\": 0, \"value\": [0, -0.22, 0]}, {\"time\": 1, \"value\": "
    "[0, 0.5, 0]}]}",
    "{\"shape\": {\"kind\": \"capsule\", \"radius\": 0.1, \"length\": 0.3}, \"rotate\": [0, 0, 90], \"translate\": [0, "
    "-0.12, 0]}, {\"shape\": {\"kind\": \"torus\", \"radius\": 0.3, \"tube\": 0.05}, \"translate\": [0, -0.09, 0]}",
    "{\"shape\": {\"kind\": \"cone\", \"radius\": 0.3, \"length\": 0.4, \"facet\": 0.06}, \"rotate\": [180, 0, 0], "
    "\"translate\": [0, -0.23, 0]}"};
enum { BODIES = sizeof bodies / sizeof *bodies };

#define CLOTH(model)                                                                                                   \
  "\"cloths\": [{\"model\": \"" model                                                                                  \
  "\", \"velocity\": [0.1, -0.5, 0], \"shape\": {\"vertices\": 225}, \"pins\": [{\"where\": {\"vertices\": [0]}}]}]"
#define BLOCK(x)                                                                                                       \
  "{\"model\": \"co-rotated\", \"young\": 20000, \"poisson\": 0.3, \"density\": 1000, \"velocity\": [0.3, -0.5, 0], "  \
  "\"shape\": {\"vertices\": 200, \"size\": [0.4, 0.2, 0.2]}, \"translate\": [" x ", 0.09, 0]}"

// The last has two parts.
static const char *const things[] = {CLOTH("mass-spring"), CLOTH("baraff-witkin"),
                                     "\"solids\": [" BLOCK("0") ", " BLOCK("0.7") "]"};
enum { THINGS = sizeof things / sizeof *things };
enum { CASES = (BODIES - 1) * THINGS + 1 }; // one with a grid, which takes long to make

typedef struct plan {
  int body, thing;
  int single, iterations, memory, cycles;
  const char *smoother, *levels;
} plan;

static mus_sim *sim_of(const plan *p, mus_device_choice device, mus_scene *scene) {
  char text[3000];
  mus_sim *sim;
  snprintf(text, sizeof text,
           "{\"contact_with\": \"bodies\", \"integrator\": \"projective\", \"frame_rate\": 100, \"time_step\": 0.01, "
           "\"air_density\": 0, \"projective_tolerance\": 0, \"bodies\": [%s], %s}",
           bodies[p->body], things[p->thing]);
  assert_ok(mus_scene_parse("test", text, scene));
  for (int k = 0; k < scene->cloth_count; ++k)
    scene->cloths[k].strain_limit_given = 1; // none: what brings threads back is the host's
  scene->projective_iterations = p->iterations;
  scene->projective_memory = p->memory;
  scene->projective_cycles = p->cycles;
  scene->solver.precision = p->single ? MUS_PRECISION_SINGLE : MUS_PRECISION_DOUBLE;
  scene->solver.threads = 1;
  scene->solver.device = device;
  snprintf(scene->solver.skinning.levels, sizeof scene->solver.skinning.levels, "%s", p->levels);
  snprintf(scene->solver.multigrid.smoother, sizeof scene->solver.multigrid.smoother, "%s", p->smoother);
  assert_ok(mus_sim_create(scene, &sim));
  assert_int_equal(sim->resident != NULL, device != MUS_DEVICE_CPU);
  return sim;
}

static void fail_at(const plan *p, const char *what, double is, double ought) {
  fail_msg("bodies %d, thing %d, %d iterations, %s, %s: %s is %.12g instead of %.12g", p->body, p->thing, p->iterations,
           p->smoother, p->single ? "single" : "double", what, is, ought);
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
    fail_at(p, what, off / size, 0);
}

// A spring to a vertex, so that a block has something besides touches.
static void attach(mus_sim *sim) {
  int handle;
  mus_attachment one = {.count = 1, .weight = {1}, .target = {0, -0.1, 0}, .stiffness = 5, .limit = 1000};
  one.vertex[0] = mus_sim_vertices(sim) / 2;
  assert_ok(mus_sim_attach(sim, &one, &handle));
}

// --- pieces ----------------------------------------------------------------------------------------------------------

static void compare_pieces(const plan *p, mus_device *device) {
  mus_scene scene;
  mus_sim *sim = sim_of(p, MUS_DEVICE_CPU, &scene);
  attach(sim);
  for (int frame = 0; frame < 10; ++frame)
    assert_ok(mus_sim_frame(sim, NULL));
  mus_step_context c = mus_sim_context(sim);
  double h = 0.01, energy;
  mus_scheme s = {.time = sim->state.time + h, .h = h, .length = h, .order = 1};
  mus_step_record record = {0};
  size_t n = sim->work.unknowns;
  double *is = malloc(n * sizeof *is), *ought = malloc(n * sizeof *ought);
  mus_projective_there *there;
  mus_constant_matrix constant;
  mus_constant_change changed;
  mus_affine *levels;
  assert_ok(mus_projective_there_create(&sim->model, device, sim->touch, &there));
  assert_ok(mus_projective_there_begin(&c, there, &s, &record));
  assert_ok(mus_projective_there_assemble(there));
  assert_ok(mus_projective_there_look(there, is, NULL));
  // the host's
  assert_ok(mus_step_begin(&c, &s, &record));
  assert_ok(mus_constant_create(&sim->model, &constant));
  assert_ok(mus_constant_update(&constant, &c, &s, MUS_CONSTANT_FIND | MUS_CONSTANT_TOUCH, &changed));
  mus_touch_measure(h, sim->state.velocity, sim->touch);
  if (!(sim->touch->count > 3))
    fail_at(p, "the number of vertices that touch", sim->touch->count, 4);
  mus_prescribed_go(&sim->work.prescribed, sim->state.velocity);
  mus_prescribe_rest(&sim->work.prescribed);
  mus_scheme_move(&s, n, sim->work.predicted, sim->state.velocity, sim->state.position);
  mus_objective_assemble(&c, &s, 0);
  mus_prescribed_clear(&sim->work.prescribed, sim->work.right);
  expect_close(n, is, sim->work.right, 1e-10, "the right-hand side", p);
  assert_ok(mus_projective_there_energy(there, &energy));
  if (!(fabs(energy - mus_objective(&c, &s)) <= 1e-10 * fabs(energy)))
    fail_at(p, "the energy", energy, mus_objective(&c, &s));
  assert_ok(mus_affine_create(&sim->model.pattern, sim->model.start, &sim->settings.solver, &levels));
  assert_ok(mus_affine_set(levels, &constant.matrix));
  mus_affine_cycle(levels, sim->work.right, ought);
  assert_ok(mus_projective_there_cycle(there, sim->work.right, is));
  expect_close(n, is, ought, p->single ? 1e-3 : 1e-8, "a cycle", p);
  mus_affine_free(levels);
  mus_constant_free(&constant);
  mus_projective_there_free(there);
  free(is);
  free(ought);
  mus_sim_free(sim);
  mus_scene_free(&scene);
}

static void pieces_are_the_hosts(void **state) {
  (void)state;
  mus_device *device;
  mus_stage_failure failure;
  assert_ok(stages->open(&device, &failure));
  for (int k = 0; k < CASES; ++k) {
    compare_pieces(&(plan){k / THINGS, k % THINGS, 0, 4, 0, 1, "gs:2", "2/12/all"}, device);
    compare_pieces(&(plan){k / THINGS, k % THINGS, k % 2, 4, 0, 1, "chebyshev:3", k % 2 ? "8/all" : "2/8/40/all"},
                   device);
  }
  stages->close(device);
}

// --- whole steps -----------------------------------------------------------------------------------------------------

enum { STEPS = 20 };

static void compare_steps(const plan *p) {
  mus_scene scene[2];
  mus_sim *here = sim_of(p, MUS_DEVICE_CPU, &scene[0]), *there = sim_of(p, MUS_DEVICE_CUDA, &scene[1]);
  int n = 3 * mus_sim_vertices(here), touched = 0, whole = 0;
  double allowed = p->single ? 2e-4 : 1e-6;
  attach(here);
  attach(there);
  for (int step = 0; step < STEPS; ++step) {
    assert_ok(mus_sim_frame(here, NULL));
    assert_ok(mus_sim_frame(there, NULL));
    const mus_step_record *a = mus_sim_step_record(here, 0), *b = mus_sim_step_record(there, 0);
    if (a->halvings != b->halvings || (!p->single && a->body_contacts != b->body_contacts))
      fail_at(p, "the number of vertices that touch", b->body_contacts, a->body_contacts);
    double off = 0, all = a->kinetic + a->stretch + a->shear + a->bend + fabs(a->potential);
    for (int i = 0; i < n; ++i)
      off = fmax(off, fabs(mus_sim_positions(here)[i] - mus_sim_positions(there)[i]));
    if (!(off < allowed))
      fail_at(p, "the distance from the host's positions", off, 0);
    if (!(fabs(a->kinetic - b->kinetic) < 10 * allowed * all))
      fail_at(p, "kinetic energy", b->kinetic, a->kinetic);
    touched += b->body_contacts;
    whole += b->on_device;
  }
  if (!p->single) // with the blocks of what touched
    expect_close((size_t)n, mus_sim_residual(there), mus_sim_residual(here), 1e-3, "what is left", p);
  if (!(touched > 20))
    fail_at(p, "the number of touches", touched, 21);
  assert_int_equal(whole, STEPS);
  assert_null(mus_sim_device_used(there).obstacle);
  mus_sim_free(here);
  mus_sim_free(there);
  for (int s = 0; s < 2; ++s)
    mus_scene_free(&scene[s]);
}

static void steps_are_the_hosts(void **state) {
  (void)state;
  for (int k = 0; k < CASES; ++k) {
    int body = k / THINGS, thing = k % THINGS;
    compare_steps(&(plan){body, thing, 0, 5, 0, 1, "gs:2", "2/12/all"});          // without secants
    compare_steps(&(plan){body, thing, 0, 6, 3, 1, "chebyshev:3", "2/8/40/all"}); // with them
    if (thing != 1)
      compare_steps(&(plan){body, thing, 0, 1, 0, 2, "gs:2", "8/all"}); // at once
  }
  compare_steps(&(plan){0, 2, 1, 4, 0, 1, "chebyshev:3", "2/12/all"});
}

// Some steps are the host's, then there again.
static void the_host_can_take_over(void **state) {
  (void)state;
  plan p = {1, 0, 0, 5, 0, 1, "gs:2", "2/12/all"};
  mus_scene scene[2];
  mus_sim *here = sim_of(&p, MUS_DEVICE_CPU, &scene[0]), *there = sim_of(&p, MUS_DEVICE_CUDA, &scene[1]);
  for (int step = 0; step < STEPS; ++step) {
    mus_resident *resident = there->resident;
    if (step / 5 % 2)
      there->resident = NULL;
    assert_ok(mus_sim_frame(here, NULL));
    assert_ok(mus_sim_frame(there, NULL));
    if (step / 5 % 2)
      mus_resident_forget(resident);
    there->resident = resident;
    for (int i = 0; i < 3 * mus_sim_vertices(here); ++i)
      assert_true(fabs(mus_sim_positions(here)[i] - mus_sim_positions(there)[i]) < 1e-6);
    assert_int_equal(mus_sim_step_record(there, 0)->on_device, step / 5 % 2 == 0);
  }
  assert_true(mus_sim_step_record(here, 0)->body_contacts > 3);
  mus_sim_free(here);
  mus_sim_free(there);
  for (int s = 0; s < 2; ++s)
    mus_scene_free(&scene[s]);
}

static void twice_are_the_same_bits(void **state) {
  (void)state;
  static double first[2000];
  plan p = {1, 2, 0, 4, 3, 1, "gs:2", "2/12/all"};
  for (int turn = 0; turn < 2; ++turn) {
    mus_scene scene;
    mus_sim *sim = sim_of(&p, MUS_DEVICE_CUDA, &scene);
    size_t n = 3 * (size_t)mus_sim_vertices(sim);
    assert_true(n < sizeof first / sizeof *first);
    for (int step = 0; step < STEPS; ++step)
      assert_ok(mus_sim_frame(sim, NULL));
    assert_true(mus_sim_step_record(sim, 0)->body_contacts > 3);
    if (turn == 0)
      memcpy(first, mus_sim_positions(sim), n * sizeof *first);
    assert_memory_equal(first, mus_sim_positions(sim), n * sizeof *first);
    mus_sim_free(sim);
    mus_scene_free(&scene);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(pieces_are_the_hosts), cmocka_unit_test(steps_are_the_hosts),
                                     cmocka_unit_test(the_host_can_take_over),
                                     cmocka_unit_test(twice_are_the_same_bits)};
  return cmocka_run_group_tests_name("contact with bodies in Projective Dynamics there", tests, use_emulation, NULL);
}
