// Defects: each kind planted by hand and found with its place, and none found where there is none.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/check.h"
#include "support/meshes.h"

static mus_mesh_report report_of(const mus_mesh *mesh) {
  mus_mesh_report report;
  assert_int_equal(mus_mesh_check(mesh, &report), MUS_OK);
  return report;
}

// Exactly the defects in `expected` (pairs of kind and count, ended by a count of 0).
static void assert_counts(const mus_mesh_report *report, const int expected[][2]) {
  int wanted[MUS_DEFECTS] = {0};
  for (int i = 0; expected[i][1] > 0; ++i)
    wanted[expected[i][0]] = expected[i][1];
  for (int d = 0; d < MUS_DEFECTS; ++d)
    if (report->count[d] != wanted[d]) {
      char text[256];
      mus_defect_text(report, (mus_defect)d, sizeof text, text);
      fail_msg("kind %d: %d instead of %d (%s)", d, report->count[d], wanted[d], text);
    }
}

static void assert_text(const mus_mesh_report *report, mus_defect defect, const char *expected) {
  char text[256];
  mus_defect_text(report, defect, sizeof text, text);
  assert_string_equal(text, expected);
}

static void sound_meshes_have_no_defects(void **state) {
  (void)state;
  mus_arena arena = {0};
  const int none[][2] = {{0, 0}};
  mus_mesh grid = meshes_grid(&arena, 12, 7), ball = meshes_ball(&arena, 2), nothing = {0};
  mus_mesh_report report = report_of(&grid);
  assert_counts(&report, none);
  assert_int_equal(mus_mesh_require_sound(&report), MUS_OK);
  for (int d = 0; d < MUS_DEFECTS; ++d)
    assert_text(&report, (mus_defect)d, "");
  report = report_of(&ball);
  assert_counts(&report, none);
  report = report_of(&nothing);
  assert_counts(&report, none);
  mus_arena_clear(&arena);
}

static void indices_out_of_range(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh mesh = meshes_grid(&arena, 4, 4);
  mesh.triangle[3 * 5 + 1] = 16;
  mesh.triangle[3 * 7 + 2] = -1;
  mesh.triangle[3 * 9] = 2000000000;
  mus_mesh_report report = report_of(&mesh);
  assert_int_equal(report.count[MUS_DEFECT_INDEX], 3);
  assert_text(&report, MUS_DEFECT_INDEX, "3 triangles with missing vertices: 5, 7, 9");
  assert_int_equal(mus_mesh_require_sound(&report), MUS_BAD_INPUT);
  assert_string_equal(mus_last_error(), "the mesh has 3 triangles with missing vertices: 5, 7, 9: correct the file");
  mus_arena_clear(&arena);
}

static void numbers_that_are_not_finite(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh mesh = meshes_grid(&arena, 4, 4);
  mesh.position[3 * 6 + 1] = NAN;
  mesh.position[3 * 9 + 2] = -INFINITY;
  mesh.material[6 * 11 + 5] = NAN;
  mus_mesh_report report = report_of(&mesh);
  assert_counts(&report, (const int[][2]){{MUS_DEFECT_POSITION, 2}, {MUS_DEFECT_MATERIAL, 1}, {0, 0}});
  assert_text(&report, MUS_DEFECT_POSITION, "2 vertices whose positions are not finite: 6, 9");
  assert_text(&report, MUS_DEFECT_MATERIAL, "1 triangle whose material coordinates are not finite: 11");
  assert_int_equal(mus_mesh_require_sound(&report), MUS_BAD_INPUT);
  mus_arena_clear(&arena);
}

