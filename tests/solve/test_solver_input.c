// The public solver's refusals: each names what is wrong, and leaves the solver as it was.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "multigrid/skinning/handles.h"
#include "multigrid/smoother.h"
#include "par/vector.h"
#include "support/given.h"

// --- options --------------------------------------------------------------------------------------------------------

static void expect_refused(const mus_solver_options *options, const char *name) {
  int marker;
  mus_solver *solver = (mus_solver *)(void *)&marker;
  expect_status(MUS_BAD_INPUT, name, mus_solver_create(options, &solver));
  assert_ptr_equal(solver, &marker);
}

static void expect_accepted(const mus_solver_options *options) {
  mus_solver *solver = NULL;
  assert_int_equal(mus_solver_create(options, &solver), MUS_OK);
  assert_non_null(solver);
  mus_solver_free(solver);
}

// The two ends are fine, what lies beyond them is not, and the refusal names the option.
#define CHECK_RANGE(type, field, low, below, high, above)                                                              \
  do {                                                                                                                 \
    mus_solver_options options = mus_preset_solver_options(MUS_PRESET_ROBUST);                                         \
    options.field = (type)(below);                                                                                     \
    expect_refused(&options, "option " #field);                                                                        \
    options.field = (type)(above);                                                                                     \
    expect_refused(&options, "option " #field);                                                                        \
    options.field = (type)(low);                                                                                       \
    expect_accepted(&options);                                                                                         \
    options.field = (type)(high);                                                                                      \
    expect_accepted(&options);                                                                                         \
  } while (0)

static void options_out_of_range_are_named(void **state) {
  (void)state;
  CHECK_RANGE(mus_method, method, MUS_METHOD_SA, -1, MUS_METHOD_AUTO, MUS_METHODS);
  CHECK_RANGE(double, tolerance, 0, -1e-300, 1, 1.001);
  CHECK_RANGE(int, iterations, 1, 0, 1000000, 1000001);
  CHECK_RANGE(mus_stop, stop, MUS_STOP_INITIAL, -1, MUS_STOP_ENERGY, 4);
  CHECK_RANGE(mus_precision, precision, MUS_PRECISION_DOUBLE, -1, MUS_PRECISION_SINGLE, 2);
  CHECK_RANGE(mus_setup, setup, MUS_SETUP_NUMERIC, -1, MUS_SETUP_AUTO, 5);
  CHECK_RANGE(int, threads, 0, -1, 1024, 1025);
  CHECK_RANGE(int, prefilter, 0, -1, 1, 2);
  CHECK_RANGE(int, count_from, 0, -1, 1, 2);
  CHECK_RANGE(double, sa.strength, 0, -0.01, 0.999, 1);
  CHECK_RANGE(double, sa.dominance, 0, -0.01, 1, 1.01);
  CHECK_RANGE(mus_motions, sa.motions, MUS_MOTIONS_TRANSLATIONS, -1, MUS_MOTIONS_AUTO, 3);
  CHECK_RANGE(int, sa.reach, 1, 0, 2, 3);
  CHECK_RANGE(int, sa.kernel_sweeps, 0, -1, 100, 101);
  CHECK_RANGE(int, sa.smooth_prolongator, 0, -1, 1, 2);
  CHECK_RANGE(int, sa.filter_prolongator, 0, -1, 1, 2);
  CHECK_RANGE(mus_cycle, multigrid.cycle, MUS_CYCLE_V, -1, MUS_CYCLE_W, 2);
  CHECK_RANGE(int, multigrid.smoother_order, 1, 0, 16, 17);
  CHECK_RANGE(double, multigrid.smoother_range, 1.01, 1, 1000, 1000.5);
  CHECK_RANGE(double, multigrid.adaptive_smoothing, 0, -0.1, 10, 10.5);
  CHECK_RANGE(int, multigrid.lanczos_steps, 1, 0, 64, 65);
  CHECK_RANGE(int, multigrid.levels, 1, 0, MUS_LEVELS_MAXIMUM, MUS_LEVELS_MAXIMUM + 1);
  CHECK_RANGE(int, multigrid.bottom, 1, 0, 20000, 20001);
}

static void options_must_be_given(void **state) {
  (void)state;
  expect_refused(NULL, "mus_default_solver_options");
}

// NULL where something must be is told by the name of the call and the argument, and changes nothing.
static void null_is_refused(void **state) {
  (void)state;
  mus_solver_options options = mus_default_solver_options();
  mus_method method = MUS_METHOD_DIAG;
  mus_preset preset = MUS_PRESET_PAPER;
  expect_status(MUS_BAD_INPUT, "solver is NULL", mus_solver_create(&options, NULL));
  expect_status(MUS_BAD_INPUT, "name is NULL", mus_method_from_name(NULL, &method));
  expect_status(MUS_BAD_INPUT, "method is NULL", mus_method_from_name("sa", NULL));
  expect_status(MUS_BAD_INPUT, "name is NULL", mus_preset_from_name(NULL, &preset));
  expect_status(MUS_BAD_INPUT, "preset is NULL", mus_preset_from_name("fast", NULL));
  assert_true(method == MUS_METHOD_DIAG && preset == MUS_PRESET_PAPER);

  double numbers[9] = {4, 0, 0, 0, 4, 0, 0, 0, 4}, *mapped = NULL;
  const void *bytes = NULL;
  size_t size = 0;
  mus_device_speeds speeds;
  mus_device_system there = {.values = numbers, .b = numbers, .x = numbers};
  int start[] = {0, 1}, column[] = {0};
  const char *no_solver = "solver is NULL";
  expect_status(MUS_BAD_INPUT, "mus_solver_set_pattern(): solver is NULL",
                mus_solver_set_pattern(NULL, 1, 3, start, column));
  expect_status(MUS_BAD_INPUT, no_solver, mus_solver_set_values(NULL, numbers));
  expect_status(MUS_BAD_INPUT, no_solver, mus_solver_map_values(NULL, &mapped));
  expect_status(MUS_BAD_INPUT, no_solver, mus_solver_unmap_values(NULL));
  expect_status(MUS_BAD_INPUT, no_solver, mus_solver_set_coordinates(NULL, numbers));
  expect_status(MUS_BAD_INPUT, no_solver, mus_solver_set_kernel(NULL, 1, numbers));
  expect_status(MUS_BAD_INPUT, no_solver, mus_solver_set_levels(NULL, 0, NULL));
  expect_status(MUS_BAD_INPUT, no_solver, mus_solver_set_constraints(NULL, 0, NULL));
  expect_status(MUS_BAD_INPUT, no_solver, mus_solver_set_equalities(NULL, 0, NULL));
  expect_status(MUS_BAD_INPUT, no_solver, mus_solver_set_couplings(NULL, 0, NULL));
  expect_status(MUS_BAD_INPUT, no_solver, mus_solver_solve(NULL, numbers, numbers));
  expect_status(MUS_BAD_INPUT, no_solver, mus_solver_solve_device(NULL, &there));
  expect_status(MUS_BAD_INPUT, no_solver, mus_solver_prepare(NULL));
  expect_status(MUS_BAD_INPUT, no_solver, mus_solver_correct(NULL, 0, MUS_CORRECT_CYCLE, numbers, numbers));
  expect_status(MUS_BAD_INPUT, no_solver, mus_solver_remember(NULL, &bytes, &size));
  expect_status(MUS_BAD_INPUT, no_solver, mus_solver_recall(NULL, numbers, 1));
  expect_status(MUS_BAD_INPUT, no_solver, mus_solver_measure_device(NULL, 1, &speeds));
  assert_true(mus_solver_levels(NULL) == 0 && mus_solver_work(NULL) == 0 && mus_solver_bytes(NULL) == 0);
  assert_null(mus_solver_record(NULL));
  assert_int_equal(mus_solver_aggregates(NULL, 0, column), 0);
  mus_solve_record_print_levels(NULL, stderr);

  mus_solver *solver = NULL;
  options.method = MUS_METHOD_SA;
  assert_int_equal(mus_solver_create(&options, &solver), MUS_OK);
  expect_status(MUS_BAD_INPUT, "row_start is NULL", mus_solver_set_pattern(solver, 1, 3, NULL, column));
  expect_status(MUS_BAD_INPUT, "column is NULL", mus_solver_set_pattern(solver, 1, 3, start, NULL));
  assert_int_equal(mus_solver_set_pattern(solver, 1, 3, start, column), MUS_OK);
  assert_int_equal(mus_solver_set_values(solver, numbers), MUS_OK);
  expect_status(MUS_BAD_INPUT, "values is NULL", mus_solver_set_values(solver, NULL));
  expect_status(MUS_BAD_INPUT, "values is NULL", mus_solver_map_values(solver, NULL));
  expect_status(MUS_BAD_INPUT, "positions is NULL", mus_solver_set_coordinates(solver, NULL));
  expect_status(MUS_BAD_INPUT, "vectors is NULL", mus_solver_set_kernel(solver, 1, NULL));
  expect_status(MUS_BAD_INPUT, "levels is NULL", mus_solver_set_levels(solver, 1, NULL));
  expect_status(MUS_BAD_INPUT, "levels[0] has no carriers",
                mus_solver_set_levels(solver, 1, &(mus_interpolation){.nodes = 1, .coarse = 1}));
  expect_status(MUS_BAD_INPUT, "constraints is NULL", mus_solver_set_constraints(solver, 1, NULL));
  expect_status(MUS_BAD_INPUT, "equalities is NULL", mus_solver_set_equalities(solver, 1, NULL));
  expect_status(MUS_BAD_INPUT, "couplings is NULL", mus_solver_set_couplings(solver, 1, NULL));
  expect_status(MUS_BAD_INPUT, "coupling 0 has no nodes or weights",
                mus_solver_set_couplings(solver, 1, &(mus_coupling){.count = 1}));
  double x[3] = {0, 0, 0};
  expect_status(MUS_BAD_INPUT, "b is NULL", mus_solver_solve(solver, NULL, x));
  expect_status(MUS_BAD_INPUT, "x is NULL", mus_solver_solve(solver, numbers, NULL));
  assert_int_equal(mus_solver_prepare(solver), MUS_OK);
  expect_status(MUS_BAD_INPUT, "r is NULL", mus_solver_correct(solver, 0, MUS_CORRECT_CYCLE, NULL, x));
  expect_status(MUS_BAD_INPUT, "c is NULL", mus_solver_correct(solver, 0, MUS_CORRECT_CYCLE, numbers, NULL));
  expect_status(MUS_BAD_INPUT, "bytes is NULL", mus_solver_remember(solver, NULL, &size));
  expect_status(MUS_BAD_INPUT, "size is NULL", mus_solver_remember(solver, &bytes, NULL));
  expect_status(MUS_BAD_INPUT, "bytes is NULL", mus_solver_recall(solver, NULL, 8));
  expect_status(MUS_BAD_INPUT, "speeds is NULL", mus_solver_measure_device(solver, 1, NULL));
  assert_int_equal(mus_solver_aggregates(solver, 0, NULL), 0);
  assert_int_equal(mus_solver_solve(solver, numbers, x), MUS_OK); // the values are still there
  assert_true(x[0] == 1);
  mus_solver_free(solver);
}

// What texts call the first node, and that it is the caller's again afterwards.
static void texts_count_as_the_caller_does(void **state) {
  (void)state;
  for (int first = 0; first < 2; ++first) {
    mus_solver_options options = mus_default_solver_options();
    mus_solver *solver = NULL;
    char text[160];
    options.count_from = first;
    options.method = MUS_METHOD_DIAG;
    assert_int_equal(mus_solver_create(&options, &solver), MUS_OK);
    snprintf(text, sizeof text, "node %d has no diagonal block", 1 + first);
    expect_status(MUS_BAD_INPUT, text, mus_solver_set_pattern(solver, 2, 3, (int[]){0, 2, 3}, (int[]){0, 1, 0}));
    assert_int_equal(mus_solver_set_pattern(solver, 2, 1, (int[]){0, 1, 2}, (int[]){0, 1}), MUS_OK);
    assert_int_equal(mus_solver_set_values(solver, (double[]){1, -1}), MUS_OK);
    snprintf(text, sizeof text, "node %d is not positive definite", 1 + first);
    expect_status(MUS_BREAKDOWN, text, mus_solver_solve(solver, (double[]){1, 1}, (double[]){0, 0}));
    snprintf(text, sizeof text, "the right-hand side: number %d, counted from %d,", 1 + first, first);
    expect_status(MUS_BAD_INPUT, text, mus_solver_solve(solver, (double[]){1, (double)NAN}, (double[]){0, 0}));
    mus_constraint wrong = {.node = 2, .count = 1, .direction = {{1}}};
    snprintf(text, sizeof text, "names node %d, but nodes go from %d to %d", 2 + first, first, 1 + first);
    expect_status(MUS_BAD_INPUT, text, mus_solver_set_constraints(solver, 1, &wrong));
    mus_equality across = {.count = 1, .node = {1}, .value = 0};
    snprintf(text, sizeof text, "equality %d has no direction", first);
    expect_status(MUS_BAD_INPUT, text, mus_solver_set_equalities(solver, 1, &across));
    assert_int_equal(mus_counted(7), 7);
    mus_solver_free(solver);
  }
}

static void options_that_are_not_numbers_are_named(void **state) {
  (void)state;
#define CHECK_NAN(field)                                                                                               \
  do {                                                                                                                 \
    mus_solver_options options = mus_preset_solver_options(MUS_PRESET_ROBUST);                                         \
    options.field = (double)NAN;                                                                                       \
    expect_refused(&options, "option " #field);                                                                        \
  } while (0)
  CHECK_NAN(tolerance);
  CHECK_NAN(sa.strength);
  CHECK_NAN(sa.dominance);
  CHECK_NAN(multigrid.smoother_range);
  CHECK_NAN(multigrid.adaptive_smoothing);
}

static void methods_have_names(void **state) {
  (void)state;
  for (int m = 0; m < MUS_METHODS; ++m) {
    mus_method method = MUS_METHODS;
    assert_int_equal(mus_method_from_name(mus_method_name((mus_method)m), &method), MUS_OK);
    assert_int_equal(method, m);
  }
  assert_null(mus_method_name(MUS_METHODS));
  assert_null(mus_method_name((mus_method)-1));
  assert_int_equal(mus_method_available(MUS_METHODS), 0);
  const char *wrong[] = {"", "SA", "sa ", "multigrid"};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
    mus_method method = MUS_METHOD_DIAG;
    expect_status(MUS_BAD_INPUT, wrong[k], mus_method_from_name(wrong[k], &method));
    assert_int_equal(method, MUS_METHOD_DIAG);
    for (int m = 0; m < MUS_METHODS; ++m)
      assert_non_null(strstr(mus_last_error(), mus_method_name((mus_method)m)));
  }
}

static void smoothers_have_names(void **state) {
  (void)state;
  assert_string_equal(mus_smoother_name(0), "chebyshev");
  assert_null(mus_smoother_name(-1));
  const char *wrong[] = {"",      "Chebyshev", "gs:",   "gs:0",  "gs:17",     "gs:99999999999999999999",
                         "gs:3x", ":3",        "gs:-1", "gs:3/", "/gs:3",     "jacobi:2/ssor/gs",
                         "gs 3",  "gs:3:4",    "gs,gs", "GS:3",  "chebyshev1"};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
    mus_solver_options options = mus_preset_solver_options(MUS_PRESET_ROBUST);
    strcpy(options.multigrid.smoother, wrong[k]);
    expect_refused(&options, "smoother");
    for (int s = 0; mus_smoother_name(s); ++s)
      assert_non_null(strstr(mus_last_error(), mus_smoother_name(s)));
  }
}

static void smoothers_may_differ_by_level(void **state) {
  (void)state;
  mus_multigrid_options options = mus_preset_solver_options(MUS_PRESET_ROBUST).multigrid;
  mus_level_smoother found[4];
  strcpy(options.smoother, "jacobi/chebyshev:4/gs:3");
  assert_int_equal(mus_smoothers_read(&options, 4, found), MUS_OK);
  const struct {
    const char *name;
    int sweeps;
  } expected[] = {{"gs", 3}, {"chebyshev", 4}, {"jacobi", 2}, {"jacobi", 2}};
  for (int k = 0; k < 4; ++k) {
    assert_string_equal(found[k].kind->name, expected[k].name);
    assert_int_equal(found[k].options.smoother_order, expected[k].sweeps);
  }
  mus_solver_options endless = mus_preset_solver_options(MUS_PRESET_ROBUST);
  memset(endless.multigrid.smoother, 'g', sizeof endless.multigrid.smoother);
  expect_refused(&endless, "no end");
}

static void levels_of_handles_are_read(void **state) {
  (void)state;
  int count[MUS_LEVELS_MAXIMUM], none[MUS_LEVELS_MAXIMUM] = {0};
  assert_int_equal(mus_handles_read("", count), MUS_OK);
  assert_memory_equal(count, none, sizeof none);
  assert_int_equal(mus_handles_read("25/300/2000/all", count), MUS_OK);
  const int expected[] = {2000, 300, 25, 0};
  assert_memory_equal(count, expected, sizeof expected);
  assert_int_equal(mus_handles_read("1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19/all", count), MUS_OK);
  const char *wrong[] = {"all",
                         "25",
                         "25/all/500",
                         "25/25/all",
                         "500/25/all",
                         "0/all",
                         "25/ all",
                         "25//all",
                         "25/ALL",
                         "-5/all",
                         "25/500/",
                         "25/500/allx",
                         "1.5/all",
                         " ",
                         "25/500",
                         "9999999999999/all",
                         "1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19/20/all"};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
    mus_solver_options options = mus_preset_solver_options(MUS_PRESET_ROBUST);
    strcpy(options.skinning.levels, wrong[k]);
    expect_refused(&options, "25/500/all");
  }
  mus_solver_options solver = mus_preset_solver_options(MUS_PRESET_ROBUST);
  memset(solver.skinning.levels, '1', sizeof solver.skinning.levels);
  expect_refused(&solver, "no end");
  solver = mus_preset_solver_options(MUS_PRESET_ROBUST);
  solver.stationary = 1;
  solver.prefilter = 0;
  expect_refused(&solver, "prefilter");
}

