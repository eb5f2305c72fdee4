// See tetrahedra_order.h.
#include "mesh/tetrahedra_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "mesh/reorder.h"
#include "mesh/sort.h"

static mus_status sort_tetrahedra(mus_arena *scratch, const mus_tetrahedra *mesh, mus_solid_order *order) {
  int *key = mus_arena_alloc(scratch, (size_t)mesh->tetrahedra, sizeof *key);
  int *start = mus_arena_alloc(scratch, (size_t)mesh->vertices + 1, sizeof *start);
  if (!key || !start)
    return mus_fail_memory();
  for (size_t t = 0; t < (size_t)mesh->tetrahedra; ++t) {
    key[t] = order->new_vertex[mesh->corner[4 * t]];
    for (size_t k = 1; k < 4; ++k) {
      int number = order->new_vertex[mesh->corner[4 * t + k]];
      key[t] = number < key[t] ? number : key[t];
    }
  }
  mus_sort_by_key(mesh->tetrahedra, mesh->vertices, key, NULL, start, order->tetrahedron);
  return MUS_OK;
}

mus_status mus_solid_order_find(mus_arena *arena, const mus_tetrahedra *mesh, mus_solid_order *out) {
  mus_arena scratch = {0};
  mus_edges edges;
  mus_solid_order order = {.vertices = mesh->vertices, .tetrahedra = mesh->tetrahedra};
  order.vertex = mus_arena_alloc(arena, (size_t)mesh->vertices, sizeof *order.vertex);
  order.new_vertex = mus_arena_alloc(arena, (size_t)mesh->vertices, sizeof *order.new_vertex);
  order.tetrahedron = mus_arena_alloc(arena, (size_t)mesh->tetrahedra, sizeof *order.tetrahedron);
  if (!order.vertex || !order.new_vertex || !order.tetrahedron)
    return mus_fail_memory();
  mus_status status = mus_tetrahedra_edges(&scratch, mesh, &edges);
  if (!status)
    status = mus_order_vertices(mesh->vertices, edges.edges, edges.edge, order.vertex, order.new_vertex);
  if (!status)
    status = sort_tetrahedra(&scratch, mesh, &order);
  mus_arena_clear(&scratch);
  if (!status)
    *out = order;
  return status;
}

mus_status mus_solid_order_apply(mus_arena *arena, const mus_solid_order *order, const mus_tetrahedra *mesh,
                                 mus_tetrahedra *out) {
  mus_tetrahedra sorted;
  mus_status status = mus_tetrahedra_create(arena, mesh->vertices, mesh->tetrahedra, mesh->region != NULL, &sorted);
  if (status)
    return status;
  for (int v = 0; v < mesh->vertices; ++v)
    memcpy(sorted.position + (size_t)v * 3, mesh->position + (size_t)order->vertex[v] * 3, 3 * sizeof *mesh->position);
  for (size_t t = 0; t < (size_t)mesh->tetrahedra; ++t) {
    size_t before = (size_t)order->tetrahedron[t];
    for (size_t k = 0; k < 4; ++k)
      sorted.corner[4 * t + k] = order->new_vertex[mesh->corner[4 * before + k]];
    if (mesh->region)
      sorted.region[t] = mesh->region[before];
  }
  *out = sorted;
  return MUS_OK;
}

void mus_solid_order_restore(const mus_solid_order *order, int width, const double *value, double *before) {
  for (size_t v = 0; v < (size_t)order->vertices; ++v)
    memcpy(before + (size_t)order->vertex[v] * (size_t)width, value + v * (size_t)width, (size_t)width * sizeof *value);
}

double mus_tetrahedra_spread(const mus_tetrahedra *mesh) {
  double sum = 0;
  for (size_t t = 0; t < (size_t)mesh->tetrahedra; ++t)
    for (size_t i = 0; i < 3; ++i)
      for (size_t j = i + 1; j < 4; ++j)
        sum += abs(mesh->corner[4 * t + i] - mesh->corner[4 * t + j]);
  return mesh->tetrahedra > 0 ? sum / 6 / mesh->tetrahedra : 0;
}
