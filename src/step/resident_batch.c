// See resident_batch.h.
#include "step/resident_batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/stop.h"
#include "base/timer.h"
#include "cuda/device.h"
#include "cuda/step_device.h"
#include "model/device_model.h"
#include "par/vector.h"
#include "step/limit.h"
#include "step/resident.h"

enum { BOTTOM = 2000 }; // unknowns on the coarsest level

struct mus_resident_batch {
  const mus_stages *stages;
  const mus_step_stages *steps;
  mus_device *device;
  mus_device_facts facts;
  mus_device_step *there;
  mus_solver *solver;
  mus_arena arena;
  int count, lists;
  size_t unknowns; // of each
  int *revision;   // of the models that are there
  mus_scheme *scheme;
  mus_stage_moment *moment;
  mus_stage_sums *sums;
  double *scale;        // lists, of each
  double *numbers[4];   // of all: positions, velocities, and those of the step before
  mus_list constraints; // mus_constraint
  int held_count;       // -1: not given yet
  int *held;
};

// --- what there is ---------------------------------------------------------------------------------------------------

static int same_list(const mus_element_list *a, const mus_element_list *b) {
  return a->kind == b->kind && a->count == b->count && a->first_vertex == b->first_vertex &&
         (a->count == 0 ||
          memcmp(a->vertex, b->vertex, (size_t)a->count * (size_t)a->kind->arity * sizeof *a->vertex) == 0);
}

static int same_shape(const mus_model *a, const mus_model *b) {
  const mus_pattern *p = &a->pattern, *q = &b->pattern;
  int same = a->list_count == b->list_count && p->rows == q->rows &&
             memcmp(p->row_start, q->row_start, ((size_t)p->rows + 1) * sizeof *p->row_start) == 0 &&
             memcmp(p->column, q->column, (size_t)p->row_start[p->rows] * sizeof *p->column) == 0;
  for (int l = 0; l < a->list_count && same; ++l)
    same = same_list(&a->lists[l].elements, &b->lists[l].elements);
  return same;
}

const char *mus_resident_batch_obstacle(int count, const mus_step_context *c) {
  const char *obstacle = NULL;
  for (int k = 0; k < count && !obstacle; ++k)
    obstacle = c[k].touch ? "contacts" : mus_resident_obstacle(&c[k]);
  return obstacle;
}

// --- a model of all --------------------------------------------------------------------------------------------------

static mus_status failed_there(mus_status status, const mus_stage_failure *failure) {
  return mus_fail(status, "%s", failure->text);
}

// The matrix of all has those of each on its diagonal.
static mus_status join_patterns(mus_arena *arena, int count, const mus_pattern *one, mus_stage_pattern *out) {
  size_t rows = (size_t)one->rows, blocks = (size_t)one->row_start[rows];
  int *start = mus_arena_alloc(arena, rows * (size_t)count + 1, sizeof *start);
  int *column = mus_arena_alloc(arena, blocks * (size_t)count, sizeof *column);
  if (!start || !column)
    return mus_fail_memory();
  *out = (mus_stage_pattern){one->rows * count, one->columns * count, start, column};
  start[0] = 0;
  for (int k = 0; k < count; ++k) {
    for (size_t i = 0; i < rows; ++i)
      start[(size_t)k * rows + i + 1] = k * (int)blocks + one->row_start[i + 1];
    for (size_t b = 0; b < blocks; ++b)
      column[(size_t)k * blocks + b] = k * one->rows + one->column[b];
  }
  return MUS_OK;
}

// A list of all; the rest is as in that of the first.
static mus_status join_lists(mus_arena *arena, int count, const mus_step_context *c, int number, mus_stage_list *list) {
  const mus_element_list *first = &c[0].model->lists[number].elements;
  const mus_element_kind *kind = first->kind;
  size_t each = (size_t)first->count, corners = each * (size_t)kind->arity, all = (size_t)count;
  int *vertex = mus_arena_alloc(arena, all * corners + 1, sizeof *vertex);
  char *rest = mus_arena_alloc(arena, all * each * kind->rest_bytes + 1, 1);
  char *material = mus_arena_alloc(arena, all * kind->material_bytes + 1, 1);
  double *limits = mus_arena_alloc(arena, 2 * all, sizeof *limits);
  if (!vertex || !rest || !material || !limits)
    return mus_fail_memory();
  for (size_t k = 0; k < all; ++k) {
    const mus_element_list *from = &c[k].model->lists[number].elements;
    int shift = (int)k * c[k].model->vertices + from->first_vertex;
    for (size_t v = 0; v < corners; ++v)
      vertex[k * corners + v] = from->vertex[v] + shift;
    if (from->rest)
      memcpy(rest + k * each * kind->rest_bytes, from->rest, each * kind->rest_bytes);
    if (from->material)
      memcpy(material + k * kind->material_bytes, from->material, kind->material_bytes);
    limits[2 * k] = from->limit[0];
    limits[2 * k + 1] = from->limit[1];
  }
  list->vertex = vertex;
  list->first_vertex = 0;
  list->count = first->count * count;
  list->rest = first->rest ? rest : NULL;
  list->material = first->material ? material : NULL;
  list->limits = limits;
  return MUS_OK;
}

