// Projective Dynamics: every iteration lowers the energy of the step, what they end at is what Newton's method finds,
// the constant matrix is never below Newton's, momentum is kept, what is prescribed is done exactly, bits do not depend
// on threads, and energies without such a matrix are refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "par/par.h"
#include "par/vector.h"
#include "sim/access.h"
#include "sim/simulator.h"
#include "support/check.h"
#include "support/runs.h"

// A block of gel that is held at one side and drops, likewise.
#define BLOCK(more)                                                                                                    \
  "{\"frame_rate\": 30, \"time_step\": 0.034, \"contact\": false, \"integrator\": \"projective\","                     \
  " \"projective_tolerance\": 0, \"solver\": {\"skinning\": {\"levels\": \"2/8/all\"}, "                               \
  "\"sa\": {\"smoother\": \"gs:2\"}}, \"solids\": [{\"model\": \"" more                                                \
  "\", \"shape\": {\"vertices\": 120, \"size\": [0.4, 0.2, 0.2]}, \"young\": 2000, \"poisson\": 0.3,"                  \
  " \"density\": 1000, \"velocity\": [0, 1, 0.5], \"pins\": [{\"where\": {\"box\": [-1, -1, -1, -0.199, 1, 1]}}]}]}"

// A sheet that hangs by two corners and is thrown aside, with steps as long as frames.
#define SHEET(more) CLOTH("mass-spring", more)
#define CLOTH(model, more)                                                                                             \
  "{\"frame_rate\": 30, \"time_step\": 0.034, \"contact\": false, \"air_density\": 0, \"integrator\": \"projective\"," \
  " \"projective_tolerance\": 0, \"solver\": {\"skinning\": {\"levels\": \"2/12/all\"}, "                              \
  "\"sa\": {\"smoother\": \"gs:3\"}}," more "\"cloths\": [{\"model\": \"" model                                        \
  "\", \"shape\": {\"vertices\": 169}, \"velocity\": [0.5, 0, 1],"                                                     \
  " \"pins\": [{\"where\": {\"vertices\": [0, 12]}}]}]}"

// Plain: without secants.
static run *with(const char *text, int iterations) {
  run *r = runs_scene(text);
  r->scene.projective_memory = 0;
  r->scene.projective_iterations = iterations;
  r->scene.solver.threads = 1;
  return r;
}

// 1/2 |v' - v|^2 by mass plus all energies after one step.
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
  return sum + runs_energy(record) - record->kinetic;
}

static const mus_method methods[] = {MUS_METHOD_SKINNING, MUS_METHOD_CHOLMOD};
static const char *const smoothers[] = {"gs:3", "jacobi:3", "chebyshev:2"};

// Those from BOUNDED on have a matrix that is no bound.
static const char *const scenes[] = {SHEET(""), BLOCK("co-rotated"), BLOCK("mass-spring"), CLOTH("choi-ko", ""),
                                     CLOTH("baraff-witkin", "")};
enum { SCENES = sizeof scenes / sizeof *scenes, BOUNDED = 4 };

static void undamp(mus_scene *scene) {
  for (int k = 0; k < scene->cloth_count; ++k)
    scene->cloths[k].damping_scale = 0;
  for (int k = 0; k < scene->solid_count; ++k)
    scene->solids[k].damping = 0;
}

static void every_iteration_lowers_the_energy(void **state) {
  (void)state;
  for (int k = 0; k < 4 * SCENES; ++k) {
    double before = INFINITY;
    for (int iterations = 1; iterations <= 8; ++iterations) {
      run *r = with(scenes[k / 4], iterations);
      undamp(&r->scene);
      r->scene.solver.method = methods[k % 4 == 3];
      if (k % 4 < 3)
        snprintf(r->scene.solver.multigrid.smoother, sizeof r->scene.solver.multigrid.smoother, "%s", smoothers[k % 4]);
      runs_begin(r);
      double energy = energy_of_step(r);
      assert_int_equal(mus_sim_step_record(r->sim, 0)->newton_iterations, iterations);
      assert_int_equal(mus_sim_step_record(r->sim, 0)->halvings, 0);
      if (!(energy < before))
        fail_msg("scene %d, solver %d: iteration %d goes from %.17g to %.17g J", k / 4, k % 4, iterations, before,
                 energy);
      before = energy;
      runs_free(r);
    }
  }
}

