// Kernels of cycles over affine handles, for matrices that the coordinates share: the device's side of
// multigrid/skinning/affine_cycle_template.h.
//
// Vectors have four numbers for each function of a node, of which the fourth is unused, so that a thread reads a
// neighbour's at once. The finest level's links lie in slices of 32 nodes, four threads for each node; those of handles
// row by row, 32 threads for each. What several threads have of a row they put into shared memory, and one adds it up.
#ifndef MUS_CUDA_HANDLE_KERNELS_H
#define MUS_CUDA_HANDLE_KERNELS_H

#include <math.h>

#include "cuda/launch.h"

enum { MUS_HANDLE_SLICE = 32, MUS_HANDLE_FUNCTIONS = 4, MUS_HANDLE_UNKNOWNS = 12 };

// What a pass makes of rows:
enum mus_row_mode {
  MUS_ROW_RELAX,   // x = (D + B)^-1 (b - links x), of nodes without links among them
  MUS_ROW_PASS,    // out = x + alpha (D + B)^-1 (b - A x) + beta (x - out)
  MUS_ROW_RESIDUAL // out = b - A x
};

// Where a polynomial's pass begins.
enum mus_row_start {
  MUS_ROW_GIVEN,  // from x
  MUS_ROW_ZERO,   // from zero, so that no row is read
  MUS_ROW_SECOND, // the one after that
};

// The diagonal of a level: that of L, and where a node has a block, all of it.
template <class real> struct mus_handle_diagonal {
  const real *own, *inverse; // nodes * width^2
  const int *place;          // nodes: place among the blocks, -1
  const real *block, *block_inverse;
};

template <class real> struct alignas(16) mus_four { real v[4]; };

// --- the finest level ------------------------------------------------------------------------------------------------

template <class real> struct mus_shared_links {
  const int *base;   // of slices
  const int *length; // of rows
  const int *column;
  const real *value;
};

// y = M r, of one node of the finest level; M is a multiple of the identity, or a block.
template <class real>
MUS_HD void mus_apply_node(const real *small, const real *large, int i, const int *place, const real *r, real *y) {
  int at = place[i];
  if (at < 0) {
    real m = small[i];
    for (int c = 0; c < 3; ++c)
      y[c] = m * r[c];
    return;
  }
  const real *m = large + 9 * (size_t)at;
  for (int c = 0; c < 3; ++c)
    y[c] = m[3 * c] * r[0] + m[3 * c + 1] * r[1] + m[3 * c + 2] * r[2];
}

// What a thread has of row i's product with x.
template <class real, class vector>
MUS_HD void mus_row_part(const mus_shared_links<real> &links, int i, int part, int parts, const mus_four<vector> *x,
                         vector *sum) {
  int length = links.length[i];
  size_t at = (size_t)links.base[i / MUS_HANDLE_SLICE] * MUS_HANDLE_SLICE + (size_t)(i % MUS_HANDLE_SLICE);
  for (int k = part; k < length; k += parts) {
    size_t e = at + (size_t)k * MUS_HANDLE_SLICE;
    vector value = (vector)links.value[e];
    mus_four<vector> other = x[links.column[e]];
    MUS_UNROLL
    for (int c = 0; c < 3; ++c)
      sum[c] += value * other.v[c];
  }
}

