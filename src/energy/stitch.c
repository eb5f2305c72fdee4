// Stitches as kinds of elements, energy/stitch.h: between two vertices, and from a vertex to a point of an edge.
#include "energy/stitch.h"

#include <string.h>

#include "base/error.h"
#include "energy/gather.h"
#include "energy/kinds.h"

// A stitch to the end of an edge is one to a vertex.
static mus_sewing simplified(mus_sewing s) {
  if (s.ratio == 1)
    s.b = s.c;
  if (s.ratio == 0 || s.ratio == 1)
    s.c = s.b;
  return s;
}

// How many vertices it has, once simplified; 0 where it ties one to itself.
static int vertices_of(const mus_sewing *s) {
  if (s->a == s->b || s->a == s->c)
    return 0;
  return s->b == s->c ? 2 : 3;
}

static mus_stitch_rest rest_of(const mus_sewing *s, int arity, const double *position) {
  double y[3], ratio = arity == 3 ? s->ratio : 0;
  memcpy(y, position + 3 * (size_t)s->a, sizeof y);
  mus_add_scaled3(ratio - 1, position + 3 * (size_t)s->b, y);
  mus_add_scaled3(-ratio, position + 3 * (size_t)s->c, y);
  return (mus_stitch_rest){ratio, sqrt(mus_dot3(y, y)), s->close, s->stiffness, s->damping, s->limit};
}

// Those of the sewings that have as many vertices as the kind.
static mus_status create(mus_arena *arena, const mus_element_source *source, mus_element_list *out) {
  size_t arity = (size_t)out->kind->arity;
  int count = 0, made = 0;
  for (int k = 0; k < source->sewings; ++k) {
    mus_sewing s = simplified(source->sewing[k]);
    count += vertices_of(&s) == out->kind->arity;
  }
  int *vertex = mus_arena_alloc(arena, (size_t)count * arity, sizeof *vertex);
  mus_status status = vertex ? mus_element_list_allocate(arena, count, out) : mus_fail_memory();
  mus_stitch_rest *rest = out->rest;
  out->vertex = vertex;
  for (int k = 0; k < source->sewings && !status; ++k) {
    mus_sewing s = simplified(source->sewing[k]);
    if (vertices_of(&s) != out->kind->arity)
      continue;
    memcpy(vertex + (size_t)made * arity, (int[]){s.a, s.b, s.c}, arity * sizeof *vertex);
    rest[made++] = rest_of(&s, out->kind->arity, source->mesh->position);
  }
  return status;
}

static void evaluate(const mus_element_list *list, int first, int count, const mus_evaluation *evaluation) {
  const mus_evaluation e = *evaluation; // a copy that no store can change
  const mus_stitch_rest *rests = list->rest;
  int arity = list->kind->arity;
  for (int k = 0; k < count; ++k) {
    size_t s = (size_t)(first + k);
    mus_gathered p;
    mus_stitch_rest rest = rests[s];
    rest.stiffness *= e.scale;
    rest.damping *= e.scale;
    mus_gather(arity, list->vertex + (size_t)arity * s, k, &e, &p);
    mus_keep_energy(
        &e, k,
        mus_stitch_element(&rest, mus_stitch_length(&rest, e.time), arity, &e.blend, p.x, p.v, p.gradient, p.block));
  }
}

const mus_element_kind mus_stitch_kind = {.name = "stitch",
                                          .arity = 2,
                                          .rest_bytes = sizeof(mus_stitch_rest),
                                          .driven = 1,
                                          .ties = 1,
                                          .create = create,
                                          .evaluate = evaluate};

const mus_element_kind mus_edge_stitch_kind = {.name = "stitch to an edge",
                                               .arity = 3,
                                               .rest_bytes = sizeof(mus_stitch_rest),
                                               .driven = 1,
                                               .ties = 1,
                                               .create = create,
                                               .evaluate = evaluate};
