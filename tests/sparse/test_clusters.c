// Clusters of strongly connected nodes, in both precisions.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "par/par.h"
#include "sparse/clusters.h"
#include "support/patterns.h"
#include "support/sweep.h"

enum { NODES = 1000, N = 3 * NODES };

// A chain of nodes along x, with little stiffness in other directions, in which something holds it, as both ends are
// held in all. Every fourth connection is `stiff` in y, the one after some of these too.
typedef struct chain {
  mus_arena arena;
  const mus_pattern *pattern;
  mus_matrix a;
  double *inverse;
} chain;

static double stiffness(int i, int axis, double stiff) {
  int extra = axis == 1 && (i % 4 == 1 || i % 12 == 2);
  return (axis == 0 ? 1 : 0.01) + (extra ? stiff : 0);
}

static chain chain_create(double stiff) {
  chain c = {0};
  int *start = mus_arena_alloc(&c.arena, NODES + 1, sizeof *start);
  int *column = mus_arena_alloc(&c.arena, 3 * NODES, sizeof *column), count = 0;
  for (int i = 0; i < NODES; ++i) {
    start[i] = count;
    for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < NODES; ++j)
      column[count++] = j;
  }
  start[NODES] = count;
  mus_pattern *pattern = mus_arena_alloc(&c.arena, 1, sizeof *pattern);
  *pattern = (mus_pattern){NODES, NODES, start, column};
  c.pattern = pattern;
  assert_int_equal(mus_matrix_create(&c.arena, c.pattern, 3, 3, &c.a), MUS_OK);
  memset(c.a.value, 0, mus_matrix_values(&c.a) * sizeof(double));
  c.inverse = mus_arena_alloc_zero(&c.arena, 9 * NODES, sizeof *c.inverse);
  for (int i = 0; i < NODES; ++i)
    for (int k = start[i]; k < start[i + 1]; ++k)
      for (int q = 0; q < 3; ++q) {
        int j = column[k];
        double before = i > 0 ? stiffness(i - 1, q, stiff) : 0, after = i + 1 < NODES ? stiffness(i, q, stiff) : 0;
        double held = i == 0 || i == NODES - 1 ? 2 : 0.1;
        double value = j < i ? -before : j > i ? -after : held + before + after;
        c.a.value[9 * (size_t)k + 4 * (size_t)q] = value;
        if (j == i)
          c.inverse[9 * (size_t)i + 4 * (size_t)q] = 1 / value;
      }
  return c;
}

static void strong_connections_make_small_clusters(void **state) {
  (void)state;
  chain c = chain_create(50);
  mus_clusters found;
  unsigned char seen[NODES] = {0};
  assert_int_equal(mus_clusters_find(&c.arena, &c.arena, &c.a, c.inverse, &found), MUS_OK);
  for (int k = 0; k < found.count; ++k) {
    int nodes = found.start[k + 1] - found.start[k];
    const int *node = found.node + found.start[k];
    assert_int_equal(nodes, node[0] % 12 == 1 ? 3 : 2);
    for (int i = 0; i < nodes; ++i) {
      assert_int_equal(node[i], node[0] + i);
      assert_false(seen[node[i]]++);
    }
  }
  for (int i = 0; i < NODES; ++i)
    assert_int_equal(seen[i], i % 4 == 1 || i % 4 == 2 || i % 12 == 3);
  mus_arena_clear(&c.arena);
}

static void even_chains_have_none(void **state) {
  (void)state;
  chain c = chain_create(0);
  mus_clusters found;
  assert_int_equal(mus_clusters_find(&c.arena, &c.arena, &c.a, c.inverse, &found), MUS_OK);
  assert_int_equal(found.count, 0);
  mus_arena_clear(&c.arena);
}

