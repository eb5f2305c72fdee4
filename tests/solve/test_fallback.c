// What takes over where a solve stagnates: when, from where, for how long, and what is told of it.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "par/vector.h"
#include "support/given.h"

// A plate that bends, as one unknown per node, whose unit differs from node to node: aggregates move their nodes alike,
// which is not what it hardly resists.
enum { SIDE = 40, NODES = SIDE * SIDE, NEAR = 13 };

typedef struct grid {
  int row_start[NODES + 1], column[NEAR * NODES];
  double values[NEAR * NODES], b[NODES], x[NODES];
} grid;

// Of the Laplacian, zero outside.
static double laplacian(int x, int y) {
  int apart = abs(x) + abs(y);
  return apart == 0 ? 4 : apart == 1 ? -1 : 0;
}

static double unit(int node) { return pow(10, mus_random(17, (uint64_t)node)); } // 0.1 to 10

static double bending(int i, int j) {
  double sum = 0;
  for (int k = 0; k < NODES; ++k) {
    int x = k % SIDE, y = k / SIDE;
    if (abs(x - i % SIDE) <= 1 && abs(y - i / SIDE) <= 1)
      sum += laplacian(x - i % SIDE, y - i / SIDE) * laplacian(x - j % SIDE, y - j / SIDE);
    if (y > i / SIDE + 1)
      break;
  }
  return sum;
}

static grid *grid_create(void) {
  static const int step[NEAR][2] = {{0, -2}, {-1, -1}, {0, -1}, {1, -1}, {-2, 0}, {-1, 0}, {0, 0},
                                    {1, 0},  {2, 0},   {-1, 1}, {0, 1},  {1, 1},  {0, 2}};
  grid *g = calloc(1, sizeof *g);
  assert_non_null(g);
  int used = 0;
  for (int i = 0; i < NODES; ++i) {
    for (int k = 0; k < NEAR; ++k) {
      int x = i % SIDE + step[k][0], y = i / SIDE + step[k][1], j = y * SIDE + x;
      if (x < 0 || x >= SIDE || y < 0 || y >= SIDE)
        continue;
      g->column[used] = j;
      g->values[used++] = bending(i, j) * unit(i) * unit(j);
    }
    g->row_start[i + 1] = used;
    g->b[i] = mus_random(3, (uint64_t)i);
  }
  return g;
}

static given grid_given(const grid *g) {
  return (given){.rows = NODES,
                 .block = 1,
                 .n = NODES,
                 .row_start = g->row_start,
                 .column = g->column,
                 .values = g->values,
                 .b = g->b};
}

// Settings that are too weak for such a grid.
static mus_solver_options weak_options(void) {
  mus_solver_options options = mus_default_solver_options();
  options.tolerance = 1e-10;
  options.threads = 1;
  options.sa.smooth_prolongator = 0;
  options.multigrid.smoother_order = 1;
  return options;
}

static void the_default_is_fast_and_falls_back(void **state) {
  (void)state;
  mus_solver_options usual = mus_default_solver_options(), fast = mus_preset_solver_options(MUS_PRESET_FAST);
  assert_int_equal(usual.preset, MUS_PRESET_FAST);
  assert_int_equal(usual.method, fast.method);
  assert_int_equal(usual.precision, fast.precision);
  assert_int_equal(usual.setup, fast.setup);
  assert_int_equal(usual.sa.motions, fast.sa.motions);
  assert_int_equal(usual.multigrid.cycle, fast.multigrid.cycle);
  assert_int_equal(usual.multigrid.smoother_order, fast.multigrid.smoother_order);
  assert_true(usual.tolerance == fast.tolerance && usual.sa.strength == fast.sa.strength);
  assert_int_equal(usual.fall_back, 1);
  assert_int_equal(mus_preset_solver_options(MUS_PRESET_ROBUST).fall_back, 1);
  assert_int_equal(mus_preset_solver_options(MUS_PRESET_PAPER).fall_back, 0);
  assert_string_equal(mus_fall_back_name(MUS_FALL_BACK_NONE), "none");
  assert_string_equal(mus_fall_back_name(MUS_FALL_BACK_DIRECT), "direct");
  assert_null(mus_fall_back_name((mus_fall_back)4));
  assert_null(mus_fall_back_name((mus_fall_back)-1));
}

