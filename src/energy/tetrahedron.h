// Tetrahedra of elastic solids: E = V psi(F) with the deformation gradient F = sum_a x_a g_a^T, g_a the gradients of
// the shape functions at rest, V the rest volume, and a law psi (solid_law.h). Written as element functions are, see
// element.h.
//
// With F = U diag(s) V^T, everything is done in the frame of U and V, where d^2 psi / dF^2 and the damping couple next
// to nothing: G = U^T dF V has the second differential
//   sum_kl along_kl G_kk G_ll + sum_k!=l (across_kl G_kl^2 + swapped_kl G_kl G_lk)
//
// The semi-definite Hessian has the negative eigenvalues of d^2 psi / dF^2 replaced by zero: those of `along`, and of
// each pair the twist (across - swapped) and the flip (across + swapped).
//
// Damping follows the rate of Green's strain, dE/dt = sym(F^T dF/dt), which rigid motions leave alone: it dissipates
// V tau (2 mu |dE/dt|^2 + lambda tr(dE/dt)^2), with tau in seconds. As a potential of the step (element.h) it is, with
// the change G = E(x) - E(X) of that strain,
//   P = V tau per_second (mu |G|^2 + lambda/2 tr(G)^2),   dP/dF = V F S,   S = tau per_second (2 mu G + lambda tr(G)
//   I),
// whose Hessian has dF S : dF beside what D has. In the blocks that is V (g_a . S g_b) I; S counts without its negative
// eigenvalues unless the Hessian is exact.
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
  mus_uniform damping; // tau, s
} mus_solid_constants;

// From the rest positions of the four vertices, which are counter-clockwise, seen from the fourth, for a positive
// volume.
MUS_ELEMENT void mus_tetrahedron_rest_make(const mus_real *x, mus_tetrahedron_rest *rest) {
  mus_real edge[3][3], sum[3] = {mus_all(0), mus_all(0), mus_all(0)};
  for (int k = 0; k < 3; ++k)
    mus_subtract3(x + 3 * (k + 1), x, edge[k]);
  for (int k = 0; k < 3; ++k)
    mus_cross3(edge[(k + 1) % 3], edge[(k + 2) % 3], rest->gradient + 3 * (k + 1));
  mus_real six = mus_dot3(edge[0], rest->gradient + 3);
  for (int k = 1; k < 4; ++k) {
    mus_scale3(1 / six, rest->gradient + 3 * k, rest->gradient + 3 * k);
    mus_add_scaled3(mus_all(-1), rest->gradient + 3 * k, sum);
  }
  for (int c = 0; c < 3; ++c)
    rest->gradient[c] = sum[c];
  rest->volume = six / 6;
}

// sum_a x_a g_a^T: F for positions, dF/dt for velocities.
MUS_ELEMENT void mus_tetrahedron_map(const mus_tetrahedron_rest *rest, const mus_real *x, mus_real *f) {
  for (int k = 0; k < 3; ++k)
    for (int l = 0; l < 3; ++l) {
      mus_real sum = mus_all(0); // differences from the first vertex, for the sake of rounding
      for (int a = 1; a < 4; ++a)
        sum += (x[3 * a + k] - x[k]) * rest->gradient[3 * a + l];
      f[3 * k + l] = sum;
    }
}

// The second differential in the frame of U and V: pairs are (1, 2), (2, 0), (0, 1).
typedef struct mus_solid_response {
  mus_real along[9]; // symmetric
  mus_real across[9];
  mus_real swapped[3]; // of pairs
} mus_solid_response;

