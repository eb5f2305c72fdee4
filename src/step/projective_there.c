// See projective_there.h.
#include "step/projective_there.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/stop.h"
#include "base/timer.h"
#include "cuda/projective_device.h"
#include "model/device_model.h"
#include "model/motion.h"
#include "multigrid/skinning/affine.h"
#include "par/vector.h"
#include "step/connected.h"
#include "step/constant.h"
#include "step/linearised.h"
#include "step/resident.h"
#include "step/secants.h"

// What makes another there.
typedef struct kind_of_there {
  mus_solver_options options;
  int revision, cycles, secants;
} kind_of_there;

struct mus_projective_there {
  const mus_projective_stages *stages;
  mus_device *device;
  mus_device_projective *there; // NULL: not made yet
  const mus_model *model;
  mus_touch *touch; // NULL: there is none
  mus_arena arena;
  kind_of_there kind; // that it and the levels were made for
  mus_affine *levels;
  mus_constant_matrix constant;
  double length; // s: H of the last step
  int parts;
  int *part;         // vertices
  double *sums;      // parts * 12
  double *sum;       // parts * 9
  double *scale;     // of lists
  int *held;         // vertices: what is held
  double *free;      // vertices * 9: projections on what is free there
  double *target;    // vertices * 3: where that is to be at the end of a step
  int *holding;      // pins: whether each held in the last step
  mus_list pulls;    // mus_projective_pull
  int is_current;    // 1: the state there is the host's
  int is_remembered; // 1: the host's state before this step is in its place already
};

// --- life ------------------------------------------------------------------------------------------------------------

// Whether a list of elements has drag, whose blocks every vertex has anew with every step.
static int has_drag(const mus_step_context *c) {
  for (int l = 0; l < c->model->list_count && c->settings->air_density > 0; ++l)
    if (c->model->lists[l].elements.kind->lump && c->model->lists[l].elements.count > 0)
      return 1;
  return 0;
}

const char *mus_projective_there_obstacle(const mus_step_context *c) {
  if (c->contact)
    return "contacts";
  if (c->lattices)
    return "solids on lattices";
  if (c->work->seams.count > 0)
    return "stitches and buttons";
  if (c->settings->solver.method == MUS_METHOD_CHOLMOD)
    return "direct solutions";
  if (has_drag(c))
    return "drag of air with Projective Dynamics";
  return mus_model_element_obstacle(c->model);
}

mus_status mus_projective_there_create(const mus_model *model, mus_device *device, mus_touch *touch,
                                       mus_projective_there **out) {
  mus_projective_there *t = mus_alloc_zero(1, sizeof *t);
  if (!t)
    return mus_fail_memory();
  size_t vertices = (size_t)model->vertices;
  t->model = model;
  t->device = device;
  t->touch = touch;
  t->scale = mus_arena_alloc(&t->arena, (size_t)model->list_count + 1, sizeof *t->scale);
  t->held = mus_arena_alloc(&t->arena, vertices, sizeof *t->held);
  t->free = mus_arena_alloc(&t->arena, 9 * vertices, sizeof *t->free);
  t->target = mus_arena_alloc(&t->arena, 3 * vertices, sizeof *t->target);
  t->holding = mus_arena_alloc_zero(&t->arena, (size_t)model->pin_count + 1, sizeof *t->holding);
  int all = t->scale && t->held && t->free && t->target && t->holding;
  mus_status status = all ? mus_device_projective_stages(&t->stages) : mus_fail_memory();
  if (!status)
    status = mus_connected_parts(&model->pattern, &t->arena, &t->parts, &t->part);
  if (!status) {
    t->sums = mus_arena_alloc(&t->arena, 12 * (size_t)t->parts, sizeof *t->sums);
    t->sum = mus_arena_alloc(&t->arena, 9 * (size_t)t->parts, sizeof *t->sum);
    status = t->sums && t->sum ? mus_constant_create(model, &t->constant) : mus_fail_memory();
  }
  if (status)
    mus_projective_there_free(t);
  else
    *out = t;
  return status;
}

void mus_projective_there_free(mus_projective_there *t) {
  if (!t)
    return;
  if (t->there)
    t->stages->free(t->there);
  mus_affine_free(t->levels);
  mus_constant_free(&t->constant);
  mus_free(t->pulls.items);
  mus_arena_clear(&t->arena);
  mus_free(t);
}

