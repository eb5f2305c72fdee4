// Gauss-Seidel sweeps with symmetric storage (symmetric.h), in about the order of nodes. In a pass over the matrix,
// each pair of blocks serves both of its rows, and more than a sweep comes out of it:
//
//   down, from the last row to the first and from x = 0:   (D + U) x = b,   r = b - A x = -L x
//   up, from the first row to the last and from any x:     (D + L) x = b - U x
//
// where A = L + D + U. So a sweep down with its residual, and one up, cost a pass each, as much as one step of a
// polynomial in D^-1 A. The one is the adjoint of the other in the inner product of A, and neither makes an error
// larger in its norm, whatever the spectral radius of D^-1 A.
//
// Chunks are coloured such that none has blocks that lead to another of its colour. Those of a colour are swept at
// once; colours follow each other, in the opposite order on the way down. So it is Gauss-Seidel in an order that
// follows from the pattern, and results have the same bits for any number of threads.
#ifndef MUS_SPARSE_SYMMETRIC_SWEEP_H
#define MUS_SPARSE_SYMMETRIC_SWEEP_H

#include "sparse/symmetric.h"

typedef struct mus_symmetric_order {
  const mus_symmetric_pattern *pattern;
  int colours;
  int colour_start[MUS_SYMMETRIC_CHUNKS + 1];
  int chunk[MUS_SYMMETRIC_CHUNKS]; // by colours
  // Blocks beside the diagonal that are stored for their row alone and lead to rows which come later on the way down;
  // by chunks.
  int late_start[MUS_SYMMETRIC_CHUNKS + 1];
  int *late_row, *late_column, *late_block;
} mus_symmetric_order;

// The pattern must stay.
mus_status mus_symmetric_order_create(mus_arena *arena, const mus_symmetric_pattern *pattern, mus_symmetric_order *out);

// x and r, of which nothing is read; x, r and b must not alias
void mus_symmetric_sweep_down(const mus_symmetric *a, const mus_symmetric_order *order, const double *inverse_diagonal,
                              const double *b, double *x, double *r);
void mus_symmetric_sweep_down_f(const mus_symmetric_f *a, const mus_symmetric_order *order,
                                const float *inverse_diagonal, const float *b, float *x, float *r);
// x in place; it must not alias b
void mus_symmetric_sweep_up(const mus_symmetric *a, const mus_symmetric_order *order, const double *inverse_diagonal,
                            const double *b, double *x);
void mus_symmetric_sweep_up_f(const mus_symmetric_f *a, const mus_symmetric_order *order, const float *inverse_diagonal,
                              const float *b, float *x);

#endif
