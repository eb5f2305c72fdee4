// The Chebyshev smoother: a fixed polynomial in D^-1 A that damps the part [low, high] of its spectrum (Golub and Varga
// 1961; Adams et al. 2003; Tamstorf et al. 2015, section 7). Being a polynomial it is symmetric in the inner product of
// A, which keeps the V-cycle symmetric, and it needs nothing but products.
//
//   theta = (high + low) / 2, delta = (high - low) / 2, sigma = theta / delta, rho_0 = 1 / sigma
//   p_1 = D^-1 r / theta,   rho_k = 1 / (2 sigma - rho_{k-1}),   p_{k+1} = rho_k rho_{k-1} p_k + 2 rho_k / delta D^-1 r
#ifndef MUS_MULTIGRID_CHEBYSHEV_H
#define MUS_MULTIGRID_CHEBYSHEV_H

#include "sparse/matrix.h"

typedef struct mus_chebyshev {
  int order;
  double low, high;
} mus_chebyshev;

// Improves *x, a guess for A x = b, by one sweep of `order` matrix passes. `other` and `p` are scratch of the same
// size; x and other trade places with every pass, so the caller's pointers are updated.
void mus_chebyshev_sweep(const mus_chebyshev *c, const mus_matrix *a, const double *inverse_diagonal, const double *b,
                         double **x, double **other, double *p);
void mus_chebyshev_sweep_f(const mus_chebyshev *c, const mus_matrix_f *a, const float *inverse_diagonal, const float *b,
                           float **x, float **other, float *p);

// The same from x = 0, which is not read: one matrix pass less.
void mus_chebyshev_start(const mus_chebyshev *c, const mus_matrix *a, const double *inverse_diagonal, const double *b,
                         double **x, double **other, double *p);
void mus_chebyshev_start_f(const mus_chebyshev *c, const mus_matrix_f *a, const float *inverse_diagonal, const float *b,
                           float **x, float **other, float *p);

#endif
