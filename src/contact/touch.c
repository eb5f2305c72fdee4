// See touch.h.
#include "contact/touch.h"

#include <math.h>
#include <string.h>

#include "base/affine.h"
#include "base/error.h"
#include "collide/distance.h"
#include "model/bodies.h"
#include "par/par.h"

// Points of a grid along the longest side of its body, and cells around it.
enum { GRID_POINTS = 40, GRID_MARGIN = 3 };
static const double floor_side = 100; // m

// --- shapes ----------------------------------------------------------------------------------------------------------

// Shapes whose distance is a formula. Returns 0 for others.
static int has_formula(const mus_body_shape *s, int z_up, mus_touch_body *out) {
  const double half[3] = {s->size[0] / 2, s->size[z_up ? 2 : 1] / 2, s->size[z_up ? 1 : 2] / 2};
  memcpy(out->half, half, sizeof half);
  out->radius = s->radius;
  switch (s->kind) {
  case MUS_BODY_SHAPE_PLANE:
    out->shape = MUS_TOUCH_PLANE;
    return 1;
  case MUS_BODY_SHAPE_FLOOR:
    out->shape = MUS_TOUCH_PLANE;
    out->half[0] = out->half[2] = floor_side / 2;
    return 1;
  case MUS_BODY_SHAPE_SPHERE:
    out->shape = MUS_TOUCH_CAPSULE;
    out->half[1] = 0;
    return 1;
  case MUS_BODY_SHAPE_CAPSULE:
    out->shape = MUS_TOUCH_CAPSULE;
    out->half[1] = s->length / 2;
    return 1;
  case MUS_BODY_SHAPE_BOX:
    out->shape = MUS_TOUCH_BOX;
    out->radius = 0;
    return 1;
  case MUS_BODY_SHAPE_ROUNDED_BOX:
    out->shape = MUS_TOUCH_BOX;
    return 1;
  case MUS_BODY_SHAPE_CYLINDER:
    out->shape = MUS_TOUCH_CYLINDER;
    out->half[1] = s->length / 2;
    return 1;
  case MUS_BODY_SHAPE_TORUS:
    out->shape = MUS_TOUCH_TORUS;
    out->half[0] = s->tube;
    return 1;
  default:
    return 0;
  }
}

// --- grids -----------------------------------------------------------------------------------------------------------

// The surface of a body in its own frame.
typedef struct own_surface {
  int vertices, triangles, first_vertex;
  const int *triangle;
  double *position;
} own_surface;

// Positions of a body at a time in its own frame, into `out`; `all` is workspace for all bodies.
static mus_status positions_at(const mus_model *model, int body, double time, double *all, int vertices, double *out) {
  mus_status status = mus_bodies_at(model->bodies, time, all);
  mus_affine frame = mus_bodies_frame_at(model->bodies, body, time), back = mus_affine_inverse(&frame);
  const double *from = all + 3 * (size_t)mus_bodies_first_vertex(model->bodies, body);
  for (int i = 0; i < vertices && !status; ++i)
    mus_affine_apply(&back, from + 3 * (size_t)i, out + 3 * (size_t)i);
  return status;
}

// MUS_UNSUPPORTED for one that changes its shape.
static mus_status read_surface(const mus_model *model, int body, mus_arena *scratch, own_surface *out) {
  const mus_bodies *all = model->bodies;
  const mus_body *given = &model->scene->bodies[body];
  int first = mus_bodies_first_triangle(all, body);
  out->first_vertex = mus_bodies_first_vertex(all, body);
  out->vertices = mus_bodies_first_vertex(all, body + 1) - out->first_vertex;
  out->triangles = mus_bodies_first_triangle(all, body + 1) - first;
  out->triangle = mus_bodies_triangle_list(all) + 3 * (size_t)first;
  double *room = mus_arena_alloc(scratch, 3 * (size_t)mus_bodies_vertices(all), sizeof *room);
  double *later = mus_arena_alloc(scratch, 3 * (size_t)out->vertices, sizeof *later);
  out->position = mus_arena_alloc(scratch, 3 * (size_t)out->vertices, sizeof *out->position);
  if (!room || !later || !out->position)
    return mus_fail_memory();
  mus_status status = positions_at(model, body, 0, room, out->vertices, out->position);
  double off = given->shape.kind == MUS_BODY_SHAPE_MANNEQUIN || given->shape.motion ? 1 : 0;
  for (int k = 1; k < 4 && !status && off == 0; ++k) {
    status = positions_at(model, body, 0.37 * k, room, out->vertices, later);
    for (int i = 0; i < 3 * out->vertices; ++i)
      off = fmax(off, fabs(later[i] - out->position[i]) > 1e-6 ? 1 : 0);
  }
  if (!status && off > 0)
    status = mus_fail(MUS_UNSUPPORTED,
                      "body \"%s\" changes its shape, which contact with bodies only does not know: use "
                      "\"contact_with\": \"all\"",
                      given->name ? given->name : "");
  return status;
}

