// The Chebyshev smoother: a fixed polynomial in D^-1 A that damps the part [low, high] of its spectrum (Golub and Varga
// 1961; Adams et al. 2003; Tamstorf et al. 2015, section 7). Being a polynomial it is symmetric in the inner product of
// A, which keeps the V-cycle symmetric, and it needs nothing but products.
//
//   theta = (high + low) / 2, delta = (high - low) / 2, sigma = theta / delta, rho_0 = 1 / sigma
//   x_1 = x_0 + D^-1 r_0 / theta,   rho_k = 1 / (2 sigma - rho_{k-1})
//   x_{k+1} = x_k + 2 rho_k / delta D^-1 r_k + rho_k rho_{k-1} (x_k - x_{k-1})
#ifndef MUS_MULTIGRID_SMOOTHERS_CHEBYSHEV_H
#define MUS_MULTIGRID_SMOOTHERS_CHEBYSHEV_H

#include "multigrid/smoother.h"

typedef struct mus_chebyshev {
  int order;
  double low, high;
} mus_chebyshev;

// The interval for a spectral radius: order and range are the options'.
mus_chebyshev mus_chebyshev_for(const mus_multigrid_options *options, double radius);

// Improves *x, a guess for A x = b, by one sweep of `order` matrix passes. `other` is scratch of the same size; x
// and other trade places with every pass, so the caller's pointers are updated.
void mus_chebyshev_sweep(const mus_chebyshev *c, const mus_block_operator *a, const double *inverse_diagonal,
                         const double *b, double **x, double **other);
void mus_chebyshev_sweep_f(const mus_chebyshev *c, const mus_block_operator_f *a, const float *inverse_diagonal,
                           const float *b, float **x, float **other);

// The same from x = 0, which is not read: one matrix pass less.
void mus_chebyshev_start(const mus_chebyshev *c, const mus_block_operator *a, const double *inverse_diagonal,
                         const double *b, double **x, double **other);
void mus_chebyshev_start_f(const mus_chebyshev *c, const mus_block_operator_f *a, const float *inverse_diagonal,
                           const float *b, float **x, float **other);

#endif
