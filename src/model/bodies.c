// Bodies: their surfaces are made or read once, and placed for every time that is asked for. See bodies.h.
//
// A body's vertices are x(t) = R(t) U scale s(t) + d(t): s(t) what its file says, or the solid, U what turns it
// upright, and R and d the keys of `rotate` and `translate`. Nothing is kept from one time to the next but what makes
// the next faster.
#include "model/bodies.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/up.h"
#include "io/gltf.h"
#include "io/mesh_file.h"
#include "mesh/mannequin.h"
#include "mesh/repair.h"
#include "model/body_shapes.h"
#include "model/motion.h"
#include "model/samples.h"

static const double degree = 0.017453292519943295;

typedef struct body_state {
  const mus_body *given;
  mus_mesh surface; // in the body's own frame, in metres, at rest
  mus_up up;        // in that frame
  // What moves it, if anything: one of these.
  mus_samples *samples;
  mus_gltf *gltf;
  mus_mannequin *mannequin;
  int animation;     // of the glTF file
  const int *source; // the number that a vertex has in its file
  double *sampled;   // positions of all the file's vertices, for the time asked for
} body_state;

struct mus_bodies {
  const mus_scene *scene;
  mus_arena arena;
  body_state *body;
  int vertices, triangles;
  int *first_vertex, *first_triangle; // body_count + 1
  int *triangle;                      // triangles * 3
};

// --- from files ------------------------------------------------------------------------------------------------------

// Leaves out vertices without triangles, which would be points that hit cloth out of nowhere, and triangles without
// area, unless the body's motion may give them one. What else is wrong with a mesh is no hindrance to a body.
static mus_status tidy(mus_arena *arena, const mus_mesh *mesh, body_state *body) {
  unsigned what =
      MUS_REPAIR(MUS_DEFECT_REPEATED) | MUS_REPAIR(MUS_DEFECT_DUPLICATE) | MUS_REPAIR(MUS_DEFECT_UNREFERENCED);
  mus_repair_record record;
  int moved = body->samples || body->gltf;
  mus_status status =
      mus_mesh_repair(arena, mesh, moved ? what : what | MUS_REPAIR(MUS_DEFECT_DEGENERATE), &body->surface, &record);
  if (!status && body->surface.triangles == 0)
    status = mus_fail(MUS_BAD_INPUT, "no triangle with an area is in it: a body needs a surface");
  if (!status)
    body->source = record.vertex_source;
  return status;
}

// All that moves it is in the file.
static mus_status read_gltf(mus_arena *arena, body_state *body) {
  const mus_body_shape *shape = &body->given->shape;
  if (shape->motion)
    return mus_fail(MUS_BAD_INPUT, "%.200s: glTF has its own motion: leave \"motion\" out", shape->file);
  mus_status status = mus_gltf_read(shape->file, &body->gltf);
  if (!status)
    status = mus_gltf_find_animation(body->gltf, shape->animation, &body->animation);
  if (status)
    return status; // it names the file
  const mus_mesh *mesh = mus_gltf_mesh(body->gltf);
  body->sampled = mus_arena_alloc(arena, 3 * (size_t)mesh->vertices, sizeof *body->sampled);
  if (!body->sampled)
    return mus_fail_memory();
  status = tidy(arena, mesh, body);
  return status ? mus_fail_prefix(status, "%.200s", shape->file) : MUS_OK;
}

// What moves the mesh: a cache beside it, or the rest of the sequence that it is the first of.
static mus_status open_samples(const mus_scene *scene, body_state *body) {
  const mus_body_shape *shape = &body->given->shape;
  if (shape->animation)
    return mus_fail(MUS_BAD_INPUT, "%.200s: only glTF has an \"animation\": leave it out", shape->file);
  double rate = shape->rate > 0 ? shape->rate : scene->frame_rate;
  if (mus_samples_is_sequence(shape->file))
    return shape->motion
               ? mus_fail(MUS_BAD_INPUT, "%.200s: a sequence needs no \"motion\": leave one of them out", shape->file)
               : mus_samples_open_sequence(shape->file, rate, &body->samples);
  return shape->motion ? mus_samples_open(shape->motion, rate, &body->samples) : MUS_OK;
}

