// Rows of smoothed prolongators: each machine's against those of any, bit by bit, for every shape of block. Their
// formulas are tested in test_aggregation.c.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "multigrid/aggregation/smooth_rows.h"
#include "sparse/product.h"
#include "support/patterns.h"
#include "support/problem.h"

#if defined(__x86_64__)
mus_smooth_rows mus_smooth_rows_avx2; // which the header names in the library alone
#endif

enum { ROWS = 120, GROUP = 6, SPECIAL = 11 };

// A problem with everything that smooths its rows: every third pair of nodes is weak, every eleventh node special.
typedef struct rows {
  problem p;
  mus_arena arena;
  mus_level_view view;
  int aggregate[ROWS];
  mus_pattern part, tentative, pattern;
  mus_matrix start;
  mus_smooth_task task;
} rows;

static int is_special(int i) { return i % SPECIAL == 5; }

static int is_weak(int i, int j) { return i != j && (i + j) % 3 == 0; }

static void make_patterns(rows *r) {
  const mus_pattern *a = r->p.pattern;
  size_t blocks = (size_t)mus_pattern_blocks(a);
  int *source = mus_arena_alloc(&r->arena, blocks, sizeof *source);
  r->part = (mus_pattern){ROWS, ROWS, mus_arena_alloc(&r->arena, ROWS + 1, sizeof(int)),
                          mus_arena_alloc(&r->arena, blocks, sizeof(int))};
  r->tentative = (mus_pattern){ROWS, ROWS / GROUP, mus_arena_alloc(&r->arena, ROWS + 1, sizeof(int)),
                               mus_arena_alloc(&r->arena, ROWS, sizeof(int))};
  int parts = 0, own = 0;
  for (int i = 0; i < ROWS; ++i) {
    r->part.row_start[i] = parts;
    r->tentative.row_start[i] = own;
    r->aggregate[i] = is_special(i) ? -1 : i / GROUP;
    if (!is_special(i))
      r->tentative.column[own++] = i / GROUP;
    for (int k = a->row_start[i]; k < a->row_start[i + 1] && !is_special(i); ++k)
      if (!is_special(a->column[k]) && !is_weak(i, a->column[k])) {
        r->part.column[parts] = a->column[k];
        source[parts++] = k;
      }
  }
  r->part.row_start[ROWS] = parts;
  r->tentative.row_start[ROWS] = own;
  r->task.part_source = source;
  assert_int_equal(mus_product_pattern(&r->arena, &r->part, &r->tentative, &r->pattern), MUS_OK);
}

static void make_rows(int block, int count, rows *r) {
  *r = (rows){.p = problem_random(ROWS, block, 3)};
  r->view = problem_view(&r->p, 1.9);
  make_patterns(r);
  size_t numbers = (size_t)(ROWS * block * count);
  double *coarse = random_vector(&r->arena, (size_t)(ROWS / GROUP * count * count), 4);
  for (int k = 0; k < ROWS / GROUP * count * count; ++k) // triangles; some motions are hardly shown
    coarse[k] = k / count % count > k % count ? 0 : k % 7 == 0 ? 1e-4 * coarse[k] : coarse[k];
  r->start = random_matrix(&r->arena, &r->pattern, block, count, 5);
  r->task.fine = &r->view;
  r->task.part = &r->part;
  r->task.tentative = &r->tentative;
  r->task.aggregate = r->aggregate;
  r->task.count = count;
  r->task.omega = 0.7;
  r->task.kernel = random_vector(&r->arena, numbers, 6);
  r->task.q = random_vector(&r->arena, numbers, 7);
  r->task.coarse_kernel = coarse;
}

static mus_matrix smoothed(rows *r, mus_smooth_rows *smooth) {
  mus_matrix p;
  assert_int_equal(mus_matrix_create(&r->arena, &r->pattern, r->start.row_block, r->start.column_block, &p), MUS_OK);
  memcpy(p.value, r->start.value, mus_matrix_values(&p) * sizeof *p.value);
  r->task.p = &p;
  smooth(&r->task, 0, 50);
  smooth(&r->task, 50, ROWS);
  return p;
}

static void check_shape(int block, int count) {
  rows r;
  make_rows(block, count, &r);
  for (int filtered = 0; filtered < 2; ++filtered) {
    r.task.is_filtered = filtered;
    mus_matrix plain = smoothed(&r, mus_smooth_rows_scalar);
    size_t bytes = mus_matrix_values(&plain) * sizeof *plain.value;
    assert_true(memcmp(plain.value, r.start.value, bytes) != 0);
#if defined(__x86_64__)
    if (mus_instructions_available(MUS_AVX2)) {
      mus_matrix fast = smoothed(&r, mus_smooth_rows_avx2);
      assert_memory_equal(fast.value, plain.value, bytes);
    }
#endif
  }
  mus_arena_clear(&r.arena);
  problem_free(&r.p);
}

static void instructions_do_not_change_a_bit(void **state) {
  (void)state;
  check_shape(3, 3);
  check_shape(3, 6);
  check_shape(6, 6);
  check_shape(2, 3);
}

// Of what is not filtered: P = P^ - omega D^-1 A P^.
static void rows_are_divided_by_the_diagonal(void **state) {
  (void)state;
  enum { BLOCK = 3, COUNT = 6, SIZE = BLOCK * COUNT };
  rows r;
  make_rows(BLOCK, COUNT, &r);
  mus_matrix p = smoothed(&r, mus_smooth_rows_scalar);
  for (int i = 0; i < ROWS; ++i)
    for (int k = r.pattern.row_start[i]; k < r.pattern.row_start[i + 1]; ++k)
      for (int e = 0; e < SIZE; ++e) {
        const double *from = r.start.value + k * SIZE, *inverse = r.p.inverse_diagonal + i * BLOCK * BLOCK;
        double expected = r.pattern.column[k] == r.aggregate[i] ? r.task.q[r.tentative.row_start[i] * SIZE + e] : 0;
        for (int m = 0; m < BLOCK; ++m)
          expected -= r.task.omega * inverse[e / COUNT * BLOCK + m] * from[m * COUNT + e % COUNT];
        assert_true(fabs(p.value[k * SIZE + e] - expected) <= 1e-13 * (1 + fabs(expected)));
      }
  mus_arena_clear(&r.arena);
  problem_free(&r.p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(instructions_do_not_change_a_bit),
      cmocka_unit_test(rows_are_divided_by_the_diagonal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
