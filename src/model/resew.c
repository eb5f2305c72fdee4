// See resew.h.
#include "model/resew.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { PATH_MAXIMUM = 16 };

// A part of a boundary edge of the mesh before, from x to y.
typedef struct segment {
  int x, y;
  double from, to; // parts of the way
  double length;   // m
} segment;

// A way along the boundary.
typedef struct path {
  int count;
  segment segment[PATH_MAXIMUM];
  double length;
} path;

// A stitch as it is looked up by its vertex.
typedef struct hold {
  mus_stitch stitch;
  int reversed; // seen from the vertex that it is tied to, or a vertex that stands for itself
  int next;     // of the same vertex; -1: the last
} hold;

typedef struct resewing {
  const mus_refinement *from, *to;
  mus_list holds;
  int *first; // vertices of `from` before: the first hold; -1 for none
  mus_list *stitches, *back;
  mus_list chain[2]; // scratch
} resewing;

static const double same_place = 1e-9; // parts of an edge

static int is_vertex(const mus_stitch *s) {
  return s->b == s->c || s->ratio <= same_place || s->ratio >= 1 - same_place;
}
static int vertex_of(const mus_stitch *s) { return s->ratio >= 1 - same_place ? s->c : s->b; }

// --- paths -----------------------------------------------------------------------------------------------------------

// Where a point lies on the edge from x to y: 0 to 1; negative where it does not.
static double part_on(const mus_stitch *point, int x, int y) {
  if (is_vertex(point))
    return vertex_of(point) == x ? 0 : vertex_of(point) == y ? 1 : -1;
  return point->b == x && point->c == y ? point->ratio : point->b == y && point->c == x ? 1 - point->ratio : -1;
}

static int add_segment(const mus_refinement *r, path *p, int x, int y, double from, double to) {
  int edge = mus_refinement_boundary(r, x, y);
  if (edge < 0 || p->count == PATH_MAXIMUM)
    return 0;
  double length = (to - from) * r->boundary_length[edge];
  p->segment[p->count++] = (segment){x, y, from, to, length};
  p->length += length;
  return 1;
}

// From a point in the direction from x to y, between which it lies; 0 where the end is not met soon.
static int walk(const mus_refinement *r, const mus_stitch *begin, const mus_stitch *end, int x, int y, path *p) {
  double from = part_on(begin, x, y);
  *p = (path){0};
  while (x >= 0 && y >= 0 && p->count < PATH_MAXIMUM) {
    double to = part_on(end, x, y);
    if (to > from)
      return add_segment(r, p, x, y, from, to);
    if (!add_segment(r, p, x, y, from, 1))
      return 0;
    const int *beside = r->neighbour + 2 * (size_t)y;
    int next = beside[0] == x ? beside[1] : beside[0];
    x = y;
    y = next;
    from = 0;
  }
  return 0;
}

// The shorter way along the boundary from one point to another; 0 where there is none.
static int find_path(const mus_refinement *r, const mus_stitch *begin, const mus_stitch *end, path *best) {
  int ends[2][2], v = vertex_of(begin), found = 0;
  for (int k = 0; k < 2; ++k) {
    ends[k][0] = is_vertex(begin) ? v : k == 0 ? begin->b : begin->c;
    ends[k][1] = is_vertex(begin) ? r->neighbour[2 * (size_t)v + (size_t)k] : k == 0 ? begin->c : begin->b;
  }
  for (int k = 0; k < 2; ++k) {
    path p;
    if (walk(r, begin, end, ends[k][0], ends[k][1], &p) && (!found || p.length < best->length)) {
      *best = p;
      found = 1;
    }
  }
  return found;
}

// --- points ----------------------------------------------------------------------------------------------------------

// The point at a part of the way from x to y as one of the pieces that the edge has now.
static mus_status on_piece(resewing *w, const mus_refinement *r, int x, int y, double part, mus_stitch *to) {
  mus_list *chain = &w->chain[1];
  chain->count = 0;
  mus_status status = mus_refinement_chain(r, x, y, chain);
  if (status)
    return status;
  const mus_edge_point *p = chain->items;
  size_t k = 0;
  while (k + 2 < chain->count && p[k + 1].part <= part)
    ++k;
  double ratio = (part - p[k].part) / (p[k + 1].part - p[k].part);
  int at_end = ratio >= 1 - same_place, at_vertex = at_end || ratio <= same_place;
  to->b = p[at_end ? k + 1 : k].vertex;
  to->c = at_vertex ? to->b : p[k + 1].vertex;
  to->ratio = at_vertex ? 0 : ratio;
  return MUS_OK;
}

