// Bodies: surfaces in one numbering, and where they are over time.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/measure.h"
#include "muslin/scene.h"
#include "sim/bodies.h"
#include "support/check.h"
#include "support/files.h"

#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))
#define CLOTH "\"cloths\": [{\"shape\": {\"vertices\": 4}}], "

// A scene with these bodies, given as JSON.
static mus_scene scene_with(const char *bodies) {
  char text[4096];
  mus_scene scene;
  snprintf(text, sizeof text, "{" CLOTH "\"bodies\": [%s]}", bodies);
  assert_ok(mus_scene_parse("test", text, &scene));
  return scene;
}

static mus_bodies *made(const mus_scene *scene) {
  mus_bodies *bodies = NULL;
  assert_ok(mus_bodies_create(scene, &bodies));
  return bodies;
}

// Positions at a time; free() them.
static double *positions_at(mus_bodies *bodies, double time) {
  double *position = malloc((3 * (size_t)mus_bodies_vertices(bodies) + 1) * sizeof *position);
  assert_non_null(position);
  assert_ok(mus_bodies_at(bodies, time, position));
  return position;
}

static mus_box box_at(mus_bodies *bodies, int body, double time) {
  double *position = positions_at(bodies, time);
  int first = mus_bodies_first_vertex(bodies, body);
  mus_mesh points = {.vertices = mus_bodies_first_vertex(bodies, body + 1) - first, .position = position + 3 * first};
  mus_box box = mus_mesh_box(&points);
  free(position);
  return box;
}

static void assert_box(mus_box box, double x0, double y0, double z0, double x1, double y1, double z1) {
  const double low[3] = {x0, y0, z0}, high[3] = {x1, y1, z1};
  for (int c = 0; c < 3; ++c) {
    assert_near(box.low[c], low[c], c == 2 ? 2e-4 : 1e-12); // rings need not have a vertex where z is largest
    assert_near(box.high[c], high[c], c == 2 ? 2e-4 : 1e-12);
  }
}

static void no_bodies(void **state) {
  (void)state;
  mus_scene scene = scene_with("");
  mus_bodies *bodies = made(&scene);
  assert_int_equal(mus_bodies_vertices(bodies), 0);
  assert_int_equal(mus_bodies_triangles(bodies), 0);
  assert_int_equal(mus_bodies_first_vertex(bodies, 0), 0);
  assert_ok(mus_bodies_at(bodies, 1, NULL));
  mus_bodies_free(bodies);
  mus_bodies_free(NULL);
  mus_scene_free(&scene);
}

static void made_surfaces_stand_where_they_are_said_to(void **state) {
  (void)state;
  mus_scene scene = scene_with("{\"shape\": {\"kind\": \"plane\", \"size\": [4, 1, 2]}},"
                               "{\"shape\": {\"kind\": \"sphere\"}, \"translate\": [1, 2, 3]},"
                               "{\"shape\": {\"kind\": \"box\", \"size\": [1, 2, 3]}, \"rotate\": [90, 0, 90]},"
                               "{\"shape\": {\"kind\": \"capsule\", \"radius\": 0.5, \"length\": 1}},"
                               "{\"shape\": {\"kind\": \"box-with-hole\", \"size\": [2, 1, 2]}},"
                               "{\"shape\": {\"kind\": \"funnel\", \"size\": [1, 1, 1], \"radius\": 0.5}}");
  mus_bodies *bodies = made(&scene);
  assert_box(box_at(bodies, 0, 0), -2, 0, -1, 2, 0, 1);
  assert_box(box_at(bodies, 1, 0), 0.75, 1.75, 2.75, 1.25, 2.25, 3.25);
  assert_box(box_at(bodies, 2, 0), -1.5, -0.5, -1, 1.5, 0.5, 1); // (1, 2, 3) about x: (1, 3, 2); about z: (3, 1, 2)
  assert_box(box_at(bodies, 3, 0), -0.5, -1, -0.5, 0.5, 1, 0.5);
  assert_box(box_at(bodies, 4, 0), -1, -0.5, -1, 1, 0.5, 1);
  mus_box funnel = box_at(bodies, 5, 0);
  assert_near(funnel.high[1] - funnel.low[1], 1.02, 1e-3);
  assert_near(funnel.high[0], 0.52, 1e-12);
  int total = mus_bodies_triangles(bodies);
  assert_int_equal(mus_bodies_first_triangle(bodies, 6), total);
  assert_int_equal(mus_bodies_first_vertex(bodies, 6), mus_bodies_vertices(bodies));
  for (int b = 0; b < 6; ++b) {
    assert_false(mus_bodies_moves(bodies, b));
    for (int i = 3 * mus_bodies_first_triangle(bodies, b); i < 3 * mus_bodies_first_triangle(bodies, b + 1); ++i) {
      int vertex = mus_bodies_triangle_list(bodies)[i];
      assert_in_range(vertex, mus_bodies_first_vertex(bodies, b), mus_bodies_first_vertex(bodies, b + 1) - 1);
    }
  }
  assert_true(mus_bodies_bytes(bodies) > (size_t)total * 12);
  mus_bodies_free(bodies);
  mus_scene_free(&scene);
}

// The order of the three rotations is that of cloths: about x, then y, then z.
static void rotations_are_in_order(void **state) {
  (void)state;
  mus_scene scene = scene_with("{\"shape\": {\"kind\": \"box\", \"size\": [2, 4, 6]}, \"rotate\": [90, 90, 0]}");
  mus_bodies *bodies = made(&scene);
  double *x = positions_at(bodies, 0);
  // The last corner (1, 2, 3): about x to (1, -3, 2), about y to (2, -3, -1).
  assert_near(x[21], 2, 1e-12);
  assert_near(x[22], -3, 1e-12);
  assert_near(x[23], -1, 1e-12);
  free(x);
  mus_bodies_free(bodies);
  mus_scene_free(&scene);
}

