// Coarser meshes: as many vertices as asked for, outlines and areas kept, weights that reproduce the material.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "mesh/coarsen.h"
#include "mesh/garment.h"
#include "mesh/generate.h"
#include "mesh/mannequin.h"
#include "mesh/rest.h"
#include "mesh/topology.h"
#include "support/check.h"

static double area(const mus_mesh *mesh, double *least) {
  double sum = 0;
  *least = INFINITY;
  for (int t = 0; t < mesh->triangles; ++t) {
    const double *a = mesh->material + 6 * t, *b = a + 2, *c = a + 4;
    double own = ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) / 2;
    sum += own;
    *least = fmin(*least, own);
  }
  return sum;
}

// The material coordinates of vertices that have only one pair of them; NaN for others.
static void places(const mus_mesh *mesh, double *uv) {
  for (int v = 0; v < 2 * mesh->vertices; ++v)
    uv[v] = INFINITY;
  for (int c = 0; c < 3 * mesh->triangles; ++c) {
    double *at = uv + 2 * mesh->triangle[c];
    const double *here = mesh->material + 2 * c;
    if (isinf(at[0]))
      memcpy(at, here, 2 * sizeof *at);
    else if (at[0] != here[0] || at[1] != here[1])
      at[0] = at[1] = NAN;
  }
}

// The largest distance, in the material, between a vertex and what its carriers make of it; vertices on seams are left
// out.
static double worst_place(mus_arena *arena, const mus_mesh *fine, const mus_coarser *coarse) {
  double *own = mus_arena_alloc(arena, 2 * (size_t)fine->vertices, sizeof *own), worst = 0;
  places(fine, own);
  for (int v = 0; v < fine->vertices; ++v) {
    double sum[2] = {0, 0}, weights = 0;
    for (int k = 0; k < 3; ++k) {
      int carrier = coarse->kept[coarse->carrier[3 * v + k]];
      double w = coarse->weight[3 * v + k];
      assert_true(w >= 0);
      weights += w;
      sum[0] += w > 0 ? w * own[2 * carrier] : 0;
      sum[1] += w > 0 ? w * own[2 * carrier + 1] : 0;
    }
    assert_true(fabs(weights - 1) < 1e-12);
    double away = hypot(sum[0] - own[2 * v], sum[1] - own[2 * v + 1]);
    worst = away > worst ? away : worst; // not for NaN
  }
  return worst;
}

typedef struct outcome {
  double fewer, kept_area, worst;
} outcome;

static outcome coarsen(const char *name, mus_arena *arena, const mus_mesh *fine, int levels) {
  outcome o = {1, 1, 0};
  mus_mesh mesh = *fine;
  for (int level = 0; level < levels; ++level) {
    mus_coarser coarse;
    mus_topology topology;
    double least, before = area(&mesh, &least);
    assert_ok(mus_mesh_coarsen(arena, &mesh, mesh.vertices / 4, 0, NULL, &coarse));
    double after = area(&coarse.mesh, &least);
    assert_true(least > 0);
    assert_ok(mus_topology_create(arena, &coarse.mesh, &topology));
    assert_int_equal(topology.branching_edges, 0);
    for (int v = 0; v < coarse.mesh.vertices; ++v)
      assert_true(coarse.carrier[3 * coarse.kept[v]] == v && coarse.weight[3 * coarse.kept[v]] == 1);
    o.fewer = (double)mesh.vertices / coarse.mesh.vertices;
    o.kept_area *= after / before;
    o.worst = fmax(o.worst, worst_place(arena, &mesh, &coarse));
    print_message("%s: %d vertices to %d, area %.4f of before, %.3g m off at most\n", name, mesh.vertices,
                  coarse.mesh.vertices, after / before, o.worst);
    mesh = coarse.mesh;
  }
  return o;
}

// Straight outlines are kept exactly, and so are linear functions of the material.
static void sheets(void **state) {
  (void)state;
  for (int irregular = 0; irregular < 2; ++irregular) {
    mus_arena arena = {0};
    mus_mesh mesh;
    mus_generate_options options = {.vertices = 4225, .width = 1, .depth = 1, .irregular = irregular, .seed = 3};
    assert_ok(mus_generate_rectangle(&arena, &options, &mesh));
    outcome o = coarsen("sheet", &arena, &mesh, 3);
    assert_true(o.fewer > 3.9);
    assert_true(fabs(o.kept_area - 1) < 1e-12);
    assert_true(o.worst < 1e-12);
    mus_arena_clear(&arena);
  }
}

static void outlines(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh mesh;
  mus_generate_options options = {.vertices = 4000, .width = 1, .depth = 1, .seed = 1};
  assert_ok(mus_generate_l(&arena, &options, &mesh));
  outcome l = coarsen("L", &arena, &mesh, 3);
  assert_true(l.fewer > 3.9 && fabs(l.kept_area - 1) < 1e-12 && l.worst < 1e-12);
  assert_ok(mus_generate_disc(&arena, &options, &mesh));
  outcome disc = coarsen("disc", &arena, &mesh, 3);
  assert_true(disc.fewer > 3.9 && disc.kept_area > 0.9 && disc.worst < 0.06);
  mus_arena_clear(&arena);
}

