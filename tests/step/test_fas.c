// The full approximation scheme: what a coarser cloth minimises has the derivative that it says, and begins with what
// is left on the finer one; for small corrections it is the two-grid correction of linear multigrid; the minimum is a
// fixed point, and is found; bits do not depend on threads; whatever has no coarser mesh is rejected.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "par/vector.h"
#include "sim/simulator.h"
#include "step/minimise/coarse.h"
#include "support/check.h"
#include "support/files.h"
#include "support/runs.h"
#include "support/sweep.h"

// --- a minimisation from the inside ----------------------------------------------------------------------------------

typedef struct trial {
  mus_step_context c;
  mus_scheme s;
  mus_step_record record;
  mus_arena arena;
  mus_linear linear;
  mus_minimise_workspace work;
  mus_minimiser minimiser;
  mus_minimisation m;
  mus_integrator_state integrator;
} trial;

static trial *trial_begin(run *r, const char *method, double h) {
  trial *t = calloc(1, sizeof *t);
  mus_solver_options solver = r->scene.solver;
  assert_non_null(t);
  t->c = mus_sim_context(r->sim);
  t->s = mus_scheme_choose(1, t->c.state, h);
  assert_ok(mus_minimiser_read(method, &t->minimiser));
  assert_ok(mus_minimiser_configure(t->c.model, &t->minimiser, &solver));
  assert_ok(mus_minimiser_create(t->c.model, &t->minimiser));
  assert_ok(mus_linear_renew(&t->linear, t->c.model, &solver));
  assert_ok(mus_minimise_workspace_create(&t->arena, t->c.work->unknowns, &t->work));
  t->integrator.kind = &mus_integrator_minimise;
  t->c.linear = &t->linear;
  t->c.integrator = &t->integrator;
  assert_ok(mus_step_begin(&t->c, &t->s, &t->record));
  assert_ok(mus_minimise_begin(&t->c, &t->s, &t->work, &t->record, &t->m));
  t->m.spread = 1;
  mus_minimise_assemble(&t->m, 1);
  return t;
}

static void trial_end(trial *t) {
  mus_minimiser_free(&t->minimiser);
  mus_linear_free(&t->linear);
  mus_arena_clear(&t->arena);
  free(t);
}

// By other velocities along the sheet and across.
static void trial_throw(trial *t, double along, double across) {
  size_t n = t->c.work->unknowns;
  for (size_t i = 0; i < n; ++i)
    t->c.work->change[i] = (i % 3 == 1 ? across : along) * (sin(0.01 * (double)i) + mus_random(1, i));
  mus_prescribed_clear(&t->c.work->prescribed, t->c.work->change);
  mus_axpy(n, 1, t->c.work->change, t->c.state->velocity);
  mus_scheme_move(&t->s, n, t->c.work->predicted, t->c.state->velocity, t->c.state->position);
  t->m.energy = mus_objective(&t->c, &t->s);
  t->m.assembled = 0;
  mus_minimise_assemble(&t->m, 1);
}

static double left(trial *t) {
  mus_minimise_assemble(&t->m, 0);
  return sqrt(mus_dot(t->c.work->unknowns, t->m.free, t->m.free));
}

// A level below a trial's.
typedef struct below {
  mus_arena arena;
  mus_coarser mesh[MUS_LEVELS_MAXIMUM];
  mus_coarse_step *level;
} below;

static below *below_make(const mus_model *model) {
  below *b = calloc(1, sizeof *b);
  mus_solver_options solver = mus_preset_solver_options(MUS_PRESET_ROBUST);
  int count;
  assert_non_null(b);
  solver.tolerance = 1e-12;
  assert_ok(mus_model_coarse_meshes(model, &b->arena, &count, b->mesh));
  assert_true(count >= 1);
  assert_ok(mus_coarse_step_create(model, &b->mesh[0], &solver, &b->level));
  return b;
}

static void below_free(below *b) {
  mus_coarse_step_free(b->level);
  mus_arena_clear(&b->arena);
  free(b);
}

