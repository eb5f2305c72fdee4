// Matrices that the three coordinates share: one number for each pair of nodes, which acts on x, y and z alike, and 3x3
// blocks on the diagonal of a few nodes, which come and go:
//   A = L (x) I_3 + blockdiag(B_i)
// Those of Projective Dynamics are of this kind (Bouaziz and others 2014): L is constant, the blocks are what holds and
// touches. It takes a ninth of the memory of 3x3 blocks, and products move a ninth of the numbers.
#ifndef MUS_SPARSE_SHARED_H
#define MUS_SPARSE_SHARED_H

#include "base/list.h"
#include "sparse/matrix.h"

typedef struct mus_shared_block {
  int node;
  double value[9]; // symmetric, semi-definite
} mus_shared_block;

typedef struct mus_shared_matrix {
  const mus_pattern *pattern;    // square, symmetric, with every diagonal entry
  const double *value;           // one for each entry of the pattern
  int count;                     // of blocks
  const mus_shared_block *block; // each of another node
} mus_shared_matrix;

// Blocks that are summed up by node.
typedef struct mus_shared_blocks {
  mus_list list; // mus_shared_block
  int *place;    // rows: place in the list, -1
} mus_shared_blocks;

// None. The memory comes from the arena, except the list's.
mus_status mus_shared_blocks_create(mus_arena *arena, int rows, mus_shared_blocks *out);
void mus_shared_blocks_free(mus_shared_blocks *blocks);
void mus_shared_blocks_clear(mus_shared_blocks *blocks);
mus_status mus_shared_blocks_add(mus_shared_blocks *blocks, int node, double factor, const double *block);
// What there is of a node; NULL: nothing.
const double *mus_shared_blocks_at(const mus_shared_blocks *blocks, int node);
// For a term w w^T (x) B over a few nodes, what is never below it on the diagonal: |w_i| sum_j |w_j| B.
mus_status mus_shared_blocks_lump(mus_shared_blocks *blocks, int count, const int *node, const double *weight,
                                  const double *block);

// y = A x, three numbers a node
void mus_shared_multiply(const mus_shared_matrix *a, const double *x, double *y);

// The same as a matrix of 3x3 blocks, which has the pattern.
void mus_shared_expand(const mus_shared_matrix *a, mus_matrix *out);

// The direct solution by Cholesky's method, sparse where that is built in. While all blocks are multiples of the
// identity, as where something is held in all directions, one factor serves all three coordinates; otherwise the factor
// is one of 3x3 blocks.
typedef struct mus_shared_factor mus_shared_factor;

// The pattern must stay.
mus_status mus_shared_factor_create(const mus_pattern *pattern, mus_shared_factor **out);
void mus_shared_factor_free(mus_shared_factor *factor); // NULL is fine
size_t mus_shared_factor_bytes(const mus_shared_factor *factor);
mus_status mus_shared_factor_compute(mus_shared_factor *factor, const mus_shared_matrix *a);
// About how many numbers a solution reads, forward and backward.
double mus_shared_factor_work(const mus_shared_factor *factor);
// Only after a successful mus_shared_factor_compute. b and x may be the same array.
mus_status mus_shared_factor_solve(mus_shared_factor *factor, const double *b, double *x);

#endif
