// A button: a spring from a vertex to another, or to a point of a triangle.
//
//   E = k/2 (|y| - L)^2,   y = x_0 - sum_k w_k x_k,   damping f = -d (y/|y|)(y/|y|) . dy/dt
//
// and with L = 0, E = k/2 |y|^2, which needs no direction. As with springs (mass_spring.h), K leaves out
// (1 - L/|y|)(I - y y^T / |y|^2) where that is negative, which is where the points are nearer than L.
#ifndef MUS_ENERGY_BUTTON_H
#define MUS_ENERGY_BUTTON_H

#include "energy/tie.h"

// Constant data of a button, 48 bytes.
typedef struct mus_button_rest {
  mus_real weight[3]; // w, of nodes 1 ...
  mus_real length;    // L, m
  mus_real stiffness; // k, N/m
  mus_real damping;   // d, N s/m
} mus_button_rest;

// Returns E; gradient (arity * 3 numbers) and block as blend says, each NULL where not wanted. arity: 2 to 4.
MUS_ELEMENT mus_real mus_button_element(const mus_button_rest *rest, int arity, const mus_blend *blend,
                                        const mus_real *x, const mus_real *v, mus_real *gradient, mus_real *block) {
  mus_real weight[4] = {1, -rest->weight[0], -rest->weight[1], -rest->weight[2]};
  mus_real y[3] = {0, 0, 0}, rate[3] = {0, 0, 0}, unit[3], square[6], full[9], force[3];
  for (int a = 0; a < arity; ++a) {
    mus_add_scaled3(weight[a], x + 3 * a, y);
    if (v)
      mus_add_scaled3(weight[a], v + 3 * a, rate);
  }
  mus_real distance = mus_unit3(y, unit), k = rest->stiffness, length = rest->length, across = k;
  if (length > 0)
    across = distance > length || (blend->exact && distance > MUS_NO_LENGTH) ? k * (1 - length / distance) : 0;
  mus_real pull = k * (distance - length), energy = k / 2 * (distance - length) * (distance - length);
  if (blend->per_second > 0)
    energy += mus_tie_in_step(blend, rest->damping, distance, rate, length > 0, &pull, &across);
  if (gradient) {
    mus_real along = (rest->damping + blend->drift * (k - across)) * mus_dot3(unit, rate);
    mus_scale3(pull + along, unit, force);
    mus_add_scaled3(blend->drift * across, rate, force);
    for (int a = 0; a < arity; ++a)
      mus_scale3(weight[a], force, gradient + 3 * a);
  }
  if (block) {
    mus_along_across(blend->stiffness * (k - across) + blend->damping * rest->damping, 0, unit, square);
    square[0] += blend->stiffness * across;
    square[3] += blend->stiffness * across;
    square[5] += blend->stiffness * across;
    mus_expand_square(square, full);
    for (int a = 0; a < arity; ++a)
      for (int b = a; b < arity; ++b)
        for (int e = 0; e < 9; ++e)
          block[9 * mus_upper_block(arity, a, b) + e] = weight[a] * weight[b] * full[e];
  }
  return energy;
}

#endif