static mus_status join_nodes(mus_arena *arena, int count, const mus_step_context *c, mus_stage_model *model) {
  size_t n = (size_t)c[0].model->vertices, all = n * (size_t)count;
  double *mass = mus_arena_alloc(arena, all, sizeof *mass), *counted = mus_arena_alloc(arena, all, sizeof *counted);
  mus_gusts *gusts = mus_arena_alloc_zero(arena, (size_t)count, sizeof *gusts);
  int gusty = 0;
  if (!mass || !counted || !gusts)
    return mus_fail_memory();
  for (int k = 0; k < count; ++k) {
    mus_copy(n, c[k].model->mass, mass + (size_t)k * n);
    mus_copy(n, c[k].model->counted, counted + (size_t)k * n);
    gusts[k] = c[k].model->gusts;
    gusty |= gusts[k].waves > 0;
  }
  model->mass = mass;
  model->counted = counted;
  model->gusts = gusty ? gusts : NULL;
  return MUS_OK;
}

static mus_status join(mus_arena *arena, int count, const mus_step_context *c, mus_stage_list *list,
                       mus_stage_model *model) {
  const char *plain = getenv("MUSLIN_CUDA_PLAIN");
  mus_status status = mus_model_describe(c[0].model, list, model);
  model->copies = count;
  model->plain = plain && *plain && *plain != '0';
  if (!status)
    status = join_patterns(arena, count, &c[0].model->pattern, &model->pattern);
  for (int l = 0; l < model->lists && !status; ++l)
    status = join_lists(arena, count, c, l, &list[l]);
  return status ? status : join_nodes(arena, count, c, model);
}

// Each of the systems is to be solved to its own tolerance, of which the norm of all sees a part.
static mus_status create_solver(mus_resident_batch *b, const mus_solver_options *given, const mus_stage_pattern *p) {
  mus_solver_options options = *given;
  options.device = MUS_DEVICE_CUDA;
  options.tolerance /= sqrt(b->count);
  options.multigrid.bottom = BOTTOM;
  mus_status status = mus_solver_create(&options, &b->solver);
  return status ? status : mus_solver_set_pattern(b->solver, p->rows, 3, p->row_start, p->column);
}

// All of them go there, with the fabrics that they have now.
static mus_status place_models(mus_resident_batch *b, const mus_step_context *c) {
  mus_arena arena = {0};
  mus_stage_failure failure = {""};
  mus_stage_model model = {0};
  mus_device_step *there = NULL;
  mus_stage_list *list = mus_arena_alloc_zero(&arena, (size_t)b->lists + 1, sizeof *list);
  mus_status status = list ? join(&arena, b->count, c, list, &model) : mus_fail_memory();
  if (!status && (status = b->steps->create(b->device, &model, &there, &failure)))
    failed_there(status, &failure);
  if (!status && !b->solver)
    status = create_solver(b, &c[0].settings->solver, &model.pattern);
  mus_arena_clear(&arena);
  if (b->there && !status)
    b->steps->free(b->there);
  if (!status)
    b->there = there;
  else if (there)
    b->steps->free(there);
  for (int k = 0; k < b->count; ++k)
    b->revision[k] = c[k].model->revision;
  b->held_count = -1;
  return status;
}

// --- life ------------------------------------------------------------------------------------------------------------

static mus_status open_device(mus_resident_batch *b) {
  mus_stage_failure failure = {""};
  mus_status status = mus_device_stages(&b->stages);
  if (!status)
    status = mus_device_step_stages(&b->steps);
  if (status)
    return status;
  if ((status = b->stages->open(&b->device, &failure)))
    return mus_fail(status, "%s; or use the device \"cpu\"", failure.text);
  b->stages->describe(b->device, &b->facts);
  return MUS_OK;
}

