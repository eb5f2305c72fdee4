// Pushes out of intersections. See untangle.h.
#include "collide/untangle.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "collide/contours.h"
#include "collide/vector3.h"
#include "collide/winding.h"
#include "mesh/groups.h"
#include "par/par.h"

struct mus_untangler {
  mus_arena arena;
  const mus_surface *surface;
  mus_winding *winding;

  // Cloth vertices whose winding number is known in this call.
  double *number; // cloth vertices
  unsigned char *asked;
  int *candidate; // those that were asked about, `candidates` of them
  int candidates;
  int *place; // cloth vertices: where one that is inside stands among those

  // Floods on both sides of a contour.
  int *mark;              // vertices: the flood that last came here
  int flood;              // the latest
  int *queue;             // vertices: one side from the front, the other from the back
  unsigned char *crossed; // edges: 1 while an odd number of crossings of the contour lies on them
};

// What a call works on.
typedef struct work {
  mus_untangler *untangler;
  const mus_surface *surface;
  const double *x;
  const mus_crossing *crossing;
  int crossings;
  mus_arena *arena;
  mus_contours contours;
  mus_list *pushes, *released;
  mus_untangle_record *record;
} work;

static const double *at(const work *w, int vertex) { return w->x + 3 * (size_t)vertex; }

static int is_inside(const work *w, int vertex) {
  const mus_untangler *u = w->untangler;
  return vertex < w->surface->cloth_vertices && u->asked[vertex] && u->number[vertex] > 0.5;
}

// --- pushes --------------------------------------------------------------------------------------------------------

// A vertex against a point of a triangle; `way` is how far to go.
static mus_status push_vertex(work *w, int vertex, int triangle, const double part[3], const double normal[3],
                              double way) {
  mus_contact *push = mus_list_add(w->pushes, sizeof *push);
  if (!push)
    return mus_fail_memory();
  *push = (mus_contact){.kind = MUS_VERTEX_FACE, .first = vertex, .second = triangle, .node = {vertex}, .weight = {1}};
  for (int k = 0; k < 3; ++k) {
    push->node[1 + k] = w->surface->triangle[3 * (size_t)triangle + (size_t)k];
    push->weight[1 + k] = -part[k];
    push->normal[k] = normal[k];
  }
  push->distance = -way;
  return MUS_OK;
}

// An edge against that edge of the triangle that is closest, in barycentric coordinates, to where it goes through.
static mus_status push_edge(work *w, const mus_crossing *c, const double normal[3], double way) {
  const mus_surface *surface = w->surface;
  int least = c->part[0] <= c->part[1] ? (c->part[0] <= c->part[2] ? 0 : 2) : (c->part[1] <= c->part[2] ? 1 : 2);
  int other = surface->triangle_edge[3 * (size_t)c->triangle + (size_t)least];
  const int *corner = surface->triangle + 3 * (size_t)c->triangle;
  const int *end[2] = {surface->edge + 2 * (size_t)c->edge, surface->edge + 2 * (size_t)other};
  int from = (least + 1) % 3, to = (least + 2) % 3;
  double share = c->part[to] / (c->part[from] + c->part[to]);
  double along[2] = {c->along, corner[from] == end[1][0] ? share : 1 - share};
  mus_contact *push = mus_list_add(w->pushes, sizeof *push);
  if (!push)
    return mus_fail_memory();
  *push = (mus_contact){.kind = MUS_EDGE_EDGE};
  int swapped = other < c->edge;
  push->first = swapped ? other : c->edge;
  push->second = swapped ? c->edge : other;
  for (int side = 0; side < 2; ++side) {
    int which = side ^ swapped, sign = side == 0 ? 1 : -1;
    push->node[2 * side] = end[which][0];
    push->node[2 * side + 1] = end[which][1];
    push->weight[2 * side] = sign * (1 - along[which]);
    push->weight[2 * side + 1] = sign * along[which];
  }
  for (int k = 0; k < 3; ++k)
    push->normal[k] = swapped ? -normal[k] : normal[k];
  push->distance = -way - mus_edge_edge_gap(surface, c->edge, other);
  return MUS_OK;
}

