// Kernels around the cycles of a lattice: corrections combined for the least residual (lattice/directions.h), and the
// two visits of a K-cycle (lattice/cycle.h). The numbers that steer them stay on the device.
#ifndef MUS_CUDA_LATTICE_SOLVE_KERNELS_H
#define MUS_CUDA_LATTICE_SOLVE_KERNELS_H

#include <math.h>

#include "cuda/cg_kernels.h"
#include "cuda/lattice_kernels.h"

enum { MUS_LATTICE_PIECES = 1024 }; // runs that sums over vectors are taken in

// Steps along earlier directions matter if they change the residual by this part of what the new one does.
#define MUS_LATTICE_LEAST_STEP 0.01

struct mus_lattice_state {
  double tolerance, reference, size; // of the residual
  double alpha;                      // how far x goes along the new direction, and along earlier ones:
  double step[MUS_LATTICE_STAGES_DIRECTIONS + 1];
  double square[MUS_LATTICE_STAGES_DIRECTIONS + 1]; // |L z|^2, by place
  int limit, cycles, most, kept, now;               // the new direction's place
  int going, end;

  MUS_HD int earlier(int k) const { return (now + most - k) % (most + 1); }
};

// Those of two visits to a level.
struct mus_lattice_visit_state {
  double square, alpha, beta, gamma;
};

// r = weight (b - L x) in double precision, and its square.
struct mus_lattice_wide_residual_kernel {
  mus_lattice_view<double> l;
  double weight;
  double *partial;
  enum { THREADS = MUS_LATTICE_THREADS, PHASES = 1 + MUS_BLOCK_SUM_PHASES, SHARED = THREADS * sizeof(double) };

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    double *dot = (double *)shared, sum = 0;
    int n = at.block * at.threads + at.thread;
    if (phase > 0) {
      mus_block_sum(phase - 1, at.thread, at.threads, dot, &partial[at.block]);
      return;
    }
    uint32_t flags = n < l.cells ? l.flags[n] : 0;
    MUS_UNROLL
    for (int f = 0; f < 4; ++f)
      if (l.has_equation(f, flags)) {
        double value = (f < 3 ? 1 : weight) * (l.b[f][n] - l.left(f, flags, n));
        l.r[f][n] = value;
        sum += value * value;
      }
    dot[at.thread] = sum;
  }
};

// to = x where it is held, 0 elsewhere
struct mus_lattice_still_kernel {
  mus_lattice_view<double> l;
  double *to;
  size_t field;
  enum { THREADS = MUS_LATTICE_THREADS, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int n = at.block * at.threads + at.thread;
    MUS_UNROLL
    for (int f = 0; f < 4 && n < l.cells; ++f)
      to[(size_t)f * field + (size_t)n] = f < 3 && l.is(n, (uint32_t)MUS_STAGE_HELD << f) ? l.x[f][n] : 0;
  }
};

// b = r / size, with the weight of cells' equations undone, and x = 0: what a cycle begins with.
template <class real> struct mus_lattice_begin_kernel {
  const mus_lattice_state *state;
  const double *r;
  real *b, *x;
  size_t size, cells; // where the last field begins
  double weight;
  enum { THREADS = MUS_LATTICE_THREADS, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    size_t i = (size_t)at.block * (size_t)at.threads + (size_t)at.thread;
    if (i >= size)
      return;
    double factor = 1 / state->size;
    b[i] = (real)((i < cells ? factor : factor / weight) * r[i]);
    x[i] = 0;
  }
};

// The new direction as the cycle has left it: z = x, lz = weight L x.
template <class real> struct mus_lattice_image_kernel {
  mus_lattice_view<real> l;
  float *z, *lz;
  size_t field;
  real weight;
  enum { THREADS = MUS_LATTICE_THREADS, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int n = at.block * at.threads + at.thread;
    if (n >= l.cells)
      return;
    uint32_t flags = l.flags[n];
    MUS_UNROLL
    for (int f = 0; f < 4; ++f) {
      size_t i = (size_t)f * field + (size_t)n;
      z[i] = (float)l.x[f][n];
      lz[i] = (float)((f < 3 ? 1 : weight) * l.left(f, flags, n));
    }
  }
};

