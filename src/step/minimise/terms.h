// What the energy of a minimisation may have besides that of its step (step/objective.h), for levels that stand for a
// finer one: with d = v - c, of a centre c,
//   -f . d + d . B d / 2,   B = blockdiag(B_i).
// Private to step/minimise/.
#ifndef MUS_STEP_MINIMISE_TERMS_H
#define MUS_STEP_MINIMISE_TERMS_H

#include "model/model.h"

typedef struct mus_minimise_terms {
  double *centre, *force; // unknowns
  double *block;          // vertices * 9: symmetric, semi-definite
} mus_minimise_terms;

// The memory comes from the arena.
mus_status mus_minimise_terms_create(mus_arena *arena, int vertices, mus_minimise_terms *out);

// All of the following take NULL for no terms. J, at these velocities:
double mus_minimise_terms_energy(const mus_minimise_terms *terms, const mus_model *model, const double *velocity);
// Adds minus the gradient to the right-hand side, and B to the matrix, unless that is NULL.
void mus_minimise_terms_load(const mus_minimise_terms *terms, const mus_model *model, const double *velocity,
                             mus_matrix *matrix, double *right);

#endif