static mus_status add_stitch(mus_list *list, const mus_stitch *s) {
  mus_stitch *item = mus_list_add(list, sizeof *item);
  if (!item)
    return mus_fail_memory();
  *item = *s;
  return MUS_OK;
}

// Ties a vertex to the point at a distance along the path.
static mus_status tie(resewing *w, const path *p, int vertex, double distance) {
  int k = 0;
  while (k + 1 < p->count && distance > p->segment[k].length)
    distance -= p->segment[k++].length;
  const segment *s = &p->segment[k];
  double part = s->length > 0 ? s->from + (s->to - s->from) * distance / s->length : s->from;
  mus_stitch made = {.a = vertex};
  mus_status status = on_piece(w, w->to, s->x, s->y, part, &made);
  return status ? status : add_stitch(w->stitches, &made);
}

// --- edges -----------------------------------------------------------------------------------------------------------

// New vertices of the path that lie between its ends, or, with `edge`, ties them to that edge of the other side.
static mus_status pass_path(resewing *w, const path *p, const int *edge, size_t *count) {
  double before = 0;
  mus_status status = MUS_OK;
  *count = 0;
  for (int k = 0; k < p->count && !status; ++k) {
    const segment *s = &p->segment[k];
    mus_list points = {0};
    status = mus_refinement_chain(w->to, s->x, s->y, &points);
    for (size_t i = 1; i + 1 < points.count && !status; ++i) {
      const mus_edge_point *point = (const mus_edge_point *)points.items + i;
      double part = (point->part - s->from) / (s->to - s->from);
      if (part <= same_place || part >= 1 - same_place)
        continue;
      ++*count;
      mus_stitch made = {.a = point->vertex};
      if (edge)
        status = on_piece(w, w->from, edge[0], edge[1], (before + part * s->length) / p->length, &made);
      if (edge && !status)
        status = add_stitch(w->back, &made);
    }
    mus_free(points.items);
    before += s->length;
  }
  return status;
}

static mus_status sew_edge(resewing *w, const int edge[2], const path *p) {
  mus_list *chain = &w->chain[0];
  chain->count = 0;
  mus_status status = mus_refinement_chain(w->from, edge[0], edge[1], chain);
  for (size_t k = 1; k + 1 < chain->count && !status; ++k) {
    mus_edge_point point = ((const mus_edge_point *)chain->items)[k];
    status = tie(w, p, point.vertex, point.part * p->length);
  }
  size_t own = chain->count - 2, others;
  if (!status)
    status = pass_path(w, p, NULL, &others);
  return status || others <= own ? status : pass_path(w, p, edge, &others);
}

// A path that does not go with the edge is another seam's, or the edge itself.
static int goes_with(const resewing *w, int edge, const path *p) {
  const int *ends = w->from->boundary_edge + 2 * (size_t)edge;
  double length = w->from->boundary_length[edge];
  for (int k = 0; k < p->count && w->from == w->to; ++k)
    if ((p->segment[k].x == ends[0] && p->segment[k].y == ends[1]) ||
        (p->segment[k].x == ends[1] && p->segment[k].y == ends[0]))
      return 0;
  return p->count > 0 && p->length > 0.5 * length && p->length < 2 * length;
}

static mus_status sew_between(resewing *w, int edge) {
  const int *ends = w->from->boundary_edge + 2 * (size_t)edge;
  const hold *holds = w->holds.items;
  for (int i = w->first[ends[0]]; i >= 0; i = holds[i].next)
    for (int j = w->first[ends[1]]; j >= 0; j = holds[j].next) {
      path p;
      if ((holds[i].reversed && holds[j].reversed) || // found from the other side
          !find_path(w->to, &holds[i].stitch, &holds[j].stitch, &p) || !goes_with(w, edge, &p))
        continue;
      mus_status status = sew_edge(w, ends, &p);
      if (status)
        return status;
    }
  return MUS_OK;
}

