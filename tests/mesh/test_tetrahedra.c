// Tetrahedra: faces, edges, surfaces with their fronts outside, volumes, angles, quality and orders.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "mesh/check.h"
#include "mesh/measure.h"
#include "mesh/tetrahedra_check.h"
#include "mesh/tetrahedra_generate.h"
#include "mesh/tetrahedra_order.h"
#include "support/check.h"
#include "support/sweep.h"

static mus_tetrahedra given(mus_arena *arena, int vertices, int tetrahedra, const double *position, const int *corner) {
  mus_tetrahedra mesh;
  assert_ok(mus_tetrahedra_create(arena, vertices, tetrahedra, 0, &mesh));
  memcpy(mesh.position, position, (size_t)vertices * 3 * sizeof *position);
  memcpy(mesh.corner, corner, (size_t)tetrahedra * 4 * sizeof *corner);
  return mesh;
}

static mus_tetrahedra box(mus_arena *arena, int x, int y, int z) {
  mus_tetrahedra mesh;
  assert_ok(mus_solid_box_of_cells(arena, (const double[]){x, y, z}, (const int[]){x, y, z}, &mesh));
  return mesh;
}

// Six pyramids from the surface's triangles to a point: positive where fronts are outside.
static double volume_within(const mus_mesh *mesh) {
  double sum = 0;
  for (int t = 0; t < mesh->triangles; ++t) {
    const double *p[3];
    for (int k = 0; k < 3; ++k)
      p[k] = mesh->position + 3 * mesh->triangle[3 * t + k];
    sum += p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) + p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
           p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
  }
  return sum / 6;
}