// A part of a vector that a block works on: from `begin` to `end`.
MUS_HD void mus_lattice_piece(size_t size, int piece, size_t *begin, size_t *end) {
  size_t length = (size + MUS_LATTICE_PIECES - 1) / MUS_LATTICE_PIECES;
  *begin = (size_t)piece * length < size ? (size_t)piece * length : size;
  *end = *begin + length < size ? *begin + length : size;
}

// The directions that are kept: `most` + 1 places of z and of L z.
struct mus_lattice_directions_there {
  const mus_lattice_state *state;
  size_t size;
  float *z, *lz; // by place
  const float *new_z, *new_lz;
  const double *r;
};

// L z . L z_k and r . L z_k for each earlier direction: sums 2 k and 2 k + 1.
struct mus_lattice_multiply_kernel {
  mus_lattice_directions_there d;
  double *partial;
  enum { THREADS = MUS_LATTICE_THREADS, PHASES = 1 + MUS_BLOCK_SUM_PHASES, SHARED = 2 * THREADS * sizeof(double) };

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    double *sum = (double *)shared, own[2] = {0, 0};
    int k = at.block / MUS_LATTICE_PIECES, piece = at.block % MUS_LATTICE_PIECES;
    if (k >= d.state->kept)
      return;
    if (phase > 0) {
      for (int which = 0; which < 2; ++which)
        mus_block_sum(phase - 1, at.thread, at.threads, sum + which * THREADS,
                      &partial[(size_t)(2 * k + which) * MUS_LATTICE_PIECES + (size_t)piece]);
      return;
    }
    const float *other = d.lz + (size_t)d.state->earlier(k) * d.size;
    size_t begin, end;
    mus_lattice_piece(d.size, piece, &begin, &end);
    for (size_t i = begin + (size_t)at.thread; i < end; i += (size_t)at.threads) {
      double value = (double)other[i];
      own[0] += (double)d.new_lz[i] * value;
      own[1] += d.r[i] * value;
    }
    for (int which = 0; which < 2; ++which)
      sum[which * THREADS + at.thread] = own[which];
  }
};

// A block for each sum, which it adds up.
struct mus_lattice_sum_kernel {
  const double *partial;
  double *total;
  enum { THREADS = MUS_LATTICE_THREADS, PHASES = 1 + MUS_BLOCK_SUM_PHASES, SHARED = THREADS * sizeof(double) };

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    double *sum = (double *)shared, own = 0;
    if (phase > 0) {
      mus_block_sum(phase - 1, at.thread, at.threads, sum, &total[at.block]);
      return;
    }
    for (int k = at.thread; k < MUS_LATTICE_PIECES; k += at.threads)
      own += partial[(size_t)at.block * MUS_LATTICE_PIECES + (size_t)k];
    sum[at.thread] = own;
  }
};

// Subtracts earlier directions, which makes the new one conjugate to them, and puts it into its place; |L z|^2 and
// r . L z of what is left: sums 0 and 1.
struct mus_lattice_subtract_kernel {
  mus_lattice_directions_there d;
  const double *total;
  double *partial;
  enum {
    THREADS = MUS_LATTICE_THREADS,
    FACTORS = MUS_LATTICE_STAGES_DIRECTIONS + 1,
    PHASES = 2 + MUS_BLOCK_SUM_PHASES,
    SHARED = 2 * THREADS * sizeof(double) + FACTORS * sizeof(float)
  };

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    double *sum = (double *)shared;
    float *factor = (float *)(sum + 2 * THREADS);
    if (phase == 0 && at.thread < d.state->kept) {
      double square = d.state->square[d.state->earlier(at.thread)];
      factor[at.thread] = square > 0 ? (float)(total[2 * at.thread] / square) : 0;
    }
    if (phase == 1)
      subtract(at, factor, sum);
    if (phase > 1)
      for (int which = 0; which < 2; ++which)
        mus_block_sum(phase - 2, at.thread, at.threads, sum + which * THREADS,
                      &partial[(size_t)which * MUS_LATTICE_PIECES + (size_t)at.block]);
  }

  MUS_HD void subtract(mus_place at, const float *factor, double *sum) const {
    float *z = d.z + (size_t)d.state->now * d.size, *lz = d.lz + (size_t)d.state->now * d.size;
    size_t begin, end;
    double square = 0, product = 0;
    mus_lattice_piece(d.size, at.block, &begin, &end);
    for (size_t i = begin + (size_t)at.thread; i < end; i += (size_t)at.threads) {
      float value = d.new_z[i], image = d.new_lz[i];
      for (int k = 0; k < d.state->kept; ++k) {
        size_t other = (size_t)d.state->earlier(k) * d.size + i;
        value -= factor[k] * d.z[other];
        image -= factor[k] * d.lz[other];
      }
      z[i] = value;
      lz[i] = image;
      square += (double)image * (double)image;
      product += d.r[i] * (double)image;
    }
    sum[at.thread] = square;
    sum[THREADS + at.thread] = product;
  }
};

