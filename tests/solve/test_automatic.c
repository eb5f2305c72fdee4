// The choice among methods: block-Jacobi where that is enough, smoothed aggregation where it pays, a direct solve where
// nothing else helps; the same choice on every run and for any number of threads.
//
// What costs how much is calibrated elsewhere: the systems here are far on one side or the other.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "solve/method.h"
#include "support/given.h"

// A chain of nodes joined by springs of stiffness 1, each with some mass: block-Jacobi needs as many iterations as
// there are nodes when the mass is small, and a handful when it is large.
enum { NODES = 2000 };

typedef struct chain {
  int row_start[NODES + 1], column[3 * NODES];
  double values[3 * NODES], b[NODES], x[NODES];
} chain;

static const double heavy = 100, light = 1e-9;

static chain *chain_create(double mass) {
  chain *c = calloc(1, sizeof *c);
  assert_non_null(c);
  for (int i = 0, blocks = 0; i < NODES; c->row_start[++i] = blocks) {
    c->b[i] = i % 7 == 0;
    for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < NODES; ++j) {
      c->column[blocks] = j;
      c->values[blocks++] = j == i ? 2 + mass : -1;
    }
  }
  return c;
}

static given chain_given(const chain *c) {
  return (given){.rows = NODES,
                 .block = 1,
                 .n = NODES,
                 .row_start = c->row_start,
                 .column = c->column,
                 .values = c->values,
                 .b = c->b};
}

static mus_method method_of(mus_solver *solver, const given *g, double *x) {
  given_solve(solver, g, x);
  return mus_solver_record(solver)->method;
}

static void easy_systems_get_block_jacobi(void **state) {
  (void)state;
  chain *c = chain_create(heavy);
  given g = chain_given(c);
  mus_solver_options options = given_options(MUS_METHOD_AUTO, 1e-6);
  mus_solver *solver = given_solver(&g, &options);
  for (int step = 0; step < 40; ++step) {
    assert_int_equal(mus_solver_set_values(solver, g.values), MUS_OK);
    assert_int_equal(method_of(solver, &g, c->x), MUS_METHOD_DIAG);
    assert_int_equal(mus_solver_record(solver)->levels, 0);
  }
  mus_solver_free(solver);
  free(c);
  random_system system = random_system_create(12, 3, 4);
  g = given_random(&system);
  solver = given_solver(&g, &options);
  double x[36];
  assert_int_equal(method_of(solver, &g, x), MUS_METHOD_DIAG);
  mus_solver_free(solver);
  random_system_free(&system);
}

// The first solve may find out by trying; its own answer must be right all the same, and the next ones know.
static void stiff_systems_get_smoothed_aggregation(void **state) {
  (void)state;
  chain *c = chain_create(light);
  given g = chain_given(c);
  mus_solver_options options = given_options(MUS_METHOD_AUTO, 1e-6);
  mus_solver *solver = given_solver(&g, &options);
  for (int step = 0; step < 20; ++step) {
    assert_int_equal(mus_solver_set_values(solver, g.values), MUS_OK);
    assert_int_equal(method_of(solver, &g, c->x), MUS_METHOD_SA);
    const mus_solve_record *record = mus_solver_record(solver);
    assert_true(record->levels > 1 && record->iterations < 200);
    assert_true(record->residuals[record->iterations] <= 1e-6 * record->reference);
  }
  mus_solver_free(solver);
  free(c);
}

// Looking at an iteration does not start it anew: what block-Jacobi finishes has the bits of block-Jacobi alone.
static void what_is_looked_at_goes_on_as_it_was(void **state) {
  (void)state;
  chain *c = chain_create(0.002), *alone = chain_create(0.002);
  given g = chain_given(c), same = chain_given(alone);
  mus_solver_options options = given_options(MUS_METHOD_AUTO, 1e-6);
  options.precision = MUS_PRECISION_SINGLE;
  options.sa.motions = MUS_MOTIONS_AUTO;
  options.multigrid.cycle = MUS_CYCLE_V;
  mus_solver *solver = given_solver(&g, &options);
  options.method = MUS_METHOD_DIAG;
  mus_solver *plain = given_solver(&same, &options);
  assert_int_equal(method_of(solver, &g, c->x), MUS_METHOD_DIAG);
  assert_int_equal(method_of(plain, &same, alone->x), MUS_METHOD_DIAG);
  assert_in_range(mus_solver_record(plain)->iterations, 200, 800); // it is looked at before 150
  assert_int_equal(mus_solver_record(solver)->iterations, mus_solver_record(plain)->iterations);
  assert_memory_equal(c->x, alone->x, sizeof c->x);
  mus_solver_free(solver);
  mus_solver_free(plain);
  free(c);
  free(alone);
}

