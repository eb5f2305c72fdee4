// See coarsen.h.
//
// Corners of triangles are chained per vertex, so that a vertex slides into another by moving its corners over. Removed
// vertices are kept in lists of the triangles that they lie in, and handed on when those change (Lee and others 1998).
// All places have three numbers, so that the same code works in the material, where z is 0, and on surfaces.
// Edges wait in a heap by their length; an edge that has changed since is put back with its new one.
#include "mesh/coarsen.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/list.h"
#include "base/vector3.h"
#include "mesh/groups.h"
#include "mesh/topology.h"

enum { STAR = 64 };
// A triangle's shape is 4 sqrt 3 area / sum of squared edges: 1 where it is regular. None gets below this, unless it
// was.
// Where that leaves too many vertices, less will do.
static const double least_shapes[] = {0.3, 0.15, 0.05};
enum { SHAPES = sizeof least_shapes / sizeof *least_shapes };
// A boundary that turns by more than this has a corner.
static const double sharp_turn = 0.5; // radians

typedef struct candidate {
  double length; // squared
  int from, to;
} candidate;

// All that hangs together.
typedef struct piece {
  int inner, smooth; // edges with two triangles; of these, those that are not cut
  int on_surface;    // 1: there is no material to speak of, and places are positions
  int edges;
  double squares; // of the lengths of edges, summed up
} piece;

typedef struct work {
  const mus_mesh *mesh;
  int triangles;
  int *vertex;          // triangles * 3, as they are now
  double *corner;       // triangles * 9: where the corners lie, in the material (z = 0) or on the surface
  struct piece *piece;  // triangles: what is known of the connected piece that a triangle is part of, at its first
  int *piece_of;        // triangles: that first one
  int *chart;           // triangles: which piece of the material
  unsigned char *live;  // triangles
  int *first, *next;    // vertices, corners: the corners of each vertex
  unsigned char *gone;  // vertices
  unsigned char *fixed; // vertices: corners, which stay
  unsigned char *cut;   // vertices: on a cut
  int *held, *after;    // triangles, vertices: the removed vertices in each triangle
  int *home;            // vertices: the triangle that a removed one lies in
  double *place;        // vertices * 3: where
  int left;             // vertices with triangles, of those that are still there
  int *group, *ring;    // vertices: which are sewn together, as the first of them and as a circle
  int (*along)[2];      // vertices: neighbours along the cut where there are two; -1
  double (*step)[2];    // vertices: how far away these are
  int together;         // 1: what is sewn together goes together
  mus_list heap;        // candidate
  double least_shape;   // of triangles that sliding leaves
} work;

// --- geometry --------------------------------------------------------------------------------------------------------

// (b - a) x (c - a)
static void area_vector(const double *a, const double *b, const double *c, double out[3]) {
  double e[3], f[3];
  mus_subtract3(b, a, e);
  mus_subtract3(c, a, f);
  mus_cross3(e, f, out);
}

static double squared(const double *a, const double *b) {
  double e[3];
  mus_subtract3(b, a, e);
  return mus_dot3(e, e);
}

// As it is seen along a unit normal: negative where it is turned over.
static double shape_of(const double *normal, const double *a, const double *b, const double *c) {
  double edges = squared(a, b) + squared(b, c) + squared(c, a), area[3];
  area_vector(a, b, c, area);
  return edges > 0 ? 2 * sqrt(3) * mus_dot3(normal, area) / edges : 0;
}

static int same_place(const double *a, const double *b) { return a[0] == b[0] && a[1] == b[1] && a[2] == b[2]; }

static const double *place_of(const work *w, int corner) { return w->corner + 3 * (size_t)corner; }

static int following(int corner) { return corner % 3 == 2 ? corner - 2 : corner + 1; }

// --- the heap --------------------------------------------------------------------------------------------------------

static int before(const candidate *a, const candidate *b) {
  if (a->length != b->length)
    return a->length < b->length;
  return a->from != b->from ? a->from < b->from : a->to < b->to;
}

static mus_status put(work *w, candidate item) {
  candidate *added = mus_list_add(&w->heap, sizeof *added);
  if (!added)
    return mus_fail_memory();
  candidate *all = w->heap.items;
  size_t k = w->heap.count - 1;
  for (; k > 0 && before(&item, &all[(k - 1) / 2]); k = (k - 1) / 2)
    all[k] = all[(k - 1) / 2];
  all[k] = item;
  return MUS_OK;
}

