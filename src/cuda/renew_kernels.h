// Kernels that renew a hierarchy for a new matrix (multigrid/renew.h has the same on the host): the matrix filtered and
// put into slices, inverse diagonals, A_c = P^T (A P) by lists of pairs of blocks, radii.
#ifndef MUS_CUDA_RENEW_KERNELS_H
#define MUS_CUDA_RENEW_KERNELS_H

#include <math.h>

#include "cuda/cycle_kernels.h"
#include "cuda/given.h"
#include "cuda/stages.h"

// The mean of the diagonal of up to a thousand rows, for what is held. One block.
template <int B> struct mus_held_scale_kernel {
  const int *row_start, *diagonal;
  int rows;
  mus_given *given;
  enum { THREADS = 1024, PHASES = 1 + MUS_BLOCK_SUM_PHASES + 1, SHARED = (THREADS + 1) * sizeof(double) };

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    double *number = (double *)shared, *sum = number + THREADS;
    int count = rows < THREADS ? rows : THREADS;
    if (phase == 0) {
      double own = 0;
      int node = (int)((long long)at.thread * rows / count);
      if (at.thread < count)
        for (int r = 0; r < B; ++r)
          own += given->values[(size_t)(row_start[node] + diagonal[node]) * (B * B) + (size_t)(r * (B + 1))];
      number[at.thread] = own;
    } else if (phase <= MUS_BLOCK_SUM_PHASES) {
      mus_block_sum(phase - 1, at.thread, THREADS, number, sum);
    } else if (at.thread == 0) {
      given->scale = *sum > 0 ? *sum / (count * B) : 1;
    }
  }
};

// Blocks in the order of the pattern -> slices, in double and in single precision, with what is held taken out on both
// sides: S A S + scale (I - S). Also A z, with the targets z. A thread has a row of a node.
template <int B> struct mus_convert_kernel {
  const int *row_start;
  int rows;
  const int *base, *column;
  const mus_given *given;
  double *wide;
  float *narrow;
  double *shift;
  static constexpr int LANES = MUS_SLICE * B, AHEAD = 4;
  enum { THREADS = LANES, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int local = at.thread / B, node = at.block * MUS_SLICE + local, r = at.thread % B;
    if (node >= rows)
      return;
    int begin = row_start[node], length = row_start[node + 1] - begin, held = mus_held_at(given, node);
    size_t to = (size_t)base[at.block] * (B * LANES) + (size_t)at.thread;
    const int *columns = column + (size_t)base[at.block] * MUS_SLICE + local;
    double moved = 0;
    const double *values = given->values + (size_t)begin * (B * B);
    for (int first = 0; first < length; first += AHEAD) { // asks for several blocks before it uses any
      double row[AHEAD][B];
      int other[AHEAD], held_there[AHEAD];
      MUS_UNROLL
      for (int u = 0; u < AHEAD; ++u) {
        bool is_there = first + u < length;
        other[u] = is_there && given->held ? columns[(first + u) * MUS_SLICE] : 0;
        MUS_UNROLL
        for (int c = 0; c < B; ++c)
          row[u][c] = is_there ? values[((first + u) * B + r) * B + c] : 0;
      }
      MUS_UNROLL
      for (int u = 0; u < AHEAD; ++u)
        held_there[u] = mus_held_at(given, other[u]);
      MUS_UNROLL
      for (int u = 0; u < AHEAD; ++u) {
        if (first + u >= length)
          break;
        if (B == 3 && (held >= 0 || held_there[u] >= 0))
          moved += filter(values + (size_t)(first + u) * (B * B), node, other[u], held, held_there[u], r, row[u]);
        MUS_UNROLL
        for (int c = 0; c < B; ++c) {
          size_t i = to + (size_t)((first + u) * B + c) * LANES;
          wide[i] = row[u][c];
          narrow[i] = (float)row[u][c];
        }
      }
    }
    shift[(size_t)at.block * LANES + (size_t)at.thread] = moved;
  }

  // Row r of S_i A_ij S_j. The projection of the lower-numbered node comes first, whichever side it is on: block (j, i)
  // then goes through the same roundings. Returns row r of A_ij times the target of j.
  MUS_HD double filter(const double *from, int node, int other, int held, int held_there, int r, double *row) const {
    const double *left = held >= 0 ? given->projection + 9 * (size_t)held : nullptr;
    const double *right = held_there >= 0 ? given->projection + 9 * (size_t)held_there : nullptr;
    double moved = 0, result[3] = {0, 0, 0};
    for (int c = 0; right && c < 3; ++c)
      moved += row[c] * given->target[3 * (size_t)held_there + (size_t)c];
    for (int c = 0; c < 3; ++c)
      for (int m = 0; m < 3; ++m) {
        double sum = 0;
        if (node <= other) // (left A) right
          for (int e = 0; e < 3; ++e)
            sum += (left ? left[3 * r + e] : e == r ? 1 : 0) * from[3 * e + m];
        else // left (A right)
          for (int e = 0; e < 3; ++e)
            sum += from[3 * m + e] * (right ? right[3 * e + c] : e == c ? 1 : 0);
        result[c] += node <= other ? sum * (right    ? right[3 * m + c]
                                            : m == c ? 1
                                                     : 0)
                                   : (left     ? left[3 * r + m]
                                      : m == r ? 1
                                               : 0) *
                                         sum;
      }
    for (int c = 0; c < 3; ++c)
      row[c] = result[c] + (node == other ? given->scale * ((c == r ? 1 : 0) - left[3 * r + c]) : 0);
    return moved;
  }
};

