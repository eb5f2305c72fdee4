// PLY files: text and both byte orders, every type, what is skipped, every fault that is named, and what is written.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "io/ply.h"
#include "support/mesh_files.h"
#include "support/meshes.h"

#define DATA "tests/data/ply"

static mus_mesh_file read_data(mus_arena *arena, const char *name) { return mesh_files_read(arena, DATA, name); }

static const double SQUARE[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
static const int HALVES[] = {0, 1, 2, 0, 2, 3};

static void assert_square(const mus_mesh_file *file) {
  assert_int_equal(file->mesh.vertices, 4);
  assert_int_equal(file->mesh.triangles, 2);
  assert_memory_equal(file->mesh.position, SQUARE, sizeof SQUARE);
  assert_memory_equal(file->mesh.triangle, HALVES, sizeof HALVES);
  assert_int_equal(file->groups, 1);
}

// --- what is read --------------------------------------------------------------------------------------------------

static void one_square_in_many_ways(void **state) {
  (void)state;
  static const struct {
    const char *name;
    int skipped;
  } files[] = {{"good_ascii.ply", 0},       {"good_quad.ply", 0},        {"good_crlf.ply", 0},
               {"good_loose_lines.ply", 0}, {"good_faces_first.ply", 0}, {"good_little.ply", 0},
               {"good_big.ply", 0},         {"good_types.ply", 0},       {"good_types_big.ply", 0},
               {"good_binary_crlf.ply", 0}, {"good_gzip.ply.gz", 0},     {"good_extra.ply", 11},
               {"good_binary_extra.ply", 6}};
  for (size_t k = 0; k < sizeof files / sizeof *files; ++k) {
    mus_arena arena = {0};
    mus_mesh_file file = read_data(&arena, files[k].name);
    assert_square(&file);
    assert_null(file.mesh.material);
    assert_int_equal(file.skipped, files[k].skipped);
    mus_arena_clear(&arena);
  }
  mus_arena arena = {0};
  mus_mesh_file file = read_data(&arena, "good_extra.ply");
  assert_string_equal(file.first_skipped, "camera");
  mus_arena_clear(&arena);
}

static void numbers_of_other_kinds(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh_file file = read_data(&arena, "good_short_coordinates.ply");
  for (int i = 0; i < 12; ++i)
    assert_true(file.mesh.position[i] == -300 * SQUARE[i]);
  // The data begins with bytes that would be blank in text.
  file = read_data(&arena, "good_binary_blank.ply");
  assert_true(file.mesh.position[0] > 0 && file.mesh.position[0] < 1e-30);
  assert_memory_equal(file.mesh.position + 3, SQUARE + 3, 9 * sizeof(double));
  mus_arena_clear(&arena);
}

static void texture_coordinates(void **state) {
  (void)state;
  static const double halved[] = {0, 0, 0.5, 0, 0.5, 0.5, 0, 0, 0.5, 0.5, 0, 0.5};
  static const double seam[] = {0, 0, 1, 0, 1, 1, 5, 5, 6, 6, 5, 6};
  static const struct {
    const char *name;
    const double *material;
  } files[] = {{"good_texture.ply", halved},
               {"good_texture_uv.ply", halved},
               {"good_seam.ply", seam},
               {"good_seam_first.ply", seam}};
  for (size_t k = 0; k < sizeof files / sizeof *files; ++k) {
    mus_arena arena = {0};
    mus_mesh_file file = read_data(&arena, files[k].name);
    assert_square(&file);
    assert_non_null(file.mesh.material);
    assert_memory_equal(file.mesh.material, files[k].material, sizeof halved);
    mus_arena_clear(&arena);
  }
  mus_arena arena = {0};
  mus_mesh_file file = read_data(&arena, "good_bare_face.ply");
  assert_null(file.mesh.material);
  assert_int_equal(file.bare_corners, 3);
  mus_arena_clear(&arena);
}

// --- what is refused -----------------------------------------------------------------------------------------------

static const mesh_refusal REFUSED[] = {
    {"bad_only_ply.ply", ":2: the file ends in its header: it is truncated"},
    {"bad_header_cut.ply", ":8: the file ends in its header: it is truncated"},
    {"bad_no_format.ply", ":9: the header has no format line: add 'format ascii 1.0' or the like"},
    {"bad_format.ply", ":2: 'ebcdic' is not a format: write ascii, binary_little_endian or binary_big_endian"},
    {"bad_header_word.ply", ":8: 'banana' does not belong in a header: check that it ends with end_header"},
    {"bad_property_first.ply", ":4: a property before the first element: declare the element first"},
    {"bad_type.ply", ":6: 'quad' is not a type: write char, uchar, short, ushort, int, uint, float or double"},
    {"bad_list_of_reals.ply", ":9: the length of a list is a float: it must be a whole number"},
    {"bad_property_no_name.ply", ":6: a property without a name: complete the line"},
    {"bad_count_negative.ply", ":4: -4 elements: give a non-negative number"},
    {"bad_count_text.ply", ":4: 'four' is not a whole number for the number of elements: correct it"},
    {"bad_element_twice.ply", ":10: element 'vertex' is declared twice: leave one out"},
    {"bad_no_z.ply", ":10: there is no 'vertex' element with x, y and z: check that this is a mesh"},
    {"bad_no_face.ply", ":9: there is no 'face' element with a list vertex_indices: write the mesh with plain faces"},
    {"bad_strips.ply", ":11: there is no 'face' element with a list vertex_indices: write the mesh with plain faces"},
    {"bad_indices_no_list.ply",
     ":11: there is no 'face' element with a list vertex_indices: write the mesh with plain faces"},
    {"bad_zero_faces.ply", ": there are no faces: check that this is a mesh, in OBJ or PLY format"},
    {"bad_ascii_cut.ply", ":16: the file ends where a corner should be: it is truncated"},
    {"bad_ascii_text.ply", ":13: 'one' is not a number for y: correct it"},
    {"bad_ascii_nan.ply", ":13: y is not a finite number: check the program that wrote it"},
    {"bad_ascii_outside.ply", ":16: vertex 4 is outside 0...3: correct the face"},
    {"bad_ascii_negative.ply", ":16: -1 for a corner is not a whole number from 0 to 2147483647: correct it"},
    {"bad_ascii_not_whole.ply", ":16: 1.5 for a corner is not a whole number from 0 to 2147483647: correct it"},
    {"bad_ascii_two.ply", ":16: a face of 2 corners: it needs three or more"},
    {"bad_ascii_skipped_cut.ply", ":17: the file ends where a property should be: it is truncated"},
    {"bad_list_negative.ply",
     ":15: -3 for the length of a list is not a whole number from 0 to 2147483647: correct it"},
    {"bad_texcoord.ply", ":17: 4 texture coordinates for 3 corners: give two for each, or none"},
    {"bad_binary_cut.ply", ": the file ends where a corner should be: it is truncated"},
    {"bad_binary_outside.ply", ": face 1: vertex 4 is outside 0...3: correct the face"},
    {"bad_binary_negative.ply", ": face 1: -1 for a corner is not a whole number from 0 to 2147483647: correct it"},
    {"bad_binary_nan.ply", ": vertex 1: y is not a finite number: check the program that wrote it"},
    {"bad_binary_header_end.ply", ":10: the file ends here: it is truncated"},
    {"bad_binary_header_more.ply", ":10: 'more' is one value too many on this line: check it and the lines before"},
    {"bad_binary_1e18.ply", ": the file ends where x should be: it is truncated"},
    {"bad_binary_list_4e9.ply", ": the file ends where a corner should be: it is truncated"},
    {"bad_binary_skipped_list.ply", ": the file ends where a property should be: it is truncated"},
    {"bad_gzip_truncated.ply.gz", ": the compressed data is cut off: copy the file again"},
};

static void faults_are_named_with_place_and_remedy(void **state) {
  (void)state;
  mesh_files_refuse(DATA, sizeof REFUSED / sizeof *REFUSED, REFUSED);
}

static void every_file_of_the_folder(void **state) {
  (void)state;
  assert_true(mesh_files_try_all(DATA) >= 57);
}

// --- what is written -----------------------------------------------------------------------------------------------

static void check_round_trip(const mus_mesh_file *file, const char *name) {
  for (int format = MUS_PLY_TEXT; format <= MUS_PLY_BIG; ++format) {
    mus_arena arena = {0};
    mus_mesh_file back;
    if (mus_ply_write(mesh_files_path(name), file, (mus_ply_format)format) != MUS_OK ||
        mus_mesh_file_read(mesh_files_path(name), &arena, &back) != MUS_OK)
      fail_msg("%s", mus_last_error());
    assert_true(meshes_same(&file->mesh, &back.mesh));
    assert_int_equal(back.skipped, 0);
    assert_int_equal(mesh_files_count(), 1);
    unlink(mesh_files_path(name));
    mus_arena_clear(&arena);
  }
}

static void round_trips(void **state) {
  (void)state;
  static const char *const files[] = {"good_ascii.ply", "good_texture.ply", "good_seam.ply"};
  mus_arena arena = {0};
  for (size_t k = 0; k < sizeof files / sizeof *files; ++k) {
    mus_mesh_file file = read_data(&arena, files[k]);
    check_round_trip(&file, "copy.ply");
    check_round_trip(&file, "copy.ply.gz");
  }
  mus_mesh_file file = {.mesh = meshes_grid(&arena, 30, 20)}; // a pair of coordinates a vertex
  check_round_trip(&file, "grid.ply");
  file.mesh = meshes_soup(&arena, 50, 200, 1); // a pair a corner
  mus_mesh numbers = meshes_soup(&arena, 400, 0, 2);
  file.mesh.material = numbers.position;
  file.mesh.position[3] = 0x1p-1074, file.mesh.position[4] = -0.0, file.mesh.position[5] = 0x1.fffffffffffffp1023;
  check_round_trip(&file, "soup.ply");
  mus_arena_clear(&arena);
}

static void seams_are_written_with_the_faces(void **state) {
  (void)state;
  mus_arena arena = {0};
  static const struct {
    const char *name, *expected;
  } files[] = {{"good_seam.ply",
                "ply\nformat ascii 1.0\nelement vertex 4\nproperty double x\nproperty double y\nproperty double z\n"
                "element face 2\nproperty list uchar int vertex_indices\nproperty list uchar double texcoord\n"
                "end_header\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2 6 0 0 1 0 1 1\n3 0 2 3 6 5 5 6 6 5 6\n"},
               {"good_texture.ply",
                "ply\nformat ascii 1.0\nelement vertex 4\nproperty double x\nproperty double y\nproperty double "
                "z\nproperty double s\nproperty double t\nelement face 2\nproperty list uchar int "
                "vertex_indices\nend_header\n0 0 0 0 0\n1 0 0 0.5 0\n1 1 0 0.5 0.5\n0 1 0 0 0.5\n3 0 1 2\n3 0 2 "
                "3\n"}};
  for (size_t k = 0; k < 2; ++k) {
    mus_mesh_file file = read_data(&arena, files[k].name);
    assert_int_equal(mus_ply_write(mesh_files_path("a.ply"), &file, MUS_PLY_TEXT), MUS_OK);
    char text[1024];
    FILE *written = fopen(mesh_files_path("a.ply"), "rb");
    assert_non_null(written);
    text[fread(text, 1, sizeof text - 1, written)] = '\0';
    fclose(written);
    unlink(mesh_files_path("a.ply"));
    assert_string_equal(text, files[k].expected);
  }
  mus_arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_square_in_many_ways),
      cmocka_unit_test(numbers_of_other_kinds),
      cmocka_unit_test(texture_coordinates),
      cmocka_unit_test(faults_are_named_with_place_and_remedy),
      cmocka_unit_test(every_file_of_the_folder),
      cmocka_unit_test(round_trips),
      cmocka_unit_test(seams_are_written_with_the_faces),
  };
  return cmocka_run_group_tests(tests, mesh_files_make_folder, mesh_files_remove_folder);
}
