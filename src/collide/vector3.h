// Vectors of three doubles, for the sources of this room.
#ifndef MUS_COLLIDE_VECTOR3_H
#define MUS_COLLIDE_VECTOR3_H

#include <math.h>

static inline double mus_inner(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// c = a - b
static inline void mus_minus(const double *a, const double *b, double *c) {
  c[0] = a[0] - b[0];
  c[1] = a[1] - b[1];
  c[2] = a[2] - b[2];
}

// c = a x b
static inline void mus_outer(const double *a, const double *b, double *c) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

static inline double mus_length(const double *a) { return sqrt(mus_inner(a, a)); }

// u = sum_k weight[k] x[k]. The weights' sum is 0, so what counts are differences to one of the nodes: what is lost to
// rounding is small against the size of the pair, wherever in space it lies.
static inline void mus_weigh(const double x[4][3], const double weight[4], double u[3]) {
  for (int c = 0; c < 3; ++c)
    u[c] = weight[1] * (x[1][c] - x[0][c]) + weight[2] * (x[2][c] - x[0][c]) + weight[3] * (x[3][c] - x[0][c]);
}

#endif