// The least pivot that counts as positive, in parts of the diagonal: as in sparse/block_diagonal.c.
static constexpr double mus_pivot_of_double = 1e-14, mus_pivot_of_float = 5e-7;

// The inverse of a symmetric positive definite block by its Cholesky factor; false where it is not.
template <int B>
MUS_HD bool mus_invert_block(const double (&a)[B][B], double (&inverse)[B][B], double least = mus_pivot_of_float) {
  double l[B][B];
  bool good = true;
  MUS_UNROLL
  for (int i = 0; i < B; ++i)
    MUS_UNROLL
  for (int j = 0; j <= i; ++j) {
    double sum = a[i][j];
    MUS_UNROLL
    for (int k = 0; k < j; ++k)
      sum -= l[i][k] * l[j][k];
    if (i == j) {
      good = good && sum > least * a[i][i];
      l[i][i] = 1 / sqrt(sum); // its inverse
    } else {
      l[i][j] = sum * l[j][j];
    }
  }
  MUS_UNROLL
  for (int column = 0; column < B; ++column) {
    double y[B];
    MUS_UNROLL
    for (int i = 0; i < B; ++i) {
      y[i] = i == column ? 1 : 0;
      MUS_UNROLL
      for (int k = 0; k < i; ++k)
        y[i] -= l[i][k] * y[k];
      y[i] *= l[i][i];
    }
    MUS_UNROLL
    for (int i = B - 1; i >= 0; --i) {
      MUS_UNROLL
      for (int k = i + 1; k < B; ++k)
        y[i] -= l[k][i] * y[k];
      y[i] *= l[i][i];
      inverse[i][column] = y[i];
    }
  }
  return good;
}

// Part of its mean that a coarse diagonal block gets, so that it stays definite; as in multigrid/renew.c.
#define MUS_PROPPED 1e-6

// D^-1, a thread for each node. Coarse matrices' diagonals are propped up first.
template <int B, class real, bool PROP> struct mus_invert_kernel {
  mus_sliced<real> a;
  const int *diagonal; // which block of its row
  int rows;
  float *inverse;
  mus_level_state *level;
  const mus_given *given; // for couplings; NULL on coarser levels
  static constexpr int LANES = MUS_SLICE * B;
  enum { THREADS = MUS_SLICE, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int node = at.block * MUS_SLICE + at.thread;
    if (node >= rows)
      return;
    real *d = a.value + mus_sliced_at<B, B>(a.base, node, diagonal[node]);
    float *to = inverse + (size_t)at.block * (B * LANES) + (size_t)(at.thread * B);
    double block[B][B], found[B][B], own = 0;
    MUS_UNROLL
    for (int r = 0; r < B; ++r)
      MUS_UNROLL
    for (int c = 0; c < B; ++c)
      block[r][c] = (double)d[c * LANES + r];
    if (given)
      mus_add_coupling(given, node, block);
    if (PROP) {
      MUS_UNROLL
      for (int r = 0; r < B; ++r)
        own += block[r][r] / B;
      float more = (float)(own > MUS_PROPPED * level->mean ? MUS_PROPPED * own : level->mean);
      MUS_UNROLL
      for (int r = 0; r < B; ++r)
        block[r][r] = (double)(d[r * LANES + r] += (real)more);
    }
    if (!mus_invert_block<B>(block, found))
      level->failed = 1; // whoever writes it writes the same
    MUS_UNROLL
    for (int r = 0; r < B; ++r)
      MUS_UNROLL
    for (int c = 0; c < B; ++c)
      to[c * LANES + r] = (float)found[r][c];
  }
};

