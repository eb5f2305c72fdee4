// Mesh files as a whole: formats told apart, failures that leave nothing behind, and meshes made by others.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "io/textures.h"
#include "mesh/check.h"
#include "mesh/rest.h"
#include "mesh/topology.h"
#include "support/mesh_files.h"
#include "support/meshes.h"

static void formats_are_told_apart_by_content(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh_file file = mesh_files_parse(
      &arena, "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
              "element face 1\nproperty list uchar int vertex_index\nend_header\n0 0 0 1 0 0 0 1 0 3 0 1 2\n");
  assert_int_equal(file.mesh.triangles, 1);
  file = mesh_files_parse(&arena, "plywood 1\nv 0 0 0\nf 1 1 1\n");
  assert_int_equal(file.skipped, 1);
  assert_string_equal(file.first_skipped, "plywood");
  mus_arena_clear(&arena);
}

static void names_say_what_is_written(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh_file file = {.mesh = meshes_grid(&arena, 4, 3)}, back;
  static const char *const names[] = {"a.obj", "a.obj.gz", "a.ply", "a.ply.gz"};
  static const char *const begin[] = {"v 0 ", "\x1f\x8b", "ply\n", "\x1f\x8b"};
  for (size_t k = 0; k < 4; ++k) {
    const char *path = mesh_files_path(names[k]);
    assert_int_equal(mus_mesh_file_write(path, &file), MUS_OK);
    assert_int_equal(mus_mesh_file_read(path, &arena, &back), MUS_OK);
    assert_true(meshes_same(&file.mesh, &back.mesh));
    char bytes[4] = "";
    FILE *written = fopen(path, "rb");
    assert_non_null(written);
    assert_int_equal(fread(bytes, 1, 4, written), 4);
    fclose(written);
    assert_memory_equal(bytes, begin[k], strlen(begin[k]));
    unlink(path);
  }
  assert_int_equal(mus_mesh_file_write("a.stl", &file), MUS_BAD_INPUT);
  assert_string_equal(mus_last_error(), "a.stl: the name says no mesh format: let it end in .obj or .ply, or .gz after "
                                        "that");
  mus_arena_clear(&arena);
}

static void what_cannot_be_read_is_not_written(void **state) {
  (void)state;
  mus_arena arena = {0};
  static const char *const names[] = {"never.obj", "never.ply"};
  for (size_t k = 0; k < 2; ++k) {
    const char *path = mesh_files_path(names[k]);
    char expected[256];
    mus_mesh_file file = {.mesh = meshes_grid(&arena, 4, 3)};
    file.mesh.position[7] = NAN;
    assert_int_equal(mus_mesh_file_write(path, &file), MUS_BAD_INPUT);
    snprintf(expected, sizeof expected, "%s: vertex 2 of the mesh is not finite: find out where it was made", path);
    assert_string_equal(mus_last_error(), expected);
    file.mesh = meshes_grid(&arena, 4, 3);
    file.mesh.material[13] = INFINITY;
    assert_int_equal(mus_mesh_file_write(path, &file), MUS_BAD_INPUT);
    file.mesh = meshes_grid(&arena, 4, 3);
    file.mesh.triangle[4] = 12;
    assert_int_equal(mus_mesh_file_write(path, &file), MUS_BAD_INPUT);
    snprintf(expected, sizeof expected, "%s: triangle 1 has vertex 12 outside 0...11: correct the mesh", path);
    assert_string_equal(mus_last_error(), expected);
    mus_stitch stitch = {0, 1, 2, NAN};
    file = (mus_mesh_file){.mesh = meshes_grid(&arena, 4, 3), .stitches = 1, .stitch = &stitch};
    assert_int_equal(mus_mesh_file_write(path, &file), MUS_BAD_INPUT);
    assert_int_equal(mus_mesh_file_write(mesh_files_path("none/a.ply"), &file), MUS_BAD_INPUT);
    stitch.ratio = 0;
    assert_int_equal(mus_mesh_file_write(mesh_files_path("none/a.ply"), &file), MUS_IO_ERROR);
  }
  assert_int_equal(mesh_files_count(), 0);
  mus_mesh_file file;
  assert_int_equal(mus_mesh_file_read(mesh_files_path("none.obj"), &arena, &file), MUS_IO_ERROR);
  assert_non_null(strstr(mus_last_error(), "none.obj: cannot be opened (No such file or directory): check the path"));
  mus_arena_clear(&arena);
}