static mus_status read_mesh(mus_arena *arena, const mus_scene *scene, body_state *body) {
  const mus_body_shape *shape = &body->given->shape;
  mus_status status = open_samples(scene, body);
  if (status)
    return status;
  const char *path = body->samples ? mus_samples_first_file(body->samples) : NULL;
  path = path ? path : shape->file;
  mus_mesh_file file;
  status = mus_mesh_file_read(path, arena, &file);
  if (status)
    return status; // it names the file
  if (body->samples && mus_samples_vertices(body->samples) != file.mesh.vertices)
    return mus_fail(MUS_BAD_INPUT, "%.200s has %d vertices, but %.200s moves %d: they must agree", shape->file,
                    file.mesh.vertices, shape->motion, mus_samples_vertices(body->samples));
  file.mesh.material = NULL;
  for (size_t i = 0; i < 3 * (size_t)file.mesh.vertices; ++i)
    file.mesh.position[i] *= shape->scale;
  status = tidy(arena, &file.mesh, body);
  body->sampled = body->samples ? file.mesh.position : NULL; // its size is what counts
  return status ? mus_fail_prefix(status, "%.200s", path) : MUS_OK;
}

// --- made ------------------------------------------------------------------------------------------------------------

static mus_status make_mannequin(mus_arena *arena, body_state *body) {
  const mus_body_shape *shape = &body->given->shape;
  mus_status status = mus_mannequin_create(arena, shape->height, shape->speed.count, shape->speed.time,
                                           shape->speed.value, &body->mannequin);
  if (!status)
    body->surface = *mus_mannequin_mesh(body->mannequin);
  return status;
}

// Shapes are made with y up.
static mus_status make_surface(mus_arena *arena, const mus_scene *scene, body_state *body) {
  const mus_body_shape *shape = &body->given->shape;
  if (shape->kind == MUS_BODY_SHAPE_FILE)
    return mus_gltf_is_path(shape->file) ? read_gltf(arena, body) : read_mesh(arena, scene, body);
  if (shape->kind == MUS_BODY_SHAPE_MANNEQUIN)
    return make_mannequin(arena, body);
  return mus_body_shape_make(arena, shape, scene->up, &body->surface);
}

// --- all of them -----------------------------------------------------------------------------------------------------

static mus_status fail_body(mus_status status, const mus_scene *scene, int b) {
  const char *name = scene->bodies[b].name;
  return name ? mus_fail_prefix(status, "body \"%s\"", name) : mus_fail_prefix(status, "bodies[%d]", b);
}

// One list of triangles, with vertices counted over all bodies.
static mus_status join(mus_bodies *bodies) {
  int count = bodies->scene->body_count;
  bodies->first_vertex = mus_arena_alloc_zero(&bodies->arena, (size_t)count + 1, sizeof *bodies->first_vertex);
  bodies->first_triangle = mus_arena_alloc_zero(&bodies->arena, (size_t)count + 1, sizeof *bodies->first_triangle);
  if (!bodies->first_vertex || !bodies->first_triangle)
    return mus_fail_memory();
  long long vertices = 0, triangles = 0;
  for (int b = 0; b < count; ++b) {
    vertices += bodies->body[b].surface.vertices;
    triangles += bodies->body[b].surface.triangles;
    if (vertices > MUS_MESH_MAXIMUM || triangles > MUS_MESH_MAXIMUM)
      return mus_fail(MUS_BAD_INPUT, "the bodies have more than %d triangles: make them coarser", MUS_MESH_MAXIMUM);
    bodies->first_vertex[b + 1] = (int)vertices;
    bodies->first_triangle[b + 1] = (int)triangles;
  }
  bodies->vertices = (int)vertices;
  bodies->triangles = (int)triangles;
  bodies->triangle = mus_arena_alloc(&bodies->arena, 3 * (size_t)triangles, sizeof *bodies->triangle);
  if (!bodies->triangle)
    return mus_fail_memory();
  int *to = bodies->triangle;
  for (int b = 0; b < count; ++b) {
    const mus_mesh *surface = &bodies->body[b].surface;
    for (size_t i = 0; i < 3 * (size_t)surface->triangles; ++i)
      *to++ = surface->triangle[i] + bodies->first_vertex[b];
  }
  return MUS_OK;
}

