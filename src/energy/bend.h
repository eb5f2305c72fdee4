// Bending: the dihedral angle over an edge between two triangles.
//
// A hinge has nodes a, b (the edge), c (the third corner of the triangle a b c) and d (of the triangle b a d). With
// e = b - a and the normals n_1 = e x (c - a), n_2 = -e x (d - a),
//   theta = atan2(e/|e| . (n_1 x n_2), n_1 . n_2)  in (-pi, pi],
// zero where the two are flat, positive where the front is a ridge. With theta_0 the angle at rest,
//   E = w/2 (theta - theta_0)^2,   w = B (|e|^2 / (a_1 + a_2)) (3/5 + 4/5 cos gamma),
// with |e|, the triangles' areas a and the mean cosine of the angles gamma opposite to the edge taken in the material.
// The difference of angles is taken the short way round, so that only the angle opposite to theta_0 is special.
//
// B is a plate's bending stiffness in N m (moment per width and curvature). With |e|^2 / (a_1 + a_2) alone, a sheet of
// equilateral triangles rolled up about any axis has exactly B/2 curvature^2 per area (Seung and Nelson 1988), and so
// has one of squares with diagonals about an axis along their sides; about other axes the squares' diagonals are too
// stiff. (The often seen 3 |e|^2 / (a_1 + a_2) of Bergou et al. 2006 is three times as stiff.) All hinge energies
// depend on the mesh like that (Grinspun et al. 2006). The last factor, 1 where gamma is 60 degrees, is fitted: it
// takes from edges opposite to right angles and gives to those opposite to sharp ones, so that sheets of squares, of
// Delaunay triangles and of equilateral ones bend nearly alike in all directions.
//
// Damping: f = -d (dtheta/dx) thetadot, d in N m s after the same weighting.
//
// K without `exact` is Gauss-Newton's w g g^T, g = dtheta/dx, of rank one and semi-definite as it stands. What it
// drops, w (theta - theta_0) d^2theta/dx^2, has trace zero in every state (see mus_hinge_second()), so it always has a
// negative eigenvalue unless it is zero; and it vanishes as the hinge nears its rest angle. D = d g g^T drops nothing
// that depends on velocity; the derivative of the damping force by position is left out, as it is for triangles, and
// mus_hinge_damping_jacobian() has it.
#ifndef MUS_ENERGY_BEND_H
#define MUS_ENERGY_BEND_H

#include "energy/element.h"

// Constant data of a hinge, 24 bytes.
typedef struct mus_hinge_rest {
  mus_real weight;  // w, N m
  mus_real damping; // d, N m s
  mus_real angle;   // theta_0, rad
} mus_hinge_rest;

#ifndef MUS_LANES
// Bending stiffness for bending in a direction of the material: `cosine` and `sine` of its angle to the warp. An
// orthotropic plate's cylindrical bending depends on the angle like this; `bias` is its value at 45 degrees.
MUS_ELEMENT mus_real mus_bend_stiffness(mus_real warp, mus_real weft, mus_real bias, mus_real cosine, mus_real sine) {
  mus_real c = cosine * cosine, s = sine * sine;
  return warp * c * c + (4 * bias - warp - weft) * c * s + weft * s * s;
}

// |e|^2 / (a_1 + a_2) times the shape factor, for a cosine that is the mean of those of the two angles opposite to the
// edge. Very obtuse angles, where the factor would fall to nothing, keep a fifth.
MUS_ELEMENT mus_real mus_hinge_shape(mus_real length, mus_real area, mus_real cosine) {
  mus_real factor = 0.6 + 0.8 * cosine;
  return length * length / area * (factor > 0.2 ? factor : 0.2);
}
#endif

// One of the two triangles of a hinge, seen from its edge. With the height h of the third corner over the edge,
// `inward` leads from the edge to that corner and `normal` is edge x inward; both are h long.
typedef struct mus_hinge_side {
  mus_real inward[3], normal[3];
  mus_real square; // h^2
  mus_real foot;   // where the corner stands on the edge: 0 at a, 1 at b
} mus_hinge_side;

typedef struct mus_hinge_state {
  mus_hinge_side side[2]; // of c and of d; the second one's normal is minus n_2
  mus_real edge[3];       // unit
  mus_real length;        // of the edge
  mus_real angle;
  mus_truth folds; // 0: an edge or a triangle has collapsed, there is no angle and no force
} mus_hinge_state;

// A hinge counts as collapsed where its edge or a height over it is shorter than a millionth of its other lengths: the
// forces, which go with the reciprocals of those, would be out of all proportion.
#define MUS_HINGE_COLLAPSED 1e-12

MUS_ELEMENT mus_truth mus_hinge_side_make(const mus_real *edge, mus_real length, const mus_real *arm,
                                          mus_hinge_side *side) {
  mus_real along = mus_dot3(arm, edge), reach = mus_dot3(arm, arm);
  for (int k = 0; k < 3; ++k)
    side->inward[k] = arm[k] - along * edge[k];
  side->square = mus_dot3(side->inward, side->inward);
  mus_cross3(edge, side->inward, side->normal);
  side->foot = along * mus_select(length > MUS_NO_LENGTH, 1 / length, mus_all(0));
  return (mus_truth)(side->square > MUS_HINGE_COLLAPSED * length * length) &
         (mus_truth)(length * length > MUS_HINGE_COLLAPSED * reach);
}

