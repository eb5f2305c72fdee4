// The public solver over its life: what is set up again and what is not, several threads, several solvers, and memory
// that runs out anywhere on the way.
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "support/given.h"

static sheet_system make_sheet(int side) {
  sheet_options options = sheet_default_options();
  options.side = side;
  options.irregular = 1;
  sheet_system sheet;
  assert_int_equal(sheet_system_create(&options, &sheet), MUS_OK);
  return sheet;
}

static double *new_vector(const given *g) {
  double *x = calloc((size_t)g->n, sizeof *x);
  assert_non_null(x);
  return x;
}

// --- set-up kinds ---------------------------------------------------------------------------------------------------

// Long chains of nodes, stiff along one direction of a square grid and soft along the other: which nodes belong
// together follows the stiff direction.
enum { SIDE = 24, GRID = SIDE * SIDE };

typedef struct grid {
  int row_start[GRID + 1], column[5 * GRID];
  double values[5 * GRID], b[GRID];
} grid;

static grid *grid_create(void) {
  grid *g = calloc(1, sizeof *g);
  assert_non_null(g);
  for (int i = 0, blocks = 0; i < GRID; ++i) {
    const int other[5] = {i - SIDE, i % SIDE > 0 ? i - 1 : -1, i, i % SIDE < SIDE - 1 ? i + 1 : -1, i + SIDE};
    for (int k = 0; k < 5; ++k)
      if (other[k] >= 0 && other[k] < GRID)
        g->column[blocks++] = other[k];
    g->row_start[i + 1] = blocks;
    g->b[i] = mus_random(1, (uint64_t)i);
  }
  return g;
}

static void grid_fill(grid *g, double along, double across) {
  for (int i = 0; i < GRID; ++i)
    for (int k = g->row_start[i]; k < g->row_start[i + 1]; ++k) {
      int apart = abs(g->column[k] - i);
      g->values[k] = apart == 0 ? 2 * along + 2 * across + 0.01 : apart == 1 ? -along : -across;
    }
}

static given grid_given(const grid *g) {
  return (given){.rows = GRID,
                 .block = 1,
                 .n = GRID,
                 .row_start = g->row_start,
                 .column = g->column,
                 .values = g->values,
                 .b = g->b};
}

// What tells a hierarchy from others: its aggregates by the rows of its levels, its numbers by the radii.
static int same_aggregates(const mus_solve_record *a, const mus_solve_record *b) {
  int same = a->levels == b->levels;
  for (int k = 0; k < a->levels && same; ++k)
    same = a->level[k].rows == b->level[k].rows && a->level[k].nonzeros == b->level[k].nonzeros;
  return same;
}

static int same_numbers(const mus_solve_record *a, const mus_solve_record *b) {
  int same = a->levels == b->levels;
  for (int k = 0; k < a->levels && same; ++k)
    same = a->level[k].spectral_radius == b->level[k].spectral_radius;
  return same;
}

static mus_solve_record solved(mus_solver *solver, const given *g, double *x) {
  given_solve(solver, g, x);
  return *mus_solver_record(solver);
}

