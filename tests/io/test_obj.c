// OBJ files: every form that is read, every fault that is named, and what is written.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "io/obj.h"
#include "support/mesh_files.h"
#include "support/meshes.h"

#define DATA "tests/data/obj"

static mus_mesh_file read_data(mus_arena *arena, const char *name) { return mesh_files_read(arena, DATA, name); }

static void assert_triangles(const mus_mesh_file *file, int triangles, const int *expected) {
  assert_int_equal(file->mesh.triangles, triangles);
  assert_memory_equal(file->mesh.triangle, expected, (size_t)triangles * 3 * sizeof *expected);
}

static void assert_material(const mus_mesh_file *file, const double *expected) {
  assert_non_null(file->mesh.material);
  assert_memory_equal(file->mesh.material, expected, (size_t)file->mesh.triangles * 6 * sizeof *expected);
}

// --- what is read --------------------------------------------------------------------------------------------------

static void one_triangle_in_many_ways(void **state) {
  (void)state;
  static const char *const files[] = {"good_triangle.obj", "good_colours.obj",         "good_crlf.obj",
                                      "good_comments.obj", "good_no_last_newline.obj", "good_forward.obj"};
  static const double position[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  static const int triangle[] = {0, 1, 2};
  for (size_t k = 0; k < sizeof files / sizeof *files; ++k) {
    mus_arena arena = {0};
    mus_mesh_file file = read_data(&arena, files[k]);
    assert_int_equal(file.mesh.vertices, 3);
    assert_memory_equal(file.mesh.position, position, sizeof position);
    assert_triangles(&file, 1, triangle);
    assert_true(file.skipped == 0 && file.stitches == 0 && file.groups == 1 && file.group[0].name[0] == '\0');
    mus_arena_clear(&arena);
  }
}

static void corners_of_every_form(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh_file file = read_data(&arena, "good_forms.obj");
  assert_triangles(&file, 4, (const int[]){0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2});
  assert_null(file.mesh.material);
  assert_int_equal(file.bare_corners, 6);
  file = read_data(&arena, "good_mixed_texture.obj");
  assert_int_equal(file.bare_corners, 3);
  assert_null(file.mesh.material);
  file = read_data(&arena, "good_empty_slashes.obj");
  assert_triangles(&file, 1, (const int[]){0, 1, 2});
  assert_int_equal(file.bare_corners, 2);
  mus_arena_clear(&arena);
}

static void texture_coordinates(void **state) {
  (void)state;
  static const char *const files[] = {"good_texture.obj", "good_gzip.obj.gz"};
  for (size_t k = 0; k < 2; ++k) {
    mus_arena arena = {0};
    mus_mesh_file file = read_data(&arena, files[k]);
    assert_triangles(&file, 2, (const int[]){0, 1, 2, 0, 2, 3});
    assert_material(&file, (const double[]){0, 0, 1, 0, 1, 1, 0, 0, 1, 1, 0, 1});
    assert_int_equal(file.bare_corners, 0);
    mus_arena_clear(&arena);
  }
  mus_arena arena = {0};
  mus_mesh_file file = read_data(&arena, "good_seam.obj");
  assert_int_equal(file.mesh.vertices, 4);
  assert_material(&file, (const double[]){0, 0, 1, 0, 1, 1, 5, 5, 6, 6, 5, 6});
  file = mesh_files_parse(&arena, "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 7\nvt 8 9 10\nf 1/1 2/2 3/2\n");
  assert_material(&file, (const double[]){7, 0, 8, 9, 8, 9});
  mus_arena_clear(&arena);
}

static void numbers_that_count_back(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh_file file = read_data(&arena, "good_negative.obj");
  assert_triangles(&file, 2, (const int[]){1, 2, 3, 3, 2, 4});
  assert_material(&file, (const double[]){0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1});
  mus_arena_clear(&arena);
}

static void continued_lines(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh_file file = read_data(&arena, "good_continued.obj");
  assert_int_equal(file.mesh.vertices, 4);
  assert_triangles(&file, 2, (const int[]){0, 1, 3, 0, 3, 2});
  mus_arena_clear(&arena);
}

static void groups(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh_file file = read_data(&arena, "good_groups.obj");
  static const char *const names[] = {"", "left", "Right", "left", ""};
  static const int group[] = {0, 1, 1, 2, 2, 3, 3, 4};
  assert_int_equal(file.groups, 5);
  for (int k = 0; k < 5; ++k)
    assert_string_equal(file.group[k].name, names[k]);
  assert_int_equal(file.mesh.triangles, 8);
  assert_memory_equal(file.triangle_group, group, sizeof group);
  char text[300];
  sprintf(text, "v 0 0 0\ng %0100d\nf 1 1 1\ng \xc3\xa4rmel\x07\nf 1 1 1\n", 7);
  file = mesh_files_parse(&arena, text);
  assert_int_equal(strlen(file.group[0].name), MUS_GROUP_NAME - 1);
  assert_string_equal(file.group[1].name, "\xc3\xa4rmel?");
  mus_arena_clear(&arena);
}

static void other_lines_are_counted(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh_file file = read_data(&arena, "good_skipped.obj");
  assert_int_equal(file.skipped, 5);
  assert_string_equal(file.first_skipped, "l");
  assert_int_equal(file.mesh.triangles, 1);
  mus_arena_clear(&arena);
}

static void stitches(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh_file file = read_data(&arena, "good_stitches.obj");
  assert_int_equal(file.stitches, 2);
  assert_true(file.stitch[0].a == 3 && file.stitch[0].b == 0 && file.stitch[0].c == 1 && file.stitch[0].ratio == 0.25);
  assert_true(file.stitch[1].a == 0 && file.stitch[1].b == 2 && file.stitch[1].c == 3 && file.stitch[1].ratio == 1);
  assert_int_equal(file.skipped, 0);
  mus_arena_clear(&arena);
}

static void polygons_are_cut(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh_file file = read_data(&arena, "good_polygons.obj");
  assert_int_equal(file.mesh.triangles, 6);
  for (int t = 0; t < 6; ++t) { // the first polygon is an arrow head; no triangle of it may lie outside
    const int *corner = file.mesh.triangle + 3 * t;
    const double *p = file.mesh.position + 3 * corner[0], *q = file.mesh.position + 3 * corner[1];
    const double *r = file.mesh.position + 3 * corner[2];
    assert_true((q[0] - p[0]) * (r[1] - p[1]) - (r[0] - p[0]) * (q[1] - p[1]) > 0);
  }
  file = read_data(&arena, "good_large_polygon.obj");
  assert_int_equal(file.mesh.triangles, 78);
  file = read_data(&arena, "good_repeated.obj");
  assert_triangles(&file, 4, (const int[]){0, 1, 1, 0, 1, 2, 2, 2, 2, 2, 2, 2});
  mus_arena_clear(&arena);
}

// --- what is refused -----------------------------------------------------------------------------------------------

static const mesh_refusal REFUSED[] = {
    {"bad_empty.obj", ": there are no vertices: check that this is a mesh, in OBJ or PLY format"},
    {"bad_no_faces.obj", ": there are no faces: check that this is a mesh, in OBJ or PLY format"},
    {"bad_no_vertices.obj", ": there are no vertices: check that this is a mesh, in OBJ or PLY format"},
    {"bad_text.obj", ": there are no vertices: check that this is a mesh, in OBJ or PLY format"},
    {"bad_binary.obj", ": there are no vertices: check that this is a mesh, in OBJ or PLY format"},
    {"bad_vertex_short.obj", ":2: the line ends where z should be: complete the line"},
    {"bad_vertex_text.obj", ":2: 'zero' is not a number for y: correct it"},
    {"bad_vertex_comma.obj", ":2: '1,5' is not a number for x: correct it"},
    {"bad_vertex_nan.obj", ":3: y is not a finite number: check the program that wrote it"},
    {"bad_vertex_infinite.obj", ":2: x is not a finite number: check the program that wrote it"},
    {"bad_vertex_too_large.obj", ":2: '1e999' is not within the range of a double for x: correct it"},
    {"bad_texture_empty.obj", ":2: the line ends where u should be: complete the line"},
    {"bad_texture_nan.obj", ":5: v is not a finite number: check the program that wrote it"},
    {"bad_face_zero.obj", ":5: vertex 0: numbers begin at 1 (or -1, counting back)"},
    {"bad_face_outside.obj", ":6: vertex 5 is outside 1...4: correct the face"},
    {"bad_face_far_outside.obj",
     ":6: '99999999999999999999' is not a number that any file could have for a corner: correct it"},
    {"bad_face_before_first.obj", ":5: vertex -5 is outside 1...4: correct the face"},
    {"bad_face_texture_outside.obj", ":6: texture coordinate 2 is outside 1...1: correct the face"},
    {"bad_face_texture_zero.obj", ":6: texture coordinate 0: numbers begin at 1 (or -1, counting back)"},
    {"bad_face_two.obj", ":6: a face of 2 corners: it needs three or more"},
    {"bad_face_none.obj", ":6: a face of 0 corners: it needs three or more"},
    {"bad_face_text.obj", ":5: 'three' is not vertex/texture/normal for a corner: correct it"},
    {"bad_face_slashes.obj", ":5: '1/1/1/1' is not vertex/texture/normal for a corner: correct it"},
    {"bad_face_real.obj", ":5: '1.0' is not vertex/texture/normal for a corner: correct it"},
    {"bad_face_zero_byte.obj", ":5: '1?' is not vertex/texture/normal for a corner: correct it"},
    {"bad_face_large_not_convex.obj",
     ":81: a face of 80 corners that is not convex: cut it in the program that made it"},
    {"bad_word_long.obj", ":5: a word has more than 4096 characters: shorten it"},
    {"bad_stitch_outside.obj", ":6: vertex 4 is outside 0...3: correct the stitch"},
    {"bad_stitch_negative.obj", ":6: -1 for the stitched vertex is not a vertex number: they begin at 0"},
    {"bad_stitch_short.obj", ":6: the line ends where the stitch's place on its edge should be: complete the line"},
    {"bad_gzip_truncated.obj.gz", ": the compressed data is cut off: copy the file again"},
    {"bad_gzip_damaged.obj.gz", ": the compressed data is damaged: copy the file again"},
};

static void faults_are_named_with_place_and_remedy(void **state) {
  (void)state;
  mesh_files_refuse(DATA, sizeof REFUSED / sizeof *REFUSED, REFUSED);
}

static void every_file_of_the_folder(void **state) {
  (void)state;
  assert_true(mesh_files_try_all(DATA) >= 52);
}

// --- what is written -----------------------------------------------------------------------------------------------

static void check_round_trip(const mus_mesh_file *file, const char *name) {
  mus_arena arena = {0};
  mus_mesh_file back;
  if (mus_mesh_file_write(mesh_files_path(name), file) != MUS_OK ||
      mus_mesh_file_read(mesh_files_path(name), &arena, &back) != MUS_OK)
    fail_msg("%s", mus_last_error());
  assert_true(mesh_files_same(file, &back));
  assert_int_equal(back.skipped, 0);
  assert_int_equal(mesh_files_count(), 1);
  unlink(mesh_files_path(name));
  mus_arena_clear(&arena);
}

static void round_trips(void **state) {
  (void)state;
  static const char *const files[] = {"good_seam.obj",     "good_texture.obj",  "good_groups.obj",
                                      "good_stitches.obj", "good_polygons.obj", "good_repeated.obj"};
  mus_arena arena = {0};
  for (size_t k = 0; k < sizeof files / sizeof *files; ++k) {
    mus_mesh_file file = read_data(&arena, files[k]);
    check_round_trip(&file, "copy.obj");
    check_round_trip(&file, "copy.obj.gz");
  }
  // Numbers of all kinds, and a rest shape with seams everywhere.
  int none[200] = {0};
  mus_group group = {""};
  mus_mesh_file file = {.mesh = meshes_soup(&arena, 50, 200, 1), .groups = 1, .group = &group, .triangle_group = none};
  mus_mesh numbers = meshes_soup(&arena, 400, 0, 2);
  file.mesh.material = numbers.position;
  file.mesh.position[3] = 0x1p-1074, file.mesh.position[4] = -0.0, file.mesh.position[5] = 0x1.fffffffffffffp1023;
  check_round_trip(&file, "soup.obj");
  file.mesh.material = NULL;
  check_round_trip(&file, "soup.obj");
  mus_arena_clear(&arena);
}

static void text_is_short_and_plain(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh_file file =
      mesh_files_parse(&arena, "v 0 0 0\nv 0.1 0 0\nv 0 1e3 0\nvt 0 0\nvt 1 0\ng a\nf 1/1 2/2 3/1\nf 3/1 "
                               "2/2 1/1\nstitch 0 1 2 0.5");
  assert_int_equal(mus_obj_write(mesh_files_path("a.obj"), &file), MUS_OK);
  char text[256];
  FILE *written = fopen(mesh_files_path("a.obj"), "rb");
  assert_non_null(written);
  text[fread(text, 1, sizeof text - 1, written)] = '\0';
  fclose(written);
  unlink(mesh_files_path("a.obj"));
  assert_string_equal(text,
                      "v 0 0 0\nv 0.1 0 0\nv 0 1000 0\nvt 0 0\nvt 1 0\nvt 0 0\ng a\nf 1/1 2/2 3/3\nf 3/3 2/2 1/1\n"
                      "stitch 0 1 2 0.5\n");
  // A mesh that comes from elsewhere has no groups.
  mus_mesh_file bare = {.mesh = meshes_grid(&arena, 2, 2)};
  assert_int_equal(mus_obj_write(mesh_files_path("a.obj"), &bare), MUS_OK);
  unlink(mesh_files_path("a.obj"));
  mus_arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_triangle_in_many_ways), cmocka_unit_test(corners_of_every_form),
      cmocka_unit_test(texture_coordinates),       cmocka_unit_test(numbers_that_count_back),
      cmocka_unit_test(continued_lines),           cmocka_unit_test(groups),
      cmocka_unit_test(other_lines_are_counted),   cmocka_unit_test(stitches),
      cmocka_unit_test(polygons_are_cut),          cmocka_unit_test(faults_are_named_with_place_and_remedy),
      cmocka_unit_test(every_file_of_the_folder),  cmocka_unit_test(round_trips),
      cmocka_unit_test(text_is_short_and_plain),
  };
  return cmocka_run_group_tests(tests, mesh_files_make_folder, mesh_files_remove_folder);
}
