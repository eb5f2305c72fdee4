// Kernels that make prolongators (multigrid/aggregation/aggregation.h has the same on the host):
//   K <- (I - omega D^-1 A) K       fits the near-null space to boundary conditions, where it is asked for
//   K_g = Q_g R_g                   for each aggregate g: tentative prolongator, and the coarser level's near-null
//   space P = Q - omega D^-1 A Q          with omega = 4 / (3 radius); or, where A is filtered, P = Q - 2/3 D_F^-1 A_F
//   Q        with what weak neighbours do to the node's own aggregate
// The near-null space is in double precision: rotations of a small aggregate are small beside its translations.
#ifndef MUS_CUDA_PROLONG_KERNELS_H
#define MUS_CUDA_PROLONG_KERNELS_H

#include "cuda/renew_kernels.h"

// Coordinates in which nodes lie around the origin, about 1 away.
struct mus_frame {
  double centre[3], scale;
};

// From up to a thousand nodes: what the frame is does not matter for the space that motions span. One block.
struct mus_frame_kernel {
  const mus_given *given;
  int rows;
  mus_frame *frame;
  enum { THREADS = 1024, PHASES = 5, SHARED = (3 * THREADS + 3 * MUS_SLICE) * sizeof(double) };

  MUS_HD const double *sample(int thread, int count) const {
    return given->motion + 3 * (size_t)((long long)thread * rows / count);
  }

  // The mean in phases 0 to 2, in a fixed order; then the farthest.
  MUS_HD void run(int phase, mus_place at, void *shared) const {
    double *own = (double *)shared, *part = own + 3 * THREADS;
    int count = rows < THREADS ? rows : THREADS;
    if (phase == 0 && at.thread < count)
      for (int c = 0; c < 3; ++c)
        own[3 * at.thread + c] = sample(at.thread, count)[c];
    if (phase == 1 && at.thread < 3 * MUS_SLICE) {
      double sum = 0;
      for (int k = at.thread / 3; k < count; k += MUS_SLICE)
        sum += own[3 * k + at.thread % 3];
      part[at.thread] = sum;
    }
    if (phase == 2 && at.thread < 3) {
      double sum = 0;
      for (int k = 0; k < MUS_SLICE; ++k)
        sum += part[3 * k + at.thread];
      frame->centre[at.thread] = sum / count;
    }
    if (phase == 3 && at.thread < MUS_SLICE)
      part[at.thread] = farthest(own, at.thread, count);
    if (phase == 4 && at.thread == 0) {
      double most = 0;
      for (int k = 0; k < MUS_SLICE; ++k)
        most = part[k] > most ? part[k] : most;
      frame->scale = most > 0 ? 1 / sqrt(most) : 0;
    }
  }

  // The square.
  MUS_HD double farthest(const double *own, int first, int count) const {
    double most = 0;
    for (int k = first; k < count; k += MUS_SLICE) {
      double square = 0;
      for (int c = 0; c < 3; ++c) {
        double d = own[3 * k + c] - frame->centre[c];
        square += d * d;
      }
      most = square > most ? square : most;
    }
    return most;
  }
};

// The finest level's near-null space with what is held taken out: a thread for each number, so that those of
// neighbouring threads lie side by side.
enum { MUS_MOTIONS_BLOCK = 256 };
template <int C> struct mus_motions_kernel {
  int rows;
  const mus_given *given;
  mus_stage_kernel kind;
  const mus_frame *frame;
  double *kernel; // 3 x C for each node, by rows
  enum { THREADS = MUS_MOTIONS_BLOCK, PHASES = 1, SHARED = 0 };

  MUS_HD double number(int node, int r, int c) const {
    if (kind == MUS_STAGE_VECTORS)
      return given->motion[((size_t)c * (size_t)rows + (size_t)node) * 3 + (size_t)r];
    if (c < 3 || kind == MUS_STAGE_CONSTANT)
      return c == r ? 1 : 0;
    int axis = c - 3; // e_axis x position
    if (r == axis)
      return 0;
    return (r - axis + 3) % 3 == 1 ? -around(node, (axis + 2) % 3) : around(node, (axis + 1) % 3);
  }

  MUS_HD double around(int node, int k) const {
    return frame->scale * (given->motion[3 * (size_t)node + (size_t)k] - frame->centre[k]);
  }

  MUS_HD void run(int, mus_place at, void *) const {
    long long i = (long long)at.block * THREADS + at.thread;
    int node = (int)(i / (3 * C)), r = (int)(i % (3 * C)) / C, c = (int)(i % C);
    if (node >= rows)
      return;
    int held = mus_held_at(given, node);
    if (held < 0) {
      kernel[i] = number(node, r, c);
      return;
    }
    const double *s = given->projection + 9 * (size_t)held + 3 * r;
    kernel[i] = s[0] * number(node, 0, c) + s[1] * number(node, 1, c) + s[2] * number(node, 2, c);
  }
};

