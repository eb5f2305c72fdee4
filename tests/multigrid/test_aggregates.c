// Aggregates against the paper's two passes, on drawn and on random graphs: complete, disjoint, connected.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "multigrid/aggregation/aggregates.h"
#include "par/par.h"
#include "support/problem.h"

// --- graphs -------------------------------------------------------------------------------------------------------

typedef struct graph {
  mus_arena arena;
  mus_pattern pattern;
  mus_strength strength;
} graph;

// strength[i * nodes + j] > 0 joins i and j; strong[...] marks what is strong in row i. special may be NULL.
static graph create_graph(int nodes, const double *strength, const unsigned char *strong,
                          const unsigned char *special) {
  graph g = {.strength = {.special_nodes = 0}};
  int *start = calloc((size_t)nodes + 1, sizeof *start), *column = calloc((size_t)(nodes * nodes), sizeof *column);
  for (int i = 0; i < nodes; ++i) {
    start[i + 1] = start[i];
    for (int j = 0; j < nodes; ++j)
      if (i == j || strength[i * nodes + j] > 0)
        column[start[i + 1]++] = j;
  }
  assert_int_equal(mus_pattern_copy(&g.arena, nodes, nodes, start, column, &g.pattern), MUS_OK);
  free(start), free(column);
  size_t blocks = (size_t)mus_pattern_blocks(&g.pattern);
  g.strength.value = mus_arena_alloc_zero(&g.arena, blocks, sizeof(double));
  g.strength.strong = mus_arena_alloc_zero(&g.arena, blocks, 1);
  g.strength.special = mus_arena_alloc_zero(&g.arena, (size_t)nodes, 1);
  for (int i = 0; i < nodes; ++i) {
    g.strength.special[i] = special && special[i];
    g.strength.special_nodes += g.strength.special[i];
    for (int k = g.pattern.row_start[i]; k < g.pattern.row_start[i + 1]; ++k) {
      int j = g.pattern.column[k], barred = i == j || (special && (special[i] || special[j]));
      g.strength.value[k] = i == j ? 0 : strength[i * nodes + j];
      g.strength.strong[k] = !barred && strong[i * nodes + j];
    }
  }
  return g;
}

static mus_aggregates aggregate_within(graph *g, int reach) {
  mus_aggregates a;
  assert_int_equal(mus_aggregates_create(&g->arena, &g->pattern, &g->strength, reach, &a), MUS_OK);
  return a;
}

static mus_aggregates aggregate(graph *g) { return aggregate_within(g, 1); }

// A graph from a list of edges, all of strength 1 and strong.
static graph drawn(int nodes, int edges, const int (*edge)[2]) {
  double *strength = calloc((size_t)(nodes * nodes), sizeof *strength);
  unsigned char *strong = calloc((size_t)(nodes * nodes), 1);
  for (int e = 0; e < edges; ++e)
    for (int end = 0; end < 2; ++end) {
      strength[edge[e][end] * nodes + edge[e][1 - end]] = 1;
      strong[edge[e][end] * nodes + edge[e][1 - end]] = 1;
    }
  graph g = create_graph(nodes, strength, strong, NULL);
  free(strength), free(strong);
  return g;
}

// Joined with probability `density`, strengths at random; strong above `theta` of the row's strongest.
static graph random_graph(int nodes, double density, double theta, double specials, uint64_t seed) {
  double *strength = calloc((size_t)(nodes * nodes), sizeof *strength);
  unsigned char *strong = calloc((size_t)(nodes * nodes), 1), *special = calloc((size_t)nodes, 1);
  for (int i = 0; i < nodes; ++i) {
    special[i] = mus_random(seed, (uint64_t)(nodes * nodes + i)) < 2 * specials - 1;
    for (int j = 0; j < i; ++j)
      if (mus_random(seed, (uint64_t)(i * nodes + j)) < 2 * density - 1)
        strength[i * nodes + j] = strength[j * nodes + i] = 1.001 + mus_random(seed + 7, (uint64_t)(i * nodes + j));
  }
  for (int i = 0; i < nodes; ++i) {
    double largest = 0;
    for (int j = 0; j < nodes; ++j)
      if (strength[i * nodes + j] > largest)
        largest = strength[i * nodes + j];
    for (int j = 0; j < nodes; ++j)
      strong[i * nodes + j] = strength[i * nodes + j] > theta * largest;
  }
  graph g = create_graph(nodes, strength, strong, special);
  free(strength), free(strong), free(special);
  return g;
}

