// Repairs: what was planted is gone, the rest is as it was, and the record says so.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "mesh/measure.h"
#include "mesh/repair.h"
#include "support/meshes.h"
#include "support/sweep.h"

static mus_mesh repaired(mus_arena *arena, const mus_mesh *mesh, unsigned what, mus_repair_record *record) {
  mus_mesh out;
  if (mus_mesh_repair(arena, mesh, what, &out, record) != MUS_OK)
    fail_msg("%s", mus_last_error());
  return out;
}

static void assert_says(const mus_repair_record *record, const char *expected) {
  char text[256];
  mus_repair_text(record, sizeof text, text);
  assert_string_equal(text, expected);
}

static int defects_of(const mus_mesh *mesh, mus_defect defect) {
  mus_mesh_report report;
  assert_int_equal(mus_mesh_check(mesh, &report), MUS_OK);
  return report.count[defect];
}

static void sound_meshes_stay_as_they_are(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_repair_record record;
  mus_mesh grid = meshes_grid(&arena, 9, 5), out = repaired(&arena, &grid, ~0u, &record);
  assert_true(meshes_same(&grid, &out));
  assert_says(&record, "");
  assert_int_equal(record.vertex_source[44], 44);
  assert_int_equal(record.triangle_source[63], 63);
  mus_arena_clear(&arena);
}

static void faulty_triangles_are_dropped(void **state) {
  (void)state;
  mus_arena arena = {0};
  // Sound, a vertex twice, on a line, the first once more, sound; vertices 0, 4 and 6 are loose then.
  static const int triangles[] = {1, 2, 3, 2, 2, 5, 1, 2, 4, 3, 2, 1, 3, 2, 5};
  static const double position[] = {9, 9, 9, 0, 0, 0, 1, 0, 0, 0, 1, 0, 2, 0, 0, 1, 1, 0, 8, 8, 8};
  mus_mesh mesh = meshes_given(&arena, 7, 5, position, triangles, NULL), out;
  mus_repair_record record;
  out = repaired(&arena, &mesh, MUS_REPAIR_USUAL, &record);
  assert_int_equal(out.vertices, 4);
  assert_int_equal(out.triangles, 2);
  static const int expected[] = {0, 1, 2, 2, 1, 3}, vertices[] = {1, 2, 3, 5}, sources[] = {0, 4};
  assert_memory_equal(out.triangle, expected, sizeof expected);
  assert_memory_equal(record.vertex_source, vertices, sizeof vertices);
  assert_memory_equal(record.triangle_source, sources, sizeof sources);
  for (int v = 0; v < 4; ++v)
    assert_memory_equal(out.position + 3 * v, position + 3 * vertices[v], 3 * sizeof(double));
  assert_says(&record, "dropped 2 triangles without area, dropped 1 duplicate triangle, removed 3 vertices without "
                       "triangles");
  out = repaired(&arena, &mesh, MUS_REPAIR(MUS_DEFECT_DUPLICATE), &record);
  assert_int_equal(out.triangles, 4);
  assert_int_equal(out.vertices, 7);
  mus_arena_clear(&arena);
}

static void triangles_without_rest_area_are_dropped(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh mesh = meshes_grid(&arena, 4, 4);
  for (int i = 0; i < 6; ++i)
    mesh.material[6 * 7 + i] = 0.25;
  mus_repair_record record;
  mus_mesh out = repaired(&arena, &mesh, MUS_REPAIR_USUAL, &record);
  assert_int_equal(out.triangles, 17);
  assert_says(&record, "dropped 1 triangle without area in the material");
  assert_memory_equal(out.material + 6 * 7, mesh.material + 6 * 8, 6 * 10 * sizeof(double));
  mus_arena_clear(&arena);
}