static void corner_at(const own_surface *s, int triangle, int corner, double *out) {
  int vertex = s->triangle[3 * (size_t)triangle + (size_t)corner] - s->first_vertex;
  memcpy(out, s->position + 3 * (size_t)vertex, 3 * sizeof *out);
}

// Square of the distance from a box around a triangle, which is no farther than the triangle.
static double box_square(double x[4][3]) {
  double square = 0;
  for (int c = 0; c < 3; ++c) {
    double low = fmin(x[1][c], fmin(x[2][c], x[3][c])), high = fmax(x[1][c], fmax(x[2][c], x[3][c]));
    double out = fmax(fmax(low - x[0][c], x[0][c] - high), 0);
    square += out * out;
  }
  return square;
}

// The solid angle that a triangle takes up, seen from x[0], by Van Oosterom and Strackee (1983).
static double solid_angle(double x[4][3]) {
  double a[3][3], length[3], cross[3];
  for (int k = 0; k < 3; ++k) {
    mus_subtract3(x[k + 1], x[0], a[k]);
    length[k] = sqrt(mus_dot3(a[k], a[k]));
  }
  mus_cross3(a[1], a[2], cross);
  double below = length[0] * length[1] * length[2] + mus_dot3(a[0], a[1]) * length[2] +
                 mus_dot3(a[1], a[2]) * length[0] + mus_dot3(a[2], a[0]) * length[1];
  return 2 * atan2(mus_dot3(a[0], cross), below);
}

// Negative inside, by how often the surface winds around the point.
static double signed_distance(const own_surface *s, const double *point) {
  double nearest = INFINITY, winding = 0, x[4][3], weight[4];
  memcpy(x[0], point, sizeof x[0]);
  for (int t = 0; t < s->triangles; ++t) {
    for (int k = 0; k < 3; ++k)
      corner_at(s, t, k, x[k + 1]);
    winding += solid_angle(x);
    if (box_square(x) < nearest * nearest)
      nearest = fmin(nearest, mus_vertex_face_distance((const double(*)[3])x, weight));
  }
  return winding > 2 * 3.14159265358979 ? -nearest : nearest;
}

static mus_status add_grid(const mus_model *model, int body, mus_touch *touch, mus_touch_body *out) {
  mus_arena scratch = {0};
  own_surface surface;
  mus_status status = read_surface(model, body, &scratch, &surface);
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, longest = 0;
  for (int i = 0; i < 3 * surface.vertices && !status; ++i) {
    low[i % 3] = fmin(low[i % 3], surface.position[i]);
    high[i % 3] = fmax(high[i % 3], surface.position[i]);
  }
  for (int c = 0; c < 3; ++c)
    longest = fmax(longest, high[c] - low[c]);
  out->shape = MUS_TOUCH_GRID;
  out->spacing = longest / GRID_POINTS;
  out->first = touch->grid_count;
  size_t count = 1;
  for (int c = 0; c < 3 && !status; ++c) {
    out->origin[c] = low[c] - GRID_MARGIN * out->spacing;
    out->points[c] = (int)ceil((high[c] - low[c]) / out->spacing) + 2 * GRID_MARGIN + 1;
    count *= (size_t)out->points[c];
  }
  float *grid = status ? NULL : mus_arena_alloc(&touch->arena, touch->grid_count + count, sizeof *grid);
  if (!status && !grid)
    status = mus_fail_memory();
  if (!status) {
    if (touch->grid_count > 0)
      memcpy(grid, touch->grid, touch->grid_count * sizeof *grid);
    MUS_PARALLEL_FOR
    for (size_t k = 0; k < count; ++k) {
      size_t along = (size_t)out->points[0], plane = along * (size_t)out->points[1];
      double point[3] = {out->origin[0] + (double)(k % along) * out->spacing,
                         out->origin[1] + (double)(k % plane / along) * out->spacing,
                         out->origin[2] + (double)(k / plane) * out->spacing};
      grid[out->first + k] = (float)signed_distance(&surface, point);
    }
    touch->grid = grid;
    touch->grid_count += count;
  }
  mus_arena_clear(&scratch);
  return status;
}

