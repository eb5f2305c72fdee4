// Pushes out of intersections. See untangle.h.
#include "collide/untangle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/stop.h"
#include "base/vector3.h"
#include "collide/contours.h"
#include "collide/escape.h"
#include "collide/sides.h"

struct mus_untangler {
  mus_arena arena;
  const mus_surface *surface;
  mus_winding *winding;
  mus_escapes escapes;
  mus_sides sides;
  mus_loose loose;
};

// What a call works on.
typedef struct work {
  mus_untangler *untangler;
  const mus_surface *surface;
  mus_tangle tangle;
  mus_arena *arena;
  mus_list *pushes;
  mus_untangle_record *record;
} work;

static const double *at(const work *w, int vertex) { return w->tangle.x + 3 * (size_t)vertex; }

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

// --- vertices inside ------------------------------------------------------------------------------------------------

static void loosen_nothing(work *w) {
  const mus_loose *loose = &w->untangler->loose;
  memset(loose->vertex, 0, (size_t)w->surface->cloth_vertices);
  memset(loose->edge, 0, (size_t)w->surface->cloth_edges);
  memset(loose->triangle, 0, (size_t)w->surface->cloth_triangles);
}

// The body's triangle at a crossing of cloth with a body, -1 at one of cloth with cloth.
static int body_at(const mus_surface *surface, const mus_crossing *c) {
  if (c->triangle >= surface->cloth_triangles)
    return c->triangle;
  return c->edge >= surface->cloth_edges ? surface->edge_triangle[surface->edge_start[c->edge]] : -1;
}

static int is_with_solid(const work *w, const mus_crossing *c) {
  int triangle = body_at(w->surface, c);
  return triangle >= 0 && mus_winding_is_solid(w->untangler->winding, triangle);
}

static mus_status push_inside(work *w) {
  const mus_escapes *escapes = &w->untangler->escapes;
  mus_status status = MUS_OK;
  w->record->inside = escapes->count;
  for (int i = 0; i < escapes->count && status == MUS_OK; ++i) {
    const mus_escape *e = escapes->escape + i;
    w->record->pinched += e->pinched;
    mus_loosen_vertex(w->surface, e->vertex, &w->untangler->loose);
    if (!e->found)
      continue;
    double gap = e->pinched ? 0 : mus_vertex_face_gap(w->surface, e->vertex, e->target.triangle);
    status = push_vertex(w, e->vertex, e->target.triangle, e->target.part, e->direction, e->depth + gap);
  }
  return status;
}

// --- contours ------------------------------------------------------------------------------------------------------

// The members of a contour.
typedef struct chain {
  int contour, count;
  const int *member;
} chain;

static const mus_crossing *crossing_of(const work *w, chain c, int i) { return w->tangle.crossing + c.member[i]; }
static int strand_of(const work *w, chain c, int i) { return w->tangle.contours.strand[c.member[i]]; }

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
  mus_subtract3(high, low, size);
  return mus_length3(size);
}

// Lifts the corners of a triangle that a body comes through: cloth that is stretched over something, or on a limb,
// would hardly be moved by springs. Off the face that comes through, where that lies along the triangle; over a tip,
// this is the way to its end; and not at all over an edge, where triangles of all directions would stir up each other.
static mus_status lift_corners(work *w, const mus_crossing *c, const double outwards[3], double way, int tip) {
  const int *end = w->surface->edge + 2 * (size_t)c->edge, *corner = w->surface->triangle + 3 * (size_t)c->triangle;
  double place[3];
  mus_surface_point near;
  mus_status status = MUS_OK;
  for (int k = 0; k < 3; ++k)
    place[k] = (1 - c->along) * at(w, end[0])[k] + c->along * at(w, end[1])[k];
  if (!mus_winding_closest(w->untangler->winding, place, (mus_winding_filter){0}, &near))
    return MUS_OK;
  int flat = mus_dot3(near.normal, outwards) >= 0.7;
  for (int k = 0; k < 3 && status == MUS_OK && (flat || tip); ++k)
    status = push_vertex(w, corner[k], near.triangle, near.part, flat ? near.normal : outwards, way);
  return status;
}

// Sends the end `astray` of a crossing's edge back through the triangle, to the side of the other end: along `normal`,
// `way` far, which are returned.
static mus_status send_back(work *w, const mus_crossing *c, int astray, double normal[3], double *way) {
  const int *end = w->surface->edge + 2 * (size_t)c->edge;
  double along[3];
  mus_triangle_normal(w->surface, w->tangle.x, c->triangle, normal);
  mus_subtract3(at(w, end[1 - astray]), at(w, end[astray]), along);
  double height = mus_dot3(normal, along), beyond = astray ? 1 - c->along : c->along;
  if (height < 0)
    mus_scale3(-1, normal, normal);
  *way = fabs(height) * beyond + mus_vertex_face_gap(w->surface, end[astray], c->triangle);
  return push_vertex(w, end[astray], c->triangle, c->part, normal, *way);
}