// What springs between far nodes cost, in products and in set-ups of a hierarchy that takes them in.
static void couplings_count(void **state) {
  (void)state;
  sheet_options sheet = sheet_default_options();
  sheet.side = 31;
  sheet_system s;
  assert_int_equal(sheet_system_create(&sheet, &s), MUS_OK);
  mus_solver_options options = mus_preset_solver_options(MUS_PRESET_FAST);
  mus_system *system;
  unsigned changed;
  assert_int_equal(mus_system_create(s.rows, 3, s.pattern->row_start, s.pattern->column, 1, &system), MUS_OK);
  assert_int_equal(mus_system_set_values(system, s.a.value, &changed), MUS_OK);
  mus_linear_method diag, sa;
  assert_int_equal(mus_linear_method_create(&mus_method_diag, &options, system, &diag), MUS_OK);
  assert_int_equal(mus_linear_method_create(&mus_method_sa, &options, system, &sa), MUS_OK);
  mus_method_cost simple = diag.kind->cost(diag.self), strong = sa.kind->cost(sa.self);
  assert_true(mus_system_coupling(system) == 0 && mus_system_product_cost(system) == 1);
  enum { SPRINGS = 200 };
  static int node[2 * SPRINGS];
  static const double weight[2] = {1, -1};
  mus_coupling spring[SPRINGS];
  for (int k = 0; k < SPRINGS; ++k) {
    node[2 * k] = k;
    node[2 * k + 1] = s.rows - 1 - k;
    spring[k] =
        (mus_coupling){.count = 2, .node = node + 2 * k, .weight = weight, .block = {[0] = 1, [4] = 1, [8] = 1}};
  }
  assert_int_equal(mus_system_set_couplings(system, SPRINGS, spring, &changed), MUS_OK);
  double part = 4.0 * SPRINGS / s.pattern->row_start[s.rows];
  assert_true(fabs(mus_system_coupling(system) - part) < 1e-12);
  mus_method_cost coupled = diag.kind->cost(diag.self);
  assert_true(coupled.iteration > simple.iteration + part && coupled.iteration < simple.iteration + 2 * part);
  coupled = sa.kind->cost(sa.self);
  assert_true(coupled.iteration > strong.iteration && coupled.iterations > strong.iterations);
  assert_true(coupled.setup > strong.setup && coupled.renewal > 1.5 * strong.renewal);
  mus_linear_method_free(&diag);
  mus_linear_method_free(&sa);
  mus_system_free(system);
  sheet_system_free(&s);
}

static void stiff_cloth_gets_smoothed_aggregation(void **state) {
  (void)state;
  sheet_options sheet = sheet_default_options();
  sheet.side = 41;
  sheet.time_step = 1;
  sheet_system system;
  assert_int_equal(sheet_system_create(&sheet, &system), MUS_OK);
  given g = given_sheet(&system);
  double *x = malloc((size_t)g.n * sizeof *x);
  assert_non_null(x);
  mus_solver_options options = given_options(MUS_METHOD_AUTO, 1e-5);
  mus_solver *solver = given_solver(&g, &options);
  for (int step = 0; step < 3; ++step) {
    assert_int_equal(mus_solver_set_values(solver, g.values), MUS_OK);
    assert_int_equal(method_of(solver, &g, x), MUS_METHOD_SA);
  }
  mus_solver_free(solver);
  free(x);
  sheet_system_free(&system);
}

