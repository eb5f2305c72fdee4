// Reverse Cuthill-McKee. See reorder.h.
#include "mesh/reorder.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "mesh/sort.h"

// --- the graph -----------------------------------------------------------------------------------------------------

// The neighbours of every vertex, those with the fewest neighbours of their own first.
typedef struct graph {
  int *start, *neighbour;
} graph;

static mus_status build_graph(mus_arena *scratch, int vertices, int edges, const int *edge, graph *out) {
  int *degree = mus_arena_alloc_zero(scratch, (size_t)vertices, sizeof *degree);
  int *count = mus_arena_alloc(scratch, (size_t)vertices + 1, sizeof *count);
  int *by_degree = mus_arena_alloc(scratch, (size_t)vertices, sizeof *by_degree);
  int *start = mus_arena_alloc(scratch, (size_t)vertices + 1, sizeof *start);
  int *unsorted = mus_arena_alloc(scratch, (size_t)edges * 2, sizeof *unsorted);
  int *sorted = mus_arena_alloc(scratch, (size_t)edges * 2, sizeof *sorted);
  if (!degree || !count || !by_degree || !start || !unsorted || !sorted)
    return mus_fail_memory();
  for (size_t i = 0; i < (size_t)edges * 2; ++i)
    ++degree[edge[i]];
  memcpy(start, degree, (size_t)vertices * sizeof *start);
  mus_accumulate(vertices, start);
  memcpy(count, start, (size_t)vertices * sizeof *count);
  for (size_t e = 0; e < (size_t)edges; ++e) {
    int a = edge[2 * e], b = edge[2 * e + 1];
    unsorted[count[a]++] = b;
    unsorted[count[b]++] = a;
  }
  // Vertices in the order of their degrees enter the lists of all their neighbours.
  mus_sort_by_key(vertices, vertices, degree, NULL, count, by_degree);
  memcpy(count, start, (size_t)vertices * sizeof *count);
  for (int i = 0; i < vertices; ++i)
    for (int v = by_degree[i], k = start[v]; k < start[v + 1]; ++k)
      sorted[count[unsorted[k]]++] = v;
  *out = (graph){start, sorted};
  return MUS_OK;
}

static int degree_of(const graph *g, int v) { return g->start[v + 1] - g->start[v]; }

// --- the order -----------------------------------------------------------------------------------------------------

// Appends what can be reached from `first`, nearest first, to the `count` vertices in `list`; answers the new count.
// `mark` becomes `stamp` for all of them and must be different before.
static int walk(const graph *g, int first, int stamp, int *mark, int count, int *list) {
  int next = count;
  mark[first] = stamp;
  list[count++] = first;
  for (; next < count; ++next)
    for (int k = g->start[list[next]]; k < g->start[list[next] + 1]; ++k) {
      int v = g->neighbour[k];
      if (mark[v] != stamp) {
        mark[v] = stamp;
        list[count++] = v;
      }
    }
  return count;
}

// Of the vertices furthest from the first of the list (depth gets their distance), the one with the fewest neighbours.
// `distance` is scratch.
static int furthest(const graph *g, int count, const int *list, int *distance, int *depth) {
  distance[list[0]] = 0;
  for (int i = 1; i < count; ++i)
    distance[list[i]] = -1;
  for (int i = 0; i < count; ++i)
    for (int k = g->start[list[i]]; k < g->start[list[i] + 1]; ++k)
      if (distance[g->neighbour[k]] < 0)
        distance[g->neighbour[k]] = distance[list[i]] + 1;
  *depth = distance[list[count - 1]];
  int best = list[count - 1];
  for (int i = count - 1; i >= 0 && distance[list[i]] == *depth; --i)
    if (degree_of(g, list[i]) <= degree_of(g, best))
      best = list[i];
  return best;
}

// Each walk from the far end of the last one gives a longer and thinner component; a few of them get near the best.
enum { WALKS = 6 };

static mus_status cuthill_mckee(mus_arena *scratch, int vertices, const graph *g, int *list) {
  int *mark = mus_arena_alloc_zero(scratch, (size_t)vertices, sizeof *mark);
  int *distance = mus_arena_alloc(scratch, (size_t)vertices, sizeof *distance);
  if (!mark || !distance)
    return mus_fail_memory();
  int count = 0;
  for (int v = 0; v < vertices; ++v) {
    if (mark[v] != 0)
      continue;
    int first = v, end = 0, depth, deepest = -1;
    for (int stamp = 1; stamp <= WALKS; ++stamp) {
      end = walk(g, first, stamp, mark, count, list);
      int far = furthest(g, end - count, list + count, distance, &depth);
      if (depth <= deepest)
        break;
      deepest = depth;
      first = far;
    }
    count = end;
  }
  return MUS_OK;
}

