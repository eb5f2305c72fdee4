// See constant.h.
#include "step/constant.h"

#include <string.h>

#include "base/error.h"
#include "par/vector.h"
#include "step/assemble.h"
#include "step/linearised.h"

// How stiff A is where something is prescribed, by its own diagonal: with 10, corrections are too long by at most a
// tenth.
static const double held_stiffness = 10;

mus_status mus_constant_check(const mus_model *model, const char *user) {
  for (int l = 0; l < model->list_count; ++l) {
    const mus_element_kind *kind = model->lists[l].elements.kind;
    if (!kind->weigh && !kind->lump)
      return mus_fail(MUS_UNSUPPORTED,
                      "%s has no constant matrix for a %s: choose another integrator or minimiser, or leave out "
                      "stitches and give solids the model \"co-rotated\" or \"mass-spring\"",
                      user, kind->name);
  }
  return MUS_OK;
}

mus_status mus_constant_create(const mus_model *model, mus_constant_matrix *out) {
  mus_constant_matrix p = {.bounded = 1};
  size_t lists = (size_t)model->list_count, entries = (size_t)mus_pattern_blocks(&model->pattern);
  p.scale = mus_arena_alloc_zero(&p.arena, lists, sizeof *p.scale);
  p.scale_now = mus_arena_alloc_zero(&p.arena, lists, sizeof *p.scale_now);
  p.value = mus_arena_alloc_zero(&p.arena, entries, sizeof *p.value);
  p.matrix = (mus_shared_matrix){.pattern = &model->pattern, .value = p.value};
  for (int l = 0; l < model->list_count; ++l)
    p.bounded &= !model->lists[l].elements.kind->weigh || model->lists[l].elements.kind->bounded;
  int all = p.scale && p.scale_now && p.value;
  mus_status status = all ? mus_shared_blocks_create(&p.arena, model->vertices, &p.blocks) : mus_fail_memory();
  if (status)
    mus_constant_free(&p);
  else
    *out = p;
  return status;
}

void mus_constant_free(mus_constant_matrix *constant) {
  mus_shared_blocks_free(&constant->blocks);
  mus_free(constant->blocks_before.items);
  mus_arena_clear(&constant->arena);
}

size_t mus_constant_bytes(const mus_constant_matrix *constant) {
  return constant->arena.bytes +
         (constant->blocks.list.capacity + constant->blocks_before.capacity) * sizeof(mus_shared_block);
}

void mus_constant_forget(mus_constant_matrix *constant) { constant->length = 0; }

// Adds the weights of a list's elements.
static void add_weights(const mus_element_list *list, const mus_blend *blend, double scale, const mus_pattern *pattern,
                        double *value) {
  enum { RUN = 64 };
  double weight[RUN * MUS_ARITY_MAXIMUM * (MUS_ARITY_MAXIMUM + 1) / 2];
  int arity = list->kind->arity, each = mus_tuple_blocks(arity);
  for (int from = 0; from < list->count; from += RUN) {
    int run = list->count - from < RUN ? list->count - from : RUN;
    list->kind->weigh(list, from, run, blend, scale, weight);
    for (int k = 0; k < run; ++k) {
      const int *vertex = list->vertex + (size_t)arity * (size_t)(from + k);
      const double *own = weight + each * k;
      for (int i = 0; i < arity; ++i)
        for (int j = i; j < arity; ++j, ++own) {
          int a = list->first_vertex + vertex[i], b = list->first_vertex + vertex[j];
          value[mus_pattern_find(pattern, a, b)] += *own;
          if (i != j)
            value[mus_pattern_find(pattern, b, a)] += *own;
        }
    }
  }
}