// --- checks -------------------------------------------------------------------------------------------------------

// The lists say what `of` says: a partition of the nodes that are not special.
static void check_partition(const graph *g, const mus_aggregates *a) {
  int members = 0;
  assert_int_equal(a->start[0], 0);
  for (int k = 0; k < a->count; ++k) {
    assert_true(a->start[k + 1] > a->start[k]);
    for (int m = a->start[k]; m < a->start[k + 1]; ++m) {
      assert_int_equal(a->of[a->member[m]], k);
      assert_true(m == a->start[k] || a->member[m] > a->member[m - 1]);
    }
  }
  for (int i = 0; i < g->pattern.rows; ++i) {
    assert_true(g->strength.special[i] ? a->of[i] == -1 : a->of[i] >= 0 && a->of[i] < a->count);
    members += a->of[i] >= 0;
  }
  assert_int_equal(a->start[a->count], members);
}

// Within each aggregate, every node can be reached from the first one along connections.
static void check_connected(const graph *g, const mus_aggregates *a) {
  int nodes = g->pattern.rows, *queue = calloc((size_t)nodes, sizeof *queue);
  unsigned char *seen = calloc((size_t)nodes, 1);
  for (int k = 0; k < a->count; ++k) {
    int head = 0, tail = 0;
    queue[tail++] = a->member[a->start[k]];
    seen[queue[0]] = 1;
    while (head < tail) {
      int i = queue[head++];
      for (int e = g->pattern.row_start[i]; e < g->pattern.row_start[i + 1]; ++e) {
        int j = g->pattern.column[e];
        if (a->of[j] == k && !seen[j] && g->strength.value[e] > 0) {
          seen[j] = 1;
          queue[tail++] = j;
        }
      }
    }
    assert_int_equal(tail, a->start[k + 1] - a->start[k]);
  }
  free(queue), free(seen);
}

// How many strong connections it is from i to each node along them, where it is at most `reach`; -1 elsewhere.
static void distances(const graph *g, int i, int reach, int *distance) {
  for (int j = 0; j < g->pattern.rows; ++j)
    distance[j] = j == i ? 0 : -1;
  for (int d = 0; d < reach; ++d)
    for (int j = 0; j < g->pattern.rows; ++j)
      for (int k = g->pattern.row_start[j]; k < g->pattern.row_start[j + 1] && distance[j] == d; ++k)
        if (g->strength.strong[k] && distance[g->pattern.column[k]] < 0)
          distance[g->pattern.column[k]] = d + 1;
}

// The first pass, word for word: a node with strong neighbours makes an aggregate of what is within reach, if all of
// that is free.
static int first_pass(const graph *g, int reach, int *of) {
  int count = 0, rows = g->pattern.rows, *distance = calloc((size_t)rows, sizeof *distance);
  for (int i = 0; i < rows; ++i)
    of[i] = -1;
  for (int i = 0; i < rows; ++i) {
    int within = 0, taken = 0;
    distances(g, i, reach, distance);
    for (int j = 0; j < rows; ++j)
      if (distance[j] >= 0) {
        ++within;
        taken += of[j] >= 0;
      }
    for (int j = 0; j < rows && !taken && within > 1; ++j)
      if (distance[j] >= 0)
        of[j] = count;
    count += !taken && within > 1;
  }
  free(distance);
  return count;
}

// The strongest strong neighbour of i that the first pass put into an aggregate; -1 when there is none.
static int strongest(const graph *g, const int *of, int i) {
  int best = -1;
  for (int k = g->pattern.row_start[i]; k < g->pattern.row_start[i + 1]; ++k)
    if (g->strength.strong[k] && of[g->pattern.column[k]] >= 0 &&
        (best < 0 || g->strength.value[k] > g->strength.value[best]))
      best = k;
  return best < 0 ? -1 : g->pattern.column[best];
}

