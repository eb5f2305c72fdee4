// Tetrahedra of elastic solids: E = V psi(F) with the deformation gradient F = sum_a x_a g_a^T, g_a the gradients of
// the shape functions at rest, V the rest volume, and a law psi (solid_law.h). Written as element functions are, see
// element.h.
//
// The semi-definite Hessian has the negative eigenvalues of d^2 psi / dF^2 replaced by zero: what is left is V sum_m
// e_m (Q_m g_a) (Q_m g_b)^T over its eigenmatrices Q_m, a sum of squares.
//
// Damping follows the rate of Green's strain, dE/dt = sym(F^T dF/dt), which rigid motions leave alone: it dissipates
// V tau (2 mu |dE/dt|^2 + lambda tr(dE/dt)^2), with tau in seconds.
#ifndef MUS_ENERGY_TETRAHEDRON_H
#define MUS_ENERGY_TETRAHEDRON_H

#include "energy/solid_law.h"
#include "energy/svd3.h"

typedef struct mus_tetrahedron_rest {
  mus_real gradient[12]; // g_a, 1/m
  mus_real volume;       // V, m^3
} mus_tetrahedron_rest;

typedef struct mus_solid_constants {
  mus_lame lame;
  mus_real damping; // tau, s
} mus_solid_constants;

// From the rest positions of the four vertices, which are counter-clockwise, seen from the fourth, for a positive
// volume.
MUS_ELEMENT void mus_tetrahedron_rest_make(const mus_real *x, mus_tetrahedron_rest *rest) {
  mus_real edge[3][3], sum[3] = {0, 0, 0};
  for (int k = 0; k < 3; ++k)
    mus_subtract3(x + 3 * (k + 1), x, edge[k]);
  for (int k = 0; k < 3; ++k)
    mus_cross3(edge[(k + 1) % 3], edge[(k + 2) % 3], rest->gradient + 3 * (k + 1));
  mus_real six = mus_dot3(edge[0], rest->gradient + 3);
  for (int k = 1; k < 4; ++k) {
    mus_scale3(1 / six, rest->gradient + 3 * k, rest->gradient + 3 * k);
    mus_add_scaled3(-1, rest->gradient + 3 * k, sum);
  }
  for (int c = 0; c < 3; ++c)
    rest->gradient[c] = sum[c];
  rest->volume = six / 6;
}

// sum_a x_a g_a^T: F for positions, dF/dt for velocities.
MUS_ELEMENT void mus_tetrahedron_map(const mus_tetrahedron_rest *rest, const mus_real *x, mus_real *f) {
  for (int k = 0; k < 3; ++k)
    for (int l = 0; l < 3; ++l) {
      mus_real sum = 0; // differences from the first vertex, for the sake of rounding
      for (int a = 1; a < 4; ++a)
        sum += (x[3 * a + k] - x[k]) * rest->gradient[3 * a + l];
      f[3 * k + l] = sum;
    }
}

MUS_ELEMENT void mus_matrix_times(const mus_real *a, const mus_real *x, mus_real *y) {
  for (int k = 0; k < 3; ++k)
    y[k] = a[3 * k] * x[0] + a[3 * k + 1] * x[1] + a[3 * k + 2] * x[2];
}

// The nine eigenmatrices of d^2 psi / dF^2, by rows, and its eigenvalues.
typedef struct mus_solid_modes {
  mus_real value[9], matrix[9][9];
} mus_solid_modes;

MUS_ELEMENT void mus_solid_modes_make(const mus_solid_state *state, const mus_real *u, const mus_real *v,
                                      mus_solid_modes *out) {
  const mus_real half = 0.70710678118654752;
  mus_real mixture[9];
  mus_eigen3(state->curvature, out->value, mixture);
  for (int k = 0; k < 3; ++k)
    for (int l = 0; l < 3; ++l)
      for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, m = (i + 2) % 3;
        mus_real stretch = 0, there = u[3 * k + j] * v[3 * l + m], back = u[3 * k + m] * v[3 * l + j];
        for (int e = 0; e < 3; ++e)
          stretch += mixture[3 * e + i] * u[3 * k + e] * v[3 * l + e];
        out->matrix[i][3 * k + l] = stretch;
        out->matrix[3 + i][3 * k + l] = half * (there - back);
        out->matrix[6 + i][3 * k + l] = half * (there + back);
      }
  for (int i = 0; i < 3; ++i) {
    out->value[3 + i] = state->twist[i];
    out->value[6 + i] = state->flip[i];
  }
}

