// Flooding the sides of contours. See sides.h.
#include "collide/sides.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/vector3.h"

mus_status mus_sides_create(mus_arena *arena, const mus_surface *surface, mus_sides *out) {
  size_t vertices = (size_t)surface->vertices;
  *out = (mus_sides){.surface = surface,
                     .mark = mus_arena_alloc_zero(arena, vertices, sizeof *out->mark),
                     .queue = mus_arena_alloc(arena, vertices, sizeof *out->queue),
                     .crossed = mus_arena_alloc_zero(arena, (size_t)surface->edges, sizeof *out->crossed)};
  return out->mark && out->queue && out->crossed ? MUS_OK : mus_fail_memory();
}

// The vertices of a side whose neighbours are yet to be asked.
typedef struct frontier {
  int own, other; // marks
  int *queue;     // its end of the queue
  int step;       // 1 or -1, the way it grows
  int done, count;
  double area; // m^2, three times that of what is done
} frontier;

// 1 when `vertex` belongs to the other side.
static int reach(mus_sides *sides, frontier *f, int vertex) {
  if (sides->mark[vertex] == f->own)
    return 0;
  if (sides->mark[vertex] == f->other)
    return 1;
  sides->mark[vertex] = f->own;
  f->queue[f->step * f->count++] = vertex;
  return 0;
}

double mus_triangle_area(const double *x, const int *corner) {
  double u[3], v[3], across[3];
  mus_subtract3(x + 3 * (size_t)corner[1], x + 3 * (size_t)corner[0], u);
  mus_subtract3(x + 3 * (size_t)corner[2], x + 3 * (size_t)corner[0], v);
  mus_cross3(u, v, across);
  return 0.5 * mus_length3(across);
}

// Asks the neighbours of the next vertex. 1 when they belong to the other side.
static int spread(mus_sides *sides, const double *x, frontier *f) {
  const mus_surface *surface = sides->surface;
  int vertex = f->queue[f->step * f->done++];
  for (int k = surface->vertex_start[vertex]; k < surface->vertex_start[vertex + 1]; ++k) {
    const int *corner = surface->triangle + 3 * (size_t)surface->vertex_triangle[k];
    const int *edge = surface->triangle_edge + 3 * (size_t)surface->vertex_triangle[k];
    f->area += mus_triangle_area(x, corner);
    int self = corner[0] == vertex ? 0 : corner[1] == vertex ? 1 : 2, next = (self + 1) % 3, last = (self + 2) % 3;
    if ((!sides->crossed[edge[last]] && reach(sides, f, corner[next])) ||
        (!sides->crossed[edge[next]] && reach(sides, f, corner[last])))
      return 1;
  }
  for (int k = surface->sewn_start[vertex]; k < surface->sewn_start[vertex + 1]; ++k)
    if (reach(sides, f, surface->sewn[k]))
      return 1;
  return 0;
}

// The side that has less area so far goes on. The mark of the one that comes to its end; 0 where the two meet.
static int flood_both(mus_sides *sides, const double *x, int edge) {
  if (sides->flood > INT_MAX - 2) {
    memset(sides->mark, 0, (size_t)sides->surface->vertices * sizeof *sides->mark);
    sides->flood = 0;
  }
  int first = ++sides->flood, second = ++sides->flood;
  frontier f[2] = {{first, second, sides->queue, 1, 0, 0, 0},
                   {second, first, sides->queue + sides->surface->vertices - 1, -1, 0, 0, 0}};
  for (int side = 0; side < 2; ++side)
    reach(sides, f + side, sides->surface->edge[2 * (size_t)edge + (size_t)side]);
  for (;;) {
    frontier *behind = f + (f[1].area < f[0].area);
    if (behind->done == behind->count) {
      sides->area = behind->area / 3;
      sides->vertices = behind->count;
      return behind->own;
    }
    if (spread(sides, x, behind))
      return 0;
  }
}

// An edge that meets triangles where they meet each other goes through all of them, and yet but once.
static int is_repeated(const mus_crossing *own, const mus_crossing *last) {
  return last && last->edge == own->edge && fabs(last->along - own->along) < 1e-9;
}

int mus_sides_part(mus_sides *sides, const double *x, const mus_contours *contours, const mus_crossing *crossing,
                   int contour, int strand) {
  const mus_crossing *last = NULL;
  int begin = contours->start[contour], end = contours->start[contour + 1], start = -1;
  for (int i = begin; i < end; ++i) {
    const mus_crossing *c = crossing + contours->member[i];
    if (contours->strand[contours->member[i]] != strand)
      continue;
    if (!is_repeated(c, last))
      sides->crossed[c->edge] ^= 1;
    last = c;
  }
  for (int i = begin; i < end && start < 0; ++i)
    if (sides->crossed[crossing[contours->member[i]].edge])
      start = crossing[contours->member[i]].edge;
  sides->smaller = start >= 0 ? flood_both(sides, x, start) : 0;
  for (int i = begin; i < end; ++i)
    sides->crossed[crossing[contours->member[i]].edge] = 0;
  return sides->smaller > 0;
}

int mus_sides_smaller_end(const mus_sides *sides, const mus_crossing *crossing) {
  const int *end = sides->surface->edge + 2 * (size_t)crossing->edge;
  int first = sides->mark[end[0]] == sides->smaller, second = sides->mark[end[1]] == sides->smaller;
  return first == second ? -1 : second;
}
