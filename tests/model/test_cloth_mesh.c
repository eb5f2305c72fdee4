// Cloth from mesh files: order, repairs, rest shapes, errors.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "model/cloth_mesh.h"
#include "sim/simulator.h"
#include "support/check.h"
#include "support/files.h"
#include "support/runs.h"

enum { SIDE = 13, VERTICES = SIDE * SIDE };

// A square of SIDE x SIDE vertices in the x-z plane, vertex k of the grid being the file's vertex number[k].
static void write_square(const char *path, const int *number, const char *more) {
  static double x[VERTICES][2];
  for (int k = 0; k < VERTICES; ++k) {
    x[number[k]][0] = (double)(k % SIDE) / (SIDE - 1) - 0.5;
    x[number[k]][1] = (double)(k / SIDE) / (SIDE - 1) - 0.5;
  }
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  for (int i = 0; i < VERTICES; ++i)
    fprintf(file, "v %.17g 0 %.17g\nvt %.17g %.17g\n", x[i][0], x[i][1], 2 * x[i][0], -2 * x[i][1]);
  for (int r = 0; r + 1 < SIDE; ++r)
    for (int c = 0; c + 1 < SIDE; ++c) {
      int k = r * SIDE + c, a = number[k] + 1, b = number[k + SIDE] + 1, d = number[k + 1] + 1,
          e = number[k + SIDE + 1] + 1;
      fprintf(file, "f %d/%d %d/%d %d/%d\nf %d/%d %d/%d %d/%d\n", a, a, b, b, d, d, d, d, b, b, e, e);
    }
  fputs(more, file);
  assert_int_equal(fclose(file), 0);
}

static void in_order(int *number) {
  for (int k = 0; k < VERTICES; ++k)
    number[k] = k;
}

static void shuffled(int *number) {
  in_order(number);
  for (int k = VERTICES - 1; k > 0; --k) {
    int other = (int)((mus_random(7, (uint64_t)k) + 1) / 2 * k), keep = number[k];
    number[k] = number[other];
    number[other] = keep;
  }
}

// The file as a cloth that is held at the grid's first corner, by its number.
static run *scene_of(const char *path, int corner, double scale) {
  char text[600];
  snprintf(text, sizeof text,
           "{\"cloths\": [{\"shape\": {\"kind\": \"file\", \"file\": \"%s\", \"material_scale\": %g},"
           " \"pins\": [{\"where\": {\"vertices\": [%d]}}]}]}",
           path, scale, corner);
  run *r = runs_scene(text);
  r->scene.solver.tolerance = 1e-10;
  return r;
}

// Whatever order a file has, it is simulated in a good one and comes out as it went in.
static void order_of_the_file_is_kept(void **state) {
  int number[2][VERTICES];
  static double x[2][3 * VERTICES];
  in_order(number[0]);
  shuffled(number[1]);
  for (int k = 0; k < 2; ++k) {
    write_square(files_path(*state, "square.obj"), number[k], "");
    run *r = scene_of(files_path(*state, "square.obj"), number[k][0], 0.5);
    runs_begin(r);
    mus_sim *sim = r->sim;
    assert_int_equal(mus_sim_vertices(sim), VERTICES);
    assert_string_equal(mus_sim_repairs(sim, 0), "");
    const int *triangle = mus_sim_triangle_list(sim);
    assert_int_equal(triangle[0], number[k][0]);
    assert_int_equal(triangle[1], number[k][SIDE]);
    assert_int_equal(triangle[2], number[k][1]);
    assert_true(fabs(mus_sim_material(sim)[0] + 0.5) < 1e-12);
    runs_frame(r);
    for (int i = 0; i < VERTICES; ++i)
      memcpy(x[k] + 3 * i, mus_sim_positions(sim) + 3 * number[k][i], 3 * sizeof(double));
    assert_true(x[k][0] == -0.5 && x[k][1] == 0 && x[k][2] == -0.5);
    assert_true(x[k][3 * VERTICES - 2] < -1e-3);
    mus_sim_system system;
    assert_int_equal(mus_sim_next_system(sim, &system), MUS_OK);
    int same = memcmp(system.positions, mus_sim_positions(sim), 3 * VERTICES * sizeof(double)) == 0;
    assert_int_equal(same, k == 0);
    const double *residual = mus_sim_residual(sim);
    assert_true(residual[3 * number[k][0] + 1] == 0);
    runs_free(r);
  }
  for (int i = 0; i < 3 * VERTICES; ++i)
    if (fabs(x[0][i] - x[1][i]) > 1e-8)
      fail_msg("vertex %d differs by %g", i / 3, fabs(x[0][i] - x[1][i]));
}

