// Tracing contours. See contours.h.
#include "collide/contours.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/vector3.h"
#include "mesh/sort.h"

// A crossing as an end of the segment of two triangles: its edge lies beside one of them.
typedef struct segment_end {
  int low, high; // the triangles
  int crossing;
  int edge_low; // 1: the edge lies beside the lower one
} segment_end;

static int compare_ends(const void *first, const void *second) {
  const segment_end *a = first, *b = second;
  if (a->low != b->low)
    return a->low < b->low ? -1 : 1;
  if (a->high != b->high)
    return a->high < b->high ? -1 : 1;
  return (a->crossing > b->crossing) - (a->crossing < b->crossing);
}

// Crossings joined into contours; `flip` says whether a crossing's edge is on the other strand than its parent's.
typedef struct chains {
  int *parent;
  unsigned char *flip;
} chains;

static int first_of(chains *c, int i, int *flipped) {
  int flip = 0;
  while (c->parent[i] != i) {
    int parent = c->parent[i];
    flip ^= c->flip[i];
    i = parent;
  }
  *flipped = flip;
  return i;
}

// Later walks from i take one step.
static int first_shortened(chains *c, int i, int *flipped) {
  int first = first_of(c, i, flipped), flip = *flipped;
  while (c->parent[i] != first && i != first) {
    int parent = c->parent[i], own = c->flip[i];
    c->parent[i] = first;
    c->flip[i] = (unsigned char)flip;
    flip ^= own;
    i = parent;
  }
  return first;
}

static void join(chains *c, int a, int b, int other_strand) {
  int flip_a, flip_b;
  int first_a = first_shortened(c, a, &flip_a), first_b = first_shortened(c, b, &flip_b);
  if (first_a == first_b)
    return;
  int low = first_a < first_b ? first_a : first_b, high = first_a < first_b ? first_b : first_a;
  c->parent[high] = low;
  c->flip[high] = (unsigned char)(flip_a ^ flip_b ^ other_strand);
}

static mus_status list_ends(const mus_surface *surface, const mus_list *crossings, mus_list *ends) {
  const mus_crossing *crossing = crossings->items;
  for (size_t i = 0; i < crossings->count; ++i) {
    int e = crossing[i].edge, t = crossing[i].triangle;
    for (int k = surface->edge_start[e]; k < surface->edge_start[e + 1]; ++k) {
      segment_end *end = mus_list_add(ends, sizeof *end);
      int beside = surface->edge_triangle[k];
      if (!end)
        return mus_fail_memory();
      *end = (segment_end){beside < t ? beside : t, beside < t ? t : beside, (int)i, beside < t};
    }
  }
  if (ends->count > 0)
    qsort(ends->items, ends->count, sizeof(segment_end), compare_ends);
  return MUS_OK;
}

static void join_segments(const mus_list *ends, chains *c) {
  const segment_end *end = ends->items;
  for (size_t i = 1; i < ends->count; ++i)
    if (end[i].low == end[i - 1].low && end[i].high == end[i - 1].high)
      join(c, end[i - 1].crossing, end[i].crossing, end[i].edge_low != end[i - 1].edge_low);
}

// Numbers the contours in the order of their first crossings, which are their roots.
static mus_status gather(mus_arena *arena, const mus_surface *surface, const mus_list *crossings, chains *c,
                         mus_contours *out) {
  int count = (int)crossings->count;
  const mus_crossing *crossing = crossings->items;
  int *number = mus_arena_alloc(arena, (size_t)count, sizeof *number);
  out->member = mus_arena_alloc(arena, (size_t)count, sizeof *out->member);
  out->strand = mus_arena_alloc(arena, (size_t)count, sizeof *out->strand);
  out->start = mus_arena_alloc(arena, (size_t)count + 1, sizeof *out->start);
  int *scratch = mus_arena_alloc(arena, (size_t)count + 1, sizeof *scratch);
  if (!number || !out->member || !out->strand || !out->start || !scratch)
    return mus_fail_memory();
  out->count = 0;
  for (int i = 0; i < count; ++i) {
    int flipped, first = first_shortened(c, i, &flipped);
    number[i] = first == i ? out->count++ : number[first];
    int with_body = crossing[i].edge >= surface->cloth_edges || crossing[i].triangle >= surface->cloth_triangles;
    out->strand[i] = (unsigned char)(with_body ? crossing[i].edge >= surface->cloth_edges : flipped);
  }
  for (int i = 0; i < out->count; ++i)
    out->start[i] = 0;
  for (int i = 0; i < count; ++i)
    ++out->start[number[i]];
  mus_accumulate(out->count, out->start);
  mus_sort_by_key(count, out->count, number, NULL, scratch, out->member);
  return MUS_OK;
}