static void missing_methods_say_how_to_get_them(void **state) {
  (void)state;
  const char *remedy[MUS_METHODS] = {[MUS_METHOD_CHOLMOD] = "-DMUSLIN_CHOLMOD=ON",
                                     [MUS_METHOD_AMGCL] = "-DMUSLIN_AMGCL=ON",
                                     [MUS_METHOD_GAMG] = "-DMUSLIN_PETSC=ON",
                                     [MUS_METHOD_BOOMERAMG] = "-DMUSLIN_PETSC=ON"};
  for (int m = 0; m < MUS_METHODS; ++m) {
    mus_solver_options options = given_options((mus_method)m, 1e-5);
    mus_solver *solver = NULL;
    if (mus_method_available((mus_method)m))
      expect_accepted(&options);
    else
      expect_status(MUS_UNSUPPORTED, remedy[m], mus_solver_create(&options, &solver));
  }
}

// --- a solver that must survive -------------------------------------------------------------------------------------

// A solver that has solved its system once: every refused call must leave it able to do the same to the last bit.
typedef struct survivor {
  random_system system;
  given given;
  mus_constraint constraint[20];
  mus_solver *solver;
  double *expected, *x;
  mus_solve_record record;
} survivor;

static survivor *survivor_create(int block) {
  survivor *r = calloc(1, sizeof *r);
  assert_non_null(r);
  r->system = random_system_create(20, block, 5);
  r->given = given_random(&r->system);
  if (block <= 3) {
    r->given.count = random_constraints(20, block, 6, r->constraint);
    r->given.constraint = r->constraint;
  }
  mus_solver_options options = given_options(MUS_METHOD_SA, 1e-9);
  r->solver = given_solver(&r->given, &options);
  r->expected = calloc((size_t)r->given.n, sizeof(double));
  r->x = calloc((size_t)r->given.n, sizeof(double));
  assert_true(r->expected && r->x);
  given_solve(r->solver, &r->given, r->expected);
  r->record = *mus_solver_record(r->solver);
  return r;
}

