// Defects of tetrahedra: what is planted is found and named, what is repaired is gone, and the rest is as it was.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "mesh/tetrahedra_check.h"
#include "mesh/tetrahedra_generate.h"
#include "support/check.h"
#include "support/sweep.h"

static mus_tetrahedra given(mus_arena *arena, int vertices, int tetrahedra, const double *position, const int *corner) {
  mus_tetrahedra mesh;
  assert_ok(mus_tetrahedra_create(arena, vertices, tetrahedra, 1, &mesh));
  memcpy(mesh.position, position, (size_t)vertices * 3 * sizeof *position);
  memcpy(mesh.corner, corner, (size_t)tetrahedra * 4 * sizeof *corner);
  for (int t = 0; t < tetrahedra; ++t)
    mesh.region[t] = 10 + t;
  return mesh;
}

static mus_solid_report report_of(const mus_tetrahedra *mesh) {
  mus_solid_report report;
  assert_ok(mus_tetrahedra_check(mesh, &report));
  return report;
}

static void assert_says(const mus_tetrahedra *mesh, mus_solid_defect defect, const char *expected) {
  char text[256];
  mus_solid_report report = report_of(mesh);
  mus_solid_defect_text(&report, defect, sizeof text, text);
  assert_string_equal(text, expected);
}

static mus_tetrahedra repaired(mus_arena *arena, const mus_tetrahedra *mesh, unsigned what, const char *expected,
                               mus_solid_repair *record) {
  mus_tetrahedra out;
  char text[256];
  assert_ok(mus_tetrahedra_repair(arena, mesh, what, &out, record));
  mus_solid_repair_text(record, sizeof text, text);
  assert_string_equal(text, expected);
  return out;
}

// A corner of a cube, its mirror image below, one far away with the same x-y plane.
static const double points[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, -1, 1, 1, 0, 9, 9, 9, 0, 0, 0.5};

static void each_defect_is_named(void **state) {
  (void)state;
  mus_arena arena = {0};
  static const int corners[] = {0, 1, 2, 3, /* sound */ 0, 1, 2, 4, /* inverted */ 0, 1, 2, 5, /* flat */
                                0, 0, 1, 3, /* twice */ 3, 2, 1, 0 /* the first */};
  mus_tetrahedra mesh = given(&arena, 8, 5, points, corners);
  assert_says(&mesh, MUS_SOLID_INVERTED, "1 inverted tetrahedron: 1");
  assert_says(&mesh, MUS_SOLID_FLAT, "1 flat tetrahedron: 2");
  assert_says(&mesh, MUS_SOLID_REPEATED, "1 tetrahedron with a vertex twice: 3");
  assert_says(&mesh, MUS_SOLID_DUPLICATE, "1 tetrahedron that repeats another: 4 (of 0)");
  assert_says(&mesh, MUS_SOLID_UNREFERENCED, "2 vertices without tetrahedra: 6, 7");
  assert_says(&mesh, MUS_SOLID_BRANCHING_FACE, "1 face of more than two tetrahedra: 0");
  assert_says(&mesh, MUS_SOLID_COINCIDENT, "");
  mus_solid_repair record;
  mus_tetrahedra out = repaired(&arena, &mesh, MUS_SOLID_REPAIR_USUAL,
                                "dropped 2 flat tetrahedra, turned 1 inverted tetrahedron, dropped 1 duplicate "
                                "tetrahedron, removed 3 vertices without tetrahedra",
                                &record);
  static const int expected[] = {0, 1, 2, 3, 0, 1, 4, 2};
  assert_int_equal(out.vertices, 5);
  assert_int_equal(out.tetrahedra, 2);
  assert_memory_equal(out.corner, expected, sizeof expected);
  assert_true(out.region[0] == 10 && out.region[1] == 11);
  assert_int_equal(record.tetrahedron_source[1], 1);
  mus_solid_report report = report_of(&out);
  for (int k = 0; k < MUS_SOLID_DEFECTS; ++k)
    assert_int_equal(report.count[k], 0);
  assert_ok(mus_tetrahedra_require_sound(&report));
  mus_arena_clear(&arena);
}

