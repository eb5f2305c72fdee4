// The map from surface vertices to nodes: what goes to the nodes has the same momentum and does the same work, blocks
// are P^T B P, and the identity copies nothing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "contact/surface_map.h"
#include "support/check.h"

enum { VERTICES = 40, NODES = 17, ENTRIES = VERTICES * MUS_CARRIERS_MAXIMUM };

// Vertices with 1 to 8 different nodes each and weights of either sign.
typedef struct random_map {
  mus_surface_map map;
  int start[VERTICES + 1], node[ENTRIES];
  double weight[ENTRIES];
} random_map;

static random_map *random_map_create(uint64_t seed) {
  random_map *m = calloc(1, sizeof *m);
  assert_non_null(m);
  for (int s = 0; s < VERTICES; ++s) {
    int first = m->start[s], count = 1 + s % MUS_CARRIERS_MAXIMUM;
    double sum = 0;
    for (int k = 0; k < count; ++k) {
      m->node[first + k] = (s + 2 * k + (int)(seed % 3)) % NODES;
      m->weight[first + k] = mus_random(seed, (uint64_t)(first + k)) + (k == 0 ? 2 : 0);
      sum += m->weight[first + k];
    }
    for (int k = 0; k < count; ++k)
      m->weight[first + k] /= sum;
    m->start[s + 1] = first + count;
  }
  m->map = (mus_surface_map){VERTICES, NODES, m->start, m->node, m->weight, NULL};
  return m;
}

static void fill_random(uint64_t seed, int count, double *to) {
  for (int k = 0; k < count; ++k)
    to[k] = mus_random(seed, (uint64_t)k);
}

static double dot(int count, const double *a, const double *b) {
  double sum = 0;
  for (int k = 0; k < count; ++k)
    sum += a[k] * b[k];
  return sum;
}

static void sums(int count, const double *x, const double *f, double *force, double *moment) {
  for (int c = 0; c < 3; ++c)
    force[c] = moment[c] = 0;
  for (int k = 0; k < count; ++k) {
    double turn[3];
    mus_cross3(x + 3 * (size_t)k, f + 3 * (size_t)k, turn);
    mus_add_scaled3(1, f + 3 * (size_t)k, force);
    mus_add_scaled3(1, turn, moment);
  }
}

static void forces_keep_momentum_and_work(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    random_map *m = random_map_create(seed);
    double x[3 * NODES], v[3 * NODES], f[3 * NODES] = {0}, xs[3 * VERTICES], vs[3 * VERTICES], fs[3 * VERTICES];
    fill_random(seed + 10, 3 * NODES, x);
    fill_random(seed + 20, 3 * NODES, v);
    fill_random(seed + 30, 3 * VERTICES, fs);
    mus_map_to_surface(&m->map, x, xs);
    assert_ptr_equal(mus_map_on_surface(&m->map, v, vs), vs);
    for (int s = 0; s < VERTICES; ++s)
      mus_map_add(&m->map, s, fs + 3 * s, f);
    double force[2][3], moment[2][3];
    sums(NODES, x, f, force[0], moment[0]);
    sums(VERTICES, xs, fs, force[1], moment[1]);
    for (int c = 0; c < 3; ++c) {
      assert_true(fabs(force[0][c] - force[1][c]) < 1e-12);
      assert_true(fabs(moment[0][c] - moment[1][c]) < 1e-12);
    }
    double work = dot(3 * VERTICES, fs, vs);
    assert_true(fabs(work) > 1e-3);
    assert_true(fabs(work - dot(3 * NODES, f, v)) < 1e-12);
    free(m);
  }
}

// P as a dense matrix, 3 VERTICES x 3 NODES.
static void dense_map(const mus_surface_map *map, double *p) {
  memset(p, 0, 9 * VERTICES * NODES * sizeof *p);
  for (int s = 0; s < VERTICES; ++s)
    for (int k = map->start[s]; k < map->start[s + 1]; ++k)
      for (int c = 0; c < 3; ++c)
        p[(size_t)(3 * s + c) * 3 * NODES + (size_t)(3 * map->node[k] + c)] += map->weight[k];
}

static void blocks_are_those_of_the_dense_product(void **state) {
  (void)state;
  enum { BLOCKS = 20 };
  int row_start[NODES + 1], column[NODES * NODES];
  for (int i = 0; i <= NODES; ++i)
    row_start[i] = i * NODES;
  for (int k = 0; k < NODES * NODES; ++k)
    column[k] = k % NODES;
  mus_pattern pattern = {NODES, NODES, row_start, column};
  static double value[9 * NODES * NODES], expected[9 * NODES * NODES], p[9 * VERTICES * NODES];
  mus_matrix matrix = {&pattern, 3, 3, value};
  random_map *m = random_map_create(7);
  dense_map(&m->map, p);
  for (int b = 0; b < BLOCKS; ++b) {
    int i = (5 * b) % VERTICES, j = b % 4 == 0 ? i : (7 * b + 3) % VERTICES;
    double block[9];
    fill_random(100 + (uint64_t)b, 9, block);
    mus_map_add_block(&m->map, i, j, block, &matrix);
    for (int r = 0; r < 3 * NODES; ++r)
      for (int c = 0; c < 3 * NODES; ++c)
        for (int e = 0; e < 9; ++e)
          expected[r * 3 * NODES + c] +=
              p[(3 * i + e / 3) * 3 * NODES + r] * block[e] * p[(3 * j + e % 3) * 3 * NODES + c];
  }
  double largest = 0;
  for (int r = 0; r < 3 * NODES; ++r)
    for (int c = 0; c < 3 * NODES; ++c) {
      double here = mus_matrix_block(&matrix, r / 3, c / 3)[3 * (r % 3) + c % 3];
      largest = fmax(largest, fabs(here));
      assert_true(fabs(here - expected[r * 3 * NODES + c]) < 1e-12);
    }
  assert_true(largest > 0.1);
  free(m);
}

