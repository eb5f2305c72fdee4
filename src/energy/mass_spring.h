// A plain linear spring between two nodes: mass-spring cloth, with one along every edge against stretch and one between
// the opposite corners of every hinge against bending (Xian, Tong and Liu 2019, table 4, after Liu et al. 2013).
//
//   E = k/2 (|x| - L)^2,   x = x_1 - x_0,   damping f = -d (x/|x|)(x/|x|) . v,  v = v_1 - v_0.
//
// With r = x/|x|, H = k [r r^T + (1 - L/|x|)(I - r r^T)]. K without `exact` drops the second term where the spring is
// compressed, which is where it is negative: both eigenvalues are then >= 0. D = d r r^T; the derivative of the damping
// force by position is left out.
#ifndef MUS_ENERGY_MASS_SPRING_H
#define MUS_ENERGY_MASS_SPRING_H

#include "energy/element.h"

// Constant data of a spring, 24 bytes.
typedef struct mus_spring_rest {
  mus_real length;    // L, m
  mus_real stiffness; // k, N/m
  mus_real damping;   // d, N s/m
} mus_spring_rest;

typedef struct mus_spring_state {
  mus_real unit[3]; // 0 where the ends coincide: no direction, no force
  mus_real length;
} mus_spring_state;

MUS_ELEMENT void mus_spring_state_make(const mus_real *x, mus_spring_state *state) {
  mus_real difference[3];
  mus_subtract3(x + 3, x, difference);
  state->length = mus_unit3(difference, state->unit);
}

// What all springs have in common whose tension depends on their length only: gradient (6 numbers) and block (27) from
// the tension and its derivative by length, `along`. Across the spring, tension over length acts in its stead; without
// `exact`, that counts as zero where it is negative. `along` is never negative with the springs of this room.
MUS_ELEMENT void mus_spring_assemble(const mus_spring_state *state, mus_real tension, mus_real along, mus_real damping,
                                     const mus_blend *blend, const mus_real *v, mus_real *gradient, mus_real *block) {
  mus_real across = state->length > MUS_NO_LENGTH ? tension / state->length : 0;
  across = blend->exact || across > 0 ? across : 0;
  if (gradient) {
    mus_real relative[3] = {0, 0, 0};
    if (v)
      mus_subtract3(v + 3, v, relative);
    mus_real rate = mus_dot3(state->unit, relative);
    mus_real pull = tension + (damping + blend->drift * (along - across)) * rate;
    for (int k = 0; k < 3; ++k) {
      gradient[3 + k] = pull * state->unit[k] + blend->drift * across * relative[k];
      gradient[k] = -gradient[3 + k];
    }
  }
  if (block) {
    mus_real square[6];
    mus_along_across(blend->stiffness * along + blend->damping * damping, blend->stiffness * across, state->unit,
                     square);
    mus_pair_blocks(square, block);
  }
}

// Damping as a potential of the step (element.h) of a spring whose condition has changed by `moved` since the step
// began: returns P. Its tension is per_second * damping * moved.
MUS_ELEMENT mus_real mus_spring_damp(const mus_blend *blend, mus_real damping, mus_real moved, mus_real *tension) {
  *tension = blend->per_second * damping * moved;
  return *tension / 2 * moved;
}

MUS_ELEMENT mus_real mus_spring_length(const mus_real *x) {
  mus_spring_state state;
  mus_spring_state_make(x, &state);
  return state.length;
}

// All of a spring: returns E; gradient and block as blend says, each NULL where not wanted. Without velocities (v NULL)
// there is no damping and no drift in the gradient.
MUS_ELEMENT mus_real mus_spring_element(const mus_spring_rest *rest, const mus_blend *blend, const mus_real *x,
                                        const mus_real *v, mus_real *gradient, mus_real *block) {
  mus_spring_state state;
  mus_spring_state_make(x, &state);
  mus_real extension = state.length - rest->length, tension = rest->stiffness * extension;
  mus_real energy = rest->stiffness / 2 * extension * extension, damper;
  if (blend->per_second > 0) {
    energy += mus_spring_damp(blend, rest->damping, state.length - mus_spring_length(v), &damper);
    tension += damper;
    v = NULL;
  }
  mus_spring_assemble(&state, tension, rest->stiffness, rest->damping, blend, v, gradient, block);
  return energy;
}

#endif
