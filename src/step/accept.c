// See accept.h.
#include "step/accept.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "par/vector.h"

// A step that stretches any thread by more than this beyond what it was has gone wrong.
static const double strain_jump = 1.0;
// Unless bodies have caught it: then smaller steps do not help for long, and this many halvings must do.
enum { CAUGHT_HALVINGS = 2 };
// A linearised step that gains energy from nowhere is halved, this often at most; each of these is a part of what a
// step may gain all the same: of its energy, and of what a step of free fall gives.
enum { ENERGY_HALVINGS = 4 };
static const double energy_slack = 0.02, fall_slack = 0.1;
// So is a step that turns tetrahedra inside out.
enum { INVERTED_HALVINGS = 6 };

mus_status mus_accept_finite(const mus_state *state, size_t unknowns, const mus_step_record *record) {
  if (isfinite(mus_max_abs(unknowns, state->position)) && isfinite(mus_max_abs(unknowns, state->velocity)))
    return MUS_OK;
  return mus_fail(MUS_BREAKDOWN, "the step to %g s left numbers that are not finite: take a smaller time_step",
                  record->time);
}

mus_status mus_accept_strains(const mus_state *state, const mus_step_record *record) {
  int caught = record->tangled > 0 || record->impossible > 0;
  if (record->strain_maximum > state->strain_before + strain_jump && !(caught && record->halvings >= CAUGHT_HALVINGS))
    return mus_fail(
        MUS_BREAKDOWN,
        "the step to %g s stretched a thread to %g times its length, which a pin that jumps does at any step: "
        "take a smaller time_step",
        record->time, 1 + record->strain_maximum);
  if (record->inverted > state->inverted_before && record->halvings < INVERTED_HALVINGS)
    return mus_fail(MUS_BREAKDOWN, "the step to %g s turned %d tetrahedra inside out: take a smaller time_step",
                    record->time, record->inverted - state->inverted_before);
  return MUS_OK;
}

mus_status mus_accept_state(const mus_state *state, size_t unknowns, const mus_step_record *record) {
  mus_status status = mus_accept_finite(state, unknowns, record);
  return status ? status : mus_accept_strains(state, record);
}

static double mechanical_energy(const mus_step_record *r) { return r->kinetic + (r->stretch + r->shear + r->bend); }

double mus_energy_of(const mus_step_record *record) { return mechanical_energy(record) + record->potential; }

// Whether energies before and after the step can be compared: neither wind nor a key puts any in, nor a thread that is
// drawn in.
static int is_closed(const mus_model *model, const mus_settings *settings, double begin, double end) {
  double before[3], after[3], wind[3];
  mus_settings_gravity(settings, begin, before);
  mus_settings_gravity(settings, end, after);
  int closed = !mus_settings_wind(settings, end, wind) && memcmp(before, after, sizeof before) == 0 && !model->driven;
  for (int k = 0; k < model->part_count; ++k)
    closed = closed && mus_settings_stiffness(settings, k, begin) == mus_settings_stiffness(settings, k, end);
  return closed;
}

// What pins and contact have done in a linearised step, J: their impulses A d - b along the way that they went. Only
// the rows of those that have moved are multiplied. What is not counted among energies has none here either.
static double work_done(const mus_step_context *c, const mus_scheme *s) {
  const mus_workspace *w = c->work;
  const mus_matrix *matrix = &c->linear->matrix;
  const mus_pattern *pattern = matrix->pattern;
  double work = c->contact ? mus_contact_work(c->contact, c->state->velocity) : 0;
  if (c->touch)
    work += mus_touch_work(c->touch, c->model->counted, w->start_position, c->state->position, s->length);
  for (int k = 0; k < w->prescribed.pins; ++k) {
    int i = w->prescribed.list[k].node;
    double way[3];
    mus_subtract3(c->state->position + 3 * (size_t)i, w->start_position + 3 * (size_t)i, way);
    if ((way[0] == 0 && way[1] == 0 && way[2] == 0) || c->model->counted[i] == 0)
      continue;
    work -= mus_dot3(w->right + 3 * (size_t)i, way) / s->length;
    for (int e = pattern->row_start[i]; e < pattern->row_start[i + 1]; ++e)
      for (int d = 0; d < 3; ++d)
        work +=
            way[d] * mus_dot3(mus_matrix_at(matrix, e) + 3 * d, w->change + 3 * (size_t)pattern->column[e]) / s->length;
  }
  return work;
}

// What springs to places in space hold, J: their energy of a step does not grow by itself either.
static double spring_energy(const mus_step_context *c, const double *position) {
  return mus_attachments_energy(c->attachments, position) + mus_soft_pins_energy(&c->work->prescribed, position);
}

// Whether a step's energies are looked at.
static int is_checked(const mus_step_context *c, const mus_scheme *s, const mus_step_record *record) {
  return c->settings->adaptive && c->integrator->kind->overshoots && record->halvings < ENERGY_HALVINGS &&
         !mus_soft_pins_drag(&c->work->prescribed) && is_closed(c->model, c->settings, c->state->time, s->time);
}

// Whether what a step has gained is what it may.
static mus_status accept_gain(const mus_step_context *c, const mus_scheme *s, const mus_step_record *record,
                              double gained) {
  double speed = 9.81 * s->h, fall = c->model->total_mass * speed * speed / 2;
  if (gained <= energy_slack * mechanical_energy(record) + fall_slack * fall)
    return MUS_OK;
  return mus_fail(MUS_BREAKDOWN, "the step to %g s gained %g J from nowhere: take a smaller time_step", record->time,
                  gained);
}

mus_status mus_accept_energy(const mus_step_context *c, const mus_scheme *s, const mus_step_record *record) {
  if (!is_checked(c, s, record))
    return MUS_OK;
  double gained = mus_energy_of(record) - c->state->energy_before - work_done(c, s);
  gained += spring_energy(c, c->state->position) - spring_energy(c, c->work->start_position);
  return accept_gain(c, s, record, gained);
}

mus_status mus_accept_energy_beside(const mus_step_context *c, const mus_scheme *s, const mus_step_record *record,
                                    double work) {
  return is_checked(c, s, record) ? accept_gain(c, s, record, mus_energy_of(record) - c->state->energy_before - work)
                                  : MUS_OK;
}
