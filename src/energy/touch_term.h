// What keeps a vertex off bodies in a step that is minimised: a potential of where the step ends, x' = X + H v', of one
// vertex alone. One source for the host and for devices; shapes are those of touch.h.
//
//   sum over bodies of s / 2 H^2 max(0, g - d(x'))^2  +  limit f(|T (v' - w)|),
//
// d the distance from a body where it is at the end of the step, n its slope, g the gap, or less where the vertex
// starts so deep inside that the step is to bring back a part only, and s = MUS_TOUCH_STIFFNESS trace(A_ii) / 3 with A
// the step's matrix at its beginning. Minus the derivative by v' is the impulse s (g - d) n / H; of the second
// derivative, s n n^T is taken and the curvature of the body left out, so that it is semidefinite.
//
// Friction is Coulomb's with what presses when the step begins: a potential of the velocity across T = 1 - n n^T, in
// the frame of where the vertex touches first, and against w, the body's there. f(u) = u^2 / 2c below the creeping
// speed c, and u - c/2 beyond.
//
// All of it is frozen when the step begins, but for d: the energy of a step is one function.
#ifndef MUS_ENERGY_TOUCH_TERM_H
#define MUS_ENERGY_TOUCH_TERM_H

#include "energy/touch.h"

// Part of a missing distance that a second brings back: as much as touch.h does in steps of 2 ms, and all of it in
// those of 10 ms and more.
#define MUS_TOUCH_RECOVERY_RATE 100.0
// A way is followed to a surface by so many distances.
#define MUS_TOUCH_STRIDES 64
// Friction of a vertex that was pushed goes on up to so many gaps from the body.
#define MUS_TOUCH_NEAR 1.5

// Parts of the gap: see mus_touch_guard(), and how near what lies on a body without a load may be.
#define MUS_TOUCH_ENTRY 0.01
#define MUS_TOUCH_CLOSE 0.02

// A vertex in a step; no stiffness: bodies do nothing to it.
typedef struct mus_touch_term {
  double stiffness;   // kg
  double give;        // m: by how much g is below the gap
  double normal[3];   // where it touches first, as the step ends
  double velocity[3]; // of the body's point there
  double limit;       // kg m/s: all that friction can give
  double stopped;     // kg m/s: of what presses, what stops the vertex as it comes, which is not there in the next step
} mus_touch_term;

// Where bodies are in the step, and the vertex's part of gaps.
typedef struct mus_touch_among {
  int bodies;
  const mus_touch_body *body;
  const float *grid;
  double half;   // m
  double length; // s: H
} mus_touch_among;

// Back from space by a map without stretch.
MUS_ELEMENT void mus_touch_back(const double *map, const double *x, double *out) {
  double way[3];
  for (int r = 0; r < 3; ++r)
    way[r] = x[r] - map[4 * r + 3];
  for (int c = 0; c < 3; ++c)
    out[c] = map[c] * way[0] + map[4 + c] * way[1] + map[8 + c] * way[2];
}

MUS_ELEMENT void mus_touch_turn(const double *map, const double *n, double *out) {
  for (int r = 0; r < 3; ++r)
    out[r] = map[4 * r] * n[0] + map[4 * r + 1] * n[1] + map[4 * r + 2] * n[2];
}

// m: from a body where the step ends, and its slope there, in space: of a length of 1, but for what grids lose between
// their points.
MUS_ELEMENT double mus_touch_distance_at_end(const mus_touch_body *b, const float *grid, const double *x,
                                             double *normal) {
  double own[3], n[3], distance;
  mus_touch_back(b->to, x, own);
  if (b->shape == MUS_TOUCH_GRID) {
    distance = mus_touch_grid_slope(b, grid, own, n);
    for (int k = 0; k < 3; ++k)
      n[k] /= b->spacing;
  } else {
    distance = mus_touch_distance(b, grid, own, n);
  }
  mus_touch_turn(b->to, n, normal);
  return distance;
}

// --- the beginning ---------------------------------------------------------------------------------------------------

