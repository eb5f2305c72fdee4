// glTF: positions against those that tests/data/gltf/make.py computes in its own way, and files that lie.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/gltf.h"
#include "mesh/check.h"
#include "mesh/measure.h"
#include "mesh/topology.h"
#include "support/check.h"
#include "support/files.h"

#define DATA "tests/data/gltf/"
#define CHARACTERS "../shared/data/characters/gltf/"

static mus_gltf *opened(const char *path) {
  mus_gltf *gltf = NULL;
  assert_ok(mus_gltf_read(path, &gltf));
  return gltf;
}

static double *positions_at(mus_gltf *gltf, int animation, double time) {
  double *position = malloc(3 * (size_t)mus_gltf_mesh(gltf)->vertices * sizeof *position);
  assert_non_null(position);
  assert_ok(mus_gltf_at(gltf, animation, time, position));
  return position;
}

// --- where vertices are ----------------------------------------------------------------------------------------------

// "vertices time", then a line a vertex; a negative time stands for no animation.
static void compare_with(const char *path, const char *expected) {
  mus_gltf *gltf = opened(path);
  FILE *file = fopen(expected, "r");
  assert_non_null(file);
  int vertices, times = 0;
  double time, x[3];
  for (; fscanf(file, "%d %lf", &vertices, &time) == 2; ++times) {
    assert_int_equal(vertices, mus_gltf_mesh(gltf)->vertices);
    double *position = positions_at(gltf, time < 0 ? -1 : 0, time);
    for (int v = 0; v < vertices; ++v) {
      assert_int_equal(fscanf(file, "%lf %lf %lf", &x[0], &x[1], &x[2]), 3);
      for (int c = 0; c < 3; ++c)
        if (!(fabs(position[3 * v + c] - x[c]) < 1e-6 * (1 + fabs(x[c]))))
          fail_msg("%s: vertex %d is at (%.9g, %.9g, %.9g) at %g s, not at (%.9g, %.9g, %.9g)", path, v,
                   position[3 * v], position[3 * v + 1], position[3 * v + 2], time, x[0], x[1], x[2]);
    }
    if (time < 0)
      assert_memory_equal(position, mus_gltf_mesh(gltf)->position, 3 * (size_t)vertices * sizeof *position);
    free(position);
  }
  fclose(file);
  assert_true(times >= 10);
  mus_gltf_free(gltf);
}

static void skins_and_animations(void **state) {
  (void)state;
  compare_with(DATA "good_beam.gltf", DATA "good_beam.expected");
  compare_with(DATA "good_beam.glb", DATA "good_beam.expected");
}

static void nodes_and_morphing(void **state) {
  (void)state;
  compare_with(DATA "good_parts.gltf", DATA "good_parts.expected");
}

static void seams_are_closed(void **state) {
  (void)state;
  mus_gltf *gltf = opened(DATA "good_beam.glb");
  mus_arena arena = {0};
  mus_topology topology;
  const mus_mesh *mesh = mus_gltf_mesh(gltf);
  mus_gltf_about about = mus_gltf_describe(gltf);
  assert_int_equal(about.vertices, 25);
  assert_int_equal(mesh->vertices, 20);
  assert_int_equal(about.joints, 3);
  assert_int_equal(about.animations, 2);
  assert_ok(mus_topology_create(&arena, mesh, &topology));
  assert_int_equal(topology.boundary_edges, 0);
  assert_int_equal(topology.branching_edges, 0);
  assert_true(mus_gltf_bytes(gltf) > 20 * 19 * sizeof(double));
  mus_arena_clear(&arena);
  mus_gltf_free(gltf);
}

// Strips, fans, lists and a mirrored node: all fronts as the file means them.
static void triangles_face_the_right_way(void **state) {
  (void)state;
  mus_gltf *gltf = opened(DATA "good_parts.gltf");
  const mus_mesh *mesh = mus_gltf_mesh(gltf);
  static const int triangles[] = {0, 2, 1, 1, 2, 3, 1, 3, 4, // turned over, since the node mirrors, as the last is
                                  5, 6, 7, 5, 7, 8, 5, 8, 9, 5, 9, 6, 12, 11, 10};
  assert_int_equal(mesh->triangles, 8);
  assert_memory_equal(mesh->triangle, triangles, sizeof triangles);
  assert_int_equal(mus_gltf_describe(gltf).parts, 3);
  assert_int_equal(mus_gltf_describe(gltf).targets, 2);
  mus_gltf_free(gltf);
}

