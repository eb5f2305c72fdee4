// Generated cloths: exact counts, the whole area covered once, boundaries where they belong, angles not too small.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/check.h"
#include "mesh/delaunay.h"
#include "mesh/generate.h"
#include "mesh/measure.h"
#include "mesh/topology.h"
#include "support/cloths.h"
#include "support/meshes.h"

// --- rectangles ----------------------------------------------------------------------------------------------------

static void the_papers_sheets(void **state) {
  (void)state;
  static const int sides[] = {31, 41, 61, 81, 101, 151, 201, 301}; // test_generate_large.c has the larger ones
  for (size_t k = 0; k < sizeof sides / sizeof *sides; ++k)
    cloths_check_square(sides[k], 0);
  for (size_t k = 0; k < 5 && cloths_have_qhull(); ++k)
    cloths_check_square(sides[k], 1);
}

static void small_sheets(void **state) {
  (void)state;
  for (int side = 2; side < 8; ++side)
    for (int irregular = 0; irregular <= cloths_have_qhull(); ++irregular)
      cloths_check_square(side, irregular);
}

static void vertices_are_where_they_are_said_to_be(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_generate_options options = {.vertices = 12, .width = 3, .depth = 2};
  mus_mesh mesh = cloths_made(&arena, mus_generate_rectangle, &options);
  assert_int_equal(mesh.vertices, 12);
  for (int v = 0; v < 12; ++v)
    assert_true(mesh.position[3 * v] == v % 4 - 1.5 && mesh.position[3 * v + 2] == v / 4 - 1.0);
  static const int first_two_cells[] = {0, 1, 5, 0, 5, 4, 1, 2, 5, 2, 6, 5};
  assert_memory_equal(mesh.triangle, first_two_cells, sizeof first_two_cells);
  mus_arena_clear(&arena);
}

// Where cells are cut in turn, all diagonals around every second vertex end in it: it has 8 edges, the others 4.
static void diagonals_alternate(void **state) {
  (void)state;
  static const cloth_generator generators[] = {mus_generate_rectangle, mus_generate_l};
  for (int g = 0; g < 2; ++g) {
    mus_arena arena = {0};
    mus_generate_options options = {.vertices = g == 0 ? 49 : 40, .width = 6, .depth = 6};
    mus_mesh mesh = cloths_made(&arena, generators[g], &options);
    mus_topology topology = cloths_check(&arena, &mesh, g == 0 ? 36 : 27);
    int edges[49] = {0};
    for (int e = 0; e < 2 * topology.edges; ++e)
      ++edges[topology.edge[e]];
    for (int v = 0; v < mesh.vertices; ++v) {
      double x = mesh.position[3 * v], z = mesh.position[3 * v + 2];
      int inside = g == 0 ? fabs(x) < 3 && fabs(z) < 3 : fabs(x) < 3 && fabs(z) < 3 && (x < 0 || z < 0);
      int even = ((int)lround(x) + (int)lround(z)) % 2 == 0;
      assert_true(!inside || edges[v] == (even ? 8 : 4));
    }
    assert_int_equal(edges[0], 3); // both corner triangles
    mus_arena_clear(&arena);
  }
}

// Whatever is asked for, cells are nearly square and about as many as were asked for.
static void strips_have_square_cells(void **state) {
  (void)state;
  static const struct {
    int vertices, columns, rows;
    double width, depth;
  } cases[] = {
      {1000, 21, 47, 0.4, 0.92}, {300, 7, 46, 0.025, 0.2}, {10, 3, 3, 1, 1}, {4, 2, 2, 1, 1}, {50, 35, 2, 2, 0.025}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k)
    for (int irregular = 0; irregular <= cloths_have_qhull(); ++irregular) {
      mus_arena arena = {0};
      double width = cases[k].width, depth = cases[k].depth;
      mus_generate_options options = {cases[k].vertices, width, depth, irregular, 7};
      mus_mesh mesh = cloths_made(&arena, mus_generate_rectangle, &options);
      assert_int_equal(mesh.vertices, cases[k].columns * cases[k].rows);
      cloths_check(&arena, &mesh, width * depth);
      mus_arena_clear(&arena);
    }
}

