// See refine.h.
#include "mesh/refine.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "mesh/topology.h"

// So many vertices are more than any machine simulates.
static const double vertices_maximum = 1e8;

// What is passed from one round to the next. Memory comes from the round's arena, and from mus_alloc for lists.
typedef struct refining {
  double length;
  mus_mesh mesh;
  mus_list parent; // int[2]
  mus_list sewn;   // int for every vertex: the same for those that are sewn together
} refining;

// One round's marks.
typedef struct marks {
  mus_topology topology;
  double *side;          // triangles * 3: length of the side opposite a corner, m
  int *group;            // edges: those with the same number are cut together
  unsigned char *marked; // groups
  int *middle;           // edges: the new vertex; -1 where there is none
} marks;

// --- marks -----------------------------------------------------------------------------------------------------------

static double side_length(const mus_mesh *mesh, int side) {
  const double *corner = mesh->material + 6 * (size_t)(side / 3);
  const double *a = corner + 2 * ((side + 1) % 3), *b = corner + 2 * ((side + 2) % 3);
  return hypot(b[0] - a[0], b[1] - a[1]);
}

// The side of a triangle that is cut first; of equals the one whose edge comes first, so that the order of a triangle's
// corners does not matter.
static int longest_side(const marks *m, int triangle) {
  int best = 3 * triangle;
  for (int side = best + 1; side < 3 * triangle + 3; ++side)
    if (m->side[side] > m->side[best] ||
        (m->side[side] >= m->side[best] && m->topology.side_edge[side] < m->topology.side_edge[best]))
      best = side;
  return best;
}

static uint64_t pair_key(int a, int b) { return (uint64_t)(uint32_t)(a < b ? a : b) << 32 | (uint32_t)(a < b ? b : a); }

static size_t hash(uint64_t key, size_t slots) { return (size_t)(key * 0x9e3779b97f4a7c15ull >> 20) & (slots - 1); }

static size_t slots_for(size_t count) {
  size_t slots = 16;
  while (slots < 2 * count)
    slots *= 2;
  return slots;
}

// Edges of the boundary whose ends are sewn together form a group, named after its first edge.
static mus_status group_edges(mus_arena *arena, const int *sewn, marks *m) {
  const mus_topology *t = &m->topology;
  size_t slots = slots_for((size_t)t->boundary_edges);
  int *slot = mus_arena_alloc(arena, slots, sizeof *slot);
  m->group = mus_arena_alloc(arena, (size_t)t->edges, sizeof *m->group);
  if (!slot || !m->group)
    return mus_fail_memory();
  memset(slot, -1, slots * sizeof *slot);
  for (int e = 0; e < t->edges; ++e) {
    m->group[e] = e;
    if (mus_edge_sides(t, e) != 1)
      continue;
    uint64_t key = pair_key(sewn[t->edge[2 * (size_t)e]], sewn[t->edge[2 * (size_t)e + 1]]);
    size_t at = hash(key, slots);
    for (; slot[at] >= 0; at = (at + 1) & (slots - 1)) {
      const int *other = t->edge + 2 * (size_t)slot[at];
      if (pair_key(sewn[other[0]], sewn[other[1]]) == key)
        break;
    }
    if (slot[at] < 0)
      slot[at] = e;
    m->group[e] = slot[at];
  }
  return MUS_OK;
}

// Until each triangle with a marked edge has its longest one marked.
static void close_marks(const mus_mesh *mesh, marks *m) {
  const int *edge = m->topology.side_edge;
  for (int changed = 1; changed;) {
    changed = 0;
    for (int t = 0; t < mesh->triangles; ++t) {
      int any = m->marked[m->group[edge[3 * t]]] | m->marked[m->group[edge[3 * t + 1]]] |
                m->marked[m->group[edge[3 * t + 2]]];
      unsigned char *longest = &m->marked[m->group[edge[longest_side(m, t)]]];
      changed |= any && !*longest;
      *longest |= (unsigned char)any;
    }
  }
}

