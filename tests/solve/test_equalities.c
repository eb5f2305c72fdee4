// Equalities across nodes in the public solver: every method against a dense null-space solve, with constraints of
// single nodes and couplings, dependent and contradicting ones, the same bits on any number of threads.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "support/given.h"

// One to four random nodes, at times one of them twice. Of every five the last repeats the sum of two before it, so
// that it depends on them and agrees.
static void random_equalities(int rows, int block, int count, uint64_t seed, mus_equality *out) {
  for (int k = 0; k < count; ++k) {
    uint64_t key = 1000 * seed + (uint64_t)k;
    mus_equality e = {.count = 1 + (int)(mus_random_bits(key, 0) % 4), .value = mus_random(key, 30)};
    double size = exp(3 * mus_random(key, 31));
    for (int i = 0; i < e.count; ++i) {
      e.node[i] = (int)(mus_random_bits(key, 1 + (uint64_t)i) % (uint64_t)rows);
      for (int c = 0; c < block; ++c)
        e.direction[i][c] = size * mus_random(key, 10 + (uint64_t)(3 * i + c));
    }
    if (k % 5 == 4 && out[k - 1].count + out[k - 3].count <= 4) {
      e = out[k - 1];
      e.value += out[k - 3].value;
      for (int i = 0; i < out[k - 3].count; ++i, ++e.count) {
        e.node[e.count] = out[k - 3].node[i];
        memcpy(e.direction[e.count], out[k - 3].direction[i], sizeof e.direction[0]);
      }
    }
    out[k] = e;
  }
}

// Values that constraints and equalities agree on: those of one random vector.
static void agree(const given *g, mus_constraint *constraint, int count, mus_equality *equality) {
  for (int k = 0; k < g->count; ++k)
    for (int m = 0; m < constraint[k].count; ++m) {
      constraint[k].value[m] = 0;
      for (int c = 0; c < g->block; ++c)
        constraint[k].value[m] +=
            constraint[k].direction[m][c] * mus_random(77, (uint64_t)(constraint[k].node * g->block + c));
    }
  for (int k = 0; k < count; ++k) {
    equality[k].value = 0;
    for (int i = 0; i < equality[k].count; ++i)
      for (int c = 0; c < g->block; ++c)
        equality[k].value +=
            equality[k].direction[i][c] * mus_random(77, (uint64_t)(equality[k].node[i] * g->block + c));
  }
}

// --- the right solution ---------------------------------------------------------------------------------------------

static void every_method_agrees_with_the_null_space(void **state) {
  (void)state;
  enum { ROWS = 40, COUNT = 15 };
  for (int block = 1; block <= 3; ++block)
    for (uint64_t seed = 1; seed <= 6; ++seed) {
      random_system system = random_system_create(ROWS, block, seed);
      mus_equality equality[COUNT];
      given g = given_random(&system);
      random_equalities(ROWS, block, COUNT, seed, equality);
      agree(&g, NULL, COUNT, equality); // two may name the same single node
      g.equality_count = COUNT, g.equality = equality;
      double *reference = given_reference(&g);
      FOR_EACH_METHOD(method)
      for (int stop = 0; stop < 2; ++stop) {
        mus_solver_options options = given_options(method, 1e-13);
        options.stop = (mus_stop)stop;
        options.precision = (mus_precision)stop;
        options.prefilter = (int)(seed % 2);
        mus_solver *solver = given_solver(&g, &options);
        expect_solution(solver, &g, reference, 1e-10);
        assert_true(mus_solver_record(solver)->true_residual < 1e-10);
        mus_solver_free(solver);
      }
      free(reference);
      random_system_free(&system);
    }
}

