// Linear systems as a multigrid method gets them: a matrix without constraints left, its near-null space, a right-hand
// side.
//
// For tests of a few hundred unknowns up to a few thousand; what goes wrong ends the test.
#ifndef TESTS_SUPPORT_PROBLEM_H
#define TESTS_SUPPORT_PROBLEM_H

#include <stdint.h>

#include "multigrid/hierarchy.h"
#include "sheet_system.h"
#include "sparse/matrix.h"

typedef struct problem {
  const char *name;
  mus_arena arena; // owns everything below
  int rows, block, n;
  mus_pattern *pattern;
  mus_matrix a;             // symmetric to the last bit
  int *place;               // of the diagonal blocks
  double *inverse_diagonal; // for each node, of its diagonal block
  int count;
  double *kernel; // count vectors of n numbers, one after the other; zero in constrained directions
  double *b;
} problem;

// Cloth, prefiltered, with the rigid-body motions.
problem problem_sheet(const sheet_options *options);
// The same by its essentials, other options being the defaults.
problem problem_small_sheet(int side, int irregular, sheet_boundary boundary);
// The five-point Laplacian on side x side nodes, zero outside, for each of `block` unknowns apart; constants.
problem problem_poisson(int side, int block);
// Random springs on a random graph; constants.
problem problem_random(int rows, int block, uint64_t seed);
// Scalar springs of the given stiffness between nodes in space, every direction alike, with mass `mass` at each node,
// prefiltered by the constraints; the rigid-body motions. `ends` holds two nodes for each spring.
problem problem_springs(int nodes, const double *positions, int springs, const int *ends, const double *stiffness,
                        double mass, int constraints, const mus_constraint *constraint);
// Nodes in a row along x, each joined to the next by a spring: the rotation about x moves nothing.
problem problem_chain(int nodes);
// Only the diagonal blocks, each random and positive definite; constants.
problem problem_diagonal(int rows, int block, uint64_t seed);
void problem_free(problem *problem);

// The problem as a coarsening sees the finest level, with any number for the spectral radius.
mus_level_view problem_view(const problem *problem, double radius);

// Vectors that kernels may read: aligned and padded. To be freed with mus_free().
double *vector_zero(int n);
double *vector_random(int n, uint64_t seed);
double *vector_copy(int n, const double *from);

// A's values become those of another problem with the same pattern, as in the next time step. Keeps inverse_diagonal up
// to date.
void problem_take_values(problem *problem, const struct problem *from);

#endif