// --- all -------------------------------------------------------------------------------------------------------------

static mus_status add_hold(resewing *w, mus_stitch stitch, int reversed) {
  hold *item = mus_list_add(&w->holds, sizeof *item);
  if (!item)
    return mus_fail_memory();
  *item = (hold){stitch, reversed, w->first[stitch.a]};
  w->first[stitch.a] = (int)w->holds.count - 1;
  return MUS_OK;
}

static mus_status look_up(resewing *w) {
  w->first = mus_alloc((size_t)w->from->before, sizeof *w->first);
  mus_status status = w->first ? MUS_OK : mus_fail_memory();
  if (!status)
    memset(w->first, -1, (size_t)w->from->before * sizeof *w->first);
  for (size_t k = 0; k < w->stitches->count && !status; ++k) {
    mus_stitch s = ((const mus_stitch *)w->stitches->items)[k];
    status = add_hold(w, s, 0);
    if (!status && w->from == w->to && is_vertex(&s))
      status = add_hold(w, (mus_stitch){vertex_of(&s), s.a, s.a, 0}, 1);
  }
  // A vertex without stitches stands for itself, as the tip of a dart does.
  for (int v = 0; v < w->from->before && w->from == w->to && !status; ++v)
    if (w->first[v] < 0 && w->from->neighbour[2 * (size_t)v] >= 0)
      status = add_hold(w, (mus_stitch){v, v, v, 0}, 1);
  return status;
}

static int compare(const void *first, const void *second) {
  const mus_stitch *a = first, *b = second;
  int low[2] = {a->a < a->b ? a->a : a->b, b->a < b->b ? b->a : b->b};
  int high[2] = {a->a < a->b ? a->b : a->a, b->a < b->b ? b->b : b->a};
  if (low[0] != low[1] || high[0] != high[1])
    return low[0] != low[1] ? (low[0] > low[1]) - (low[0] < low[1]) : (high[0] > high[1]) - (high[0] < high[1]);
  return a->c != b->c ? (a->c > b->c) - (a->c < b->c) : (a->a > b->a) - (a->a < b->a);
}

// New stitches between two vertices may have been found from both sides.
static void drop_doubles(mus_list *list, size_t first) {
  mus_stitch *s = (mus_stitch *)list->items + first;
  size_t count = list->count - first, kept = 0;
  if (count == 0)
    return;
  qsort(s, count, sizeof *s, compare);
  for (size_t k = 0; k < count; ++k) {
    const mus_stitch *last = kept > 0 ? &s[kept - 1] : NULL;
    int again = last && last->b == last->c && s[k].b == s[k].c &&
                ((last->a == s[k].a && last->b == s[k].b) || (last->a == s[k].b && last->b == s[k].a));
    if (!again && s[k].a != s[k].b)
      s[kept++] = s[k];
  }
  list->count = first + kept;
}

// Points on edges that have been cut.
static mus_status move_points(resewing *w, size_t count) {
  mus_status status = MUS_OK;
  for (size_t k = 0; k < count && !status; ++k) {
    mus_stitch s = ((const mus_stitch *)w->stitches->items)[k];
    if (!is_vertex(&s))
      status = on_piece(w, w->to, s.b, s.c, s.ratio, &s);
    if (!status)
      ((mus_stitch *)w->stitches->items)[k] = s;
  }
  return status;
}

mus_status mus_resew(const mus_refinement *from, const mus_refinement *to, mus_list *stitches, mus_list *back) {
  resewing w = {.from = from, .to = to, .stitches = stitches, .back = back};
  size_t count = stitches->count;
  mus_status status = look_up(&w);
  for (int e = 0; e < from->boundary_edges && !status; ++e)
    status = sew_between(&w, e);
  if (!status && from == to)
    drop_doubles(stitches, count);
  if (!status)
    status = move_points(&w, count);
  mus_free(w.holds.items);
  mus_free(w.first);
  mus_free(w.chain[0].items);
  mus_free(w.chain[1].items);
  return status;
}