static void check_passes(const graph *g, int reach, const mus_aggregates *a) {
  int *of = calloc((size_t)g->pattern.rows, sizeof *of), first = first_pass(g, reach, of);
  assert_true(a->count >= first);
  for (int i = 0; i < g->pattern.rows; ++i) {
    int neighbour = strongest(g, of, i);
    if (of[i] >= 0)
      assert_int_equal(a->of[i], of[i]);
    else if (neighbour >= 0)
      assert_int_equal(a->of[i], of[neighbour]);
  }
  // Aggregates beyond the first pass are pieces of the graph that it left out altogether.
  for (int i = 0; i < g->pattern.rows; ++i)
    for (int k = g->pattern.row_start[i]; k < g->pattern.row_start[i + 1] && a->of[i] >= first; ++k)
      assert_true(g->strength.value[k] == 0 || a->of[g->pattern.column[k]] == a->of[i] ||
                  g->strength.special[g->pattern.column[k]]);
  free(of);
}

static void check(graph *g) {
  for (int reach = 1; reach <= 2; ++reach) {
    mus_aggregates a = aggregate_within(g, reach);
    check_partition(g, &a);
    check_connected(g, &a);
    check_passes(g, reach, &a);
  }
}

// --- drawn graphs -------------------------------------------------------------------------------------------------

static void expect(graph g, int count, const int *of) {
  mus_aggregates a = aggregate(&g);
  assert_int_equal(a.count, count);
  for (int i = 0; i < g.pattern.rows; ++i)
    assert_int_equal(a.of[i], of[i]);
  check(&g);
  mus_arena_clear(&g.arena);
}

static void a_chain(void **state) {
  (void)state;
  const int edge[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}};
  expect(drawn(7, 6, edge), 3, (int[]){0, 0, 1, 1, 1, 2, 2});
}

static void a_longer_reach(void **state) {
  (void)state;
  const int edge[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 7}, {7, 8}};
  const int of[] = {0, 0, 0, 1, 1, 1, 1, 1, 1};
  graph g = drawn(9, 8, edge);
  mus_aggregates a = aggregate_within(&g, 2);
  assert_int_equal(a.count, 2);
  assert_memory_equal(a.of, of, sizeof of);
  mus_arena_clear(&g.arena);
}

static void a_star(void **state) {
  (void)state;
  const int edge[][2] = {{4, 0}, {4, 1}, {4, 2}, {4, 3}};
  expect(drawn(5, 4, edge), 1, (int[]){0, 0, 0, 0, 0});
}

static void two_pieces(void **state) {
  (void)state;
  const int edge[][2] = {{0, 2}, {1, 3}};
  expect(drawn(4, 2, edge), 2, (int[]){0, 1, 0, 1});
}

static void a_node_on_its_own(void **state) {
  (void)state;
  const int edge[][2] = {{0, 2}};
  expect(drawn(3, 1, edge), 2, (int[]){0, 1, 0});
  expect(drawn(1, 0, edge), 1, (int[]){0});
}

static void only_special_nodes(void **state) {
  (void)state;
  double strength[9] = {0, 1, 1, 1, 0, 1, 1, 1, 0};
  unsigned char strong[9] = {0}, special[3] = {1, 1, 1};
  expect(create_graph(3, strength, strong, special), 0, (int[]){-1, -1, -1});
}

// Strong seen from one end only: node 2 leans on 1, which leans on 0.
static void one_sided_strength(void **state) {
  (void)state;
  double strength[9] = {0, 9, 0, 9, 0, 1, 0, 1, 0};
  unsigned char strong[9] = {0, 1, 0, 1, 0, 0, 0, 1, 0};
  expect(create_graph(3, strength, strong, NULL), 1, (int[]){0, 0, 0});
}

