// Couplings of the public solver: A + C by every method against dense algebra, with and without constraints, the same
// bits on any number of threads, and refusals that name the coupling.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "support/given.h"

// Couplings with the nodes and weights that they point to.
enum { POOL = 400, WIDEST = 24 };
typedef struct pool {
  mus_coupling item[POOL];
  int node[POOL][WIDEST];
  double weight[POOL][WIDEST];
} pool;

static pool *pool_create(void) {
  pool *p = calloc(1, sizeof *p);
  assert_non_null(p);
  for (int k = 0; k < POOL; ++k)
    p->item[k].node = p->node[k], p->item[k].weight = p->weight[k];
  return p;
}

// So many random nodes, at times one of them twice, with weights of either sign and a block of rank 1 to 3.
static mus_coupling random_coupling(int rows, int count, double strength, uint64_t seed, int *node, double *weight) {
  mus_coupling c = {.count = count, .node = node, .weight = weight};
  for (int i = 0; i < c.count; ++i) {
    node[i] = (int)(mus_random_bits(seed, 1000 + (uint64_t)i) % (uint64_t)rows);
    weight[i] = mus_random(seed, 2000 + (uint64_t)i);
  }
  int rank = 1 + (int)(mus_random_bits(seed, 5) % 3);
  for (int r = 0; r < rank; ++r)
    for (int e = 0; e < 9; ++e)
      c.block[e] += strength * mus_random(seed, 20 + (uint64_t)(3 * r + e / 3)) *
                    mus_random(seed, 20 + (uint64_t)(3 * r + e % 3));
  return c;
}

// Of one to four nodes, and every fifth of many more where these are wanted, as contact of embedded surfaces has them.
static pool *random_couplings(int rows, int count, int wide, double strength, uint64_t seed) {
  pool *p = pool_create();
  for (int k = 0; k < count; ++k) {
    uint64_t key = 1000 * seed + (uint64_t)k;
    int nodes = wide && k % 5 == 0 ? WIDEST - k % 8 : 1 + (int)(mus_random_bits(key, 0) % 4);
    p->item[k] = random_coupling(rows, nodes, strength, key, p->node[k], p->weight[k]);
  }
  return p;
}

// --- the right solution ---------------------------------------------------------------------------------------------

static void every_method_adds_couplings(void **state) {
  (void)state;
  enum { ROWS = 40, COUNT = 30 };
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    random_system system = random_system_create(ROWS, 3, seed);
    mus_constraint constraint[ROWS];
    given g = given_random(&system);
    if (seed % 2)
      g.count = random_constraints(ROWS, 3, seed + 50, constraint);
    g.constraint = constraint;
    pool *couplings = random_couplings(ROWS, COUNT, seed > 3, seed % 3 == 0 ? 1000 : 1, seed);
    double *without = given_reference(&g);
    g.coupling_count = COUNT, g.coupling = couplings->item;
    double *reference = given_reference(&g);
    assert_true(dense_difference(g.n, reference, without) > 1e-3);
    FOR_EACH_METHOD(method)
    for (int precision = 0; precision < 2; ++precision) {
      mus_solver_options options = given_options(method, 1e-13);
      options.precision = (mus_precision)precision;
      mus_solver *solver = given_solver(&g, &options);
      expect_solution(solver, &g, reference, 1e-9);
      assert_true(mus_solver_record(solver)->true_residual < 1e-9);
      mus_solver_free(solver);
    }
    free(reference), free(without), free(couplings);
    random_system_free(&system);
  }
}

// A sheet folded onto itself: vertices against triangles that share no element with them.
static int folded(const sheet_system *sheet, double strength, pool *out) {
  static const double weight[] = {1, -0.5, -0.3, -0.2};
  int count = 0, triangles = sheet->tuples[0].count;
  for (int t = 0; t < triangles; t += 3) {
    const int *corner = sheet->tuples[0].index + 3 * t;
    assert_true(count < POOL);
    int *node = out->node[count];
    mus_coupling c = {.count = 4, .weight = weight, .node = node};
    node[0] = sheet->rows - 1 - corner[0];
    memcpy(node + 1, corner, 3 * sizeof *corner);
    c.block[4] = strength;
    c.block[0] = c.block[8] = 0.1 * strength;
    out->item[count++] = c;
  }
  return count;
}

static void folded_cloth_is_solved_by_every_method(void **state) {
  (void)state;
  sheet_system sheet = given_cloth(10);
  given g = given_sheet(&sheet);
  const double strength[] = {1, 10, 1000};
  pool *couplings = pool_create();
  for (int s = 0; s < 3; ++s) {
    g.coupling_count = folded(&sheet, strength[s] * sheet.mass[11], couplings), g.coupling = couplings->item;
    expect_solution_by_every_method(&g, 1e-8);
  }
  free(couplings);
  sheet_system_free(&sheet);
}

