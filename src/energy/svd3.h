// Singular values of 3x3 matrices, with rotations: F = U diag(s) V^T, det U = det V = 1, |s_0| >= |s_1| >= |s_2|, where
// s_0 and s_1 are not negative and s_2 has the sign of det F (Irving, Teran and Fedkiw 2004). Written as element
// functions are, see element.h; matrices are stored by rows.
//
// Columns of F V are made orthogonal by Jacobi's rotations (Hestenes 1958), which finds small singular values as
// accurately as large ones, whatever F is: flat, inverted, or nothing at all. Lanes that are done are turned by nothing
// while others go on, so that what a lane gives does not depend on its neighbours.
#ifndef MUS_ENERGY_SVD3_H
#define MUS_ENERGY_SVD3_H

#include "energy/element.h"

// What is smaller than this is not turned: its square would vanish.
#define MUS_JACOBI_NOTHING 1e-150

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

// Cosine and sine of Jacobi's rotation, which makes a symmetric 2x2 matrix (xx, xy; xy, yy) diagonal; of none where it
// is not to be turned. With d = yy - xx, the tangent of the smaller angle is 2 xy / (d + sign(d) sqrt(d^2 + 4 xy^2)).
MUS_ELEMENT void mus_jacobi_rotation(mus_truth turned, mus_real xx, mus_real xy, mus_real yy, mus_real *c,
                                     mus_real *s) {
  mus_real d = yy - xx, twice = 2 * xy, root = mus_root(d * d + twice * twice);
  mus_real t = twice / mus_select(turned, d + mus_select(d < 0, -root, root), mus_all(1));
  mus_real cosine = 1 / mus_root(1 + t * t);
  *c = mus_select(turned, cosine, mus_all(1));
  *s = mus_select(turned, t * cosine, mus_all(0));
}

// A unit vector across the unit vector a.
MUS_ELEMENT void mus_across3(const mus_real *a, mus_real *unit) {
  mus_real x = mus_size(a[0]), y = mus_size(a[1]), z = mus_size(a[2]);
  mus_truth last = (z < x) & (z < y), first = x < y;
  mus_real one = mus_all(1), zero = mus_all(0);
  mus_real axis[3] = {mus_select(last, zero, mus_select(first, one, zero)),
                      mus_select(last, zero, mus_select(first, zero, one)), mus_select(last, one, zero)};
  mus_cross3(a, axis, unit);
  mus_unit3(unit, unit);
}

// Where asked for, columns p and q <- q and -p, which keeps the determinant.
MUS_ELEMENT void mus_exchange_columns(mus_truth where, int p, int q, mus_real *a) {
  for (int r = 0; r < 3; ++r) {
    mus_real x = a[3 * r + p], y = a[3 * r + q];
    a[3 * r + p] = mus_select(where, y, x);
    a[3 * r + q] = mus_select(where, -x, y);
  }
}

// A V with orthogonal columns, the longest first, and V, from A; the squares of their lengths.
MUS_ELEMENT void mus_orthogonal_columns(mus_real *a, mus_real *v, mus_real *square) {
  enum { SWEEPS = 12 };
  const mus_uniform orthogonal = 1e-15; // of two columns: the cosine between them that counts as nothing
  for (int k = 0; k < 9; ++k)
    v[k] = mus_all(k % 4 == 0);
  for (int sweep = 0, going = 1; sweep < SWEEPS && going; ++sweep) {
    going = 0;
    for (int pair = 0; pair < 3; ++pair) {
      int p = pair == 2, q = pair == 0 ? 1 : 2; // (0, 1), (0, 2), (1, 2)
      mus_real xx = mus_columns_dot(a, p, p), yy = mus_columns_dot(a, q, q), xy = mus_columns_dot(a, p, q), c, s;
      mus_truth turned = (xy * xy > orthogonal * orthogonal * (xx * yy)) & (mus_size(xy) > MUS_JACOBI_NOTHING);
      if (!mus_any(turned))
        continue;
      mus_jacobi_rotation(turned, xx, xy, yy, &c, &s);
      mus_rotate_columns(p, q, c, s, a);
      mus_rotate_columns(p, q, c, s, v);
      going = 1;
    }
  }
  for (int k = 0; k < 3; ++k)
    square[k] = mus_columns_dot(a, k, k);
  for (int pass = 0; pass < 3; ++pass) { // (0, 1), (1, 2), (0, 1): the longest first
    int p = pass == 1, q = p + 1;
    mus_real x = square[p], y = square[q];
    mus_truth where = x < y;
    mus_exchange_columns(where, p, q, a);
    mus_exchange_columns(where, p, q, v);
    square[p] = mus_select(where, y, x);
    square[q] = mus_select(where, x, y);
  }
}

