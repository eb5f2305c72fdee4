// The springs of Choi and Ko 2002, "Stable but responsive cloth".
//
// Type 1, between neighbours, resists stretch and shear and gives way freely under compression:
//   E = k/2 (|x| - L)^2 for |x| > L, 0 otherwise.
// Type 2, between nodes farther apart, resists bending and compression: for |x| < L it is a beam of length L and
// bending stiffness k_b (N m^2) that has buckled into an arc of curvature kappa over the chord |x|,
//   E = k_b/2 L kappa^2,   |x|/L = sinc(kappa L / 2),   0 for |x| >= L.
// Its tension dE/d|x| = k_b kappa^2 / (cos(kappa L/2) - sinc(kappa L/2)) goes from -12 k_b/L^2 (the moment of buckling)
// to -4 pi^2 k_b/L^2 (both ends together). As in the paper, next to |x| = L a linear spring c (|x| - L) takes over, as
// far as that pushes less, so that the force is continuous. With z = (kappa L / 2)^2 all of this is power series:
//   sinc = S(z) = sum (-z)^k / (2k+1)!,   tension = (4 k_b/L^2) / G(z),   G = 2 S'(z) = (cos - sinc) / z,
// which needs no case near z = 0 and no trigonometry. (The paper fits a polynomial of degree five to the tension.)
// Damping of both types: f = -d r r . v, r = x/|x|, v = v_1 - v_0; none where the spring is slack.
//
// K without `exact`, with tension f: type 1 drops nothing, because f >= 0 where it acts. Type 2 keeps f'(|x|) r r^T,
// which is >= 0 (f rises from -4 pi^2 to -12 k_b/L^2, and so does c (|x| - L)), and drops f/|x| (I - r r^T), which is
// negative always. This is the paper's rule. D = d r r^T; the derivative of the damping force by position is left out.
// Damping as a potential of the step follows the extension, or how much shorter than L the spring is, and zero where it
// is slack: of a spring that goes slack in a step, the work up to there is done.
#ifndef MUS_ENERGY_CHOI_KO_H
#define MUS_ENERGY_CHOI_KO_H

#include "energy/mass_spring.h"

// Type 1, all of a spring; see mus_spring_element().
MUS_ELEMENT mus_real mus_choi_ko_stretch_element(const mus_spring_rest *rest, const mus_blend *blend, const mus_real *x,
                                                 const mus_real *v, mus_real *gradient, mus_real *block) {
  mus_spring_state state;
  mus_spring_state_make(x, &state);
  mus_real extension = state.length - rest->length, taut = extension > 0 ? 1 : 0;
  mus_real tension = taut * rest->stiffness * extension, energy = taut * rest->stiffness / 2 * extension * extension;
  if (blend->per_second > 0) {
    mus_real before = mus_spring_length(v) - rest->length, damper;
    energy += mus_spring_damp(blend, rest->damping, taut * extension - (before > 0 ? before : 0), &damper);
    tension += taut * damper;
    v = NULL;
  }
  mus_spring_assemble(&state, tension, taut * rest->stiffness, taut * rest->damping, blend, v, gradient, block);
  return energy;
}

// Constant data of a spring of type 2, 48 bytes.
typedef struct mus_buckling_rest {
  mus_real length;    // L, m
  mus_real stiffness; // k_b, N m^2
  mus_real limit;     // c, N/m
  mus_real damping;   // d, N s/m
  mus_real crossover; // m: the chord at which the linear spring hands over to the beam
  mus_real offset;    // J, of the beam's energy, so that E is continuous there
} mus_buckling_rest;

enum { MUS_BUCKLING_TERMS = 16 }; // leave an error below 1e-17 for z <= pi^2

