// Topology, seams and thickness of all that collides. See surface.h.
#include "collide/surface.h"

#include <string.h>

#include "base/error.h"
#include "mesh/sort.h"

// A triangle whose corners are not all of cloth or all of bodies, as its place in the order says; -1 where all are
// right. Corners that are out of range are found by mus_topology_create().
static int mixed_triangle(const mus_surface_parts *parts) {
  for (int t = 0; t < parts->triangles; ++t)
    for (int k = 0; k < 3; ++k)
      if ((parts->triangle[3 * (size_t)t + (size_t)k] < parts->cloth_vertices) != (t < parts->cloth_triangles))
        return t;
  return -1;
}

static mus_status check_parts(const mus_surface_parts *parts) {
  int mixed = mixed_triangle(parts);
  if (mixed >= 0)
    return mus_fail(MUS_BAD_INPUT, "triangle %d joins cloth and bodies, or is listed among the wrong ones", mixed);
  for (int i = 0; i < 2 * parts->sewn; ++i)
    if (parts->pair[i] < 0 || parts->pair[i] >= parts->vertices)
      return mus_fail(MUS_BAD_INPUT, "sewn pair %d has vertex %d outside 0...%d", i / 2, parts->pair[i],
                      parts->vertices - 1);
  for (int v = 0; v < parts->vertices; ++v)
    if (!(parts->radius[v] > 0))
      return mus_fail(MUS_BAD_INPUT, "vertex %d has no thickness: its radius is %g", v, parts->radius[v]);
  return MUS_OK;
}

static void *copied(mus_arena *arena, const void *from, size_t count, size_t size) {
  void *to = mus_arena_alloc(arena, count, size);
  if (to && count > 0)
    memcpy(to, from, count * size);
  return to;
}

static mus_status copy_parts(mus_arena *arena, const mus_surface_parts *parts, mus_surface *out) {
  out->vertices = parts->vertices;
  out->triangles = parts->triangles;
  out->cloth_vertices = parts->cloth_vertices;
  out->cloth_triangles = parts->cloth_triangles;
  out->triangle = copied(arena, parts->triangle, (size_t)parts->triangles * 3, sizeof *out->triangle);
  out->body = copied(arena, parts->body, (size_t)parts->vertices, sizeof *out->body);
  out->radius = copied(arena, parts->radius, (size_t)parts->vertices, sizeof *out->radius);
  return out->triangle && out->body && out->radius ? MUS_OK : mus_fail_memory();
}

static mus_status copy_topology(mus_arena *arena, const mus_topology *topology, mus_surface *out) {
  size_t sides = (size_t)out->triangles * 3;
  out->edges = topology->edges;
  out->edge = copied(arena, topology->edge, (size_t)topology->edges * 2, sizeof *out->edge);
  out->triangle_edge = copied(arena, topology->side_edge, sides, sizeof *out->triangle_edge);
  out->vertex_start = copied(arena, topology->vertex_start, (size_t)out->vertices + 1, sizeof *out->vertex_start);
  out->vertex_triangle = copied(arena, topology->vertex_triangle, sides, sizeof *out->vertex_triangle);
  out->edge_start = copied(arena, topology->edge_side_start, (size_t)topology->edges + 1, sizeof *out->edge_start);
  out->edge_triangle = mus_arena_alloc(arena, sides, sizeof *out->edge_triangle);
  if (!out->edge || !out->triangle_edge || !out->vertex_start || !out->vertex_triangle || !out->edge_start ||
      !out->edge_triangle)
    return mus_fail_memory();
  for (size_t i = 0; i < sides; ++i)
    out->edge_triangle[i] = topology->edge_side[i] / 3;
  // Edges are in the order of their smaller vertices, so those of cloth come first.
  while (out->cloth_edges < out->edges && out->edge[2 * (size_t)out->cloth_edges] < out->cloth_vertices)
    ++out->cloth_edges;
  return MUS_OK;
}

