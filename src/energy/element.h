// What the element functions of this room share: how they are declared, their number type, small vectors, and the
// layout of blocks.
//
// An element function takes raw arrays (the element's constant data, its nodes' positions one after the other) and
// writes the energy's value, its gradient (arity * 3 numbers; the force is minus that) and the upper triangle of its
// Hessian: blocks (0,0) (0,1) ... (0,arity-1) (1,1) ..., 3x3 each, stored by rows. The functions call nothing but
// <math.h>, hold nothing but fixed-size arrays, and compile as C, as C++ and as CUDA device code.
//
// Those of triangles, hinges and tetrahedra also compile for MUS_LANES elements at once, with mus_real a vector of as
// many numbers (lanes.h): what depends on an element's numbers is then chosen by mus_select() and never branched upon.
// A lane does what one element's number does, operation by operation, and so gives the same bits.
//
// Hessians come in two kinds. `exact` is the second derivative, for Newton's method with a line search. Otherwise it is
// a positive semi-definite stand-in, so that the matrix of an implicit step is positive definite in every state; each
// header says which terms that drops, and why what is left cannot have a negative eigenvalue.
#ifndef MUS_ENERGY_ELEMENT_H
#define MUS_ENERGY_ELEMENT_H

#include <math.h>
#include <stddef.h>

#ifdef __CUDACC__
#define MUS_ELEMENT static __host__ __device__ inline
#else
#define MUS_ELEMENT static inline
#endif

// mus_real: an element's number. mus_uniform: one that all elements have in common.
#ifdef MUS_LANES
#include "energy/lanes.h"
#else
#ifdef MUS_REAL
typedef MUS_REAL mus_real;
#else
typedef double mus_real;
#endif
typedef mus_real mus_uniform;
typedef int mus_truth; // what comparisons of mus_real give

MUS_ELEMENT mus_real mus_select(mus_truth where, mus_real yes, mus_real no) { return where ? yes : no; }
MUS_ELEMENT int mus_any(mus_truth where) { return where; }
MUS_ELEMENT int mus_all_of(mus_truth where) { return where; }
MUS_ELEMENT mus_real mus_all(mus_uniform x) { return x; }
MUS_ELEMENT mus_real mus_root(mus_real x) { return sqrt(x); }
MUS_ELEMENT mus_real mus_size(mus_real x) { return fabs(x); }
#endif

#define MUS_PI 3.14159265358979323846

// A vector shorter than this (m, or a ratio of lengths) has no direction: forces along it count as zero.
#define MUS_NO_LENGTH 1e-30

// What an element function is asked for besides the value. K is the Hessian (exact or semi-definite), D the damping
// matrix, minus the derivative of the damping force by velocity, semi-definite always:
//   gradient = dE/dx + D v + drift K v,   block = stiffness K + damping D.
// An implicit Euler step of length h (Baraff and Witkin 1998) takes drift = h, stiffness = h^2, damping = h: its matrix
// is then the masses plus the blocks, its right-hand side -h times the gradient.
//
// A step that is found as the minimum of an energy needs damping that is the derivative of one. With per_second = 1/h >
// 0, damping is a potential of the step: a condition C(x) with damping d has
//   P = d/2 per_second (C(x) - C(X))^2,   X the positions at the beginning of the step,
// in place of the force -d (dC/dx) dC/dt; it is zero, without force and at its minimum, wherever x is X moved as a
// rigid body. The `v` of an element function holds X then and must be given, the energy returned is E + P, the gradient
// d(E + P)/dx, without drift, and
//   block = stiffness (K + P') + damping D,   P' = d per_second (C(x) - C(X)) d^2C/dx^2,
// where K + P' has no negative eigenvalue unless it is `exact`. With stiffness = h^2 and damping = h, that is h^2 times
// the Hessian of E + P.
typedef struct mus_blend {
  mus_uniform stiffness, damping;
  mus_uniform drift; // s
  int exact;
  mus_uniform per_second; // 1/s; 0: damping follows velocities
} mus_blend;

// Where block (i,j), i <= j, of an element with this arity lies among its blocks.
MUS_ELEMENT int mus_upper_block(int arity, int i, int j) { return i * arity - i * (i - 1) / 2 + (j - i); }

#ifndef MUS_LANES
// All of the symmetric matrix whose upper blocks are given, by rows: (arity * 3)^2 numbers.
MUS_ELEMENT void mus_full_matrix(int arity, const mus_real *block, mus_real *full) {
  for (int i = 0; i < arity; ++i)
    for (int j = 0; j < arity; ++j)
      for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l)
          full[(3 * i + k) * 3 * arity + 3 * j + l] = i <= j ? block[9 * mus_upper_block(arity, i, j) + 3 * k + l]
                                                             : block[9 * mus_upper_block(arity, j, i) + 3 * l + k];
}

