// Stretch along warp and weft, and shear between them, on a triangle (Baraff and Witkin 1998, sections 4.2, 4.3, 4.5).
//
// The triangle's map from material to space is linear; w_u and w_v are its derivatives along the warp and the weft:
//   w_u = s_0 x_0 + s_1 x_1 + s_2 x_2,   w_v = t_0 x_0 + t_1 x_1 + t_2 x_2,   s and t from the material coordinates.
// Conditions, with a the triangle's area in the material:
//   C_u = sqrt(a) (|w_u| - 1),   C_v = sqrt(a) (|w_v| - 1),   C_s = sqrt(a) w_u . w_v
// and E = 1/2 (k_u C_u^2 + k_v C_v^2 + k_s C_s^2). Baraff and Witkin put a where sqrt(a) stands here; then E scales
// with a^2 and cloth gets softer as its mesh is refined. With sqrt(a), E is a strain energy per area times area, k_u,
// k_v and k_s are in N/m (force per width and strain; for k_s per radian of shear), and refining a mesh changes
// nothing.
//
// Damping acts on the rate of each condition: f = -d (dC/dx) Cdot, Cdot = (dC/dx) . v, with d in N s/m. It does no work
// in rigid motions.
//
// K without `exact` clamps the eigenvalues of each of the three Hessians at zero, which can be done in closed form in
// the 6-dimensional space of (w_u, w_v); in x it is K_ij = s_i s_j H_uu + s_i t_j H_uv + t_i s_j H_vu + t_i t_j H_vv.
//   Stretch: H = k a [d d^T + (1 - 1/|w|) (I - d d^T)], d = w/|w|. Eigenvalues 1 and, twice, 1 - 1/|w|, negative under
//     compression: there the second term is dropped. Nothing is dropped in extension.
//   Shear: H = k a [q q^T + c J], with c = w_u . w_v, q = (w_v, w_u) and J swapping the halves of a vector. With
//     p = (w_u, w_v), T = |w_u|^2 + |w_v|^2: H q = T q + c p and H p = 3 c q, so the span of p and q holds the
//     eigenvalues T/2 +- sqrt(T^2/4 + 3 c^2), one of them not positive; the larger, L, has the vector L q + c p. On
//     the rest H is c J, with eigenvalues +-c. Kept are L and +|c|, whose vectors are (z, z sign c), z orthogonal to
//     y = w_v + w_u sign c; dropped are the other half. Kim 2020 has the same for the same energy.
// D drops nothing that depends on velocity: D = d (dC/dx)(dC/dx)^T. The derivative of the damping force by position,
// -d [(dC/dx)(d^2C/dx^2 v)^T + Cdot d^2C/dx^2], is neither symmetric nor of one sign and left out of K and of `exact`;
// mus_membrane_damping_jacobian() has it.
//
// With damping as a potential of the step (element.h), a condition still has one tension, k C + d per_second (C - C_X),
// and E + P one Hessian, clamped as a whole: stretch keeps the tension over |w| where that is positive, and shear has
//   H = g q q^T + t J   with t no longer g c.
// Then H q = g T q + t p and H p = (2 g c + t) q, with the eigenvalues g T/2 +- sqrt(g^2 T^2/4 + t (2 g c + t)) and
// vectors L q + t p. Where t (2 g c + t) is negative, both are positive and kept.
#ifndef MUS_ENERGY_BARAFF_WITKIN_H
#define MUS_ENERGY_BARAFF_WITKIN_H

#include "energy/element.h"

// Constant data of a triangle, 40 bytes.
typedef struct mus_membrane_rest {
  mus_real s[2], t[2]; // 1/m, for corners 1 and 2; corner 0 has minus their sum
  mus_real area;       // m^2, in the material
} mus_membrane_rest;

typedef struct mus_membrane_material {
  mus_uniform stretch[2], shear;                 // N/m: warp, weft; shear
  mus_uniform stretch_damping[2], shear_damping; // N s/m
} mus_membrane_material;

