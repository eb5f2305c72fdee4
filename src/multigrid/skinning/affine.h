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

// What there is of a level, for those who do cycles elsewhere: 0 is the finest. Arrays are the levels' own.
enum { MUS_AFFINE_PASSES = 16 };
typedef struct mus_affine_view {
  int nodes, width;         // functions of a node: 1 on the finest level, else 4
  const mus_pattern *links; // without the diagonal
  int colours;
  const int *colour_start;        // colours + 1: nodes are numbered by colours
  const int *owner;               // nodes: the handle of the next coarser level; NULL at the bottom, as the next three
  const int *child_start, *child; // who belongs to each of those
  const double *transfer;         // nodes * 4 * width
  const double *value;            // links * width^2; NULL on the finest level: mus_affine_sources()
  const double *diagonal;         // nodes * width^2, without blocks
  int block_count;                // of the diagonal
  const int *block_node;
  const double *block;                                      // count * (3 width)^2
  int sweeps;                                               // of Gauss and Seidel's method; 0: a polynomial
  int passes;                                               // of that, with
  double alpha[MUS_AFFINE_PASSES], beta[MUS_AFFINE_PASSES]; // as mus_smoother.pass has them
} mus_affine_view;
void mus_affine_look(const mus_affine *levels, int level, mus_affine_view *out);
// The number of each row of the pattern on the finest level.
const int *mus_affine_places(const mus_affine *levels);
// Of each link of the finest level, then of each of its nodes' diagonals, the place in the pattern.
const int *mus_affine_sources(const mus_affine *levels);

#endif