// A vertex with one pair, with two, with very many, and none.
static void coordinates_are_listed_once(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh grid = meshes_grid(&arena, 5, 4);
  mus_textures textures;
  assert_int_equal(mus_textures_list(&arena, &grid, &textures), MUS_OK);
  assert_int_equal(textures.count, 20);
  assert_int_equal(textures.seams, 0);
  grid.material[2 * 10] += 1;
  assert_int_equal(mus_textures_list(&arena, &grid, &textures), MUS_OK);
  assert_int_equal(textures.count, 21);
  assert_int_equal(textures.seams, 1);
  // All triangles around one vertex, each with its own coordinates; twice, so that repetitions are far apart.
  enum { MANY = 100000 };
  mus_mesh star;
  assert_int_equal(mus_mesh_create(&arena, 3, 2 * MANY, 1, &star), MUS_OK);
  for (int i = 0; i < 6 * MANY; ++i) {
    star.triangle[i] = i % 3;
    star.material[2 * i] = i % 3 == 0 ? i / 3 % MANY : 0;
    star.material[2 * i + 1] = 0;
  }
  assert_int_equal(mus_textures_list(&arena, &star, &textures), MUS_OK);
  assert_true(textures.count >= MANY + 2 && textures.count <= 2 * MANY + 2);
  for (int i = 0; i < 6 * MANY; ++i)
    assert_memory_equal(star.material + 2 * textures.source[textures.corner[i]], star.material + 2 * i, 16);
  mus_arena_clear(&arena);
}

// --- failing allocations -------------------------------------------------------------------------------------------

static void sweep(const char *source, const char *target, int least) {
  mus_status status = MUS_OUT_OF_MEMORY;
  int failures = 0;
  for (; status != MUS_OK; ++failures) {
    mus_arena arena = {0};
    mus_mesh_file file;
    mus_memory_fail_after(failures);
    status = mus_mesh_file_read(source, &arena, &file);
    if (status == MUS_OK)
      status = mus_mesh_file_write(target, &file);
    mus_memory_fail_after(-1);
    if (status != MUS_OK)
      assert_int_equal(status, MUS_OUT_OF_MEMORY);
    assert_int_equal(mesh_files_count(), status == MUS_OK);
    mus_arena_clear(&arena);
  }
  assert_true(failures > least);
  unlink(target);
}

static void allocations_may_fail(void **state) {
  (void)state;
  sweep("tests/data/obj/good_seam.obj", mesh_files_path("a.obj"), 20);
  sweep("tests/data/obj/good_stitches.obj", mesh_files_path("a.obj"), 15);
  sweep("tests/data/ply/good_seam.ply", mesh_files_path("a.ply"), 20);
  sweep("tests/data/ply/good_texture.ply", mesh_files_path("a.ply"), 20);
}

// --- meshes made by others -----------------------------------------------------------------------------------------

#define SHARED "../shared/data"

typedef struct known_mesh {
  const char *name;
  int vertices, triangles, groups, stitches;
  int loops, components, euler; // of the topology
  int textured;
  mus_rest_source rest;
} known_mesh;