// The constant part of A, where it is not the one of the update before. Returns 1 if it has changed.
static int weigh(mus_constant_matrix *p, const mus_step_context *c, const mus_scheme *s) {
  const mus_model *m = c->model;
  size_t lists = (size_t)m->list_count;
  for (int l = 0; l < m->list_count; ++l)
    p->scale_now[l] = mus_settings_list_stiffness(c->settings, &m->lists[l], s->time);
  if (p->length == s->length && p->revision == m->revision &&
      memcmp(p->scale, p->scale_now, lists * sizeof *p->scale) == 0)
    return 0;
  p->length = s->length;
  p->revision = m->revision;
  memcpy(p->scale, p->scale_now, lists * sizeof *p->scale);
  mus_fill((size_t)mus_pattern_blocks(&m->pattern), 0, p->value);
  const mus_blend blend = {.stiffness = s->length * s->length, .damping = s->length};
  for (int l = 0; l < m->list_count; ++l)
    if (m->lists[l].elements.kind->weigh)
      add_weights(&m->lists[l].elements, &blend, p->scale[l], &m->pattern, p->value);
  for (int i = 0; i < m->vertices; ++i)
    p->value[m->diagonal[i]] += m->mass[i];
  return 1;
}

// What changes from step to step.
static mus_status lump(mus_constant_matrix *p, const mus_step_context *c, const mus_scheme *s, unsigned what) {
  mus_instant at = {s->time, c->work->predicted, c->state->velocity, s->length, 0, NULL};
  const mus_prescribed *prescribed = &c->work->prescribed;
  mus_shared_blocks_clear(&p->blocks);
  mus_status status = what & MUS_CONSTANT_DRAG ? mus_assemble_lumped(c->model, c->settings, &at, &p->blocks) : MUS_OK;
  if (!status)
    status = mus_attachments_lump(c->attachments, s->length, &p->blocks);
  if (!status)
    status = mus_soft_pins_lump(prescribed, s->length, &p->blocks);
  if (!status && c->contact)
    status = mus_contact_lump(c->contact, &p->blocks);
  if (!status && c->touch && what & MUS_CONSTANT_FIND) {
    mus_touch_step step = mus_touch_step_of(c, s);
    mus_touch_find_step(c->model, &step, c->touch, p->value, &p->blocks);
  }
  if (!status && c->touch && what & MUS_CONSTANT_TOUCH)
    status = mus_touch_lump(c->touch, &p->blocks);
  for (int k = 0; k < prescribed->count && !status; ++k) {
    const mus_constraint *held = &prescribed->list[k];
    double block[9] = {0}, stiff = held_stiffness * p->value[c->model->diagonal[held->node]];
    for (int d = 0; d < held->count; ++d)
      mus_add_outer(stiff, held->direction[d], held->direction[d], block);
    status = mus_shared_blocks_add(&p->blocks, held->node, 1, block);
  }
  p->matrix.count = (int)p->blocks.list.count;
  p->matrix.block = p->blocks.list.items;
  return status;
}

// Whether blocks are those of the update before; if not, notes that they are from now on.
static mus_status compare_blocks(mus_constant_matrix *p, int *changed) {
  const mus_list *now = &p->blocks.list;
  mus_list *before = &p->blocks_before;
  size_t size = now->count * sizeof(mus_shared_block);
  *changed = now->count != before->count || (size > 0 && memcmp(now->items, before->items, size) != 0);
  if (!*changed)
    return MUS_OK;
  before->count = 0;
  if (!mus_list_reserve(before, now->count, sizeof(mus_shared_block)))
    return mus_fail_memory();
  if (size > 0)
    memcpy(before->items, now->items, size);
  before->count = now->count;
  return MUS_OK;
}

mus_status mus_constant_update(mus_constant_matrix *constant, const mus_step_context *c, const mus_scheme *s,
                               unsigned what, mus_constant_change *change) {
  change->weights = weigh(constant, c, s);
  mus_status status = lump(constant, c, s, what);
  if (!status)
    status = compare_blocks(constant, &change->blocks);
  if (status)
    mus_constant_forget(constant);
  return status;
}
