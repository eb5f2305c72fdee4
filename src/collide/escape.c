// Which vertices are inside, and where they go. See escape.h.
#include "collide/escape.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/stop.h"
#include "base/vector3.h"
#include "mesh/groups.h"
#include "par/par.h"

mus_status mus_escapes_create(mus_arena *arena, const mus_surface *surface, mus_winding *winding, mus_escapes *out) {
  size_t cloth = (size_t)surface->cloth_vertices;
  *out = (mus_escapes){.surface = surface,
                       .winding = winding,
                       .inside = mus_arena_alloc(arena, cloth, sizeof *out->inside),
                       .asked = mus_arena_alloc_zero(arena, cloth, sizeof *out->asked),
                       .candidate = mus_arena_alloc(arena, cloth, sizeof *out->candidate),
                       .place = mus_arena_alloc(arena, cloth, sizeof *out->place)};
  return out->inside && out->asked && out->candidate && out->place ? MUS_OK : mus_fail_memory();
}

void mus_escapes_forget(mus_escapes *escapes) {
  for (int i = 0; i < escapes->candidates; ++i)
    escapes->asked[escapes->candidate[i]] = 0;
  escapes->candidates = escapes->count = 0;
}

// A way that the cloth around goes counts up to so many times the shortest, or up to so many metres.
static const double far_factor = 5, far_away = 0.04;

static const double *at(const mus_tangle *tangle, int vertex) { return tangle->x + 3 * (size_t)vertex; }

// --- which vertices are inside -------------------------------------------------------------------------------------

static int is_with_body(const mus_surface *surface, const mus_crossing *c) {
  return c->edge >= surface->cloth_edges || c->triangle >= surface->cloth_triangles;
}

static void ask(mus_escapes *escapes, int vertex) {
  if (vertex >= escapes->surface->cloth_vertices || escapes->asked[vertex])
    return;
  escapes->asked[vertex] = 1;
  escapes->candidate[escapes->candidates++] = vertex;
}

static void ask_at_crossings(mus_escapes *escapes, const mus_tangle *tangle) {
  const mus_surface *surface = escapes->surface;
  for (int i = 0; i < tangle->crossings; ++i) {
    const mus_crossing *c = tangle->crossing + i;
    if (!is_with_body(surface, c))
      continue;
    for (int k = 0; k < 2; ++k)
      ask(escapes, surface->edge[2 * (size_t)c->edge + (size_t)k]);
    for (int k = 0; k < 3; ++k)
      ask(escapes, surface->triangle[3 * (size_t)c->triangle + (size_t)k]);
  }
}

static void ask_around(mus_escapes *escapes, int vertex) {
  const mus_surface *surface = escapes->surface;
  for (int k = surface->vertex_start[vertex]; k < surface->vertex_start[vertex + 1]; ++k)
    for (int c = 0; c < 3; ++c)
      ask(escapes, surface->triangle[3 * (size_t)surface->vertex_triangle[k] + (size_t)c]);
  for (int k = surface->sewn_start[vertex]; k < surface->sewn_start[vertex + 1]; ++k)
    ask(escapes, surface->sewn[k]);
}

// Round after round, each asks around those that turned out to be inside. Whoever is told to stop while this goes on
// may find anything.
static void find_inside(mus_escapes *escapes, const mus_tangle *tangle, int all) {
  mus_stop_request *stop = mus_stop_current();
  for (int v = 0; v < (all ? escapes->surface->cloth_vertices : 0); ++v)
    if (escapes->surface->body[v] != MUS_SURFACE_ABSENT && mus_winding_reaches(escapes->winding, at(tangle, v)))
      ask(escapes, v);
  ask_at_crossings(escapes, tangle);
  for (int begin = 0; begin < escapes->candidates;) {
    int end = escapes->candidates;
    MUS_PARALLEL_FOR_IF(end - begin > MUS_PAR_MINIMUM / 16)
    for (int i = begin; i < end; ++i) {
      int v = escapes->candidate[i];
      escapes->inside[v] = !mus_stop_is_asked(stop) && mus_winding_is_inside(escapes->winding, at(tangle, v));
    }
    for (int i = begin; i < end; ++i)
      if (mus_is_inside(escapes, escapes->candidate[i]))
        ask_around(escapes, escapes->candidate[i]);
    begin = end;
  }
}