// K - omega D^-1 A K. A thread has a row of a node.
template <int B, int C> struct mus_relax_kernel {
  mus_sliced<float> a;
  int rows;
  const float *inverse;
  const mus_level_state *level;
  const double *from;
  double *to;
  static constexpr int LANES = MUS_SLICE * B;
  enum { THREADS = LANES, PHASES = 2, SHARED = LANES * C * sizeof(double) };

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    double *sums = (double *)shared;
    int lane = at.thread, node = at.block * MUS_SLICE + lane / B;
    size_t here = (size_t)node * (B * C) + (size_t)(lane % B * C);
    if (node >= rows)
      return;
    if (phase == 0) {
      int begin = a.base[at.block], width = a.base[at.block + 1] - begin;
      const float *value = a.value + (size_t)begin * (B * LANES) + lane;
      const int *column = a.column + (size_t)begin * MUS_SLICE + lane / B;
      double sum[C] = {0};
      for (int k = 0; k < width; ++k) {
        const double *x = from + (size_t)column[k * MUS_SLICE] * (B * C);
        MUS_UNROLL
        for (int q = 0; q < B; ++q) {
          double factor = (double)value[(size_t)(k * B + q) * LANES];
          MUS_UNROLL
          for (int c = 0; c < C; ++c)
            sum[c] += factor * x[q * C + c];
        }
      }
      MUS_UNROLL
      for (int c = 0; c < C; ++c)
        sums[lane * C + c] = sum[c];
      return;
    }
    const float *d = inverse + (size_t)at.block * (B * LANES) + lane;
    const double *other = sums + lane / B * (B * C);
    double omega = level->inverse * 4 / 3;
    MUS_UNROLL
    for (int c = 0; c < C; ++c) {
      double change = 0;
      MUS_UNROLL
      for (int q = 0; q < B; ++q)
        change += (double)d[q * LANES] * other[q * C + c];
      to[here + (size_t)c] = from[here + (size_t)c] - omega * change;
    }
  }
};