static void survivor_free(survivor *r) {
  mus_solver_free(r->solver);
  random_system_free(&r->system);
  free(r->expected), free(r->x), free(r);
}

static void refused(survivor *r, const char *words, mus_status answered) {
  expect_status(MUS_BAD_INPUT, words, answered);
  assert_memory_equal(mus_solver_record(r->solver), &r->record, sizeof r->record);
  given_solve(r->solver, &r->given, r->x);
  assert_memory_equal(r->x, r->expected, (size_t)r->given.n * sizeof *r->x);
  r->record = *mus_solver_record(r->solver);
}

// Values that are rejected leave none. With good ones, everything is as before.
static void lost(survivor *r, const char *words, mus_status answered) {
  expect_status(MUS_BAD_INPUT, words, answered);
  expect_status(MUS_BAD_INPUT, "mus_solver_set_values", mus_solver_solve(r->solver, r->given.b, r->x));
  assert_int_equal(mus_solver_set_values(r->solver, r->given.values), MUS_OK);
  given_solve(r->solver, &r->given, r->x);
  assert_memory_equal(r->x, r->expected, (size_t)r->given.n * sizeof *r->x);
}

// --- order of calls -------------------------------------------------------------------------------------------------

static void calls_out_of_order_are_refused(void **state) {
  (void)state;
  mus_solver_options options = mus_preset_solver_options(MUS_PRESET_ROBUST);
  mus_solver *solver = NULL;
  assert_int_equal(mus_solver_create(&options, &solver), MUS_OK);
  double numbers[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, x[3] = {5, 6, 7};
  mus_constraint held = {.node = 0, .count = 1, .direction = {{1, 0, 0}}};
  expect_status(MUS_BAD_INPUT, "mus_solver_set_pattern", mus_solver_set_values(solver, numbers));
  expect_status(MUS_BAD_INPUT, "mus_solver_set_pattern", mus_solver_set_coordinates(solver, numbers));
  expect_status(MUS_BAD_INPUT, "mus_solver_set_pattern", mus_solver_set_kernel(solver, 1, numbers));
  expect_status(MUS_BAD_INPUT, "mus_solver_set_pattern", mus_solver_set_constraints(solver, 1, &held));
  expect_status(MUS_BAD_INPUT, "mus_solver_set_pattern", mus_solver_set_constraints(solver, 0, NULL));
  expect_status(MUS_BAD_INPUT, "mus_solver_set_pattern", mus_solver_solve(solver, numbers, x));
  assert_int_equal(mus_solver_set_pattern(solver, 1, 3, (int[]){0, 1}, (int[]){0}), MUS_OK);
  expect_status(MUS_BAD_INPUT, "mus_solver_set_values", mus_solver_solve(solver, numbers, x));
  assert_true(x[0] == 5 && x[1] == 6 && x[2] == 7);
  mus_solve_record zero;
  memset(&zero, 0, sizeof zero);
  assert_memory_equal(mus_solver_record(solver), &zero, sizeof zero);
  // Any order of the rest will do.
  assert_int_equal(mus_solver_set_constraints(solver, 1, &held), MUS_OK);
  assert_int_equal(mus_solver_set_coordinates(solver, x), MUS_OK);
  assert_int_equal(mus_solver_set_values(solver, numbers), MUS_OK);
  assert_int_equal(mus_solver_solve(solver, numbers, x), MUS_OK);
  mus_solver_free(solver);
  mus_solver_free(NULL);
}

// Constraints of the old pattern are gone with it, and so are values and kernel.
static void a_pattern_forgets_the_rest(void **state) {
  (void)state;
  survivor *r = survivor_create(3);
  double b[3] = {1, 2, 3}, x[3] = {0, 0, 0}, kernel[3] = {1, 1, 1};
  assert_int_equal(mus_solver_set_kernel(r->solver, 1, r->given.b), MUS_OK);
  assert_int_equal(mus_solver_set_pattern(r->solver, 1, 3, (int[]){0, 1}, (int[]){0}), MUS_OK);
  expect_status(MUS_BAD_INPUT, "mus_solver_set_values", mus_solver_solve(r->solver, b, x));
  assert_int_equal(mus_solver_set_values(r->solver, (double[]){2, 0, 0, 0, 2, 0, 0, 0, 2}), MUS_OK);
  assert_int_equal(mus_solver_set_kernel(r->solver, 1, kernel), MUS_OK);
  assert_int_equal(mus_solver_solve(r->solver, b, x), MUS_OK);
  for (int i = 0; i < 3; ++i)
    assert_true(fabs(x[i] - b[i] / 2) < 1e-15);
  survivor_free(r);
}

// --- each input -----------------------------------------------------------------------------------------------------

static void bad_patterns_are_refused(void **state) {
  (void)state;
  survivor *r = survivor_create(3);
  const struct {
    const char *words;
    int rows, block;
    int row_start[4], column[8];
  } bad[] = {{"block size 0", 2, 0, {0, 1, 2}, {0, 1}},
             {"block size 13", 2, 13, {0, 1, 2}, {0, 1}},
             {"block size -1", 2, -1, {0, 1, 2}, {0, 1}},
             {"0 rows", 0, 3, {0}, {0}},
             {"-4 rows", -4, 3, {0}, {0}},
             {"row_start[0]", 2, 3, {1, 2, 3}, {0, 0, 1}},
             {"row_start[2]", 3, 3, {0, 2, 1, 4}, {0, 1, 1, 2}},
             {"column 2 in row 1", 2, 3, {0, 2, 4}, {0, 1, 0, 2}},
             {"column -1 in row 0", 2, 3, {0, 2, 4}, {-1, 1, 0, 1}},
             {"column 0 follows column 1 in row 0", 2, 3, {0, 2, 4}, {1, 0, 0, 1}},
             {"column 1 follows column 1 in row 1", 2, 3, {0, 2, 4}, {0, 1, 1, 1}},
             {"not symmetric", 2, 3, {0, 2, 3}, {0, 1, 1}},
             {"not symmetric", 3, 3, {0, 2, 4, 6}, {0, 1, 1, 2, 0, 2}},
             {"node 1", 2, 3, {0, 2, 3}, {0, 1, 0}},
             {"node 0", 2, 3, {0, 0, 1}, {1}}};
  for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k)
    refused(r, bad[k].words,
            mus_solver_set_pattern(r->solver, bad[k].rows, bad[k].block, bad[k].row_start, bad[k].column));
  survivor_free(r);
}