static void triangles_without_area(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh mesh = meshes_grid(&arena, 4, 4);
  mesh.triangle[3 * 4] = mesh.triangle[3 * 4 + 2]; // a vertex twice
  mesh.material[6 * 4 + 4] = mesh.material[6 * 4], mesh.material[6 * 4 + 5] = mesh.material[6 * 4 + 1];
  mus_mesh_report report = report_of(&mesh);
  assert_counts(&report, (const int[][2]){{MUS_DEFECT_REPEATED, 1}, {MUS_DEFECT_DEGENERATE_MATERIAL, 1}, {0, 0}});
  assert_text(&report, MUS_DEFECT_REPEATED, "1 triangle with a vertex twice: 4");
  assert_text(&report, MUS_DEFECT_DEGENERATE_MATERIAL, "1 triangle without area in the material: 4");
  assert_int_equal(mus_mesh_require_sound(&report), MUS_BAD_INPUT);

  // Three points on a line, which no decimal number meets exactly; a needle that is thin but has an area.
  static const int triangles[] = {0, 1, 2, 0, 1, 3, 4, 5, 6};
  static const double position[] = {0.1,        0.2, 0.3, 0.2, 0.4, 0.6, 0.7, 1.4, 2.1, 0.7, 1.4,
                                    2.1 + 1e-8, 0,   0,   0,   0,   0,   0,   0,   0,   0};
  mesh = meshes_given(&arena, 7, 3, position, triangles, NULL);
  report = report_of(&mesh);
  assert_int_equal(report.count[MUS_DEFECT_DEGENERATE], 2);
  assert_text(&report, MUS_DEFECT_DEGENERATE, "2 triangles without area in space: 0, 2");
  assert_int_equal(mus_mesh_require_sound(&report), MUS_OK);
  mus_arena_clear(&arena);
}

static void flipped_material(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh mesh = meshes_grid(&arena, 5, 5);
  for (int t = 0; t < 9; ++t)
    for (int k = 0; k < 3; ++k)
      mesh.material[6 * t + 2 * k] *= -1;
  mus_mesh_report report = report_of(&mesh);
  assert_counts(&report, (const int[][2]){{MUS_DEFECT_FLIPPED, 9}, {0, 0}});
  assert_text(&report, MUS_DEFECT_FLIPPED, "9 triangles flipped in the material: 0, 1, 2, 3, 4, 5 ...");
  assert_int_equal(mus_mesh_require_sound(&report), MUS_OK);
  mus_arena_clear(&arena);
}

static void duplicates_and_branches(void **state) {
  (void)state;
  mus_arena arena = {0};
  static const int triangles[] = {0, 1, 2, 2, 1, 3, 2, 0, 1, 1, 2, 0, 3, 4, 5};
  mus_mesh mesh = meshes_given(&arena, 6, 5, NULL, triangles, NULL);
  mus_mesh_report report = report_of(&mesh);
  assert_text(&report, MUS_DEFECT_DUPLICATE, "2 triangles that repeat others: 2 (of 0), 3 (of 0)");
  assert_text(&report, MUS_DEFECT_BRANCHING_EDGE, "3 edges of more than two triangles: 0-1, 0-2, 1-2");
  assert_text(&report, MUS_DEFECT_BRANCHING_VERTEX, "1 vertex where parts touch only at a point: 3");
  mus_arena_clear(&arena);
}

static void turned_triangles(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh mesh = meshes_grid(&arena, 3, 2);
  int swap = mesh.triangle[3];
  mesh.triangle[3] = mesh.triangle[4], mesh.triangle[4] = swap; // triangle 1: 3 0 4 wants 0 4 3
  mus_mesh_report report = report_of(&mesh);
  assert_int_equal(report.count[MUS_DEFECT_TURNED], 1);
  assert_text(&report, MUS_DEFECT_TURNED, "1 edge between triangles with opposite fronts: 0-4");
  mus_mesh band = meshes_moebius(&arena, 7);
  report = report_of(&band);
  assert_int_equal(report.count[MUS_DEFECT_TURNED], 1);
  mus_arena_clear(&arena);
}

