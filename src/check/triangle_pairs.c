// Do two triangles intersect? See triangle_pairs.h.
//
// What two triangles have in common is convex, and an extreme point of it lies on an edge of one of them. So triangles
// meet when an edge of one meets the other; and every question about an edge and a triangle is one of sides of planes
// and lines, which predicates.h answers exactly.
#include "check/triangle_pairs.h"

#include <math.h>

#include "check/predicates.h"

// --- in a plane ------------------------------------------------------------------------------------------------------

static int boxes_overlap(const double *p, const double *q, const double *a, const double *b) {
  int overlap = 1;
  for (int k = 0; k < 3; ++k)
    overlap &= fmax(fmin(p[k], q[k]), fmin(a[k], b[k])) <= fmin(fmax(p[k], q[k]), fmax(a[k], b[k]));
  return overlap;
}

// Segments pq and ab in a plane that is seen along the axis, and not from its edge.
static int flat_segments_meet(int axis, const double *p, const double *q, const double *a, const double *b) {
  int side_a = mus_side_of_line(axis, p, q, a), side_b = mus_side_of_line(axis, p, q, b);
  int side_p = mus_side_of_line(axis, a, b, p), side_q = mus_side_of_line(axis, a, b, q);
  if (side_a * side_b > 0 || side_p * side_q > 0)
    return 0;
  return side_a || side_b || side_p || side_q || boxes_overlap(p, q, a, b); // on one line, boxes tell it all
}

static int flat_triangle_holds(int axis, const double *const t[3], const double *p) {
  int left = 0, right = 0;
  for (int k = 0; k < 3; ++k) {
    int side = mus_side_of_line(axis, t[k], t[(k + 1) % 3], p);
    left |= side > 0;
    right |= side < 0;
  }
  return !(left && right);
}

// --- in space --------------------------------------------------------------------------------------------------------

static int segments_meet(const double *p, const double *q, const double *a, const double *b) {
  if (mus_side_of_plane(p, q, a, b) != 0)
    return 0;
  for (int axis = 0; axis < 3; ++axis)
    if (mus_side_of_line(axis, p, q, a) || mus_side_of_line(axis, p, q, b) || mus_side_of_line(axis, a, b, p) ||
        mus_side_of_line(axis, a, b, q))
      return flat_segments_meet(axis, p, q, a, b);
  return boxes_overlap(p, q, a, b);
}

// The axis along which the triangle shows an area; -1 where it has none.
static int axis_of(const double *const t[3]) {
  for (int axis = 0; axis < 3; ++axis)
    if (mus_side_of_line(axis, t[0], t[1], t[2]))
      return axis;
  return -1;
}

// Both ends lie in the triangle's plane, or it has none.
static int flat_edge_meets(const double *p, const double *q, const double *const t[3]) {
  int axis = axis_of(t);
  if (axis >= 0 && flat_triangle_holds(axis, t, p))
    return 1;
  for (int k = 0; k < 3; ++k) {
    const double *a = t[k], *b = t[(k + 1) % 3];
    if (axis >= 0 ? flat_segments_meet(axis, p, q, a, b) : segments_meet(p, q, a, b))
      return 1;
  }
  return 0;
}

// The edge pq, whose ends lie on these sides of the triangle's plane.
static int edge_meets(const double *p, const double *q, int side_p, int side_q, const double *const t[3]) {
  if (side_p * side_q > 0)
    return 0;
  if (side_p == 0 && side_q == 0)
    return flat_edge_meets(p, q, t);
  int left = 0, right = 0; // the edges of the triangle, as the line pq passes them
  for (int k = 0; k < 3; ++k) {
    int side = mus_side_of_plane(p, q, t[k], t[(k + 1) % 3]);
    left |= side > 0;
    right |= side < 0;
  }
  return !(left && right);
}

// --- pairs -----------------------------------------------------------------------------------------------------------

// The sides of the plane of t that the corners of s lie on. Returns 1 when all are on the same one.
static int find_sides(const double *const s[3], const double *const t[3], int side[3]) {
  for (int k = 0; k < 3; ++k)
    side[k] = mus_side_of_plane(t[0], t[1], t[2], s[k]);
  return side[0] && side[0] == side[1] && side[0] == side[2];
}

static int any_edge_meets(const double *const s[3], const int side[3], const double *const t[3]) {
  for (int k = 0; k < 3; ++k)
    if (edge_meets(s[k], s[(k + 1) % 3], side[k], side[(k + 1) % 3], t))
      return 1;
  return 0;
}

int mus_triangles_meet(const double *const s[3], const double *const t[3]) {
  int side_s[3], side_t[3];
  if (find_sides(s, t, side_s) || find_sides(t, s, side_t))
    return 0;
  return any_edge_meets(s, side_s, t) || any_edge_meets(t, side_t, s);
}

// Whether the edge of s that faces its first corner has a point in t that is not that corner. The corner can only be on
// the edge where s has no area; its ends then tell, or else the facing edge of t does when its turn comes.
static int facing_edge_meets(const double *const s[3], int side_1, int side_2, const double *const t[3]) {
  if (!edge_meets(s[1], s[2], side_1, side_2, t))
    return 0;
  if (!segments_meet(s[0], s[0], s[1], s[2]))
    return 1;
  return edge_meets(s[1], s[1], side_1, side_1, t) || edge_meets(s[2], s[2], side_2, side_2, t);
}

// From the shared corner, what is in common reaches as far as one of the edges that face it.
int mus_triangles_meet_beyond_corner(const double *const s[3], const double *const t[3]) {
  int s_1 = mus_side_of_plane(t[0], t[1], t[2], s[1]), s_2 = mus_side_of_plane(t[0], t[1], t[2], s[2]);
  if (s_1 * s_2 > 0)
    return 0;
  int t_1 = mus_side_of_plane(s[0], s[1], s[2], t[1]), t_2 = mus_side_of_plane(s[0], s[1], s[2], t[2]);
  if (t_1 * t_2 > 0)
    return 0;
  return facing_edge_meets(s, s_1, s_2, t) || facing_edge_meets(t, t_1, t_2, s);
}

int mus_triangles_meet_beyond_edge(const double *const s[3], const double *const t[3]) {
  if (mus_side_of_plane(s[0], s[1], s[2], t[2]) != 0)
    return 0;
  for (int axis = 0; axis < 3; ++axis) {
    int side_s = mus_side_of_line(axis, s[0], s[1], s[2]), side_t = mus_side_of_line(axis, s[0], s[1], t[2]);
    if (side_s || side_t)
      return side_s * side_t > 0;
  }
  return 0;
}
