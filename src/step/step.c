// One time step, in named stages:
//   deform      solids on lattices (lattices.h)
//   predict     where forces are taken (scheme.h)
//   constrain   what pins prescribe (prescribe.h), and which seams are closed (seams.h)
//   touch       what is near, and what bodies prescribe (contact/contact.h)
//   advance     assemble, solve and move, as the integrator does it (integrator.h)
//   calm        hold back what a tangle would throw away
//   sew         bring together what seams are to close (seams.h)
//   measure     energies, momenta and strains of where that leads (assemble.h)
//   check       whether that can be believed (accept.h)
//   limit       bring back what is stretched beyond its fabric's limit (limit.h)
//   respond     stop what would pass through something (contact/contact.h)
//   commit      the end of the step becomes the state
#include "step/step.h"

#include <math.h>

#include "base/error.h"
#include "base/stop.h"
#include "base/timer.h"
#include "par/par.h"
#include "par/vector.h"
#include "step/accept.h"
#include "step/limit.h"
#include "step/linearised.h"
#include "step/resident.h"

// Steps are halved so often at most because bodies left no way.
enum { CONTACT_HALVINGS = 2 };
// Response may stretch what limits have brought back, and the other way round; both take turns so often, and less while
// something is tangled: about what is caught between bodies they cannot agree.
enum { TURNS = 6, TANGLED_TURNS = 2 };
// Steps are halved so often at most because response has stretched threads, by this part of their limits or more.
enum { LIMIT_HALVINGS = 2 };
static const double overstretched = 0.2;
// How much faster things may become in a step while something is tangled.
static const double calming = 2;

static void predict(const mus_step_context *c, const mus_scheme *s) {
  mus_copy(c->work->unknowns, c->state->position, c->work->start_position);
  mus_copy(c->work->unknowns, c->state->velocity, c->work->start_velocity);
  mus_scheme_predict(s, c->state, c->work->unknowns, c->work->predicted);
}

static mus_status constrain(const mus_step_context *c, const mus_scheme *s) {
  mus_status status = mus_prescribe_pins(c->model, s, c->work->predicted, mus_lattices_end(c->lattices), c->state,
                                         &c->work->prescribed);
  if (!status)
    mus_seams_find(c->model, s, c->work->prescribed.pinned, c->state, c->work->predicted, &c->work->seams);
  return status;
}

static mus_status touch(const mus_step_context *c, const mus_scheme *s, mus_step_record *record) {
  if (!c->contact)
    return MUS_OK;
  mus_contact_step step = {.time = s->still ? s->time : s->time - s->h,
                           .still = s->still,
                           .one_sided = c->integrator->kind->minimises && !s->still,
                           .h = s->h,
                           .length = s->length,
                           .position = c->state->position,
                           .velocity = c->state->velocity,
                           .predicted = c->work->predicted,
                           .pinned = c->work->prescribed.pinned,
                           .end = mus_lattices_end(c->lattices),
                           .ties = c->work->seams.count > 0 ? &c->work->seams.ties : NULL};
  mus_status status = mus_contact_find(&step, &c->state->contact, c->contact, record);
  return status ? status : mus_prescribe_contacts(c->contact, c->state->velocity, &c->work->prescribed);
}

static mus_status deform(const mus_step_context *c, const mus_scheme *s, mus_step_record *record) {
  return mus_lattices_advance(c->lattices, c->settings, c->attachments, s, c->state, record);
}

mus_status mus_step_begin(const mus_step_context *c, const mus_scheme *s, mus_step_record *record) {
  predict(c, s);
  mus_status status = mus_stop_check();
  if (!status)
    status = deform(c, s, record);
  if (!status)
    status = constrain(c, s);
  return status ? status : touch(c, s, record);
}

static double fastest_of(size_t unknowns, const double *velocity) {
  double square = 0;
  for (size_t i = 0; i < unknowns; i += 3)
    square = fmax(square, mus_dot3(velocity + i, velocity + i));
  return sqrt(square);
}

// What is tangled is linearised far from any rest: forces of triangles that are all but lines may lead anywhere. In
// such steps nothing becomes much faster than cloth and bodies were, or than pushes out of tangles go.
static void calm(const mus_step_context *c, const mus_scheme *s, const mus_step_record *record) {
  if (record->tangled == 0)
    return;
  size_t unknowns = c->work->unknowns;
  double before = fmax(fastest_of(unknowns, c->work->start_velocity), mus_contact_body_speed(c->contact));
  double most = calming * fmax(before, MUS_LEAVING_SPEED), *velocity = c->state->velocity;
  for (size_t i = 0; i < unknowns; i += 3) {
    double speed = sqrt(mus_dot3(velocity + i, velocity + i));
    if (speed <= most || c->work->prescribed.pinned[i / 3] >= 0)
      continue;
    mus_scale3(most / speed, velocity + i, velocity + i);
    mus_scheme_move(s, 3, c->work->predicted + i, velocity + i, c->state->position + i);
  }
}

