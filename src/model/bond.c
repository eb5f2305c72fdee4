// Bonds. See bond.h.
#include "model/bond.h"

#include <math.h>
#include <string.h>

#include "base/vector3.h"

static double clamp(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

// The nearest point of an edge to x, as the weight of its second end. Returns the square of the distance.
static double nearest_on_edge(const double *a, const double *b, const double *x, double *along) {
  double edge[3], from[3];
  mus_subtract3(b, a, edge);
  mus_subtract3(x, a, from);
  double square = mus_dot3(edge, edge);
  *along = square > 0 ? clamp(mus_dot3(from, edge) / square) : 0;
  mus_add_scaled3(-*along, edge, from);
  return mus_dot3(from, from);
}

// The nearest point of a triangle to x. Returns the square of the distance.
static double nearest(double corner[3][3], const double *x, double weight[3]) {
  double u[3], v[3], from[3], normal[3], across[3];
  mus_subtract3(corner[1], corner[0], u);
  mus_subtract3(corner[2], corner[0], v);
  mus_subtract3(x, corner[0], from);
  mus_cross3(u, v, normal);
  double area = mus_dot3(normal, normal), height = mus_dot3(from, normal);
  mus_cross3(from, v, across);
  double s = area > 0 ? mus_dot3(across, normal) / area : -1;
  mus_cross3(u, from, across);
  double t = area > 0 ? mus_dot3(across, normal) / area : -1;
  if (s >= 0 && t >= 0 && s + t <= 1) {
    memcpy(weight, (double[]){1 - s - t, s, t}, 3 * sizeof *weight);
    return height * height / area;
  }
  double best = INFINITY;
  for (int e = 0; e < 3; ++e) {
    double along, square = nearest_on_edge(corner[e], corner[(e + 1) % 3], x, &along);
    if (square >= best)
      continue;
    best = square;
    memset(weight, 0, 3 * sizeof *weight);
    weight[e] = 1 - along;
    weight[(e + 1) % 3] = along;
  }
  return best;
}

static void corners_of(const int *triangle, int number, const double *position, double corner[3][3]) {
  for (int k = 0; k < 3; ++k)
    memcpy(corner[k], position + 3 * (size_t)triangle[3 * (size_t)number + (size_t)k], 3 * sizeof(double));
}

// e_1, e_2 and n; zero where the triangle has no area.
static void frame_of(double corner[3][3], double frame[3][3]) {
  double side[3], *n = frame[2];
  mus_subtract3(corner[1], corner[0], frame[0]);
  mus_subtract3(corner[2], corner[0], side);
  mus_cross3(frame[0], side, n);
  double length = sqrt(mus_dot3(frame[0], frame[0])), area = sqrt(mus_dot3(n, n));
  mus_scale3(length > 0 ? 1 / length : 0, frame[0], frame[0]);
  mus_scale3(area > 0 ? 1 / area : 0, n, n);
  mus_cross3(n, frame[0], frame[1]);
}

static void weigh(double corner[3][3], const double weight[3], double x[3]) {
  mus_scale3(weight[0], corner[0], x);
  mus_add_scaled3(weight[1], corner[1], x);
  mus_add_scaled3(weight[2], corner[2], x);
}

void mus_bond_make(const int *triangle, int first, int end, const double *position, const double x[3], mus_bond *out) {
  double best = INFINITY, corner[3][3], frame[3][3], weight[3], foot[3], away[3];
  *out = (mus_bond){.triangle = first, .made = 1};
  for (int t = first; t < end; ++t) {
    corners_of(triangle, t, position, corner);
    double square = nearest(corner, x, weight);
    if (square < best) {
      best = square;
      out->triangle = t;
      memcpy(out->weight, weight, sizeof weight);
    }
  }
  corners_of(triangle, out->triangle, position, corner);
  frame_of(corner, frame);
  weigh(corner, out->weight, foot);
  mus_subtract3(x, foot, away);
  for (int k = 0; k < 3; ++k)
    out->away[k] = mus_dot3(frame[k], away);
}

void mus_bond_place(const mus_bond *bond, const int *triangle, const double *position, double x[3]) {
  double corner[3][3], frame[3][3];
  corners_of(triangle, bond->triangle, position, corner);
  frame_of(corner, frame);
  weigh(corner, bond->weight, x);
  for (int k = 0; k < 3; ++k)
    mus_add_scaled3(bond->away[k], frame[k], x);
}