// From a matrix that is isotropic to one that is not: aggregates are kept or not, numbers are kept or not.
static void set_up_kinds_keep_what_they_say(void **state) {
  (void)state;
  grid *isotropic = grid_create(), *turned = grid_create();
  grid_fill(isotropic, 1, 1);
  grid_fill(turned, 1000, 1);
  given first = grid_given(isotropic), second = grid_given(turned);
  double x[GRID], expected[GRID];
  mus_solver_options options = given_options(MUS_METHOD_SA, 1e-10);
  options.fall_back = 0; // a hierarchy of another matrix stagnates
  mus_solver *fresh = given_solver(&second, &options);
  mus_solve_record right = solved(fresh, &second, expected);
  mus_solver_free(fresh);
  for (int setup = 0; setup < 3; ++setup)
    for (int precision = 0; precision < 2; ++precision) {
      options.setup = (mus_setup)setup;
      options.precision = (mus_precision)precision;
      mus_solver *solver = given_solver(&first, &options);
      mus_solve_record before = solved(solver, &first, x);
      assert_false(same_aggregates(&before, &right));
      assert_int_equal(mus_solver_set_values(solver, second.values), MUS_OK);
      mus_solve_record after = solved(solver, &second, x);
      assert_true(dense_difference(GRID, x, expected) < 1e-7);
      assert_int_equal(same_aggregates(&after, setup == MUS_SETUP_FULL ? &right : &before), 1);
      assert_int_equal(same_numbers(&after, &before), setup == MUS_SETUP_REUSE);
      assert_true(setup != MUS_SETUP_REUSE || after.iterations > right.iterations);
      mus_solver_free(solver);
    }
  free(isotropic), free(turned);
}

// Directions and targets may turn, and more may be held: aggregates stay. Where what was held from the start is
// released, they are made anew, once, and from then on nothing that comes and goes changes them.
static void aggregates_outlive_constraints(void **state) {
  (void)state;
  sheet_system sheet = make_sheet(20);
  given g = given_sheet(&sheet);
  double *x = new_vector(&g), *expected = new_vector(&g);
  mus_constraint *more = malloc((size_t)g.rows * sizeof *more);
  assert_non_null(more);
  for (int i = 0; i < g.rows; ++i)
    more[i] = (mus_constraint){.node = i, .count = 1, .direction = {{0, 1, 0}}, .value = {0.01}};
  for (int k = 0; k < g.count; ++k)
    more[sheet.constraint[k].node].count = 3, more[sheet.constraint[k].node].direction[1][0] = 1,
    more[sheet.constraint[k].node].direction[2][2] = 1;
  mus_solver_options options = given_options(MUS_METHOD_SA, 1e-10);
  mus_solver *solver = given_solver(&g, &options);
  mus_solve_record first = solved(solver, &g, x), before = first;
  assert_true(first.level[0].special > 0);
  const struct {
    int count;
    const mus_constraint *constraint;
    int anew;
  } step[] = {
      {g.count, g.constraint, 0}, {g.rows, more, 0},    {g.count, g.constraint, 0}, {g.count / 2, g.constraint, 1},
      {g.count, g.constraint, 0}, {0, g.constraint, 0}, {g.rows, more, 0}};
  for (size_t k = 0; k < sizeof step / sizeof *step; ++k) {
    assert_int_equal(mus_solver_set_constraints(solver, step[k].count, step[k].constraint), MUS_OK);
    mus_solve_record now = solved(solver, &g, x);
    assert_int_equal(same_aggregates(&now, &before), !step[k].anew);
    given held = g;
    held.count = step[k].count, held.constraint = step[k].constraint;
    mus_solver *fresh = given_solver(&held, &options);
    mus_solve_record other = solved(fresh, &held, expected);
    assert_true(dense_difference(g.n, x, expected) < 1e-7);
    assert_true(now.iterations <= other.iterations + 3);
    mus_solver_free(fresh);
    before = now;
  }
  mus_solver_free(solver);
  free(x), free(expected), free(more);
  sheet_system_free(&sheet);
}

// A second right-hand side costs no set-up, with any method. Best of three, because a machine may look away.
static void a_second_right_hand_side_is_free(void **state) {
  (void)state;
  sheet_system sheet = make_sheet(40);
  given g = given_sheet(&sheet);
  double *x = new_vector(&g);
  const mus_method methods[] = {MUS_METHOD_SA, MUS_METHOD_DIAG, MUS_METHOD_MPCG, MUS_METHOD_CHOLMOD};
  for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m)
    for (int setup = 0; setup < 3; ++setup) {
      if (!mus_method_available(methods[m]))
        continue;
      mus_solver_options options = given_options(methods[m], 1e-4);
      options.setup = (mus_setup)setup;
      mus_solver *solver = given_solver(&g, &options);
      double first = solved(solver, &g, x).setup_seconds, later = 1e9;
      for (int k = 0; k < 3; ++k)
        later = fmin(later, solved(solver, &g, x).setup_seconds);
      assert_true(first > 0 && later < 0.1 * first);
      mus_solver_free(solver);
    }
  free(x);
  sheet_system_free(&sheet);
}