// Loose vertices and triangles without area are left out, and that is said.
static void defects_are_mended_and_said(void **state) {
  int number[VERTICES];
  in_order(number);
  write_square(files_path(*state, "square.obj"), number, "v 9 9 9\nf 1/1 2/2 2/2\n");
  run *r = scene_of(files_path(*state, "square.obj"), 0, 0);
  runs_begin(r);
  assert_int_equal(mus_sim_vertices(r->sim), VERTICES);
  assert_int_equal(mus_sim_triangles(r->sim), 2 * (SIDE - 1) * (SIDE - 1));
  assert_non_null(strstr(mus_sim_repairs(r->sim, 0), "triangle"));
  assert_non_null(strstr(mus_sim_repairs(r->sim, 0), "vertex"));
  runs_free(r);
}

// Pins name vertices as the file counts them, also where vertices before them are left out.
static void pins_count_as_the_file_does(void **state) {
  const char *path = files_path(*state, "loose.obj");
  const char *text = "v 9 9 9\nv 0 0 0\nv 8 8 8\nv 1 0 0\nv 1 0 1\nv 0 0 1\nv 7 7 7\nf 2 6 5 4\n";
  files_write(path, text, strlen(text));
  run *r = scene_of(path, 3, 0); // at (1, 0, 0)
  runs_begin(r);
  assert_int_equal(mus_sim_vertices(r->sim), 4);
  runs_frame(r);
  for (int i = 0; i < 4; ++i)
    assert_int_equal(mus_sim_positions(r->sim)[3 * i + 1] == 0, i == 1);
  runs_free(r);
  const struct {
    int vertex;
    const char *reason;
  } bad[] = {
      {0, "vertex 0 belongs to no triangle"}, {2, "vertex 2 belongs to no triangle"}, {6, "vertex 6 is outside 0...5"}};
  for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
    r = scene_of(path, bad[k].vertex, 0);
    assert_int_equal(mus_sim_create(&r->scene, &r->sim), MUS_BAD_INPUT);
    assert_non_null(strstr(mus_last_error(), bad[k].reason));
    runs_free(r);
  }
}

// Texture coordinates of no use are no hindrance to a cloth whose rest shape is that of its positions.
static void unused_texture_coordinates_may_be_anything(void **state) {
  const char *path = files_path(*state, "points.obj");
  const char *text = "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nvt 0 0\nvt 1 0\nf 1/1 4/1 3/1\nf 3/2 2/2 1/1\n";
  files_write(path, text, strlen(text));
  run *r = scene_of(path, 0, 0);
  runs_begin(r);
  assert_int_equal(mus_sim_triangles(r->sim), 2);
  assert_string_equal(mus_sim_repairs(r->sim, 0), "");
  runs_free(r);
}

// A mesh in centimetres, and its texture coordinates in millimetres.
static void files_may_have_other_units(void **state) {
  const char *path = files_path(*state, "centimetres.obj");
  const char *text = "v 0 0 0\nv 300 0 0\nv 300 0 200\nv 0 0 200\n"
                     "vt 0 0\nvt 3000 0\nvt 3000 2000\nvt 0 2000\nf 1/1 4/4 3/3 2/2\n";
  files_write(path, text, strlen(text));
  for (int k = 0; k < 2; ++k) {
    run *r = scene_of(path, 0, k == 0 ? 0 : 0.001);
    r->scene.cloths[0].shape.scale = 0.01;
    runs_begin(r);
    assert_true(fabs(mus_sim_positions(r->sim)[6] - 3) < 1e-12 && fabs(mus_sim_positions(r->sim)[8] - 2) < 1e-12);
    double mass = 0, strain = runs_frame(r)->strain_maximum;
    for (int i = 0; i < r->sim->model.vertices; ++i)
      mass += r->sim->model.mass[i];
    assert_true(fabs(mass - 6 * 0.17) < 1e-12); // cotton
    assert_true(strain < 0.01);
    runs_free(r);
  }
}

static void refuses(const char *path, const char *text, double scale, const char *reason) {
  if (text)
    files_write(path, text, strlen(text));
  run *r = scene_of(path, 0, scale);
  assert_int_not_equal(mus_sim_create(&r->scene, &r->sim), MUS_OK);
  assert_null(r->sim);
  if (!strstr(mus_last_error(), reason) || !strstr(mus_last_error(), path))
    fail_msg("\"%s\" does not say \"%s\" and \"%s\"", mus_last_error(), reason, path);
  runs_free(r);
}

