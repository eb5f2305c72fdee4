// Kernels of nested levels: Galerkin products by given weights, coloured Gauss-Seidel, and the ways between levels. All
// in double precision, blocks of 3 x 3 by rows. See ladder_stages.h.
#ifndef MUS_CUDA_LADDER_KERNELS_H
#define MUS_CUDA_LADDER_KERNELS_H

#include "cuda/minimise_kernels.h"
#include "cuda/renew_kernels.h"

// Which nodes of the finest level are held.
struct mus_mark_held_kernel {
  const int *count;
  const mus_stage_hold *hold;
  int *held;
  enum { THREADS = 128, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int k = at.block * THREADS + at.thread;
    if (k < *count)
      held[hold[k].node] = 1;
  }
};

// Part of a coarse block: a fine one, and the product of two weights.
struct mus_ladder_share {
  unsigned block;
  float weight;
};

// P^T A P; three threads for each coarse block, one for each of its rows. What is held does not count.
struct mus_ladder_product_kernel {
  int blocks;
  const int *start;
  const mus_ladder_share *share;
  const double *from;
  const int *held, *row, *column; // of the finest level; held is NULL on others
  double *value;
  enum { THREADS = 192, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    long long thread = (long long)at.block * THREADS + at.thread;
    int k = (int)(thread / 3), r = (int)(thread % 3);
    if (k >= blocks)
      return;
    double sum[3] = {0, 0, 0};
    for (int s = start[k]; s < start[k + 1]; ++s) {
      mus_ladder_share part = share[s];
      if (held && (held[row[part.block]] || held[column[part.block]]))
        continue;
      const double *a = from + 9 * (size_t)part.block + (size_t)(3 * r);
      MUS_UNROLL
      for (int c = 0; c < 3; ++c)
        sum[c] += (double)part.weight * a[c];
    }
    MUS_UNROLL
    for (int c = 0; c < 3; ++c)
      value[9 * (size_t)k + (size_t)(3 * r + c)] = sum[c];
  }
};

// Inverse diagonal blocks; zero for nodes that are held, and for those that nothing free is interpolated from.
struct mus_ladder_invert_kernel {
  int nodes;
  const int *diagonal, *held;
  const double *value;
  double *inverse;
  enum { THREADS = 128, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int i = at.block * THREADS + at.thread;
    if (i >= nodes)
      return;
    const double *a = value + 9 * (size_t)diagonal[i];
    double *to = inverse + 9 * (size_t)i, cofactor[9];
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) {
        int r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
        cofactor[3 * c + r] = a[3 * r1 + c1] * a[3 * r2 + c2] - a[3 * r1 + c2] * a[3 * r2 + c1];
      }
    double determinant = a[0] * cofactor[0] + a[1] * cofactor[3] + a[2] * cofactor[6];
    double factor = determinant > 0 && !(held && held[i]) ? 1 / determinant : 0;
    for (int k = 0; k < 9; ++k)
      to[k] = factor * cofactor[k];
  }
};

// b - A x at a node.
MUS_HD void mus_ladder_left(int i, const int *row_start, const int *column, const double *value, const double *b,
                            const double *x, double *left) {
  for (int r = 0; r < 3; ++r)
    left[r] = b[3 * (size_t)i + (size_t)r];
  for (int k = row_start[i]; k < row_start[i + 1]; ++k) {
    const double *a = value + 9 * (size_t)k, *from = x + 3 * (size_t)column[k];
    double y[3] = {from[0], from[1], from[2]};
    MUS_UNROLL
    for (int r = 0; r < 3; ++r)
      left[r] -= a[3 * r] * y[0] + a[3 * r + 1] * y[1] + a[3 * r + 2] * y[2];
  }
}

// Gauss-Seidel on the nodes of one colour.
struct mus_relax_kernel {
  int count;
  const int *node;
  const int *row_start, *column;
  const double *value, *inverse, *b;
  double *x;
  enum { THREADS = 64, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int k = at.block * THREADS + at.thread;
    if (k >= count)
      return;
    int i = node[k];
    double left[3];
    mus_ladder_left(i, row_start, column, value, b, x, left);
    for (int r = 0; r < 3; ++r)
      x[3 * (size_t)i + (size_t)r] += mus_dot3(inverse + 9 * (size_t)i + (size_t)(3 * r), left);
  }
};

