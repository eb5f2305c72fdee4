// Rotations of the cells of a lattice, and what they add to right-hand sides (Zhu et al. 2010, section 7).
//
// The deformation gradient F in the middle of a cell has D_a u_a of the cell itself and, off its diagonal, the mean of
// D_b u_a over four edges; what is not computed is taken as turned.h says. R of F = R S is the rotation of its
// singular vectors, with determinant +1 whatever F is.
#ifndef MUS_LATTICE_ROTATIONS_H
#define MUS_LATTICE_ROTATIONS_H

#include "lattice/turned.h"

// The rotation nearest to F, both by rows. Where F is inside out, what is least stretched counts as reversed.
void mus_rotation_of(const double f[9], double r[9]);

// The cofactors of F, by rows: the derivative of its determinant, which is returned.
double mus_rotations_cofactors(const double f[9], double c[9]);

// R and C of a cell.
void mus_rotations_get(const mus_turned_level *turned, size_t cell, double r[9], double c[9]);
// F in an interior cell. Gradients that tractions give follow from the rotation r and the cofactors c.
void mus_rotations_gradient(const mus_turned_level *turned, size_t cell, double length, const double r[9],
                            const double c[9], double f[9]);

// R, C and det F of all cells from displacements and pressures, beginning with those there are; then D_p.
void mus_rotations_renew(mus_turned_level *turned, double length);

// Adds to the right-hand sides, which hold loads, what is constant while rotations are:
//
//   2 h div R          on faces, over stresses that are computed; R on an edge is the mean over interior cells
//   (2 det F + 1) h - h tr C   in cells, with h C_ab R_ab in place of h C_aa for gradients that are not computed
//
// and tractions.
void mus_rotations_load(mus_turned_level *turned, double length);

// b -= div P for stresses P that cells have, 9 arrays by rows, as parts of those on edges.
void mus_rotations_add_divergence(mus_turned_level *turned, const double *const stress[9]);

// R and C of a coarse level: the mean over children, and its rotation.
void mus_rotations_restrict(const mus_turned_level *fine, mus_turned_level *coarse);

#endif
