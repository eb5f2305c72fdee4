// Terms that come and go beyond a matrix's pattern: springs between nodes that share no element, say.
//
// A term touches a few nodes and adds a block to every pair of them. What can be added to a matrix in its own pattern
// is (`within`), the rest is a small matrix of its own, with rows for the touched nodes only. So a pattern that was
// made once, and all that was precomputed from it, stays as it is while terms come and go.
//
// The nodes of a term are parted into sets of neighbours in the pattern, as large ones as there are: a vertex against a
// triangle has two, {v} and {a, b, c}. Blocks between nodes of one set go into the matrix, blocks between two sets
// beyond it. A positive semi-definite term keeps its diagonal sub-matrices so, and the matrix alone stays positive
// definite: a preconditioner can be made from it.
//
// All sums are taken row by row in the order of the terms: results have the same bits for any number of threads.
#ifndef MUS_SPARSE_BEYOND_H
#define MUS_SPARSE_BEYOND_H

#include "sparse/matrix.h"

enum { MUS_TERM_NODES = 4 }; // at most

// The caller's terms. Block (j, i) must be block (i, j) transposed, to the last bit.
typedef struct mus_terms {
  int count;
  const void *self;
  int (*nodes)(const void *self, int term, const int **node); // returns how many, 1 to MUS_TERM_NODES
  void (*block)(const void *self, int term, int i, int j, double *out);
} mus_terms;

typedef struct mus_beyond {
  int block;
  mus_terms terms;
  int count;           // nodes that terms touch
  int *node;           // count, ascending
  int *incident_start; // count + 1
  int *incident;       // MUS_TERM_NODES * term + which of its nodes, ascending for each touched node
  unsigned char *part; // MUS_TERM_NODES a term: which set each of its nodes belongs to
  mus_pattern pattern; // count x all nodes: the blocks between different sets
  double *value;       // of these blocks
} mus_beyond;

// The terms must outlive `out`. `within` is the pattern of the matrix that they are added to.
mus_status mus_beyond_create(mus_arena *arena, const mus_pattern *within, int block, const mus_terms *terms,
                             mus_beyond *out);
// a += the blocks within its pattern
void mus_beyond_add_within(const mus_beyond *beyond, mus_matrix *a);
// y += factor C x for what is beyond the pattern
void mus_beyond_multiply_add(const mus_beyond *beyond, double factor, const double *x, double *y);
// The same for all blocks of all terms, within the pattern and beyond, without any matrix.
void mus_terms_multiply_add(const mus_beyond *beyond, double factor, const double *x, double *y);
// a + beyond as one matrix with a pattern of its own. `a` holds the blocks within.
mus_status mus_beyond_merge(mus_arena *arena, const mus_matrix *a, const mus_beyond *beyond, mus_pattern *pattern,
                            mus_matrix *out);

// A matrix with what lies beyond its pattern (NULL: nothing): what conjugate gradients multiply with.
typedef struct mus_operator {
  const mus_matrix *a;
  const mus_beyond *beyond;
} mus_operator;

// y = (A + C) x
void mus_operator_multiply(const mus_operator *o, const double *x, double *y);
// r = b - (A + C) x
void mus_operator_residual(const mus_operator *o, const double *b, const double *x, double *r);

#endif
