// Kernels of conjugate gradients in double precision around a cycle in single precision. The numbers that steer them
// stay on the device; krylov/cg.c has the same iteration, with the reasons for what it does:
//   q = A p;  alpha = delta / p.q;  x += alpha p;  r -= alpha q;  z = M^-1 r;  p = z + (delta / delta_old) p
// x waits for its step until p is read for the next direction. The residual is rounded for the cycle where it is made,
// scaled by the size of the one before, and gets the first pass of the smoother there.
#ifndef MUS_CUDA_CG_KERNELS_H
#define MUS_CUDA_CG_KERNELS_H

#include <math.h>

#include "cuda/cycle_kernels.h"
#include "cuda/given.h"
#include "cuda/stages.h"

struct mus_cg_state {
  double tolerance, reference, goal;
  double square, factor; // r.r; what r was multiplied by when it was rounded
  double delta, step, ratio, left, curvature;
  double true_residual;
  int limit, iterations, relative_to_right;
  int going; // not done yet
  int end;   // a mus_stage_end, where it is not going
  int level; // of MUS_STAGE_BAD_LEVEL
};

enum mus_wide_finish {
  MUS_WIDE_PRODUCT,  // y = A x, dot = x.y
  MUS_WIDE_RESIDUAL, // y = b - A x, dot = y.y
  MUS_WIDE_COPY      // y = b, dot = y.y
};

template <int B, mus_wide_finish FINISH> struct mus_wide_kernel {
  mus_sliced<double> a;
  const double *x, *b;
  double *y, *partial;
  const double *extra; // to be added to A x; NULL: nothing
  static constexpr int LANES = MUS_SLICE * B;
  enum { THREADS = LANES, PHASES = 1 + MUS_BLOCK_SUM_PHASES, SHARED = LANES * sizeof(double) };

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    double *dot = (double *)shared;
    size_t i = (size_t)at.block * LANES + (size_t)at.thread;
    if (phase > 0) {
      mus_block_sum(phase - 1, at.thread, LANES, dot, &partial[at.block]);
      return;
    }
    double sum = FINISH == MUS_WIDE_COPY ? 0 : mus_row_sum<B, B, 1>(a, at.block, at.thread, 0, x);
    if (FINISH != MUS_WIDE_COPY && extra)
      sum += extra[i];
    double value = FINISH == MUS_WIDE_PRODUCT ? sum : b[i] - sum;
    y[i] = value;
    dot[at.thread] = value * (FINISH == MUS_WIDE_PRODUCT ? x[i] : value);
  }
};

// r -= step q where there is a q; right = factor r; first = alpha D^-1 right; dot = r.r
template <int B> struct mus_reduce_kernel {
  const mus_cg_state *state;
  const double *q;
  double *r;
  float *right, *first;
  const float *inverse; // NULL: no first pass
  const mus_level_state *level;
  float alpha;
  double *partial;
  static constexpr int LANES = MUS_SLICE * B;
  enum { THREADS = LANES, PHASES = 2 + MUS_BLOCK_SUM_PHASES, SHARED = LANES * (int)(sizeof(double) + sizeof(float)) };

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    double *dot = (double *)shared;
    float *row = (float *)(dot + LANES);
    int lane = at.thread;
    size_t i = (size_t)at.block * LANES + (size_t)lane;
    if (phase == 0) {
      double value = r[i];
      if (q)
        r[i] = value -= state->step * q[i];
      row[lane] = right[i] = (float)(state->factor * value);
      dot[lane] = value * value;
    } else if (phase == 1 && inverse) {
      const float *d = inverse + (size_t)at.block * (B * LANES) + lane, *node = row + lane / B * B;
      float sum = 0;
      MUS_UNROLL
      for (int c = 0; c < B; ++c)
        sum += d[c * LANES] * node[c];
      first[i] = alpha * (float)level->inverse * sum;
    } else if (phase > 1) {
      mus_block_sum(phase - 2, at.thread, LANES, dot, &partial[at.block]);
    }
  }
};

// x += left p, and p = z / factor + ratio p where there is a z
struct mus_advance_kernel {
  const mus_cg_state *state;
  const float *z;
  double *x, *p;
  enum { THREADS = 6 * MUS_SLICE, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    size_t i = (size_t)at.block * (size_t)at.threads + (size_t)at.thread;
    double old = p[i];
    x[i] += state->left * old;
    if (z)
      p[i] = (double)z[i] / state->factor + state->ratio * old;
  }
};

