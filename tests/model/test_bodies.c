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

#include "io/cache.h"
#include "io/gltf.h"
#include "mesh/measure.h"
#include "model/bodies.h"
#include "muslin/scene.h"
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

// It walks along its own z, which is turned to x.
static void mannequins_walk(void **state) {
  (void)state;
  mus_scene scene = scene_with("{\"shape\": {\"kind\": \"mannequin\", \"height\": 1.8, \"speed\": 1.5},"
                               " \"rotate\": [0, 90, 0], \"translate\": [0, 1, 0]}");
  mus_bodies *bodies = made(&scene);
  assert_true(mus_bodies_moves(bodies, 0));
  assert_true(mus_bodies_triangles(bodies) > 1000);
  mus_box start = box_at(bodies, 0, 0), later = box_at(bodies, 0, 2);
  assert_near(start.low[1], 1, 0.03);
  assert_near(start.high[1], 2.8, 0.05);
  assert_near(later.high[1], 2.8, 0.15);
  assert_near(0.5 * (later.low[0] + later.high[0] - start.low[0] - start.high[0]), 3, 0.4);
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

// A tetrahedron, with a vertex in front that belongs to no triangle.
static const char tetrahedron[] = "v 9 9 9\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 2 4 3\nf 2 3 5\nf 2 5 4\nf 3 4 5\n";

static void write_text(const char *path, const char *text) { files_write(path, text, strlen(text)); }

// Sample k of a cache has vertex v at (v, k * k, 0).
static void write_cache(const char *path, int format, int points, int samples, double rate) {
  mus_cache_definition definition = {.points = points, .frames = samples, .frames_per_second = rate};
  mus_cache_writer *writer = NULL;
  double position[3 * 8] = {0};
  assert_ok(mus_cache_create(path, mus_cache_format_at(format), &definition, &writer));
  for (int k = 0; k < samples; ++k) {
    for (int v = 0; v < points; ++v) {
      position[3 * v] = v;
      position[3 * v + 1] = k * k;
    }
    assert_ok(mus_cache_write(writer, position));
  }
  assert_ok(mus_cache_finish(writer));
  mus_cache_close(writer);
}

static void assert_vertex(mus_bodies *bodies, double time, int vertex, double x, double y, double z) {
  double *at = positions_at(bodies, time), *p = at + 3 * vertex;
  if (fabs(p[0] - x) + fabs(p[1] - y) + fabs(p[2] - z) > 1e-6)
    fail_msg("vertex %d is at (%g, %g, %g), not at (%g, %g, %g)", vertex, p[0], p[1], p[2], x, y, z);
  free(at);
}

// Times in any order give the same as times in order.
static void check_samples(mus_bodies *bodies, double rate) {
  static const double frames[] = {0, 0.5, 1, 2.25, 3, -1, 7, 2.5, 1.5, 0.25};
  static const double heights[] = {0, 0.5, 1, 5.25, 9, 0, 9, 6.5, 2.5, 0.25};
  assert_int_equal(mus_bodies_vertices(bodies), 4);
  assert_int_equal(mus_bodies_triangles(bodies), 4);
  assert_true(mus_bodies_moves(bodies, 0));
  for (size_t k = 0; k < sizeof frames / sizeof *frames; ++k)
    assert_vertex(bodies, frames[k] / rate, 2, 6, 2 * heights[k], 0); // the file's vertex 3, twice as large
}

static void caches_move_meshes(void **state) {
  char rest[600];
  write_text(files_path(*state, "a.obj"), tetrahedron);
  write_cache(files_path(*state, "a.pc2"), 0, 5, 4, 24);
  write_cache(files_path(*state, "a.mdd"), 1, 5, 4, 50);
  static const char *const names[] = {"a.pc2", "a.pc2", "a.mdd"};
  static const double rates[] = {0, 25, 7}, real_rates[] = {24, 25, 50}; // an MDD has times of its own
  for (int k = 0; k < 3; ++k) {
    snprintf(rest, sizeof rest, ", \"scale\": 2, \"motion\": \"%s\", \"rate\": %g", files_path(*state, names[k]),
             rates[k]);
    mus_scene scene = file_scene(*state, "a.obj", rest);
    mus_bodies *bodies = made(&scene);
    check_samples(bodies, real_rates[k]);
    mus_bodies_free(bodies);
    mus_scene_free(&scene);
  }
}

static void placement_comes_after_motion(void **state) {
  char body[1000];
  write_text(files_path(*state, "a.obj"), tetrahedron);
  write_cache(files_path(*state, "a.pc2"), 0, 5, 4, 24);
  snprintf(body, sizeof body,
           "{\"shape\": {\"kind\": \"file\", \"file\": \"%s\", \"motion\": \"%s\"}, \"rotate\": [0, 0, 90], "
           "\"translate\": [0, 0, 5]}",
           files_path(*state, "a.obj"), files_path(*state, "a.pc2"));
  mus_scene scene = scene_with(body);
  mus_bodies *bodies = made(&scene);
  assert_vertex(bodies, 2 / 24.0, 0, -4, 1, 5); // (1, 4, 0) about z
  mus_bodies_free(bodies);
  mus_scene_free(&scene);
}

static void counts_must_agree(void **state) {
  char rest[600];
  mus_bodies *bodies = NULL;
  write_text(files_path(*state, "a.obj"), tetrahedron);
  write_cache(files_path(*state, "a.pc2"), 0, 4, 4, 24);
  snprintf(rest, sizeof rest, ", \"motion\": \"%s\"", files_path(*state, "a.pc2"));
  mus_scene scene = file_scene(*state, "a.obj", rest);
  assert_fails(mus_bodies_create(&scene, &bodies), MUS_BAD_INPUT, "a.obj has 5 vertices");
  assert_fails(mus_bodies_create(&scene, &bodies), MUS_BAD_INPUT, "a.pc2 moves 4: they must agree");
  mus_scene_free(&scene);
}

static void write_sequence(const void *folder, const char *format, int first, int count) {
  char text[400], name[64];
  for (int k = 0; k < count; ++k) {
    snprintf(name, sizeof name, format, first + k);
    snprintf(text, sizeof text, "v 0 0 0\nv 1 %d 0\nv 2 %d 0\nv 3 %d 0\nv 4 %d 0\nf 2 4 3\nf 2 3 5\nf 2 5 4\nf 3 4 5\n",
             k * k, k * k, k * k, k * k);
    write_text(files_path(folder, name), text);
  }
}

static void sequences(void **state) {
  write_sequence(*state, "walk_%03d.obj", 998, 4); // ... 999, 1000, 1001
  write_text(files_path(*state, "walk_01000.obj"), "is none of them");
  write_text(files_path(*state, "walk_12.obj"), "is none of them");
  write_text(files_path(*state, "walk_500.obj.bak"), "is none of them");
  mus_scene scene = file_scene(*state, "walk_###.obj", ", \"rate\": 10, \"scale\": 2");
  mus_bodies *bodies = made(&scene);
  check_samples(bodies, 10);
  assert_int_equal(remove(files_path(*state, "walk_1000.obj")), 0);
  mus_bodies *gap = made(&scene);
  assert_vertex(gap, 0.2, 2, 6, 10, 0); // half of the way from 2 * 1 to 2 * 9
  double position[12];
  write_text(files_path(*state, "walk_1001.obj"), "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n");
  mus_bodies *changed = made(&scene);
  assert_fails(mus_bodies_at(changed, 0.2, position), MUS_BAD_INPUT, "walk_1001.obj: it has 3 vertices");
  assert_fails(mus_bodies_at(changed, 0.2, position), MUS_BAD_INPUT, "has 5");
  assert_ok(mus_bodies_at(changed, 0.05, position));
  mus_bodies_free(changed);
  mus_bodies_free(gap);
  mus_bodies_free(bodies);
  mus_scene_free(&scene);
}

static void sequences_that_are_not_there(void **state) {
  mus_bodies *bodies = NULL;
  mus_scene scene = file_scene(*state, "walk_###.obj", "");
  assert_fails(mus_bodies_create(&scene, &bodies), MUS_IO_ERROR, "walk_###.obj: there is no file of such a name");
  mus_scene_free(&scene);
  scene = file_scene(*state, "no_folder/walk_###.obj", "");
  assert_fails(mus_bodies_create(&scene, &bodies), MUS_IO_ERROR, "its folder cannot be read");
  mus_scene_free(&scene);
  scene = file_scene(*state, "walk_###_##.obj", "");
  assert_fails(mus_bodies_create(&scene, &bodies), MUS_BAD_INPUT, "one run of at most 9 #");
  mus_scene_free(&scene);
  scene = file_scene(*state, "walk_###.obj", ", \"motion\": \"a.pc2\"");
  assert_fails(mus_bodies_create(&scene, &bodies), MUS_BAD_INPUT, "needs no \"motion\"");
  mus_scene_free(&scene);
}

#define BEAM "{\"shape\": {\"kind\": \"file\", \"file\": \"tests/data/gltf/good_beam.glb\""

static void gltf_moves_by_its_animations(void **state) {
  (void)state;
  mus_scene scene =
      scene_with(BEAM ", \"scale\": 0.5}, \"translate\": [0, 1, 0]}," BEAM ", \"animation\": \"still\"}}");
  mus_bodies *bodies = made(&scene);
  mus_gltf *gltf = NULL;
  double expected[60], *position = positions_at(bodies, 3.3);
  assert_ok(mus_gltf_read("tests/data/gltf/good_beam.glb", &gltf));
  assert_ok(mus_gltf_at(gltf, 0, 3.3, expected));
  assert_int_equal(mus_bodies_vertices(bodies), 40);
  for (int i = 0; i < 60; ++i)
    assert_near(position[i], 0.5 * expected[i] + (i % 3 == 1), 1e-12);
  assert_ok(mus_gltf_at(gltf, 1, 0, expected));
  assert_memory_equal(position + 60, expected, sizeof expected);
  assert_true(mus_bodies_moves(bodies, 0));
  assert_false(mus_bodies_moves(bodies, 1));
  free(position);
  mus_gltf_free(gltf);
  mus_bodies_free(bodies);
  mus_scene_free(&scene);
}

static void motions_that_do_not_fit(void **state) {
  mus_bodies *bodies = NULL;
  mus_scene scene = scene_with(BEAM ", \"motion\": \"a.pc2\"}}");
  assert_fails(mus_bodies_create(&scene, &bodies), MUS_BAD_INPUT, "glTF has its own motion");
  mus_scene_free(&scene);
  scene = scene_with(BEAM ", \"animation\": \"fly\"}}");
  assert_fails(mus_bodies_create(&scene, &bodies), MUS_BAD_INPUT, "there is no animation \"fly\"");
  mus_scene_free(&scene);
  write_text(files_path(*state, "a.obj"), tetrahedron);
  scene = file_scene(*state, "a.obj", ", \"animation\": \"fly\"");
  assert_fails(mus_bodies_create(&scene, &bodies), MUS_BAD_INPUT, "only glTF has an \"animation\"");
  mus_scene_free(&scene);
}

static void short_memory(void **state) {
  char list[1500];
  write_text(files_path(*state, "a.obj"), tetrahedron);
  write_cache(files_path(*state, "a.pc2"), 0, 5, 4, 24);
  write_sequence(*state, "walk_%03d.obj", 1, 3);
  snprintf(list, sizeof list,
           BEAM "}}, {\"shape\": {\"kind\": \"sphere\", \"facet\": 0.01}}, {\"shape\": {\"kind\": \"box\"}},"
                "{\"shape\": {\"kind\": \"file\", \"file\": \"%s\", \"motion\": \"%s\"}},"
                "{\"shape\": {\"kind\": \"file\", \"file\": \"%s\"}}",
           files_path(*state, "a.obj"), files_path(*state, "a.pc2"), files_path(*state, "walk_###.obj"));
  mus_scene scene = scene_with(list);
  mus_status status = MUS_OUT_OF_MEMORY;
  for (long n = 0; status != MUS_OK && n < 500; ++n) {
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
      cmocka_unit_test(mannequins_walk),
      cmocka_unit_test(errors_name_the_body),
      cmocka_unit_test_setup_teardown(meshes_from_files, files_setup, files_teardown),
      cmocka_unit_test_setup_teardown(files_without_a_surface, files_setup, files_teardown),
      cmocka_unit_test_setup_teardown(caches_move_meshes, files_setup, files_teardown),
      cmocka_unit_test_setup_teardown(placement_comes_after_motion, files_setup, files_teardown),
      cmocka_unit_test_setup_teardown(counts_must_agree, files_setup, files_teardown),
      cmocka_unit_test_setup_teardown(sequences, files_setup, files_teardown),
      cmocka_unit_test_setup_teardown(sequences_that_are_not_there, files_setup, files_teardown),
      cmocka_unit_test(gltf_moves_by_its_animations),
      cmocka_unit_test_setup_teardown(motions_that_do_not_fit, files_setup, files_teardown),
      cmocka_unit_test_setup_teardown(short_memory, files_setup, files_teardown)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