template <class real, int MODE> struct mus_shared_row_kernel {
  int from, to; // nodes
  mus_shared_links<real> links;
  mus_handle_diagonal<real> diagonal;
  const mus_four<real> *b;
  mus_four<real> *x, *out;
  const real *coefficient; // alpha, beta
  mus_row_start start;
  enum { NODES = 64, PARTS = 4, THREADS = NODES * PARTS, PHASES = 2, SHARED = 3 * THREADS * sizeof(real) };

  MUS_HD void finish(int i, const real *links_sum) const {
    real r[3], z[3];
    mus_four<real> own = x[i], right = b[i], result;
    bool zero = MODE == MUS_ROW_PASS && start == MUS_ROW_ZERO;
    for (int c = 0; c < 3; ++c) {
      own.v[c] = zero ? (real)0 : own.v[c];
      r[c] = right.v[c] - links_sum[c];
    }
    if (MODE != MUS_ROW_RELAX && !zero) {
      mus_apply_node(diagonal.own, diagonal.block, i, diagonal.place, own.v, z);
      for (int c = 0; c < 3; ++c)
        r[c] -= z[c];
    }
    if (MODE != MUS_ROW_RESIDUAL)
      mus_apply_node(diagonal.inverse, diagonal.block_inverse, i, diagonal.place, r, z);
    result.v[3] = 0;
    for (int c = 0; c < 3; ++c)
      result.v[c] = MODE == MUS_ROW_RESIDUAL ? r[c] : z[c];
    if (MODE == MUS_ROW_PASS) {
      real alpha = coefficient[0], beta = coefficient[1];
      for (int c = 0; c < 3; ++c) {
        real before = start == MUS_ROW_GIVEN && beta != 0 ? out[i].v[c] : (real)0;
        result.v[c] = own.v[c] + alpha * z[c] + (zero ? (real)0 : beta * (own.v[c] - before));
      }
    }
    (MODE == MUS_ROW_RELAX ? x : out)[i] = result;
  }

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    real *sums = (real *)shared;
    int node = at.thread % NODES, part = at.thread / NODES, i = from + at.block * NODES + node;
    if (i >= to)
      return;
    if (phase == 0) {
      real sum[3] = {0, 0, 0};
      if (!(MODE == MUS_ROW_PASS && start == MUS_ROW_ZERO))
        mus_row_part<real, real>(links, i, part, PARTS, x, sum);
      MUS_UNROLL
      for (int c = 0; c < 3; ++c)
        sums[c * THREADS + at.thread] = sum[c];
    } else if (part == 0) {
      real sum[3];
      MUS_UNROLL
      for (int c = 0; c < 3; ++c) {
        const real *of = sums + c * THREADS + node;
        sum[c] = (of[0] + of[NODES]) + (of[2 * NODES] + of[3 * NODES]);
      }
      finish(i, sum);
    }
  }
};

// --- handles ---------------------------------------------------------------------------------------------------------

template <class real> struct mus_handle_links {
  const int *row_start, *column;
  const real *value; // 4 x 4 for each
};

// Entry (a, c) of M r, of one handle; r has three numbers for each function. M is 4 x 4, or a block of 12 x 12.
template <class real>
MUS_HD real mus_apply_handle(const real *small, const real *large, int i, int at, int a, int c, const real *r) {
  real sum = 0;
  if (at < 0) {
    for (int m = 0; m < 4; ++m)
      sum += small[16 * (size_t)i + (size_t)(4 * a + m)] * r[3 * m + c];
    return sum;
  }
  const real *row = large + 144 * (size_t)at + (size_t)(12 * (3 * a + c));
  for (int m = 0; m < 12; ++m)
    sum += row[m] * r[m];
  return sum;
}

template <class real, int MODE> struct mus_handle_row_kernel {
  int from, to;
  mus_handle_links<real> links;
  mus_handle_diagonal<real> diagonal;
  const real *b; // nodes * 4 functions * 4
  real *x, *out;
  const real *coefficient;
  mus_row_start start;
  enum { NODES = 4, LANES = 32, THREADS = NODES * LANES, PHASES = 4 };
  enum { OWN = 3 * THREADS, LEFT = OWN + 12 * NODES, NUMBERS = LEFT + 12 * NODES, SHARED = NUMBERS * sizeof(real) };

  MUS_HD bool is_zero() const { return MODE == MUS_ROW_PASS && start == MUS_ROW_ZERO; }

  MUS_HD void multiply(int i, int lane, real *sum) const {
    int a = lane % 4;
    for (int k = links.row_start[i] + lane / 4; k < links.row_start[i + 1]; k += LANES / 4) {
      const mus_four<real> row = *(const mus_four<real> *)(links.value + 16 * (size_t)k + (size_t)(4 * a));
      const mus_four<real> *other = (const mus_four<real> *)(x + 16 * (size_t)links.column[k]);
      MUS_UNROLL
      for (int m = 0; m < 4; ++m) {
        const mus_four<real> of = other[m];
        MUS_UNROLL
        for (int c = 0; c < 3; ++c)
          sum[c] += row.v[m] * of.v[c];
      }
    }
  }
  MUS_HD void finish(int i, int a, int c, const real *own, const real *left) const {
    size_t at = 16 * (size_t)i + (size_t)(4 * a + c);
    real result = left[3 * a + c];
    if (MODE != MUS_ROW_RESIDUAL)
      result = mus_apply_handle(diagonal.inverse, diagonal.block_inverse, i, diagonal.place[i], a, c, left);
    if (MODE == MUS_ROW_PASS) {
      real alpha = coefficient[0], beta = coefficient[1], now = own[3 * a + c];
      real before = start == MUS_ROW_GIVEN && beta != 0 ? out[at] : (real)0;
      result = now + alpha * result + (is_zero() ? (real)0 : beta * (now - before));
    }
    (MODE == MUS_ROW_RELAX ? x : out)[at] = result;
  }
  MUS_HD void run(int phase, mus_place at, void *shared) const {
    real *sums = (real *)shared;
    int node = at.thread / LANES, lane = at.thread % LANES, i = from + at.block * NODES + node, a = lane / 3;
    real *own = sums + OWN + 12 * node, *left = sums + LEFT + 12 * node;
    if (i >= to)
      return;
    if (phase == 0) {
      real sum[3] = {0, 0, 0};
      if (!is_zero())
        multiply(i, lane, sum);
      MUS_UNROLL
      for (int c = 0; c < 3; ++c)
        sums[c * THREADS + at.thread] = sum[c];
    } else if (lane >= 12) {
      return;
    } else if (phase == 1) {
      int c = lane % 3;
      real sum = 0;
      for (int k = 0; k < LANES / 4; ++k)
        sum += sums[c * THREADS + node * LANES + 4 * k + a];
      left[lane] = b[16 * (size_t)i + (size_t)(4 * a + c)] - sum;
      own[lane] = MODE == MUS_ROW_RELAX || is_zero() ? (real)0 : x[16 * (size_t)i + (size_t)(4 * a + c)];
    } else if (phase == 2) {
      if (MODE != MUS_ROW_RELAX && !is_zero())
        left[lane] -= mus_apply_handle(diagonal.own, diagonal.block, i, diagonal.place[i], a, lane % 3, own);
    } else {
      finish(i, a, lane % 3, own, left);
    }
  }
};