// With constraints on half of the nodes many equalities keep but a part of their nodes, or nothing.
static void constraints_and_couplings_hold_too(void **state) {
  (void)state;
  enum { ROWS = 40, COUNT = 15, COUPLINGS = 10 };
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    random_system system = random_system_create(ROWS, 3, seed);
    mus_constraint constraint[ROWS];
    mus_equality equality[COUNT];
    mus_coupling coupling[COUPLINGS];
    const double apart[] = {1, -1};
    int ends[COUPLINGS][2];
    given g = given_random(&system);
    g.count = random_constraints(ROWS, 3, seed + 50, constraint);
    g.constraint = constraint;
    random_equalities(ROWS, 3, COUNT, seed, equality);
    agree(&g, constraint, COUNT, equality);
    for (int k = 0; k < COUPLINGS; ++k) {
      ends[k][0] = k, ends[k][1] = ROWS - 1 - 2 * k;
      coupling[k] =
          (mus_coupling){.count = 2, .node = ends[k], .weight = apart, .block = {1, 0.5, 0, 0.5, 1, 0, 0, 0, 10}};
    }
    g.equality_count = COUNT, g.equality = equality;
    g.coupling_count = seed % 2 ? COUPLINGS : 0, g.coupling = coupling;
    double *reference = given_reference(&g);
    FOR_EACH_METHOD(method)
    for (int order = 0; order < 2; ++order) {
      given bare = g;
      bare.count = order ? g.count : 0;
      bare.coupling_count = 0;
      mus_solver_options options = given_options(method, 1e-13);
      mus_solver *solver = given_solver(&bare, &options);
      if (!order) // constraints after equalities, and once more after a solve without couplings
        assert_int_equal(mus_solver_set_constraints(solver, g.count, constraint), MUS_OK);
      double x[3 * ROWS] = {0};
      assert_int_equal(mus_solver_solve(solver, g.b, x), MUS_OK);
      assert_int_equal(mus_solver_set_couplings(solver, g.coupling_count, coupling), MUS_OK);
      assert_int_equal(mus_solver_set_constraints(solver, g.count, constraint), MUS_OK);
      expect_solution(solver, &g, reference, 1e-9);
      mus_solver_free(solver);
    }
    free(reference);
    random_system_free(&system);
  }
}

// Triangles of a sheet against points, and edges against edges, most of which share nodes with others.
static int contacts(const sheet_system *sheet, int every, mus_equality *out) {
  int count = 0;
  for (int t = 0; t < sheet->tuples[0].count; t += every) {
    const int *corner = sheet->tuples[0].index + 3 * t;
    double a = 0.1 + 0.3 * fabs(mus_random(5, (uint64_t)t)), b = 0.1 + 0.3 * fabs(mus_random(6, (uint64_t)t));
    mus_equality e = {.count = t % 2 ? 2 : 3, .value = 1e-3 * mus_random(7, (uint64_t)t)};
    memcpy(e.node, corner, 3 * sizeof *corner);
    e.direction[0][1] = t % 2 ? a : 1 - a - b;
    e.direction[1][1] = t % 2 ? 1 - a : a;
    e.direction[2][1] = b;
    for (int i = 0; i < 3; ++i)
      e.direction[i][0] = 0.1 * e.direction[i][1] * mus_random(8, (uint64_t)t);
    out[count++] = e;
  }
  return count;
}

static void cloth_in_contact_is_solved_by_every_method(void **state) {
  (void)state;
  sheet_system sheet = given_cloth(10);
  given g = given_sheet(&sheet);
  mus_equality *equality = malloc((size_t)sheet.tuples[0].count * sizeof *equality);
  assert_non_null(equality);
  g.equality_count = contacts(&sheet, 4, equality), g.equality = equality;
  expect_solution_by_every_method(&g, 1e-9);
  free(equality);
  sheet_system_free(&sheet);
}

// Every guess leads to a solution that holds the equalities to the last digits, even where the matrix is not solved
// well.
static void equalities_hold_to_rounding(void **state) {
  (void)state;
  enum { ROWS = 60, COUNT = 30 };
  random_system system = random_system_create(ROWS, 3, 5);
  given g = given_random(&system);
  mus_equality equality[COUNT];
  random_equalities(ROWS, 3, COUNT, 5, equality);
  g.equality_count = COUNT, g.equality = equality;
  double x[3 * ROWS];
  FOR_EACH_METHOD(method) {
    mus_solver_options options = given_options(method, 1e-2);
    mus_solver *solver = given_solver(&g, &options);
    for (int i = 0; i < 3 * ROWS; ++i)
      x[i] = 100 * mus_random(4, (uint64_t)i);
    assert_int_equal(mus_solver_solve(solver, g.b, x), MUS_OK);
    for (int k = 0; k < COUNT; ++k) {
      double left = -equality[k].value, size = fabs(equality[k].value);
      for (int i = 0; i < equality[k].count; ++i)
        for (int c = 0; c < 3; ++c) {
          left += equality[k].direction[i][c] * x[3 * equality[k].node[i] + c];
          size += fabs(equality[k].direction[i][c] * x[3 * equality[k].node[i] + c]);
        }
      assert_true(fabs(left) < 1e-11 * size);
    }
    mus_solver_free(solver);
  }
  random_system_free(&system);
}

