// The projection onto what equalities leave free, and inverses of block diagonals there, by what defines them. Also for
// many rows that hang together, which the envelope is for.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "constrain/equalities.h"
#include "par/vector.h"
#include "support/dense.h"

// Rows of three nodes along a grid of `side` x `side` nodes, as triangles are: neighbours share nodes.
typedef struct grid {
  int side, nodes, count;
  mus_equality_row *row;
  int *given;
  mus_arena arena;
  mus_equalities e;
} grid;

static mus_equality_row row_at(int side, int x, int y, uint64_t key) {
  mus_equality_row row = {.count = 3, .node = {y * side + x, y * side + x + 1, (y + 1) * side + x}};
  double square = 0;
  for (int k = 0; k < 9; ++k) {
    row.direction[k / 3][k % 3] = mus_random(key, (uint64_t)k) + (k % 3 == 1 ? 2 : 0);
    square += row.direction[k / 3][k % 3] * row.direction[k / 3][k % 3];
  }
  for (int k = 0; k < 9; ++k)
    row.direction[k / 3][k % 3] /= sqrt(square);
  row.value = mus_random(key, 20);
  return row;
}

// Every `step`-th cell in both directions.
static grid grid_create(int side, int step) {
  grid g = {.side = side, .nodes = side * side};
  g.row = calloc((size_t)g.nodes, sizeof *g.row), g.given = calloc((size_t)g.nodes, sizeof *g.given);
  assert_true(g.row && g.given);
  for (int y = 0; y + 1 < side; y += step)
    for (int x = 0; x + 1 < side; x += step) {
      g.row[g.count] = row_at(side, x, y, (uint64_t)g.count);
      g.given[g.count] = g.count;
      ++g.count;
    }
  assert_int_equal(mus_equalities_create(&g.arena, g.nodes, 3, g.count, g.row, g.given, &g.e), MUS_OK);
  return g;
}

static void grid_free(grid *g) {
  mus_arena_clear(&g->arena);
  free(g->row), free(g->given);
}

// max |E x - t|, or |E x|
static double violation(const grid *g, const double *x, int with_values) {
  double largest = 0;
  for (int r = 0; r < g->count; ++r) {
    double sum = with_values ? -g->row[r].value : 0;
    for (int k = 0; k < 9; ++k)
      sum += g->row[r].direction[k / 3][k % 3] * x[3 * g->row[r].node[k / 3] + k % 3];
    largest = fmax(largest, fabs(sum));
  }
  return largest;
}

static double *new_vector(const grid *g, uint64_t seed) {
  double *x = mus_alloc(3 * (size_t)g->nodes, sizeof *x);
  assert_non_null(x);
  mus_fill_random(3 * (size_t)g->nodes, seed, x);
  return x;
}

static void projections_hold_and_repeat(void **state) {
  (void)state;
  const int step[] = {1, 2, 3};
  for (int k = 0; k < 3; ++k) {
    grid g = grid_create(40, step[k]);
    assert_int_equal(g.e.groups, step[k] == 1 ? 1 : g.count); // cells that are apart share no node
    size_t n = 3 * (size_t)g.nodes;
    double *x = new_vector(&g, 1), *y = new_vector(&g, 2), *px = new_vector(&g, 1), *py = new_vector(&g, 2);
    mus_equalities_project(&g.e, px);
    mus_equalities_project(&g.e, py);
    assert_true(violation(&g, px, 0) < 1e-12);
    assert_true(fabs(mus_dot(n, px, y) - mus_dot(n, x, py)) < 1e-10); // symmetric
    mus_copy(n, px, py);
    mus_equalities_project(&g.e, py);
    assert_true(dense_difference((int)n, py, px) < 1e-12);
    // The nearest point: what was added is across everything that is free.
    mus_copy(n, x, py);
    mus_equalities_impose(&g.e, py);
    assert_true(violation(&g, py, 1) < 1e-12);
    mus_axpy(n, -1, x, py);
    mus_equalities_project(&g.e, py);
    assert_true(mus_max_abs(n, py) < 1e-11);
    mus_free(x), mus_free(y), mus_free(px), mus_free(py);
    grid_free(&g);
  }
}