static void errors_name_the_file(void **state) {
  const char *path = files_path(*state, "bad.obj");
  refuses(files_path(*state, "missing.obj"), NULL, 0, "No such file");
  refuses(path, "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n", 0, "no triangle with an area");
  refuses(path, "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n", 1, "texture");
  refuses(path, "v 0 0 0\nv 1 0 0\nv 0 0 1\nvt 0 0\nf 1/1 2/1 3/1\n", 1, "leave \"material_scale\" out");
  refuses(path, "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 0 1 0\nv 0 -1 1\nf 1 2 3\nf 1 2 4\nf 1 2 5\n", 0, "two sides");
}

// A cap's rest shape is the cap: without gravity and air nothing moves.
static void shaped_cloth_rests_in_its_shape(void **state) {
  const char *path = files_path(*state, "roof.obj");
  const char *text = "v 0 0 0\nv 1 0 0\nv 1 0.5 1\nv 0 0.5 1\nv 1 0 2\nv 0 0 2\nf 1 4 3 2\nf 4 6 5 3\n";
  files_write(path, text, strlen(text));
  run *r = scene_of(path, 0, 0);
  static double nothing[3] = {0, 0, 0}, start = 0;
  r->scene.gravity = (mus_keys){1, 3, &start, nothing};
  r->scene.air_density = 0;
  runs_begin(r);
  double before[18];
  memcpy(before, mus_sim_positions(r->sim), sizeof before);
  runs_frame(r);
  for (int i = 0; i < 18; ++i)
    assert_true(fabs(mus_sim_positions(r->sim)[i] - before[i]) < 1e-12);
  r->scene.gravity = (mus_keys){0};
  runs_free(r);
}

// Where a second mesh says, which may hold more than the cloth; the rest shape is the file's.
static void cloths_may_start_elsewhere(void **state) {
  const char *path = files_path(*state, "flat.obj"), *start = files_path(*state, "start.obj");
  const char *text = "v 9 9 9\nv 0 0 0\nv 100 0 0\nv 100 0 100\nv 0 0 100\nf 2 5 4 3\n";
  const char *more = "v 0 0 0\nv 50 50 0\nv 50 150 0\nv 50 150 100\nv 50 50 100\nv 7 7 7\nf 2 5 6\n";
  files_write(path, text, strlen(text));
  files_write(start, more, strlen(more));
  run *r = scene_of(path, 1, 0);
  r->scene.cloths[0].shape.scale = 0.01;
  r->scene.cloths[0].shape.start = strdup(start);
  runs_begin(r);
  const double expected[] = {0.5, 0.5, 0, 0.5, 1.5, 0, 0.5, 1.5, 1, 0.5, 0.5, 1};
  for (int i = 0; i < 12; ++i)
    assert_true(fabs(mus_sim_positions(r->sim)[i] - expected[i]) < 1e-12);
  assert_true(runs_frame(r)->strain_maximum < 0.01);
  runs_free(r);
  more = "v 0 0 0\nv 1 1 1\nv 2 1 1\nv 1 2 1\nf 1 2 3\n";
  files_write(start, more, strlen(more));
  r = scene_of(path, 1, 0);
  r->scene.cloths[0].shape.start = strdup(start);
  assert_int_equal(mus_sim_create(&r->scene, &r->sim), MUS_BAD_INPUT);
  assert_non_null(strstr(mus_last_error(), "start.obj: 4 vertices are too few for the 5 of"));
  runs_free(r);
}

static void check_stitch(const mus_part_shape *shape, int k, int a, int b, int c, double ratio) {
  const mus_stitch *s = &shape->stitch[k];
  int vertex[3];
  assert_int_equal(mus_part_vertex(shape, a, &vertex[0]), MUS_OK);
  assert_int_equal(mus_part_vertex(shape, b, &vertex[1]), MUS_OK);
  assert_int_equal(mus_part_vertex(shape, c, &vertex[2]), MUS_OK);
  assert_true(s->a == vertex[0] && s->b == vertex[1] && s->c == vertex[2] && s->ratio == ratio);
}