// Vertices and faces as counted by other means in the files; the dress and the table cloth as their authors say.
static const known_mesh KNOWN[] = {
    {"garments/codim-ipc/dress_knife/stage.obj.gz", 15656, 29456, 14, 851, 14, 14, 14, 1, MUS_REST_TEXTURE},
    {"garments/codim-ipc/dress_knife/drape.obj.gz", 15656 + 12811, 54928, 1, 0, 17, 22, 27, 0, MUS_REST_TRIANGLES},
    {"garments/codim-ipc/tableCloth.obj.gz", 14161, 27848, 1, 0, 1, 1, 1, 0, MUS_REST_FLAT},
    {"garments/codim-ipc/table.obj.gz", 6712, 13420, 1, 0, 0, 1, 2, 0, MUS_REST_TRIANGLES},
    {"garments/codim-ipc/skirt8K.obj.gz", 8121, 15858, 1, 0, 2, 1, 0, 0, MUS_REST_TRIANGLES},
    {"garments/codim-ipc/square41.obj", 1681, 3200, 1, 0, 1, 1, 1, 0, MUS_REST_FLAT},
    {"garments/codim-ipc/cylinder3K.obj", 3007, 5754, 1, 0, 4, 3, 2, 0, MUS_REST_TRIANGLES},
    {"garments/codim-ipc/wm2_15k.obj.gz", 12811, 25472, 1, 0, 3, 8, 13, 0, MUS_REST_TRIANGLES},
    {"characters/codim-ipc/frame0_topology.obj.gz", 12811, 25472, 1, 0, 3, 8, 13, 0, MUS_REST_TRIANGLES},
    {"garments/diffcloth/dress-v7k-f14k.obj.gz", 7742, 14524, 1, 0, 6, 1, -4, 0, MUS_REST_TRIANGLES},
    {"garments/diffcloth/sock1055-2081.obj", 1055, 2081, 1, 0, 1, 1, 1, 1, MUS_REST_TRIANGLES},
    {"garments/diffcloth/skirt2011.obj", 1074, 2011, 1, 0, 2, 1, 0, 1, MUS_REST_TRIANGLES},
    {"garments/diffcloth/tshirt1900.obj.gz", 1921, 3726, 1, 0, 4, 1, -2, 1, MUS_REST_TRIANGLES},
    {"models/spot.obj.gz", 2930, 5856, 1, 0, 0, 1, 2, 1, MUS_REST_TRIANGLES},
    {"models/suzanne.obj", 507, 2 * 468 + 32, 1, 0, 4, 3, 3, 0, MUS_REST_TRIANGLES},
    {"models/beetle.obj", 1148, 2053, 1, 0, 25, 2, -3, 0, MUS_REST_TRIANGLES},
};

static void check_known(const known_mesh *known) {
  mus_arena arena = {0};
  mus_mesh_file file = mesh_files_read(&arena, SHARED, known->name);
  mus_topology topology;
  assert_int_equal(mus_topology_create(&arena, &file.mesh, &topology), MUS_OK);
  int euler = file.mesh.vertices - topology.edges + file.mesh.triangles;
  if (file.mesh.vertices != known->vertices || file.mesh.triangles != known->triangles ||
      file.groups != known->groups || file.stitches != known->stitches || topology.loops != known->loops ||
      topology.components != known->components || euler != known->euler ||
      (file.mesh.material != NULL) != known->textured)
    fail_msg("%s: %d vertices, %d triangles, %d groups, %d stitches, %d loops, %d components, Euler number %d",
             known->name, file.mesh.vertices, file.mesh.triangles, file.groups, file.stitches, topology.loops,
             topology.components, euler);
  mus_mesh_report report;
  assert_int_equal(mus_mesh_check(&file.mesh, &report), MUS_OK);
  assert_int_equal(report.count[MUS_DEFECT_UNREFERENCED] + report.count[MUS_DEFECT_REPEATED], 0);
  mus_mesh_file back;
  assert_int_equal(mus_mesh_file_write(mesh_files_path("known.obj"), &file), MUS_OK);
  assert_int_equal(mus_mesh_file_read(mesh_files_path("known.obj"), &arena, &back), MUS_OK);
  assert_true(mesh_files_same(&file, &back));
  unlink(mesh_files_path("known.obj"));
  mus_rest_options options = mus_rest_default_options();
  mus_rest_record record;
  assert_int_equal(mus_rest_shape(&arena, &file.mesh, &options, &record), MUS_OK);
  assert_int_equal(record.source, known->rest);
  assert_true(record.shortest > 0.999 && record.longest < 1.001);
  mus_arena_clear(&arena);
}

static void meshes_made_by_others(void **state) {
  (void)state;
  if (access(SHARED "/README.md", R_OK) != 0) {
    print_message("no meshes by others in " SHARED "\n");
    skip();
  }
  for (size_t k = 0; k < sizeof KNOWN / sizeof *KNOWN; ++k)
    check_known(&KNOWN[k]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(formats_are_told_apart_by_content),
      cmocka_unit_test(names_say_what_is_written),
      cmocka_unit_test(what_cannot_be_read_is_not_written),
      cmocka_unit_test(coordinates_are_listed_once),
      cmocka_unit_test(allocations_may_fail),
      cmocka_unit_test(meshes_made_by_others),
  };
  return cmocka_run_group_tests(tests, mesh_files_make_folder, mesh_files_remove_folder);
}
