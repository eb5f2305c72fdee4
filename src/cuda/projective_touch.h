// Kernels of contact with bodies (energy/touch.h) in steps of Projective Dynamics: which nodes touch one, and what that
// adds to the diagonals of all levels, by equation 7 of Xian, Tong and Liu 2019. Part of projective_kernels.h.
//
// In models with bodies every node has a place for its block, so that nothing is counted or moved: a node's block is
// what holds and pulls it, which the host gives by the places `base`, and what touches add, its lift.
#ifndef MUS_CUDA_PROJECTIVE_TOUCH_H
#define MUS_CUDA_PROJECTIVE_TOUCH_H

#include "cuda/gather_kernels.h"
#include "cuda/handle_kernels.h"

// What touches add on a level.
struct mus_lifts {
  unsigned char *is; // nodes: 1 where there is something; NULL: the model has no bodies
  double *value;     // nodes * (3 width)^2, where there is
};

// What bodies do to nodes of the finest level.
struct mus_touches {
  const unsigned char *is;    // as in mus_lifts
  const mus_touched *touched; // vertices
  MUS_HD bool has(int node) const { return is && is[node]; }
};

template <class real> struct mus_find_touch_kernel {
  int nodes, bodies;
  const int *name;
  const mus_touch_body *body;
  const float *grid;
  const double *h, *half, *push; // half and push: vertices, as what follows
  const double *position, *velocity;
  const unsigned char *is_held;
  mus_touched *touched;
  const mus_moment_there *moment;
  const double *mass, *diagonal, *given; // of nodes, as what follows
  const int *base;
  mus_lifts lifts;
  int *place;
  real *block, *inverse;
  enum { THREADS = 128, PHASES = 1, SHARED = 0 };

  // Of what is there without touches, as mus_touch_find_step() has it.
  MUS_HD double trace(int i, const double *sum) const {
    double all = 3 * diagonal[i];
    return base[i] < 0 ? all : all + sum[0] + sum[4] + sum[8];
  }
  MUS_HD void run(int, mus_place at, void *) const {
    int i = at.block * THREADS + at.thread;
    if (i >= nodes)
      return;
    size_t v = (size_t)name[i];
    double sum[9], own[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0}, found_inverse[9];
    for (int e = 0; e < 9; ++e)
      sum[e] = base[i] < 0 ? 0 : given[9 * (size_t)base[i] + (size_t)e];
    mus_touched found;
    found.stiffness = 0;
    const mus_touch_vertex vertex = {
        position + 3 * v, velocity + 3 * v, position + 3 * v, mass[i], half[v], push[v], *h, moment->at.length};
    if (!is_held[v])
      mus_touch_find(&vertex, bodies, body, grid, trace(i, sum), &found);
    touched[v] = found;
    bool touches = found.stiffness > 0;
    lifts.is[i] = touches;
    place[i] = touches || base[i] >= 0 ? i : -1;
    if (touches)
      mus_touch_block(&found, own);
    for (size_t e = 0; e < 9 && place[i] >= 0; ++e) {
      lifts.value[9 * (size_t)i + e] = own[e];
      sum[e] += e % 4 == 0 ? own[e] + diagonal[i] : own[e];
      block[9 * (size_t)i + e] = (real)sum[e];
    }
    if (place[i] < 0)
      return;
    mus_invert_small<3>(sum, found_inverse);
    for (size_t e = 0; e < 9; ++e)
      inverse[9 * (size_t)i + e] = (real)found_inverse[e];
  }
};

