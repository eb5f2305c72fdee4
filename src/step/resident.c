// See resident.h.
#include "step/resident.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/stop.h"
#include "base/timer.h"
#include "cuda/device.h"
#include "cuda/step_device.h"
#include "model/device_model.h"
#include "model/levels.h"
#include "par/vector.h"
#include "step/accept.h"
#include "step/limit.h"
#include "step/linearised.h"
#include "step/minimised.h"
#include "step/projective_there.h"
#include "step/search.h"

struct mus_resident {
  const mus_stages *stages;
  const mus_step_stages *steps;
  mus_device *device;
  mus_device_facts facts;
  mus_device_step *there;
  mus_projective_there *projective; // in place of that where steps are of Projective Dynamics; else NULL
  const mus_model *model;
  mus_touch *touch; // NULL: there is none
  int revision;     // of the model that is there
  double *scale;    // of lists, for the next step
  int held_count;
  int *held;                     // vertices: nodes that are held there
  int is_current;                // 1: the state there is the host's
  int is_last;                   // 1: the system there is that of the last step
  char failure[MUS_STAGES_TEXT]; // how it failed, after which the host does the rest; "": it has not
  long long done;                // steps
  // of steps that are minimised, from the first of them on
  mus_device_search *search;
  mus_device_ladder *ladder; // with so many levels and sweeps
  int levels, sweeps;
  mus_stage_hold *hold; // vertices
  int has_end;          // 1: the end of a step that the host is to finish is there ...
  mus_step_record left; // ... with what it took so far
};

// --- what there is ---------------------------------------------------------------------------------------------------

const char *mus_resident_obstacle(const mus_step_context *c) {
  mus_integrator integrator = c->settings->integrator;
  if (integrator == MUS_INTEGRATOR_PROJECTIVE)
    return mus_projective_there_obstacle(c);
  if (integrator != MUS_INTEGRATOR_EULER && integrator != MUS_INTEGRATOR_BDF2 && !mus_minimised_is_newton(c))
    return "integrators that are neither linearised nor minimised by Newton's method";
  if (c->contact && c->integrator->kind->minimises)
    return "contacts within steps that are minimised";
  if (c->contact)
    return "contacts";
  if (c->lattices)
    return "solids on lattices";
  if (c->work->seams.count > 0)
    return "stitches and buttons";
  if (c->attachments->springs.count > 0)
    return "attachments";
  if (c->settings->solver.method != MUS_METHOD_SA)
    return "other solvers than sa";
  return mus_model_obstacle(c->model);
}

// --- life ------------------------------------------------------------------------------------------------------------

static mus_status failed_there(mus_status status, const mus_stage_failure *failure) {
  return mus_fail(status, "%s", failure->text);
}

static void free_there(mus_resident *r) {
  if (r->ladder)
    r->steps->ladder->free(r->ladder);
  r->ladder = NULL;
  if (r->search)
    r->steps->minimise->free(r->search);
  r->search = NULL;
  if (r->there)
    r->steps->free(r->there);
  r->there = NULL;
}

void mus_resident_describe_bodies(const mus_touch *touch, mus_stage_model *out) {
  if (!touch)
    return;
  out->bodies = touch->bodies;
  out->grid_count = touch->grid_count;
  out->grid = touch->grid;
  out->half = touch->half;
}

// The model goes there, with the fabrics that it has now.
static mus_status place_model(mus_resident *r) {
  mus_stage_failure failure = {""};
  mus_stage_model model = {0};
  mus_device_step *there = NULL;
  const char *plain = getenv("MUSLIN_CUDA_PLAIN");
  mus_stage_list *list = mus_alloc_zero((size_t)r->model->list_count + 1, sizeof *list);
  if (!list)
    return mus_fail_memory();
  mus_status status = mus_model_describe(r->model, list, &model);
  mus_resident_describe_bodies(r->touch, &model);
  model.plain = plain && *plain && *plain != '0';
  if (!status && (status = r->steps->create(r->device, &model, &there, &failure)))
    failed_there(status, &failure);
  mus_free(list);
  if (status)
    return status;
  free_there(r);
  r->there = there;
  r->revision = r->model->revision;
  r->held_count = -1;
  mus_resident_forget(r);
  return MUS_OK;
}

