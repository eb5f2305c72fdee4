// See stitches.h.
#include "model/stitches.h"

#include <math.h>

#include "base/error.h"
#include "mesh/ties.h"

// Ends that are no farther apart are joined at once, m; and no farther than this part of the shortest edge beside them.
static const double farthest = 5e-3, part_of_edge = 0.5;

// The shortest edge around each vertex, in the material.
static void find_shortest(const mus_model *model, double *shortest) {
  for (int i = 0; i < model->vertices; ++i)
    shortest[i] = INFINITY;
  for (int k = 0; k < model->part_count && model->parts[k].cloth; ++k) {
    const mus_mesh *mesh = &model->parts[k].shape.mesh;
    double *of = shortest + model->parts[k].first_vertex;
    for (size_t side = 0; side < 3 * (size_t)mesh->triangles; ++side) {
      size_t next = side % 3 == 2 ? side - 2 : side + 1;
      const double *a = mesh->material + 2 * side, *b = mesh->material + 2 * next;
      double length = hypot(b[0] - a[0], b[1] - a[1]);
      of[mesh->triangle[side]] = fmin(of[mesh->triangle[side]], length);
      of[mesh->triangle[next]] = fmin(of[mesh->triangle[next]], length);
    }
  }
}

// Stitches to the end of an edge are stitches to a vertex.
static mus_tie tie_of(const mus_sewing *s) {
  if (s->ratio == 0 || s->b == s->c)
    return (mus_tie){s->a, s->b, s->b, 0};
  if (s->ratio == 1)
    return (mus_tie){s->a, s->c, s->c, 0};
  return (mus_tie){s->a, s->b, s->c, s->ratio};
}

mus_status mus_stitches_make(mus_model *model, int sewings, const mus_sewing *sewing) {
  double *shortest = mus_alloc((size_t)model->vertices, sizeof *shortest);
  model->stitch = mus_arena_alloc(&model->arena, (size_t)sewings, sizeof *model->stitch);
  mus_status status = shortest && model->stitch ? MUS_OK : mus_fail_memory();
  if (!status)
    find_shortest(model, shortest);
  for (int k = 0; k < sewings && !status; ++k) {
    mus_model_stitch s = {.tie = tie_of(&sewing[k]), .close = sewing[k].close};
    double y[3];
    if (s.tie.a == s.tie.b || s.tie.a == s.tie.c)
      continue;
    mus_tie_gap(&s.tie, model->start, y);
    s.length = mus_length3(y);
    s.reach = fmin(farthest, part_of_edge * fmin(shortest[s.tie.a], fmin(shortest[s.tie.b], shortest[s.tie.c])));
    model->stitch[model->stitches++] = s;
  }
  mus_free(shortest);
  return status;
}

// All pairs of what the two may follow.
static mus_status add_pairs(const mus_ties *ties, int i, int j, mus_list *pairs) {
  int of_i[MUS_TIE_REACH], of_j[MUS_TIE_REACH];
  int count_i = mus_ties_reach(ties, i, of_i), count_j = mus_ties_reach(ties, j, of_j);
  for (int a = 0; a < count_i; ++a)
    for (int b = 0; b < count_j; ++b) {
      if (of_i[a] == of_j[b])
        continue; // on the diagonal, which is there
      int *pair = mus_list_add(pairs, 2 * sizeof *pair);
      if (!pair)
        return mus_fail_memory();
      pair[0] = of_i[a];
      pair[1] = of_j[b];
    }
  return MUS_OK;
}

static mus_status fill_from(const mus_ties *ties, const mus_element_list *list, mus_list *pairs) {
  mus_status status = MUS_OK;
  int arity = list->kind->arity;
  for (int k = 0; k < list->count; ++k)
    for (int i = 0; i < arity; ++i)
      for (int j = 0; j <= i && !status; ++j) {
        int a = list->first_vertex + list->vertex[arity * k + i], b = list->first_vertex + list->vertex[arity * k + j];
        if (ties->member_of[a] >= 0 || ties->member_of[b] >= 0)
          status = add_pairs(ties, a, b, pairs);
      }
  return status;
}

mus_status mus_stitches_fill(const mus_model *model, mus_list *pairs) {
  mus_arena scratch = {0};
  mus_ties ties;
  mus_status status = MUS_OK;
  if (model->stitches > 0)
    status = mus_model_ties(model, &scratch, &ties);
  for (int l = 0; l < model->list_count && !status && model->stitches > 0; ++l)
    status = fill_from(&ties, &model->lists[l].elements, pairs);
  mus_arena_clear(&scratch);
  return status;
}

mus_status mus_model_ties(const mus_model *model, mus_arena *arena, mus_ties *out) {
  mus_tie *tie = mus_alloc((size_t)model->stitches, sizeof *tie);
  if (!tie)
    return mus_fail_memory();
  for (int k = 0; k < model->stitches; ++k)
    tie[k] = model->stitch[k].tie;
  mus_status status = mus_ties_create(arena, model->vertices, model->stitches, tie, out);
  mus_free(tie);
  return status;
}
