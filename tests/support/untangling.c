// See untangling.h.
#include "support/untangling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "support/check.h"

static void *taken(mus_arena *arena, int count, size_t size) {
  void *memory = mus_arena_alloc_zero(arena, (size_t)count, size);
  assert_non_null(memory);
  return memory;
}

static double between(const double *x, int a, int b) {
  const double *p = x + 3 * (size_t)a, *q = x + 3 * (size_t)b;
  return sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) + (p[2] - q[2]) * (p[2] - q[2]));
}

static void keep_lengths(untangling *u, const double *unbent) {
  const mus_surface *surface = &u->surface;
  u->rest = taken(&u->arena, surface->cloth_edges, sizeof *u->rest);
  u->hinge = taken(&u->arena, 2 * surface->cloth_edges, sizeof *u->hinge);
  u->span = taken(&u->arena, surface->cloth_edges, sizeof *u->span);
  for (int e = 0; e < surface->cloth_edges; ++e) {
    const int *end = surface->edge + 2 * (size_t)e;
    u->rest[e] = between(unbent, end[0], end[1]);
    if (surface->edge_start[e + 1] - surface->edge_start[e] != 2)
      continue;
    for (int k = 0; k < 2; ++k) {
      const int *corner = surface->triangle + 3 * (size_t)surface->edge_triangle[surface->edge_start[e] + k];
      u->hinge[2 * u->hinges + k] = corner[0] + corner[1] + corner[2] - end[0] - end[1];
    }
    u->span[u->hinges] = between(unbent, u->hinge[2 * u->hinges], u->hinge[2 * u->hinges + 1]);
    ++u->hinges;
  }
}

static void copy_parts(untangling *u, int count, const untangling_part *part, mus_surface_parts *out, int *triangle,
                       int *body, double *unbent) {
  int bodies = 0;
  for (int i = 0; i < count; ++i) {
    const mus_mesh *mesh = part[i].mesh;
    for (int k = 0; k < 3 * mesh->triangles; ++k)
      triangle[3 * out->triangles + k] = out->vertices + mesh->triangle[k];
    for (int k = 0; k < mesh->vertices; ++k)
      body[out->vertices + k] = part[i].body ? bodies : -1;
    size_t bytes = 3 * (size_t)mesh->vertices * sizeof(double);
    memcpy(u->x + 3 * (size_t)out->vertices, mesh->position, bytes);
    memcpy(unbent + 3 * (size_t)out->vertices, part[i].unbent ? part[i].unbent : mesh->position, bytes);
    out->vertices += mesh->vertices;
    out->triangles += mesh->triangles;
    bodies += part[i].body;
    if (!part[i].body) {
      out->cloth_vertices = out->vertices;
      out->cloth_triangles = out->triangles;
    }
  }
}

untangling *untangling_of(int count, const untangling_part *part, double radius, double step) {
  untangling *u = mus_alloc_zero(1, sizeof *u);
  mus_surface_parts parts = {0};
  int vertices = 0, triangles = 0;
  assert_non_null(u);
  for (int i = 0; i < count; ++i) {
    vertices += part[i].mesh->vertices;
    triangles += part[i].mesh->triangles;
  }
  int *triangle = taken(&u->arena, 3 * triangles, sizeof *triangle), *body = taken(&u->arena, vertices, sizeof *body);
  double *radii = taken(&u->arena, vertices, sizeof *radii), *unbent = taken(&u->arena, 3 * vertices, sizeof *unbent);
  u->x = taken(&u->arena, 3 * vertices, sizeof *u->x);
  u->moved = taken(&u->arena, 4 * vertices, sizeof *u->moved);
  u->before = taken(&u->arena, 3 * vertices, sizeof *u->before);
  u->step = step;
  double *masses = taken(&u->arena, vertices, sizeof *masses);
  for (int v = 0; v < vertices; ++v) {
    radii[v] = radius;
    masses[v] = 1;
  }
  copy_parts(u, count, part, &parts, triangle, body, unbent);
  memcpy(u->before, u->x, 3 * (size_t)vertices * sizeof *u->x);
  parts.triangle = triangle;
  parts.body = body;
  parts.radius = radii;
  assert_ok(mus_surface_create(&u->arena, &parts, &u->surface));
  assert_ok(mus_detector_create(&u->surface, u->x, &u->detector));
  assert_ok(mus_untangler_create(&u->surface, u->x, &u->untangler));
  keep_lengths(u, unbent);
  u->options = mus_default_response_options();
  u->options.mass = masses;
  u->options.held = taken(&u->arena, vertices, sizeof(unsigned char));
  u->options.body_friction = taken(&u->arena, UNTANGLING_BODIES, sizeof(double));
  u->guarded = 1;
  return u;
}

