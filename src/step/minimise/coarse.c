// See coarse.h.
#include "step/minimise/coarse.h"

#include <string.h>

#include "base/error.h"
#include "par/par.h"
#include "par/vector.h"

// --- life ------------------------------------------------------------------------------------------------------------

static mus_status number_vertices(mus_coarse_step *coarse, int fine) {
  coarse->number = mus_arena_alloc(&coarse->arena, (size_t)fine, sizeof *coarse->number);
  if (!coarse->number)
    return mus_fail_memory();
  for (int i = 0; i < fine; ++i)
    coarse->number[i] = -1;
  for (int i = 0; i < coarse->model.vertices; ++i)
    coarse->number[coarse->coarser->kept[i]] = i;
  return MUS_OK;
}

static mus_status fill(const mus_model *fine, const mus_solver_options *solver, mus_coarse_step *coarse) {
  mus_status status = mus_model_coarsen(fine, coarse->coarser, &coarse->model);
  const mus_model *model = &coarse->model;
  if (!status)
    status = number_vertices(coarse, fine->vertices);
  if (!status)
    status = mus_state_create(&coarse->arena, model->vertices, 0, 0, &coarse->state);
  if (!status)
    status = mus_workspace_create(&coarse->arena, model, &coarse->work);
  if (!status)
    status = mus_minimise_workspace_create(&coarse->arena, coarse->work.unknowns, &coarse->vectors);
  if (!status)
    status = mus_minimise_terms_create(&coarse->arena, model->vertices, &coarse->terms);
  if (!status)
    status = mus_shared_blocks_create(&coarse->arena, fine->vertices, &coarse->blocks);
  return status ? status : mus_linear_renew(&coarse->linear, model, solver);
}

mus_status mus_coarse_step_create(const mus_model *fine, const mus_coarser *coarser, const mus_solver_options *solver,
                                  mus_coarse_step **out) {
  mus_coarse_step *made = mus_alloc_zero(1, sizeof *made);
  if (!made)
    return mus_fail_memory();
  made->coarser = coarser;
  mus_status status = fill(fine, solver, made);
  made->context = (mus_step_context){.model = &made->model,
                                     .attachments = &made->attachments,
                                     .state = &made->state,
                                     .work = &made->work,
                                     .linear = &made->linear};
  if (status)
    mus_coarse_step_free(made);
  else
    *out = made;
  return status;
}

void mus_coarse_step_free(mus_coarse_step *coarse) {
  if (!coarse)
    return;
  mus_linear_free(&coarse->linear);
  mus_shared_blocks_free(&coarse->blocks);
  mus_workspace_free(&coarse->work);
  mus_model_free(&coarse->model);
  mus_arena_clear(&coarse->arena);
  mus_free(coarse);
}

size_t mus_coarse_step_bytes(const mus_coarse_step *coarse) {
  return sizeof *coarse + coarse->arena.bytes + coarse->model.arena.bytes + mus_linear_bytes(&coarse->linear) +
         mus_workspace_bytes(&coarse->work) + coarse->blocks.list.capacity * sizeof(mus_shared_block);
}

// --- between levels --------------------------------------------------------------------------------------------------

// Of the vertices that are kept.
static void inject(const mus_coarse_step *coarse, const double *fine, double *to) {
  MUS_PARALLEL_FOR_IF(coarse->model.vertices > MUS_PAR_MINIMUM)
  for (size_t i = 0; i < (size_t)coarse->model.vertices; ++i)
    memcpy(to + 3 * i, fine + 3 * (size_t)coarse->coarser->kept[i], 3 * sizeof *to);
}

// to += P^T fine
static void restrict_force(const mus_coarse_step *coarse, size_t fine_vertices, const double *fine, double *to) {
  const mus_coarser *by = coarse->coarser;
  for (size_t k = 0; k < 3 * fine_vertices; ++k) // each has three carriers
    mus_add_scaled3(by->weight[k], fine + 3 * (k / 3), to + 3 * (size_t)by->carrier[k]);
}

