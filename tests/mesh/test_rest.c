// Rest shapes: lengths kept exactly where they come from positions, areas where texture coordinates are scaled.
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
#include "mesh/rest.h"
#include "support/meshes.h"

static void assert_near(double value, double expected, double tolerance) {
  if (!(fabs(value - expected) <= tolerance))
    fail_msg("%.17g is not %.17g", value, expected);
}

static mus_rest_record shaped(mus_arena *arena, mus_mesh *mesh, const mus_rest_options *options) {
  mus_rest_record record;
  if (mus_rest_shape(arena, mesh, options, &record) != MUS_OK)
    fail_msg("%s", mus_last_error());
  return record;
}

// Every edge is as long at rest as in space, and no triangle is turned over.
static void assert_isometric(const mus_mesh *mesh) {
  for (int t = 0; t < mesh->triangles; ++t) {
    for (int k = 0; k < 3; ++k) {
      const double *p = mesh->position + 3 * mesh->triangle[3 * t + k];
      const double *q = mesh->position + 3 * mesh->triangle[3 * t + (k + 1) % 3];
      const double *a = mesh->material + 6 * t + 2 * k, *b = mesh->material + 6 * t + 2 * ((k + 1) % 3);
      double length =
          sqrt((q[0] - p[0]) * (q[0] - p[0]) + (q[1] - p[1]) * (q[1] - p[1]) + (q[2] - p[2]) * (q[2] - p[2]));
      assert_near(hypot(b[0] - a[0], b[1] - a[1]), length, 1e-13 * (1 + length));
    }
    assert_near(mus_material_area(mesh, t), mus_space_area(mesh, t), 1e-13);
  }
}

// A rotation about a direction by Rodrigues' formula, and a shift.
static void place(mus_mesh *mesh, const double *axis, double turn, double shift) {
  double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  double k[3] = {axis[0] / length, axis[1] / length, axis[2] / length};
  for (int v = 0; v < mesh->vertices; ++v) {
    double *p = mesh->position + 3 * v, along = k[0] * p[0] + k[1] * p[1] + k[2] * p[2], q[3];
    double c[3] = {k[1] * p[2] - k[2] * p[1], k[2] * p[0] - k[0] * p[2], k[0] * p[1] - k[1] * p[0]};
    for (int i = 0; i < 3; ++i)
      q[i] = p[i] * cos(turn) + c[i] * sin(turn) + k[i] * along * (1 - cos(turn)) + shift * (i + 1);
    memcpy(p, q, sizeof q);
  }
}

static void a_flat_mesh_gets_one_frame(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_rest_options options = mus_rest_default_options();
  for (uint64_t seed = 0; seed < 20; ++seed) {
    mus_mesh mesh = meshes_grid(&arena, 6, 5);
    double axis[3] = {mus_random(seed, 0), mus_random(seed, 1), mus_random(seed, 2)};
    place(&mesh, axis, 3 * mus_random(seed, 3), 5 * mus_random(seed, 4));
    mesh.material = NULL;
    mus_rest_record record = shaped(&arena, &mesh, &options);
    assert_int_equal(record.source, MUS_REST_FLAT);
    assert_isometric(&mesh);
    assert_near(record.shortest, 1, 1e-12);
    assert_near(record.longest, 1, 1e-12);
    // One frame: a vertex has the same coordinates in all its triangles.
    double seen[30][2], known[30] = {0};
    for (int i = 0; i < mesh.triangles * 3; ++i) {
      int v = mesh.triangle[i];
      for (int c = 0; c < 2 && known[v] > 0; ++c)
        assert_true(seen[v][c] == mesh.material[2 * i + c]);
      memcpy(seen[v], mesh.material + 2 * i, sizeof seen[v]);
      known[v] = 1;
    }
  }
  mus_arena_clear(&arena);
}

// A sheet in the x-z plane gets back what the generator gives: u = x, v = z.
static void a_sheet_gets_its_own_coordinates(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh mesh = meshes_grid(&arena, 6, 5), sheet = meshes_grid(&arena, 6, 5);
  mesh.material = NULL;
  mus_rest_options options = mus_rest_default_options();
  shaped(&arena, &mesh, &options);
  assert_true(meshes_same(&mesh, &sheet));
  mus_arena_clear(&arena);
}