// Short steps: where the constant matrix is stiff and the energy is not, as across springs, iterations to convergence
// grow with how stiff. Neither may take shorter steps than the other.
static run *to_convergence(const char *text) {
  run *r = with(text, 20000);
  r->scene.projective_tolerance = 1e-10;
  r->scene.newton_tolerance = 1e-12;
  r->scene.frame_rate = 200;
  r->scene.adaptive = 0;
  if (r->scene.solid_count > 0)
    r->scene.solids[0].young = 300;
  if (r->scene.cloth_count > 0) {
    r->scene.cloths[0].stretch_scale = 0.003;
    memset(r->scene.cloths[0].velocity, 0, sizeof r->scene.cloths[0].velocity);
    mus_scene_resize(&r->scene, 49, MUS_TESSELLATION_REGULAR);
  }
  return r;
}

static void it_ends_where_newton_does(void **state) {
  (void)state;
  for (int k = 0; k < 4 * SCENES; ++k) {
    run *projective = to_convergence(scenes[k / 2 % SCENES]), *newton = to_convergence(scenes[k / 2 % SCENES]);
    projective->scene.projective_memory = k < 2 * SCENES ? 0 : 7;
    projective->scene.solver.method = methods[k % 2];
    newton->scene.integrator = MUS_INTEGRATOR_NEWTON;
    newton->scene.solver.method = MUS_METHOD_CHOLMOD;
    runs_begin(projective);
    runs_begin(newton);
    for (int frame = 0; frame < 2; ++frame) {
      const mus_step_record *record = runs_frame(projective);
      runs_frame(newton);
      assert_in_range(record->newton_iterations, 3, 19999);
    }
    const double *x = mus_sim_positions(projective->sim), *y = mus_sim_positions(newton->sim);
    double apart = 0;
    for (int i = 0; i < 3 * mus_sim_vertices(newton->sim); ++i)
      apart = fmax(apart, fabs(x[i] - y[i]));
    if (apart > 1e-8)
      fail_msg("scene %d, solver %d: %g m apart", k / 2, k % 2, apart);
    runs_free(projective);
    runs_free(newton);
  }
}

// With secants a step ends at the same place, after far fewer iterations, and lower after as many.
static void secants_lead_there_sooner(void **state) {
  (void)state;
  for (int k = 0; k < SCENES; ++k) {
    int taken[2];
    double energy[2];
    for (int secants = 0; secants < 2; ++secants) {
      run *far = to_convergence(scenes[k]), *near = with(scenes[k], 20);
      far->scene.frame_rate = 30; // a long step
      far->scene.projective_tolerance = 1e-6;
      if (far->scene.solid_count > 0)
        far->scene.solids[0].young = 2e4;
      far->scene.projective_memory = near->scene.projective_memory = secants ? 5 : 0;
      undamp(&near->scene);
      runs_begin(far);
      runs_begin(near);
      taken[secants] = runs_frame(far)->newton_iterations;
      energy[secants] = energy_of_step(near);
      assert_int_equal(mus_sim_step_record(near->sim, 0)->newton_iterations, 20);
      runs_free(far);
      runs_free(near);
    }
    if (taken[1] > taken[0] / 2 || !(energy[1] < energy[0]))
      fail_msg("scene %d: %d iterations and %g J with secants, %d and %g without", k, taken[1], energy[1], taken[0],
               energy[0]);
  }
}

