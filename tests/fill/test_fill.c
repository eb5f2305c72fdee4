// Whole fillings: built-in shapes at the size that is asked for, files of each kind, and what is refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fill/creatures.h"
#include "io/mesh_file.h"
#include "io/solid_file.h"
#include "mesh/check.h"
#include "mesh/tetrahedra_check.h"
#include "muslin/fill.h"
#include "support/check.h"
#include "support/files.h"
#include "support/meshes.h"
#include "support/sweep.h"

static void shapes_have_the_size_asked_for(void **state) {
  for (int k = 0; mus_fill_shape_name(k); ++k) {
    const char *name = mus_fill_shape_name(k), *path = files_path(*state, "a.msh");
    mus_fill_options options = mus_default_fill_options();
    mus_fill_record record;
    mus_arena arena = {0};
    mus_solid_file file;
    mus_solid_report report;
    if (strcmp(name, "mannequin") == 0) // takes long; test_filled_surface_large has it
      continue;
    options.vertices = 1000;
    assert_ok(mus_fill_solid(name, path, &options, &record));
    assert_true(abs(record.vertices - 1000) < 250);
    assert_int_equal(record.pieces, 1);
    assert_true(record.least_angle >= 10.6 && record.largest_angle <= 164.8);
    assert_true(record.mean_quality > 0.75);
    assert_true(record.deviation == -1 && record.loss == -1 && record.closed == 0);
    assert_ok(mus_solid_file_read(path, &arena, &file));
    assert_int_equal(file.mesh.vertices, record.vertices);
    assert_int_equal(file.mesh.tetrahedra, record.tetrahedra);
    assert_ok(mus_tetrahedra_check(&file.mesh, &report));
    for (int d = 0; d < MUS_SOLID_DEFECTS; ++d)
      assert_int_equal(report.count[d], 0);
    assert_true(mus_fill_shape_about(k)[0] != '\0');
    mus_arena_clear(&arena);
  }
  assert_null(mus_fill_shape_name(-1));
}

static void edges_and_scales_are_kept(void **state) {
  mus_fill_options options = mus_default_fill_options();
  mus_fill_record one, ten;
  const char *path = files_path(*state, "a.vtk");
  options.edge = 0.15;
  assert_ok(mus_fill_solid("ball", path, &options, &one));
  assert_true(one.edge == 0.15);
  options.edge = 1.5;
  options.scale = 10;
  assert_ok(mus_fill_solid("ball", path, &options, &ten));
  assert_int_equal(one.tetrahedra, ten.tetrahedra);
  assert_true(fabs(ten.volume - 1000 * one.volume) < 1e-9 * ten.volume && fabs(ten.edge - 1.5) < 1e-12);
}

static void surfaces_of_files(void **state) {
  const char *surface = files_path(*state, "ball.obj"), *path = files_path(*state, "skin.ply");
  mus_arena arena = {0};
  mus_mesh_file file = {.mesh = meshes_ball(&arena, 3)}, skin;
  assert_ok(mus_mesh_file_write(surface, &file));
  mus_fill_options options = mus_default_fill_options();
  mus_fill_record record;
  mus_mesh_report report;
  options.edge = 0.2;
  assert_ok(mus_fill_solid(surface, path, &options, &record));
  assert_true(record.deviation >= 0 && record.deviation < 0.1 && record.loss < 0.1 && record.closed == 0);
  assert_string_equal(record.repairs, "");
  assert_ok(mus_mesh_file_read(path, &arena, &skin));
  assert_int_equal(skin.mesh.vertices, record.surface_vertices);
  assert_int_equal(skin.mesh.triangles, record.surface_triangles);
  assert_ok(mus_mesh_check(&skin.mesh, &report));
  for (int k = 0; k < MUS_DEFECTS; ++k)
    assert_int_equal(report.count[k], 0);
  mus_arena_clear(&arena);
}

