// Vector updates and sums. Sums are taken over runs whose length depends on n alone and are then added up in order, so
// they have the same bits for any number of threads.
#ifndef MUS_PAR_VECTOR_H
#define MUS_PAR_VECTOR_H

#include <stddef.h>
#include <stdint.h>

double mus_dot(size_t n, const double *x, const double *y);
// Products and sums are in double precision.
double mus_dot_f(size_t n, const double *x, const float *y);
// max |x_i|; NaN when any x_i is NaN.
double mus_max_abs(size_t n, const double *x);
void mus_fill(size_t n, double value, double *x);
void mus_copy(size_t n, const double *from, double *to);
void mus_scale(size_t n, double factor, double *x);
// y += factor * x
void mus_axpy(size_t n, double factor, const double *x, double *y);
void mus_axpy_f(size_t n, double factor, const float *x, double *y);
// y = x + factor * y
void mus_xpay(size_t n, const double *x, double factor, double *y);
// The passes of conjugate gradients: r -= alpha q, which returns r . r ...
double mus_cg_residual(size_t n, double alpha, const double *q, double *r);
// ... the same with rounded = factor * r in single precision ...
double mus_cg_residual_f(size_t n, double alpha, const double *q, double *r, double factor, float *rounded);
// ... and later x += alpha p with p <- z + beta p ...
void mus_cg_advance(size_t n, double alpha, const double *z, double beta, double *x, double *p);
// ... or p <- factor z + beta p
void mus_cg_advance_f(size_t n, double alpha, double factor, const float *z, double beta, double *x, double *p);
// The k-th entry becomes mus_random(seed, k).
void mus_fill_random(size_t n, uint64_t seed, double *x);
// to = factor * from, rounded to single precision
void mus_to_float(size_t n, double factor, const double *from, float *to);
// to = factor * from
void mus_to_double(size_t n, double factor, const float *from, double *to);

#endif
