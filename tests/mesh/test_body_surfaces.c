// Solids: closed, outward, within their facets of the round surface, without needles.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "mesh/body_surfaces.h"
#include "mesh/check.h"
#include "mesh/measure.h"
#include "mesh/topology.h"
#include "support/check.h"

static const double PI = 3.141592653589793;

static const double *corner(const mus_mesh *mesh, int triangle, int k) {
  return mesh->position + 3 * (size_t)mesh->triangle[3 * triangle + k];
}

// Six times the volume that the surface holds, positive when its triangles face outwards.
static double volume(const mus_mesh *mesh) {
  double sum = 0;
  for (int t = 0; t < mesh->triangles; ++t) {
    const double *a = corner(mesh, t, 0), *b = corner(mesh, t, 1), *c = corner(mesh, t, 2);
    sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
  }
  return sum / 6;
}

// Closed, manifold, all fronts on one side, in one piece, with that many handles, and no defect at all.
static void check_closed(mus_arena *arena, const mus_mesh *mesh, int handles) {
  mus_topology topology;
  mus_mesh_report report;
  assert_ok(mus_topology_create(arena, mesh, &topology));
  assert_int_equal(topology.boundary_edges, 0);
  assert_int_equal(topology.branching_edges, 0);
  assert_int_equal(topology.components, 1);
  assert_int_equal(mesh->vertices - topology.edges + mesh->triangles, 2 - 2 * handles);
  assert_ok(mus_mesh_check(mesh, &report));
  for (int k = 0; k < MUS_DEFECTS; ++k)
    assert_int_equal(report.count[k], 0);
}

// The farthest that points of the mesh lie from a surface, given by its signed distance; facets are sampled.
static double farthest(const mus_mesh *mesh, double (*distance)(const double *x, const double *about),
                       const double *about) {
  enum { CUTS = 6 };
  double most = 0;
  for (int t = 0; t < mesh->triangles; ++t)
    for (int i = 0; i <= CUTS; ++i)
      for (int j = 0; i + j <= CUTS; ++j) {
        double x[3];
        for (int c = 0; c < 3; ++c)
          x[c] =
              (i * corner(mesh, t, 0)[c] + j * corner(mesh, t, 1)[c] + (CUTS - i - j) * corner(mesh, t, 2)[c]) / CUTS;
        most = fmax(most, fabs(distance(x, about)));
      }
  return most;
}

static double from_capsule(const double *x, const double *about) { // radius, length
  double y = fmax(fabs(x[1]) - 0.5 * about[1], 0);
  return sqrt(x[0] * x[0] + y * y + x[2] * x[2]) - about[0];
}

static void capsules_and_spheres(void **state) {
  (void)state;
  static const double cases[][3] = {{0.25, 0, 2e-4}, {0.25, 0.5, 2e-4}, {0.05, 1, 1e-3},  {1, 0.01, 1e-3},
                                    {2, 0, 1e-2},    {0.1, 0, 1},       {0.1, 3, 0.0005}, {1e-6, 1e-6, 1e-7}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    double radius = cases[k][0], length = cases[k][1], facet = cases[k][2];
    mus_arena arena = {0};
    mus_mesh mesh;
    assert_ok(mus_body_capsule(&arena, radius, length, facet, &mesh));
    check_closed(&arena, &mesh, 0);
    double whole = PI * radius * radius * (length + 4.0 / 3 * radius);
    double off = farthest(&mesh, from_capsule, cases[k]);
    assert_true(off <= facet * (1 + 1e-9) && off <= 0.1 * radius);
    assert_true(off > 0.3 * fmin(facet, 0.05 * radius)); // and no finer than it need be
    assert_true(volume(&mesh) < whole && volume(&mesh) > whole * (1 - 4 * off / radius));
    mus_angles angles = mus_mesh_angles(&mesh);
    assert_true(angles.least > (length == 0.01 ? 5 : 15)); // a length that is short against the facets
    mus_box box = mus_mesh_box(&mesh);
    assert_true(box.high[1] == 0.5 * length + radius && box.low[1] == -box.high[1]);
    assert_true(box.high[0] == radius);
    mus_arena_clear(&arena);
  }
}