static void the_warp_follows_the_direction_given(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh mesh = meshes_grid(&arena, 6, 5);
  static const double x[] = {1, 0, 0};
  place(&mesh, x, -1.5707963267948966, 0); // upright, z becomes y
  mus_rest_options options = mus_rest_default_options();
  options.source = MUS_REST_POSITIONS;
  shaped(&arena, &mesh, &options);
  for (int i = 0; i < mesh.triangles * 3; ++i)
    assert_near(mesh.material[2 * i], mesh.position[3 * mesh.triangle[i] + 1], 1e-14);
  options.warp[0] = 3, options.warp[1] = 3;
  shaped(&arena, &mesh, &options);
  for (int i = 0; i < mesh.triangles * 3; ++i) {
    const double *p = mesh.position + 3 * mesh.triangle[i];
    assert_near(mesh.material[2 * i], (p[0] + p[1]) * sqrt(0.5), 1e-14);
  }
  mus_arena_clear(&arena);
}

static void a_curved_mesh_gets_a_frame_a_triangle(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh ball = meshes_ball(&arena, 3);
  mus_rest_options options = mus_rest_default_options();
  mus_rest_record record = shaped(&arena, &ball, &options);
  assert_int_equal(record.source, MUS_REST_TRIANGLES);
  assert_isometric(&ball);
  // On a triangle that is nearly upright, u goes up by as much as the corner does.
  for (int t = 0; t < ball.triangles; ++t) {
    const int *corner = ball.triangle + 3 * t;
    double rise = ball.position[3 * corner[1] + 1] - ball.position[3 * corner[0] + 1];
    double u = ball.material[6 * t + 2] - ball.material[6 * t];
    if (fabs(ball.position[3 * corner[0] + 1]) < 0.3)
      assert_near(u, rise, 0.1 * fabs(rise) + 0.05);
  }
  mus_mesh_report report;
  assert_int_equal(mus_mesh_check(&ball, &report), MUS_OK);
  assert_int_equal(report.count[MUS_DEFECT_DEGENERATE_MATERIAL] + report.count[MUS_DEFECT_FLIPPED], 0);
  mus_arena_clear(&arena);
}

static void triangles_without_area_have_none_at_rest(void **state) {
  (void)state;
  mus_arena arena = {0};
  static const double position[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 2, 0, 0};
  static const int triangles[] = {0, 1, 2, 0, 1, 4, 0, 2, 3};
  mus_mesh mesh = meshes_given(&arena, 5, 3, position, triangles, NULL);
  mus_rest_options options = mus_rest_default_options();
  shaped(&arena, &mesh, &options);
  mus_mesh_report report;
  assert_int_equal(mus_mesh_check(&mesh, &report), MUS_OK);
  assert_int_equal(report.count[MUS_DEFECT_DEGENERATE_MATERIAL], 1);
  assert_int_equal(report.place[MUS_DEFECT_DEGENERATE_MATERIAL][0][0], 1);
  mus_arena_clear(&arena);
}

static void texture_coordinates_are_scaled(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_rest_options options = mus_rest_default_options();
  mus_mesh mesh = meshes_grid(&arena, 6, 6);
  for (int i = 0; i < mesh.triangles * 6; ++i)
    mesh.material[i] /= 5; // in [0, 1]
  mus_mesh copy = meshes_grid(&arena, 6, 6);
  memcpy(copy.material, mesh.material, (size_t)mesh.triangles * 6 * sizeof(double));
  mus_rest_record record = shaped(&arena, &mesh, &options);
  assert_int_equal(record.source, MUS_REST_TEXTURE);
  assert_near(record.scale, 5, 1e-14);
  assert_near(record.shortest, 1, 1e-14);
  assert_near(record.longest, 1, 1e-14);
  assert_isometric(&mesh);
  options.scale = 2.5;
  options.source = MUS_REST_TEXTURE;
  record = shaped(&arena, &copy, &options);
  assert_near(record.scale, 2.5, 0);
  assert_near(record.longest, 2, 1e-14);
  assert_near(mus_total_material_area(&copy), 25.0 / 4, 1e-13);
  mus_arena_clear(&arena);
}