size_t mus_projective_there_bytes(const mus_projective_there *t) {
  return sizeof *t + t->arena.bytes + mus_constant_bytes(&t->constant) + (t->levels ? mus_affine_bytes(t->levels) : 0) +
         t->pulls.capacity * sizeof(mus_projective_pull);
}

void mus_projective_there_tell(const mus_projective_there *t, mus_sim_device *out) {
  mus_projective_seconds seconds;
  if (!t->there)
    return;
  t->stages->seconds(t->there, &seconds);
  out->bytes += t->stages->bytes(t->there);
  out->upload_seconds = seconds.upload;
  out->assemble_seconds = seconds.work;
  out->download_seconds = seconds.download;
}

void mus_projective_there_forget(mus_projective_there *t) { t->is_current = 0; }

static mus_status failed_there(mus_status status, const mus_stage_failure *failure) {
  return status ? mus_fail(status, "%s", failure->text) : MUS_OK;
}

// --- the model and its levels ----------------------------------------------------------------------------------------

// The levels' structure as stages take it; `name` gets the vertices of the finest level's nodes.
static void describe_levels(const mus_affine *levels, mus_projective_level *out, int *name, int vertices) {
  const int *place = mus_affine_places(levels);
  for (int i = 0; i < vertices; ++i)
    name[place[i]] = i;
  for (int k = 0; k <= mus_affine_levels(levels); ++k) {
    mus_affine_view view;
    mus_affine_look(levels, k, &view);
    const mus_pattern *p = view.links;
    out[k] = (mus_projective_level){.nodes = view.nodes,
                                    .width = view.width,
                                    .links = {p->rows, p->columns, p->row_start, p->column},
                                    .colours = view.colours,
                                    .colour_start = view.colour_start,
                                    .owner = view.owner,
                                    .child_start = view.child_start,
                                    .child = view.child,
                                    .transfer = view.transfer,
                                    .sweeps = view.sweeps,
                                    .passes = view.passes};
  }
}

static mus_status place_model(mus_projective_there *t, const kind_of_there *kind, mus_arena *scratch) {
  mus_stage_failure failure = {""};
  const char *plain = getenv("MUSLIN_CUDA_PLAIN");
  int levels = mus_affine_levels(t->levels) + 1, vertices = t->model->vertices;
  mus_stage_list *list = mus_arena_alloc_zero(scratch, (size_t)t->model->list_count + 1, sizeof *list);
  mus_projective_level *level = mus_arena_alloc_zero(scratch, (size_t)levels, sizeof *level);
  int *name = mus_arena_alloc(scratch, (size_t)vertices, sizeof *name);
  if (!list || !level || !name)
    return mus_fail_memory();
  mus_projective_model model = {.levels = levels,
                                .level = level,
                                .name = name,
                                .parts = t->parts,
                                .part = t->part,
                                .single = kind->options.precision == MUS_PRECISION_SINGLE,
                                .cycles = kind->cycles,
                                .secants = kind->secants};
  mus_status status = mus_model_describe(t->model, list, &model.step);
  if (status)
    return status;
  mus_resident_describe_bodies(t->touch, &model.step);
  model.step.plain = plain && *plain && *plain != '0';
  describe_levels(t->levels, level, name, vertices);
  return failed_there(t->stages->create(t->device, &model, &t->there, &failure), &failure);
}

// Makes levels and what lies there, where that is not what the settings want.
static mus_status make_there(const mus_step_context *c, mus_projective_there *t) {
  kind_of_there kind;
  memset(&kind, 0, sizeof kind); // what lies between its members too: it is compared byte by byte
  kind.options = c->settings->solver;
  kind.revision = c->model->revision;
  kind.cycles = c->settings->projective_cycles;
  kind.secants = c->settings->projective_iterations > 1 ? c->model->scene->projective_memory : 0;
  if (t->there && memcmp(&kind, &t->kind, sizeof kind) == 0)
    return MUS_OK;
  mus_arena scratch = {0};
  if (t->there)
    t->stages->free(t->there);
  mus_affine_free(t->levels);
  t->there = NULL;
  t->levels = NULL;
  t->is_current = 0;
  t->kind = kind;
  mus_constant_forget(&t->constant);
  mus_status status = mus_affine_create(&c->model->pattern, c->model->start, &kind.options, &t->levels);
  if (!status)
    status = place_model(t, &kind, &scratch);
  mus_arena_clear(&scratch);
  return status;
}

