// From the surface that collides to the unknowns that move it. See surface_map.h.
#include "contact/surface_map.h"

#include "base/error.h"
#include "par/par.h"
#include "par/vector.h"

static mus_status check_vertex(const mus_surface_map *map, int vertex) {
  int count = map->start[vertex + 1] - map->start[vertex];
  double sum = 0;
  if (count < 1 || count > MUS_CARRIERS_MAXIMUM)
    return mus_fail(MUS_BAD_INPUT, "vertex %d of the surface is carried by %d nodes: 1 to %d are possible", vertex,
                    count, MUS_CARRIERS_MAXIMUM);
  for (int k = map->start[vertex]; k < map->start[vertex + 1]; ++k) {
    if (map->node[k] < 0 || map->node[k] >= map->nodes)
      return mus_fail(MUS_BAD_INPUT, "vertex %d of the surface names node %d, but nodes go from 0 to %d", vertex,
                      map->node[k], map->nodes - 1);
    sum += map->weight[k];
  }
  if (!(fabs(sum - 1) < 1e-9))
    return mus_fail(MUS_BAD_INPUT, "the weights of vertex %d of the surface sum to %g: they must sum to 1", vertex,
                    sum);
  return MUS_OK;
}

mus_status mus_surface_map_create(mus_arena *arena, const mus_surface_map *from, mus_surface_map *out) {
  if (mus_map_is_identity(from)) {
    *out = *from;
    return MUS_OK;
  }
  for (int s = 0; s < from->vertices; ++s) {
    mus_status status = check_vertex(from, s);
    if (status)
      return status;
  }
  size_t entries = (size_t)from->start[from->vertices], starts = (size_t)from->vertices + 1;
  int *start = mus_arena_alloc(arena, starts, sizeof *start);
  int *node = mus_arena_alloc(arena, entries, sizeof *node);
  double *weight = mus_arena_alloc(arena, entries, sizeof *weight);
  if (!start || !node || !weight)
    return mus_fail_memory();
  memcpy(start, from->start, starts * sizeof *start);
  memcpy(node, from->node, entries * sizeof *node);
  memcpy(weight, from->weight, entries * sizeof *weight);
  *out = (mus_surface_map){from->vertices, from->nodes, start, node, weight, NULL};
  return MUS_OK;
}

void mus_map_add_block(const mus_surface_map *map, int row, int column, const double *block, mus_matrix *matrix) {
  mus_carriers i = mus_map_carriers(map, &row), j = mus_map_carriers(map, &column);
  for (int k = 0; k < i.count; ++k)
    for (int l = 0; l < j.count; ++l)
      mus_matrix_add_block(matrix, i.node[k], j.node[l], i.weight[k] * j.weight[l], block);
}

void mus_map_to_surface(const mus_surface_map *map, const double *nodal, double *surface) {
  if (mus_map_is_identity(map)) {
    mus_copy(3 * (size_t)map->vertices, nodal, surface);
    return;
  }
  MUS_PARALLEL_FOR_IF(map->vertices > MUS_PAR_MINIMUM)
  for (int s = 0; s < map->vertices; ++s)
    mus_map_value(map, s, nodal, surface + 3 * (size_t)s);
}

const double *mus_map_on_surface(const mus_surface_map *map, const double *nodal, double *surface) {
  if (mus_map_is_identity(map))
    return nodal;
  mus_map_to_surface(map, nodal, surface);
  return surface;
}

void mus_map_share_mass(const mus_surface_map *map, const double *nodal, double *scratch, double *surface) {
  mus_fill((size_t)map->nodes, 0, scratch);
  for (int s = 0; s < map->vertices; ++s) {
    mus_carriers c = mus_map_carriers(map, &s);
    for (int k = 0; k < c.count; ++k)
      scratch[c.node[k]] += c.weight[k];
  }
  for (int s = 0; s < map->vertices; ++s) {
    mus_carriers c = mus_map_carriers(map, &s);
    surface[s] = 0;
    for (int k = 0; k < c.count; ++k)
      if (c.weight[k] != 0) // its node may carry nothing else
        surface[s] += c.weight[k] * nodal[c.node[k]] / scratch[c.node[k]];
  }
}
