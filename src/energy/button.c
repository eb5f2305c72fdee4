// Buttons as kinds of elements, energy/button.h: from a vertex to another, and to a point of a triangle.
#include "energy/button.h"

#include <string.h>

#include "base/error.h"
#include "energy/gather.h"
#include "energy/kinds.h"

// Those that have as many vertices as the kind.
static mus_status create(mus_arena *arena, const mus_element_source *source, mus_element_list *out) {
  size_t arity = (size_t)out->kind->arity;
  int count = 0, made = 0;
  for (int k = 0; k < source->buttonings; ++k)
    count += source->buttoning[k].count == out->kind->arity;
  int *vertex = mus_arena_alloc(arena, (size_t)count * arity, sizeof *vertex);
  mus_status status = vertex ? mus_element_list_allocate(arena, count, out) : mus_fail_memory();
  mus_button_rest *rest = out->rest;
  out->vertex = vertex;
  for (int k = 0; k < source->buttonings && !status; ++k) {
    const mus_buttoning *b = &source->buttoning[k];
    if (b->count != out->kind->arity)
      continue;
    memcpy(vertex + (size_t)made * arity, b->node, arity * sizeof *vertex);
    rest[made++] = (mus_button_rest){{b->weight[0], b->weight[1], b->weight[2]}, b->rest, b->stiffness, b->damping};
  }
  return status;
}

static void evaluate(const mus_element_list *list, int first, int count, const mus_evaluation *evaluation) {
  const mus_evaluation e = *evaluation; // a copy that no store can change
  const mus_button_rest *rests = list->rest;
  int arity = list->kind->arity;
  for (int k = 0; k < count; ++k) {
    size_t b = (size_t)(first + k);
    mus_gathered p;
    mus_button_rest rest = rests[b];
    rest.stiffness *= e.scale;
    rest.damping *= e.scale;
    mus_gather(arity, list->vertex + (size_t)arity * b, k, &e, &p);
    mus_keep_energy(&e, k, mus_button_element(&rest, arity, &e.blend, p.x, p.v, p.gradient, p.block));
  }
}

// As springs are weighed.
static void weigh(const mus_element_list *list, int first, int count, const mus_blend *blend, double scale,
                  double *weight) {
  const mus_button_rest *rest = (const mus_button_rest *)list->rest + first;
  int arity = list->kind->arity;
  for (int k = 0; k < count; ++k) {
    double part[4] = {1, -rest[k].weight[0], -rest[k].weight[1], -rest[k].weight[2]};
    double w = scale * (blend->stiffness * rest[k].stiffness + blend->damping * rest[k].damping);
    for (int a = 0; a < arity; ++a)
      for (int b = a; b < arity; ++b)
        *weight++ = w * part[a] * part[b];
  }
}

const mus_element_kind mus_button_kind = {.name = "button",
                                          .arity = 2,
                                          .rest_bytes = sizeof(mus_button_rest),
                                          .driven = 1,
                                          .ties = 1,
                                          .create = create,
                                          .evaluate = evaluate,
                                          .weigh = weigh,
                                          .bounded = 1};

const mus_element_kind mus_face_button_kind = {.name = "button on a triangle",
                                               .arity = 4,
                                               .rest_bytes = sizeof(mus_button_rest),
                                               .driven = 1,
                                               .ties = 1,
                                               .create = create,
                                               .evaluate = evaluate,
                                               .weigh = weigh,
                                               .bounded = 1};