static mus_status open_device(mus_resident *r) {
  mus_stage_failure failure = {""};
  int is_projective = r->model->scene->integrator == MUS_INTEGRATOR_PROJECTIVE;
  mus_status status = mus_device_stages(&r->stages);
  if (!status && !is_projective)
    status = mus_device_step_stages(&r->steps);
  if (status)
    return status;
  if ((status = r->stages->open(&r->device, &failure)))
    return mus_fail(status, "%s; or use the device \"cpu\"", failure.text);
  r->stages->describe(r->device, &r->facts);
  return is_projective ? mus_projective_there_create(r->model, r->device, r->touch, &r->projective) : MUS_OK;
}

mus_status mus_resident_create(const mus_model *model, mus_touch *touch, mus_resident **out) {
  mus_resident *r = mus_alloc_zero(1, sizeof *r);
  if (!r)
    return mus_fail_memory();
  r->model = model;
  r->touch = touch;
  r->scale = mus_alloc((size_t)model->list_count + 1, sizeof *r->scale);
  r->held = mus_alloc((size_t)model->vertices, sizeof *r->held);
  mus_status status = r->scale && r->held ? open_device(r) : mus_fail_memory();
  if (!status && !r->projective)
    status = place_model(r);
  if (status)
    mus_resident_free(r);
  else
    *out = r;
  return status;
}

void mus_resident_free(mus_resident *r) {
  if (!r)
    return;
  free_there(r);
  mus_projective_there_free(r->projective);
  if (r->device)
    r->stages->close(r->device);
  mus_free(r->scale);
  mus_free(r->held);
  mus_free(r->hold);
  mus_free(r);
}

size_t mus_resident_bytes(const mus_resident *r) {
  if (!r)
    return 0;
  return sizeof *r + (size_t)r->model->list_count * sizeof *r->scale + (size_t)r->model->vertices * sizeof *r->held +
         (r->hold ? (size_t)r->model->vertices * sizeof *r->hold : 0) +
         (r->projective ? mus_projective_there_bytes(r->projective) : 0);
}

void mus_resident_tell(const mus_resident *r, mus_sim_device *out) {
  mus_step_seconds_there seconds;
  memcpy(out->name, r->facts.name, sizeof out->name);
  out->steps = r->done;
  memcpy(out->failure, r->failure, sizeof out->failure);
  if (r->projective) {
    mus_projective_there_tell(r->projective, out);
    return;
  }
  r->steps->seconds(r->there, &seconds);
  out->bytes += r->steps->bytes(r->there);
  out->upload_seconds = seconds.upload;
  out->assemble_seconds = seconds.assemble;
  out->move_seconds = seconds.move;
  out->download_seconds = seconds.download;
}

// --- the system ------------------------------------------------------------------------------------------------------

void mus_resident_forget(mus_resident *r) {
  if (r)
    r->is_current = r->is_last = 0;
  if (r && r->projective)
    mus_projective_there_forget(r->projective);
}

mus_status mus_resident_put(mus_resident *r, const mus_state *state, int order) {
  mus_stage_failure failure = {""};
  mus_status status =
      r->steps->set_state(r->there, state->position, state->velocity, order == 2 ? state->position_before : NULL,
                          order == 2 ? state->velocity_before : NULL, &failure);
  for (int i = 0; r->touch && i < r->model->vertices; ++i)
    r->touch->push[i] = state->contact.hold[i].push;
  if (!status && r->touch)
    status = r->steps->set_push(r->there, r->touch->push, &failure);
  return status ? failed_there(status, &failure) : MUS_OK;
}

mus_stage_moment mus_resident_moment(const mus_step_context *c, const mus_scheme *s, double *scale) {
  mus_stage_moment moment = {.time = s->time, .length = s->length, .order = s->order};
  moment.air = (mus_air){c->settings->air_density, MUS_DRAG_NORMAL, MUS_DRAG_TANGENTIAL};
  moment.gusty = mus_settings_wind(c->settings, s->time, moment.wind) && c->model->gusts.waves > 0;
  mus_settings_gravity(c->settings, s->time, moment.gravity);
  for (int l = 0; l < c->model->list_count; ++l)
    scale[l] = mus_settings_list_stiffness(c->settings, &c->model->lists[l], s->time);
  return moment;
}

