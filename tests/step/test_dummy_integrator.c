// An integrator that is plugged in from outside: all of it is in this file, up to `explicit_euler`, and nothing else
// knows of it. docs/developing.md shows it as the way to add one.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "par/vector.h"
#include "sim/simulator.h"
#include "step/linearised.h"
#include "support/runs.h"

// Velocities change as prescribed, whatever forces say.
static void prescribe(const mus_prescribed *prescribed, double *change) {
  mus_prescribed_clear(prescribed, change);
  for (int k = 0; k < prescribed->count; ++k)
    for (int d = 0; d < prescribed->list[k].count; ++d)
      mus_add_scaled3(prescribed->list[k].value[d], prescribed->list[k].direction[d],
                      change + 3 * (size_t)prescribed->list[k].node);
}

static mus_status advance(const mus_step_context *c, void *own, const mus_scheme *s, mus_step_record *record) {
  mus_workspace *work = c->work;
  mus_state *state = c->state;
  mus_instant start = {s->time, state->position, state->velocity, s->length, 0, NULL};
  (void)own;
  (void)record;
  mus_assemble_step(c, s, &start, 0); // work->right is h f now
  for (size_t i = 0; i < work->unknowns; ++i)
    work->change[i] = work->right[i] / c->model->mass[i / 3];
  prescribe(&work->prescribed, work->change);
  mus_axpy(work->unknowns, 1, work->change, state->velocity);
  mus_scheme_move(s, work->unknowns, work->predicted, state->velocity, state->position);
  mus_fill(work->unknowns, 0, work->right); // nothing is left unsolved
  mus_fill(work->unknowns, 0, work->change);
  return MUS_OK;
}

static const mus_integrator_kind explicit_euler = {.order = 1, .advance = advance};

static run *start(const char *text) {
  run *r = runs_start(text);
  mus_integrator_free(&r->sim->integrator);
  r->sim->integrator = (mus_integrator_state){.kind = &explicit_euler};
  return r;
}

static void free_fall_is_exact(void **state) {
  (void)state;
  run *r = start("{\"air_density\": 0, \"cloths\": [{\"shape\": {\"vertices\": 25}}]}");
  const mus_step_record *record = runs_frame(r);
  double t = mus_sim_time(r->sim), h = record->time_step;
  assert_true(fabs(runs_lowest(r) + 9.81 * t * (t + h) / 2) < 1e-12);
  assert_int_equal(record->iterations, 0);
  runs_free(r);
}

// In small steps it moves a hanging sheet as implicit Euler does, up to what a step leaves out, and pins hold.
static void small_steps_agree_with_implicit_ones(void **state) {
  (void)state;
  static const char text[] =
      "{\"time_step\": 0.00005, \"frame_rate\": 1000, \"contact\": false, \"cloths\": [{\"shape\": "
      "{\"vertices\": 25}, \"pins\": [{\"where\": {\"vertices\": [0]}}]}]}";
  run *plugged = start(text), *implicit = runs_start(text);
  double start_at[3], apart = 0;
  mus_copy(3, mus_sim_positions(plugged->sim), start_at);
  for (int frame = 0; frame < 40; ++frame) {
    runs_frame(plugged);
    runs_frame(implicit);
  }
  const double *x = mus_sim_positions(plugged->sim), *y = mus_sim_positions(implicit->sim);
  for (int i = 0; i < 3 * mus_sim_vertices(plugged->sim); ++i)
    apart = fmax(apart, fabs(x[i] - y[i]));
  assert_memory_equal(x, start_at, sizeof start_at);
  assert_true(runs_lowest(plugged) < -0.005);
  assert_true(apart > 0 && apart < 5e-5);
  runs_free(plugged), runs_free(implicit);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(free_fall_is_exact),
                                     cmocka_unit_test(small_steps_agree_with_implicit_ones)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