static const double corner_position[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const double regular_position[] = {1, 1, 1, -1, 1, -1, 1, -1, -1, -1, -1, 1};
static const int one[] = {0, 1, 2, 3};

static void measures_of_known_tetrahedra(void **state) {
  (void)state;
  mus_arena arena = {0};
  double angle[6];
  mus_tetrahedra mesh = given(&arena, 4, 1, corner_position, one);
  assert_true(fabs(mus_tetrahedron_volume(&mesh, 0) - 1.0 / 6) < 1e-16);
  mus_dihedral_angles(&mesh, 0, angle);
  for (int e = 0; e < 3; ++e)
    assert_true(fabs(angle[e] - 90) < 1e-12);
  for (int e = 3; e < 6; ++e)
    assert_true(fabs(angle[e] - 180 / acos(-1) * atan(sqrt(2))) < 1e-12);
  mesh = given(&arena, 4, 1, regular_position, one);
  assert_int_equal(mus_tetrahedron_sign(&mesh, 0), 1);
  assert_true(fabs(mus_tetrahedron_volume(&mesh, 0) - 8.0 / 3) < 1e-15);
  assert_true(fabs(mus_tetrahedron_quality(&mesh, 0) - 1) < 1e-15);
  mus_dihedral_angles(&mesh, 0, angle);
  for (int e = 0; e < 6; ++e)
    assert_true(fabs(angle[e] - 180 / acos(-1) * acos(1.0 / 3)) < 1e-12);
  mesh.corner[0] = 1, mesh.corner[1] = 0;
  assert_int_equal(mus_tetrahedron_sign(&mesh, 0), -1);
  assert_true(fabs(mus_tetrahedron_quality(&mesh, 0) + 1) < 1e-15);
  mus_tetrahedra_quality q;
  mus_tetrahedra_measure(&mesh, &q);
  assert_true(q.least_angle == 0 && q.largest_angle == 180 && q.bin[0] == 1 && q.angle_bin[0] == 1);
  mus_arena_clear(&arena);
}

// Sizes at which plain products overflow or vanish are judged by shape all the same.
static void size_does_not_matter(void **state) {
  (void)state;
  mus_arena arena = {0};
  for (int power = -300; power <= 300; power += 20) {
    mus_tetrahedra mesh = given(&arena, 4, 1, regular_position, one);
    for (int i = 0; i < 12; ++i)
      mesh.position[i] = ldexp(regular_position[i], power * 3);
    assert_int_equal(mus_tetrahedron_sign(&mesh, 0), 1);
    assert_true(fabs(mus_tetrahedron_quality(&mesh, 0) - 1) < 1e-14);
  }
  mus_tetrahedra mesh = given(&arena, 4, 1, corner_position, one);
  mesh.position[11] = 0.9e-10;
  assert_int_equal(mus_tetrahedron_sign(&mesh, 0), 0);
  mesh.position[11] = 1e300 * 1e10;
  assert_int_equal(mus_tetrahedron_sign(&mesh, 0), 0);
  mesh.position[11] = NAN;
  assert_int_equal(mus_tetrahedron_sign(&mesh, 0), 0);
  mus_arena_clear(&arena);
}

static void boxes_are_filled(void **state) {
  (void)state;
  static const int sizes[][3] = {{1, 1, 1}, {2, 1, 1}, {1, 3, 2}, {4, 3, 5}};
  for (size_t n = 0; n < sizeof sizes / sizeof *sizes; ++n) {
    mus_arena arena = {0};
    int x = sizes[n][0], y = sizes[n][1], z = sizes[n][2];
    mus_tetrahedra mesh = box(&arena, x, y, z);
    mus_solid_report report;
    mus_solid_surface surface;
    mus_tetrahedra_quality q;
    assert_int_equal(mesh.tetrahedra, 12 * x * y * z);
    assert_ok(mus_tetrahedra_check(&mesh, &report));
    for (int k = 0; k < MUS_SOLID_DEFECTS; ++k)
      assert_int_equal(report.count[k], 0);
    assert_int_equal(report.pieces, 1);
    mus_tetrahedra_measure(&mesh, &q);
    assert_true(fabs(q.volume - x * y * z) < 1e-12 * x * y * z);
    assert_true(q.least_angle > 44.999 && q.largest_angle < 120.001 && q.mean > 0.76);
    assert_ok(mus_tetrahedra_surface(&arena, &mesh, &surface));
    assert_int_equal(surface.mesh.triangles, 4 * (x * y + y * z + z * x));
    assert_true(fabs(mus_total_space_area(&surface.mesh) - 2 * (x * y + y * z + z * x)) < 1e-10);
    assert_true(fabs(volume_within(&surface.mesh) - x * y * z) < 1e-12 * x * y * z);
    mus_mesh_report triangles;
    assert_ok(mus_mesh_check(&surface.mesh, &triangles));
    for (int k = 0; k < MUS_DEFECTS; ++k)
      assert_int_equal(triangles.count[k], 0);
    for (int v = 0; v < surface.mesh.vertices; ++v) {
      assert_int_equal(surface.surface[surface.vertex[v]], v);
      assert_memory_equal(surface.mesh.position + 3 * v, mesh.position + 3 * surface.vertex[v], 3 * sizeof(double));
    }
    mus_arena_clear(&arena);
  }
}

static void cells_come_near_what_is_asked(void **state) {
  (void)state;
  static const double beam[] = {1, 0.2, 0.2};
  int cells[3];
  assert_ok(mus_solid_box_cells(beam, 0.05, cells));
  assert_true(cells[0] == 20 && cells[1] == 4 && cells[2] == 4);
  for (int vertices = 9; vertices < 3000000; vertices = vertices * 3 / 2) {
    assert_ok(mus_solid_box_cells_for(beam, vertices, cells));
    double count = (cells[0] + 1.0) * (cells[1] + 1) * (cells[2] + 1) + (double)cells[0] * cells[1] * cells[2];
    assert_true(fabs(count - vertices) < 0.3 * vertices + 20);
  }
  assert_fails(mus_solid_box_cells(beam, 0, cells), MUS_BAD_INPUT, "edges of 0 m: give a positive length");
  assert_fails(mus_solid_box_cells(beam, 1e-300, cells), MUS_BAD_INPUT, "too short");
  assert_fails(mus_solid_box_cells((const double[]){1, -1, 1}, 1, cells), MUS_BAD_INPUT, "-1 m along y");
  assert_fails(mus_solid_box_cells_for(beam, 8, cells), MUS_BAD_INPUT, "8 vertices");
  mus_arena arena = {0};
  mus_tetrahedra mesh;
  assert_fails(mus_solid_box_of_cells(&arena, beam, (const int[]){1 << 20, 1 << 20, 1}, &mesh), MUS_BAD_INPUT,
               "too fine");
  assert_fails(mus_tetrahedra_create(&arena, 1LL << 40, 1, 0, &mesh), MUS_BAD_INPUT, "exceeds the limit");
  mus_arena_clear(&arena);
}

// The surface's Euler characteristic and that of the solid's vertices, edges, faces and tetrahedra are those of a ball.
static void edges_and_faces_are_counted_once(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_tetrahedra mesh = box(&arena, 3, 2, 4);
  mus_edges edges;
  mus_faces faces;
  assert_ok(mus_tetrahedra_edges(&arena, &mesh, &edges));
  assert_ok(mus_faces_create(&arena, &mesh, &faces));
  assert_int_equal(mesh.vertices - edges.edges + faces.faces - mesh.tetrahedra, 1);
  for (int e = 0; e < edges.edges; ++e) {
    const int *edge = edges.edge + 2 * e;
    assert_true(edge[0] < edge[1]);
    assert_true(e == 0 || edge[-2] < edge[0] || (edge[-2] == edge[0] && edge[-1] < edge[1]));
  }
  for (int f = 0; f < 4 * mesh.tetrahedra; ++f) {
    int beyond = faces.neighbour[f], back = 0;
    for (int k = 0; beyond >= 0 && k < 4; ++k)
      back += faces.neighbour[4 * beyond + k] == f / 4;
    assert_int_equal(back, beyond >= 0);
  }
  mus_arena_clear(&arena);
}

static void masses_are_of_quarters(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_tetrahedra mesh = box(&arena, 2, 3, 2);
  double *mass = mus_arena_alloc(&arena, (size_t)mesh.vertices, sizeof *mass), sum = 0;
  mus_tetrahedra_masses(&mesh, 1000, mass);
  for (int v = 0; v < mesh.vertices; ++v) {
    assert_true(mass[v] > 0);
    sum += mass[v];
  }
  assert_true(fabs(sum - 12000) < 1e-9);
  mus_arena_clear(&arena);
}

static void orders_bring_neighbours_together(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_tetrahedra mesh = box(&arena, 12, 6, 6), shuffled, sorted;
  assert_ok(mus_tetrahedra_create(&arena, mesh.vertices, mesh.tetrahedra, 1, &shuffled));
  int *place = mus_arena_alloc(&arena, (size_t)mesh.vertices, sizeof *place);
  for (int v = 0; v < mesh.vertices; ++v)
    place[v] = v;
  for (int v = mesh.vertices - 1; v > 0; --v) {
    int w = (int)(mus_random_bits(7, (uint64_t)v) % ((uint64_t)v + 1)), other = place[v];
    place[v] = place[w];
    place[w] = other;
  }
  for (int v = 0; v < mesh.vertices; ++v)
    memcpy(shuffled.position + 3 * place[v], mesh.position + 3 * v, 3 * sizeof(double));
  for (int i = 0; i < 4 * mesh.tetrahedra; ++i) {
    shuffled.corner[i] = place[mesh.corner[i]];
    shuffled.region[i / 4] = i / 4;
  }
  mus_solid_order order;
  assert_ok(mus_solid_order_find(&arena, &shuffled, &order));
  assert_ok(mus_solid_order_apply(&arena, &order, &shuffled, &sorted));
  assert_true(mus_tetrahedra_spread(&sorted) < 0.25 * mus_tetrahedra_spread(&shuffled));
  assert_true(mus_tetrahedra_spread(&sorted) < mus_tetrahedra_spread(&mesh));
  double *back = mus_arena_alloc(&arena, 3 * (size_t)mesh.vertices, sizeof *back);
  mus_solid_order_restore(&order, 3, sorted.position, back);
  assert_memory_equal(back, shuffled.position, 3 * (size_t)mesh.vertices * sizeof *back);
  for (int t = 0; t < mesh.tetrahedra; ++t) {
    assert_int_equal(sorted.region[t], order.tetrahedron[t]);
    for (int k = 0; k < 4; ++k)
      assert_int_equal(order.vertex[sorted.corner[4 * t + k]], shuffled.corner[4 * order.tetrahedron[t] + k]);
  }
  mus_arena_clear(&arena);
}

static mus_status all_of_it(mus_arena *arena, void *data) {
  (void)data;
  mus_tetrahedra mesh, copy;
  mus_solid_surface surface;
  mus_solid_order order;
  mus_status status = mus_solid_box_of_cells(arena, (const double[]){1, 1, 1}, (const int[]){2, 2, 2}, &mesh);
  if (!status)
    status = mus_tetrahedra_surface(arena, &mesh, &surface);
  if (!status)
    status = mus_solid_order_find(arena, &mesh, &order);
  return status ? status : mus_solid_order_apply(arena, &order, &mesh, &copy);
}

static void failing_allocations_leak_nothing(void **state) {
  (void)state;
  mus_arena arena = {0};
  assert_true(sweep_allocations(&arena, all_of_it, NULL) > 20);
  mus_arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(measures_of_known_tetrahedra),
      cmocka_unit_test(size_does_not_matter),
      cmocka_unit_test(boxes_are_filled),
      cmocka_unit_test(cells_come_near_what_is_asked),
      cmocka_unit_test(edges_and_faces_are_counted_once),
      cmocka_unit_test(masses_are_of_quarters),
      cmocka_unit_test(orders_bring_neighbours_together),
      cmocka_unit_test(failing_allocations_leak_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