static void bad_values_are_refused(void **state) {
  (void)state;
  for (int block = 1; block <= 6; block += block < 3 ? 1 : 3) {
    survivor *r = survivor_create(block);
    size_t count = (size_t)(r->given.row_start[20] * block * block);
    double *values = malloc(count * sizeof *values), largest = 0;
    assert_non_null(values);
    memcpy(values, r->given.values, count * sizeof *values);
    for (size_t k = 0; k < count; ++k)
      largest = fmax(largest, fabs(values[k]));
    const double wrong[] = {NAN, INFINITY, -INFINITY};
    for (size_t k = 0; k < count; k += count / 5) {
      for (size_t w = 0; w < 3; ++w) {
        values[k] = wrong[w];
        lost(r, "finite", mus_solver_set_values(r->solver, values));
      }
      values[k] = r->given.values[k];
    }
    // Block (0, 1) is there because the graph holds a ring.
    size_t place = (size_t)(block * block);
    values[place] += 1e-7 * largest;
    lost(r, "not symmetric", mus_solver_set_values(r->solver, values));
    values[place] = r->given.values[place] + 1e-9 * largest; // passes for rounding
    assert_int_equal(mus_solver_set_values(r->solver, values), MUS_OK);
    free(values);
    survivor_free(r);
  }
}