static candidate take(work *w) {
  candidate *all = w->heap.items, least = all[0], last = all[--w->heap.count];
  size_t k = 0, n = w->heap.count;
  for (size_t child; (child = 2 * k + 1) < n; k = child) {
    if (child + 1 < n && before(&all[child + 1], &all[child]))
      ++child;
    if (!before(&all[child], &last))
      break;
    all[k] = all[child];
  }
  if (n > 0)
    all[k] = last;
  return least;
}

// --- the star of a vertex --------------------------------------------------------------------------------------------

typedef struct star {
  int count, corner[STAR]; // of the vertex
  int side[STAR]; // the first of those corners that is in the same piece of the material, and at the same place of it
  double normal[STAR][3]; // of each side, unit, where a side begins
} star;

// The mean normals of the sides, which may lie in the material either way up.
static void find_normals(const work *w, star *s) {
  for (int k = 0; k < s->count; ++k)
    memset(s->normal[k], 0, sizeof s->normal[k]);
  for (int k = 0; k < s->count; ++k) {
    int t = s->corner[k] / 3;
    double area[3];
    area_vector(place_of(w, 3 * t), place_of(w, 3 * t + 1), place_of(w, 3 * t + 2), area);
    for (int c = 0; c < 3; ++c)
      s->normal[s->side[k]][c] += area[c];
  }
  for (int k = 0; k < s->count; ++k) {
    double length = sqrt(mus_dot3(s->normal[k], s->normal[k]));
    for (int c = 0; c < 3 && length > 0; ++c)
      s->normal[k][c] /= length;
  }
}

// 0 where there are too many.
static int star_of(const work *w, int vertex, star *out) {
  out->count = 0;
  for (int c = w->first[vertex]; c >= 0; c = w->next[c]) {
    if (out->count == STAR)
      return 0;
    int side = 0;
    while (side < out->count && (w->chart[out->corner[side] / 3] != w->chart[c / 3] ||
                                 !same_place(place_of(w, out->corner[side]), place_of(w, c))))
      ++side;
    out->side[out->count] = side;
    out->corner[out->count++] = c;
  }
  return 1;
}

static int is_in(const work *w, int triangle, int vertex) {
  const int *corner = w->vertex + 3 * (size_t)triangle;
  return corner[0] == vertex || corner[1] == vertex || corner[2] == vertex;
}

// The different neighbours in a star, at most 2 STAR.
static int neighbours_of(const work *w, const star *s, int *list) {
  int count = 0;
  for (int k = 0; k < s->count; ++k)
    for (int step = 1; step < 3; ++step) {
      int other = w->vertex[s->corner[k] - s->corner[k] % 3 + (s->corner[k] + step) % 3], known = 0;
      for (int i = 0; i < count && !known; ++i)
        known = list[i] == other;
      if (!known)
        list[count++] = other;
    }
  return count;
}

// --- sliding a vertex into another -----------------------------------------------------------------------------------

// The corner of `to` in the triangle of the edge that is on the same side of a cut; -1 where there is none.
static int corner_on_side(const work *w, const star *s, int to, int side) {
  for (int k = 0; k < s->count; ++k) {
    int t = s->corner[k] / 3;
    if (s->side[k] != side || !is_in(w, t, to))
      continue;
    for (int c = 3 * t; c < 3 * t + 3; ++c)
      if (w->vertex[c] == to)
        return c;
  }
  return -1;
}

// The worst shape that sliding along the edge would leave; negative where it may not.
static double result_of(const work *w, const star *s, int to) {
  double worst = 1;
  int survivors = 0;
  for (int k = 0; k < s->count; ++k) {
    int corner = s->corner[k], t = corner / 3;
    int target = corner_on_side(w, s, to, s->side[k]);
    if (target < 0)
      return -1;
    if (is_in(w, t, to))
      continue;
    const double *b = place_of(w, following(corner)), *c = place_of(w, following(following(corner)));
    const double *normal = s->normal[s->side[k]];
    double shape = shape_of(normal, place_of(w, target), b, c), now = shape_of(normal, place_of(w, corner), b, c);
    if (!(shape >= fmin(w->least_shape, now)) || !(shape > 0))
      return -1;
    worst = fmin(worst, shape);
    ++survivors;
  }
  return survivors > 0 ? worst : -1;
}