void untangling_free(untangling *u) {
  mus_detector_free(u->detector);
  mus_untangler_free(u->untangler);
  mus_free(u->crossings.items);
  mus_free(u->pushes.items);
  mus_free(u->released.items);
  mus_arena_clear(&u->arena);
  mus_free(u);
}

// Asks the features of each push for a way apart, no more and no less. Where several pushes want a node, it goes their
// mean way.
static void push(untangling *u) {
  memset(u->moved, 0, 4 * (size_t)u->surface.vertices * sizeof *u->moved);
  for (size_t i = 0; i < u->pushes.count; ++i) {
    const mus_contact *c = mus_contacts(&u->pushes) + i;
    double sum = 0, way = fmin(-c->distance, u->step);
    for (int k = 0; k < 4; ++k) {
      for (int j = 0; j < 3; ++j)
        way -= c->weight[k] * c->normal[j] * (u->x[3 * c->node[k] + j] - u->before[3 * c->node[k] + j]);
      if (c->node[k] < u->surface.cloth_vertices)
        sum += c->weight[k] * c->weight[k];
    }
    for (int k = 0; k < 4; ++k) {
      if (c->node[k] >= u->surface.cloth_vertices || !(fabs(c->weight[k]) > 1e-3))
        continue;
      double *moved = u->moved + 4 * (size_t)c->node[k];
      for (int j = 0; j < 3; ++j)
        moved[j] += way * c->weight[k] / sum * c->normal[j];
      moved[3] += 1;
    }
  }
  for (int v = 0; v < u->surface.cloth_vertices; ++v)
    for (int j = 0; j < 3; ++j)
      u->x[3 * v + j] += u->moved[4 * v + j] / fmax(u->moved[4 * v + 3], 1);
}

// On with most of the last velocity; `before` becomes where it was.
static void coast(untangling *u) {
  for (int v = 0; v < u->surface.vertices; ++v)
    for (int j = 0; j < 3; ++j) {
      int body = u->surface.body[v], i = 3 * v + j;
      double x = u->x[i];
      u->x[i] += body < 0 ? 0.95 * (x - u->before[i]) : u->carry[body][j];
      u->before[i] = x;
    }
}

static void pull(double *x, int a, int b, double rest, double share) {
  double length = between(x, a, b);
  if (!(length > 0))
    return;
  double move = 0.5 * share * (length - rest) / length;
  for (int j = 0; j < 3; ++j) {
    double way = move * (x[3 * b + j] - x[3 * a + j]);
    x[3 * a + j] += way;
    x[3 * b + j] -= way;
  }
}

int untangling_crossings(untangling *u) {
  assert_ok(mus_detector_crossings(u->detector, u->x, &u->crossings));
  return (int)u->crossings.count;
}

int untangling_advance(untangling *u) {
  int crossings = untangling_crossings(u);
  assert_ok(mus_untangle_pushes(u->untangler, u->x, &u->crossings, u->all, &u->pushes, &u->released, &u->record));
  assert_ok(mus_detector_release(u->detector, &u->released, mus_untangler_loose(u->untangler)));
  coast(u);
  for (int pass = 0; pass < 4; ++pass) {
    for (int e = 0; e < u->surface.cloth_edges; ++e)
      pull(u->x, u->surface.edge[2 * e], u->surface.edge[2 * e + 1], u->rest[e], 0.8);
    for (int h = 0; h < u->hinges; ++h)
      pull(u->x, u->hinge[2 * h], u->hinge[2 * h + 1], u->span[h], 0.2);
    push(u);
  }
  if (u->guarded)
    assert_ok(mus_respond(u->detector, &u->surface, &u->options, u->before, u->x, NULL, &u->response));
  return crossings;
}

int untangling_run(untangling *u, int most) {
  for (int i = 0; i < most; ++i)
    if (untangling_advance(u) == 0 && u->record.inside == 0)
      return i;
  return -1;
}