// The numbers of all levels but the bottom go there.
static mus_status put_weights(mus_projective_there *t, mus_arena *scratch) {
  mus_stage_failure failure = {""};
  mus_projective_numbers numbers[MUS_PROJECTIVE_LEVELS];
  const int *source = mus_affine_sources(t->levels);
  for (int k = 0; k < mus_affine_levels(t->levels); ++k) {
    mus_affine_view view;
    mus_affine_look(t->levels, k, &view);
    numbers[k] = (mus_projective_numbers){.value = view.value, .diagonal = view.diagonal};
    memcpy(numbers[k].alpha, view.alpha, sizeof view.alpha);
    memcpy(numbers[k].beta, view.beta, sizeof view.beta);
    if (k > 0)
      continue;
    size_t links = (size_t)mus_pattern_blocks(view.links);
    double *value = mus_arena_alloc(scratch, links, sizeof *value);
    if (!value)
      return mus_fail_memory();
    for (size_t e = 0; e < links; ++e)
      value[e] = t->constant.matrix.value[source[e]];
    numbers[k].value = value;
  }
  return failed_there(t->stages->set_weights(t->there, numbers, &failure), &failure);
}

static mus_status put_blocks(mus_projective_there *t, mus_arena *scratch) {
  mus_stage_failure failure = {""};
  mus_projective_blocks blocks[MUS_PROJECTIVE_LEVELS];
  int last = mus_affine_levels(t->levels);
  size_t rows = 12 * (size_t)mus_affine_handles(t->levels, last);
  double *bottom = mus_arena_alloc(scratch, rows * rows, sizeof *bottom);
  if (!bottom)
    return mus_fail_memory();
  for (int k = 0; k < last; ++k) {
    mus_affine_view view;
    mus_affine_look(t->levels, k, &view);
    blocks[k] = (mus_projective_blocks){view.block_count, view.block_node, view.block};
  }
  mus_affine_dense(t->levels, last, bottom);
  mus_connected_sums(t->model->vertices, t->parts, t->part, t->model->mass, &t->constant.matrix, NULL, t->sums);
  for (int k = 0; k < t->parts; ++k)
    memcpy(t->sum + 9 * (size_t)k, t->sums + 12 * (size_t)k, 9 * sizeof *t->sum);
  return failed_there(t->stages->set_blocks(t->there, blocks, bottom, t->sum, &failure), &failure);
}

static mus_status set_up(const mus_step_context *c, mus_projective_there *t, const mus_scheme *s,
                         mus_step_record *record) {
  double begin = mus_seconds();
  mus_constant_change changed = {0};
  mus_arena scratch = {0};
  mus_status status = mus_constant_update(&t->constant, c, s, 0, &changed);
  if (!status && changed.weights)
    status = mus_affine_set(t->levels, &t->constant.matrix);
  else if (!status && changed.blocks)
    status = mus_affine_set_blocks(t->levels, &t->constant.matrix);
  if (!status && changed.weights)
    status = put_weights(t, &scratch);
  if (!status && (changed.weights || changed.blocks))
    status = put_blocks(t, &scratch);
  mus_arena_clear(&scratch);
  if (status)
    mus_constant_forget(&t->constant); // whatever there is of it now
  record->setup_seconds += mus_seconds() - begin;
  return status;
}

// --- what holds and pulls --------------------------------------------------------------------------------------------

