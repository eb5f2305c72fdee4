// Capsules: cones with round ends, of which figures are made.
#ifndef MUS_MESH_CAPSULE_H
#define MUS_MESH_CAPSULE_H

#include "base/vector3.h"

typedef struct mus_capsule {
  mus_point from, along;
  double from_radius, to_radius, over_square; // 1 / |along|^2
} mus_capsule;

// The ends must not be in one place.
static inline mus_capsule mus_capsule_between(mus_point from, mus_point to, double from_radius, double to_radius) {
  mus_point along = mus_point_subtract(to, from);
  return (mus_capsule){from, along, from_radius, to_radius, 1 / mus_point_dot(along, along)};
}

// Of a point from its surface, negative inside. Nearly so where the ends differ: it changes by at most
// sqrt(1 + (difference of the radii / length)^2) times the way.
static inline double mus_capsule_distance(const mus_capsule *c, mus_point p) {
  mus_point to = mus_point_subtract(p, c->from);
  double s = mus_point_dot(to, c->along) * c->over_square;
  s = s < 0 ? 0 : s > 1 ? 1 : s;
  mus_point away = mus_point_subtract(to, mus_point_scale(s, c->along));
  return mus_point_length(away) - c->from_radius - s * (c->to_radius - c->from_radius);
}

#endif