// Along a straight way in the body's frame: the part of it after which the distance is no more than `gap`, or 1.
MUS_ELEMENT double mus_touch_first(const mus_touch_body *b, const float *grid, const double *from, const double *way,
                                   double gap) {
  double length = sqrt(mus_dot3(way, way)), part = 0, p[3], n[3];
  for (int k = 0; k < MUS_TOUCH_STRIDES && part < 1; ++k) {
    for (int c = 0; c < 3; ++c)
      p[c] = from[c] + part * way[c];
    double off = mus_touch_distance(b, grid, p, n) - gap;
    if (off <= 1e-3 * gap)
      return part;
    if (off > 1e200) // outside of what is known of it
      off = b->shape == MUS_TOUCH_GRID ? 2 * b->spacing : length;
    part = off < length * (1 - part) ? part + off / length : 1;
  }
  return part < 1 ? part : 1;
}

// What a vertex that nothing else holds would have to do with a body.
typedef struct mus_touch_meeting {
  double normal[3], velocity[3];
  double plane;    // of the surface that keeps it off: n . x' there
  double closing;  // m/s: by how much it would have to be stopped; 0: it does not come
  double approach; // m/s: the speed that it comes with
  double distance; // m: when the step begins
} mus_touch_meeting;

// `fallen`: the velocity that gravity leads to.
MUS_ELEMENT void mus_touch_meet(const mus_touch_vertex *v, const double *fallen, const mus_touch_among *among, int k,
                                double give, mus_touch_meeting *out) {
  const mus_touch_body *b = &among->body[k];
  double own[3], end[3], way[3], n[3], at[3], start[3], gap = b->gap + v->half - give, falling = 0;
  mus_touch_move(b->from, v->position, own);
  out->distance = mus_touch_distance(b, among->grid, own, n);
  for (int c = 0; c < 3; ++c)
    end[c] = v->position[c] + v->length * fallen[c];
  mus_touch_back(b->to, end, way);
  for (int c = 0; c < 3; ++c)
    way[c] -= own[c];
  double part = mus_touch_first(b, among->grid, own, way, gap);
  for (int c = 0; c < 3; ++c)
    own[c] += part * way[c];
  double distance = mus_touch_distance(b, among->grid, own, n);
  mus_touch_turn(b->to, n, out->normal);
  mus_touch_move(b->to, own, at);
  mus_touch_back(b->from, own, start);
  out->plane = gap - distance;
  out->approach = 0;
  for (int c = 0; c < 3; ++c) {
    out->velocity[c] = (at[c] - start[c]) / v->h;
    out->plane += out->normal[c] * at[c];
    out->approach += out->normal[c] * (out->velocity[c] - v->velocity[c]);
    falling += out->normal[c] * end[c];
  }
  out->approach = fmax(out->approach, 0.0);
  out->closing = distance > 1e200 ? 0 : fmax(out->plane - falling, 0.0) / v->length;
}

// m: how far inside the vertex may stay, since a step brings back a part only of what is missing at its beginning.
MUS_ELEMENT double mus_touch_give(const mus_touch_vertex *v, const mus_touch_among *among) {
  double give = 0, own[3], n[3];
  for (int k = 0; k < among->bodies; ++k) {
    const mus_touch_body *b = &among->body[k];
    mus_touch_move(b->from, v->position, own);
    double missing = b->gap + v->half - mus_touch_distance(b, among->grid, own, n);
    double part = fmin(fmax(MUS_TOUCH_RECOVERY_RATE * v->h, MUS_TOUCH_RECOVERY), 1.0);
    give = fmax(give, missing - fmin(part * missing, MUS_TOUCH_SPEED * v->h));
  }
  return give;
}

// Where the way would lead into the body, the velocity becomes one that ends on its surface, as deep as the impulse
// that stops the vertex asks for: a first iterate that knows what it meets.
MUS_ELEMENT void mus_touch_stop(const mus_touch_vertex *v, const mus_touch_among *among, int k,
                                const mus_touch_meeting *m, const mus_touch_term *term, double *velocity) {
  enum { CORRECTIONS = 2 };
  const mus_touch_body *b = &among->body[k];
  double depth = v->mass * m->closing * v->length / term->stiffness, x[3], n[3], beyond = m->plane - depth;
  for (int c = 0; c < 3; ++c) {
    x[c] = v->predicted[c] + v->length * velocity[c];
    beyond -= m->normal[c] * x[c];
  }
  for (int c = 0; c < 3; ++c)
    x[c] += fmax(beyond, 0.0) * m->normal[c];
  for (int times = 0; times < CORRECTIONS; ++times) {
    double distance = mus_touch_distance_at_end(b, among->grid, x, n);
    double off = b->gap + v->half - term->give - depth - distance;
    if (fabs(off) > v->length * m->closing) // farther than it would have gone
      break;
    for (int c = 0; c < 3; ++c)
      x[c] += off * n[c];
  }
  for (int c = 0; c < 3; ++c)
    velocity[c] = (x[c] - v->predicted[c]) / v->length;
}