static mus_status list_pulls(const mus_step_context *c, mus_projective_there *t) {
  const mus_prescribed *prescribed = &c->work->prescribed;
  t->pulls.count = 0;
  for (int n = 0; n < prescribed->soft_count; ++n) {
    const mus_soft_pin *soft = &prescribed->soft[n];
    mus_projective_pull *to = mus_list_add(&t->pulls, sizeof *to);
    if (!to)
      return mus_fail_memory();
    *to = (mus_projective_pull){.count = 1,
                                .vertex = {soft->vertex},
                                .weight = {1},
                                .stiffness = soft->stiffness,
                                .damping = soft->damping,
                                .most = INFINITY};
    memcpy(to->target, soft->target, sizeof to->target);
    memcpy(to->velocity, soft->velocity, sizeof to->velocity);
  }
  for (size_t n = 0; n < c->attachments->springs.count; ++n) {
    const mus_attached *attached = &mus_attached_springs(c->attachments)[n];
    const mus_attachment *spring = &attached->spring;
    mus_projective_pull *to = attached->part < 0 ? mus_list_add(&t->pulls, sizeof *to) : NULL;
    if (!to && attached->part < 0)
      return mus_fail_memory();
    if (!to)
      continue;
    *to = (mus_projective_pull){.count = spring->count,
                                .stiffness = spring->stiffness,
                                .damping = spring->stiffness * spring->damping,
                                .most = spring->limit / spring->stiffness};
    memcpy(to->vertex, spring->vertex, sizeof to->vertex);
    memcpy(to->weight, spring->weight, sizeof to->weight);
    memcpy(to->target, spring->target, sizeof to->target);
  }
  return MUS_OK;
}

static int is_still(const mus_model_pin *pin) {
  const mus_pin *source = pin->source;
  int still = pin->body < 0 && source->turn.count == 0 && source->offset.count == 0;
  for (int c = 0; c < 3; ++c)
    still = still && source->amplitude[c] == 0;
  return still;
}

// Whether pins hold what they held in the last step, where they held it. Notes which of them hold.
static int are_same_pins(const mus_step_context *c, mus_projective_there *t, const mus_scheme *s) {
  int same = t->is_current;
  for (int p = 0; p < c->model->pin_count; ++p) {
    int holds = mus_pin_holds(c->model->pins[p].source, s->time);
    same = same && holds == t->holding[p] && (!holds || is_still(&c->model->pins[p]));
    t->holding[p] = holds;
  }
  return same;
}

// Whether the constant matrix is that of the last step, if pins and pulls are.
static int is_same_matrix(const mus_step_context *c, const mus_projective_there *t, const mus_scheme *s) {
  const mus_constant_matrix *m = &t->constant;
  return m->length == s->length && m->revision == c->model->revision &&
         memcmp(m->scale, t->scale, (size_t)c->model->list_count * sizeof *t->scale) == 0;
}

static mus_status hold(const mus_step_context *c, mus_projective_there *t, const mus_scheme *s) {
  mus_stage_failure failure = {""};
  const mus_prescribed *prescribed = &c->work->prescribed;
  for (int k = 0; k < prescribed->count; ++k) {
    const mus_constraint *held = &prescribed->list[k];
    double *free = t->free + 9 * (size_t)k, *target = t->target + 3 * (size_t)k;
    const double *x = c->state->position + 3 * (size_t)held->node, *v = c->state->velocity + 3 * (size_t)held->node;
    for (int e = 0; e < 9; ++e)
      free[e] = e % 4 == 0;
    for (int e = 0; e < 3; ++e)
      target[e] = x[e] + s->length * v[e];
    for (int d = 0; d < held->count; ++d) {
      mus_add_outer(-1, held->direction[d], held->direction[d], free);
      mus_add_scaled3(s->length * held->value[d], held->direction[d], target);
    }
    t->held[k] = held->node;
  }
  return failed_there(
      t->stages->hold(t->there, prescribed->count, t->held, t->free, (int)t->pulls.count, t->pulls.items, &failure),
      &failure);
}

// What is prescribed, pulls and the matrix. With still pins and nothing else, all of that is the last step's: `holds`
// is 0 then.
static mus_status prepare(const mus_step_context *c, mus_projective_there *t, const mus_scheme *s, int *holds,
                          mus_step_record *record) {
  for (int l = 0; l < c->model->list_count; ++l)
    t->scale[l] = mus_settings_list_stiffness(c->settings, &c->model->lists[l], s->time);
  int same = are_same_pins(c, t, s) && c->work->prescribed.soft_count == 0 && c->attachments->springs.count == 0 &&
             t->pulls.count == 0;
  *holds = !(same && is_same_matrix(c, t, s));
  if (!*holds)
    return MUS_OK;
  mus_status status = mus_prescribe_pins(c->model, s, c->state->position, NULL, c->state, &c->work->prescribed);
  if (!status)
    status = list_pulls(c, t);
  return status ? status : set_up(c, t, s, record);
}