static void boxes(void **state) {
  (void)state;
  static const double size[3] = {1, 2, 3};
  mus_arena arena = {0};
  mus_mesh mesh;
  assert_ok(mus_body_box(&arena, size, &mesh));
  check_closed(&arena, &mesh, 0);
  assert_int_equal(mesh.triangles, 12);
  assert_true(volume(&mesh) == 6);
  assert_true(mus_total_space_area(&mesh) == 22);
  for (int c = 0; c < 3; ++c)
    assert_true(mus_mesh_box(&mesh).low[c] == -0.5 * size[c] && mus_mesh_box(&mesh).high[c] == 0.5 * size[c]);
  mus_arena_clear(&arena);
}

static void planes_face_upwards(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh mesh;
  assert_ok(mus_body_plane(&arena, 4, 2, &mesh));
  assert_true(mus_total_space_area(&mesh) == 8);
  assert_true(mus_mesh_box(&mesh).high[0] == 2 && mus_mesh_box(&mesh).high[2] == 1);
  for (int t = 0; t < mesh.triangles; ++t) {
    const double *a = corner(&mesh, t, 0), *b = corner(&mesh, t, 1), *c = corner(&mesh, t, 2);
    assert_true((b[2] - a[2]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[2] - a[2]) > 0);
  }
  mus_arena_clear(&arena);
}

static double from_box_with_hole(const double *x, const double *about) { // width, height, depth, radius
  double walls = fmax(fmax(fabs(x[0]) - 0.5 * about[0], fabs(x[1]) - 0.5 * about[1]), fabs(x[2]) - 0.5 * about[2]);
  return fmax(walls, about[3] - hypot(x[0], x[2]));
}

static void boxes_with_holes(void **state) {
  (void)state;
  static const double cases[][4] = {{1, 1, 1, 0.25}, {2, 0.1, 1, 0.3}, {1, 0.5, 4, 0.45}, {3, 1, 3, 0.02}};
  const double facet = 2e-4;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    const double *size = cases[k], radius = cases[k][3];
    mus_arena arena = {0};
    mus_mesh mesh;
    assert_ok(mus_body_box_with_hole(&arena, size, radius, facet, &mesh));
    check_closed(&arena, &mesh, 1);
    assert_true(farthest(&mesh, from_box_with_hole, size) <= facet * (1 + 1e-9));
    double whole = size[1] * (size[0] * size[2] - PI * radius * radius);
    assert_true(volume(&mesh) > whole && volume(&mesh) < whole + size[1] * 2 * PI * radius * facet);
    assert_true(mus_mesh_angles(&mesh).least > 3);
    int corners = 0;
    for (int v = 0; v < mesh.vertices; ++v) {
      const double *x = mesh.position + 3 * (size_t)v;
      assert_true(hypot(x[0], x[2]) > radius * (1 - 1e-12)); // on the rim or outside it, facets reach into the hole
      corners += fabs(x[0]) == 0.5 * size[0] && fabs(x[1]) == 0.5 * size[1] && fabs(x[2]) == 0.5 * size[2];
    }
    assert_int_equal(corners, 8);
    mus_arena_clear(&arena);
  }
}

static void holes_wider_than_their_box_are_refused(void **state) {
  (void)state;
  static const double size[3] = {1, 1, 0.5};
  mus_arena arena = {0};
  mus_mesh mesh;
  assert_fails(mus_body_box_with_hole(&arena, size, 0.25, 1e-3, &mesh), MUS_BAD_INPUT, "leaves no wall");
  mus_arena_clear(&arena);
}

// The distance from the stadium that the profile is: a line segment in the middle of the wall, half the wall away.
static double from_funnel(const double *x, const double *about) { // low, high, height, wall
  double low = about[0], rise = about[1] - low, height = about[2], slant = hypot(rise, height), half = 0.5 * about[3];
  double r = hypot(x[0], x[2]) - (low + half * height / slant), y = x[1] + 0.5 * height + half * rise / slant;
  double along = fmin(fmax((r * rise + y * height) / slant, 0), slant);
  return hypot(r - along * rise / slant, y - along * height / slant) - half;
}