// Nor any allocation: what a solve needs beyond the first is there.
static void later_solves_allocate_nothing(void **state) {
  (void)state;
  sheet_system sheet = make_sheet(20);
  given g = given_sheet(&sheet);
  double *x = new_vector(&g), *again = new_vector(&g);
  const mus_method methods[] = {MUS_METHOD_SA, MUS_METHOD_DIAG, MUS_METHOD_MPCG, MUS_METHOD_MPCG_ORIGINAL};
  for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) {
    mus_solver_options options = given_options(methods[m], 1e-6);
    mus_solver *solver = given_solver(&g, &options);
    given_solve(solver, &g, x);
    mus_memory_fail_after(0);
    memset(again, 0, (size_t)g.n * sizeof *again);
    mus_status status = mus_solver_solve(solver, g.b, again);
    mus_memory_fail_after(-1);
    assert_int_equal(status, MUS_OK);
    assert_memory_equal(x, again, (size_t)g.n * sizeof *x);
    mus_solver_free(solver);
  }
  free(x), free(again);
  sheet_system_free(&sheet);
}

// A call that fails changes nothing, so the next solve finds its hierarchy as it was.
static void coordinates_that_find_no_memory_cost_no_set_up(void **state) {
  (void)state;
  sheet_system sheet = make_sheet(20);
  given g = given_sheet(&sheet);
  double *x = new_vector(&g), *again = new_vector(&g);
  mus_solver_options options = given_options(MUS_METHOD_SA, 1e-6);
  mus_solver *solver = NULL;
  assert_int_equal(mus_solver_create(&options, &solver), MUS_OK);
  assert_int_equal(mus_solver_set_pattern(solver, g.rows, g.block, g.row_start, g.column), MUS_OK);
  assert_int_equal(mus_solver_set_values(solver, g.values), MUS_OK);
  assert_int_equal(mus_solver_solve(solver, g.b, x), MUS_OK);
  mus_memory_fail_after(0);
  mus_status refused = mus_solver_set_coordinates(solver, g.positions);
  assert_int_equal(refused, MUS_OUT_OF_MEMORY);
  mus_status status = mus_solver_solve(solver, g.b, again); // whoever set up anew would need memory
  mus_memory_fail_after(-1);
  assert_int_equal(status, MUS_OK);
  assert_memory_equal(x, again, (size_t)g.n * sizeof *x);
  mus_solver_free(solver);
  free(x), free(again);
  sheet_system_free(&sheet);
}

// --- threads --------------------------------------------------------------------------------------------------------

static void threads_change_no_bits(void **state) {
  (void)state;
  sheet_system sheet = make_sheet(40);
  given g = given_sheet(&sheet);
  double *one = new_vector(&g), *many = new_vector(&g);
  for (int method = 0; method < MUS_METHODS; ++method)
    for (int precision = 0; precision < 2; ++precision) {
      if (!mus_method_available((mus_method)method) || method == MUS_METHOD_GAMG || method == MUS_METHOD_BOOMERAMG ||
          method == MUS_METHOD_AMGCL)
        continue; // they make no such promise
      mus_solver_options options = given_options((mus_method)method, 1e-6);
      options.precision = (mus_precision)precision;
      options.threads = 1;
      mus_solver *solver = given_solver(&g, &options);
      given_solve(solver, &g, one);
      mus_solver_free(solver);
      for (options.threads = 2; options.threads <= 7; options.threads += 5) {
        solver = given_solver(&g, &options);
        given_solve(solver, &g, many);
        assert_memory_equal(one, many, (size_t)g.n * sizeof *one);
        mus_solver_free(solver);
      }
    }
  free(one), free(many);
  sheet_system_free(&sheet);
}

