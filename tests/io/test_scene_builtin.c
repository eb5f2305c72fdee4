// The built-in scenes: how large they are, and what their parts are called.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "check/intersections.h"
#include "model/bodies.h"
#include "muslin/sim.h"
#include "scene/builtin.h"
#include "support/check.h"

static mus_scene made(int k) {
  mus_scene scene;
  assert_ok(mus_scene_builtin(mus_scene_builtin_name(k, NULL), &scene));
  return scene;
}

// Cloths, and bodies, can be told apart by their names.
static void names_are_given(void **state) {
  (void)state;
  for (int k = 0; mus_scene_builtin_name(k, NULL); ++k) {
    mus_scene s = made(k);
    for (int a = 0; a < s.cloth_count; ++a)
      for (int b = 0; b <= a; ++b)
        assert_true(s.cloths[a].name && (a == b || strcmp(s.cloths[a].name, s.cloths[b].name) != 0));
    for (int a = 0; a < s.body_count; ++a)
      for (int b = 0; b <= a; ++b)
        assert_true(s.bodies[a].name && (a == b || strcmp(s.bodies[a].name, s.bodies[b].name) != 0));
    mus_scene_free(&s);
  }
}

static void contact_scenes_meet_something(void **state) {
  (void)state;
  for (int k = 0; k < mus_builtin_contact_count; ++k) {
    mus_scene s = made(mus_builtin_free_count + k);
    assert_true(s.contact && s.frames >= 48 && s.frames <= 120);
    assert_true(s.body_count > 0 || strcmp(s.name, "twist") == 0);
    mus_scene_free(&s);
  }
}

static int has_lattices(const mus_scene *scene) {
  int found = 0;
  for (int k = 0; k < scene->solid_count; ++k)
    found |= scene->solids[k].method == MUS_SOLID_METHOD_LATTICE;
  return found;
}

// As many vertices as were asked for, whatever the shapes and however many; on a lattice those of the surface are
// fewer.
static void sizes_are_kept(void **state) {
  (void)state;
  static const int vertices[] = {0, 2000};
  for (int k = 0; mus_scene_builtin_name(k, NULL); ++k)
    for (int n = 0; n < 2; ++n) {
      mus_scene s = made(k);
      int wanted = vertices[n];
      mus_scene_resize(&s, wanted, MUS_TESSELLATION_REGULAR);
      for (int c = 0; c < s.cloth_count && vertices[n] == 0; ++c)
        wanted += s.cloths[c].shape.vertices;
      for (int c = 0; c < s.solid_count && vertices[n] == 0; ++c)
        wanted += s.solids[c].shape.vertices;
      mus_sim *sim;
      assert_ok(mus_sim_create(&s, &sim));
      int found = mus_sim_vertices(sim);
      if (abs(found - wanted) > wanted / (s.solid_count > 0 ? 6 : 20) && !has_lattices(&s)) // boxes have whole cells
        fail_msg("%s has %d vertices instead of %d", s.name, found, wanted);
      mus_sim_free(sim);
      mus_scene_free(&s);
    }
}

// Cloths and bodies of a scene where they start, as one surface.
static int count_crossings(const mus_sim *sim, mus_bodies *bodies) {
  mus_arena arena = {0};
  int cloth = mus_sim_vertices(sim), more = bodies ? mus_bodies_vertices(bodies) : 0;
  int triangles = mus_sim_triangles(sim), others = bodies ? mus_bodies_triangles(bodies) : 0;
  double *x = mus_arena_alloc(&arena, 3 * (size_t)(cloth + more), sizeof *x);
  int *triangle = mus_arena_alloc(&arena, 3 * (size_t)(triangles + others), sizeof *triangle);
  memcpy(x, mus_sim_positions(sim), 3 * (size_t)cloth * sizeof *x);
  memcpy(triangle, mus_sim_triangle_list(sim), 3 * (size_t)triangles * sizeof *triangle);
  if (bodies)
    assert_ok(mus_bodies_at(bodies, 0, x + 3 * cloth));
  for (int k = 0; k < 3 * others; ++k)
    triangle[3 * triangles + k] = cloth + mus_bodies_triangle_list(bodies)[k];
  mus_check_surface surface = {
      .vertices = cloth + more, .triangles = triangles + others, .cloth_triangles = triangles, .triangle = triangle};
  mus_intersections *finder;
  mus_list pairs = {0};
  assert_ok(mus_intersections_create(&surface, &finder));
  assert_ok(mus_intersections_find(finder, x, &pairs));
  int count = (int)pairs.count;
  mus_free(pairs.items);
  mus_intersections_free(finder);
  mus_arena_clear(&arena);
  return count;
}

static void starts_cross_nothing(void **state) {
  (void)state;
  for (int k = 0; mus_scene_builtin_name(k, NULL); ++k) {
    mus_scene s = made(k);
    mus_scene_resize(&s, 3000, MUS_TESSELLATION_REGULAR);
    mus_sim *sim;
    mus_bodies *bodies = NULL;
    assert_ok(mus_sim_create(&s, &sim));
    if (s.body_count > 0)
      assert_ok(mus_bodies_create(&s, &bodies));
    // What has the surface of a body may well touch that.
    int crossings =
        s.solid_count > 0 && s.solids[0].shape.kind == MUS_SOLID_SHAPE_BODY ? 0 : count_crossings(sim, bodies);
    if (crossings > 0)
      fail_msg("%s starts with %d intersections", s.name, crossings);
    mus_bodies_free(bodies);
    mus_sim_free(sim);
    mus_scene_free(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(names_are_given), cmocka_unit_test(contact_scenes_meet_something),
                                     cmocka_unit_test(sizes_are_kept), cmocka_unit_test(starts_cross_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