// x += what the new direction and, where it matters, earlier ones give
struct mus_lattice_advance_kernel {
  mus_lattice_directions_there d;
  double *x;
  enum { THREADS = MUS_LATTICE_THREADS, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    size_t i = (size_t)at.block * (size_t)at.threads + (size_t)at.thread;
    if (i >= d.size || !(d.state->alpha != 0))
      return;
    double sum = d.state->alpha * (double)d.z[(size_t)d.state->now * d.size + i];
    for (int k = 0; k < d.state->kept; ++k)
      if (d.state->step[k] != 0)
        sum += d.state->step[k] * (double)d.z[(size_t)d.state->earlier(k) * d.size + i];
    x[i] += sum;
  }
};

// --- what is decided between them: one block, which adds up to three sums of `count` numbers each --------------------

template <class decision> struct mus_lattice_decide_kernel {
  decision d;
  const double *partial;
  int count;
  enum {
    SUMS = decision::SUMS,
    THREADS = MUS_DECIDERS,
    PHASES = 1 + MUS_BLOCK_SUM_PHASES + 1,
    SHARED = (SUMS * MUS_DECIDERS + SUMS) * sizeof(double)
  };

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    double *sum = (double *)shared, *total = sum + SUMS * MUS_DECIDERS;
    for (int which = 0; which < SUMS; ++which) {
      double *number = sum + which * MUS_DECIDERS, own = 0;
      for (int k = at.thread; phase == 0 && k < count; k += MUS_DECIDERS)
        own += partial[(size_t)which * (size_t)count + (size_t)k];
      if (phase == 0)
        number[at.thread] = own;
      else
        mus_block_sum(phase - 1, at.thread, MUS_DECIDERS, number, &total[which]);
    }
    if (phase == PHASES - 1 && at.thread == 0)
      d.decide(total);
  }
};

// The norm that residuals are relative to.
struct mus_decide_reference {
  mus_lattice_state *state;
  enum { SUMS = 1 };
  MUS_HD void decide(const double *sum) const { state->reference = sqrt(sum[0]); }
};

// After a residual: the first one, or that of a cycle.
struct mus_decide_residual {
  mus_lattice_state *state;
  double *residuals;
  int is_first;
  mus_condition condition;
  enum { SUMS = 1 };

  MUS_HD void decide(const double *sum) const {
    mus_lattice_state *s = state;
    if (is_first || s->going) {
      s->size = sqrt(sum[0]);
      s->cycles += !is_first;
      residuals[s->cycles] = s->reference > 0 ? s->size / s->reference : s->reference;
      s->end = !isfinite(s->size) || !isfinite(s->reference)               ? MUS_LATTICE_NOT_FINITE
               : s->reference == 0 || residuals[s->cycles] <= s->tolerance ? MUS_LATTICE_CONVERGED
                                                                           : MUS_LATTICE_LIMIT;
      s->going = s->end == MUS_LATTICE_LIMIT && s->cycles < s->limit;
      if (!is_first && s->most > 0) {
        s->now = (s->now + 1) % (s->most + 1);
        s->kept = s->kept < s->most ? s->kept + 1 : s->most;
      }
    }
    mus_set_condition(condition, s->going);
  }
};

// How far x goes along the directions: those of the last cycle and of earlier ones, whose products with r are in
// total[2 k + 1].
struct mus_decide_directions {
  mus_lattice_state *state;
  const double *total;
  enum { SUMS = 2 };

