// Co-rotated tetrahedra without their matrices: forces and energies from the rotation alone, which takes a fraction of
// the time that singular values and vectors do. This is the local step of Projective Dynamics. Written as element
// functions are, see element.h.
//
//   psi = mu |F - R|^2 + lambda/2 (tr(R^T F) - 3)^2,   P = 2 mu (F - R) + lambda (tr(R^T F) - 3) R
//
// R is found by Newton's method for the polar decomposition, X <- (g X + X^-T / g) / 2 (Higham 1986), with g that
// brings X to the size of a rotation at first. That works where F is not inside out and not nearly flat; elsewhere the
// rotation is that of the singular vectors, as tetrahedron.h has it.
#ifndef MUS_ENERGY_COROTATED_H
#define MUS_ENERGY_COROTATED_H

#include "energy/tetrahedron.h"

// The matrix of cofactors, by rows: det F times F^-T.
MUS_ELEMENT void mus_cofactors3(const mus_real *f, mus_real *cofactor) {
  mus_cross3(f + 3, f + 6, cofactor);
  mus_cross3(f + 6, f, cofactor + 3);
  mus_cross3(f, f + 3, cofactor + 6);
}

MUS_ELEMENT mus_real mus_square9(const mus_real *a) {
  return mus_dot3(a, a) + mus_dot3(a + 3, a + 3) + mus_dot3(a + 6, a + 6);
}

// The rotation R of F = R S. Returns where it was found.
MUS_ELEMENT mus_truth mus_polar3(const mus_real *f, mus_real *r) {
  enum { STEPS = 16, SCALED = 3 };
  const mus_uniform flat = 1e-6, small = 1e-17; // small: the next change is below rounding
  mus_real cofactor[9], size = mus_square9(f);
  mus_cofactors3(f, cofactor);
  mus_real determinant = mus_dot3(f, cofactor);
  mus_truth good = (determinant > flat * size * mus_root(size)) & (size > MUS_NO_LENGTH), moving = good;
  for (int k = 0; k < 9; ++k)
    r[k] = mus_select(good, f[k], mus_all(k % 4 == 0));
  for (int step = 0; step < STEPS && mus_any(moving); ++step) {
    mus_real own = mus_all(0.5), other, change = mus_all(0);
    mus_cofactors3(r, cofactor);
    determinant = mus_dot3(r, cofactor);
    if (step < SCALED) {
      mus_real square = mus_root(mus_square9(cofactor) / mus_square9(r)) / determinant; // g^2
      own = mus_root(square) / 2;
    }
    other = 0.25 / (own * determinant);
    for (int k = 0; k < 9; ++k) {
      mus_real next = own * r[k] + other * cofactor[k], way = next - r[k];
      change += way * way;
      r[k] = mus_select(moving, next, r[k]);
    }
    moving = moving & (change > small);
  }
  return good & ~moving;
}

// The largest root of 4 c^3 - 3 c = r for r from -1 to 1, the cosine of a third of r's angle: from a guess that is
// exact at both ends.
MUS_ELEMENT mus_real mus_third_cosine(mus_real r) {
  mus_real c = 0.5 + 0.5 * mus_root((1 + r) / 2);
  for (int step = 0; step < 4; ++step) {
    mus_real slope = 12 * c * c - 3;
    c -= mus_select(slope > 1e-30, (c * (4 * c * c - 3) - r) / slope, mus_all(0));
  }
  return c;
}

// The largest and the smallest singular value (s[0], s[2]) and the third, of F = R S, from the invariants of S. Where
// two nearly coincide, they are accurate to about 1e-9 of what S differs from a multiple of the identity.
MUS_ELEMENT void mus_stretches3(const mus_real *f, const mus_real *r, mus_real *s) {
  mus_real a[9]; // S, then S less its mean stretch
  for (int k = 0; k < 3; ++k)
    for (int l = k; l < 3; ++l) {
      mus_real kl = r[k] * f[l] + r[3 + k] * f[3 + l] + r[6 + k] * f[6 + l];
      mus_real lk = r[l] * f[k] + r[3 + l] * f[3 + k] + r[6 + l] * f[6 + k];
      a[3 * k + l] = a[3 * l + k] = (kl + lk) / 2;
    }
  mus_real mean = (a[0] + a[4] + a[8]) / 3, cofactor[3];
  for (int k = 0; k < 9; k += 4)
    a[k] -= mean;
  mus_real size = mus_root(mus_square9(a) / 6);
  mus_cross3(a + 3, a + 6, cofactor);
  mus_real cube = size * size * size;
  mus_real angle = mus_select(cube > 1e-100, mus_dot3(a, cofactor) / (2 * cube), mus_all(0));
  angle = mus_select(angle > 1, mus_all(1), mus_select(angle < -1, mus_all(-1), angle));
  s[0] = mean + 2 * size * mus_third_cosine(angle);
  s[2] = mean - 2 * size * mus_third_cosine(-angle);
  s[1] = 3 * mean - s[0] - s[2];
}