// The state, and what bodies do in the step.
static mus_status put_state(const mus_step_context *c, mus_projective_there *t, const mus_scheme *s) {
  mus_stage_failure failure = {""};
  const mus_state *state = c->state;
  mus_status status = MUS_OK;
  if (!t->is_current)
    status = t->stages->set_state(t->there, state->position, state->velocity, &failure);
  for (int i = 0; t->touch && !t->is_current && i < t->model->vertices; ++i)
    t->touch->push[i] = state->contact.hold[i].push;
  if (!status && t->touch && !t->is_current)
    status = t->stages->set_push(t->there, t->touch->push, &failure);
  if (!status && t->touch) {
    mus_touch_place(c->model, s->time - s->h, s->time, t->touch);
    status = t->stages->touch(t->there, s->h, t->touch->body, &failure);
  }
  return failed_there(status, &failure);
}

mus_status mus_projective_there_begin(const mus_step_context *c, mus_projective_there *t, const mus_scheme *s,
                                      mus_step_record *record) {
  mus_stage_failure failure = {""};
  mus_stage_moment moment = {.time = s->time, .length = s->length, .order = s->order};
  int holds = 0;
  mus_status status = make_there(c, t);
  if (!status)
    status = prepare(c, t, s, &holds, record);
  if (!status)
    status = put_state(c, t, s);
  if (!status && holds)
    status = hold(c, t, s);
  t->is_current = !status;
  t->length = s->length;
  mus_prescribe_rest(&c->work->prescribed);
  mus_settings_gravity(c->settings, s->time, moment.gravity);
  if (status)
    return status;
  return failed_there(t->stages->begin(t->there, &moment, t->scale, holds ? t->target : NULL, &failure), &failure);
}

// --- iterations ------------------------------------------------------------------------------------------------------
// As projective.c has them, where reasons are given.

static mus_status assemble(mus_projective_there *t, mus_projective_sums *sums) {
  mus_stage_failure failure = {""};
  return failed_there(t->stages->assemble(t->there, sums, &failure), &failure);
}

static mus_status go(mus_projective_there *t, double part, double scale) {
  mus_stage_failure failure = {""};
  return failed_there(t->stages->go(t->there, part, scale, &failure), &failure);
}

mus_status mus_projective_there_energy(mus_projective_there *t, double *energy) {
  mus_stage_failure failure = {""};
  return failed_there(t->stages->energy(t->there, energy, &failure), &failure);
}

static mus_status take_back(mus_projective_there *t, double downhill, mus_projective_sums *sums, double *part) {
  enum { TRIALS = 8 };
  mus_status status = MUS_OK;
  *part = 1;
  for (int trial = 0; trial < TRIALS && !status && !(sums->slope >= -downhill / 2); ++trial) {
    double less = *part * fmin(0.9, fmax(0.1, downhill / (downhill - sums->slope)));
    status = go(t, less - *part, 1);
    *part = less;
    if (!status)
      status = assemble(t, sums);
  }
  return status;
}

static mus_status descend(mus_projective_there *t, double downhill, double *energy, double *part) {
  enum { TRIALS = 20 };
  double now = 0, rounding = 1e-13 * fabs(*energy);
  mus_status status = mus_projective_there_energy(t, &now);
  *part = 1;
  for (int trial = 0; trial < TRIALS && !status && !(now <= *energy - 1e-4 * *part * downhill + rounding); ++trial) {
    double bend = now - *energy + *part * downhill;
    double less = *part * (bend > 0 ? fmin(0.5, fmax(0.1, *part * downhill / (2 * bend))) : 0.1);
    status = go(t, less - *part, 1);
    *part = less;
    if (!status)
      status = mus_projective_there_energy(t, &now);
  }
  *energy = now;
  return status || *part == 1 ? status : go(t, 0, *part);
}

// Whether the last correction, so much of it, tells something; see secants.c.
static int is_pair(const mus_projective_sums *sums, double part, double *product) {
  const double least = 1e-12;
  *product = part * sums->change;
  return *product > 0 && *product * *product > least * least * sums->square * part * part * sums->length;
}

