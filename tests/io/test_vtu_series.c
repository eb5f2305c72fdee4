// VTK series: what stands in the files and in the list of them, at any time.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/cache.h"
#include "support/check.h"
#include "support/files.h"
#include "support/vtu.h"

static const mus_cache_format *vtu_format(void) {
  const mus_cache_format *format = NULL;
  assert_ok(mus_cache_format_from_name("vtu", &format));
  return format;
}

// Two tetrahedra on a common face, with numbers of every kind.
enum { POINTS = 5, CELLS = 2 };
static double place[3 * POINTS] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0.1, -2.5, 1e-9};
static int corner[4 * CELLS] = {0, 1, 2, 3, 0, 2, 1, 4};
static double velocity[3 * POINTS], stress[6 * CELLS];
static int region[CELLS] = {7, -1};
static const mus_grid_values values[] = {
    {.name = "stress", .of_cells = 1, .components = 6, .real = stress},
    {.name = "velocity", .components = 3, .real = velocity},
    {.name = "region", .of_cells = 1, .components = 1, .whole = region},
};
static const mus_grid grid = {
    .points = POINTS, .cells = CELLS, .corners = 4, .corner = corner, .value_count = 3, .values = values};

static mus_cache_definition define(int frames) {
  return (mus_cache_definition){.points = POINTS, .frames = frames, .frames_per_second = 8, .grid = &grid};
}

static void set_numbers(int frame) {
  for (int i = 0; i < 3 * POINTS; ++i)
    velocity[i] = i + 100.0 * frame;
  for (int i = 0; i < 6 * CELLS; ++i)
    stress[i] = -i - 0.1 * frame;
}

static mus_cache_writer *write_series(const char *path, int frames) {
  mus_cache_definition definition = define(frames + 3);
  mus_cache_writer *writer = NULL;
  assert_ok(mus_cache_create(path, vtu_format(), &definition, &writer));
  for (int frame = 0; frame < frames; ++frame) {
    set_numbers(frame);
    assert_ok(mus_cache_write(writer, place));
  }
  return writer;
}

static void frames_hold_the_grid_and_its_numbers(void **state) {
  mus_cache_writer *writer = write_series(files_path(*state, "a.pvd"), 2);
  assert_ok(mus_cache_finish(writer));
  mus_cache_close(writer);
  for (int frame = 0; frame < 2; ++frame) {
    vtu_file file = vtu_read(files_path(*state, frame ? "a.frames/frame_0001.vtu" : "a.frames/frame_0000.vtu"));
    assert_int_equal(file.points, POINTS);
    assert_int_equal(file.cells, CELLS);
    assert_int_equal(file.arrays, 7);
    const vtu_array *positions = vtu_find(&file, "positions");
    assert_int_equal(positions->bytes, sizeof place);
    assert_memory_equal(positions->data, place, sizeof place);
    assert_int_equal(vtu_find(&file, "velocity")->of, 'p');
    assert_int_equal(vtu_find(&file, "stress")->of, 'c');
    assert_int_equal(vtu_find(&file, "stress")->components, 6);
    set_numbers(frame);
    for (size_t i = 0; i < 3 * POINTS; ++i)
      assert_true(vtu_number(vtu_find(&file, "velocity"), i) == (double)(float)velocity[i]);
    for (size_t i = 0; i < 6 * CELLS; ++i)
      assert_true(vtu_number(vtu_find(&file, "stress"), i) == (double)(float)stress[i]);
    for (size_t i = 0; i < 4 * CELLS; ++i)
      assert_true(vtu_number(vtu_find(&file, "connectivity"), i) == corner[i]);
    for (size_t c = 0; c < CELLS; ++c) {
      assert_true(vtu_number(vtu_find(&file, "offsets"), c) == 4.0 * (double)c + 4);
      assert_true(vtu_number(vtu_find(&file, "types"), c) == 10);
      assert_true(vtu_number(vtu_find(&file, "region"), c) == region[c]);
    }
    vtu_free(&file);
  }
}

// A mesh without a grid: its triangles.
static void triangles_are_cells_too(void **state) {
  static int triangle[] = {0, 1, 2, 2, 1, 3};
  const mus_mesh mesh = {.vertices = POINTS, .triangles = 2, .triangle = triangle};
  mus_cache_definition definition = {.points = POINTS, .frames = 1, .frames_per_second = 24, .mesh = &mesh};
  mus_cache_writer *writer = NULL;
  assert_ok(mus_cache_create(files_path(*state, "a.pvd"), vtu_format(), &definition, &writer));
  assert_ok(mus_cache_write(writer, place));
  assert_ok(mus_cache_finish(writer));
  mus_cache_close(writer);
  vtu_file file = vtu_read(files_path(*state, "a.frames/frame_0000.vtu"));
  assert_int_equal(file.arrays, 4);
  assert_true(vtu_number(vtu_find(&file, "types"), 1) == 5);
  assert_true(vtu_number(vtu_find(&file, "offsets"), 1) == 6);
  assert_true(vtu_number(vtu_find(&file, "connectivity"), 5) == 3);
  vtu_free(&file);
}

