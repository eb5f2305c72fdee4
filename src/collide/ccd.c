// Conservative advancement by separating planes. See ccd.h.
//
// Why it never misses. Let the motion be x_k(t) = (1 - t) x0_k + t x1_k in real arithmetic, n any vector with
// |n| <= 1 + 4u (u = 2^-53), a a node of the first feature, b one of the second, and s_ab(t) = n . (x_a(t) - x_b(t)),
// which is linear in t. A point of a feature is a mean of its nodes with weights >= 0, so
//   distance(t) >= min_ab s_ab(t) / |n|.
// A time is passed over only where all s_ab(t) >= near / (1 - 4u), by the computed values of s_ab(0) and s_ab(1).
// Rounding: with m the largest difference of coordinates between any node and the first one at the start,
//   the difference of coordinates is off by u m, its inner product with n by 6 sqrt(3) u m at most (three products and
//   two sums, |n|_1 <= sqrt(3)), and a difference of two such by 2 sqrt(3) u m more: below 32 u m all in all;
//   the time t = (s(0) - l) / (s(0) - s(1)) is off by 4u t at most, so s there by 4u |s(0) - s(1)| <= 16 sqrt(3) u m.
// Both together are below 64 u m. The limit l is near + 128 u m = near + 2^-46 m, and more than that where near is so
// large that its own rounding counts.
//
// Why it ends. Each round's plane is perpendicular to the vector between the closest points at t, which separates the
// features there by the distance, less rounding. When that is above the stopping distance, the round advances by
// (distance - l) / |s'| at least, and faster features turn about each other only when they are close for their size;
// rounds beyond MUS_CCD_ROUNDS report a hit.
//
// Comparisons are written so that NaN and infinity report a hit.
#include "collide/ccd.h"

#include <string.h>

#include "base/vector3.h"
#include "collide/distance.h"

// Distances below this count as none: their squares are too small to be exact.
static const double smallest = 1e-140;

typedef struct motion {
  mus_pair_kind kind;
  double start[4][3], end[4][3]; // less the first node's start
  double limit;                  // what planes must keep apart
  double stop;                   // closer than this is a hit
} motion;

// Also: the largest difference of coordinates.
static double take_differences(const double x0[4][3], const double x1[4][3], motion *m) {
  double largest[3] = {0};
  for (int k = 0; k < 4; ++k)
    for (int c = 0; c < 3; ++c) {
      m->start[k][c] = x0[k][c] - x0[0][c];
      m->end[k][c] = x1[k][c] - x0[0][c];
      double a = fabs(m->start[k][c]), b = fabs(m->end[k][c]), larger = a > b ? a : b;
      largest[c] = larger > largest[c] ? larger : largest[c];
    }
  double most = largest[0] > largest[1] ? largest[0] : largest[1];
  return most > largest[2] ? most : largest[2];
}

static double distance_of(mus_pair_kind kind, const double x[4][3], double weight[4]) {
  return kind == MUS_VERTEX_FACE ? mus_vertex_face_distance(x, weight) : mus_edge_edge_distance(x, weight);
}

static void positions_at(const motion *m, double time, double x[4][3]) {
  for (int k = 0; k < 4; ++k)
    for (int c = 0; c < 3; ++c)
      x[k][c] = (1 - time) * m->start[k][c] + time * m->end[k][c];
}

// Whether planes across the line between the middles of the features keep them apart all the time, which takes less to
// find out than where they are closest.
static int is_far(const motion *m) {
  int split = m->kind == MUS_VERTEX_FACE ? 1 : 2; // nodes of the first feature
  double share = 1.0 / (4 - split), n[3], low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  double nothing = 0; // NaN where a height is not finite
  for (int c = 0; c < 3; ++c)
    n[c] = split == 1 ? -share * (m->start[1][c] + m->start[2][c] + m->start[3][c])
                      : share * (m->start[1][c] - m->start[2][c] - m->start[3][c]); // node 0 is the origin
  for (int k = 0; k < 4; ++k)
    for (int i = 0; i < 2; ++i) {
      double height = mus_dot3(n, i ? m->end[k] : m->start[k]);
      nothing += 0 * height;
      if (k < split)
        low[i] = height < low[i] ? height : low[i];
      else
        high[i] = height > high[i] ? height : high[i];
    }
  double length = mus_length3(n), limit = m->limit * length + nothing;
  return length > smallest && low[0] - high[0] >= limit && low[1] - high[1] >= limit;
}

