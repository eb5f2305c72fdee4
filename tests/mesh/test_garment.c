// Garments: flat pieces that cross nothing, seams that fit, on figures of any size and direction.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/check.h"
#include "mesh/garment.h"
#include "mesh/garment_measure.h"
#include "mesh/mannequin.h"
#include "mesh/measure.h"
#include "mesh/topology.h"
#include "support/check.h"

static mus_arena kept;
static mus_mesh mannequin; // 1.75 m tall

static int make_mannequin(void **state) {
  (void)state;
  mus_mannequin *m;
  assert_ok(mus_mannequin_create(&kept, 1.75, 0, NULL, NULL, &m));
  mannequin = *mus_mannequin_mesh(m);
  return 0;
}

static int free_mannequin(void **state) {
  (void)state;
  mus_arena_clear(&kept);
  return 0;
}

// The mannequin with another height, turned about y by some degrees and moved.
static mus_mesh figure(mus_arena *arena, double height, double degrees) {
  mus_mesh body;
  assert_ok(mus_mesh_copy(arena, &mannequin, &body));
  double c = cos(degrees * 3.14159265358979323846 / 180), s = sin(degrees * 3.14159265358979323846 / 180);
  for (int v = 0; v < body.vertices; ++v) {
    double *p = body.position + 3 * v, x = p[0] * height / 1.75, z = p[2] * height / 1.75;
    p[0] = c * x + s * z + 3;
    p[1] = p[1] * height / 1.75 + 0.5;
    p[2] = c * z - s * x - 2;
  }
  return body;
}

static mus_garment made(mus_arena *arena, const mus_mesh *body, int vertices, int irregular) {
  mus_garment g;
  mus_garment_options options = {vertices, irregular, 5};
  assert_ok(mus_garment_create(arena, body, &options, &g));
  return g;
}

static double apart(const mus_mesh *mesh, int a, int b) {
  const double *p = mesh->position + 3 * a, *q = mesh->position + 3 * b;
  return hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]);
}

static void measures_are_a_figures(void **state) {
  (void)state;
  for (double degrees = 0; degrees < 360; degrees += 45) {
    mus_arena arena = {0};
    mus_mesh body = figure(&arena, 1.75, degrees);
    mus_measures m;
    assert_ok(mus_measure_figure(&body, 1, &m));
    double s = sin(degrees * 3.14159265358979323846 / 180), c = cos(degrees * 3.14159265358979323846 / 180);
    assert_true(fabs(m.ahead.x - s) < 0.03 && fabs(m.ahead.z - c) < 0.03); // where it looks
    assert_true(fabs(m.aside.x - c) < 0.03 && fabs(m.aside.z + s) < 0.03);
    assert_true(fabs(m.origin.x - 3) < 0.01 && fabs(m.origin.y - 0.5) < 1e-9 && fabs(m.origin.z + 2) < 0.02);
    assert_true(m.has_arms && fabs(m.height - 1.75) < 1e-9);
    assert_true(m.arm_width > 0.03 && m.arm_width < 0.06);
    assert_true(m.neck_width > 0.04 && m.neck_width < 0.07);
    assert_true(m.shoulder_width > 0.14 && m.shoulder_width < 0.22);
    assert_true(m.waist_girth < m.chest_girth && m.waist_girth < m.hip_girth);
    assert_true(m.hip_height < m.waist_height && m.waist_height < m.armpit_height);
    assert_true(m.armpit_height < m.shoulder_height && m.shoulder_height <= m.neck_side + 0.01);
    mus_arena_clear(&arena);
  }
}