static mus_status sort_triangles(mus_arena *scratch, const mus_mesh *mesh, mus_order *order) {
  int *key = mus_arena_alloc(scratch, (size_t)mesh->triangles, sizeof *key);
  int *start = mus_arena_alloc(scratch, (size_t)mesh->vertices + 1, sizeof *start);
  if (!key || !start)
    return mus_fail_memory();
  for (int t = 0; t < mesh->triangles; ++t) {
    const int *corner = mesh->triangle + (size_t)t * 3;
    int a = order->new_vertex[corner[0]], b = order->new_vertex[corner[1]], c = order->new_vertex[corner[2]];
    int low = a < b ? a : b;
    key[t] = low < c ? low : c;
  }
  mus_sort_by_key(mesh->triangles, mesh->vertices, key, NULL, start, order->triangle);
  return MUS_OK;
}

mus_status mus_order_vertices(int vertices, int edges, const int *edge, int *vertex, int *new_vertex) {
  mus_arena scratch = {0};
  graph g = {0};
  int *list = mus_arena_alloc(&scratch, (size_t)vertices, sizeof *list);
  mus_status status = list ? build_graph(&scratch, vertices, edges, edge, &g) : mus_fail_memory();
  if (status == MUS_OK)
    status = cuthill_mckee(&scratch, vertices, &g, list);
  for (int i = 0; status == MUS_OK && i < vertices; ++i) {
    vertex[i] = list[vertices - 1 - i]; // the reverse has less fill under factorisation, and is as good else
    new_vertex[vertex[i]] = i;
  }
  mus_arena_clear(&scratch);
  return status;
}

mus_status mus_order_find(mus_arena *arena, const mus_mesh *mesh, const mus_topology *topology, mus_order *out) {
  mus_arena scratch = {0};
  mus_order order = {.vertices = mesh->vertices, .triangles = mesh->triangles};
  size_t n = (size_t)mesh->vertices;
  order.vertex = mus_arena_alloc(arena, n, sizeof *order.vertex);
  order.new_vertex = mus_arena_alloc(arena, n, sizeof *order.new_vertex);
  order.triangle = mus_arena_alloc(arena, (size_t)mesh->triangles, sizeof *order.triangle);
  if (!order.vertex || !order.new_vertex || !order.triangle)
    return mus_fail_memory();
  mus_status status =
      mus_order_vertices(mesh->vertices, topology->edges, topology->edge, order.vertex, order.new_vertex);
  if (status == MUS_OK)
    status = sort_triangles(&scratch, mesh, &order);
  mus_arena_clear(&scratch);
  if (status == MUS_OK)
    *out = order;
  return status;
}

// --- its use -------------------------------------------------------------------------------------------------------

mus_status mus_order_apply(mus_arena *arena, const mus_order *order, const mus_mesh *mesh, mus_mesh *out) {
  mus_mesh sorted;
  mus_status status = mus_mesh_create(arena, mesh->vertices, mesh->triangles, mesh->material != NULL, &sorted);
  if (status != MUS_OK)
    return status;
  for (int v = 0; v < mesh->vertices; ++v)
    memcpy(sorted.position + (size_t)v * 3, mesh->position + (size_t)order->vertex[v] * 3, 3 * sizeof *mesh->position);
  for (int t = 0; t < mesh->triangles; ++t) {
    size_t before = (size_t)order->triangle[t];
    for (size_t k = 0; k < 3; ++k)
      sorted.triangle[(size_t)t * 3 + k] = order->new_vertex[mesh->triangle[before * 3 + k]];
    if (mesh->material)
      memcpy(sorted.material + (size_t)t * 6, mesh->material + before * 6, 6 * sizeof *mesh->material);
  }
  *out = sorted;
  return MUS_OK;
}

void mus_order_restore(const mus_order *order, int width, const double *value, double *before) {
  for (size_t v = 0; v < (size_t)order->vertices; ++v)
    memcpy(before + (size_t)order->vertex[v] * (size_t)width, value + v * (size_t)width, (size_t)width * sizeof *value);
}

// Of vertices with these new numbers; NULL: as they are.
static mus_spread spread_of(const mus_topology *topology, const int *number) {
  mus_spread spread = {0, 0};
  for (size_t e = 0; e < (size_t)topology->edges; ++e) {
    int a = topology->edge[2 * e], b = topology->edge[2 * e + 1];
    int distance = number ? abs(number[b] - number[a]) : b - a; // the larger comes second
    spread.bandwidth = distance > spread.bandwidth ? distance : spread.bandwidth;
    spread.mean += (double)distance / topology->edges;
  }
  return spread;
}

mus_spread mus_mesh_spread(const mus_topology *topology) { return spread_of(topology, NULL); }

mus_spread mus_order_spread(const mus_order *order, const mus_topology *topology) {
  return spread_of(topology, order->new_vertex);
}
