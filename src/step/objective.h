// The energy that a step minimises, with X, V and H of scheme.h:
//   eps(v') = |v' - V|^2_M / 2 + E(x') + P(x'),   x' = X + H v',
// E of all elements, gravity, attachments and soft pins; P what damping, drag and contact cost over the step. In
// positions it is |x' - (X + H V)|^2_M / 2 H^2 + E + P. Its minimum is the implicit step: minus its derivative by v' is
//   r(v') = H f - M (v' - V).
#ifndef MUS_STEP_OBJECTIVE_H
#define MUS_STEP_OBJECTIVE_H

#include "step/step.h"

// Before the step's first iterate, whose velocities are those of c->state: makes what is frozen in the step of contact
// with bodies alone, and has them stop where bodies do. Nothing where the scene has no such contact.
mus_status mus_objective_begin(const mus_step_context *c, const mus_scheme *s);
// A search has come from these velocities to those of c->state: holds back what would go far into bodies.
void mus_objective_guard(const mus_step_context *c, const mus_scheme *s, const double *from);
// Its end, for the record and for the next step, with r there in work->right.
void mus_objective_end(const mus_step_context *c, const mus_scheme *s, mus_step_record *record);

// J, at the present positions and velocities of c->state, which must belong together.
double mus_objective(const mus_step_context *c, const mus_scheme *s);

// r at the same place, into work->right; its matrix, minus the derivative of r made positive definite, into
// linear->matrix where it is wanted.
void mus_objective_assemble(const mus_step_context *c, const mus_scheme *s, int with_matrix);

#endif
