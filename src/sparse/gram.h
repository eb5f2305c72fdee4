// The Gram matrix V^T A V of a few vectors, in one pass over a symmetric block matrix: A V is never stored.
//
//   V^T A V = H + H^T,   H = sum_i v_i^T (A_ii v_i / 2 + sum_{j > i} A_ij v_j)
//
// so blocks below the diagonal are not read. In symmetric storage, pairs count like those above the diagonal, and what
// is stored on both sides counts half on each. One pass serves all vectors.
#ifndef MUS_SPARSE_GRAM_H
#define MUS_SPARSE_GRAM_H

#include "par/lanes.h"
#include "sparse/symmetric.h"

// gram += V^T A V, count x count numbers, for the vectors v of par/lanes.h. A's row k is that of node[k]; NULL: of k.
// `a` has square blocks and columns that ascend within a row.
void mus_gram_add(const mus_matrix *a, const int *node, int count, const float *v, double *gram);
void mus_symmetric_gram_add(const mus_symmetric *a, int count, const float *v, double *gram);

// Private to sparse/. Rows as both kinds of storage have them.
typedef struct mus_gram_rows {
  int block;
  const int *row_start, *where;
  const int *pair_start; // of symmetric storage, whose pairs are there in `where` as its kernels need them; else NULL
  const int *node;       // NULL: row k is that of node k
  const double *value;
} mus_gram_rows;

// H of some rows is added to `sum`, of which count x count numbers mean something.
typedef double mus_gram_sum[MUS_LANES_MAXIMUM][MUS_LANES_MAXIMUM];
#if MUSLIN_X86
// For blocks of 3x3.
void mus_gram_rows_avx2(const mus_gram_rows *a, int begin, int end, int count, const float *v, mus_gram_sum sum);
#endif

// The blocks of a row that count: half, from *first to *pairs, and wholly, from there to the end.
static inline void mus_gram_row(const mus_gram_rows *a, int i, int row, int *first, int *pairs) {
  int e = a->row_start[i], end = a->row_start[i + 1];
  if (a->pair_start) {
    *first = e;
    *pairs = a->pair_start[i];
    return;
  }
  while (e < end && a->where[e] < row)
    ++e;
  *first = e;
  *pairs = e + (e < end && a->where[e] == row);
}

#endif
