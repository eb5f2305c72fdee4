// What generated cloths must be. See cloths.h.
#include "support/cloths.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "mesh/check.h"
#include "mesh/measure.h"

int cloths_have_qhull(void) {
  mus_arena arena = {0};
  mus_mesh mesh;
  mus_generate_options options = {.vertices = 9, .width = 1, .depth = 1, .irregular = 1};
  mus_status status = mus_generate_rectangle(&arena, &options, &mesh);
  mus_arena_clear(&arena);
  return status != MUS_UNSUPPORTED;
}

mus_mesh cloths_made(mus_arena *arena, cloth_generator generate, const mus_generate_options *options) {
  mus_mesh mesh;
  if (generate(arena, options, &mesh) != MUS_OK)
    fail_msg("%s", mus_last_error());
  return mesh;
}

mus_topology cloths_check(mus_arena *arena, const mus_mesh *mesh, double area) {
  mus_mesh_report report;
  assert_int_equal(mus_mesh_check(mesh, &report), MUS_OK);
  for (int d = 0; d < MUS_DEFECTS; ++d)
    assert_int_equal(report.count[d], 0);
  mus_topology topology;
  assert_int_equal(mus_topology_create(arena, mesh, &topology), MUS_OK);
  assert_int_equal(mesh->vertices - topology.edges + mesh->triangles, 1);
  assert_int_equal(topology.loops, 1);
  assert_int_equal(topology.components, 1);
  assert_int_equal(2 * topology.edges, 3 * mesh->triangles + topology.boundary_edges);
  for (int i = 0; i < mesh->triangles * 3; ++i) {
    const double *p = mesh->position + 3 * mesh->triangle[i], *m = mesh->material + 2 * i;
    assert_true(p[1] == 0 && p[0] == m[0] && p[2] == m[1]);
  }
  assert_true(fabs(mus_total_material_area(mesh) - area) < 1e-9 * area);
  return topology;
}

int cloths_on_rectangle(const double *p, double width, double depth) {
  return fabs(p[0]) == width / 2 || fabs(p[2]) == depth / 2;
}

void cloths_check_square(int side, int irregular) {
  mus_arena arena = {0};
  mus_generate_options options = {.vertices = side * side, .width = 1, .depth = 1, .irregular = irregular, .seed = 1};
  mus_mesh mesh = cloths_made(&arena, mus_generate_rectangle, &options);
  assert_int_equal(mesh.vertices, side * side);
  assert_int_equal(mesh.triangles, 2 * (side - 1) * (side - 1));
  mus_topology topology = cloths_check(&arena, &mesh, 1);
  assert_int_equal(topology.boundary_edges, 4 * (side - 1));
  assert_int_equal(topology.hinges, topology.edges - 4 * (side - 1));
  int outside = 0;
  for (int v = 0; v < mesh.vertices; ++v) {
    outside += cloths_on_rectangle(mesh.position + 3 * v, 1, 1);
    assert_true(fabs(mesh.position[3 * v]) <= 0.5 && fabs(mesh.position[3 * v + 2]) <= 0.5);
  }
  assert_int_equal(outside, 4 * (side - 1));
  for (int i = 0; i < topology.loop_start[1]; ++i)
    assert_true(cloths_on_rectangle(mesh.position + 3 * topology.loop[i], 1, 1));
  mus_angles angles = mus_mesh_angles(&mesh);
  assert_true(angles.least > (irregular ? 19 : 44.9999));
  assert_true(angles.largest < (irregular ? 142 : 90.0001));
  mus_arena_clear(&arena);
}