// Every side must keep a triangle, or what lay in it would be lost.
static int keeps_sides(const work *w, const star *s, int to) {
  for (int k = 0; k < s->count; ++k) {
    int left = 0;
    for (int i = 0; i < s->count && !left; ++i)
      left = s->side[i] == s->side[k] && !is_in(w, s->corner[i] / 3, to);
    if (!left)
      return 0;
  }
  return 1;
}

// The two may have no neighbours in common but those opposite to their edge.
static int keeps_topology(const work *w, const star *from, const star *to, int v, int target) {
  int near[2 * STAR], far[2 * STAR], common = 0, shared = 0;
  int count = neighbours_of(w, from, near), others = neighbours_of(w, to, far);
  for (int k = 0; k < from->count; ++k)
    shared += is_in(w, from->corner[k] / 3, target);
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < others; ++k)
      common += near[i] == far[k] && near[i] != v && near[i] != target;
  return common == shared && count + others - shared - 2 <= MUS_COARSE_NEIGHBOURS;
}

// An edge of the cut: one triangle, or two on different sides of it.
static int is_cut(const work *w, const star *s, int to) {
  int found = 0, side[2] = {0};
  for (int k = 0; k < s->count; ++k)
    if (is_in(w, s->corner[k] / 3, to)) {
      if (found < 2)
        side[found] = s->side[k];
      ++found;
    }
  return found != 2 || side[0] != side[1];
}

// `s` is the star of v.
static int may_slide(const work *w, int v, int target, star *s) {
  star other;
  if (!star_of(w, target, &other) || (w->cut[v] && !is_cut(w, s, target)))
    return 0;
  find_normals(w, s);
  return result_of(w, s, target) >= 0 && keeps_sides(w, s, target) && keeps_topology(w, s, &other, v, target);
}

// The parts of a triangle's corners at the point of its plane that is nearest to p. Returns the least of them, less
// where p is far from the plane.
static double inside_by(const work *w, int t, const double *p, double part[3]) {
  const double *a = place_of(w, 3 * t), *b = place_of(w, 3 * t + 1), *c = place_of(w, 3 * t + 2);
  double whole[3], area[3], away[3];
  area_vector(a, b, c, whole);
  double square = mus_dot3(whole, whole);
  if (!(square > 0)) { // no triangle: its first corner
    part[0] = 1;
    part[1] = part[2] = 0;
    return -INFINITY;
  }
  area_vector(p, b, c, area);
  part[0] = mus_dot3(whole, area) / square;
  area_vector(a, p, c, area);
  part[1] = mus_dot3(whole, area) / square;
  part[2] = 1 - part[0] - part[1];
  mus_subtract3(p, a, away);
  double height = mus_dot3(whole, away); // times the length of `whole`
  return fmin(part[0], fmin(part[1], part[2])) - height * height / (square * sqrt(square));
}

// Puts a removed vertex into the triangle, on its side of the star, in which it lies, or least far out.
static void settle_in(work *w, const star *s, int side, int vertex) {
  double best = -INFINITY, part[3];
  int home = -1;
  for (int k = 0; k < s->count; ++k) {
    int t = s->corner[k] / 3;
    if (!w->live[t] || s->side[k] != side)
      continue;
    double by = inside_by(w, t, w->place + 3 * (size_t)vertex, part);
    if (home < 0 || by > best) {
      best = by;
      home = t;
    }
  }
  w->home[vertex] = home;
  w->after[vertex] = w->held[home];
  w->held[home] = vertex;
}

static void unlink_corner(work *w, int corner) {
  int *at = &w->first[w->vertex[corner]];
  while (*at != corner)
    at = &w->next[*at];
  *at = w->next[corner];
}

// Takes the removed vertices out of a triangle; `home` keeps their side of the star for the time being.
static int take_held(work *w, int triangle, int side, int waiting) {
  while (w->held[triangle] >= 0) {
    int vertex = w->held[triangle];
    w->held[triangle] = w->after[vertex];
    w->home[vertex] = side;
    w->after[vertex] = waiting;
    waiting = vertex;
  }
  return waiting;
}