// Closed in space, cut in the material.
static void tubes(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh mesh;
  mus_generate_options options = {.vertices = 3000, .width = 1, .depth = 1, .seed = 1};
  assert_ok(mus_generate_tube(&arena, &options, &mesh));
  outcome o = coarsen("tube", &arena, &mesh, 3);
  assert_true(o.fewer > 3 && fabs(o.kept_area - 1) < 1e-12);
  mus_arena_clear(&arena);
}

static void garments(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mannequin *mannequin;
  mus_garment garment;
  mus_garment_options options = {6000, 0, 1};
  assert_ok(mus_mannequin_create(&arena, 1.75, 0, NULL, NULL, &mannequin));
  assert_ok(mus_garment_create(&arena, mus_mannequin_mesh(mannequin), &options, &garment));
  outcome o = coarsen("dress", &arena, &garment.mesh, 3);
  assert_true(o.fewer > 3 && o.kept_area > 0.95);
  mus_arena_clear(&arena);
}

// Two panels of different widths, sewn together along a side: what is sewn stays or goes together, and coarse pairs
// that move together move every pair together.
static void seams(void **state) {
  (void)state;
  enum { SIDE = 33, PANEL = SIDE * SIDE };
  mus_arena arena = {0};
  mus_mesh one, mesh;
  mus_coarser coarse;
  mus_generate_options options = {.vertices = PANEL, .width = 1, .depth = 1};
  assert_ok(mus_generate_rectangle(&arena, &options, &one));
  assert_int_equal(one.vertices, PANEL);
  assert_ok(mus_mesh_create(&arena, 2 * PANEL, 2 * one.triangles, 1, &mesh));
  memset(mesh.position, 0, 6 * PANEL * sizeof(double));
  for (int c = 0; c < 6 * one.triangles; ++c) {
    int from = c % (3 * one.triangles), second = c >= 3 * one.triangles;
    double u = one.material[2 * from], v = one.material[2 * from + 1];
    mesh.triangle[c] = one.triangle[from] + second * PANEL;
    mesh.material[2 * c] = second ? 2 + 0.6 * u + 0.2 * u * u : u; // other places along the seam, and a curved outline
    mesh.material[2 * c + 1] = second ? v + 0.1 * u * (1 - u) : v;
  }
  double uv[4 * PANEL], low = INFINITY;
  int pair[2 * SIDE], pairs = 0;
  places(&mesh, uv);
  for (int v = 0; v < PANEL; ++v)
    low = fmin(low, uv[2 * v + 1]);
  for (int v = 0; v < PANEL; ++v)
    if (uv[2 * v + 1] == low) {
      pair[2 * pairs] = v;
      pair[2 * pairs++ + 1] = PANEL + v;
    }
  assert_int_equal(pairs, SIDE);
  assert_ok(mus_mesh_coarsen(&arena, &mesh, PANEL / 2, pairs, pair, &coarse));
  assert_int_equal(coarse.mesh.vertices, PANEL / 2);
  double moved[PANEL] = {0};
  int kept = 0;
  for (int k = 0; k < 2 * pairs; ++k)
    if (coarse.kept[coarse.carrier[3 * pair[k]]] == pair[k]) {
      moved[coarse.carrier[3 * pair[k]]] = sin(pair[k - k % 2]); // the same for both of a pair
      ++kept;
    }
  assert_true(kept > SIDE / 2 && kept < 1.6 * SIDE);
  for (int k = 0; k < pairs; ++k) {
    double value[2] = {0, 0};
    for (int i = 0; i < 6; ++i)
      value[i / 3] +=
          coarse.weight[3 * pair[2 * k + i / 3] + i % 3] * moved[coarse.carrier[3 * pair[2 * k + i / 3] + i % 3]];
    assert_true(fabs(value[0] - value[1]) < 1e-12);
  }
  mus_arena_clear(&arena);
}

// Panels may lie in the pattern either way up.
static void mirrored_panels(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh mesh;
  mus_coarser coarse;
  mus_generate_options options = {.vertices = 1024, .width = 1, .depth = 1};
  double least;
  assert_ok(mus_generate_rectangle(&arena, &options, &mesh));
  for (int c = 0; c < 3 * mesh.triangles; ++c)
    mesh.material[2 * c] *= -1;
  assert_ok(mus_mesh_coarsen(&arena, &mesh, 256, 0, NULL, &coarse));
  assert_int_equal(coarse.mesh.vertices, 256);
  assert_true(fabs(area(&coarse.mesh, &least) + 1) < 1e-12);
  mus_arena_clear(&arena);
}

