// Furthest point sampling against plain Dijkstra, and the levels that follow from it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "multigrid/skinning/handles.h"
#include "support/problem.h"

enum { SIDE = 17, ROWS = SIDE * SIDE };

static double length(const double *x, int i, int j) {
  return sqrt(pow(x[3 * i] - x[3 * j], 2) + pow(x[3 * i + 1] - x[3 * j + 1], 2) + pow(x[3 * i + 2] - x[3 * j + 2], 2));
}

// Distances from one node by relaxing all edges until nothing changes.
static void distances(const mus_pattern *p, const double *x, int from, double *d) {
  for (int i = 0; i < p->rows; ++i)
    d[i] = i == from ? 0 : INFINITY;
  for (int changed = 1; changed;) {
    changed = 0;
    for (int i = 0; i < p->rows; ++i)
      for (int k = p->row_start[i]; k < p->row_start[i + 1]; ++k) {
        double over = d[p->column[k]] + length(x, i, p->column[k]);
        if (over < d[i]) {
          d[i] = over;
          changed = 1;
        }
      }
  }
}

static void each_is_the_furthest_and_owns_what_is_nearest(void **state) {
  (void)state;
  sheet_options options = sheet_default_options();
  options.side = SIDE;
  options.irregular = 1;
  sheet_system sheet;
  assert_int_equal(sheet_system_create(&options, &sheet), MUS_OK);
  int stage[] = {3, 12}, owner[2][ROWS], *nearest[] = {owner[0], owner[1]}, order[ROWS];
  assert_int_equal(mus_sample_furthest(sheet.pattern, sheet.position, 2, stage, nearest, order), MUS_OK);
  assert_int_equal(stage[0], 3);
  assert_int_equal(stage[1], 12);
  double(*d)[ROWS] = malloc(12 * sizeof *d);
  for (int k = 0; k < 12; ++k)
    distances(sheet.pattern, sheet.position, order[k], d[k]);
  for (int k = 1; k < 12; ++k) { // none is further from those before
    double to[ROWS], most = 0;
    for (int i = 0; i < ROWS; ++i) {
      to[i] = INFINITY;
      for (int e = 0; e < k; ++e)
        to[i] = fmin(to[i], d[e][i]);
      most = fmax(most, to[i]);
    }
    assert_true(to[order[k]] >= most * (1 - 1e-12));
  }
  for (int s = 0; s < 2; ++s)
    for (int i = 0; i < ROWS; ++i) {
      double least = INFINITY;
      for (int k = 0; k < stage[s]; ++k)
        least = fmin(least, d[k][i]);
      assert_in_range(owner[s][i], 0, stage[s] - 1);
      assert_true(d[owner[s][i]][i] <= least * (1 + 1e-12));
    }
  free(d);
  sheet_system_free(&sheet);
}

// Two chains of nodes that nothing joins, and a node alone: three parts.
static void each_part_gets_a_handle(void **state) {
  (void)state;
  int row_start[] = {0, 2, 5, 7, 9, 11, 12}, column[] = {0, 1, 0, 1, 2, 1, 2, 3, 4, 3, 4, 5};
  mus_pattern p = {6, 6, row_start, column};
  int stage[] = {1, 4, 9}, owner[3][6], *nearest[] = {owner[0], owner[1], owner[2]}, order[6];
  assert_int_equal(mus_sample_furthest(&p, NULL, 3, stage, nearest, order), MUS_OK);
  assert_int_equal(stage[0], 3);
  assert_int_equal(stage[1], 4);
  assert_int_equal(stage[2], 6); // there are no more
  const int first[] = {0, 3, 5}, parts[] = {0, 0, 0, 1, 1, 2};
  assert_memory_equal(order, first, sizeof first);
  assert_memory_equal(owner[0], parts, sizeof parts);
  assert_int_equal(order[3], 2); // two edges from node 0
  for (int i = 0; i < 6; ++i)
    assert_int_equal(order[owner[2][i]], i);
}

// Which aggregate each node of a level belongs to, as the grouping says.
static mus_aggregates grouped(const mus_grouping *g, const mus_level_view *view, mus_arena *arena) {
  mus_aggregates found = {0};
  assert_int_equal(g->group(g->self, view, arena, &found), MUS_OK);
  return found;
}

static void levels_are_nested(void **state) {
  (void)state;
  sheet_options options = sheet_default_options();
  options.side = SIDE;
  sheet_system sheet;
  assert_int_equal(sheet_system_create(&options, &sheet), MUS_OK);
  mus_arena arena = {0};
  mus_handles *handles;
  assert_int_equal(mus_handles_create("5/40/all", 600, &handles), MUS_OK);
  mus_grouping g = mus_handles_grouping(handles);
  mus_level_view fine = {.level = 0, .a = &sheet.a, .coordinates = sheet.position};
  mus_aggregates first = grouped(&g, &fine, &arena);
  assert_int_equal(first.count, 40);
  mus_pattern forty = {.rows = 40, .columns = 40}, five = {.rows = 5, .columns = 5};
  mus_aggregates second = grouped(&g, &(mus_level_view){.level = 1, .a = &(mus_matrix){&forty, 12, 12, NULL}}, &arena);
  assert_int_equal(second.count, 5);
  mus_aggregates none = grouped(&g, &(mus_level_view){.level = 2, .a = &(mus_matrix){&five, 12, 12, NULL}}, &arena);
  assert_int_equal(none.count, 0);
  int stage[] = {5, 40}, owner[2][ROWS], *nearest[] = {owner[0], owner[1]}, order[ROWS];
  assert_int_equal(mus_sample_furthest(sheet.pattern, sheet.position, 2, stage, nearest, order), MUS_OK);
  assert_memory_equal(first.of, owner[1], sizeof owner[1]);
  for (int k = 0; k < 40; ++k) {
    assert_int_equal(first.of[order[k]], k); // a handle owns itself ...
    assert_int_equal(second.of[k], owner[0][order[k]]);
  }
  for (int k = 0; k < 5; ++k)
    assert_int_equal(second.of[k], k); // ... on every level that it is part of
  mus_arena_clear(&arena);
  mus_handles_free(handles);
  sheet_system_free(&sheet);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_is_the_furthest_and_owns_what_is_nearest),
                                     cmocka_unit_test(each_part_gets_a_handle), cmocka_unit_test(levels_are_nested)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
