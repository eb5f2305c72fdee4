// Rotations as values, for code that builds figures: a few hundred of them, written to be read.
#ifndef MUS_MESH_TURN_H
#define MUS_MESH_TURN_H

#include <math.h>

#include "base/vector3.h"

// A rotation by its columns: where the three axes go.
typedef struct mus_turn {
  mus_point x, y, z;
} mus_turn;

static inline mus_point mus_turn_apply(const mus_turn *t, mus_point p) {
  return (mus_point){t->x.x * p.x + t->y.x * p.y + t->z.x * p.z, t->x.y * p.x + t->y.y * p.y + t->z.y * p.z,
                     t->x.z * p.x + t->y.z * p.y + t->z.z * p.z};
}
// First b, then a.
static inline mus_turn mus_turn_join(mus_turn a, mus_turn b) {
  return (mus_turn){mus_turn_apply(&a, b.x), mus_turn_apply(&a, b.y), mus_turn_apply(&a, b.z)};
}
static inline mus_turn mus_turn_back(mus_turn t) {
  return (mus_turn){{t.x.x, t.y.x, t.z.x}, {t.x.y, t.y.y, t.z.y}, {t.x.z, t.y.z, t.z.z}};
}
// About an axis, by an angle in radians.
static inline mus_turn mus_turn_x(double angle) {
  double c = cos(angle), s = sin(angle);
  return (mus_turn){{1, 0, 0}, {0, c, s}, {0, -s, c}};
}
static inline mus_turn mus_turn_y(double angle) {
  double c = cos(angle), s = sin(angle);
  return (mus_turn){{c, 0, -s}, {0, 1, 0}, {s, 0, c}};
}
static inline mus_turn mus_turn_z(double angle) {
  double c = cos(angle), s = sin(angle);
  return (mus_turn){{c, s, 0}, {-s, c, 0}, {0, 0, 1}};
}

#endif
