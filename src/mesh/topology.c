// Edges, hinges, loops, incidence and components. See topology.h.
//
// Sides are brought into the order of their edges by two counting sorts, by the larger and then by the smaller vertex:
// linear time, whatever the mesh, and equal edges keep the order of their sides.
#include "mesh/topology.h"

#include <string.h>

#include "base/error.h"
#include "mesh/groups.h"
#include "mesh/sort.h"

static mus_status check_triangles(const mus_mesh *mesh) {
  for (int t = 0; t < mesh->triangles; ++t) {
    const int *corner = mesh->triangle + (size_t)t * 3;
    for (int k = 0; k < 3; ++k)
      if (corner[k] < 0 || corner[k] >= mesh->vertices)
        return mus_fail(MUS_BAD_INPUT, "triangle %d has vertex %d outside 0...%d: correct the mesh", t, corner[k],
                        mesh->vertices - 1);
    if (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0])
      return mus_fail(MUS_BAD_INPUT, "triangle %d has a vertex twice (%d %d %d): remove it, or repair the mesh", t,
                      corner[0], corner[1], corner[2]);
  }
  return MUS_OK;
}

// --- the triangles around a vertex ---------------------------------------------------------------------------------

static mus_status build_incidence(mus_arena *arena, const mus_mesh *mesh, mus_topology *out) {
  size_t corners = (size_t)mesh->triangles * 3;
  int *start = mus_arena_alloc_zero(arena, (size_t)mesh->vertices + 2, sizeof *start);
  int *list = mus_arena_alloc(arena, corners, sizeof *list);
  if (!start || !list)
    return mus_fail_memory();
  // Filled one place further on, each start moves to its own place while the list is filled.
  for (size_t i = 0; i < corners; ++i)
    ++start[mesh->triangle[i] + 1];
  mus_accumulate(mesh->vertices, start + 1);
  for (size_t i = 0; i < corners; ++i)
    list[start[mesh->triangle[i] + 1]++] = (int)(i / 3);
  out->vertex_start = start;
  out->vertex_triangle = list;
  return MUS_OK;
}

// --- edges ---------------------------------------------------------------------------------------------------------

static int smaller(int a, int b) { return a < b ? a : b; }
static int larger(int a, int b) { return a < b ? b : a; }

// The ends of all sides, for sorting.
typedef struct end_list {
  int *low, *high;
} end_list;

static mus_status list_ends(mus_arena *scratch, const mus_mesh *mesh, end_list *out) {
  int sides = mesh->triangles * 3;
  out->low = mus_arena_alloc(scratch, (size_t)sides, sizeof *out->low);
  out->high = mus_arena_alloc(scratch, (size_t)sides, sizeof *out->high);
  if (!out->low || !out->high)
    return mus_fail_memory();
  for (int side = 0; side < sides; ++side) {
    int from = mus_side_from(mesh, side), to = mus_side_to(mesh, side);
    out->low[side] = smaller(from, to);
    out->high[side] = larger(from, to);
  }
  return MUS_OK;
}

static int is_same_edge(const end_list *ends, int a, int b) {
  return ends->low[a] == ends->low[b] && ends->high[a] == ends->high[b];
}

// From the sides in order: one edge for each run of equal ones.
static void fill_edges(int sides, const end_list *ends, mus_topology *out) {
  int e = -1;
  for (int i = 0; i < sides; ++i) {
    int side = out->edge_side[i];
    if (i == 0 || !is_same_edge(ends, side, out->edge_side[i - 1])) {
      ++e;
      out->edge_side_start[e] = i;
      out->edge[2 * (size_t)e] = ends->low[side];
      out->edge[2 * (size_t)e + 1] = ends->high[side];
    }
    out->side_edge[side] = e;
  }
  out->edge_side_start[out->edges] = sides;
  for (e = 0; e < out->edges; ++e) {
    out->boundary_edges += mus_edge_sides(out, e) == 1;
    out->branching_edges += mus_edge_sides(out, e) > 2;
  }
}

