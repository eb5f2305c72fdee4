// See figure.h.
#include "fill/figure.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "collide/distance.h"

void mus_figure_free(mus_figure *figure) {
  mus_free(figure->capsule.items);
  mus_free(figure->triangle.items);
  mus_free(figure->ready[0].items);
  mus_free(figure->ready[1].items);
  *figure = (mus_figure){0};
}

void mus_figure_add_capsule(mus_figure *figure, mus_point from, mus_point to, double from_radius, double to_radius) {
  mus_capsule *c = mus_list_add(&figure->capsule, sizeof *c);
  if (c)
    *c = mus_capsule_between(from, to, from_radius, to_radius);
  else
    figure->is_short = 1;
}

void mus_figure_add_triangle(mus_figure *figure, mus_point a, mus_point b, mus_point c, double radius) {
  mus_thick_triangle *t = mus_list_add(&figure->triangle, sizeof *t);
  if (!t) {
    figure->is_short = 1;
    return;
  }
  mus_point middle = mus_point_scale(1.0 / 3, mus_point_add(a, mus_point_add(b, c)));
  *t = (mus_thick_triangle){
      {{a.x, a.y, a.z}, {b.x, b.y, b.z}, {c.x, c.y, c.z}}, radius, {middle.x, middle.y, middle.z}, 0};
  for (int k = 0; k < 3; ++k) {
    double arm[3];
    mus_subtract3(t->corner[k], t->middle, arm);
    t->reach = fmax(t->reach, mus_length3(arm) + radius);
  }
}

// --- curves --------------------------------------------------------------------------------------------------------

static double spline(double a, double b, double c, double d, double t) {
  return b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
}

mus_joint mus_curve_at(int count, const mus_joint *joint, double s) {
  int i = (int)floor(s);
  i = i < 0 ? 0 : i > count - 2 ? count - 2 : i;
  const mus_joint *b = joint + i, *c = b + 1, *a = i > 0 ? b - 1 : b, *d = i + 2 < count ? c + 1 : c;
  double t = s - i;
  mus_point p = {spline(a->place.x, b->place.x, c->place.x, d->place.x, t),
                 spline(a->place.y, b->place.y, c->place.y, d->place.y, t),
                 spline(a->place.z, b->place.z, c->place.z, d->place.z, t)};
  return (mus_joint){p, b->radius + t * (c->radius - b->radius)};
}

void mus_figure_add_curve(mus_figure *figure, int count, const mus_joint *joint, int pieces) {
  mus_joint last = joint[0];
  for (int k = 1; k <= (count - 1) * pieces; ++k) {
    mus_joint next = mus_curve_at(count, joint, (double)k / pieces);
    mus_figure_add_capsule(figure, last.place, next.place, last.radius, next.radius);
    last = next;
  }
}

// --- the shape -----------------------------------------------------------------------------------------------------

static double triangle_distance(const mus_thick_triangle *t, const double p[3]) {
  double x[4][3], weight[4];
  memcpy(x[0], p, sizeof x[0]);
  memcpy(x[1], t->corner, sizeof t->corner);
  return mus_vertex_face_distance((const double(*)[3])x, weight) - t->radius;
}

static double ball_distance(const mus_thick_triangle *t, const double p[3]) {
  double arm[3];
  mus_subtract3(p, t->middle, arm);
  return mus_length3(arm) - t->reach;
}

// What is so many k farther away than the nearest adds nothing that could be seen.
static const double vanishing = 16;

// The smooth union in one pass: the sum is kept relative to the least distance so far.
typedef struct blended {
  double least, sum, over_blend;
} blended;

static void blend_in(blended *b, double d) {
  if (d < b->least) {
    b->sum = b->sum * exp((d - b->least) * b->over_blend) + 1;
    b->least = d;
  } else if ((d - b->least) * b->over_blend < vanishing) {
    b->sum += exp((b->least - d) * b->over_blend);
  }
}

static double distance(const void *data, const double p[3]) {
  const mus_figure *figure = data;
  const mus_capsule *capsule = figure->ready[0].items;
  const mus_thick_triangle *triangle = figure->ready[1].items;
  blended b = {1e300, 0, 1 / figure->blend};
  for (size_t k = 0; k < figure->capsule.count; ++k)
    blend_in(&b, mus_capsule_distance(&capsule[k], mus_point_from(p)));
  for (size_t k = 0; k < figure->triangle.count; ++k)
    if (ball_distance(&triangle[k], p) < b.least + vanishing * figure->blend)
      blend_in(&b, triangle_distance(&triangle[k], p));
  return b.least - figure->blend * log(b.sum);
}

static void grow(mus_shape *shape, const double p[3], double radius) {
  for (int k = 0; k < 3; ++k) {
    shape->low[k] = fmin(shape->low[k], p[k] - radius);
    shape->high[k] = fmax(shape->high[k], p[k] + radius);
  }
}

static mus_status thicken(mus_figure *figure, double thinnest) {
  figure->ready[0].count = figure->ready[1].count = 0;
  for (size_t k = 0; k < figure->capsule.count; ++k) {
    mus_capsule *c = mus_list_add(&figure->ready[0], sizeof *c);
    if (!c)
      return mus_fail_memory();
    *c = ((const mus_capsule *)figure->capsule.items)[k];
    c->from_radius = fmax(c->from_radius, thinnest);
    c->to_radius = fmax(c->to_radius, thinnest);
  }
  for (size_t k = 0; k < figure->triangle.count; ++k) {
    mus_thick_triangle *t = mus_list_add(&figure->ready[1], sizeof *t);
    if (!t)
      return mus_fail_memory();
    *t = ((const mus_thick_triangle *)figure->triangle.items)[k];
    t->reach += fmax(0, thinnest - t->radius);
    t->radius = fmax(t->radius, thinnest);
  }
  return MUS_OK;
}

mus_status mus_figure_shape(mus_figure *figure, double thinnest, mus_shape *out) {
  mus_status status = figure->is_short ? mus_fail_memory() : thicken(figure, thinnest);
  if (status)
    return status;
  mus_shape shape = {.distance = distance, .data = figure, .slope = 1};
  for (int k = 0; k < 3; ++k) {
    shape.low[k] = INFINITY;
    shape.high[k] = -INFINITY;
  }
  // Where all parts meet, the union reaches beyond them by k log(their number); the box bears that everywhere.
  double beyond = figure->blend * log((double)(figure->capsule.count + figure->triangle.count));
  const mus_capsule *capsule = figure->ready[0].items;
  for (size_t k = 0; k < figure->capsule.count; ++k) {
    const mus_capsule *c = &capsule[k];
    mus_point to = mus_point_add(c->from, c->along);
    grow(&shape, (const double[]){c->from.x, c->from.y, c->from.z}, c->from_radius + beyond);
    grow(&shape, (const double[]){to.x, to.y, to.z}, c->to_radius + beyond);
    double steep = (c->to_radius - c->from_radius) * sqrt(c->over_square);
    shape.slope = fmax(shape.slope, sqrt(1 + steep * steep));
  }
  const mus_thick_triangle *triangle = figure->ready[1].items;
  for (size_t k = 0; k < 3 * figure->triangle.count; ++k)
    grow(&shape, triangle[k / 3].corner[k % 3], triangle[k / 3].radius + beyond);
  *out = shape;
  return MUS_OK;
}