static void animations_by_name(void **state) {
  (void)state;
  int animation;
  mus_gltf *gltf = opened(DATA "good_beam.gltf");
  assert_ok(mus_gltf_find_animation(gltf, NULL, &animation));
  assert_int_equal(animation, 0);
  assert_ok(mus_gltf_find_animation(gltf, "still", &animation));
  assert_int_equal(animation, 1);
  assert_string_equal(mus_gltf_animation_name(gltf, 0), "bend");
  assert_true(mus_gltf_animation_length(gltf, 0) == 2 && mus_gltf_animation_length(gltf, 1) == 0);
  double *early = positions_at(gltf, 1, 0), *late = positions_at(gltf, 1, 17);
  assert_memory_equal(early, late, 60 * sizeof *early);
  free(early);
  free(late);
  assert_fails(mus_gltf_find_animation(gltf, "fly", &animation), MUS_BAD_INPUT,
               "there is no animation \"fly\"; it has \"bend\", \"still\"");
  mus_gltf_free(gltf);
}

static void paths(void **state) {
  (void)state;
  assert_true(mus_gltf_is_path("a/b.glb") && mus_gltf_is_path("b.gltf"));
  assert_false(mus_gltf_is_path(".glb") || mus_gltf_is_path("glb") || mus_gltf_is_path("a.obj"));
}

// --- files that lie --------------------------------------------------------------------------------------------------

#define TRIANGLE_DATA "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAABAAIA"
static const char triangle[] =
    "{\"asset\": {\"version\": \"2.0\"}, \"extensionsRequired\": [\"KHR_materials_unlit\"], \"scene\": 0,\n"
    "\"scenes\": [{\"nodes\": [0]}],\n"
    "\"buffers\": [{\"byteLength\": 42, \"uri\": \"data:;base64," TRIANGLE_DATA "\"}],\n"
    "\"bufferViews\": [{\"buffer\": 0, \"byteLength\": 36}, {\"buffer\": 0, \"byteOffset\": 36, \"byteLength\": 6}],\n"
    "\"accessors\": [{\"bufferView\": 0, \"componentType\": 5126, \"count\": 3, \"type\": \"VEC3\"},\n"
    " {\"bufferView\": 1, \"componentType\": 5123, \"count\": 3, \"type\": \"SCALAR\"}],\n"
    "\"skins\": [{\"joints\": [1]}],\n"
    "\"animations\": [{\"channels\": [{\"sampler\": 0, \"target\": {\"node\": 1, \"path\": \"translation\"}}],\n"
    " \"samplers\": [{\"input\": 2, \"output\": 3}]}],\n"
    "\"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": 0}, \"indices\": 1}]}],\n"
    "\"nodes\": [{\"mesh\": 0, \"children\": [1]}, {}]}\n";

// The triangle with one text replaced by another; "" where it is not found.
static void change(const char *from, const char *to, size_t size, char *text) {
  const char *at = strstr(triangle, from);
  if (!at)
    fail_msg("\"%s\" is not there to be replaced", from);
  snprintf(text, size, "%.*s%s%s", (int)(at - triangle), triangle, to, at + strlen(from));
}

static void refuses(const char *from, const char *to, const char *place, const char *why) {
  char text[4096];
  mus_gltf *gltf = NULL;
  change(from, to, sizeof text, text);
  mus_status status = mus_gltf_parse("t.gltf", text, strlen(text), &gltf);
  if (status != MUS_BAD_INPUT || !strstr(mus_last_error(), place) || !strstr(mus_last_error(), why))
    fail_msg("%s -> %s gives %d, \"%s\", which does not say \"%s\" and \"%s\"", from, to, (int)status, mus_last_error(),
             place, why);
  assert_non_null(strstr(mus_last_error(), "t.gltf"));
  assert_null(gltf);
}

#define MORE_ACCESSORS(first, second)                                                                                  \
  ", {\"bufferView\": 0, \"componentType\": 5126, \"count\": " first ", \"type\": \"SCALAR\"}, "                       \
  "{\"bufferView\": 0, \"componentType\": 5126, \"count\": " second ", \"type\": \"VEC3\"}],\n"