static mus_status build_edges(mus_arena *arena, mus_arena *scratch, const mus_mesh *mesh, mus_topology *out) {
  int sides = mesh->triangles * 3;
  end_list ends;
  mus_status status = list_ends(scratch, mesh, &ends);
  if (status != MUS_OK)
    return status;
  int *start = mus_arena_alloc(scratch, (size_t)mesh->vertices + 1, sizeof *start);
  int *half_sorted = mus_arena_alloc(scratch, (size_t)sides, sizeof *half_sorted);
  out->edge_side = mus_arena_alloc(arena, (size_t)sides, sizeof *out->edge_side);
  out->side_edge = mus_arena_alloc(arena, (size_t)sides, sizeof *out->side_edge);
  if (!start || !half_sorted || !out->edge_side || !out->side_edge)
    return mus_fail_memory();
  mus_sort_by_key(sides, mesh->vertices, ends.high, NULL, start, half_sorted);
  mus_sort_by_key(sides, mesh->vertices, ends.low, half_sorted, start, out->edge_side);
  for (int i = 0; i < sides; ++i)
    out->edges += i == 0 || !is_same_edge(&ends, out->edge_side[i], out->edge_side[i - 1]);
  out->edge = mus_arena_alloc(arena, (size_t)out->edges * 2, sizeof *out->edge);
  out->edge_side_start = mus_arena_alloc(arena, (size_t)out->edges + 1, sizeof *out->edge_side_start);
  if (!out->edge || !out->edge_side_start)
    return mus_fail_memory();
  fill_edges(sides, &ends, out);
  return MUS_OK;
}

// --- hinges --------------------------------------------------------------------------------------------------------

// The first side of an edge that bends, -1 for any other edge.
static int hinge_side(const mus_mesh *mesh, const mus_topology *topology, int edge) {
  const int *side = topology->edge_side + topology->edge_side_start[edge];
  if (mus_edge_sides(topology, edge) != 2 || mus_side_apex(mesh, side[0]) == mus_side_apex(mesh, side[1]))
    return -1;
  return side[0];
}

static mus_status build_hinges(mus_arena *arena, const mus_mesh *mesh, mus_topology *out) {
  for (int e = 0; e < out->edges; ++e)
    out->hinges += hinge_side(mesh, out, e) >= 0;
  out->hinge = mus_arena_alloc(arena, (size_t)out->hinges * 4, sizeof *out->hinge);
  out->hinge_edge = mus_arena_alloc(arena, (size_t)out->hinges, sizeof *out->hinge_edge);
  if (!out->hinge || !out->hinge_edge)
    return mus_fail_memory();
  int h = 0;
  for (int e = 0; e < out->edges; ++e) {
    int side = hinge_side(mesh, out, e);
    if (side < 0)
      continue;
    int *hinge = out->hinge + (size_t)h * 4;
    hinge[0] = mus_side_from(mesh, side);
    hinge[1] = mus_side_to(mesh, side);
    hinge[2] = mus_side_apex(mesh, side);
    hinge[3] = mus_side_apex(mesh, out->edge_side[out->edge_side_start[e] + 1]);
    out->hinge_edge[h++] = e;
  }
  return MUS_OK;
}

// --- boundary loops ------------------------------------------------------------------------------------------------

// The other side of the side's triangle that has `vertex` as an end.
static int other_side_at(const mus_mesh *mesh, int side, int vertex) {
  int first = side - side % 3;
  for (int s = first; s < first + 3; ++s)
    if (s != side && mus_side_apex(mesh, s) != vertex)
      return s;
  return -1; // not reached: two sides of a triangle end in each of its vertices
}

// From a boundary side around one of its ends, triangle by triangle, to the boundary side where the fan ends; -1 when
// it ends at a branching edge. Each step undoes the last one's, so that no step comes twice.
static int next_boundary_side(const mus_mesh *mesh, const mus_topology *topology, int side, int vertex) {
  for (;;) {
    side = other_side_at(mesh, side, vertex);
    int edge = topology->side_edge[side], sides = mus_edge_sides(topology, edge);
    if (sides != 2)
      return sides == 1 ? side : -1;
    const int *both = topology->edge_side + topology->edge_side_start[edge];
    side = both[0] == side ? both[1] : both[0];
  }
}

static int other_end(const mus_mesh *mesh, int side, int vertex) {
  int from = mus_side_from(mesh, side);
  return from == vertex ? mus_side_to(mesh, side) : from;
}

// Where a loop begins and which way it goes: a boundary side, and the end of it that comes second.
typedef struct walk {
  int side, ahead;
} walk;

// One step along the boundary; false, and nothing done, where it ends.
static int step(const mus_mesh *mesh, const mus_topology *topology, walk *w) {
  int side = next_boundary_side(mesh, topology, w->side, w->ahead);
  if (side < 0)
    return 0;
  *w = (walk){side, other_end(mesh, side, w->ahead)};
  return 1;
}

