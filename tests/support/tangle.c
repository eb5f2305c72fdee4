// Crude cloth for tests of collision response. See tangle.h.
#include "support/tangle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "support/check.h"
#include "support/meshes.h"

static void *allocate(tangle *t, size_t count, size_t size) {
  void *memory = mus_arena_alloc_zero(&t->arena, count, size);
  assert_non_null(memory);
  return memory;
}

// --- making --------------------------------------------------------------------------------------------------------

static void join_parts(tangle *t, int count, const tangle_part *part, mus_surface_parts *all) {
  for (int p = 0; p < count; ++p) {
    all->vertices += part[p].mesh.vertices;
    all->triangles += part[p].mesh.triangles;
    all->cloth_vertices += part[p].body < 0 ? part[p].mesh.vertices : 0;
    all->cloth_triangles += part[p].body < 0 ? part[p].mesh.triangles : 0;
    t->bodies = part[p].body >= t->bodies ? part[p].body + 1 : t->bodies;
  }
  int *triangle = allocate(t, 3 * (size_t)all->triangles, sizeof *triangle);
  int *body = allocate(t, (size_t)all->vertices, sizeof *body);
  double *radius = allocate(t, (size_t)all->vertices, sizeof *radius);
  t->x = allocate(t, 3 * (size_t)all->vertices, sizeof *t->x);
  t->v = allocate(t, 3 * (size_t)all->vertices, sizeof *t->v);
  int vertex = 0, corner = 0;
  for (int p = 0; p < count; ++p) {
    for (int k = 0; k < 3 * part[p].mesh.triangles; ++k)
      triangle[corner++] = part[p].mesh.triangle[k] + vertex;
    for (int v = 0; v < part[p].mesh.vertices; ++v, ++vertex) {
      body[vertex] = part[p].body;
      radius[vertex] = part[p].radius;
      memcpy(t->x + 3 * vertex, part[p].mesh.position + 3 * v, 3 * sizeof(double));
      memcpy(t->v + 3 * vertex, part[p].velocity, 3 * sizeof(double));
    }
  }
  all->triangle = triangle;
  all->body = body;
  all->radius = radius;
}

static void note_bodies(tangle *t, int count, const tangle_part *part) {
  t->velocity = allocate(t, (size_t)t->bodies, sizeof *t->velocity);
  t->turn = allocate(t, (size_t)t->bodies, sizeof *t->turn);
  t->centre = allocate(t, (size_t)t->bodies, sizeof *t->centre);
  t->body_friction = allocate(t, (size_t)t->bodies, sizeof *t->body_friction);
  for (int p = 0; p < count; ++p) {
    int b = part[p].body;
    if (b < 0)
      continue;
    memcpy(t->velocity[b], part[p].velocity, sizeof t->velocity[b]);
    memcpy(t->turn[b], part[p].turn, sizeof t->turn[b]);
    for (int v = 0; v < part[p].mesh.vertices; ++v)
      for (int c = 0; c < 3; ++c)
        t->centre[b][c] += part[p].mesh.position[3 * v + c] / part[p].mesh.vertices;
  }
}

static double edge_length(const tangle *t, int e, double along[3]) {
  const double *a = t->x + 3 * t->surface.edge[2 * e], *b = t->x + 3 * t->surface.edge[2 * e + 1];
  for (int c = 0; c < 3; ++c)
    along[c] = b[c] - a[c];
  return sqrt(along[0] * along[0] + along[1] * along[1] + along[2] * along[2]);
}

static void weigh(tangle *t) {
  const mus_surface *s = &t->surface;
  double along[3];
  for (int k = 0; k < s->triangles; ++k) {
    const int *corner = s->triangle + 3 * k;
    const double *a = t->x + 3 * corner[0], *b = t->x + 3 * corner[1], *c = t->x + 3 * corner[2];
    double p[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, q[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
    double n[3] = {p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]};
    double area = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) / 2;
    for (int i = 0; i < 3; ++i)
      t->mass[corner[i]] += 0.2 * area / 3;
  }
  for (int e = 0; e < s->edges; ++e)
    t->rest[e] = edge_length(t, e, along);
}