// --- the L ---------------------------------------------------------------------------------------------------------

static int on_l(const double *p) {
  return cloths_on_rectangle(p, 1, 1) || (p[0] == 0 && p[2] >= 0) || (p[2] == 0 && p[0] >= 0);
}

static void check_l(int vertices, int irregular) {
  mus_arena arena = {0};
  mus_generate_options options = {.vertices = vertices, .width = 1, .depth = 1, .irregular = irregular, .seed = 3};
  mus_mesh mesh = cloths_made(&arena, mus_generate_l, &options);
  int pairs = (int)(sqrt(mesh.triangles / 6.0) + 0.5), side = 2 * pairs + 1;
  assert_int_equal(mesh.triangles, 6 * pairs * pairs);
  assert_int_equal(mesh.vertices, side * side - pairs * pairs);
  assert_true(abs(mesh.vertices - vertices) <= 4 * pairs + 4);
  mus_topology topology = cloths_check(&arena, &mesh, 0.75);
  assert_int_equal(topology.boundary_edges, 8 * pairs);
  int held = 0, corner = 0;
  for (int v = 0; v < mesh.vertices; ++v) {
    const double *p = mesh.position + 3 * v;
    held += p[0] >= 0 && p[2] >= 0;
    corner += p[0] == 0 && p[2] == 0;
    assert_false(p[0] > 0 && p[2] > 0);
  }
  assert_int_equal(held, 2 * pairs + 1); // the inner edges, and nothing else
  assert_int_equal(corner, 1);
  for (int i = 0; i < topology.loop_start[1]; ++i)
    assert_true(on_l(mesh.position + 3 * topology.loop[i]));
  assert_true(mus_mesh_angles(&mesh).least > (irregular ? 19 : 44.9999));
  mus_arena_clear(&arena);
}

static void l_shapes(void **state) {
  (void)state;
  static const int vertices[] = {8, 21, 100, 961, 10201};
  for (size_t k = 0; k < sizeof vertices / sizeof *vertices; ++k)
    for (int irregular = 0; irregular <= cloths_have_qhull(); ++irregular)
      check_l(vertices[k], irregular);
}

// --- discs ---------------------------------------------------------------------------------------------------------

static void check_disc(int vertices, int irregular) {
  mus_arena arena = {0};
  mus_generate_options options = {.vertices = vertices, .width = 0.3, .depth = 9, .irregular = irregular, .seed = 5};
  mus_mesh mesh = cloths_made(&arena, mus_generate_disc, &options);
  int rings = (int)(sqrt(mesh.triangles / 6.0) + 0.5);
  assert_int_equal(mesh.triangles, 6 * rings * rings);
  assert_int_equal(mesh.vertices, 1 + 3 * rings * (rings + 1));
  assert_true(abs(mesh.vertices - vertices) <= 3 * rings + 3);
  double area = 0; // of the polygon around it, whose corners may move along the circle
  for (int i = 0; i < 6 * rings; ++i) {
    const double *p = mesh.position + 3 * (mesh.vertices - 6 * rings + i);
    const double *q = mesh.position + 3 * (mesh.vertices - 6 * rings + (i + 1) % (6 * rings));
    area += 0.5 * (p[0] * q[2] - p[2] * q[0]);
    assert_true(fabs(hypot(p[0], p[2]) - 0.15) < 1e-15);
  }
  mus_topology topology = cloths_check(&arena, &mesh, area);
  assert_int_equal(topology.boundary_edges, 6 * rings);
  for (int i = 0; i < topology.loop_start[1]; ++i)
    assert_true(topology.loop[i] >= mesh.vertices - 6 * rings);
  assert_true(mus_mesh_angles(&mesh).least > (irregular ? 15 : 43));
  mus_arena_clear(&arena);
}

