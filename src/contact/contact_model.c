// The colliding surface of a scene. See contact_model.h.
#include "contact/contact_model.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/list.h"
#include "model/sewn.h"

// At rest, m: in the material of a cloth, in space for a solid.
static double edge_length(const mus_mesh *mesh, int triangle, int k) {
  int other = (k + 1) % 3;
  if (mesh->material) {
    const double *corner = mesh->material + 6 * (size_t)triangle;
    return hypot(corner[2 * other] - corner[2 * k], corner[2 * other + 1] - corner[2 * k + 1]);
  }
  const int *vertex = mesh->triangle + 3 * (size_t)triangle;
  double along[3];
  mus_subtract3(mesh->position + 3 * (size_t)vertex[k], mesh->position + 3 * (size_t)vertex[other], along);
  return sqrt(mus_dot3(along, along));
}

// Half the thickness, or less where edges are short: neighbours of neighbours must not repel each other at rest.
static void set_radii(const mus_model_part *c, double *radius) {
  const mus_mesh *mesh = &c->shape.mesh;
  for (int i = 0; i < mesh->vertices; ++i)
    radius[i] = c->thickness / 2;
  for (int t = 0; t < mesh->triangles; ++t)
    for (int k = 0; k < 3; ++k) {
      double quarter = edge_length(mesh, t, k) / 4;
      double *from = &radius[mesh->triangle[3 * t + k]], *to = &radius[mesh->triangle[3 * t + (k + 1) % 3]];
      *from = fmin(*from, quarter);
      *to = fmin(*to, quarter);
    }
}

// Arrays of the surface's parts, from mus_alloc.
typedef struct pieces {
  mus_surface_parts all;
  int *triangle, *body;
  mus_list pairs; // of vertices that are sewn together
  double *radius;
} pieces;

static void free_parts(pieces *p) {
  mus_free(p->triangle);
  mus_free(p->body);
  mus_free(p->pairs.items);
  mus_free(p->radius);
}

static void fill_cloths(const mus_model *model, pieces *p) {
  int *to = p->triangle;
  for (int k = 0; k < model->part_count; ++k) {
    const mus_model_part *c = &model->parts[k];
    for (int i = 0; i < 3 * c->shape.mesh.triangles && !c->lattice; ++i)
      *to++ = c->shape.mesh.triangle[i] + c->first_vertex;
    set_radii(c, p->radius + c->first_vertex);
  }
}

// The triangles and radii that move: those of cloths, or of what is embedded.
static void fill_moving(const mus_model *model, const mus_embedded_surface *embedded, pieces *p) {
  if (embedded) {
    memcpy(p->triangle, embedded->triangle, 3 * (size_t)embedded->triangles * sizeof *p->triangle);
    memcpy(p->radius, embedded->radius, (size_t)embedded->map.vertices * sizeof *p->radius);
  } else {
    fill_cloths(model, p);
  }
  for (int i = 0; i < p->all.cloth_vertices; ++i)
    p->body[i] = MUS_SURFACE_CLOTH;
}

static void fill_bodies(const mus_model *model, pieces *p) {
  const int *triangle = mus_bodies_triangle_list(model->bodies);
  int first = p->all.cloth_vertices;
  for (int i = 0; i < 3 * mus_bodies_triangles(model->bodies); ++i)
    p->triangle[3 * (size_t)p->all.cloth_triangles + (size_t)i] = triangle[i] + first;
  for (int b = 0; b < model->scene->body_count; ++b)
    for (int i = mus_bodies_first_vertex(model->bodies, b); i < mus_bodies_first_vertex(model->bodies, b + 1); ++i) {
      p->body[first + i] = b;
      p->radius[first + i] = model->scene->bodies[b].thickness;
    }
}

// Vertices and triangles of solids on lattices.
static void count_lattices(const mus_model *model, int *vertices, int *triangles) {
  *vertices = *triangles = 0;
  for (int k = 0; k < model->part_count; ++k)
    if (model->parts[k].lattice) {
      *vertices += model->parts[k].shape.mesh.vertices;
      *triangles += model->parts[k].shape.mesh.triangles;
    }
}

// After the bodies.
static void fill_lattices(const mus_model *model, int *vertex, pieces *p) {
  int first = p->all.cloth_vertices + mus_bodies_vertices(model->bodies), number = 0;
  int body = model->scene->body_count;
  int *to = p->triangle + 3 * ((size_t)p->all.cloth_triangles + (size_t)mus_bodies_triangles(model->bodies));
  for (int k = 0; k < model->part_count; ++k) {
    const mus_model_part *c = &model->parts[k];
    if (!c->lattice)
      continue;
    set_radii(c, p->radius + first + number);
    for (int i = 0; i < 3 * c->shape.mesh.triangles; ++i)
      *to++ = c->shape.mesh.triangle[i] + first + number;
    for (int i = 0; i < c->shape.mesh.vertices; ++i) {
      p->body[c->first_vertex + i] = MUS_SURFACE_ABSENT;
      p->body[first + number] = body;
      vertex[number++] = c->first_vertex + i;
    }
    ++body;
  }
}