// z with E z = 0 and r - D z in the range of E^T.
static void diagonals_are_inverted_beside_equalities(void **state) {
  (void)state;
  grid g = grid_create(30, 1);
  size_t n = 3 * (size_t)g.nodes;
  double *r = new_vector(&g, 1), *z = new_vector(&g, 2), *d = calloc(3 * n, sizeof *d),
         *inverse = calloc(3 * n, sizeof *d);
  assert_true(d && inverse);
  for (size_t i = 0; i < n; ++i) { // stiff and soft directions side by side
    size_t at = i / 3 * 9 + i % 3 * 4;
    d[at] = exp(5 * mus_random(9, i));
    inverse[at] = 1 / d[at];
  }
  assert_int_equal(mus_equalities_weigh(&g.e, inverse), MUS_OK);
  mus_equalities_solve(&g.e, g.nodes, inverse, r, z);
  assert_true(violation(&g, z, 0) < 1e-10 * mus_max_abs(n, z));
  for (size_t i = 0; i < n; ++i)
    r[i] -= d[i / 3 * 9 + i % 3 * 4] * z[i];
  double size = mus_max_abs(n, r);
  mus_equalities_project(&g.e, r);
  assert_true(mus_max_abs(n, r) < 1e-9 * (1 + size));
  mus_free(r), mus_free(z), free(d), free(inverse);
  grid_free(&g);
}

static void the_envelope_stays_narrow(void **state) {
  (void)state;
  grid g = grid_create(60, 1);
  assert_true((double)g.e.place[g.count] < 1.7 * g.side * g.count); // a full factor has 1,740 numbers a row
  grid_free(&g);
}

static void contradictions_are_named(void **state) {
  (void)state;
  mus_equality_row row[3] = {{.count = 1, .node = {0}, .direction = {{1, 0, 0}}, .value = 1},
                             {.count = 1, .node = {2}, .direction = {{1, 0, 0}}, .value = 1},
                             {.count = 1, .node = {0}, .direction = {{-1, 0, 0}}, .value = -1}};
  const int given[3] = {7, 8, 9};
  mus_arena arena = {0};
  mus_equalities e;
  assert_int_equal(mus_equalities_create(&arena, 3, 3, 3, row, given, &e), MUS_OK);
  row[2].value = 1;
  assert_int_equal(mus_equalities_create(&arena, 3, 3, 3, row, given, &e), MUS_BAD_INPUT);
  assert_true(strstr(mus_last_error(), "equality 7") || strstr(mus_last_error(), "equality 9"));
  mus_arena_clear(&arena);
}

// x - E^T (E E^T)^-1 E x by the groups' inverses, and what their factors make of it.
static void groups_are_inverted(void **state) {
  (void)state;
  for (int step = 1; step <= 2; ++step) {
    grid g = grid_create(12, step);
    double *x = new_vector(&g, 3), *y = new_vector(&g, 3), *across = calloc((size_t)g.count, sizeof *across);
    double *inverse = calloc((size_t)g.count * (size_t)g.count, sizeof *inverse);
    assert_true(across && inverse);
    for (int r = 0; r < g.count; ++r) // in the order of the factor
      for (int k = 0; k < 9; ++k)
        across[r] += g.e.row[r].direction[k / 3][k % 3] * x[3 * g.e.row[r].node[k / 3] + k % 3];
    for (int group = 0; group < g.e.groups; ++group) {
      int begin = g.e.group[group], size = g.e.group[group + 1] - begin;
      mus_equalities_invert(&g.e, 0, group, inverse);
      for (int i = 0; i < size; ++i)
        for (int j = 0; j < size; ++j) {
          const mus_equality_row *row = &g.e.row[begin + i];
          assert_true(fabs(inverse[i * size + j] - inverse[j * size + i]) <= 1e-12 * fabs(inverse[i * size + i]));
          for (int k = 0; k < 9; ++k)
            x[3 * row->node[k / 3] + k % 3] -= row->direction[k / 3][k % 3] * inverse[i * size + j] * across[begin + j];
        }
    }
    mus_equalities_project(&g.e, y);
    assert_true(dense_difference(3 * g.nodes, x, y) < 1e-11);
    mus_free(x), mus_free(y), free(across), free(inverse);
    grid_free(&g);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(projections_hold_and_repeat),
                                     cmocka_unit_test(diagonals_are_inverted_beside_equalities),
                                     cmocka_unit_test(groups_are_inverted), cmocka_unit_test(the_envelope_stays_narrow),
                                     cmocka_unit_test(contradictions_are_named)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
