// The cycle as dense algebra, from closed formulas, to hold the real one against. Matrices are n x n, column after
// column, and new ones are to be freed with free().
#ifndef TESTS_SUPPORT_REFERENCE_CYCLE_H
#define TESTS_SUPPORT_REFERENCE_CYCLE_H

#include "multigrid/smoothers/chebyshev.h"
#include "sparse/matrix.h"
#include "support/algebra.h"

// What a sweep leaves of an error along an eigenvector of D^-1 A: T_k((theta - lambda) / delta) / T_k(theta / delta),
// T_k being the Chebyshev polynomial of the sweep's order.
double reference_polynomial(const mus_chebyshev *c, double lambda);

// N with x = N b for a sweep from zero.
double *reference_smoother(const pencil *pencil, const mus_chebyshev *c);

// The inverse of a symmetric positive definite matrix.
double *reference_inverse(int n, const double *a);

// B with x = B b for smoothing twice, without a coarser level between.
double *reference_two_sweeps(int n, const double *a, const double *smoother);

// The same with a coarser level between, visited once or twice. P is n x coarse, the other two coarse x coarse.
double *reference_cycle(int n, const double *a, const double *smoother, int coarse, const double *p,
                        const double *coarse_a, const double *coarse_cycle, int visits);

#endif
