// Surfaces as shapes: closed, open, overlapping, turned inside out, and how far fillings are from them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "fill/filled_surface.h"
#include "mesh/body_surfaces.h"
#include "mesh/tetrahedra_check.h"
#include "par/par.h"
#include "support/check.h"
#include "support/filling.h"
#include "support/meshes.h"
#include "support/sweep.h"

static mus_mesh box(mus_arena *arena, double x) {
  mus_mesh mesh;
  assert_ok(mus_body_box(arena, (const double[]){1, 1, 1}, &mesh));
  for (int v = 0; v < mesh.vertices; ++v)
    mesh.position[3 * v] += x;
  return mesh;
}

static mus_mesh both(mus_arena *arena, const mus_mesh *a, const mus_mesh *b) {
  mus_mesh mesh;
  assert_ok(mus_mesh_create(arena, a->vertices + b->vertices, a->triangles + b->triangles, 0, &mesh));
  for (int i = 0; i < 3 * mesh.vertices; ++i)
    mesh.position[i] = i < 3 * a->vertices ? a->position[i] : b->position[i - 3 * a->vertices];
  for (int i = 0; i < 3 * mesh.triangles; ++i)
    mesh.triangle[i] = i < 3 * a->triangles ? a->triangle[i] : b->triangle[i - 3 * a->triangles] + a->vertices;
  return mesh;
}

static void boxes_are_filled_but_for_their_edges(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh mesh = box(&arena, 0);
  filling f = fill_surface(&arena, &mesh, 0.08);
  assert_true(fabs(f.quality.volume - 1) < 0.02);
  assert_true(f.deviation < 0.5 * 0.08 && f.closed == 0 && f.loss < 0.08);
  for (int t = 0; t < mesh.triangles; ++t) { // inside out is the same
    int other = mesh.triangle[3 * t];
    mesh.triangle[3 * t] = mesh.triangle[3 * t + 1];
    mesh.triangle[3 * t + 1] = other;
  }
  filling g = fill_surface(&arena, &mesh, 0.08);
  assert_int_equal(f.mesh.tetrahedra, g.mesh.tetrahedra);
  assert_memory_equal(f.mesh.corner, g.mesh.corner, 4 * (size_t)f.mesh.tetrahedra * sizeof(int));
  mus_arena_clear(&arena);
}

static void what_overlaps_is_one(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh a = box(&arena, 0), b = box(&arena, 0.5), mesh = both(&arena, &a, &b);
  filling f = fill_surface(&arena, &mesh, 0.1);
  mus_solid_report report;
  assert_true(fabs(f.quality.volume - 1.5) < 0.05);
  assert_ok(mus_tetrahedra_check(&f.mesh, &report));
  assert_int_equal(report.pieces, 1);
  assert_true(f.deviation < 0.05 && f.loss < 0.1);
  mus_arena_clear(&arena);
}

static void holes_are_closed(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh mesh = meshes_ball(&arena, 4);
  double whole = fill_surface(&arena, &mesh, 0.15).quality.volume;
  int kept = 0;
  for (int t = 0; t < mesh.triangles; ++t) { // without its cap
    if (mesh.position[3 * mesh.triangle[3 * t] + 1] < 0.9) {
      memmove(mesh.triangle + 3 * kept, mesh.triangle + 3 * t, 3 * sizeof(int));
      ++kept;
    }
  }
  assert_true(kept < mesh.triangles);
  mesh.triangles = kept;
  filling f = fill_surface(&arena, &mesh, 0.15);
  assert_true(f.quality.volume < whole && f.quality.volume > 0.9 * whole);
  assert_true(f.deviation < 0.5 * 0.15 && f.closed > 0.1 && f.loss < 0.15);
  mus_arena_clear(&arena);
}

static void thin_parts_are_lost_and_told(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh a = box(&arena, 0), needle;
  assert_ok(mus_body_box(&arena, (const double[]){3, 0.01, 0.01}, &needle));
  mus_mesh mesh = both(&arena, &a, &needle);
  filling f = fill_surface(&arena, &mesh, 0.1);
  assert_true(f.loss > 0.8 && f.loss < 1.1);
  mus_arena_clear(&arena);
}

static void threads_change_nothing(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh mesh = meshes_ball(&arena, 3);
  int before = mus_par_set_threads(1);
  filling a = fill_surface(&arena, &mesh, 0.2);
  mus_par_set_threads(3);
  filling b = fill_surface(&arena, &mesh, 0.2);
  mus_par_set_threads(before);
  assert_int_equal(a.mesh.vertices, b.mesh.vertices);
  assert_memory_equal(a.mesh.position, b.mesh.position, 3 * (size_t)a.mesh.vertices * sizeof(double));
  assert_true(a.deviation == b.deviation && a.loss == b.loss);
  mus_arena_clear(&arena);
}

static void what_has_no_inside_is_rejected(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_filled_surface *surface;
  mus_mesh mesh = meshes_grid(&arena, 3, 3);
  mesh.position[4] = NAN;
  assert_fails(mus_filled_surface_create(&mesh, 0, NULL, &surface), MUS_BAD_INPUT, "not finite");
  mesh = meshes_grid(&arena, 3, 3);
  memset(mesh.position, 0, (size_t)mesh.vertices * 3 * sizeof(double));
  assert_fails(mus_filled_surface_create(&mesh, 0, NULL, &surface), MUS_BAD_INPUT, "no area");
  mus_arena_clear(&arena);
}

static mus_status create_and_compare(mus_arena *arena, void *data) {
  (void)arena;
  mus_filled_surface *surface = NULL;
  double a, b;
  mus_status status = mus_filled_surface_create(data, 0, NULL, &surface);
  if (!status)
    status = mus_filled_surface_deviation(surface, data, &a, &b);
  if (!status)
    status = mus_filled_surface_loss(surface, surface, &a);
  mus_filled_surface_free(surface);
  return status;
}

static void failing_allocations_leak_nothing(void **state) {
  (void)state;
  mus_arena arena = {0}, kept = {0};
  mus_mesh mesh = box(&kept, 0);
  assert_true(sweep_allocations(&arena, create_and_compare, &mesh) > 10);
  mus_arena_clear(&arena);
  mus_arena_clear(&kept);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(boxes_are_filled_but_for_their_edges),
      cmocka_unit_test(what_overlaps_is_one),
      cmocka_unit_test(holes_are_closed),
      cmocka_unit_test(thin_parts_are_lost_and_told),
      cmocka_unit_test(threads_change_nothing),
      cmocka_unit_test(what_has_no_inside_is_rejected),
      cmocka_unit_test(failing_allocations_leak_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
