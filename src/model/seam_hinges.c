// See seam_hinges.h.
#include "model/seam_hinges.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "mesh/weld.h"

// A hinge between two panels, while it is sorted.
typedef struct hinge {
  int number; // in the topology
  int cloth;
  double since;
} hinge;

typedef struct search {
  mus_arena scratch;
  mus_mesh *mesh;         // all cloths, welded; in the model's arena, as is ...
  mus_topology *topology; // ... its topology
  const int *source;      // triangles of it: which they were
  mus_mesh before;        // all cloths
  double *since;          // vertices: when all its stitches are closed, s; -1 where there are none
  mus_list hinges;        // hinge
} search;

// All cloths as one mesh, in the numbering of the simulation.
static mus_status join_cloths(const mus_model *model, search *s) {
  int cloths = model->scene->cloth_count; // which come first
  int triangles = cloths < model->part_count ? model->parts[cloths].first_triangle : model->triangles;
  mus_status status = mus_mesh_create(&s->scratch, model->vertices, triangles, 1, &s->before);
  for (int k = 0; k < cloths && !status; ++k) {
    const mus_model_part *c = &model->parts[k];
    size_t first = 3 * (size_t)c->first_triangle, corners = 3 * (size_t)c->shape.mesh.triangles;
    for (size_t i = 0; i < corners; ++i)
      s->before.triangle[first + i] = c->shape.mesh.triangle[i] + c->first_vertex;
    memcpy(s->before.material + 2 * first, c->shape.mesh.material, 2 * corners * sizeof(double));
  }
  return status;
}

// Welded vertices go by the number of one that they were.
static mus_status weld_all(mus_model *model, search *s) {
  size_t count = (size_t)model->stitches;
  mus_tie *tie = mus_arena_alloc(&s->scratch, count, sizeof *tie);
  unsigned char *closed = mus_arena_alloc(&s->scratch, count, 1);
  mus_weld weld;
  if (!tie || !closed)
    return mus_fail_memory();
  for (size_t k = 0; k < count; ++k) {
    tie[k] = model->stitch[k].tie;
    closed[k] = 1;
  }
  mus_status status = mus_weld_create(&model->arena, &s->before, model->stitches, tie, closed, 0, &weld);
  if (status)
    return status;
  for (size_t i = 0; i < 3 * (size_t)weld.mesh.triangles; ++i)
    weld.mesh.triangle[i] = weld.kept[weld.mesh.triangle[i]];
  s->mesh = mus_arena_alloc(&model->arena, 1, sizeof *s->mesh);
  s->topology = mus_arena_alloc(&model->arena, 1, sizeof *s->topology);
  if (!s->mesh || !s->topology)
    return mus_fail_memory();
  s->source = weld.source;
  *s->mesh = weld.mesh;
  s->mesh->vertices = model->vertices;
  s->mesh->position = model->start;
  for (int i = 0; i < model->vertices;
       ++i) // stitches are known by any of their vertices, hinges by those that are kept
    s->since[weld.kept[weld.vertex[i]]] = fmax(s->since[weld.kept[weld.vertex[i]]], s->since[i]);
  return mus_topology_create(&model->arena, s->mesh, s->topology);
}

static void find_since(const mus_model *model, search *s) {
  for (int i = 0; i < model->vertices; ++i)
    s->since[i] = -1;
  for (int k = 0; k < model->stitches; ++k) {
    const mus_model_stitch *stitch = &model->stitch[k];
    double since = stitch->length <= MUS_STITCH_DUE ? 0 : stitch->close;
    const int vertex[] = {stitch->tie.a, stitch->tie.b, stitch->tie.c};
    for (int n = 0; n < 3; ++n)
      s->since[vertex[n]] = fmax(s->since[vertex[n]], since);
  }
}

// Whether two triangles have an edge in common as they were.
static int are_joined(const search *s, int a, int b) {
  const int *p = s->before.triangle + 3 * (size_t)a, *q = s->before.triangle + 3 * (size_t)b;
  int common = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      common += p[i] == q[j];
  return common >= 2;
}

static int cloth_of(const mus_model *model, int triangle) {
  int cloth = 0;
  while (cloth + 1 < model->part_count && model->parts[cloth + 1].first_triangle <= triangle)
    ++cloth;
  return cloth;
}

static mus_status list_hinges(const mus_model *model, search *s) {
  const mus_topology *t = s->topology;
  for (int h = 0; h < t->hinges; ++h) {
    const int *side = t->edge_side + t->edge_side_start[t->hinge_edge[h]], *end = t->hinge + 4 * (size_t)h;
    int first = s->source[side[0] / 3], second = s->source[side[1] / 3];
    if (first == second || are_joined(s, first, second))
      continue;
    hinge *item = mus_list_add(&s->hinges, sizeof *item);
    if (!item)
      return mus_fail_memory();
    *item = (hinge){h, cloth_of(model, first), fmax(0, fmax(s->since[end[0]], s->since[end[1]]))};
  }
  return MUS_OK;
}

// Those that act on the same cloth from the same time on as hinge `like`, into a topology of their own.
static mus_status take_alike(mus_model *model, search *s, size_t like, mus_list *found) {
  hinge *list = s->hinges.items, wanted = list[like];
  mus_topology *alike = mus_arena_alloc(&model->arena, 1, sizeof *alike);
  mus_seam_hinges *item = mus_list_add(found, sizeof *item);
  if (!alike || !item)
    return mus_fail_memory();
  *alike = *s->topology;
  alike->hinge = mus_arena_alloc(&model->arena, 4 * s->hinges.count, sizeof *alike->hinge);
  alike->hinge_edge = mus_arena_alloc(&model->arena, s->hinges.count, sizeof *alike->hinge_edge);
  alike->hinges = 0;
  if (!alike->hinge || !alike->hinge_edge)
    return mus_fail_memory();
  for (size_t k = like; k < s->hinges.count; ++k) {
    if (list[k].number < 0 || list[k].cloth != wanted.cloth || list[k].since != wanted.since)
      continue;
    memcpy(alike->hinge + 4 * (size_t)alike->hinges, s->topology->hinge + 4 * (size_t)list[k].number,
           4 * sizeof *alike->hinge);
    alike->hinge_edge[alike->hinges++] = s->topology->hinge_edge[list[k].number];
    list[k].number = -1; // taken
  }
  const mus_model_part *c = &model->parts[wanted.cloth];
  *item = (mus_seam_hinges){wanted.cloth,
                            wanted.since,
                            {.mesh = s->mesh, .topology = alike, .fabric = &c->fabric, .shaped = c->shape.shaped}};
  return MUS_OK;
}

mus_status mus_seam_hinges_find(mus_model *model, mus_list *found) {
  search s = {.since = NULL};
  if (model->stitches == 0)
    return MUS_OK;
  s.since = mus_arena_alloc(&s.scratch, (size_t)model->vertices, sizeof *s.since);
  mus_status status = s.since ? join_cloths(model, &s) : mus_fail_memory();
  if (!status) {
    find_since(model, &s);
    status = weld_all(model, &s);
  }
  if (!status)
    status = list_hinges(model, &s);
  for (size_t k = 0; k < s.hinges.count && !status; ++k)
    if (((hinge *)s.hinges.items)[k].number >= 0)
      status = take_alike(model, &s, k, found);
  mus_free(s.hinges.items);
  mus_arena_clear(&s.scratch);
  return status;
}
