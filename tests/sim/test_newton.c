// Newton's method: the same motion whatever the linear solver is allowed, and honest when it does not converge.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "muslin/sim.h"

enum { VERTICES = 225 };

typedef struct budget {
  mus_integrator integrator;
  mus_method method;
  int iterations; // of the linear solver
  double tolerance;
} budget;

static mus_scene sheet(const budget *b) {
  mus_scene scene;
  if (mus_scene_parse("test",
                      "{\"time_step\": 0.0416667, \"newton_iterations\": 400, \"cloths\": [{\"pins\": ["
                      "{\"where\": {\"box\": [-0.6, -1, -1, -0.4999, 1, 1]}},"
                      "{\"where\": {\"box\": [0.4999, -1, -1, 0.6, 1, 1]}, \"offset\": ["
                      "{\"time\": 0, \"value\": [0, 0, 0]}, {\"time\": 0.1, \"value\": [0, 0.05, 0]}]}]}]}",
                      &scene))
    fail_msg("%s", mus_last_error());
  mus_scene_resize(&scene, VERTICES, MUS_REGULAR);
  scene.integrator = b->integrator;
  scene.solver.method = b->method;
  scene.solver.iterations = b->iterations;
  scene.solver.tolerance = b->tolerance;
  scene.newton_tolerance = 1e-7;
  return scene;
}

// Positions after a few frames.
static void run(const budget *b, int frames, double *x) {
  mus_scene scene = sheet(b);
  mus_sim *sim = NULL;
  if (mus_sim_create(&scene, &sim))
    fail_msg("%s", mus_last_error());
  assert_int_equal(mus_sim_vertices(sim), VERTICES);
  for (int f = 0; f < frames; ++f)
    if (mus_sim_frame(sim, NULL))
      fail_msg("%s", mus_last_error());
  memcpy(x, mus_sim_positions(sim), 3 * VERTICES * sizeof *x);
  mus_sim_free(sim);
  mus_scene_free(&scene);
}

static double distance(const double *x, const double *y) {
  double largest = 0;
  for (int i = 0; i < 3 * VERTICES; ++i)
    largest = fmax(largest, fabs(x[i] - y[i]));
  return largest;
}

// Ten iterations of block-Jacobi, two of multigrid, or as many as it takes: the cloth hangs the same. One linearisation
// a step moves otherwise.
static void same_motion_at_any_iteration_budget(void **state) {
  (void)state;
  static double wanted[3 * VERTICES], x[3 * VERTICES];
  run(&(budget){MUS_NEWTON, MUS_METHOD_SA, 1000, 1e-10}, 3, wanted);
  const budget budgets[] = {{MUS_NEWTON, MUS_METHOD_SA, 2, 1e-6},
                            {MUS_NEWTON, MUS_METHOD_SA, 1000, 1e-2},
                            {MUS_NEWTON, MUS_METHOD_DIAG, 10, 1e-6},
                            {MUS_NEWTON, MUS_METHOD_MPCG, 2000, 1e-4}};
  for (size_t k = 0; k < sizeof budgets / sizeof *budgets; ++k) {
    run(&budgets[k], 3, x);
    if (distance(wanted, x) > 1e-6)
      fail_msg("budget %d: %g m apart", (int)k, distance(wanted, x));
  }
  run(&(budget){MUS_EULER, MUS_METHOD_SA, 1000, 1e-10}, 3, x);
  assert_true(distance(wanted, x) > 1e-4);
}

// What is left of the equations of motion, computed apart from the method's own tests, is as small as asked for.
static void equations_of_motion_hold(void **state) {
  (void)state;
  mus_scene scene = sheet(&(budget){MUS_NEWTON, MUS_METHOD_SA, 1000, 1e-6});
  mus_sim *sim = NULL;
  assert_int_equal(mus_sim_create(&scene, &sim), MUS_OK);
  assert_int_equal(mus_sim_frame(sim, NULL), MUS_OK);
  double mass = 0.17 / VERTICES, sum = 0;
  const double *r = mus_sim_residual(sim);
  for (int i = 0; i < 3 * VERTICES; ++i)
    sum += r[i] * r[i];
  assert_true(sqrt(sum / VERTICES) / mass < 1e-4); // far below h g = 0.4 m/s
  assert_true(sum > 0);
  mus_sim_free(sim);
  mus_scene_free(&scene);
}

static void energy_falls_at_any_step(void **state) {
  (void)state;
  mus_scene scene = sheet(&(budget){MUS_NEWTON, MUS_METHOD_SA, 1000, 1e-6});
  mus_sim *sim = NULL;
  scene.cloths[0].pins[1].offset.count = 0;
  assert_int_equal(mus_sim_create(&scene, &sim), MUS_OK);
  double before = 0;
  for (int f = 0; f < 12; ++f) {
    int steps;
    assert_int_equal(mus_sim_frame(sim, &steps), MUS_OK);
    const mus_step_record *r = mus_sim_step_record(sim, steps - 1);
    double energy = r->kinetic + r->stretch + r->shear + r->bend + r->potential;
    assert_true(energy <= before + 1e-9);
    before = energy;
  }
  mus_sim_free(sim);
  mus_scene_free(&scene);
}

// Too few iterations, and no smaller steps allowed: said, and the state is as it was.
static void failure_is_said(void **state) {
  (void)state;
  mus_scene scene = sheet(&(budget){MUS_NEWTON, MUS_METHOD_SA, 1000, 1e-6});
  scene.newton_iterations = 2;
  scene.adaptive = 0;
  mus_sim *sim = NULL;
  static double start[3 * VERTICES];
  assert_int_equal(mus_sim_create(&scene, &sim), MUS_OK);
  memcpy(start, mus_sim_positions(sim), sizeof start);
  assert_int_equal(mus_sim_frame(sim, NULL), MUS_NOT_CONVERGED);
  assert_non_null(strstr(mus_last_error(), "newton_iterations"));
  assert_memory_equal(start, mus_sim_positions(sim), sizeof start);
  assert_int_equal(mus_sim_frame_number(sim), 0);
  // With halved steps allowed the same scene runs, and the report says so.
  scene.newton_iterations = 8;
  scene.adaptive = 1;
  int steps;
  if (mus_sim_frame(sim, &steps))
    fail_msg("%s", mus_last_error());
  assert_true(steps > 1 && mus_sim_step_record(sim, 0)->halvings > 0);
  mus_sim_free(sim);
  mus_scene_free(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_motion_at_any_iteration_budget),
                                     cmocka_unit_test(equations_of_motion_hold),
                                     cmocka_unit_test(energy_falls_at_any_step), cmocka_unit_test(failure_is_said)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
