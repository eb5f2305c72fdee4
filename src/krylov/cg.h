// Conjugate gradients: plain (PCG, for prefiltered systems) and filtered (MPCG); and iterations without them.
//
// Both know an operator, a preconditioner and a projection, nothing of where they come from. All vectors live in the
// operator's space, the workspace too. They allocate nothing: the caller gives the workspace and the memory for the
// residual history.
#ifndef MUS_KRYLOV_CG_H
#define MUS_KRYLOV_CG_H

#include "krylov/recycle.h"
#include "muslin/solver.h"
#include "par/operator.h"

struct mus_cg_result;

typedef struct mus_cg_options {
  double tolerance;
  int iterations;
  mus_stop stop; // MPCG takes MUS_STOP_INITIAL and MUS_STOP_RHS alike: it compares as its two papers do
  // How many more there may be when `iterations` have not been enough, 0 or less: none. Where this is asked, conjugate
  // gradients keep the speed that a new start would cost them. Residuals need room for all. Not with MUS_STOP_ENERGY,
  // whose norms are known later. NULL: there are no more.
  int (*extend)(void *extender, const struct mus_cg_result *result);
  void *extender;
} mus_cg_options;

// What happened. `residuals` holds options.iterations + 1 norms, on the host, and is filled with those that
// options.stop names: ||r_i||_{M^-1}, ||r_i||_2, or estimates of ||x - x_i||_A (estimate.h).
typedef struct mus_cg_result {
  int iterations;
  double reference; // what the norms were compared with
  double *residuals;
  int is_absolute;  // the norms do not depend on M
  int is_projected; // the first iteration was a projection onto earlier solutions
} mus_cg_result;

enum { MUS_CG_VECTORS = 4 }; // workspace, in vectors of the system's size

// A x = b by preconditioned conjugate gradients from the guess in x. Stops at
// ||r_i||_{M^-1} <= tolerance * reference (Tamstorf et al. 2015, section 11), or with another norm; the Euclidean one
// is that of b - A x_i at the end, and not of what the recurrence makes of it. MUS_NOT_CONVERGED leaves the last
// iterate, MUS_BREAKDOWN (p.Ap <= 0, r.M^-1 r < 0, or not finite) the last good one; both set the error text.
// MUS_STOPPED ends it between iterations. Residuals so small that their squares vanish (below 1e-140) count as zero.
// With a reference of zero x becomes the exact solution, zero. With S (NULL: the identity), S A S x = S b for x in the
// range of S, where b and the guess must lie.
mus_status mus_pcg(const mus_operator *a, const mus_projection *s, const mus_preconditioner *m, const double *b,
                   double *x, const mus_cg_options *options, double *work, mus_cg_result *result);

// The same with a first iteration that is a projection onto earlier solutions (recycle.h; NULL: none). These hold what
// S and the matrix do. Whatever it gains, iterations end where they would from the guess: the residual of that is what
// others are compared with.
mus_status mus_pcg_recycled(const mus_operator *a, const mus_projection *s, const mus_preconditioner *m,
                            const mus_recycle *recycle, const double *b, double *x, const mus_cg_options *options,
                            double *work, mus_cg_result *result);

// The same without conjugate gradients: x <- x + S M^-1 r, for comparison. It converges where M^-1 is a cycle that
// makes every error smaller in the norm of A. MUS_BREAKDOWN where residuals grow beyond all bounds.
mus_status mus_stationary(const mus_operator *a, const mus_projection *s, const mus_preconditioner *m, const double *b,
                          double *x, const mus_cg_options *options, double *work, mus_cg_result *result);

// The same with the acceleration of Chebyshev's semi-iterative method (Golub and Varga 1961; Wang 2015):
//   x_{k+1} = x_{k-1} + omega_{k+1} (x_k + gamma z_k - x_{k-1}),  z = S M^-1 r
//   omega_1 = 1, omega_2 = 2 / (2 - rho^2), omega_{k+1} = 4 / (4 - rho^2 omega_k)
// with gamma = 2 / (high + low) and rho = (high - low) / (high + low) for the part [low, high] of the spectrum of
// S M^-1 A. `high` must not be below its upper end. Where Wang finds rho by trial, `low` begins at high / 30 and is
// lowered, by what the last iterations fell short of what it promises, as often as that pays.
mus_status mus_semi_iterative(const mus_operator *a, const mus_projection *s, const mus_preconditioner *m, double high,
                              const double *b, double *x, const mus_cg_options *options, double *work,
                              mus_cg_result *result);

// S A x = S b, (I - S) x = (I - S) z by filtered conjugate gradients (Ascher and Boxerman 2003, section 3), comparing
// with the norm of S(b - A(I - S)z). `original` runs the form of Baraff and Witkin 1998: the guess is replaced by z,
// and the reference is (Sb)^T M^-1 (Sb) without the part that the constraints take; where that is zero but the first
// residual is not, the first residual is compared with, since no number would be small enough otherwise. (Baraff and
// Witkin write P there and define P as the inverse of A's diagonal; Ascher and Boxerman keep the letter but not the
// definition. M^-1 is the reading in which the two sides have the same units.)
mus_status mus_mpcg(const mus_operator *a, const mus_projection *s, const mus_preconditioner *m, int original,
                    const double *b, double *x, const mus_cg_options *options, double *work, mus_cg_result *result);

#endif