static void a_bad_value_is_named_by_its_block(void **state) {
  (void)state;
  mus_solver_options options = mus_preset_solver_options(MUS_PRESET_ROBUST);
  mus_solver *solver = NULL;
  assert_int_equal(mus_solver_create(&options, &solver), MUS_OK);
  assert_int_equal(mus_solver_set_pattern(solver, 2, 1, (int[]){0, 2, 4}, (int[]){0, 1, 0, 1}), MUS_OK);
  expect_status(MUS_BAD_INPUT, "(1, 0)", mus_solver_set_values(solver, (double[]){1, 0, NAN, 1}));
  mus_solver_free(solver);
}

static void bad_kernels_are_refused(void **state) {
  (void)state;
  survivor *r = survivor_create(3);
  double *numbers = malloc(13 * 60 * sizeof *numbers);
  assert_non_null(numbers);
  for (int k = 0; k < 13 * 60; ++k)
    numbers[k] = k;
  refused(r, "0 near-null vectors", mus_solver_set_kernel(r->solver, 0, numbers));
  refused(r, "-1 near-null vectors", mus_solver_set_kernel(r->solver, -1, numbers));
  refused(r, "13 near-null vectors", mus_solver_set_kernel(r->solver, 13, numbers));
  numbers[59] = INFINITY;
  refused(r, "the coordinates", mus_solver_set_coordinates(r->solver, numbers));
  numbers[59] = NAN;
  refused(r, "number 59,", mus_solver_set_coordinates(r->solver, numbers));
  refused(r, "number 59,", mus_solver_set_kernel(r->solver, 12, numbers));
  numbers[59] = 0;
  numbers[719] = NAN;
  refused(r, "number 719,", mus_solver_set_kernel(r->solver, 12, numbers));
  survivor_free(r);
  for (int block = 1; block <= 6; block += block == 1 ? 1 : 4) {
    r = survivor_create(block);
    refused(r, "mus_solver_set_kernel", mus_solver_set_coordinates(r->solver, numbers));
    survivor_free(r);
  }
  free(numbers);
}