MUS_ELEMENT void mus_hinge_state_make(const mus_real *x, mus_hinge_state *state) {
  mus_real e[3], arm[2][3];
  mus_subtract3(x + 3, x, e);
  mus_subtract3(x + 6, x, arm[0]);
  mus_subtract3(x + 9, x, arm[1]);
  state->length = mus_unit3(e, state->edge);
  state->folds = (mus_truth)(state->length > MUS_NO_LENGTH);
  for (int k = 0; k < 2; ++k)
    state->folds &= mus_hinge_side_make(state->edge, state->length, arm[k], &state->side[k]);
  // n_1 and n_2 turn into each other as the inward directions do, the second one reversed.
  const mus_real *across = state->side[1].inward;
  state->angle = mus_angle(-mus_dot3(state->side[0].normal, across), -mus_dot3(state->side[0].inward, across));
  state->angle = mus_select(state->folds, state->angle, mus_all(0));
}

// A difference of angles, the short way round.
MUS_ELEMENT mus_real mus_short_way(mus_real difference) {
  return mus_select(difference > MUS_PI, difference - 2 * MUS_PI,
                    mus_select(difference < -MUS_PI, difference + 2 * MUS_PI, difference));
}

// theta - theta_0
MUS_ELEMENT mus_real mus_hinge_difference(const mus_hinge_rest *rest, const mus_hinge_state *state) {
  return mus_select(state->folds, mus_short_way(state->angle - rest->angle), mus_all(0));
}

// How far a hinge has turned since the step began, with its nodes at `start`; nothing if it is collapsed now or was
// then.
MUS_ELEMENT mus_real mus_hinge_turned(const mus_hinge_state *state, const mus_real *start) {
  mus_hinge_state begin;
  mus_hinge_state_make(start, &begin);
  return mus_select(state->folds & begin.folds, mus_short_way(state->angle - begin.angle), mus_all(0));
}

// g = dtheta/dx, 12 numbers. A corner's is its side's normal over h^2; the edge's nodes balance both corners.
MUS_ELEMENT void mus_hinge_gradient(const mus_hinge_state *state, mus_real *g) {
  const mus_hinge_side *first = &state->side[0], *second = &state->side[1];
  mus_real steep_c = mus_select(state->folds, -1 / first->square, mus_all(0));
  mus_real steep_d = mus_select(state->folds, 1 / second->square, mus_all(0));
  for (int k = 0; k < 3; ++k) {
    mus_real c = steep_c * first->normal[k], d = steep_d * second->normal[k];
    g[k] = -((1 - first->foot) * c + (1 - second->foot) * d);
    g[3 + k] = -(first->foot * c + second->foot * d);
    g[6 + k] = c;
    g[9 + k] = d;
  }
}

// What of a hinge K and D consist of, without `exact`: they blend into r r^T. Half of the factor goes to each side, so
// that r r^T is symmetric to the last bit.
MUS_ELEMENT void mus_hinge_rank_one(const mus_hinge_rest *rest, const mus_blend *blend, const mus_real *g,
                                    mus_real *r) {
  mus_real root = mus_root(blend->stiffness * rest->weight + blend->damping * rest->damping);
  for (int k = 0; k < 12; ++k)
    r[k] = root * g[k];
}

// All of a hinge but its blocks, without `exact`: returns E; gradient and r (12 numbers each, r r^T being its blocks)
// as blend says, each NULL where not wanted. Without velocities (v NULL) there is no damping and no drift in the
// gradient.
MUS_ELEMENT mus_real mus_hinge_forces(const mus_hinge_rest *rest, const mus_blend *blend, const mus_hinge_state *state,
                                      const mus_real *v, mus_real *gradient, mus_real *r) {
  mus_real difference = mus_hinge_difference(rest, state), energy = rest->weight / 2 * difference * difference;
  mus_real damper = mus_all(0); // the moment of damping as a potential
  if (blend->per_second > 0) {
    mus_real turned = mus_hinge_turned(state, v);
    damper = blend->per_second * rest->damping * turned;
    energy += damper / 2 * turned;
  }
  if (gradient || r) {
    mus_real g[12], rate = mus_all(0), moment;
    mus_hinge_gradient(state, g);
    for (int k = 0; k < 12 && v; ++k)
      rate += g[k] * v[k];
    moment = rest->weight * difference + (rest->damping + blend->drift * rest->weight) * rate;
    if (blend->per_second > 0)
      moment = rest->weight * difference + damper;
    for (int k = 0; k < 12 && gradient; ++k)
      gradient[k] = moment * g[k];
    if (r)
      mus_hinge_rank_one(rest, blend, g, r);
  }
  return energy;
}