// Couplings come, change and go, in any order with values and constraints: every solve is that of a solver which was
// given only what holds now, and without couplings it has the bits of one that never had any.
static void couplings_come_and_go(void **state) {
  (void)state;
  enum { ROWS = 30, COUNT = 20 };
  random_system system = random_system_create(ROWS, 3, 3), other = random_system_create(ROWS, 3, 3);
  for (size_t k = 0; k < mus_matrix_values(&other.a); ++k)
    other.a.value[k] *= 2;
  mus_constraint constraint[ROWS];
  given g = given_random(&system), heavy = given_random(&other);
  g.constraint = heavy.constraint = constraint;
  int constraints = random_constraints(ROWS, 3, 8, constraint);
  pool *couplings = random_couplings(ROWS, COUNT, 0, 1, 4);
  const mus_coupling *coupling = couplings->item;
  FOR_EACH_METHOD(method) {
    mus_solver_options options = given_options(method, 1e-13);
    options.setup = MUS_SETUP_FULL; // aggregates that were kept would tell of what was there before
    mus_solver *solver = given_solver(&g, &options);
    double before[3 * ROWS], after[3 * ROWS];
    given_solve(solver, &g, before);
    for (int step = 0; step < 6; ++step) {
      given here = step == 2 || step == 3 ? heavy : g;
      here.count = step == 1 || step == 2 ? constraints : 0;
      here.coupling_count = step == 5 ? 0 : COUNT - 7 * (step % 3), here.coupling = coupling;
      assert_int_equal(mus_solver_set_couplings(solver, here.coupling_count, coupling), MUS_OK);
      assert_int_equal(mus_solver_set_values(solver, here.values), MUS_OK);
      assert_int_equal(mus_solver_set_constraints(solver, here.count, here.constraint), MUS_OK);
      double *reference = given_reference(&here);
      expect_solution(solver, &here, reference, 1e-9);
      free(reference);
    }
    given_solve(solver, &g, after);
    if (method != MUS_METHOD_AUTO) // which remembers what solves have cost
      assert_memory_equal(before, after, sizeof before);
    mus_solver_free(solver);
  }
  free(couplings);
  random_system_free(&system), random_system_free(&other);
}

// Nodes that are neighbours anyway: everything fits into the pattern.
static void couplings_may_lie_within_the_pattern(void **state) {
  (void)state;
  sheet_system sheet = given_cloth(6);
  given g = given_sheet(&sheet);
  const int *corner = sheet.tuples[0].index;
  mus_coupling c[2] = {
      {.count = 3, .node = corner, .weight = (double[]){1, -0.5, -0.5}, .block = {1, 0, 0, 0, 1, 0, 0, 0, 1}},
      {.count = 1, .node = (int[]){20}, .weight = (double[]){2}, .block = {1, 0, 0, 0, 0, 0, 0, 0, 0}}};
  g.coupling_count = 2, g.coupling = c;
  expect_solution_by_every_method(&g, 1e-9);
  sheet_system_free(&sheet);
}

static void aggregates_stay(void **state) {
  (void)state;
  sheet_system sheet = given_cloth(20);
  given g = given_sheet(&sheet);
  pool *couplings = pool_create();
  double *x = malloc((size_t)g.n * sizeof *x);
  assert_non_null(x);
  int count = folded(&sheet, 10 * sheet.mass[21], couplings);
  mus_solver_options options = given_options(MUS_METHOD_SA, 1e-6);
  mus_solver *solver = given_solver(&g, &options);
  given_solve(solver, &g, x);
  mus_solve_record before = *mus_solver_record(solver);
  for (int k = 0; k < 3; ++k) {
    assert_int_equal(mus_solver_set_couplings(solver, count - 40 * k, couplings->item + 5 * k), MUS_OK);
    given_solve(solver, &g, x);
    const mus_solve_record *after = mus_solver_record(solver);
    assert_true(after->true_residual < 1e-4);
    assert_int_equal(after->levels, before.levels);
    for (int l = 0; l < before.levels; ++l) {
      assert_int_equal(after->level[l].rows, before.level[l].rows);
      assert_int_equal(after->level[l].special, before.level[l].special);
    }
  }
  mus_solver_free(solver);
  free(couplings), free(x);
  sheet_system_free(&sheet);
}

static void threads_change_no_bits(void **state) {
  (void)state;
  sheet_system sheet = given_cloth(24);
  given g = given_sheet(&sheet);
  pool *couplings = pool_create();
  g.coupling_count = folded(&sheet, 10 * sheet.mass[25], couplings), g.coupling = couplings->item;
  expect_same_bits(&g, 1e-8);
  free(couplings);
  sheet_system_free(&sheet);
}

