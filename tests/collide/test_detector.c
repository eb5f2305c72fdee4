// The detector against trying all pairs: on crumpled and torn sheets, soups of triangles, and bodies beside them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "collide/ccd.h"
#include "collide/detector.h"
#include "collide/distance.h"
#include "par/par.h"
#include "support/check.h"
#include "support/meshes.h"

// --- scenes --------------------------------------------------------------------------------------------------------

typedef struct scene {
  mus_arena arena;
  mus_surface surface;
  mus_detector *detector;
  double *x0, *x1;
} scene;

static void add_mesh(mus_surface_parts *parts, int *triangle, const mus_mesh *mesh) {
  for (int i = 0; i < 3 * mesh->triangles; ++i)
    triangle[3 * parts->triangles + i] = mesh->triangle[i] + parts->vertices;
  parts->triangles += mesh->triangles;
  parts->vertices += mesh->vertices;
}

// Cloth first, then the body (NULL: none). Vertices have different radii. The first `sewn` vertices of the cloth are
// sewn to its last ones.
static void make_surface(scene *s, const mus_mesh *cloth, const mus_mesh *body, double radius, int sewn) {
  int vertices = cloth->vertices + (body ? body->vertices : 0);
  int triangles = cloth->triangles + (body ? body->triangles : 0);
  int *triangle = mus_arena_alloc(&s->arena, (size_t)triangles * 3, sizeof *triangle);
  int *owner = mus_arena_alloc(&s->arena, (size_t)vertices, sizeof *owner);
  int *pair = mus_arena_alloc(&s->arena, (size_t)sewn * 2, sizeof *pair);
  double *radii = mus_arena_alloc(&s->arena, (size_t)vertices, sizeof *radii);
  mus_surface_parts parts = {.triangle = triangle, .body = owner, .radius = radii, .sewn = sewn, .pair = pair};
  add_mesh(&parts, triangle, cloth);
  parts.cloth_vertices = parts.vertices;
  parts.cloth_triangles = parts.triangles;
  if (body)
    add_mesh(&parts, triangle, body);
  for (int v = 0; v < vertices; ++v) {
    owner[v] = v < cloth->vertices ? -1 : 0;
    radii[v] = radius * (1.5 + 0.5 * mus_random(77, (uint64_t)v));
  }
  for (int i = 0; i < sewn; ++i) {
    pair[2 * i] = i;
    pair[2 * i + 1] = cloth->vertices - 1 - i;
  }
  assert_ok(mus_surface_create(&s->arena, &parts, &s->surface));
}

static void place(scene *s, const mus_mesh *cloth, const mus_mesh *body, uint64_t seed, double size, double speed) {
  size_t numbers = (size_t)s->surface.vertices * 3, cloth_numbers = (size_t)cloth->vertices * 3;
  s->x0 = mus_arena_alloc(&s->arena, numbers, sizeof *s->x0);
  s->x1 = mus_arena_alloc(&s->arena, numbers, sizeof *s->x1);
  for (size_t i = 0; i < numbers; ++i) {
    s->x0[i] = i < cloth_numbers ? cloth->position[i] : body->position[i - cloth_numbers];
    s->x0[i] += size * mus_random(seed, i);
    s->x1[i] = s->x0[i] + speed * mus_random(seed + 1, i);
  }
}

static void finish(scene *s) {
  mus_detector_free(s->detector);
  mus_arena_clear(&s->arena);
}

// A sheet of `side` squared vertices, half of its size folded over, torn or whole, with a ball in it.
static void crumpled(scene *s, int side, int torn, uint64_t seed) {
  *s = (scene){0};
  mus_mesh cloth = torn ? meshes_tattered(&s->arena, side, seed) : meshes_grid(&s->arena, side, side);
  mus_mesh ball = meshes_ball(&s->arena, 2);
  for (int v = 0; v < cloth.vertices; ++v) {
    double *p = cloth.position + 3 * (size_t)v;
    if (p[0] > 0.5 * side) { // the second half lies above the first
      p[0] = side - p[0];
      p[1] += 1;
    }
  }
  for (int i = 0; i < 3 * ball.vertices; ++i)
    ball.position[i] = ball.position[i] * 0.2 * side + 0.25 * side;
  make_surface(s, &cloth, &ball, 0.1, 3);
  place(s, &cloth, &ball, seed, 0.3, 0.7);
  assert_ok(mus_detector_create(&s->surface, s->x0, &s->detector));
}

