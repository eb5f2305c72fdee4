// See stuffing.h.
#include "fill/stuffing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/list.h"
#include "base/stop.h"
#include "base/vector3.h"
#include "fill/centred.h"
#include "par/par.h"

// How near a cut draws a lattice point, in parts of the edge's length.
static const double near_on_long = 0.284, near_on_short = 0.398;

// A lattice point with cut edges.
typedef struct active {
  int point;
  double place[3];               // where the point is, after it was drawn to the surface or not
  double cut[MUS_CENTRED_OWNED]; // of its own edges: where, from 0 at the point to 1 at the other end
  int vertex[MUS_CENTRED_OWNED]; // of the cuts, -1 before they have one
} active;

typedef struct stuffing {
  mus_arena *scratch;
  const mus_shape *shape;
  mus_centred lattice;
  int count;
  active *active;
  int *number;     // points: their place among the active ones, or -1
  int *vertex;     // points: -1 before they have one
  mus_list place;  // double[3] of vertices
  mus_list corner; // int[4] of tetrahedra
} stuffing;

// --- where the surface cuts edges ----------------------------------------------------------------------------------

static int is_cut(const stuffing *s, int a, int b) {
  return (s->lattice.value[a] < 0 && s->lattice.value[b] > 0) || (s->lattice.value[a] > 0 && s->lattice.value[b] < 0);
}

static int has_cuts(const stuffing *s, int point) {
  for (int e = 0; e < MUS_CENTRED_EDGES; ++e) {
    int other = mus_centred_neighbour(&s->lattice, point, e);
    if (other >= 0 && is_cut(s, point, other))
      return 1;
  }
  return 0;
}

// Regula falsi as the Illinois method has it, which keeps the zero between two points; every third step halves, since
// the function may jump.
static double find_cut(const stuffing *s, int a, int b) {
  double p[3], q[3], low = 0, high = 1, at_low = s->lattice.value[a], at_high = s->lattice.value[b], t = 0.5;
  const double enough = 1e-3 * s->lattice.spacing;
  mus_centred_position(&s->lattice, a, p);
  mus_centred_position(&s->lattice, b, q);
  for (int step = 1; step <= 30 && high - low > 1e-4; ++step) {
    double x[3];
    t = step % 3 == 0 ? 0.5 * (low + high) : low + (high - low) * at_low / (at_low - at_high);
    for (int k = 0; k < 3; ++k)
      x[k] = p[k] + t * (q[k] - p[k]);
    double d = s->shape->distance(s->shape->data, x);
    if (fabs(d) <= enough)
      break;
    if ((d < 0) == (s->lattice.value[a] < 0)) {
      low = t;
      at_low = d;
      at_high *= 0.5;
    } else {
      high = t;
      at_high = d;
      at_low *= 0.5;
    }
  }
  return t;
}

static void cut_edges(const stuffing *s, active *a) {
  mus_centred_position(&s->lattice, a->point, a->place);
  for (int e = 0; e < MUS_CENTRED_EDGES; ++e) {
    int owned = mus_centred_owned(e), other = owned < 0 ? -1 : mus_centred_neighbour(&s->lattice, a->point, e);
    if (owned < 0)
      continue;
    a->vertex[owned] = -1;
    a->cut[owned] = other >= 0 && is_cut(s, a->point, other) ? find_cut(s, a->point, other) : 0;
  }
}

static mus_status find_active(stuffing *s) {
  int points = 2 * s->lattice.points;
  s->number = mus_arena_alloc(s->scratch, (size_t)points, sizeof *s->number);
  s->vertex = mus_arena_alloc(s->scratch, (size_t)points, sizeof *s->vertex);
  if (!s->number || !s->vertex)
    return mus_fail_memory();
  MUS_PARALLEL_FOR
  for (int p = 0; p < points; ++p) {
    s->number[p] = has_cuts(s, p);
    s->vertex[p] = -1;
  }
  for (int p = 0; p < points; ++p)
    s->number[p] = s->number[p] ? s->count++ : -1;
  s->active = mus_arena_alloc(s->scratch, (size_t)s->count, sizeof *s->active);
  if (!s->active)
    return mus_fail_memory();
  for (int p = 0; p < points; ++p)
    if (s->number[p] >= 0)
      s->active[s->number[p]].point = p;
  mus_stop_request *stop = mus_stop_current();
  MUS_PARALLEL
  MUS_SHARE_FOR
  for (int i = 0; i < s->count; ++i)
    if (!mus_stop_is_asked(stop))
      cut_edges(s, &s->active[i]);
  return mus_stop_check();
}

