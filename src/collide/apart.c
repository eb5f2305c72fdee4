// Which triangles need no closer look although their boxes meet: mus_kept_apart(). See detector_state.h.
//
// Four of five pairs of triangles whose boxes meet are neighbours in a mesh, which nearly always lie apart but for what
// they share. Most of the others are layers that lie close together.
#include <math.h>

#include "base/vector3.h"
#include "collide/detector_state.h"
#include "par/par.h"
#include "par/vector.h"

// --- slabs ---------------------------------------------------------------------------------------------------------
//
// Layers of cloth lie close together, and their boxes meet unless an axis happens to lie across them; a triangle's own
// normal does. What has all its nodes above (below) a triangle along the normal, by more than the two's reach, both at
// the start and at the end, stays there between.

static double height(const double normal[3], const double *x, int vertex) {
  return mus_dot3(normal, x + (size_t)vertex * 3);
}

// `rounding`: of a height, more than what it can be off by.
static void fit_slab(mus_detector *d, int place, const mus_query *q, double rounding) {
  const int *corner = d->parts[place].corner;
  mus_slab *slab = &d->slab[place];
  double a[3], b[3], radius = 0;
  mus_subtract3(q->x0 + (size_t)corner[1] * 3, q->x0 + (size_t)corner[0] * 3, a);
  mus_subtract3(q->x0 + (size_t)corner[2] * 3, q->x0 + (size_t)corner[0] * 3, b);
  mus_cross3(a, b, slab->normal);
  double length = mus_length3(slab->normal);
  for (int c = 0; c < 3; ++c)
    slab->normal[c] = length > 1e-100 ? slab->normal[c] / length : 0;
  for (int i = 0; i < 2; ++i) {
    slab->low[i] = INFINITY;
    slab->high[i] = -INFINITY;
    for (int k = 0; k < 3; ++k) {
      double h = height(slab->normal, i ? q->x1 : q->x0, corner[k]);
      slab->low[i] = h < slab->low[i] ? h : slab->low[i];
      slab->high[i] = h > slab->high[i] ? h : slab->high[i];
    }
  }
  for (int k = 0; k < 3; ++k)
    radius = d->surface->radius[corner[k]] > radius ? d->surface->radius[corner[k]] : radius;
  slab->reach = q->scale * radius * (1 + 0x1p-40) + rounding;
}

void mus_fit_slabs(mus_detector *d, const mus_query *q) {
  size_t numbers = (size_t)d->surface->vertices * 3;
  int triangles = d->surface->triangles;
  double start = mus_max_abs(numbers, q->x0), end = q->x1 == q->x0 ? start : mus_max_abs(numbers, q->x1);
  double rounding = 0x1p-46 * (start > end ? start : end);
  MUS_PARALLEL_FOR_IF(triangles >= MUS_PAR_MINIMUM)
  for (int place = 0; place < triangles; ++place)
    fit_slab(d, place, q, rounding);
}

// How far a vertex lies above (side 1) or below (side -1) the slab.
static double beyond(const mus_slab *slab, const double *x, int end, int vertex, double side) {
  double h = height(slab->normal, x, vertex);
  return side > 0 ? h - slab->high[end] : slab->low[end] - h;
}

// Whether the corners of a triangle all lie beyond the slab of another, on one side.
static int is_beyond(const mus_query *q, const mus_slab *slab, const int *corner, double reach) {
  double side = beyond(slab, q->x0, 0, corner[0], 1) > 0 ? 1 : -1;
  for (int k = 0; k < 3; ++k)
    if (!(beyond(slab, q->x0, 0, corner[k], side) > reach) || !(beyond(slab, q->x1, 1, corner[k], side) > reach))
      return 0;
  return 1;
}

// --- neighbours ----------------------------------------------------------------------------------------------------
//
// A plane separates two features at all times if it does at the start and at the end, since heights over a node that
// moves along are linear in time. Normals need not be unit vectors: `reach` is in units of their length.

static double over(const double normal[3], const double *x, int vertex, int origin) {
  double way[3];
  mus_subtract3(x + (size_t)vertex * 3, x + (size_t)origin * 3, way);
  return mus_dot3(normal, way);
}

static double lesser(double a, double b) { return a < b ? a : b; }
static double greater(double a, double b) { return a > b ? a : b; }