// A hierarchy that is kept costs more than one solve by block-Jacobi, and less than some.
static void what_is_kept_is_paid_for_once(void **state) {
  (void)state;
  sheet_options sheet = sheet_default_options();
  sheet.side = 51;
  sheet_system system;
  assert_int_equal(sheet_system_create(&sheet, &system), MUS_OK);
  given g = given_sheet(&system);
  double *x = calloc((size_t)g.n, sizeof *x);
  assert_non_null(x);
  mus_solver_options options = mus_preset_solver_options(MUS_PRESET_FAST);
  options.method = MUS_METHOD_AUTO;
  mus_solver *solver = given_solver(&g, &options);
  assert_int_equal(method_of(solver, &g, x), MUS_METHOD_DIAG);
  assert_null(mus_solver_record(solver)->setup);
  int solves = 0;
  do {
    assert_in_range(++solves, 1, 10);
    memset(x, 0, (size_t)g.n * sizeof *x);
    assert_int_equal(mus_solver_set_values(solver, g.values), MUS_OK);
  } while (method_of(solver, &g, x) != MUS_METHOD_SA);
  assert_string_equal(mus_solver_record(solver)->setup, "all");
  assert_int_equal(method_of(solver, &g, x), MUS_METHOD_SA); // nothing has changed
  assert_string_equal(mus_solver_record(solver)->setup, "none");
  mus_solver_free(solver);
  free(x);
  sheet_system_free(&system);
}

// A plate that bends, held at its rim, with one unknown per node, whose unit differs from node to node: aggregates
// move their nodes alike, which is not what it hardly resists, and a factor of so few unknowns costs less.
enum { PLATE = 40, NEAR = 13 };

static double laplacian(int x, int y) {
  int apart = abs(x) + abs(y);
  return apart == 0 ? 4 : apart == 1 ? -1 : 0;
}

static void what_a_factor_is_cheaper_for_gets_one(void **state) {
  (void)state;
  if (!mus_method_available(MUS_METHOD_CHOLMOD))
    skip();
  static int row_start[PLATE * PLATE + 1], column[NEAR * PLATE * PLATE];
  static double values[NEAR * PLATE * PLATE], b[PLATE * PLATE], x[PLATE * PLATE];
  int used = 0;
  for (int i = 0; i < PLATE * PLATE; row_start[++i] = used) {
    b[i] = sin(0.7 * i);
    for (int j = 0; j < PLATE * PLATE; ++j) {
      int dx = j % PLATE - i % PLATE, dy = j / PLATE - i / PLATE;
      if (abs(dx) + abs(dy) > 2)
        continue;
      double sum = 0;
      for (int k = -1; k <= 1; ++k)
        for (int l = -1; l <= 1; ++l)
          sum += laplacian(k, l) * laplacian(k - dx, l - dy);
      column[used] = j;
      values[used++] = sum * pow(10, sin(1.7 * i) + sin(1.7 * j)); // units of 0.1 to 10
    }
  }
  given g = {.rows = PLATE * PLATE,
             .block = 1,
             .n = PLATE * PLATE,
             .row_start = row_start,
             .column = column,
             .values = values,
             .b = b};
  mus_solver_options options = mus_default_solver_options();
  options.method = MUS_METHOD_AUTO;
  options.tolerance = 1e-10;
  mus_solver *solver = given_solver(&g, &options);
  for (int step = 0; step < 12; ++step) {
    assert_int_equal(mus_solver_set_values(solver, values), MUS_OK);
    mus_method last = method_of(solver, &g, x);
    if (step >= 10)
      assert_int_equal(last, MUS_METHOD_CHOLMOD);
  }
  mus_solver_free(solver);
}

// What was right once is not right for ever: the choice follows the matrix both ways, in a few dozen solves at most.
static void the_choice_follows_the_matrix(void **state) {
  (void)state;
  chain *hard = chain_create(light), *easy = chain_create(heavy);
  given first = chain_given(hard), second = chain_given(easy);
  mus_solver_options options = given_options(MUS_METHOD_AUTO, 1e-6);
  mus_solver *solver = given_solver(&first, &options);
  for (int turn = 0; turn < 4; ++turn) {
    const given *g = turn % 2 ? &second : &first;
    mus_method wanted = turn % 2 ? MUS_METHOD_DIAG : MUS_METHOD_SA;
    int solves = 0;
    do {
      assert_in_range(++solves, 1, 100);
      assert_int_equal(mus_solver_set_values(solver, g->values), MUS_OK);
    } while (method_of(solver, g, hard->x) != wanted);
  }
  mus_solver_free(solver);
  free(hard), free(easy);
}