#ifndef MUS_LANES
// d^2theta/dx^2 from one side, added to the ten blocks. With h the height, s the foot and L the edge's length,
//   P = (normal inward^T + inward normal^T) / h^4   and   Q = edge normal^T / (L h^2)
// it consists of cc: P, bc: -s P + Q^T, ac: -(1-s) P - Q^T, bb: (s^2 + h^2/2L^2) P - s (Q + Q^T),
// aa: ((1-s)^2 + h^2/2L^2) P + (1-s)(Q + Q^T), ab: (s(1-s) - h^2/2L^2) P + s Q^T - (1-s) Q, times sign. P and Q have
// trace zero. (By itself, either side's bb, aa and ab also has a skew part; the two sides' cancel.)
MUS_ELEMENT void mus_hinge_add_second(const mus_hinge_state *state, int which, mus_real *block) {
  const mus_hinge_side *side = &state->side[which];
  mus_real square = side->square, s = side->foot, r = 1 - s, half = square / (2 * state->length * state->length);
  int corner = 2 + which;
  mus_real *aa = block, *ab = block + 9, *bb = block + 36;
  mus_real *ac = block + 9 * corner, *bc = block + 9 * (3 + corner), *cc = block + 9 * (which == 0 ? 7 : 9);
  mus_real sign = which == 0 ? 1 : -1;
  for (int k = 0; k < 3; ++k)
    for (int l = 0; l < 3; ++l) {
      int here = 3 * k + l;
      mus_real p = sign * (side->normal[k] * side->inward[l] + side->inward[k] * side->normal[l]) / (square * square);
      mus_real q = sign * state->edge[k] * side->normal[l] / (state->length * square);
      mus_real transposed = sign * side->normal[k] * state->edge[l] / (state->length * square);
      aa[here] += (r * r + half) * p + r * (q + transposed);
      ab[here] += (s * r - half) * p + (s * transposed - r * q);
      bb[here] += (s * s + half) * p - s * (q + transposed);
      ac[here] += -(r * p + transposed);
      bc[here] += transposed - s * p;
      cc[here] += p;
    }
}

// d^2theta/dx^2, ten blocks.
MUS_ELEMENT void mus_hinge_second(const mus_hinge_state *state, mus_real *block) {
  mus_zero(90, block);
  if (!state->folds)
    return;
  mus_hinge_add_second(state, 0, block);
  mus_hinge_add_second(state, 1, block);
}

// What Gauss-Newton leaves out: moment d^2theta/dx^2 in the blocks, and times the drift's velocity in the gradient,
// unless v is NULL.
MUS_ELEMENT void mus_hinge_add_exact(const mus_hinge_state *state, mus_real moment, const mus_blend *blend,
                                     const mus_real *v, mus_real *gradient, mus_real *block) {
  mus_real second[90];
  mus_hinge_second(state, second);
  for (int k = 0; k < 90 && block; ++k)
    block[k] += blend->stiffness * moment * second[k];
  if (!gradient || !v || blend->drift == 0)
    return;
  mus_real full[144];
  mus_full_matrix(4, second, full);
  for (int k = 0; k < 12; ++k)
    for (int l = 0; l < 12; ++l)
      gradient[k] += blend->drift * moment * full[12 * k + l] * v[l];
}

// All of a hinge: returns E; gradient (12 numbers) and block (90) as blend says, each NULL where not wanted. Without
// velocities (v NULL) there is no damping and no drift in the gradient.
MUS_ELEMENT mus_real mus_hinge_element(const mus_hinge_rest *rest, const mus_blend *blend, const mus_real *x,
                                       const mus_real *v, mus_real *gradient, mus_real *block) {
  mus_hinge_state state;
  mus_real r[12];
  mus_hinge_state_make(x, &state);
  mus_real energy = mus_hinge_forces(rest, blend, &state, v, gradient, block ? r : NULL);
  if (block)
    for (int i = 0, b = 0; i < 4; ++i)
      for (int j = i; j < 4; ++j, ++b)
        for (int k = 0; k < 9; ++k)
          block[9 * b + k] = r[3 * i + k / 3] * r[3 * j + k % 3];
  if (blend->exact && (gradient || block)) {
    mus_real moment = rest->weight * mus_hinge_difference(rest, &state);
    if (blend->per_second > 0)
      moment += blend->per_second * rest->damping * mus_hinge_turned(&state, v);
    mus_hinge_add_exact(&state, moment, blend, blend->per_second > 0 ? NULL : v, gradient, block);
  }
  return energy;
}

// The derivative of the damping force by position, 12x12, by rows, all of it.
MUS_ELEMENT void mus_hinge_damping_jacobian(const mus_hinge_rest *rest, const mus_real *x, const mus_real *v,
                                            mus_real *jacobian) {
  mus_hinge_state state;
  mus_real g[12], block[90], second[144];
  mus_hinge_state_make(x, &state);
  mus_hinge_gradient(&state, g);
  mus_hinge_second(&state, block);
  mus_full_matrix(4, block, second);
  mus_zero(144, jacobian);
  mus_add_damping_jacobian(12, rest->damping, g, second, v, jacobian);
}
#endif

#endif