// Those of the file and those of the scene, whatever order and whatever gaps the file's vertices have.
static void stitches_are_found_again(void **state) {
  int number[VERTICES];
  shuffled(number);
  char more[300];
  snprintf(more, sizeof more, "v 9 9 9\nstitch %d %d %d 0.25\nstitch 0 1 %d 0\nstitch 3 4 5 0.5\n", number[0],
           number[SIDE], number[2 * SIDE], VERTICES);
  const char *path = files_path(*state, "square.obj");
  write_square(path, number, more);
  int pairs[][2] = {{number[5], number[SIDE + 5]}, {7, 8}};
  mus_cloth cloth = mus_default_cloth();
  cloth.shape.kind = MUS_CLOTH_SHAPE_FILE;
  cloth.shape.file = (char *)(uintptr_t)path;
  cloth.stitch_count = 2;
  cloth.stitches = pairs;
  mus_arena arena = {0};
  mus_part_shape shape;
  assert_int_equal(mus_cloth_mesh_create(&arena, MUS_UP_Y, &cloth, NULL, &shape), MUS_OK);
  assert_non_null(shape.order);
  assert_int_equal(shape.stitches, 4);
  check_stitch(&shape, 0, number[0], number[SIDE], number[2 * SIDE], 0.25);
  check_stitch(&shape, 1, 3, 4, 5, 0.5);
  check_stitch(&shape, 2, pairs[0][0], pairs[0][1], pairs[0][1], 0);
  check_stitch(&shape, 3, 7, 8, 8, 0);
  assert_non_null(strstr(shape.repairs, "left out 1 stitches of vertices without triangles"));
  const struct {
    int pair[2];
    const char *reason;
  } bad[] = {{{3, 3}, "stitches[1]: vertex 3 is stitched to itself"}, {{3, VERTICES}, "stitches[1]: vertex 169 "}};
  for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
    memcpy(pairs[1], bad[k].pair, sizeof bad[k].pair);
    assert_int_equal(mus_cloth_mesh_create(&arena, MUS_UP_Y, &cloth, NULL, &shape), MUS_BAD_INPUT);
    assert_non_null(strstr(mus_last_error(), bad[k].reason));
  }
  mus_arena_clear(&arena);
}

// A garment is cut for the body that is named, wherever that stands, and comes with its seams.
static void garments_need_a_body(void **state) {
  (void)state;
  const char *text = "{\"bodies\": [{\"name\": \"floor\"}, {\"name\": \"figure\", \"translate\": [3, 0, 1],"
                     " \"shape\": {\"kind\": \"mannequin\"}}], \"cloths\": [{\"shape\": {\"kind\": \"garment\","
                     " \"vertices\": 1500%s}}]}";
  const struct {
    const char *around, *reason;
  } bad[] = {{"", "cloths[0]: a garment is made around a body: name it in \"around\""},
             {", \"around\": \"nobody\"", "there is no body \"nobody\""},
             {", \"around\": \"floor\"", "the body is flat"}};
  char whole[400];
  for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
    snprintf(whole, sizeof whole, text, bad[k].around);
    run *r = runs_scene(whole);
    assert_fails(mus_sim_create(&r->scene, &r->sim), MUS_BAD_INPUT, bad[k].reason);
    runs_free(r);
  }
  snprintf(whole, sizeof whole, text, ", \"around\": \"figure\"");
  run *r = runs_scene(whole);
  runs_begin(r);
  const mus_part_shape *shape = &r->sim->model.parts[0].shape;
  assert_true(shape->stitches > 100 && abs(shape->mesh.vertices - 1500) < 100);
  double low = INFINITY, high = -INFINITY;
  for (int v = 0; v < shape->mesh.vertices; ++v) {
    low = fmin(low, shape->mesh.position[3 * v]);
    high = fmax(high, shape->mesh.position[3 * v]);
  }
  assert_true(fabs(low + high - 6) < 0.02);
  runs_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(order_of_the_file_is_kept, files_setup, files_teardown),
      cmocka_unit_test_setup_teardown(defects_are_mended_and_said, files_setup, files_teardown),
      cmocka_unit_test_setup_teardown(pins_count_as_the_file_does, files_setup, files_teardown),
      cmocka_unit_test_setup_teardown(unused_texture_coordinates_may_be_anything, files_setup, files_teardown),
      cmocka_unit_test_setup_teardown(files_may_have_other_units, files_setup, files_teardown),
      cmocka_unit_test_setup_teardown(errors_name_the_file, files_setup, files_teardown),
      cmocka_unit_test_setup_teardown(shaped_cloth_rests_in_its_shape, files_setup, files_teardown),
      cmocka_unit_test_setup_teardown(cloths_may_start_elsewhere, files_setup, files_teardown),
      cmocka_unit_test_setup_teardown(stitches_are_found_again, files_setup, files_teardown),
      cmocka_unit_test(garments_need_a_body)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
