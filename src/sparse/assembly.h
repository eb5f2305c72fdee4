// Assembly: from index tuples (an element's nodes) to a pattern, and from elements to the sums that make up a matrix
// and a vector.
//
// Topology comes first: mus_pattern_from_tuples() and mus_scatter_create() look at indices only and are called once.
// Elements are then evaluated in runs, each into a small workspace that stays in the cache, and added straight to where
// they belong; no element's numbers are kept.
//
// Runs belong to shares. Share s of S holds, of every list, the elements from count * s / S to count * (s + 1) / S.
// Shares that touch a common node get different colours; one colour follows the other, and the shares of one colour are
// done at once. So there are no atomics, and the order in which any sum is taken (by colour, then by list, then by
// element) depends on topology alone: results have the same bits for any number of threads. Lists whose elements follow
// the order of the nodes have shares that touch few others, and need two or three colours.
//
// An element of arity k with nodes n_0 ... n_{k-1} emits the upper triangle of its symmetric k x k block matrix, row by
// row: (0,0) (0,1) ... (0,k-1) (1,1) ..., each a `block` x `block` matrix stored by rows. Block (i,j) goes to (n_i,
// n_j) and, transposed, to (n_j, n_i). One whose matrix is of rank one emits r of r r^T instead, arity * block numbers.
#ifndef MUS_SPARSE_ASSEMBLY_H
#define MUS_SPARSE_ASSEMBLY_H

#include "sparse/matrix.h"

// A list of elements. index holds count * arity numbers of nodes, counted from node `first`.
typedef struct mus_tuples {
  int arity, count;
  const int *index;
  int first;
  int rank_one; // 1: an element's matrix is r r^T, and it emits r alone
} mus_tuples;

// Blocks that an element of this arity emits.
static inline int mus_tuple_blocks(int arity) { return arity * (arity + 1) / 2; }

// The pattern with a block wherever two nodes share an element, and all diagonal blocks. MUS_BAD_INPUT names an index
// out of range or a node that occurs twice in an element.
mus_status mus_pattern_from_tuples(mus_arena *arena, int nodes, int lists, const mus_tuples *tuples, mus_pattern *out);

typedef struct mus_scatter mus_scatter;

// Where the numbers of every element go, for blocks of that size: 2 bytes per pair of an element's nodes. `pattern`
// must hold every pair, and stay, as must the indices.
mus_status mus_scatter_create(mus_arena *arena, const mus_pattern *pattern, int block, int lists,
                              const mus_tuples *tuples, mus_scatter **out);

// Evaluates elements first ... first + count - 1 of a list: `vectors` receives count * arity pieces of `block` numbers,
// `blocks`, unless it is NULL, count * mus_tuple_blocks(arity) blocks, or r of so many elements. Called from several
// threads at once.
typedef void mus_evaluate(const void *context, int list, int first, int count, double *vectors, double *blocks);

// y and, unless it is NULL, the values of `a` become the sums over all elements of all lists.
void mus_scatter_run(const mus_scatter *scatter, mus_evaluate *evaluate, const void *context, mus_matrix *a, double *y);

// For tests and measurements: how many shares and colours there are.
void mus_scatter_shape(const mus_scatter *scatter, int *shares, int *colours);

#endif
