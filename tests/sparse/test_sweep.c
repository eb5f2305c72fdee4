// Sweeps of Gauss-Seidel by colours against the same by hand: every instruction set of this machine, both precisions,
// block sizes with kernels of their own and without, with and without nodes that the caller relaxes.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "par/par.h"
#include "sparse/sweep.h"
#include "support/patterns.h"

enum { ROWS = 151, NEIGHBOURS = 4, LAST = 3 };
static const int last[LAST] = {0, 70, 150};

typedef struct problem {
  mus_arena arena;
  mus_pattern pattern;
  mus_matrix a;
  mus_matrix_f a_f;
  size_t n;
  double *inverse, *b;
  float *inverse_f, *b_f;
} problem;

// Node i is joined to i +- 1, +- 5, +- 25 ..., around the ends.
static void join(problem *p) {
  static const int distance[NEIGHBOURS] = {1, 5, 25, 60};
  p->pattern = (mus_pattern){ROWS, ROWS, mus_arena_alloc(&p->arena, ROWS + 1, sizeof(int)),
                             mus_arena_alloc(&p->arena, ROWS * (2 * NEIGHBOURS + 1), sizeof(int))};
  int at = 0;
  for (int i = 0; i < ROWS; ++i) {
    p->pattern.row_start[i] = at;
    for (int j = 0; j < ROWS; ++j) {
      int joined = i == j;
      for (int k = 0; k < NEIGHBOURS; ++k)
        joined |= (i + distance[k]) % ROWS == j || (j + distance[k]) % ROWS == i;
      if (joined)
        p->pattern.column[at++] = j;
    }
  }
  p->pattern.row_start[ROWS] = at;
}

static problem make(int block) {
  problem p = {.n = (size_t)ROWS * (size_t)block};
  join(&p);
  p.a = random_matrix(&p.arena, &p.pattern, block, block, 1);
  p.b = random_vector(&p.arena, p.n, 2);
  p.inverse = random_vector(&p.arena, p.n * (size_t)block, 3);
  for (size_t i = 0; i < ROWS; ++i) // symmetric, and small, so that values stay of size 1
    for (int r = 0; r < block; ++r)
      for (int c = 0; c <= r; ++c)
        p.inverse[(i * (size_t)block + (size_t)r) * (size_t)block + (size_t)c] =
            p.inverse[(i * (size_t)block + (size_t)c) * (size_t)block + (size_t)r] *= 0.02;
  assert_int_equal(mus_matrix_create_f(&p.arena, &p.pattern, block, block, &p.a_f), MUS_OK);
  mus_matrix_round(&p.a, &p.a_f);
  p.b_f = mus_arena_alloc(&p.arena, p.n, sizeof(float));
  p.inverse_f = mus_arena_alloc(&p.arena, p.n * (size_t)block, sizeof(float));
  for (size_t i = 0; i < p.n; ++i)
    p.b_f[i] = (float)p.b[i];
  for (size_t i = 0; i < p.n * (size_t)block; ++i)
    p.inverse_f[i] = (float)p.inverse[i];
  return p;
}

// x_i <- D_i^-1 (b_i - sum over j != i of A_ij x_j)
static void relax(const problem *p, int i, double *x) {
  int block = p->a.row_block;
  double residual[MUS_BLOCK_MAXIMUM];
  for (int r = 0; r < block; ++r)
    residual[r] = p->b[i * block + r];
  for (int k = p->pattern.row_start[i]; k < p->pattern.row_start[i + 1]; ++k)
    for (int r = 0; r < block && p->pattern.column[k] != i; ++r)
      for (int c = 0; c < block; ++c)
        residual[r] -= p->a.value[(k * block + r) * block + c] * x[p->pattern.column[k] * block + c];
  for (int r = 0; r < block; ++r) {
    x[i * block + r] = 0;
    for (int c = 0; c < block; ++c)
      x[i * block + r] += p->inverse[(i * block + r) * block + c] * residual[c];
  }
}

// Two sweeps in the order of the plan.
static void sweep_by_hand(const problem *p, const mus_sweep_plan *plan, double *x) {
  for (int half = 0; half < 4; ++half)
    for (int c = 0; c < plan->colours; ++c) {
      int colour = half % 2 == 0 ? c : plan->colours - 1 - c;
      for (int k = plan->start[colour]; k < plan->start[colour + 1]; ++k)
        relax(p, plan->node[k], x);
    }
}