static void funnels(void **state) {
  (void)state;
  static const double cases[][4] = {
      {0.1, 0.5, 0.5, 0.02}, {0.3, 0.3, 1, 0.05}, {0.05, 1, 0.2, 0.02}, {0.4, 0.1, 1, 0.01}};
  const double facet = 2e-4;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    const double *about = cases[k];
    mus_arena arena = {0};
    mus_mesh mesh;
    assert_ok(mus_body_funnel(&arena, about[0], about[1], about[2], about[3], facet, &mesh));
    check_closed(&arena, &mesh, 1);
    assert_true(farthest(&mesh, from_funnel, about) <= facet * (1 + 1e-9));
    double slant = hypot(about[1] - about[0], about[2]), half = 0.5 * about[3];
    // Pappus: the profile's area times the way of its centroid.
    double area = slant * about[3] + PI * half * half;
    double centroid = 0.5 * (about[0] + about[1]) + half * about[2] / slant;
    assert_true(fabs(volume(&mesh) - 2 * PI * centroid * area) < 2 * facet * mus_total_space_area(&mesh));
    assert_true(mus_mesh_angles(&mesh).least > 3);
    mus_arena_clear(&arena);
  }
}

static double from_cylinder(const double *x, const double *about) { // radius, length
  double out = hypot(x[0], x[2]) - about[0], up = fabs(x[1]) - 0.5 * about[1];
  return fmax(out, up);
}

static double from_cone(const double *x, const double *about) { // radius, length
  double slant = hypot(about[0], about[1]), r = hypot(x[0], x[2]), up = 0.5 * about[1] - x[1];
  return fmax((r * about[1] - up * about[0]) / slant, -0.5 * about[1] - x[1]);
}

static double from_torus(const double *x, const double *about) { // radius, tube
  return hypot(hypot(x[0], x[2]) - about[0], x[1]) - about[1];
}

static double from_rounded_box(const double *x, const double *about) { // width, height, depth, radius
  double square = 0, inside = -1;
  for (int c = 0; c < 3; ++c) {
    double beyond = fabs(x[c]) - (0.5 * about[c] - about[3]);
    square += beyond > 0 ? beyond * beyond : 0;
    inside = fmax(inside, beyond);
  }
  return inside > 0 ? sqrt(square) - about[3] : inside - about[3];
}

static void cylinders_and_cones(void **state) {
  (void)state;
  static const double cases[][3] = {{0.25, 0.5, 2e-4}, {0.05, 1, 1e-3}, {1, 0.05, 1e-3}, {0.1, 3, 5e-4}, {2, 1, 1}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k)
    for (int cone = 0; cone < 2; ++cone) {
      double radius = cases[k][0], length = cases[k][1], facet = cases[k][2];
      mus_arena arena = {0};
      mus_mesh mesh;
      assert_ok(cone ? mus_body_cone(&arena, radius, length, facet, &mesh)
                     : mus_body_cylinder(&arena, radius, length, facet, &mesh));
      check_closed(&arena, &mesh, 0);
      double whole = PI * radius * radius * length / (cone ? 3 : 1);
      double off = farthest(&mesh, cone ? from_cone : from_cylinder, cases[k]);
      assert_true(off <= facet * (1 + 1e-9) && off <= 0.1 * radius);
      assert_true(volume(&mesh) < whole && volume(&mesh) > whole - off * mus_total_space_area(&mesh));
      assert_true(mus_mesh_angles(&mesh).least > (k == 1 || k == 3 ? 0.5 : 3)); // the tips of slender cones
      mus_box box = mus_mesh_box(&mesh);
      assert_true(box.high[1] == 0.5 * length && box.low[1] == -box.high[1] && box.high[0] == radius);
      mus_arena_clear(&arena);
    }
}

static void tori(void **state) {
  (void)state;
  static const double cases[][3] = {{0.25, 0.05, 2e-4}, {0.5, 0.45, 1e-3}, {1, 0.01, 1e-4}, {2, 0.3, 1}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    double radius = cases[k][0], tube = cases[k][1], facet = cases[k][2];
    mus_arena arena = {0};
    mus_mesh mesh;
    assert_ok(mus_body_torus(&arena, radius, tube, facet, &mesh));
    check_closed(&arena, &mesh, 1);
    double whole = 2 * PI * radius * PI * tube * tube, off = farthest(&mesh, from_torus, cases[k]);
    assert_true(off <= facet * (1 + 1e-9) && off <= 0.2 * tube);
    assert_true(fabs(volume(&mesh) - whole) < 2 * off * mus_total_space_area(&mesh));
    assert_true(mus_mesh_angles(&mesh).least > 3);
    mus_arena_clear(&arena);
  }
  mus_arena arena = {0};
  mus_mesh mesh;
  assert_fails(mus_body_torus(&arena, 0.2, 0.2, 1e-3, &mesh), MUS_BAD_INPUT, "leaves no hole");
  mus_arena_clear(&arena);
}