tangle *tangle_of(int count, const tangle_part *part, double step) {
  tangle *t = calloc(1, sizeof *t);
  mus_surface_parts all = {0};
  assert_non_null(t);
  join_parts(t, count, part, &all);
  assert_ok(mus_surface_create(&t->arena, &all, &t->surface));
  assert_ok(mus_detector_create(&t->surface, t->x, &t->detector));
  t->x1 = allocate(t, 3 * (size_t)all.vertices, sizeof *t->x1);
  t->mass = allocate(t, (size_t)all.vertices, sizeof *t->mass);
  t->held = allocate(t, (size_t)all.vertices, sizeof *t->held);
  t->rest = allocate(t, (size_t)t->surface.edges, sizeof *t->rest);
  note_bodies(t, count, part);
  weigh(t);
  t->step = step;
  t->options = mus_default_response_options();
  t->options.mass = t->mass;
  t->options.held = t->held;
  t->options.body_friction = t->body_friction;
  return t;
}

void tangle_free(tangle *t) {
  mus_detector_free(t->detector);
  mus_free(t->impossible.items);
  mus_arena_clear(&t->arena);
  free(t);
}

static void random_rotation(uint64_t seed, double r[3][3]) {
  double q[4], length = 0;
  for (int k = 0; k < 4; ++k) {
    q[k] = mus_random(seed, (uint64_t)k);
    length += q[k] * q[k];
  }
  double s = 2 / length, w = q[0], x = q[1], y = q[2], z = q[3];
  const double turned[3][3] = {{1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)},
                               {s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)},
                               {s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)}};
  memcpy(r, turned, sizeof turned);
}