// S(z), G(z) = 2 S'(z) and G'(z) by Horner's rule.
MUS_ELEMENT void mus_buckling_series(mus_real z, mus_real *s, mus_real *g, mus_real *g_slope) {
  mus_real sum = 1, slope = 0, bend = 0; // S, S', S''/2 of what has been nested so far
  for (int k = MUS_BUCKLING_TERMS; k >= 1; --k) {
    mus_real ratio = -1 / (mus_real)(2 * k * (2 * k + 1));
    bend = ratio * (slope + z * bend);
    slope = ratio * (sum + z * slope);
    sum = 1 + ratio * z * sum;
  }
  *s = sum;
  *g = 2 * slope;
  *g_slope = 4 * bend;
}

// The z in [0, pi^2] with S(z) = ratio: Newton's method from below, where S, falling and convex, lets it approach
// from one side only. The start is the inverse series' first three terms.
MUS_ELEMENT mus_real mus_buckling_inverse(mus_real ratio) {
  mus_real y = 1 - ratio, z = y * (6 + y * (1.8 + y * 0.8228)), s, g, g_slope;
  for (int k = 0; k < 5; ++k) {
    mus_buckling_series(z, &s, &g, &g_slope);
    z -= 2 * (s - ratio) / g;
  }
  return z;
}

// The beam bent to z: energy, tension and the tension's derivative by the chord's length.
MUS_ELEMENT void mus_buckling_beam(mus_real length, mus_real stiffness, mus_real z, mus_real *energy, mus_real *tension,
                                   mus_real *slope) {
  mus_real s, g, g_slope;
  mus_buckling_series(z, &s, &g, &g_slope);
  *energy = 2 * stiffness * z / length;
  *tension = 4 * stiffness / (length * length * g);
  *slope = -8 * stiffness * g_slope / (length * length * length * g * g * g);
}

// From L, k_b, c and d: finds where the linear spring and the beam push alike, by bisection of z.
MUS_ELEMENT void mus_buckling_rest_make(mus_real length, mus_real stiffness, mus_real limit, mus_real damping,
                                        mus_buckling_rest *rest) {
  mus_real low = 0, high = MUS_PI * MUS_PI, s = 0; // the beam pushes harder at low, the linear spring at high
  rest->length = length;
  rest->stiffness = stiffness;
  rest->limit = limit;
  rest->damping = damping;
  for (int k = 0; k < 60; ++k) {
    mus_real middle = (low + high) / 2, g, g_slope;
    mus_buckling_series(middle, &s, &g, &g_slope);
    if (limit * length * (s - 1) * g < 4 * stiffness / (length * length)) // g < 0
      low = middle;
    else
      high = middle;
  }
  rest->crossover = s > 1e-12 ? length * s : 0; // at 0 the linear spring pushes less everywhere
  rest->offset = limit / 2 * (length - rest->crossover) * (length - rest->crossover) - 2 * stiffness * low / length;
}

// Type 2, all of a spring; see mus_spring_element().
MUS_ELEMENT mus_real mus_choi_ko_bend_element(const mus_buckling_rest *rest, const mus_blend *blend, const mus_real *x,
                                              const mus_real *v, mus_real *gradient, mus_real *block) {
  mus_spring_state state;
  mus_real energy = 0, tension = 0, slope = 0, damping = 0;
  mus_spring_state_make(x, &state);
  if (state.length < rest->length) {
    damping = rest->damping;
    if (state.length >= rest->crossover) {
      mus_real shortened = state.length - rest->length;
      energy = rest->limit / 2 * shortened * shortened;
      tension = rest->limit * shortened;
      slope = rest->limit;
    } else {
      mus_real z = mus_buckling_inverse(state.length / rest->length);
      mus_buckling_beam(rest->length, rest->stiffness, z, &energy, &tension, &slope);
      energy += rest->offset;
    }
  }
  if (blend->per_second > 0) {
    mus_real before = mus_spring_length(v) - rest->length, now = state.length - rest->length, damper;
    energy += mus_spring_damp(blend, rest->damping, (now < 0 ? now : 0) - (before < 0 ? before : 0), &damper);
    tension += now < 0 ? damper : 0;
    v = NULL;
  }
  mus_spring_assemble(&state, tension, slope, damping, blend, v, gradient, block);
  return energy;
}

#endif
