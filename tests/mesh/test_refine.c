// Finer meshes: no edge too long, the same surface, no slivers, seams that stay matched.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "mesh/check.h"
#include "mesh/generate.h"
#include "mesh/refine.h"
#include "mesh/topology.h"
#include "support/meshes.h"
#include "support/sweep.h"

static double area_of(const mus_mesh *mesh, size_t t) {
  const double *a = mesh->material + 6 * t, *b = a + 2, *c = a + 4;
  return 0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
}

static double whole_area(const mus_mesh *mesh) {
  double sum = 0;
  for (size_t t = 0; t < (size_t)mesh->triangles; ++t)
    sum += area_of(mesh, t);
  return sum;
}

static double longest_edge(const mus_mesh *mesh) {
  double most = 0;
  for (size_t i = 0; i < 3 * (size_t)mesh->triangles; ++i) {
    const double *corner = mesh->material + 6 * (i / 3), *a = corner + 2 * (i % 3), *b = corner + 2 * ((i + 1) % 3);
    most = fmax(most, hypot(b[0] - a[0], b[1] - a[1]));
  }
  return most;
}

// Radians.
static double smallest_angle(const mus_mesh *mesh) {
  double least = 4;
  for (size_t i = 0; i < 3 * (size_t)mesh->triangles; ++i) {
    const double *corner = mesh->material + 6 * (i / 3), *a = corner + 2 * (i % 3), *b = corner + 2 * ((i + 1) % 3),
                 *c = corner + 2 * ((i + 2) % 3);
    double u[2] = {b[0] - a[0], b[1] - a[1]}, v[2] = {c[0] - a[0], c[1] - a[1]};
    least = fmin(least, atan2(fabs(u[0] * v[1] - u[1] * v[0]), u[0] * v[0] + u[1] * v[1]));
  }
  return least;
}

// Conforming: as many boundary loops, no defect, and the boundary as long as before.
static void assert_refined(const mus_mesh *mesh, const mus_mesh *fine, const mus_refinement *r, double length) {
  mus_arena arena = {0};
  mus_topology before, after;
  mus_mesh_report report;
  assert_int_equal(mus_topology_create(&arena, mesh, &before), MUS_OK);
  assert_int_equal(mus_topology_create(&arena, fine, &after), MUS_OK);
  assert_int_equal(before.loops, after.loops);
  assert_int_equal(before.components, after.components);
  assert_int_equal(mesh->vertices - before.edges + mesh->triangles, fine->vertices - after.edges + fine->triangles);
  assert_int_equal(mus_mesh_check(fine, &report), MUS_OK);
  for (int k = 0; k < MUS_DEFECTS; ++k)
    assert_int_equal(report.count[k], 0);
  assert_true(longest_edge(fine) <= length * (1 + 1e-9));
  assert_true(fabs(whole_area(fine) / whole_area(mesh) - 1) < 1e-12);
  assert_true(smallest_angle(fine) > 0.499 * smallest_angle(mesh));
  assert_memory_equal(fine->position, mesh->position, 3 * (size_t)mesh->vertices * sizeof(double));
  assert_int_equal(r->before, mesh->vertices);
  assert_int_equal(r->vertices, fine->vertices);
  for (int v = r->before; v < r->vertices; ++v)
    for (int c = 0; c < 3; ++c) {
      const int *parent = r->parent + 2 * (v - r->before);
      assert_true(parent[0] < v && parent[1] < v);
      assert_true(fine->position[3 * v + c] ==
                  0.5 * (fine->position[3 * parent[0] + c] + fine->position[3 * parent[1] + c]));
    }
  mus_arena_clear(&arena);
}

static void edges_become_short(void **state) {
  (void)state;
  for (int k = 0; k < 12; ++k) {
    mus_arena arena = {0};
    mus_mesh mesh, fine;
    mus_refinement r;
    mus_generate_options options = {.vertices = 60, .width = 1, .depth = 0.7, .irregular = k % 2, .seed = (unsigned)k};
    assert_int_equal(k % 3 == 0   ? mus_generate_disc(&arena, &options, &mesh)
                     : k % 3 == 1 ? mus_generate_l(&arena, &options, &mesh)
                                  : mus_generate_rectangle(&arena, &options, &mesh),
                     MUS_OK);
    double length = 0.2 / (1 + k);
    assert_int_equal(mus_mesh_refine(&arena, &mesh, length, 0, NULL, &fine, &r), MUS_OK);
    assert_refined(&mesh, &fine, &r, length);
    // Not needlessly fine: halves of what was too long, and their neighbours.
    assert_true(fine.triangles < 12 * whole_area(&mesh) / (length * length));
    mus_arena_clear(&arena);
  }
}