static int compare_pushes(const void *first, const void *second) {
  const mus_contact *a = first, *b = second;
  if (a->kind != b->kind)
    return a->kind < b->kind ? -1 : 1;
  if (a->first != b->first)
    return a->first < b->first ? -1 : 1;
  if (a->second != b->second)
    return a->second < b->second ? -1 : 1;
  if (a->distance != b->distance)
    return a->distance < b->distance ? -1 : 1;
  return memcmp(a->normal, b->normal, sizeof a->normal);
}

// In order; of several for a pair the one that has farthest to go.
static void sort_pushes(mus_list *pushes) {
  mus_contact *push = pushes->items;
  size_t kept = 0;
  if (pushes->count == 0)
    return;
  qsort(push, pushes->count, sizeof *push, compare_pushes);
  for (size_t i = 0; i < pushes->count; ++i) {
    const mus_contact *last = push + kept - 1;
    if (kept == 0 || last->kind != push[i].kind || last->first != push[i].first || last->second != push[i].second)
      push[kept++] = push[i];
  }
  pushes->count = kept;
}

// --- which vertices are inside -------------------------------------------------------------------------------------

static void ask(mus_untangler *u, int vertex) {
  if (vertex >= u->surface->cloth_vertices || u->asked[vertex])
    return;
  u->asked[vertex] = 1;
  u->candidate[u->candidates++] = vertex;
}

// The cloth's vertices at the crossings with solid bodies.
static void ask_at_crossings(work *w) {
  const mus_surface *surface = w->surface;
  for (int i = 0; i < w->crossings; ++i) {
    const mus_crossing *c = w->crossing + i;
    if (c->edge < surface->cloth_edges && c->triangle < surface->cloth_triangles)
      continue;
    for (int k = 0; k < 2; ++k)
      ask(w->untangler, surface->edge[2 * (size_t)c->edge + (size_t)k]);
    for (int k = 0; k < 3; ++k)
      ask(w->untangler, surface->triangle[3 * (size_t)c->triangle + (size_t)k]);
  }
}

static void ask_around(work *w, int vertex) {
  const mus_surface *surface = w->surface;
  for (int k = surface->vertex_start[vertex]; k < surface->vertex_start[vertex + 1]; ++k)
    for (int c = 0; c < 3; ++c)
      ask(w->untangler, surface->triangle[3 * (size_t)surface->vertex_triangle[k] + (size_t)c]);
  for (int k = surface->sewn_start[vertex]; k < surface->sewn_start[vertex + 1]; ++k)
    ask(w->untangler, surface->sewn[k]);
}

// Round after round, each asks around those that turned out to be inside.
static void find_inside(work *w, int all) {
  mus_untangler *u = w->untangler;
  if (all)
    for (int v = 0; v < w->surface->cloth_vertices; ++v) {
      if (mus_winding_reaches(u->winding, at(w, v)))
        ask(u, v);
    }
  ask_at_crossings(w);
  for (int begin = 0; begin < u->candidates;) {
    int end = u->candidates;
    MUS_PARALLEL_FOR_IF(end - begin > MUS_PAR_MINIMUM / 16)
    for (int i = begin; i < end; ++i)
      u->number[u->candidate[i]] = mus_winding_number(u->winding, at(w, u->candidate[i]));
    for (int i = begin; i < end; ++i)
      if (is_inside(w, u->candidate[i]))
        ask_around(w, u->candidate[i]);
    begin = end;
  }
}

static void forget(mus_untangler *u) {
  for (int i = 0; i < u->candidates; ++i)
    u->asked[u->candidate[i]] = 0;
  u->candidates = 0;
}

// --- where these go ------------------------------------------------------------------------------------------------

// A vertex inside, and its way out.
typedef struct escape {
  int vertex;
  int found;   // 0: none
  int pinched; // between parts that overlap
  mus_surface_point target;
  double direction[3]; // unit
  double depth;        // m
  double lean;         // depth times the cosine of direction and the cloth's normal
  double normal[3];    // the cloth's
} escape;

// From p towards the target, or along its normal where p is on it.
static void head_for(escape *e, const double *p) {
  double way[3];
  mus_minus(e->target.point, p, way);
  double length = mus_length(way), size = fabs(p[0]) + fabs(p[1]) + fabs(p[2]);
  for (int k = 0; k < 3; ++k)
    e->direction[k] = length > 1e-12 * size ? way[k] / length : e->target.normal[k];
  e->depth = e->target.distance;
}

