// A hierarchy for a new matrix with the prolongators of an old one: what a time step changes is mostly the numbers of
// A, and prolongators of some steps ago are as good as new ones (see docs/method.md). Redone are the coarse matrices
// A_c = P^T A P and the block diagonals; everything in the cycle's own precision, where it lies.
//
// Constraints may have come since: P's rows at held nodes become S_i P_i, so that coarse corrections leave held
// directions alone. An aggregate that is wholly held in a direction then has no basis vector for it. So that its coarse
// matrix stays definite, every coarse diagonal block gets a little more: `propped` of its mean.
//
// Spectral radii are not computed again. A vector a level is multiplied by D^-1 A every time, so that it follows the
// upper end of the spectrum, and the radius is raised as its growth is.
#ifndef MUS_MULTIGRID_RENEW_H
#define MUS_MULTIGRID_RENEW_H

#include "constrain/filter.h"
#include "multigrid/cycle.h"
#include "sparse/product.h"

// mus_renewal: what renewing needs to know of a level beside what the cycle does
#define TEMPLATE "multigrid/renew_types_template.h"
#include "base/both_precisions.h"

// Starts the probe of a level whose matrix, inverse diagonal and radius are new.
void mus_renewal_start(mus_cycle_level *level, mus_renewal *renewal);
void mus_renewal_start_f(mus_cycle_level_f *level, mus_renewal_f *renewal);

// Adds to the diagonal blocks of a coarse matrix what keeps it definite.
void mus_prop_up(mus_matrix *a, const int *diagonal);
void mus_prop_up_f(mus_matrix_f *a, const int *diagonal);
// As mus_prop_up_f() does, for a matrix that is to be rounded to single precision.
void mus_prop_up_for_rounding(mus_matrix *a, const int *diagonal);

// `finest` is the new matrix, and level[0] multiplies by it; everything that follows from it on the first `renewed` of
// all levels is renewed, but for the factor at the bottom, which the caller makes (`factored` tells whether there is one, so that the bottom
// needs no smoother). Room for `made` of the finest level is taken from `arena`, which holds nothing else.
// MUS_BREAKDOWN where a diagonal block is not positive definite.
mus_status mus_renew(const mus_matrix *finest, mus_cycle_level *level, mus_renewal *renewal, int levels, int renewed,
                     int factored, const mus_filter *held, mus_arena *arena);
mus_status mus_renew_f(const mus_matrix *finest, mus_cycle_level_f *level, mus_renewal_f *renewal, int levels,
                       int renewed, int factored, const mus_filter *held, mus_arena *arena);

#endif