// --- drawing points to the surface ---------------------------------------------------------------------------------

// Where an edge of a point is cut, seen from the point.
static double cut_from(const stuffing *s, int point, int edge, int other) {
  int owned = mus_centred_owned(edge);
  return owned >= 0 ? s->active[s->number[point]].cut[owned]
                    : 1 - s->active[s->number[other]].cut[mus_centred_owned(mus_centred_reverse(edge))];
}

// To the nearest of the cuts that are too near. Its edges are cut no more afterwards: its value is 0.
static void draw(stuffing *s, active *a) {
  double nearest = INFINITY, to[3] = {0}, p[3], q[3];
  mus_centred_position(&s->lattice, a->point, p);
  for (int e = 0; e < MUS_CENTRED_EDGES; ++e) {
    int other = mus_centred_neighbour(&s->lattice, a->point, e), is_long = mus_centred_is_long(e);
    if (other < 0 || !is_cut(s, a->point, other))
      continue;
    double t = cut_from(s, a->point, e, other), away = t * (is_long ? 1 : sqrt(0.75));
    if (t < (is_long ? near_on_long : near_on_short) && away < nearest) {
      nearest = away;
      mus_centred_position(&s->lattice, other, q);
      for (int k = 0; k < 3; ++k)
        to[k] = p[k] + t * (q[k] - p[k]);
    }
  }
  if (nearest < INFINITY) {
    memcpy(a->place, to, sizeof to);
    s->lattice.value[a->point] = 0;
  }
}

// --- tetrahedra ----------------------------------------------------------------------------------------------------

static int add_vertex(stuffing *s, const double p[3]) {
  double *place = mus_list_add(&s->place, 3 * sizeof *place);
  if (!place)
    return -1;
  memcpy(place, p, 3 * sizeof *place);
  return (int)s->place.count - 1;
}

static int point_vertex(stuffing *s, int point) {
  if (s->vertex[point] < 0) {
    double p[3];
    mus_centred_position(&s->lattice, point, p);
    s->vertex[point] = add_vertex(s, s->number[point] >= 0 ? s->active[s->number[point]].place : p);
  }
  return s->vertex[point];
}

static int edge_between(const stuffing *s, int from, int to) {
  int e = 0;
  while (mus_centred_neighbour(&s->lattice, from, e) != to)
    ++e;
  return e;
}

static int cut_vertex(stuffing *s, int from, int to) {
  int e = edge_between(s, from, to), owner = from, end = to, owned = mus_centred_owned(e);
  if (owned < 0) {
    owner = to;
    end = from;
    owned = mus_centred_owned(mus_centred_reverse(e));
  }
  active *a = &s->active[s->number[owner]];
  if (a->vertex[owned] < 0) {
    double p[3], q[3];
    mus_centred_position(&s->lattice, owner, p);
    mus_centred_position(&s->lattice, end, q);
    for (int k = 0; k < 3; ++k)
      p[k] += a->cut[owned] * (q[k] - p[k]);
    a->vertex[owned] = add_vertex(s, p);
  }
  return a->vertex[owned];
}

// A tetrahedron of the lattice whose points are sorted, those inside first. Where that made it a mirror image,
// `mirrored` is 1.
typedef struct piece {
  int point[4];
  int mirrored;
} piece;

static int add_tetrahedron(stuffing *s, const piece *t, int a, int b, int c, int d) {
  const int corner[4] = {a, b, t->mirrored ? d : c, t->mirrored ? c : d};
  int *to = mus_list_add(&s->corner, sizeof corner);
  if (!to || a < 0 || b < 0 || c < 0 || d < 0)
    return 0;
  memcpy(to, corner, sizeof corner);
  return 1;
}

