// Surfaces: normals, places on them, colours.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "par/par.h"
#include "render/shapes.h"
#include "render/surface.h"

static const mus_heat_map no_heat = {.low = 0, .high = 1, .shading = 1};

static mus_render_surface sphere_surface(mus_arena *arena, mus_render_mesh *mesh) {
  static shapes_sphere sphere;
  mus_render_surface surface;
  shapes_make_sphere(&sphere);
  *mesh = shapes_sphere_mesh(&sphere, mus_v3(1, 1, 1));
  assert_int_equal(mus_render_surface_create(arena, mesh, &surface), MUS_OK);
  mus_render_surface_update(&surface, mesh, &no_heat);
  return surface;
}

static void normals_of_a_sphere_point_outwards(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_render_mesh mesh;
  mus_render_surface surface = sphere_surface(&arena, &mesh);
  for (int i = SHAPES_SEGMENTS; i < mesh.vertices - SHAPES_SEGMENTS; ++i) // the poles' copies have one triangle each
    assert_true(mus_v3_dot(mus_v3_from(&surface.normal[3 * i]), mus_v3_from(&surface.position[3 * i])) > 0.9995f);
  mus_arena_clear(&arena);
}

// A cube's corner weighs its three faces alike, though one of them has two triangles there.
static void faces_weigh_by_their_angle(void **state) {
  (void)state;
  const double position[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 1, 0, 1};
  const int triangle[] = {0, 2, 1, 0, 3, 2, 0, 4, 3, 0, 1, 4};
  mus_render_mesh mesh = shapes_plain_mesh(mus_v3(1, 1, 1));
  mesh.vertices = 7;
  mesh.triangles = 4;
  mesh.position = position;
  mesh.triangle = triangle;
  mus_arena arena = {0};
  mus_render_surface surface;
  assert_int_equal(mus_render_surface_create(&arena, &mesh, &surface), MUS_OK);
  mus_render_surface_update(&surface, &mesh, &no_heat);
  for (int k = 0; k < 3; ++k)
    assert_true(fabsf(surface.normal[k] + sqrtf(1.0f / 3)) < 1e-3f);
  for (int k = 0; k < 3; ++k) // the last vertex is in no triangle
    assert_true(surface.normal[18 + k] == 0);
  mus_arena_clear(&arena);
}

static void places_know_which_side_is_seen(void **state) {
  (void)state;
  shapes_quad quad = shapes_make_quad(mus_v3(0, 0, 0), mus_v3(1, 0, 0), mus_v3(0, 1, 0));
  mus_render_mesh mesh = shapes_quad_mesh(&quad, mus_v3(1, 1, 1));
  mus_arena arena = {0};
  mus_render_surface surface;
  assert_int_equal(mus_render_surface_create(&arena, &mesh, &surface), MUS_OK);
  mus_render_surface_update(&surface, &mesh, &no_heat);
  mus_spot front = mus_render_surface_spot(&surface, 0, 0.25f, 0.5f, mus_v3(0, 0, -1));
  mus_spot back = mus_render_surface_spot(&surface, 0, 0.25f, 0.5f, mus_v3(0.3f, 0, 1));
  assert_true(fabsf(front.position.x - 0.75f) < 1e-6f && fabsf(front.position.y - 0.5f) < 1e-6f);
  assert_int_equal(front.back, 0);
  assert_int_equal(back.back, 1);
  assert_true(front.normal.z > 0.999f && front.geometric.z > 0.999f);
  assert_true(back.normal.z < -0.999f && back.geometric.z < -0.999f);
  assert_true(fabsf(front.raised.z) < 1e-6f); // flat: the smooth surface is the surface
  mus_arena_clear(&arena);
}

static void places_on_a_sphere_are_raised_towards_it(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_render_mesh mesh;
  mus_render_surface surface = sphere_surface(&arena, &mesh);
  for (int t = SHAPES_SEGMENTS * 20; t < SHAPES_SEGMENTS * 80; t += 37) {
    mus_spot spot = mus_render_surface_spot(&surface, t, 0.3f, 0.3f, mus_v3(0, 0, 0));
    float below = 1 - mus_v3_length(spot.position), left = fabsf(1 - mus_v3_length(spot.raised));
    assert_true(below > 1e-4f && left < 1.1f * below);
    assert_true(mus_v3_length(spot.raised) > mus_v3_length(spot.position));
  }
  mus_arena_clear(&arena);
}

static void heat_is_painted_within_its_range(void **state) {
  (void)state;
  shapes_quad quad = shapes_make_quad(mus_v3(0, 0, 0), mus_v3(1, 0, 0), mus_v3(0, 1, 0));
  mus_render_mesh mesh = shapes_quad_mesh(&quad, mus_v3(1, 1, 1));
  const double heat[4] = {10, 15, 30, NAN};
  const mus_heat_map map = {.low = 10, .high = 20, .shading = 0.5f};
  mesh.heat = heat;
  mus_arena arena = {0};
  mus_render_surface surface;
  assert_int_equal(mus_render_surface_create(&arena, &mesh, &surface), MUS_OK);
  mus_render_surface_update(&surface, &mesh, &map);
  const float place[4] = {0, 0.5f, 1, NAN};
  for (int i = 0; i < 4; ++i) {
    mus_float3 expected = mus_heat_colour(place[i]);
    assert_memory_equal(&surface.paint[3 * i], &expected, sizeof expected);
  }
  assert_true(surface.shading == 0.5f);
  mus_arena_clear(&arena);
}

static void normals_do_not_depend_on_threads(void **state) {
  (void)state;
  static shapes_sphere sphere;
  static float first[(SHAPES_RINGS + 1) * SHAPES_SEGMENTS * 3];
  mus_arena arena = {0};
  mus_render_surface surface;
  shapes_make_sphere(&sphere);
  mus_render_mesh mesh = shapes_sphere_mesh(&sphere, mus_v3(1, 1, 1));
  assert_int_equal(mus_render_surface_create(&arena, &mesh, &surface), MUS_OK);
  int before = mus_par_set_threads(1);
  mus_render_surface_update(&surface, &mesh, &no_heat);
  memcpy(first, surface.normal, sizeof first);
  mus_par_set_threads(7);
  mus_render_surface_update(&surface, &mesh, &no_heat);
  assert_memory_equal(first, surface.normal, sizeof first);
  mus_par_set_threads(before);
  mus_arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(normals_of_a_sphere_point_outwards), cmocka_unit_test(faces_weigh_by_their_angle),
      cmocka_unit_test(places_know_which_side_is_seen),     cmocka_unit_test(places_on_a_sphere_are_raised_towards_it),
      cmocka_unit_test(heat_is_painted_within_its_range),   cmocka_unit_test(normals_do_not_depend_on_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