// d . A d for A of Projective Dynamics and for Newton's, in many directions, far from rest.
static void check_matrix(const char *text) {
  run *r = with(text, 3);
  undamp(&r->scene); // of solids, damping counts as it is at rest
  runs_begin(r);
  for (int frame = 0; frame < 4; ++frame)
    runs_frame(r);
  size_t n = 3 * (size_t)mus_sim_vertices(r->sim);
  double *d = malloc(n * sizeof *d), *y = malloc(n * sizeof *y);
  assert_true(d && y);
  mus_sim_system system;
  assert_ok(mus_sim_next_system(r->sim, &system));
  const mus_integrator_state *integrator = &r->sim->integrator;
  for (uint64_t seed = 1; seed < 30; ++seed) {
    mus_fill_random(n, seed, d);
    for (int i = 0; i < system.constraint_count; ++i) // what is held is stiff in one of them only
      mus_fill(3, 0, d + 3 * (size_t)system.constraints[i].node);
    for (uint64_t sweep = 0; sweep < seed % 5; ++sweep) { // smooth ones too
      mus_copy(n, d, y);
      for (int i = 0; i < system.rows; ++i)
        for (int k = system.row_start[i]; k < system.row_start[i + 1]; ++k)
          mus_add_scaled3(0.2, y + 3 * (size_t)system.column[k], d + 3 * (size_t)i);
    }
    integrator->kind->multiply(integrator->own, d, y);
    double constant = mus_dot(n, d, y), newton = 0;
    mus_matrix a = {&mus_sim_model(r->sim)->pattern, 3, 3, (double *)system.values};
    mus_multiply(&a, d, y);
    newton = mus_dot(n, d, y);
    assert_true(newton > 0 && newton <= constant * (1 + 1e-12));
  }
  free(d);
  free(y);
  runs_free(r);
}

static void the_constant_matrix_is_never_below_newtons(void **state) {
  (void)state;
  for (int k = 0; k < BOUNDED; ++k)
    check_matrix(scenes[k]);
}

// A sheet on its own in empty space, crumpling and turning.
static void momentum_is_kept(void **state) {
  (void)state;
  for (int k = 0; k < 2; ++k) {
    run *r = with("{\"frame_rate\": 30, \"time_step\": 0.034, \"contact\": false, \"air_density\": 0, \"gravity\": "
                  "[0, 0, 0], \"integrator\": \"projective\", \"projective_tolerance\": 0, \"cloths\": [{\"model\": "
                  "\"mass-spring\", \"shape\": {\"vertices\": 100}, \"velocity\": [0.25, -0.5, 1]}]}",
                  3);
    r->scene.solver.method = methods[k];
    r->scene.solver.precision = MUS_PRECISION_DOUBLE;
    r->scene.projective_memory = 2;
    runs_begin(r);
    const mus_model *m = mus_sim_model(r->sim);
    mus_state *s = mus_sim_state(r->sim);
    for (int i = 0; i < m->vertices; ++i) { // out of shape
      s->position[3 * i] *= 1 + 0.2 * sin(7 * s->position[3 * i + 2]);
      s->velocity[3 * i + 1] += 0.3 * cos(9 * s->position[3 * i]);
    }
    double before[3] = {0}, after[3] = {0}, speed = 0;
    for (int i = 0; i < m->vertices; ++i) {
      mus_add_scaled3(m->mass[i], s->velocity + 3 * (size_t)i, before);
      speed += m->mass[i] * sqrt(mus_dot3(s->velocity + 3 * (size_t)i, s->velocity + 3 * (size_t)i));
    }
    for (int frame = 0; frame < 10; ++frame)
      runs_frame(r);
    for (int i = 0; i < m->vertices; ++i)
      mus_add_scaled3(m->mass[i], s->velocity + 3 * (size_t)i, after);
    for (int c = 0; c < 3; ++c)
      assert_true(fabs(after[c] - before[c]) < 1e-12 * speed);
    runs_free(r);
  }
}