// --- between levels --------------------------------------------------------------------------------------------------

// b of a handle = the sum over its nodes of T r; a block has a handle.
template <class real, int WIDTH> struct mus_restrict_kernel {
  const int *child_start, *child;
  const real *transfer; // in the order of children
  const mus_four<real> *r;
  real *b;
  static constexpr int steps(int threads) { return threads > 1 ? 1 + steps(threads / 2) : 0; }
  enum { THREADS = WIDTH == 1 ? 128 : 32, FOLDS = steps(THREADS), PHASES = 1 + FOLDS };
  enum { SHARED = 12 * THREADS * sizeof(real) };

  MUS_HD void gather(int handle, int thread, real *sum) const {
    for (int k = child_start[handle] + thread; k < child_start[handle + 1]; k += THREADS) {
      const real *t = transfer + (size_t)k * (4 * WIDTH);
      MUS_UNROLL
      for (int m = 0; m < WIDTH; ++m) {
        const mus_four<real> left = r[(size_t)child[k] * WIDTH + (size_t)m];
        MUS_UNROLL
        for (int e = 0; e < 12; ++e)
          sum[e] += t[(e / 3) * WIDTH + m] * left.v[e % 3];
      }
    }
  }
  MUS_HD void run(int phase, mus_place at, void *shared) const {
    real *number = (real *)shared + at.thread;
    if (phase == 0) {
      real sum[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
      gather(at.block, at.thread, sum);
      MUS_UNROLL
      for (int e = 0; e < 12; ++e)
        number[e * THREADS] = sum[e];
      return;
    }
    int half = THREADS >> phase;
    for (int e = 0; e < 12 && at.thread < half; ++e)
      number[e * THREADS] += number[e * THREADS + half];
    if (phase == FOLDS && at.thread == 0)
      for (int e = 0; e < 12; ++e)
        b[16 * (size_t)at.block + (size_t)(4 * (e / 3) + e % 3)] = number[e * THREADS];
  }
};

// x += T^T e; a thread has a function of a node.
template <class real, int WIDTH> struct mus_extend_kernel {
  int count; // functions of all nodes
  const int *owner;
  const real *transfer; // by node
  const mus_four<real> *e;
  mus_four<real> *x;
  enum { THREADS = 128, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int k = at.block * THREADS + at.thread, i = k / WIDTH, m = k % WIDTH;
    if (k >= count)
      return;
    const mus_four<real> *from = e + 4 * (size_t)owner[i];
    const real *t = transfer + (size_t)i * (4 * WIDTH) + (size_t)m;
    mus_four<real> sum = x[k];
    MUS_UNROLL
    for (int a = 0; a < 4; ++a) {
      real part = t[a * WIDTH];
      const mus_four<real> of = from[a];
      MUS_UNROLL
      for (int c = 0; c < 3; ++c)
        sum.v[c] += part * of.v[c];
    }
    x[k] = sum;
  }
};

// --- the bottom ------------------------------------------------------------------------------------------------------

// x = W b; 32 threads have a row.
template <class real> struct mus_handle_bottom_kernel {
  int rows, pitch;
  const real *w;
  const real *b;
  real *x;
  enum { ROWS = 4, LANES = 32, THREADS = ROWS * LANES, PHASES = 2, SHARED = THREADS * sizeof(real) };

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    real *sums = (real *)shared;
    int lane = at.thread % LANES, row = at.block * ROWS + at.thread / LANES;
    if (row >= rows)
      return;
    if (phase == 0) {
      real sum = 0;
      for (int k = lane; k < rows; k += LANES)
        sum += w[(size_t)row * (size_t)pitch + (size_t)k] * b[4 * (k / 3) + k % 3];
      sums[at.thread] = sum;
    } else if (lane == 0) {
      real sum = 0;
      for (int k = 0; k < LANES; ++k)
        sum += sums[at.thread + k];
      x[4 * (row / 3) + row % 3] = sum;
    }
  }
};

