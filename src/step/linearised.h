// A step with one linearisation, and its parts that other integrators begin with.
#ifndef MUS_STEP_LINEARISED_H
#define MUS_STEP_LINEARISED_H

#include "step/step.h"

// The linear system at the start of the step `s`, into c->work and c->linear.
void mus_linearised_assemble(const mus_step_context *c, const mus_scheme *s, mus_step_record *record);
// The whole step.
mus_status mus_linearised_advance(const mus_step_context *c, const mus_scheme *s, mus_step_record *record);

// The forces of an instant, into work->right, as the scheme's H f + M (V - v), with those of attachments and contact;
// where wanted with their matrix, into linear->matrix.
void mus_assemble_step(const mus_step_context *c, const mus_scheme *s, const mus_instant *at, int with_matrix);
// What bodies find of the step before it moves anything (contact/touch.h).
mus_touch_step mus_touch_step_of(const mus_step_context *c, const mus_scheme *s);
// What the solver takes besides the matrix.
mus_linear_system mus_linear_system_of(const mus_step_context *c);

#endif