// Pieces are sound, flat, and as they are at rest; none is within two centimetres of the body.
static void pieces_are_flat(void **state) {
  (void)state;
  for (int k = 0; k < 4; ++k) {
    mus_arena arena = {0};
    double height = k < 2 ? 1.75 : 0.9;
    mus_mesh body = figure(&arena, height, 30 * k);
    mus_measures m;
    assert_ok(mus_measure_figure(&body, 1, &m));
    mus_garment g = made(&arena, &body, 3000, k % 2);
    mus_mesh_report report;
    mus_topology t;
    assert_ok(mus_mesh_check(&g.mesh, &report));
    for (int d = 0; d < MUS_DEFECTS; ++d)
      assert_int_equal(report.count[d], 0);
    assert_ok(mus_topology_create(&arena, &g.mesh, &t));
    assert_int_equal(t.components, 8);
    assert_int_equal(g.pieces, 8);
    for (int e = 0; e < 3 * g.mesh.triangles; ++e) {
      const double *u = g.mesh.material + 2 * e, *v = g.mesh.material + 2 * (e % 3 == 2 ? e - 2 : e + 1);
      double length = apart(&g.mesh, g.mesh.triangle[e], g.mesh.triangle[e % 3 == 2 ? e - 2 : e + 1]);
      assert_true(fabs(length - hypot(u[0] - v[0], u[1] - v[1])) < 1e-9);
      assert_true(length > 0.001 * height && length < 0.1 * height);
    }
    for (int v = 0; v < g.mesh.vertices; ++v) {
      const double *p = g.mesh.position + 3 * v;
      double ahead = (p[0] - m.origin.x) * m.ahead.x + (p[2] - m.origin.z) * m.ahead.z;
      assert_true(ahead > fmin(m.upper.front, m.lower.front) + 0.02 * height ||
                  ahead < fmax(m.upper.back, m.lower.back) - 0.02 * height);
    }
    assert_true(mus_mesh_angles(&g.mesh).least > (k % 2 ? 8 : 14));
    mus_arena_clear(&arena);
  }
}

// A seam's two sides are equally long, near each other, and stitched in order; every vertex of a seam is on a boundary.
static void seams_fit(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh body = figure(&arena, 1.75, 0);
  mus_garment g = made(&arena, &body, 5000, 0);
  mus_topology t;
  assert_ok(mus_topology_create(&arena, &g.mesh, &t));
  unsigned char *edge = mus_arena_alloc_zero(&arena, (size_t)g.mesh.vertices, 1);
  for (int k = 0; k < t.loop_start[t.loops]; ++k)
    edge[t.loop[k]] = 1;
  for (int k = 0; k < g.stitches; ++k) {
    int a = g.stitch[2 * k], b = g.stitch[2 * k + 1];
    assert_true(a != b && edge[a] && edge[b]);
    assert_true(apart(&g.mesh, a, b) < 0.4);
    if (k == 0)
      continue;
    int c = g.stitch[2 * k - 2], d = g.stitch[2 * k - 1];
    if (apart(&g.mesh, a, c) < 0.05 && apart(&g.mesh, b, d) < 0.05) // on along the same seam
      assert_true(fabs(apart(&g.mesh, a, c) - apart(&g.mesh, b, d)) < 1e-9);
  }
  mus_arena_clear(&arena);
}

// Sewn together, it is one piece with four openings, neck, hem and cuffs, and no seam is missing between them.
static void sewn_it_is_a_dress(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh body = figure(&arena, 1.75, 0);
  mus_garment g = made(&arena, &body, 4000, 0);
  int *joined = mus_arena_alloc(&arena, (size_t)g.mesh.vertices, sizeof *joined);
  for (int v = 0; v < g.mesh.vertices; ++v)
    joined[v] = v;
  for (int round = 0; round < 4; ++round) // corners where four pieces meet
    for (int k = 0; k < g.stitches; ++k) {
      int *a = &joined[g.stitch[2 * k]], *b = &joined[g.stitch[2 * k + 1]], least = *a < *b ? *a : *b;
      *a = *b = least;
    }
  for (int i = 0; i < 3 * g.mesh.triangles; ++i)
    g.mesh.triangle[i] = joined[g.mesh.triangle[i]];
  mus_topology t;
  assert_ok(mus_topology_create(&arena, &g.mesh, &t));
  assert_int_equal(t.branching_edges, 0);
  int used = 0, *seen = mus_arena_alloc_zero(&arena, (size_t)g.mesh.vertices, sizeof *seen);
  for (int i = 0; i < 3 * g.mesh.triangles; ++i)
    used += seen[g.mesh.triangle[i]]++ == 0;
  assert_int_equal(t.loops, 4);
  assert_int_equal(used - t.edges + g.mesh.triangles, 2 - 4); // a ball with four holes
  mus_arena_clear(&arena);
}

