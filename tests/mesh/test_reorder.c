// Reordering: a permutation that shortens distances, the same mesh afterwards, and the way back.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "mesh/reorder.h"
#include "support/meshes.h"
#include "support/sweep.h"

static mus_topology topology_of(mus_arena *arena, const mus_mesh *mesh) {
  mus_topology topology;
  assert_int_equal(mus_topology_create(arena, mesh, &topology), MUS_OK);
  return topology;
}

static mus_order order_of(mus_arena *arena, const mus_mesh *mesh) {
  mus_topology topology = topology_of(arena, mesh);
  mus_order order;
  assert_int_equal(mus_order_find(arena, mesh, &topology, &order), MUS_OK);
  return order;
}

// The same mesh with its vertices and triangles in random order.
static mus_mesh shuffled(mus_arena *arena, const mus_mesh *mesh, uint64_t seed) {
  mus_order order = {.vertices = mesh->vertices, .triangles = mesh->triangles};
  order.vertex = mus_arena_alloc(arena, (size_t)mesh->vertices, sizeof(int));
  order.new_vertex = mus_arena_alloc(arena, (size_t)mesh->vertices, sizeof(int));
  order.triangle = mus_arena_alloc(arena, (size_t)mesh->triangles, sizeof(int));
  int *lists[] = {order.vertex, order.triangle}, counts[] = {mesh->vertices, mesh->triangles};
  for (int l = 0; l < 2; ++l) {
    for (int i = 0; i < counts[l]; ++i)
      lists[l][i] = i;
    for (int i = counts[l] - 1; i > 0; --i) {
      int j = (int)(mus_random_bits(seed + (uint64_t)l, (uint64_t)i) % (uint64_t)(i + 1)), swap = lists[l][i];
      lists[l][i] = lists[l][j], lists[l][j] = swap;
    }
  }
  for (int v = 0; v < mesh->vertices; ++v)
    order.new_vertex[order.vertex[v]] = v;
  mus_mesh out;
  assert_int_equal(mus_order_apply(arena, &order, mesh, &out), MUS_OK);
  return out;
}

static void check_order(const mus_mesh *mesh) {
  mus_arena arena = {0};
  mus_order order = order_of(&arena, mesh);
  assert_int_equal(order.vertices, mesh->vertices);
  assert_int_equal(order.triangles, mesh->triangles);
  char *seen = calloc((size_t)mesh->vertices + (size_t)mesh->triangles + 1, 1);
  assert_non_null(seen);
  for (int v = 0; v < mesh->vertices; ++v) {
    assert_int_equal(seen[order.vertex[v]]++, 0);
    assert_int_equal(order.new_vertex[order.vertex[v]], v);
  }
  for (int t = 0; t < mesh->triangles; ++t)
    assert_int_equal(seen[mesh->vertices + order.triangle[t]]++, 0);
  free(seen);
  mus_mesh sorted;
  assert_int_equal(mus_order_apply(&arena, &order, mesh, &sorted), MUS_OK);
  int before = 0;
  for (int t = 0; t < mesh->triangles; ++t) {
    const int *now = sorted.triangle + 3 * t, *then = mesh->triangle + 3 * order.triangle[t];
    for (int k = 0; k < 3; ++k) {
      assert_int_equal(order.vertex[now[k]], then[k]);
      assert_memory_equal(sorted.position + 3 * now[k], mesh->position + 3 * then[k], 3 * sizeof(double));
    }
    if (mesh->material)
      assert_memory_equal(sorted.material + 6 * t, mesh->material + 6 * order.triangle[t], 6 * sizeof(double));
    int low = now[0] < now[1] ? now[0] : now[1];
    low = low < now[2] ? low : now[2];
    assert_true(low >= before);
    before = low;
  }
  double *back = mus_arena_alloc(&arena, (size_t)mesh->vertices * 3, sizeof *back);
  mus_order_restore(&order, 3, sorted.position, back);
  assert_memory_equal(back, mesh->position, (size_t)mesh->vertices * 3 * sizeof(double));
  mus_arena_clear(&arena);
}

static void orders_are_permutations(void **state) {
  (void)state;
  mus_arena arena = {0};
  for (uint64_t seed = 0; seed < 12; ++seed) {
    mus_mesh soup = meshes_soup(&arena, 30, 5 + 4 * (int)seed, seed), tattered = meshes_tattered(&arena, 8, seed);
    check_order(&soup);
    check_order(&tattered);
  }
  mus_mesh ball = meshes_ball(&arena, 3), grid = meshes_grid(&arena, 20, 11), nothing = {0};
  check_order(&ball);
  check_order(&grid);
  check_order(&nothing);
  mus_arena_clear(&arena);
}