// Where bodies are in the step.
static mus_status place_bodies(const mus_step_context *c, mus_resident *r, const mus_scheme *s) {
  mus_stage_failure failure = {""};
  if (!r->touch)
    return MUS_OK;
  mus_touch_place(c->model, s->time - s->h, s->time, r->touch);
  mus_status status = r->steps->touch(r->there, s->h, r->touch->body, &failure);
  return status ? failed_there(status, &failure) : MUS_OK;
}

mus_status mus_resident_assemble(const mus_step_context *c, mus_resident *r, const mus_scheme *s) {
  mus_stage_failure failure = {""};
  mus_stage_moment moment = mus_resident_moment(c, s, r->scale);
  mus_status placed = place_bodies(c, r, s);
  if (placed)
    return placed;
  mus_status status = r->steps->assemble(r->there, &moment, r->scale, &failure);
  return status ? failed_there(status, &failure) : MUS_OK;
}

mus_status mus_resident_look(mus_resident *r, double *values, double *right) {
  mus_stage_failure failure = {""};
  mus_status status = r->steps->get_system(r->there, values, right, NULL, &failure);
  return status ? failed_there(status, &failure) : MUS_OK;
}

// --- steps -----------------------------------------------------------------------------------------------------------

// Where pins find the vertices that they hold: X of the scheme, at those only.
static const double *predict_pins(const mus_step_context *c, const mus_scheme *s) {
  const double *x = c->state->position, *before = c->state->position_before;
  double *predicted = c->work->predicted;
  if (s->order == 1)
    return x;
  for (int p = 0; p < c->model->pin_count; ++p)
    for (int k = 0; k < c->model->pins[p].count; ++k)
      for (size_t i = 3 * (size_t)c->model->pins[p].vertex[k], d = i; d < i + 3; ++d)
        predicted[d] = (4 * x[d] - before[d]) / 3;
  return predicted;
}

// Which vertices are held goes there when it has changed.
static mus_status hold(const mus_step_context *c) {
  mus_resident *r = c->resident;
  const mus_prescribed *prescribed = &c->work->prescribed;
  int same = r->held_count == prescribed->count;
  mus_stage_failure failure = {""};
  for (int k = 0; k < prescribed->count; ++k) {
    same = same && r->held[k] == prescribed->list[k].node;
    r->held[k] = prescribed->list[k].node;
  }
  r->held_count = prescribed->count;
  if (!same)
    c->linear->is_told = 0;
  mus_status status = same ? MUS_OK : r->steps->hold(r->there, r->held_count, r->held, &failure);
  return status ? failed_there(status, &failure) : MUS_OK;
}

mus_status mus_resident_prescribe(const mus_step_context *c, const mus_scheme *s) {
  return mus_prescribe_pins(c->model, s, predict_pins(c, s), NULL, c->state, &c->work->prescribed);
}

static mus_status constrain(const mus_step_context *c, const mus_scheme *s) {
  mus_status status = mus_resident_prescribe(c, s);
  return status ? status : hold(c);
}

// The state is there after it.
static mus_status put_state(const mus_step_context *c, const mus_scheme *s) {
  mus_resident *r = c->resident;
  mus_status status = r->is_current ? MUS_OK : mus_resident_put(r, c->state, s->order);
  r->is_last = r->has_end = 0;
  r->is_current = !status;
  return status;
}

static mus_status assemble(const mus_step_context *c, const mus_scheme *s, mus_step_record *record) {
  double begin = mus_seconds();
  mus_resident *r = c->resident;
  mus_status status = put_state(c, s);
  if (!status)
    status = mus_resident_assemble(c, r, s);
  record->assemble_seconds += mus_seconds() - begin;
  return status;
}

static mus_status fetch(const mus_step_context *c) {
  mus_stage_failure failure = {""};
  mus_linear_open(c->linear);
  mus_status status = c->resident->steps->get_system(c->resident->there, c->linear->matrix.value, c->work->right,
                                                     c->work->change, &failure);
  return status ? failed_there(status, &failure) : MUS_OK;
}