// Arms close to the body go under it: there are no sleeves then, and nothing is cut through.
static void arms_that_hang_get_no_sleeves(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh body = figure(&arena, 1.75, 0);
  mus_measures m;
  assert_ok(mus_measure_figure(&body, 0, &m));
  assert_false(m.has_arms);
  for (int v = 0; v < body.vertices; ++v) { // arms towards the body, by squeezing what lies beyond the shoulders
    double *x = &body.position[3 * v], out = fabs(*x - 3) - 0.2;
    if (out > 0)
      *x = 3 + (*x > 3 ? 1 : -1) * (0.2 + 0.15 * out);
  }
  mus_garment g = made(&arena, &body, 3000, 0);
  assert_int_equal(g.pieces, 4);
  mus_mesh_report report;
  assert_ok(mus_mesh_check(&g.mesh, &report));
  for (int d = 0; d < MUS_DEFECTS; ++d)
    assert_int_equal(report.count[d], 0);
  mus_arena_clear(&arena);
}

static void sizes_are_as_asked_for(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh body = figure(&arena, 1.75, 0);
  static const int vertices[] = {400, 2000, 10201, 20000, 371064};
  for (size_t k = 0; k < sizeof vertices / sizeof *vertices; ++k) {
    mus_garment g = made(&arena, &body, vertices[k], 0);
    assert_true(abs(g.mesh.vertices - vertices[k]) < 0.1 * vertices[k]);
  }
  mus_arena_clear(&arena);
}

static void what_cannot_be_dressed_is_refused(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh body = figure(&arena, 1.75, 0);
  mus_garment g;
  mus_garment_options options = {100, 0, 1};
  assert_fails(mus_garment_create(&arena, &body, &options, &g), MUS_BAD_INPUT, "100 vertices");
  options.vertices = 2000;
  for (int v = 0; v < body.vertices; ++v) { // lying on its back
    double y = body.position[3 * v + 1];
    body.position[3 * v + 1] = body.position[3 * v + 2];
    body.position[3 * v + 2] = y;
  }
  assert_fails(mus_garment_create(&arena, &body, &options, &g), MUS_BAD_INPUT, "wider than it is high");
  for (int v = 0; v < body.vertices; ++v)
    body.position[3 * v + 1] = 0;
  assert_fails(mus_garment_create(&arena, &body, &options, &g), MUS_BAD_INPUT, "flat");
  mus_arena_clear(&arena);
}

static void allocations_may_fail(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh body = figure(&arena, 1.75, 0);
  mus_status status = MUS_OUT_OF_MEMORY;
  for (long n = 0; status == MUS_OUT_OF_MEMORY; ++n) {
    assert_true(n < 100);
    mus_arena own = {0};
    mus_garment g;
    mus_garment_options options = {2000, 0, 1};
    mus_memory_fail_after(n);
    status = mus_garment_create(&own, &body, &options, &g);
    mus_memory_fail_after(-1);
    mus_arena_clear(&own);
  }
  assert_int_equal(status, MUS_OK);
  mus_arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(measures_are_a_figures),
                                     cmocka_unit_test(pieces_are_flat),
                                     cmocka_unit_test(seams_fit),
                                     cmocka_unit_test(sewn_it_is_a_dress),
                                     cmocka_unit_test(arms_that_hang_get_no_sleeves),
                                     cmocka_unit_test(sizes_are_as_asked_for),
                                     cmocka_unit_test(what_cannot_be_dressed_is_refused),
                                     cmocka_unit_test(allocations_may_fail)};
  return cmocka_run_group_tests(tests, make_mannequin, free_mannequin);
}