void mus_contact_model_place_lattices(const mus_contact_model *contact, const double *position, double *x) {
  for (int i = 0; i < contact->lattice_count; ++i)
    memcpy(x + 3 * (size_t)(contact->lattice_first + i), position + 3 * (size_t)contact->lattice_vertex[i],
           3 * sizeof *x);
}

static mus_status make_surface(mus_arena *arena, const mus_model *model, const mus_embedded_surface *embedded,
                               mus_contact_model *out) {
  int lattice_triangles;
  count_lattices(model, &out->lattice_count, &lattice_triangles);
  int vertices = embedded ? embedded->map.vertices : model->vertices;
  int triangles = embedded ? embedded->triangles : model->triangles - lattice_triangles;
  pieces made = {.all = {.vertices = vertices + mus_bodies_vertices(model->bodies) + out->lattice_count,
                         .triangles = triangles + mus_bodies_triangles(model->bodies) + lattice_triangles,
                         .cloth_vertices = vertices,
                         .cloth_triangles = triangles}};
  made.triangle = mus_alloc(3 * (size_t)made.all.triangles, sizeof *made.triangle);
  made.body = mus_alloc((size_t)made.all.vertices, sizeof *made.body);
  made.radius = mus_alloc((size_t)made.all.vertices, sizeof *made.radius);
  out->lattice_first = vertices + mus_bodies_vertices(model->bodies);
  out->lattice_vertex = mus_arena_alloc(arena, (size_t)out->lattice_count, sizeof *out->lattice_vertex);
  mus_status status = made.triangle && made.body && made.radius && out->lattice_vertex ? MUS_OK : mus_fail_memory();
  if (!status && !embedded) // seams join vertices of cloths
    status = mus_sewn_pairs(model, &made.pairs);
  if (!status) {
    fill_moving(model, embedded, &made);
    fill_bodies(model, &made);
    fill_lattices(model, out->lattice_vertex, &made);
    made.all.triangle = made.triangle;
    made.all.body = made.body;
    made.all.radius = made.radius;
    made.all.sewn = (int)made.pairs.count;
    made.all.pair = made.pairs.items;
    status = mus_surface_create(arena, &made.all, &out->surface);
  }
  free_parts(&made);
  return status;
}

static mus_status make_map(mus_arena *arena, const mus_model *model, const mus_embedded_surface *embedded,
                           mus_contact_model *out) {
  out->node_mass = out->mass = model->mass;
  if (!embedded) {
    out->map = mus_identity_map(model->vertices);
    return MUS_OK;
  }
  if (embedded->map.nodes != model->vertices)
    return mus_fail(MUS_BAD_INPUT, "the surface is embedded in %d nodes, but the model has %d", embedded->map.nodes,
                    model->vertices);
  mus_status status = mus_surface_map_create(arena, &embedded->map, &out->map);
  double *mass = mus_arena_alloc(arena, (size_t)embedded->map.vertices, sizeof *mass);
  double *scratch = mus_alloc((size_t)embedded->map.nodes, sizeof *scratch);
  if (!status && (!mass || !scratch))
    status = mus_fail_memory();
  if (!status)
    mus_map_share_mass(&out->map, model->mass, scratch, mass);
  out->mass = mass;
  mus_free(scratch);
  return status;
}

mus_status mus_contact_model_create(mus_arena *arena, const mus_model *model, const mus_embedded_surface *embedded,
                                    mus_contact_model *out) {
  const mus_scene *scene = model->scene;
  mus_contact_model made = {.bodies = model->bodies, .pattern = &model->pattern};
  mus_status status = make_map(arena, model, embedded, &made);
  if (!status)
    status = make_surface(arena, model, embedded, &made);
  if (status)
    return status;
  made.body_friction =
      mus_arena_alloc(arena, (size_t)scene->body_count + (size_t)model->lattices + 1, sizeof *made.body_friction);
  if (!made.body_friction)
    return mus_fail_memory();
  for (int b = 0; b < scene->body_count; ++b)
    made.body_friction[b] = scene->bodies[b].friction;
  int others = model->part_count - model->lattices, body = scene->body_count;
  for (int k = 0; k < model->part_count; ++k)
    if (model->parts[k].lattice)
      made.body_friction[body++] = model->parts[k].friction;
    else
      made.friction += model->parts[k].friction / others;
  *out = made;
  return MUS_OK;
}