mus_status mus_resident_fetch(const mus_step_context *c) {
  if (!c->resident || !c->resident->is_last)
    return MUS_OK;
  return c->resident->projective ? mus_projective_there_fetch(c, c->resident->projective) : fetch(c);
}

// Constraints are the solver's; the rest of the system lies there.
static mus_status solve(const mus_step_context *c, mus_step_record *record) {
  mus_resident *r = c->resident;
  const mus_prescribed *prescribed = &c->work->prescribed;
  mus_solver *solver = c->linear->solver;
  mus_stage_system there;
  mus_linear_open(c->linear);
  r->steps->system(r->there, &there);
  mus_status status = mus_solver_set_constraints(solver, prescribed->count, prescribed->list);
  c->linear->is_told = 0;
  if (status)
    return status;
  status = mus_solver_solve_device(
      solver,
      &(mus_device_system){.values = there.values, .coordinates = there.position, .b = there.right, .x = there.change});
  const mus_solve_record *solved = mus_solver_record(solver);
  c->linear->last = solver;
  record->iterations = solved->iterations;
  record->residual = solved->true_residual;
  record->setup_seconds = solved->setup_seconds;
  record->prefilter_seconds = solved->prefilter_seconds;
  record->solve_seconds = solved->solve_seconds;
  return status;
}

mus_status mus_resident_search(const mus_step_context *c, const mus_scheme *s, mus_search *out) {
  mus_resident *r = c->resident;
  mus_stage_failure failure = {""};
  mus_status status = put_state(c, s);
  if (!status)
    status = hold(c);
  if (!status)
    status = place_bodies(c, r, s);
  if (!status && !r->hold)
    status = (r->hold = mus_alloc((size_t)r->model->vertices, sizeof *r->hold)) ? MUS_OK : mus_fail_memory();
  if (!status && !r->search && (status = r->steps->minimise->create(r->there, &r->search, &failure)))
    failed_there(status, &failure);
  *out = (mus_search){.stages = r->steps->minimise,
                      .device = r->search,
                      .moment = mus_resident_moment(c, s, r->scale),
                      .scale = r->scale,
                      .hold = r->hold};
  return status;
}

// The model's nested levels go there.
static mus_status place_ladder(mus_resident *r, int sweeps) {
  mus_stage_failure failure = {""};
  mus_arena scratch = {0};
  mus_interpolation level[MUS_LEVELS_MAXIMUM];
  mus_stage_rung rung[MUS_LEVELS_MAXIMUM];
  int rungs = 0;
  mus_status status = mus_model_levels(r->model, &scratch, &rungs, level);
  for (int k = 0; k < rungs && !status; ++k)
    rung[k] = (mus_stage_rung){level[k].nodes, level[k].coarse, level[k].carrier, level[k].weight};
  if (!status && (status = r->steps->ladder->create(r->search, rungs, rung, sweeps, &r->ladder, &failure)))
    failed_there(status, &failure);
  mus_arena_clear(&scratch);
  r->levels = rungs + 1;
  r->sweeps = sweeps;
  return status;
}

mus_status mus_resident_ladder(mus_resident *r, int sweeps, mus_search *search) {
  mus_status status = MUS_OK;
  if (r->ladder && r->sweeps != sweeps) {
    r->steps->ladder->free(r->ladder);
    r->ladder = NULL;
  }
  if (!r->ladder)
    status = place_ladder(r, sweeps);
  search->ladder_stages = r->steps->ladder;
  search->ladder = r->ladder;
  search->levels = r->levels;
  return status;
}

static mus_status minimise(const mus_step_context *c, const mus_scheme *s, mus_step_record *record) {
  mus_search search;
  mus_status status = mus_resident_search(c, s, &search);
  return status ? status : mus_minimised_advance_on(&mus_minimise_there, &search, c, s, record);
}

