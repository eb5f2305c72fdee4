// Kernels that gather what elements have written into the system of a step, that move, and that measure the end of the
// step. See step_stages.h.
#ifndef MUS_CUDA_GATHER_KERNELS_H
#define MUS_CUDA_GATHER_KERNELS_H

#include <stdint.h>
#include <string.h>

#include "cuda/element_kernels.h"

// --- the system ------------------------------------------------------------------------------------------------------

// Part of a block of the matrix: 3 x 3 numbers from `first` on, as they are or transposed, or the product of three
// numbers from there and three from `second` on.
struct mus_share {
  unsigned first, second;
};
enum : unsigned { MUS_SHARE_AS_IS = 0xffffffffu, MUS_SHARE_TRANSPOSED = 0xfffffffeu };

// Three threads for each block, one for each of its rows.
struct mus_gather_matrix_kernel {
  int blocks;
  const int *start; // blocks + 1
  const mus_share *share;
  const int *row, *column;
  const double *from, *mass;
  double *value;
  enum { THREADS = 192, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    long long thread = (long long)at.block * THREADS + at.thread;
    int k = (int)(thread / 3), r = (int)(thread % 3);
    if (k >= blocks)
      return;
    double sum[3] = {0, 0, 0};
    for (int s = start[k]; s < start[k + 1]; ++s) {
      mus_share part = share[s];
      const double *a = from + part.first;
      if (part.second >= MUS_SHARE_TRANSPOSED) {
        int along = part.second == MUS_SHARE_AS_IS ? 1 : 3, across = 4 - along; // of columns, and of rows
        MUS_UNROLL
        for (int c = 0; c < 3; ++c)
          sum[c] += a[r * across + c * along];
      } else {
        const double *b = from + part.second;
        MUS_UNROLL
        for (int c = 0; c < 3; ++c)
          sum[c] += a[r] * b[c];
      }
    }
    double own = row[k] == column[k] ? mass[row[k]] : 0;
    MUS_UNROLL
    for (int c = 0; c < 3; ++c)
      sum[c] += c == r ? own : 0;
    MUS_UNROLL
    for (int c = 0; c < 3; ++c)
      value[9 * (size_t)k + (size_t)(3 * r + c)] = sum[c];
  }
};

// X; a thread for each unknown, as with those below. `each` is how many a copy of the model has.
struct mus_predict_kernel {
  int unknowns, each;
  const mus_moment_there *moment;
  const double *x, *before;
  double *predicted, *change;
  enum { THREADS = 256, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int i = at.block * THREADS + at.thread;
    if (i >= unknowns)
      return;
    predicted[i] = moment[i / each].at.order == 2 ? (4 * x[i] - before[i]) / 3 : x[i];
    change[i] = 0;
  }
};

// H (M g - gradient) + M (V - v)
struct mus_gather_right_kernel {
  int unknowns, each;
  const int *start;
  const unsigned *share; // where three numbers are
  const double *from, *mass, *velocity, *before;
  const mus_moment_there *moment;
  double *right;
  enum { THREADS = 192, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int i = at.block * THREADS + at.thread, node = i / 3, c = i % 3;
    if (i >= unknowns)
      return;
    double sum = 0, m = mass[node];
    for (int s = start[node]; s < start[node + 1]; ++s)
      sum += from[(size_t)share[s] + (size_t)c];
    const mus_stage_moment &now = moment[i / each].at;
    double force = m * now.gravity[c] - sum, inertia = now.order == 2 ? m * (velocity[i] - before[i]) / 3 : 0;
    right[i] = now.length * force + inertia;
  }
};

// --- bodies ----------------------------------------------------------------------------------------------------------

// Which nodes touch bodies, and what keeps them off: a thread for each, after the system has been gathered.
struct mus_touch_kernel {
  int nodes, bodies;
  const mus_touch_body *body;
  const float *grid;
  const double *h, *half, *mass, *push, *position, *velocity, *predicted;
  const mus_moment_there *moment;
  const unsigned char *is_held;
  const int *diagonal;
  double *value, *right;
  mus_touched *touched;
  enum { THREADS = 128, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int i = at.block * THREADS + at.thread;
    if (i >= nodes)
      return;
    size_t first = 3 * (size_t)i;
    double *block = value + 9 * (size_t)diagonal[i];
    mus_touched found;
    found.stiffness = 0;
    const mus_touch_vertex vertex = {
        position + first, velocity + first, predicted + first, mass[i], half[i], push[i], *h, moment->at.length};
    if (!is_held[i])
      mus_touch_find(&vertex, bodies, body, grid, block[0] + block[4] + block[8], &found);
    mus_touch_load(&found, velocity + first, block, right + first);
    touched[i] = found;
  }
};

