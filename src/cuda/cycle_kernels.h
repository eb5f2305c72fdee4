// Kernels of the cycle, in single precision: everything that passes over the rows of a level's matrix, of a prolongator
// or of its transpose, and the bottom.
//
// A block of threads has a slice of rows; small levels have several threads for each row (PARTS), so that the device is
// busy with them too. What follows on a row's sum is done where the sum is, so that vectors are written once:
#ifndef MUS_CUDA_CYCLE_KERNELS_H
#define MUS_CUDA_CYCLE_KERNELS_H

#include "cuda/sliced.h"

enum mus_finish {
  MUS_RESIDUAL, // y = b - A x
  MUS_ADD,      // y += A x
  MUS_SET,      // y = A x
  MUS_STEP,     // y = x + alpha D^-1 (b - A x) + beta x - gamma y: a pass of the smoother
  MUS_BEGIN,    // y = A x, z = alpha D^-1 y: restriction, and the coarser level's first pass from zero
  MUS_APPLY     // y = D^-1 A x
};

// What a level's radius is now, where kernels find it.
struct mus_level_state {
  double radius, growth; // when the prolongator was made
  double now, inverse;   // 1 / now
  double mean;           // of the matrix's diagonal
  double scale;          // that the probe's next length is to be multiplied by
  int failed;            // a block was not positive definite
};

// DOT also sums up y . with, or y . y where that is NULL, slice by slice.
template <int B, int C, int PARTS, mus_finish FINISH, bool DOT> struct mus_rows_kernel {
  mus_sliced<float> a;
  const float *x; // C numbers per node
  const float *b;
  float *y, *z;
  const float *inverse; // D^-1, sliced, one block a row
  const mus_level_state *level;
  float alpha, beta, gamma;
  const double *with;
  double *partial;
  const float *extra; // to be added to A x; NULL: nothing

  static constexpr int LANES = MUS_SLICE * B;
  static constexpr bool SCALED = FINISH == MUS_STEP || FINISH == MUS_BEGIN || FINISH == MUS_APPLY;
  static constexpr int SUMS = PARTS > 1 ? 2 : 1; // phases
  enum {
    THREADS = LANES * PARTS,
    PHASES = SUMS + SCALED + (DOT ? MUS_BLOCK_SUM_PHASES : 0),
    SHARED = (int)(DOT ? LANES * sizeof(double) : 0) + (int)sizeof(float) * (LANES + (PARTS > 1 ? THREADS : 0))
  };

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    double *dot = (double *)shared;
    float *row = (float *)shared + (DOT ? 2 * LANES : 0), *part = row + LANES;
    int lane = at.thread % LANES;
    size_t i = (size_t)at.block * LANES + (size_t)lane;
    if (PARTS > 1 && phase == 0)
      part[at.thread] = mus_row_sum<B, C, PARTS>(a, at.block, lane, at.thread / LANES, x);
    if (at.thread >= LANES)
      return;
    if (phase == SUMS - 1) {
      float sum = 0;
      if (PARTS == 1)
        sum = mus_row_sum<B, C, 1>(a, at.block, lane, 0, x);
      else
        for (int k = 0; k < PARTS; ++k)
          sum += part[k * LANES + lane];
      if (extra)
        sum += extra[i];
      finish_sum(sum, i, &row[lane]);
    }
    if (SCALED && phase == SUMS)
      finish_scaled(at.block, lane, i, row, dot);
    if (DOT && phase > SUMS)
      mus_block_sum(phase - SUMS - 1, at.thread, LANES, dot, &partial[at.block]);
  }

  MUS_HD void finish_sum(float sum, size_t i, float *row) const {
    if (FINISH == MUS_RESIDUAL)
      y[i] = b[i] - sum;
    if (FINISH == MUS_ADD)
      y[i] += sum;
    if (FINISH == MUS_SET)
      y[i] = sum;
    if (FINISH == MUS_STEP)
      *row = b[i] - sum;
    if (FINISH == MUS_BEGIN)
      y[i] = *row = sum;
    if (FINISH == MUS_APPLY)
      *row = sum;
  }

  MUS_HD void finish_scaled(int slice, int lane, size_t i, const float *row, double *dot) const {
    const float *d = inverse + (size_t)slice * (B * LANES) + lane, *node = row + lane / B * B;
    float scaled = 0, value = 0;
    MUS_UNROLL
    for (int c = 0; c < B; ++c)
      scaled += d[c * LANES] * node[c];
    float factor = FINISH == MUS_APPLY ? 1 : alpha * (float)level->inverse;
    if (FINISH == MUS_STEP) {
      float old = x[i];
      value = old + factor * scaled + beta * old;
      if (gamma != 0)
        value -= gamma * y[i];
      y[i] = value;
    }
    if (FINISH == MUS_BEGIN)
      z[i] = factor * scaled;
    if (FINISH == MUS_APPLY)
      y[i] = value = scaled;
    if (DOT)
      dot[lane] = (double)value * (with ? with[i] : (double)value);
  }
};

// x = alpha D^-1 b: a first pass from zero by itself
template <int B> struct mus_first_pass_kernel {
  const float *inverse, *b;
  float *x;
  const mus_level_state *level;
  float alpha;
  static constexpr int LANES = MUS_SLICE * B;
  enum { THREADS = LANES, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    const float *d = inverse + (size_t)at.block * (B * LANES) + at.thread;
    size_t node = (size_t)at.block * LANES + (size_t)(at.thread / B * B);
    float sum = 0;
    MUS_UNROLL
    for (int c = 0; c < B; ++c)
      sum += d[c * LANES] * b[node + (size_t)c];
    x[(size_t)at.block * LANES + (size_t)at.thread] = alpha * (float)level->inverse * sum;
  }
};

// The bottom: x = W b with the inverse W, `size` x `size`. A block has eight rows.
struct mus_bottom_kernel {
  const double *w;
  int size;
  const float *b;
  float *x;
  enum { ROWS = 8, THREADS = ROWS * MUS_SLICE, PHASES = 2, SHARED = THREADS * sizeof(double) };

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    double *part = (double *)shared, sum = 0;
    int row = at.block * ROWS + at.thread / MUS_SLICE, first = at.thread % MUS_SLICE;
    if (row >= size)
      return;
    if (phase == 0) {
      for (int k = first; k < size; k += MUS_SLICE)
        sum += w[(size_t)row * (size_t)size + (size_t)k] * (double)b[k];
      part[at.thread] = sum;
    } else if (first == 0) {
      MUS_UNROLL
      for (int k = 0; k < MUS_SLICE; ++k)
        sum += part[at.thread + k];
      x[row] = (float)sum;
    }
  }
};

// probe = scale * from, and the scale is that of the level: the probe keeps its length.
struct mus_scale_kernel {
  const float *from;
  float *to;
  const mus_level_state *level;
  enum { THREADS = 6 * MUS_SLICE, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    size_t i = (size_t)at.block * (size_t)at.threads + (size_t)at.thread;
    to[i] = (float)level->scale * from[i];
  }
};

#endif
