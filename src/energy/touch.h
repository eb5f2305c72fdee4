// What keeps a vertex off bodies whose distance is known everywhere, inside a linear solve: a stiff term along the
// normal and friction across it, both of one vertex alone. One source for the host and for devices.
//
// A body is a shape in a frame of its own, which moves. Where a vertex is nearer than the gap, or will be at the
// velocity that it comes with, A_ii d_i = b_i of the step gets
//   s (n n^T) d = s n (w - n.v),   s = MUS_TOUCH_STIFFNESS trace(A_ii) / 3,
// with w the body's velocity along the normal n and what brings back a missing distance: d leaves an error of about one
// part in MUS_TOUCH_STIFFNESS of what presses. The impulse p = s (w - n.v') is known after the solve; where it has
// pulled, the next step lets the vertex go, unless it comes back.
//
// Friction is Coulomb's with the impulse of the step before, or with what stops a vertex that has just arrived: linear
// in the new velocity across, u', while it could turn the vertex back, -limit u' / max(|u|, creep), which creeps where
// it ought to stick; else limit against u, and linear across u.
#ifndef MUS_ENERGY_TOUCH_H
#define MUS_ENERGY_TOUCH_H

#include "energy/element.h"

#define MUS_TOUCH_STIFFNESS 100.0
// m/s: below that speed friction is linear.
#define MUS_TOUCH_CREEP 2e-4
// Part of a missing distance that a step brings back, and the speed that this may take, m/s.
#define MUS_TOUCH_RECOVERY 0.2
#define MUS_TOUCH_SPEED 0.5

typedef enum mus_touch_shape {
  MUS_TOUCH_PLANE,    // y = 0, within half[0] and half[2]; below it is inside
  MUS_TOUCH_CAPSULE,  // around y, of `radius`; half[1] from the middle to the centre of either end
  MUS_TOUCH_BOX,      // of half its sides, with edges of `radius`
  MUS_TOUCH_CYLINDER, // around y, of `radius` and half its length
  MUS_TOUCH_TORUS,    // around y: a tube of radius half[0] around a circle of `radius`
  MUS_TOUCH_GRID      // distances at the points of a grid, see below
} mus_touch_shape;

// A body in a step.
typedef struct mus_touch_body {
  int shape; // mus_touch_shape
  double half[3], radius;
  double gap;      // m: the body's part of it
  double friction; // Coulomb's coefficient
  double from[12]; // from space to the body's frame when the step begins, as mus_affine
  double to[12];   // and from there to space when it ends
  // A grid: its first point, spacing, points along each axis, and the place of its first number among all
  double origin[3], spacing;
  int points[3];
  size_t first;
} mus_touch_body;

// A vertex in a step; no stiffness: it touches nothing.
typedef struct mus_touched {
  double normal[3];
  double velocity[3]; // of the body's point
  double wanted;      // m/s along the normal
  double stiffness;   // kg
  double drag;        // kg: friction per velocity
  double rub[3];      // kg m/s: friction that does not depend on the velocity
} mus_touched;

MUS_ELEMENT void mus_touch_move(const double *map, const double *x, double *out) {
  for (int r = 0; r < 3; ++r)
    out[r] = map[4 * r] * x[0] + map[4 * r + 1] * x[1] + map[4 * r + 2] * x[2] + map[4 * r + 3];
}

// Of a vector to a length of 1; upwards if it has none. Returns the length.
MUS_ELEMENT double mus_touch_unit(double *n) {
  double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  for (int k = 0; k < 3; ++k)
    n[k] = length > 0 ? n[k] / length : k == 1;
  return length;
}

// Around a rectangle's corner (a, b): the distance of (x, y), both not negative, and its direction.
MUS_ELEMENT double mus_touch_corner(double x, double y, double a, double b, double *nx, double *ny) {
  double dx = x - a, dy = y - b;
  if (dx > 0 && dy > 0) {
    double length = sqrt(dx * dx + dy * dy);
    *nx = dx / length;
    *ny = dy / length;
    return length;
  }
  *nx = dx > dy;
  *ny = !(dx > dy);
  return dx > dy ? dx : dy;
}

MUS_ELEMENT double mus_touch_box(const mus_touch_body *b, const double *p, double *n) {
  double out[3], deepest = -1e300;
  int deep = 0, outside = 0;
  for (int k = 0; k < 3; ++k) {
    out[k] = fabs(p[k]) - (b->half[k] - b->radius);
    outside |= out[k] > 0;
    if (out[k] > deepest) {
      deepest = out[k];
      deep = k;
    }
  }
  for (int k = 0; k < 3; ++k)
    n[k] = (outside ? fmax(out[k], 0.0) : (double)(k == deep)) * (p[k] < 0 ? -1 : 1);
  double length = mus_touch_unit(n);
  return (outside ? length : deepest) - b->radius;
}