// --- refusals -------------------------------------------------------------------------------------------------------

static void bad_couplings_are_named(void **state) {
  (void)state;
  random_system system = random_system_create(20, 3, 5);
  given g = given_random(&system);
  mus_solver_options options = given_options(MUS_METHOD_SA, 1e-12);
  mus_solver *solver = given_solver(&g, &options);
  pool *couplings = random_couplings(20, 3, 0, 1, 2);
  const mus_coupling *good = couplings->item;
  assert_int_equal(mus_solver_set_couplings(solver, 3, good), MUS_OK);
  double before[60], after[60];
  given_solve(solver, &g, before);
  mus_coupling bad[3];
#define EXPECT_REFUSED(words, change)                                                                                  \
  do {                                                                                                                 \
    memcpy(bad, good, sizeof bad);                                                                                     \
    change;                                                                                                            \
    expect_status(MUS_BAD_INPUT, words, mus_solver_set_couplings(solver, 3, bad));                                     \
    given_solve(solver, &g, after);                                                                                    \
    assert_memory_equal(before, after, sizeof before);                                                                 \
  } while (0)
  EXPECT_REFUSED("coupling 1 names node 20, but nodes go from 0 to 19", (bad[1].count = 1, bad[1].node = (int[]){20}));
  EXPECT_REFUSED("coupling 2 names node -1", (bad[2].count = 1, bad[2].node = (int[]){-1}));
  EXPECT_REFUSED("coupling 0 has 0 nodes", bad[0].count = 0);
  EXPECT_REFUSED("coupling 0 has 65 nodes: 1 to 64", bad[0].count = 65);
  EXPECT_REFUSED("weight that is not finite", (bad[1].count = 1, bad[1].weight = (double[]){NAN}));
  EXPECT_REFUSED("the block of coupling 2 holds inf", bad[2].block[4] = HUGE_VAL);
  EXPECT_REFUSED("the block of coupling 1 is not symmetric", bad[1].block[1] += 0.1);
  EXPECT_REFUSED("the block of coupling 1 is not positive semi-definite", bad[1].block[0] = -1);
  EXPECT_REFUSED("not positive semi-definite",
                 memcpy(bad[0].block, (double[]){1, 2, 0, 2, 1, 0, 0, 0, 1}, sizeof bad[0].block));
  EXPECT_REFUSED("not positive semi-definite",
                 memcpy(bad[0].block, (double[]){2, -1.5, -1.5, -1.5, 2, -1.5, -1.5, -1.5, 2}, sizeof bad[0].block));
  EXPECT_REFUSED("too strong", (bad[0].count = 1, bad[0].weight = (double[]){1e200}));
  expect_status(MUS_BAD_INPUT, "the number of couplings is -1", mus_solver_set_couplings(solver, -1, good));
  mus_solver_free(solver);
  free(couplings);
  random_system_free(&system);
}

static void couplings_need_a_pattern_and_three_unknowns(void **state) {
  (void)state;
  mus_coupling one = {.count = 1, .node = (int[]){0}, .weight = (double[]){1}};
  mus_solver_options options = mus_preset_solver_options(MUS_PRESET_ROBUST);
  mus_solver *solver = NULL;
  assert_int_equal(mus_solver_create(&options, &solver), MUS_OK);
  expect_status(MUS_BAD_INPUT, "no pattern", mus_solver_set_couplings(solver, 1, &one));
  assert_int_equal(mus_solver_set_pattern(solver, 1, 2, (int[]){0, 1}, (int[]){0}), MUS_OK);
  expect_status(MUS_BAD_INPUT, "3 unknowns per node, not 2", mus_solver_set_couplings(solver, 1, &one));
  assert_int_equal(mus_solver_set_couplings(solver, 0, NULL), MUS_OK);
  mus_solver_free(solver);
}

static void allocation_failures_are_clean(void **state) {
  (void)state;
  random_system system = random_system_create(30, 3, 5);
  given g = given_random(&system);
  pool *couplings = random_couplings(30, 20, 1, 1, 2);
  g.coupling_count = 20, g.coupling = couplings->item;
  expect_clean_failures(&g);
  free(couplings);
  random_system_free(&system);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_method_adds_couplings),
                                     cmocka_unit_test(folded_cloth_is_solved_by_every_method),
                                     cmocka_unit_test(couplings_come_and_go),
                                     cmocka_unit_test(couplings_may_lie_within_the_pattern),
                                     cmocka_unit_test(aggregates_stay),
                                     cmocka_unit_test(threads_change_no_bits),
                                     cmocka_unit_test(bad_couplings_are_named),
                                     cmocka_unit_test(couplings_need_a_pattern_and_three_unknowns),
                                     cmocka_unit_test(allocation_failures_are_clean)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