// Nothing takes over in what the default suits.
static void cloth_needs_nothing_else(void **state) {
  (void)state;
  sheet_system sheet = given_cloth(31);
  given g = given_sheet(&sheet);
  mus_solver_options options = mus_default_solver_options();
  mus_solver *solver = given_solver(&g, &options);
  double *x = malloc((size_t)g.n * sizeof *x);
  given_solve(solver, &g, x);
  const mus_solve_record *r = mus_solver_record(solver);
  assert_int_equal(r->fall_back, MUS_FALL_BACK_NONE);
  assert_null(r->fall_back_reason);
  assert_int_equal(r->fall_backs, 0);
  assert_int_equal(r->method, MUS_METHOD_SA);
  free(x);
  mus_solver_free(solver);
  sheet_system_free(&sheet);
}

// A hard system takes far longer without. With, it is solved for little more than its price, whatever it stops by.
static void what_stagnates_is_taken_over(void **state) {
  (void)state;
  grid *c = grid_create();
  given g = grid_given(c);
  for (int stop = 0; stop <= MUS_STOP_ENERGY; ++stop)
    for (int guess = 0; guess < 2; ++guess) {
      mus_solver_options options = weak_options();
      options.stop = (mus_stop)stop;
      mus_solver *solver = given_solver(&g, &options);
      for (int i = 0; i < NODES; ++i)
        c->x[i] = guess * 1e-3 * mus_random(5, (uint64_t)i);
      assert_int_equal(mus_solver_solve(solver, g.b, c->x), MUS_OK);
      const mus_solve_record *r = mus_solver_record(solver);
      assert_true(r->fall_back >= MUS_FALL_BACK_ROBUST);
      assert_string_equal(r->fall_back_reason, "stagnation");
      assert_int_equal(r->fall_backs, 1);
      assert_int_equal(r->method, r->fall_back == MUS_FALL_BACK_DIRECT ? MUS_METHOD_CHOLMOD : MUS_METHOD_SA);
      assert_true(r->residuals[r->iterations] <= options.tolerance * r->reference);
      double taken = r->work;
      mus_solver_free(solver);
      options.fall_back = 0;
      solver = given_solver(&g, &options);
      for (int i = 0; i < NODES; ++i)
        c->x[i] = guess * 1e-3 * mus_random(5, (uint64_t)i);
      mus_status status = mus_solver_solve(solver, g.b, c->x);
      r = mus_solver_record(solver);
      assert_true(status == MUS_OK || status == MUS_NOT_CONVERGED);
      assert_int_equal(r->fall_back, MUS_FALL_BACK_NONE);
      assert_true(taken < 0.7 * r->work);
      mus_solver_free(solver);
    }
  free(c);
}

// Solves to come begin with what was needed, and try less again from time to time: less often each time.
static void what_was_needed_is_kept_for_a_while(void **state) {
  (void)state;
  grid *c = grid_create();
  given g = grid_given(c);
  mus_solver_options options = weak_options();
  mus_solver *solver = given_solver(&g, &options);
  int stagnated[3] = {0}, found = 0;
  for (int solve = 0; solve < 20 && found < 3; ++solve) {
    assert_int_equal(mus_solver_set_values(solver, g.values), MUS_OK);
    given_solve(solver, &g, c->x);
    const mus_solve_record *r = mus_solver_record(solver);
    assert_true(r->fall_back >= MUS_FALL_BACK_ROBUST);
    assert_int_equal(r->fall_backs, solve + 1);
    if (strcmp(r->fall_back_reason, "stagnation") == 0)
      stagnated[found++] = solve;
    else
      assert_string_equal(r->fall_back_reason, "earlier");
  }
  assert_int_equal(found, 3);
  assert_int_equal(stagnated[1] - stagnated[0], 5);
  assert_int_equal(stagnated[2] - stagnated[1], 9);
  mus_solver_free(solver);
  free(c);
}

// A system that has become easy is solved by what was asked for again.
static void easy_systems_end_it(void **state) {
  (void)state;
  grid *hard = grid_create(), *easy = grid_create();
  given g = grid_given(hard);
  mus_solver_options options = weak_options();
  mus_solver *solver = given_solver(&g, &options);
  given_solve(solver, &g, hard->x);
  assert_true(mus_solver_record(solver)->fall_back >= MUS_FALL_BACK_ROBUST);
  for (int i = 0; i < NODES; ++i) // nearly diagonal
    for (int k = easy->row_start[i]; k < easy->row_start[i + 1]; ++k)
      easy->values[k] *= easy->column[k] == i ? 1 : 0.1;
  for (int solve = 0; solve < 5; ++solve) {
    assert_int_equal(mus_solver_set_values(solver, easy->values), MUS_OK);
    given_solve(solver, &g, hard->x);
  }
  assert_int_equal(mus_solver_record(solver)->fall_back, MUS_FALL_BACK_NONE);
  assert_int_equal(mus_solver_record(solver)->method, MUS_METHOD_SA);
  mus_solver_free(solver);
  free(hard), free(easy);
}