// K_g = Q_g R_g by Cholesky factors, twice: K_g = Q' R' with R'^T R' = K_g^T K_g, and Q' = Q_g R'', because Q' is about
// orthonormal only, where columns nearly depend on those before them. One that does depend on them gives zeros in Q and
// R. Eight threads share an aggregate.
template <int B, int C> struct mus_qr_kernel {
  const int *start, *member;
  int aggregates;
  const double *kernel;
  float *q;
  double *coarse; // C x C for each aggregate, by rows
  enum {
    TEAM = 8,
    THREADS = 128,
    GRAM = C * (C + 1) / 2,
    PHASES = 4,
    SHARED = (THREADS + THREADS / TEAM) * GRAM * sizeof(double)
  };

  // R, and 1 / R_cc, or 0 for a column that depends on others.
  struct factor {
    double r[C][C], inverse[C];
  };

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    int team = at.thread / TEAM, aggregate = at.block * (THREADS / TEAM) + team, own = at.thread % TEAM;
    double *partial = (double *)shared + team * TEAM * GRAM, *first = (double *)shared + (THREADS + team) * GRAM;
    factor once, twice;
    if (aggregate >= aggregates)
      return;
    if (phase == 0)
      add_up(aggregate, own, nullptr, partial + own * GRAM);
    if (phase == 1 && own == 0)
      add_team(partial, first);
    if (phase < 2)
      return;
    decompose(first, &once);
    if (phase == 2) {
      add_up(aggregate, own, &once, partial + own * GRAM);
      return;
    }
    double second[GRAM];
    add_team(partial, second);
    decompose(second, &twice);
    give(aggregate, own, once, twice);
  }

  // The row R^-1.
  MUS_HD static void divide(const factor &f, double (&row)[C]) {
    MUS_UNROLL
    for (int c = 0; c < C; ++c) {
      MUS_UNROLL
      for (int e = 0; e < c; ++e)
        row[c] -= row[e] * f.r[e][c];
      row[c] *= f.inverse[c];
    }
  }

  // Of K_g or of Q': products of columns with each other, over this thread's members.
  MUS_HD void add_up(int aggregate, int own, const factor *once, double *out) const {
    double sum[GRAM] = {0};
    for (int m = start[aggregate] + own; m < start[aggregate + 1]; m += TEAM)
      for (int r = 0; r < B; ++r) {
        const double *k = kernel + (size_t)member[m] * (B * C) + r * C;
        double row[C];
        MUS_UNROLL
        for (int c = 0; c < C; ++c)
          row[c] = k[c];
        if (once)
          divide(*once, row);
        MUS_UNROLL
        for (int c = 0; c < C; ++c)
          MUS_UNROLL
        for (int e = 0; e <= c; ++e)
          sum[c * (c + 1) / 2 + e] += row[e] * row[c];
      }
    MUS_UNROLL
    for (int i = 0; i < GRAM; ++i)
      out[i] = sum[i];
  }

  MUS_HD static void add_team(const double *partial, double *out) {
    for (int i = 0; i < GRAM; ++i) {
      double sum = 0;
      MUS_UNROLL
      for (int t = 0; t < TEAM; ++t)
        sum += partial[t * GRAM + i];
      out[i] = sum;
    }
  }

  MUS_HD static void decompose(const double *gram, factor *f) {
    MUS_UNROLL
    for (int c = 0; c < C; ++c)
      MUS_UNROLL
    for (int e = 0; e <= c; ++e) {
      double sum = gram[c * (c + 1) / 2 + e], before = sum;
      MUS_UNROLL
      for (int k = 0; k < e; ++k)
        sum -= f->r[k][e] * f->r[k][c];
      if (e < c) {
        f->r[e][c] = sum * f->inverse[e];
        f->r[c][e] = 0;
      } else {
        bool live = sum > 1e-12 * before && sum > 1e-290;
        f->r[c][c] = live ? sqrt(sum) : 0;
        f->inverse[c] = live ? 1 / f->r[c][c] : 0;
      }
    }
  }

  MUS_HD void give(int aggregate, int own, const factor &once, const factor &twice) const {
    for (int m = start[aggregate] + own; m < start[aggregate + 1]; m += TEAM)
      for (int i = 0; i < B; ++i) {
        size_t at = (size_t)member[m] * (B * C) + (size_t)(i * C);
        double row[C];
        MUS_UNROLL
        for (int c = 0; c < C; ++c)
          row[c] = kernel[at + (size_t)c];
        divide(once, row);
        divide(twice, row);
        MUS_UNROLL
        for (int c = 0; c < C; ++c)
          q[at + (size_t)c] = (float)row[c];
      }
    if (own == 0)
      MUS_UNROLL
    for (int e = 0; e < C; ++e)
      MUS_UNROLL
    for (int c = 0; c < C; ++c) {
      double sum = 0;
      MUS_UNROLL
      for (int k = e; k <= c; ++k)
        sum += twice.r[e][k] * once.r[k][c];
      coarse[(size_t)aggregate * (C * C) + (size_t)(e * C + c)] = sum;
    }
  }
};

// A block of P: where it goes, in P and in P^T, the node of its row, and whether it leads to the node's own aggregate.
struct mus_prolong_target {
  unsigned here, there;
  int node, is_home;
};

