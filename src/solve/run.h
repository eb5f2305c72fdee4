// Steps that methods are made of: filtering, conjugate gradients, and keeping the record.
//
// All but the methods that filter vectors (MPCG) work on the prefiltered system of Tamstorf et al. 2015, section 8:
//   (S A S + s (I - S)) y = S (b - A z),   x = S y + (I - S) z
// where A includes couplings.
#ifndef MUS_SOLVE_RUN_H
#define MUS_SOLVE_RUN_H

#include "solve/method.h"

// Filters matrix, right-hand side and initial guess: system->right and system->solution are those of run->scale y.
void mus_run_prefilter(mus_run *run);
// Conjugate gradients, or what run->stationary asks for, on the prefiltered system as it is now, from solution to x.
mus_status mus_run_pcg(mus_run *run, const mus_preconditioner *m, const mus_cg_options *limits);
// The same by Chebyshev's semi-iterative method, with the upper end of the spectrum of M^-1 A.
mus_status mus_run_semi_iterative(mus_run *run, const mus_preconditioner *m, double high, const mus_cg_options *limits);
// Conjugate gradients that filter vectors, from x to x. `original` as in mus_mpcg().
mus_status mus_run_mpcg(mus_run *run, const mus_preconditioner *m, int original, const mus_cg_options *limits);

// For methods with iterations of their own. Where their residuals go: after those of the runs that this one continues.
double *mus_run_residuals(const mus_run *run);
// From solution to x, unless `status` says that there is none, and the result to the record. `last` is what was in
// *mus_run_residuals() before.
void mus_run_keep(mus_run *run, mus_status status, const mus_cg_result *result, double last);
// The result alone, where x is known already.
void mus_run_note(mus_run *run, const mus_cg_result *result, double last);

// For those who end runs early. What is left of the limits for one that continues from the iterate reached, for which
// the matrix is filtered or not. Nothing extends them.
mus_cg_options mus_run_limits_left(const mus_run *run, const mus_cg_options *limits, int prefilter);
// Iterations that conjugate gradients would take in all, by how far they have come; infinite where they have not.
double mus_run_iterations_by(const mus_cg_result *result, double tolerance);
// Iterations that a run would take in all, by how far it has come; infinite where it has not.
double mus_run_iterations_in_all(const mus_run *run, const mus_cg_options *limits);
// Iterations that a run would have taken from the guess itself, where earlier solutions gave it a better start: at the
// rate of the others. 0: these were too few to tell.
double mus_run_iterations_from_guess(const mus_run *run);
// Decimal digits that a tolerance asks for.
double mus_run_digits(double tolerance);
// Iterations for each decimal digit that residuals have shrunk by, without the start that earlier solutions gave; 0
// where that is too little to tell.
double mus_run_iterations_per_digit(const mus_run *run);

#endif