static mus_status allocate(mus_resident_batch *b) {
  size_t count = (size_t)b->count, all = count * b->unknowns;
  b->revision = mus_arena_alloc(&b->arena, count, sizeof *b->revision);
  b->scheme = mus_arena_alloc(&b->arena, count, sizeof *b->scheme);
  b->moment = mus_arena_alloc(&b->arena, count, sizeof *b->moment);
  b->sums = mus_arena_alloc(&b->arena, count, sizeof *b->sums);
  b->scale = mus_arena_alloc(&b->arena, count * (size_t)b->lists + 1, sizeof *b->scale);
  b->held = mus_arena_alloc(&b->arena, all / 3, sizeof *b->held);
  int has_all = b->revision && b->scheme && b->moment && b->sums && b->scale && b->held;
  for (int k = 0; k < 4; ++k)
    has_all = (b->numbers[k] = mus_arena_alloc(&b->arena, all, sizeof(double))) && has_all;
  return has_all ? MUS_OK : mus_fail_memory();
}

mus_status mus_resident_batch_create(int count, const mus_step_context *c, mus_resident_batch **out) {
  for (int k = 1; k < count; ++k)
    if (!same_shape(c[0].model, c[k].model))
      return mus_fail(MUS_UNSUPPORTED, "members 0 and %d have different meshes, which do not run on a GPU together", k);
  mus_resident_batch *b = mus_alloc_zero(1, sizeof *b);
  if (!b)
    return mus_fail_memory();
  b->count = count;
  b->lists = c[0].model->list_count;
  b->unknowns = 3 * (size_t)c[0].model->vertices;
  mus_status status = allocate(b);
  if (!status)
    status = open_device(b);
  if (!status)
    status = place_models(b, c);
  if (status)
    mus_resident_batch_free(b);
  else
    *out = b;
  return status;
}

void mus_resident_batch_free(mus_resident_batch *b) {
  if (!b)
    return;
  mus_solver_free(b->solver);
  if (b->there)
    b->steps->free(b->there);
  if (b->device)
    b->stages->close(b->device);
  mus_free(b->constraints.items);
  mus_arena_clear(&b->arena);
  mus_free(b);
}

void mus_resident_batch_tell(const mus_resident_batch *b, mus_sim_device *out) {
  mus_step_seconds_there seconds;
  b->steps->seconds(b->there, &seconds);
  memcpy(out->name, b->facts.name, sizeof out->name);
  out->bytes += b->steps->bytes(b->there) + mus_solver_record(b->solver)->device_bytes;
  out->upload_seconds += seconds.upload;
  out->assemble_seconds += seconds.assemble;
  out->move_seconds += seconds.move;
  out->download_seconds += seconds.download;
}

// --- steps -----------------------------------------------------------------------------------------------------------

// Constraints of all, in one list.
static mus_status constrain(mus_resident_batch *b, const mus_step_context *c) {
  int rows = (int)(b->unknowns / 3);
  b->constraints.count = 0;
  for (int k = 0; k < b->count; ++k) {
    mus_status status = mus_resident_prescribe(&c[k], &b->scheme[k]);
    if (status)
      return status;
    const mus_prescribed *from = &c[k].work->prescribed;
    for (int i = 0; i < from->count; ++i) {
      mus_constraint *to = mus_list_add(&b->constraints, sizeof *to);
      if (!to)
        return mus_fail_memory();
      *to = from->list[i];
      to->node += k * rows;
    }
  }
  return MUS_OK;
}

// Which nodes are held goes there when it has changed.
static mus_status hold(mus_resident_batch *b) {
  const mus_constraint *list = b->constraints.items;
  int count = (int)b->constraints.count, same = b->held_count == count;
  mus_stage_failure failure = {""};
  for (int k = 0; k < count; ++k) {
    same = same && b->held[k] == list[k].node;
    b->held[k] = list[k].node;
  }
  b->held_count = count;
  mus_status status = same ? MUS_OK : b->steps->hold(b->there, count, b->held, &failure);
  return status ? failed_there(status, &failure) : MUS_OK;
}

static mus_status put_states(mus_resident_batch *b, const mus_step_context *c) {
  mus_stage_failure failure = {""};
  size_t n = b->unknowns;
  int before = 0;
  for (int k = 0; k < b->count; ++k) {
    const mus_state *s = c[k].state;
    const double *from[4] = {s->position, s->velocity, s->position_before, s->velocity_before};
    for (int q = 0; q < 4; ++q)
      mus_copy(n, from[q], b->numbers[q] + (size_t)k * n);
    before |= b->scheme[k].order == 2;
  }
  mus_status status = b->steps->set_state(b->there, b->numbers[0], b->numbers[1], before ? b->numbers[2] : NULL,
                                          before ? b->numbers[3] : NULL, &failure);
  return status ? failed_there(status, &failure) : MUS_OK;
}