static void soup(scene *s, int triangles, uint64_t seed) {
  *s = (scene){0};
  mus_mesh cloth = meshes_soup(&s->arena, triangles, triangles, seed), body = meshes_soup(&s->arena, 30, 20, seed + 9);
  make_surface(s, &cloth, &body, 0.05, 0);
  place(s, &cloth, &body, seed, 0.1, 0.2);
  assert_ok(mus_detector_create(&s->surface, s->x0, &s->detector));
}

// A torn one among whole ones, and a soup.
static void make_scene(scene *s, uint64_t seed) {
  if (seed < 3)
    crumpled(s, 9 + 3 * (int)seed, seed == 1, seed);
  else
    soup(s, 80, seed);
}

// --- everything, by trying -----------------------------------------------------------------------------------------

typedef struct question {
  double near;                // times the gap
  int moving;                 // impacts, not nearness
  const unsigned char *moved; // NULL: all
} question;

static int has_marked(const unsigned char *moved, const int *node) {
  return !moved || moved[node[0]] || moved[node[1]] || moved[node[2]] || moved[node[3]];
}

// Whether the pair belongs into the list; its nodes.
static int belongs(const scene *s, const question *q, mus_pair_kind kind, int first, int second, mus_contact *out) {
  const mus_surface *surface = &s->surface;
  int split = kind == MUS_VERTEX_FACE ? 1 : 2;
  double x0[4][3], x1[4][3], weight[4];
  for (int k = 0; k < 4; ++k) {
    const int *a = kind == MUS_VERTEX_FACE ? &first : surface->edge + 2 * first;
    const int *b = kind == MUS_VERTEX_FACE ? surface->triangle + 3 * second : surface->edge + 2 * second;
    out->node[k] = k < split ? a[k] : b[k - split];
    memcpy(x0[k], s->x0 + 3 * out->node[k], sizeof x0[k]);
    memcpy(x1[k], s->x1 + 3 * out->node[k], sizeof x1[k]);
  }
  out->kind = kind;
  out->first = first;
  out->second = second;
  const double(*at)[3] = (const double(*)[3])x0;
  if (mus_are_neighbours(surface, split, out->node, 4 - split, out->node + split) || !has_marked(q->moved, out->node))
    return 0;
  double gap =
      kind == MUS_VERTEX_FACE ? mus_vertex_face_gap(surface, first, second) : mus_edge_edge_gap(surface, first, second);
  double near = q->near * gap;
  if (q->moving)
    return mus_pair_impact(kind, at, (const double(*)[3])x1, MUS_IMPACT_SHARE, &near, &out->time);
  out->distance = kind == MUS_VERTEX_FACE ? mus_vertex_face_distance(at, weight) : mus_edge_edge_distance(at, weight);
  return out->distance < near;
}

static void try_all(const scene *s, const question *q, mus_list *out) {
  const mus_surface *surface = &s->surface;
  mus_contact contact = {0};
  for (int v = 0; v < surface->vertices; ++v)
    for (int t = 0; t < surface->triangles; ++t)
      if ((v < surface->cloth_vertices || t < surface->cloth_triangles) &&
          surface->vertex_start[v] < surface->vertex_start[v + 1] && belongs(s, q, MUS_VERTEX_FACE, v, t, &contact))
        *(mus_contact *)mus_list_add(out, sizeof contact) = contact;
  for (int e = 0; e < surface->cloth_edges; ++e)
    for (int f = e + 1; f < surface->edges; ++f)
      if (belongs(s, q, MUS_EDGE_EDGE, e, f, &contact))
        *(mus_contact *)mus_list_add(out, sizeof contact) = contact;
}

static int is_before(const mus_contact *a, const mus_contact *b) {
  if (a->kind != b->kind)
    return a->kind < b->kind;
  return a->first != b->first ? a->first < b->first : a->second < b->second;
}

static void check_vector(const scene *s, const mus_contact *c) {
  double sum[3] = {0}, square = 0, weights = 0;
  for (int k = 0; k < 4; ++k) {
    weights += c->weight[k];
    for (int i = 0; i < 3; ++i) {
      double x0 = s->x0[3 * c->node[k] + i], x1 = s->x1[3 * c->node[k] + i];
      sum[i] += c->weight[k] * (x0 + c->time * (x1 - x0));
    }
  }
  assert_true(fabs(weights) < 1e-12);
  for (int i = 0; i < 3; ++i) {
    square += c->normal[i] * c->normal[i];
    assert_true(fabs(sum[i] - c->distance * c->normal[i]) < 1e-12);
  }
  assert_true(fabs(square - 1) < 1e-12);
}