static void keys_move_bodies(void **state) {
  (void)state;
  mus_scene scene =
      scene_with("{\"shape\": {\"kind\": \"box\", \"size\": [2, 2, 2]},"
                 " \"rotate\": [{\"time\": 0, \"value\": [0, 0, 0]}, {\"time\": 2, \"value\": [0, 0, 90]}],"
                 " \"translate\": [{\"time\": 1, \"value\": [0, 0, 0]}, {\"time\": 3, \"value\": [4, 0, 0]}]},"
                 "{\"shape\": {\"kind\": \"plane\"}, \"translate\": [0, 1, 0]}");
  mus_bodies *bodies = made(&scene);
  assert_true(mus_bodies_moves(bodies, 0));
  assert_false(mus_bodies_moves(bodies, 1));
  double *x = positions_at(bodies, 1);
  assert_near(x[21], 0, 1e-12); // (1, 1, 1) by 45 degrees
  assert_near(x[22], sqrt(2), 1e-12);
  assert_near(x[23], 1, 1e-12);
  free(x);
  assert_box(box_at(bodies, 0, 2), 1, -1, -1, 3, 1, 1);
  assert_box(box_at(bodies, 0, 9), 3, -1, -1, 5, 1, 1);
  assert_box(box_at(bodies, 1, 9), -0.5, 1, -0.5, 0.5, 1, 0.5);
  double *again = positions_at(bodies, 1);
  x = positions_at(bodies, 1);
  assert_memory_equal(x, again, 3 * (size_t)mus_bodies_vertices(bodies) * sizeof *x);
  free(x);
  free(again);
  mus_bodies_free(bodies);
  mus_scene_free(&scene);
}

static void errors_name_the_body(void **state) {
  (void)state;
  mus_bodies *bodies = NULL;
  mus_scene scene = scene_with("{\"shape\": {\"kind\": \"plane\"}},"
                               "{\"name\": \"hoop\", \"shape\": {\"kind\": \"box-with-hole\", \"radius\": 2}}");
  assert_fails(mus_bodies_create(&scene, &bodies), MUS_BAD_INPUT, "body \"hoop\": a hole");
  mus_scene_free(&scene);
  scene = scene_with("{\"shape\": {\"kind\": \"file\", \"file\": \"nowhere.obj\"}}");
  assert_fails(mus_bodies_create(&scene, &bodies), MUS_IO_ERROR, "bodies[0]: nowhere.obj");
  mus_scene_free(&scene);
}

// --- files -----------------------------------------------------------------------------------------------------------

static mus_scene file_scene(const char *folder, const char *file, const char *rest) {
  char body[1024];
  snprintf(body, sizeof body, "{\"shape\": {\"kind\": \"file\", \"file\": \"%s\"%s}}", files_path(folder, file), rest);
  return scene_with(body);
}

// Open, with a triangle without area, one twice and a vertex that belongs to none.
static void meshes_from_files(void **state) {
  static const char text[] = "v 0 0 0\nv 9 9 9\nv 1 0 0\nv 0 0 1\nv 2 0 0\nv 0 -1 0\n"
                             "f 1 3 4\nf 1 3 5\nf 3 4 1\nf 1 3 6\n";
  files_write(files_path(*state, "a.obj"), text, sizeof text - 1);
  mus_scene scene = file_scene(*state, "a.obj", ", \"scale\": 0.5");
  mus_bodies *bodies = made(&scene);
  assert_int_equal(mus_bodies_vertices(bodies), 4);
  assert_int_equal(mus_bodies_triangles(bodies), 2);
  assert_box(box_at(bodies, 0, 0), 0, -0.5, 0, 0.5, 0, 0.5);
  mus_bodies_free(bodies);
  mus_scene_free(&scene);
}

static void files_without_a_surface(void **state) {
  static const char text[] = "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n";
  files_write(files_path(*state, "a.obj"), text, sizeof text - 1);
  mus_scene scene = file_scene(*state, "a.obj", "");
  mus_bodies *bodies = NULL;
  assert_fails(mus_bodies_create(&scene, &bodies), MUS_BAD_INPUT, "a.obj: no triangle with an area");
  mus_scene_free(&scene);
}

static void short_memory(void **state) {
  (void)state;
  mus_scene scene =
      scene_with("{\"shape\": {\"kind\": \"sphere\", \"facet\": 0.01}}, {\"shape\": {\"kind\": \"box\"}}");
  mus_status status = MUS_OUT_OF_MEMORY;
  for (long n = 0; status != MUS_OK && n < 50; ++n) {
    mus_bodies *bodies = NULL;
    mus_memory_fail_after(n);
    status = mus_bodies_create(&scene, &bodies);
    mus_memory_fail_after(-1);
    assert_true(status == MUS_OK || status == MUS_OUT_OF_MEMORY);
    mus_bodies_free(bodies);
  }
  assert_int_equal(status, MUS_OK);
  mus_scene_free(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_bodies),
      cmocka_unit_test(made_surfaces_stand_where_they_are_said_to),
      cmocka_unit_test(rotations_are_in_order),
      cmocka_unit_test(keys_move_bodies),
      cmocka_unit_test(errors_name_the_body),
      cmocka_unit_test_setup_teardown(meshes_from_files, files_setup, files_teardown),
      cmocka_unit_test_setup_teardown(files_without_a_surface, files_setup, files_teardown),
      cmocka_unit_test(short_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