static void loose_and_coincident_vertices(void **state) {
  (void)state;
  mus_arena arena = {0};
  static const double position[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, -0.0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -0.0, 0, 1, 1e-300};
  static const int triangles[] = {0, 1, 2, 3, 4, 5};
  mus_mesh mesh = meshes_given(&arena, 8, 2, position, triangles, NULL);
  mus_mesh_report report = report_of(&mesh);
  assert_counts(&report, (const int[][2]){{MUS_DEFECT_UNREFERENCED, 2}, {MUS_DEFECT_COINCIDENT, 3}, {0, 0}});
  assert_text(&report, MUS_DEFECT_UNREFERENCED, "2 vertices without triangles: 6, 7");
  assert_text(&report, MUS_DEFECT_COINCIDENT, "3 vertices at the positions of others: 3 (of 0), 4 (of 1), 6 (of 0)");
  mus_arena_clear(&arena);
}

// Fans around a vertex by walking from triangle to triangle.
static int fans_at(const mus_mesh *mesh, int v) {
  int *mark = calloc((size_t)mesh->triangles + 1, sizeof *mark), fans = 0;
  assert_non_null(mark);
  for (int t = 0; t < mesh->triangles; ++t) {
    const int *corner = mesh->triangle + 3 * t;
    if (mark[t] || (corner[0] != v && corner[1] != v && corner[2] != v))
      continue;
    mark[t] = ++fans;
    for (int changed = 1; changed;) {
      changed = 0;
      for (int a = 0; a < mesh->triangles; ++a)
        for (int b = 0; mark[a] == fans && b < mesh->triangles; ++b) {
          int shared = 0, at = 0;
          for (int i = 0; i < 9; ++i)
            if (mesh->triangle[3 * a + i / 3] == mesh->triangle[3 * b + i % 3])
              ++shared, at += mesh->triangle[3 * a + i / 3] == v;
          if (!mark[b] && shared >= 2 && at)
            mark[b] = fans, changed = 1;
        }
    }
  }
  free(mark);
  return fans;
}

static void fans_against_brute_force(void **state) {
  (void)state;
  mus_arena arena = {0};
  for (uint64_t seed = 0; seed < 24; ++seed) {
    mus_mesh mesh = seed % 2 ? meshes_tattered(&arena, 5, seed) : meshes_soup(&arena, 12, 4 + (int)seed, seed);
    int branching = 0;
    for (int v = 0; v < mesh.vertices; ++v)
      branching += fans_at(&mesh, v) > 1;
    mus_mesh_report report = report_of(&mesh);
    assert_int_equal(report.count[MUS_DEFECT_BRANCHING_VERTEX], branching);
  }
  mus_arena_clear(&arena);
}

static void texts_are_cut_to_size(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh mesh = meshes_soup(&arena, 5, 40, 3);
  mus_mesh_report report = report_of(&mesh);
  char text[12];
  memset(text, '#', sizeof text);
  mus_defect_text(&report, MUS_DEFECT_BRANCHING_EDGE, sizeof text - 1, text);
  assert_int_equal(strlen(text), sizeof text - 2);
  assert_int_equal(text[sizeof text - 1], '#');
  mus_arena_clear(&arena);
}

static void allocations_may_fail(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh mesh = meshes_grid(&arena, 6, 6);
  mus_mesh_report report = {.count = {-7}};
  mus_status status = MUS_OUT_OF_MEMORY;
  int failures = 0;
  for (; status != MUS_OK; ++failures) {
    assert_int_equal(report.count[0], -7);
    mus_memory_fail_after(failures);
    status = mus_mesh_check(&mesh, &report);
    mus_memory_fail_after(-1);
    assert_true(status == MUS_OK || status == MUS_OUT_OF_MEMORY);
  }
  assert_true(failures > 20);
  mus_arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sound_meshes_have_no_defects),
      cmocka_unit_test(indices_out_of_range),
      cmocka_unit_test(numbers_that_are_not_finite),
      cmocka_unit_test(triangles_without_area),
      cmocka_unit_test(flipped_material),
      cmocka_unit_test(duplicates_and_branches),
      cmocka_unit_test(turned_triangles),
      cmocka_unit_test(loose_and_coincident_vertices),
      cmocka_unit_test(fans_against_brute_force),
      cmocka_unit_test(texts_are_cut_to_size),
      cmocka_unit_test(allocations_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