// Where the way out through the nearest surface is much shorter than that to the outside, it leads into another part
// that overlaps with the one that p is in. They hold p between them: it goes to the middle of the overlap, between that
// surface and the nearest that faces it, along the normal. That is right both in the overlap and beside it.
static void hold_between(const mus_winding *winding, const double *p, escape *e) {
  mus_surface_point exit, opposite;
  double way[2][3];
  if (!mus_winding_closest(winding, p, (mus_winding_filter){.behind = 1}, &exit) ||
      (e->found && e->depth < 2 * exit.distance) ||
      !mus_winding_closest(winding, p, (mus_winding_filter){.against = exit.normal}, &opposite))
    return;
  mus_minus(exit.point, p, way[0]);
  mus_minus(opposite.point, p, way[1]);
  double middle = (mus_inner(way[0], exit.normal) + mus_inner(way[1], exit.normal)) / 2;
  e->found = e->pinched = 1;
  e->target = middle > 0 ? exit : opposite;
  e->depth = fabs(middle);
  for (int k = 0; k < 3; ++k)
    e->direction[k] = middle > 0 ? exit.normal[k] : -exit.normal[k];
}

static void find_escape(const mus_winding *winding, const double *p, escape *e) {
  e->found = mus_winding_closest(winding, p, (mus_winding_filter){.outer = 1}, &e->target);
  if (e->found)
    head_for(e, p);
  hold_between(winding, p, e);
}

static void cloth_normal(const work *w, int vertex, double normal[3]) {
  const mus_surface *surface = w->surface;
  double sum[3] = {0}, one[3];
  for (int k = surface->vertex_start[vertex]; k < surface->vertex_start[vertex + 1]; ++k) {
    mus_triangle_normal(surface, w->x, surface->vertex_triangle[k], one);
    for (int c = 0; c < 3; ++c)
      sum[c] += one[c];
  }
  double length = mus_length(sum);
  for (int c = 0; c < 3; ++c)
    normal[c] = length > 0 ? sum[c] / length : 0;
}

static mus_status find_escapes(work *w, escape **out, int *count) {
  mus_untangler *u = w->untangler;
  int n = 0;
  for (int i = 0; i < u->candidates; ++i)
    n += is_inside(w, u->candidate[i]);
  escape *list = mus_arena_alloc_zero(w->arena, (size_t)n, sizeof *list);
  if (!list)
    return mus_fail_memory();
  if (n > 0)
    mus_winding_bury(u->winding);
  n = 0;
  for (int i = 0; i < u->candidates; ++i)
    if (is_inside(w, u->candidate[i])) {
      list[n].vertex = u->candidate[i];
      u->place[u->candidate[i]] = n++;
    }
  MUS_PARALLEL_FOR_IF(n > MUS_PAR_MINIMUM / 16)
  for (int i = 0; i < n; ++i) {
    escape *e = list + i;
    find_escape(u->winding, at(w, e->vertex), e);
    cloth_normal(w, e->vertex, e->normal);
    e->lean = e->pinched ? 0 : e->depth * mus_inner(e->direction, e->normal);
  }
  *out = list;
  *count = n;
  return MUS_OK;
}

// Regions are vertices inside that hang together.
typedef struct regions {
  int *first;          // escapes: the first of their region, found by mus_group_first()
  double *lean;        // first escapes: sum over the region
  unsigned char *torn; // first escapes: 1 where neighbours head for opposite sides
} regions;

// Joins escape i with those around it, or sees whether they are torn from it.
static void look_around(const work *w, const escape *list, int i, regions *r, int joining) {
  const mus_surface *surface = w->surface;
  int v = list[i].vertex;
  for (int k = surface->vertex_start[v]; k < surface->vertex_start[v + 1]; ++k)
    for (int c = 0; c < 3; ++c) {
      int other = surface->triangle[3 * (size_t)surface->vertex_triangle[k] + (size_t)c];
      if (!is_inside(w, other))
        continue;
      int j = w->untangler->place[other];
      if (joining)
        mus_group_join(r->first, i, j);
      else if (!list[i].pinched && !list[j].pinched && mus_inner(list[i].direction, list[j].direction) < -0.25)
        r->torn[mus_group_first(r->first, i)] = 1;
    }
}