static void the_identity_copies_nothing(void **state) {
  (void)state;
  mus_surface_map map = mus_identity_map(4), copy;
  mus_arena arena = {0};
  double x[12], y[12], f[3] = {1, 2, 3};
  fill_random(3, 12, x);
  assert_ok(mus_surface_map_create(&arena, &map, &copy));
  assert_int_equal(arena.bytes, 0);
  assert_ptr_equal(mus_map_on_surface(&copy, x, NULL), x);
  mus_map_to_surface(&copy, x, y);
  assert_memory_equal(x, y, sizeof x);
  mus_map_add(&copy, 2, f, y);
  for (int c = 0; c < 12; ++c)
    assert_true(y[c] == x[c] + (c / 3 == 2 ? f[c % 3] : 0));
}

static void masses_are_shared_out(void **state) {
  (void)state;
  // A segment of two nodes and five vertices along it.
  int start[] = {0, 2, 4, 6, 8, 10}, node[] = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
  double weight[] = {1, 0, 0.75, 0.25, 0.5, 0.5, 0.25, 0.75, 0, 1}, mass[] = {3, 5}, scratch[2], shared[5], sum = 0;
  mus_map_share_mass(&(mus_surface_map){5, 2, start, node, weight, NULL}, mass, scratch, shared);
  for (int s = 0; s < 5; ++s)
    sum += shared[s];
  assert_true(fabs(sum - 8) < 1e-12);
  assert_true(fabs(shared[0] - 3 / 2.5) < 1e-12 && fabs(shared[4] - 5 / 2.5) < 1e-12);
}

static void bad_maps_are_refused(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_surface_map out;
  random_map *m = random_map_create(1);
  assert_ok(mus_surface_map_create(&arena, &m->map, &out));
  assert_memory_equal(out.weight, m->weight, (size_t)m->start[VERTICES] * sizeof *m->weight);
  m->node[3] = NODES;
  assert_int_equal(mus_surface_map_create(&arena, &m->map, &out), MUS_BAD_INPUT);
  assert_non_null(strstr(mus_last_error(), "vertex 2 of the surface names node 17, but nodes go from 0 to 16"));
  m->node[3] = 0;
  m->weight[1] += 0.1;
  assert_int_equal(mus_surface_map_create(&arena, &m->map, &out), MUS_BAD_INPUT);
  assert_non_null(strstr(mus_last_error(), "the weights of vertex 1 of the surface sum to 1.1"));
  m->start[1] = 0;
  assert_int_equal(mus_surface_map_create(&arena, &m->map, &out), MUS_BAD_INPUT);
  assert_non_null(strstr(mus_last_error(), "vertex 0 of the surface is carried by 0 nodes: 1 to 8 are possible"));
  mus_arena_clear(&arena);
  free(m);
}

static void failing_allocations_are_clean(void **state) {
  (void)state;
  random_map *m = random_map_create(2);
  mus_status status = MUS_OUT_OF_MEMORY;
  for (long n = 0; status; ++n) {
    mus_arena arena = {0};
    mus_surface_map out;
    mus_memory_fail_after(n);
    status = mus_surface_map_create(&arena, &m->map, &out);
    mus_memory_fail_after(-1);
    assert_true(status == MUS_OK || status == MUS_OUT_OF_MEMORY);
    mus_arena_clear(&arena);
  }
  free(m);
}

// A vertex on a corner has that node alone; the others may carry nothing at all.
static void nodes_of_no_weight_have_no_mass_to_share(void **state) {
  (void)state;
  const int start[] = {0, 2}, node[] = {0, 1};
  const double weight[] = {1, 0}, mass[] = {2, 3};
  const mus_surface_map map = {.vertices = 1, .nodes = 2, .start = start, .node = node, .weight = weight};
  double scratch[2], shared = 0;
  mus_map_share_mass(&map, mass, scratch, &shared);
  assert_true(shared == 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nodes_of_no_weight_have_no_mass_to_share),
                                     cmocka_unit_test(forces_keep_momentum_and_work),
                                     cmocka_unit_test(blocks_are_those_of_the_dense_product),
                                     cmocka_unit_test(the_identity_copies_nothing),
                                     cmocka_unit_test(masses_are_shared_out),
                                     cmocka_unit_test(bad_maps_are_refused),
                                     cmocka_unit_test(failing_allocations_are_clean)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