#ifndef MUS_LANES
// From the corners' (u, v) in metres; either orientation will do. 0 where the triangle has no area.
MUS_ELEMENT int mus_membrane_rest_make(const mus_real *uv, mus_membrane_rest *rest) {
  mus_real u1 = uv[2] - uv[0], v1 = uv[3] - uv[1], u2 = uv[4] - uv[0], v2 = uv[5] - uv[1];
  mus_real determinant = u1 * v2 - u2 * v1, longest = u1 * u1 + v1 * v1 + u2 * u2 + v2 * v2;
  if (!(fabs(determinant) > 1e-12 * longest) || !(longest < 1e30))
    return 0;
  rest->s[0] = v2 / determinant;
  rest->s[1] = -v1 / determinant;
  rest->t[0] = -u2 / determinant;
  rest->t[1] = u1 / determinant;
  rest->area = fabs(determinant) / 2;
  return 1;
}
#endif

// w = c_0 a_0 + c_1 a_1 + c_2 a_2 for coefficients that sum to zero, of which c_1 and c_2 are given.
MUS_ELEMENT void mus_membrane_derivative(const mus_real *coefficient, const mus_real *a, mus_real *w) {
  for (int k = 0; k < 3; ++k)
    w[k] = coefficient[0] * (a[3 + k] - a[k]) + coefficient[1] * (a[6 + k] - a[k]);
}

// The transpose: what acts on (w_u, w_v), handed on to the corners.
MUS_ELEMENT void mus_membrane_spread(const mus_membrane_rest *rest, const mus_real *on_u, const mus_real *on_v,
                                     mus_real *corner) {
  for (int k = 0; k < 3; ++k) {
    corner[3 + k] = rest->s[0] * on_u[k] + rest->t[0] * on_v[k];
    corner[6 + k] = rest->s[1] * on_u[k] + rest->t[1] * on_v[k];
    corner[k] = -(corner[3 + k] + corner[6 + k]);
  }
}

// A triangle's deformation.
typedef struct mus_membrane_state {
  mus_real w_u[3], w_v[3];
  mus_real unit_u[3], unit_v[3];
  mus_real length_u, length_v; // 1 at rest
} mus_membrane_state;

MUS_ELEMENT void mus_membrane_state_make(const mus_membrane_rest *rest, const mus_real *x, mus_membrane_state *state) {
  mus_membrane_derivative(rest->s, x, state->w_u);
  mus_membrane_derivative(rest->t, x, state->w_v);
  state->length_u = mus_unit3(state->w_u, state->unit_u);
  state->length_v = mus_unit3(state->w_v, state->unit_v);
}

#ifndef MUS_LANES
// C_u, C_v, C_s and their gradients, 9 numbers each.
MUS_ELEMENT void mus_membrane_conditions(const mus_membrane_rest *rest, const mus_real *x, mus_real *condition,
                                         mus_real *derivative) {
  mus_membrane_state state;
  mus_real none[3] = {0, 0, 0}, root = sqrt(rest->area);
  mus_membrane_state_make(rest, x, &state);
  condition[0] = root * (state.length_u - 1);
  condition[1] = root * (state.length_v - 1);
  condition[2] = root * mus_dot3(state.w_u, state.w_v);
  mus_membrane_spread(rest, state.unit_u, none, derivative);
  mus_membrane_spread(rest, none, state.unit_v, derivative + 9);
  mus_membrane_spread(rest, state.w_v, state.w_u, derivative + 18);
  for (int k = 0; k < 27; ++k)
    derivative[k] *= root;
}
#endif

MUS_ELEMENT mus_real mus_membrane_energy(const mus_membrane_rest *rest, const mus_membrane_material *material,
                                         const mus_membrane_state *state) {
  mus_real u = state->length_u - 1, v = state->length_v - 1, shear = mus_dot3(state->w_u, state->w_v);
  return rest->area / 2 *
         (material->stretch[0] * u * u + material->stretch[1] * v * v + material->shear * shear * shear);
}

// A symmetric 6x6 matrix on (w_u, w_v): upper triangles of its diagonal halves, and all of uv; vu is its transpose.
typedef struct mus_membrane_form {
  mus_real uu[6], uv[9], vv[6];
} mus_membrane_form;

// form += factor (a, b)(a, b)^T
MUS_ELEMENT void mus_membrane_add_outer(mus_real factor, const mus_real *a, const mus_real *b,
                                        mus_membrane_form *form) {
  mus_add_square(factor, a, form->uu);
  mus_add_outer(factor, a, b, form->uv);
  mus_add_square(factor, b, form->vv);
}