const mus_escape *mus_escape_beside(const mus_escapes *escapes, const mus_crossing *crossing) {
  const int *end = escapes->surface->edge + 2 * (size_t)crossing->edge;
  const int *corner = escapes->surface->triangle + 3 * (size_t)crossing->triangle;
  const int vertex[5] = {end[0], end[1], corner[0], corner[1], corner[2]};
  for (int k = 0; k < 5; ++k)
    if (mus_is_inside(escapes, vertex[k]))
      return escapes->escape + escapes->place[vertex[k]];
  return NULL;
}

// --- where each goes -----------------------------------------------------------------------------------------------

// From p towards the target, or along its normal where p is on it.
static void head_for_target(mus_escape *e, const double *p) {
  double way[3];
  mus_subtract3(e->target.point, p, way);
  double length = mus_length3(way), size = fabs(p[0]) + fabs(p[1]) + fabs(p[2]);
  for (int k = 0; k < 3; ++k)
    e->direction[k] = length > 1e-12 * size ? way[k] / length : e->target.normal[k];
  e->depth = e->target.distance;
}

// Where the way out through the nearest surface is much shorter than that to the outside, it leads into another part
// that overlaps with the one that p is in. Cloth that lies along that surface has been caught between the two; cloth
// that goes through both is not held by them. The middle lies between that surface and the nearest that faces it, along
// the normal, in the overlap and beside it.
static void hold_between(const mus_winding *winding, const double *p, mus_escape *e) {
  mus_surface_point exit, opposite;
  double way[2][3], reach = e->found ? 0.5 * e->depth : 0;
  if ((e->found && !(reach > 0)) ||
      !mus_winding_closest(winding, p, (mus_winding_filter){.behind = 1, .reach = reach}, &exit) ||
      fabs(mus_dot3(exit.normal, e->normal)) < 0.6 ||
      !mus_winding_closest(winding, p, (mus_winding_filter){.against = exit.normal}, &opposite))
    return;
  mus_subtract3(exit.point, p, way[0]);
  mus_subtract3(opposite.point, p, way[1]);
  double middle = (mus_dot3(way[0], exit.normal) + mus_dot3(way[1], exit.normal)) / 2;
  e->found = e->pinched = 1;
  e->target = middle > 0 ? exit : opposite;
  e->depth = fabs(middle);
  for (int k = 0; k < 3; ++k)
    e->direction[k] = middle > 0 ? exit.normal[k] : -exit.normal[k];
}

static void cloth_normal(const mus_surface *surface, const double *x, int vertex, double normal[3]) {
  double sum[3] = {0}, one[3];
  for (int k = surface->vertex_start[vertex]; k < surface->vertex_start[vertex + 1]; ++k) {
    mus_triangle_normal(surface, x, surface->vertex_triangle[k], one);
    for (int c = 0; c < 3; ++c)
      sum[c] += one[c];
  }
  double length = mus_length3(sum);
  for (int c = 0; c < 3; ++c)
    normal[c] = length > 0 ? sum[c] / length : 0;
}

// The nearest point of the surface, if what is beyond it is outside. 0 where it is not.
static int find_near_way(const mus_escapes *escapes, const double *p, mus_escape *e) {
  double beyond[3];
  e->found = mus_winding_closest(escapes->winding, p, (mus_winding_filter){0}, &e->target);
  if (!e->found)
    return 1;
  head_for_target(e, p);
  double gap = mus_vertex_face_gap(escapes->surface, e->vertex, e->target.triangle);
  for (int k = 0; k < 3; ++k)
    beyond[k] = e->target.point[k] + gap * e->direction[k];
  return !mus_winding_is_inside(escapes->winding, beyond);
}