// Of the frame that its shape is made or read in.
static mus_up up_of(const mus_scene *scene, const mus_body_shape *shape) {
  if (shape->kind != MUS_BODY_SHAPE_FILE)
    return MUS_UP_Y;
  if (shape->up != MUS_FILE_UP_AUTO)
    return shape->up == MUS_FILE_UP_Z ? MUS_UP_Z : MUS_UP_Y;
  return mus_gltf_is_path(shape->file) ? MUS_UP_Y : scene->up;
}

mus_status mus_bodies_create(const mus_scene *scene, mus_bodies **out) {
  mus_bodies *bodies = mus_alloc_zero(1, sizeof *bodies);
  if (!bodies)
    return mus_fail_memory();
  bodies->scene = scene;
  bodies->body = mus_arena_alloc_zero(&bodies->arena, (size_t)scene->body_count, sizeof *bodies->body);
  mus_status status = bodies->body ? MUS_OK : mus_fail_memory();
  for (int b = 0; b < scene->body_count && !status; ++b) {
    body_state *body = &bodies->body[b];
    body->given = &scene->bodies[b];
    body->up = up_of(scene, &body->given->shape);
    status = make_surface(&bodies->arena, scene, body);
    if (status)
      status = fail_body(status, scene, b);
  }
  if (!status)
    status = join(bodies);
  if (status)
    mus_bodies_free(bodies);
  else
    *out = bodies;
  return status;
}

void mus_bodies_free(mus_bodies *bodies) {
  if (!bodies)
    return;
  for (int b = 0; bodies->body && b < bodies->scene->body_count; ++b) {
    mus_samples_free(bodies->body[b].samples);
    mus_gltf_free(bodies->body[b].gltf);
  }
  mus_arena_clear(&bodies->arena);
  mus_free(bodies);
}

size_t mus_bodies_bytes(const mus_bodies *bodies) {
  size_t bytes = sizeof *bodies + bodies->arena.bytes;
  for (int b = 0; b < bodies->scene->body_count; ++b) {
    const body_state *body = &bodies->body[b];
    bytes += body->samples ? mus_samples_bytes(body->samples) : body->gltf ? mus_gltf_bytes(body->gltf) : 0;
  }
  return bytes;
}
int mus_bodies_vertices(const mus_bodies *bodies) { return bodies->vertices; }
int mus_bodies_triangles(const mus_bodies *bodies) { return bodies->triangles; }
const int *mus_bodies_triangle_list(const mus_bodies *bodies) { return bodies->triangle; }
int mus_bodies_first_vertex(const mus_bodies *bodies, int body) { return bodies->first_vertex[body]; }
int mus_bodies_first_triangle(const mus_bodies *bodies, int body) { return bodies->first_triangle[body]; }

int mus_bodies_moves(const mus_bodies *bodies, int body) {
  const body_state *state = &bodies->body[body];
  return state->given->rotate.count > 1 || state->given->translate.count > 1 || state->mannequin ||
         (state->samples && mus_samples_count(state->samples) > 1) ||
         (state->gltf && state->animation >= 0 && mus_gltf_animation_length(state->gltf, state->animation) > 0);
}

// --- over time -------------------------------------------------------------------------------------------------------

// The rotation about x, then y, then z as a matrix: row r, column c at 3 r + c.
static void rotation(const double degrees[3], double matrix[9]) {
  for (int i = 0; i < 9; ++i)
    matrix[i] = i % 4 == 0;
  for (int axis = 0; axis < 3; ++axis) {
    double c = cos(degrees[axis] * degree), s = sin(degrees[axis] * degree);
    int a = (axis + 1) % 3, b = (axis + 2) % 3;
    for (int column = 0; column < 3 && degrees[axis] != 0; ++column) {
      double first = matrix[3 * a + column], second = matrix[3 * b + column];
      matrix[3 * a + column] = c * first - s * second;
      matrix[3 * b + column] = s * first + c * second;
    }
  }
}