// form += factor H of shear for k = 1, a = 1, clamped
MUS_ELEMENT void mus_membrane_add_clamped_shear(mus_real factor, const mus_membrane_state *state, mus_real c,
                                                mus_membrane_form *form) {
  mus_real total = state->length_u * state->length_u + state->length_v * state->length_v;
  mus_truth any = total > MUS_NO_LENGTH; // otherwise w_u and w_v count as zero
  factor = mus_select(any, factor, mus_all(0));
  total = mus_select(any, total, mus_all(1));
  mus_real size = mus_size(c), sign = mus_select(c < 0, mus_all(-1), mus_all(1));
  mus_real largest = total / 2 + mus_root(total * total / 4 + 3 * c * c);
  mus_real squared = total * (largest * largest + c * c) + 4 * largest * c * c; // |L q + c p|^2
  mus_real on_u[3], on_v[3], y[3], across[6], full[9];
  for (int k = 0; k < 3; ++k) {
    on_u[k] = largest * state->w_v[k] + c * state->w_u[k];
    on_v[k] = largest * state->w_u[k] + c * state->w_v[k];
    y[k] = state->w_v[k] + sign * state->w_u[k];
  }
  mus_membrane_add_outer(factor * largest / squared, on_u, on_v, form);
  // |c|/2 (I - y y^T/|y|^2) in both halves and, with c's sign, between them; |y|^2 = T + 2 |c|
  across[0] = across[3] = across[5] = factor * size / 2;
  across[1] = across[2] = across[4] = mus_all(0);
  mus_add_square(-factor * size / (2 * (total + 2 * size)), y, across);
  mus_expand_square(across, full);
  for (int k = 0; k < 6; ++k) {
    form->uu[k] += across[k];
    form->vv[k] += across[k];
  }
  for (int k = 0; k < 9; ++k)
    form->uv[k] += sign * full[k];
}

// How fast a length grows with everything across it: 1 - 1/length, and never negative unless that is wanted.
MUS_ELEMENT mus_real mus_membrane_across(mus_real length, int exact) {
  mus_real rate = mus_select(length > MUS_NO_LENGTH, 1 - 1 / length, mus_all(0));
  return exact ? rate : mus_select(rate > 0, rate, mus_all(0));
}

// form = H
MUS_ELEMENT void mus_membrane_stiffness(const mus_membrane_rest *rest, const mus_membrane_material *material,
                                        const mus_membrane_state *state, int exact, mus_membrane_form *form) {
  mus_real u = rest->area * material->stretch[0], v = rest->area * material->stretch[1];
  mus_along_across(u, u * mus_membrane_across(state->length_u, exact), state->unit_u, form->uu);
  mus_along_across(v, v * mus_membrane_across(state->length_v, exact), state->unit_v, form->vv);
  mus_real shear = rest->area * material->shear, c = mus_dot3(state->w_u, state->w_v);
  mus_zero(9, form->uv);
  if (!exact) {
    mus_membrane_add_clamped_shear(shear, state, c, form);
    return;
  }
  mus_membrane_add_outer(shear, state->w_v, state->w_u, form);
  for (int k = 0; k < 9; k += 4)
    form->uv[k] += shear * c;
}

// form = stiffness form + damping D
MUS_ELEMENT void mus_membrane_blend(const mus_membrane_rest *rest, const mus_membrane_material *material,
                                    const mus_membrane_state *state, const mus_blend *blend, mus_membrane_form *form) {
  mus_real d = rest->area * blend->damping;
  for (int k = 0; k < 6; ++k) {
    form->uu[k] *= blend->stiffness;
    form->vv[k] *= blend->stiffness;
  }
  for (int k = 0; k < 9; ++k)
    form->uv[k] *= blend->stiffness;
  mus_add_square(d * material->stretch_damping[0], state->unit_u, form->uu);
  mus_add_square(d * material->stretch_damping[1], state->unit_v, form->vv);
  mus_membrane_add_outer(d * material->shear_damping, state->w_v, state->w_u, form);
}