// --- the coarse problem ----------------------------------------------------------------------------------------------

// A sheet on a ball in the wind, with a soft pin, and a hard one that no coarser mesh has a vertex for.
#define BUSY                                                                                                           \
  "{\"time_step\": 0.0333, \"integrator\": \"minimise\", \"wind\": [2, 0, 1], \"solver\": {\"threads\": 1}, "          \
  "\"cloths\": [{\"shape\": {\"vertices\": 900}, \"translate\": [0, 0.34, 0], \"velocity\": [0, -0.2, 0],"             \
  "\"pins\": [{\"where\": {\"box\": [-0.6, -1, -0.6, -0.4, 1, -0.4]}, \"stiffness\": 50, \"damping\": 0.5},"           \
  "{\"where\": {\"vertices\": [100, 101, 130]}}]}],"                                                                   \
  "\"bodies\": [{\"shape\": {\"kind\": \"sphere\", \"radius\": 0.333}}]}"

static double energy_along(mus_coarse_step *coarse, const double *from, const double *way, double part) {
  size_t n = coarse->work.unknowns;
  for (size_t i = 0; i < n; ++i)
    coarse->state.velocity[i] = from[i] + part * way[i];
  mus_scheme_move(coarse->m.s, n, coarse->work.predicted, coarse->state.velocity, coarse->state.position);
  return mus_objective(&coarse->context, coarse->m.s) +
         mus_minimise_terms_energy(coarse->m.terms, &coarse->model, coarse->state.velocity);
}

static void check_derivative(mus_coarse_step *coarse, uint64_t seed, double thrown) {
  size_t n = coarse->work.unknowns;
  double *from = calloc(n, sizeof *from), *way = calloc(n, sizeof *way);
  assert_true(from && way);
  for (size_t i = 0; i < n; ++i) {
    from[i] = coarse->terms.centre[i] + thrown * mus_random(seed, i);
    way[i] = mus_random(seed + 1, i);
  }
  const double e = 1e-5;
  double slope = (energy_along(coarse, from, way, -2 * e) - 8 * energy_along(coarse, from, way, -e) +
                  8 * energy_along(coarse, from, way, e) - energy_along(coarse, from, way, 2 * e)) /
                 (12 * e);
  energy_along(coarse, from, way, 0);
  coarse->m.assembled = 0;
  mus_minimise_assemble(&coarse->m, 0);
  double along = 0, size = 0;
  for (size_t i = 0; i < n; ++i) {
    along += coarse->work.right[i] * way[i];
    size += fabs(coarse->work.right[i] * way[i]);
  }
  assert_true(fabs(slope + along) < 1e-6 * size);
  free(from), free(way);
}

static void coarse_energies_have_the_derivative_that_is_assembled(void **state) {
  (void)state;
  run *r = runs_start(BUSY);
  for (int frame = 0; frame < 3; ++frame)
    runs_frame(r);
  trial *t = trial_begin(r, "newton-diag", 0.0333);
  below *b = below_make(t->c.model);
  assert_ok(mus_coarse_step_begin(b->level, &t->m));
  double stiffness = 0;
  for (int i = 0; i < 9 * b->level->model.vertices; ++i)
    stiffness += fabs(b->level->terms.block[i]);
  assert_true(stiffness > 0 && t->record.body_contacts > 20);
  check_derivative(b->level, 1, 0);
  check_derivative(b->level, 3, 0.3);
  below_free(b);
  trial_end(t);
  runs_free(r);
}