int mus_resident_take_end(const mus_step_context *c, mus_step_record *record) {
  mus_resident *r = c->resident;
  mus_stage_failure failure = {""};
  if (!r || !r->has_end)
    return 0;
  r->has_end = 0;
  if (r->steps->minimise->look(r->search, c->state->position, c->state->velocity, &failure))
    return 0; // which the host can find as well
  record->newton_iterations = r->left.newton_iterations;
  record->iterations = r->left.iterations;
  record->residual = r->left.residual;
  record->unfinished = r->left.unfinished;
  record->assemble_seconds += r->left.assemble_seconds;
  record->setup_seconds += r->left.setup_seconds;
  record->prefilter_seconds += r->left.prefilter_seconds;
  record->solve_seconds += r->left.solve_seconds;
  return 1;
}

static void keep_sums(const mus_stage_sums *sums, mus_step_record *record) {
  record->kinetic = sums->kinetic;
  record->potential = sums->potential;
  record->stretch = sums->stretch;
  record->shear = sums->shear;
  record->bend = sums->bend;
  memcpy(record->momentum, sums->momentum, sizeof record->momentum);
  memcpy(record->angular_momentum, sums->angular_momentum, sizeof record->angular_momentum);
  record->strain_maximum = sums->strain;
  record->strain_99 = sums->strain_99;
  record->inverted = (int)sums->inverted;
  record->strain_reached = sums->reached;
  record->overstretched = (int)sums->overstretched;
  record->body_contacts = (int)sums->touched;
}

// The middle of the element that has reached the most of its limit, at the end of the step.
static void find_place(const mus_model *model, const mus_stage_sums *sums, const double *position, double *place) {
  const mus_element_list *list = &model->lists[sums->reached_list].elements;
  int arity = list->kind->arity;
  if (!(sums->reached > 0))
    return;
  const int *vertex = list->vertex + (size_t)arity * (size_t)sums->reached_element;
  for (int k = 0; k < arity; ++k)
    mus_add_scaled3(1.0 / arity, position + 3 * (size_t)(list->first_vertex + vertex[k]), place);
}

mus_status mus_resident_accept(const mus_step_context *c, const mus_scheme *s, const mus_stage_sums *sums,
                               mus_step_record *record) {
  keep_sums(sums, record);
  if (!isfinite(sums->kinetic + sums->potential + sums->strain))
    return mus_fail(MUS_BREAKDOWN, "the step to %g s left numbers that are not finite: take a smaller time_step",
                    record->time);
  mus_status status = mus_accept_strains(c->state, record);
  return status ? status : mus_accept_energy_beside(c, s, record, sums->work + sums->touch_work);
}

// Moves there, and looks at where that leads.
static mus_status move(const mus_step_context *c, const mus_scheme *s, mus_stage_sums *sums, mus_step_record *record) {
  mus_stage_failure failure = {""};
  mus_resident *r = c->resident;
  mus_status status = c->integrator->kind->minimises ? r->steps->minimise->end(r->search, sums, &failure)
                                                     : r->steps->move(r->there, sums, &failure);
  return status ? failed_there(status, &failure) : mus_resident_accept(c, s, sums, record);
}

void mus_resident_end(const mus_step_context *c, const mus_stage_sums *sums, mus_step_record *record) {
  mus_state *state = c->state;
  find_place(c->model, sums, state->position, record->strain_place);
  mus_step_remember(state, record);
  state->step_before = record->time_step;
  state->halvings_before = record->halvings;
  state->time = record->time;
  record->on_device = 1;
}

static mus_status commit(const mus_step_context *c, const mus_stage_sums *sums, mus_step_record *record) {
  mus_state *state = c->state;
  mus_stage_failure failure = {""};
  mus_copy(c->work->unknowns, state->position, state->position_before);
  mus_copy(c->work->unknowns, state->velocity, state->velocity_before);
  mus_resident *r = c->resident;
  mus_status status = r->steps->commit(r->there, state->position, state->velocity, &failure);
  if (!status && r->touch)
    status = r->steps->get_push(r->there, r->touch->push, &failure);
  if (status) { // some of it may have come
    mus_resident_forget(r);
    mus_copy(c->work->unknowns, state->position_before, state->position);
    mus_copy(c->work->unknowns, state->velocity_before, state->velocity);
    state->step_before = 0;
    return failed_there(status, &failure);
  }
  mus_resident_end(c, sums, record);
  if (r->touch)
    mus_touch_keep(r->touch, state->contact.hold);
  r->is_last = 1;
  ++r->done;
  return MUS_OK;
}