// The six blocks of a form. Blocks of corner 0 are minus sums of the others, because its coefficients are.
MUS_ELEMENT void mus_membrane_blocks(const mus_membrane_rest *rest, const mus_membrane_form *form, mus_real *block) {
  const mus_real *s = rest->s, *t = rest->t;
  mus_real uu[9], vv[9], square[3][6]; // of blocks 00, 11 and 22
  const mus_real *uv = form->uv,
                 twice[6] = {uv[0] + uv[0], uv[1] + uv[3], uv[2] + uv[6], uv[4] + uv[4], uv[5] + uv[7], uv[8] + uv[8]};
  mus_real *between = block + 36; // block 12
  mus_expand_square(form->uu, uu);
  mus_expand_square(form->vv, vv);
  for (int k = 0; k < 6; ++k) {
    square[1][k] = s[0] * s[0] * form->uu[k] + t[0] * t[0] * form->vv[k] + s[0] * t[0] * twice[k];
    square[2][k] = s[1] * s[1] * form->uu[k] + t[1] * t[1] * form->vv[k] + s[1] * t[1] * twice[k];
  }
  for (int k = 0; k < 9; ++k)
    between[k] =
        s[0] * s[1] * uu[k] + t[0] * t[1] * vv[k] + (s[0] * t[1] * uv[k] + t[0] * s[1] * uv[3 * (k % 3) + k / 3]);
  mus_expand_square(square[1], block + 27);
  mus_expand_square(square[2], block + 45);
  for (int k = 0; k < 9; ++k) {
    block[9 + k] = -(block[27 + k] + between[3 * (k % 3) + k / 3]);
    block[18 + k] = -(between[k] + block[45 + k]);
  }
  const mus_real both[6] = {between[0] + between[0], between[1] + between[3], between[2] + between[6],
                            between[4] + between[4], between[5] + between[7], between[8] + between[8]};
  for (int k = 0; k < 6; ++k)
    square[0][k] = square[1][k] + square[2][k] + both[k];
  mus_expand_square(square[0], block);
}

// c = square a
MUS_ELEMENT void mus_membrane_multiply_square(const mus_real *square, const mus_real *a, mus_real *c) {
  c[0] = square[0] * a[0] + square[1] * a[1] + square[2] * a[2];
  c[1] = square[1] * a[0] + square[3] * a[1] + square[4] * a[2];
  c[2] = square[2] * a[0] + square[4] * a[1] + square[5] * a[2];
}

// on += factor form (v_u, v_v)
MUS_ELEMENT void mus_membrane_multiply(mus_uniform factor, const mus_membrane_form *form, const mus_real *v_u,
                                       const mus_real *v_v, mus_real *on_u, mus_real *on_v) {
  mus_real same_u[3], same_v[3];
  mus_membrane_multiply_square(form->uu, v_u, same_u);
  mus_membrane_multiply_square(form->vv, v_v, same_v);
  for (int k = 0; k < 3; ++k) {
    on_u[k] += factor * (same_u[k] + mus_dot3(form->uv + 3 * k, v_v));
    on_v[k] += factor * (same_v[k] + form->uv[k] * v_u[0] + form->uv[3 + k] * v_u[1] + form->uv[6 + k] * v_u[2]);
  }
}

// dE/dw, plus the damping's share for the rates (v_u, v_v) of w.
MUS_ELEMENT void mus_membrane_stress(const mus_membrane_rest *rest, const mus_membrane_material *material,
                                     const mus_membrane_state *state, const mus_real *v_u, const mus_real *v_v,
                                     mus_real *on_u, mus_real *on_v) {
  mus_real shear = material->shear * mus_dot3(state->w_u, state->w_v) +
                   material->shear_damping * (mus_dot3(v_u, state->w_v) + mus_dot3(state->w_u, v_v));
  mus_real along_u =
      material->stretch[0] * (state->length_u - 1) + material->stretch_damping[0] * mus_dot3(state->unit_u, v_u);
  mus_real along_v =
      material->stretch[1] * (state->length_v - 1) + material->stretch_damping[1] * mus_dot3(state->unit_v, v_v);
  for (int k = 0; k < 3; ++k) {
    on_u[k] = rest->area * (along_u * state->unit_u[k] + shear * state->w_v[k]);
    on_v[k] = rest->area * (along_v * state->unit_v[k] + shear * state->w_u[k]);
  }
}