mus_status mus_contours_trace(mus_arena *arena, const mus_surface *surface, const mus_list *crossings,
                              mus_contours *out) {
  size_t count = crossings->count;
  mus_list ends = {0};
  chains c = {mus_arena_alloc(arena, count, sizeof *c.parent), mus_arena_alloc_zero(arena, count, sizeof *c.flip)};
  if (!c.parent || !c.flip)
    return mus_fail_memory();
  for (size_t i = 0; i < count; ++i)
    c.parent[i] = (int)i;
  mus_status status = list_ends(surface, crossings, &ends);
  if (status == MUS_OK)
    join_segments(&ends, &c);
  mus_free(ends.items);
  return status == MUS_OK ? gather(arena, surface, crossings, &c, out) : status;
}

// --- directions ----------------------------------------------------------------------------------------------------

static int make_unit(double v[3]) {
  double length = mus_length3(v);
  for (int k = 0; k < 3; ++k)
    v[k] = length > 0 ? v[k] / length : 0;
  return length > 0;
}

void mus_triangle_normal(const mus_surface *surface, const double *x, int triangle, double normal[3]) {
  const int *corner = surface->triangle + 3 * (size_t)triangle;
  double u[3], v[3];
  mus_subtract3(x + 3 * (size_t)corner[1], x + 3 * (size_t)corner[0], u);
  mus_subtract3(x + 3 * (size_t)corner[2], x + 3 * (size_t)corner[0], v);
  mus_cross3(u, v, normal);
  make_unit(normal);
}

// Along the line that a triangle beside the edge has in common with the plane of normal N, away from the edge. 0 where
// they have no line.
static int along_contour(const mus_surface *surface, const double *x, int beside, int edge, const double N[3],
                         double R[3]) {
  const int *corner = surface->triangle + 3 * (size_t)beside, *end = surface->edge + 2 * (size_t)edge;
  double normal[3], away[3];
  int apex = corner[0] + corner[1] + corner[2] - end[0] - end[1];
  mus_triangle_normal(surface, x, beside, normal);
  mus_cross3(normal, N, R);
  if (!make_unit(R))
    return 0;
  // R lies in the triangle's plane, where the edge has two sides: normal x E points to one of them.
  double E[3], across[3];
  mus_subtract3(x + 3 * (size_t)end[1], x + 3 * (size_t)end[0], E);
  mus_cross3(normal, E, across);
  mus_subtract3(x + 3 * (size_t)apex, x + 3 * (size_t)end[0], away);
  if (mus_dot3(across, away) * mus_dot3(across, R) < 0)
    for (int k = 0; k < 3; ++k)
      R[k] = -R[k];
  return 1;
}

void mus_contour_shortening(const mus_surface *surface, const double *x, const mus_crossing *crossing, double way[3]) {
  const int *end = surface->edge + 2 * (size_t)crossing->edge;
  double E[3], N[3], R[3], sum[3] = {0}, turned[3];
  mus_subtract3(x + 3 * (size_t)end[1], x + 3 * (size_t)end[0], E);
  make_unit(E);
  mus_triangle_normal(surface, x, crossing->triangle, N);
  for (int k = surface->edge_start[crossing->edge]; k < surface->edge_start[crossing->edge + 1]; ++k)
    if (along_contour(surface, x, surface->edge_triangle[k], crossing->edge, N, R))
      for (int c = 0; c < 3; ++c)
        sum[c] += R[c];
  mus_cross3(sum, N, turned);
  mus_cross3(E, turned, way); // R (E . N) - N (E . R)
  if (mus_dot3(E, N) < 0)
    for (int c = 0; c < 3; ++c)
      way[c] = -way[c];
}
