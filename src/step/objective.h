// The energy that a step minimises, with X, V and H of scheme.h:
//   eps(v') = |v' - V|^2_M / 2 + E(x') + P(x'),   x' = X + H v',
// E of all elements, gravity, attachments and soft pins; P what damping, drag and contact cost over the step. In
// positions it is |x' - (X + H V)|^2_M / 2 H^2 + E + P. Its minimum is the implicit step: minus its derivative by v' is
//   r(v') = H f - M (v' - V).
#ifndef MUS_STEP_OBJECTIVE_H
#define MUS_STEP_OBJECTIVE_H

#include "step/step.h"

// J, at the present positions and velocities of c->state, which must belong together.
double mus_objective(const mus_step_context *c, const mus_scheme *s);

// r at the same place, into work->right; its matrix, minus the derivative of r made positive definite, into
// linear->matrix where it is wanted.
void mus_objective_assemble(const mus_step_context *c, const mus_scheme *s, int with_matrix);

#endif
