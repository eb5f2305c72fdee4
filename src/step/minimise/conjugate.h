// Search directions that keep part of the one before, as nonlinear conjugate gradients do (Polak and Ribiere). Private
// to step/minimise/.
#ifndef MUS_STEP_MINIMISE_CONJUGATE_H
#define MUS_STEP_MINIMISE_CONJUGATE_H

#include "step/minimise/minimise.h"

typedef struct mus_conjugate {
  double *right, *way; // unknowns: r and the direction of the search before
  double product;      // of r and what the preconditioner made of it there
} mus_conjugate;

// The memory comes from the arena.
mus_status mus_conjugate_create(mus_arena *arena, size_t unknowns, mus_conjugate *out);
// Adds part of the last direction to work->change, which a preconditioner has made of r, unless it begins `anew`. Where
// that leaves less than `slope` of the descent along work->change alone, it stays alone.
void mus_conjugate_apply(mus_minimisation *m, mus_conjugate *conjugate, int anew, double slope);

#endif