static int same_grid(const stuffing *s, int a, int b) { return (a < s->lattice.points) == (b < s->lattice.points); }

// A face with x and y inside and z outside leaves a quad of x, y and the two cuts. 1 where its diagonal begins at x, 0
// where at y. Where one of the cuts is on a long edge, the diagonal ends there. Else the end of the long edge x y
// counts that lies further along an even number of axes, seen from z (the paper's parity rule): the two tetrahedra that
// share the face then agree, and the two faces of one tetrahedron do not end up in a circle.
static int diagonal_begins(const stuffing *s, int x, int y, int z) {
  if (!same_grid(s, x, y))
    return same_grid(s, y, z);
  int forth = edge_between(s, z, x) - 6; // a bit for each axis
  return ((forth ^ forth >> 1 ^ forth >> 2) & 1) == 0;
}

// The triangles a and b, joined by three quads: quad k has corners a[k], a[k + 1], b[k + 1], b[k], and its diagonal
// begins at a[k] where first[k] is 1, else at a[k + 1]. Not all three alike.
static int add_prism(stuffing *s, const piece *t, const int a[3], const int b[3], const int first[3]) {
  int k = 0;
  while (!first[k] || first[(k + 2) % 3])
    ++k; // both diagonals beside a[k] begin there
  int l = (k + 1) % 3, m = (k + 2) % 3;
  int good = add_tetrahedron(s, t, a[k], b[k], b[l], b[m]);
  good &= add_tetrahedron(s, t, a[k], a[l], a[m], first[l] ? b[m] : b[l]);
  return good &
         (first[l] ? add_tetrahedron(s, t, a[k], a[l], b[m], b[l]) : add_tetrahedron(s, t, a[k], a[m], b[m], b[l]));
}

static int keep_one(stuffing *s, const piece *t) {
  int corner[4] = {point_vertex(s, t->point[0])};
  for (int k = 1; k < 4; ++k)
    corner[k] =
        s->lattice.value[t->point[k]] == 0 ? point_vertex(s, t->point[k]) : cut_vertex(s, t->point[0], t->point[k]);
  return add_tetrahedron(s, t, corner[0], corner[1], corner[2], corner[3]);
}

// Two inside, one on the surface, one outside: a pyramid.
static int keep_pyramid(stuffing *s, const piece *t) {
  const int *p = t->point;
  int a = point_vertex(s, p[0]), b = point_vertex(s, p[1]), top = point_vertex(s, p[2]);
  int c = cut_vertex(s, p[0], p[3]), d = cut_vertex(s, p[1], p[3]);
  if (diagonal_begins(s, p[0], p[1], p[3]))
    return add_tetrahedron(s, t, a, b, top, d) & add_tetrahedron(s, t, a, d, top, c);
  return add_tetrahedron(s, t, a, b, top, c) & add_tetrahedron(s, t, b, top, c, d);
}

static int keep_two(stuffing *s, const piece *t) {
  const int *p = t->point;
  const int a[3] = {point_vertex(s, p[0]), cut_vertex(s, p[0], p[2]), cut_vertex(s, p[0], p[3])};
  const int b[3] = {point_vertex(s, p[1]), cut_vertex(s, p[1], p[2]), cut_vertex(s, p[1], p[3])};
  int first[3] = {diagonal_begins(s, p[0], p[1], p[2]), 0, !diagonal_begins(s, p[0], p[1], p[3])};
  first[1] = !first[0]; // the quad of four cuts is at the surface, and free to be what is not a circle
  return add_prism(s, t, a, b, first);
}

static int keep_three(stuffing *s, const piece *t) {
  const int *p = t->point;
  int a[3], b[3], first[3];
  for (int k = 0; k < 3; ++k) {
    a[k] = point_vertex(s, p[k]);
    b[k] = cut_vertex(s, p[k], p[3]);
    first[k] = diagonal_begins(s, p[k], p[(k + 1) % 3], p[3]);
  }
  return add_prism(s, t, a, b, first);
}

static int keep_whole(stuffing *s, const piece *t) {
  int corner[4];
  for (int k = 0; k < 4; ++k)
    corner[k] = point_vertex(s, t->point[k]);
  return add_tetrahedron(s, t, corner[0], corner[1], corner[2], corner[3]);
}