void tangle_place(mus_mesh *mesh, uint64_t seed, double scale, double x, double y, double z) {
  double r[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, centre[3] = {0}, to[3] = {x, y, z};
  if (seed != 0)
    random_rotation(seed, r);
  for (int v = 0; v < mesh->vertices; ++v)
    for (int c = 0; c < 3; ++c)
      centre[c] += mesh->position[3 * v + c] / mesh->vertices;
  for (int v = 0; v < mesh->vertices; ++v) {
    double *p = mesh->position + 3 * v, q[3];
    for (int c = 0; c < 3; ++c)
      q[c] = scale * (p[c] - centre[c]);
    for (int c = 0; c < 3; ++c)
      p[c] = to[c] + r[c][0] * q[0] + r[c][1] * q[1] + r[c][2] * q[2];
  }
}

// --- random ones ---------------------------------------------------------------------------------------------------

typedef struct dice {
  uint64_t seed, thrown;
} dice;

static double between(dice *d, double low, double high) {
  return low + (high - low) * (mus_random(d->seed, d->thrown++) + 1) / 2;
}
static int one_of(dice *d, int count) { return (int)(mus_random_bits(d->seed, d->thrown++) % (uint64_t)count); }

static mus_mesh random_shape(mus_arena *arena, dice *d, int body, double *size) {
  int kind = body ? one_of(d, 2) : one_of(d, 4);
  *size = between(d, 0.05, 0.2);
  mus_mesh mesh;
  if (kind == 0) {
    int side = body ? 2 + one_of(d, 3) : 4 + one_of(d, 9);
    mesh = meshes_grid(arena, side, side);
    *size *= 2.0 / side;
  } else if (kind == 1) {
    mesh = meshes_ball(arena, 1 + one_of(d, 2));
    *size /= 2;
  } else if (kind == 2) {
    mesh = meshes_tattered(arena, 6 + one_of(d, 5), d->seed + d->thrown);
    *size /= 5;
  } else { // one loose triangle
    mesh = meshes_given(arena, 3, 1, (const double[]){0, 0, 0, 1, 0, 0, 0, 0, 1}, (const int[]){0, 1, 2}, NULL);
  }
  return mesh;
}

// Towards the middle, more or less, so that things meet.
static void random_motion(dice *d, tangle_part *part) {
  double speed = between(d, 0, 20), square = 0;
  for (int c = 0; c < 3; ++c) {
    part->velocity[c] = between(d, -0.1, 0.1) - part->mesh.position[c];
    square += part->velocity[c] * part->velocity[c];
    part->turn[c] = between(d, -10, 10);
  }
  for (int c = 0; c < 3; ++c)
    part->velocity[c] *= speed / sqrt(square);
}

tangle *tangle_random(uint64_t seed) {
  enum { MOST = 12 };
  mus_arena arena = {0};
  dice d = {seed + 1000, 0};
  tangle_part part[MOST] = {{.body = 0}};
  int wanted = 2 + one_of(&d, MOST - 2), with_body = one_of(&d, 3) > 0, count = 0;
  double radius = between(&d, 0.05e-3, 0.5e-3), step = one_of(&d, 2) ? 1.0 / 120 : 0.002;
  tangle *t = NULL;
  for (int tries = 0; count < wanted && tries < 100; ++tries) {
    int body = with_body && count + 1 == wanted;
    tangle_part *new = &part[count];
    double size;
    *new = (tangle_part){.mesh = random_shape(&arena, &d, body, &size), .body = body ? 0 : -1, .radius = radius};
    tangle_place(&new->mesh, d.seed + d.thrown, size, between(&d, -0.25, 0.25), between(&d, -0.25, 0.25),
                 between(&d, -0.25, 0.25));
    random_motion(&d, new);
    if (t)
      tangle_free(t);
    t = tangle_of(count + 1, part, step);
    if (tangle_crossings(&t->surface, t->x) == 0)
      ++count;
  }
  tangle_free(t);
  if (count < wanted) // the last try may have failed
    count = count > 0 ? count : 1;
  t = tangle_of(count, part, step);
  mus_arena_clear(&arena);
  t->seed = seed;
  t->noise = between(&d, 0, 1);
  t->stiffness = between(&d, 0, 0.5);
  t->options.friction = between(&d, 0, 1);
  for (int b = 0; b < t->bodies; ++b)
    t->body_friction[b] = between(&d, 0, 1);
  return t;
}

// --- motion --------------------------------------------------------------------------------------------------------

// One pass over the edges: stretch and compression are taken back in part.
static void pull_edges(tangle *t) {
  for (int e = 0; e < t->surface.cloth_edges; ++e) {
    int a = t->surface.edge[2 * e], b = t->surface.edge[2 * e + 1];
    double d[3], length = 0;
    for (int c = 0; c < 3; ++c) {
      d[c] = t->x1[3 * b + c] - t->x1[3 * a + c];
      length += d[c] * d[c];
    }
    length = sqrt(length);
    double part = length > 0 ? t->stiffness * (length - t->rest[e]) / length / 2 : 0;
    for (int c = 0; c < 3; ++c) {
      t->x1[3 * a + c] += t->held[a] ? 0 : part * d[c];
      t->x1[3 * b + c] -= t->held[b] ? 0 : part * d[c];
    }
  }
}

static void move_body_vertex(const tangle *t, int v, double h) {
  int b = t->surface.body[v];
  const double *w = t->turn[b], *u = t->velocity[b];
  double rate = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]), angle = rate * h;
  double r[3], axis[3] = {0}, along = 0;
  for (int c = 0; c < 3; ++c) {
    r[c] = t->x[3 * v + c] - t->centre[b][c];
    axis[c] = rate > 0 ? w[c] / rate : 0;
    along += axis[c] * r[c];
  }
  double across[3] = {axis[1] * r[2] - axis[2] * r[1], axis[2] * r[0] - axis[0] * r[2],
                      axis[0] * r[1] - axis[1] * r[0]};
  for (int c = 0; c < 3; ++c)
    t->x1[3 * v + c] =
        t->centre[b][c] + h * u[c] + cos(angle) * r[c] + sin(angle) * across[c] + (1 - cos(angle)) * along * axis[c];
}

