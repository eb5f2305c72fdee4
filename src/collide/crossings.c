// Edges that go through triangles: mus_detector_crossings(). See detector.h.
//
// An edge p q goes through the triangle a b c when p and q lie on different sides of its plane and the volumes of
// (p q a b), (p q b c), (p q c a) have one sign; the volumes' parts of their sum are the barycentric coordinates.
#include "base/vector3.h"
#include "collide/detector_state.h"

// The sine of the angle between an edge and a plane below which the edge counts as lying in it: in flat cloth the signs
// of such are noise, and would make crossings of what does not even touch.
static const double flat = 1e-10;

static double volume(const double *a, const double *b, const double *c) {
  double turned[3];
  mus_cross3(b, c, turned);
  return mus_dot3(a, turned);
}

// x: the ends of the edge, then the corners. All is relative to the edge's first end.
static int goes_through(const double *p, const double *q, const double *const corner[3], mus_crossing *out) {
  double along[3], x[3][3], part[3], side[3], other[3], normal[3];
  mus_subtract3(q, p, along);
  for (int k = 0; k < 3; ++k)
    mus_subtract3(corner[k], p, x[k]);
  mus_subtract3(x[1], x[0], side);
  mus_subtract3(x[2], x[0], other);
  mus_cross3(side, other, normal);
  double height = mus_dot3(normal, x[0]), rise = mus_dot3(normal, along); // the plane is where t rise = height
  if (!(fabs(rise) > flat * mus_length3(normal) * mus_length3(along)) || !(height / rise >= 0) || !(height / rise <= 1))
    return 0;
  for (int k = 0; k < 3; ++k)
    part[k] = volume(along, x[(k + 1) % 3], x[(k + 2) % 3]);
  if (!((part[0] >= 0 && part[1] >= 0 && part[2] >= 0) || (part[0] <= 0 && part[1] <= 0 && part[2] <= 0)))
    return 0;
  double sum = part[0] + part[1] + part[2]; // the same as rise, but for rounding
  if (!(sum != 0))
    return 0;
  out->along = height / rise;
  for (int k = 0; k < 3; ++k)
    out->part[k] = part[k] / sum;
  return 1;
}

static void test_edges(mus_query *q, const mus_triangle_parts *own, const mus_triangle_parts *other,
                       const mus_box *other_box) {
  const mus_detector *d = q->detector;
  const int *corner = other->corner;
  const double *at[3];
  for (int k = 0; k < 3; ++k)
    at[k] = q->x0 + (size_t)corner[k] * 3;
  for (int k = 0; k < 3; ++k) {
    if (!(own->own_edges >> k & 1))
      continue;
    const int *end = own->end[k];
    mus_box box = mus_box_around(&d->vertex_box[end[0]], &d->vertex_box[end[1]]);
    mus_crossing crossing = {.edge = own->edge[k], .triangle = other->triangle};
    if (!mus_boxes_meet(&box, other_box) || !mus_may_collide(q, 2, end, 3, corner) ||
        !goes_through(q->x0 + (size_t)end[0] * 3, q->x0 + (size_t)end[1] * 3, at, &crossing))
      continue;
    mus_crossing *answer = mus_query_answer(q);
    if (answer)
      *answer = crossing;
  }
}

static void visit_triangles(void *query, const mus_tree_task *task, int place_a, int place_b) {
  mus_query *q = query;
  int a = task->first->first + place_a, b = task->second->first + place_b;
  if (mus_kept_apart(q, a, b))
    return;
  const mus_triangle_parts *parts = q->detector->parts;
  test_edges(q, &parts[a], &parts[b], &task->second->triangle_box[place_b]);
  test_edges(q, &parts[b], &parts[a], &task->first->triangle_box[place_a]);
}

static void crossing_order(const mus_surface *surface, const void *answer, int *bucket, int *number) {
  (void)surface;
  const mus_crossing *crossing = answer;
  *bucket = crossing->edge;
  *number = crossing->triangle;
}

mus_status mus_detector_crossings(mus_detector *detector, const double *x, mus_list *crossings) {
  mus_query query = {.detector = detector, .x0 = x, .x1 = x, .visit = visit_triangles, .size = sizeof(mus_crossing)};
  mus_status status = mus_detector_ask(detector, &query);
  if (status != MUS_OK)
    return status;
  return mus_detector_collect(detector, sizeof(mus_crossing), crossing_order, crossings);
}