// along <- what is left of it without negative eigenvalues. One that has none keeps its bits.
MUS_ELEMENT void mus_solid_make_definite(mus_real *along) {
  mus_real minor = along[0] * along[4] - along[1] * along[1];
  mus_real whole = along[2] * (along[1] * along[5] - along[4] * along[2]) +
                   along[5] * (along[1] * along[2] - along[0] * along[5]) + along[8] * minor;
  mus_truth definite = (along[0] > 0) & (minor > 0) & (whole > 0);
  if (mus_all_of(definite))
    return;
  mus_real value[3], v[9];
  mus_eigen3(along, value, v);
  for (int k = 0; k < 3; ++k)
    value[k] = mus_select(value[k] > 0, value[k], mus_all(0));
  for (int k = 0; k < 3; ++k)
    for (int l = k; l < 3; ++l) {
      mus_real sum = mus_all(0);
      for (int e = 0; e < 3; ++e)
        sum += value[e] * v[3 * k + e] * v[3 * l + e];
      along[3 * k + l] = along[3 * l + k] = mus_select(definite, along[3 * k + l], sum);
    }
}

// d^2 psi / dF^2, exact or semi-definite.
MUS_ELEMENT void mus_solid_elastic(const mus_solid_state *state, int exact, mus_solid_response *out) {
  for (int k = 0; k < 9; ++k)
    out->along[k] = state->curvature[k];
  for (int i = 0; i < 3; ++i) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    mus_real twist = state->twist[i], flip = state->flip[i];
    if (!exact) {
      twist = mus_select(twist > 0, twist, mus_all(0));
      flip = mus_select(flip > 0, flip, mus_all(0));
    }
    out->across[3 * j + k] = out->across[3 * k + j] = (flip + twist) / 2;
    out->swapped[i] = (flip - twist) / 2;
  }
  if (!exact)
    mus_solid_make_definite(out->along);
}

// elastic times a factor, plus the damping matrix times another.
MUS_ELEMENT void mus_solid_blend(const mus_lame *lame, const mus_real *s, const mus_solid_response *elastic,
                                 mus_real stiffness, mus_real damping, mus_solid_response *out) {
  for (int k = 0; k < 3; ++k) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    mus_real square = s[k] * s[k], shear = damping * lame->mu;
    out->along[4 * k] = stiffness * elastic->along[4 * k] + (2 * lame->mu + lame->lambda) * damping * square;
    out->along[3 * i + j] = out->along[3 * j + i] =
        stiffness * elastic->along[3 * i + j] + lame->lambda * damping * s[i] * s[j];
    out->across[3 * k + i] = stiffness * elastic->across[3 * k + i] + shear * square;
    out->across[3 * k + j] = stiffness * elastic->across[3 * k + j] + shear * square;
    out->swapped[k] = stiffness * elastic->swapped[k] + shear * s[i] * s[j];
  }
}

// stress += the response to a rate, both in the frame of U and V.
MUS_ELEMENT void mus_solid_respond(const mus_solid_response *r, const mus_real *rate, mus_real *stress) {
  for (int k = 0; k < 3; ++k) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    stress[4 * k] += r->along[3 * k] * rate[0] + r->along[3 * k + 1] * rate[4] + r->along[3 * k + 2] * rate[8];
    stress[3 * i + j] += r->across[3 * i + j] * rate[3 * i + j] + r->swapped[k] * rate[3 * j + i];
    stress[3 * j + i] += r->across[3 * j + i] * rate[3 * j + i] + r->swapped[k] * rate[3 * i + j];
  }
}

// c = a b, a^T b and a b^T
MUS_ELEMENT void mus_product3(const mus_real *a, const mus_real *b, mus_real *c) {
  for (int k = 0; k < 3; ++k)
    for (int l = 0; l < 3; ++l)
      c[3 * k + l] = a[3 * k] * b[l] + a[3 * k + 1] * b[3 + l] + a[3 * k + 2] * b[6 + l];
}

MUS_ELEMENT void mus_transposed_product3(const mus_real *a, const mus_real *b, mus_real *c) {
  for (int k = 0; k < 3; ++k)
    for (int l = 0; l < 3; ++l)
      c[3 * k + l] = a[k] * b[l] + a[3 + k] * b[3 + l] + a[6 + k] * b[6 + l];
}