// A renewal begins: no level has failed yet. A thread for each.
struct mus_reset_kernel {
  mus_level_state *level;
  enum { THREADS = MUS_SLICE, PHASES = 1, SHARED = 0 };
  MUS_HD void run(int, mus_place at, void *) const { level[at.thread].failed = 0; }
};

// The sum of a matrix's diagonal, slice by slice.
template <int B> struct mus_trace_kernel {
  mus_sliced<float> a;
  const int *diagonal;
  int rows;
  double *partial;
  enum { THREADS = MUS_SLICE, PHASES = 1 + MUS_BLOCK_SUM_PHASES, SHARED = MUS_SLICE * sizeof(double) };

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    double *number = (double *)shared, own = 0;
    int node = at.block * MUS_SLICE + at.thread;
    if (phase > 0) {
      mus_block_sum(phase - 1, at.thread, MUS_SLICE, number, &partial[at.block]);
      return;
    }
    if (node < rows) {
      const float *d = a.value + mus_sliced_at<B, B>(a.base, node, diagonal[node]);
      MUS_UNROLL
      for (int r = 0; r < B; ++r)
        own += (double)d[r * (MUS_SLICE * B) + r];
    }
    number[at.thread] = own;
  }
};

struct mus_decide_mean {
  mus_level_state *level;
  int unknowns;
  MUS_HD void decide(double sum, double) const {
    level->mean = sum > 0 ? sum / unknowns : 1;
    if (!isfinite(sum))
      level->failed = 1;
  }
};

// After the probe was multiplied by D^-1 A: it grew to the root of `square`. Couplings C are local, so that the probe
// does not see them; with them, the radius is at most the larger one of D_A^-1 A and D_C^-1 C.
struct mus_decide_radius {
  mus_level_state *level;
  const mus_given *given; // NULL: no couplings
  MUS_HD void decide(double square, double) const {
    double growth = sqrt(square), on_its_way = 1.1; // as in multigrid/renew.c
    level->now = growth > on_its_way * level->growth ? level->radius * growth / level->growth : level->radius;
    if (given && given->coupled > 0 && level->now < given->radius)
      level->now = given->radius;
    level->inverse = 1 / level->now;
    level->scale = growth > 0 ? 1 / growth : 0;
  }
};

// --- the Galerkin product -------------------------------------------------------------------------------------------

// Two blocks to multiply, by where they begin.
struct mus_pair {
  unsigned left, right;
};

// A P: for each of its blocks, the pairs of blocks of A and P that add up to it. Sums are in double precision: what
// stiff cloth leaves of a smooth motion is small beside what cancels in it. A thread has a row of a block.
template <int B, int C> struct mus_first_product_kernel {
  const int *start; // blocks + 1
  const mus_pair *pair;
  int blocks;
  const float *a, *p; // P and what comes out: blocks one after the other, by rows
  float *out;
  enum { THREADS = 192, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    long long i = (long long)at.block * THREADS + at.thread;
    int block = (int)(i / B), r = (int)(i % B);
    if (block >= blocks)
      return;
    double sum[C] = {0};
    for (int k = start[block]; k < start[block + 1]; ++k) {
      const float *left = a + pair[k].left + r, *right = p + pair[k].right;
      MUS_UNROLL
      for (int q = 0; q < B; ++q) {
        double factor = (double)left[q * (MUS_SLICE * B)];
        MUS_UNROLL
        for (int c = 0; c < C; ++c)
          sum[c] += factor * (double)right[q * C + c];
      }
    }
    MUS_UNROLL
    for (int c = 0; c < C; ++c)
      out[(size_t)i * C + (size_t)c] = (float)sum[c];
  }
};

// Where a block on or above the diagonal of A_c goes, and its transpose.
struct mus_target {
  unsigned here, there;
};

// P^T (A P), on and above the diagonal, and copied across it. A thread has a row of a block.
template <int B, int C> struct mus_second_product_kernel {
  const int *start; // blocks + 1
  const mus_pair *pair;
  const mus_target *target;
  int blocks;
  const float *p, *ap;
  float *out;
  enum { THREADS = 192, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    long long i = (long long)at.block * THREADS + at.thread;
    int block = (int)(i / C), r = (int)(i % C);
    if (block >= blocks)
      return;
    float sum[C] = {0};
    for (int k = start[block]; k < start[block + 1]; ++k) {
      const float *left = p + pair[k].left + r, *right = ap + (size_t)pair[k].right * (B * C);
      MUS_UNROLL
      for (int q = 0; q < B; ++q) {
        float factor = left[q * C];
        MUS_UNROLL
        for (int c = 0; c < C; ++c)
          sum[c] += factor * right[q * C + c];
      }
    }
    float *here = out + target[block].here, *there = out + target[block].there;
    MUS_UNROLL
    for (int c = 0; c < C; ++c)
      if (here != there || c >= r)
        here[c * (MUS_SLICE * C) + r] = there[r * (MUS_SLICE * C) + c] = sum[c];
  }
};