// In a torn region those that would be drawn along the sheet go across it, all to one side.
static mus_status mend_torn(work *w, escape *list, int count) {
  regions r = {mus_arena_alloc(w->arena, (size_t)count, sizeof *r.first),
               mus_arena_alloc_zero(w->arena, (size_t)count, sizeof *r.lean),
               mus_arena_alloc_zero(w->arena, (size_t)count, sizeof *r.torn)};
  if (!r.first || !r.lean || !r.torn)
    return mus_fail_memory();
  for (int i = 0; i < count; ++i)
    r.first[i] = i;
  for (int i = 0; i < count; ++i)
    look_around(w, list, i, &r, 1);
  for (int i = 0; i < count; ++i) {
    look_around(w, list, i, &r, 0);
    r.lean[mus_group_first(r.first, i)] += list[i].lean;
  }
  for (int i = 0; i < count; ++i) {
    escape *e = list + i;
    int first = mus_group_first(r.first, i);
    if (!r.torn[first] || e->pinched || fabs(mus_inner(e->direction, e->normal)) > 0.5)
      continue;
    for (int k = 0; k < 3; ++k)
      e->direction[k] = r.lean[first] < 0 ? -e->normal[k] : e->normal[k];
  }
  return MUS_OK;
}

// Lets a vertex inside through where it is going, by an edge of it.
static mus_status release_inside(work *w, const escape *e) {
  const mus_surface *surface = w->surface;
  if (!w->released || surface->vertex_start[e->vertex] == surface->vertex_start[e->vertex + 1])
    return MUS_OK;
  int t = surface->vertex_triangle[surface->vertex_start[e->vertex]];
  int other = surface->triangle[3 * (size_t)t] == e->vertex ? 1 : 0; // a corner that it is not
  mus_crossing *released = mus_list_add(w->released, sizeof *released);
  if (!released)
    return mus_fail_memory();
  *released =
      (mus_crossing){.edge = surface->triangle_edge[3 * (size_t)t + (size_t)other], .triangle = e->target.triangle};
  memcpy(released->part, e->target.part, sizeof released->part);
  return MUS_OK;
}

static mus_status push_inside(work *w) {
  escape *list = NULL;
  int count = 0;
  mus_status status = find_escapes(w, &list, &count);
  if (status == MUS_OK)
    status = mend_torn(w, list, count);
  if (status != MUS_OK)
    return status;
  w->record->inside = count;
  for (int i = 0; i < count && status == MUS_OK; ++i) {
    const escape *e = list + i;
    w->record->pinched += e->pinched;
    if (!e->found || !(e->depth >= 0))
      continue;
    status = release_inside(w, e);
    if (status != MUS_OK)
      break;
    double gap = e->pinched ? 0 : mus_vertex_face_gap(w->surface, e->vertex, e->target.triangle);
    status = push_vertex(w, e->vertex, e->target.triangle, e->target.part, e->direction, e->depth + gap);
  }
  return status;
}

// --- contours ------------------------------------------------------------------------------------------------------

// The members of a contour.
typedef struct chain {
  int count;
  const int *member;
} chain;

static const mus_crossing *crossing_of(const work *w, chain c, int i) { return w->crossing + c.member[i]; }
static int strand_of(const work *w, chain c, int i) { return w->contours.strand[c.member[i]]; }

// One vertex of a flood asks its neighbours over edges that the contour does not cross. 1 when it meets the flood from
// the other side.
static int spread(const work *w, int vertex, int own, int other, int **tail, int step) {
  const mus_surface *surface = w->surface;
  mus_untangler *u = w->untangler;
  for (int k = surface->vertex_start[vertex]; k < surface->vertex_start[vertex + 1]; ++k) {
    const int *corner = surface->triangle + 3 * (size_t)surface->vertex_triangle[k];
    const int *edge = surface->triangle_edge + 3 * (size_t)surface->vertex_triangle[k];
    int self = corner[0] == vertex ? 0 : corner[1] == vertex ? 1 : 2;
    for (int side = 1; side <= 2; ++side) {
      int next = corner[(self + side) % 3];
      if (u->crossed[edge[(self + 3 - side) % 3]] || u->mark[next] == own)
        continue;
      if (u->mark[next] == other)
        return 1;
      u->mark[next] = own;
      *(*tail += step) = next;
    }
  }
  for (int k = surface->sewn_start[vertex]; k < surface->sewn_start[vertex + 1]; ++k) {
    int next = surface->sewn[k];
    if (u->mark[next] == other)
      return 1;
    if (u->mark[next] != own) {
      u->mark[next] = own;
      *(*tail += step) = next;
    }
  }
  return 0;
}