static int rank_of(double value) { return value < 0 ? 0 : value > 0 ? 2 : 1; }

// What is inside of one tetrahedron of the lattice; 0 if memory is short.
static int stuff_one(stuffing *s, const int point[4]) {
  piece t = {{point[0], point[1], point[2], point[3]}, 0};
  const double *value = s->lattice.value;
  int count[3] = {0};
  for (int k = 0; k < 4; ++k)
    ++count[rank_of(value[point[k]])];
  if (count[0] == 0)
    return 1;
  for (int i = 1; i < 4; ++i)
    for (int k = i; k > 0 && rank_of(value[t.point[k - 1]]) > rank_of(value[t.point[k]]); --k) {
      int other = t.point[k];
      t.point[k] = t.point[k - 1];
      t.point[k - 1] = other;
      t.mirrored ^= 1;
    }
  if (count[2] == 0)
    return keep_whole(s, &t);
  if (count[0] == 1)
    return keep_one(s, &t);
  if (count[0] == 3)
    return keep_three(s, &t);
  return count[1] == 1 ? keep_pyramid(s, &t) : keep_two(s, &t);
}

// The four tetrahedra around the long edge of the second grid that leads forth from a point along an axis.
static int stuff_around(stuffing *s, int point, int axis) {
  int ahead = mus_centred_neighbour(&s->lattice, point, 2 * axis + 1), a = (axis + 1) % 3, b = (axis + 2) % 3, good = 1;
  int ring[4];
  if (ahead < 0)
    return 1;
  for (int k = 0; k < 4; ++k) { // the corners that both ends have in common, counter-clockwise seen from ahead
    int forth = 1 << axis | (k == 1 || k == 2) << a | (k >= 2) << b;
    ring[k] = mus_centred_neighbour(&s->lattice, point, 6 + forth);
    if (ring[k] < 0)
      return 1;
  }
  for (int k = 0; k < 4; ++k)
    good &= stuff_one(s, (const int[]){point, ring[k], ring[(k + 1) % 4], ahead});
  return good;
}

static mus_status stuff_all(stuffing *s) {
  int layer = s->lattice.count[0] * s->lattice.count[1];
  for (int p = s->lattice.points; p < 2 * s->lattice.points; ++p) {
    if (p % layer == 0 && mus_stop_check())
      return MUS_STOPPED;
    for (int axis = 0; axis < 3; ++axis)
      if (!stuff_around(s, p, axis))
        return mus_fail_memory();
    if (s->corner.count > MUS_TETRAHEDRA_MAXIMUM)
      return mus_fail(MUS_BAD_INPUT, "there are more than %d tetrahedra: choose longer edges", MUS_TETRAHEDRA_MAXIMUM);
  }
  return MUS_OK;
}

// --- all of it -----------------------------------------------------------------------------------------------------

static mus_status stuff(stuffing *s, double spacing) {
  mus_status status = mus_centred_create(s->scratch, s->shape, spacing, &s->lattice);
  if (!status)
    status = find_active(s);
  for (int i = 0; i < s->count && !status; ++i)
    draw(s, &s->active[i]);
  return status ? status : stuff_all(s);
}

mus_status mus_stuff(mus_arena *arena, const mus_shape *shape, double spacing, mus_tetrahedra *out) {
  mus_arena scratch = {0};
  stuffing s = {.scratch = &scratch, .shape = shape};
  mus_tetrahedra mesh;
  mus_status status = stuff(&s, spacing);
  if (!status)
    status = mus_tetrahedra_create(arena, (long long)s.place.count, (long long)s.corner.count, 0, &mesh);
  if (!status && s.corner.count > 0) {
    memcpy(mesh.position, s.place.items, s.place.count * 3 * sizeof *mesh.position);
    memcpy(mesh.corner, s.corner.items, s.corner.count * 4 * sizeof *mesh.corner);
  }
  mus_free(s.place.items);
  mus_free(s.corner.items);
  mus_arena_clear(&scratch);
  if (!status)
    *out = mesh;
  return status;
}
