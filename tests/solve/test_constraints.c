// Constraints to filter: orthonormal directions, values carried along, what is dropped and what is refused.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "solve/constraints.h"
#include "support/dense.h"

static mus_arena arena;

static int clear_arena(void **state) {
  (void)state;
  mus_memory_fail_after(-1);
  mus_arena_clear(&arena);
  return 0;
}

static double dot(int block, const double *a, const double *b) {
  double sum = 0;
  for (int k = 0; k < block; ++k)
    sum += a[k] * b[k];
  return sum;
}

// S symmetric to the last bit, idempotent, of trace block - rank.
static void check_projection(int block, int rank, const double *s) {
  double trace = 0;
  for (int k = 0; k < block; ++k) {
    trace += s[k * block + k];
    for (int l = 0; l < block; ++l) {
      double square = 0;
      for (int m = 0; m < block; ++m)
        square += s[k * block + m] * s[m * block + l];
      assert_true(s[k * block + l] == s[l * block + k]);
      assert_true(fabs(square - s[k * block + l]) < 1e-14);
    }
  }
  assert_true(fabs(trace - (block - rank)) < 1e-14);
}

// Every given equation must hold for the target, and be taken away by S.
static void check_equations(int block, const mus_constraint *constraint, const double *s, const double *target) {
  for (int k = 0; k < constraint->count; ++k) {
    const double *direction = constraint->direction[k];
    double length = sqrt(dot(block, direction, direction)), size = sqrt(dot(block, target, target));
    assert_true(fabs(dot(block, direction, target) - constraint->value[k]) <= 1e-13 * length * (size + 1));
    for (int l = 0; l < block; ++l)
      assert_true(fabs(dot(block, s + l * block, direction)) <= 1e-13 * length);
  }
  for (int l = 0; l < block; ++l)
    assert_true(fabs(dot(block, s + l * block, target)) <= 1e-12 * (fabs(target[l]) + 1));
}

static void random_sets_hold(void **state) {
  (void)state;
  enum { ROWS = 40 };
  int seen[4] = {0, 0, 0, 0};
  for (int block = 1; block <= 3; ++block)
    for (uint64_t seed = 0; seed < 50; ++seed) {
      mus_constraint constraint[ROWS];
      mus_filter filter;
      int count = random_constraints(ROWS, block, seed, constraint), kept = 0;
      assert_int_equal(mus_constraints_filter(&arena, ROWS, block, count, constraint, &filter), MUS_OK);
      assert_int_equal(filter.rows, ROWS);
      assert_int_equal(filter.block, block);
      for (int i = 0; i < count; ++i) {
        int k = filter.index_of[constraint[i].node];
        ++seen[constraint[i].count];
        if (constraint[i].count == 0) {
          assert_int_equal(k, -1);
          continue;
        }
        ++kept;
        assert_int_equal(filter.node[k], constraint[i].node);
        assert_int_equal(filter.rank[k], constraint[i].count);
        check_projection(block, filter.rank[k], filter.projection + k * block * block);
        check_equations(block, &constraint[i], filter.projection + k * block * block, filter.target + k * block);
      }
      assert_int_equal(filter.count, kept);
      for (int k = 1; k < filter.count; ++k)
        assert_true(filter.node[k - 1] < filter.node[k]);
      mus_arena_clear(&arena);
    }
  for (int rank = 0; rank <= 3; ++rank)
    assert_true(seen[rank] > 100);
}

static void axes_are_exact(void **state) {
  (void)state;
  mus_constraint held = {
      .node = 4, .count = 3, .direction = {{0, 2, 0}, {1, 0, 0}, {0, 0, -1}}, .value = {3, 0.1, 0.7}};
  mus_filter filter;
  assert_int_equal(mus_constraints_filter(&arena, 5, 3, 1, &held, &filter), MUS_OK);
  assert_int_equal(filter.rank[0], 3);
  for (int k = 0; k < 9; ++k)
    assert_true(filter.projection[k] == 0);
  assert_true(filter.target[0] == 0.1 && filter.target[1] == 1.5 && filter.target[2] == -0.7);
}