static void what_is_not_there_is_refused(void **state) {
  (void)state;
  refuses("\"2.0\"", "\"1.0\"", "asset", "not glTF 2.0");
  refuses("KHR_materials_unlit", "KHR_draco_mesh_compression", "extensionsRequired", "export the file without it");
  refuses("{\"asset\"", "{\"asset", "t.gltf:1:", "not glTF");
  refuses("\"buffers\": [{", "\"buffers\": [7, {", "buffers[0]", "object in braces");
  refuses("\"byteLength\": 42", "\"byteLength\": 43", "buffers[0]", "truncated");
  refuses("\"byteLength\": 42", "\"byteLength\": 41", "bufferViews[1]", "ends beyond the 41 bytes");
  refuses("AAAAAA", "AAA*AA", "buffers[0]", "digit 3");
  refuses(";base64,", ",", "buffers[0]", "not in base64");
  refuses("data:;base64," TRIANGLE_DATA, "other.bin", "buffers[0]", "only files relative");
  refuses("\"byteLength\": 36}", "\"byteLength\": 35}", "accessors[0]", "end beyond the 35 bytes");
  refuses("\"byteLength\": 36}", "\"byteLength\": 36, \"byteStride\": 16}", "accessors[0]", "end beyond");
  refuses("\"byteLength\": 36}", "\"byteLength\": 36, \"byteStride\": 0}", "bufferViews[0]", "1...252");
  refuses("\"byteOffset\": 36", "\"byteOffset\": 2147483647", "bufferViews[1]", "ends beyond");
  refuses("\"byteOffset\": 36", "\"byteOffset\": -1", "bufferViews[1]", "must be a whole number");
  refuses("\"buffer\": 0", "\"buffer\": 1", "bufferViews[0]", "must be a whole number in 0...0");
  refuses("\"bufferView\": 0", "\"bufferView\": 2", "accessors[0]", "must be a whole number in 0...1");
  refuses("\"bufferView\": 0, ", "", "accessors[0]", "no data");
  refuses("\"count\": 3", "\"count\": 4", "accessors[0]", "4 elements end beyond");
  refuses("\"count\": 3", "\"count\": 0", "accessors[0]", "must be a whole number");
  refuses("\"count\": 3", "\"count\": 1e300", "accessors[0]", "must be a whole number");
  refuses("\"count\": 3", "\"count\": 2", "accessors[1]", "element 2 is 2");
  refuses("5126", "5127", "accessors[0]", "must be a whole number");
  refuses("5126", "5124", "accessors[0]", "of kind 5124");
  refuses("\"VEC3\"", "\"VEC4\"", "accessors[0]", "where 3 numbers");
  refuses("\"POSITION\": 0", "\"POSITION\": 9", "t.gltf", "accessors[9] is referred to");
  refuses("\"POSITION\": 0", "\"NORMAL\": 0", "meshes[0].primitives[0]", "\"POSITION\" is missing");
  refuses("\"indices\": 1", "\"indices\": 0", "accessors[0]", "where 1 numbers");
  refuses("\"indices\": 1", "\"mode\": 1", "t.gltf", "shows no triangles");
  refuses("{\"mesh\": 0", "{\"mesh\": 1", "nodes[0]", "must be a whole number in 0...0");
  refuses("\"children\": [1]", "\"children\": [0]", "nodes[0]", "not one of the other");
  refuses("\"children\": [1]", "\"children\": [2]", "nodes[0]", "not one of the other");
  refuses("\"children\": [1]}, {}", "\"children\": [1]}, {\"children\": [0]}", "nodes", "their own ancestors");
  refuses("\"children\": [1]}, {}", "\"children\": [1]}, {\"children\": [1]}", "nodes[1]", "not one of the other");
  refuses("\"children\": [1]}, {}", "\"children\": [1]}, {}, {\"children\": [1]}", "nodes[2]", "has one parent");
  refuses("{\"nodes\": [0]}", "{\"nodes\": [3]}", "scenes[0]", "nodes[0] is not one");
  refuses("\"scene\": 0", "\"scene\": 1", "t.gltf", "\"scene\" must be");
  refuses("{\"joints\": [1]}", "{\"joints\": [2]}", "skins[0]", "joints[0] is not one");
  refuses("{\"mesh\": 0", "{\"mesh\": 0, \"skin\": 0", "meshes[0].primitives[0]", "no JOINTS_0");
  refuses("{\"mesh\": 0", "{\"mesh\": 0, \"skin\": 1", "nodes[0]", "\"skin\" must be");
  refuses("{\"mesh\": 0", "{\"mesh\": 0, \"rotation\": [0, 0, 1]", "nodes[0]", "list of 4 numbers");
}