static void discs(void **state) {
  (void)state;
  static const int vertices[] = {7, 19, 30, 500, 5000};
  for (size_t k = 0; k < sizeof vertices / sizeof *vertices; ++k)
    for (int irregular = 0; irregular <= cloths_have_qhull(); ++irregular)
      check_disc(vertices[k], irregular);
}

// --- tubes ---------------------------------------------------------------------------------------------------------

// The largest relative difference of an edge's length in space and in the material.
static double strain_of(const mus_mesh *mesh) {
  double worst = 0;
  for (int t = 0; t < mesh->triangles; ++t)
    for (int k = 0; k < 3; ++k) {
      const double *p = mesh->position + 3 * mesh->triangle[3 * t + k], *u = mesh->material + 6 * t + 2 * k;
      const double *q = mesh->position + 3 * mesh->triangle[3 * t + (k + 1) % 3];
      const double *v = mesh->material + 6 * t + 2 * ((k + 1) % 3);
      double rest = hypot(u[0] - v[0], u[1] - v[1]);
      worst = fmax(worst, fabs(hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]) / rest - 1));
    }
  return worst;
}

static void check_tube(int vertices, int irregular) {
  mus_arena arena = {0};
  mus_generate_options options = {.vertices = vertices, .width = 0.6, .depth = 1.2, .irregular = irregular, .seed = 9};
  mus_mesh mesh = cloths_made(&arena, mus_generate_tube, &options);
  assert_true(abs(mesh.vertices - vertices) <= 2 * sqrt(vertices) + 6);
  mus_mesh_report report;
  assert_int_equal(mus_mesh_check(&mesh, &report), MUS_OK);
  for (int k = 0; k < MUS_DEFECTS; ++k)
    assert_int_equal(report.count[k], 0);
  mus_topology topology;
  assert_int_equal(mus_topology_create(&arena, &mesh, &topology), MUS_OK);
  assert_int_equal(topology.loops, 2);
  assert_int_equal(mesh.vertices - topology.edges + mesh.triangles, 0); // Euler's number of a tube
  int rows = topology.boundary_edges / 2;
  assert_true(rows % 2 == 0 && mesh.vertices % rows == 0);
  double step = 1.2 / rows, angle = 2 * 3.14159265358979323846 / rows;
  assert_true(strain_of(&mesh) < (irregular ? angle * angle / 6 : 1e-13));
  double area = 0, outside = 0;
  for (int t = 0; t < mesh.triangles; ++t) {
    const double *u = mesh.material + 6 * t, *p = mesh.position + 3 * mesh.triangle[3 * t];
    const double *q = mesh.position + 3 * mesh.triangle[3 * t + 1], *r = mesh.position + 3 * mesh.triangle[3 * t + 2];
    area += ((u[2] - u[0]) * (u[5] - u[1]) - (u[4] - u[0]) * (u[3] - u[1])) / 2;
    double ny = (q[2] - p[2]) * (r[0] - p[0]) - (q[0] - p[0]) * (r[2] - p[2]);
    double nz = (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
    outside += (ny * (p[1] + q[1] + r[1]) + nz * (p[2] + q[2] + r[2])) > 0;
    assert_true(fabs(hypot(p[1], p[2]) - step / (2 * sin(angle / 2))) < 1e-12);
  }
  assert_true(fabs(area - 0.72) < 1e-12);
  assert_int_equal((int)outside, mesh.triangles);
  assert_true(mus_mesh_angles(&mesh).least > (irregular ? 15 : vertices < 100 ? 30 : 40));
  mus_arena_clear(&arena);
}

static void tubes(void **state) {
  (void)state;
  static const int vertices[] = {12, 100, 2000, 10201};
  for (size_t k = 0; k < sizeof vertices / sizeof *vertices; ++k)
    for (int irregular = 0; irregular <= (k > 0 && cloths_have_qhull()); ++irregular)
      check_tube(vertices[k], irregular);
}

// --- irregular ones ------------------------------------------------------------------------------------------------

static double circle(const double *a, const double *b, const double *c, const double *d) {
  double m[3][3];
  const double *p[] = {a, b, c};
  for (int i = 0; i < 3; ++i) {
    m[i][0] = p[i][0] - d[0];
    m[i][1] = p[i][1] - d[1];
    m[i][2] = m[i][0] * m[i][0] + m[i][1] * m[i][1];
  }
  return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
         m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

// No point lies in a triangle's circumcircle, each triangle is there once, in order, and counter-clockwise.
static void triangulations_are_delaunays(void **state) {
  (void)state;
  if (!cloths_have_qhull())
    skip();
  mus_arena arena = {0};
  mus_mesh soup = meshes_soup(&arena, 60, 0, 11); // random points; the third coordinate does not count
  double point[120];
  for (int i = 0; i < 60; ++i)
    point[2 * i] = soup.position[3 * i], point[2 * i + 1] = soup.position[3 * i + 1];
  int triangles, *triangle, before = -1;
  assert_int_equal(mus_delaunay(&arena, 60, point, &triangles, &triangle), MUS_OK);
  for (int t = 0; t < triangles; ++t) {
    const int *corner = triangle + 3 * t;
    assert_true(corner[0] < corner[1] && corner[0] < corner[2] && corner[0] >= before);
    before = corner[0];
    for (int p = 0; p < 60; ++p)
      if (p != corner[0] && p != corner[1] && p != corner[2])
        assert_true(circle(point + 2 * corner[0], point + 2 * corner[1], point + 2 * corner[2], point + 2 * p) < 1e-12);
  }
  mus_mesh mesh = {.vertices = 60, .triangles = triangles, .position = soup.position, .triangle = triangle};
  mus_topology topology;
  assert_int_equal(mus_topology_create(&arena, &mesh, &topology), MUS_OK);
  assert_int_equal(60 - topology.edges + triangles, 1);
  mus_arena_clear(&arena);
}

static void triangulations_may_not_exist(void **state) {
  (void)state;
  if (!cloths_have_qhull())
    skip();
  mus_arena arena = {0};
  int triangles = -7, *triangle;
  static const double line[] = {0, 0, 1, 1, 2, 2, 3, 3, 4, 4};
  assert_int_equal(mus_delaunay(&arena, 5, line, &triangles, &triangle), MUS_BAD_INPUT);
  assert_non_null(strstr(mus_last_error(), "qhull found no triangulation of 5 points"));
  assert_int_equal(mus_delaunay(&arena, 1, line, &triangles, &triangle), MUS_BAD_INPUT);
  assert_int_equal(triangles, -7);
  mus_arena_clear(&arena);
}

static void a_seed_gives_one_mesh(void **state) {
  (void)state;
  if (!cloths_have_qhull())
    skip();
  static const cloth_generator generators[] = {mus_generate_rectangle, mus_generate_l, mus_generate_disc,
                                               mus_generate_tube};
  for (size_t k = 0; k < 4; ++k) {
    mus_arena arena = {0};
    mus_generate_options options = {.vertices = 400, .width = 1, .depth = 1, .irregular = 1, .seed = 42};
    mus_mesh one = cloths_made(&arena, generators[k], &options), again = cloths_made(&arena, generators[k], &options);
    assert_true(meshes_same(&one, &again));
    options.seed = 43;
    mus_mesh other = cloths_made(&arena, generators[k], &options);
    assert_false(meshes_same(&one, &other));
    options.irregular = 0;
    mus_mesh regular = cloths_made(&arena, generators[k], &options);
    assert_true(regular.vertices == one.vertices && regular.triangles == one.triangles);
    mus_arena_clear(&arena);
  }
}

// Every interior vertex has moved, and none by more than a fifth of the spacing.
static void irregular_is_irregular(void **state) {
  (void)state;
  if (!cloths_have_qhull())
    skip();
  mus_arena arena = {0};
  mus_generate_options options = {.vertices = 441, .width = 2, .depth = 2, .irregular = 1, .seed = 42};
  mus_mesh mesh = cloths_made(&arena, mus_generate_rectangle, &options);
  int other_diagonal = 0;
  for (int v = 0; v < 441; ++v) {
    double x = (mesh.position[3 * v] + 1) / 0.1 - v % 21, z = (mesh.position[3 * v + 2] + 1) / 0.1 - v / 21;
    assert_true(hypot(x, z) < 0.2 + 1e-12);
    int corner = v == 0 || v == 20 || v == 420 || v == 440;
    assert_true(corner ? fabs(x) + fabs(z) < 1e-12 : hypot(x, z) > 1e-6);
  }
  for (int t = 0; t < mesh.triangles; ++t)
    for (int k = 0; k < 3; ++k)
      other_diagonal += mesh.triangle[3 * t + (k + 1) % 3] - mesh.triangle[3 * t + k] == 20;
  assert_true(other_diagonal > 100 && other_diagonal < 300); // of 400
  mus_arena_clear(&arena);
}

// --- what is refused -----------------------------------------------------------------------------------------------

static void bad_options_are_refused(void **state) {
  (void)state;
  static const cloth_generator generators[] = {mus_generate_rectangle, mus_generate_l, mus_generate_disc};
  static const mus_generate_options bad[] = {
      {3, 1, 1, 0, 0},     {-5, 1, 1, 0, 0},    {1 << 29, 1, 1, 0, 0},    {100, 0, 1, 0, 0},      {100, 1, -1, 0, 0},
      {100, NAN, 1, 0, 0}, {100, 1, NAN, 0, 0}, {100, INFINITY, 1, 0, 0}, {100, 1, 1e-300, 0, 0}, {100, 1e-7, 1, 0, 0}};
  mus_arena arena = {0};
  mus_mesh mesh = {.vertices = -7};
  for (size_t g = 0; g < 3; ++g)
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
      assert_int_equal(generators[g](&arena, &bad[k], &mesh), MUS_BAD_INPUT);
      assert_non_null(strstr(mus_last_error(), "cannot be made: "));
    }
  assert_int_equal(mesh.vertices, -7);
  mus_arena_clear(&arena);
}

static void without_qhull_the_remedy_is_said(void **state) {
  (void)state;
  if (cloths_have_qhull())
    skip();
  assert_non_null(strstr(mus_last_error(), "install libqhull-dev"));
}

static void allocations_may_fail(void **state) {
  (void)state;
  static const cloth_generator generators[] = {mus_generate_rectangle, mus_generate_l, mus_generate_disc,
                                               mus_generate_tube};
  for (size_t g = 0; g < 4; ++g)
    for (int irregular = 0; irregular <= cloths_have_qhull(); ++irregular) {
      mus_generate_options options = {.vertices = 50, .width = 1, .depth = 1, .irregular = irregular};
      mus_status status = MUS_OUT_OF_MEMORY;
      int failures = 0;
      for (; status != MUS_OK; ++failures) {
        mus_arena arena = {0};
        mus_mesh mesh;
        mus_memory_fail_after(failures);
        status = generators[g](&arena, &options, &mesh);
        mus_memory_fail_after(-1);
        assert_true(status == MUS_OK || status == MUS_OUT_OF_MEMORY);
        mus_arena_clear(&arena);
      }
      assert_true(failures > (irregular ? 10 : 5));
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_papers_sheets),
      cmocka_unit_test(small_sheets),
      cmocka_unit_test(vertices_are_where_they_are_said_to_be),
      cmocka_unit_test(diagonals_alternate),
      cmocka_unit_test(strips_have_square_cells),
      cmocka_unit_test(l_shapes),
      cmocka_unit_test(discs),
      cmocka_unit_test(tubes),
      cmocka_unit_test(triangulations_are_delaunays),
      cmocka_unit_test(triangulations_may_not_exist),
      cmocka_unit_test(a_seed_gives_one_mesh),
      cmocka_unit_test(irregular_is_irregular),
      cmocka_unit_test(bad_options_are_refused),
      cmocka_unit_test(without_qhull_the_remedy_is_said),
      cmocka_unit_test(allocations_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
