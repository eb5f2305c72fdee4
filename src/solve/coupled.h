// A preconditioner for S (A + C) S from one for A: smoothing over all of it before and after.
//
//   x = smooth(0, r);  x += S B S (r - (A + C) x);  x = smooth(x, r)
//
// B preconditions A and knows nothing of C. Where C is strong beside A, as springs between cloth and cloth are across
// the sheets, where cloth is soft, it is strong beside D too, the block diagonal of A + C, and the smoother damps what
// B leaves there. Where A is stiff, C hardly counts. So B's hierarchy stays as it is while couplings come and go.
// S stands for equalities across nodes, which B knows nothing of either; constraints of single nodes are in A. The
// smoother then has the inverse of D among vectors that hold the equalities in the place of D^-1. Smoothing with the
// same Chebyshev polynomial on both sides keeps the whole symmetric and positive definite.
#ifndef MUS_SOLVE_COUPLED_H
#define MUS_SOLVE_COUPLED_H

#include "multigrid/smoothers/chebyshev.h"
#include "solve/run.h"

// `mus_coupled coupled = {.is_stale = 1};` is a valid one that holds nothing yet.
typedef struct mus_coupled {
  int is_stale;    // system, constraints or couplings have changed since the last set-up; for the owner to say
  mus_arena arena; // what follows
  mus_block_operator system;
  const mus_preconditioner *inner; // B
  mus_chebyshev smoother;
  double *inverse_diagonal; // of A + C
  const mus_filter *filter; // S; NULL without equalities across nodes
  double *other, *residual, *correction;
} mus_coupled;

// Products with A + C that one application makes.
enum { MUS_COUPLED_ORDER = 4, MUS_COUPLED_PRODUCTS = 2 * MUS_COUPLED_ORDER };

// Solves by conjugate gradients on the prefiltered system, as mus_run_pcg(), with `inner` for B. Without couplings and
// equalities across nodes that is all; otherwise brings this up to date and smooths around it.
mus_status mus_coupled_run(mus_coupled *coupled, mus_run *run, const mus_preconditioner *inner,
                           const mus_cg_options *limits);
void mus_coupled_free(mus_coupled *coupled);

#endif
