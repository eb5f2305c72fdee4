// Local QR and the tentative prolongator: K = Q R and Q^T Q = I for every rank, and nothing that is not a number.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "multigrid/aggregation/tentative.h"
#include "par/par.h"
#include "support/algebra.h"
#include "support/problem.h"

enum { COLUMNS = 12 };

// --- one aggregate ------------------------------------------------------------------------------------------------

static double frobenius(int count, const double *x) {
  double square = 0;
  for (int i = 0; i < count; ++i)
    square += x[i] * x[i];
  return sqrt(square);
}

// Each column of K against Q R, by the column's own size.
static void check_product(int rows, int columns, const double *k, const double *q, const double *r) {
  for (int c = 0; c < columns; ++c) {
    double size = 0, off = 0;
    for (int i = 0; i < rows; ++i) {
      double sum = 0;
      for (int e = 0; e < columns; ++e)
        sum += q[i * columns + e] * r[e * columns + c];
      size = fmax(size, fabs(k[i * columns + c]));
      off = fmax(off, fabs(sum - k[i * columns + c]));
    }
    assert_true(off <= 2e-8 * size); // what counts as dependent is left out
  }
}

static void check_orthonormal(int rows, int columns, const double *q, const unsigned char *live) {
  for (int a = 0; a < columns; ++a)
    for (int b = 0; b < columns; ++b) {
      double dot = 0;
      for (int i = 0; i < rows; ++i)
        dot += q[i * columns + a] * q[i * columns + b];
      if (live[a] && live[b])
        assert_true(fabs(dot - (a == b)) < 1e-13);
      else
        assert_true(dot == 0);
    }
}

static void check_triangle(int columns, const double *r, const unsigned char *live) {
  for (int e = 0; e < columns; ++e)
    for (int c = 0; c < columns; ++c) {
      assert_true(isfinite(r[e * columns + c]));
      assert_true((c >= e && live[e]) || r[e * columns + c] == 0);
      assert_true(c != e || !live[e] || r[e * columns + c] > 0);
    }
}

// Factors K (by rows), checks everything and returns the rank.
static int factor(int rows, int columns, const double *k) {
  double *q = malloc((size_t)(rows * columns + 1) * sizeof *q), r[COLUMNS * COLUMNS];
  unsigned char live[COLUMNS];
  memcpy(q, k, (size_t)(rows * columns) * sizeof *q);
  memset(live, 77, sizeof live);
  for (int e = 0; e < COLUMNS * COLUMNS; ++e)
    r[e] = NAN;
  int rank = mus_local_qr(rows, columns, q, r, live), counted = 0;
  for (int c = 0; c < columns; ++c) {
    assert_true(live[c] == 0 || live[c] == 1);
    counted += live[c];
  }
  assert_int_equal(rank, counted);
  check_product(rows, columns, k, q, r);
  check_orthonormal(rows, columns, q, live);
  check_triangle(columns, r, live);
  free(q);
  return rank;
}

static void full_rank(void **state) {
  (void)state;
  double k[60 * COLUMNS];
  for (int rows = 1; rows <= 60; ++rows)
    for (int columns = 1; columns <= COLUMNS; ++columns) {
      for (int e = 0; e < rows * columns; ++e)
        k[e] = mus_random((uint64_t)(rows * 20 + columns), (uint64_t)e);
      assert_int_equal(factor(rows, columns, k), rows < columns ? rows : columns);
    }
}

// `rank` independent directions, the other columns being combinations of them.
static void dependent_columns_are_dropped(void **state) {
  (void)state;
  enum { ROWS = 20 };
  for (int rank = 0; rank <= 8; ++rank)
    for (int columns = rank > 0 ? rank : 1; columns <= COLUMNS; ++columns) {
      double k[ROWS * COLUMNS];
      for (int i = 0; i < ROWS; ++i)
        for (int c = 0; c < columns; ++c) {
          k[i * columns + c] = 0;
          for (int e = 0; e < rank; ++e)
            k[i * columns + c] += mus_random(1, (uint64_t)(i * 16 + e)) * mus_random(2, (uint64_t)(c * 16 + e));
        }
      assert_int_equal(factor(ROWS, columns, k), rank);
    }
}

static void zero_and_repeated_columns_are_dropped(void **state) {
  (void)state;
  enum { ROWS = 9, WIDE = 6 };
  double k[ROWS * WIDE];
  for (int i = 0; i < ROWS; ++i) {
    double a = mus_random(3, (uint64_t)i), b = mus_random(4, (uint64_t)i);
    const double row[WIDE] = {0, a, a, -2 * a, b, a + b};
    memcpy(k + i * WIDE, row, sizeof row);
  }
  assert_int_equal(factor(ROWS, WIDE, k), 2);
}