// Where a contour cuts a strand in two, sends the smaller side back, except beside vertices inside; counts in `sent`.
static mus_status return_side(work *w, chain c, int strand, int *sent) {
  mus_sides *sides = &w->untangler->sides;
  mus_status status = MUS_OK;
  if (!mus_sides_part(sides, w->tangle.x, &w->tangle.contours, w->tangle.crossing, c.contour, strand))
    return MUS_OK;
  double size = extent(w, c), normal[3], way;
  int tip = sides->vertices > c.count && sides->area > 1.5 * size * size;
  for (int i = 0; i < c.count && status == MUS_OK; ++i) {
    const mus_crossing *crossing = crossing_of(w, c, i);
    int astray = mus_sides_smaller_end(sides, crossing);
    if (strand_of(w, c, i) != strand || astray < 0 || mus_escape_beside(&w->untangler->escapes, crossing))
      continue;
    status = send_back(w, crossing, astray, normal, &way);
    mus_scale3(-1, normal, normal);
    if (status == MUS_OK && crossing->edge >= w->surface->cloth_edges && is_with_solid(w, crossing))
      status = lift_corners(w, crossing, normal, way, tip);
    ++*sent;
  }
  return status;
}

static double edge_length(const work *w, int edge) {
  double along[3];
  const int *end = w->surface->edge + 2 * (size_t)edge;
  mus_subtract3(at(w, end[1]), at(w, end[0]), along);
  return mus_length3(along);
}

// The first strand's way against the second, summed over the contour. 0 where the parts cancel.
static int common_way(const work *w, chain c, double way[3]) {
  double lengths = 0;
  way[0] = way[1] = way[2] = 0;
  for (int i = 0; i < c.count; ++i) {
    double one[3];
    mus_contour_shortening(w->surface, w->tangle.x, crossing_of(w, c, i), one);
    lengths += mus_length3(one);
    for (int k = 0; k < 3; ++k)
      way[k] += strand_of(w, c, i) ? -one[k] : one[k];
  }
  double length = mus_length3(way);
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
      mus_contour_shortening(w->surface, w->tangle.x, crossing, own);
    double length = common ? 1 : mus_length3(own);
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
    double normal[3], along[3], way;
    if (crossing->triangle < w->surface->cloth_triangles)
      continue;
    mus_triangle_normal(w->surface, w->tangle.x, crossing->triangle, normal);
    mus_subtract3(at(w, end[1]), at(w, end[0]), along);
    status = send_back(w, crossing, mus_dot3(normal, along) < 0, normal, &way);
    ++*sent;
  }
  return status;
}

// Where a body comes through between vertices: lifts the vertices of what is pierced off its surface, a bit at a time.
static mus_status lift(work *w, chain c) {
  const mus_surface *surface = w->surface;
  mus_status status = MUS_OK;
  for (int i = 0; i < c.count; ++i) {
    const mus_crossing *crossing = crossing_of(w, c, i);
    const int *end = surface->edge + 2 * (size_t)crossing->edge, *vertex = end;
    int count = 2;
    double place[3];
    mus_surface_point near;
    for (int k = 0; k < 3; ++k)
      place[k] = (1 - crossing->along) * at(w, end[0])[k] + crossing->along * at(w, end[1])[k];
    if (!mus_winding_closest(w->untangler->winding, place, (mus_winding_filter){0}, &near))
      continue;
    if (crossing->edge >= surface->cloth_edges) {
      vertex = surface->triangle + 3 * (size_t)crossing->triangle;
      count = 3;
    }
    double longest = 0;
    for (int k = 0; k < count; ++k) {
      double side[3];
      mus_subtract3(at(w, vertex[k]), at(w, vertex[(k + 1) % count]), side);
      longest = fmax(longest, mus_length3(side));
    }
    for (int k = 0; k < count && status == MUS_OK; ++k)
      status = push_vertex(w, vertex[k], near.triangle, near.part, near.normal,
                           fmax(0.05 * longest, mus_vertex_face_gap(surface, vertex[k], near.triangle)));
  }
  ++w->record->shrunk;
  return status;
}

// With a solid body. Where vertices beside the contour are inside, they say which side of the cloth is wrong and are
// pushed already; what is left to do is where the body comes through between vertices. Nothing where cloth is held.
static mus_status push_from_solid(work *w, chain c, int *sent) {
  int inside = 0;
  for (int i = 0; i < c.count; ++i) {
    const mus_escape *e = mus_escape_beside(&w->untangler->escapes, crossing_of(w, c, i));
    if (e && e->pinched)
      return MUS_OK;
    inside |= e != NULL;
  }
  mus_status status = inside ? MUS_OK : return_side(w, c, 0, sent);
  if (status == MUS_OK)
    status = return_side(w, c, 1, sent);
  return status == MUS_OK && *sent == 0 && !inside ? lift(w, c) : status;
}

static mus_status push_contour(work *w, chain c) {
  int body = body_at(w->surface, crossing_of(w, c, 0)), sent = 0;
  mus_status status = MUS_OK;
  if (body >= 0 && mus_winding_is_solid(w->untangler->winding, body)) {
    status = push_from_solid(w, c, &sent);
  } else {
    if (body >= 0)
      status = return_to_front(w, c, &sent);
    for (int strand = 0; strand < 2 && status == MUS_OK && (body < 0 || sent == 0); ++strand)
      status = return_side(w, c, strand, &sent);
    if (status == MUS_OK && sent == 0)
      status = shorten(w, c);
  }
  w->record->returned += sent > 0;
  return status;
}