// (G x)_i, where connections between clusters are left out.
static void multiply_g(const chain *c, const mus_clusters *found, const double *x, double *y) {
  int of[NODES];
  for (int i = 0; i < NODES; ++i)
    of[i] = -1 - i;
  for (int k = 0; k < found->count; ++k)
    for (int m = found->start[k]; m < found->start[k + 1]; ++m)
      of[found->node[m]] = k;
  for (int i = 0; i < NODES; ++i)
    for (int q = 0; q < 3; ++q) {
      double sum = 0;
      for (int k = c->pattern->row_start[i]; k < c->pattern->row_start[i + 1]; ++k)
        if (of[c->pattern->column[k]] == of[i])
          sum += c->a.value[9 * k + 4 * q] * x[3 * c->pattern->column[k] + q];
      y[3 * i + q] = sum;
    }
}

static void they_turn_d_into_g(void **state) {
  (void)state;
  chain c = chain_create(50);
  mus_clusters found;
  mus_clusters_f rounded;
  double *b = random_vector(&c.arena, N, 1), *x = random_vector(&c.arena, N, 2), *y = random_vector(&c.arena, N, 3);
  double *first = random_vector(&c.arena, N, 4);
  float *f = mus_arena_alloc(&c.arena, N, sizeof *f);
  assert_int_equal(mus_clusters_find(&c.arena, &c.arena, &c.a, c.inverse, &found), MUS_OK);
  mus_clusters_fill(&found, &c.a, c.inverse);
  assert_int_equal(mus_clusters_round(&c.arena, &found, &rounded), MUS_OK);
  for (int threads = 1; threads <= 3; threads += 2) {
    mus_par_set_threads(threads);
    mus_block_diagonal_multiply(NODES, 3, 1, c.inverse, b, x);
    for (int i = 0; i < N; ++i)
      f[i] = (float)x[i];
    mus_clusters_apply(&found, x);
    mus_clusters_apply_f(&rounded, f);
    mus_par_set_threads(0);
    if (threads == 1)
      memcpy(first, x, N * sizeof *x);
    assert_memory_equal(first, x, N * sizeof *x);
  }
  multiply_g(&c, &found, x, y);
  for (int i = 0; i < N; ++i) {
    assert_true(fabs(y[i] - b[i]) < 1e-12);
    assert_true(fabs((double)f[i] - x[i]) < 1e-5 * (1 + fabs(x[i])));
  }
  mus_arena_clear(&c.arena);
}

// next = (1 + beta) x - gamma next + G^-1 b from the same with D
static void steps_divide_by_g(void **state) {
  (void)state;
  chain c = chain_create(50);
  mus_clusters found;
  double *b = random_vector(&c.arena, N, 1), *x = random_vector(&c.arena, N, 2), *next = random_vector(&c.arena, N, 3);
  double *wanted = random_vector(&c.arena, N, 4), *made = random_vector(&c.arena, N, 5);
  assert_int_equal(mus_clusters_find(&c.arena, &c.arena, &c.a, c.inverse, &found), MUS_OK);
  mus_clusters_fill(&found, &c.a, c.inverse);
  mus_block_diagonal_multiply(NODES, 3, 1, c.inverse, b, made);
  memcpy(wanted, made, N * sizeof *made);
  mus_clusters_apply(&found, wanted);
  mus_clusters_before(&found, 0.5, 0.25, x, next);
  for (int i = 0; i < N; ++i) {
    double before = 1.5 * x[i] - 0.25 * next[i];
    wanted[i] += before;
    next[i] = before + made[i];
  }
  mus_clusters_after(&found, next);
  for (int i = 0; i < N; ++i)
    assert_true(fabs(next[i] - wanted[i]) < 1e-12);
  mus_arena_clear(&c.arena);
}

// Stiff in y between node i and the next.
static void stitch(chain *c, int i) {
  enum { Y = 4 };
  for (int r = i; r <= i + 1; ++r)
    for (int q = i; q <= i + 1; ++q)
      c->a.value[9 * (size_t)mus_pattern_find(c->pattern, r, q) + Y] += r == q ? 50 : -50;
  for (int r = i; r <= i + 1; ++r)
    c->inverse[9 * (size_t)r + Y] = 1 / c->a.value[9 * (size_t)mus_pattern_find(c->pattern, r, r) + Y];
}