// The nearest that is not buried, or the middle of an overlap.
static void find_far_way(const mus_escapes *escapes, const double *p, mus_escape *e) {
  e->found = mus_winding_closest(escapes->winding, p, (mus_winding_filter){.outer = 1}, &e->target);
  if (e->found)
    head_for_target(e, p);
  hold_between(escapes->winding, p, e);
}

static mus_status list_inside(mus_escapes *escapes, mus_arena *arena) {
  int count = 0;
  for (int i = 0; i < escapes->candidates; ++i)
    count += mus_is_inside(escapes, escapes->candidate[i]);
  escapes->escape = mus_arena_alloc_zero(arena, (size_t)count, sizeof *escapes->escape);
  if (!escapes->escape)
    return mus_fail_memory();
  for (int i = 0; i < escapes->candidates; ++i)
    if (mus_is_inside(escapes, escapes->candidate[i])) {
      escapes->escape[escapes->count].vertex = escapes->candidate[i];
      escapes->place[escapes->candidate[i]] = escapes->count++;
    }
  return MUS_OK;
}

static mus_status find_ways(mus_escapes *escapes, mus_arena *arena, const mus_tangle *tangle) {
  mus_stop_request *stop = mus_stop_current();
  mus_status status = list_inside(escapes, arena);
  int count = escapes->count, blocked = 0;
  unsigned char *clear = mus_arena_alloc(arena, (size_t)count, sizeof *clear);
  if (status != MUS_OK || !clear)
    return status != MUS_OK ? status : mus_fail_memory();
  MUS_PARALLEL_FOR_IF(count > MUS_PAR_MINIMUM / 16)
  for (int i = 0; i < count; ++i) {
    mus_escape *e = escapes->escape + i;
    cloth_normal(escapes->surface, tangle->x, e->vertex, e->normal);
    clear[i] = mus_stop_is_asked(stop) || find_near_way(escapes, at(tangle, e->vertex), e);
  }
  for (int i = 0; i < count; ++i)
    blocked += !clear[i];
  if (blocked > 0)
    mus_winding_bury(escapes->winding);
  MUS_PARALLEL_FOR_IF(count > MUS_PAR_MINIMUM / 16)
  for (int i = 0; i < (blocked > 0 ? count : 0); ++i) // by one measure for all
    if (!mus_stop_is_asked(stop))
      find_far_way(escapes, at(tangle, escapes->escape[i].vertex), escapes->escape + i);
  return mus_stop_check();
}

// --- regions that are impaled --------------------------------------------------------------------------------------

// Vertices inside that hang together.
typedef struct region {
  double depth;     // m, summed over its vertices
  double across;    // m, that part of it that goes along the cloth's normals, whichever way
  double beyond[3]; // unit vectors along the body's edges through the cloth to the body's smaller part, summed
  double open;      // crossings with the cloth's edges: cosines between the way out and the way to the cloth outside
  double facing;    // of the cloth around it, outside: cosines between its normals and the body's, summed
  double lean;      // m, that part of `depth` that goes along the cloth's normals, with its sign
  double exit[2];   // m, to the outside along the normals and against them, summed over some vertices
  double area;      // m^2, of the cloth inside
  double part;      // m^2, of the body's smaller part
  int contours;     // how many contours bound it
  int border;       // those of its vertices that lie on the cloth's border
  int rim;          // how many crossings `open` is the sum of
  int votes;        // how many `beyond` is
  int vertices;
  int torn; // 1 where neighbours head for opposite sides
  int held; // those that are pinched
} region;

typedef struct regions {
  int *first;   // escapes: the first of its region
  region *area; // escapes: those of first ones count
} regions;

static region *region_of(regions *r, int i) { return r->area + r->first[i]; }

