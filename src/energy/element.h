// What the element functions of this room share: how they are declared, their number type, small vectors, and the
// layout of blocks.
//
// An element function takes raw arrays (the element's constant data, its nodes' positions one after the other) and
// writes the energy's value, its gradient (arity * 3 numbers; the force is minus that) and the upper triangle of its
// Hessian: blocks (0,0) (0,1) ... (0,arity-1) (1,1) ..., 3x3 each, stored by rows. The functions call nothing but
// <math.h>, hold nothing but fixed-size arrays, and compile as C, as C++ and as CUDA device code.
//
// Hessians come in two kinds. `exact` is the second derivative, for Newton's method with a line search. Otherwise it is
// a positive semi-definite stand-in, so that the matrix of an implicit step is positive definite in every state; each
// header says which terms that drops, and why what is left cannot have a negative eigenvalue.
#ifndef MUS_ENERGY_ELEMENT_H
#define MUS_ENERGY_ELEMENT_H

#include <math.h>

#ifdef __CUDACC__
#define MUS_ELEMENT static __host__ __device__ inline
#else
#define MUS_ELEMENT static inline
#endif

#ifdef MUS_REAL
typedef MUS_REAL mus_real;
#else
typedef double mus_real;
#endif

#define MUS_PI 3.14159265358979323846

// A vector shorter than this (m, or a ratio of lengths) has no direction: forces along it count as zero.
#define MUS_NO_LENGTH 1e-30

// What an element function is asked for besides the value. K is the Hessian (exact or semi-definite), D the damping
// matrix, minus the derivative of the damping force by velocity, semi-definite always:
//   gradient = dE/dx + D v + drift K v,   block = stiffness K + damping D.
// An implicit Euler step of length h (Baraff and Witkin 1998) takes drift = h, stiffness = h^2, damping = h: its matrix
// is then the masses plus the blocks, its right-hand side -h times the gradient.
typedef struct mus_blend {
  mus_real stiffness, damping;
  mus_real drift; // s
  int exact;
} mus_blend;

// Where block (i,j), i <= j, of an element with this arity lies among its blocks.
MUS_ELEMENT int mus_upper_block(int arity, int i, int j) { return i * arity - i * (i - 1) / 2 + (j - i); }

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

// c = a - b
MUS_ELEMENT void mus_subtract3(const mus_real *a, const mus_real *b, mus_real *c) {
  c[0] = a[0] - b[0];
  c[1] = a[1] - b[1];
  c[2] = a[2] - b[2];
}

MUS_ELEMENT mus_real mus_dot3(const mus_real *a, const mus_real *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// c = a x b
MUS_ELEMENT void mus_cross3(const mus_real *a, const mus_real *b, mus_real *c) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

MUS_ELEMENT void mus_scale3(mus_real factor, const mus_real *a, mus_real *b) {
  b[0] = factor * a[0];
  b[1] = factor * a[1];
  b[2] = factor * a[2];
}

// b += factor * a
MUS_ELEMENT void mus_add_scaled3(mus_real factor, const mus_real *a, mus_real *b) {
  b[0] += factor * a[0];
  b[1] += factor * a[1];
  b[2] += factor * a[2];
}

// The unit vector along a, or zero where a has no direction. Returns the length of a.
MUS_ELEMENT mus_real mus_unit3(const mus_real *a, mus_real *unit) {
  mus_real length = sqrt(mus_dot3(a, a));
  mus_scale3(length > MUS_NO_LENGTH ? 1 / length : 0, a, unit);
  return length;
}

MUS_ELEMENT void mus_zero(int count, mus_real *a) {
  for (int k = 0; k < count; ++k)
    a[k] = 0;
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
  square[1] = square[2] = square[4] = 0;
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