// Who is sewn to whom: first by the vertex that is sewn to, then, keeping that order, by the one that is sewn.
static mus_status list_seams(mus_arena *arena, mus_arena *scratch, const mus_surface_parts *parts, mus_surface *out) {
  int ends = 2 * parts->sewn; // end i is sewn to end i ^ 1
  size_t vertices = (size_t)parts->vertices;
  int *partner = mus_arena_alloc(scratch, (size_t)ends, sizeof *partner);
  int *half_sorted = mus_arena_alloc(scratch, (size_t)ends, sizeof *half_sorted);
  int *sorted = mus_arena_alloc(scratch, (size_t)ends, sizeof *sorted);
  int *end = mus_arena_alloc(scratch, vertices + 1, sizeof *end);
  out->sewn_start = mus_arena_alloc_zero(arena, vertices + 1, sizeof *out->sewn_start);
  out->sewn = mus_arena_alloc(arena, (size_t)ends, sizeof *out->sewn);
  if (!partner || !half_sorted || !sorted || !end || !out->sewn_start || !out->sewn)
    return mus_fail_memory();
  for (int i = 0; i < ends; ++i) {
    partner[i] = parts->pair[i ^ 1];
    ++out->sewn_start[parts->pair[i]];
  }
  out->seams = parts->sewn;
  mus_accumulate(parts->vertices, out->sewn_start);
  mus_sort_by_key(ends, parts->vertices, partner, NULL, end, half_sorted);
  mus_sort_by_key(ends, parts->vertices, parts->pair, half_sorted, end, sorted);
  for (int i = 0; i < ends; ++i)
    out->sewn[i] = partner[sorted[i]];
  return MUS_OK;
}

mus_status mus_surface_create(mus_arena *arena, const mus_surface_parts *parts, mus_surface *out) {
  mus_surface surface = {0};
  mus_topology topology;
  mus_arena scratch = {0};
  mus_status status = copy_parts(arena, parts, &surface);
  if (status == MUS_OK) {
    mus_mesh mesh = {.vertices = parts->vertices, .triangles = parts->triangles, .triangle = surface.triangle};
    status = mus_topology_create(&scratch, &mesh, &topology);
  }
  if (status == MUS_OK)
    status = check_parts(parts);
  if (status == MUS_OK)
    status = copy_topology(arena, &topology, &surface);
  if (status == MUS_OK)
    status = list_seams(arena, &scratch, parts, &surface);
  mus_arena_clear(&scratch);
  if (status == MUS_OK)
    *out = surface;
  return status;
}

static double smallest_radius(const mus_surface *surface, int nodes, const int *node) {
  double smallest = surface->radius[node[0]];
  for (int k = 1; k < nodes; ++k)
    if (surface->radius[node[k]] < smallest)
      smallest = surface->radius[node[k]];
  return smallest;
}

double mus_vertex_face_gap(const mus_surface *surface, int vertex, int triangle) {
  return surface->radius[vertex] + smallest_radius(surface, 3, surface->triangle + (size_t)triangle * 3);
}

double mus_edge_edge_gap(const mus_surface *surface, int first, int second) {
  return smallest_radius(surface, 2, surface->edge + (size_t)first * 2) +
         smallest_radius(surface, 2, surface->edge + (size_t)second * 2);
}

static int are_sewn(const mus_surface *surface, int a, int b) {
  for (int i = surface->sewn_start[a]; i < surface->sewn_start[a + 1]; ++i)
    if (surface->sewn[i] == b)
      return 1;
  return 0;
}

int mus_are_neighbours(const mus_surface *surface, int count_a, const int *a, int count_b, const int *b) {
  for (int i = 0; i < count_a; ++i)
    for (int j = 0; j < count_b; ++j)
      if (a[i] == b[j] || are_sewn(surface, a[i], b[j]))
        return 1;
  return 0;
}