static void bad_levels_are_refused(void **state) {
  (void)state;
  enum { FINE = 20, COARSE = 5 };
  survivor *r = survivor_create(3);
  int carrier[3 * FINE] = {0};
  double weight[3 * FINE];
  for (int i = 0; i < 3 * FINE; ++i)
    weight[i] = 1.0 / 3;
  mus_interpolation level[2] = {{FINE, COARSE, carrier, weight, NULL}, {COARSE, 1, carrier, weight, NULL}},
                    bad = level[0];
  refused(r, "-1 levels", mus_solver_set_levels(r->solver, -1, level));
  refused(r, "20 levels", mus_solver_set_levels(r->solver, MUS_LEVELS_MAXIMUM, level));
  refused(r, "levels[0] has 5 nodes instead of 20", mus_solver_set_levels(r->solver, 1, &level[1]));
  refused(r, "levels[1] has 20 nodes", mus_solver_set_levels(r->solver, 2, (mus_interpolation[]){level[0], level[0]}));
  bad.coarse = 0;
  refused(r, "levels[0]: 0 coarse nodes", mus_solver_set_levels(r->solver, 1, &bad));
  carrier[10] = COARSE;
  refused(r, "levels[0]: node 3", mus_solver_set_levels(r->solver, 1, level));
  carrier[10] = 0;
  weight[31] = NAN;
  refused(r, "levels[0]: node 10", mus_solver_set_levels(r->solver, 1, level));
  weight[31] = 1.0 / 3;
  int joint[FINE] = {[4] = COARSE};
  bad = level[0];
  bad.joint = joint;
  refused(r, "levels[0]: node 4 is joined by node 5", mus_solver_set_levels(r->solver, 1, &bad));
  weight[31] = 1;
  refused(r, "levels[0]: the weights of node 10", mus_solver_set_levels(r->solver, 1, level));
  survivor_free(r);
}