static void what_no_simulation_bears_is_rejected(void **state) {
  (void)state;
  static const struct {
    int corner[8];
    const char *text;
  } cases[] = {{{0, 1, 2, 3, 1, 0, 2, 3}, "1 inverted tetrahedron: 1: repair the mesh"},
               {{0, 1, 2, 3, 0, 1, 2, 9}, "1 tetrahedron with a missing vertex: 1: correct the file"},
               {{0, 1, 2, 3, 0, 1, 2, -1}, "1 tetrahedron with a missing vertex: 1: correct the file"},
               {{0, 1, 2, 3, 0, 1, 2, 7}, "1 pair of tetrahedra on one side of their common face: 0-1: mesh the shape"},
               {{0, 1, 2, 3, 0, 1, 2, 5}, "1 flat tetrahedron: 1: repair the mesh"}};
  mus_arena arena = {0};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    mus_tetrahedra mesh = given(&arena, 8, 2, points, cases[k].corner);
    mus_solid_report report = report_of(&mesh);
    assert_fails(mus_tetrahedra_require_sound(&report), MUS_BAD_INPUT, cases[k].text);
  }
  mus_tetrahedra mesh = given(&arena, 8, 1, points, cases[0].corner), out;
  mus_solid_repair record;
  mesh.position[4] = INFINITY;
  mus_solid_report report = report_of(&mesh);
  assert_fails(mus_tetrahedra_require_sound(&report), MUS_BAD_INPUT, "1 vertex whose position is not finite: 1");
  assert_fails(mus_tetrahedra_repair(&arena, &mesh, ~0u, &out, &record), MUS_BAD_INPUT, "vertex 1 is not finite");
  mesh = given(&arena, 8, 2, points, cases[1].corner);
  assert_fails(mus_tetrahedra_repair(&arena, &mesh, MUS_SOLID_REPAIR_USUAL, &out, &record), MUS_BAD_INPUT,
               "tetrahedron 1 has a vertex outside 0...7");
  out = repaired(&arena, &mesh, MUS_SOLID_REPAIR(MUS_SOLID_INDEX), "dropped 1 tetrahedron with a missing vertex",
                 &record);
  assert_int_equal(out.tetrahedra, 1);
  mus_arena_clear(&arena);
}

// Boxes of one cell that touch: at an edge or a corner they are cut apart, at a face they stay together.
static mus_tetrahedra two_boxes(mus_arena *arena, double x, double y, double z) {
  mus_tetrahedra cell, both;
  mus_solid_repair record;
  assert_ok(mus_solid_box_of_cells(arena, (const double[]){1, 1, 1}, (const int[]){1, 1, 1}, &cell));
  assert_ok(mus_tetrahedra_create(arena, 18, 24, 0, &both));
  for (int i = 0; i < 54; ++i)
    both.position[i] = cell.position[i % 27] + (i < 27 ? 0 : i % 3 == 0 ? x : i % 3 == 1 ? y : z);
  for (int i = 0; i < 96; ++i)
    both.corner[i] = cell.corner[i % 48] + (i < 48 ? 0 : 9);
  assert_ok(mus_tetrahedra_repair(arena, &both, MUS_SOLID_REPAIR(MUS_SOLID_COINCIDENT) | MUS_SOLID_REPAIR_USUAL, &both,
                                  &record));
  return both;
}