static mus_status sew(const mus_step_context *c, const mus_scheme *s) {
  return mus_seams_close(c->model, s, c->work->prescribed.pinned, c->state, &c->work->seams);
}

static void measure(const mus_step_context *c, double time, mus_step_record *record) {
  mus_instant at = {.time = time, .position = c->state->position, .velocity = c->state->velocity};
  mus_measure(c->model, c->settings, &at, c->work->strain, record);
}

static mus_status check(const mus_step_context *c, const mus_scheme *s, const mus_step_record *record) {
  mus_status status = mus_accept_state(c->state, c->work->unknowns, record);
  return status ? status : mus_accept_energy(c, s, record);
}

static mus_status limit(const mus_step_context *c, const mus_scheme *s, const double *before, mus_step_record *record,
                        int *changed) {
  mus_status status = mus_limit_strains(c, s, before, record, changed);
  if (status || !*changed)
    return status;
  mus_seams_expand(&c->work->seams, c->state->position);
  mus_seams_expand(&c->work->seams, c->state->velocity);
  measure(c, record->time, record);
  return mus_accept_state(c->state, c->work->unknowns, record);
}

// Measures again where that has changed anything. Bodies and pins may leave no way out; smaller steps may find one,
// unless cloth is already caught or bodies close on it.
static mus_status respond(const mus_step_context *c, mus_step_record *record, int *changed) {
  mus_state *state = c->state;
  *changed = 0;
  if (c->contact)
    c->contact->joined = &c->work->seams.rows;
  mus_status status =
      c->contact ? mus_contact_respond(&state->contact, c->contact, state->position, state->velocity, record, changed)
                 : MUS_OK;
  if (status || !*changed)
    return status;
  measure(c, record->time, record);
  if (record->impossible > 0 && c->contact->closed == 0 && record->tangled == 0 && c->settings->adaptive &&
      record->halvings < CONTACT_HALVINGS)
    return mus_fail(MUS_BREAKDOWN, "bodies left no way for %d pairs in the step to %g s", record->impossible,
                    record->time);
  return mus_accept_state(state, c->work->unknowns, record);
}

// Response has the last word; of several turns, the end counts in which threads are least beyond their limits.
static mus_status take_turns(const mus_step_context *c, const mus_scheme *s, mus_step_record *record) {
  double *before = c->work->predicted; // workspace that is free now
  double best = INFINITY;
  int limited = 0, responded = 1, turns = record->tangled > 0 ? TANGLED_TURNS : TURNS;
  mus_status status = MUS_OK;
  for (int turn = 0; turn < turns && responded && !status && best > 1 + MUS_LIMIT_SLACK; ++turn) {
    if (turn > 0)
      status = limit(c, s, before, record, &limited);
    if (status || (turn > 0 && !limited))
      break;
    mus_copy(c->work->unknowns, c->state->position, before);
    status = respond(c, record, &responded);
    if (!status && *c->limiter && record->strain_reached < best) {
      best = record->strain_reached;
      mus_limit_keep(c);
    }
  }
  if (!status && best < record->strain_reached) {
    mus_limit_go_back(c);
    measure(c, record->time, record);
  }
  return status;
}

static mus_status finish(const mus_step_context *c, const mus_scheme *s, mus_step_record *record) {
  mus_limit_cuts cuts;
  mus_limit_cuts_begin(c, s, &cuts);
  if (c->contact)
    c->contact->more = c->model->limited > 0 ? &cuts.more : NULL;
  int limited = 0;
  mus_status status = limit(c, s, NULL, record, &limited);
  double allowed = fmax(1, record->strain_reached) + overstretched;
  if (!status)
    status = take_turns(c, s, record);
  if (c->contact)
    c->contact->more = NULL;
  if (!status && record->strain_reached > allowed && record->tangled == 0 && c->settings->adaptive &&
      record->halvings < LIMIT_HALVINGS)
    status = mus_fail(MUS_BREAKDOWN, "contact stretched threads to %g times their limit in the step to %g s",
                      record->strain_reached, record->time);
  return status;
}

void mus_step_remember(mus_state *state, const mus_step_record *record) {
  state->strain_before = record->strain_maximum;
  state->energy_before = mus_energy_of(record);
  state->inverted_before = record->inverted;
}