// The list as it should be with so many frames.
static void assert_list(const char *path, const char *folder, int frames) {
  char expected[4096], *end = expected;
  end += sprintf(end, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
                      "byte_order=\"LittleEndian\">\n<Collection>\n");
  for (int k = 0; k < frames; ++k)
    end += sprintf(end, "<DataSet timestep=\"%g\" part=\"0\" file=\"%s/frame_%04d.vtu\"/>\n", k / 8.0, folder, k);
  end += sprintf(end, "</Collection>\n</VTKFile>\n");
  files_assert_bytes(path, expected, (size_t)(end - expected));
}

static void the_list_names_the_frames_that_are_there(void **state) {
  const char *path = files_path(*state, "a.pvd");
  mus_cache_definition definition = define(6);
  mus_cache_writer *writer = NULL;
  assert_ok(mus_cache_create(path, vtu_format(), &definition, &writer));
  assert_list(path, "a.frames", 0);
  for (int frame = 0; frame < 4; ++frame) {
    assert_ok(mus_cache_write(writer, place));
    assert_list(path, "a.frames", frame + 1);
  }
  mus_cache_close(writer);
  assert_ok(mus_cache_resume(path, vtu_format(), &definition, &writer));
  assert_int_equal(mus_cache_frames(writer), 4);
  assert_ok(mus_cache_keep(writer, 2));
  assert_list(path, "a.frames", 2);
  assert_int_equal(files_count(files_path(*state, "a.frames")), 2);
  assert_ok(mus_cache_write(writer, place));
  assert_ok(mus_cache_finish(writer));
  mus_cache_close(writer);
  assert_list(path, "a.frames", 3);
  assert_int_equal(files_count(*state), 2);
}

// What a kill leaves beside goes, what is not ours stays.
static void leftovers_are_removed(void **state) {
  mus_cache_close(write_series(files_path(*state, "a.pvd"), 2));
  files_write(files_path(*state, "a.pvd.tmp123"), "<", 1);
  files_write(files_path(*state, "a.frames/frame_0002.vtu.tmp123"), "<", 1);
  files_write(files_path(*state, "a.frames/notes.txt"), "!", 1);
  mus_cache_definition definition = define(6);
  mus_cache_writer *writer = NULL;
  assert_ok(mus_cache_resume(files_path(*state, "a.pvd"), vtu_format(), &definition, &writer));
  mus_cache_close(writer);
  assert_int_equal(files_count(*state), 2);
  assert_int_equal(files_count(files_path(*state, "a.frames")), 3);
}

static void names_are_escaped(void **state) {
  const char *folder = files_path(*state, "here");
  assert_int_equal(mkdir(folder, 0777), 0);
  mus_cache_close(write_series(files_path(*state, "here/a&<\".pvd"), 1));
  assert_list(files_path(*state, "here/a&<\".pvd"), "a&amp;&lt;&quot;.frames", 1);
  assert_true(files_exists(files_path(*state, "here/a&<\".frames/frame_0000.vtu")));
}

static void grids_fit_their_caches(void **state) {
  mus_cache_definition definition = define(2);
  mus_cache_writer *writer = NULL;
  definition.points = 4;
  assert_fails(mus_cache_create(files_path(*state, "a.pvd"), vtu_format(), &definition, &writer), MUS_BAD_INPUT,
               "a cache of 4 points for a grid of 5");
  definition = (mus_cache_definition){.points = 4, .frames = 2, .frames_per_second = 8};
  assert_fails(mus_cache_create(files_path(*state, "a.pvd"), vtu_format(), &definition, &writer), MUS_BAD_INPUT,
               "without a mesh");
  assert_int_equal(files_count(*state), 0);
}

int main(void) {
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, files_setup, files_teardown)
  const struct CMUnitTest tests[] = {
      IN_FOLDER(frames_hold_the_grid_and_its_numbers),
      IN_FOLDER(triangles_are_cells_too),
      IN_FOLDER(the_list_names_the_frames_that_are_there),
      IN_FOLDER(leftovers_are_removed),
      IN_FOLDER(names_are_escaped),
      IN_FOLDER(grids_fit_their_caches),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
