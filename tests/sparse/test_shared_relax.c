// Matrices that the coordinates share: their factor, with blocks of all sorts, and iterations on them, against dense
// solutions.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "par/par.h"
#include "par/vector.h"
#include "sparse/assembly.h"
#include "sparse/shared_relax.h"
#include "support/check.h"
#include "support/dense.h"

// Springs of random stiffness between the nodes of a lattice, masses, and blocks at some nodes.
enum { SIDE = 6, ROWS = SIDE * SIDE, N = 3 * ROWS, BLOCKS = 5 };

typedef struct problem {
  mus_arena arena;
  mus_pattern pattern;
  int pair[4 * ROWS];
  double *value;
  mus_shared_block block[BLOCKS];
  mus_shared_matrix a;
} problem;

// `sorts` of blocks: 0 none, 1 multiples of the identity, 2 of rank one.
static void problem_create(int sorts, problem *p) {
  memset(p, 0, sizeof *p);
  int pairs = 0;
  for (int i = 0; i < ROWS; ++i)
    for (int way = 0; way < 2; ++way)
      if (way == 0 ? i % SIDE < SIDE - 1 : i < ROWS - SIDE) {
        p->pair[2 * pairs] = i;
        p->pair[2 * pairs++ + 1] = way == 0 ? i + 1 : i + SIDE;
      }
  mus_tuples tuples = {2, pairs, p->pair, 0, 0};
  assert_ok(mus_pattern_from_tuples(&p->arena, ROWS, 1, &tuples, &p->pattern));
  p->value = mus_arena_alloc_zero(&p->arena, (size_t)mus_pattern_blocks(&p->pattern), sizeof *p->value);
  for (int k = 0; k < pairs; ++k) {
    double w = 20 * (1.1 + mus_random(1, (uint64_t)k));
    int i = p->pair[2 * k], j = p->pair[2 * k + 1];
    p->value[mus_pattern_find(&p->pattern, i, i)] += w;
    p->value[mus_pattern_find(&p->pattern, j, j)] += w;
    p->value[mus_pattern_find(&p->pattern, i, j)] -= w;
    p->value[mus_pattern_find(&p->pattern, j, i)] -= w;
  }
  for (int i = 0; i < ROWS; ++i)
    p->value[mus_pattern_find(&p->pattern, i, i)] += 1;
  for (int n = 0; n < BLOCKS; ++n) {
    p->block[n].node = 7 * n + 1;
    for (int e = 0; e < 9; ++e)
      p->block[n].value[e] =
          sorts == 1 ? 100 * (e % 4 == 0)
                     : 100 * mus_random(3, (uint64_t)(3 * n + e / 3)) * mus_random(3, (uint64_t)(3 * n + e % 3));
  }
  p->a = (mus_shared_matrix){&p->pattern, p->value, sorts > 0 ? BLOCKS : 0, p->block};
}

static double *dense_of(const problem *p) {
  double *full = calloc((size_t)N * N, sizeof *full), unit[N], column[N];
  for (int k = 0; k < N; ++k) {
    memset(unit, 0, sizeof unit);
    unit[k] = 1;
    mus_shared_multiply(&p->a, unit, column);
    memcpy(full + (size_t)N * (size_t)k, column, sizeof column);
  }
  return full;
}

// x . A x / 2 - b . x
static double height(const problem *p, const double *b, const double *x) {
  double y[N];
  mus_shared_multiply(&p->a, x, y);
  return mus_dot(N, x, y) / 2 - mus_dot(N, b, x);
}

static mus_shared_relaxation *relaxation_of(const problem *p) {
  mus_shared_relaxation *r = NULL;
  assert_ok(mus_shared_relaxation_create(&p->pattern, &r));
  assert_ok(mus_shared_relaxation_set(r, &p->a));
  assert_true(mus_shared_relaxation_bytes(r) > 13 * N * sizeof(double) / 3);
  return r;
}

