// Solids that nothing holds: momentum stays, angular momentum changes as implicit Euler has it and by no torque, and
// energy never grows, whatever the model and the integrator.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/access.h"
#include "support/runs.h"

static const char *const models[] = {"neo-hookean", "co-rotated", "venant-kirchhoff", "mass-spring"};
enum { MODELS = 4 };

// A bar that flies, spins, and is pulled, twisted and sheared by its velocities.
static void throw_it(run *r, double hard) {
  mus_state *state = mus_sim_state(r->sim);
  assert_int_equal(mus_sim_forget(r->sim), MUS_OK);
  for (int i = 0; i < mus_sim_vertices(r->sim); ++i) {
    const double *x = state->position + 3 * i;
    double *v = state->velocity + 3 * i;
    v[0] = 1 + hard * 4 * x[0] - 2 * x[1];
    v[1] = 0.5 + 2 * x[0] - hard * 8 * x[0] * x[2];
    v[2] = -0.3 + hard * 8 * x[0] * x[1] + hard * 3 * x[1];
  }
  mus_sim_show(r->sim);
}

static run *bar(const char *model, const char *integrator, double damping) {
  char text[1024];
  snprintf(text, sizeof text,
           "{\"time_step\": 0.005, \"frame_rate\": 50, \"contact\": false, \"air_density\": 0, \"gravity\": [0, 0, 0],"
           " \"integrator\": \"%s\", \"newton_tolerance\": 1e-10, \"solver\": {\"tolerance\": 1e-12},"
           " \"solids\": [{\"model\": \"%s\", \"young\": 2e4, \"poisson\": 0.4, \"density\": 1000, \"damping\": %g,"
           " \"shape\": {\"size\": [0.6, 0.2, 0.2], \"edge\": 0.1}}]}",
           integrator, model, damping);
  return runs_start(text);
}

// What a flight shows at its worst, over all steps.
typedef struct flight {
  double growth; // of energy in a step, in parts of the first
  double left;   // of it in the end
  double drift;  // of momentum, in parts of the mass times 1 m/s
  double turn;   // of angular momentum in a step beyond what implicit Euler's has, in parts of the first
  int inverted;  // tetrahedra inside out, the most at once
} flight;

// By how much angular momentum changes in a step of implicit Euler, x' = x + h v', if forces exert no torque in x':
// h sum m v' x v.
static void eulers_turn(const run *r, const double *before, double length, double turn[3]) {
  turn[0] = turn[1] = turn[2] = 0;
  for (int i = 0; i < mus_sim_vertices(r->sim); ++i) {
    const double *u = mus_sim_state(r->sim)->velocity + 3 * i, *v = before + 3 * i;
    for (int c = 0; c < 3; ++c)
      turn[c] +=
          length * mus_sim_model(r->sim)->mass[i] * (u[(c + 1) % 3] * v[(c + 2) % 3] - u[(c + 2) % 3] * v[(c + 1) % 3]);
  }
}

static flight fly(const char *model, const char *integrator, double damping, double hard, int steps) {
  run *r = bar(model, integrator, damping);
  throw_it(r, hard);
  size_t bytes = 3 * (size_t)mus_sim_vertices(r->sim) * sizeof(double);
  double *before = malloc(bytes), turn[3], first = 0, last = 0;
  mus_step_record then = {0};
  flight f = {0};
  for (int k = 0; k < steps; ++k) {
    int taken;
    memcpy(before, mus_sim_state(r->sim)->velocity, bytes);
    assert_int_equal(mus_sim_step(r->sim, &taken), MUS_OK);
    const mus_step_record *record = mus_sim_step_record(r->sim, taken - 1);
    double energy = runs_energy(record);
    first = k == 0 ? energy : first;
    f.growth = fmax(f.growth, k == 0 ? 0 : (energy - last) / first);
    f.left = energy / first;
    f.inverted = record->inverted > f.inverted ? record->inverted : f.inverted;
    eulers_turn(r, before, record->time_step, turn);
    for (int c = 0; c < 3 && k > 0; ++c) {
      double change = record->angular_momentum[c] - then.angular_momentum[c];
      f.drift = fmax(f.drift, fabs(record->momentum[c] - then.momentum[c]) / 24);
      f.turn = fmax(f.turn, taken > 1 ? 0 : fabs(change - turn[c]) / fabs(record->angular_momentum[2]));
    }
    last = energy;
    then = *record;
  }
  print_message("%s, %s, damping %g: %d inside out, energy grows by %.2g, %.3f left; momenta by %.2g, %.2g\n", model,
                integrator, damping, f.inverted, f.growth, f.left, f.drift, f.turn);
  free(before);
  runs_free(r);
  return f;
}

static void momenta_stay_and_energy_never_grows(void **state) {
  (void)state;
  for (int k = 0; k < MODELS; ++k) {
    flight newton = fly(models[k], "newton", 0, 1, 20), euler = fly(models[k], "euler", 0.01, 1, 20);
    assert_true(newton.growth <= 0 && newton.drift < 1e-12 && newton.turn < 1e-8);
    assert_true(euler.growth <= 0 && euler.drift < 1e-12);
    assert_true(newton.left > 0.8 && euler.left > 0.7);
  }
}

// Thrown so hard that tetrahedra turn inside out.
static void energy_never_grows_inside_out(void **state) {
  (void)state;
  for (int k = 0; k < MODELS; ++k) {
    flight newton = fly(models[k], "newton", 0.001, 8, 15);
    assert_true(newton.growth <= 0 && newton.drift < 1e-12 && newton.turn < 1e-8);
    assert_true(k < 2 || newton.inverted > 0); // those that give way
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(momenta_stay_and_energy_never_grows),
                                     cmocka_unit_test(energy_never_grows_inside_out)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