static mus_status mark(mus_arena *arena, const refining *r, marks *m, int *any) {
  const mus_mesh *mesh = &r->mesh;
  mus_status status = mus_topology_create(arena, mesh, &m->topology);
  if (!status)
    status = group_edges(arena, r->sewn.items, m);
  if (status)
    return status;
  size_t sides = 3 * (size_t)mesh->triangles, edges = (size_t)m->topology.edges;
  m->side = mus_arena_alloc(arena, sides, sizeof *m->side);
  m->marked = mus_arena_alloc_zero(arena, edges, 1);
  m->middle = mus_arena_alloc(arena, edges, sizeof *m->middle);
  if (!m->side || !m->marked || !m->middle)
    return mus_fail_memory();
  *any = 0;
  for (size_t s = 0; s < sides; ++s) {
    m->side[s] = side_length(mesh, (int)s);
    if (m->side[s] > r->length * (1 + 1e-9))
      *any = m->marked[m->group[m->topology.side_edge[s]]] = 1;
  }
  close_marks(mesh, m);
  return MUS_OK;
}

// --- cuts ------------------------------------------------------------------------------------------------------------

// The points of a triangle that is cut: its corners, then the middles of the sides opposite to them.
typedef struct cut_points {
  int vertex[6];
  double material[6][2];
} cut_points;

static void gather(const mus_mesh *mesh, const marks *m, int t, int first, cut_points *p) {
  for (int k = 0; k < 6; ++k) {
    int from = (first + k) % 3, side = 3 * t + from;
    const double *corner = mesh->material + 6 * (size_t)t;
    const double *a = corner + 2 * ((from + 1) % 3), *b = corner + 2 * ((from + 2) % 3);
    p->vertex[k] = k < 3 ? mesh->triangle[side] : m->middle[m->topology.side_edge[side]];
    for (int c = 0; c < 2; ++c)
      p->material[k][c] = k < 3 ? corner[2 * from + c] : 0.5 * (a[c] + b[c]);
  }
}

// By which of the sides are cut, as bits; the first is the longest wherever any is.
static const struct {
  int count;
  int corner[4][3];
} cuts[8] = {[0] = {1, {{0, 1, 2}}},
             [1] = {2, {{0, 1, 3}, {0, 3, 2}}},
             [3] = {3, {{0, 1, 3}, {0, 3, 4}, {3, 2, 4}}},
             [5] = {3, {{0, 5, 3}, {5, 1, 3}, {0, 3, 2}}},
             [7] = {4, {{0, 5, 4}, {1, 3, 5}, {2, 4, 3}, {3, 4, 5}}}};

static int cut_of(const cut_points *p) {
  return (p->vertex[3] >= 0) | (p->vertex[4] >= 0) << 1 | (p->vertex[5] >= 0) << 2;
}

// The triangles of one, written where `to` has them unless it is NULL. Returns how many.
static int cut_triangle(const mus_mesh *mesh, const marks *m, int t, int first, mus_mesh *to) {
  cut_points p;
  gather(mesh, m, t, longest_side(m, t) % 3, &p);
  int which = cut_of(&p), count = cuts[which].count;
  for (int k = 0; k < count && to; ++k)
    for (int c = 0; c < 3; ++c) {
      size_t at = 3 * (size_t)(first + k) + (size_t)c;
      int from = cuts[which].corner[k][c];
      to->triangle[at] = p.vertex[from];
      memcpy(to->material + 2 * at, p.material[from], sizeof p.material[from]);
    }
  return count;
}

// Numbers the new vertices in the order of their edges.
static mus_status add_middles(refining *r, marks *m) {
  const mus_topology *t = &m->topology;
  int vertices = r->mesh.vertices;
  for (int e = 0; e < t->edges; ++e) {
    m->middle[e] = m->marked[m->group[e]] ? vertices++ : -1;
    if (m->middle[e] < 0)
      continue;
    int *parent = mus_list_add(&r->parent, 2 * sizeof *parent), *sewn = mus_list_add(&r->sewn, sizeof *sewn);
    if (!parent || !sewn)
      return mus_fail_memory();
    memcpy(parent, t->edge + 2 * (size_t)e, 2 * sizeof *parent);
    *sewn = m->middle[m->group[e]]; // the group's first edge comes before
  }
  return MUS_OK;
}

