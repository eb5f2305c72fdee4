// Welding: seams become edges with a triangle on either side, areas and material coordinates stay.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "mesh/topology.h"
#include "mesh/weld.h"
#include "support/check.h"

#define check_near(a, b, most) assert_true(fabs((a) - (b)) <= (most))

static double material_area(const mus_mesh *mesh) {
  double sum = 0;
  for (int t = 0; t < mesh->triangles; ++t) {
    const double *u = mesh->material + 6 * (size_t)t;
    double area = ((u[2] - u[0]) * (u[5] - u[1]) - (u[3] - u[1]) * (u[4] - u[0])) / 2;
    assert_true(area > 0);
    sum += area;
  }
  return sum;
}

// Two squares side by side, 0 1 2 3 and 4 5 6 7; the second has a vertex 8 halfway up its left side, which lies at a
// third of the first one's right side 1-2, and 9 on top of that.
//   3---2 7---6
//   |   | 9   |
//   |   | 8   |
//   0---1 4---5
static const int triangle[] = {0, 1, 2, 0, 2, 3, 4, 5, 8, 8, 5, 9, 9, 5, 6, 9, 6, 7};
static const double at[] = {0, 0, 1, 0, 1, 1, 0, 1, 2, 0, 3, 0, 3, 1, 2, 1, 2, 1 / 3.0, 2, 2 / 3.0};

static void make(mus_mesh *mesh, double *material) {
  *mesh = (mus_mesh){.vertices = 10, .triangles = 6, .triangle = (int *)triangle, .material = material};
  for (int i = 0; i < 18; ++i)
    memcpy(material + 2 * i, at + 2 * triangle[i], 2 * sizeof *material);
}

static void seams_become_edges(void **state) {
  (void)state;
  const mus_tie tie[] = {{4, 1, 1, 0}, {7, 2, 2, 0}, {8, 1, 2, 1 / 3.0}, {9, 2, 1, 1 / 3.0}};
  const unsigned char closed[] = {1, 1, 1, 1};
  mus_arena arena = {0};
  mus_mesh mesh;
  mus_weld weld;
  mus_topology topology;
  double material[36], heights[20], now[16];
  make(&mesh, material);
  assert_ok(mus_weld_create(&arena, &mesh, 4, tie, closed, 1, &weld));
  assert_int_equal(weld.mesh.vertices, 8);
  assert_int_equal(weld.mesh.triangles, 8); // the first triangle in three
  check_near(material_area(&weld.mesh), 2, 1e-15);
  assert_ok(mus_topology_create(&arena, &weld.mesh, &topology));
  assert_int_equal(topology.boundary_edges, 6);
  assert_int_equal(topology.branching_edges, 0);
  assert_int_equal(topology.components, 1);
  assert_true(weld.vertex[4] == weld.vertex[1] && weld.vertex[7] == weld.vertex[2] && weld.kept[weld.vertex[4]] == 1);
  for (int t = 0; t < 8; ++t)
    assert_true(weld.source[t] == (t < 3 ? 0 : t - 2));
  for (int i = 0; i < 20; ++i)
    heights[i] = at[i];
  mus_weld_values(&weld, 2, heights, now);
  for (int i = 0; i < 10; ++i) // in one place but for the shift of a panel
    check_near(now[2 * weld.vertex[i] + 1], at[2 * i + 1], 1e-15);
  mus_arena_clear(&arena);
}

static void open_seams_stay_open(void **state) {
  (void)state;
  const mus_tie tie[] = {{4, 1, 1, 0}, {8, 1, 2, 1 / 3.0}};
  const unsigned char closed[] = {1, 0};
  mus_arena arena = {0};
  mus_mesh mesh;
  mus_weld weld;
  double material[36];
  make(&mesh, material);
  assert_ok(mus_weld_create(&arena, &mesh, 2, tie, closed, 1, &weld));
  assert_true(weld.mesh.vertices == 9 && weld.mesh.triangles == 6);
  check_near(material_area(&weld.mesh), 2, 1e-15);
  mus_arena_clear(&arena);
}

// Inserts on all three sides of one triangle.
static void all_sides_may_be_divided(void **state) {
  (void)state;
  static const int one[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  double material[] = {0, 0, 1, 0, 0, 1, 5, 0, 6, 0, 5, 1, 8, 0, 9, 0, 8, 1};
  const mus_tie tie[] = {{3, 0, 1, 0.5}, {4, 2, 1, 0.25}, {5, 0, 2, 0.7}, {6, 1, 0, 0.2}, {7, 1, 2, 0.5}};
  const unsigned char closed[] = {1, 1, 1, 1, 1};
  mus_arena arena = {0};
  mus_mesh mesh = {.vertices = 9, .triangles = 3, .triangle = (int *)one, .material = material};
  mus_weld weld;
  assert_ok(mus_weld_create(&arena, &mesh, 5, tie, closed, 0, &weld));
  assert_int_equal(weld.mesh.triangles, 6 + 2);
  check_near(material_area(&weld.mesh), 1.5, 1e-14);
  mus_arena_clear(&arena);
}

// Two triangles below, whose upper sides 0-1 and 1-2 have 4 and 5 of the one above in their middles: 1 is the corner.
static void corners_leave_no_slit(void **state) {
  (void)state;
  static const int three[] = {3, 1, 0, 3, 2, 1, 4, 5, 6};
  double material[] = {1, -1, 1, 0, 0, 0, 1, -1, 2, 0, 1, 0, 5, 0, 6, 0, 5.5, 1};
  const mus_tie tie[] = {{4, 0, 1, 0.5}, {5, 1, 2, 0.25}};
  const unsigned char closed[] = {1, 1};
  for (int corners = 0; corners < 2; ++corners) {
    mus_arena arena = {0};
    mus_mesh mesh = {.vertices = 7, .triangles = 3, .triangle = (int *)three, .material = material};
    mus_weld weld;
    mus_topology topology;
    assert_ok(mus_weld_create(&arena, &mesh, 2, tie, closed, corners, &weld));
    assert_int_equal(weld.mesh.triangles, 5 + corners);
    check_near(material_area(&weld.mesh), 1.5, 1e-14);
    assert_ok(mus_topology_create(&arena, &weld.mesh, &topology));
    assert_int_equal(topology.boundary_edges, corners ? 6 : 9);
    assert_int_equal(topology.branching_edges, 0);
    mus_arena_clear(&arena);
  }
}

// A strip whose two sides are sewn together has no surface left.
static void triangles_without_surface_go(void **state) {
  (void)state;
  static const int strip[] = {0, 1, 2, 1, 3, 2};
  const mus_tie tie[] = {{0, 1, 1, 0}, {2, 3, 3, 0}};
  const unsigned char closed[] = {1, 1};
  mus_arena arena = {0};
  mus_mesh mesh = {.vertices = 4, .triangles = 2, .triangle = (int *)strip};
  mus_weld weld;
  assert_ok(mus_weld_create(&arena, &mesh, 2, tie, closed, 1, &weld));
  assert_true(weld.mesh.triangles == 0 && weld.mesh.vertices == 2 && !weld.mesh.material);
  mus_arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(seams_become_edges), cmocka_unit_test(open_seams_stay_open),
                                     cmocka_unit_test(all_sides_may_be_divided),
                                     cmocka_unit_test(corners_leave_no_slit),
                                     cmocka_unit_test(triangles_without_surface_go)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