MUS_ELEMENT void mus_product_transposed3(const mus_real *a, const mus_real *b, mus_real *c) {
  for (int k = 0; k < 3; ++k)
    for (int l = 0; l < 3; ++l)
      c[3 * k + l] = mus_dot3(a + 3 * k, b + 3 * l);
}

// V [P + tau D dF/dt + drift K dF/dt] g_a, where `slope` is P in its frame. The rows of `b` are V^T g_a, a = 1, 2, 3.
MUS_ELEMENT void mus_tetrahedron_gradient(const mus_tetrahedron_rest *rest, const mus_solid_response *rates,
                                          const mus_real *slope, const mus_real *u, const mus_real *w,
                                          const mus_real *b, const mus_real *v, mus_real *gradient) {
  mus_real stress[9], turned[9];
  for (int k = 0; k < 9; ++k)
    stress[k] = k % 4 == 0 ? slope[k / 4] : mus_all(0);
  if (v) {
    mus_real rate[9];
    mus_tetrahedron_map(rest, v, turned);
    mus_transposed_product3(u, turned, rate);
    mus_product3(rate, w, turned);
    mus_solid_respond(rates, turned, stress);
  }
  mus_product3(u, stress, turned);
  for (int c = 0; c < 3; ++c) {
    mus_real sum = mus_all(0);
    for (int a = 1; a < 4; ++a) {
      gradient[3 * a + c] = rest->volume * mus_dot3(turned + 3 * c, b + 3 * (a - 1));
      sum += gradient[3 * a + c];
    }
    gradient[c] = -sum;
  }
}

// The block of vertices whose V^T g are p and q.
MUS_ELEMENT void mus_tetrahedron_block(const mus_solid_response *r, const mus_real *u, const mus_real *p,
                                       const mus_real *q, mus_real *block) {
  mus_real inner[9], turned[9];
  for (int k = 0; k < 3; ++k) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    inner[4 * k] =
        r->along[4 * k] * p[k] * q[k] + r->across[3 * k + i] * p[i] * q[i] + r->across[3 * k + j] * p[j] * q[j];
    inner[3 * i + j] = r->along[3 * i + j] * p[i] * q[j] + r->swapped[k] * p[j] * q[i];
    inner[3 * j + i] = r->along[3 * i + j] * p[j] * q[i] + r->swapped[k] * p[i] * q[j];
  }
  mus_product3(u, inner, turned);
  mus_product_transposed3(turned, u, block);
}

// The rest follows from the blocks between vertices 1, 2 and 3: forces balance.
MUS_ELEMENT void mus_tetrahedron_complete(mus_real *block) {
  for (int b = 1; b < 4; ++b) {
    mus_real *diagonal = block + 9 * mus_upper_block(4, b, b); // symmetric to the last bit
    diagonal[3] = diagonal[1], diagonal[6] = diagonal[2], diagonal[7] = diagonal[5];
  }
  for (int b = 1; b < 4; ++b)
    for (int k = 0; k < 9; ++k) {
      mus_real sum = mus_all(0);
      for (int a = 1; a < 4; ++a)
        sum +=
            a <= b ? block[9 * mus_upper_block(4, a, b) + k] : block[9 * mus_upper_block(4, b, a) + k % 3 * 3 + k / 3];
      block[9 * b + k] = -sum;
    }
  for (int k = 0; k < 9; ++k)
    block[k] = -(block[9 + k] + block[18 + k] + block[27 + k]);
  block[3] = block[1], block[6] = block[2], block[7] = block[5];
}

// S, in the frame of the material, and P / V, from F and F at the beginning of the step.
MUS_ELEMENT mus_real mus_solid_damper(const mus_solid_constants *c, mus_uniform per_second, const mus_real *f,
                                      const mus_real *begin, mus_real *s) {
  mus_real now[9], before[9], squares = mus_all(0);
  mus_uniform factor = c->damping * per_second;
  mus_transposed_product3(f, f, now);
  mus_transposed_product3(begin, begin, before);
  for (int k = 0; k < 9; ++k) {
    s[k] = (now[k] - before[k]) / 2;
    squares += s[k] * s[k];
  }
  mus_real trace = s[0] + s[4] + s[8];
  for (int k = 0; k < 9; ++k)
    s[k] = factor * (2 * c->lame.mu * s[k] + (k % 4 == 0 ? c->lame.lambda * trace : mus_all(0)));
  return factor * (c->lame.mu * squares + c->lame.lambda / 2 * trace * trace);
}