// A method that works on given levels says how to give them.
static void missing_levels_are_told(void **state) {
  (void)state;
  mus_solver_options options = mus_preset_solver_options(MUS_PRESET_ROBUST);
  options.method = MUS_METHOD_GEOMETRIC;
  mus_solver *solver = NULL;
  double x[3] = {0, 0, 0};
  assert_int_equal(mus_solver_create(&options, &solver), MUS_OK);
  assert_int_equal(mus_solver_set_pattern(solver, 1, 3, (int[]){0, 1}, (int[]){0}), MUS_OK);
  assert_int_equal(mus_solver_set_values(solver, (double[]){2, 0, 0, 0, 2, 0, 0, 0, 2}), MUS_OK);
  expect_status(MUS_BAD_INPUT, "mus_solver_set_levels", mus_solver_solve(solver, (double[]){1, 2, 3}, x));
  assert_int_equal(mus_solver_set_levels(solver, 0, NULL), MUS_OK);
  assert_int_equal(mus_solver_solve(solver, (double[]){1, 2, 3}, x), MUS_OK);
  assert_true(fabs(x[2] - 1.5) < 1e-12);
  mus_solver_free(solver);
}

static void bad_constraints_are_refused(void **state) {
  (void)state;
  survivor *r = survivor_create(3);
  const mus_constraint good = {.node = 7, .count = 1, .direction = {{1, 0, 0}}, .value = {1}};
  mus_constraint bad = good;
  refused(r, "-1", mus_solver_set_constraints(r->solver, -1, &bad));
  refused(r, "node 7 has two", mus_solver_set_constraints(r->solver, 2, (mus_constraint[]){good, good}));
  bad.node = 20;
  refused(r, "node 20", mus_solver_set_constraints(r->solver, 2, (mus_constraint[]){good, bad}));
  bad.node = -1;
  refused(r, "node -1", mus_solver_set_constraints(r->solver, 1, &bad));
  bad = good, bad.count = 4;
  refused(r, "4 directions", mus_solver_set_constraints(r->solver, 1, &bad));
  bad.count = -1;
  refused(r, "node 7", mus_solver_set_constraints(r->solver, 1, &bad));
  bad = good, bad.direction[0][0] = 0;
  refused(r, "node 7", mus_solver_set_constraints(r->solver, 1, &bad));
  bad.direction[0][2] = NAN;
  refused(r, "node 7", mus_solver_set_constraints(r->solver, 1, &bad));
  bad = good, bad.value[0] = INFINITY;
  refused(r, "node 7", mus_solver_set_constraints(r->solver, 1, &bad));
  bad = (mus_constraint){.node = 7, .count = 2, .direction = {{1, 0, 0}, {2, 0, 0}}, .value = {1, 3}};
  refused(r, "node 7 contradicts", mus_solver_set_constraints(r->solver, 1, &bad));
  survivor_free(r);
  r = survivor_create(6);
  refused(r, "1 to 3", mus_solver_set_constraints(r->solver, 1, &good));
  assert_int_equal(mus_solver_set_constraints(r->solver, 0, NULL), MUS_OK);
  survivor_free(r);
}