// Weak connections take a node in when no strong one does.
static void a_node_with_weak_connections_only(void **state) {
  (void)state;
  double strength[16] = {0, 9, 2, 0, 9, 0, 0, 1, 2, 0, 0, 1, 0, 1, 1, 0};
  unsigned char strong[16] = {0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  expect(create_graph(4, strength, strong, NULL), 1, (int[]){0, 0, 0, 0});
}

// Nodes join the aggregate that they are connected to most strongly, not the first one.
static void the_stronger_side_wins(void **state) {
  (void)state;
  enum { NODES = 5 }; // 0 = 1, 3 = 4, and 2 between 1 and 3
  for (int side = 0; side < 2; ++side) {
    double strength[NODES * NODES] = {0};
    unsigned char strong[NODES * NODES];
    const int edge[4][2] = {{0, 1}, {3, 4}, {1, 2}, {2, 3}};
    for (int e = 0; e < 4; ++e)
      strength[edge[e][0] * NODES + edge[e][1]] = strength[edge[e][1] * NODES + edge[e][0]] = e < 2 ? 9
                                                                                              : (e == 2) == (side == 0)
                                                                                                  ? 5
                                                                                                  : 4.9;
    for (int k = 0; k < NODES * NODES; ++k)
      strong[k] = strength[k] > 6 || (k / NODES == 2 && strength[k] > 0);
    expect(create_graph(NODES, strength, strong, NULL), 2, (int[]){0, 0, side, 1, 1});
  }
}

// --- random graphs and real ones ----------------------------------------------------------------------------------

static void random_graphs(void **state) {
  (void)state;
  const double theta[] = {0, 0.48, 0.9}, density[] = {0.02, 0.1, 0.4}, specials[] = {0, 0.2, 0.7};
  for (uint64_t seed = 0; seed < 20; ++seed)
    for (int t = 0; t < 3; ++t)
      for (int d = 0; d < 3; ++d)
        for (int s = 0; s < 3; ++s) {
          graph g = random_graph((int)(1 + 3 * seed), density[d], theta[t], specials[s], seed);
          check(&g);
          mus_arena_clear(&g.arena);
        }
}

static void real_systems(void **state) {
  (void)state;
  problem all[] = {problem_small_sheet(21, 0, SHEET_PINNED), problem_small_sheet(21, 1, SHEET_DROOPING),
                   problem_poisson(12, 1), problem_random(60, 3, 4), problem_chain(30)};
  for (size_t k = 0; k < sizeof all / sizeof *all; ++k) {
    graph g = {.pattern = *all[k].pattern};
    mus_level_view view = problem_view(&all[k], 1);
    assert_int_equal(mus_strength_create(&g.arena, &view, 0.48, 0.1, &g.strength), MUS_OK);
    check(&g);
    mus_aggregates a = aggregate(&g);
    assert_true(2 * a.count <= all[k].rows); // aggregates of one node are no progress
    mus_arena_clear(&g.arena);
    problem_free(&all[k]);
  }
}

static void threads_do_not_change_a_thing(void **state) {
  (void)state;
  graph g = random_graph(700, 0.01, 0.48, 0.1, 3);
  mus_par_set_threads(1);
  mus_aggregates one = aggregate(&g);
  mus_par_set_threads(7);
  mus_aggregates many = aggregate(&g);
  mus_par_set_threads(0);
  assert_int_equal(one.count, many.count);
  assert_memory_equal(one.of, many.of, 700 * sizeof *one.of);
  mus_arena_clear(&g.arena);
}

static void failing_allocations_are_reported(void **state) {
  (void)state;
  graph g = random_graph(20, 0.3, 0.48, 0.1, 1);
  mus_status status = MUS_OUT_OF_MEMORY;
  long allowed = 0;
  for (; status == MUS_OUT_OF_MEMORY && allowed < 100; ++allowed) {
    mus_arena arena = {0};
    mus_aggregates a;
    mus_memory_fail_after(allowed);
    status = mus_aggregates_create(&arena, &g.pattern, &g.strength, 2, &a);
    mus_memory_fail_after(-1);
    mus_arena_clear(&arena);
  }
  assert_int_equal(status, MUS_OK);
  assert_true(allowed > 3);
  mus_arena_clear(&g.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_chain),
      cmocka_unit_test(a_longer_reach),
      cmocka_unit_test(a_star),
      cmocka_unit_test(two_pieces),
      cmocka_unit_test(a_node_on_its_own),
      cmocka_unit_test(only_special_nodes),
      cmocka_unit_test(one_sided_strength),
      cmocka_unit_test(a_node_with_weak_connections_only),
      cmocka_unit_test(the_stronger_side_wins),
      cmocka_unit_test(random_graphs),
      cmocka_unit_test(real_systems),
      cmocka_unit_test(threads_do_not_change_a_thing),
      cmocka_unit_test(failing_allocations_are_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