// dot = r.z, for a hierarchy whose cycle is the bottom's solution alone
struct mus_dot_kernel {
  const double *r;
  const float *z;
  double *partial;
  enum { THREADS = 6 * MUS_SLICE, PHASES = 1 + MUS_BLOCK_SUM_PHASES, SHARED = THREADS * sizeof(double) };

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    double *dot = (double *)shared;
    size_t i = (size_t)at.block * (size_t)at.threads + (size_t)at.thread;
    if (phase == 0)
      dot[at.thread] = r[i] * (double)z[i];
    else
      mus_block_sum(phase - 1, at.thread, at.threads, dot, &partial[at.block]);
  }
};

// right = S (b - A z), x = S guess: what is solved for is the difference to z. Beyond the last node all is zero.
template <int B> struct mus_take_vectors_kernel {
  int rows;
  const mus_given *given;
  const double *shift;
  double *right, *x;
  static constexpr int LANES = MUS_SLICE * B;
  enum { THREADS = LANES, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int node = at.block * MUS_SLICE + at.thread / B, r = at.thread % B;
    size_t i = (size_t)at.block * LANES + (size_t)at.thread, first = i - (size_t)r;
    if (node >= rows)
      return;
    int held = B == 3 ? mus_held_at(given, node) : -1, row = given->coupled > 0 ? given->place[node] : -1;
    const double *pull = row < 0 ? nullptr : given->pull + 3 * (size_t)row;
    if (held < 0) {
      right[i] = given->b[i] - shift[i] - (pull ? pull[r] : 0);
      x[i] = given->x[i];
      return;
    }
    const double *s = given->projection + 9 * (size_t)held + 3 * r;
    double sum = 0, guess = 0;
    for (int c = 0; c < 3; ++c) {
      sum += s[c] * (given->b[first + (size_t)c] - shift[first + (size_t)c] - (pull ? pull[c] : 0));
      guess += s[c] * given->x[first + (size_t)c];
    }
    right[i] = sum;
    x[i] = guess;
  }
};

// The caller's x = S (x + offset) + z, unless nothing was solved.
template <int B> struct mus_give_vector_kernel {
  const mus_cg_state *state;
  int rows;
  const mus_given *given;
  const double *x;
  static constexpr int LANES = MUS_SLICE * B;
  enum { THREADS = LANES, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int node = at.block * MUS_SLICE + at.thread / B, r = at.thread % B;
    size_t i = (size_t)at.block * LANES + (size_t)at.thread, first = i - (size_t)r;
    if (node >= rows || state->end == MUS_STAGE_BAD_LEVEL)
      return;
    int held = B == 3 ? mus_held_at(given, node) : -1;
    int is_zero = state->reference == 0; // solved without looking
    double value = solved(is_zero, i);
    if (held >= 0) {
      const double *s = given->projection + 9 * (size_t)held + 3 * r;
      value = given->target[3 * (size_t)held + (size_t)r];
      for (int c = 0; c < 3; ++c)
        value += s[c] * solved(is_zero, first + (size_t)c);
    }
    given->x[i] = value;
  }

  MUS_HD double solved(int is_zero, size_t i) const {
    return (is_zero ? 0 : x[i]) + (given->offset ? given->offset[i] : 0);
  }
};

// --- what is decided between them: one block ------------------------------------------------------------------------

// Adds up `count` partial sums of up to two kinds, in a fixed order, and gives them to DECISION::decide.
enum { MUS_DECIDERS = 1024 };
template <class decision> struct mus_decide_kernel {
  decision d;
  const double *partial[2]; // NULL: none
  int count;
  enum {
    THREADS = MUS_DECIDERS,
    PHASES = 1 + MUS_BLOCK_SUM_PHASES + 1,
    SHARED = (2 * MUS_DECIDERS + 2) * sizeof(double)
  };

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    double *sum = (double *)shared, *total = sum + 2 * MUS_DECIDERS;
    for (int kind = 0; kind < 2; ++kind) {
      double *number = sum + kind * MUS_DECIDERS;
      if (phase == 0) {
        number[at.thread] = partial[kind] ? own_sum(partial[kind], at.thread) : 0;
      } else {
        mus_block_sum(phase - 1, at.thread, MUS_DECIDERS, number, &total[kind]);
      }
    }
    if (phase == PHASES - 1 && at.thread == 0)
      d.decide(total[0], total[1]);
  }

  // Asks for several numbers before it uses any.
  MUS_HD double own_sum(const double *number, int thread) const {
    constexpr int AHEAD = 4;
    double sum = 0;
    for (int k = thread; k < count; k += AHEAD * MUS_DECIDERS) {
      double next[AHEAD];
      MUS_UNROLL
      for (int u = 0; u < AHEAD; ++u)
        next[u] = k + u * MUS_DECIDERS < count ? number[k + u * MUS_DECIDERS] : 0;
      MUS_UNROLL
      for (int u = 0; u < AHEAD; ++u)
        sum += next[u];
    }
    return sum;
  }
};

