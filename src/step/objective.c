// See objective.h.
#include "step/objective.h"

#include "contact/touch_terms.h"
#include "par/par.h"
#include "step/linearised.h"

enum { PARTS = 256 };

static mus_instant instant_of(const mus_step_context *c, const mus_scheme *s) {
  return (mus_instant){.time = s->time,
                       .position = c->state->position,
                       .velocity = c->state->velocity,
                       .before = c->work->predicted,
                       .length = s->length};
}

// |v' - V|^2_M / 2; parts are added up in order, for the same bits with any number of threads.
static double inertia(const mus_step_context *c, const mus_scheme *s) {
  const mus_model *model = c->model;
  double part[PARTS], sum = 0;
  MUS_PARALLEL_FOR_IF(model->vertices > MUS_PAR_MINIMUM)
  for (int p = 0; p < PARTS; ++p) {
    part[p] = 0;
    size_t end = 3 * ((size_t)model->vertices * ((size_t)p + 1) / PARTS);
    for (size_t i = 3 * ((size_t)model->vertices * (size_t)p / PARTS); i < end; ++i) {
      double gained = c->state->velocity[i] - mus_scheme_velocity(s, c->state, c->work->start_velocity, i);
      part[p] += model->mass[i / 3] * gained * gained;
    }
  }
  for (int p = 0; p < PARTS; ++p)
    sum += part[p];
  return sum / 2;
}

mus_status mus_objective_begin(const mus_step_context *c, const mus_scheme *s) {
  if (!c->touch)
    return MUS_OK;
  double gravity[3];
  mus_instant at = instant_of(c, s);
  mus_touch_step step = {.time = s->time,
                         .h = s->h,
                         .length = s->length,
                         .position = c->state->position,
                         .velocity = c->state->velocity,
                         .predicted = c->work->predicted,
                         .pinned = c->work->prescribed.pinned,
                         .hold = c->state->contact.hold};
  mus_settings_gravity(c->settings, s->time, gravity);
  mus_linear_open(c->linear);
  mus_assemble(c->model, c->settings, &at, &c->linear->matrix, c->work->right);
  return mus_touch_terms_begin(c->model, &step, gravity, &c->linear->matrix, c->touch, c->state->velocity);
}

void mus_objective_guard(const mus_step_context *c, const mus_scheme *s, const double *from) {
  if (c->touch && c->touch->term)
    mus_touch_terms_guard(c->touch, s->length, c->work->predicted, from, c->state->position, c->state->velocity);
}

void mus_objective_end(const mus_step_context *c, const mus_scheme *s, mus_step_record *record) {
  if (!c->touch)
    return;
  mus_touch_terms_end(s->length, c->state->position, c->state->velocity, c->work->right, c->touch);
  record->body_contacts = c->touch->count;
}

double mus_objective(const mus_step_context *c, const mus_scheme *s) {
  mus_instant at = instant_of(c, s);
  double energy = inertia(c, s) + mus_assemble_energy(c->model, c->settings, &at);
  energy += mus_attachments_potential(c->attachments, &at) + mus_soft_pins_potential(&c->work->prescribed, &at);
  if (c->touch && c->touch->term)
    energy += mus_touch_terms_energy(c->touch, s->length, c->state->position, c->state->velocity);
  else if (c->touch)
    energy += mus_touch_potential(c->touch, c->state->velocity);
  return c->contact ? energy + mus_contact_energy(c->contact, c->state->velocity) : energy;
}

void mus_objective_assemble(const mus_step_context *c, const mus_scheme *s, int with_matrix) {
  mus_instant at = instant_of(c, s);
  mus_assemble_step(c, s, &at, with_matrix);
}