MUS_ELEMENT double mus_touch_round(const mus_touch_body *b, const double *p, double *n) {
  double across = sqrt(p[0] * p[0] + p[2] * p[2]), along, out, distance;
  if (b->shape == MUS_TOUCH_TORUS) {
    double x = across - b->radius, length = sqrt(x * x + p[1] * p[1]);
    out = length > 0 ? x / length : 1;
    along = length > 0 ? p[1] / length : 0;
    distance = length - b->half[0];
  } else {
    distance = mus_touch_corner(across, fabs(p[1]), b->radius, b->half[1], &out, &along);
    along *= p[1] < 0 ? -1 : 1;
  }
  n[0] = across > 0 ? out * p[0] / across : out;
  n[1] = along;
  n[2] = across > 0 ? out * p[2] / across : 0;
  return distance;
}

// Between the eight points around p, and its slope, per cell; far away outside of the grid.
MUS_ELEMENT double mus_touch_grid_slope(const mus_touch_body *b, const float *grid, const double *p, double *n) {
  double part[3], value[2][2][2], sum = 0;
  size_t at = 0, stride[3] = {1, (size_t)b->points[0], (size_t)b->points[0] * (size_t)b->points[1]};
  for (int k = 0; k < 3; ++k) {
    double place = (p[k] - b->origin[k]) / b->spacing;
    if (!(place >= 0 && place < b->points[k] - 1)) {
      n[0] = n[2] = 0;
      n[1] = 1;
      return 1e300;
    }
    int first = (int)place;
    part[k] = place - first;
    at += (size_t)first * stride[k];
  }
  n[0] = n[1] = n[2] = 0;
  for (int e = 0; e < 8; ++e) {
    int i = e & 1, j = e >> 1 & 1, k = e >> 2;
    value[i][j][k] = (double)grid[b->first + at + (size_t)i + (size_t)j * stride[1] + (size_t)k * stride[2]];
    double wx = i ? part[0] : 1 - part[0], wy = j ? part[1] : 1 - part[1], wz = k ? part[2] : 1 - part[2];
    sum += wx * wy * wz * value[i][j][k];
    n[0] += (i ? 1 : -1) * wy * wz * value[i][j][k];
    n[1] += (j ? 1 : -1) * wx * wz * value[i][j][k];
    n[2] += (k ? 1 : -1) * wx * wy * value[i][j][k];
  }
  return sum;
}

MUS_ELEMENT double mus_touch_grid(const mus_touch_body *b, const float *grid, const double *p, double *n) {
  double distance = mus_touch_grid_slope(b, grid, p, n);
  mus_touch_unit(n);
  return distance;
}

// Of a point in the body's frame from its surface, negative inside, and the direction away from it.
MUS_ELEMENT double mus_touch_distance(const mus_touch_body *b, const float *grid, const double *p, double *n) {
  switch (b->shape) {
  case MUS_TOUCH_PLANE: {
    int beside = fabs(p[0]) > b->half[0] || fabs(p[2]) > b->half[2];
    n[0] = n[2] = 0;
    n[1] = 1;
    return beside ? 1e300 : p[1];
  }
  case MUS_TOUCH_CAPSULE: {
    double y = p[1] < -b->half[1] ? p[1] + b->half[1] : p[1] > b->half[1] ? p[1] - b->half[1] : 0;
    n[0] = p[0];
    n[1] = y;
    n[2] = p[2];
    return mus_touch_unit(n) - b->radius;
  }
  case MUS_TOUCH_BOX:
    return mus_touch_box(b, p, n);
  case MUS_TOUCH_GRID:
    return mus_touch_grid(b, grid, p, n);
  default:
    return mus_touch_round(b, p, n);
  }
}

// What a vertex has to do with the step.
typedef struct mus_touch_vertex {
  const double *position, *velocity; // when it begins
  const double *predicted;           // X of its scheme, x' = X + H v'
  double mass;
  double half;   // m: the vertex's own part of the gap
  double push;   // N: of the step before; negative: it was pulled, 0: it touched nothing
  double h;      // s: the step ...
  double length; // ... and its H
} mus_touch_vertex;