static void commit(const mus_step_context *c, const mus_scheme *s, mus_step_record *record) {
  mus_state *state = c->state;
  mus_seams_settle(c->model, state, &c->work->seams, record);
  mus_copy(c->work->unknowns, c->work->start_position, state->position_before);
  mus_copy(c->work->unknowns, c->work->start_velocity, state->velocity_before);
  if (c->contact)
    mus_contact_keep(c->contact, state->velocity, &state->contact);
  if (c->touch)
    mus_touch_keep(c->touch, state->contact.hold);
  mus_step_remember(state, record);
  mus_lattices_commit(c->lattices, s, state);
  mus_lattices_measure(c->lattices, c->settings, record);
  state->step_before = record->time_step;
  state->halvings_before = record->halvings;
  state->time = record->time;
}

static void go_back(mus_state *state, const mus_workspace *work) {
  mus_copy(work->unknowns, work->start_position, state->position);
  mus_copy(work->unknowns, work->start_velocity, state->velocity);
}

static mus_status step_on_host(const mus_step_context *c, double h, int halvings, mus_step_record *record) {
  double from = mus_seconds();
  mus_scheme s = mus_scheme_choose(c->integrator->kind->order, c->state, h);
  *record = (mus_step_record){.time = s.time, .time_step = h, .halvings = halvings};
  mus_status status = mus_step_begin(c, &s, record);
  if (!status)
    status = c->integrator->kind->advance(c, c->integrator->own, &s, record);
  if (!status) {
    calm(c, &s, record);
    status = sew(c, &s);
  }
  if (!status) {
    measure(c, s.time, record);
    status = check(c, &s, record);
  }
  if (!status)
    status = finish(c, &s, record);
  if (!status)
    commit(c, &s, record);
  else
    go_back(c->state, c->work);
  record->other_seconds = mus_seconds() - from - record->assemble_seconds - record->setup_seconds -
                          record->prefilter_seconds - record->solve_seconds - record->detect_seconds -
                          record->respond_seconds - record->limit_seconds - record->lattice_seconds;
  return status;
}

mus_status mus_step(const mus_step_context *c, double h, int halvings, mus_step_record *record) {
  int done = 0;
  mus_status status = c->resident ? mus_resident_step(c, h, halvings, record, &done) : MUS_OK;
  if (done)
    return status;
  mus_resident_forget(c->resident);
  return step_on_host(c, h, halvings, record);
}

// No vertex goes farther than this, m, in a step while time stands still: what a linearisation says about triangles
// that are drawn out of shape is true for a short way only.
static void hold_back(const mus_step_context *c, double farthest) {
  MUS_PARALLEL_FOR_IF(c->work->unknowns > MUS_PAR_MINIMUM)
  for (size_t i = 0; i < c->work->unknowns; i += 3) {
    double *x = c->state->position + i, way[3];
    mus_subtract3(x, c->work->start_position + i, way);
    double length = sqrt(mus_dot3(way, way));
    for (int k = 0; k < 3 && length > farthest; ++k)
      x[k] = c->work->start_position[i + (size_t)k] + farthest / length * way[k];
  }
}

mus_status mus_step_still(const mus_step_context *c, double h, int moving, int smoothing, mus_step_record *record) {
  mus_scheme s = mus_scheme_still(c->state, h);
  mus_resident_forget(c->resident);
  mus_state *state = c->state;
  int changed;
  *record = (mus_step_record){.time = s.time, .time_step = h};
  mus_status status = mus_step_begin(c, &s, record);
  if (status || !moving || !state->contact.tangled)
    return status;
  status = mus_linearised_advance(c, &s, record);
  if (!status)
    status = mus_accept_finite(state, c->work->unknowns, record);
  if (!status) {
    hold_back(c, MUS_LEAVING_STILL);
    if (smoothing)
      mus_contact_smooth(c->contact, state->position);
    status = sew(c, &s);
  }
  if (!status)
    status = mus_contact_respond(&state->contact, c->contact, state->position, state->velocity, record, &changed);
  if (status)
    go_back(state, c->work);
  return status;
}

mus_status mus_step_prepare(const mus_step_context *c, double h) {
  mus_scheme s = mus_scheme_choose(c->integrator->kind->order, c->state, h);
  mus_step_record record = {0};
  mus_status status = mus_step_begin(c, &s, &record);
  if (!status)
    mus_linearised_assemble(c, &s, &record);
  return status;
}

void mus_step_compare_with_present(const mus_step_context *c) {
  mus_step_record record = {0};
  mus_resident_forget(c->resident);
  measure(c, c->state->time, &record);
  mus_step_remember(c->state, &record);
}