// Any number of triangles turned at random comes back as it was, front and material.
static void turned_triangles_are_turned_back(void **state) {
  (void)state;
  mus_arena arena = {0};
  for (uint64_t seed = 0; seed < 10; ++seed) {
    mus_mesh mesh = meshes_grid(&arena, 12, 9), broken;
    assert_int_equal(mus_mesh_copy(&arena, &mesh, &broken), MUS_OK);
    int turned = 0;
    for (int t = 0; t < mesh.triangles; ++t) {
      if (mus_random_bits(seed, (uint64_t)t) % 10 > seed)
        continue;
      ++turned;
      int *corner = broken.triangle + 3 * t, swap = corner[1];
      corner[1] = corner[2], corner[2] = swap;
      double pair[2];
      memcpy(pair, broken.material + 6 * t + 2, sizeof pair);
      memcpy(broken.material + 6 * t + 2, broken.material + 6 * t + 4, sizeof pair);
      memcpy(broken.material + 6 * t + 4, pair, sizeof pair);
    }
    mus_repair_record record;
    mus_mesh out = repaired(&arena, &broken, MUS_REPAIR_USUAL, &record);
    if (turned < mesh.triangles) { // all turned is consistent again, and left alone
      assert_true(meshes_same(&mesh, &out));
      assert_int_equal(record.turned, turned);
    }
    // Without material coordinates, the smaller part is turned.
    broken.material = NULL;
    out = repaired(&arena, &broken, MUS_REPAIR_USUAL, &record);
    assert_int_equal(defects_of(&out, MUS_DEFECT_TURNED), 0);
    assert_int_equal(record.turned, turned < mesh.triangles - turned ? turned : mesh.triangles - turned);
  }
  mus_arena_clear(&arena);
}

static void what_has_one_side_only_stays(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh band = meshes_moebius(&arena, 9);
  mus_repair_record record;
  mus_mesh out = repaired(&arena, &band, MUS_REPAIR_USUAL, &record);
  assert_int_equal(out.triangles, band.triangles);
  assert_true(defects_of(&out, MUS_DEFECT_TURNED) >= 1);
  mus_arena_clear(&arena);
}

static void flipped_material_is_mirrored(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh mesh = meshes_grid(&arena, 5, 5);
  for (int i = 0; i < mesh.triangles * 3; ++i)
    mesh.material[2 * i] = 3 - mesh.material[2 * i];
  mus_repair_record record;
  mus_mesh out = repaired(&arena, &mesh, MUS_REPAIR_USUAL, &record);
  assert_true(meshes_same(&mesh, &out));
  out = repaired(&arena, &mesh, MUS_REPAIR_USUAL | MUS_REPAIR(MUS_DEFECT_FLIPPED), &record);
  assert_says(&record, "mirrored 32 triangles in the material");
  for (int t = 0; t < out.triangles; ++t)
    assert_true(mus_material_area(&out, t) == 0.5);
  mus_arena_clear(&arena);
}

// A sheet cut into single triangles and welded is the sheet, but for the order of its vertices.
static void welding_joins_what_was_cut(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh sheet = meshes_grid(&arena, 6, 4), cut;
  assert_int_equal(mus_mesh_create(&arena, 3 * sheet.triangles, sheet.triangles, 0, &cut), MUS_OK);
  for (int i = 0; i < cut.vertices; ++i) {
    memcpy(cut.position + 3 * i, sheet.position + 3 * sheet.triangle[i], 3 * sizeof(double));
    cut.triangle[i] = i;
  }
  mus_repair_record record;
  mus_mesh out = repaired(&arena, &cut, MUS_REPAIR_USUAL | MUS_REPAIR(MUS_DEFECT_COINCIDENT), &record);
  assert_int_equal(out.vertices, sheet.vertices);
  assert_int_equal(record.welded, cut.vertices - sheet.vertices);
  for (int i = 0; i < cut.vertices; ++i)
    assert_memory_equal(out.position + 3 * out.triangle[i], cut.position + 3 * i, 3 * sizeof(double));
  assert_int_equal(defects_of(&out, MUS_DEFECT_COINCIDENT), 0);
  mus_arena_clear(&arena);
}