static void slide(work *w, const star *s, int v, int target) {
  int waiting = -1;
  double goal[STAR][3];
  for (int k = 0; k < s->count; ++k)
    memcpy(goal[k], place_of(w, corner_on_side(w, s, target, s->side[k])), sizeof goal[k]);
  memcpy(w->place + 3 * (size_t)v, place_of(w, s->corner[0]), 3 * sizeof *w->place);
  for (int k = 0; k < s->count; ++k) {
    int corner = s->corner[k], t = corner / 3;
    waiting = take_held(w, t, s->side[k], waiting);
    if (is_in(w, t, target)) {
      w->live[t] = 0;
      for (int c = 3 * t; c < 3 * t + 3; ++c)
        unlink_corner(w, c);
      continue;
    }
    unlink_corner(w, corner);
    w->vertex[corner] = target;
    memcpy(w->corner + 3 * (size_t)corner, goal[k], sizeof goal[k]);
    w->next[corner] = w->first[target];
    w->first[target] = corner;
  }
  w->gone[v] = 1;
  --w->left;
  settle_in(w, s, s->side[0], v);
  while (waiting >= 0) {
    int vertex = waiting;
    waiting = w->after[vertex];
    settle_in(w, s, w->home[vertex], vertex);
  }
}

// --- which vertices may go -------------------------------------------------------------------------------------------

// The corners of a side's ends: where it comes from, where it goes to.
static const double *from_of(const work *w, int side) { return place_of(w, following(side)); }
static const double *to_of(const work *w, int side) { return place_of(w, following(following(side))); }

// Whether two sides of one edge lie at the same place of the material.
static int is_sewn(const work *w, int a, int b) {
  int turned = w->vertex[following(a)] == w->vertex[following(b)];
  return same_place(from_of(w, a), turned ? from_of(w, b) : to_of(w, b)) &&
         same_place(to_of(w, a), turned ? to_of(w, b) : from_of(w, b));
}

static int is_smooth(const work *w, const mus_topology *topology, int edge) {
  const int *side = topology->edge_side + topology->edge_side_start[edge];
  return mus_edge_sides(topology, edge) == 2 && is_sewn(w, side[0], side[1]);
}

static void place_corners(work *w) {
  for (size_t c = 0; c < 3 * (size_t)w->triangles; ++c) {
    const double *uv = w->mesh->material + 2 * c;
    double flat[3] = {uv[0], uv[1], 0};
    int on_surface = w->piece[w->piece_of[c / 3]].on_surface;
    memcpy(w->corner + 3 * c, on_surface ? w->mesh->position + 3 * (size_t)w->vertex[c] : flat, sizeof flat);
  }
}

static piece *piece_at(const work *w, const mus_topology *topology, int edge) {
  return &w->piece[w->piece_of[topology->edge_side[topology->edge_side_start[edge]] / 3]];
}

// Where most edges of a piece are cuts, its triangles have been laid flat one by one, and the surface itself is its
// material.
static mus_status find_pieces(work *w, const mus_topology *topology, mus_arena *scratch) {
  int *group = mus_arena_alloc(scratch, (size_t)w->triangles, sizeof *group);
  if (!group)
    return mus_fail_memory();
  for (int t = 0; t < w->triangles; ++t)
    group[t] = t;
  for (int e = 0; e < topology->edges; ++e)
    for (int k = topology->edge_side_start[e] + 1; k < topology->edge_side_start[e + 1]; ++k)
      mus_group_join(group, topology->edge_side[k - 1] / 3, topology->edge_side[k] / 3);
  for (int t = 0; t < w->triangles; ++t)
    w->piece_of[t] = mus_group_first(group, t);
  place_corners(w);
  for (int e = 0; e < topology->edges; ++e) {
    piece_at(w, topology, e)->inner += mus_edge_sides(topology, e) == 2;
    piece_at(w, topology, e)->smooth += is_smooth(w, topology, e);
  }
  for (int t = 0; t < w->triangles; ++t)
    w->piece[t].on_surface = 2 * w->piece[t].smooth < w->piece[t].inner;
  place_corners(w);
  for (int e = 0; e < topology->edges; ++e) {
    int side = topology->edge_side[topology->edge_side_start[e]];
    ++piece_at(w, topology, e)->edges;
    piece_at(w, topology, e)->squares += squared(from_of(w, side), to_of(w, side));
  }
  return MUS_OK;
}