// P^T r, in the directions that are free on the coarser level.
static void coarse_problems_begin_with_what_is_left(void **state) {
  (void)state;
  run *r = runs_start(BUSY);
  runs_frame(r);
  trial *t = trial_begin(r, "newton-diag", 0.0333);
  below *b = below_make(t->c.model);
  const mus_coarse_step *k = b->level;
  assert_ok(mus_coarse_step_begin(b->level, &t->m));
  mus_minimise_assemble(&b->level->m, 0);
  double *restricted = calloc(k->work.unknowns, sizeof *restricted), worst = 0, size = 0, mass = 0;
  assert_non_null(restricted);
  for (int i = 0; i < 9 * t->c.model->vertices; ++i)
    restricted[3 * k->coarser->carrier[i / 3] + i % 3] += k->coarser->weight[i / 3] * t->m.free[3 * (i / 9) + i % 3];
  mus_prescribed_clear(&k->work.prescribed, restricted);
  for (size_t i = 0; i < k->work.unknowns; ++i) {
    worst = fmax(worst, fabs(restricted[i] - k->m.free[i]));
    size = fmax(size, fabs(restricted[i]));
    mass += k->model.mass[i / 3] / 3;
  }
  assert_true(size > 0 && worst < 1e-10 * size);
  assert_true(fabs(mass - t->c.model->total_mass) < 1e-12 * mass);
  free(restricted);
  below_free(b);
  trial_end(t);
  runs_free(r);
}

// A flat sheet at rest, pushed a little along itself: energies are as good as quadratic there.
static void small_corrections_are_those_of_linear_two_grid(void **state) {
  (void)state;
  double apart[2];
  for (int k = 0; k < 2; ++k) {
    run *r =
        runs_start("{\"contact\": false, \"gravity\": [0, 0, 0], \"air_density\": 0, \"solver\": {\"threads\": 1},"
                   "\"cloths\": [{\"shape\": {\"vertices\": 900}, \"pins\": [{\"where\": {\"vertices\": [0, 29]}}]}]}");
    trial *t = trial_begin(r, "newton-diag", 0.01);
    trial_throw(t, k ? 1e-5 : 1e-3, 0);
    below *b = below_make(t->c.model);
    mus_minimisation *coarse = &b->level->m;
    assert_ok(mus_coarse_step_begin(b->level, &t->m));
    mus_minimise_assemble(coarse, 1);
    assert_ok(mus_minimise_solve(coarse, coarse->free)); // A_c^-1 P^T r
    size_t few = b->level->work.unknowns;
    double *linear = calloc(few, sizeof *linear), length = 1, off = 0, size = 0;
    memcpy(linear, b->level->work.change, few * sizeof *linear);
    for (int step = 0; step < 12; ++step) {
      mus_minimise_assemble(coarse, 1);
      assert_ok(mus_minimise_solve(coarse, coarse->free));
      if (mus_minimise_go(coarse, 0, &length, NULL))
        break;
    }
    for (size_t i = 0; i < few; ++i) {
      double moved = b->level->state.velocity[i] - b->level->terms.centre[i];
      off += (moved - linear[i]) * (moved - linear[i]);
      size += linear[i] * linear[i];
    }
    apart[k] = sqrt(off / size);
    free(linear);
    below_free(b);
    trial_end(t);
    runs_free(r);
  }
  print_message("nonlinear and linear corrections are apart by %g and %g\n", apart[0], apart[1]);
  assert_true(apart[1] < 1e-3 && apart[1] < 0.05 * apart[0]);
}

// --- minima ----------------------------------------------------------------------------------------------------------

#define HANGING                                                                                                        \
  "{\"contact\": false, \"time_step\": 0.01, \"solver\": {\"threads\": 1}, \"cloths\": [{\"shape\": {\"vertices\": "   \
  "900}, \"pins\": [{\"where\": {\"vertices\": [0, 29]}}]}]}"

