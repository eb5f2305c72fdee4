// Conjugate gradients for lattices, without multigrid: what its cycles are compared with.
//
// The system for displacements alone, -(L_u - G D_p^-1 G^T) u = ..., is symmetric and positive definite. Its products
// are as free of matrices as the cycles are: pressures from displacements, then the equations of faces.
#ifndef MUS_LATTICE_CONJUGATE_H
#define MUS_LATTICE_CONJUGATE_H

#include "lattice/lattice.h"

// As mus_lattice_solve(), with iterations for cycles. Residuals are relative to the first, in the norm of the
// preconditioner's inverse: the matrix's diagonal, or nothing at all.
mus_status mus_lattice_solve_cg(mus_lattice *lattice, int with_diagonal, double tolerance, int iterations,
                                mus_lattice_record *record);

#endif
