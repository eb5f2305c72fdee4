// The surface that collides: its numbering, seams, neighbours and gaps, and what it refuses.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collide/surface.h"
#include "support/check.h"

// Two triangles of cloth with an edge in common, and a body of two triangles with a vertex in common.
static const int triangle[] = {0, 1, 2, 2, 1, 3, 4, 5, 6, 6, 7, 8};
static const int body[] = {-1, -1, -1, -1, 0, 0, 0, 0, 0};
static const double radius[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
static const int pair[] = {3, 0, 1, 3, 3, 2};

static mus_surface_parts parts(void) {
  return (mus_surface_parts){.vertices = 9,
                             .triangles = 4,
                             .cloth_vertices = 4,
                             .cloth_triangles = 2,
                             .triangle = triangle,
                             .body = body,
                             .radius = radius,
                             .sewn = 3,
                             .pair = pair};
}

static void test_numbering(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_surface s;
  mus_surface_parts p = parts();
  assert_ok(mus_surface_create(&arena, &p, &s));
  assert_int_equal(s.edges, 11);
  assert_int_equal(s.cloth_edges, 5);
  for (int t = 0; t < s.triangles; ++t)
    for (int k = 0; k < 3; ++k) {
      int e = s.triangle_edge[3 * t + k], from = triangle[3 * t + (k + 1) % 3], to = triangle[3 * t + (k + 2) % 3];
      assert_int_equal(s.edge[2 * e], from < to ? from : to);
      assert_int_equal(s.edge[2 * e + 1], from < to ? to : from);
      assert_true((e < s.cloth_edges) == (t < s.cloth_triangles));
      int beside = 0;
      for (int i = s.edge_start[e]; i < s.edge_start[e + 1]; ++i)
        beside += s.edge_triangle[i] == t;
      assert_int_equal(beside, 1);
    }
  assert_int_equal(s.vertex_start[7] - s.vertex_start[6], 2);
  assert_true(s.triangle != triangle && s.body != body && s.radius != radius);
  mus_arena_clear(&arena);
}

static void test_seams(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_surface s;
  mus_surface_parts p = parts();
  assert_ok(mus_surface_create(&arena, &p, &s));
  const int start[] = {0, 1, 2, 3, 6, 6, 6, 6, 6, 6}, sewn[] = {3, 3, 3, 0, 1, 2};
  assert_memory_equal(s.sewn_start, start, sizeof start);
  assert_memory_equal(s.sewn, sewn, sizeof sewn);
  const int zero = 0, one = 1, three[] = {3, 4, 5}, others[] = {4, 2, 5};
  assert_true(mus_are_neighbours(&s, 1, &zero, 3, three)); // sewn
  assert_true(mus_are_neighbours(&s, 3, three, 1, &zero));
  assert_true(mus_are_neighbours(&s, 3, others, 3, three)); // the same vertex
  assert_false(mus_are_neighbours(&s, 1, &one, 3, others)); // both are sewn to vertex 3, not to each other
  mus_arena_clear(&arena);
}

static void test_gaps(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_surface s;
  mus_surface_parts p = parts();
  assert_ok(mus_surface_create(&arena, &p, &s));
  assert_true(mus_vertex_face_gap(&s, 0, 3) == 1 + 7);
  assert_true(mus_vertex_face_gap(&s, 8, 0) == 9 + 1);
  int e = s.triangle_edge[3], f = s.triangle_edge[9]; // 1 3 and 7 8
  assert_true(mus_edge_edge_gap(&s, e, f) == 2 + 8);
  mus_arena_clear(&arena);
}

static void test_refusals(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_surface s;
  mus_surface_parts p = parts();
  p.cloth_triangles = 3;
  assert_fails(mus_surface_create(&arena, &p, &s), MUS_BAD_INPUT, "triangle 2 joins cloth and bodies");
  p = parts();
  p.pair = (int[]){0, 9, 1, 2, 3, 3};
  assert_fails(mus_surface_create(&arena, &p, &s), MUS_BAD_INPUT, "sewn pair 0 has vertex 9");
  p = parts();
  p.radius = (double[]){1, 1, 1, 0, 1, 1, 1, 1, 1};
  assert_fails(mus_surface_create(&arena, &p, &s), MUS_BAD_INPUT, "vertex 3 has no thickness");
  p = parts();
  p.vertices = 8;
  assert_fails(mus_surface_create(&arena, &p, &s), MUS_BAD_INPUT, "triangle 3");
  mus_arena_clear(&arena);
}

static void test_memory_failures(void **state) {
  (void)state;
  int done = 0;
  for (long n = 0; !done && n < 100; ++n) {
    mus_arena arena = {0};
    mus_surface s;
    mus_surface_parts p = parts();
    mus_memory_fail_after(n);
    mus_status status = mus_surface_create(&arena, &p, &s);
    mus_memory_fail_after(-1);
    assert_true(status == MUS_OK || status == MUS_OUT_OF_MEMORY);
    done = status == MUS_OK;
    mus_arena_clear(&arena);
  }
  assert_true(done);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_numbering), cmocka_unit_test(test_seams),           cmocka_unit_test(test_gaps),
      cmocka_unit_test(test_refusals),  cmocka_unit_test(test_memory_failures),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