static void the_minimum_is_found_and_stays(void **state) {
  (void)state;
  run *r = runs_start(HANGING);
  for (int frame = 0; frame < 2; ++frame)
    runs_frame(r);
  double lowest[2];
  static const char *const names[] = {"newton-cholmod", "fas"};
  for (int k = 0; k < 2; ++k) {
    trial *t = trial_begin(r, names[k], 0.005);
    trial_throw(t, 0.1, 0.1);
    double start = left(t), before = t->m.energy;
    for (int i = 0; i < 200 && left(t) > 1e-8 * start; ++i) {
      mus_status status = mus_minimise_iterate(&t->m, &t->minimiser);
      assert_true(t->m.energy <= before);
      before = t->m.energy;
      if (status == MUS_NOT_CONVERGED)
        break;
      assert_ok(status);
    }
    print_message("%s: %d iterations to %g\n", names[k], t->m.iteration, left(t) / start);
    assert_true(left(t) <= 1e-8 * start);
    lowest[k] = t->m.energy;
    if (k == 1) { // coarser levels have nothing to do there
      below *b = below_make(t->c.model);
      double length = 1, size = 0;
      mus_minimise_assemble(&t->m, 1);
      assert_ok(mus_coarse_step_begin(b->level, &t->m));
      mus_minimise_assemble(&b->level->m, 1);
      assert_ok(mus_minimise_solve(&b->level->m, b->level->m.free));
      mus_minimise_go(&b->level->m, 1, &length, NULL);
      mus_coarse_step_correct(b->level, &t->m);
      for (size_t i = 0; i < t->c.work->unknowns; ++i)
        size = fmax(size, fabs(t->c.work->change[i]));
      assert_true(size < 1e-6); // m/s
      below_free(b);
    }
    mus_state *s = t->c.state;
    mus_copy(t->c.work->unknowns, t->c.work->start_position, s->position);
    mus_copy(t->c.work->unknowns, t->c.work->start_velocity, s->velocity);
    trial_end(t);
  }
  assert_true(fabs(lowest[0] - lowest[1]) < 1e-10 * fabs(lowest[0]));
  runs_free(r);
}

static void energies_do_not_rise_nor_depend_on_threads(void **state) {
  (void)state;
  enum { ITERATIONS = 5 };
  mus_minimise_entry entry[3][ITERATIONS + 1];
  for (int k = 0; k < 3; ++k) {
    run *r = runs_scene(BUSY);
    mus_scene_resize(&r->scene, 2000, MUS_TESSELLATION_IRREGULAR);
    r->scene.solver.threads = (int[]){1, 2, 7}[k];
    runs_begin(r);
    runs_frame(r);
    mus_minimise_options options = {.method = "fas", .time_step = 0.0333, .iterations = ITERATIONS, .cold = 1};
    int count;
    assert_ok(mus_sim_minimise(r->sim, &options, entry[k], &count));
    assert_int_equal(count, ITERATIONS + 1);
    for (int i = 0; i < count; ++i) {
      assert_true(entry[k][i].energy == entry[0][i].energy && entry[k][i].products == entry[0][i].products);
      assert_true(i == 0 || entry[k][i].energy < entry[k][i - 1].energy);
    }
    runs_free(r);
  }
}

// --- scenes ----------------------------------------------------------------------------------------------------------

static void scenes_run_with_it(void **state) {
  (void)state;
  run *r = runs_scene(BUSY);
  strcpy(r->scene.minimiser, "fas");
  runs_begin(r);
  for (int frame = 0; frame < 4; ++frame) {
    runs_frame(r);
    if (frame == 1)
      assert_ok(mus_sim_set_fabric(r->sim, 0, "denim")); // coarser levels are of denim, too
  }
  assert_int_equal(runs_crossings(r), 0);
  runs_free(r);
}