// Columns that nearly agree are kept as long as there is more than rounding between them, and stay orthogonal.
static void nearly_dependent_columns_stay_orthogonal(void **state) {
  (void)state;
  enum { ROWS = 30, WIDE = 6 };
  for (double apart = 1; apart > 1e-7; apart /= 10) {
    double k[ROWS * WIDE];
    for (int i = 0; i < ROWS; ++i)
      for (int c = 0; c < WIDE; ++c)
        k[i * WIDE + c] = mus_random(5, (uint64_t)i) + apart * mus_random(6, (uint64_t)(i * WIDE + c));
    assert_int_equal(factor(ROWS, WIDE, k), WIDE);
  }
}

static void any_scale_will_do(void **state) {
  (void)state;
  enum { ROWS = 12, WIDE = 6 };
  const double scales[] = {1e-120, 1e-40, 1e40, 1e120};
  for (size_t s = 0; s < sizeof scales / sizeof *scales; ++s) {
    double k[ROWS * WIDE];
    for (int e = 0; e < ROWS * WIDE; ++e)
      k[e] = scales[s] * mus_random(7, (uint64_t)e);
    assert_int_equal(factor(ROWS, WIDE, k), WIDE);
    for (int e = 0; e < ROWS * WIDE; ++e) // every column in a unit of its own
      k[e] = pow(scales[s], (e % WIDE) / 6.0) * mus_random(7, (uint64_t)e);
    assert_int_equal(factor(ROWS, WIDE, k), WIDE);
  }
}

// --- rigid motions of few nodes -----------------------------------------------------------------------------------

// The six motions of nodes at the given places, node after node, by rows.
static int rank_of_motions(int nodes, const double (*at)[3]) {
  double k[8 * 3 * 6];
  for (int i = 0; i < nodes; ++i) {
    double x = at[i][0], y = at[i][1], z = at[i][2];
    const double rows[3][6] = {{1, 0, 0, 0, z, -y}, {0, 1, 0, -z, 0, x}, {0, 0, 1, y, -x, 0}};
    memcpy(k + i * 18, rows, sizeof rows);
  }
  return factor(3 * nodes, 6, k);
}