static void expect_near(size_t n, const double *x, const double *y, double tolerance) {
  double largest = 0, difference = 0;
  for (size_t i = 0; i < n; ++i) {
    largest = fmax(largest, fabs(y[i]));
    difference = fmax(difference, fabs(x[i] - y[i]));
  }
  assert_true(largest > 1e-3 && difference <= tolerance * largest);
}

static void check(const problem *p, const mus_sweep_plan *plan) {
  size_t n = p->n;
  double *x = mus_alloc(2 * n, sizeof *x), *hand = x + n;
  float *x_f = mus_alloc(n, sizeof *x_f);
  mus_arena arena = {0};
  mus_sweep sweep;
  mus_sweep_f sweep_f;
  assert_int_equal(mus_sweep_create(&arena, plan, p->a.row_block, &sweep), MUS_OK);
  assert_int_equal(mus_sweep_create_f(&arena, plan, p->a.row_block, &sweep_f), MUS_OK);
  mus_sweep_fill(&p->a, p->inverse, &sweep);
  mus_sweep_fill_f(&p->a_f, p->inverse_f, &sweep_f);
  for (size_t i = 0; i < n; ++i)
    x[i] = hand[i] = x_f[i] = (float)mus_random(7, i);
  mus_sweep_start(&sweep, p->b, x, NULL);
  mus_sweep_start_f(&sweep_f, p->b_f, x_f, NULL);
  for (int k = 0; k < 2; ++k) {
    mus_sweep_forward(&sweep, x, NULL);
    mus_sweep_backward(&sweep, x, NULL);
    mus_sweep_forward_f(&sweep_f, x_f, NULL);
    mus_sweep_backward_f(&sweep_f, x_f, NULL);
  }
  sweep_by_hand(p, plan, hand);
  expect_near(n, x, hand, 1e-13);
  for (size_t i = 0; i < n; ++i)
    x[i] = (double)x_f[i];
  expect_near(n, x, hand, 1e-5);
  mus_arena_clear(&arena);
  mus_free(x), mus_free(x_f);
}

static void sweeps_are_those_by_hand(void **state) {
  (void)state;
  mus_instructions before = mus_instructions_current();
  for (int block = 1; block <= MUS_BLOCK_MAXIMUM; ++block) {
    problem p = make(block);
    for (int count = 0; count <= LAST; count += LAST) {
      mus_sweep_plan plan;
      assert_int_equal(mus_sweep_plan_create(&p.arena, &p.pattern, count, last, &plan), MUS_OK);
      assert_int_equal(plan.start[plan.colours], ROWS - count);
      assert_int_equal(plan.lower.row_start[ROWS - count] + plan.upper.row_start[ROWS - count],
                       (ROWS - count) * 2 * NEIGHBOURS);
      for (int set = 0; set < MUS_INSTRUCTION_SETS; ++set)
        if (mus_instructions_available((mus_instructions)set)) {
          assert_int_equal(mus_instructions_use((mus_instructions)set), MUS_OK);
          check(&p, &plan);
        }
    }
    mus_arena_clear(&p.arena);
  }
  assert_int_equal(mus_instructions_use(before), MUS_OK);
}

static void failing_allocations_are_reported(void **state) {
  (void)state;
  problem p = make(3);
  for (int failing = 0;; ++failing) {
    mus_arena arena = {0};
    mus_sweep_plan plan;
    mus_sweep sweep;
    mus_memory_fail_after(failing);
    mus_status status = mus_sweep_plan_create(&arena, &p.pattern, LAST, last, &plan);
    if (!status)
      status = mus_sweep_create(&arena, &plan, 3, &sweep);
    mus_memory_fail_after(-1);
    mus_arena_clear(&arena);
    if (!status)
      break;
    assert_int_equal(status, MUS_OUT_OF_MEMORY);
    assert_true(failing < 100);
  }
  mus_arena_clear(&p.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sweeps_are_those_by_hand),
                                     cmocka_unit_test(failing_allocations_are_reported)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
