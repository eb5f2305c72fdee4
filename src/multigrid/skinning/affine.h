// Levels of affine handles for matrices that the three coordinates share, sparse/shared.h: the multigrid method of
// Xian, Tong and Liu 2019 for the global step of Projective Dynamics.
//
// A vertex moves with the handle that it belongs to, x_i = sum_a phi_i[a] q_I[a], by four functions phi of its place at
// rest, affine and orthonormal over the handle's vertices, and q_I of 4 x 3 numbers. With A = L (x) I_3 + B, coarse
// matrices are of the same kind (their equation 7):
//   L_IJ = sum of l_ij phi_i phi_j^T   (4 x 4, shared by the coordinates)
//   B_I  = sum of phi_i phi_i^T (x) B_i   (12 x 12)
// so that where only blocks of the diagonal change, only the B_I of their handles do: work proportional to the number
// of changed vertices. Handles whose vertices lie in a plane or on a line have fewer functions; the rest of their
// unknowns is left at zero. The bottom is solved by a dense factor.
#ifndef MUS_MULTIGRID_SKINNING_AFFINE_H
#define MUS_MULTIGRID_SKINNING_AFFINE_H

#include "muslin/solver.h"
#include "sparse/shared.h"

typedef struct mus_affine mus_affine;

// Everything that follows from the pattern and from where nodes are at rest (rows * 3). Of the options, those of
// skinning, of multigrid (smoother, its order and range, bottom) and the precision count. The pattern must stay.
mus_status mus_affine_create(const mus_pattern *pattern, const double *rest, const mus_solver_options *options,
                             mus_affine **out);
void mus_affine_free(mus_affine *levels); // NULL is fine
size_t mus_affine_bytes(const mus_affine *levels);

// A new matrix, with its blocks.
mus_status mus_affine_set(mus_affine *levels, const mus_shared_matrix *a);
// The same matrix, with other blocks.
mus_status mus_affine_set_blocks(mus_affine *levels, const mus_shared_matrix *a);

// x = one V-cycle for A x = b from zero: a symmetric positive definite operation. Three numbers a node.
void mus_affine_cycle(mus_affine *levels, const double *b, double *x);

// For tests and reports: levels below the finest, and of level k > 0 its handles; its matrix, 12 unknowns a handle, in
// an order of its own, dense by rows.
int mus_affine_levels(const mus_affine *levels);
int mus_affine_handles(const mus_affine *levels, int level);
void mus_affine_dense(const mus_affine *levels, int level, double *a);
// The functions of a vertex at that level, and the handle to which they belong.
int mus_affine_functions(const mus_affine *levels, int level, int vertex, double phi[4]);

#endif