void tangle_propose(tangle *t) {
  const mus_surface *s = &t->surface;
  double h = t->step;
  for (int v = 0; v < s->cloth_vertices; ++v)
    for (int c = 0; c < 3; ++c) {
      size_t i = 3 * (size_t)v + (size_t)c;
      double noise = t->noise * mus_random(t->seed + 77, (uint64_t)t->steps * 3 * (uint64_t)s->vertices + i);
      t->x1[i] = t->x[i] + h * (t->v[i] + (t->held[v] ? 0 : noise - (c == 1) * 9.81 * h));
    }
  for (int v = s->cloth_vertices; v < s->vertices; ++v)
    move_body_vertex(t, v, h);
  for (int pass = 0; pass < 4 && t->stiffness > 0; ++pass)
    pull_edges(t);
}

mus_status tangle_advance(tangle *t, mus_response_record *record) {
  size_t numbers = 3 * (size_t)t->surface.vertices;
  mus_status status = mus_respond(t->detector, &t->surface, &t->options, t->x, t->x1, &t->impossible, record);
  for (size_t i = 0; i < numbers && status == MUS_OK; ++i) {
    t->v[i] = (t->x1[i] - t->x[i]) / t->step;
    t->x[i] = t->x1[i];
  }
  for (int b = 0; b < t->bodies; ++b)
    for (int c = 0; c < 3; ++c)
      t->centre[b][c] += t->step * t->velocity[b][c];
  ++t->steps;
  return status;
}

int tangle_finite(const tangle *t) {
  for (int i = 0; i < 3 * t->surface.vertices; ++i)
    if (!isfinite(t->x[i]))
      return 0;
  return 1;
}

// --- what goes through what ----------------------------------------------------------------------------------------

// The sign of det(b - a, c - a, d - a).
static int side(const double *a, const double *b, const double *c, const double *d) {
  long double p[3], q[3], r[3];
  for (int k = 0; k < 3; ++k) {
    p[k] = (long double)b[k] - a[k];
    q[k] = (long double)c[k] - a[k];
    r[k] = (long double)d[k] - a[k];
  }
  long double value =
      p[0] * (q[1] * r[2] - q[2] * r[1]) + p[1] * (q[2] * r[0] - q[0] * r[2]) + p[2] * (q[0] * r[1] - q[1] * r[0]);
  return (value > 0) - (value < 0);
}

static int crosses(const double *p, const double *q, const double *a, const double *b, const double *c) {
  if (side(a, b, c, p) * side(a, b, c, q) >= 0)
    return 0;
  int ab = side(p, q, a, b), bc = side(p, q, b, c), ca = side(p, q, c, a);
  return (ab >= 0 && bc >= 0 && ca >= 0) || (ab <= 0 && bc <= 0 && ca <= 0);
}

// Whether the boxes around an edge and a triangle overlap.
static int boxes_meet(const double *p, const double *q, const double *low, const double *high) {
  for (int c = 0; c < 3; ++c)
    if (fmin(p[c], q[c]) > high[c] || fmax(p[c], q[c]) < low[c])
      return 0;
  return 1;
}

int tangle_crossings(const mus_surface *surface, const double *x) {
  int count = 0;
  for (int t = 0; t < surface->triangles; ++t) {
    const int *k = surface->triangle + 3 * t;
    const double *a = x + 3 * k[0], *b = x + 3 * k[1], *c = x + 3 * k[2];
    double low[3], high[3];
    for (int i = 0; i < 3; ++i) {
      low[i] = fmin(a[i], fmin(b[i], c[i]));
      high[i] = fmax(a[i], fmax(b[i], c[i]));
    }
    int edges = t < surface->cloth_triangles ? surface->edges : surface->cloth_edges;
    for (int e = 0; e < edges; ++e) {
      int p = surface->edge[2 * e], q = surface->edge[2 * e + 1];
      if (p == k[0] || p == k[1] || p == k[2] || q == k[0] || q == k[1] || q == k[2])
        continue;
      count += boxes_meet(x + 3 * p, x + 3 * q, low, high) && crosses(x + 3 * p, x + 3 * q, a, b, c);
    }
  }
  return count;
}
