// Rows of smoothed prolongators, compiled for each machine. Private to aggregation.c, which has the equations.
#ifndef MUS_MULTIGRID_SMOOTH_ROWS_H
#define MUS_MULTIGRID_SMOOTH_ROWS_H

#include "multigrid/hierarchy.h"

typedef struct mus_smooth_task {
  const mus_level_view *fine;
  const mus_pattern *part;      // of A: what smooths
  const int *part_source;       // a block of `part` -> its block of A
  const mus_pattern *tentative; // one block a row, none at special nodes
  const int *aggregate;         // of a node; below 0 for special ones
  int count;                    // near-null vectors
  int is_filtered;
  double omega;                // where rows are divided by D
  const double *kernel;        // block x count for each node
  const double *coarse_kernel; // R of each aggregate, count x count
  const double *q;             // blocks of the tentative prolongator
  mus_matrix *p;               // A P^, becomes P
} mus_smooth_task;

// Rows begin ... end - 1. They give the same bits.
typedef void mus_smooth_rows(const mus_smooth_task *task, int begin, int end);
mus_smooth_rows mus_smooth_rows_scalar;
#if MUSLIN_X86
mus_smooth_rows mus_smooth_rows_avx2;
#endif

// t <- -omega D_i^-1 t for one block x columns matrix.
static inline __attribute__((always_inline)) void mus_scale_block(int block, int columns, double omega,
                                                                  const double *inverse, double *t) {
  double result[MUS_BLOCK_MAXIMUM * MUS_BLOCK_MAXIMUM];
  for (int r = 0; r < block; ++r)
    for (int c = 0; c < columns; ++c) {
      double sum = 0;
      for (int q = 0; q < block; ++q)
        sum -= omega * inverse[r * block + q] * t[q * columns + c];
      result[r * columns + c] = sum;
    }
  for (int e = 0; e < block * columns; ++e)
    t[e] = result[e];
}

#endif