// Parts of a filtered prolongator's row that weak neighbours j of node i have:
//   weak = W R^-1,  W = sum_j A_ij K_j      as if they moved with the aggregate of node i, K_j = Q_j R
//   scaled = 2/3 D_F^-1,  D_F = A_ii + sum_j A_ij, or omega D^-1 where D_F is too small
// A thread has a row of a node, then a node. The constants are those of multigrid/aggregation/smooth_rows_template.h.
template <int B, int C, class real> struct mus_weak_kernel {
  mus_sliced<real> a;
  const int *diagonal, *aggregate, *start; // start: rows + 1
  const mus_pair *pair;                    // a weak block, and the near-null space of its node
  int rows;
  const double *kernel, *coarse; // coarse: R of each aggregate
  const float *inverse;
  const mus_level_state *level;
  float *weak, *scaled; // weak: by rows; scaled: as `inverse`
  static constexpr int LANES = MUS_SLICE * B;
  static constexpr double CARRIED = 3, LUMPED = 0.3, DAMPING = 2.0 / 3;
  enum { THREADS = LANES, PHASES = 2, SHARED = LANES * (B + C) * sizeof(double) };

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    double *sums = (double *)shared, *moved = sums + LANES * B;
    int local = at.thread / B, node = at.block * MUS_SLICE + local, r = at.thread % B;
    if (node < rows && aggregate[node] >= 0) {
      if (phase == 0)
        add_up(node, r, sums + at.thread * B, moved + at.thread * C);
      else
        divide(node, r, moved + local * (B * C));
    }
    node = at.block * MUS_SLICE + at.thread;
    if (phase == 1 && at.thread < MUS_SLICE && node < rows && aggregate[node] >= 0)
      scale(at.block, at.thread, node, sums + at.thread * (B * B));
  }

  MUS_HD const real *own_block(int node) const { return a.value + mus_sliced_at<B, B>(a.base, node, diagonal[node]); }

  // Row r: that of the sum of weak blocks, and of W.
  MUS_HD void add_up(int node, int r, double *out, double *out_moved) const {
    double sum[B] = {0}, moved[C] = {0};
    for (int k = start[node]; k < start[node + 1]; ++k) {
      const real *left = a.value + pair[k].left + r;
      const double *right = kernel + pair[k].right;
      MUS_UNROLL
      for (int m = 0; m < B; ++m) {
        double factor = (double)left[m * LANES];
        sum[m] += factor;
        MUS_UNROLL
        for (int c = 0; c < C; ++c)
          moved[c] += factor * right[m * C + c];
      }
    }
    MUS_UNROLL
    for (int m = 0; m < B; ++m)
      out[m] = sum[m];
    MUS_UNROLL
    for (int c = 0; c < C; ++c)
      out_moved[c] = moved[c];
  }

  // Row r of W R^-1, without motions that would carry weak neighbours too far because the aggregate's own nodes hardly
  // show them. That takes all rows of W.
  MUS_HD void divide(int node, int r, const double *moved) const {
    const double *upper = coarse + (size_t)aggregate[node] * (C * C);
    const real *d = own_block(node);
    double most = 0, all[B][C];
    MUS_UNROLL
    for (int i = 0; i < B; ++i)
      most += CARRIED * (double)d[i * LANES + i];
    MUS_UNROLL
    for (int c = 0; c < C; ++c) {
      double own = upper[c * C + c], length = 0;
      MUS_UNROLL
      for (int i = 0; i < B; ++i) {
        all[i][c] = moved[i * C + c];
        MUS_UNROLL
        for (int k = 0; k < c; ++k)
          all[i][c] -= all[i][k] * upper[k * C + c];
        length += all[i][c] * all[i][c];
      }
      bool carried = own > 0 && length <= most * most * own * own;
      MUS_UNROLL
      for (int i = 0; i < B; ++i)
        all[i][c] = carried ? all[i][c] / own : 0;
    }
    float *to = weak + (size_t)node * (B * C) + r * C;
    MUS_UNROLL
    for (int c = 0; c < C; ++c) {
      double value = 0;
      MUS_UNROLL
      for (int i = 0; i < B; ++i)
        value = i == r ? all[i][c] : value;
      to[c] = (float)value;
    }
  }

  MUS_HD void scale(int slice, int local, int node, const double *weak_sum) const {
    const real *d = own_block(node);
    size_t first = (size_t)slice * (B * LANES) + (size_t)(local * B);
    double lumped[B][B], rest[B][B], found[B][B];
    MUS_UNROLL
    for (int r = 0; r < B; ++r)
      MUS_UNROLL
    for (int c = 0; c < B; ++c) {
      double own = (double)d[c * LANES + r];
      lumped[r][c] = own + 0.5 * (weak_sum[r * B + c] + weak_sum[c * B + r]);
      rest[r][c] = lumped[r][c] - LUMPED * own;
    }
    double least = sizeof(real) == sizeof(double) ? mus_pivot_of_double : mus_pivot_of_float;
    bool is_lumped = mus_invert_block<B>(rest, found, least);
    is_lumped = mus_invert_block<B>(lumped, found, least) && is_lumped;
    double omega = level->inverse * 4 / 3;
    MUS_UNROLL
    for (int r = 0; r < B; ++r)
      MUS_UNROLL
    for (int c = 0; c < B; ++c) {
      size_t i = first + (size_t)(c * LANES + r);
      scaled[i] = (float)(is_lumped ? DAMPING * found[r][c] : omega * (double)inverse[i]);
    }
  }
};

