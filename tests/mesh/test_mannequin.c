// The mannequin: a closed skin, planted feet, and nothing that jumps.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check/intersections.h"
#include "mesh/check.h"
#include "mesh/mannequin.h"
#include "mesh/mannequin_skin.h"
#include "mesh/topology.h"
#include "support/check.h"

static mus_mannequin *made(mus_arena *arena, double height, double speed) {
  const double start = 0;
  mus_mannequin *m;
  assert_int_equal(mus_mannequin_create(arena, height, speed < 0 ? 0 : 1, &start, &speed, &m), MUS_OK);
  return m;
}

static double volume(const mus_mesh *mesh, const double *x) {
  double sum = 0;
  for (int t = 0; t < mesh->triangles; ++t) {
    const double *a = x + 3 * mesh->triangle[3 * t], *b = x + 3 * mesh->triangle[3 * t + 1],
                 *c = x + 3 * mesh->triangle[3 * t + 2];
    sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
  }
  return sum / 6;
}

static void skin_is_closed(void **state) {
  (void)state;
  mus_arena arena = {0};
  const mus_mesh *mesh = mus_mannequin_mesh(made(&arena, 1.6, -1));
  mus_mesh_report report;
  assert_int_equal(mus_mesh_check(mesh, &report), MUS_OK);
  for (int k = 0; k < MUS_DEFECTS; ++k)
    assert_int_equal(report.count[k], 0);
  mus_topology t;
  assert_int_equal(mus_topology_create(&arena, mesh, &t), MUS_OK);
  assert_true(t.boundary_edges == 0 && t.branching_edges == 0 && t.components == 1);
  assert_int_equal(mesh->vertices - t.edges + mesh->triangles, 2); // as a ball has
  assert_true(mesh->triangles > 10000 && mesh->triangles < 20000);
  assert_true(volume(mesh, mesh->position) > 0.04 && volume(mesh, mesh->position) < 0.07); // m^3, fronts outwards
  mus_arena_clear(&arena);
}

static void extent(const mus_mesh *mesh, const double *x, double low[3], double high[3]) {
  for (int c = 0; c < 3; ++c)
    low[c] = high[c] = x[c];
  for (int i = 0; i < 3 * mesh->vertices; ++i) {
    low[i % 3] = fmin(low[i % 3], x[i]);
    high[i % 3] = fmax(high[i % 3], x[i]);
  }
}

static void stands_as_tall_as_asked_for(void **state) {
  (void)state;
  for (double height = 0.5; height < 4; height *= 2) {
    mus_arena arena = {0};
    mus_mannequin *m = made(&arena, height, -1);
    const mus_mesh *mesh = mus_mannequin_mesh(m);
    double low[3], high[3], *x = mus_arena_alloc(&arena, 3 * (size_t)mesh->vertices, sizeof *x);
    extent(mesh, mesh->position, low, high);
    assert_true(fabs(low[1]) < 1e-9 && fabs(high[1] - height) < 1e-9);
    assert_true(fabs(low[0] + high[0]) < 0.002 * height); // left as right
    for (double time = -1; time <= 0.9; time += 0.3) {    // it stands at first
      mus_mannequin_at(m, time, x);
      for (int i = 0; i < 3 * mesh->vertices; ++i)
        assert_true(fabs(x[i] - mesh->position[i]) < 1e-12);
    }
    mus_arena_clear(&arena);
  }
}

// The vertex that is lowest stays where it is while all else goes on, but for feet that just come and leave.
static void check_planted(double speed) {
  mus_arena arena = {0};
  mus_mannequin *m = made(&arena, 1.75, speed);
  const mus_mesh *mesh = mus_mannequin_mesh(m);
  double *x = mus_arena_alloc(&arena, 6 * (size_t)mesh->vertices, sizeof *x), *y = x + 3 * mesh->vertices;
  const double h = 0.01;
  double slip = 0; // m/s
  int on_ground = 0;
  for (double time = 1; time < 3; time += 0.05) {
    mus_mannequin_at(m, time, x);
    mus_mannequin_at(m, time + h, y);
    int lowest = 0;
    double gone = 0;
    for (int v = 0; v < mesh->vertices; ++v) {
      lowest = x[3 * v + 1] < x[3 * lowest + 1] ? v : lowest;
      gone += (y[3 * v + 2] - x[3 * v + 2]) / mesh->vertices;
    }
    assert_true(fabs(gone / h - speed) < 0.35 * speed + 0.05);
    assert_true(x[3 * lowest + 1] > -0.03);
    if (x[3 * lowest + 1] > 0.006)
      continue; // on its way
    ++on_ground;
    slip += fabs(y[3 * lowest + 2] - x[3 * lowest + 2]) / h;
  }
  assert_true(on_ground > 12);
  if (slip / on_ground > 0.15 * speed + 1e-9)
    fail_msg("at %g m/s feet on the ground slip at %g m/s", speed, slip / on_ground);
  mus_arena_clear(&arena);
}

static void feet_stay_on_the_ground(void **state) {
  (void)state;
  check_planted(0);
  check_planted(1.25);
  check_planted(2.9);
}

