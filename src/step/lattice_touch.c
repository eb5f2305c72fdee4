// See lattice_touch.h.
#include "step/lattice_touch.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "collide/surface.h"
#include "collide/winding.h"
#include "par/par.h"

// Points that are farther than this from all bodies, in cells, are not asked about any further; those that are inside
// of something are, however deep.
static const double reach_in_cells = 2;
// Nearer than this, m, the way to a surface has no direction that could be trusted.
static const double touching = 1e-9;

struct mus_lattice_touches {
  mus_arena arena;
  mus_surface surface;       // of the bodies that it may touch
  mus_winding *all, *closed; // of all bodies, for what is near, and of those that have an inside
  int *vertex;               // of the surface: the number among all bodies
  double *gap, *friction;    // scene's bodies: m, how far from its surface points rest; coefficient
  double *x;                 // surface.vertices * 3, at the end of the step
  double reach;              // m
  double h;
  const double *begin, *end;
};

// --- life ------------------------------------------------------------------------------------------------------------

// Vertices and triangles of bodies that do not hold the solid, side by side.
static mus_status make_surface(const mus_model *model, const mus_lattice_part *part, mus_lattice_touches *t) {
  mus_arena scratch = {0};
  size_t vertices = (size_t)mus_bodies_vertices(model->bodies), triangles = (size_t)mus_bodies_triangles(model->bodies);
  int *corner = mus_arena_alloc(&scratch, 3 * triangles, sizeof *corner);
  int *body = mus_arena_alloc(&scratch, vertices, sizeof *body);
  double *radius = mus_arena_alloc(&scratch, vertices, sizeof *radius);
  t->vertex = mus_arena_alloc(&t->arena, vertices, sizeof *t->vertex);
  mus_surface_parts all = {.triangle = corner, .body = body, .radius = radius};
  mus_status status = corner && body && radius && t->vertex ? MUS_OK : mus_fail_memory();
  for (int b = 0; b < model->scene->body_count && !status; ++b) {
    if (part->is_holder[b])
      continue;
    int first = mus_bodies_first_vertex(model->bodies, b), shift = all.vertices - first;
    for (int i = first; i < mus_bodies_first_vertex(model->bodies, b + 1); ++i) {
      body[all.vertices] = b;
      radius[all.vertices] = model->scene->bodies[b].thickness;
      t->vertex[all.vertices++] = i;
    }
    const int *from = mus_bodies_triangle_list(model->bodies);
    int face = mus_bodies_first_triangle(model->bodies, b),
        faces = mus_bodies_first_triangle(model->bodies, b + 1) - face;
    for (int k = 0; k < 3 * faces; ++k)
      corner[3 * (size_t)all.triangles + (size_t)k] = from[3 * (size_t)face + (size_t)k] + shift;
    all.triangles += faces;
  }
  if (!status)
    status = mus_surface_create(&t->arena, &all, &t->surface);
  mus_arena_clear(&scratch);
  return status;
}

static void gather(mus_lattice_touches *t, const double *bodies) {
  for (int i = 0; i < t->surface.vertices; ++i)
    memcpy(t->x + 3 * (size_t)i, bodies + 3 * (size_t)t->vertex[i], 3 * sizeof *t->x);
}

static mus_status fill(const mus_model *model, int part, const double *bodies, mus_lattice_touches *t) {
  const mus_scene *scene = model->scene;
  const mus_model_part *of = &model->parts[part];
  size_t count = (size_t)scene->body_count;
  mus_status status = make_surface(model, of->lattice, t);
  t->gap = mus_arena_alloc(&t->arena, count, sizeof *t->gap);
  t->friction = mus_arena_alloc(&t->arena, count, sizeof *t->friction);
  t->x = status ? NULL : mus_arena_alloc(&t->arena, 3 * (size_t)t->surface.vertices, sizeof *t->x);
  if (!status && (!t->gap || !t->friction || !t->x))
    status = mus_fail_memory();
  for (int b = 0; b < scene->body_count && !status; ++b) {
    t->gap[b] = scene->bodies[b].thickness + of->thickness / 2;
    t->friction[b] = scene->bodies[b].friction;
    t->reach = fmax(t->reach, t->gap[b]);
  }
  t->reach += reach_in_cells * of->lattice->cells.spacing;
  if (status)
    return status;
  gather(t, bodies);
  status = mus_winding_create_of_all(&t->surface, t->x, &t->all);
  return status ? status : mus_winding_create(&t->surface, t->x, &t->closed);
}