// P = Q - omega D^-1 (A Q). For each block of P, the pairs of blocks of A and Q that add up to it. Filtered ones have
// what mus_weak_kernel makes. A thread has a row of a block.
template <int B, int C> struct mus_smooth_kernel {
  const int *start; // blocks + 1
  const mus_pair *pair;
  const mus_prolong_target *target;
  int blocks;
  const float *a, *q, *weak; // weak: NULL where P is not filtered
  const float *inverse;
  const mus_level_state *level; // NULL: omega is in `inverse`
  float *p, *pt, *flat;         // flat: blocks of P one after the other, by rows
  enum { THREADS = 192, PHASES = 2, SHARED = THREADS * C * sizeof(float) };

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    constexpr int LANES = MUS_SLICE * B;
    long long i = (long long)at.block * THREADS + at.thread;
    int block = (int)(i / B), r = (int)(i % B);
    float *sums = (float *)shared;
    if (block >= blocks)
      return;
    mus_prolong_target to = target[block];
    size_t row = (size_t)to.node * (B * C) + (size_t)(r * C);
    if (phase == 0) {
      double sum[C];
      MUS_UNROLL
      for (int c = 0; c < C; ++c)
        sum[c] = weak && to.is_home ? (double)weak[row + (size_t)c] : 0;
      for (int k = start[block]; k < start[block + 1]; ++k) {
        const float *left = a + pair[k].left + r, *right = q + pair[k].right;
        MUS_UNROLL
        for (int m = 0; m < B; ++m) {
          double factor = (double)left[m * LANES];
          MUS_UNROLL
          for (int c = 0; c < C; ++c)
            sum[c] += factor * (double)right[m * C + c];
        }
      }
      MUS_UNROLL
      for (int c = 0; c < C; ++c)
        sums[at.thread * C + c] = (float)sum[c];
      return;
    }
    const float *d = inverse + (size_t)(to.node / MUS_SLICE) * (B * LANES) + to.node % MUS_SLICE * B + r;
    const float *other = sums + at.thread / B * (B * C);
    float omega = level ? (float)(level->inverse * 4 / 3) : 1;
    MUS_UNROLL
    for (int c = 0; c < C; ++c) {
      float change = 0;
      MUS_UNROLL
      for (int m = 0; m < B; ++m)
        change += d[m * LANES] * other[m * C + c];
      float value = (to.is_home ? q[row + (size_t)c] : 0) - omega * change;
      p[to.here + (unsigned)(c * LANES + r)] = value;
      pt[to.there + (unsigned)(r * (MUS_SLICE * C) + c)] = value;
      flat[(size_t)i * C + (size_t)c] = value;
    }
  }
};

#endif