static void nothing_constrained(void **state) {
  (void)state;
  mus_constraint nothing = {.node = 1};
  mus_filter filter;
  assert_int_equal(mus_constraints_filter(&arena, 3, 3, 0, NULL, &filter), MUS_OK);
  assert_int_equal(filter.count, 0);
  assert_int_equal(mus_constraints_filter(&arena, 3, 3, 1, &nothing, &filter), MUS_OK);
  assert_int_equal(filter.count, 0);
  assert_int_equal(filter.index_of[1], -1);
  assert_int_equal(mus_constraints_filter(&arena, 3, 12, 0, NULL, &filter), MUS_OK); // any block without constraints
}

static void dependent_ones_that_agree_are_dropped(void **state) {
  (void)state;
  // The third is the sum of the first two; the fourth case differs from a copy by what single precision rounds away.
  mus_constraint sum = {.node = 0, .count = 3, .direction = {{1, 0, 0}, {0, 2, 0}, {1, 2, 0}}, .value = {3, 4, 7}};
  mus_constraint twin = {
      .node = 0, .count = 2, .direction = {{0.6, 0.8, 0}, {-0.6000001, -0.8, 0}}, .value = {1, -1.0000001}};
  mus_filter filter;
  assert_int_equal(mus_constraints_filter(&arena, 1, 3, 1, &sum, &filter), MUS_OK);
  assert_int_equal(filter.rank[0], 2);
  check_equations(3, &sum, filter.projection, filter.target);
  assert_int_equal(mus_constraints_filter(&arena, 1, 3, 1, &twin, &filter), MUS_OK);
  assert_int_equal(filter.rank[0], 1);
  assert_true(fabs(filter.target[0] - 0.6) < 1e-15 && fabs(filter.target[1] - 0.8) < 1e-15);
}

// Nearly parallel, yet two directions: Gram-Schmidt without a second pass would leave them far from orthogonal.
static void nearly_parallel_directions_stay_orthogonal(void **state) {
  (void)state;
  double e = 1e-5;
  mus_constraint near = {
      .node = 0, .count = 3, .direction = {{1, 1, 1}, {1, 1, 1 + e}, {1, 1 + e, 1}}, .value = {1, 1, 1}};
  mus_constraint flat = {.node = 0, .count = 2, .direction = {{1, 1, 1}, {1, 1, 1 + e}}, .value = {1, 1}};
  mus_filter filter;
  assert_int_equal(mus_constraints_filter(&arena, 1, 3, 1, &near, &filter), MUS_OK);
  assert_int_equal(filter.rank[0], 3);
  assert_int_equal(mus_constraints_filter(&arena, 1, 3, 1, &flat, &filter), MUS_OK);
  assert_int_equal(filter.rank[0], 2);
  check_projection(3, 2, filter.projection);
  for (int k = 0; k < 2; ++k)
    assert_true(fabs(dot(3, flat.direction[k], filter.target) - 1) < 1e-10);
}

static void any_length_of_direction(void **state) {
  (void)state;
  double length[] = {1e-200, 1e-3, 1, 1e200};
  for (int i = 0; i < 4; ++i) {
    double l = length[i];
    mus_constraint scaled = {.node = 0, .count = 1, .direction = {{3 * l, 4 * l, 0}}, .value = {10 * l}};
    mus_filter filter;
    assert_int_equal(mus_constraints_filter(&arena, 1, 3, 1, &scaled, &filter), MUS_OK);
    assert_true(fabs(filter.target[0] - 1.2) < 1e-14 && fabs(filter.target[1] - 1.6) < 1e-14);
  }
}

static void expect_refusal(int rows, int block, int count, const mus_constraint *constraints, const char *text) {
  mus_filter filter = {.rows = -5};
  size_t before = arena.bytes;
  assert_int_equal(mus_constraints_filter(&arena, rows, block, count, constraints, &filter), MUS_BAD_INPUT);
  if (!strstr(mus_last_error(), text))
    fail_msg("\"%s\" does not say \"%s\"", mus_last_error(), text);
  assert_int_equal(filter.rows, -5);
  assert_int_equal(arena.bytes, before);
}