// Floods from both ends of an edge, step by step in turn. The mark of the side that comes to its end first; 0 where
// the two meet.
static int flood_both(work *w, int edge) {
  mus_untangler *u = w->untangler;
  const int *end = w->surface->edge + 2 * (size_t)edge;
  if (u->flood > INT_MAX - 2) {
    memset(u->mark, 0, (size_t)w->surface->vertices * sizeof *u->mark);
    u->flood = 0;
  }
  int *head[2] = {u->queue, u->queue + w->surface->vertices - 1}, *tail[2] = {head[0], head[1]};
  const int own[2] = {u->flood + 1, u->flood + 2}, step[2] = {1, -1};
  u->flood += 2;
  for (int side = 0; side < 2; ++side) {
    *head[side] = end[side];
    u->mark[end[side]] = own[side];
  }
  for (int side = 0;; side = 1 - side) {
    if (head[side] == tail[side] + step[side])
      return own[side];
    if (spread(w, *head[side], own[side], own[1 - side], &tail[side], step[side]))
      return 0;
    head[side] += step[side];
  }
}

static void cross_edges(work *w, chain c, int strand) {
  for (int i = 0; i < c.count; ++i)
    if (strand_of(w, c, i) == strand)
      w->untangler->crossed[crossing_of(w, c, i)->edge] ^= 1;
}

// Sends the end `astray` of a crossing's edge back through the triangle, to the side of the other end.
static mus_status send_back(work *w, const mus_crossing *c, int astray) {
  const int *end = w->surface->edge + 2 * (size_t)c->edge;
  double normal[3], way[3];
  mus_triangle_normal(w->surface, w->x, c->triangle, normal);
  mus_minus(at(w, end[1 - astray]), at(w, end[astray]), way);
  double height = mus_inner(normal, way), beyond = astray ? 1 - c->along : c->along;
  for (int k = 0; k < 3; ++k)
    normal[k] = height < 0 ? -normal[k] : normal[k];
  return push_vertex(w, end[astray], c->triangle, c->part, normal,
                     fabs(height) * beyond + mus_vertex_face_gap(w->surface, end[astray], c->triangle));
}

// Where a contour cuts a strand in two, sends the smaller side back; counts in `sent`.
static mus_status return_side(work *w, chain c, int strand, int *sent) {
  mus_untangler *u = w->untangler;
  mus_status status = MUS_OK;
  int astray = 0;
  cross_edges(w, c, strand);
  for (int i = 0; i < c.count && !astray; ++i)
    if (strand_of(w, c, i) == strand && u->crossed[crossing_of(w, c, i)->edge]) {
      astray = flood_both(w, crossing_of(w, c, i)->edge);
      break;
    }
  for (int i = 0; i < c.count && astray && status == MUS_OK; ++i) {
    const int *end = w->surface->edge + 2 * (size_t)crossing_of(w, c, i)->edge;
    int first = u->mark[end[0]] == astray, second = u->mark[end[1]] == astray;
    if (strand_of(w, c, i) != strand || first == second)
      continue;
    status = send_back(w, crossing_of(w, c, i), second);
    ++*sent;
  }
  for (int i = 0; i < c.count; ++i)
    u->crossed[crossing_of(w, c, i)->edge] = 0;
  return status;
}

// The diagonal of the box around the contour's crossings.
static double extent(const work *w, chain c) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, size[3];
  for (int i = 0; i < c.count; ++i) {
    const mus_crossing *crossing = crossing_of(w, c, i);
    const int *end = w->surface->edge + 2 * (size_t)crossing->edge;
    for (int k = 0; k < 3; ++k) {
      double p = (1 - crossing->along) * at(w, end[0])[k] + crossing->along * at(w, end[1])[k];
      low[k] = fmin(low[k], p);
      high[k] = fmax(high[k], p);
    }
  }
  mus_minus(high, low, size);
  return mus_length(size);
}

