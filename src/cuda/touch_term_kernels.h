// Kernels of what keeps nodes off bodies in steps that are minimised (energy/touch_term.h): a thread for each node.
#ifndef MUS_CUDA_TOUCH_TERM_KERNELS_H
#define MUS_CUDA_TOUCH_TERM_KERNELS_H

#include "cuda/gather_kernels.h"
#include "energy/touch_term.h"

// What all of them read.
struct mus_touch_there {
  int nodes, bodies;
  const mus_touch_body *body;
  const float *grid;
  const double *half;
  const mus_moment_there *moment;
  mus_touch_term *term;

  MUS_HD mus_touch_among among(int i) const {
    const mus_touch_among a = {bodies, body, grid, half[i], moment->at.length};
    return a;
  }
};

// What is frozen in the step, with its matrix at the beginning; velocities of the first iterate stop where bodies are.
struct mus_touch_begin_kernel {
  mus_touch_there there;
  const double *h, *mass, *push, *position, *velocity, *predicted, *value;
  const unsigned char *is_held;
  const int *diagonal;
  double *next_velocity;
  enum { THREADS = 128, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int i = at.block * THREADS + at.thread;
    if (i >= there.nodes)
      return;
    size_t first = 3 * (size_t)i;
    const double *block = value + 9 * (size_t)diagonal[i];
    const mus_touch_among among = there.among(i);
    const mus_touch_vertex vertex = {
        position + first, velocity + first, predicted + first, mass[i], among.half, push[i], *h, among.length};
    mus_touch_term term = {0, 0, {0, 0, 0}, {0, 0, 0}, 0, 0};
    if (!is_held[i])
      mus_touch_begin(&vertex, there.moment->at.gravity, &among, block[0] + block[4] + block[8], next_velocity + first,
                      &term);
    there.term[i] = term;
  }
};

// Its energy, summed in each block.
struct mus_touch_energy_kernel {
  mus_touch_there there;
  const double *next_position, *next_velocity;
  double *partial;
  enum { THREADS = 128 };
  typedef mus_fold<1, THREADS> fold;
  enum { PHASES = 1 + fold::PHASES, SHARED = fold::BYTES };

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    double *number = (double *)shared, energy = 0;
    if (phase > 0) {
      fold::run(phase - 1, at.thread, 1, number);
      if (phase + 1 == PHASES && at.thread == 0)
        partial[at.block] = number[0];
      return;
    }
    int i = at.block * THREADS + at.thread;
    if (i < there.nodes) {
      const mus_touch_among among = there.among(i);
      energy =
          mus_touch_term_energy(&there.term[i], &among, next_position + 3 * (size_t)i, next_velocity + 3 * (size_t)i);
    }
    fold::put(at.thread, 0, energy, number);
  }
};

// Its part of r, and of the matrix unless that is null, after both have been gathered.
struct mus_touch_load_kernel {
  mus_touch_there there;
  const double *next_position, *next_velocity;
  const int *diagonal;
  double *value, *right, *free_right;
  enum { THREADS = 128, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int i = at.block * THREADS + at.thread;
    if (i >= there.nodes)
      return;
    size_t first = 3 * (size_t)i;
    const mus_touch_among among = there.among(i);
    mus_touch_term_load(&there.term[i], &among, next_position + first, next_velocity + first,
                        value ? value + 9 * (size_t)diagonal[i] : nullptr, right + first);
    for (size_t k = first; k < first + 3; ++k)
      free_right[k] = right[k];
  }
};

// A search has come from one velocity to another: see mus_touch_guard().
struct mus_touch_guard_kernel {
  mus_touch_there there;
  const double *predicted, *from;
  double *next_position, *next_velocity;
  enum { THREADS = 128, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int i = at.block * THREADS + at.thread;
    if (i >= there.nodes)
      return;
    size_t first = 3 * (size_t)i;
    const mus_touch_among among = there.among(i);
    double start[3];
    for (size_t c = 0; c < 3; ++c)
      start[c] = predicted[first + c] + among.length * from[first + c];
    if (mus_touch_guard(&there.term[i], &among, start, next_position + first))
      for (size_t k = first; k < first + 3; ++k)
        next_velocity[k] = (next_position[k] - predicted[k]) / among.length;
  }
};

// What has kept nodes off at the end of the step, where r is `left`: for mus_touch_end_kernel, and for the next step.
struct mus_touch_settle_kernel {
  mus_touch_there there;
  const double *next_position, *next_velocity, *left;
  mus_touched *touched;
  double *pushed;
  enum { THREADS = 128, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int i = at.block * THREADS + at.thread;
    if (i >= there.nodes)
      return;
    size_t first = 3 * (size_t)i;
    const mus_touch_among among = there.among(i);
    mus_touched found;
    pushed[i] =
        mus_touch_settle(&there.term[i], &among, next_position + first, next_velocity + first, left + first, &found);
    touched[i] = found;
  }
};

#endif