// The limit that was asked for holds for all of it.
static void the_limit_is_kept(void **state) {
  (void)state;
  grid *c = grid_create();
  given g = grid_given(c);
  mus_solver_options options = weak_options();
  options.iterations = 40;
  mus_solver *solver = given_solver(&g, &options);
  memset(c->x, 0, sizeof c->x);
  assert_int_equal(mus_solver_solve(solver, g.b, c->x), MUS_NOT_CONVERGED);
  assert_int_equal(mus_solver_record(solver)->iterations, 40);
  mus_solver_free(solver);
  free(c);
}

static void the_same_bits_on_any_number_of_threads_and_after_recalling(void **state) {
  (void)state;
  grid *c = grid_create();
  given g = grid_given(c);
  double *first = malloc(NODES * sizeof *first);
  for (int threads = 1; threads <= 3; ++threads) {
    mus_solver_options options = weak_options();
    options.threads = threads;
    mus_solver *solver = given_solver(&g, &options);
    for (int solve = 0; solve < 3; ++solve) {
      if (solve == 2) { // go on with another
        const void *bytes;
        size_t size;
        assert_int_equal(mus_solver_remember(solver, &bytes, &size), MUS_OK);
        mus_solver *other = given_solver(&g, &options);
        assert_int_equal(mus_solver_recall(other, bytes, size), MUS_OK);
        if (threads == 2) {
          mus_solver_free(solver);
          solver = other;
        } else {
          mus_solver_free(other);
        }
      }
      assert_int_equal(mus_solver_set_values(solver, g.values), MUS_OK);
      given_solve(solver, &g, c->x);
    }
    assert_string_equal(mus_solver_record(solver)->fall_back_reason, "earlier");
    if (threads == 1)
      memcpy(first, c->x, sizeof c->x);
    else
      assert_memory_equal(first, c->x, sizeof c->x);
    mus_solver_free(solver);
  }
  free(first);
  free(c);
}

// A matrix that is not positive definite is told as such, not solved.
static void indefinite_matrices_are_told(void **state) {
  (void)state;
  grid *c = grid_create();
  given g = grid_given(c);
  for (int k = c->row_start[700]; k < c->row_start[701]; ++k)
    c->values[k] *= c->column[k] == 700 ? -1 : 1;
  mus_solver_options options = mus_default_solver_options();
  mus_solver *solver = given_solver(&g, &options);
  memset(c->x, 0, sizeof c->x);
  assert_int_equal(mus_solver_solve(solver, g.b, c->x), MUS_BREAKDOWN);
  mus_solver_free(solver);
  free(c);
}

static void failing_allocations_do_no_harm(void **state) {
  (void)state;
  grid *c = grid_create();
  given g = grid_given(c);
  mus_solver_options options = weak_options();
  mus_status status = MUS_OUT_OF_MEMORY;
  int tries = 0;
  for (long after = 1; status; after += 1 + after / 8, ++tries) {
    mus_solver *solver = given_solver(&g, &options);
    memset(c->x, 0, sizeof c->x);
    mus_memory_fail_after(after);
    status = mus_solver_solve(solver, g.b, c->x);
    mus_memory_fail_after(-1);
    assert_true(status == MUS_OK || status == MUS_OUT_OF_MEMORY);
    if (status) {
      memset(c->x, 0, sizeof c->x);
      assert_int_equal(mus_solver_solve(solver, g.b, c->x), MUS_OK);
    }
    mus_solver_free(solver);
  }
  assert_true(tries > 3);
  free(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_default_is_fast_and_falls_back),
      cmocka_unit_test(cloth_needs_nothing_else),
      cmocka_unit_test(what_stagnates_is_taken_over),
      cmocka_unit_test(what_was_needed_is_kept_for_a_while),
      cmocka_unit_test(easy_systems_end_it),
      cmocka_unit_test(the_limit_is_kept),
      cmocka_unit_test(the_same_bits_on_any_number_of_threads_and_after_recalling),
      cmocka_unit_test(indefinite_matrices_are_told),
      cmocka_unit_test(failing_allocations_do_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