// The lift of a handle, the sum over its nodes of (T (x) I_3) lift (T (x) I_3)^T, and its block, or, of the bottom,
// what that becomes of the matrix; a block has a handle, a thread an entry.
template <class real, int WIDTH> struct mus_lift_kernel {
  const int *child_start, *child;
  const real *transfer; // in the order of children
  mus_lifts from, to;
  const double *diagonal, *given;
  const int *base;
  int *place;
  real *block, *inverse;
  double *w; // the bottom's matrix; NULL: it is not the bottom
  int pitch;
  enum { N = MUS_HANDLE_UNKNOWNS, THREADS = N * N, PHASES = 1 + N + 1 };
  enum { FLAG = 2 * THREADS, SHARED = (FLAG + 1) * (int)sizeof(double) };

  // An entry of the lift. Returns whether anything is there.
  MUS_HD bool add_up(int handle, int r, int c, double *sum) const {
    enum { M = 3 * WIDTH };
    bool found = false;
    *sum = 0;
    for (int k = child_start[handle]; k < child_start[handle + 1]; ++k) {
      int i = child[k];
      if (!from.is[i])
        continue;
      const real *t = transfer + (size_t)k * (4 * WIDTH), *left = t + r / 3 * WIDTH, *right = t + c / 3 * WIDTH;
      const double *own = from.value + (size_t)i * (M * M) + (size_t)(r % 3 * M + c % 3);
      found = true;
      for (int m = 0; m < WIDTH; ++m)
        for (int n = 0; n < WIDTH; ++n)
          *sum += (double)left[m] * (double)right[n] * own[3 * m * M + 3 * n];
    }
    return found;
  }
  MUS_HD void begin(int handle, int thread, double *number) const {
    int r = thread / N, c = thread % N;
    size_t at = (size_t)handle * THREADS + (size_t)thread;
    double sum;
    bool found = add_up(handle, r, c, &sum);
    if (w) {
      w[(size_t)(N * handle + r) * (size_t)pitch + (size_t)(N * handle + c)] += sum;
      return;
    }
    int own = base[handle];
    bool has = found || own >= 0;
    to.value[at] = sum;
    if (thread == 0) {
      to.is[handle] = found;
      place[handle] = has ? handle : -1;
      number[FLAG] = has;
    }
    if (own >= 0)
      sum += given[(size_t)own * THREADS + (size_t)thread];
    if (r % 3 == c % 3)
      sum += diagonal[16 * (size_t)handle + (size_t)(4 * (r / 3) + c / 3)];
    number[thread] = sum;
    if (has)
      block[at] = (real)sum;
  }
  MUS_HD void run(int phase, mus_place at, void *shared) const {
    double *number = (double *)shared;
    int r = at.thread / N, c = at.thread % N, s = phase - 1;
    if (phase == 0) {
      begin(at.block, at.thread, number);
    } else if (!w && number[FLAG] > 0 && phase <= N) { // Gauss and Jordan, from one of two places into the other
      const double *a = number + s % 2 * THREADS;
      double pivot = 1 / a[N * s + s], value = a[at.thread];
      if (r == s)
        value = c == s ? pivot : value * pivot;
      else
        value = c == s ? -value * pivot : value - a[N * r + s] * a[N * s + c] * pivot;
      number[(s + 1) % 2 * THREADS + at.thread] = value;
    } else if (!w && number[FLAG] > 0) {
      inverse[(size_t)at.block * THREADS + (size_t)at.thread] = (real)number[at.thread];
    }
  }
};

// Sums of lifts over pieces of connected parts, 3x3.
struct mus_lift_piece_kernel {
  const int *piece, *member;
  mus_lifts lifts;
  double *partial; // nine of each
  enum { THREADS = 128 };
  typedef mus_fold<9, THREADS> fold;
  enum { PHASES = 1 + fold::PHASES, SHARED = fold::BYTES };

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    double *number = (double *)shared, sum[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    if (phase > 0) {
      fold::run(phase - 1, at.thread, 9, number);
      for (int q = 0; q < 9 && phase + 1 == PHASES && at.thread == 0; ++q)
        partial[9 * (size_t)at.block + (size_t)q] = number[q * THREADS];
      return;
    }
    for (int k = piece[at.block] + at.thread; k < piece[at.block + 1]; k += THREADS)
      for (size_t q = 0; q < 9 && lifts.is[member[k]]; ++q)
        sum[q] += lifts.value[9 * (size_t)member[k] + q];
    for (int q = 0; q < 9; ++q)
      fold::put(at.thread, q, sum[q], number);
  }
};

// The inverse of the sum of A over each part, 3x3; a block has a part.
struct mus_part_inverse_kernel {
  const int *start;      // of pieces, by part
  const double *partial; // of pieces; NULL: nothing is added
  const double *sum;
  double *inverse;
  enum { THREADS = 32, PHASES = 2, SHARED = 9 * sizeof(double) };

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    double *number = (double *)shared, found[9];
    size_t first = 9 * (size_t)at.block;
    if (phase == 0 && at.thread < 9) {
      double all = sum[first + (size_t)at.thread];
      for (int k = start[at.block]; k < start[at.block + 1] && partial; ++k)
        all += partial[9 * (size_t)k + (size_t)at.thread];
      number[at.thread] = all;
    } else if (phase == 1 && at.thread == 0) {
      mus_invert_small<3>(number, found);
      for (size_t e = 0; e < 9; ++e)
        inverse[first + e] = found[e];
    }
  }
};

#endif
