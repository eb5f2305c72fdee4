// Smoothers: what takes the rough part out of an error on a level, before and after the coarser levels take out the
// smooth part. A smoother is a table of functions in a file of its own under smoothers/; smoother.c lists them. The
// cycle and the hierarchy know none by name.
//
// For the cycle to be symmetric, the two sweeps must be adjoint to each other in the inner product of A: with a
// pre-sweep x = N b from zero, the post-sweep is x <- x + N^T (b - A x). For it to be positive definite, a sweep must
// not make the error larger in the norm of A. A polynomial in D^-1 A is its own adjoint; Gauss-Seidel goes forward,
// then backward.
#ifndef MUS_MULTIGRID_SMOOTHER_H
#define MUS_MULTIGRID_SMOOTHER_H

#include "constrain/beyond.h"
#include "muslin/solver.h"

// mus_level_system and mus_smoother_calls, and the same with _f for single precision
#define TEMPLATE "multigrid/smoother_types_template.h"
#include "base/both_precisions.h"

typedef struct mus_smoother {
  const char *name;
  int uses_radius;   // wants to know the spectral radius of D^-1 A
  int reads_rows;    // needs the blocks of `a`: products with the matrix are not enough
  int may_skip_rows; // heeds mus_level_system.active: both sweeps, with the same rows, are then adjoint too
  // Sweeps over mus_level_system.symmetric, and heeds neither terms beyond it nor clusters. This one stands in on
  // levels without symmetric storage, and with such terms or strong clusters. NULL: it takes any level.
  const struct mus_smoother *stand_in;
  // Passes over a level's matrix that a sweep makes, from zero or from a given x.
  double (*passes)(const mus_multigrid_options *options, int from_zero);
  mus_smoother_calls in_double;
  mus_smoother_calls_f in_single;
  // The same for levels that keep their matrix in a form of their own, where a sweep is a polynomial in D^-1 A: pass k
  // is x' = x + alpha D^-1 (b - A x) + beta (x - the one before). Returns 0 when there is no pass k. NULL: it is no
  // polynomial.
  int (*pass)(const mus_multigrid_options *options, double radius, int k, double *alpha, double *beta);
} mus_smoother;

// What smooths a level, and its settings: `smoother_order` is that of the level.
typedef struct mus_level_smoother {
  const mus_smoother *kind;
  mus_multigrid_options options;
} mus_level_smoother;

// Reads options->smoother for the finest `levels` levels, finest first. MUS_BAD_INPUT, with the list of names, where it
// is not as mus_multigrid_options says.
mus_status mus_smoothers_read(const mus_multigrid_options *options, int levels, mus_level_smoother *out);

// Adds a number to the report of a level, up to MUS_LEVEL_NUMBERS of them. `name` is kept by address.
void mus_level_note(mus_level_report *report, const char *name, double value);

extern const mus_smoother mus_chebyshev_smoother, mus_gauss_seidel_smoother, mus_jacobi_smoother, mus_sweep_smoother;

#endif
