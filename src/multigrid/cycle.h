// V- and W-cycles over levels that are ready for use, in double or single precision. They know matrices, prolongators
// and smoothers, not where they came from.
//
//   smooth from zero;  b_c = P^T (b - A x);  x_c = cycle(b_c);  x += P x_c;  smooth
//
// A W-cycle improves x_c by a second cycle for what the first one left, b_c - A_c x_c. With the same polynomial before
// and after, the operation b -> x is symmetric, and positive definite as long as the smoother's interval reaches above
// the spectral radius of D^-1 A.
#ifndef MUS_MULTIGRID_CYCLE_H
#define MUS_MULTIGRID_CYCLE_H

#include "multigrid/smoother.h"
#include "sparse/factor.h"
#include "sparse/matrix.h"
#include "sparse/packed.h"

// Numbers of matrices, prolongators and factors that were passed over.
typedef struct mus_cycle_work {
  double all;
  double smoothing; // of these, by smoothers
  double skipped;   // that smoothers would have passed over as well, had they not skipped rows
} mus_cycle_work;

#define TEMPLATE "multigrid/cycle_types_template.h"
#include "base/both_precisions.h"

// The bottom is solved directly, or, where `factor` is NULL, only smoothed. `right` and `left` hold its unknowns in
// double precision.
typedef struct mus_cycle_bottom {
  mus_factor *factor;
  double *right, *left;
} mus_cycle_bottom;

// One cycle for A x = level[0].b, with `visits` (1: V, 2: W) to each coarser level. The result is where the returned
// pointer says: level[0].x or level[0].other.
double *mus_cycle_run(mus_cycle_level *level, int levels, int visits, const mus_cycle_bottom *bottom);
float *mus_cycle_run_f(mus_cycle_level_f *level, int levels, int visits, const mus_cycle_bottom *bottom);

// A correction from level `at` for the residual level[0].b: the residual is restricted to it, smoothed there from zero
// or, with visits above 0, given a cycle from there down, and the result is interpolated back. The bottom is solved,
// where it is factored. The result is where the returned pointer says.
//
// Levels whose `threshold` is above 0 are smoothed adaptively (Wang et al. 2018, section 4.3): rows are skipped whose
// residual's energy norm, (r_i . D_i^-1 r_i)^1/2, is below that part of the root mean square of all rows. They are
// chosen before the first sweep on a level and stay chosen for the second. So for the rows that were chosen, a V-cycle
// is symmetric and positive semi-definite, and the product of residual and correction is positive, though the operation
// is no longer linear.
double *mus_cycle_correct(mus_cycle_level *level, int levels, int at, int visits, const mus_cycle_bottom *bottom);
float *mus_cycle_correct_f(mus_cycle_level_f *level, int levels, int at, int visits, const mus_cycle_bottom *bottom);

#endif