// form += g q q^T + t J of shear, clamped
MUS_ELEMENT void mus_membrane_add_sheared(mus_real g, mus_real t, const mus_membrane_state *state, mus_real c,
                                          mus_membrane_form *form) {
  mus_real total = state->length_u * state->length_u + state->length_v * state->length_v;
  mus_real size = mus_size(t), sign = mus_select(t < 0, mus_all(-1), mus_all(1)), half = g * total / 2;
  mus_truth both = sign * 2 * g * c + size < 0; // eigenvalues in the span of p and q are positive
  mus_real square = half * half + t * (2 * g * c + t);
  mus_real largest = half + mus_root(mus_select(square > 0, square, mus_all(0)));
  mus_real on_u[3], on_v[3], y[3], across[6], full[9];
  for (int k = 0; k < 3; ++k) {
    on_u[k] = largest * state->w_v[k] + t * state->w_u[k];
    on_v[k] = largest * state->w_u[k] + t * state->w_v[k];
  }
  mus_real squared = mus_dot3(on_u, on_u) + mus_dot3(on_v, on_v);
  mus_truth any = squared > 1e-200; // where not, the vectors (z, z sign t) are all there is
  mus_real factor = mus_select(both, g, mus_select(any, largest / squared, mus_all(0)));
  for (int k = 0; k < 3; ++k) {
    on_u[k] = mus_select(both, state->w_v[k], on_u[k]);
    on_v[k] = mus_select(both, state->w_u[k], on_v[k]);
    y[k] = state->w_v[k] + mus_select(both, -sign, sign) * state->w_u[k];
  }
  mus_membrane_add_outer(factor, on_u, on_v, form);
  // What is left: |t|/2 (I - y y^T/|y|^2) in both halves and, with t's sign, between them. Where both are kept, all of
  // t J is, less the vectors (z, -z sign t), z orthogonal to y = w_v - w_u sign t.
  mus_unit3(y, y);
  mus_zero(6, across);
  mus_add_square(size / 2, y, across);
  mus_expand_square(across, full);
  for (int k = 0; k < 6; ++k) {
    mus_real here = (k == 0 || k == 3 || k == 5 ? size / 2 : mus_all(0)) - across[k];
    form->uu[k] += here;
    form->vv[k] += here;
  }
  for (int k = 0; k < 9; ++k)
    form->uv[k] += sign * ((k % 4 == 0 ? size / 2 : mus_all(0)) + mus_select(both, full[k], -full[k]));
}

// The tension of a condition and its energy, for k = stiffness and d = per_second * damping.
typedef struct mus_membrane_pull {
  mus_real tension, energy;
} mus_membrane_pull;

MUS_ELEMENT mus_membrane_pull mus_membrane_pull_of(mus_uniform k, mus_uniform d, mus_real condition, mus_real moved) {
  mus_membrane_pull pull = {k * condition + d * moved, k * condition * condition + d * moved * moved};
  return pull;
}

// Of stretch, with a tension and everything else as blend says.
MUS_ELEMENT void mus_membrane_stretched(mus_real area, mus_uniform k, mus_uniform d, const mus_blend *blend,
                                        mus_real tension, mus_real length, const mus_real *unit, mus_real *square) {
  mus_real across = mus_select(length > MUS_NO_LENGTH, tension / length, mus_all(0));
  across = blend->exact ? across : mus_select(across > 0, across, mus_all(0));
  mus_along_across(area * (blend->stiffness * k + blend->damping * d), area * (blend->stiffness * across), unit,
                   square);
}

// mus_membrane_element() with damping as a potential; `start` is X.
MUS_ELEMENT mus_real mus_membrane_in_step(const mus_membrane_rest *rest, const mus_membrane_material *m,
                                          const mus_blend *blend, const mus_real *x, const mus_real *start,
                                          mus_real *gradient, mus_real *block) {
  mus_membrane_state state, begin;
  mus_uniform p = blend->per_second;
  mus_membrane_state_make(rest, x, &state);
  mus_membrane_state_make(rest, start, &begin);
  mus_real c = mus_dot3(state.w_u, state.w_v), area = rest->area;
  mus_membrane_pull u = mus_membrane_pull_of(m->stretch[0], p * m->stretch_damping[0], state.length_u - 1,
                                             state.length_u - begin.length_u);
  mus_membrane_pull v = mus_membrane_pull_of(m->stretch[1], p * m->stretch_damping[1], state.length_v - 1,
                                             state.length_v - begin.length_v);
  mus_membrane_pull shear = mus_membrane_pull_of(m->shear, p * m->shear_damping, c, c - mus_dot3(begin.w_u, begin.w_v));
  if (gradient) {
    mus_real on_u[3], on_v[3];
    for (int k = 0; k < 3; ++k) {
      on_u[k] = area * (u.tension * state.unit_u[k] + shear.tension * state.w_v[k]);
      on_v[k] = area * (v.tension * state.unit_v[k] + shear.tension * state.w_u[k]);
    }
    mus_membrane_spread(rest, on_u, on_v, gradient);
  }
  if (block) {
    mus_membrane_form form;
    mus_real g = area * (blend->stiffness * m->shear + blend->damping * m->shear_damping);
    mus_real t = area * (blend->stiffness * shear.tension);
    mus_zero(9, form.uv);
    mus_membrane_stretched(area, m->stretch[0], m->stretch_damping[0], blend, u.tension, state.length_u, state.unit_u,
                           form.uu);
    mus_membrane_stretched(area, m->stretch[1], m->stretch_damping[1], blend, v.tension, state.length_v, state.unit_v,
                           form.vv);
    if (blend->exact) {
      mus_membrane_add_outer(g, state.w_v, state.w_u, &form);
      for (int k = 0; k < 9; k += 4)
        form.uv[k] += t;
    } else {
      mus_membrane_add_sheared(g, t, &state, c, &form);
    }
    mus_membrane_blocks(rest, &form, block);
  }
  return area / 2 * (u.energy + v.energy + shear.energy);
}