// --- what conjugate gradients cannot do -----------------------------------------------------------------------------

// So few iterations that no preconditioner is good enough.
static void a_direct_solve_is_the_last_resort(void **state) {
  (void)state;
  chain *c = chain_create(light);
  given g = chain_given(c);
  mus_solver_options options = given_options(MUS_METHOD_AUTO, 1e-9);
  options.iterations = 2;
  mus_solver *solver = given_solver(&g, &options);
  for (int step = 0; step < 3; ++step) {
    memset(c->x, 0, sizeof c->x);
    mus_status status = mus_solver_solve(solver, g.b, c->x);
    const mus_solve_record *record = mus_solver_record(solver);
    if (mus_method_available(MUS_METHOD_CHOLMOD)) {
      assert_int_equal(status, MUS_OK);
      assert_int_equal(record->method, MUS_METHOD_CHOLMOD);
      assert_int_equal(record->levels, 0); // nothing of the methods that were given up
      assert_true(record->operator_complexity == 1);
      assert_true(record->true_residual <= 1e-9);
    } else {
      assert_int_equal(status, MUS_NOT_CONVERGED);
    }
  }
  mus_solver_free(solver);
  free(c);
}

// A guess far off, on purpose: a method that was given up must not leave its traces in the next one's start.
static void what_is_given_up_leaves_no_trace(void **state) {
  (void)state;
  if (!mus_method_available(MUS_METHOD_CHOLMOD))
    skip();
  chain *c = chain_create(light);
  given g = chain_given(c);
  const struct {
    int iterations;
    mus_method chosen;
  } kind[] = {{10000, MUS_METHOD_SA}, {2, MUS_METHOD_CHOLMOD}};
  for (int k = 0; k < 2; ++k) {
    mus_solver_options options = given_options(MUS_METHOD_AUTO, 1e-8);
    options.stop = MUS_STOP_RHS;
    options.iterations = kind[k].iterations;
    mus_solver *solver = given_solver(&g, &options);
    options.method = kind[k].chosen;
    mus_solver *plain = given_solver(&g, &options);
    double *x = malloc(NODES * sizeof *x);
    assert_non_null(x);
    for (int i = 0; i < NODES; ++i)
      x[i] = c->x[i] = 1e3 * sin(0.1 * i);
    assert_int_equal(mus_solver_solve(solver, g.b, c->x), MUS_OK);
    assert_int_equal(mus_solver_record(solver)->method, kind[k].chosen);
    assert_int_equal(mus_solver_solve(plain, g.b, x), MUS_OK);
    assert_memory_equal(x, c->x, NODES * sizeof *x);
    mus_solver_free(solver);
    mus_solver_free(plain);
    free(x);
  }
  free(c);
}

// Conditions beyond what double precision can resolve by iteration: an answer of whatever kind, or an honest failure.
static void ill_conditioned_systems_are_solved_or_refused(void **state) {
  (void)state;
  random_system system = random_system_create(60, 3, 11);
  given g = given_random(&system);
  double x[180];
  for (int power = 4; power <= 12; power += 4) { // rows and columns scaled up to 10^power apart
    random_system scaled = random_system_create(60, 3, 11);
    for (int i = 0; i < 60; ++i)
      for (int k = scaled.pattern->row_start[i]; k < scaled.pattern->row_start[i + 1]; ++k)
        for (int c = 0; c < 9; ++c) {
          double left = i % 3 == c / 3 ? pow(10, -power / 2.0) : 1;
          double right = scaled.pattern->column[k] % 3 == c % 3 ? pow(10, -power / 2.0) : 1;
          scaled.a.value[9 * k + c] *= left * right;
        }
    g.values = scaled.a.value;
    mus_solver_options options = given_options(MUS_METHOD_AUTO, 1e-10);
    options.iterations = 60;
    mus_solver *solver = given_solver(&g, &options);
    memset(x, 0, sizeof x);
    mus_status status = mus_solver_solve(solver, g.b, x);
    const mus_solve_record *record = mus_solver_record(solver);
    assert_true(status == MUS_OK || status == MUS_NOT_CONVERGED || status == MUS_BREAKDOWN);
    assert_int_equal(record->status, status);
    if (status == MUS_OK)
      assert_true(record->residuals[record->iterations] <= 1e-10 * record->reference);
    mus_solver_free(solver);
    random_system_free(&scaled);
  }
  random_system_free(&system);
}

