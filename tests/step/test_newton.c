// Newton's method: the same motion whatever the linear solver is allowed, and honest when it does not converge.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "support/check.h"
#include "support/runs.h"

enum { VERTICES = 225 };

typedef struct budget {
  mus_integrator integrator;
  mus_method method;
  int iterations; // of the linear solver
  double tolerance;
} budget;

static run *sheet(const budget *b) {
  run *r = runs_scene("{\"time_step\": 0.0416667, \"newton_iterations\": 400, \"cloths\": [{\"pins\": ["
                      "{\"where\": {\"box\": [-0.6, -1, -1, -0.4999, 1, 1]}},"
                      "{\"where\": {\"box\": [0.4999, -1, -1, 0.6, 1, 1]}, \"offset\": ["
                      "{\"time\": 0, \"value\": [0, 0, 0]}, {\"time\": 0.1, \"value\": [0, 0.05, 0]}]}]}]}");
  mus_scene_resize(&r->scene, VERTICES, MUS_TESSELLATION_REGULAR);
  r->scene.integrator = b->integrator;
  r->scene.solver.method = b->method;
  r->scene.solver.iterations = b->iterations;
  r->scene.solver.tolerance = b->tolerance;
  r->scene.newton_tolerance = 1e-7;
  return r;
}

// Newton's method with a linear solver that may take its time.
static run *unhurried_sheet(void) { return sheet(&(budget){MUS_INTEGRATOR_NEWTON, MUS_METHOD_SA, 1000, 1e-6}); }

// Positions after a few frames.
static void move(const budget *b, int frames, double *x) {
  run *r = sheet(b);
  runs_begin(r);
  assert_int_equal(mus_sim_vertices(r->sim), VERTICES);
  for (int f = 0; f < frames; ++f)
    runs_frame(r);
  memcpy(x, mus_sim_positions(r->sim), 3 * VERTICES * sizeof *x);
  runs_free(r);
}

static double distance(const double *x, const double *y) {
  double largest = 0;
  for (int i = 0; i < 3 * VERTICES; ++i)
    largest = fmax(largest, fabs(x[i] - y[i]));
  return largest;
}

// Ten iterations of block-Jacobi, or of multigrid, or as many as it takes: the cloth hangs the same. One
// linearisation a step moves otherwise.
static void same_motion_at_any_iteration_budget(void **state) {
  (void)state;
  static double wanted[3 * VERTICES], x[3 * VERTICES];
  move(&(budget){MUS_INTEGRATOR_NEWTON, MUS_METHOD_SA, 1000, 1e-10}, 3, wanted);
  const budget budgets[] = {{MUS_INTEGRATOR_NEWTON, MUS_METHOD_SA, 10, 1e-6},
                            {MUS_INTEGRATOR_NEWTON, MUS_METHOD_SA, 1000, 1e-2},
                            {MUS_INTEGRATOR_NEWTON, MUS_METHOD_DIAG, 10, 1e-6},
                            {MUS_INTEGRATOR_NEWTON, MUS_METHOD_MPCG, 2000, 1e-4}};
  for (size_t k = 0; k < sizeof budgets / sizeof *budgets; ++k) {
    move(&budgets[k], 3, x);
    if (distance(wanted, x) > 1e-6)
      fail_msg("budget %d: %g m apart", (int)k, distance(wanted, x));
  }
  move(&(budget){MUS_INTEGRATOR_EULER, MUS_METHOD_SA, 1000, 1e-10}, 3, x);
  assert_true(distance(wanted, x) > 1e-4);
}

// What is left of the equations of motion, computed apart from the method's own tests, is as small as asked for.
static void equations_of_motion_hold(void **state) {
  (void)state;
  run *r = unhurried_sheet();
  runs_begin(r);
  runs_frame(r);
  double mass = 0.17 / VERTICES, sum = 0;
  const double *residual = mus_sim_residual(r->sim);
  for (int i = 0; i < 3 * VERTICES; ++i)
    sum += residual[i] * residual[i];
  assert_true(sqrt(sum / VERTICES) / mass < 1e-4); // far below h g = 0.4 m/s
  assert_true(sum > 0);
  runs_free(r);
}

static void energy_falls_at_any_step(void **state) {
  (void)state;
  run *r = unhurried_sheet();
  r->scene.cloths[0].pins[1].offset.count = 0;
  runs_begin(r);
  double before = 0;
  for (int f = 0; f < 12; ++f) {
    double energy = runs_energy(runs_frame(r));
    assert_true(energy <= before + 1e-9);
    before = energy;
  }
  runs_free(r);
}

// Too few iterations, and no smaller steps allowed: said, and the state is as it was.
static void failure_is_said(void **state) {
  (void)state;
  run *r = unhurried_sheet();
  r->scene.newton_iterations = 2;
  r->scene.adaptive = 0;
  static double start[3 * VERTICES];
  runs_begin(r);
  memcpy(start, mus_sim_positions(r->sim), sizeof start);
  assert_fails(mus_sim_frame(r->sim, NULL), MUS_NOT_CONVERGED, "newton_iterations");
  assert_memory_equal(start, mus_sim_positions(r->sim), sizeof start);
  assert_int_equal(mus_sim_frame_number(r->sim), 0);
  // With halved steps allowed the same scene runs, and the report says so.
  mus_sim_free(r->sim);
  r->scene.newton_iterations = 8;
  r->scene.adaptive = 1;
  runs_begin(r);
  int steps;
  assert_ok(mus_sim_frame(r->sim, &steps));
  assert_true(steps > 1 && mus_sim_step_record(r->sim, 0)->halvings > 0);
  runs_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_motion_at_any_iteration_budget),
                                     cmocka_unit_test(equations_of_motion_hold),
                                     cmocka_unit_test(energy_falls_at_any_step), cmocka_unit_test(failure_is_said)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