static int answers(const scene *s, const question *q, mus_list *found) {
  if (q->moving)
    assert_ok(mus_detector_impacts(s->detector, s->x0, s->x1, q->near, q->moved, found));
  else
    assert_ok(mus_detector_near(s->detector, s->x0, q->near, found));
  for (size_t i = 1; i < found->count; ++i)
    assert_true(is_before(&mus_contacts(found)[i - 1], &mus_contacts(found)[i]));
  return (int)found->count;
}

// --- impacts -------------------------------------------------------------------------------------------------------

static void check_impacts(const scene *s, const unsigned char *moved) {
  mus_list expected = {0}, found = {0};
  question q = {.near = 0.5, .moving = 1, .moved = moved};
  try_all(s, &q, &expected);
  assert_true(expected.count > 0);
  assert_int_equal(answers(s, &q, &found), expected.count);
  for (size_t i = 0; i < found.count; ++i) {
    const mus_contact *a = &mus_contacts(&found)[i], *b = &mus_contacts(&expected)[i];
    assert_true(a->kind == b->kind && a->first == b->first && a->second == b->second && a->time == b->time);
    assert_memory_equal(a->node, b->node, sizeof a->node);
    check_vector(s, a);
  }
  mus_free(found.items);
  mus_free(expected.items);
}

static void test_impacts(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 4; ++seed) {
    scene s;
    make_scene(&s, seed);
    check_impacts(&s, NULL);
    unsigned char *moved = mus_arena_alloc_zero(&s.arena, (size_t)s.surface.vertices, 1);
    for (int v = 0; v < s.surface.vertices; v += 17)
      moved[v] = 1;
    check_impacts(&s, moved);
    for (int v = 0; v < s.surface.vertices; ++v) // as in a later round: only these go elsewhere
      for (int c = 0; c < 3 && moved[v]; ++c)
        s.x1[3 * v + c] += mus_random(seed + 5, (uint64_t)(3 * v + c));
    check_impacts(&s, moved);
    check_impacts(&s, NULL);
    finish(&s);
  }
}

// --- nearness ------------------------------------------------------------------------------------------------------

// The contact of the detector that has the same nodes with weights, or one of them with the same vector.
static int has_vector(const mus_list *found, const mus_contact *wanted, double length) {
  for (size_t i = 0; i < found->count; ++i) {
    const mus_contact *c = &mus_contacts(found)[i];
    if (c->kind == wanted->kind && c->first == wanted->first && c->second == wanted->second)
      return 1;
    if (fabs(c->distance - length) > 1e-12)
      continue;
    int in_common = 0, active = 0;
    for (int k = 0; k < 4; ++k)
      if (c->weight[k] != 0) {
        ++active;
        for (int l = 0; l < 4; ++l)
          in_common += c->node[k] == wanted->node[l];
      }
    if (active == in_common && active < 4)
      return 1;
  }
  return 0;
}

static void test_near(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 4; ++seed) {
    scene s;
    make_scene(&s, seed);
    memcpy(s.x1, s.x0, (size_t)s.surface.vertices * 3 * sizeof *s.x0);
    mus_list expected = {0}, found = {0};
    question q = {.near = 1.5};
    try_all(&s, &q, &expected);
    answers(&s, &q, &found);
    assert_true(found.count > 0 && found.count < expected.count);
    for (size_t i = 0; i < expected.count; ++i)
      assert_true(has_vector(&found, &mus_contacts(&expected)[i], mus_contacts(&expected)[i].distance));
    for (size_t i = 0; i < found.count; ++i) {
      check_vector(&s, &mus_contacts(&found)[i]);
      assert_true(has_vector(&expected, &mus_contacts(&found)[i], -1)); // no other pair than these
    }
    mus_free(found.items);
    mus_free(expected.items);
    finish(&s);
  }
}