static void breakdowns_end_the_search(void **state) {
  (void)state;
  chain *c = chain_create(-0.5); // indefinite
  given g = chain_given(c);
  mus_solver_options options = given_options(MUS_METHOD_AUTO, 1e-6);
  mus_solver *solver = given_solver(&g, &options);
  for (int step = 0; step < 3; ++step) {
    memset(c->x, 0, sizeof c->x);
    assert_int_equal(mus_solver_solve(solver, g.b, c->x), MUS_BREAKDOWN);
    assert_int_equal(mus_solver_record(solver)->status, MUS_BREAKDOWN);
  }
  mus_solver_free(solver);
  free(c);
}

// --- always the same ------------------------------------------------------------------------------------------------

enum { STEPS = 24 };

typedef struct history {
  mus_method method[STEPS];
  int iterations[STEPS];
  double last[STEPS];
} history;

// A matrix that goes from easy to hard and back.
static history run_history(int threads) {
  history h;
  memset(&h, 0, sizeof h);
  chain *c = chain_create(heavy);
  given g = chain_given(c);
  mus_solver_options options = given_options(MUS_METHOD_AUTO, 1e-6);
  options.threads = threads;
  mus_solver *solver = given_solver(&g, &options);
  for (int step = 0; step < STEPS; ++step) {
    double mass = heavy * pow(light / heavy, sin(3.14159 * step / STEPS));
    for (int i = 0; i < NODES; ++i)
      for (int k = c->row_start[i]; k < c->row_start[i + 1]; ++k)
        c->values[k] = c->column[k] == i ? 2 + mass : -1;
    assert_int_equal(mus_solver_set_values(solver, g.values), MUS_OK);
    h.method[step] = method_of(solver, &g, c->x);
    h.iterations[step] = mus_solver_record(solver)->iterations;
    h.last[step] = c->x[NODES / 2];
  }
  mus_solver_free(solver);
  free(c);
  return h;
}

static void the_choice_is_the_same_on_every_run(void **state) {
  (void)state;
  history first = run_history(1);
  int used[MUS_METHODS] = {0}, methods = 0;
  for (int step = 0; step < STEPS; ++step)
    methods += !used[first.method[step]]++;
  assert_true(used[MUS_METHOD_DIAG] && methods > 1);
  const int threads[] = {1, 2, 7};
  for (int k = 0; k < 3; ++k) {
    history again = run_history(threads[k]);
    assert_memory_equal(&first, &again, sizeof first);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(easy_systems_get_block_jacobi),
      cmocka_unit_test(stiff_systems_get_smoothed_aggregation),
      cmocka_unit_test(what_is_looked_at_goes_on_as_it_was),
      cmocka_unit_test(couplings_count),
      cmocka_unit_test(stiff_cloth_gets_smoothed_aggregation),
      cmocka_unit_test(what_is_kept_is_paid_for_once),
      cmocka_unit_test(what_a_factor_is_cheaper_for_gets_one),
      cmocka_unit_test(the_choice_follows_the_matrix),
      cmocka_unit_test(a_direct_solve_is_the_last_resort),
      cmocka_unit_test(what_is_given_up_leaves_no_trace),
      cmocka_unit_test(ill_conditioned_systems_are_solved_or_refused),
      cmocka_unit_test(breakdowns_end_the_search),
      cmocka_unit_test(the_choice_is_the_same_on_every_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
