// Singular values of 3x3 matrices, with rotations: F = U diag(s) V^T, det U = det V = 1, |s_0| >= |s_1| >= |s_2|, where
// s_0 and s_1 are not negative and s_2 has the sign of det F (Irving, Teran and Fedkiw 2004). Written as element
// functions are, see element.h; matrices are stored by rows.
//
// Columns of F V are made orthogonal by Jacobi's rotations (Hestenes 1958), which finds small singular values as
// accurately as large ones, whatever F is: flat, inverted, or nothing at all.
#ifndef MUS_ENERGY_SVD3_H
#define MUS_ENERGY_SVD3_H

#include "energy/element.h"

// Columns p and q of a (by rows) <- their rotation by c and s.
MUS_ELEMENT void mus_rotate_columns(int p, int q, mus_real c, mus_real s, mus_real *a) {
  for (int r = 0; r < 3; ++r) {
    mus_real x = a[3 * r + p], y = a[3 * r + q];
    a[3 * r + p] = c * x - s * y;
    a[3 * r + q] = s * x + c * y;
  }
}

MUS_ELEMENT mus_real mus_columns_dot(const mus_real *a, int p, int q) {
  return a[p] * a[q] + a[3 + p] * a[3 + q] + a[6 + p] * a[6 + q];
}

// The rotation of Jacobi that makes a symmetric 2x2 matrix (xx, xy; xy, yy) diagonal.
MUS_ELEMENT void mus_jacobi_rotation(mus_real xx, mus_real xy, mus_real yy, mus_real *c, mus_real *s) {
  mus_real tau = (yy - xx) / (2 * xy);
  mus_real t = (tau >= 0 ? 1 : -1) / (mus_size(tau) + mus_root(1 + tau * tau));
  *c = 1 / mus_root(1 + t * t);
  *s = t * *c;
}

// A unit vector across the unit vector a.
MUS_ELEMENT void mus_across3(const mus_real *a, mus_real *unit) {
  int least = mus_size(a[0]) < mus_size(a[1]) ? 0 : 1;
  if (mus_size(a[2]) < mus_size(a[least]))
    least = 2;
  mus_real axis[3] = {least == 0, least == 1, least == 2};
  mus_cross3(a, axis, unit);
  mus_unit3(unit, unit);
}

MUS_ELEMENT void mus_svd3(const mus_real *f, mus_real *u, mus_real *s, mus_real *v) {
  enum { SWEEPS = 12 };
  const mus_real orthogonal = 1e-16;   // of two columns: the cosine between them that counts as nothing
  mus_real a[9], square[3], scale = 0; // of the largest entry, so that squares neither vanish nor overflow
  int order[3] = {0, 1, 2};
  for (int k = 0; k < 9; ++k)
    scale = mus_size(f[k]) > scale ? mus_size(f[k]) : scale;
  for (int k = 0; k < 9; ++k) {
    a[k] = scale > 0 ? f[k] / scale : 0;
    v[k] = k % 4 == 0;
  }
  for (int sweep = 0, turned = 1; sweep < SWEEPS && turned; ++sweep) {
    turned = 0;
    for (int pair = 0; pair < 3; ++pair) {
      int p = pair == 2, q = pair == 0 ? 1 : 2; // (0, 1), (0, 2), (1, 2)
      mus_real xx = mus_columns_dot(a, p, p), yy = mus_columns_dot(a, q, q), xy = mus_columns_dot(a, p, q), c, sine;
      if (!(mus_size(xy) > orthogonal * mus_root(xx) * mus_root(yy)) || !(mus_size(xy) > 1e-290))
        continue;
      mus_jacobi_rotation(xx, xy, yy, &c, &sine);
      mus_rotate_columns(p, q, c, sine, a);
      mus_rotate_columns(p, q, c, sine, v);
      turned = 1;
    }
  }
  for (int k = 0; k < 3; ++k)
    square[k] = mus_columns_dot(a, k, k);
  for (int pass = 0; pass < 3; ++pass) // three numbers, the largest first
    for (int k = 0; k < 2; ++k)
      if (square[order[k]] < square[order[k + 1]]) {
        int swap = order[k];
        order[k] = order[k + 1];
        order[k + 1] = swap;
      }
  mus_real column[3][3], turn[3][3]; // of A and V, in that order
  for (int k = 0; k < 3; ++k)
    for (int r = 0; r < 3; ++r) {
      column[k][r] = a[3 * r + order[k]];
      turn[k][r] = v[3 * r + order[k]];
    }
  mus_real third[3], left[3][3];
  mus_cross3(turn[0], turn[1], third); // V is a rotation: its third column may have to change sign, and A's with it
  mus_real sign = mus_dot3(third, turn[2]) < 0 ? -1 : 1;
  mus_scale3(sign, turn[2], turn[2]);
  mus_scale3(sign, column[2], column[2]);
  s[0] = mus_unit3(column[0], left[0]);
  if (!(s[0] > MUS_NO_LENGTH))
    left[0][0] = 1, left[0][1] = left[0][2] = 0;
  // The second, without what rounding has left of the first.
  s[1] = mus_root(square[order[1]]);
  mus_add_scaled3(-mus_dot3(left[0], column[1]), left[0], column[1]);
  if (!(s[1] > 1e-14 * s[0]) || !(mus_unit3(column[1], left[1]) > MUS_NO_LENGTH))
    mus_across3(left[0], left[1]);
  mus_cross3(left[0], left[1], left[2]);
  s[2] = mus_dot3(left[2], column[2]);
  for (int k = 0; k < 3; ++k)
    for (int r = 0; r < 3; ++r) {
      u[3 * r + k] = left[k][r];
      v[3 * r + k] = turn[k][r];
    }
  mus_scale3(scale, s, s);
}

// Eigenvalues and eigenvectors (columns of v, by rows) of a symmetric 3x3 matrix, in any order.
MUS_ELEMENT void mus_eigen3(const mus_real *symmetric, mus_real *value, mus_real *v) {
  enum { SWEEPS = 16 };
  mus_real a[9];
  for (int k = 0; k < 9; ++k) {
    a[k] = symmetric[k];
    v[k] = k % 4 == 0;
  }
  for (int sweep = 0, turned = 1; sweep < SWEEPS && turned; ++sweep) {
    turned = 0;
    for (int pair = 0; pair < 3; ++pair) {
      int p = pair == 2, q = pair == 0 ? 1 : 2;
      mus_real xy = a[3 * p + q], c, s;
      if (!(mus_size(xy) > 1e-17 * (mus_size(a[4 * p]) + mus_size(a[4 * q]))) || !(mus_size(xy) > 1e-290))
        continue;
      mus_jacobi_rotation(a[4 * p], xy, a[4 * q], &c, &s);
      mus_rotate_columns(p, q, c, s, a);
      for (int k = 0; k < 3; ++k) { // and the rows
        mus_real x = a[3 * p + k], y = a[3 * q + k];
        a[3 * p + k] = c * x - s * y;
        a[3 * q + k] = s * x + c * y;
      }
      mus_rotate_columns(p, q, c, s, v);
      turned = 1;
    }
  }
  for (int k = 0; k < 3; ++k)
    value[k] = a[4 * k];
}

#endif