static void what_touches_is_cut_apart(void **state) {
  (void)state;
  static const struct {
    double x, y, z;
    int vertices, edges, touching, pieces, split;
  } cases[] = {{1, 1, 1, 17, 0, 1, 1, 1}, {1, 1, 0, 16, 1, 0, 1, 2}, {3, 0, 0, 18, 0, 0, 2, 0}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    mus_arena arena = {0};
    mus_tetrahedra mesh = two_boxes(&arena, cases[k].x, cases[k].y, cases[k].z), out;
    mus_solid_report report = report_of(&mesh);
    assert_int_equal(mesh.vertices, cases[k].vertices);
    assert_int_equal(report.count[MUS_SOLID_BRANCHING_EDGE], cases[k].edges);
    assert_int_equal(report.count[MUS_SOLID_BRANCHING_VERTEX], cases[k].touching);
    assert_int_equal(report.pieces, cases[k].pieces);
    mus_solid_repair record;
    assert_ok(mus_tetrahedra_repair(&arena, &mesh, MUS_SOLID_REPAIR(MUS_SOLID_BRANCHING_VERTEX), &out, &record));
    assert_int_equal(record.split, cases[k].split);
    assert_int_equal(out.vertices, 18);
    report = report_of(&out);
    assert_int_equal(report.count[MUS_SOLID_BRANCHING_EDGE] + report.count[MUS_SOLID_BRANCHING_VERTEX], 0);
    assert_int_equal(report.pieces, 2);
    assert_int_equal(report.count[MUS_SOLID_PIECE], 1);
    for (int v = 0; v < out.vertices; ++v)
      assert_memory_equal(out.position + 3 * v, mesh.position + 3 * record.vertex_source[v], 3 * sizeof(double));
    assert_ok(
        mus_tetrahedra_repair(&arena, &out, MUS_SOLID_REPAIR(MUS_SOLID_PIECE) | MUS_SOLID_REPAIR_USUAL, &out, &record));
    assert_int_equal(out.tetrahedra, 12);
    assert_int_equal(out.vertices, 9);
    assert_int_equal(report_of(&out).pieces, 1);
    mus_arena_clear(&arena);
  }
}

// Random corners: every repair leaves what it promises, whatever it is given.
static void soups_are_survived(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    mus_arena arena = {0};
    mus_tetrahedra mesh, out;
    mus_solid_repair record;
    int vertices = 4 + (int)(mus_random_bits(seed, 1) % 40), tetrahedra = (int)(mus_random_bits(seed, 2) % 200);
    assert_ok(mus_tetrahedra_create(&arena, vertices, tetrahedra, 0, &mesh));
    for (int i = 0; i < 3 * vertices; ++i) // on a coarse grid, so that some are flat and some coincide
      mesh.position[i] = floor(4 * mus_random(seed, 1000 + (uint64_t)i));
    for (int i = 0; i < 4 * tetrahedra; ++i)
      mesh.corner[i] = (int)(mus_random_bits(seed, 9000 + (uint64_t)i) % (uint64_t)(vertices + 2)) - 1;
    assert_ok(mus_tetrahedra_repair(&arena, &mesh, ~0u, &out, &record));
    mus_solid_report report = report_of(&out);
    static const mus_solid_defect gone[] = {MUS_SOLID_INDEX,    MUS_SOLID_REPEATED,  MUS_SOLID_FLAT,
                                            MUS_SOLID_INVERTED, MUS_SOLID_DUPLICATE, MUS_SOLID_UNREFERENCED,
                                            MUS_SOLID_PIECE};
    for (size_t k = 0; k < sizeof gone / sizeof *gone; ++k)
      assert_int_equal(report.count[gone[k]], 0);
    mus_arena_clear(&arena);
  }
}

static mus_status check_and_repair(mus_arena *arena, void *data) {
  const mus_tetrahedra *mesh = data;
  mus_solid_report report;
  mus_solid_repair record;
  mus_tetrahedra out;
  mus_status status = mus_tetrahedra_check(mesh, &report);
  return status ? status : mus_tetrahedra_repair(arena, mesh, ~0u, &out, &record);
}

static void failing_allocations_leak_nothing(void **state) {
  (void)state;
  mus_arena arena = {0}, kept = {0};
  mus_tetrahedra mesh = two_boxes(&kept, 1, 1, 0);
  assert_true(sweep_allocations(&arena, check_and_repair, &mesh) > 20);
  mus_arena_clear(&arena);
  mus_arena_clear(&kept);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_defect_is_named),
      cmocka_unit_test(what_no_simulation_bears_is_rejected),
      cmocka_unit_test(what_touches_is_cut_apart),
      cmocka_unit_test(soups_are_survived),
      cmocka_unit_test(failing_allocations_leak_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