// `trace` is that of its diagonal block; `velocity`, that of the first iterate, changes where bodies stop it.
MUS_ELEMENT void mus_touch_begin(const mus_touch_vertex *v, const double *gravity, const mus_touch_among *among,
                                 double trace, double *velocity, mus_touch_term *out) {
  mus_touch_meeting m, of = {{0, 0, 0}, {0, 0, 0}, 0, 0, 0, 1e300};
  double fallen[3];
  int found = -1;
  for (int c = 0; c < 3; ++c)
    fallen[c] = v->velocity[c] + v->length * gravity[c];
  out->stiffness = MUS_TOUCH_STIFFNESS * trace / 3;
  out->give = mus_touch_give(v, among);
  for (int k = 0; k < among->bodies; ++k) {
    mus_touch_meet(v, fallen, among, k, out->give, &m);
    int near = v->push > 0 && m.distance < MUS_TOUCH_NEAR * (among->body[k].gap + v->half);
    if (m.closing > of.closing || (near && of.closing == 0 && m.distance < of.distance)) {
      of = m;
      found = k;
    }
  }
  out->limit = out->stopped = 0;
  for (int c = 0; c < 3; ++c) {
    out->normal[c] = of.normal[c];
    out->velocity[c] = of.velocity[c];
  }
  if (found < 0)
    return;
  out->stopped = v->mass * of.approach;
  double press = v->push > 0 ? v->push * v->length + out->stopped : v->mass * of.closing;
  out->limit = among->body[found].friction * press;
  if (of.closing > 0)
    mus_touch_stop(v, among, found, &of, out, velocity);
}

// --- the potential ---------------------------------------------------------------------------------------------------

// m/s: across the normal, and its size.
MUS_ELEMENT double mus_touch_sliding(const mus_touch_term *t, const double *velocity, double *across) {
  double along = 0;
  for (int r = 0; r < 3; ++r)
    along += t->normal[r] * (velocity[r] - t->velocity[r]);
  for (int r = 0; r < 3; ++r)
    across[r] = velocity[r] - t->velocity[r] - along * t->normal[r];
  return sqrt(mus_dot3(across, across));
}

// J, at x' and v'.
MUS_ELEMENT double mus_touch_term_energy(const mus_touch_term *t, const mus_touch_among *among, const double *x,
                                         const double *velocity) {
  double energy = 0, n[3];
  if (!(t->stiffness > 0))
    return 0;
  for (int k = 0; k < among->bodies; ++k) {
    const mus_touch_body *b = &among->body[k];
    double missing = b->gap + among->half - t->give - mus_touch_distance_at_end(b, among->grid, x, n);
    if (missing > 0)
      energy += t->stiffness * missing * missing / (2 * among->length * among->length);
  }
  if (t->limit > 0) {
    double speed = mus_touch_sliding(t, velocity, n);
    energy +=
        t->limit * (speed < MUS_TOUCH_CREEP ? speed * speed / (2 * MUS_TOUCH_CREEP) : speed - MUS_TOUCH_CREEP / 2);
  }
  return energy;
}

// Adds minus its derivative by v' to r and, unless that is NULL, the second derivative to a block.
MUS_ELEMENT void mus_touch_term_load(const mus_touch_term *t, const mus_touch_among *among, const double *x,
                                     const double *velocity, double *block, double *right) {
  double n[3];
  if (!(t->stiffness > 0))
    return;
  for (int k = 0; k < among->bodies; ++k) {
    const mus_touch_body *b = &among->body[k];
    double missing = b->gap + among->half - t->give - mus_touch_distance_at_end(b, among->grid, x, n);
    for (int r = 0; r < 3 && missing > 0; ++r) {
      right[r] += t->stiffness * missing / among->length * n[r];
      for (int c = 0; c < 3 && block; ++c)
        block[3 * r + c] += t->stiffness * n[r] * n[c];
    }
  }
  if (!(t->limit > 0))
    return;
  double across[3], speed = mus_touch_sliding(t, velocity, across), drag = t->limit / fmax(speed, MUS_TOUCH_CREEP);
  for (int r = 0; r < 3; ++r) {
    right[r] -= drag * across[r];
    for (int c = 0; c < 3 && block; ++c) {
      double slid = speed > MUS_TOUCH_CREEP ? across[r] * across[c] / (speed * speed) : 0;
      block[3 * r + c] += drag * ((r == c) - t->normal[r] * t->normal[c] - slid);
    }
  }
}

