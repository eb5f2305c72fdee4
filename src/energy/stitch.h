// A stitch that pulls a vertex to a point of an edge, with a thread that is drawn in over time: seams.
//
//   E = k/2 (|y| - L)^2 up to |y| = L + l,   y = x_0 - (1 - r) x_1 - r x_2,   damping f = -d (y/|y|)(y/|y|) . dy/dt,
//
// L falls from what it was at the start to nothing. Beyond a length l the thread runs through: it pulls with k l, and E
// grows by that along the way, so that cloth which cannot come is not torn. Once L = 0 the energy is k/2 |y|^2, which
// needs no direction: a closed stitch whose ends coincide holds them as stiffly as any other. As with springs
// (mass_spring.h), K leaves out (1 - L/|y|)(I - y y^T / |y|^2) where that is negative, which is while the thread is
// slack. A stitch to a vertex has two nodes, and r = 0.
#ifndef MUS_ENERGY_STITCH_H
#define MUS_ENERGY_STITCH_H

#include "energy/tie.h"

// Constant data of a stitch, 48 bytes.
typedef struct mus_stitch_rest {
  mus_real ratio;     // r
  mus_real length;    // L at the start, m
  mus_real close;     // s, until L is 0
  mus_real stiffness; // k, N/m
  mus_real damping;   // d, N s/m
  mus_real limit;     // l, m
} mus_stitch_rest;

// L at a time, m.
MUS_ELEMENT mus_real mus_stitch_length(const mus_stitch_rest *rest, mus_real time) {
  return time < rest->close ? rest->length * (1 - time / rest->close) : 0;
}

// Returns E for a thread of that length; gradient (arity * 3 numbers) and block as blend says, each NULL where not
// wanted. arity: 2 or 3.
MUS_ELEMENT mus_real mus_stitch_element(const mus_stitch_rest *rest, mus_real length, int arity, const mus_blend *blend,
                                        const mus_real *x, const mus_real *v, mus_real *gradient, mus_real *block) {
  mus_real weight[3] = {1, arity == 3 ? rest->ratio - 1 : -1, -rest->ratio};
  mus_real y[3] = {0, 0, 0}, rate[3] = {0, 0, 0}, unit[3], square[6];
  for (int k = 0; k < arity; ++k) {
    mus_add_scaled3(weight[k], x + 3 * k, y);
    if (v)
      mus_add_scaled3(weight[k], v + 3 * k, rate);
  }
  mus_real distance = mus_unit3(y, unit), k = rest->stiffness, beyond = distance - length - rest->limit;
  mus_real pull = beyond > 0 ? k * rest->limit : k * (distance - length), along = beyond > 0 ? 0 : k;
  mus_real energy =
      beyond > 0 ? pull * (distance - length - rest->limit / 2) : k / 2 * (distance - length) * (distance - length);
  // Across the thread the whole stiffness acts once it is drawn in, whatever the direction.
  mus_real across = k;
  if (length > 0 || beyond > 0)
    across = distance > length || (blend->exact && distance > MUS_NO_LENGTH) ? pull / distance : 0;
  if (blend->per_second > 0)
    energy += mus_tie_in_step(blend, rest->damping, distance, rate, length > 0 || beyond > 0, &pull, &across);
  mus_real along_rate = mus_dot3(unit, rate);
  if (gradient) {
    mus_real force[3];
    mus_scale3(pull + (rest->damping + blend->drift * (along - across)) * along_rate, unit, force);
    mus_add_scaled3(blend->drift * across, rate, force);
    for (int a = 0; a < arity; ++a)
      mus_scale3(weight[a], force, gradient + 3 * a);
  }
  if (block) {
    mus_along_across(blend->stiffness * (along - across) + blend->damping * rest->damping, 0, unit, square);
    square[0] += blend->stiffness * across;
    square[3] += blend->stiffness * across;
    square[5] += blend->stiffness * across;
    mus_real full[9];
    mus_expand_square(square, full);
    for (int a = 0; a < arity; ++a)
      for (int b = a; b < arity; ++b)
        for (int e = 0; e < 9; ++e)
          block[9 * mus_upper_block(arity, a, b) + e] = weight[a] * weight[b] * full[e];
  }
  return energy;
}

#endif