// A vertex above a corner where six triangles meet: one vector, one contact; its own six triangles are far away.
static void test_near_corner_once(void **state) {
  (void)state;
  scene s = {0};
  mus_mesh cloth = meshes_grid(&s.arena, 6, 6);
  mus_mesh both;
  assert_ok(mus_mesh_create(&s.arena, 39, cloth.triangles + 1, 0, &both));
  memcpy(both.position, cloth.position, 36 * 3 * sizeof(double));
  memcpy(both.triangle, cloth.triangle, (size_t)cloth.triangles * 3 * sizeof(int));
  memcpy(both.triangle + 3 * cloth.triangles, (int[3]){36, 37, 38}, 3 * sizeof(int));
  memcpy(both.position + 36 * 3, (double[9]){2, 0.1, 2, 1, 9, 1, 3, 9, 1}, 9 * sizeof(double));
  both.position[3 * 14 + 1] = 0.05; // a peak below the vertex
  make_surface(&s, &both, NULL, 0.1, 0);
  place(&s, &both, NULL, 0, 0, 0);
  assert_ok(mus_detector_create(&s.surface, s.x0, &s.detector));
  mus_list found = {0};
  assert_ok(mus_detector_near(s.detector, s.x0, 1, &found));
  assert_int_equal(found.count, 1);
  assert_int_equal(mus_contacts(&found)->kind, MUS_VERTEX_FACE);
  assert_true(fabs(mus_contacts(&found)->distance - 0.05) < 1e-15);
  mus_free(found.items);
  finish(&s);
}

// --- threads -------------------------------------------------------------------------------------------------------

static void test_threads(void **state) {
  (void)state;
  scene s;
  crumpled(&s, 40, 1, 5);
  for (int moving = 0; moving < 2; ++moving) {
    mus_list one = {0}, more = {0};
    question q = {.near = moving ? 0.5 : 1.5, .moving = moving};
    int before = mus_par_set_threads(1);
    answers(&s, &q, &one);
    assert_true(one.count > 100);
    for (int threads = 2; threads <= 7; threads += 5) {
      mus_par_set_threads(threads);
      assert_int_equal(answers(&s, &q, &more), one.count);
      assert_memory_equal(more.items, one.items, one.count * sizeof(mus_contact));
    }
    mus_par_set_threads(before);
    mus_free(one.items);
    mus_free(more.items);
  }
  finish(&s);
}

// --- crossings and released pairs ----------------------------------------------------------------------------------

// Whether the edge goes through the triangle, by solving for the point.
static int crosses(const scene *s, int edge, int triangle) {
  const int *end = s->surface.edge + 2 * edge, *corner = s->surface.triangle + 3 * triangle;
  const double *p = s->x0 + 3 * end[0], *q = s->x0 + 3 * end[1], *a = s->x0 + 3 * corner[0];
  const double *b = s->x0 + 3 * corner[1], *c = s->x0 + 3 * corner[2];
  double m[3][4]; // columns: b - a, c - a, p - q; right-hand side p - a
  for (int i = 0; i < 3; ++i) {
    m[i][0] = b[i] - a[i];
    m[i][1] = c[i] - a[i];
    m[i][2] = p[i] - q[i];
    m[i][3] = p[i] - a[i];
  }
  double det[4];
  for (int k = 0; k < 4; ++k) { // Cramer's rule; k = 3: the matrix itself
    double n[3][3];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        n[i][j] = m[i][j == k ? 3 : j];
    det[k] = n[0][0] * (n[1][1] * n[2][2] - n[1][2] * n[2][1]) - n[0][1] * (n[1][0] * n[2][2] - n[1][2] * n[2][0]) +
             n[0][2] * (n[1][0] * n[2][1] - n[1][1] * n[2][0]);
  }
  double u = det[0] / det[3], v = det[1] / det[3], t = det[2] / det[3];
  return u >= 0 && v >= 0 && u + v <= 1 && t >= 0 && t <= 1;
}

static void check_crossing(const scene *s, const mus_crossing *c) {
  const int *end = s->surface.edge + 2 * c->edge, *corner = s->surface.triangle + 3 * c->triangle;
  for (int i = 0; i < 3; ++i) {
    double on_edge = (1 - c->along) * s->x0[3 * end[0] + i] + c->along * s->x0[3 * end[1] + i], on_face = 0;
    for (int k = 0; k < 3; ++k)
      on_face += c->part[k] * s->x0[3 * corner[k] + i];
    assert_true(fabs(on_edge - on_face) < 1e-9);
  }
}

static void test_crossings(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 4; ++seed) {
    scene s;
    make_scene(&s, seed);
    mus_list found = {0};
    assert_ok(mus_detector_crossings(s.detector, s.x0, &found));
    const mus_crossing *crossing = found.items;
    size_t next = 0;
    for (int e = 0; e < s.surface.edges; ++e)
      for (int t = 0; t < s.surface.triangles; ++t) {
        if ((e >= s.surface.cloth_edges && t >= s.surface.cloth_triangles) ||
            mus_are_neighbours(&s.surface, 2, s.surface.edge + 2 * e, 3, s.surface.triangle + 3 * t) ||
            !crosses(&s, e, t))
          continue;
        assert_true(next < found.count);
        assert_int_equal(crossing[next].edge, e);
        assert_int_equal(crossing[next].triangle, t);
        check_crossing(&s, &crossing[next++]);
      }
    assert_true(next > 0);
    assert_int_equal(next, found.count);
    mus_free(found.items);
    finish(&s);
  }
}