MUS_ELEMENT void mus_svd3(const mus_real *f, mus_real *u, mus_real *s, mus_real *v) {
  mus_real a[9], square[3], scale = mus_all(0); // of the largest entry, so that squares neither vanish nor overflow
  for (int k = 0; k < 9; ++k)
    scale = mus_select(mus_size(f[k]) > scale, mus_size(f[k]), scale);
  for (int k = 0; k < 9; ++k)
    a[k] = f[k] / mus_select(scale > 0, scale, mus_all(1));
  mus_orthogonal_columns(a, v, square);
  mus_real column[3][3], left[3][3], other[3];
  for (int k = 0; k < 3; ++k)
    for (int r = 0; r < 3; ++r)
      column[k][r] = a[3 * r + k];
  s[0] = mus_unit3(column[0], left[0]);
  left[0][0] = mus_select(s[0] > MUS_NO_LENGTH, left[0][0], mus_all(1));
  // The second, without what rounding has left of the first.
  s[1] = mus_root(square[1]);
  mus_add_scaled3(-mus_dot3(left[0], column[1]), left[0], column[1]);
  mus_truth known = (mus_unit3(column[1], left[1]) > MUS_NO_LENGTH) & (s[1] > 1e-14 * s[0]);
  mus_across3(left[0], other);
  for (int r = 0; r < 3; ++r)
    left[1][r] = mus_select(known, left[1][r], other[r]);
  mus_cross3(left[0], left[1], left[2]);
  s[2] = mus_dot3(left[2], column[2]);
  for (int k = 0; k < 3; ++k)
    for (int r = 0; r < 3; ++r)
      u[3 * r + k] = left[k][r];
  mus_scale3(scale, s, s);
}

// Eigenvalues and eigenvectors (columns of v, by rows) of a symmetric 3x3 matrix, in any order.
MUS_ELEMENT void mus_eigen3(const mus_real *symmetric, mus_real *value, mus_real *v) {
  enum { SWEEPS = 16 };
  mus_real a[9];
  for (int k = 0; k < 9; ++k) {
    a[k] = symmetric[k];
    v[k] = mus_all(k % 4 == 0);
  }
  for (int sweep = 0, going = 1; sweep < SWEEPS && going; ++sweep) {
    going = 0;
    for (int pair = 0; pair < 3; ++pair) {
      int p = pair == 2, q = pair == 0 ? 1 : 2;
      mus_real xy = a[3 * p + q], c, s;
      mus_truth felt = mus_size(xy) > 1e-17 * (mus_size(a[4 * p]) + mus_size(a[4 * q]));
      mus_truth turned = felt & (mus_size(xy) > MUS_JACOBI_NOTHING);
      if (!mus_any(turned))
        continue;
      mus_jacobi_rotation(turned, a[4 * p], xy, a[4 * q], &c, &s);
      mus_rotate_columns(p, q, c, s, a);
      for (int k = 0; k < 3; ++k) { // and the rows
        mus_real x = a[3 * p + k], y = a[3 * q + k];
        a[3 * p + k] = c * x - s * y;
        a[3 * q + k] = s * x + c * y;
      }
      mus_rotate_columns(p, q, c, s, v);
      going = 1;
    }
  }
  for (int k = 0; k < 3; ++k)
    value[k] = a[4 * k];
}

#endif