// All of a triangle: returns E; gradient (9 numbers) and block (54) as blend says, each NULL where not wanted. Without
// velocities (v NULL) there is no damping and no drift in the gradient.
MUS_ELEMENT mus_real mus_membrane_element(const mus_membrane_rest *rest, const mus_membrane_material *material,
                                          const mus_blend *blend, const mus_real *x, const mus_real *v,
                                          mus_real *gradient, mus_real *block) {
  mus_membrane_state state;
  mus_real v_u[3], v_v[3], on_u[3], on_v[3];
  int drifts = gradient && v && blend->drift != 0;
  if (blend->per_second > 0)
    return mus_membrane_in_step(rest, material, blend, x, v, gradient, block);
  mus_membrane_state_make(rest, x, &state);
  mus_zero(3, v_u);
  mus_zero(3, v_v);
  if (v) {
    mus_membrane_derivative(rest->s, v, v_u);
    mus_membrane_derivative(rest->t, v, v_v);
  }
  mus_membrane_stress(rest, material, &state, v_u, v_v, on_u, on_v);
  if (block || drifts) {
    mus_membrane_form form;
    mus_membrane_stiffness(rest, material, &state, blend->exact, &form);
    if (drifts)
      mus_membrane_multiply(blend->drift, &form, v_u, v_v, on_u, on_v);
    if (block) {
      mus_membrane_blend(rest, material, &state, blend, &form);
      mus_membrane_blocks(rest, &form, block);
    }
  }
  if (gradient)
    mus_membrane_spread(rest, on_u, on_v, gradient);
  return mus_membrane_energy(rest, material, &state);
}

#ifndef MUS_LANES
// The derivative of the damping force by position, 9x9, by rows, all of it.
MUS_ELEMENT void mus_membrane_damping_jacobian(const mus_membrane_rest *rest, const mus_membrane_material *material,
                                               const mus_real *x, const mus_real *v, mus_real *jacobian) {
  mus_membrane_state state;
  mus_real condition[3], gradient[27], block[54], second[81];
  mus_real root = sqrt(rest->area);
  mus_real damping[3] = {material->stretch_damping[0], material->stretch_damping[1], material->shear_damping};
  mus_membrane_state_make(rest, x, &state);
  mus_membrane_conditions(rest, x, condition, gradient);
  mus_zero(81, jacobian);
  for (int c = 0; c < 3; ++c) {
    mus_membrane_form form;
    mus_zero(6, form.uu);
    mus_zero(9, form.uv);
    mus_zero(6, form.vv);
    if (c == 0 && state.length_u > MUS_NO_LENGTH)
      mus_along_across(0, root / state.length_u, state.unit_u, form.uu);
    else if (c == 1 && state.length_v > MUS_NO_LENGTH)
      mus_along_across(0, root / state.length_v, state.unit_v, form.vv);
    else if (c == 2)
      form.uv[0] = form.uv[4] = form.uv[8] = root;
    mus_membrane_blocks(rest, &form, block);
    mus_full_matrix(3, block, second);
    mus_add_damping_jacobian(9, damping[c], gradient + 9 * c, second, v, jacobian);
  }
}
#endif

#endif
