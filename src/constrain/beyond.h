// Terms that come and go beyond a matrix's pattern: springs between nodes that share no element, say.
//
// A term touches a few nodes and adds a block to every pair of them. The sum of all is a small matrix of its own, with
// rows for the touched nodes only. So a pattern that was made once, and all that was precomputed from it, stays as it
// is while terms come and go. All sums are taken row by row in the order of the terms: results have the same bits for
// any number of threads.
#ifndef MUS_CONSTRAIN_BEYOND_H
#define MUS_CONSTRAIN_BEYOND_H

#include "par/operator.h"
#include "sparse/clusters.h"
#include "sparse/matrix.h"
#include "sparse/symmetric.h"

enum { MUS_TERM_NODES = 4 }; // that most terms have at most

// The caller's terms. Block (j, i) must be block (i, j) transposed, to the last bit.
typedef struct mus_terms {
  int count;
  const void *self;
  int (*nodes)(const void *self, int term, const int **node); // returns how many, 1 or more
  void (*block)(const void *self, int term, int i, int j, double *out);
} mus_terms;

typedef struct mus_beyond {
  int block;
  int count;           // nodes that terms touch; 0: there is nothing
  int widest;          // the most nodes of a term, which bound the spectrum of D^-1 C where D is C's block diagonal
  int *node;           // count, ascending
  mus_pattern pattern; // count x all nodes; every touched node has its diagonal block
  double *value;
  double *product; // count blocks: workspace for C x
} mus_beyond;

// The same with values in single precision.
typedef struct mus_beyond_f {
  int block, count;
  const int *node;
  mus_pattern pattern;
  float *value, *product;
} mus_beyond_f;

// The sum of the terms, for `rows` nodes.
mus_status mus_beyond_create(mus_arena *arena, int rows, int block, const mus_terms *terms, mus_beyond *out);
// y += factor C x
void mus_beyond_multiply_add(const mus_beyond *beyond, double factor, const double *x, double *y);
// y += factor D^-1 C x, with one block of D^-1 a node
void mus_beyond_scaled_add(const mus_beyond *beyond, const double *inverse_diagonal, double factor, const double *x,
                           double *y);

void mus_beyond_multiply_add_f(const mus_beyond_f *beyond, float factor, const float *x, float *y);
void mus_beyond_scaled_add_f(const mus_beyond_f *beyond, const float *inverse_diagonal, float factor, const float *x,
                             float *y);
// Rounds to single precision; pattern and nodes stay those of `from`.
mus_status mus_beyond_round(mus_arena *arena, const mus_beyond *from, mus_beyond_f *to);
// The same as a matrix with a row for each of `rows` nodes, most of them empty. Columns and values are those of `from`.
mus_status mus_beyond_expand(mus_arena *arena, const mus_beyond *from, int rows, mus_pattern *pattern, mus_matrix *to);

// A block sparse matrix with what lies beyond its pattern (NULL: nothing).
typedef struct mus_block_operator {
  const mus_matrix *a;
  const mus_beyond *beyond;
  const mus_symmetric *symmetric; // the same matrix, read by products in place of `a`; NULL: none
  const unsigned char *active;    // rows that mus_block_operator_chebyshev() computes; NULL: all
  const mus_clusters *clusters;   // nodes that D^-1 takes together, not with `active`; NULL: none
} mus_block_operator;

typedef struct mus_block_operator_f {
  const mus_matrix_f *a;
  const mus_beyond_f *beyond;
  const mus_symmetric_f *symmetric;
  const unsigned char *active; // rows that mus_block_operator_chebyshev_f() computes; NULL: all
  const mus_clusters_f *clusters;
} mus_block_operator_f;

// The same as an operator for conjugate gradients; `o` must stay.
mus_operator mus_block_operator_view(const mus_block_operator *o);
// y = (A + C) x
void mus_block_operator_multiply(const mus_block_operator *o, const double *x, double *y);
// The same, and returns x . y
double mus_block_operator_multiply_dot(const mus_block_operator *o, const double *x, double *y);
// r = b - (A + C) x
void mus_block_operator_residual(const mus_block_operator *o, const double *b, const double *x, double *r);
// gram = V^T (A + C) V for the vectors of par/lanes.h, count x count numbers
void mus_block_operator_gram(const mus_block_operator *o, int count, const float *v, double *gram);
void mus_block_operator_residual_f(const mus_block_operator_f *o, const float *b, const float *x, float *r);
// mus_chebyshev_step with A + C.
void mus_block_operator_chebyshev(const mus_block_operator *o, const double *inverse_diagonal, const double *b,
                                  const double *x, double alpha, double beta, double gamma, double *next);
void mus_block_operator_chebyshev_f(const mus_block_operator_f *o, const float *inverse_diagonal, const float *b,
                                    const float *x, float alpha, float beta, float gamma, float *next);
// x = factor D^-1 b, or G^-1 b where there are clusters.
void mus_block_operator_divide(const mus_block_operator *o, double factor, const double *inverse_diagonal,
                               const double *b, double *x);
void mus_block_operator_divide_f(const mus_block_operator_f *o, float factor, const float *inverse_diagonal,
                                 const float *b, float *x);
// Before passes of it that trade x and `other`: rows that are not active become zero in both, or in `other` what they
// are in x.
void mus_block_operator_rest(const mus_block_operator *o, int from_zero, double *x, double *other);
void mus_block_operator_rest_f(const mus_block_operator_f *o, int from_zero, float *x, float *other);
// The inverses of the diagonal blocks of A + C, as mus_inverse_diagonal.
mus_status mus_block_operator_inverse_diagonal(const mus_block_operator *o, const int *place, double *inverse);
// A + C as one matrix with a pattern of its own. There must be a C.
mus_status mus_block_operator_merge(mus_arena *arena, const mus_block_operator *o, mus_pattern *pattern,
                                    mus_matrix *out);

#endif