static void animations_that_lie(void **state) {
  (void)state;
  // Without accessors 2 and 3 the channel of the triangle is refused already.
  refuses("\"skins\"", "\"skins\"", "t.gltf", "accessors[2] is referred to");
  refuses("],\n\"skins\"", MORE_ACCESSORS("2", "2") "\"skins\"", "animations[0].channels[0]", "key 1 is not after");
  refuses("],\n\"skins\"", MORE_ACCESSORS("1", "2") "\"skins\"", "accessors[3]", "2 elements, where 1 are needed");
}

// Only then is anything of the table above worth something.
static void the_triangle_itself_is_read(void **state) {
  (void)state;
  char text[4096];
  mus_gltf *gltf = NULL;
  change("],\n\"skins\"", MORE_ACCESSORS("1", "1") "\"skins\"", sizeof text, text);
  assert_ok(mus_gltf_parse("t.gltf", text, strlen(text), &gltf));
  assert_int_equal(mus_gltf_mesh(gltf)->vertices, 3);
  assert_int_equal(mus_gltf_mesh(gltf)->triangles, 1);
  assert_true(mus_total_space_area(mus_gltf_mesh(gltf)) == 0.5);
  mus_gltf_free(gltf);
}

static void numbers_that_grow_too_large(void **state) {
  (void)state;
  char text[4096];
  mus_gltf *gltf = NULL;
  change("{\"mesh\": 0", "{\"mesh\": 0, \"scale\": [1e308, 1, 1], \"translation\": [1.7e308, 0, 0]", sizeof text, text);
  char *end = strstr(text, "\"animations\""), *meshes = strstr(text, "\"meshes\"");
  memmove(end, meshes, strlen(meshes) + 1);
  assert_fails(mus_gltf_parse("t.gltf", text, strlen(text), &gltf), MUS_BAD_INPUT, "not finite at");
}

// Every prefix of a good file, and files with a byte changed: whatever comes of them, nothing else breaks.
static void cut_and_spoiled_files(void **state) {
  (void)state;
  files_bytes whole = files_read(DATA "good_beam.glb");
  for (size_t length = 0; length < whole.size; length += 1 + length / 97) {
    mus_gltf *gltf = NULL;
    unsigned char *cut = malloc(length + 1);
    assert_non_null(cut);
    memcpy(cut, whole.data, length);
    assert_int_equal(mus_gltf_parse("cut.glb", cut, length, &gltf), MUS_BAD_INPUT);
    assert_non_null(strstr(mus_last_error(), "cut.glb"));
    free(cut);
  }
  for (size_t at = 0; at < whole.size; at += 7) {
    mus_gltf *gltf = NULL;
    whole.data[at] ^= 0x55;
    mus_status status = mus_gltf_parse("spoiled.glb", whole.data, whole.size, &gltf);
    assert_true(status == MUS_OK || status == MUS_BAD_INPUT);
    whole.data[at] ^= 0x55;
    mus_gltf_free(gltf);
  }
  free(whole.data);
}

// What fuzzing has found, ever after.
static void found_files(void **state) {
  (void)state;
  DIR *folder = opendir(DATA);
  assert_non_null(folder);
  for (struct dirent *item; (item = readdir(folder));)
    if (strncmp(item->d_name, "found_", 6) == 0) {
      char path[512];
      mus_gltf *gltf = NULL;
      snprintf(path, sizeof path, DATA "%s", item->d_name);
      mus_status status = mus_gltf_read(path, &gltf);
      assert_true(status == MUS_OK || status == MUS_BAD_INPUT || status == MUS_IO_ERROR);
      mus_gltf_free(gltf);
    }
  closedir(folder);
}

