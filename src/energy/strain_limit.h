// What pulls a triangle's threads back once they are longer than they may be:
//
//   E = k a/2 [q(|w_u| - R_u)^2 + q(|w_v| - R_v)^2],   q(s) = (s + sqrt(s^2 + e^2)) / 2,
//
// with w_u, w_v and the area a as in baraff_witkin.h. q is max(0, s) but for a corner that e makes round: the larger e,
// the earlier a thread is felt on its way to R. E is convex in positions, because |w| is the norm of something linear
// in them and q^2 grows and is convex. The Hessian of a direction, with d = w/|w|,
//   k a [(q'^2 + q q'') d d^T + q q'/|w| (I - d d^T)],   q' = q/r,   q'' = e^2/(2 r^3),   r = sqrt(s^2 + e^2),
// is therefore never negative, and nothing of it is dropped.
#ifndef MUS_ENERGY_STRAIN_LIMIT_H
#define MUS_ENERGY_STRAIN_LIMIT_H

#include "energy/baraff_witkin.h"

// What threads may get to, and how they are held there.
typedef struct mus_strain_limit {
  mus_real reach[2];  // R: 1 at rest
  mus_real softness;  // e
  mus_real stiffness; // k, N/m
} mus_strain_limit;

// One direction: returns its energy, with its share in the stress and in the Hessian on its own w.
MUS_ELEMENT mus_real mus_strain_limit_thread(const mus_strain_limit *limit, int direction, mus_real area,
                                             mus_real length, const mus_real *unit, mus_real *stress,
                                             mus_real *square) {
  mus_real s = length - limit->reach[direction], r = sqrt(s * s + limit->softness * limit->softness);
  mus_real k = limit->stiffness * area, q = (s + r) / 2;
  mus_zero(3, stress);
  mus_zero(6, square);
  if (!(q > 0) || !(length > MUS_NO_LENGTH)) // also where nothing is limited: R is infinite, and q not a number
    return 0;
  mus_real rate = q / r, bend = limit->softness * limit->softness / (2 * r * r * r);
  mus_scale3(k * q * rate, unit, stress);
  mus_along_across(k * (rate * rate + q * bend), k * q * rate / length, unit, square);
  return k * q * q / 2;
}

// Returns E; `length` becomes |w_u| and |w_v|; gradient (9 numbers) and block (54) may be NULL.
MUS_ELEMENT mus_real mus_strain_limit_element(const mus_membrane_rest *rest, const mus_strain_limit *limit,
                                              const mus_real *x, mus_real *length, mus_real *gradient,
                                              mus_real *block) {
  mus_membrane_state state;
  mus_membrane_form form;
  mus_real on_u[3], on_v[3];
  mus_membrane_state_make(rest, x, &state);
  mus_zero(9, form.uv);
  mus_real energy = mus_strain_limit_thread(limit, 0, rest->area, state.length_u, state.unit_u, on_u, form.uu);
  energy += mus_strain_limit_thread(limit, 1, rest->area, state.length_v, state.unit_v, on_v, form.vv);
  length[0] = state.length_u;
  length[1] = state.length_v;
  if (gradient)
    mus_membrane_spread(rest, on_u, on_v, gradient);
  if (block)
    mus_membrane_blocks(rest, &form, block);
  return energy;
}

#endif