// --- coming and going -----------------------------------------------------------------------------------------------

static void no_equalities_restore_the_solver(void **state) {
  (void)state;
  enum { ROWS = 30, COUNT = 10 };
  random_system system = random_system_create(ROWS, 3, 3);
  given g = given_random(&system);
  mus_equality equality[COUNT];
  random_equalities(ROWS, 3, COUNT, 4, equality);
  given held = g;
  held.equality_count = COUNT, held.equality = equality;
  double *reference = given_reference(&held);
  FOR_EACH_METHOD(method) {
    if (method == MUS_METHOD_AUTO)
      continue;
    mus_solver_options options = given_options(method, 1e-13);
    mus_solver *solver = given_solver(&g, &options);
    double before[3 * ROWS], after[3 * ROWS];
    given_solve(solver, &g, before);
    assert_int_equal(mus_solver_set_equalities(solver, COUNT, equality), MUS_OK);
    expect_solution(solver, &held, reference, 1e-10);
    assert_int_equal(mus_solver_set_equalities(solver, 0, NULL), MUS_OK);
    given_solve(solver, &g, after);
    assert_memory_equal(before, after, sizeof before);
    mus_solver_free(solver);
  }
  free(reference);
  random_system_free(&system);
}

static void threads_change_no_bits(void **state) {
  (void)state;
  sheet_system sheet = given_cloth(24);
  given g = given_sheet(&sheet);
  mus_equality *equality = malloc((size_t)sheet.tuples[0].count * sizeof *equality);
  assert_non_null(equality);
  g.equality_count = contacts(&sheet, 3, equality), g.equality = equality;
  expect_same_bits(&g, 1e-6);
  free(equality);
  sheet_system_free(&sheet);
}

// --- refusals -------------------------------------------------------------------------------------------------------

static void bad_equalities_are_named(void **state) {
  (void)state;
  random_system system = random_system_create(20, 3, 5);
  given g = given_random(&system);
  mus_solver_options options = given_options(MUS_METHOD_SA, 1e-12);
  mus_solver *solver = given_solver(&g, &options);
  mus_equality good[3] = {{2, {1, 2}, {{1, 0, 0}, {-1, 0, 0}}, 0.5},
                          {2, {2, 3}, {{1, 0, 0}, {-1, 0, 0}}, 0.25},
                          {4, {9, 10, 11, 12}, {{0, 1, 0}, {0, -0.5, 0}, {0, -0.3, 0}, {0, -0.2, 0}}, 0}};
  assert_int_equal(mus_solver_set_equalities(solver, 3, good), MUS_OK);
  double before[60], after[60];
  given_solve(solver, &g, before);
  mus_equality bad[3];
#define EXPECT_REFUSED(words, change)                                                                                  \
  do {                                                                                                                 \
    memcpy(bad, good, sizeof bad);                                                                                     \
    change;                                                                                                            \
    expect_status(MUS_BAD_INPUT, words, mus_solver_set_equalities(solver, 3, bad));                                    \
    given_solve(solver, &g, after);                                                                                    \
    assert_memory_equal(before, after, sizeof before);                                                                 \
  } while (0)
  EXPECT_REFUSED("equality 1 names node 20, but nodes go from 0 to 19", bad[1].node[1] = 20);
  EXPECT_REFUSED("equality 2 names node -1", bad[2].node[3] = -1);
  EXPECT_REFUSED("equality 0 has 0 nodes", bad[0].count = 0);
  EXPECT_REFUSED("equality 0 has 5 nodes", bad[0].count = 5);
  EXPECT_REFUSED("equality 1 gives node 3 a direction that is not finite", bad[1].direction[1][2] = NAN);
  EXPECT_REFUSED("equality 1 prescribes a value that is not finite", bad[1].value = HUGE_VAL);
  EXPECT_REFUSED("equality 0 has no direction", memset(bad[0].direction, 0, sizeof bad[0].direction));
  EXPECT_REFUSED("contradicts others", bad[2] = ((mus_equality){2, {1, 3}, {{2, 0, 0}, {-2, 0, 0}}, 1.6}));
  bad[0] = good[0], bad[1] = good[1], bad[2] = (mus_equality){2, {1, 3}, {{2, 0, 0}, {-2, 0, 0}}, 1.5};
  assert_int_equal(mus_solver_set_equalities(solver, 3, bad), MUS_OK); // follows from the other two
  expect_status(MUS_BAD_INPUT, "the number of equalities is -1", mus_solver_set_equalities(solver, -1, good));
  mus_solver_free(solver);
  random_system_free(&system);
}