static void what_cannot_be_filled_is_refused(void **state) {
  const char *sheet = files_path(*state, "sheet.obj"), *path = files_path(*state, "a.msh");
  mus_arena arena = {0};
  mus_mesh_file file = {.mesh = meshes_grid(&arena, 4, 4)};
  mus_fill_options options = mus_default_fill_options();
  mus_fill_record record;
  assert_ok(mus_mesh_file_write(sheet, &file));
  options.edge = 0.5;
  assert_fails(mus_fill_solid(sheet, path, &options, &record), MUS_BAD_INPUT,
               "no tetrahedron with edges of 0.5 m fits inside");
  options.edge = 1e-9;
  assert_fails(mus_fill_solid("ball", path, &options, &record), MUS_BAD_INPUT, "choose longer ones");
  options.edge = -1;
  assert_fails(mus_fill_solid("ball", path, &options, &record), MUS_BAD_INPUT, "edges of -1 m: give a positive length");
  options = mus_default_fill_options();
  options.scale = 0;
  assert_fails(mus_fill_solid("ball", path, &options, &record), MUS_BAD_INPUT, "a scale of 0");
  options = mus_default_fill_options();
  options.vertices = 3;
  assert_fails(mus_fill_solid("ball", path, &options, &record), MUS_BAD_INPUT, "3 vertices: give 9");
  assert_fails(mus_fill_solid("bell", path, NULL, NULL), MUS_IO_ERROR, "neither such a file nor a built-in shape");
  assert_fails(mus_fill_solid("ball", "a.stl", NULL, NULL), MUS_BAD_INPUT, "a.stl: the name says no format");
  options = mus_default_fill_options();
  options.format = "vtk";
  assert_fails(mus_fill_solid("ball", path, &options, NULL), MUS_BAD_INPUT, "end in .vtk");
  assert_false(files_exists(path));
  mus_arena_clear(&arena);
}

// The distance of a figure is one: nowhere does it change faster than its slope says, however thick it is made.
static void figures_keep_their_slope(void **state) {
  (void)state;
  for (int k = 0; k < 4; ++k) {
    mus_figure figure = {0};
    mus_shape shape;
    (k % 2 ? mus_figure_make_octopus : mus_figure_make_dragon)(&figure);
    assert_ok(mus_figure_shape(&figure, k < 2 ? 0 : 0.03, &shape));
    for (int i = 0; i < 4000; ++i) {
      double p[3], q[3], way = 0;
      for (int c = 0; c < 3; ++c) {
        p[c] = shape.low[c] + (shape.high[c] - shape.low[c]) * fmod(0.618034 * (i + 1) * (c + 1) * (c + 1), 1);
        q[c] = p[c] + 0.02 * sin(7.0 * i + c);
        way += (q[c] - p[c]) * (q[c] - p[c]);
      }
      double change = fabs(shape.distance(shape.data, p) - shape.distance(shape.data, q));
      assert_true(change <= shape.slope * sqrt(way) + 1e-6);
    }
    for (int c = 0; c < 3; ++c) { // nothing sticks out of the box
      double p[3] = {0.5 * (shape.low[0] + shape.high[0]), 0.3, 0.5 * (shape.low[2] + shape.high[2])};
      p[c] = shape.low[c];
      assert_true(shape.distance(shape.data, p) >= 0);
      p[c] = shape.high[c];
      assert_true(shape.distance(shape.data, p) >= 0);
    }
    mus_figure_free(&figure);
  }
}

static mus_status fill_octopus(mus_arena *arena, void *data) {
  (void)arena;
  mus_fill_options options = mus_default_fill_options();
  options.edge = 0.4;
  return mus_fill_solid("octopus", data, &options, NULL);
}

static void failing_allocations_leak_nothing(void **state) {
  mus_arena arena = {0};
  char path[512];
  strcpy(path, files_path(*state, "a.msh"));
  assert_true(sweep_allocations(&arena, fill_octopus, path) > 20);
  mus_arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(shapes_have_the_size_asked_for, files_setup, files_teardown),
      cmocka_unit_test_setup_teardown(edges_and_scales_are_kept, files_setup, files_teardown),
      cmocka_unit_test_setup_teardown(surfaces_of_files, files_setup, files_teardown),
      cmocka_unit_test_setup_teardown(what_cannot_be_filled_is_refused, files_setup, files_teardown),
      cmocka_unit_test(figures_keep_their_slope),
      cmocka_unit_test_setup_teardown(failing_allocations_leak_nothing, files_setup, files_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