// Some programs write one texture coordinate for all corners, or a line of them.
static void useless_texture_coordinates_are_not_used(void **state) {
  (void)state;
  mus_arena arena = {0};
  for (int kind = 0; kind < 3; ++kind) {
    mus_mesh mesh = meshes_grid(&arena, 6, 6);
    for (int i = 0; i < mesh.triangles * 6; ++i)
      mesh.material[i] = kind == 0 ? 0.5 : kind == 1 ? mesh.material[i - i % 2] : i == 40 ? NAN : mesh.material[i];
    mus_rest_options options = mus_rest_default_options();
    options.source = MUS_REST_TEXTURE;
    mus_rest_record record;
    assert_int_equal(mus_rest_shape(&arena, &mesh, &options, &record), MUS_BAD_INPUT);
    assert_string_equal(mus_last_error(),
                        "the mesh has no texture coordinates, or they have no area: take the rest shape "
                        "from the positions");
    options.source = MUS_REST_AUTOMATIC;
    record = shaped(&arena, &mesh, &options);
    assert_int_equal(record.source, MUS_REST_FLAT);
    assert_isometric(&mesh);
  }
  mus_arena_clear(&arena);
}

// Coordinates of a picture: squeezed towards one side. Only who asks for them gets them.
static void pictures_are_no_rest_shapes(void **state) {
  (void)state;
  mus_arena arena = {0};
  for (int source = MUS_REST_AUTOMATIC; source <= MUS_REST_TEXTURE; ++source) {
    mus_mesh mesh = meshes_grid(&arena, 8, 8);
    for (int i = 0; i < mesh.triangles * 3; ++i)
      mesh.material[2 * i] = pow(mesh.material[2 * i] / 7, 3);
    mus_rest_options options = mus_rest_default_options();
    options.source = (mus_rest_source)source;
    mus_rest_record record = shaped(&arena, &mesh, &options);
    assert_int_equal(record.source, source == MUS_REST_TEXTURE ? MUS_REST_TEXTURE : MUS_REST_FLAT);
    if (source == MUS_REST_TEXTURE)
      assert_true(record.longest > 2 && record.shortest < 0.8);
  }
  mus_arena_clear(&arena);
}

static void bad_options_are_refused(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh mesh = meshes_grid(&arena, 3, 3), empty = {.vertices = 0};
  mus_rest_record record = {.scale = -7};
  mus_rest_options options = mus_rest_default_options();
  assert_int_equal(mus_rest_shape(&arena, &empty, &options, &record), MUS_BAD_INPUT);
  options.scale = -1;
  assert_int_equal(mus_rest_shape(&arena, &mesh, &options, &record), MUS_BAD_INPUT);
  options.scale = NAN;
  assert_int_equal(mus_rest_shape(&arena, &mesh, &options, &record), MUS_BAD_INPUT);
  options = mus_rest_default_options();
  options.warp[1] = 0;
  assert_int_equal(mus_rest_shape(&arena, &mesh, &options, &record), MUS_BAD_INPUT);
  options.warp[1] = INFINITY;
  assert_int_equal(mus_rest_shape(&arena, &mesh, &options, &record), MUS_BAD_INPUT);
  options = mus_rest_default_options();
  mesh.material = NULL;
  mus_memory_fail_after(0);
  assert_int_equal(mus_rest_shape(&arena, &mesh, &options, &record), MUS_OUT_OF_MEMORY);
  mus_memory_fail_after(-1);
  assert_true(record.scale == -7);
  mus_arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_flat_mesh_gets_one_frame),
      cmocka_unit_test(a_sheet_gets_its_own_coordinates),
      cmocka_unit_test(the_warp_follows_the_direction_given),
      cmocka_unit_test(a_curved_mesh_gets_a_frame_a_triangle),
      cmocka_unit_test(triangles_without_area_have_none_at_rest),
      cmocka_unit_test(texture_coordinates_are_scaled),
      cmocka_unit_test(useless_texture_coordinates_are_not_used),
      cmocka_unit_test(pictures_are_no_rest_shapes),
      cmocka_unit_test(bad_options_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
