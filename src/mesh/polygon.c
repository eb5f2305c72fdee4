// Polygons cut into triangles. See polygon.h.
#include "mesh/polygon.h"

#include <math.h>
#include <string.h>

// Of two lengths that differ by rounding only, neither is the shorter.
static const double SHORTER = 1 - 1e-9;

static void put(int *triangle, int a, int b, int c) {
  triangle[0] = a;
  triangle[1] = b;
  triangle[2] = c;
}

// The sum of the cross products of successive corners (Newell's method): twice the area, along the normal.
static void newell(int count, const double *corner, double *normal) {
  normal[0] = normal[1] = normal[2] = 0;
  for (int i = 0; i < count; ++i) {
    // Seen from the first corner, so that polygons far from the origin lose nothing.
    double p[3], q[3];
    for (int c = 0; c < 3; ++c) {
      p[c] = corner[3 * i + c] - corner[c];
      q[c] = corner[3 * ((i + 1) % count) + c] - corner[c];
    }
    normal[0] += p[1] * q[2] - p[2] * q[1];
    normal[1] += p[2] * q[0] - p[0] * q[2];
    normal[2] += p[0] * q[1] - p[1] * q[0];
  }
}

// The two coordinates that show most of the polygon, in the order in which it is counter-clockwise.
static void choose_view(const double *normal, int *first, int *second) {
  int axis = fabs(normal[1]) > fabs(normal[0]) ? 1 : 0;
  axis = fabs(normal[2]) > fabs(normal[axis]) ? 2 : axis;
  *first = (axis + 1) % 3;
  *second = (axis + 2) % 3;
  if (normal[axis] < 0) {
    *first = (axis + 2) % 3;
    *second = (axis + 1) % 3;
  }
}

typedef struct view {
  const double *corner;
  int first, second;
} view;

// Twice the signed area of three corners as seen.
static double seen_area(const view *w, int a, int b, int c) {
  const double *p = w->corner + 3 * a, *q = w->corner + 3 * b, *r = w->corner + 3 * c;
  int x = w->first, y = w->second;
  return (q[x] - p[x]) * (r[y] - p[y]) - (r[x] - p[x]) * (q[y] - p[y]);
}

static double distance_squared(const double *corner, int a, int b) {
  double sum = 0;
  for (int c = 0; c < 3; ++c)
    sum += (corner[3 * a + c] - corner[3 * b + c]) * (corner[3 * a + c] - corner[3 * b + c]);
  return sum;
}

static void cut_quadrilateral(const view *w, int *triangle) {
  // The smaller of the two halves that a diagonal leaves; negative when one is turned over.
  double half_0 = fmin(seen_area(w, 0, 1, 2), seen_area(w, 0, 2, 3));
  double half_1 = fmin(seen_area(w, 0, 1, 3), seen_area(w, 1, 2, 3));
  int other = half_1 > 0 && distance_squared(w->corner, 1, 3) < SHORTER * distance_squared(w->corner, 0, 2);
  if (half_0 <= 0)
    other = half_1 > half_0;
  put(triangle, 0, 1, other ? 3 : 2);
  put(triangle + 3, other ? 1 : 0, 2, 3);
}

// Whether another corner lies in the ear (a, b, c), its edges included but not its corners' places.
static int is_occupied(const view *w, int left, const int *list, int a, int b, int c) {
  for (int i = 0; i < left; ++i) {
    int p = list[i];
    if (p == a || p == b || p == c || distance_squared(w->corner, p, a) == 0 ||
        distance_squared(w->corner, p, b) == 0 || distance_squared(w->corner, p, c) == 0)
      continue;
    if (seen_area(w, a, b, p) >= 0 && seen_area(w, b, c, p) >= 0 && seen_area(w, c, a, p) >= 0)
      return 1;
  }
  return 0;
}

// Where to cut next: the free ear with the shortest cut or, where there is none, the largest corner.
static int best_ear(const view *w, int left, const int *list) {
  int best = -1, largest = 0;
  double shortest = INFINITY, most = -INFINITY;
  for (int i = 0; i < left; ++i) {
    int a = list[(i + left - 1) % left], b = list[i], c = list[(i + 1) % left];
    double area = seen_area(w, a, b, c), cut = distance_squared(w->corner, a, c);
    if (area > most) {
      most = area;
      largest = i;
    }
    if (area > 0 && cut < SHORTER * shortest && !is_occupied(w, left, list, a, b, c)) {
      shortest = cut;
      best = i;
    }
  }
  return best >= 0 ? best : largest;
}

static void cut_ears(const view *w, int count, int *triangle) {
  int list[MUS_POLYGON_EARS], left = count;
  for (int i = 0; i < count; ++i)
    list[i] = i;
  for (; left > 3; --left, triangle += 3) {
    int ear = best_ear(w, left, list);
    put(triangle, list[(ear + left - 1) % left], list[ear], list[(ear + 1) % left]);
    memmove(list + ear, list + ear + 1, (size_t)(left - 1 - ear) * sizeof *list);
  }
  put(triangle, list[0], list[1], list[2]);
}

// All corners to the same side, and once around: seen from the first, they follow each other.
static int is_convex(const view *w, int count) {
  for (int i = 0; i < count; ++i)
    if (seen_area(w, i, (i + 1) % count, (i + 2) % count) < 0)
      return 0;
  for (int i = 1; i + 1 < count; ++i)
    if (seen_area(w, 0, i, i + 1) < 0)
      return 0;
  return 1;
}

int mus_polygon_triangulate(int count, const double *corner, int *triangle) {
  double normal[3];
  view w = {.corner = corner};
  newell(count, corner, normal);
  choose_view(normal, &w.first, &w.second);
  if (count == 3)
    put(triangle, 0, 1, 2);
  else if (count == 4)
    cut_quadrilateral(&w, triangle);
  else if (count <= MUS_POLYGON_EARS)
    cut_ears(&w, count, triangle);
  else if (!is_convex(&w, count))
    return 0;
  else
    for (int i = 1; i + 1 < count; ++i)
      put(triangle + 3 * (i - 1), 0, i, i + 1);
  return 1;
}
