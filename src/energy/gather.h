// One element of a run: its numbers gathered from those of the vertices, and where its results go. Included by the
// files of kinds that evaluate one element after the other.
#ifndef MUS_ENERGY_GATHER_H
#define MUS_ENERGY_GATHER_H

#include "energy/element_list.h"

// Pointers are NULL where there is nothing.
typedef struct mus_gathered {
  double x[3 * MUS_ARITY_MAXIMUM];
  double velocity[3 * MUS_ARITY_MAXIMUM]; // or where nodes were when the step began, see mus_blend.per_second
  const double *v;                        // the same
  double *gradient, *block;
} mus_gathered;

// The `k`-th element of a run, whose vertices are given.
static inline void mus_gather(int arity, const int *vertex, int k, const mus_evaluation *e, mus_gathered *p) {
  size_t run = (size_t)k, blocks = (size_t)(arity * (arity + 1) / 2);
  const double *motion = mus_evaluation_motion(e);
  for (int c = 0; c < arity; ++c) {
    size_t from = 3 * (size_t)vertex[c];
    for (int m = 0; m < 3; ++m) {
      p->x[3 * c + m] = e->position[from + (size_t)m];
      p->velocity[3 * c + m] = motion ? motion[from + (size_t)m] : 0;
    }
  }
  p->v = motion ? p->velocity : NULL;
  p->gradient = e->gradient ? e->gradient + 3 * (size_t)arity * run : NULL;
  p->block = e->block ? e->block + 9 * blocks * run : NULL;
}

static inline void mus_keep_energy(const mus_evaluation *e, int k, double energy) {
  if (e->energy)
    e->energy[k] = energy;
}

#endif
