// See weld_corners.h.
#include "mesh/weld_corners.h"

#include <stdlib.h>

#include "base/error.h"
#include "mesh/groups.h"
#include "mesh/sort.h"

// A side of a triangle, the lower end first.
typedef struct side {
  int low, high;
} side;

// An end of an edge that a vertex lies on, or a neighbour along the boundary of one that lies on none.
typedef struct near_end {
  int end, other; // the edge's other end; the vertex itself for a neighbour
  double way;     // in edges
  int is_next;    // 1: a neighbour
} near_end;

typedef struct search {
  int vertices, count;
  const mus_weld_insert *insert;
  side *boundary;
  int boundary_count;
  int *on_start, *on;     // vertices + 1: the inserts of a vertex
  int *next_start, *next; // vertices + 1: neighbours along the boundary
} search;

static int by_ends(const void *a, const void *b) {
  const side *s = a, *t = b;
  return s->low != t->low ? (s->low < t->low ? -1 : 1) : (s->high > t->high) - (s->high < t->high);
}

// Sides that one triangle alone has.
static mus_status find_boundary(mus_arena *arena, const mus_mesh *mesh, int *group, search *s) {
  size_t sides = 3 * (size_t)mesh->triangles, kept = 0, end;
  side *all = s->boundary = mus_arena_alloc(arena, sides, sizeof *all);
  if (!all)
    return mus_fail_memory();
  for (size_t i = 0; i < sides; ++i) {
    int a = mus_group_first(group, mesh->triangle[i]);
    int b = mus_group_first(group, mesh->triangle[i % 3 == 2 ? i - 2 : i + 1]);
    all[i] = (side){a < b ? a : b, a < b ? b : a};
  }
  qsort(all, sides, sizeof *all, by_ends);
  for (size_t i = 0; i < sides; i = end) {
    for (end = i + 1; end < sides && by_ends(&all[i], &all[end]) == 0;)
      ++end;
    if (end == i + 1 && all[i].low != all[i].high)
      all[kept++] = all[i];
  }
  s->boundary_count = (int)kept;
  return MUS_OK;
}

// By vertex: its inserts, and its neighbours along the boundary.
static mus_status list_by_vertex(mus_arena *arena, search *s) {
  int ends = 2 * s->boundary_count, most = ends > s->count ? ends : s->count;
  int *key = mus_arena_alloc(arena, (size_t)most, sizeof *key);
  s->on_start = mus_arena_alloc_zero(arena, (size_t)s->vertices + 2, sizeof *s->on_start);
  s->next_start = mus_arena_alloc_zero(arena, (size_t)s->vertices + 2, sizeof *s->next_start);
  s->on = mus_arena_alloc(arena, (size_t)s->count, sizeof *s->on);
  s->next = mus_arena_alloc(arena, (size_t)ends, sizeof *s->next);
  if (!key || !s->on_start || !s->next_start || !s->on || !s->next)
    return mus_fail_memory();
  for (int k = 0; k < s->count; ++k)
    key[k] = s->insert[k].vertex;
  mus_sort_by_key(s->count, s->vertices, key, NULL, s->on_start + 1, s->on);
  for (int k = 0; k < ends; ++k)
    key[k] = k % 2 ? s->boundary[k / 2].high : s->boundary[k / 2].low;
  mus_sort_by_key(ends, s->vertices, key, NULL, s->next_start + 1, s->next);
  for (int k = 0; k < ends; ++k)
    s->next[k] = s->next[k] % 2 ? s->boundary[s->next[k] / 2].low : s->boundary[s->next[k] / 2].high;
  return MUS_OK;
}

// What lies next to a vertex on the other side of its seam. Returns how many.
enum { NEAR = 16 };
static int find_near(const search *s, int vertex, int except, near_end found[NEAR]) {
  int count = 0;
  for (int k = s->on_start[vertex]; k < s->on_start[vertex + 1] && count + 2 <= NEAR; ++k) {
    const mus_weld_insert *i = &s->insert[s->on[k]];
    found[count++] = (near_end){i->low, i->high, i->ratio, 0};
    found[count++] = (near_end){i->high, i->low, 1 - i->ratio, 0};
  }
  for (int k = s->next_start[vertex]; k < s->next_start[vertex + 1] && count < NEAR; ++k)
    if (s->next[k] != except)
      found[count++] = (near_end){s->next[k], vertex, 1, 1};
  return count;
}

// Whether p lies on an edge that ends at q, or q lies on as well: then p-q is a part of that edge.
static int is_part_of_edge(const near_end *p, int p_count, const near_end *q, int q_count, int q_vertex) {
  for (int i = 0; i < p_count; ++i) {
    if (!p[i].is_next && p[i].end == q_vertex)
      return 1;
    for (int k = 0; k < q_count; ++k)
      if (!p[i].is_next && !q[k].is_next && p[i].end == q[k].end && p[i].other == q[k].other)
        return 1;
  }
  return 0;
}

// The corner of a side of the boundary. Returns 0 where it has none.
static int find_corner(const search *s, const side *of, mus_weld_insert *corner) {
  near_end p[NEAR], q[NEAR];
  int p_count = find_near(s, of->low, of->high, p), q_count = find_near(s, of->high, of->low, q);
  if (is_part_of_edge(p, p_count, q, q_count, of->high) || is_part_of_edge(q, q_count, p, p_count, of->low))
    return 0;
  for (int i = 0; i < p_count; ++i)
    for (int k = 0; k < q_count; ++k) {
      int b = p[i].end;
      if (b != q[k].end || p[i].other == q[k].other || (p[i].is_next && q[k].is_next) || b == of->low || b == of->high)
        continue;
      *corner = (mus_weld_insert){of->low, of->high, p[i].way / (p[i].way + q[k].way), b};
      return 1;
    }
  return 0;
}

mus_status mus_weld_corners(mus_arena *arena, const mus_mesh *mesh, int *group, int count,
                            const mus_weld_insert *insert, int *found, mus_weld_insert **corner) {
  search s = {.vertices = mesh->vertices, .count = count, .insert = insert};
  *found = 0;
  *corner = NULL;
  if (count == 0)
    return MUS_OK;
  mus_status status = find_boundary(arena, mesh, group, &s);
  if (!status)
    status = list_by_vertex(arena, &s);
  if (!status && !(*corner = mus_arena_alloc(arena, (size_t)s.boundary_count, sizeof **corner)))
    status = mus_fail_memory();
  for (int k = 0; k < s.boundary_count && !status; ++k)
    *found += find_corner(&s, &s.boundary[k], &(*corner)[*found]);
  return status;
}