// --- searches --------------------------------------------------------------------------------------------------------

// On the way of a search that began at `from`, what touches a body follows its surface, as deep as the matrix has it,
// and what has not touched goes no deeper than MUS_TOUCH_ENTRY of the gap, which tells the next matrix of it: neither
// curvature nor what meets a body within an iteration shortens a search. Returns 1 where that moves the vertex.
MUS_ELEMENT int mus_touch_guard(const mus_touch_term *t, const mus_touch_among *among, const double *from, double *x) {
  enum { CORRECTIONS = 2 };
  int moved = 0;
  for (int k = 0; k < among->bodies && t->stiffness > 0; ++k) {
    const mus_touch_body *b = &among->body[k];
    double n[3], first[3], gap = b->gap + among->half, entry = MUS_TOUCH_ENTRY * gap, depth = entry, along = 0;
    double off = mus_touch_distance_at_end(b, among->grid, x, n) - gap + t->give;
    double before = mus_touch_distance_at_end(b, among->grid, from, first) - gap + t->give;
    for (int c = 0; c < 3; ++c)
      along += first[c] * (x[c] - from[c]);
    int follows = before < 0 && before + along < 0;
    if (follows)
      depth = -before - along;
    if (off > 1e200 || before > 1e200 || !(follows || off < -depth))
      continue;
    moved = 1;
    if (mus_dot3(n, first) < 0) { // it would come out on the other side
      for (int c = 0; c < 3; ++c)
        x[c] -= fmin(along + before + depth, 0.0) * first[c];
      continue;
    }
    for (int times = 0; times < CORRECTIONS; ++times) {
      for (int c = 0; c < 3; ++c)
        x[c] -= (off + depth) * n[c];
      off = mus_touch_distance_at_end(b, among->grid, x, n) - gap + t->give;
    }
  }
  return moved;
}

// --- the end ---------------------------------------------------------------------------------------------------------

// What has kept it off, as mus_touch_end() reads it. Returns the push that the next step has to know, N: what presses
// without what has stopped the vertex as it came; next to nothing, but not 0, where it lies without a load.
//
// What presses is what all other forces leave there, by `left` of r: where iterations end, that is far nearer to its
// limit than a depth is, which a weight changes by a millionth of the gap.
MUS_ELEMENT double mus_touch_settle(const mus_touch_term *t, const mus_touch_among *among, const double *x,
                                    const double *velocity, const double *left, mus_touched *out) {
  double deepest = -1e300, near = 0, n[3], across[3], press = 0;
  out->stiffness = out->wanted = out->drag = 0;
  for (int r = 0; r < 3; ++r)
    out->normal[r] = out->velocity[r] = out->rub[r] = 0;
  for (int k = 0; k < among->bodies && t->stiffness > 0; ++k) {
    const mus_touch_body *b = &among->body[k];
    double gap = b->gap + among->half, missing = gap - t->give - mus_touch_distance_at_end(b, among->grid, x, n);
    if (!(missing > deepest))
      continue;
    deepest = missing;
    near = MUS_TOUCH_CLOSE * gap;
    for (int r = 0; r < 3; ++r)
      out->normal[r] = n[r];
  }
  if (!(deepest > -near))
    return 0;
  for (int r = 0; r < 3; ++r)
    press -= out->normal[r] * left[r];
  if (deepest > 0) {
    out->stiffness = t->stiffness;
    out->wanted = deepest / among->length;
    out->drag = t->limit / fmax(mus_touch_sliding(t, velocity, across), MUS_TOUCH_CREEP);
    for (int r = 0; r < 3; ++r) {
      out->velocity[r] = t->velocity[r];
      out->wanted += out->normal[r] * velocity[r];
    }
    press += t->stiffness * deepest / among->length;
  }
  return fmax(press - t->stopped, 1e-300) / among->length;
}

#endif
