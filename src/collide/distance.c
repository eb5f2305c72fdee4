// Closest points of vertices, triangles and edges. See distance.h.
//
// Each candidate for the closest points is a pair of points of the two features, so its distance is never too small;
// the least of them is taken. Where a triangle or a pair of edges is well shaped, few can be it: the inner point, or a
// point of a side that the vertex lies beyond; for edges, what clamping finds (Ericson 2005, chapter 5). Where it is
// not, rounding may have misled that choice and all candidates are tried: a triangle without area is its three edges,
// and parallel edges are closest at one of their ends.
//
// All is computed from differences to one node, and the distance from the difference vector of the weights themselves,
// so that it belongs to them. Its error is a few roundings of the largest difference of nodes.
#include "collide/distance.h"

#include <math.h>

#include "base/vector3.h"

// Below this, sin^2 of the angle between two edges counts as unreliable.
static const double flat = 1e-8;

static double clamp(double t) { return t > 0 ? (t < 1 ? t : 1) : 0; } // NaN becomes 0

// The part of a, an edge from the origin, that is closest to p: exactly 0 or 1 for a point beyond an end.
static double closest_part(const double *a, const double *p) {
  double along = mus_dot3(a, p), square = mus_dot3(a, a);
  return square > 0 ? clamp(along / square) : 0;
}

typedef struct candidate {
  double square;    // of the distance
  double weight[4]; // the first is what the others leave
} candidate;

// Keeps the candidate with these weights if it is closer.
static void offer(candidate *best, const double x[4][3], double w1, double w2, double w3) {
  double weight[4] = {0, w1, w2, w3}, u[3];
  mus_weigh(x, weight, u);
  double square = mus_dot3(u, u);
  if (square < best->square)
    *best = (candidate){square, {0, w1, w2, w3}};
}

// --- vertex and triangle -------------------------------------------------------------------------------------------

// The point of side k, opposite corner k, that is closest to the vertex.
static void offer_side(candidate *best, const double x[4][3], int k) {
  // From the lower corner to the higher, so that in most cases both triangles of an edge give the same point.
  int from = k == 1 ? 2 : 1, to = k == 3 ? 2 : 3;
  double along[3], p[3], weight[4] = {0};
  mus_subtract3(x[to], x[from], along);
  mus_subtract3(x[0], x[from], p);
  double t = closest_part(along, p);
  weight[from] = t - 1;
  weight[to] = -t;
  offer(best, x, weight[1], weight[2], weight[3]);
}

double mus_vertex_face_distance(const double x[4][3], double weight[4]) {
  candidate best = {INFINITY, {0, -1, 0, 0}};
  double b[3], c[3], p[3], normal[3], turned[3], part[4];
  mus_subtract3(x[2], x[1], b);
  mus_subtract3(x[3], x[1], c);
  mus_subtract3(x[0], x[1], p);
  mus_cross3(b, c, normal);
  double square = mus_dot3(normal, normal);
  mus_cross3(p, c, turned);
  part[2] = mus_dot3(turned, normal) / square;
  mus_cross3(b, p, turned);
  part[3] = mus_dot3(turned, normal) / square;
  part[1] = 1 - part[2] - part[3];
  int is_flat = !(square > flat * mus_dot3(b, b) * mus_dot3(c, c));
  if (part[1] >= 0 && part[2] >= 0 && part[3] >= 0) // not if NaN
    offer(&best, x, -part[1], -part[2], -part[3]);
  for (int k = 1; k < 4; ++k)
    if (is_flat || part[k] < 0)
      offer_side(&best, x, k);
  for (int k = 1; k < 4; ++k)
    weight[k] = best.weight[k];
  weight[0] = 1;
  return sqrt(best.square);
}

// --- two edges -----------------------------------------------------------------------------------------------------

static void offer_parts(candidate *best, const double x[4][3], double s, double t) { offer(best, x, s, t - 1, -t); }

// Each end of one edge with the point of the other that is closest to it.
static void offer_ends(candidate *best, const double x[4][3], const double *a, const double *b) {
  double p[3];
  for (int end = 0; end < 2; ++end) {
    mus_subtract3(x[2 + end], x[0], p);
    offer_parts(best, x, closest_part(a, p), end);
    mus_subtract3(x[end], x[2], p);
    offer_parts(best, x, end, closest_part(b, p));
  }
}

double mus_edge_edge_distance(const double x[4][3], double weight[4]) {
  candidate best = {INFINITY, {0, 0, -1, 0}};
  double a[3], b[3], r[3], p[3], normal[3], turned[3];
  mus_subtract3(x[1], x[0], a);
  mus_subtract3(x[3], x[2], b);
  mus_subtract3(x[2], x[0], r);
  // By products across, whose rounding is that of the sine of the angle; squares of inner products lose its square.
  mus_cross3(a, b, normal);
  mus_cross3(r, b, turned);
  double square = mus_dot3(normal, normal), s = clamp(mus_dot3(turned, normal) / square);
  // From the point of the first line, or the end that is nearest to it, to the second edge, and back where that ends.
  for (int c = 0; c < 3; ++c)
    p[c] = s * a[c] - r[c];
  double t = closest_part(b, p);
  if (t == 0 || t == 1) {
    for (int c = 0; c < 3; ++c)
      p[c] = r[c] + t * b[c];
    s = closest_part(a, p);
  }
  offer_parts(&best, x, s, t);
  if (!(square > flat * mus_dot3(a, a) * mus_dot3(b, b)))
    offer_ends(&best, x, a, b);
  for (int k = 1; k < 4; ++k)
    weight[k] = best.weight[k];
  weight[0] = 1 - weight[1];
  return sqrt(best.square);
}
