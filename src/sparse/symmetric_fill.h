// Filling symmetric storage from a whole matrix, row by row. Private to sparse/.
#ifndef MUS_SPARSE_SYMMETRIC_FILL_H
#define MUS_SPARSE_SYMMETRIC_FILL_H

#include "sparse/symmetric.h"

// A row of the full matrix is made of runs: blocks that lead out below the chunk or the ring, those that their pairs
// stand for, the diagonal, pairs, and blocks that lead out above. Here as places in the full matrix and here: the
// diagonal, what leads out below and above, pairs.
typedef struct mus_symmetric_runs {
  int from[4], to[4], count[4];
} mus_symmetric_runs;

static inline mus_symmetric_runs mus_symmetric_runs_of(const mus_symmetric_pattern *p, const mus_pattern *full, int i) {
  int start = p->row_start[i], pairs = p->pair_start[i], end = p->row_start[i + 1], below = 0;
  while (start + 1 + below < pairs && p->where[start + 1 + below] < i)
    ++below;
  int above = pairs - start - below - 1, last = full->row_start[i + 1];
  int diagonal = last - above - (end - pairs) - 1;
  return (mus_symmetric_runs){{diagonal, full->row_start[i], last - above, diagonal + 1},
                              {start, start + 1, start + 1 + below, pairs},
                              {1, below, above, end - pairs}};
}

#if MUSLIN_X86
// Rows of 3x3 blocks with AVX2; either of the values may be NULL. The same bits as symmetric.c.
void mus_symmetric_fill_rows_avx2(const mus_symmetric_pattern *p, const mus_matrix *full, int begin, int end,
                                  double *value, float *value_f);
// The same rows in single precision, from those in double.
void mus_symmetric_round_rows_avx2(const mus_symmetric_pattern *p, const double *from, int begin, int end, float *to);
#endif

#endif
