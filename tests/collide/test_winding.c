// Winding numbers against the exact sum, what counts as solid, and the nearest outer point.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "base/vector3.h"
#include "collide/distance.h"
#include "collide/winding.h"
#include "mesh/body_surfaces.h"
#include "support/check.h"
#include "support/meshes.h"
#include "support/processor.h"

// Bodies only: a mesh each, put somewhere.
typedef struct scene {
  mus_arena arena;
  mus_surface surface;
  double x[3 * 40000];
  int triangle[3 * 80000], body[40000];
  double radius[40000];
  int vertices, triangles, bodies;
} scene;

static scene *scene_new(void) {
  scene *s = mus_alloc_zero(1, sizeof *s);
  assert_non_null(s);
  return s;
}

static void scene_add(scene *s, const mus_mesh *mesh, double size, double px, double py, double pz, int turned) {
  for (int t = 0; t < mesh->triangles; ++t)
    for (int k = 0; k < 3; ++k)
      s->triangle[3 * (s->triangles + t) + (turned ? 2 - k : k)] = s->vertices + mesh->triangle[3 * t + k];
  for (int v = 0; v < mesh->vertices; ++v) {
    const double place[3] = {px, py, pz};
    for (int k = 0; k < 3; ++k)
      s->x[3 * (s->vertices + v) + k] = place[k] + size * mesh->position[3 * v + k];
    s->body[s->vertices + v] = s->bodies;
    s->radius[s->vertices + v] = 1e-3;
  }
  s->vertices += mesh->vertices;
  s->triangles += mesh->triangles;
  ++s->bodies;
}

static mus_winding *scene_wind(scene *s) {
  mus_surface_parts parts = {.vertices = s->vertices,
                             .triangles = s->triangles,
                             .triangle = s->triangle,
                             .body = s->body,
                             .radius = s->radius};
  mus_winding *winding;
  assert_ok(mus_surface_create(&s->arena, &parts, &s->surface));
  assert_ok(mus_winding_create(&s->surface, s->x, &winding));
  return winding;
}

static int solid_triangles(const scene *s, const mus_winding *winding) {
  int count = 0;
  for (int t = 0; t < s->triangles; ++t)
    count += mus_winding_is_solid(winding, t);
  return count;
}

static void scene_free(scene *s, mus_winding *winding) {
  mus_winding_free(winding);
  mus_arena_clear(&s->arena);
  mus_free(s);
}

// Sum of solid angles by the formula for spherical triangles' excess from their angles, which shares nothing with that
// of the tree.
static double exact_triangle(const double *a, const double *b, const double *c, const double *p) {
  const double *corner[3] = {a, b, c};
  double u[3][3], excess = -3.14159265358979323846, turned[3];
  for (int k = 0; k < 3; ++k)
    mus_subtract3(corner[k], p, u[k]);
  for (int k = 0; k < 3; ++k) {
    double m[3], n[3], mn[3];
    mus_cross3(u[k], u[(k + 1) % 3], m);
    mus_cross3(u[k], u[(k + 2) % 3], n);
    mus_cross3(m, n, mn);
    excess += atan2(mus_length3(mn), mus_dot3(m, n));
  }
  mus_cross3(u[1], u[2], turned);
  return copysign(excess, mus_dot3(u[0], turned)) / 12.566370614359172954;
}

static double exact(const scene *s, const double *p) {
  double sum = 0;
  for (int t = 0; t < s->triangles; ++t)
    sum += exact_triangle(s->x + 3 * s->triangle[3 * t], s->x + 3 * s->triangle[3 * t + 1],
                          s->x + 3 * s->triangle[3 * t + 2], p);
  return sum;
}

// Points everywhere, and points beside the surface.
static void sample(const scene *s, int k, double *p) {
  for (int c = 0; c < 3; ++c)
    p[c] = 1.5 * mus_random(3, (uint64_t)(3 * k + c));
  if (k % 2 == 0)
    return;
  int t = (int)(mus_random_bits(4, (uint64_t)k) % (uint64_t)s->triangles);
  for (int c = 0; c < 3; ++c)
    p[c] = (s->x[3 * s->triangle[3 * t] + c] + s->x[3 * s->triangle[3 * t + 1] + c] +
            s->x[3 * s->triangle[3 * t + 2] + c]) /
               3 +
           0.02 * p[c];
}

static double largest_error(const scene *s, const mus_winding *winding, int samples) {
  double largest = 0;
  for (int k = 0; k < samples; ++k) {
    double p[3];
    sample(s, k, p);
    largest = fmax(largest, fabs(mus_winding_number(winding, p) - exact(s, p)));
  }
  return largest;
}

static mus_mesh ball_with_a_hole(mus_arena *arena) {
  mus_mesh ball = meshes_ball(arena, 4);
  int kept = 0;
  for (int t = 0; t < ball.triangles; ++t)
    if (ball.position[3 * ball.triangle[3 * t] + 1] < 0.95) {
      memmove(ball.triangle + 3 * kept, ball.triangle + 3 * t, 3 * sizeof *ball.triangle);
      ++kept;
    }
  ball.triangles = kept;
  return ball;
}