// Whether one of the bodies keeps it off, of several the nearest, and how; `trace` is that of its diagonal block.
MUS_ELEMENT void mus_touch_find(const mus_touch_vertex *v, int bodies, const mus_touch_body *body, const float *grid,
                                double trace, mus_touched *out) {
  double nearest = 1e300;
  out->stiffness = 0;
  for (int k = 0; k < bodies; ++k) {
    const mus_touch_body *b = &body[k];
    double own[3], n[3], normal[3], end[3], velocity[3], gap = b->gap + v->half;
    mus_touch_move(b->from, v->position, own);
    double distance = mus_touch_distance(b, grid, own, n);
    if (!(distance < nearest) || distance > 1e200)
      continue;
    mus_touch_move(b->to, own, end);
    double approach = 0;
    for (int r = 0; r < 3; ++r) {
      normal[r] = b->to[4 * r] * n[0] + b->to[4 * r + 1] * n[1] + b->to[4 * r + 2] * n[2];
      velocity[r] = (end[r] - v->position[r]) / v->h;
      approach += normal[r] * (v->velocity[r] - velocity[r]);
    }
    int comes = distance + v->h * fmin(approach, 0.0) < gap;
    if (v->push > 0 ? distance >= gap * 1.5 && !comes : !comes || (approach >= 0 && distance > gap / 2))
      continue;
    nearest = distance;
    double missing = gap - distance,
           way = fmin(missing > 0 ? MUS_TOUCH_RECOVERY * missing : missing, MUS_TOUCH_SPEED * v->h);
    double across[3], speed = 0;
    out->wanted = way / v->length;
    for (int r = 0; r < 3; ++r) {
      out->normal[r] = normal[r];
      out->velocity[r] = velocity[r];
      out->wanted += normal[r] * (end[r] - v->predicted[r]) / v->length;
      out->rub[r] = 0;
      across[r] = v->velocity[r] - velocity[r] - approach * normal[r];
      speed += across[r] * across[r];
    }
    speed = sqrt(speed);
    out->stiffness = MUS_TOUCH_STIFFNESS * trace / 3;
    double press = v->push > 0 ? v->push * v->length : v->mass * (fmax(-approach, 0.0) + 9.81 * v->length);
    double limit = b->friction * press;
    out->drag = limit / fmax(speed, MUS_TOUCH_CREEP);
    if (speed > MUS_TOUCH_CREEP && v->mass * speed > 2 * limit) // it cannot be turned back
      for (int r = 0; r < 3; ++r)
        out->rub[r] = -limit * across[r] / speed;
  }
}

// Friction at a velocity, kg m/s; its drag is taken across `rub` only, where there is any.
MUS_ELEMENT void mus_touch_across(const mus_touched *t, double *direction) {
  double square = t->rub[0] * t->rub[0] + t->rub[1] * t->rub[1] + t->rub[2] * t->rub[2];
  for (int r = 0; r < 3; ++r)
    direction[r] = square > 0 ? t->rub[r] / sqrt(square) : 0;
}

// Adds to the diagonal block.
MUS_ELEMENT void mus_touch_block(const mus_touched *t, double *block) {
  double slide[3];
  mus_touch_across(t, slide);
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c)
      block[3 * r + c] += (t->stiffness - t->drag) * t->normal[r] * t->normal[c] - t->drag * slide[r] * slide[c] +
                          (r == c ? t->drag : 0);
}

// Adds to the diagonal block and to the right-hand side of d = v' - v.
MUS_ELEMENT void mus_touch_load(const mus_touched *t, const double *velocity, double *block, double *right) {
  double slide[3], relative[3], along = 0, normal = 0;
  if (!(t->stiffness > 0))
    return;
  mus_touch_across(t, slide);
  for (int r = 0; r < 3; ++r) {
    relative[r] = velocity[r] - t->velocity[r];
    normal += t->normal[r] * relative[r];
    along += slide[r] * relative[r];
  }
  double closing = t->wanted;
  for (int r = 0; r < 3; ++r)
    closing -= t->normal[r] * velocity[r];
  for (int r = 0; r < 3; ++r) {
    right[r] += t->stiffness * closing * t->normal[r] + t->rub[r];
    right[r] -= t->drag * (relative[r] - normal * t->normal[r] - along * slide[r]);
  }
  mus_touch_block(t, block);
}

// At a velocity: what is missing of the wanted one along the normal, and how the vertex moves across beside the body,
// without the direction that friction leaves alone.
MUS_ELEMENT double mus_touch_missing(const mus_touched *t, const double *velocity, double *across) {
  double slide[3], relative[3], along = 0, normal = 0, closing = t->wanted;
  mus_touch_across(t, slide);
  for (int r = 0; r < 3; ++r) {
    relative[r] = velocity[r] - t->velocity[r];
    normal += t->normal[r] * relative[r];
    along += slide[r] * relative[r];
    closing -= t->normal[r] * velocity[r];
  }
  for (int r = 0; r < 3; ++r)
    across[r] = relative[r] - normal * t->normal[r] - along * slide[r];
  return closing;
}

// In steps that minimise an energy: what the touch adds to it at a velocity, J. Its derivative there is minus the
// impulse of mus_touch_end(), its second derivative mus_touch_block().
MUS_ELEMENT double mus_touch_energy(const mus_touched *t, const double *velocity) {
  double across[3], square = 0, work = 0;
  if (!(t->stiffness > 0))
    return 0;
  double closing = mus_touch_missing(t, velocity, across);
  for (int r = 0; r < 3; ++r) {
    square += across[r] * across[r];
    work += t->rub[r] * velocity[r];
  }
  return t->stiffness / 2 * closing * closing + t->drag / 2 * square - work;
}

// After the solve: the impulse on the vertex at its new velocity. Returns what presses it off the body, N.
MUS_ELEMENT double mus_touch_end(const mus_touched *t, const double *velocity, double length, double *impulse) {
  double across[3];
  impulse[0] = impulse[1] = impulse[2] = 0;
  if (!(t->stiffness > 0))
    return 0;
  double closing = mus_touch_missing(t, velocity, across);
  for (int r = 0; r < 3; ++r)
    impulse[r] = t->stiffness * closing * t->normal[r] + t->rub[r] - t->drag * across[r];
  double push = t->stiffness * closing / length;
  return push != 0 ? push : -1e-300;
}

#endif