template <class real> struct mus_round_kernel {
  size_t count;
  const double *from;
  real *to;
  enum { THREADS = 256, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    size_t k = (size_t)at.block * THREADS + (size_t)at.thread;
    if (k < count)
      to[k] = (real)from[k];
  }
};

// --- diagonals -------------------------------------------------------------------------------------------------------

// to = a^-1 for a symmetric positive definite n x n matrix, by Gauss and Jordan; `a` is destroyed.
template <int N> MUS_HD void mus_invert_small(double *a, double *to) {
  for (int e = 0; e < N * N; ++e)
    to[e] = e % (N + 1) == 0 ? 1 : 0;
  for (int s = 0; s < N; ++s) {
    double pivot = 1 / a[N * s + s];
    for (int c = 0; c < N; ++c) {
      a[N * s + c] *= pivot;
      to[N * s + c] *= pivot;
    }
    for (int r = 0; r < N; ++r) {
      double factor = r == s ? 0 : a[N * r + s];
      for (int c = 0; c < N; ++c) {
        a[N * r + c] -= factor * a[N * s + c];
        to[N * r + c] -= factor * to[N * s + c];
      }
    }
  }
}

// D and its inverse in the cycle's precision; a thread has a node.
template <class real, int WIDTH> struct mus_handle_invert_kernel {
  int nodes;
  const double *diagonal;
  real *own, *inverse;
  enum { SQUARE = WIDTH * WIDTH, THREADS = 64, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int i = at.block * THREADS + at.thread;
    double a[SQUARE], found[SQUARE];
    if (i >= nodes)
      return;
    for (int e = 0; e < SQUARE; ++e) {
      a[e] = diagonal[(size_t)i * SQUARE + (size_t)e];
      own[(size_t)i * SQUARE + (size_t)e] = (real)a[e];
    }
    mus_invert_small<WIDTH>(a, found);
    for (int e = 0; e < SQUARE; ++e)
      inverse[(size_t)i * SQUARE + (size_t)e] = (real)found[e];
  }
};

// D + B and its inverse for the nodes that have a block.
template <class real, int WIDTH> struct mus_block_invert_kernel {
  int count;
  const int *node;
  const double *diagonal, *given; // D of nodes, B
  real *block, *inverse;
  enum { N = 3 * WIDTH, SQUARE = N * N, THREADS = 64, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int k = at.block * THREADS + at.thread;
    double a[SQUARE], found[SQUARE];
    if (k >= count)
      return;
    for (int e = 0; e < SQUARE; ++e) {
      int r = e / N, c = e % N;
      a[e] = given[(size_t)k * SQUARE + (size_t)e];
      if (r % 3 == c % 3)
        a[e] += diagonal[(size_t)node[k] * (WIDTH * WIDTH) + (size_t)(r / 3 * WIDTH + c / 3)];
      block[(size_t)k * SQUARE + (size_t)e] = (real)a[e];
    }
    mus_invert_small<N>(a, found);
    for (int e = 0; e < SQUARE; ++e)
      inverse[(size_t)k * SQUARE + (size_t)e] = (real)found[e];
  }
};

#endif