static const char on_a_ball[] =
    "{\"frame_rate\": 30, \"time_step\": 0.0167, \"integrator\": \"projective\", \"projective_iterations\": 6,"
    " \"wind\": [1, 0, 0], \"gust\": 0.5,"
    " \"cloths\": [{\"model\": \"mass-spring\", \"shape\": {\"vertices\": 900}, \"translate\": [0, 0.32, 0],"
    " \"pins\": [{\"where\": {\"vertices\": [0]}, \"offset\": [{\"time\": 0, \"value\": [0, 0, 0]},"
    " {\"time\": 1, \"value\": [0.3, 0.2, 0]}]}]}],"
    " \"bodies\": [{\"shape\": {\"kind\": \"sphere\", \"radius\": 0.3}}]}";

static void bits_do_not_depend_on_threads(void **state) {
  (void)state;
  static double first[3 * 900];
  const int threads[] = {1, 2, 7};
  for (int t = 0; t < 3; ++t) {
    run *r = runs_scene(on_a_ball);
    r->scene.solver.threads = threads[t];
    runs_begin(r);
    int held = 0;
    for (int frame = 0; frame < 7; ++frame)
      held += runs_frame(r)->body_contacts;
    assert_int_equal(mus_sim_vertices(r->sim), 900);
    assert_true(held > 20);
    if (t == 0)
      memcpy(first, mus_sim_positions(r->sim), sizeof first);
    assert_memory_equal(first, mus_sim_positions(r->sim), sizeof first);
    assert_int_equal(runs_crossings(r), 0);
    runs_free(r);
  }
}

// The pin goes exactly where its keys say, and what is left of the last system is zero there.
static void what_is_prescribed_is_done_exactly(void **state) {
  (void)state;
  run *r = runs_scene(on_a_ball);
  r->scene.solver.threads = 1;
  runs_begin(r);
  const double *x = mus_sim_positions(r->sim);
  double start[3] = {x[0], x[1], x[2]};
  for (int frame = 0; frame < 9; ++frame)
    runs_frame(r);
  x = mus_sim_positions(r->sim);
  double time = mus_sim_time(r->sim);
  assert_true(fabs(x[0] - start[0] - 0.3 * time) < 1e-12 && fabs(x[1] - start[1] - 0.2 * time) < 1e-12);
  const double *residual = mus_sim_residual(r->sim);
  double size = 0;
  for (int i = 0; i < 3 * mus_sim_vertices(r->sim); ++i)
    size = fmax(size, fabs(residual[i]));
  assert_true(residual[0] == 0 && residual[1] == 0 && residual[2] == 0 && size > 0 && size < 1);
  runs_free(r);
}

static void energies_without_a_matrix_are_refused(void **state) {
  (void)state;
  const char *const parts[] = {"cloths\": [{\"stitches\": [0, 9], \"model\": \"mass-spring",
                               "solids\": [{\"model\": \"neo-hookean", "solids\": [{\"model\": \"venant-kirchhoff"};
  for (int k = 0; k < 3; ++k) {
    char text[200];
    snprintf(text, sizeof text, "{\"integrator\": \"projective\", \"%s\", \"shape\": {\"vertices\": 64}}]}", parts[k]);
    run *r = runs_scene(text);
    assert_fails(mus_sim_create(&r->scene, &r->sim), MUS_UNSUPPORTED, "mass-spring");
    runs_free(r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_iteration_lowers_the_energy),
                                     cmocka_unit_test(it_ends_where_newton_does),
                                     cmocka_unit_test(secants_lead_there_sooner),
                                     cmocka_unit_test(the_constant_matrix_is_never_below_newtons),
                                     cmocka_unit_test(momentum_is_kept),
                                     cmocka_unit_test(bits_do_not_depend_on_threads),
                                     cmocka_unit_test(what_is_prescribed_is_done_exactly),
                                     cmocka_unit_test(energies_without_a_matrix_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