// --- the bottom's inverse, by Gauss and Jordan in panels of 32 rows and columns --------------------------------------

// W = A, with ones on the diagonal beyond it.
template <int B> struct mus_dense_kernel {
  mus_sliced<float> a;
  const int *row_start;
  int rows, size;
  double *w;
  enum { THREADS = 256, PHASES = 2, SHARED = 0 };

  // A block has a row.
  MUS_HD void run(int phase, mus_place at, void *) const {
    int row = at.block, node = row / B, r = row % B;
    double *to = w + (size_t)row * (size_t)size;
    if (phase == 0)
      for (int j = at.thread; j < size; j += THREADS)
        to[j] = row >= rows * B && j == row ? 1 : 0;
    else if (node < rows) {
      int length = row_start[node + 1] - row_start[node], at_column = a.base[node / MUS_SLICE] * MUS_SLICE;
      for (int i = at.thread; i < length * B; i += THREADS) {
        int k = i / B, c = i % B, column = a.column[at_column + k * MUS_SLICE + node % MUS_SLICE];
        to[column * B + c] = (double)a.value[mus_sliced_at<B, B>(a.base, node, k) + (size_t)(c * MUS_SLICE * B + r)];
      }
    }
  }
};

// For panel K: its diagonal block's inverse D, by every block of threads for itself; row = D W_K., column = W_.K. A
// block has a panel of columns.
struct mus_panel_kernel {
  const double *w;
  int size, panel;
  double *row, *column; // 32 x size, size x 32
  mus_level_state *level;
  enum { N = MUS_SLICE, PITCH = N + 1, THREADS = N * N, PHASES = 1 + N + 1, SHARED = 2 * N * PITCH * sizeof(double) };

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    double *both = (double *)shared;
    int i = at.thread / N, j = at.thread % N;
    size_t pitch = (size_t)size, here = (size_t)(panel * N), there = (size_t)(at.block * N);
    if (phase == 0) {
      both[i * PITCH + j] = w[(here + (size_t)i) * pitch + here + (size_t)j];
    } else if (phase <= N) {
      int s = phase - 1;
      const double *d = both + (s % 2) * N * PITCH;
      double pivot = d[s * PITCH + s], value = d[i * PITCH + j];
      if (!(pivot > 0))
        level->failed = 1;
      double inverse = 1 / pivot;
      if (i == s)
        value = j == s ? inverse : value * inverse;
      else
        value = j == s ? -value * inverse : value - d[i * PITCH + s] * d[s * PITCH + j] * inverse;
      both[((s + 1) % 2) * N * PITCH + i * PITCH + j] = value;
    } else {
      const double *d = both + (N % 2) * N * PITCH;
      double sum = 0;
      for (int k = 0; k < N && at.block != panel; ++k)
        sum += d[i * PITCH + k] * w[(here + (size_t)k) * pitch + there + (size_t)j];
      row[(size_t)i * pitch + there + (size_t)j] = at.block == panel ? d[i * PITCH + j] : sum;
      column[(there + (size_t)i) * N + (size_t)j] = w[(there + (size_t)i) * pitch + here + (size_t)j];
    }
  }
};

// ... and the rest of W: row by row, W_I. -= W_IK row, W_IK = - W_IK D, W_K. = row. A block has a panel's square.
struct mus_panel_update_kernel {
  double *w;
  int size, panel;
  const double *row, *column;
  enum { N = MUS_SLICE, PITCH = N + 1, THREADS = N * N, PHASES = 2, SHARED = 2 * N * PITCH * sizeof(double) };

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    double *left = (double *)shared, *right = left + N * PITCH;
    int panels = size / N, above = at.block / panels, beside = at.block % panels, i = at.thread / N, j = at.thread % N;
    size_t r = (size_t)(above * N + i), c = (size_t)(beside * N + j), pitch = (size_t)size;
    if (phase == 0) {
      left[i * PITCH + j] = column[r * N + (size_t)j];
      right[i * PITCH + j] = row[(size_t)i * pitch + c];
      return;
    }
    double sum = 0;
    for (int k = 0; k < N; ++k)
      sum += left[i * PITCH + k] * right[k * PITCH + j];
    double *to = &w[r * pitch + c];
    *to = above == panel ? right[i * PITCH + j] : beside == panel ? -sum : *to - sum;
  }
};

#endif