static void numbers_are_those_of_the_sum(void **state) {
  (void)state;
  for (int kind = 0; kind < 4; ++kind) {
    scene *s = scene_new();
    mus_mesh mesh;
    const double size[3] = {1.2, 0.4, 0.9};
    if (kind == 0)
      mesh = meshes_ball(&s->arena, 4);
    else if (kind == 1)
      mesh = ball_with_a_hole(&s->arena);
    else if (kind == 2)
      assert_ok(mus_body_box_with_hole(&s->arena, size, 0.15, 1e-3, &mesh));
    else
      assert_ok(mus_body_capsule(&s->arena, 0.2, 1, 1e-4, &mesh));
    scene_add(s, &mesh, 0.8, 0, 0, 0, 0);
    if (kind == 0) // two parts that overlap
      scene_add(s, &mesh, 0.5, 0.6, 0, 0.1, 0);
    mus_winding *winding = scene_wind(s);
    assert_int_equal(solid_triangles(s, winding), s->triangles);
    double error = largest_error(s, winding, 200);
    print_message("winding, kind %d, %d triangles: largest error %.4f\n", kind, s->triangles, error);
    assert_true(error < MUS_WINDING_ERROR);
    scene_free(s, winding);
  }
}

static void fitting_follows_the_body(void **state) {
  (void)state;
  scene *s = scene_new();
  mus_mesh mesh = meshes_ball(&s->arena, 3);
  scene_add(s, &mesh, 0.8, 0, 0, 0, 0);
  mus_winding *winding = scene_wind(s);
  const double p[3] = {0.9, 0.1, 0}, nothing[3] = {0, 0, 0};
  assert_true(fabs(mus_winding_number(winding, p)) < MUS_WINDING_ERROR);
  assert_true(fabs(mus_winding_number(winding, nothing) - 1) < MUS_WINDING_ERROR);
  assert_true(mus_winding_reaches(winding, nothing));
  for (int v = 0; v < s->vertices; ++v) { // bent, and carried along
    s->x[3 * v] += 1 + 0.3 * sin(3 * s->x[3 * v + 1]);
    s->x[3 * v + 2] *= 0.5;
  }
  mus_winding_fit(winding, s->x);
  assert_true(largest_error(s, winding, 600) < MUS_WINDING_ERROR);
  assert_true(fabs(mus_winding_number(winding, p) - 1) < MUS_WINDING_ERROR);
  assert_false(mus_winding_reaches(winding, (const double[3]){-0.5, 0, 0}));
  scene_free(s, winding);
}

static void sheets_have_no_inside(void **state) {
  (void)state;
  scene *s = scene_new();
  mus_mesh plane, ball = meshes_ball(&s->arena, 2);
  assert_ok(mus_body_plane(&s->arena, 10, 10, &plane));
  scene_add(s, &plane, 1, 0, -0.1, 0, 0);
  scene_add(s, &ball, 0.5, 0, 0, 0, 1); // turned inside out
  mus_winding *winding = scene_wind(s);
  assert_int_equal(solid_triangles(s, winding), ball.triangles);
  assert_false(mus_winding_is_solid(winding, 0));
  assert_true(mus_winding_is_solid(winding, plane.triangles));
  const double inside[3] = {0.1, -0.2, 0}, below[3] = {0, -3, 0};
  assert_true(fabs(mus_winding_number(winding, inside) - 1) < MUS_WINDING_ERROR);
  assert_true(fabs(mus_winding_number(winding, below)) < MUS_WINDING_ERROR);
  mus_surface_point point;
  assert_true(mus_winding_closest(winding, inside, (mus_winding_filter){0}, &point));
  assert_true(mus_dot3(point.normal, inside) > 0); // outwards all the same
  double at[3] = {0};
  for (int k = 0; k < 3; ++k)
    for (int c = 0; c < 3; ++c)
      at[c] += point.part[k] * s->x[3 * s->triangle[3 * point.triangle + k] + c];
  assert_true(fabs(at[0] - point.point[0]) + fabs(at[1] - point.point[1]) + fabs(at[2] - point.point[2]) < 1e-12);
  scene_free(s, winding);
}

static void corners_of(const scene *s, int triangle, double x[3][3]) {
  for (int k = 0; k < 3; ++k)
    memcpy(x[k], s->x + 3 * s->triangle[3 * triangle + k], sizeof x[k]);
}

// Whether what lies before each triangle is outside.
static unsigned char *outer_by_hand(scene *s, const mus_winding *winding) {
  unsigned char *outer = mus_arena_alloc(&s->arena, (size_t)s->triangles, 1);
  assert_non_null(outer);
  for (int t = 0; t < s->triangles; ++t) {
    double x[3][3], u[3], v[3], n[3], beside[3];
    corners_of(s, t, x);
    mus_subtract3(x[1], x[0], u);
    mus_subtract3(x[2], x[0], v);
    mus_cross3(u, v, n);
    for (int c = 0; c < 3; ++c)
      beside[c] = (x[0][c] + x[1][c] + x[2][c]) / 3 + 0.01 * n[c] / sqrt(2 * mus_length3(n));
    outer[t] = mus_winding_number(winding, beside) <= 0.5;
  }
  return outer;
}