// A squared length in units of its piece's mean, so that pieces of fine and of coarse meshes are coarsened alike.
static double measured(const work *w, int triangle, double length) {
  const piece *p = &w->piece[w->piece_of[triangle]];
  return p->squares > 0 ? length * p->edges / p->squares : 0;
}

static mus_status find_charts(work *w, const mus_topology *topology, mus_arena *scratch) {
  int *group = mus_arena_alloc(scratch, (size_t)w->triangles, sizeof *group);
  if (!group)
    return mus_fail_memory();
  for (int t = 0; t < w->triangles; ++t)
    group[t] = t;
  for (int e = 0; e < topology->edges; ++e)
    if (is_smooth(w, topology, e)) {
      const int *side = topology->edge_side + topology->edge_side_start[e];
      mus_group_join(group, side[0] / 3, side[1] / 3);
    }
  for (int t = 0; t < w->triangles; ++t)
    w->chart[t] = mus_group_first(group, t);
  return MUS_OK;
}

// How far the directions of two cut edges at a vertex are from being opposite, in the material of their sides.
static double turn_at(const work *w, const mus_topology *topology, int vertex, const int edge[2]) {
  double largest = 0;
  for (int i = topology->edge_side_start[edge[0]]; i < topology->edge_side_start[edge[0] + 1]; ++i)
    for (int k = topology->edge_side_start[edge[1]]; k < topology->edge_side_start[edge[1] + 1]; ++k) {
      int one = topology->edge_side[i], other = topology->edge_side[k];
      if (w->chart[one / 3] != w->chart[other / 3])
        continue;
      int starts = w->vertex[following(one)] == vertex, leaves = w->vertex[following(other)] == vertex;
      const double *a = starts ? from_of(w, one) : to_of(w, one), *b = starts ? to_of(w, one) : from_of(w, one);
      const double *c = leaves ? from_of(w, other) : to_of(w, other), *d = leaves ? to_of(w, other) : from_of(w, other);
      double x[3], y[3], cross[3];
      mus_subtract3(a, b, x);
      mus_subtract3(d, c, y);
      mus_cross3(x, y, cross);
      largest = fmax(largest, atan2(sqrt(mus_dot3(cross, cross)), mus_dot3(x, y)));
    }
  return largest;
}

static mus_status classify(work *w, const mus_topology *topology, mus_arena *scratch) {
  size_t vertices = (size_t)w->mesh->vertices;
  int(*edge)[2] = mus_arena_alloc_zero(scratch, vertices, sizeof *edge);
  int *count = mus_arena_alloc_zero(scratch, vertices, sizeof *count);
  if (!edge || !count)
    return mus_fail_memory();
  for (int e = 0; e < topology->edges; ++e)
    for (int k = 0; k < 2 && !is_smooth(w, topology, e); ++k) {
      int v = topology->edge[2 * e + k];
      if (count[v] < 2)
        edge[v][count[v]] = e;
      ++count[v];
      w->fixed[v] |= mus_edge_sides(topology, e) > 2;
    }
  for (int v = 0; v < w->mesh->vertices; ++v) {
    w->along[v][0] = w->along[v][1] = -1;
    for (int k = 0; k < 2 && count[v] == 2; ++k) {
      const int *end = topology->edge + 2 * (size_t)edge[v][k];
      int side = topology->edge_side[topology->edge_side_start[edge[v][k]]];
      w->along[v][k] = end[0] == v ? end[1] : end[0];
      w->step[v][k] = sqrt(squared(from_of(w, side), to_of(w, side)));
    }
    w->cut[v] = count[v] > 0;
    w->fixed[v] |= (count[v] > 0 && count[v] != 2) || w->first[v] < 0 ||
                   (count[v] == 2 && turn_at(w, topology, v, edge[v]) > sharp_turn);
  }
  return MUS_OK;
}

// --- all -------------------------------------------------------------------------------------------------------------

static double length_now(const work *w, const star *s, int to) {
  for (int k = 0; k < s->count; ++k)
    if (is_in(w, s->corner[k] / 3, to)) {
      int c = 3 * (s->corner[k] / 3);
      while (w->vertex[c] != to)
        ++c;
      return measured(w, c / 3, squared(place_of(w, s->corner[k]), place_of(w, c)));
    }
  return -1; // they are no neighbours
}