// What bodies have done to nodes at the end of the step: work and number of each block.
struct mus_touch_end_kernel {
  int nodes;
  const mus_touched *touched;
  const mus_moment_there *moment;
  const double *counted, *position, *next_position, *next_velocity;
  double *next_push, *partial;
  enum { THREADS = 128 };
  typedef mus_fold<2, THREADS> fold;
  enum { PHASES = 1 + fold::PHASES, SHARED = fold::BYTES };

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    double *number = (double *)shared;
    if (phase > 0) {
      fold::run(phase - 1, at.thread, 2, number);
      if (phase + 1 == PHASES && at.thread == 0)
        for (int q = 0; q < 2; ++q)
          partial[2 * at.block + q] = number[q * THREADS];
      return;
    }
    int i = at.block * THREADS + at.thread;
    double work = 0, count = 0;
    if (i < nodes) {
      double length = moment->at.length, impulse[3];
      size_t first = 3 * (size_t)i;
      next_push[i] = mus_touch_end(&touched[i], next_velocity + first, length, impulse);
      count = touched[i].stiffness > 0 ? 1 : 0;
      for (size_t c = first; c < first + 3 && counted[i] > 0; ++c)
        work += impulse[c - first] * (next_position[c] - position[c]) / length;
    }
    fold::put(at.thread, 0, work, number);
    fold::put(at.thread, 1, count, number);
  }
};

// --- the end of the step ---------------------------------------------------------------------------------------------

// v' = v + d, x' = X + H v'
struct mus_move_kernel {
  int unknowns, each;
  const mus_moment_there *moment;
  const double *predicted, *velocity, *change;
  double *next_position, *next_velocity;
  enum { THREADS = 256, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int i = at.block * THREADS + at.thread;
    if (i >= unknowns)
      return;
    double v = velocity[i] + change[i];
    next_velocity[i] = v;
    next_position[i] = predicted[i] + moment[i / each].at.length * v;
  }
};

enum {
  MUS_NODE_KINETIC,
  MUS_NODE_POTENTIAL,
  MUS_NODE_MOMENTUM,
  MUS_NODE_ANGULAR = MUS_NODE_MOMENTUM + 3,
  MUS_NODE_MEASURES = MUS_NODE_ANGULAR + 3
};

struct mus_measure_nodes_kernel {
  int each, across; // nodes of a copy, and blocks for them
  const double *counted, *position, *velocity;
  const mus_moment_there *moment;
  double *partial; // MUS_NODE_MEASURES of each block
  enum { THREADS = 128 };
  typedef mus_fold<MUS_NODE_MEASURES, THREADS> fold;
  enum { PHASES = 1 + fold::PHASES, SHARED = fold::BYTES };

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    double *number = (double *)shared;
    if (phase > 0) {
      fold::run(phase - 1, at.thread, MUS_NODE_MEASURES, number);
      if (phase + 1 == PHASES && at.thread == 0)
        for (int q = 0; q < MUS_NODE_MEASURES; ++q)
          partial[(size_t)at.block * MUS_NODE_MEASURES + (size_t)q] = number[q * THREADS];
      return;
    }
    int copy = at.block / across, own = at.block % across * THREADS + at.thread, i = copy * each + own;
    double m = 0, x[3] = {0, 0, 0}, v[3] = {0, 0, 0}, turn[3];
    if (own < each) {
      m = counted[i];
      mus_load_nodes<1>(&i, position, x);
      mus_load_nodes<1>(&i, velocity, v);
    }
    mus_cross3(x, v, turn);
    fold::put(at.thread, MUS_NODE_KINETIC, m * mus_dot3(v, v) / 2, number);
    fold::put(at.thread, MUS_NODE_POTENTIAL, -m * mus_dot3(moment[copy].at.gravity, x), number);
    for (int k = 0; k < 3; ++k) {
      fold::put(at.thread, MUS_NODE_MOMENTUM + k, m * v[k], number);
      fold::put(at.thread, MUS_NODE_ANGULAR + k, m * turn[k], number);
    }
  }
};

// The work of what holds nodes: their impulses A d - b along their way. A block for each copy.
struct mus_measure_work_kernel {
  const int *start; // of held nodes: copies + 1
  const int *node;
  const int *row_start, *column;
  const double *value, *right, *change, *counted, *position, *next_position;
  const mus_moment_there *moment;
  double *partial;
  enum { THREADS = 128 };
  typedef mus_fold<1, THREADS> fold;
  enum { PHASES = 1 + fold::PHASES, SHARED = fold::BYTES };

  MUS_HD double work_of(int i) const {
    double way[3], work = 0;
    for (int c = 0; c < 3; ++c)
      way[c] = next_position[3 * (size_t)i + (size_t)c] - position[3 * (size_t)i + (size_t)c];
    if ((way[0] == 0 && way[1] == 0 && way[2] == 0) || counted[i] == 0)
      return 0;
    for (int k = row_start[i]; k < row_start[i + 1]; ++k)
      for (int d = 0; d < 3; ++d)
        work += way[d] * mus_dot3(value + 9 * (size_t)k + 3 * (size_t)d, change + 3 * (size_t)column[k]);
    return work - mus_dot3(right + 3 * (size_t)i, way);
  }
  MUS_HD void run(int phase, mus_place at, void *shared) const {
    double *number = (double *)shared;
    if (phase > 0) {
      fold::run(phase - 1, at.thread, 1, number);
      if (phase + 1 == PHASES && at.thread == 0)
        partial[at.block] = number[0] / moment[at.block].at.length;
      return;
    }
    double sum = 0;
    for (int k = start[at.block] + at.thread; k < start[at.block + 1]; k += THREADS)
      sum += work_of(node[k]);
    fold::put(at.thread, 0, sum, number);
  }
};