static mus_spread spread_after(mus_arena *arena, const mus_mesh *mesh) {
  mus_order order = order_of(arena, mesh);
  mus_mesh sorted;
  assert_int_equal(mus_order_apply(arena, &order, mesh, &sorted), MUS_OK);
  mus_topology before = topology_of(arena, mesh), topology = topology_of(arena, &sorted);
  mus_spread foretold = mus_order_spread(&order, &before), found = mus_mesh_spread(&topology);
  assert_int_equal(foretold.bandwidth, found.bandwidth);
  assert_true(foretold.mean > found.mean * (1 - 1e-12) && foretold.mean < found.mean * (1 + 1e-12));
  return found;
}

// A grid of m x n vertices with diagonals has an order with a bandwidth of about the shorter side, however it comes in.
static void bandwidths_are_near_the_best(void **state) {
  (void)state;
  mus_arena arena = {0};
  static const int sizes[][2] = {{50, 50}, {120, 12}, {9, 200}, {2, 300}};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
    int m = sizes[k][0], n = sizes[k][1], shorter = m < n ? m : n;
    mus_mesh grid = meshes_grid(&arena, m, n), mixed = shuffled(&arena, &grid, 1);
    mus_topology topology = topology_of(&arena, &mixed);
    assert_true(mus_mesh_spread(&topology).mean > (double)(m * n) / 4);
    mus_spread spread = spread_after(&arena, &mixed);
    if (spread.bandwidth > 2 * shorter || spread.mean > 1.2 * shorter)
      fail_msg("%d x %d: bandwidth %d, mean distance %g", m, n, spread.bandwidth, spread.mean);
  }
  mus_arena_clear(&arena);
}

static void spreads_are_counted(void **state) {
  (void)state;
  mus_arena arena = {0};
  static const int triangles[] = {0, 1, 4, 4, 1, 2};
  mus_mesh mesh = meshes_given(&arena, 5, 2, NULL, triangles, NULL);
  mus_topology topology = topology_of(&arena, &mesh); // 0-1 0-4 1-2 1-4 2-4
  mus_spread spread = mus_mesh_spread(&topology);
  assert_int_equal(spread.bandwidth, 4);
  assert_true(spread.mean > 2.2 - 1e-12 && spread.mean < 2.2 + 1e-12);
  mus_arena_clear(&arena);
}

// One vertex with many neighbours is no reason to take long, and the order is the same every time.
static void stars_take_no_longer(void **state) {
  (void)state;
  enum { POINTS = 200000 };
  mus_arena arena = {0};
  mus_mesh star;
  assert_int_equal(mus_mesh_create(&arena, POINTS + 1, POINTS - 1, 0, &star), MUS_OK);
  memset(star.position, 0, (POINTS + 1) * 3 * sizeof(double));
  for (int t = 0; t + 1 < POINTS; ++t) {
    const int corner[] = {0, t + 1, t + 2};
    memcpy(star.triangle + 3 * t, corner, sizeof corner);
  }
  mus_order one = order_of(&arena, &star), two = order_of(&arena, &star);
  assert_memory_equal(one.vertex, two.vertex, (POINTS + 1) * sizeof(int));
  mus_arena_clear(&arena);
}

typedef struct reordering {
  mus_mesh mesh;
  mus_topology topology;
} reordering;

static mus_status reorder(mus_arena *arena, void *data) {
  const reordering *r = data;
  mus_order order;
  mus_mesh sorted;
  mus_status status = mus_order_find(arena, &r->mesh, &r->topology, &order);
  return status ? status : mus_order_apply(arena, &order, &r->mesh, &sorted);
}

static void allocations_may_fail(void **state) {
  (void)state;
  mus_arena arena = {0};
  reordering r = {.mesh = meshes_grid(&arena, 6, 6)};
  r.topology = topology_of(&arena, &r.mesh);
  assert_true(sweep_allocations(&arena, reorder, &r) > 15);
  mus_arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(orders_are_permutations), cmocka_unit_test(bandwidths_are_near_the_best),
      cmocka_unit_test(spreads_are_counted),     cmocka_unit_test(stars_take_no_longer),
      cmocka_unit_test(allocations_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