#define MUS_SQUARE_ZERO 1e-280 // r.r below this counts as r = 0

// The condition of the loop over iterations: one of a graph, or read by the host.
struct mus_condition {
  unsigned long long handle;
  int has_handle;
};

MUS_HD void mus_set_condition(const mus_condition &c, int going) {
#ifdef __CUDA_ARCH__
  if (c.has_handle)
    cudaGraphSetConditional((cudaGraphConditionalHandle)c.handle, (unsigned)going);
#else
  (void)c;
  (void)going;
#endif
}

MUS_HD void mus_end(mus_cg_state *s, mus_stage_end end) {
  s->end = end;
  s->going = 0;
}

// Whether delta = r.M^-1 r is what it has to be.
MUS_HD bool mus_energy_is_good(mus_cg_state *s) {
  if (!isfinite(s->delta) || !isfinite(s->square))
    mus_end(s, MUS_STAGE_NOT_FINITE);
  else if (s->delta < 0 || (s->delta == 0 && s->square >= MUS_SQUARE_ZERO))
    mus_end(s, MUS_STAGE_INDEFINITE_M);
  else
    return true;
  return false;
}

// After a vector is there that the cycle is to be applied to: square is its square.
struct mus_decide_scale {
  mus_cg_state *state;
  MUS_HD void decide(double square, double) const {
    state->square = square;
    state->factor = square < MUS_SQUARE_ZERO ? 1 : 1 / sqrt(square);
  }
};

// After that cycle: the reference from the right-hand side, or the first residual.
struct mus_decide_first {
  mus_cg_state *state;
  double *residual;
  const mus_level_state *level;
  int levels;
  int is_reference;
  mus_condition condition;

  MUS_HD void decide(double energy, double) const {
    mus_cg_state *s = state;
    if (!is_reference || s->relative_to_right)
      decide_going(energy);
    mus_set_condition(condition, s->going && !is_reference);
  }

  MUS_HD void decide_going(double energy) const {
    mus_cg_state *s = state;
    if (!s->going)
      return;
    for (int k = 0; k < levels; ++k)
      if (level[k].failed) {
        s->level = k;
        mus_end(s, MUS_STAGE_BAD_LEVEL);
        return;
      }
    s->delta = s->square < MUS_SQUARE_ZERO ? 0 : energy / s->factor;
    if (!mus_energy_is_good(s))
      return;
    double norm = sqrt(s->delta);
    if (is_reference || !s->relative_to_right)
      s->reference = norm;
    s->goal = s->tolerance * s->reference;
    if (!is_reference)
      residual[0] = norm;
    if (s->reference == 0 || (!is_reference && norm <= s->goal))
      mus_end(s, MUS_STAGE_CONVERGED);
    else if (!is_reference && s->limit < 1)
      mus_end(s, MUS_STAGE_EXHAUSTED);
  }
};

// After the solve: squares of the right-hand side and of what is left of it.
struct mus_decide_true {
  mus_cg_state *state;
  MUS_HD void decide(double all, double left) const {
    state->true_residual = state->reference == 0 ? 0 : all > 0 ? sqrt(left / all) : left > 0 ? HUGE_VAL : 0;
  }
};

// After q = A p: the step, and the scale of the residual that it leads to.
struct mus_decide_step {
  mus_cg_state *state;
  MUS_HD void decide(double curvature, double) const {
    mus_cg_state *s = state;
    s->curvature = curvature;
    s->step = s->delta / curvature;
    s->factor = 1 / sqrt(s->square);
    s->left = 0;
    if (isfinite(curvature) && curvature > 0 && isfinite(s->step))
      return;
    s->step = 0;
    mus_end(s, MUS_STAGE_INDEFINITE_A);
  }
};

// After the cycle: r.r and r.z.
struct mus_decide_next {
  mus_cg_state *state;
  double *residual;
  mus_condition condition;

  MUS_HD void decide(double square, double energy) const {
    mus_cg_state *s = state;
    if (s->going)
      decide_going(square, energy);
    mus_set_condition(condition, s->going);
  }

  MUS_HD void decide_going(double square, double energy) const {
    mus_cg_state *s = state;
    double old = s->delta;
    s->left = s->step;
    s->square = square;
    s->delta = square < MUS_SQUARE_ZERO ? 0 : energy / s->factor;
    if (!mus_energy_is_good(s))
      return;
    s->ratio = s->delta / old;
    residual[++s->iterations] = sqrt(s->delta);
    if (residual[s->iterations] <= s->goal)
      mus_end(s, MUS_STAGE_CONVERGED);
    else if (s->iterations >= s->limit)
      mus_end(s, MUS_STAGE_EXHAUSTED);
  }
};

#endif