// --- sums over all blocks --------------------------------------------------------------------------------------------

// One number of the result, and where it is: every `stride`-th of `count` numbers.
struct mus_sum_task {
  const double *from;
  int count, stride;
  int largest; // 1: the largest instead of the sum, with the number behind it
};

// A block for each task.
struct mus_sum_kernel {
  const mus_sum_task *task;
  double *out; // two for each task
  enum { THREADS = 128 };
  typedef mus_fold<2, THREADS, true> fold;
  enum { PHASES = 1 + fold::PHASES, SHARED = fold::BYTES };

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    const mus_sum_task t = task[at.block];
    double *number = (double *)shared, found = 0, where = -1;
    if (phase > 0) {
      fold::run(phase - 1, at.thread, t.largest ? 0 : 1, number);
      if (phase + 1 == PHASES && at.thread == 0)
        for (int q = 0; q < 2; ++q)
          out[2 * at.block + q] = number[q * THREADS];
      return;
    }
    for (int k = at.thread; k < t.count; k += THREADS) {
      const double *next = t.from + (size_t)k * (size_t)t.stride;
      if (t.largest && *next > found)
        where = next[1];
      found = t.largest ? fmax(found, *next) : found + *next;
    }
    fold::put(at.thread, 0, found, number);
    fold::put(at.thread, 1, where, number);
  }
};

// --- the strain that 99% are below -----------------------------------------------------------------------------------
// Numbers that are not negative are in the order of their bits, so that the one of a rank is found digit by digit, from
// the highest on: every pass counts the values of one digit among those that begin as what has been found.

enum { MUS_DIGIT_BITS = 8, MUS_DIGITS = 64 / MUS_DIGIT_BITS, MUS_DIGIT_VALUES = 1 << MUS_DIGIT_BITS };

struct mus_rank_state {
  uint64_t found; // the digits that are known
  long long rank; // among numbers that begin with them, from 0
};

MUS_HD uint64_t mus_bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

// Counts are whole numbers: their sums are the same in any order.
MUS_HD void mus_count_one(int *counter) {
#ifdef __CUDA_ARCH__
  atomicAdd(counter, 1);
#else
  ++*counter;
#endif
}

struct mus_count_digits_kernel {
  int count, digit;
  const double *number;
  const mus_rank_state *state;
  int *counts; // MUS_DIGIT_VALUES of each block
  enum { THREADS = 256, PHASES = 3, SHARED = MUS_DIGIT_VALUES * sizeof(int), BLOCKS = 128 };

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    int *bin = (int *)shared, shift = digit * MUS_DIGIT_BITS;
    if (phase == 0)
      bin[at.thread] = 0;
    if (phase == 1)
      for (int k = at.block * THREADS + at.thread; k < count; k += BLOCKS * THREADS) {
        uint64_t bits = mus_bits_of(number[k]);
        if (digit == MUS_DIGITS - 1 || ((bits ^ state->found) >> shift >> MUS_DIGIT_BITS) == 0)
          mus_count_one(bin + (bits >> shift & (MUS_DIGIT_VALUES - 1)));
      }
    if (phase == 2)
      counts[at.block * MUS_DIGIT_VALUES + at.thread] = bin[at.thread];
  }
};

struct mus_find_digit_kernel {
  int digit;
  long long rank; // that is looked for
  const int *counts;
  mus_rank_state *state;
  double *out; // what is known of it: digits below are zero
  enum { THREADS = MUS_DIGIT_VALUES, PHASES = 2, SHARED = MUS_DIGIT_VALUES * sizeof(int) };

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    int *sum = (int *)shared;
    if (phase == 0) {
      int all = 0;
      for (int b = 0; b < mus_count_digits_kernel::BLOCKS; ++b)
        all += counts[b * MUS_DIGIT_VALUES + at.thread];
      sum[at.thread] = all;
      return;
    }
    if (at.thread > 0)
      return;
    int value = 0, first = digit == MUS_DIGITS - 1;
    long long left = first ? rank : state->rank;
    while (value + 1 < MUS_DIGIT_VALUES && left >= sum[value])
      left -= sum[value++];
    uint64_t found = (first ? 0 : state->found) | (uint64_t)value << (digit * MUS_DIGIT_BITS);
    state->rank = left;
    state->found = found;
    memcpy(out, &found, sizeof *out);
  }
};

#endif
