// The equations of linear elasticity on one level of a staggered lattice (Zhu et al. 2010, section 4), in both
// precisions, and the parts of a multigrid cycle for them.
//
// Unknowns are displacements u and, in each interior cell, the pressure p = -(lambda/mu) div u. In units of the level's
// spacing h, with stresses divided by mu,
//
//   sigma_aa = 2 D_a u_a - p          in the middle of cells
//   sigma_ab = D_b u_a + D_a u_b      on edges
//   sum_b D_b sigma_ab - c u_a = b_a  on faces
//   sum_a D_a u_a + (mu/lambda) p = b_p  in the middle of cells
//
// where D is the difference of neighbours, p is stored as h p and the right-hand sides are h^2 f / mu and h g. No
// stencil knows h: the transfer between levels does. Stresses that are not computed (domain.h) drop out; where that is
// a normal stress sigma_aa = 0, D_a u_a = p/2 takes its place in the cell's equation. The matrix is symmetric:
//
//   ( L_u  G   )      L_u negative definite, D_p diagonal and positive,
//   ( G^T  D_p )      so that L_u - G D_p^-1 G^T, the system for u alone, is negative definite
#ifndef MUS_LATTICE_LEVEL_H
#define MUS_LATTICE_LEVEL_H

#include "lattice/domain.h"

#define TEMPLATE "lattice/level_types_template.h"
#include "base/both_precisions.h"

#endif