static double edge_length(const work *w, int edge) {
  double along[3];
  const int *end = w->surface->edge + 2 * (size_t)edge;
  mus_minus(at(w, end[1]), at(w, end[0]), along);
  return mus_length(along);
}

// The first strand's way against the second, summed over the contour. 0 where the parts cancel.
static int common_way(const work *w, chain c, double way[3]) {
  double lengths = 0;
  way[0] = way[1] = way[2] = 0;
  for (int i = 0; i < c.count; ++i) {
    double one[3];
    mus_contour_shortening(w->surface, w->x, crossing_of(w, c, i), one);
    lengths += mus_length(one);
    for (int k = 0; k < 3; ++k)
      way[k] += strand_of(w, c, i) ? -one[k] : one[k];
  }
  double length = mus_length(way);
  for (int k = 0; k < 3; ++k)
    way[k] = length > 0 ? way[k] / length : 0;
  return length > 0.2 * lengths;
}

// All of the contour in one direction, or, where that has none, each crossing in its own.
static mus_status shorten(work *w, chain c) {
  double way[3], size = extent(w, c);
  int common = common_way(w, c, way);
  mus_status status = MUS_OK;
  for (int i = 0; i < c.count && status == MUS_OK; ++i) {
    const mus_crossing *crossing = crossing_of(w, c, i);
    double own[3];
    if (!common)
      mus_contour_shortening(w->surface, w->x, crossing, own);
    double length = common ? 1 : mus_length(own);
    if (!(length > 1e-6))
      continue;
    for (int k = 0; k < 3; ++k)
      own[k] = common ? (strand_of(w, c, i) ? -way[k] : way[k]) : own[k] / length;
    status = push_edge(w, crossing, own, 0.5 * fmin(size, edge_length(w, crossing->edge)));
  }
  ++w->record->shrunk;
  return status;
}

// Ends behind the front of a body that is a mere sheet; counts in `sent`.
static mus_status return_to_front(work *w, chain c, int *sent) {
  mus_status status = MUS_OK;
  for (int i = 0; i < c.count && status == MUS_OK; ++i) {
    const mus_crossing *crossing = crossing_of(w, c, i);
    const int *end = w->surface->edge + 2 * (size_t)crossing->edge;
    double normal[3], along[3];
    if (crossing->triangle < w->surface->cloth_triangles)
      continue;
    mus_triangle_normal(w->surface, w->x, crossing->triangle, normal);
    mus_minus(at(w, end[1]), at(w, end[0]), along);
    status = send_back(w, crossing, mus_inner(normal, along) < 0);
    ++*sent;
  }
  return status;
}

// A triangle of the body that a contour lies on; -1 where it lies on cloth alone.
static int body_triangle(const work *w, chain c) {
  const mus_crossing *crossing = crossing_of(w, c, 0);
  if (crossing->triangle >= w->surface->cloth_triangles)
    return crossing->triangle;
  if (crossing->edge >= w->surface->cloth_edges)
    return w->surface->edge_triangle[w->surface->edge_start[crossing->edge]];
  return -1;
}

// Whether a vertex of cloth beside the contour is inside: then that is what gets pushed.
static int has_inside(const work *w, chain c) {
  const mus_surface *surface = w->surface;
  for (int i = 0; i < c.count; ++i) {
    const int *end = surface->edge + 2 * (size_t)crossing_of(w, c, i)->edge;
    const int *corner = surface->triangle + 3 * (size_t)crossing_of(w, c, i)->triangle;
    if (is_inside(w, end[0]) || is_inside(w, end[1]) || is_inside(w, corner[0]) || is_inside(w, corner[1]) ||
        is_inside(w, corner[2]))
      return 1;
  }
  return 0;
}

static mus_status push_contour(work *w, chain c) {
  int body = body_triangle(w, c), sent = 0;
  mus_status status = MUS_OK;
  if (body >= 0 && has_inside(w, c))
    return MUS_OK;
  if (body >= 0 && !mus_winding_is_solid(w->untangler->winding, body))
    status = return_to_front(w, c, &sent);
  for (int strand = 0; strand < 2 && status == MUS_OK && (body < 0 || sent == 0); ++strand)
    status = return_side(w, c, strand, &sent);
  w->record->returned += sent > 0;
  return status == MUS_OK && sent == 0 ? shorten(w, c) : status;
}