// left = b - A x, zero where held.
struct mus_ladder_residual_kernel {
  int nodes;
  const int *row_start, *column, *held;
  const double *value, *b, *x;
  double *left;
  enum { THREADS = 64, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int i = at.block * THREADS + at.thread;
    if (i >= nodes)
      return;
    double here[3] = {0, 0, 0};
    if (!(held && held[i]))
      mus_ladder_left(i, row_start, column, value, b, x, here);
    for (int r = 0; r < 3; ++r)
      left[3 * (size_t)i + (size_t)r] = here[r];
  }
};

// P^T; a thread for each number of the coarse level.
struct mus_ladder_restrict_kernel {
  int numbers;
  const int *start, *node;
  const double *weight;
  const double *from;
  double *to;
  enum { THREADS = 192, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int k = at.block * THREADS + at.thread, i = k / 3, c = k % 3;
    if (k >= numbers)
      return;
    double sum = 0;
    for (int s = start[i]; s < start[i + 1]; ++s)
      sum += weight[s] * from[3 * (size_t)node[s] + (size_t)c];
    to[k] = sum;
  }
};

// x = P x_c, or x += P x_c; held nodes stay.
template <bool ADD> struct mus_ladder_prolong_kernel {
  int numbers;
  const int *carrier; // 3 of each node
  const double *weight;
  const int *held;
  const double *from;
  double *to;
  enum { THREADS = 192, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int k = at.block * THREADS + at.thread, i = k / 3, c = k % 3;
    if (k >= numbers)
      return;
    double sum = 0;
    for (size_t e = 3 * (size_t)i; e < 3 * (size_t)i + 3 && !(held && held[i]); ++e)
      sum += weight[e] != 0 ? weight[e] * from[3 * (size_t)carrier[e] + (size_t)c] : 0;
    to[k] = ADD ? to[k] + sum : sum;
  }
};

// W = A of the coarsest level, with ones on the diagonal beyond it and where there is nothing. A block has a row.
struct mus_ladder_dense_kernel {
  const int *row_start, *column, *diagonal;
  const double *value;
  int nodes, size;
  double *w;
  enum { THREADS = 128, PHASES = 2, SHARED = 0 };

  MUS_HD void run(int phase, mus_place at, void *) const {
    int row = at.block, node = row / 3, r = row % 3;
    double *to = w + (size_t)row * (size_t)size;
    if (phase == 0) {
      bool empty = node >= nodes || !(value[9 * (size_t)diagonal[node] + (size_t)(4 * r)] > 0);
      for (int j = at.thread; j < size; j += THREADS)
        to[j] = empty && j == row ? 1 : 0;
    } else if (node < nodes && value[9 * (size_t)diagonal[node] + (size_t)(4 * r)] > 0) {
      int first = row_start[node], length = row_start[node + 1] - first;
      for (int e = at.thread; e < 3 * length; e += THREADS)
        to[3 * column[first + e / 3] + e % 3] = value[9 * (size_t)(first + e / 3) + (size_t)(3 * r + e % 3)];
    }
  }
};

// x = W b. A block has eight rows.
struct mus_ladder_bottom_kernel {
  const double *w;
  int size, numbers;
  const double *b;
  double *x;
  enum { ROWS = 8, THREADS = ROWS * MUS_SLICE, PHASES = 2, SHARED = THREADS * sizeof(double) };

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    double *part = (double *)shared, sum = 0;
    int row = at.block * ROWS + at.thread / MUS_SLICE, first = at.thread % MUS_SLICE;
    if (row >= numbers)
      return;
    if (phase == 0) {
      for (int k = first; k < numbers; k += MUS_SLICE)
        sum += w[(size_t)row * (size_t)size + (size_t)k] * b[k];
      part[at.thread] = sum;
    } else if (first == 0) {
      for (int k = 0; k < MUS_SLICE; ++k)
        sum += part[at.thread + k];
      x[row] = sum;
    }
  }
};

#endif
