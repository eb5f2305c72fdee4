// Patterns: what is refused and how it is said, look-up, transposes and the test for symmetry.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "sparse/pattern.h"
#include "support/guarded.h"
#include "support/patterns.h"

enum { ROWS = 9, COLUMNS = 11, SEEDS = 12 };

static mus_pattern example(mus_arena *arena, uint64_t seed) { return random_pattern(arena, ROWS, COLUMNS, 0, 6, seed); }

static void assert_refused(const mus_pattern *p, const char *text) {
  assert_int_equal(mus_pattern_check(p->rows, p->columns, p->row_start, p->column), MUS_BAD_INPUT);
  if (!strstr(mus_last_error(), text))
    fail_msg("\"%s\" does not say \"%s\"", mus_last_error(), text);
}

static void good_patterns_pass(void **state) {
  (void)state;
  mus_arena arena = {0};
  for (uint64_t seed = 0; seed < SEEDS; ++seed) {
    mus_pattern p = example(&arena, seed);
    assert_int_equal(mus_pattern_check(p.rows, p.columns, p.row_start, p.column), MUS_OK);
  }
  int nothing[] = {0, 0, 0}, full[] = {0, 3, 6}, column[] = {0, 1, 2, 0, 1, 2};
  assert_int_equal(mus_pattern_check(2, 1, nothing, NULL), MUS_OK);
  assert_int_equal(mus_pattern_check(2, 3, full, column), MUS_OK);
  mus_arena_clear(&arena);
}

static void empty_sizes_are_refused(void **state) {
  (void)state;
  int start[] = {0, 0}, column[] = {0};
  assert_refused(&(mus_pattern){0, 3, start, column}, "0 rows and 3 columns");
  assert_refused(&(mus_pattern){-4, 3, start, column}, "-4 rows and 3 columns");
  assert_refused(&(mus_pattern){1, 0, start, column}, "1 rows and 0 columns");
  assert_refused(&(mus_pattern){1, -2, start, column}, "1 rows and -2 columns");
}

static void bad_row_starts_are_refused(void **state) {
  (void)state;
  mus_arena arena = {0};
  char text[100];
  mus_pattern p = example(&arena, 3);
  for (int first = -1; first <= 1; first += 2) {
    p.row_start[0] = first;
    snprintf(text, sizeof text, "row_start[0] is %d", first);
    assert_refused(&p, text);
  }
  p.row_start[0] = 0;
  for (int i = 1; i <= ROWS; ++i) {
    int before = p.row_start[i];
    p.row_start[i] = p.row_start[i - 1] - 1;
    snprintf(text, sizeof text, "row_start[%d] = %d is less than row_start[%d] = %d", i, p.row_start[i], i - 1,
             p.row_start[i - 1]);
    assert_refused(&p, text);
    p.row_start[i] = before;
  }
  assert_int_equal(mus_pattern_check(p.rows, p.columns, p.row_start, p.column), MUS_OK);
  mus_arena_clear(&arena);
}

// A row start that leaps ahead is found before anything is read from where it leads.
static void leaping_row_starts_lead_nowhere(void **state) {
  (void)state;
  guarded pages = guarded_create(2 * sizeof(int));
  int *column = guarded_copy(&pages, 1, 2 * sizeof(int), (int[]){0, 1});
  assert_refused(&(mus_pattern){2, 1000000, (int[]){0, 1000000, 2}, column}, "row_start[2] = 2 is less than");
  assert_refused(&(mus_pattern){3, 1000000, (int[]){0, 1, 1000000, 2}, column}, "row_start[3] = 2 is less than");
  guarded_free(&pages);
}

static void bad_columns_are_refused(void **state) {
  (void)state;
  mus_arena arena = {0};
  char text[100];
  mus_pattern p = example(&arena, 5);
  int tried = 0;
  for (int i = 0; i < ROWS; ++i)
    for (int k = p.row_start[i]; k < p.row_start[i + 1]; ++k) {
      int before = p.column[k], outside[] = {-1, COLUMNS, INT32_MIN, INT32_MAX};
      for (int c = 0; c < 4; ++c) {
        p.column[k] = outside[c];
        snprintf(text, sizeof text, "column %d in row %d is outside 0...%d", outside[c], i, COLUMNS - 1);
        assert_refused(&p, text);
      }
      for (int other = 0; k > p.row_start[i] && other <= p.column[k - 1]; ++other) {
        p.column[k] = other;
        snprintf(text, sizeof text, "column %d follows column %d in row %d", other, p.column[k - 1], i);
        assert_refused(&p, text);
        ++tried;
      }
      p.column[k] = before;
    }
  assert_true(tried > 20);
  assert_int_equal(mus_pattern_check(p.rows, p.columns, p.row_start, p.column), MUS_OK);
  mus_arena_clear(&arena);
}

static void copies_are_equal_and_apart(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_pattern p = example(&arena, 2), copy;
  assert_int_equal(mus_pattern_copy(&arena, p.rows, p.columns, p.row_start, p.column, &copy), MUS_OK);
  assert_patterns_equal(&p, &copy);
  assert_true(copy.column != p.column && copy.row_start != p.row_start);
  mus_arena_clear(&arena);
}

static void blocks_are_found(void **state) {
  (void)state;
  mus_arena arena = {0};
  for (uint64_t seed = 0; seed < SEEDS; ++seed) {
    mus_pattern p = example(&arena, seed);
    for (int i = 0; i < ROWS; ++i)
      for (int j = -1; j <= COLUMNS; ++j) {
        int expected = -1;
        for (int k = p.row_start[i]; k < p.row_start[i + 1]; ++k)
          if (p.column[k] == j)
            expected = k;
        assert_int_equal(mus_pattern_find(&p, i, j), expected);
      }
  }
  mus_arena_clear(&arena);
}