// Joins escape i with those around it, or sees whether they are torn from it.
static void look_around(const mus_escapes *escapes, int i, regions *r, int joining) {
  const mus_surface *surface = escapes->surface;
  const mus_escape *own = escapes->escape + i;
  for (int k = surface->vertex_start[own->vertex]; k < surface->vertex_start[own->vertex + 1]; ++k)
    for (int c = 0; c < 3; ++c) {
      int other = surface->triangle[3 * (size_t)surface->vertex_triangle[k] + (size_t)c];
      if (!mus_is_inside(escapes, other))
        continue;
      const mus_escape *neighbour = escapes->escape + escapes->place[other];
      if (joining)
        mus_group_join(r->first, i, escapes->place[other]);
      else if (!own->pinched && !neighbour->pinched && mus_dot3(own->direction, neighbour->direction) < -0.25)
        region_of(r, i)->torn = 1;
    }
}

// The cloth around a vertex inside, and whether it ends there.
static void measure_vertex(const mus_surface *surface, const double *x, int vertex, region *area) {
  int border = 0;
  for (int k = surface->vertex_start[vertex]; k < surface->vertex_start[vertex + 1]; ++k) {
    size_t t = (size_t)surface->vertex_triangle[k];
    area->area += mus_triangle_area(x, surface->triangle + 3 * t) / 3;
    for (size_t c = 0; c < 3; ++c) { // edge c lies opposite corner c
      int edge = surface->triangle_edge[3 * t + c];
      border |= surface->triangle[3 * t + c] != vertex && surface->edge_start[edge + 1] - surface->edge_start[edge] < 2;
    }
  }
  area->border += border && surface->sewn_start[vertex] == surface->sewn_start[vertex + 1];
}

static void gather_regions(const mus_escapes *escapes, const mus_tangle *tangle, regions *r) {
  for (int i = 0; i < escapes->count; ++i)
    r->first[i] = i;
  for (int i = 0; i < escapes->count; ++i)
    look_around(escapes, i, r, 1);
  for (int i = 0; i < escapes->count; ++i)
    r->first[i] = mus_group_first(r->first, i);
  for (int i = 0; i < escapes->count; ++i) {
    const mus_escape *e = escapes->escape + i;
    look_around(escapes, i, r, 0);
    ++region_of(r, i)->vertices;
    measure_vertex(escapes->surface, tangle->x, e->vertex, region_of(r, i));
    region_of(r, i)->held += e->pinched;
    if (e->pinched)
      continue;
    region_of(r, i)->depth += e->depth;
    region_of(r, i)->across += e->depth * fabs(mus_dot3(e->direction, e->normal));
    region_of(r, i)->lean += e->depth * mus_dot3(e->direction, e->normal);
  }
}

// A cloth edge from inside to outside: is the outside where the vertex inside is heading?
static void look_outside(const mus_escapes *escapes, const mus_tangle *tangle, const mus_crossing *c, regions *r) {
  const int *end = escapes->surface->edge + 2 * (size_t)c->edge;
  int first = mus_is_inside(escapes, end[0]), second = mus_is_inside(escapes, end[1]);
  double way[3];
  if (first == second)
    return;
  const mus_escape *e = escapes->escape + escapes->place[end[second]];
  mus_subtract3(at(tangle, end[first]), at(tangle, end[second]), way);
  region *area = region_of(r, escapes->place[end[second]]);
  area->open += mus_dot3(way, e->direction) / fmax(mus_length3(way), 1e-300);
  ++area->rim;
  mus_surface_point near;
  double normal[3];
  cloth_normal(escapes->surface, tangle->x, end[first], normal);
  if (mus_winding_closest(escapes->winding, at(tangle, end[first]), (mus_winding_filter){0}, &near))
    area->facing += mus_dot3(normal, near.normal);
}

// A body's edge through the cloth: towards which end is the smaller part?
static void look_along(const mus_escapes *escapes, const mus_tangle *tangle, const mus_sides *sides,
                       const mus_crossing *c, region *area) {
  const int *end = escapes->surface->edge + 2 * (size_t)c->edge;
  int smaller = mus_sides_smaller_end(sides, c);
  double way[3];
  if (smaller < 0)
    return;
  mus_subtract3(at(tangle, end[smaller]), at(tangle, end[1 - smaller]), way);
  mus_add_scaled3(1 / fmax(mus_length3(way), 1e-300), way, area->beyond);
  ++area->votes;
}