// --- life ------------------------------------------------------------------------------------------------------------

static mus_status check_model(const mus_model *model) {
  return model->lattices > 0
             ? mus_fail(MUS_UNSUPPORTED, "contact_with: \"bodies\" knows nothing of solids on lattices: use \"all\"")
             : MUS_OK;
}

static mus_status fill(const mus_model *model, mus_touch *touch) {
  const mus_scene *scene = model->scene;
  size_t vertices = (size_t)model->vertices;
  mus_status status = check_model(model);
  if (status)
    return status;
  touch->vertices = model->vertices;
  touch->bodies = scene->body_count;
  touch->body = mus_arena_alloc_zero(&touch->arena, (size_t)scene->body_count + 1, sizeof *touch->body);
  touch->half = mus_arena_alloc_zero(&touch->arena, vertices, sizeof *touch->half);
  touch->touched = mus_arena_alloc_zero(&touch->arena, vertices, sizeof *touch->touched);
  touch->push = mus_arena_alloc_zero(&touch->arena, vertices, sizeof *touch->push);
  touch->impulse = mus_arena_alloc_zero(&touch->arena, 3 * vertices, sizeof *touch->impulse);
  if (!touch->body || !touch->half || !touch->touched || !touch->push || !touch->impulse)
    return mus_fail_memory();
  for (int k = 0; k < model->part_count; ++k)
    for (int i = 0; i < model->parts[k].shape.mesh.vertices; ++i)
      touch->half[model->parts[k].first_vertex + i] = model->parts[k].thickness / 2;
  for (int b = 0; b < scene->body_count && !status; ++b) {
    touch->body[b].gap = scene->bodies[b].thickness;
    touch->body[b].friction = scene->bodies[b].friction;
    if (!has_formula(&scene->bodies[b].shape, scene->up == MUS_UP_Z, &touch->body[b]))
      status = add_grid(model, b, touch, &touch->body[b]);
  }
  return status;
}

mus_status mus_touch_create(const mus_model *model, mus_touch **out) {
  *out = NULL;
  if (!model->scene->contact || model->scene->contact_with != MUS_CONTACT_BODIES)
    return MUS_OK;
  mus_touch *touch = mus_alloc_zero(1, sizeof *touch);
  if (!touch)
    return mus_fail_memory();
  mus_status status = fill(model, touch);
  if (status)
    mus_touch_free(touch);
  else
    *out = touch;
  return status;
}

void mus_touch_free(mus_touch *touch) {
  if (!touch)
    return;
  mus_arena_clear(&touch->arena);
  mus_free(touch);
}

size_t mus_touch_bytes(const mus_touch *touch) { return touch ? sizeof *touch + touch->arena.bytes : 0; }

// --- steps -----------------------------------------------------------------------------------------------------------

void mus_touch_place(const mus_model *model, double begin, double end, mus_touch *touch) {
  for (int b = 0; b < touch->bodies; ++b) {
    mus_affine from = mus_bodies_frame_at(model->bodies, b, begin), to = mus_bodies_frame_at(model->bodies, b, end);
    mus_affine back = mus_affine_inverse(&from);
    memcpy(touch->body[b].from, back.m, sizeof back.m);
    memcpy(touch->body[b].to, to.m, sizeof to.m);
  }
}