// Both ways along every edge at a vertex.
static mus_status offer(work *w, int vertex) {
  star s;
  int near[2 * STAR];
  if (!star_of(w, vertex, &s))
    return MUS_OK;
  int count = neighbours_of(w, &s, near);
  for (int k = 0; k < count; ++k) {
    double length = length_now(w, &s, near[k]);
    mus_status status = put(w, (candidate){length, vertex, near[k]});
    if (!status)
      status = put(w, (candidate){length, near[k], vertex});
    if (status)
      return status;
  }
  return MUS_OK;
}

// Where a vertex may go when one that it is sewn to goes to `to`: one of those that `to` is sewn to; -1.
static int beside(const work *w, int v, int to) {
  star s;
  int target = to;
  do
    if (!w->gone[target] && star_of(w, v, &s) && length_now(w, &s, target) >= 0 && may_slide(w, v, target, &s))
      return target;
  while ((target = w->ring[target]) != to);
  return -1;
}

static int may_all_go(const work *w, int from, int to) {
  for (int v = w->ring[from]; v != from; v = w->ring[v])
    if (!w->gone[v] && (w->fixed[v] || beside(w, v, to) < 0))
      return 0;
  return 1;
}

static mus_status slide_one(work *w, int from, int to) {
  star s;
  if (!star_of(w, from, &s) || !may_slide(w, from, to, &s))
    return MUS_OK;
  slide(w, &s, from, to);
  return offer(w, to);
}

static mus_status remove_vertices(work *w, int wanted) {
  mus_status status = MUS_OK;
  for (int v = 0; v < w->mesh->vertices && !status; ++v)
    if (!w->gone[v])
      status = offer(w, v);
  while (!status && w->left > wanted && w->heap.count > 0) {
    candidate c = take(w);
    star s;
    int all = w->together && w->group[c.from] != w->group[c.to];
    if (w->gone[c.from] || w->gone[c.to] || w->fixed[c.from] || !star_of(w, c.from, &s) ||
        length_now(w, &s, c.to) != c.length || !may_slide(w, c.from, c.to, &s) || (all && !may_all_go(w, c.from, c.to)))
      continue;
    status = slide_one(w, c.from, c.to);
    for (int v = w->ring[c.from], to; v != c.from && all && !status; v = w->ring[v])
      if (!w->gone[v] && (to = beside(w, v, c.to)) >= 0)
        status = slide_one(w, v, to);
  }
  return status;
}

// --- seams -----------------------------------------------------------------------------------------------------------

static mus_status find_sewn(work *w, int pairs, const int *pair, mus_arena *scratch) {
  size_t vertices = (size_t)w->mesh->vertices;
  w->group = mus_arena_alloc(scratch, vertices, sizeof *w->group);
  w->ring = mus_arena_alloc(scratch, vertices, sizeof *w->ring);
  w->along = mus_arena_alloc(scratch, vertices, sizeof *w->along);
  w->step = mus_arena_alloc(scratch, vertices, sizeof *w->step);
  if (!w->group || !w->ring || !w->along || !w->step)
    return mus_fail_memory();
  for (int v = 0; v < w->mesh->vertices; ++v)
    w->group[v] = w->ring[v] = v;
  for (int k = 0; k < pairs; ++k)
    mus_group_join(w->group, pair[2 * k], pair[2 * k + 1]);
  for (int v = 0; v < w->mesh->vertices; ++v) {
    int first = w->group[v] = mus_group_first(w->group, v);
    if (first == v)
      continue;
    w->ring[v] = w->ring[first];
    w->ring[first] = v;
  }
  return MUS_OK;
}

// The part of a cut between two vertices that were kept, in which a removed one lies, and how far it is from both.
typedef struct run {
  int end[2];
  double away[2];
} run;

// 0 where there is none.
static int run_of(const work *w, int vertex, run *out) {
  for (int k = 0; k < 2; ++k) {
    int last = vertex, at = w->along[vertex][k];
    out->away[k] = at >= 0 ? w->step[vertex][k] : 0;
    while (at >= 0 && at != vertex && w->gone[at]) {
      int on = w->along[at][0] == last;
      out->away[k] += w->step[at][on];
      last = at;
      at = w->along[at][on];
    }
    if (at < 0 || at == vertex)
      return 0;
    out->end[k] = at;
  }
  return 1;
}