static void missing_files(void **state) {
  mus_gltf *gltf = NULL;
  assert_fails(mus_gltf_read("no such.glb", &gltf), MUS_IO_ERROR, "no such.glb");
  files_bytes text = files_read(DATA "good_parts.gltf");
  files_write(files_path(*state, "alone.gltf"), text.data, text.size);
  assert_fails(mus_gltf_read(files_path(*state, "alone.gltf"), &gltf), MUS_IO_ERROR, "parts of good.bin");
  files_write(files_path(*state, "parts of good.bin"), "short", 5);
  assert_fails(mus_gltf_read(files_path(*state, "alone.gltf"), &gltf), MUS_BAD_INPUT, "has 5 of the");
  free(text.data);
}

static void short_memory(void **state) {
  (void)state;
  static const char *const files[] = {DATA "good_beam.glb", DATA "good_parts.gltf"};
  for (int f = 0; f < 2; ++f) {
    mus_status status = MUS_OUT_OF_MEMORY;
    for (long n = 0; status != MUS_OK && n < 500; ++n) {
      mus_gltf *gltf = NULL;
      mus_memory_fail_after(n);
      status = mus_gltf_read(files[f], &gltf);
      mus_memory_fail_after(-1);
      assert_true(status == MUS_OK || status == MUS_OUT_OF_MEMORY);
      mus_gltf_free(gltf);
    }
    assert_int_equal(status, MUS_OK);
  }
}

// --- real ones -------------------------------------------------------------------------------------------------------

// Closed where the artist's model is, on the ground and about as tall all the time; poses at the ends of the cycle
// meet.
static void check_character(const char *path, const char *name, double low, double high, double give) {
  if (access(path, R_OK) != 0) {
    print_message("%s is not there: skipped\n", path);
    skip();
  }
  mus_gltf *gltf = opened(path);
  mus_arena arena = {0};
  mus_topology topology;
  mus_mesh mesh = *mus_gltf_mesh(gltf);
  int animation;
  assert_ok(mus_topology_create(&arena, &mesh, &topology));
  assert_int_equal(topology.boundary_edges + topology.branching_edges, 0);
  assert_ok(mus_gltf_find_animation(gltf, name, &animation));
  double length = mus_gltf_animation_length(gltf, animation), *first = positions_at(gltf, animation, 0), jump = 0;
  for (int k = 0; k <= 40; ++k) {
    mesh.position = positions_at(gltf, animation, (k - 0.001) * length / 40);
    mus_box box = mus_mesh_box(&mesh);
    if (fabs(box.low[1] - low) > give || fabs(box.high[1] - high) > give)
      fail_msg("at %g of the cycle it reaches from %g to %g", k / 40.0, box.low[1], box.high[1]);
    for (int i = 0; i < 3 * mesh.vertices && k == 40; ++i)
      jump = fmax(jump, fabs(mesh.position[i] - first[i]));
    free(mesh.position);
  }
  assert_true(jump < 0.1 * (high - low));
  free(first);
  mus_arena_clear(&arena);
  mus_gltf_free(gltf);
}

static void a_man_walks(void **state) {
  (void)state;
  check_character(CHARACTERS "CesiumMan.glb", NULL, 0, 1.48, 0.05);
}

static void a_fox_runs(void **state) {
  (void)state;
  check_character(CHARACTERS "Fox.glb", "Run", 0, 75, 12);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(skins_and_animations),
                                     cmocka_unit_test(nodes_and_morphing),
                                     cmocka_unit_test(seams_are_closed),
                                     cmocka_unit_test(triangles_face_the_right_way),
                                     cmocka_unit_test(animations_by_name),
                                     cmocka_unit_test(paths),
                                     cmocka_unit_test(what_is_not_there_is_refused),
                                     cmocka_unit_test(animations_that_lie),
                                     cmocka_unit_test(the_triangle_itself_is_read),
                                     cmocka_unit_test(numbers_that_grow_too_large),
                                     cmocka_unit_test(cut_and_spoiled_files),
                                     cmocka_unit_test(found_files),
                                     cmocka_unit_test_setup_teardown(missing_files, files_setup, files_teardown),
                                     cmocka_unit_test(short_memory),
                                     cmocka_unit_test(a_man_walks),
                                     cmocka_unit_test(a_fox_runs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