static void bad_vectors_are_refused(void **state) {
  (void)state;
  survivor *r = survivor_create(3);
  double b[60], x[60], before[60];
  memcpy(b, r->given.b, sizeof b);
  for (int i = 0; i < 60; ++i)
    x[i] = before[i] = i;
  const double wrong[] = {NAN, INFINITY, -INFINITY};
  for (size_t w = 0; w < 3; ++w)
    for (int i = 0; i < 60; i += 59) {
      b[i] = wrong[w];
      refused(r, "right-hand side", mus_solver_solve(r->solver, b, x));
      assert_memory_equal(x, before, sizeof x);
      b[i] = r->given.b[i];
      x[i] = wrong[w];
      refused(r, "initial guess", mus_solver_solve(r->solver, b, x));
      x[i] = before[i];
    }
  survivor_free(r);
}

// Squares of these numbers vanish, or are infinite.
static void right_hand_sides_may_have_any_size(void **state) {
  (void)state;
  random_system system = random_system_create(20, 3, 97);
  given g = given_random(&system);
  const double scales[] = {1e-290, 1e-160, 1e-90, 1e90, 1e160, 1e290};
  double b[60], usual[60], x[60];
  FOR_EACH_METHOD(method) {
    if (method == MUS_METHOD_MPCG || method == MUS_METHOD_MPCG_ORIGINAL)
      continue; // for comparison only
    mus_solver_options options = given_options(method, 1e-10);
    mus_solver *solver = given_solver(&g, &options);
    given_solve(solver, &g, usual);
    for (size_t k = 0; k < sizeof scales / sizeof *scales; ++k) {
      given scaled = g;
      for (int i = 0; i < 60; ++i)
        b[i] = scales[k] * g.b[i];
      scaled.b = b;
      given_solve(solver, &scaled, x);
      for (int i = 0; i < 60; ++i)
        assert_true(fabs(x[i] / scales[k] - usual[i]) <= 1e-7 * mus_max_abs(60, usual));
      const mus_solve_record *record = mus_solver_record(solver);
      assert_true(record->true_residual < 1e-8);
      assert_true(record->residuals[record->iterations] <= 1e-10 * record->reference);
    }
    mus_solver_free(solver);
  }
  random_system_free(&system);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(options_out_of_range_are_named),
      cmocka_unit_test(options_must_be_given),
      cmocka_unit_test(null_is_refused),
      cmocka_unit_test(texts_count_as_the_caller_does),
      cmocka_unit_test(options_that_are_not_numbers_are_named),
      cmocka_unit_test(methods_have_names),
      cmocka_unit_test(smoothers_have_names),
      cmocka_unit_test(smoothers_may_differ_by_level),
      cmocka_unit_test(levels_of_handles_are_read),
      cmocka_unit_test(missing_methods_say_how_to_get_them),
      cmocka_unit_test(calls_out_of_order_are_refused),
      cmocka_unit_test(a_pattern_forgets_the_rest),
      cmocka_unit_test(bad_patterns_are_refused),
      cmocka_unit_test(bad_values_are_refused),
      cmocka_unit_test(a_bad_value_is_named_by_its_block),
      cmocka_unit_test(bad_kernels_are_refused),
      cmocka_unit_test(bad_levels_are_refused),
      cmocka_unit_test(missing_levels_are_told),
      cmocka_unit_test(bad_constraints_are_refused),
      cmocka_unit_test(bad_vectors_are_refused),
      cmocka_unit_test(right_hand_sides_may_have_any_size),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
