// Areas, masses, angles and extents of triangles whose values are known.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "mesh/measure.h"
#include "support/meshes.h"

static void assert_near(double value, double expected, double tolerance) {
  if (!(fabs(value - expected) <= tolerance))
    fail_msg("%.17g is not %.17g", value, expected);
}

// A right triangle with legs 3 and 4 and its mirror image, in a plane of their own.
static mus_mesh two_triangles(mus_arena *arena) {
  static const double position[] = {1, 2, 3, 4, 2, 3, 1, 2, 7, -2, 2, 3};
  static const int triangle[] = {0, 1, 2, 0, 3, 2};
  static const double material[] = {0, 0, 3, 0, 0, 4, 0, 0, -3, 0, 0, 4};
  return meshes_given(arena, 4, 2, position, triangle, material);
}

static void areas(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh mesh = two_triangles(&arena);
  assert_near(mus_material_area(&mesh, 0), 6, 0);
  assert_near(mus_material_area(&mesh, 1), -6, 0);
  assert_near(mus_space_area(&mesh, 0), 6, 1e-15);
  assert_near(mus_space_area(&mesh, 1), 6, 1e-15);
  assert_near(mus_total_material_area(&mesh), 12, 0);
  assert_near(mus_total_space_area(&mesh), 12, 1e-14);
  mesh.material = NULL;
  assert_near(mus_total_material_area(&mesh), 0, 0);
  mus_arena_clear(&arena);
}

static void masses(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh mesh = two_triangles(&arena);
  double mass[4] = {9, 9, 9, 9};
  mus_vertex_masses(&mesh, 0.25, mass);
  assert_near(mass[0], 1, 1e-15);
  assert_near(mass[1], 0.5, 1e-15);
  assert_near(mass[2], 1, 1e-15);
  assert_near(mass[3], 0.5, 1e-15);
  mus_arena_clear(&arena);
}

static void angles(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh mesh = two_triangles(&arena);
  mus_angles both = mus_mesh_angles(&mesh);
  assert_near(both.largest, 90, 1e-13);
  assert_near(both.least, 36.869897645844021, 1e-13);
  static const double needle[] = {0, 0, 0, 1, 0, 0, 1, 1e-9, 0};
  static const int one[] = {0, 1, 2};
  mesh = meshes_given(&arena, 3, 1, needle, one, NULL);
  assert_near(mus_mesh_angles(&mesh).least, 1e-9 * 180 / 3.14159265358979323846, 1e-20);
  mesh.triangles = 0;
  assert_true(isnan(mus_mesh_angles(&mesh).least));
  mus_arena_clear(&arena);
}

static void boxes(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh mesh = two_triangles(&arena);
  mus_box box = mus_mesh_box(&mesh);
  assert_true(box.low[0] == -2 && box.high[0] == 4 && box.low[1] == 2 && box.high[1] == 2 && box.low[2] == 3 &&
              box.high[2] == 7);
  assert_near(mus_box_diagonal(&box), sqrt(52), 1e-15);
  mesh.vertices = 0;
  box = mus_mesh_box(&mesh);
  assert_true(box.low[0] > box.high[0]);
  assert_near(mus_box_diagonal(&box), 0, 0);
  mus_arena_clear(&arena);
}

static void sizes_have_a_limit(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh mesh = {.vertices = -7};
  assert_int_equal(mus_mesh_create(&arena, MUS_MESH_MAXIMUM + 1LL, 1, 0, &mesh), MUS_BAD_INPUT);
  assert_int_equal(mus_mesh_create(&arena, 1, MUS_MESH_MAXIMUM + 1LL, 0, &mesh), MUS_BAD_INPUT);
  assert_int_equal(mus_mesh_create(&arena, -1, 1, 0, &mesh), MUS_BAD_INPUT);
  assert_int_equal(mesh.vertices, -7);
  mus_arena_clear(&arena);
}

static void copies_are_alike_and_apart(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh mesh = two_triangles(&arena), copy;
  for (int n = 0; n < 3; ++n) {
    mus_memory_fail_after(n);
    mus_status status = mus_mesh_copy(&arena, &mesh, &copy);
    mus_memory_fail_after(-1);
    assert_int_equal(status, MUS_OUT_OF_MEMORY);
  }
  assert_int_equal(mus_mesh_copy(&arena, &mesh, &copy), MUS_OK);
  assert_true(meshes_same(&mesh, &copy));
  copy.material[11] = 5;
  assert_false(meshes_same(&mesh, &copy));
  mesh.material = NULL;
  assert_int_equal(mus_mesh_copy(&arena, &mesh, &copy), MUS_OK);
  assert_null(copy.material);
  mus_arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(areas),
      cmocka_unit_test(masses),
      cmocka_unit_test(angles),
      cmocka_unit_test(boxes),
      cmocka_unit_test(sizes_have_a_limit),
      cmocka_unit_test(copies_are_alike_and_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