// B of the finer level: what it has besides its elements.
static mus_status find_blocks(mus_coarse_step *coarse, const mus_minimisation *fine) {
  const mus_step_context *c = fine->c;
  const mus_prescribed *prescribed = &c->work->prescribed;
  mus_shared_blocks *to = &coarse->blocks;
  mus_shared_blocks_clear(to);
  mus_status status = mus_attachments_lump(c->attachments, fine->s->length, to);
  if (!status)
    status = mus_soft_pins_lump(prescribed, fine->s->length, to);
  if (!status && c->contact)
    status = mus_contact_lump(c->contact, to);
  // What is held resists what carries it as the matrix has it: (D P)^T A (D P) with D the directions left.
  for (int k = 0; k < prescribed->count && !status; ++k) {
    const mus_constraint *held = &prescribed->list[k];
    double block[9] = {0};
    const double *own = mus_matrix_at(&c->linear->matrix, c->model->diagonal[held->node]);
    for (int d = 0; d < held->count && coarse->number[held->node] < 0; ++d) {
      const double *n = held->direction[d];
      double row[3] = {mus_dot3(own, n), mus_dot3(own + 3, n), mus_dot3(own + 6, n)};
      mus_add_outer(mus_dot3(row, n), n, n, block);
    }
    if (coarse->number[held->node] < 0)
      status = mus_shared_blocks_add(to, held->node, 1, block);
  }
  return status;
}

// |sum of w_j d_j|^2_B <= sum of w_j |d_j|^2_B for weights that are not negative and sum to 1.
static void hand_down(const mus_coarse_step *coarse, size_t vertex, const double *block) {
  const mus_coarser *by = coarse->coarser;
  for (size_t k = 3 * vertex; k < 3 * vertex + 3; ++k)
    for (size_t e = 0; e < 9; ++e)
      coarse->terms.block[9 * (size_t)by->carrier[k] + e] += by->weight[k] * block[e];
}

static mus_status make_terms(mus_coarse_step *coarse, const mus_minimisation *fine) {
  mus_minimise_terms *terms = &coarse->terms;
  const mus_minimise_terms *finer = fine->terms;
  size_t n = coarse->work.unknowns;
  mus_copy(n, coarse->state.velocity, terms->centre);
  mus_fill(n, 0, terms->force);
  mus_axpy(n, -1, coarse->work.right, terms->force);
  restrict_force(coarse, (size_t)fine->c->model->vertices, fine->free, terms->force);
  mus_status status = find_blocks(coarse, fine);
  const mus_shared_block *block = coarse->blocks.list.items;
  mus_fill(3 * n, 0, terms->block);
  for (size_t k = 0; k < coarse->blocks.list.count; ++k)
    hand_down(coarse, (size_t)block[k].node, block[k].value);
  for (size_t i = 0; finer && i < (size_t)fine->c->model->vertices; ++i)
    hand_down(coarse, i, finer->block + 9 * i);
  return status;
}

mus_status mus_coarse_step_begin(mus_coarse_step *coarse, mus_minimisation *fine) {
  const mus_step_context *c = fine->c;
  mus_minimise_assemble(fine, 0);
  coarse->context.settings = c->settings;
  inject(coarse, c->state->velocity, coarse->state.velocity);
  inject(coarse, c->work->predicted, coarse->work.predicted);
  inject(coarse, c->work->start_velocity, coarse->work.start_velocity);
  mus_status status = mus_prescribe_same(&c->work->prescribed, coarse->number, &coarse->work.prescribed);
  if (!status)
    status = mus_minimise_begin(&coarse->context, fine->s, &coarse->vectors, fine->record, &coarse->m);
  if (status)
    return status;
  mus_minimise_assemble(&coarse->m, 0);
  status = make_terms(coarse, fine);
  coarse->m.terms = &coarse->terms;
  coarse->m.assembled = 0;
  return status;
}

void mus_coarse_step_correct(mus_coarse_step *coarse, mus_minimisation *fine) {
  const mus_coarser *by = coarse->coarser;
  const double *now = coarse->state.velocity, *centre = coarse->terms.centre;
  double *change = fine->c->work->change;
  MUS_PARALLEL_FOR_IF(fine->c->model->vertices > MUS_PAR_MINIMUM)
  for (size_t i = 0; i < fine->c->work->unknowns; i += 3) {
    double sum[3] = {0};
    for (size_t k = i; k < i + 3; ++k) {
      size_t from = 3 * (size_t)by->carrier[k];
      mus_add_scaled3(by->weight[k], now + from, sum);
      mus_add_scaled3(-by->weight[k], centre + from, sum);
    }
    memcpy(change + i, sum, sizeof sum);
  }
  mus_prescribed_clear(&fine->c->work->prescribed, change);
  fine->products +=
      coarse->m.products * mus_pattern_blocks(&coarse->model.pattern) / mus_pattern_blocks(&fine->c->model->pattern);
}