// gradient += V F S g_a; block += stiffness V (g_a . S g_b) I. S is changed.
MUS_ELEMENT void mus_tetrahedron_add_damper(const mus_tetrahedron_rest *rest, const mus_blend *blend, const mus_real *f,
                                            mus_real *s, mus_real *gradient, mus_real *block) {
  const mus_real *g = rest->gradient;
  mus_real stress[9];
  mus_product3(f, s, stress);
  for (int k = 0; k < 3 && gradient; ++k)
    for (int a = 1; a < 4; ++a) {
      mus_real here = rest->volume * mus_dot3(stress + 3 * k, g + 3 * a);
      gradient[3 * a + k] += here;
      gradient[k] -= here;
    }
  if (!block)
    return;
  if (!blend->exact)
    mus_solid_make_definite(s);
  for (int a = 1; a < 4; ++a)
    for (int b = a; b < 4; ++b) {
      mus_real *here = block + 9 * mus_upper_block(4, a, b), turned[3];
      for (int k = 0; k < 3; ++k)
        turned[k] = mus_dot3(s + 3 * k, g + 3 * b);
      mus_real weight = blend->stiffness * rest->volume * mus_dot3(g + 3 * a, turned);
      for (int k = 0; k < 9; k += 4)
        here[k] += weight;
    }
}

// Returns E; gradient (12 numbers) and block as blend says, and the stretches s, each NULL where not wanted. `law` is
// known when this is compiled into its caller.
MUS_ELEMENT mus_real mus_tetrahedron_element(mus_solid_law *law, const mus_tetrahedron_rest *rest,
                                             const mus_solid_constants *constants, const mus_blend *blend,
                                             const mus_real *x, const mus_real *v, mus_real *gradient, mus_real *block,
                                             mus_real *stretch) {
  mus_real f[9], u[9], s[3], w[9], b[9];
  mus_solid_state state;
  mus_solid_response elastic, blended;
  const mus_real *rates = blend->per_second > 0 ? NULL : v;
  mus_tetrahedron_map(rest, x, f);
  mus_svd3(f, u, s, w);
  law(&constants->lame, s, &state);
  if (stretch)
    for (int k = 0; k < 3; ++k)
      stretch[k] = s[k];
  if (block || (gradient && rates))
    mus_solid_elastic(&state, blend->exact, &elastic);
  if (block || gradient)
    mus_product3(rest->gradient + 3, w, b);
  if (gradient) {
    if (rates)
      mus_solid_blend(&constants->lame, s, &elastic, mus_all(blend->drift), mus_all(constants->damping), &blended);
    mus_tetrahedron_gradient(rest, &blended, state.slope, u, w, b, rates, gradient);
  }
  if (block) {
    mus_solid_blend(&constants->lame, s, &elastic, blend->stiffness * rest->volume,
                    blend->damping * constants->damping * rest->volume, &blended);
    for (int i = 1; i < 4; ++i)
      for (int j = i; j < 4; ++j)
        mus_tetrahedron_block(&blended, u, b + 3 * (i - 1), b + 3 * (j - 1), block + 9 * mus_upper_block(4, i, j));
  }
  if (blend->per_second > 0) {
    mus_real begin[9], damper[9];
    mus_tetrahedron_map(rest, v, begin);
    state.energy += mus_solid_damper(constants, blend->per_second, f, begin, damper);
    mus_tetrahedron_add_damper(rest, blend, f, damper, gradient, block);
  }
  if (block)
    mus_tetrahedron_complete(block);
  return rest->volume * state.energy;
}

#endif