static mus_status cut(mus_arena *arena, refining *r, const marks *m) {
  mus_mesh before = r->mesh, after;
  long long vertices = (long long)r->sewn.count, triangles = 0;
  for (int t = 0; t < before.triangles; ++t)
    triangles += cut_triangle(&before, m, t, 0, NULL);
  mus_status status = mus_mesh_create(arena, vertices, triangles, 1, &after);
  if (status)
    return status;
  memcpy(after.position, before.position, 3 * (size_t)before.vertices * sizeof *after.position);
  const int *parent = (const int *)r->parent.items + 2 * (r->parent.count - (size_t)(after.vertices - before.vertices));
  for (int v = before.vertices; v < after.vertices; ++v, parent += 2)
    for (size_t c = 0; c < 3; ++c)
      after.position[3 * (size_t)v + c] =
          0.5 * (after.position[3 * (size_t)parent[0] + c] + after.position[3 * (size_t)parent[1] + c]);
  for (int t = 0, first = 0; t < before.triangles; ++t)
    first += cut_triangle(&before, m, t, first, &after);
  r->mesh = after;
  return MUS_OK;
}

// --- all rounds ------------------------------------------------------------------------------------------------------

// Vertices that are sewn together get the number of one of them; pairs may form chains.
static mus_status join_pairs(refining *r, int pairs, const int *pair) {
  for (int v = 0; v < r->mesh.vertices; ++v) {
    int *sewn = mus_list_add(&r->sewn, sizeof *sewn);
    if (!sewn)
      return mus_fail_memory();
    *sewn = v;
  }
  int *sewn = r->sewn.items;
  for (int k = 0; k < pairs; ++k) {
    int a = pair[2 * (size_t)k], b = pair[2 * (size_t)k + 1];
    while (sewn[a] != a)
      a = sewn[a];
    while (sewn[b] != b)
      b = sewn[b];
    sewn[a > b ? a : b] = a < b ? a : b;
  }
  for (int v = 0; v < r->mesh.vertices; ++v)
    sewn[v] = sewn[sewn[v]]; // ascending, so that the one before is final
  return MUS_OK;
}

