// Assembly: from index tuples (an element's nodes) to a pattern, and from element blocks to values.
//
// Topology comes first: mus_pattern_from_tuples() and mus_scatter_create() look at indices only and are called once.
// Each step then gathers: every block of the matrix adds up its contributions in a fixed order, rows in parallel, so
// there are no atomics and the sums have the same bits for any number of threads.
//
// An element of arity k with nodes n_0 ... n_{k-1} emits the upper triangle of its symmetric k x k block matrix, row by
// row: (0,0) (0,1) ... (0,k-1) (1,1) ..., each a `block` x `block` matrix stored by rows. Block (i,j) goes to (n_i,
// n_j) and, transposed, to (n_j, n_i).
#ifndef MUS_SPARSE_ASSEMBLY_H
#define MUS_SPARSE_ASSEMBLY_H

#include "sparse/matrix.h"

// Elements of one kind. index holds count * arity node numbers.
typedef struct mus_tuples {
  int arity, count;
  const int *index;
} mus_tuples;

// Blocks that an element of this arity emits.
static inline int mus_tuple_blocks(int arity) { return arity * (arity + 1) / 2; }

// The pattern with a block wherever two nodes share an element, and all diagonal blocks. MUS_BAD_INPUT names an index
// out of range or a node that occurs twice in an element.
mus_status mus_pattern_from_tuples(mus_arena *arena, int nodes, int kinds, const mus_tuples *tuples, mus_pattern *out);

typedef struct mus_scatter mus_scatter;

// The lists that say which element blocks make up which matrix block. `pattern` must hold every pair.
mus_status mus_scatter_create(mus_arena *arena, const mus_pattern *pattern, int kinds, const mus_tuples *tuples,
                              mus_scatter **out);
// a's values become the sum of the element blocks; element_blocks[kind] holds count * mus_tuple_blocks(arity) blocks.
void mus_scatter_matrix(const mus_scatter *scatter, const double *const *element_blocks, mus_matrix *a);
// The same for vectors: element_vectors[kind] holds count * arity pieces of `block` numbers each.
void mus_scatter_vector(const mus_scatter *scatter, int block, const double *const *element_vectors, double *y);

#endif