// Meshes that are fine already, or that nothing is asked of.
static void nothing_to_do(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh mesh, fine;
  mus_refinement r;
  mus_generate_options options = {.vertices = 60, .width = 1, .depth = 1};
  assert_int_equal(mus_generate_rectangle(&arena, &options, &mesh), MUS_OK);
  assert_int_equal(mus_mesh_refine(&arena, &mesh, 10, 0, NULL, &fine, &r), MUS_OK);
  assert_true(meshes_same(&mesh, &fine));
  assert_ptr_not_equal(mesh.position, fine.position);
  assert_int_equal(mus_mesh_refine(&arena, &mesh, 0, 0, NULL, &fine, &r), MUS_OK);
  assert_ptr_equal(mesh.position, fine.position);
  assert_true(r.boundary_edges > 10);
  assert_int_equal(mus_mesh_refine(&arena, &mesh, 1e-6, 0, NULL, &fine, &r), MUS_BAD_INPUT);
  assert_non_null(strstr(mus_last_error(), "raise \"edge\""));
  mus_arena_clear(&arena);
}

// Two strips of different triangles and lengths, sewn along one side: both sides get the same vertices.
static void sewn_edges_are_cut_together(void **state) {
  (void)state;
  static const double position[] = {0, 0, 0, 1,    0, 0,   0, 0, 1,    1,   0,   1,
                                    0, 1, 0, 0.95, 1, 0.1, 0, 1, -0.3, 0.9, 1.1, -0.2};
  static const int triangle[] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6}, pair[] = {0, 4, 5, 1};
  double material[24];
  for (int i = 0; i < 12; ++i) {
    material[2 * i] = position[3 * triangle[i]];
    material[2 * i + 1] = -position[3 * triangle[i] + 2];
  }
  mus_arena arena = {0};
  mus_mesh mesh = meshes_given(&arena, 8, 4, position, triangle, material), fine;
  mus_refinement r;
  for (double length = 0.9; length > 0.01; length *= 0.83) {
    mus_list a = {0}, b = {0};
    assert_int_equal(mus_mesh_refine(&arena, &mesh, length, 2, pair, &fine, &r), MUS_OK);
    assert_refined(&mesh, &fine, &r, length);
    assert_int_equal(mus_refinement_chain(&r, 0, 1, &a), MUS_OK);
    assert_int_equal(mus_refinement_chain(&r, 4, 5, &b), MUS_OK);
    assert_int_equal(a.count, b.count);
    assert_true(a.count > 1 / length);
    for (size_t k = 0; k < a.count; ++k) {
      const mus_edge_point *p = (const mus_edge_point *)a.items + k, *q = (const mus_edge_point *)b.items + k;
      assert_true(p->part == q->part && (k == 0 || p->part > p[-1].part));
      assert_true(fabs(fine.position[3 * p->vertex] - p->part) < 1e-15);
    }
    mus_free(a.items);
    mus_free(b.items);
  }
  assert_true(mus_refinement_boundary(&r, 1, 0) >= 0);
  assert_int_equal(mus_refinement_boundary(&r, 1, 2), -1); // inside
  assert_true(r.boundary_length[mus_refinement_boundary(&r, 0, 1)] == 1);
  mus_arena_clear(&arena);
}

static mus_status refine_all(mus_arena *arena, void *unused) {
  (void)unused;
  mus_mesh mesh, fine;
  mus_refinement r;
  static const int pair[] = {0, 1};
  mus_generate_options options = {.vertices = 16, .width = 1, .depth = 1};
  mus_status status = mus_generate_rectangle(arena, &options, &mesh);
  return status ? status : mus_mesh_refine(arena, &mesh, 0.2, 1, pair, &fine, &r);
}

static void memory_runs_out(void **state) {
  (void)state;
  mus_arena arena = {0};
  assert_true(sweep_allocations(&arena, refine_all, NULL) > 20);
  mus_arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(edges_become_short), cmocka_unit_test(nothing_to_do),
                                     cmocka_unit_test(sewn_edges_are_cut_together), cmocka_unit_test(memory_runs_out)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
