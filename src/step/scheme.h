// The scheme of a step. Implicit Euler and second-order backward differences (Baraff and Witkin 1998; Choi and Ko 2002)
// are one,
//   x' = X + H v',   M (v' - V) = H f(x', v'),
// with X = x, V = v, H = h for Euler and X = (4 x - x_before) / 3, V = (4 v - v_before) / 3, H = 2 h / 3 for BDF2.
#ifndef MUS_STEP_SCHEME_H
#define MUS_STEP_SCHEME_H

#include "step/state.h"

typedef struct mus_scheme {
  double time;   // s, at the end of the step
  double h;      // s, its length
  double length; // s: H
  int order;     // 1: Euler; 2: BDF2
  int still;     // 1: time stands still meanwhile, and with it bodies, pins and whatever else is driven
} mus_scheme;

// A step of length h from this state. BDF2, where asked for, needs a step before that was as long.
mus_scheme mus_scheme_choose(int order, const mus_state *state, double h);
// One of Euler's from a state at rest, while time stands still.
mus_scheme mus_scheme_still(const mus_state *state, double h);

// X, into `predicted` (unknowns).
void mus_scheme_predict(const mus_scheme *s, const mus_state *state, size_t unknowns, double *predicted);
// An entry of V, which follows from `start`, the velocities at the start of the step.
static inline double mus_scheme_velocity(const mus_scheme *s, const mus_state *state, const double *start, size_t i) {
  return s->order == 2 ? start[i] + (start[i] - state->velocity_before[i]) / 3 : start[i];
}
// Of forces f at velocities v, in `right`, makes H f + M (V - v).
void mus_scheme_load(const mus_scheme *s, const mus_model *model, const double *start, const mus_state *state,
                     double *right);
// X + H v, into `position`.
void mus_scheme_move(const mus_scheme *s, size_t unknowns, const double *predicted, const double *velocity,
                     double *position);

#endif
