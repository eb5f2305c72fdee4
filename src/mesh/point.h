// Points and turns as values, for code that builds figures: a few hundred of them, written to be read.
#ifndef MUS_MESH_POINT_H
#define MUS_MESH_POINT_H

#include <math.h>

typedef struct mus_point {
  double x, y, z;
} mus_point;

static inline mus_point mus_point_add(mus_point a, mus_point b) { return (mus_point){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline mus_point mus_point_from(mus_point a, mus_point b) { // from a to b
  return (mus_point){b.x - a.x, b.y - a.y, b.z - a.z};
}
static inline mus_point mus_point_scale(double factor, mus_point a) {
  return (mus_point){factor * a.x, factor * a.y, factor * a.z};
}
static inline double mus_point_dot(mus_point a, mus_point b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline double mus_point_length(mus_point a) { return sqrt(mus_point_dot(a, a)); }
static inline mus_point mus_point_cross(mus_point a, mus_point b) {
  return (mus_point){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline mus_point mus_point_unit(mus_point a) { return mus_point_scale(1 / mus_point_length(a), a); }

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