static void few_nodes_have_few_motions(void **state) {
  (void)state;
  assert_int_equal(rank_of_motions(1, (const double[][3]){{0.3, 0.1, 0.7}}), 3);
  assert_int_equal(rank_of_motions(2, (const double[][3]){{0.3, 0.1, 0.7}, {0.4, 0.2, 0.5}}), 5);
  assert_int_equal(rank_of_motions(2, (const double[][3]){{0.3, 0.1, 0.7}, {0.3, 0.1, 0.7}}), 3);
  assert_int_equal(rank_of_motions(4, (const double[][3]){{0, 0, 0}, {1, 2, 3}, {2, 4, 6}, {-3, -6, -9}}), 5);
  assert_int_equal(rank_of_motions(3, (const double[][3]){{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}), 6);
  assert_int_equal(rank_of_motions(3, (const double[][3]){{50, 50, 50}, {50.001, 50, 50}, {50, 50.001, 50}}), 6);
}

// --- all aggregates -----------------------------------------------------------------------------------------------

// Nodes dealt out to aggregates in turn, every fifth one special.
typedef struct deal {
  mus_arena arena;
  mus_aggregates aggregates;
  int nodes, block, count;
  double *kernel, *q, *coarse;
  unsigned char *live;
} deal;

static deal create_deal(int nodes, int groups, int block, int count) {
  deal d = {.nodes = nodes, .block = block, .count = count};
  mus_aggregates *a = &d.aggregates;
  a->count = groups;
  a->of = mus_arena_alloc(&d.arena, (size_t)nodes, sizeof(int));
  a->start = mus_arena_alloc_zero(&d.arena, (size_t)groups + 1, sizeof(int));
  a->member = mus_arena_alloc(&d.arena, (size_t)nodes, sizeof(int));
  for (int i = 0; i < nodes; ++i)
    a->of[i] = i % 5 == 4 ? -1 : (i / 5 * 4 + i % 5) % groups;
  for (int g = 0; g < groups; ++g) {
    a->start[g + 1] = a->start[g];
    for (int i = 0; i < nodes; ++i)
      if (a->of[i] == g)
        a->member[a->start[g + 1]++] = i;
  }
  size_t numbers = (size_t)(nodes * block * count);
  d.kernel = mus_arena_alloc(&d.arena, numbers, sizeof(double));
  d.q = mus_arena_alloc(&d.arena, numbers, sizeof(double));
  d.coarse = mus_arena_alloc(&d.arena, (size_t)(groups * count * count), sizeof(double));
  d.live = mus_arena_alloc(&d.arena, (size_t)(groups * count), 1);
  for (size_t k = 0; k < numbers; ++k) {
    d.kernel[k] = mus_random(8, k);
    d.q[k] = NAN;
  }
  return d;
}

static mus_status fill(deal *d) {
  return mus_tentative_fill(&d->aggregates, d->nodes, d->block, d->count, d->kernel, d->q, d->coarse, d->live);
}

// K_i = Q_i R_g for every node i of aggregate g; zero at special nodes.
static void check_deal(const deal *d) {
  int size = d->block * d->count;
  for (int i = 0; i < d->nodes; ++i) {
    const double *q = d->q + i * size, *k = d->kernel + i * size;
    int g = d->aggregates.of[i];
    if (g < 0) {
      assert_true(frobenius(size, q) == 0);
      continue;
    }
    const double *r = d->coarse + g * d->count * d->count;
    for (int row = 0; row < d->block; ++row)
      for (int c = 0; c < d->count; ++c) {
        double sum = 0;
        for (int e = 0; e < d->count; ++e)
          sum += q[row * d->count + e] * r[e * d->count + c];
        assert_true(fabs(sum - k[row * d->count + c]) < 1e-13);
      }
  }
  for (int g = 0; g < d->aggregates.count; ++g)
    check_triangle(d->count, d->coarse + g * d->count * d->count, d->live + g * d->count);
}

static void kernels_are_factored_aggregate_by_aggregate(void **state) {
  (void)state;
  for (int block = 1; block <= 6; ++block)
    for (int groups = 1; groups <= 30; groups += 7) {
      deal d = create_deal(60, groups, block, 6);
      assert_int_equal(fill(&d), MUS_OK);
      check_deal(&d);
      for (int g = 0; g < groups; ++g) { // no more basis vectors than rows
        int rows = block * (d.aggregates.start[g + 1] - d.aggregates.start[g]), live = 0;
        for (int c = 0; c < 6; ++c)
          live += d.live[g * 6 + c];
        assert_int_equal(live, rows < 6 ? rows : 6);
      }
      mus_arena_clear(&d.arena);
    }
}

// Nodes where constraints took the kernel away altogether.
static void aggregates_without_a_kernel_have_no_basis(void **state) {
  (void)state;
  deal d = create_deal(40, 8, 3, 6);
  for (int i = 0; i < 40; ++i)
    if (d.aggregates.of[i] == 3)
      memset(d.kernel + i * 18, 0, 18 * sizeof(double));
  assert_int_equal(fill(&d), MUS_OK);
  check_deal(&d);
  for (int g = 0; g < 8; ++g)
    for (int c = 0; c < 6; ++c)
      assert_int_equal(d.live[g * 6 + c], g != 3);
  mus_arena_clear(&d.arena);
}

static void instructions_do_not_change_a_bit(void **state) {
  (void)state;
  for (int count = 3; count <= 6; count += 3) {
    deal plain = create_deal(500, 60, 3, count), fast = create_deal(500, 60, 3, count);
    mus_instructions usual = mus_instructions_current();
    assert_int_equal(mus_instructions_use(MUS_SCALAR), MUS_OK);
    assert_int_equal(fill(&plain), MUS_OK);
    assert_int_equal(mus_instructions_use(usual), MUS_OK);
    assert_int_equal(fill(&fast), MUS_OK);
    check_deal(&fast);
    assert_memory_equal(plain.q, fast.q, (size_t)(500 * 3 * count) * sizeof(double));
    assert_memory_equal(plain.coarse, fast.coarse, (size_t)(60 * count * count) * sizeof(double));
    assert_memory_equal(plain.live, fast.live, (size_t)(60 * count));
    mus_arena_clear(&plain.arena);
    mus_arena_clear(&fast.arena);
  }
}

static void threads_do_not_change_a_bit(void **state) {
  (void)state;
  deal one = create_deal(3000, 500, 3, 6), many = create_deal(3000, 500, 3, 6);
  mus_par_set_threads(1);
  assert_int_equal(fill(&one), MUS_OK);
  mus_par_set_threads(7);
  assert_int_equal(fill(&many), MUS_OK);
  mus_par_set_threads(0);
  assert_memory_equal(one.q, many.q, 3000 * 18 * sizeof(double));
  assert_memory_equal(one.coarse, many.coarse, 500 * 36 * sizeof(double));
  assert_memory_equal(one.live, many.live, 500 * 6);
  mus_arena_clear(&one.arena);
  mus_arena_clear(&many.arena);
}

static void failing_allocations_are_reported(void **state) {
  (void)state;
  deal d = create_deal(20, 4, 3, 6);
  mus_memory_fail_after(0);
  mus_status status = fill(&d);
  mus_memory_fail_after(-1);
  assert_int_equal(status, MUS_OUT_OF_MEMORY);
  assert_int_equal(fill(&d), MUS_OK);
  check_deal(&d);
  mus_arena_clear(&d.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(full_rank),
      cmocka_unit_test(dependent_columns_are_dropped),
      cmocka_unit_test(zero_and_repeated_columns_are_dropped),
      cmocka_unit_test(nearly_dependent_columns_stay_orthogonal),
      cmocka_unit_test(any_scale_will_do),
      cmocka_unit_test(few_nodes_have_few_motions),
      cmocka_unit_test(kernels_are_factored_aggregate_by_aggregate),
      cmocka_unit_test(aggregates_without_a_kernel_have_no_basis),
      cmocka_unit_test(instructions_do_not_change_a_bit),
      cmocka_unit_test(threads_do_not_change_a_bit),
      cmocka_unit_test(failing_allocations_are_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