// The time until which planes with this normal separate the features, if they do at `time`.
static double separated_until(const motion *m, const double *normal, double time) {
  int nodes = m->kind == MUS_VERTEX_FACE ? 1 : 2; // of the first feature
  double start[4], end[4], until = 2;
  for (int k = 0; k < 4; ++k) {
    start[k] = mus_dot3(normal, m->start[k]);
    end[k] = mus_dot3(normal, m->end[k]);
  }
  for (int a = 0; a < nodes; ++a)
    for (int b = nodes; b < 4; ++b) {
      double from = start[a] - start[b], to = end[a] - end[b];
      if (to >= m->limit && from >= m->limit)
        continue;
      double meet = (from - m->limit) / (from - to);
      int apart = from >= m->limit ? meet >= time : to >= m->limit && meet <= time;
      if (!apart)
        return 0;
      if (from >= m->limit && meet < until)
        until = meet;
    }
  return until;
}

// The normal across what the closest points lie inside of: a triangle, two edges, or an edge as seen from a vertex. As
// the difference of two points its direction is lost to rounding when they are very close; this one's is not.
static void straighten(const motion *m, const double x[4][3], const double weight[4], double normal[3]) {
  int split = m->kind == MUS_VERTEX_FACE ? 1 : 2, active[2][3], count[2] = {0, 0};
  double a[3], b[3], straight[3];
  for (int k = 0; k < 4; ++k)
    if (weight[k] != 0)
      active[k >= split][count[k >= split]++] = k;
  if (count[0] + count[1] == 2) // two nodes: their difference is exact
    return;
  const int *first = active[0], *second = active[1];
  if (m->kind == MUS_EDGE_EDGE && count[0] == 2)
    mus_subtract3(x[first[1]], x[first[0]], a);
  else
    mus_subtract3(x[second[1]], x[second[0]], a);
  if (count[0] + count[1] == 3) {
    mus_cross3(a, normal, b);
    mus_cross3(b, a, straight);
  } else {
    mus_subtract3(x[second[count[1] - 1]], x[second[0]], b);
    mus_cross3(a, b, straight);
  }
  double length = mus_length3(straight), side = mus_dot3(straight, normal) < 0 ? -1 : 1;
  for (int c = 0; c < 3 && length > smallest; ++c)
    normal[c] = side * straight[c] / length;
}

static int advance(const motion *m, double distance, double weight[4], double *time) {
  double x[4][3];
  memcpy(x, m->start, sizeof x);
  const double(*at)[3] = (const double(*)[3])x;
  for (int round = 0; round < MUS_CCD_ROUNDS; ++round) {
    double normal[3];
    if (!(distance > m->stop) || !(distance < INFINITY))
      return 1;
    mus_weigh(at, weight, normal);
    for (int c = 0; c < 3; ++c)
      normal[c] /= distance;
    double until = separated_until(m, normal, *time);
    if (!(until > *time)) {
      straighten(m, at, weight, normal);
      until = separated_until(m, normal, *time);
    }
    if (!(until > *time))
      return 1;
    if (until > 1)
      return 0;
    *time = until;
    positions_at(m, *time, x);
    distance = distance_of(m->kind, at, weight);
  }
  return 1;
}

int mus_pair_impact(mus_pair_kind kind, const double x0[4][3], const double x1[4][3], double share, double *near,
                    double *time) {
  motion m; // not set to zero first: this is called a million times
  double weight[4];
  m.kind = kind;
  double rounding = 0x1p-46 * take_differences(x0, x1, &m) + smallest;
  *time = 0;
  m.limit = *near * (1 + 0x1p-48) + rounding;
  if (is_far(&m))
    return 0;
  double distance = distance_of(kind, (const double(*)[3])m.start, weight);
  if (share * distance < *near)
    *near = share * distance;
  m.limit = *near * (1 + 0x1p-48) + rounding;
  m.stop = *near * (1 + 0.9 * MUS_CCD_TOLERANCE) + 4 * rounding;
  return advance(&m, distance, weight, time);
}

int mus_vertex_face_impact(const double x0[4][3], const double x1[4][3], double near, double *time) {
  return mus_pair_impact(MUS_VERTEX_FACE, x0, x1, INFINITY, &near, time);
}

int mus_edge_edge_impact(const double x0[4][3], const double x1[4][3], double near, double *time) {
  return mus_pair_impact(MUS_EDGE_EDGE, x0, x1, INFINITY, &near, time);
}
