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

// A number of a matrix. The one in double precision is read once an iteration: it is not to drive the others, which are
// read several times, out of the device's cache.
MUS_HD float mus_matrix_number(const float *p) { return *p; }
MUS_HD double mus_matrix_number(const double *p) {
#ifdef __CUDA_ARCH__
  return __ldcs(p);
#else
  return *p;
#endif
}

// The lane's row times x, or, where PARTS threads share a row, every PARTS-th block of it from the `part`-th on. A
// thread asks for several blocks before it uses any, which hides the time that memory takes.
template <int B, int C, int PARTS, class real>
MUS_HD real mus_row_sum(const mus_sliced<real> &a, int slice, int lane, int part, const real *x) {
  constexpr int LANES = MUS_SLICE * B, AHEAD = 4;
  int begin = a.base[slice], width = a.base[slice + 1] - begin;
  const real *value = a.value + (size_t)begin * (C * LANES) + lane;
  const int *column = a.column + (size_t)begin * MUS_SLICE + lane / B;
  real sum = 0;
#ifdef __CUDACC__
#pragma unroll 1
#endif
  for (int k = part; k < width; k += AHEAD * PARTS) {
    real v[AHEAD][C];
    int j[AHEAD];
    MUS_UNROLL
    for (int u = 0; u < AHEAD; ++u) {
      int at = k + u * PARTS;
      bool is_there = at < width;
      j[u] = is_there ? column[at * MUS_SLICE] : 0;
      MUS_UNROLL
      for (int c = 0; c < C; ++c)
        v[u][c] = is_there ? mus_matrix_number(value + (size_t)(at * C + c) * LANES) : 0;
    }
    MUS_UNROLL
    for (int u = 0; u < AHEAD; ++u)
      MUS_UNROLL
    for (int c = 0; c < C; ++c)
      sum += v[u][c] * x[(size_t)j[u] * C + (size_t)c];
  }
  return sum;
}

// Adds up one number per thread of a block, in a fixed order, phase by phase. `count` is a multiple of 32.
enum { MUS_BLOCK_SUM_PHASES = 3 };
MUS_HD void mus_block_sum(int phase, int thread, int count, double *number, double *out) {
  constexpr int EACH = 8;
  double sum = 0;
  if (phase == 0 && thread < MUS_SLICE) {
    for (int k = thread; k < count; k += MUS_SLICE)
      sum += number[k];
    number[thread] = sum;
  }
  if (phase == 1 && thread < MUS_SLICE / EACH) {
    MUS_UNROLL
    for (int k = 0; k < EACH; ++k)
      sum += number[thread * EACH + k];
    number[thread * EACH] = sum;
  }
  if (phase == 2 && thread == 0) {
    MUS_UNROLL
    for (int k = 0; k < MUS_SLICE; k += EACH)
      sum += number[k];
    *out = sum;
  }
}

#endif