// The nearest of all triangles, or of those that are `among` them, one by one.
static double nearest_by_hand(const scene *s, const double *p, const unsigned char *among) {
  double best = INFINITY;
  for (int t = 0; t < s->triangles; ++t) {
    double x[4][3], weight[4];
    if (among && !among[t])
      continue;
    memcpy(x[0], p, sizeof x[0]);
    corners_of(s, t, x + 1);
    best = fmin(best, mus_vertex_face_distance((const double(*)[3])x, weight));
  }
  return best;
}

static void nearest_points_lie_outside(void **state) {
  (void)state;
  scene *s = scene_new();
  mus_mesh mesh = meshes_ball(&s->arena, 3);
  scene_add(s, &mesh, 0.5, -0.2, 0, 0, 0);
  scene_add(s, &mesh, 0.5, 0.2, 0, 0, 0);
  mus_winding *winding = scene_wind(s);
  mus_winding_bury(winding);
  const unsigned char *outside = outer_by_hand(s, winding);
  mus_surface_point point;
  for (int k = 0; k < 200; ++k) {
    double p[3];
    sample(s, k, p);
    for (int outer = 0; outer < 2; ++outer) {
      assert_true(mus_winding_closest(winding, p, (mus_winding_filter){.outer = outer}, &point));
      assert_true(fabs(point.distance - nearest_by_hand(s, p, outer ? outside : NULL)) < 1e-12);
    }
  }
  // In the middle of the overlap: the nearest point is 0.3 away but buried, the outside 0.46.
  const double middle[3] = {0, 0, 0}, right[3] = {1, 0, 0};
  assert_true(mus_winding_closest(winding, middle, (mus_winding_filter){0}, &point));
  assert_true(point.distance < 0.31 && fabs(point.point[0]) > 0.25);
  assert_true(mus_winding_closest(winding, middle, (mus_winding_filter){.outer = 1}, &point));
  assert_true(point.distance > 0.43 && fabs(point.point[0]) < 0.1);
  assert_true(mus_winding_closest(winding, middle, (mus_winding_filter){.against = right}, &point));
  assert_true(point.point[0] < -0.25 && point.normal[0] < -0.2);
  scene_free(s, winding);
}

static void nothing_winds_around_nothing(void **state) {
  (void)state;
  scene *s = scene_new();
  mus_winding *winding = scene_wind(s);
  mus_surface_point point;
  const double p[3] = {0, 0, 0};
  assert_true(mus_winding_number(winding, p) == 0);
  assert_false(mus_winding_reaches(winding, p));
  mus_winding_bury(winding);
  assert_false(mus_winding_closest(winding, p, (mus_winding_filter){0}, &point));
  scene_free(s, winding);
}

static void short_memory_is_reported(void **state) {
  (void)state;
  scene *s = scene_new();
  mus_mesh mesh = meshes_ball(&s->arena, 1);
  scene_add(s, &mesh, 1, 0, 0, 0, 0);
  mus_winding *winding = scene_wind(s), *other;
  int n = 0;
  for (mus_status status = MUS_OUT_OF_MEMORY; status != MUS_OK; ++n) {
    mus_memory_fail_after(n);
    status = mus_winding_create(&s->surface, s->x, &other);
    mus_memory_fail_after(-1);
    assert_true(status == MUS_OK || status == MUS_OUT_OF_MEMORY);
  }
  assert_true(n > 4);
  assert_int_equal(mus_winding_bytes(other), mus_winding_bytes(winding));
  mus_winding_free(other);
  scene_free(s, winding);
}

static void cost_grows_with_the_logarithm(void **state) {
  (void)state;
  double seconds[2];
  for (int level = 0; level < 2; ++level) {
    scene *s = scene_new();
    mus_mesh mesh = meshes_ball(&s->arena, 4 + 2 * level);
    scene_add(s, &mesh, 0.8, 0, 0, 0, 0);
    mus_winding *winding = scene_wind(s);
    double sum = 0;
    seconds[level] = INFINITY;
    for (int trial = 0; trial < 3; ++trial) {
      double start = processor_seconds();
      for (int k = 0; k < 800; ++k) {
        double p[3];
        sample(s, k, p);
        sum += mus_winding_number(winding, p);
      }
      seconds[level] = fmin(seconds[level], (processor_seconds() - start) / 800);
    }
    print_message("winding of %d triangles: %.2f us a point (%g)\n", s->triangles, 1e6 * seconds[level], sum);
    scene_free(s, winding);
  }
  assert_true(seconds[1] < 8 * seconds[0]); // 16 times the triangles
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_are_those_of_the_sum), cmocka_unit_test(fitting_follows_the_body),
      cmocka_unit_test(sheets_have_no_inside),        cmocka_unit_test(nearest_points_lie_outside),
      cmocka_unit_test(nothing_winds_around_nothing), cmocka_unit_test(short_memory_is_reported),
      cmocka_unit_test(cost_grows_with_the_logarithm)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
