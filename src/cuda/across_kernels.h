// Kernels for equalities across nodes, E x = 0 (constrain/equalities.h has the same on the host):
//   x <- x - E^T (E E^T)^-1 E x                      the projection that takes away what they forbid
//   y = D^-1 r - D^-1 E^T (E D^-1 E^T)^-1 E D^-1 r   the inverse of D among vectors that hold them
// The host has inverted both factors, group by group of rows that hang together; each row finds its part there. The
// smoother around the cycle is the Chebyshev polynomial of solve/coupled.h, in single precision.
#ifndef MUS_CUDA_ACROSS_KERNELS_H
#define MUS_CUDA_ACROSS_KERNELS_H

#include "cuda/cycle_kernels.h"
#include "cuda/given.h"

// out = E x, a thread for each row
template <class real> struct mus_across_measure_kernel {
  const mus_given *given;
  const real *x;
  double *out;
  enum { THREADS = 128, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int row = at.block * THREADS + at.thread;
    if (row >= given->across.rows)
      return;
    double sum = 0;
    for (int k = 0; k < given->across.count[row]; ++k) {
      const double *direction = given->across.direction + 3 * (size_t)(MUS_ACROSS_NODES * row + k);
      const real *at_node = x + 3 * (size_t)given->across.node[MUS_ACROSS_NODES * row + k];
      for (int c = 0; c < 3; ++c)
        sum += direction[c] * (double)at_node[c];
    }
    out[row] = sum;
  }
};

// out = (E E^T)^-1 m, or (E D^-1 E^T)^-1 m. Thirty-two threads have a row, a block has eight.
struct mus_across_solve_kernel {
  const mus_given *given;
  int is_weighted;
  const double *m;
  double *out;
  enum { ROWS = 8, THREADS = ROWS * MUS_SLICE, PHASES = 2, SHARED = THREADS * sizeof(double) };

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    double *part = (double *)shared, sum = 0;
    int row = at.block * ROWS + at.thread / MUS_SLICE, own = at.thread % MUS_SLICE;
    const mus_across &a = given->across;
    if (row >= a.rows)
      return;
    if (phase == 0) {
      const double *inverse = (is_weighted ? a.weighted : a.inverse) + a.place[row];
      for (int k = own; k < a.size[row]; k += MUS_SLICE)
        sum += inverse[k] * m[a.first[row] + k];
      part[at.thread] = sum;
    } else if (own == 0) {
      for (int k = 0; k < MUS_SLICE; ++k)
        sum += part[at.thread + k];
      out[row] = sum;
    }
  }
};

// x -= E^T m, or D^-1 E^T m where D^-1 is given in slices. A thread for each node that E touches.
template <class real> struct mus_across_add_kernel {
  const mus_given *given;
  const double *m;
  const float *inverse; // NULL: the identity
  real *x;
  enum { THREADS = 128, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    constexpr int LANES = 3 * MUS_SLICE;
    int k = at.block * THREADS + at.thread;
    const mus_across &a = given->across;
    if (k >= a.touched)
      return;
    int node = a.touched_node[k];
    double force[3] = {0, 0, 0};
    for (int i = a.start[k]; i < a.start[k + 1]; ++i)
      for (int c = 0; c < 3; ++c)
        force[c] += m[a.incident[i] / MUS_ACROSS_NODES] * a.direction[3 * (size_t)a.incident[i] + (size_t)c];
    const float *d = inverse ? inverse + (size_t)(node / MUS_SLICE) * (3 * LANES) + node % MUS_SLICE * 3 : nullptr;
    for (int r = 0; r < 3; ++r) {
      double change = force[r];
      if (d)
        change = (double)d[r] * force[0] + (double)d[LANES + r] * force[1] + (double)d[2 * LANES + r] * force[2];
      x[3 * (size_t)node + (size_t)r] -= (real)change;
    }
  }
};

// y = D^-1 r
struct mus_divide_kernel {
  const float *inverse, *r;
  float *y;
  static constexpr int LANES = 3 * MUS_SLICE;
  enum { THREADS = LANES, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    const float *d = inverse + (size_t)at.block * (3 * LANES) + at.thread;
    const float *node = r + (size_t)at.block * LANES + (size_t)(at.thread / 3 * 3);
    y[(size_t)at.block * LANES + (size_t)at.thread] = d[0] * node[0] + d[LANES] * node[1] + d[2 * LANES] * node[2];
  }
};

// step = carried step + taken / radius change, x += step. A smoother from zero sets them.
struct mus_outer_step_kernel {
  const float *change;
  float *step, *x;
  const mus_level_state *level;
  float carried, taken;
  int is_first, from_zero;
  enum { THREADS = 3 * MUS_SLICE, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    size_t i = (size_t)at.block * THREADS + (size_t)at.thread;
    float next = taken * (float)level->inverse * change[i];
    if (!is_first)
      next += carried * step[i];
    step[i] = next;
    x[i] = is_first && from_zero ? next : x[i] + next;
  }
};

// x += y
struct mus_outer_add_kernel {
  const float *y;
  float *x;
  enum { THREADS = 3 * MUS_SLICE, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    size_t i = (size_t)at.block * THREADS + (size_t)at.thread;
    x[i] += y[i];
  }
};

#endif