static void hopeless_meshes_are_refused(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh mesh = meshes_grid(&arena, 4, 4), out = {.vertices = -7};
  mus_repair_record record = {.turned = -7};
  mesh.triangle[4] = 99;
  assert_int_equal(mus_mesh_repair(&arena, &mesh, MUS_REPAIR_USUAL, &out, &record), MUS_BAD_INPUT);
  assert_string_equal(mus_last_error(), "the mesh has 1 triangle with a missing vertex: 1: correct the file");
  assert_true(out.vertices == -7 && record.turned == -7);
  out = repaired(&arena, &mesh, MUS_REPAIR_USUAL | MUS_REPAIR(MUS_DEFECT_INDEX), &record);
  assert_int_equal(out.triangles, 17);
  assert_says(&record, "dropped 1 triangle with a missing vertex");
  mesh.position[5] = INFINITY;
  assert_int_equal(mus_mesh_repair(&arena, &mesh, ~0u, &out, &record), MUS_BAD_INPUT);
  mus_arena_clear(&arena);
}

// Whatever comes in, what goes out has none of the defects that were to be repaired.
static void any_soup_comes_out_clean(void **state) {
  (void)state;
  mus_arena arena = {0};
  const unsigned what = MUS_REPAIR_USUAL | MUS_REPAIR(MUS_DEFECT_INDEX) | MUS_REPAIR(MUS_DEFECT_COINCIDENT);
  for (uint64_t seed = 0; seed < 30; ++seed) {
    mus_mesh mesh = meshes_soup(&arena, 15, 60, seed);
    for (int i = 0; i < 12; ++i)
      mesh.triangle[mus_random_bits(seed, (uint64_t)i) % 180] = (int)(mus_random_bits(seed + 1, (uint64_t)i) % 18);
    memcpy(mesh.position + 6, mesh.position + 27, 3 * sizeof(double));
    mus_repair_record record;
    mus_mesh out = repaired(&arena, &mesh, what, &record);
    static const mus_defect gone[] = {MUS_DEFECT_INDEX,     MUS_DEFECT_REPEATED,     MUS_DEFECT_DEGENERATE,
                                      MUS_DEFECT_DUPLICATE, MUS_DEFECT_UNREFERENCED, MUS_DEFECT_COINCIDENT};
    for (size_t k = 0; k < sizeof gone / sizeof *gone; ++k)
      assert_int_equal(defects_of(&out, gone[k]), 0);
    for (int v = 0; v < out.vertices; ++v)
      assert_memory_equal(out.position + 3 * v, mesh.position + 3 * record.vertex_source[v], 3 * sizeof(double));
  }
  mus_arena_clear(&arena);
}

static mus_status repair(mus_arena *arena, void *mesh) {
  mus_mesh out;
  mus_repair_record record;
  return mus_mesh_repair(arena, mesh, MUS_REPAIR_USUAL | MUS_REPAIR(MUS_DEFECT_COINCIDENT), &out, &record);
}

static void allocations_may_fail(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh mesh = meshes_tattered(&arena, 6, 1);
  assert_true(sweep_allocations(&arena, repair, &mesh) > 40);
  mus_arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sound_meshes_stay_as_they_are),
      cmocka_unit_test(faulty_triangles_are_dropped),
      cmocka_unit_test(triangles_without_rest_area_are_dropped),
      cmocka_unit_test(turned_triangles_are_turned_back),
      cmocka_unit_test(what_has_one_side_only_stays),
      cmocka_unit_test(flipped_material_is_mirrored),
      cmocka_unit_test(welding_joins_what_was_cut),
      cmocka_unit_test(hopeless_meshes_are_refused),
      cmocka_unit_test(any_soup_comes_out_clean),
      cmocka_unit_test(allocations_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