// Of a removed vertex: its run, and both distances as sums over all that are sewn to it, whose runs end at what is sewn
// to the ends of its own. 0 where these do not match.
static int sewn_run(const work *w, int vertex, run *out) {
  if (!run_of(w, vertex, out) || w->ring[out->end[0]] == out->end[0] || w->ring[out->end[1]] == out->end[1])
    return 0;
  const int *group = w->group, end[2] = {group[out->end[0]], group[out->end[1]]};
  for (int v = w->ring[vertex]; v != vertex; v = w->ring[v]) {
    run other;
    if (!w->gone[v] || !run_of(w, v, &other))
      return 0;
    int turned = group[other.end[0]] != end[0];
    if (group[other.end[turned]] != end[0] || group[other.end[!turned]] != end[1])
      return 0;
    out->away[0] += other.away[turned];
    out->away[1] += other.away[!turned];
  }
  return out->away[0] + out->away[1] > 0;
}

static mus_status prepare(work *w, mus_arena *scratch) {
  const mus_mesh *mesh = w->mesh;
  size_t vertices = (size_t)mesh->vertices, triangles = (size_t)mesh->triangles;
  w->vertex = mus_arena_alloc(scratch, 3 * triangles, sizeof *w->vertex);
  w->corner = mus_arena_alloc(scratch, 9 * triangles, sizeof *w->corner);
  w->chart = mus_arena_alloc(scratch, triangles, sizeof *w->chart);
  w->piece = mus_arena_alloc_zero(scratch, triangles, sizeof *w->piece);
  w->piece_of = mus_arena_alloc_zero(scratch, triangles, sizeof *w->piece_of);
  w->live = mus_arena_alloc(scratch, triangles, 1);
  w->first = mus_arena_alloc(scratch, vertices, sizeof *w->first);
  w->next = mus_arena_alloc(scratch, 3 * triangles, sizeof *w->next);
  w->gone = mus_arena_alloc_zero(scratch, vertices, 1);
  w->fixed = mus_arena_alloc_zero(scratch, vertices, 1);
  w->cut = mus_arena_alloc_zero(scratch, vertices, 1);
  w->held = mus_arena_alloc(scratch, triangles, sizeof *w->held);
  w->after = mus_arena_alloc(scratch, vertices, sizeof *w->after);
  w->home = mus_arena_alloc(scratch, vertices, sizeof *w->home);
  w->place = mus_arena_alloc(scratch, 3 * vertices, sizeof *w->place);
  if (!w->vertex || !w->corner || !w->piece || !w->piece_of || !w->chart || !w->live || !w->first || !w->next ||
      !w->gone || !w->fixed || !w->cut || !w->held || !w->after || !w->home || !w->place)
    return mus_fail_memory();
  memcpy(w->vertex, mesh->triangle, 3 * triangles * sizeof *w->vertex);
  for (size_t v = 0; v < vertices; ++v)
    w->first[v] = -1;
  for (size_t t = 0; t < triangles; ++t) {
    w->live[t] = 1;
    w->held[t] = -1;
  }
  for (int c = 3 * mesh->triangles - 1; c >= 0; --c) {
    w->left += w->first[w->vertex[c]] < 0;
    w->next[c] = w->first[w->vertex[c]];
    w->first[w->vertex[c]] = c;
  }
  return MUS_OK;
}

// Weights are cut off at zero: a vertex beyond a boundary that has become straighter goes to the nearest point of it.
static void carry(const work *w, int vertex, const int *number, int *carrier, double *weight) {
  double sum = 0;
  int t = w->gone[vertex] ? w->home[vertex] : -1;
  for (int k = 0; k < 3; ++k) {
    carrier[k] = number[t < 0 ? vertex : w->vertex[3 * t + k]];
    weight[k] = t < 0 && k == 0;
  }
  run r;
  if (t >= 0 && sewn_run(w, vertex, &r)) {
    for (int k = 0; k < 3; ++k) {
      carrier[k] = number[r.end[k % 2]];
      weight[k] = k < 2 ? r.away[!k] / (r.away[0] + r.away[1]) : 0;
    }
    return;
  }
  if (t < 0)
    return;
  inside_by(w, t, w->place + 3 * (size_t)vertex, weight);
  for (int k = 0; k < 3; ++k) {
    weight[k] = fmax(weight[k], 0);
    sum += weight[k];
  }
  for (int k = 0; k < 3; ++k)
    weight[k] /= sum;
}