static void look_at_contours(const mus_escapes *escapes, const mus_tangle *tangle, mus_sides *sides, regions *r) {
  const mus_contours *contours = &tangle->contours;
  for (int i = 0; i < contours->count; ++i) {
    const mus_escape *inside = NULL;
    for (int k = contours->start[i]; k < contours->start[i + 1] && !inside; ++k)
      inside = mus_escape_beside(escapes, tangle->crossing + contours->member[k]);
    if (!inside || !is_with_body(escapes->surface, tangle->crossing + contours->member[contours->start[i]]))
      continue;
    int parted = mus_sides_part(sides, tangle->x, contours, tangle->crossing, i, 1);
    region *area = region_of(r, (int)(inside - escapes->escape));
    ++area->contours;
    area->part += parted ? sides->area : 0;
    for (int k = contours->start[i]; k < contours->start[i + 1]; ++k) {
      const mus_crossing *c = tangle->crossing + contours->member[k];
      if (contours->strand[contours->member[k]] == 0)
        look_outside(escapes, tangle, c, r);
      else if (parted)
        look_along(escapes, tangle, sides, c, area);
    }
  }
}

// Which side of the cloth faces away from the body, as the cloth around the region does or, where there is none, as
// most of it would: 1 for the front, -1 for the back, 0 where that is not clear.
static int outer_side(const region *area) {
  if (area->rim > 0)
    return fabs(area->facing) < 0.2 * area->rim ? 0 : area->facing > 0 ? 1 : -1;
  return fabs(area->lean) < 0.2 * area->depth ? 0 : area->lean > 0 ? 1 : -1;
}

// Whether the part of the body beyond the cloth lies in one direction, as that of a limb does, and which.
static int points_beyond(const region *area, double direction[3]) {
  double length = mus_length3(area->beyond);
  mus_scale3(length > 0 ? 1 / length : 0, area->beyond, direction);
  return length > 0.5 * area->votes && area->votes > 0;
}

// Speared: a limb goes through the middle of the cloth, which meets it in one contour and is much smaller there than
// what lies beyond. No way but that over the tip is left, however the cloth may be bent.
static int is_speared(const region *area) {
  double tip[3];
  return points_beyond(area, tip) && area->contours == 1 && area->border == 0 && area->part > 3 * area->area;
}

// Out the way that the cloth around goes: to the nearest point of the body that faces as the cloth does, not merely to
// the nearest, which may be the other side of something thin. Not where that is far away.
static void turn_outwards(const mus_escapes *escapes, const mus_tangle *tangle, const region *area, mus_escape *e) {
  int side = outer_side(area);
  const double *p = at(tangle, e->vertex);
  double outwards[3];
  mus_surface_point target;
  mus_scale3(side, e->normal, outwards);
  if (is_speared(area) || side == 0 || !e->found || e->pinched || mus_dot3(e->target.normal, outwards) >= 0.2)
    return;
  if (!mus_winding_closest(escapes->winding, p, (mus_winding_filter){.along = outwards, .behind = 1}, &target) ||
      target.distance > fmax(far_factor * e->depth, far_away))
    return;
  e->target = target;
  e->turned = 1;
  head_for_target(e, p);
}

// Impaled: most ways out go along the cloth, and the cloth outside is not where they lead.
static int is_impaled(const region *area) {
  return area->across < 0.6 * area->depth && (area->torn || area->open < 0.3 * area->rim);
}

// A few vertices in something thin, which would leave it by the back: all of the contour says that the tip is in front.
static int is_misled(const region *area, const mus_escape *e, const double beyond[3]) {
  return 3 * area->vertices <= area->rim && mus_length3(area->beyond) > 0.6 * area->votes &&
         mus_dot3(beyond, e->direction) < -0.5;
}