static void place(const mus_body *given, double time, int vertices, double *position) {
  static const double none[3] = {0, 0, 0};
  double degrees[3], shift[3], turn[9];
  mus_keys_at(&given->rotate, 3, time, none, degrees);
  mus_keys_at(&given->translate, 3, time, none, shift);
  rotation(degrees, turn);
  for (size_t v = 0; v < (size_t)vertices; ++v) {
    double *x = position + 3 * v, rest[3] = {x[0], x[1], x[2]};
    for (int r = 0; r < 3; ++r)
      x[r] = turn[3 * r] * rest[0] + turn[3 * r + 1] * rest[1] + turn[3 * r + 2] * rest[2] + shift[r];
  }
}

// Positions in the body's own frame.
static mus_status shape_at(const body_state *body, double time, double *position) {
  mus_status status = MUS_OK;
  if (body->samples)
    status = mus_samples_at(body->samples, time, body->sampled);
  else if (body->gltf)
    status = mus_gltf_at(body->gltf, body->animation, time, body->sampled);
  else if (body->mannequin)
    mus_mannequin_at(body->mannequin, time, position);
  else
    memcpy(position, body->surface.position, 3 * (size_t)body->surface.vertices * sizeof *position);
  if (status || !body->sampled)
    return status;
  for (size_t v = 0; v < (size_t)body->surface.vertices; ++v)
    for (size_t c = 0; c < 3; ++c)
      position[3 * v + c] = body->given->shape.scale * body->sampled[3 * (size_t)body->source[v] + c];
  return MUS_OK;
}

mus_status mus_bodies_at(mus_bodies *bodies, double time, double *position) {
  for (int b = 0; b < bodies->scene->body_count; ++b) {
    const body_state *body = &bodies->body[b];
    double *to = position + 3 * (size_t)bodies->first_vertex[b];
    mus_status status = shape_at(body, time, to);
    if (status)
      return fail_body(status, bodies->scene, b);
    mus_turn_up(body->up, bodies->scene->up, (size_t)body->surface.vertices, to);
    place(body->given, time, body->surface.vertices, to);
  }
  return MUS_OK;
}

// --- bones -----------------------------------------------------------------------------------------------------------

int mus_bodies_bones(const mus_bodies *bodies, int body) {
  const body_state *state = &bodies->body[body];
  return state->mannequin ? mus_mannequin_bones() : state->gltf ? mus_gltf_bones(state->gltf) : 0;
}

// From the body's own frame to space.
static mus_affine frame_at(const mus_bodies *bodies, const body_state *body, double time) {
  double points[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  mus_affine frame;
  mus_turn_up(body->up, bodies->scene->up, 4, points[0]);
  place(body->given, time, 4, points[0]);
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c)
      frame.m[4 * r + c] = points[c + 1][r] - points[0][r];
    frame.m[4 * r + 3] = points[0][r];
  }
  return frame;
}

mus_affine mus_bodies_frame_at(const mus_bodies *bodies, int body, double time) {
  return frame_at(bodies, &bodies->body[body], time);
}

void mus_bodies_bones_at(mus_bodies *bodies, int body, double time, mus_affine *frame) {
  const body_state *state = &bodies->body[body];
  mus_affine own = frame_at(bodies, state, time);
  if (state->mannequin)
    mus_mannequin_bones_at(state->mannequin, time, frame);
  else if (state->gltf)
    mus_gltf_bones_at(state->gltf, state->animation, time, frame);
  for (int b = 0; b < mus_bodies_bones(bodies, body); ++b) {
    for (int k = 0; k < 12 && state->gltf; ++k)
      frame[b].m[k] *= state->given->shape.scale;
    frame[b] = mus_affine_join(&own, &frame[b]);
  }
}

mus_status mus_bodies_axes(mus_bodies *bodies, int body, mus_arena *arena, int *count, mus_bone_axis **axes) {
  const body_state *state = &bodies->body[body];
  *count = 0;
  *axes = NULL;
  if (state->mannequin)
    return mus_mannequin_axes(state->mannequin, arena, count, axes);
  return state->gltf ? mus_gltf_axes(state->gltf, arena, count, axes) : MUS_OK;
}