static int touches_ring(const mus_surface *surface, int vertex, int count, const int *around) {
  for (int k = 0; k < count; ++k)
    for (int i = surface->vertex_start[around[k]]; i < surface->vertex_start[around[k] + 1]; ++i)
      for (int c = 0; c < 3; ++c)
        if (surface->triangle[3 * surface->vertex_triangle[i] + c] == vertex)
          return 1;
  return 0;
}

// Whether all nodes of one feature lie in the ring around the edge, all of the other in that around the triangle.
static int is_released(const mus_surface *surface, const mus_contact *contact, const mus_crossing *crossing, int turn) {
  int split = contact->kind == MUS_VERTEX_FACE ? 1 : 2;
  for (int k = 0; k < 4; ++k) {
    int by_edge = (k < split) != turn;
    const int *around = by_edge ? surface->edge + 2 * crossing->edge : surface->triangle + 3 * crossing->triangle;
    if (!touches_ring(surface, contact->node[k], by_edge ? 2 : 3, around))
      return 0;
  }
  return 1;
}

static void check_release(const scene *s, const question *q, const mus_list *crossings) {
  mus_list all = {0}, left = {0};
  assert_ok(mus_detector_release(s->detector, NULL, NULL));
  answers(s, q, &all);
  assert_ok(mus_detector_release(s->detector, crossings, NULL));
  answers(s, q, &left);
  const mus_crossing *crossing = crossings->items;
  size_t next = 0, released = 0;
  for (size_t i = 0; i < all.count; ++i) {
    int is_free = 0;
    for (size_t k = 0; k < crossings->count && !is_free; ++k)
      is_free = is_released(&s->surface, &mus_contacts(&all)[i], &crossing[k], 0) ||
                is_released(&s->surface, &mus_contacts(&all)[i], &crossing[k], 1);
    released += (size_t)is_free;
    if (!is_free) {
      assert_true(next < left.count);
      assert_memory_equal(&mus_contacts(&all)[i], &mus_contacts(&left)[next++], sizeof(mus_contact));
    }
  }
  assert_int_equal(next, left.count);
  assert_true(released > 0 && next > 0);
  assert_ok(mus_detector_release(s->detector, NULL, NULL));
  assert_int_equal(answers(s, q, &left), all.count);
  mus_free(all.items);
  mus_free(left.items);
}

static void test_release(void **state) {
  (void)state;
  scene s;
  crumpled(&s, 16, 0, 3);
  mus_list crossings = {0};
  assert_ok(mus_detector_crossings(s.detector, s.x0, &crossings));
  assert_true(crossings.count > 8);
  crossings.count = 8;
  check_release(&s, &(question){.near = 0.5, .moving = 1}, &crossings);
  mus_free(crossings.items);
  finish(&s);
}

// --- memory --------------------------------------------------------------------------------------------------------

static void test_memory_failures(void **state) {
  (void)state;
  scene s;
  crumpled(&s, 12, 0, 1);
  mus_list crossings = {0};
  assert_ok(mus_detector_crossings(s.detector, s.x0, &crossings));
  int done = 0;
  for (long n = 0; !done && n < 200; ++n) {
    mus_list found = {0};
    mus_detector *detector = NULL;
    mus_memory_fail_after(n);
    mus_status status = mus_detector_create(&s.surface, s.x0, &detector);
    if (!status)
      status = mus_detector_release(detector, &crossings, NULL);
    if (!status)
      status = mus_detector_near(detector, s.x0, 1, &found);
    if (!status)
      status = mus_detector_impacts(detector, s.x0, s.x1, 0.5, NULL, &found);
    mus_memory_fail_after(-1);
    assert_true(status == MUS_OK || status == MUS_OUT_OF_MEMORY);
    done = status == MUS_OK;
    mus_detector_free(detector);
    mus_free(found.items);
  }
  assert_true(done);
  mus_free(crossings.items);
  finish(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_impacts),         cmocka_unit_test(test_near),      cmocka_unit_test(test_near_corner_once),
      cmocka_unit_test(test_threads),         cmocka_unit_test(test_crossings), cmocka_unit_test(test_release),
      cmocka_unit_test(test_memory_failures),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