// The derivative by position of the force -d (dC/dx) Cdot, Cdot = (dC/dx) . v, added to an n x n matrix:
//   -d [(dC/dx) (d^2C/dx^2 v)^T + Cdot d^2C/dx^2]
MUS_ELEMENT void mus_add_damping_jacobian(int n, mus_real d, const mus_real *gradient, const mus_real *second,
                                          const mus_real *v, mus_real *jacobian) {
  mus_real rate = 0;
  for (int k = 0; k < n; ++k)
    rate += gradient[k] * v[k];
  for (int l = 0; l < n; ++l) {
    mus_real turned = 0; // (d^2C/dx^2 v)_l
    for (int m = 0; m < n; ++m)
      turned += second[n * l + m] * v[m];
    for (int k = 0; k < n; ++k)
      jacobian[n * k + l] -= d * (gradient[k] * turned + rate * second[n * k + l]);
  }
}
#endif

// Vectors of three mus_real: mus_dot3() and the others of base/vector3.h.
#if defined(MUS_LANES) || defined(MUS_REAL)
#define REAL mus_real
#define DECLARE MUS_ELEMENT
#include "base/vector3_template.h"
#else
#include "base/vector3.h"
#endif

// The unit vector along a, or zero where a has no direction. Returns the length of a.
MUS_ELEMENT mus_real mus_unit3(const mus_real *a, mus_real *unit) {
  mus_real length = mus_root(mus_dot3(a, a));
  mus_scale3(mus_select(length > MUS_NO_LENGTH, 1 / length, mus_all(0)), a, unit);
  return length;
}

MUS_ELEMENT void mus_zero(int count, mus_real *a) {
  for (int k = 0; k < count; ++k)
    a[k] = mus_all(0);
}

// The angle of the direction (x, y) to (1, 0), in (-pi, pi], as atan2() has it, to two units in the last place; 0 where
// both are zero. The triangle of legs x and y is brought to an angle of at most pi/8, where a polynomial fitted at
// Chebyshev's points does.
MUS_ELEMENT mus_real mus_angle(mus_real y, mus_real x) {
  const mus_uniform eighth = 0.41421356237309503; // its tangent
  mus_real high = mus_size(y), wide = mus_size(x);
  mus_truth steep = high > wide;
  mus_real less = mus_select(steep, wide, high), more = mus_select(steep, high, wide);
  mus_truth turned = less > eighth * more; // by pi/4
  mus_real over = mus_select(turned, less - more, less), under = mus_select(turned, less + more, more);
  mus_real t = over / mus_select(under > 0, under, mus_all(1)), u = t * t;
  mus_real sum = u * -0.017803896394812564 + 0.03796390316111083;
  sum = sum * u - 0.05035049795312439;
  sum = sum * u + 0.05846866752275139;
  sum = sum * u - 0.06662950246036792;
  sum = sum * u + 0.07692045194561481;
  sum = sum * u - 0.09090896801472813;
  sum = sum * u + 0.11111110744657099;
  sum = sum * u - 0.14285714279244968;
  sum = sum * u + 0.19999999999940837;
  sum = sum * u - 0.3333333333333312;
  mus_real angle = t + t * (u * sum);
  angle = mus_select(turned, MUS_PI / 4 + angle, angle);
  angle = mus_select(steep, MUS_PI / 2 - angle, angle);
  angle = mus_select(x < 0, MUS_PI - angle, angle);
  return mus_select(y < 0, -angle, angle);
}

// block += factor a b^T
MUS_ELEMENT void mus_add_outer(mus_real factor, const mus_real *a, const mus_real *b, mus_real *block) {
  for (int k = 0; k < 3; ++k) {
    mus_real row = factor * a[k];
    for (int l = 0; l < 3; ++l)
      block[3 * k + l] += row * b[l];
  }
}

// A symmetric 3x3 matrix is also kept as its upper triangle by rows: 00, 01, 02, 11, 12, 22.

// square += factor a a^T
MUS_ELEMENT void mus_add_square(mus_real factor, const mus_real *a, mus_real *square) {
  mus_real x = factor * a[0], y = factor * a[1];
  square[0] += x * a[0];
  square[1] += x * a[1];
  square[2] += x * a[2];
  square[3] += y * a[1];
  square[4] += y * a[2];
  square[5] += factor * a[2] * a[2];
}

// All nine entries.
MUS_ELEMENT void mus_expand_square(const mus_real *square, mus_real *block) {
  block[0] = square[0];
  block[4] = square[3];
  block[8] = square[5];
  block[1] = block[3] = square[1];
  block[2] = block[6] = square[2];
  block[5] = block[7] = square[4];
}

// square = along d d^T + across (I - d d^T), the Hessian of a force along the unit vector d that depends on a length
// only. Zero for d = 0.
MUS_ELEMENT void mus_along_across(mus_real along, mus_real across, const mus_real *d, mus_real *square) {
  mus_real diagonal = across * mus_dot3(d, d);
  square[0] = square[3] = square[5] = diagonal;
  square[1] = square[2] = square[4] = mus_all(0);
  mus_add_square(along - across, d, square);
}

// The blocks of an element of two nodes whose energy depends on their difference only: B, -B, B.
MUS_ELEMENT void mus_pair_blocks(const mus_real *square, mus_real *block) {
  mus_expand_square(square, block);
  for (int k = 0; k < 9; ++k) {
    block[18 + k] = block[k];
    block[9 + k] = -block[k];
  }
}

#endif