mus_status mus_lattice_touches_create(const mus_model *model, int part, const double *bodies,
                                      mus_lattice_touches **out) {
  int free = 0;
  *out = NULL;
  for (int b = 0; b < model->scene->body_count; ++b)
    free += !model->parts[part].lattice->is_holder[b];
  if (free == 0)
    return MUS_OK;
  mus_lattice_touches *t = mus_alloc_zero(1, sizeof *t);
  if (!t)
    return mus_fail_memory();
  mus_status status = fill(model, part, bodies, t);
  if (status)
    mus_lattice_touches_free(t);
  else
    *out = t;
  return status;
}

void mus_lattice_touches_free(mus_lattice_touches *t) {
  if (!t)
    return;
  mus_winding_free(t->all);
  mus_winding_free(t->closed);
  mus_arena_clear(&t->arena);
  mus_free(t);
}

size_t mus_lattice_touches_bytes(const mus_lattice_touches *t) {
  return t ? sizeof *t + t->arena.bytes + mus_winding_bytes(t->all) + mus_winding_bytes(t->closed) : 0;
}

// --- a step ----------------------------------------------------------------------------------------------------------

void mus_lattice_touches_place(mus_lattice_touches *t, const double *begin, const double *end, double h) {
  t->begin = begin;
  t->end = end;
  t->h = h;
  gather(t, end);
  mus_winding_fit(t->all, t->x);
  mus_winding_fit(t->closed, t->x);
}

// The nearest point of a body, wherever it is for what is inside. 0 where there is none.
static int find_nearest(const mus_lattice_touches *t, const double p[3], int inside, mus_surface_point *nearest) {
  mus_winding_filter near = {.reach = t->reach}, any = {0};
  return mus_winding_closest(t->all, p, near, nearest) || (inside && mus_winding_closest(t->all, p, any, nearest));
}

static void find_one(const mus_lattice_touches *t, const double p[3], mus_lattice_touch *out) {
  mus_surface_point nearest;
  double way[3];
  *out = (mus_lattice_touch){0};
  int inside = mus_winding_reaches(t->closed, p) && mus_winding_is_inside(t->closed, p);
  if (!find_nearest(t, p, inside, &nearest))
    return;
  const int *corner = t->surface.triangle + 3 * (size_t)nearest.triangle;
  int body = t->surface.body[corner[0]];
  mus_subtract3(p, nearest.point, way);
  if (!mus_winding_is_solid(t->closed, nearest.triangle))
    inside = mus_dot3(way, nearest.normal) < 0;
  double length = mus_length3(way);
  if (length > touching)
    mus_scale3((inside ? -1 : 1) / length, way, out->normal);
  else
    memcpy(out->normal, nearest.normal, sizeof out->normal);
  out->offset = mus_dot3(out->normal, nearest.point) + t->gap[body];
  out->friction = t->friction[body];
  for (int k = 0; k < 3; ++k) {
    size_t at = 3 * (size_t)t->vertex[corner[k]];
    mus_add_scaled3(nearest.part[k] / t->h, t->end + at, out->velocity);
    mus_add_scaled3(-nearest.part[k] / t->h, t->begin + at, out->velocity);
  }
}

void mus_lattice_touches_find(void *context, int count, const double *position, mus_lattice_touch *out) {
  const mus_lattice_touches *t = context;
  MUS_PARALLEL_FOR_IF(count > 256)
  for (int i = 0; i < count; ++i)
    find_one(t, position + 3 * (size_t)i, &out[i]);
}