// What planes with this normal must keep apart; infinity where it has no direction.
static double limit_of(const double normal[3], double reach) {
  double length = mus_length3(normal);
  return length > 1e-100 ? reach * length * (1 + 0x1p-40) : INFINITY;
}

// Triangles that share corner `at` alone, with the corners b and c of one and d and e of the other: whether planes keep
// the edge b c from the other triangle and d e from this one. No other features can collide.
static int is_fan_open(const mus_query *q, int at, int b, int c, int d, int e, double reach) {
  const double *x = q->x0;
  double normal[3];
  for (int k = 0; k < 3; ++k)
    normal[k] = (x[(size_t)b * 3 + (size_t)k] + x[(size_t)c * 3 + (size_t)k]) -
                (x[(size_t)d * 3 + (size_t)k] + x[(size_t)e * 3 + (size_t)k]);
  double limit = limit_of(normal, reach);
  for (int end = 0; end < 1 + (q->x0 != q->x1); ++end) {
    x = end ? q->x1 : q->x0;
    double first = lesser(over(normal, x, b, at), over(normal, x, c, at));
    double second = greater(over(normal, x, d, at), over(normal, x, e, at));
    if (!(first >= limit) || !(-second >= limit))
      return 0;
  }
  return 1;
}

// Whether planes across the line between the middles of two edges keep them apart.
static int are_edges_apart(const mus_query *q, int a, int b, int c, int d, double reach) {
  const double *x = q->x0;
  double normal[3];
  for (int k = 0; k < 3; ++k)
    normal[k] = (x[(size_t)a * 3 + (size_t)k] + x[(size_t)b * 3 + (size_t)k]) -
                (x[(size_t)c * 3 + (size_t)k] + x[(size_t)d * 3 + (size_t)k]);
  double limit = limit_of(normal, reach);
  for (int end = 0; end < 1 + (q->x0 != q->x1); ++end) {
    x = end ? q->x1 : q->x0;
    double first = lesser(0, over(normal, x, b, a));
    if (!(first - over(normal, x, c, a) >= limit) || !(first - over(normal, x, d, a) >= limit))
      return 0;
  }
  return 1;
}

// Triangles p q c and p q d: whether c is kept from the second and d from the first, and so are the edges across.
static int is_hinge_open(const mus_query *query, int p, int q, int c, int d, double reach) {
  double normal[3];
  mus_subtract3(query->x0 + (size_t)c * 3, query->x0 + (size_t)d * 3, normal);
  double limit = limit_of(normal, reach);
  for (int end = 0; end < 1 + (query->x0 != query->x1); ++end) {
    const double *x = end ? query->x1 : query->x0;
    double between = over(normal, x, q, p), first = over(normal, x, c, p), second = over(normal, x, d, p);
    if (!(first - greater(0, between) >= limit) || !(lesser(0, between) - second >= limit))
      return 0;
  }
  return are_edges_apart(query, p, c, q, d, reach) && are_edges_apart(query, q, c, p, d, reach);
}

// Where corners of one are corners of the other: bit 3 i + j for corner i of the first and corner j of the second.
static unsigned shared_corners(const int *a, const int *b) {
  unsigned shared = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      shared |= (unsigned)(a[i] == b[j]) << (3 * i + j);
  return shared;
}

static int are_neighbours_apart(const mus_query *q, unsigned shared, const int *a, const int *b, double reach) {
  int first = __builtin_ctz(shared), i = first / 3, j = first % 3;
  unsigned rest = shared & (shared - 1);
  if (!rest)
    return is_fan_open(q, a[i], a[(i + 1) % 3], a[(i + 2) % 3], b[(j + 1) % 3], b[(j + 2) % 3], reach);
  if (rest & (rest - 1))
    return 0;
  int second = __builtin_ctz(rest), k = second / 3, l = second % 3;
  return is_hinge_open(q, a[i], a[k], a[3 - i - k], b[3 - j - l], reach);
}

int mus_kept_apart(const mus_query *q, int a, int b) {
  if (!q->slab)
    return 0;
  const int *corner_a = q->detector->parts[a].corner, *corner_b = q->detector->parts[b].corner;
  unsigned shared = shared_corners(corner_a, corner_b);
  double reach = q->slab[a].reach + q->slab[b].reach;
  if (shared)
    return are_neighbours_apart(q, shared, corner_a, corner_b, reach);
  return is_beyond(q, &q->slab[a], corner_b, reach) || is_beyond(q, &q->slab[b], corner_a, reach);
}