  MUS_HD void decide(const double *sum) const {
    mus_lattice_state *s = state;
    double square = sum[0];
    s->square[s->now] = square;
    s->alpha = s->most == 0 ? s->size : square > 0 ? sum[1] / square : 0;
    if (!isfinite(square) || !isfinite(s->alpha)) {
      s->alpha = 0;
      s->going = 0;
      s->end = MUS_LATTICE_NOT_FINITE;
    }
    for (int k = 0; k < s->kept; ++k) {
      double other = s->square[s->earlier(k)], step = other > 0 ? total[2 * k + 1] / other : 0;
      s->step[k] = fabs(step) * sqrt(other) > MUS_LATTICE_LEAST_STEP * fabs(s->alpha) * sqrt(square) ? step : 0;
    }
  }
};

// --- K-cycles --------------------------------------------------------------------------------------------------------

// y = L x. After the first visit, y . y and b . y; after the second, y . first, y . y and b . y.
template <class real, bool SECOND> struct mus_lattice_visited_kernel {
  mus_lattice_view<real> l;
  real *y;
  const real *first;
  size_t field;
  double *partial;
  enum {
    SUMS = SECOND ? 3 : 2,
    THREADS = MUS_LATTICE_THREADS,
    PHASES = 1 + MUS_BLOCK_SUM_PHASES,
    SHARED = SUMS * THREADS * sizeof(double)
  };
  int blocks;

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    double *sum = (double *)shared, own[3] = {0, 0, 0};
    int n = at.block * at.threads + at.thread;
    if (phase > 0) {
      for (int which = 0; which < SUMS; ++which)
        mus_block_sum(phase - 1, at.thread, at.threads, sum + which * THREADS,
                      &partial[(size_t)which * (size_t)blocks + (size_t)at.block]);
      return;
    }
    uint32_t flags = n < l.cells ? l.flags[n] : 0;
    MUS_UNROLL
    for (int f = 0; f < 4; ++f)
      if (l.has_equation(f, flags)) {
        size_t i = (size_t)f * field + (size_t)n;
        real value = l.left(f, flags, n);
        y[i] = value;
        own[0] += (double)value * (double)value;
        own[1] += (double)l.b[f][n] * (double)value;
        if (SECOND)
          own[2] += (double)value * (double)first[i];
      }
    for (int which = 0; which < SUMS; ++which)
      sum[which * THREADS + at.thread] = own[which];
  }
};

struct mus_decide_first_visit {
  mus_lattice_visit_state *visit;
  enum { SUMS = 2 };
  MUS_HD void decide(const double *sum) const {
    visit->square = sum[0];
    visit->alpha = sum[0] > 0 ? sum[1] / sum[0] : 0;
  }
};

struct mus_decide_second_visit {
  mus_lattice_visit_state *visit;
  enum { SUMS = 3 };
  MUS_HD void decide(const double *sum) const {
    visit->beta = visit->square > 0 ? sum[2] / visit->square : 0;
    double rest = sum[0] - visit->beta * visit->beta * visit->square;
    visit->gamma = rest > 0 ? sum[1] / rest : 0;
  }
};

// z = x, x = 0, b -= alpha L z
template <class real> struct mus_lattice_between_visits_kernel {
  const mus_lattice_visit_state *visit;
  real *x, *b, *z;
  const real *lz;
  size_t size;
  enum { THREADS = MUS_LATTICE_THREADS, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    size_t i = (size_t)at.block * (size_t)at.threads + (size_t)at.thread;
    if (i >= size)
      return;
    z[i] = x[i];
    x[i] = 0;
    b[i] -= (real)visit->alpha * lz[i];
  }
};

// x = gamma x + (alpha - gamma beta) z
template <class real> struct mus_lattice_combine_kernel {
  const mus_lattice_visit_state *visit;
  real *x;
  const real *z;
  size_t size;
  enum { THREADS = MUS_LATTICE_THREADS, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    size_t i = (size_t)at.block * (size_t)at.threads + (size_t)at.thread;
    if (i < size)
      x[i] = (real)visit->gamma * x[i] + (real)(visit->alpha - visit->gamma * visit->beta) * z[i];
  }
};

#endif