// --- all of it -----------------------------------------------------------------------------------------------------

static int touches_bodies(const work *w) {
  for (int i = 0; i < w->tangle.crossings; ++i) {
    const mus_crossing *c = w->tangle.crossing + i;
    if (c->edge >= w->surface->cloth_edges || c->triangle >= w->surface->cloth_triangles)
      return 1;
  }
  return 0;
}

static mus_status push_all(work *w, const mus_list *crossings, int all) {
  mus_untangler *u = w->untangler;
  const mus_contours *contours = &w->tangle.contours;
  mus_status status = mus_contours_trace(w->arena, w->surface, crossings, &w->tangle.contours);
  if (status == MUS_OK && (all || touches_bodies(w))) {
    status = mus_escapes_find(&u->escapes, w->arena, &w->tangle, &u->sides, all);
    if (status == MUS_OK)
      status = push_inside(w);
  }
  for (int i = 0; status == MUS_OK && i < contours->count; ++i) {
    const int *start = contours->start + i;
    status = mus_stop_check();
    if (status == MUS_OK)
      status = push_contour(w, (chain){i, start[1] - start[0], contours->member + start[0]});
  }
  w->record->contours = contours->count;
  mus_escapes_forget(&u->escapes);
  return status;
}

// What goes through solid bodies is loose; rings around all other crossings are released.
static mus_status release(work *w, mus_list *released) {
  released->count = 0;
  for (int i = 0; i < w->tangle.crossings; ++i) {
    const mus_crossing *c = w->tangle.crossing + i;
    if (is_with_solid(w, c)) {
      if (c->edge < w->surface->cloth_edges)
        mus_loosen_edge(w->surface, c->edge, &w->untangler->loose);
      else
        w->untangler->loose.triangle[c->triangle] = 1;
      continue;
    }
    mus_crossing *copy = mus_list_add(released, sizeof *copy);
    if (!copy)
      return mus_fail_memory();
    *copy = *c;
  }
  return MUS_OK;
}

mus_winding *mus_untangler_winding(const mus_untangler *untangler) { return untangler->winding; }

const mus_loose *mus_untangler_loose(const mus_untangler *untangler) { return &untangler->loose; }

mus_status mus_untangle_pushes(mus_untangler *untangler, const double *x, const mus_list *crossings, int all,
                               mus_list *pushes, mus_list *released, mus_untangle_record *record) {
  mus_arena arena = {0};
  mus_untangle_record ignored;
  work w = {.untangler = untangler,
            .surface = untangler->surface,
            .tangle = {.x = x, .crossing = crossings->items, .crossings = (int)crossings->count},
            .arena = &arena,
            .pushes = pushes,
            .record = record ? record : &ignored};
  *w.record = (mus_untangle_record){0};
  pushes->count = 0;
  loosen_nothing(&w);
  mus_status status = released ? release(&w, released) : MUS_OK;
  if (status == MUS_OK && (crossings->count > 0 || all))
    status = push_all(&w, crossings, all);
  mus_arena_clear(&arena);
  if (status == MUS_OK)
    sort_pushes(pushes);
  return status;
}

// Features of solid bodies are marked for good.
static mus_status make_loose(mus_untangler *u) {
  const mus_surface *surface = u->surface;
  mus_loose *loose = &u->loose;
  loose->vertex = mus_arena_alloc_zero(&u->arena, (size_t)surface->vertices, 1);
  loose->edge = mus_arena_alloc_zero(&u->arena, (size_t)surface->edges, 1);
  loose->triangle = mus_arena_alloc_zero(&u->arena, (size_t)surface->triangles, 1);
  if (!loose->vertex || !loose->edge || !loose->triangle)
    return mus_fail_memory();
  for (int t = surface->cloth_triangles; t < surface->triangles; ++t) {
    loose->triangle[t] = (unsigned char)mus_winding_is_solid(u->winding, t);
    for (int k = 0; k < 3 && loose->triangle[t]; ++k) {
      loose->vertex[surface->triangle[3 * (size_t)t + (size_t)k]] = 1;
      loose->edge[surface->triangle_edge[3 * (size_t)t + (size_t)k]] = 1;
    }
  }
  return MUS_OK;
}

mus_status mus_untangler_create(const mus_surface *surface, const double *x, mus_untangler **out) {
  mus_untangler *u = mus_alloc_zero(1, sizeof *u);
  if (!u)
    return mus_fail_memory();
  u->surface = surface;
  mus_status status = mus_winding_create(surface, x, &u->winding);
  if (status == MUS_OK)
    status = mus_escapes_create(&u->arena, surface, u->winding, &u->escapes);
  if (status == MUS_OK)
    status = mus_sides_create(&u->arena, surface, &u->sides);
  if (status == MUS_OK)
    status = make_loose(u);
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