// gradient += V [tau F S + drift dP] g_a with S = 2 mu dE/dt + lambda tr(dE/dt), dP = d^2 psi / dF^2 : dF/dt
MUS_ELEMENT void mus_tetrahedron_add_rates(const mus_tetrahedron_rest *rest, const mus_solid_constants *c,
                                           const mus_blend *blend, const mus_solid_modes *modes, const mus_real *f,
                                           const mus_real *v, mus_real *gradient) {
  mus_real rate[9], stress[9], strain[9], force[3];
  mus_tetrahedron_map(rest, v, rate);
  for (int k = 0; k < 3; ++k)
    for (int l = 0; l < 3; ++l)
      strain[3 * k + l] = (f[k] * rate[l] + f[3 + k] * rate[3 + l] + f[6 + k] * rate[6 + l] + rate[k] * f[l] +
                           rate[3 + k] * f[3 + l] + rate[6 + k] * f[6 + l]) /
                          2;
  mus_real trace = strain[0] + strain[4] + strain[8];
  for (int k = 0; k < 3; ++k)
    for (int l = 0; l < 3; ++l) {
      mus_real sum = c->lame.lambda * trace * f[3 * k + l];
      for (int e = 0; e < 3; ++e)
        sum += 2 * c->lame.mu * f[3 * k + e] * strain[3 * e + l];
      stress[3 * k + l] = c->damping * sum;
    }
  for (int m = 0; m < 9 && blend->drift != 0; ++m) {
    mus_real along = 0;
    for (int e = 0; e < 9; ++e)
      along += modes->matrix[m][e] * rate[e];
    for (int e = 0; e < 9; ++e)
      stress[e] += blend->drift * modes->value[m] * along * modes->matrix[m][e];
  }
  for (int a = 0; a < 4; ++a) {
    mus_matrix_times(stress, rest->gradient + 3 * a, force);
    mus_add_scaled3(rest->volume, force, gradient + 3 * a);
  }
}

// The blocks of stiffness K + damping D.
MUS_ELEMENT void mus_tetrahedron_blocks(const mus_tetrahedron_rest *rest, const mus_solid_constants *c,
                                        const mus_blend *blend, const mus_solid_modes *modes, const mus_real *f,
                                        mus_real *block) {
  mus_real turned[4][3], stretched[9]; // F g_a, F F^T
  mus_real viscous = blend->damping * c->damping * rest->volume;
  for (int a = 0; a < 4; ++a)
    mus_matrix_times(f, rest->gradient + 3 * a, turned[a]);
  for (int k = 0; k < 3; ++k)
    for (int l = 0; l < 3; ++l)
      stretched[3 * k + l] = mus_dot3(f + 3 * k, f + 3 * l);
  for (int a = 0; a < 4; ++a)
    for (int b = a; b < 4; ++b) {
      mus_real *to = block + 9 * mus_upper_block(4, a, b);
      mus_real both = mus_dot3(rest->gradient + 3 * a, rest->gradient + 3 * b);
      for (int e = 0; e < 9; ++e)
        to[e] = viscous * c->lame.mu * both * stretched[e];
      mus_add_outer(viscous * c->lame.mu, turned[b], turned[a], to);
      mus_add_outer(viscous * c->lame.lambda, turned[a], turned[b], to);
    }
  for (int m = 0; m < 9; ++m) {
    mus_real way[4][3], factor = blend->stiffness * rest->volume * modes->value[m];
    for (int a = 0; a < 4; ++a)
      mus_matrix_times(modes->matrix[m], rest->gradient + 3 * a, way[a]);
    for (int a = 0; a < 4; ++a)
      for (int b = a; b < 4; ++b)
        mus_add_outer(factor, way[a], way[b], block + 9 * mus_upper_block(4, a, b));
  }
  for (int a = 0; a < 4; ++a) { // diagonal blocks are symmetric to the last bit
    mus_real *to = block + 9 * mus_upper_block(4, a, a);
    to[3] = to[1];
    to[6] = to[2];
    to[7] = to[5];
  }
}

// Returns E; gradient (12 numbers) and block as blend says, each NULL where not wanted. `law` is known when this is
// compiled into its caller.
MUS_ELEMENT mus_real mus_tetrahedron_element(mus_solid_law *law, const mus_tetrahedron_rest *rest,
                                             const mus_solid_constants *constants, const mus_blend *blend,
                                             const mus_real *x, const mus_real *v, mus_real *gradient,
                                             mus_real *block) {
  mus_real f[9], u[9], s[3], w[9];
  mus_solid_state state;
  mus_solid_modes modes;
  mus_tetrahedron_map(rest, x, f);
  mus_svd3(f, u, s, w);
  law(&constants->lame, s, &state);
  if (block || (gradient && v && blend->drift != 0)) {
    mus_solid_modes_make(&state, u, w, &modes);
    for (int m = 0; m < 9 && !blend->exact; ++m)
      modes.value[m] = modes.value[m] > 0 ? modes.value[m] : 0;
  }
  if (gradient) {
    mus_real stress[9], force[3]; // d psi / dF
    for (int k = 0; k < 3; ++k)
      for (int l = 0; l < 3; ++l)
        stress[3 * k + l] = state.slope[0] * u[3 * k] * w[3 * l] + state.slope[1] * u[3 * k + 1] * w[3 * l + 1] +
                            state.slope[2] * u[3 * k + 2] * w[3 * l + 2];
    for (int a = 0; a < 4; ++a) {
      mus_matrix_times(stress, rest->gradient + 3 * a, force);
      mus_scale3(rest->volume, force, gradient + 3 * a);
    }
    if (v)
      mus_tetrahedron_add_rates(rest, constants, blend, &modes, f, v, gradient);
  }
  if (block)
    mus_tetrahedron_blocks(rest, constants, blend, &modes, f, block);
  return rest->volume * state.energy;
}

#endif