typedef struct worker {
  pthread_t thread;
  const given *system;
  mus_solver_options options;
  double *x;
  mus_status status;
  char text[200]; // the thread's own error text
} worker;

// A few solves in a row; then one that fails, for the text of this thread.
static void *work(void *argument) {
  worker *w = argument;
  for (int round = 0; round < 3 && !w->status; ++round) {
    mus_solver *solver = NULL;
    w->status = mus_solver_create(&w->options, &solver);
    if (!w->status)
      w->status = mus_solver_set_pattern(solver, w->system->rows, 3, w->system->row_start, w->system->column);
    if (!w->status)
      w->status = given_levels(solver, w->options.method, w->system->rows);
    if (!w->status)
      w->status = mus_solver_set_values(solver, w->system->values);
    if (!w->status)
      w->status = mus_solver_set_coordinates(solver, w->system->positions);
    if (!w->status)
      w->status = mus_solver_set_constraints(solver, w->system->count, w->system->constraint);
    memset(w->x, 0, (size_t)w->system->n * sizeof *w->x);
    if (!w->status)
      w->status = mus_solver_solve(solver, w->system->b, w->x);
    if (!w->status && mus_solver_set_kernel(solver, 100 + (int)w->options.method, w->x) == MUS_BAD_INPUT)
      strncpy(w->text, mus_last_error(), sizeof w->text - 1);
    mus_solver_free(solver);
  }
  return NULL;
}

// Solvers at the same time, of every method, do what each does alone, and each thread has its own error text.
static void solvers_do_not_disturb_each_other(void **state) {
  (void)state;
  sheet_system sheet = make_sheet(24);
  given g = given_sheet(&sheet);
  const mus_method methods[] = {MUS_METHOD_SA,   MUS_METHOD_SA,      MUS_METHOD_DIAG,
                                MUS_METHOD_MPCG, MUS_METHOD_CHOLMOD, MUS_METHOD_AUTO};
  enum { WORKERS = sizeof methods / sizeof *methods };
  worker w[WORKERS];
  double *alone[WORKERS];
  for (int k = 0; k < WORKERS; ++k) {
    mus_method method = mus_method_available(methods[k]) ? methods[k] : MUS_METHOD_DIAG;
    w[k] = (worker){.system = &g, .options = given_options(method, 1e-6), .x = new_vector(&g)};
    w[k].options.threads = 1 + k % 2;
    w[k].options.precision = k == 1 ? MUS_PRECISION_SINGLE : MUS_PRECISION_DOUBLE;
    alone[k] = new_vector(&g);
    mus_solver *solver = given_solver(&g, &w[k].options);
    given_solve(solver, &g, alone[k]);
    mus_solver_free(solver);
  }
  for (int k = 0; k < WORKERS; ++k)
    assert_int_equal(pthread_create(&w[k].thread, NULL, work, &w[k]), 0);
  for (int k = 0; k < WORKERS; ++k) {
    char number[32];
    pthread_join(w[k].thread, NULL);
    assert_int_equal(w[k].status, MUS_OK);
    assert_memory_equal(w[k].x, alone[k], (size_t)g.n * sizeof(double));
    snprintf(number, sizeof number, "%d near", 100 + (int)w[k].options.method);
    assert_non_null(strstr(w[k].text, number));
    free(w[k].x), free(alone[k]);
  }
  sheet_system_free(&sheet);
}

// --- memory ---------------------------------------------------------------------------------------------------------

// The calls of a life, each of which can run out of memory.
enum { CREATE, PATTERN, VALUES, COORDINATES, CONSTRAINTS, SOLVE, NEW_VALUES, SOLVE_AGAIN, KERNEL, SOLVE_KERNEL, CALLS };