// How far it is to the outside along a direction.
static double exit_distance(const mus_winding *winding, const double *from, const double *direction, double shortest) {
  mus_surface_point point;
  double p[3] = {from[0], from[1], from[2]}, way = 0;
  for (int k = 0; k < 100 && mus_winding_is_inside(winding, p); ++k) {
    if (!mus_winding_closest(winding, p, (mus_winding_filter){0}, &point))
      break;
    double step = fmax(point.distance, shortest);
    mus_add_scaled3(step, direction, p);
    way += step;
  }
  return way;
}

// Where the body is not cut in two, the shorter way across the cloth is for all of the region: by some of its vertices.
static void look_across(const mus_escapes *escapes, const mus_tangle *tangle, regions *r) {
  for (int i = 0; i < escapes->count; ++i) {
    region *area = region_of(r, i);
    const mus_escape *e = escapes->escape + i;
    double beyond[3], back[3];
    if (e->pinched || !is_impaled(area) || points_beyond(area, beyond) || i % (1 + area->vertices / 100) != 0)
      continue;
    double shortest = 0.2 * area->depth / area->vertices;
    mus_scale3(-1, e->normal, back);
    area->exit[0] += exit_distance(escapes->winding, at(tangle, e->vertex), e->normal, shortest);
    area->exit[1] += exit_distance(escapes->winding, at(tangle, e->vertex), back, shortest);
  }
}

// Turns a way that leads along the cloth across it where the region is impaled. Where a good part of it is held, the
// others would only be drawn away from that, and stay.
static void turn_across(const region *area, mus_escape *e) {
  double across = fabs(mus_dot3(e->direction, e->normal)), beyond[3];
  int pointed = points_beyond(area, beyond);
  if (e->turned)
    return;
  if (8 * area->held >= area->vertices && across < 0.7)
    e->found = 0;
  if (pointed && is_misled(area, e, beyond))
    memcpy(e->direction, beyond, sizeof beyond);
  if (!is_speared(area) && (!is_impaled(area) || (across >= 0.7 && !pointed)))
    return;
  e->depth = fmax(e->depth, is_speared(area) ? sqrt(area->part) / 2 : area->depth / area->vertices);
  if (pointed)
    memcpy(e->direction, beyond, sizeof beyond);
  else
    mus_scale3(area->exit[0] <= area->exit[1] ? 1 : -1, e->normal, e->direction);
}

static mus_status turn_impaled(mus_escapes *escapes, mus_arena *arena, const mus_tangle *tangle, mus_sides *sides) {
  size_t count = (size_t)escapes->count;
  regions r = {.first = mus_arena_alloc(arena, count, sizeof *r.first),
               .area = mus_arena_alloc_zero(arena, count, sizeof *r.area)};
  if (!r.first || !r.area)
    return mus_fail_memory();
  gather_regions(escapes, tangle, &r);
  look_at_contours(escapes, tangle, sides, &r);
  MUS_PARALLEL_FOR_IF(escapes->count > MUS_PAR_MINIMUM / 16)
  for (int i = 0; i < escapes->count; ++i)
    turn_outwards(escapes, tangle, r.area + r.first[i], escapes->escape + i);
  look_across(escapes, tangle, &r);
  for (int i = 0; i < escapes->count; ++i)
    if (!escapes->escape[i].pinched)
      turn_across(region_of(&r, i), escapes->escape + i);
  return MUS_OK;
}

mus_status mus_escapes_find(mus_escapes *escapes, mus_arena *arena, const mus_tangle *tangle, mus_sides *sides,
                            int all) {
  mus_winding_fit(escapes->winding, tangle->x);
  find_inside(escapes, tangle, all);
  mus_status status = mus_stop_check();
  if (status == MUS_OK)
    status = find_ways(escapes, arena, tangle);
  return status == MUS_OK ? turn_impaled(escapes, arena, tangle, sides) : status;
}
