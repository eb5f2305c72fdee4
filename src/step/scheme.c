// See scheme.h.
#include "step/scheme.h"

#include <math.h>

#include "par/par.h"

mus_scheme mus_scheme_choose(int order, const mus_state *state, double h) {
  int second = order == 2 && fabs(state->step_before - h) < 1e-12 * h;
  return (mus_scheme){.time = state->time + h, .h = h, .length = second ? 2 * h / 3 : h, .order = second ? 2 : 1};
}

mus_scheme mus_scheme_still(const mus_state *state, double h) {
  return (mus_scheme){.time = state->time, .h = h, .length = h, .order = 1, .still = 1};
}

void mus_scheme_predict(const mus_scheme *s, const mus_state *state, size_t unknowns, double *predicted) {
  const double *x = state->position, *before = state->position_before;
  MUS_PARALLEL_FOR_IF(unknowns > MUS_PAR_MINIMUM)
  for (size_t i = 0; i < unknowns; ++i)
    predicted[i] = s->order == 2 ? (4 * x[i] - before[i]) / 3 : x[i];
}

void mus_scheme_load(const mus_scheme *s, const mus_model *model, const double *start, const mus_state *state,
                     double *right) {
  const double *mass = model->mass;
  size_t n = 3 * (size_t)model->vertices;
  MUS_PARALLEL_FOR_IF(n > MUS_PAR_MINIMUM)
  for (size_t i = 0; i < n; ++i)
    right[i] = s->length * right[i] + mass[i / 3] * (mus_scheme_velocity(s, state, start, i) - state->velocity[i]);
}

void mus_scheme_move(const mus_scheme *s, size_t unknowns, const double *predicted, const double *velocity,
                     double *position) {
  MUS_PARALLEL_FOR_IF(unknowns > MUS_PAR_MINIMUM)
  for (size_t i = 0; i < unknowns; ++i)
    position[i] = predicted[i] + s->length * velocity[i];
}