static void rounded_boxes(void **state) {
  (void)state;
  static const double cases[][4] = {{1, 1, 1, 0.25}, {2, 0.1, 1, 0.02}, {0.3, 0.5, 0.4, 0.1499}, {1, 1, 1, 0.001}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    const double *size = cases[k], r = size[3], facet = 2e-4;
    mus_arena arena = {0};
    mus_mesh mesh;
    assert_ok(mus_body_rounded_box(&arena, size, r, facet, &mesh));
    check_closed(&arena, &mesh, 0);
    double off = farthest(&mesh, from_rounded_box, size), inner[3];
    assert_true(off <= facet * (1 + 1e-9));
    for (int c = 0; c < 3; ++c) {
      inner[c] = size[c] - 2 * r;
      assert_true(fabs(mus_mesh_box(&mesh).low[c] + 0.5 * size[c]) < 1e-15);
      assert_true(fabs(mus_mesh_box(&mesh).high[c] - 0.5 * size[c]) < 1e-15);
    }
    // Steiner: the inner box, its sides r high, quarters of cylinders along its edges, a ball at its corners.
    double whole = inner[0] * inner[1] * inner[2] +
                   2 * r * (inner[0] * inner[1] + inner[1] * inner[2] + inner[2] * inner[0]) +
                   PI * r * r * (inner[0] + inner[1] + inner[2]) + 4.0 / 3 * PI * r * r * r;
    assert_true(volume(&mesh) < whole && volume(&mesh) > whole - off * mus_total_space_area(&mesh));
    assert_true(mus_mesh_angles(&mesh).least > (k == 0 ? 3 : k == 1 ? 1.5 : 0.1)); // narrow edges and sides
    assert_true(mesh.triangles < 30000);
    mus_arena_clear(&arena);
  }
  static const double flat[3] = {1, 0.2, 1};
  mus_arena arena = {0};
  mus_mesh mesh;
  assert_fails(mus_body_rounded_box(&arena, flat, 0.1, 1e-3, &mesh), MUS_BAD_INPUT, "leave nothing flat");
  mus_arena_clear(&arena);
}

static void too_fine_facets_are_refused(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh mesh;
  assert_fails(mus_body_capsule(&arena, 1e4, 0, 1e-7, &mesh), MUS_BAD_INPUT, "raise \"facet\"");
  mus_arena_clear(&arena);
}

static void short_memory(void **state) {
  (void)state;
  static const double size[3] = {1, 1, 1};
  for (int which = 0; which < 9; ++which) {
    mus_status status = MUS_OUT_OF_MEMORY;
    for (long n = 0; status != MUS_OK && n < 20; ++n) {
      mus_arena arena = {0};
      mus_mesh mesh;
      mus_memory_fail_after(n);
      status = which == 0   ? mus_body_plane(&arena, 1, 1, &mesh)
               : which == 1 ? mus_body_box(&arena, size, &mesh)
               : which == 2 ? mus_body_capsule(&arena, 1, 1, 0.01, &mesh)
               : which == 3 ? mus_body_box_with_hole(&arena, size, 0.2, 0.01, &mesh)
               : which == 4 ? mus_body_funnel(&arena, 0.2, 0.5, 1, 0.02, 0.01, &mesh)
               : which == 5 ? mus_body_cylinder(&arena, 0.2, 0.5, 0.01, &mesh)
               : which == 6 ? mus_body_cone(&arena, 0.2, 0.5, 0.01, &mesh)
               : which == 7 ? mus_body_torus(&arena, 0.2, 0.1, 0.01, &mesh)
                            : mus_body_rounded_box(&arena, size, 0.2, 0.01, &mesh);
      mus_memory_fail_after(-1);
      assert_true(status == MUS_OK || status == MUS_OUT_OF_MEMORY);
      mus_arena_clear(&arena);
    }
    assert_int_equal(status, MUS_OK);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(capsules_and_spheres),
                                     cmocka_unit_test(boxes),
                                     cmocka_unit_test(planes_face_upwards),
                                     cmocka_unit_test(boxes_with_holes),
                                     cmocka_unit_test(holes_wider_than_their_box_are_refused),
                                     cmocka_unit_test(funnels),
                                     cmocka_unit_test(cylinders_and_cones),
                                     cmocka_unit_test(tori),
                                     cmocka_unit_test(rounded_boxes),
                                     cmocka_unit_test(too_fine_facets_are_refused),
                                     cmocka_unit_test(short_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