// A tube without a pattern, which is coarsened on its surface.
static void surfaces_have_coarser_ones(void **state) {
  enum { AROUND = 36, UP = 20 };
  const char *path = files_path(*state, "tube.obj");
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  for (int i = 0; i < AROUND * UP; ++i)
    fprintf(file, "v %.9g %.9g %.9g\n", 0.2 * cos(2 * MUS_PI * (i % AROUND) / AROUND), 0.03 * (i / AROUND),
            0.2 * sin(2 * MUS_PI * (i % AROUND) / AROUND));
  for (int i = 0; i < AROUND * (UP - 1); ++i) {
    int a = i + 1, b = i / AROUND * AROUND + (i + 1) % AROUND + 1;
    fprintf(file, "f %d %d %d\nf %d %d %d\n", a, a + AROUND, b, b, a + AROUND, b + AROUND);
  }
  assert_int_equal(fclose(file), 0);
  char text[500];
  snprintf(text, sizeof text,
           "{\"contact\": false, \"time_step\": 0.0333, \"solver\": {\"threads\": 1}, \"cloths\": [{\"shape\": "
           "{\"kind\": \"file\", \"file\": \"%s\"}, \"pins\": [{\"where\": {\"vertices\": [684, 702]}}]}]}",
           path);
  run *r = runs_start(text);
  mus_minimise_entry entry[2][31];
  int count[2];
  for (int k = 0; k < 2; ++k) {
    mus_minimise_options options = {
        .method = k ? "fas" : "newton-sa", .time_step = 0.0333, .iterations = 30, .cold = 1};
    assert_ok(mus_sim_minimise(r->sim, &options, entry[k], &count[k]));
  }
  double lowest = entry[0][count[0] - 1].energy, drop = entry[0][0].energy - lowest;
  assert_true(entry[1][count[1] - 1].energy - lowest < 0.05 * drop);
  runs_free(r);
  remove(path);
}

static void what_has_no_coarser_mesh_is_rejected(void **state) {
  (void)state;
  static const char *const scenes[] = {"{\"solids\": [{\"shape\": {\"vertices\": 100}}]}",
                                       "{\"cloths\": [{\"name\": \"a\"}, {\"name\": \"b\", \"translate\": [0, 0.1, "
                                       "0]}], \"buttons\": [{\"from\": \"a\", "
                                       "\"vertex\": 0, \"to\": \"b\", \"at\": [0]}]}"};
  for (int k = 0; k < 2; ++k) {
    run *r = runs_scene(scenes[k]);
    mus_sim *sim = NULL;
    r->scene.integrator = MUS_INTEGRATOR_MINIMISE;
    strcpy(r->scene.minimiser, "fas");
    assert_fails(mus_sim_create(&r->scene, &sim), MUS_UNSUPPORTED, k ? "stitches and buttons" : "solids");
    runs_free(r);
  }
}

// --- memory ----------------------------------------------------------------------------------------------------------

static mus_status make(mus_arena *arena, void *data) {
  const mus_model *model = data;
  mus_minimiser m;
  (void)arena;
  mus_status status = mus_minimiser_read("fas", &m);
  if (!status)
    status = mus_minimiser_create(model, &m);
  if (!status)
    assert_true(mus_minimiser_bytes(&m) > 1000);
  if (!status)
    mus_minimiser_free(&m);
  return status;
}

static void allocations_may_fail(void **state) {
  (void)state;
  run *r = runs_start("{\"contact\": false, \"cloths\": [{\"shape\": {\"vertices\": 256}}]}");
  mus_arena arena = {0};
  mus_step_context c = mus_sim_context(r->sim);
  assert_true(sweep_allocations(&arena, make, (void *)(uintptr_t)c.model) > 20);
  mus_arena_clear(&arena);
  runs_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(coarse_energies_have_the_derivative_that_is_assembled),
      cmocka_unit_test(coarse_problems_begin_with_what_is_left),
      cmocka_unit_test(small_corrections_are_those_of_linear_two_grid),
      cmocka_unit_test(the_minimum_is_found_and_stays),
      cmocka_unit_test(energies_do_not_rise_nor_depend_on_threads),
      cmocka_unit_test(scenes_run_with_it),
      cmocka_unit_test_setup_teardown(surfaces_have_coarser_ones, files_setup, files_teardown),
      cmocka_unit_test(what_has_no_coarser_mesh_is_rejected),
      cmocka_unit_test(allocations_may_fail),
  };
  return cmocka_run_group_tests_name("step/fas", tests, NULL, NULL);
}
