// Vertices doubled along sharp edges: boxes get six faces, round things stay whole, and nothing else changes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mesh/body_surfaces.h"
#include "picture/creases.h"
#include "support/check.h"

static void check_same_places(const mus_mesh *mesh, const mus_creased *creased) {
  assert_int_equal(creased->triangles, mesh->triangles);
  for (int i = 0; i < 3 * mesh->triangles; ++i) {
    assert_in_range(creased->triangle[i], 0, creased->vertices - 1);
    assert_int_equal(creased->source[creased->triangle[i]], mesh->triangle[i]);
  }
}

static void boxes_get_edges(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh box;
  mus_creased creased;
  assert_ok(mus_body_box(&arena, (const double[3]){1, 2, 3}, &box));
  assert_ok(mus_crease(&arena, &box, 35, &creased));
  check_same_places(&box, &creased);
  assert_int_equal(creased.vertices, 3 * box.vertices); // three faces meet at each
  mus_arena_clear(&arena);
}

static void round_things_stay_whole(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh capsule;
  mus_creased creased;
  assert_ok(mus_body_capsule(&arena, 0.3, 0.5, 0.001, &capsule));
  assert_ok(mus_crease(&arena, &capsule, 35, &creased));
  check_same_places(&capsule, &creased);
  assert_int_equal(creased.vertices, capsule.vertices);
  mus_arena_clear(&arena);
}

// A triangle without area at an edge goes with either side; a vertex without triangles is left out.
static void odd_meshes_are_taken(void **state) {
  (void)state;
  double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 5, 5, 5};
  int triangle[] = {0, 1, 2, 1, 0, 3, 0, 0, 1};
  mus_arena arena = {0};
  mus_mesh mesh = {.vertices = 5, .triangles = 2, .position = x, .triangle = triangle};
  mus_creased creased;
  assert_ok(mus_crease(&arena, &mesh, 35, &creased));
  check_same_places(&mesh, &creased);
  assert_int_equal(creased.vertices, 6);
  mesh.triangles = 3;
  assert_ok(mus_crease(&arena, &mesh, 35, &creased));
  check_same_places(&mesh, &creased);
  assert_int_equal(creased.vertices, 4);
  mus_arena_clear(&arena);
}

static void memory_that_is_short_is_said(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh box;
  assert_ok(mus_body_box(&arena, (const double[3]){1, 1, 1}, &box));
  mus_status status = MUS_OUT_OF_MEMORY;
  for (long failures = 0; status != MUS_OK; ++failures) {
    mus_arena own = {0};
    mus_creased creased;
    mus_memory_fail_after(failures);
    status = mus_crease(&own, &box, 35, &creased);
    mus_memory_fail_after(-1);
    mus_arena_clear(&own);
    assert_true(failures < 100 && (status == MUS_OK || status == MUS_OUT_OF_MEMORY));
  }
  mus_arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(boxes_get_edges), cmocka_unit_test(round_things_stay_whole),
                                     cmocka_unit_test(odd_meshes_are_taken),
                                     cmocka_unit_test(memory_that_is_short_is_said)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
