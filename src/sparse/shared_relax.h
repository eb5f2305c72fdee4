// Iterations on matrices that the coordinates share (shared.h), beside direct solution and multigrid: Jacobi's, Gauss
// and Seidel's by colours, and conjugate gradients with the diagonal as preconditioner. Colours are in a fixed order,
// so that bits do not depend on the number of threads.
#ifndef MUS_SPARSE_SHARED_RELAX_H
#define MUS_SPARSE_SHARED_RELAX_H

#include "sparse/shared.h"

typedef struct mus_shared_relaxation mus_shared_relaxation;

// What follows from the pattern, which must stay.
mus_status mus_shared_relaxation_create(const mus_pattern *pattern, mus_shared_relaxation **out);
void mus_shared_relaxation_free(mus_shared_relaxation *relaxation); // NULL is fine
size_t mus_shared_relaxation_bytes(const mus_shared_relaxation *relaxation);
int mus_shared_relaxation_colours(const mus_shared_relaxation *relaxation);

// A matrix, which must stay as it is while the functions below are called. MUS_BREAKDOWN if a diagonal block is not
// positive definite.
mus_status mus_shared_relaxation_set(mus_shared_relaxation *relaxation, const mus_shared_matrix *a);

// An estimate of the largest eigenvalue of D^-1 A, D the diagonal blocks, from below, by so many iterations of the
// power method.
double mus_shared_largest(mus_shared_relaxation *relaxation, int iterations);

// x = factor D^-1 b
void mus_shared_jacobi(const mus_shared_relaxation *relaxation, double factor, const double *b, double *x);

// So many sweeps for A x = b from x = 0, each through the colours forward. Every one lowers x.Ax/2 - b.x, so that b.x >
// 0 in the end unless b is zero.
void mus_shared_gauss_seidel(const mus_shared_relaxation *relaxation, int sweeps, const double *b, double *x);

// Conjugate gradients for A x = b from x = 0, until b.D^-1 b has fallen by the square of the tolerance. Returns how
// many iterations that took.
int mus_shared_pcg(mus_shared_relaxation *relaxation, double tolerance, int iterations, const double *b, double *x);

#endif