// --- all of it -----------------------------------------------------------------------------------------------------

static int touches_bodies(const work *w) {
  for (int i = 0; i < w->crossings; ++i)
    if (w->crossing[i].edge >= w->surface->cloth_edges || w->crossing[i].triangle >= w->surface->cloth_triangles)
      return 1;
  return 0;
}

static mus_status push_all(work *w, const mus_list *crossings, int all) {
  mus_status status = mus_contours_trace(w->arena, w->surface, crossings, &w->contours);
  if (status != MUS_OK)
    return status;
  w->record->contours = w->contours.count;
  if (all || touches_bodies(w)) {
    mus_winding_fit(w->untangler->winding, w->x);
    find_inside(w, all);
    status = push_inside(w);
  }
  for (int i = 0; i < w->contours.count && status == MUS_OK; ++i) {
    const int *start = w->contours.start + i;
    status = push_contour(w, (chain){start[1] - start[0], w->contours.member + start[0]});
  }
  forget(w->untangler);
  return status;
}

static mus_status copy_crossings(const mus_list *crossings, mus_list *released) {
  released->count = 0;
  if (crossings->count == 0)
    return MUS_OK;
  if (!mus_list_reserve(released, crossings->count, sizeof(mus_crossing)))
    return mus_fail_memory();
  memcpy(released->items, crossings->items, crossings->count * sizeof(mus_crossing));
  released->count = crossings->count;
  return MUS_OK;
}

mus_status mus_untangle_pushes(mus_untangler *untangler, const double *x, const mus_list *crossings, int all,
                               mus_list *pushes, mus_list *released, mus_untangle_record *record) {
  mus_arena arena = {0};
  mus_untangle_record ignored;
  work w = {.untangler = untangler,
            .surface = untangler->surface,
            .x = x,
            .crossing = crossings->items,
            .crossings = (int)crossings->count,
            .arena = &arena,
            .pushes = pushes,
            .released = released,
            .record = record ? record : &ignored};
  *w.record = (mus_untangle_record){0};
  pushes->count = 0;
  mus_status status = released ? copy_crossings(crossings, released) : MUS_OK;
  if (status == MUS_OK && (crossings->count > 0 || all))
    status = push_all(&w, crossings, all);
  mus_arena_clear(&arena);
  if (status == MUS_OK)
    sort_pushes(pushes);
  return status;
}

mus_status mus_untangler_create(const mus_surface *surface, const double *x, mus_untangler **out) {
  mus_untangler *u = mus_alloc_zero(1, sizeof *u);
  size_t vertices = (size_t)surface->vertices, cloth = (size_t)surface->cloth_vertices;
  if (!u)
    return mus_fail_memory();
  u->surface = surface;
  u->number = mus_arena_alloc(&u->arena, cloth, sizeof *u->number);
  u->asked = mus_arena_alloc_zero(&u->arena, cloth, sizeof *u->asked);
  u->candidate = mus_arena_alloc(&u->arena, cloth, sizeof *u->candidate);
  u->place = mus_arena_alloc(&u->arena, cloth, sizeof *u->place);
  u->mark = mus_arena_alloc_zero(&u->arena, vertices, sizeof *u->mark);
  u->queue = mus_arena_alloc(&u->arena, vertices + 2, sizeof *u->queue);
  u->crossed = mus_arena_alloc_zero(&u->arena, (size_t)surface->edges, sizeof *u->crossed);
  mus_status status = MUS_OK;
  if (!u->number || !u->asked || !u->candidate || !u->place || !u->mark || !u->queue || !u->crossed)
    status = mus_fail_memory();
  if (status == MUS_OK)
    status = mus_winding_create(surface, x, &u->winding);
  if (status == MUS_OK)
    *out = u;
  else
    mus_untangler_free(u);
  return status;
}

void mus_untangler_free(mus_untangler *untangler) {
  if (!untangler)
    return;
  mus_winding_free(untangler->winding);
  mus_arena_clear(&untangler->arena);
  mus_free(untangler);
}

size_t mus_untangler_bytes(const mus_untangler *untangler) {
  return sizeof *untangler + untangler->arena.bytes + mus_winding_bytes(untangler->winding);
}