// A half-pipe of which only triangles are known: it is coarsened in space, and what is carried stays near it.
static void surfaces_without_a_pattern(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh mesh;
  mus_generate_options options = {.vertices = 4096, .width = 1, .depth = 1, .irregular = 1, .seed = 2};
  mus_rest_options rest = mus_rest_default_options();
  mus_rest_record record;
  rest.source = MUS_REST_POSITIONS;
  assert_ok(mus_generate_rectangle(&arena, &options, &mesh));
  for (int v = 0; v < mesh.vertices; ++v) {
    double *x = mesh.position + 3 * v, angle = 3 * x[0];
    x[0] = sin(angle) / 3;
    x[1] += cos(angle) / 3;
  }
  assert_ok(mus_rest_shape(&arena, &mesh, &rest, &record));
  assert_int_equal(record.source, MUS_REST_TRIANGLES);
  double least, whole = area(&mesh, &least);
  for (int level = 0; level < 3; ++level) {
    mus_coarser coarse;
    assert_ok(mus_mesh_coarsen(&arena, &mesh, mesh.vertices / 4, 0, NULL, &coarse));
    assert_true(coarse.mesh.vertices <= mesh.vertices / 3);
    assert_true(area(&coarse.mesh, &least) > 0.93 * whole && least > 0);
    double worst = 0, edge = sqrt(2 * whole / coarse.mesh.triangles);
    for (int v = 0; v < mesh.vertices; ++v) {
      double away[3] = {mesh.position[3 * v], mesh.position[3 * v + 1], mesh.position[3 * v + 2]}, sum = 0;
      for (int k = 0; k < 3; ++k) {
        const double *x = coarse.mesh.position + 3 * coarse.carrier[3 * v + k];
        double w = coarse.weight[3 * v + k];
        assert_true(w >= 0);
        sum += w;
        for (int c = 0; c < 3; ++c)
          away[c] -= w * x[c];
      }
      assert_true(fabs(sum - 1) < 1e-12);
      worst = fmax(worst, sqrt(away[0] * away[0] + away[1] * away[1] + away[2] * away[2]));
    }
    print_message("half-pipe: %d vertices to %d, %.3g edges off at most\n", mesh.vertices, coarse.mesh.vertices,
                  worst / edge);
    assert_true(worst < 0.7 * edge);
    mesh = coarse.mesh;
  }
  mus_arena_clear(&arena);
}

// One triangle, a fan of many, and pieces without number stay what they are, or become simpler.
static void odd_meshes(void **state) {
  (void)state;
  enum { SPOKES = 60, PIECES = 2000 };
  mus_arena arena = {0};
  mus_mesh mesh;
  mus_coarser coarse;
  double least;
  assert_ok(mus_mesh_create(&arena, SPOKES + 1, SPOKES, 1, &mesh));
  for (int k = 0; k < SPOKES; ++k) {
    double angle[2] = {2 * 3.14159265358979323846 * k / SPOKES,
                       2 * 3.14159265358979323846 * ((k + 1) % SPOKES) / SPOKES};
    int corner[3] = {SPOKES, k, (k + 1) % SPOKES};
    memcpy(mesh.triangle + 3 * k, corner, sizeof corner);
    for (int i = 0; i < 2; ++i) {
      mesh.material[6 * k + 2 + 2 * i] = cos(angle[i]);
      mesh.material[6 * k + 3 + 2 * i] = sin(angle[i]);
    }
    mesh.material[6 * k] = mesh.material[6 * k + 1] = 0;
  }
  memset(mesh.position, 0, 3 * (SPOKES + 1) * sizeof(double));
  assert_ok(mus_mesh_coarsen(&arena, &mesh, 12, 0, NULL, &coarse));
  assert_true(coarse.mesh.vertices < SPOKES / 2 && area(&coarse.mesh, &least) > 2 && least > 0);
  assert_ok(mus_mesh_create(&arena, 3 * PIECES, PIECES, 1, &mesh));
  for (int k = 0; k < 3 * PIECES; ++k) {
    mesh.triangle[k] = k;
    mesh.material[2 * k] = k % 3 == 1;
    mesh.material[2 * k + 1] = k % 3 == 2;
  }
  memset(mesh.position, 0, 9 * PIECES * sizeof(double));
  assert_ok(mus_mesh_coarsen(&arena, &mesh, 4, 0, NULL, &coarse));
  assert_int_equal(coarse.mesh.vertices, 3 * PIECES);
  mus_arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sheets),          cmocka_unit_test(outlines),
                                     cmocka_unit_test(tubes),           cmocka_unit_test(garments),
                                     cmocka_unit_test(mirrored_panels), cmocka_unit_test(surfaces_without_a_pattern),
                                     cmocka_unit_test(odd_meshes),      cmocka_unit_test(seams)};
  return cmocka_run_group_tests_name("mesh/coarsen", tests, NULL, NULL);
}