static mus_status iterate(const mus_step_context *c, mus_projective_there *t, mus_step_record *record) {
  int iterations = c->settings->projective_iterations, bounded = t->constant.bounded;
  double downhill = 0, energy = 0;
  mus_status status = bounded ? MUS_OK : mus_projective_there_energy(t, &energy);
  for (int k = 0, done = 0; k < iterations && !done && !status; ++k) {
    mus_stage_failure failure = {""};
    mus_projective_sums sums = {0};
    mus_projective_solve how = {
        .bent = t->kind.secants > 0 && k + 1 < iterations, .part = 1, .wants_sums = !bounded || k + 1 < iterations};
    status = mus_stop_check();
    if (!status)
      status = assemble(t, k > 0 ? &sums : NULL);
    if (!status && k > 0 && bounded)
      status = take_back(t, downhill, &sums, &how.part);
    if (status)
      return status;
    how.notes = how.bent && k > 0 && is_pair(&sums, how.part, &how.product);
    status = failed_there(t->stages->solve(t->there, &how, &sums, &failure), &failure);
    downhill = sums.slope;
    double part = 1;
    if (!status && !bounded)
      status = descend(t, downhill, &energy, &part);
    record->iterations += c->settings->projective_cycles;
    ++record->newton_iterations;
    done = how.wants_sums && part * sums.largest <= c->settings->projective_tolerance;
  }
  return status;
}

// The state before the step, while the device works.
static void remember(const mus_step_context *c, mus_projective_there *t) {
  if (!t->is_remembered) {
    mus_copy(c->work->unknowns, c->state->position, c->state->position_before);
    mus_copy(c->work->unknowns, c->state->velocity, c->state->velocity_before);
  }
  t->is_remembered = 1;
}

mus_status mus_projective_there_advance(const mus_step_context *c, mus_projective_there *t, const mus_scheme *s,
                                        mus_stage_sums *sums, mus_step_record *record) {
  mus_stage_failure failure = {""};
  double square[2] = {0, 0};
  mus_status status = mus_projective_there_begin(c, t, s, record);
  double begin = mus_seconds();
  int is_one = c->settings->projective_iterations == 1 && t->constant.bounded;
  t->is_remembered = 0;
  if (!status && is_one)
    status = failed_there(t->stages->start(t->there, &failure), &failure);
  else if (!status)
    status = iterate(c, t, record);
  if (!status)
    remember(c, t);
  if (!status)
    status = failed_there(t->stages->measure(t->there, is_one, square, sums, &failure), &failure);
  if (!status && is_one) {
    record->iterations += c->settings->projective_cycles;
    ++record->newton_iterations;
  }
  record->residual = square[0] > 0 ? sqrt(square[1] / square[0]) : 0;
  record->solve_seconds += mus_seconds() - begin;
  if (status)
    t->is_current = 0;
  return status;
}

mus_status mus_projective_there_commit(const mus_step_context *c, mus_projective_there *t) {
  mus_state *state = c->state;
  mus_stage_failure failure = {""};
  remember(c, t);
  mus_status status =
      t->stages->commit(t->there, state->position, state->velocity, t->touch ? t->touch->push : NULL, &failure);
  if (!status && t->touch)
    mus_touch_keep(t->touch, state->contact.hold);
  if (!status)
    return MUS_OK;
  t->is_current = 0; // some of it may have come
  mus_copy(c->work->unknowns, state->position_before, state->position);
  mus_copy(c->work->unknowns, state->velocity_before, state->velocity);
  return failed_there(status, &failure);
}

// --- looking at it ---------------------------------------------------------------------------------------------------

mus_status mus_projective_there_look(mus_projective_there *t, double *right, double *change) {
  mus_stage_failure failure = {""};
  return failed_there(t->stages->look(t->there, right, change, &failure), &failure);
}

mus_status mus_projective_there_assemble(mus_projective_there *t) { return assemble(t, NULL); }

mus_status mus_projective_there_cycle(mus_projective_there *t, const double *right, double *change) {
  mus_stage_failure failure = {""};
  return failed_there(t->stages->cycle(t->there, right, change, &failure), &failure);
}

mus_status mus_projective_there_fetch(const mus_step_context *c, mus_projective_there *t) {
  const mus_scheme s = {.time = c->state->time, .h = t->length, .length = t->length, .order = 1};
  mus_stage_failure failure = {""};
  mus_status status = mus_projective_there_look(t, c->work->right, c->work->change);
  if (!status && t->touch)
    status = failed_there(t->stages->get_touched(t->there, t->touch->touched, &failure), &failure);
  return status ? status : mus_projective_catch_up(c, c->integrator->own, &s);
}