static mus_status check_size(const mus_mesh *mesh, double length) {
  double area = 0;
  for (size_t t = 0; t < (size_t)mesh->triangles; ++t) {
    const double *a = mesh->material + 6 * t, *b = a + 2, *c = a + 4;
    area += 0.5 * fabs((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
  }
  if (area / (length * length) < vertices_maximum)
    return MUS_OK;
  return mus_fail(MUS_BAD_INPUT, "edges of at most %g m would take more than %g vertices: raise \"edge\"", length,
                  vertices_maximum);
}

// The finished mesh goes into the arena.
static mus_status refine(mus_arena *arena, refining *r, mus_mesh *out) {
  mus_arena round[2] = {{0}, {0}}; // the mesh of the round before lives in the other one
  mus_status status = check_size(&r->mesh, r->length);
  for (int k = 0, any = 1; any && !status; k = 1 - k) {
    marks m;
    mus_arena_clear(&round[k]);
    status = mark(&round[k], r, &m, &any);
    if (!status && any)
      status = add_middles(r, &m);
    if (!status && any)
      status = cut(&round[k], r, &m);
  }
  if (!status)
    status = mus_mesh_copy(arena, &r->mesh, out);
  mus_arena_clear(&round[0]);
  mus_arena_clear(&round[1]);
  return status;
}

// --- what was done ---------------------------------------------------------------------------------------------------

static int *slot_of(const mus_refinement *r, int a, int b) {
  uint64_t key = pair_key(a, b);
  size_t at = hash(key, (size_t)r->slots);
  while (r->slot[at] >= 0 &&
         pair_key(r->parent[2 * (size_t)r->slot[at]], r->parent[2 * (size_t)r->slot[at] + 1]) != key)
    at = (at + 1) & ((size_t)r->slots - 1);
  return &r->slot[at];
}

static mus_status keep_parents(mus_arena *arena, const mus_list *parent, mus_refinement *out) {
  size_t count = parent->count, slots = slots_for(count);
  out->parent = mus_arena_alloc(arena, 2 * count, sizeof *out->parent);
  out->slot = mus_arena_alloc(arena, slots, sizeof *out->slot);
  if (!out->parent || !out->slot)
    return mus_fail_memory();
  out->slots = (int)slots;
  memset(out->slot, -1, slots * sizeof *out->slot);
  for (size_t k = 0; k < count; ++k) {
    memcpy(out->parent + 2 * k, (const int *)parent->items + 2 * k, 2 * sizeof *out->parent);
    *slot_of(out, out->parent[2 * k], out->parent[2 * k + 1]) = (int)k;
  }
  return MUS_OK;
}

static mus_status keep_boundary(mus_arena *arena, const mus_mesh *mesh, mus_refinement *out) {
  mus_arena scratch = {0};
  mus_topology t;
  mus_status status = mus_topology_create(&scratch, mesh, &t);
  if (!status) {
    out->boundary_edge = mus_arena_alloc(arena, 2 * (size_t)t.boundary_edges, sizeof *out->boundary_edge);
    out->boundary_length = mus_arena_alloc(arena, (size_t)t.boundary_edges, sizeof *out->boundary_length);
    out->neighbour = mus_arena_alloc(arena, 2 * (size_t)mesh->vertices, sizeof *out->neighbour);
    if (!out->boundary_edge || !out->boundary_length || !out->neighbour)
      status = mus_fail_memory();
  }
  if (!status)
    memset(out->neighbour, -1, 2 * (size_t)mesh->vertices * sizeof *out->neighbour);
  for (int e = 0; e < t.edges && !status; ++e) {
    if (mus_edge_sides(&t, e) != 1)
      continue;
    const int *edge = t.edge + 2 * (size_t)e;
    memcpy(out->boundary_edge + 2 * (size_t)out->boundary_edges, edge, 2 * sizeof *edge);
    out->boundary_length[out->boundary_edges++] = side_length(mesh, t.edge_side[t.edge_side_start[e]]);
    for (int k = 0; k < 2; ++k) {
      int *beside = out->neighbour + 2 * (size_t)edge[k];
      beside[beside[0] >= 0] = edge[1 - k]; // of more than two, where surfaces meet in a point, the last
    }
  }
  mus_arena_clear(&scratch);
  return status;
}

mus_status mus_mesh_refine(mus_arena *arena, const mus_mesh *mesh, double length, int pairs, const int *pair,
                           mus_mesh *out, mus_refinement *record) {
  refining r = {.length = length, .mesh = *mesh};
  mus_mesh made = *mesh;
  mus_refinement kept = {.before = mesh->vertices};
  mus_status status = MUS_OK;
  if (length > 0) {
    status = join_pairs(&r, pairs, pair);
    if (!status)
      status = refine(arena, &r, &made);
  }
  kept.vertices = made.vertices;
  if (!status)
    status = keep_parents(arena, &r.parent, &kept);
  if (!status)
    status = keep_boundary(arena, mesh, &kept);
  mus_free(r.parent.items);
  mus_free(r.sewn.items);
  if (!status) {
    *out = made;
    *record = kept;
  }
  return status;
}

int mus_refinement_boundary(const mus_refinement *r, int a, int b) {
  uint64_t key = pair_key(a, b);
  int low = 0, high = r->boundary_edges;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (pair_key(r->boundary_edge[2 * (size_t)middle], r->boundary_edge[2 * (size_t)middle + 1]) < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low < r->boundary_edges &&
                 pair_key(r->boundary_edge[2 * (size_t)low], r->boundary_edge[2 * (size_t)low + 1]) == key
             ? low
             : -1;
}

static mus_status add_point(mus_list *points, int vertex, double part) {
  mus_edge_point *point = mus_list_add(points, sizeof *point);
  if (!point)
    return mus_fail_memory();
  *point = (mus_edge_point){vertex, part};
  return MUS_OK;
}

// What lies between two vertices, which themselves are left out.
static mus_status add_between(const mus_refinement *r, mus_edge_point a, mus_edge_point b, mus_list *points) {
  int found = *slot_of(r, a.vertex, b.vertex);
  if (found < 0)
    return MUS_OK;
  mus_edge_point middle = {r->before + found, 0.5 * (a.part + b.part)};
  mus_status status = add_between(r, a, middle, points);
  if (!status)
    status = add_point(points, middle.vertex, middle.part);
  return status ? status : add_between(r, middle, b, points);
}

mus_status mus_refinement_chain(const mus_refinement *r, int a, int b, mus_list *points) {
  mus_status status = add_point(points, a, 0);
  if (!status)
    status = add_between(r, (mus_edge_point){a, 0}, (mus_edge_point){b, 1}, points);
  return status ? status : add_point(points, b, 1);
}
