// What iterations are made of, whatever is behind it: operators, preconditioners, projections, and the space that
// their vectors live in.
//
// Krylov methods know these and nothing else: an operator may be a block sparse matrix, a stencil on a lattice that is
// never assembled, or a matrix on a device. Vectors are addresses that only their space, and what belongs to it, reads
// and writes. None of the functions can fail as a call; what goes wrong shows as NaN, at which iterations stop.
#ifndef MUS_PAR_OPERATOR_H
#define MUS_PAR_OPERATOR_H

#include <stddef.h>

// Where vectors live: the passes over them that iterations make, each as the function of its name in par/vector.h.
typedef struct mus_space {
  double (*dot)(size_t n, const double *x, const double *y);
  double (*dot_f)(size_t n, const double *x, const float *y);
  double (*max_abs)(size_t n, const double *x);
  void (*fill)(size_t n, double value, double *x);
  void (*copy)(size_t n, const double *from, double *to);
  void (*axpy)(size_t n, double factor, const double *x, double *y);
  void (*xpay)(size_t n, const double *x, double factor, double *y);
  void (*to_float)(size_t n, double factor, const double *from, float *to);
  double (*cg_residual)(size_t n, double alpha, const double *q, double *r);
  double (*cg_residual_f)(size_t n, double alpha, const double *q, double *r, double factor, float *rounded);
  void (*cg_advance)(size_t n, double alpha, const double *z, double beta, double *x, double *p);
  void (*cg_advance_f)(size_t n, double alpha, double factor, const float *z, double beta, double *x, double *p);
} mus_space;

// Host memory: par/vector.h.
extern const mus_space mus_host;

// A, symmetric positive definite where conjugate gradients use it. Vectors do not alias.
typedef struct mus_operator {
  const mus_space *space;
  size_t size; // unknowns
  const void *self;
  // y = A x
  void (*multiply)(const void *self, const double *x, double *y);
  // The same, and returns x . y. NULL: there is no way to have it for less than a pass of its own.
  double (*multiply_dot)(const void *self, const double *x, double *y);
  // r = b - A x. NULL: there is no way to have it for less than a pass of its own.
  void (*residual)(const void *self, const double *b, const double *x, double *r);
  // gram = V^T A V, count x count numbers, for vectors of par/lanes.h. NULL: there is no way to have it for less than
  // products with each.
  void (*gram)(const void *self, int count, const float *v, double *gram);
} mus_operator;

// M^-1, symmetric positive definite, in the space of the operator that it is used with.
typedef struct mus_preconditioner {
  void *self;
  // z = M^-1 r; the two do not alias
  void (*apply)(void *self, const double *r, double *z);
  // Those that work in single precision take r from a place of their own, scaled to size 1, and return where z is:
  // fewer passes over vectors. NULL: none of it.
  float *right;
  const float *(*apply_f)(void *self);
  double products; // what applying it costs, in products with the operator; 0 where it counts that itself
} mus_preconditioner;

// S, an orthogonal projection, with values z for what it takes away.
typedef struct mus_projection {
  const void *self;
  void (*apply)(const void *self, double *x);  // x <- S x
  void (*impose)(const void *self, double *x); // x <- S x + (I - S) z
  void (*target)(const void *self, double *x); // x <- (I - S) z
} mus_projection;

void mus_operator_multiply(const mus_operator *a, const double *x, double *y);
double mus_operator_multiply_dot(const mus_operator *a, const double *x, double *y);
void mus_operator_residual(const mus_operator *a, const double *b, const double *x, double *r);

#endif