// A chain whose clusters hold it by so much, with so many stitches.
static void check_sweeps(double stiff, int stitches, mus_resistance resists) {
  chain c = chain_create(stiff);
  mus_clusters found;
  mus_clusters_f rounded;
  for (int k = 0; k < stitches; ++k)
    stitch(&c, 3 + 100 * k);
  assert_int_equal(mus_clusters_find(&c.arena, &c.arena, &c.a, c.inverse, &found), MUS_OK);
  mus_clusters_fill(&found, &c.a, c.inverse);
  assert_int_equal(mus_clusters_round(&c.arena, &found, &rounded), MUS_OK);
  assert_true(found.count >= NODES / 4);
  assert_int_equal(found.resistance, resists);
  assert_int_equal(rounded.resistance, resists);
  mus_arena_clear(&c.arena);
}

static void sweeps_bear_weak_clusters_and_few_stitches(void **state) {
  (void)state;
  check_sweeps(0.12, 0, MUS_RESISTS_LITTLE); // all below 0.75
  check_sweeps(0.2, 0, MUS_RESISTS_MUCH);    // half of the nodes above
  check_sweeps(0.12, 1, MUS_RESISTS_LITTLE); // two of 1,000 nodes above 0.9
  check_sweeps(0.12, 2, MUS_RESISTS_SOMETIMES);
  check_sweeps(0.12, 6, MUS_RESISTS_MUCH);
}

// What a node alone resists and a pair does not at all cannot be inverted.
static void singular_clusters_stay_single_nodes(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_pattern pattern = {2, 2, (int[]){0, 2, 4}, (int[]){0, 1, 0, 1}};
  mus_matrix a = {&pattern, 3, 3, (double[]){1,  0, 0, 0, 1,  0, 0, 0, 1,  -1, 0, 0, 0, -1, 0, 0, 0, -1,
                                             -1, 0, 0, 0, -1, 0, 0, 0, -1, 1,  0, 0, 0, 1,  0, 0, 0, 1}};
  double inverse[18] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1}, x[6] = {1, 2, 3, 4, 5, 6};
  mus_clusters found;
  assert_int_equal(mus_clusters_find(&arena, &arena, &a, inverse, &found), MUS_OK);
  assert_int_equal(found.count, 1);
  mus_clusters_fill(&found, &a, inverse);
  mus_clusters_apply(&found, x);
  for (int i = 0; i < 6; ++i)
    assert_true(x[i] == i + 1);
  mus_arena_clear(&arena);
}

static mus_status make_all(mus_arena *arena, void *data) {
  const chain *c = data;
  mus_clusters found, copy;
  mus_clusters_f rounded;
  mus_status status = mus_clusters_find(arena, arena, &c->a, c->inverse, &found);
  if (!status) {
    mus_clusters_fill(&found, &c->a, c->inverse);
    status = mus_clusters_copy(arena, &found, &copy);
  }
  return status ? status : mus_clusters_round(arena, &found, &rounded);
}

static void memory_may_run_out(void **state) {
  (void)state;
  chain c = chain_create(50);
  mus_arena arena = {0};
  assert_true(sweep_allocations(&arena, make_all, &c) > 8);
  mus_arena_clear(&arena);
  mus_arena_clear(&c.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(strong_connections_make_small_clusters),
                                     cmocka_unit_test(even_chains_have_none),
                                     cmocka_unit_test(they_turn_d_into_g),
                                     cmocka_unit_test(steps_divide_by_g),
                                     cmocka_unit_test(sweeps_bear_weak_clusters_and_few_stitches),
                                     cmocka_unit_test(singular_clusters_stay_single_nodes),
                                     cmocka_unit_test(memory_may_run_out)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
