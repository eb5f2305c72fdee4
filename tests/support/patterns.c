// Random block patterns and matrices. See patterns.h.
#include "support/patterns.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/random.h"

mus_pattern random_pattern(mus_arena *arena, int rows, int columns, int least, int most, uint64_t seed) {
  assert_true(0 <= least && least <= most && most <= columns);
  int *start = malloc(((size_t)rows + 1) * sizeof *start), blocks = 0;
  int *column = malloc(((size_t)rows * (size_t)most + 1) * sizeof *column);
  assert_true(start && column);
  for (int i = 0; i < rows; ++i) {
    int wanted = least + (int)(((uint64_t)i + seed) % (uint64_t)(most - least + 1));
    start[i] = blocks;
    for (int j = 0; j < columns && wanted > 0; ++j) // takes j with the probability that leaves every choice as likely
      if ((int)(mus_random_bits(seed, (uint64_t)i * (uint64_t)columns + (uint64_t)j) % (uint64_t)(columns - j)) <
          wanted) {
        column[blocks++] = j;
        --wanted;
      }
  }
  start[rows] = blocks;
  mus_pattern pattern;
  assert_int_equal(mus_pattern_copy(arena, rows, columns, start, column, &pattern), MUS_OK);
  free(start);
  free(column);
  return pattern;
}

static void fill(size_t n, uint64_t seed, double *x) {
  for (size_t k = 0; k < n; ++k)
    x[k] = (double)(float)mus_random(seed, k);
}

mus_matrix random_matrix(mus_arena *arena, const mus_pattern *pattern, int row_block, int column_block, uint64_t seed) {
  mus_matrix a;
  assert_int_equal(mus_matrix_create(arena, pattern, row_block, column_block, &a), MUS_OK);
  fill(mus_matrix_values(&a), seed, a.value);
  return a;
}

double *random_vector(mus_arena *arena, size_t n, uint64_t seed) {
  double *x = mus_arena_alloc(arena, n, sizeof *x);
  assert_non_null(x);
  fill(n, seed, x);
  return x;
}

void assert_patterns_equal(const mus_pattern *a, const mus_pattern *b) {
  assert_int_equal(a->rows, b->rows);
  assert_int_equal(a->columns, b->columns);
  assert_memory_equal(a->row_start, b->row_start, ((size_t)a->rows + 1) * sizeof(int));
  for (int k = 0; k < mus_pattern_blocks(a); ++k)
    assert_int_equal(a->column[k], b->column[k]);
}