static mus_status assemble(mus_resident_batch *b, const mus_step_context *c) {
  mus_stage_failure failure = {""};
  mus_status status = put_states(b, c);
  if (status)
    return status;
  for (int k = 0; k < b->count; ++k)
    b->moment[k] = mus_resident_moment(&c[k], &b->scheme[k], b->scale + (size_t)k * (size_t)b->lists);
  status = b->steps->assemble(b->there, b->moment, b->scale, &failure);
  return status ? failed_there(status, &failure) : MUS_OK;
}

static mus_status solve(mus_resident_batch *b) {
  mus_stage_system there;
  b->steps->system(b->there, &there);
  mus_status status = mus_solver_set_constraints(b->solver, (int)b->constraints.count, b->constraints.items);
  if (status)
    return status;
  return mus_solver_solve_device(
      b->solver,
      &(mus_device_system){.values = there.values, .coordinates = there.position, .b = there.right, .x = there.change});
}

// Each of them to its end, beside the states. *agreed becomes 0 where the host has to look at one of them.
static mus_status move(mus_resident_batch *b, const mus_step_context *c, mus_step_record *record, int *agreed) {
  mus_stage_failure failure = {""};
  mus_status status = b->steps->move(b->there, b->sums, &failure);
  if (status)
    return failed_there(status, &failure);
  for (int k = 0; k < b->count && *agreed; ++k)
    *agreed =
        mus_resident_accept(&c[k], &b->scheme[k], &b->sums[k], &record[k]) == MUS_OK && !mus_limit_acts(&record[k]);
  return MUS_OK;
}

static mus_status commit(mus_resident_batch *b, const mus_step_context *c, mus_step_record *record) {
  mus_stage_failure failure = {""};
  size_t n = b->unknowns;
  mus_status status = b->steps->commit(b->there, b->numbers[0], b->numbers[1], &failure);
  if (status)
    return failed_there(status, &failure);
  for (int k = 0; k < b->count; ++k) {
    mus_state *state = c[k].state;
    mus_copy(n, state->position, state->position_before);
    mus_copy(n, state->velocity, state->velocity_before);
    mus_copy(n, b->numbers[0] + (size_t)k * n, state->position);
    mus_copy(n, b->numbers[1] + (size_t)k * n, state->velocity);
    mus_resident_end(&c[k], &b->sums[k], &record[k]);
  }
  return MUS_OK;
}

// All share what the step has cost.
static void keep_costs(const mus_resident_batch *b, double assembling, double all, mus_step_record *record) {
  const mus_solve_record *solved = mus_solver_record(b->solver);
  for (int k = 0; k < b->count; ++k) {
    mus_step_record *to = &record[k];
    to->iterations = solved->iterations;
    to->residual = solved->true_residual;
    to->assemble_seconds = assembling / b->count;
    to->setup_seconds = solved->setup_seconds / b->count;
    to->solve_seconds = solved->solve_seconds / b->count;
    to->other_seconds = all / b->count - to->assemble_seconds - to->setup_seconds - to->solve_seconds;
  }
}

static int models_are_there(const mus_resident_batch *b, const mus_step_context *c) {
  int same = 1;
  for (int k = 0; k < b->count; ++k)
    same = same && b->revision[k] == c[k].model->revision;
  return same;
}

mus_status mus_resident_batch_step(mus_resident_batch *b, const mus_step_context *c, double h, mus_step_record *record,
                                   int *done) {
  double from = mus_seconds(), assembling = 0;
  int solved = 0;
  *done = !mus_resident_batch_obstacle(b->count, c);
  if (!*done)
    return MUS_OK;
  for (int k = 0; k < b->count; ++k) {
    b->scheme[k] = mus_scheme_choose(c[k].integrator->kind->order, c[k].state, h);
    record[k] = (mus_step_record){.time = b->scheme[k].time, .time_step = h, .newton_iterations = 1};
  }
  mus_status status = mus_stop_check();
  if (!status && !models_are_there(b, c))
    status = place_models(b, c);
  if (!status)
    status = constrain(b, c);
  if (!status)
    status = hold(b);
  if (!status) {
    double begin = mus_seconds();
    status = assemble(b, c);
    assembling = mus_seconds() - begin;
  }
  if (!status) {
    status = solve(b);
    solved = !status;
  }
  if (!status)
    status = move(b, c, record, done);
  if (!status && *done)
    status = commit(b, c, record);
  if (!solved && (status == MUS_NOT_CONVERGED || status == MUS_BREAKDOWN)) {
    *done = 0;
    status = MUS_OK;
  }
  if (!status && *done)
    keep_costs(b, assembling, mus_seconds() - from, record);
  return status;
}