int mus_resident_is_at_fault(mus_status status) {
  return status == MUS_DEVICE_FAILED || status == MUS_OUT_OF_MEMORY || status == MUS_UNSUPPORTED;
}

// A linearised step. `solved`: the solver has not failed at its system; *done is 0 where the host has to do it.
static mus_status step_linearised(const mus_step_context *c, const mus_scheme *s, mus_step_record *record, int *solved,
                                  int *done) {
  mus_resident *r = c->resident;
  mus_stage_sums sums = {0};
  record->newton_iterations = 1;
  mus_status status = r->revision != c->model->revision ? place_model(r) : MUS_OK;
  if (!status)
    status = constrain(c, s);
  if (!status)
    status = assemble(c, s, record);
  if (!status) {
    status = solve(c, record);
    *solved = !status;
  }
  if (!status)
    status = move(c, s, &sums, record);
  if (!status && mus_limit_acts(record))
    *done = 0;
  else if (!status)
    status = commit(c, &sums, record);
  return status;
}

// The same as a minimum. Where strain limits act, its end waits for the host to finish the step.
static mus_status step_minimised(const mus_step_context *c, const mus_scheme *s, mus_step_record *record, int *solved,
                                 int *done) {
  mus_resident *r = c->resident;
  mus_stage_sums sums = {0};
  *solved = 1; // the host would find no other minimum
  mus_status status = r->revision != c->model->revision ? place_model(r) : MUS_OK;
  if (!status)
    status = constrain(c, s);
  if (!status)
    status = minimise(c, s, record);
  if (!status)
    status = move(c, s, &sums, record);
  if (!status && mus_limit_acts(record)) {
    r->has_end = 1;
    r->left = *record;
    *done = 0;
  } else if (!status)
    status = commit(c, &sums, record);
  return status;
}

static mus_status step_projective(const mus_step_context *c, const mus_scheme *s, mus_step_record *record, int *solved,
                                  int *done) {
  mus_projective_there *there = c->resident->projective;
  mus_stage_sums sums = {0};
  c->resident->is_last = 0;
  mus_status status = mus_projective_there_advance(c, there, s, &sums, record);
  *solved = !status;
  if (!status)
    status = mus_resident_accept(c, s, &sums, record);
  if (status)
    return status;
  if (mus_limit_acts(record)) {
    *done = 0;
    return MUS_OK;
  }
  status = mus_projective_there_commit(c, there);
  if (!status) {
    mus_resident_end(c, &sums, record);
    c->resident->is_last = 1;
    ++c->resident->done;
  }
  return status;
}

mus_status mus_resident_step(const mus_step_context *c, double h, int halvings, mus_step_record *record, int *done) {
  mus_resident *r = c->resident;
  double from = mus_seconds();
  mus_scheme s = mus_scheme_choose(c->integrator->kind->order, c->state, h);
  int solved = 0;
  r->has_end = 0;
  *done = !*r->failure && !mus_resident_obstacle(c);
  if (!*done)
    return MUS_OK;
  *record = (mus_step_record){.time = s.time, .time_step = h, .halvings = halvings};
  mus_status status = mus_stop_check();
  if (!status)
    status = r->projective                    ? step_projective(c, &s, record, &solved, done)
             : c->integrator->kind->minimises ? step_minimised(c, &s, record, &solved, done)
                                              : step_linearised(c, &s, record, &solved, done);
  if (mus_resident_is_at_fault(status))
    mus_resident_forget(r);
  if (mus_resident_is_at_fault(status) && c->settings->solver.device == MUS_DEVICE_AUTO)
    snprintf(r->failure, sizeof r->failure, "%s", mus_last_error());
  if (*r->failure || (!solved && (status == MUS_NOT_CONVERGED || status == MUS_BREAKDOWN)))
    *done = 0;
  record->other_seconds = mus_seconds() - from - record->assemble_seconds - record->setup_seconds -
                          record->prefilter_seconds - record->solve_seconds;
  return status;
}