static void all_end_at_the_solution(void **state) {
  (void)state;
  for (int sorts = 0; sorts < 3; ++sorts) {
    problem p;
    problem_create(sorts, &p);
    double b[N], x[N], expected[N], *full = dense_of(&p);
    mus_fill_random(N, 5, b);
    dense_solve(N, full, b, expected);
    mus_shared_factor *factor = NULL;
    assert_ok(mus_shared_factor_create(&p.pattern, &factor));
    assert_ok(mus_shared_factor_compute(factor, &p.a));
    assert_true(mus_shared_factor_work(factor) > 3 * N);
    assert_ok(mus_shared_factor_solve(factor, b, x));
    assert_true(dense_difference(N, x, expected) < 1e-12);
    mus_shared_relaxation *r = relaxation_of(&p);
    mus_shared_gauss_seidel(r, 4000, b, x);
    assert_true(dense_difference(N, x, expected) < 1e-10);
    int taken = mus_shared_pcg(r, 1e-13, 400, b, x);
    assert_in_range(taken, 10, 200);
    assert_true(dense_difference(N, x, expected) < 1e-11);
    assert_int_equal(mus_shared_pcg(r, 1e-13, 7, b, x), 7);
    // Jacobi's iteration, with a factor below two over the largest eigenvalue.
    double factor_of = 1.8 / (1.05 * mus_shared_largest(r, 60)), y[N];
    mus_fill(N, 0, x);
    for (int k = 0; k < 8000; ++k) {
      mus_shared_multiply(&p.a, x, y);
      mus_xpay(N, b, -1, y);
      mus_shared_jacobi(r, factor_of, y, y);
      mus_axpy(N, 1, y, x);
    }
    assert_true(dense_difference(N, x, expected) < 1e-8);
    mus_shared_relaxation_free(r);
    mus_shared_factor_free(factor);
    free(full);
    mus_arena_clear(&p.arena);
  }
}

static void every_sweep_goes_down(void **state) {
  (void)state;
  problem p;
  problem_create(2, &p);
  mus_shared_relaxation *r = relaxation_of(&p);
  double b[N], x[N], before = 0;
  mus_fill_random(N, 5, b);
  for (int sweeps = 1; sweeps < 20; ++sweeps) {
    mus_shared_gauss_seidel(r, sweeps, b, x);
    assert_true(height(&p, b, x) < before && mus_dot(N, b, x) > 0);
    before = height(&p, b, x);
  }
  assert_int_equal(mus_shared_relaxation_colours(r), 2); // a lattice
  mus_shared_relaxation_free(r);
  mus_arena_clear(&p.arena);
}

// Of D^-1/2 A D^-1/2, for a diagonal D.
static void the_largest_eigenvalue(void **state) {
  (void)state;
  problem p;
  problem_create(1, &p);
  mus_shared_relaxation *r = relaxation_of(&p);
  double *full = dense_of(&p), diagonal[N], values[N];
  for (int k = 0; k < N; ++k)
    diagonal[k] = full[(N + 1) * k];
  for (int k = 0; k < N * N; ++k)
    full[k] /= sqrt(diagonal[k / N] * diagonal[k % N]);
  dense_eigenvalues(N, full, values);
  double found = mus_shared_largest(r, 200);
  assert_true(found <= values[N - 1] * (1 + 1e-12) && found > 0.99 * values[N - 1]);
  assert_true(mus_shared_largest(r, 12) > 0.9 * values[N - 1]);
  free(full);
  mus_shared_relaxation_free(r);
  mus_arena_clear(&p.arena);
}

static void what_is_not_definite_is_refused(void **state) {
  (void)state;
  problem p;
  problem_create(2, &p);
  mus_shared_relaxation *r = relaxation_of(&p);
  for (int e = 0; e < 9; e += 4)
    p.block[2].value[e] = -1e3;
  assert_fails(mus_shared_relaxation_set(r, &p.a), MUS_BREAKDOWN, "node 15");
  p.a.count = 0;
  p.value[mus_pattern_find(&p.pattern, 4, 4)] = 0;
  assert_fails(mus_shared_relaxation_set(r, &p.a), MUS_BREAKDOWN, "node 4");
  mus_shared_relaxation_free(r);
  mus_arena_clear(&p.arena);
}

static void failing_allocations(void **state) {
  (void)state;
  problem p;
  problem_create(0, &p);
  for (int n = 1;; ++n) {
    mus_shared_relaxation *r = NULL;
    mus_memory_fail_after(n);
    mus_status status = mus_shared_relaxation_create(&p.pattern, &r);
    mus_memory_fail_after(0);
    mus_shared_relaxation_free(r);
    if (!status) {
      assert_true(n > 3);
      break;
    }
    assert_int_equal(status, MUS_OUT_OF_MEMORY);
  }
  mus_arena_clear(&p.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_end_at_the_solution), cmocka_unit_test(every_sweep_goes_down),
                                     cmocka_unit_test(the_largest_eigenvalue),
                                     cmocka_unit_test(what_is_not_definite_is_refused),
                                     cmocka_unit_test(failing_allocations)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