static void bad_ones_are_refused(void **state) {
  (void)state;
  mus_constraint x = {.node = 7, .count = 1, .direction = {{1, 0, 0}}, .value = {1}};
  mus_constraint bad = x;
  bad.node = 10;
  expect_refusal(10, 3, 1, &bad, "node 10");
  bad.node = -1;
  expect_refusal(10, 3, 1, &bad, "node -1");
  bad = x;
  bad.count = 4;
  expect_refusal(10, 3, 1, &bad, "node 7");
  bad.count = -1;
  expect_refusal(10, 3, 1, &bad, "node 7");
  bad = x;
  bad.count = 2;
  expect_refusal(10, 1, 1, &bad, "node 7");
  expect_refusal(10, 6, 1, &x, "1 to 3");
  expect_refusal(10, 3, -1, &x, "-1");
  expect_refusal(10, 3, 2, (mus_constraint[]){x, x}, "node 7 has two");
  bad = x;
  bad.direction[0][0] = 0;
  expect_refusal(10, 3, 1, &bad, "node 7");
  bad.direction[0][1] = NAN;
  expect_refusal(10, 3, 1, &bad, "node 7");
  bad.direction[0][1] = INFINITY;
  expect_refusal(10, 3, 1, &bad, "node 7");
  bad = x;
  bad.value[0] = NAN;
  expect_refusal(10, 3, 1, &bad, "node 7");
  bad.value[0] = INFINITY;
  expect_refusal(10, 3, 1, &bad, "node 7");
  bad.value[0] = 1e300;
  bad.direction[0][0] = 1e-300; // the value a unit length overflows
  expect_refusal(10, 3, 1, &bad, "node 7");
}

static void contradictions_are_refused(void **state) {
  (void)state;
  mus_constraint twice = {.node = 2, .count = 2, .direction = {{1, 0, 0}, {-2, 0, 0}}, .value = {1, 2}};
  expect_refusal(3, 3, 1, &twice, "node 2 contradicts");
  mus_constraint plane = {
      .node = 2, .count = 3, .direction = {{1, 1, 0}, {1, -1, 0}, {1, 0, 0}}, .value = {0, 0, 1e-9}};
  expect_refusal(3, 3, 1, &plane, "node 2 contradicts");
  twice.value[1] = -2;
  mus_filter filter;
  assert_int_equal(mus_constraints_filter(&arena, 3, 3, 1, &twice, &filter), MUS_OK);
}

// Only the first `block` numbers of a direction count.
static void unused_numbers_are_not_read(void **state) {
  (void)state;
  mus_constraint constraint = {.node = 0, .count = 1, .direction = {{2, NAN, NAN}}, .value = {3}};
  mus_filter filter;
  assert_int_equal(mus_constraints_filter(&arena, 1, 1, 1, &constraint, &filter), MUS_OK);
  assert_true(filter.target[0] == 1.5);
}

static void allocation_failures_are_clean(void **state) {
  (void)state;
  mus_constraint x = {.node = 7, .count = 1, .direction = {{1, 0, 0}}, .value = {1}};
  mus_filter filter;
  int failures = 0;
  for (;; ++failures) {
    mus_memory_fail_after(failures);
    mus_status status = mus_constraints_filter(&arena, 10, 3, 1, &x, &filter);
    mus_memory_fail_after(-1);
    if (status == MUS_OK)
      break;
    assert_int_equal(status, MUS_OUT_OF_MEMORY);
    assert_int_equal(arena.bytes, 0);
  }
  assert_true(failures > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(random_sets_hold, clear_arena),
      cmocka_unit_test_teardown(axes_are_exact, clear_arena),
      cmocka_unit_test_teardown(nothing_constrained, clear_arena),
      cmocka_unit_test_teardown(dependent_ones_that_agree_are_dropped, clear_arena),
      cmocka_unit_test_teardown(nearly_parallel_directions_stay_orthogonal, clear_arena),
      cmocka_unit_test_teardown(any_length_of_direction, clear_arena),
      cmocka_unit_test_teardown(bad_ones_are_refused, clear_arena),
      cmocka_unit_test_teardown(contradictions_are_refused, clear_arena),
      cmocka_unit_test_teardown(unused_numbers_are_not_read, clear_arena),
      cmocka_unit_test_teardown(allocation_failures_are_clean, clear_arena),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