// Back to where an open loop begins; a closed one ends up where it started.
static walk first_of_loop(const mus_mesh *mesh, const mus_topology *topology, int side, unsigned char *closed) {
  walk back = {side, mus_side_from(mesh, side)};
  *closed = 0;
  while (step(mesh, topology, &back))
    if (back.side == side) {
      *closed = 1;
      return (walk){side, mus_side_to(mesh, side)};
    }
  return (walk){back.side, other_end(mesh, back.side, back.ahead)};
}

// Appends the vertices of the loop that the side belongs to and marks its sides.
static void add_loop(const mus_mesh *mesh, mus_topology *out, int side, unsigned char *done) {
  int count = out->loop_start[out->loops];
  unsigned char closed;
  walk w = first_of_loop(mesh, out, side, &closed);
  if (!closed)
    out->loop[count++] = other_end(mesh, w.side, w.ahead);
  do {
    done[w.side] = 1;
    out->loop[count++] = w.ahead;
  } while (step(mesh, out, &w) && !done[w.side]);
  if (closed) { // begins with the side's own first vertex, as an open one does
    int last = out->loop[count - 1], begin = out->loop_start[out->loops];
    memmove(out->loop + begin + 1, out->loop + begin, (size_t)(count - 1 - begin) * sizeof *out->loop);
    out->loop[begin] = last;
  }
  out->loop_closed[out->loops++] = closed;
  out->loop_start[out->loops] = count;
}

static mus_status build_loops(mus_arena *arena, mus_arena *scratch, const mus_mesh *mesh, mus_topology *out) {
  size_t most = (size_t)out->boundary_edges; // every loop has a side, and an open one a vertex more than sides
  unsigned char *done = mus_arena_alloc_zero(scratch, (size_t)mesh->triangles * 3, 1);
  out->loop = mus_arena_alloc(arena, 2 * most, sizeof *out->loop);
  out->loop_start = mus_arena_alloc_zero(arena, most + 1, sizeof *out->loop_start);
  out->loop_closed = mus_arena_alloc(arena, most, 1);
  if (!done || !out->loop || !out->loop_start || !out->loop_closed)
    return mus_fail_memory();
  for (int e = 0; e < out->edges; ++e)
    if (mus_edge_sides(out, e) == 1 && !done[out->edge_side[out->edge_side_start[e]]])
      add_loop(mesh, out, out->edge_side[out->edge_side_start[e]], done);
  return MUS_OK;
}

// --- components ----------------------------------------------------------------------------------------------------

static mus_status build_components(mus_arena *arena, mus_arena *scratch, const mus_mesh *mesh, mus_topology *out) {
  int *parent = mus_arena_alloc(scratch, (size_t)mesh->vertices, sizeof *parent);
  out->component = mus_arena_alloc(arena, (size_t)mesh->vertices, sizeof *out->component);
  if (!parent || !out->component)
    return mus_fail_memory();
  for (int v = 0; v < mesh->vertices; ++v)
    parent[v] = v;
  for (int t = 0; t < mesh->triangles; ++t) {
    const int *corner = mesh->triangle + (size_t)t * 3;
    mus_group_join(parent, corner[0], corner[1]);
    mus_group_join(parent, corner[0], corner[2]);
  }
  for (int v = 0; v < mesh->vertices; ++v) {
    int root = mus_group_first(parent, v);
    if (out->vertex_start[v] == out->vertex_start[v + 1])
      out->component[v] = -1;
    else
      out->component[v] = root == v ? out->components++ : out->component[root];
  }
  return MUS_OK;
}

mus_status mus_topology_create(mus_arena *arena, const mus_mesh *mesh, mus_topology *out) {
  mus_topology topology = {0};
  mus_arena scratch = {0};
  mus_status status = check_triangles(mesh);
  if (status == MUS_OK)
    status = build_incidence(arena, mesh, &topology);
  if (status == MUS_OK)
    status = build_edges(arena, &scratch, mesh, &topology);
  if (status == MUS_OK)
    status = build_hinges(arena, mesh, &topology);
  if (status == MUS_OK)
    status = build_loops(arena, &scratch, mesh, &topology);
  if (status == MUS_OK)
    status = build_components(arena, &scratch, mesh, &topology);
  mus_arena_clear(&scratch);
  if (status == MUS_OK)
    *out = topology;
  return status;
}