static int row_of(const mus_pattern *p, int block) {
  int row = 0;
  while (p->row_start[row + 1] <= block)
    ++row;
  return row;
}

static void transpose_mirrors_every_block(void **state) {
  (void)state;
  mus_arena arena = {0};
  for (uint64_t seed = 0; seed < SEEDS; ++seed) {
    mus_pattern p = example(&arena, seed);
    mus_transpose t, back;
    assert_int_equal(mus_transpose_create(&arena, &p, &t), MUS_OK);
    assert_int_equal(t.pattern.rows, COLUMNS);
    assert_int_equal(t.pattern.columns, ROWS);
    assert_int_equal(mus_pattern_blocks(&t.pattern), mus_pattern_blocks(&p));
    assert_int_equal(mus_pattern_check(COLUMNS, ROWS, t.pattern.row_start, t.pattern.column), MUS_OK);
    for (int k = 0; k < mus_pattern_blocks(&p); ++k) {
      assert_int_equal(row_of(&t.pattern, k), p.column[t.source[k]]);
      assert_int_equal(t.pattern.column[k], row_of(&p, t.source[k]));
    }
    assert_int_equal(mus_transpose_create(&arena, &t.pattern, &back), MUS_OK);
    assert_patterns_equal(&back.pattern, &p);
    for (int k = 0; k < mus_pattern_blocks(&p); ++k)
      assert_int_equal(t.source[back.source[k]], k);
  }
  mus_arena_clear(&arena);
}

static int is_symmetric(const mus_pattern *p) {
  mus_arena arena = {0};
  mus_transpose t;
  assert_int_equal(mus_transpose_create(&arena, p, &t), MUS_OK);
  int answer = mus_pattern_is_symmetric(p, &t);
  mus_arena_clear(&arena);
  return answer;
}

// The pattern of a table of truths.
static mus_pattern from_table(mus_arena *arena, int n, const char *table) {
  int start[ROWS + 1] = {0}, column[ROWS * ROWS], blocks = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j)
      if (table[i * n + j])
        column[blocks++] = j;
    start[i + 1] = blocks;
  }
  mus_pattern p;
  assert_int_equal(mus_pattern_copy(arena, n, n, start, column, &p), MUS_OK);
  return p;
}

static void symmetry_is_told(void **state) {
  (void)state;
  mus_arena arena = {0};
  for (uint64_t seed = 0; seed < SEEDS; ++seed) {
    char table[ROWS * ROWS];
    for (int i = 0; i < ROWS; ++i)
      for (int j = 0; j <= i; ++j)
        table[i * ROWS + j] = table[j * ROWS + i] = mus_random(seed, (uint64_t)(i * ROWS + j)) > 0;
    mus_pattern p = from_table(&arena, ROWS, table);
    assert_true(is_symmetric(&p));
    for (int i = 0; i < ROWS; ++i)
      for (int j = 0; j < ROWS; ++j) {
        table[i * ROWS + j] = !table[i * ROWS + j];
        p = from_table(&arena, ROWS, table);
        assert_int_equal(is_symmetric(&p), i == j);
        table[i * ROWS + j] = !table[i * ROWS + j];
      }
  }
  // Permutations have one block in each row and column, and so do their transposes: the columns alone tell.
  for (int first = 0; first + 2 < ROWS; ++first) {
    mus_pattern ring = random_pattern(&arena, ROWS, ROWS, 1, 1, 0);
    for (int i = 0; i < ROWS; ++i)
      ring.column[i] = i;
    ring.column[first] = first + 1;
    ring.column[first + 1] = first;
    assert_true(is_symmetric(&ring));
    ring.column[first + 1] = first + 2;
    ring.column[first + 2] = first;
    assert_false(is_symmetric(&ring));
  }
  mus_pattern wide = {2, 3, (int[]){0, 1, 2}, (int[]){0, 1}};
  assert_false(is_symmetric(&wide));
  mus_arena_clear(&arena);
}

static void failing_allocations(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_pattern p = example(&arena, 1), copy;
  mus_transpose t;
  for (int way = 0; way < 2; ++way) {
    mus_status status = MUS_OUT_OF_MEMORY;
    long n = 0;
    for (; status; ++n) {
      mus_arena local = {0};
      mus_memory_fail_after(n);
      status = way == 0 ? mus_pattern_copy(&local, p.rows, p.columns, p.row_start, p.column, &copy)
                        : mus_transpose_create(&local, &p, &t);
      mus_memory_fail_after(-1);
      assert_true(status == MUS_OK || status == MUS_OUT_OF_MEMORY);
      mus_arena_clear(&local);
    }
    assert_true(n > 2);
  }
  mus_arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(good_patterns_pass),         cmocka_unit_test(empty_sizes_are_refused),
      cmocka_unit_test(bad_row_starts_are_refused), cmocka_unit_test(leaping_row_starts_lead_nowhere),
      cmocka_unit_test(bad_columns_are_refused),    cmocka_unit_test(copies_are_equal_and_apart),
      cmocka_unit_test(blocks_are_found),           cmocka_unit_test(transpose_mirrors_every_block),
      cmocka_unit_test(symmetry_is_told),           cmocka_unit_test(failing_allocations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