// gradient = V P g_a, where P has what damping adds: tau F (2 mu dE/dt + lambda tr(dE/dt)), dE/dt = sym(F^T dF/dt). No
// velocities, no damping.
MUS_ELEMENT void mus_corotated_gradient(const mus_tetrahedron_rest *rest, const mus_solid_constants *c,
                                        const mus_real *f, mus_real *stress, const mus_real *v, mus_real *gradient) {
  if (v) {
    mus_real rate[9], strain[9], turned[9];
    mus_tetrahedron_map(rest, v, rate);
    mus_transposed_product3(f, rate, turned);
    mus_real trace = c->lame.lambda * (turned[0] + turned[4] + turned[8]);
    for (int k = 0; k < 9; ++k)
      strain[k] = c->lame.mu * (turned[k] + turned[3 * (k % 3) + k / 3]);
    for (int k = 0; k < 9; k += 4)
      strain[k] += trace;
    mus_product3(f, strain, turned);
    for (int k = 0; k < 9; ++k)
      stress[k] += c->damping * turned[k];
  }
  for (int k = 0; k < 3; ++k) {
    mus_real sum = mus_all(0);
    for (int a = 1; a < 4; ++a) {
      gradient[3 * a + k] = rest->volume * mus_dot3(stress + 3 * k, rest->gradient + 3 * a);
      sum += gradient[3 * a + k];
    }
    gradient[k] = -sum;
  }
}

// As mus_tetrahedron_element() of the co-rotated law, without blocks and without drift.
MUS_ELEMENT mus_real mus_corotated_element(const mus_tetrahedron_rest *rest, const mus_solid_constants *c,
                                           mus_uniform per_second, const mus_real *x, const mus_real *v,
                                           mus_real *gradient, mus_real *stretch) {
  const mus_blend still = {0, 0, 0, 0, per_second};
  mus_real f[9], r[9], stress[9], apart = mus_all(0), trace = mus_all(-3);
  mus_tetrahedron_map(rest, x, f);
  mus_truth good = mus_polar3(f, r);
  for (int k = 0; k < 9; ++k) {
    apart += (f[k] - r[k]) * (f[k] - r[k]);
    trace += f[k] * r[k];
  }
  for (int k = 0; k < 9; ++k)
    stress[k] = 2 * c->lame.mu * (f[k] - r[k]) + c->lame.lambda * trace * r[k];
  mus_real energy = rest->volume * (c->lame.mu * apart + c->lame.lambda / 2 * trace * trace);
  if (gradient)
    mus_corotated_gradient(rest, c, f, stress, per_second > 0 ? NULL : v, gradient);
  if (per_second > 0) {
    mus_real begin[9], damper[9];
    mus_tetrahedron_map(rest, v, begin);
    energy += rest->volume * mus_solid_damper(c, per_second, f, begin, damper);
    mus_tetrahedron_add_damper(rest, &still, f, damper, gradient, NULL);
  }
  if (stretch)
    mus_stretches3(f, r, stretch);
  if (mus_all_of(good))
    return energy;
  mus_real other[12], s[3];
  mus_real full = mus_tetrahedron_element(mus_corotated_law, rest, c, &still, x, v, gradient ? other : NULL, NULL, s);
  for (int k = 0; k < 12 && gradient; ++k)
    gradient[k] = mus_select(good, gradient[k], other[k]);
  for (int k = 0; k < 3 && stretch; ++k)
    stretch[k] = mus_select(good, stretch[k], s[k]);
  return mus_select(good, energy, full);
}

#endif