// No vertex is ever faster than a kicking foot, or changes its speed as if it were hit.
static void motion_is_smooth(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mannequin *m = made(&arena, 1.75, -1);
  const mus_mesh *mesh = mus_mannequin_mesh(m);
  size_t n = 3 * (size_t)mesh->vertices;
  double *x = mus_arena_alloc(&arena, 3 * n, sizeof *x), *before = x + n, *first = before + n;
  const double h = 0.002;
  mus_mannequin_at(m, 0, first);
  mus_mannequin_at(m, 0, before);
  for (int k = 1; k < 2500; k += k < 1000 ? 7 : 13) {
    mus_mannequin_at(m, k * h - h, before);
    mus_mannequin_at(m, k * h, x);
    for (size_t i = 0; i < n; ++i)
      if (!(fabs(x[i] - before[i]) / h < 11))
        fail_msg("vertex %zu goes at %g m/s after %g s", i / 3, fabs(x[i] - before[i]) / h, k * h);
    double now = volume(mesh, x), then = volume(mesh, first);
    assert_true(fabs(now / then - 1) < 0.06); // joints bend without collapsing
  }
  mus_mannequin_at(m, 0, x);
  assert_memory_equal(x, first, n * sizeof *x); // whatever was asked for before
  mus_arena_clear(&arena);
}

// Skin crosses itself in the bends of joints only: hardly ever.
static void skin_hardly_crosses_itself(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mannequin *m = made(&arena, 1.75, -1);
  const mus_mesh *mesh = mus_mannequin_mesh(m);
  double *x = mus_arena_alloc(&arena, 3 * (size_t)mesh->vertices, sizeof *x);
  mus_check_surface surface = {mesh->vertices, mesh->triangles, mesh->triangles, mesh->triangle, 0, NULL, NULL, NULL};
  mus_intersections *finder;
  assert_ok(mus_intersections_create(&surface, &finder));
  mus_list pairs = {0};
  for (int k = 0; k <= 16; ++k) {
    mus_mannequin_at(m, 0.3 * k, x);
    assert_ok(mus_intersections_find(finder, x, &pairs));
    assert_true((int)pairs.count <= (k < 4 ? 0 : 60));
  }
  mus_free(pairs.items);
  mus_intersections_free(finder);
  mus_arena_clear(&arena);
}

// Distance is what speeds sum up to, between keys and beyond.
static void keys_are_gone_by(void **state) {
  (void)state;
  mus_arena arena = {0};
  const double time[] = {1, 3}, speed[] = {0, 2};
  mus_mannequin *m;
  assert_int_equal(mus_mannequin_create(&arena, 1.75, 2, time, speed, &m), MUS_OK);
  const mus_mesh *mesh = mus_mannequin_mesh(m);
  double *x = mus_arena_alloc(&arena, 3 * (size_t)mesh->vertices, sizeof *x);
  static const double expected[][2] = {{1, 0}, {2, 0.5}, {3, 2}, {4, 4}, {6, 8}};
  for (size_t k = 0; k < sizeof expected / sizeof *expected; ++k) {
    double low[3], high[3];
    mus_mannequin_at(m, expected[k][0], x);
    double head = 0, most = 0; // the highest vertex, which leans forward a little
    for (int v = 0; v < mesh->vertices; ++v)
      if (x[3 * v + 1] > most)
        most = x[3 * v + 1], head = x[3 * v + 2];
    extent(mesh, x, low, high);
    assert_true(fabs(head - expected[k][1]) < 0.2);
    assert_true(low[2] < expected[k][1] && high[2] > expected[k][1]);
  }
  mus_arena_clear(&arena);
}

static void bad_figures_are_refused(void **state) {
  (void)state;
  mus_arena arena = {0};
  const double time = 0, backwards = -1, unknown = NAN;
  mus_mannequin *m = NULL;
  assert_int_equal(mus_mannequin_create(&arena, 0, 0, NULL, NULL, &m), MUS_BAD_INPUT);
  assert_non_null(strstr(mus_last_error(), "0 m tall"));
  assert_int_equal(mus_mannequin_create(&arena, 1.75, 1, &time, &backwards, &m), MUS_BAD_INPUT);
  assert_non_null(strstr(mus_last_error(), "-1 m/s"));
  assert_int_equal(mus_mannequin_create(&arena, 1.75, 1, &time, &unknown, &m), MUS_BAD_INPUT);
  assert_null(m);
  mus_arena_clear(&arena);
}

// Every allocation of a coarse skin, and every fourth of a whole figure.
static void allocations_may_fail(void **state) {
  (void)state;
  mus_bone_place rest[MUS_BONES];
  mus_mannequin_pose(0, 0, 0, rest);
  for (int whole = 0; whole < 2; ++whole) {
    mus_status status = MUS_OUT_OF_MEMORY;
    long n = 0;
    for (; status == MUS_OUT_OF_MEMORY; n += whole ? 4 : 1) {
      assert_true(n < 100);
      mus_arena arena = {0};
      mus_mannequin *m;
      mus_skin skin;
      mus_memory_fail_after(n);
      status =
          whole ? mus_mannequin_create(&arena, 1.75, 0, NULL, NULL, &m) : mus_skin_create(&arena, rest, 0.05, &skin);
      mus_memory_fail_after(-1);
      mus_arena_clear(&arena);
    }
    assert_int_equal(status, MUS_OK);
    assert_true(n > 8);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(skin_is_closed),
                                     cmocka_unit_test(stands_as_tall_as_asked_for),
                                     cmocka_unit_test(feet_stay_on_the_ground),
                                     cmocka_unit_test(motion_is_smooth),
                                     cmocka_unit_test(skin_hardly_crosses_itself),
                                     cmocka_unit_test(keys_are_gone_by),
                                     cmocka_unit_test(bad_figures_are_refused),
                                     cmocka_unit_test(allocations_may_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
