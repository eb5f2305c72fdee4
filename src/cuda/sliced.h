// Sparse matrices as devices like to read them: sliced rows (after Kreutzer et al. 2014), 32 nodes to a slice.
//
// A slice holds its rows of blocks side by side, as many columns of blocks as its longest row has. A thread has one of
// the 32 * block scalar rows, its lane, and lanes that follow each other read numbers that do:
//   number (r, c) of the k-th block of node i:   value[((base[i / 32] + k) * inner + c) * 32 * block + i % 32 * block +
//   r] its column:                                  column[(base[i / 32] + k) * 32 + i % 32]
// Rows that are shorter, and the last slice's that do not exist, are filled up with zeros. So are vectors: they have
// room for whole slices, and nothing asks where a level ends.
#ifndef MUS_CUDA_SLICED_H
#define MUS_CUDA_SLICED_H

#include "cuda/launch.h"

enum { MUS_SLICE = 32 };

template <class real> struct mus_sliced {
  const int *base; // slices + 1
  const int *column;
  real *value;
};

// Where the k-th block of node i begins: number (r, c) is c * 32 * block + r further on.
template <int B, int C> MUS_HD size_t mus_sliced_at(const int *base, int i, int k) {
  return ((size_t)base[i / MUS_SLICE] + (size_t)k) * (size_t)(C * MUS_SLICE * B) + (size_t)(i % MUS_SLICE * B);
}

// The lane's row times x, or every `parts`-th block of it from the `part`-th on.
template <int B, int C, class real>
MUS_HD real mus_row_sum(const mus_sliced<real> &a, int slice, int lane, int part, int parts, const real *x) {
  constexpr int LANES = MUS_SLICE * B;
  int begin = a.base[slice], width = a.base[slice + 1] - begin;
  const real *value = a.value + (size_t)begin * (C * LANES) + lane;
  const int *column = a.column + (size_t)begin * MUS_SLICE + lane / B;
  real sum = 0;
#ifdef __CUDACC__
#pragma unroll 4
#endif
  for (int k = part; k < width; k += parts) {
    const real *y = x + (size_t)column[k * MUS_SLICE] * C;
    const real *v = value + (size_t)k * (C * LANES);
    MUS_UNROLL
    for (int c = 0; c < C; ++c)
      sum += v[c * LANES] * y[c];
  }
  return sum;
}

// Adds up one number per thread of a block, in a fixed order: phase by phase, of three. `count` is a multiple of 32.
enum { MUS_BLOCK_SUM_PHASES = 2 };
MUS_HD void mus_block_sum(int phase, int thread, int count, double *number, double *out) {
  double sum = 0;
  if (phase == 0 && thread < MUS_SLICE) {
    for (int k = thread; k < count; k += MUS_SLICE)
      sum += number[k];
    number[thread] = sum;
  }
  if (phase == 1 && thread == 0) {
    MUS_UNROLL
    for (int k = 0; k < MUS_SLICE; ++k)
      sum += number[k];
    *out = sum;
  }
}

#endif
