// Smoothing near boundaries (Zhu et al. 2010, section 5), cell by cell: the six displacements on a cell's faces and its
// pressure, all at once, with nothing but the diagonal of L_u between displacements (Vanka 1986). With a face's
// residual r_f, its diagonal d_f and G's entry g_f,
//
//   d_f delta_f + g_f delta_p = r_f        delta_p = (r_p - sum g_f r_f / d_f) / (D_p - sum g_f^2 / d_f)
//   sum g_f delta_f + D_p delta_p = r_p    delta_f = (r_f - g_f delta_p) / d_f
//
// Where a normal stress is given by a traction, g_f is 0. The denominator stays positive as mu / lambda goes to 0, so
// that this holds for incompressible solids as well as for others. Zhu et al. take Gauss-Seidel on the system for
// displacements alone, L_u - G D_p^-1 G^T, with more sweeps as Poisson's ratio grows: two up to 0.45, four at 0.495.
//
// Cells of a batch (boxes.h) are worked on lane by lane (band_template.h).
#include "lattice/level.h"

#include "lattice/rows.h"
#include "par/par.h"

enum { BLOCKS_LARGE = 4 }; // fewer are not worth waking threads for

#define TEMPLATE "lattice/band_sweep_template.h"
#include "base/both_precisions.h"