static mus_status live(int call, const given *g, const mus_solver_options *options, mus_solver **solver, double *x) {
  switch (call) {
  case CREATE:
    return mus_solver_create(options, solver);
  case PATTERN:
    return mus_solver_set_pattern(*solver, g->rows, g->block, g->row_start, g->column);
  case VALUES:
  case NEW_VALUES:
    return mus_solver_set_values(*solver, g->values);
  case COORDINATES:
    return mus_solver_set_coordinates(*solver, g->positions);
  case CONSTRAINTS:
    return mus_solver_set_constraints(*solver, g->count, g->constraint);
  case KERNEL:
    return mus_solver_set_kernel(*solver, 1, g->b);
  default:
    return mus_solver_solve(*solver, g->b, x);
  }
}

// A life in which the allocation number `failing` and all after it fail until a call has said so. That call is made
// again and must work. Returns 1 when a call failed.
static int one_life(const given *g, const mus_solver_options *options, long failing, double *x, double *guess) {
  mus_solver *solver = NULL;
  int failures = 0;
  mus_memory_fail_after(failing);
  for (int call = 0; call < CALLS; ++call) {
    memcpy(x, guess, (size_t)g->n * sizeof *x);
    mus_status status = live(call, g, options, &solver, x);
    if (status == MUS_OK)
      continue;
    mus_memory_fail_after(-1);
    expect_status(MUS_OUT_OF_MEMORY, "memory", status);
    assert_memory_equal(x, guess, (size_t)g->n * sizeof *x);
    assert_int_equal(failures++, 0);
    status = live(call, g, options, &solver, x);
    if (status != MUS_OK)
      fail_msg("call %d fails after a failed allocation: %s", call, mus_last_error());
  }
  mus_memory_fail_after(-1);
  mus_solver_free(solver);
  return failures;
}

static void memory_may_run_out_anywhere(void **state) {
  (void)state;
  sheet_system sheet = make_sheet(7);
  given g = given_sheet(&sheet);
  double *x = new_vector(&g), *right = new_vector(&g), *guess = new_vector(&g);
  const mus_method methods[] = {MUS_METHOD_SA, MUS_METHOD_DIAG, MUS_METHOD_MPCG, MUS_METHOD_CHOLMOD, MUS_METHOD_AUTO};
  for (int i = 0; i < g.n; ++i)
    guess[i] = mus_random(6, (uint64_t)i);
  for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m)
    for (int precision = 0; precision < (methods[m] == MUS_METHOD_SA ? 2 : 1); ++precision) {
      if (!mus_method_available(methods[m]))
        continue;
      mus_solver_options options = given_options(methods[m], 1e-6);
      options.precision = (mus_precision)precision;
      options.multigrid.bottom = 40;
      options.recycle = 4;
      one_life(&g, &options, -1, right, guess);
      long allocations = 0;
      while (one_life(&g, &options, allocations, x, guess)) {
        assert_memory_equal(x, right, (size_t)g.n * sizeof *x);
        ++allocations;
      }
      assert_true(allocations > 10);
    }
  free(x), free(right), free(guess);
  sheet_system_free(&sheet);
}

static int end_failing(void **state) {
  (void)state;
  mus_memory_fail_after(-1);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(set_up_kinds_keep_what_they_say),
      cmocka_unit_test(aggregates_outlive_constraints),
      cmocka_unit_test(a_second_right_hand_side_is_free),
      cmocka_unit_test_teardown(later_solves_allocate_nothing, end_failing),
      cmocka_unit_test_teardown(coordinates_that_find_no_memory_cost_no_set_up, end_failing),
      cmocka_unit_test(threads_change_no_bits),
      cmocka_unit_test(solvers_do_not_disturb_each_other),
      cmocka_unit_test_teardown(memory_may_run_out_anywhere, end_failing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