// Constraints that come after equalities may contradict them: the solve says so, and new equalities mend it.
static void contradicting_constraints_are_found(void **state) {
  (void)state;
  random_system system = random_system_create(20, 3, 5);
  given g = given_random(&system);
  mus_solver_options options = given_options(MUS_METHOD_SA, 1e-12);
  mus_solver *solver = given_solver(&g, &options);
  mus_equality e = {2, {1, 2}, {{1, 0, 0}, {-1, 0, 0}}, 0.5};
  mus_constraint held[2] = {{.node = 1, .count = 1, .direction = {{1, 0, 0}}, .value = {1}},
                            {.node = 2, .count = 1, .direction = {{1, 0, 0}}, .value = {0}}};
  double x[60] = {0};
  assert_int_equal(mus_solver_set_equalities(solver, 1, &e), MUS_OK);
  assert_int_equal(mus_solver_set_constraints(solver, 2, held), MUS_OK);
  expect_status(MUS_BAD_INPUT, "equality 0 contradicts the constraints", mus_solver_solve(solver, g.b, x));
  expect_status(MUS_BAD_INPUT, "equality 0 contradicts the constraints", mus_solver_set_equalities(solver, 1, &e));
  e.value = 1;
  assert_int_equal(mus_solver_set_equalities(solver, 1, &e), MUS_OK);
  assert_int_equal(mus_solver_solve(solver, g.b, x), MUS_OK);
  assert_true(fabs(x[3] - 1) < 1e-14 && fabs(x[6]) < 1e-14);
  mus_solver_free(solver);
  random_system_free(&system);
}

static void equalities_need_a_pattern_and_few_unknowns(void **state) {
  (void)state;
  mus_equality one = {1, {0}, {{1}}, 0};
  mus_solver_options options = mus_preset_solver_options(MUS_PRESET_ROBUST);
  mus_solver *solver = NULL;
  assert_int_equal(mus_solver_create(&options, &solver), MUS_OK);
  expect_status(MUS_BAD_INPUT, "no pattern", mus_solver_set_equalities(solver, 1, &one));
  assert_int_equal(mus_solver_set_pattern(solver, 1, 4, (int[]){0, 1}, (int[]){0}), MUS_OK);
  expect_status(MUS_BAD_INPUT, "1 to 3 unknowns per node, not 4", mus_solver_set_equalities(solver, 1, &one));
  assert_int_equal(mus_solver_set_equalities(solver, 0, NULL), MUS_OK);
  mus_solver_free(solver);
}

static void allocation_failures_are_clean(void **state) {
  (void)state;
  random_system system = random_system_create(30, 3, 5);
  given g = given_random(&system);
  mus_equality equality[10];
  random_equalities(30, 3, 10, 2, equality);
  g.equality_count = 10, g.equality = equality;
  expect_clean_failures(&g);
  random_system_free(&system);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_method_agrees_with_the_null_space),
                                     cmocka_unit_test(constraints_and_couplings_hold_too),
                                     cmocka_unit_test(cloth_in_contact_is_solved_by_every_method),
                                     cmocka_unit_test(equalities_hold_to_rounding),
                                     cmocka_unit_test(no_equalities_restore_the_solver),
                                     cmocka_unit_test(threads_change_no_bits),
                                     cmocka_unit_test(bad_equalities_are_named),
                                     cmocka_unit_test(contradicting_constraints_are_found),
                                     cmocka_unit_test(equalities_need_a_pattern_and_few_unknowns),
                                     cmocka_unit_test(allocation_failures_are_clean)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