mus_touch_vertex mus_touch_vertex_of(const mus_model *model, const mus_touch_step *step, const mus_touch *touch,
                                     int i) {
  size_t at = 3 * (size_t)i;
  return (mus_touch_vertex){.position = step->position + at,
                            .velocity = step->velocity + at,
                            .predicted = step->predicted + at,
                            .mass = model->mass[i],
                            .half = touch->half[i],
                            .push = step->hold[i].push,
                            .h = step->h,
                            .length = step->length};
}

static void find(const mus_touch_step *step, const mus_touch_vertex *vertex, double trace, mus_touch *touch, int i) {
  touch->touched[i].stiffness = 0;
  if (step->pinned[i] < 0)
    mus_touch_find(vertex, touch->bodies, touch->body, touch->grid, trace, &touch->touched[i]);
}

void mus_touch_load_step(const mus_model *model, const mus_touch_step *step, mus_touch *touch, mus_matrix *matrix,
                         double *right) {
  mus_touch_place(model, step->time - step->h, step->time, touch);
  MUS_PARALLEL_FOR_IF(touch->vertices > MUS_PAR_MINIMUM)
  for (int i = 0; i < touch->vertices; ++i) {
    double *block = mus_matrix_at(matrix, model->diagonal[i]);
    mus_touch_vertex vertex = mus_touch_vertex_of(model, step, touch, i);
    find(step, &vertex, block[0] + block[4] + block[8], touch, i);
    mus_touch_load(&touch->touched[i], vertex.velocity, block, right + 3 * (size_t)i);
  }
}

void mus_touch_find_step(const mus_model *model, const mus_touch_step *step, mus_touch *touch, const double *value,
                         const mus_shared_blocks *blocks) {
  mus_touch_place(model, step->time - step->h, step->time, touch);
  MUS_PARALLEL_FOR_IF(touch->vertices > MUS_PAR_MINIMUM)
  for (int i = 0; i < touch->vertices; ++i) {
    mus_touch_vertex vertex = mus_touch_vertex_of(model, step, touch, i);
    const double *own = mus_shared_blocks_at(blocks, i);
    double trace = 3 * value[model->diagonal[i]];
    find(step, &vertex, own ? trace + own[0] + own[4] + own[8] : trace, touch, i);
  }
}

mus_status mus_touch_lump(const mus_touch *touch, mus_shared_blocks *blocks) {
  mus_status status = MUS_OK;
  for (int i = 0; i < touch->vertices && !status; ++i) {
    double block[9] = {0};
    if (!(touch->touched[i].stiffness > 0))
      continue;
    mus_touch_block(&touch->touched[i], block);
    status = mus_shared_blocks_add(blocks, i, 1, block);
  }
  return status;
}

void mus_touch_load_right(const mus_touch *touch, const double *velocity, double *right) {
  MUS_PARALLEL_FOR_IF(touch->vertices > MUS_PAR_MINIMUM)
  for (int i = 0; i < touch->vertices; ++i) {
    double impulse[3];
    mus_touch_end(&touch->touched[i], velocity + 3 * (size_t)i, 1, impulse);
    mus_add_scaled3(1, impulse, right + 3 * (size_t)i);
  }
}

double mus_touch_potential(const mus_touch *touch, const double *velocity) {
  double sum = 0;
  for (int i = 0; i < touch->vertices; ++i)
    sum += mus_touch_energy(&touch->touched[i], velocity + 3 * (size_t)i);
  return sum;
}

void mus_touch_measure(double length, const double *velocity, mus_touch *touch) {
  touch->count = 0;
  for (int i = 0; i < touch->vertices; ++i) {
    touch->push[i] =
        mus_touch_end(&touch->touched[i], velocity + 3 * (size_t)i, length, touch->impulse + 3 * (size_t)i);
    touch->count += touch->touched[i].stiffness > 0;
  }
}

double mus_touch_work(const mus_touch *touch, const double *counted, const double *start, const double *end,
                      double length) {
  double work = 0, way[3];
  for (int i = 0; i < touch->vertices; ++i) {
    size_t at = 3 * (size_t)i;
    mus_subtract3(end + at, start + at, way);
    work += counted[i] > 0 ? mus_dot3(touch->impulse + at, way) / length : 0;
  }
  return work;
}

void mus_touch_keep(const mus_touch *touch, mus_hold *hold) {
  for (int i = 0; i < touch->vertices; ++i)
    hold[i].push = touch->push[i];
}
