// Implicit Euler and BDF2 with one linearisation per step (Baraff and Witkin 1998; Choi and Ko 2002). With X, V and H
// of scheme.h and forces linear about (X, v), the change of velocity d = v' - v solves
//   (M + H D + H^2 K) d = M (V - v) + H (f(X, v) - H K v).
#include "step/linearised.h"

#include "base/timer.h"
#include "contact/touch_terms.h"
#include "par/vector.h"

mus_touch_step mus_touch_step_of(const mus_step_context *c, const mus_scheme *s) {
  return (mus_touch_step){.time = s->time,
                          .h = s->h,
                          .length = s->length,
                          .position = c->state->position,
                          .velocity = c->state->velocity,
                          .predicted = c->work->predicted,
                          .pinned = c->work->prescribed.pinned,
                          .hold = c->state->contact.hold};
}

// Whether bodies keep vertices off by terms of a minimum.
static int is_minimised(const mus_step_context *c, const mus_instant *at) {
  return c->touch && c->touch->term && at->before;
}

void mus_assemble_step(const mus_step_context *c, const mus_scheme *s, const mus_instant *at, int with_matrix) {
  mus_matrix *matrix = with_matrix ? &c->linear->matrix : NULL;
  double *right = c->work->right;
  if (with_matrix)
    mus_linear_open(c->linear);
  mus_assemble(c->model, c->settings, at, matrix, right);
  mus_scheme_load(s, c->model, c->work->start_velocity, c->state, right);
  mus_attachments_load(c->attachments, at, matrix, right);
  mus_soft_pins_load(c->model, &c->work->prescribed, at, matrix, right);
  if (c->contact)
    mus_contact_load(c->contact, at->velocity, matrix, right);
  if (is_minimised(c, at)) {
    mus_touch_terms_load(c->model, c->touch, s->length, at->position, at->velocity, matrix, right);
  } else if (c->touch && matrix) {
    mus_touch_step step = mus_touch_step_of(c, s);
    mus_touch_load_step(c->model, &step, c->touch, matrix, right);
  } else if (c->touch) {
    mus_touch_load_right(c->touch, at->velocity, right);
  }
  mus_seams_reduce(&c->work->seams, c->model, matrix, right);
}

mus_linear_system mus_linear_system_of(const mus_step_context *c) {
  return (mus_linear_system){.right = c->work->right,
                             .position = c->state->position,
                             .prescribed = &c->work->prescribed,
                             .couplings = c->contact ? &c->contact->beyond.couplings : NULL,
                             .seams = &c->work->seams};
}

void mus_linearised_assemble(const mus_step_context *c, const mus_scheme *s, mus_step_record *record) {
  double begin = mus_seconds();
  mus_instant at = {s->time, c->work->predicted, c->state->velocity, s->length, s->length, NULL};
  mus_assemble_step(c, s, &at, 1);
  record->assemble_seconds += mus_seconds() - begin;
}

mus_status mus_linearised_advance(const mus_step_context *c, const mus_scheme *s, mus_step_record *record) {
  mus_workspace *work = c->work;
  mus_state *state = c->state;
  mus_linearised_assemble(c, s, record);
  mus_linear_system system = mus_linear_system_of(c);
  record->newton_iterations = 1;
  mus_status status = mus_linear_solve(c->linear, &system, c->settings, work->change, record);
  if (status)
    return status;
  mus_axpy(work->unknowns, 1, work->change, state->velocity);
  mus_scheme_move(s, work->unknowns, work->predicted, state->velocity, state->position);
  if (c->contact)
    mus_contact_measure(c->contact, &c->linear->matrix, work->change, state->velocity, work->right);
  if (c->touch) {
    mus_touch_measure(s->length, state->velocity, c->touch);
    record->body_contacts = c->touch->count;
  }
  return MUS_OK;
}

static mus_status advance(const mus_step_context *c, void *own, const mus_scheme *s, mus_step_record *record) {
  (void)own;
  return mus_linearised_advance(c, s, record);
}

const mus_integrator_kind mus_integrator_euler = {.order = 1, .overshoots = 1, .advance = advance};
const mus_integrator_kind mus_integrator_bdf2 = {.order = 2, .overshoots = 1, .advance = advance};