// A triangle in a plane of its own, its first edge along u, unless it lies in the material.
static void write_material(const work *w, int t, double *uv) {
  const double *a = place_of(w, 3 * t), *b = place_of(w, 3 * t + 1), *c = place_of(w, 3 * t + 2);
  if (!w->piece[w->piece_of[t]].on_surface) {
    for (int k = 0; k < 3; ++k)
      memcpy(uv + 2 * k, place_of(w, 3 * t + k), 2 * sizeof *uv);
    return;
  }
  double e[3], f[3], area[3];
  mus_subtract3(b, a, e);
  mus_subtract3(c, a, f);
  mus_cross3(e, f, area);
  double length = sqrt(mus_dot3(e, e)), flat[6] = {0, 0, length, 0, mus_dot3(e, f) / length, 0};
  flat[5] = sqrt(mus_dot3(area, area)) / length;
  memcpy(uv, flat, sizeof flat);
}

static mus_status write_out(mus_arena *arena, const work *w, mus_coarser *out) {
  int vertices = 0, triangles = 0, fine = w->mesh->vertices;
  int *number = mus_alloc((size_t)fine, sizeof *number);
  for (int v = 0; v < fine && number; ++v)
    number[v] = w->gone[v] ? -1 : vertices++;
  for (int t = 0; t < w->triangles; ++t)
    triangles += w->live[t];
  mus_status status = number ? mus_mesh_create(arena, vertices, triangles, 1, &out->mesh) : mus_fail_memory();
  out->kept = mus_arena_alloc(arena, (size_t)vertices, sizeof *out->kept);
  out->carrier = mus_arena_alloc(arena, 3 * (size_t)fine, sizeof *out->carrier);
  out->weight = mus_arena_alloc(arena, 3 * (size_t)fine, sizeof *out->weight);
  if (!status && (!out->kept || !out->carrier || !out->weight))
    status = mus_fail_memory();
  for (int v = 0; v < fine && !status; ++v) {
    carry(w, v, number, out->carrier + 3 * (size_t)v, out->weight + 3 * (size_t)v);
    if (number[v] < 0)
      continue;
    out->kept[number[v]] = v;
    memcpy(out->mesh.position + 3 * (size_t)number[v], w->mesh->position + 3 * (size_t)v, 3 * sizeof(double));
  }
  for (int t = 0, to = 0; t < w->triangles && !status; ++t) {
    if (!w->live[t])
      continue;
    for (int k = 0; k < 3; ++k)
      out->mesh.triangle[3 * (size_t)to + (size_t)k] = number[w->vertex[3 * (size_t)t + (size_t)k]];
    write_material(w, t, out->mesh.material + 6 * (size_t)to++);
  }
  mus_free(number);
  return status;
}

mus_status mus_mesh_coarsen(mus_arena *arena, const mus_mesh *mesh, int wanted, int pairs, const int *pair,
                            mus_coarser *out) {
  mus_arena scratch = {0};
  mus_topology topology;
  work w = {.mesh = mesh, .triangles = mesh->triangles};
  mus_status status = mus_topology_create(&scratch, mesh, &topology);
  if (!status)
    status = prepare(&w, &scratch);
  if (!status)
    status = find_pieces(&w, &topology, &scratch);
  if (!status)
    status = find_charts(&w, &topology, &scratch);
  if (!status)
    status = find_sewn(&w, pairs, pair, &scratch);
  if (!status)
    status = classify(&w, &topology, &scratch);
  if (!status)
    for (int k = 0; k < 2 * SHAPES && !status; ++k) {
      w.together = k < SHAPES;
      w.least_shape = least_shapes[k % SHAPES];
      status = remove_vertices(&w, wanted);
    }
  if (!status)
    status = write_out(arena, &w, out);
  mus_free(w.heap.items);
  mus_arena_clear(&scratch);
  return status;
}
