// The public solver: the right solution by every method, after every kind of change, and a record that tells the truth.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "support/given.h"

static void expect_near(const given *system, const double *x, const double *reference, double allowed,
                        const char *what) {
  double difference = dense_difference(system->n, x, reference);
  if (!(difference <= allowed))
    fail_msg("%s: the solution is off by %g", what, difference);
}

// Solves from zero with a new solver and compares.
static void check_solution(const given *system, const mus_solver_options *options, const double *reference) {
  double *x = calloc((size_t)system->n, sizeof *x);
  assert_non_null(x);
  mus_solver *solver = given_solver(system, options);
  given_solve(solver, system, x);
  expect_near(system, x, reference, 1e-10, mus_method_name(options->method));
  mus_solver_free(solver);
  free(x);
}

// --- the right solution ---------------------------------------------------------------------------------------------

static void every_method_agrees_with_the_null_space(void **state) {
  (void)state;
  for (int block = 1; block <= 3; ++block)
    for (uint64_t seed = 1; seed <= 4; ++seed) {
      random_system system = random_system_create(40, block, seed);
      mus_constraint constraint[40];
      given g = given_random(&system);
      g.count = random_constraints(40, block, seed + 50, constraint);
      g.constraint = constraint;
      double *reference = given_reference(&g);
      FOR_EACH_METHOD(method) {
        mus_solver_options options = given_options(method, 1e-12);
        check_solution(&g, &options, reference);
        options.stop = MUS_STOP_RHS;
        options.precision = MUS_PRECISION_SINGLE;
        check_solution(&g, &options, reference);
        options.prefilter = 0;
        check_solution(&g, &options, reference);
      }
      free(reference);
      random_system_free(&system);
    }
}

static void cloth_is_solved_by_every_method(void **state) {
  (void)state;
  sheet_options sheet = sheet_default_options();
  sheet.side = 9;
  sheet.irregular = 1;
  sheet_system system;
  assert_int_equal(sheet_system_create(&sheet, &system), MUS_OK);
  given g = given_sheet(&system);
  double *reference = given_reference(&g);
  FOR_EACH_METHOD(method) {
    mus_solver_options options = given_options(method, 1e-13);
    check_solution(&g, &options, reference);
  }
  free(reference);
  sheet_system_free(&system);
}

// A guess that breaks the constraints, and one that is the solution already.
static void any_guess_will_do(void **state) {
  (void)state;
  random_system system = random_system_create(30, 3, 9);
  mus_constraint constraint[30];
  given g = given_random(&system);
  g.count = random_constraints(30, 3, 10, constraint);
  g.constraint = constraint;
  double *reference = given_reference(&g), x[90];
  FOR_EACH_METHOD(method)
  for (int stop = 0; stop < 2; ++stop) {
    mus_solver_options options = given_options(method, 1e-12);
    options.stop = (mus_stop)stop;
    mus_solver *solver = given_solver(&g, &options);
    for (int i = 0; i < 90; ++i)
      x[i] = 100 * mus_random(4, (uint64_t)i);
    assert_int_equal(mus_solver_solve(solver, g.b, x), MUS_OK);
    expect_near(&g, x, reference, 1e-9, mus_method_name(method));
    for (int i = 0; i < g.count; ++i)
      for (int k = 0; k < constraint[i].count; ++k) {
        double left = -constraint[i].value[k];
        for (int c = 0; c < 3; ++c)
          left += constraint[i].direction[k][c] * x[3 * constraint[i].node + c];
        assert_true(fabs(left) < 1e-12);
      }
    mus_solver_free(solver);
  }
  free(reference);
  random_system_free(&system);
}

// Block sizes beyond 3, with the default near-null space and with one that is given.
static void any_block_size_will_do(void **state) {
  (void)state;
  const int size[] = {1, 2, 3, 4, 6, 12};
  for (size_t k = 0; k < sizeof size / sizeof *size; ++k) {
    int block = size[k], n = 30 * block;
    random_system system = random_system_create(30, block, 20 + k);
    given g = given_random(&system);
    double *reference = given_reference(&g), *kernel = malloc((size_t)(2 * n) * sizeof *kernel);
    double *x = malloc((size_t)n * sizeof *x);
    assert_true(kernel && x);
    for (int i = 0; i < n; ++i) {
      kernel[i] = 1 + i % block;
      kernel[n + i] = mus_random(7, (uint64_t)i);
    }
    FOR_EACH_METHOD(method) {
      mus_solver_options options = given_options(method, 1e-12);
      mus_solver *solver = given_solver(&g, &options);
      for (int count = 0; count <= 2; ++count) {
        if (count > 0)
          assert_int_equal(mus_solver_set_kernel(solver, count, kernel), MUS_OK);
        given_solve(solver, &g, x);
        expect_near(&g, x, reference, 1e-10, mus_method_name(method));
        const mus_solve_record *record = mus_solver_record(solver);
        if (method == MUS_METHOD_SA && record->levels > 1)
          assert_int_equal(record->level[1].block, count > 0 ? count : block);
      }
      mus_solver_free(solver);
    }
    free(reference), free(kernel), free(x);
    random_system_free(&system);
  }
}

// One node, of any size, free or held, by every method.
static void one_node_will_do(void **state) {
  (void)state;
  for (int block = 1; block <= 12; ++block) {
    double values[144] = {0}, b[12], x[12] = {0}, position[3] = {4, 5, 6};
    for (int k = 0; k < block; ++k) {
      values[k * (block + 1)] = 2 + k;
      b[k] = 3 + k;
    }
    FOR_EACH_METHOD(method) {
      mus_solver_options options = mus_preset_solver_options(MUS_PRESET_ROBUST);
      options.method = method;
      options.tolerance = 1e-14;
      mus_solver *solver = NULL;
      assert_int_equal(mus_solver_create(&options, &solver), MUS_OK);
      assert_int_equal(mus_solver_set_pattern(solver, 1, block, (int[]){0, 1}, (int[]){0}), MUS_OK);
      assert_int_equal(given_levels(solver, method, 1), MUS_OK);
      assert_int_equal(mus_solver_set_values(solver, values), MUS_OK);
      if (block == 3)
        assert_int_equal(mus_solver_set_coordinates(solver, position), MUS_OK);
      memset(x, 0, sizeof x);
      assert_int_equal(mus_solver_solve(solver, b, x), MUS_OK);
      for (int k = 0; k < block; ++k)
        assert_true(fabs(x[k] * (2 + k) - b[k]) < 1e-13);
      if (block <= 3) {
        mus_constraint held = {.node = 0, .count = 1, .direction = {{2, 0, 0}}, .value = {-8}};
        assert_int_equal(mus_solver_set_constraints(solver, 1, &held), MUS_OK);
        assert_int_equal(mus_solver_solve(solver, b, x), MUS_OK);
        for (int k = 0; k < block; ++k)
          assert_true(fabs(x[k] - (k == 0 ? -4 : b[k] / (2 + k))) < 1e-13);
      }
      mus_solver_free(solver);
    }
  }
}

// Nothing is left to solve: the solution is what is prescribed, whatever b and the guess are.
static void every_node_may_be_held(void **state) {
  (void)state;
  random_system system = random_system_create(30, 3, 31);
  mus_constraint constraint[30];
  for (int i = 0; i < 30; ++i)
    constraint[i] = (mus_constraint){
        .node = i, .count = 3, .direction = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .value = {i, -i, 0.5 * i}};
  given g = given_random(&system);
  g.count = 30;
  g.constraint = constraint;
  double x[90];
  FOR_EACH_METHOD(method) {
    mus_solver_options options = given_options(method, 1e-10);
    mus_solver *solver = given_solver(&g, &options);
    for (int i = 0; i < 90; ++i)
      x[i] = 7;
    assert_int_equal(mus_solver_solve(solver, g.b, x), MUS_OK);
    assert_int_equal(mus_solver_record(solver)->iterations, 0);
    assert_true(mus_solver_record(solver)->true_residual == 0);
    for (int i = 0; i < 30; ++i)
      assert_true(x[3 * i] == i && x[3 * i + 1] == -i && x[3 * i + 2] == 0.5 * i);
    mus_solver_free(solver);
  }
  random_system_free(&system);
}

// A block-diagonal matrix: no node has a neighbour, so there is nothing to aggregate.
static void every_node_may_be_isolated(void **state) {
  (void)state;
  enum { ROWS = 200 };
  int row_start[ROWS + 1], column[ROWS];
  static double values[9 * ROWS], positions[3 * ROWS], b[3 * ROWS], x[3 * ROWS];
  for (int i = 0; i < ROWS; ++i) {
    row_start[i + 1] = i + 1;
    column[i] = i;
    for (int k = 0; k < 3; ++k) {
      values[9 * i + 4 * k] = 1 + i + k;
      positions[3 * i + k] = mus_random(1, (uint64_t)(3 * i + k));
      b[3 * i + k] = 1;
    }
  }
  row_start[0] = 0;
  given g = {
      .rows = ROWS, .block = 3, .n = 3 * ROWS, .row_start = row_start, .column = column, .values = values, .b = b};
  for (int with = 0; with < 2; ++with) {
    g.positions = with ? positions : NULL;
    FOR_EACH_METHOD(method) {
      mus_solver_options options = given_options(method, 1e-12);
      mus_solver *solver = given_solver(&g, &options);
      given_solve(solver, &g, x);
      for (int i = 0; i < 3 * ROWS; ++i)
        assert_true(fabs(x[i] * (1 + i / 3 + i % 3) - 1) < 1e-11);
      mus_solver_free(solver);
    }
  }
}

// The rigid-body motions must not drown in the place of the body: the iterations are those of a body at the origin.
static void coordinates_may_be_far_away(void **state) {
  (void)state;
  sheet_options sheet = sheet_default_options();
  sheet.side = 25;
  sheet_system system;
  assert_int_equal(sheet_system_create(&sheet, &system), MUS_OK);
  given g = given_sheet(&system);
  mus_solver_options options = given_options(MUS_METHOD_SA, 1e-8);
  mus_solver *solver = given_solver(&g, &options);
  double *x = malloc((size_t)g.n * sizeof *x), *moved = malloc((size_t)g.n * sizeof *moved);
  assert_true(x && moved);
  given_solve(solver, &g, x);
  int iterations = mus_solver_record(solver)->iterations;
  for (int i = 0; i < g.n; ++i)
    moved[i] = g.positions[i] + 1e6;
  assert_int_equal(mus_solver_set_coordinates(solver, moved), MUS_OK);
  given_solve(solver, &g, moved);
  assert_in_range(mus_solver_record(solver)->iterations, iterations - 1, iterations + 1);
  expect_near(&g, moved, x, 1e-6, "far away");
  mus_solver_free(solver);
  free(x), free(moved);
  sheet_system_free(&system);
}

// Positions that say nothing first, then the right ones: what follows is as if they had been given at once.
static void coordinates_are_followed(void **state) {
  (void)state;
  sheet_options sheet = sheet_default_options();
  sheet.side = 25;
  sheet_system system;
  assert_int_equal(sheet_system_create(&sheet, &system), MUS_OK);
  given g = given_sheet(&system), wrong = g;
  double *x = malloc((size_t)g.n * sizeof *x), *expected = malloc((size_t)g.n * sizeof *expected);
  double *scattered = malloc((size_t)g.n * sizeof *scattered);
  assert_true(x && expected && scattered);
  for (int i = 0; i < g.n; ++i)
    scattered[i] = mus_random(12, (uint64_t)i);
  wrong.positions = scattered;
  mus_solver_options options = given_options(MUS_METHOD_SA, 1e-8);
  options.setup = MUS_SETUP_FULL; // aggregates of the coarser levels depend on the positions too
  mus_solver *right = given_solver(&g, &options), *solver = given_solver(&wrong, &options);
  given_solve(right, &g, expected);
  given_solve(solver, &g, x);
  assert_memory_not_equal(x, expected, (size_t)g.n * sizeof *x);
  assert_int_equal(mus_solver_set_coordinates(solver, g.positions), MUS_OK);
  given_solve(solver, &g, x);
  assert_memory_equal(x, expected, (size_t)g.n * sizeof *x);
  mus_solver_free(solver);
  mus_solver_free(right);
  free(x), free(expected), free(scattered);
  sheet_system_free(&system);
}

// --- changes --------------------------------------------------------------------------------------------------------

// The values change as they would from step to step.
static void change_values(random_system *system, int step) {
  size_t size = (size_t)(system->block * system->block);
  for (int i = 0; i < system->rows; ++i)
    for (int k = 0; k < system->block; ++k)
      system->a.value[(size_t)system->place[i] * size + (size_t)(k * (system->block + 1))] +=
          1 + mus_random(99, (uint64_t)(step * 1000 + i));
}

// One solver through many changes of values and constraints; a dense solve tells after each what is right.
static void changes_are_followed(void **state) {
  (void)state;
  FOR_EACH_METHOD(method)
  for (int setup = 0; setup < 3; ++setup) {
    random_system system = random_system_create(30, 3, 41);
    mus_constraint constraint[30];
    given g = given_random(&system);
    g.constraint = constraint;
    mus_solver_options options = given_options(method, 1e-12);
    options.setup = (mus_setup)setup;
    mus_solver *solver = given_solver(&g, &options);
    double x[90];
    enum { NOTHING, VALUES, ADDED, VALUES_HELD, TARGETS, MOVED, REMOVED, ADDED_AGAIN, CHANGES };
    for (int change = 0; change < CHANGES; ++change) {
      if (change == VALUES || change == VALUES_HELD) {
        change_values(&system, change);
        assert_int_equal(mus_solver_set_values(solver, g.values), MUS_OK);
      } else if (change != NOTHING) {
        g.count = change == REMOVED ? 0 : random_constraints(30, 3, change == MOVED ? 61 : 60, constraint);
        for (int i = 0; i < g.count && change == TARGETS; ++i)
          constraint[i].value[0] += 1;
        assert_int_equal(mus_solver_set_constraints(solver, g.count, change == REMOVED ? NULL : constraint), MUS_OK);
      }
      double *reference = given_reference(&g);
      given_solve(solver, &g, x);
      expect_near(&g, x, reference, 1e-10, mus_method_name(method));
      free(reference);
    }
    mus_solver_free(solver);
    random_system_free(&system);
  }
}

// The solver keeps copies: the caller's arrays may go or change once they are given.
static void given_arrays_are_copied(void **state) {
  (void)state;
  random_system system = random_system_create(20, 3, 51);
  given g = given_random(&system);
  mus_constraint constraint[20];
  g.count = random_constraints(20, 3, 52, constraint);
  g.constraint = constraint;
  double positions[60], x[60], again[60];
  for (int i = 0; i < 60; ++i)
    positions[i] = mus_random(5, (uint64_t)i);
  g.positions = positions;
  mus_solver_options options = given_options(MUS_METHOD_SA, 1e-9);
  mus_solver *solver = given_solver(&g, &options), *other = given_solver(&g, &options);
  given_solve(solver, &g, x);
  memset(system.pattern->row_start, 0x7f, 21 * sizeof(int));
  memset(system.pattern->column, 0x7f, 20 * sizeof(int));
  memset(system.a.value, 0x7f, 100 * sizeof(double));
  memset(positions, 0x7f, sizeof positions);
  memset(constraint, 0x7f, sizeof constraint);
  given_solve(other, &g, again);
  assert_memory_equal(x, again, sizeof x);
  mus_solver_free(solver);
  mus_solver_free(other);
  random_system_free(&system);
}

static void patterns_may_change(void **state) {
  (void)state;
  const struct { int rows, block; } shape[] = {{30, 3}, {50, 3}, {10, 2}, {30, 3}, {12, 6}, {1, 1}, {60, 1}};
  FOR_EACH_METHOD(method) {
    mus_solver_options options = given_options(method, 1e-12);
    mus_solver *solver = NULL;
    assert_int_equal(mus_solver_create(&options, &solver), MUS_OK);
    for (size_t k = 0; k < sizeof shape / sizeof *shape; ++k) {
      random_system system = random_system_create(shape[k].rows, shape[k].block, 70 + k);
      given g = given_random(&system);
      double *reference = given_reference(&g), *x = malloc((size_t)g.n * sizeof *x);
      assert_non_null(x);
      assert_int_equal(mus_solver_set_pattern(solver, g.rows, g.block, g.row_start, g.column), MUS_OK);
      assert_int_equal(mus_solver_record(solver)->bytes, 0); // all zero again
      assert_int_equal(given_levels(solver, method, g.rows), MUS_OK);
      assert_int_equal(mus_solver_set_values(solver, g.values), MUS_OK);
      given_solve(solver, &g, x);
      expect_near(&g, x, reference, 1e-10, mus_method_name(method));
      free(reference), free(x);
      random_system_free(&system);
    }
    mus_solver_free(solver);
  }
}

// Coordinates and kernel replace each other, without growing.
static void kernels_replace_each_other(void **state) {
  (void)state;
  sheet_options sheet = sheet_default_options();
  sheet.side = 12;
  sheet_system system;
  assert_int_equal(sheet_system_create(&sheet, &system), MUS_OK);
  given g = given_sheet(&system);
  mus_solver_options options = given_options(MUS_METHOD_SA, 1e-8);
  mus_solver *solver = given_solver(&g, &options);
  double *x = malloc((size_t)g.n * sizeof *x), *first = malloc((size_t)g.n * sizeof *first);
  assert_true(x && first);
  given_solve(solver, &g, first);
  size_t bytes = mus_solver_record(solver)->bytes;
  for (int round = 0; round < 3; ++round) {
    assert_int_equal(mus_solver_set_kernel(solver, 1, g.b), MUS_OK);
    given_solve(solver, &g, x);
    assert_int_equal(mus_solver_record(solver)->level[1].block, 1);
    assert_int_equal(mus_solver_set_coordinates(solver, g.positions), MUS_OK);
    given_solve(solver, &g, x);
    assert_int_equal(mus_solver_record(solver)->level[1].block, 6);
    assert_memory_equal(x, first, (size_t)g.n * sizeof *x);
    assert_int_equal(mus_solver_record(solver)->bytes, bytes);
  }
  mus_solver_free(solver);
  free(x), free(first);
  sheet_system_free(&system);
}

// --- the record -----------------------------------------------------------------------------------------------------

static int is_iterative(mus_method method) { return method != MUS_METHOD_CHOLMOD; }

static void check_record(const given *g, const mus_solver *solver, mus_method method, double tolerance,
                         const double *x) {
  const mus_solve_record *record = mus_solver_record(solver);
  const double *residuals = record->residuals;
  int count = record->iterations;
  assert_int_equal(record->status, MUS_OK);
  if (method != MUS_METHOD_AUTO)
    assert_int_equal(record->method, method);
  assert_true(record->method != MUS_METHOD_AUTO);
  if (is_iterative(record->method)) {
    assert_true(count > 0);
    assert_true(fabs(record->rate - pow(residuals[count] / residuals[0], 1.0 / count)) < 1e-12);
    for (int k = 0; k < count; ++k)
      assert_true(residuals[k] > tolerance * record->reference);
  }
  assert_true(residuals[count] <= tolerance * record->reference);
  double residual = given_residual(g, x);
  assert_true(fabs(record->true_residual - residual) <= 1e-6 * residual + 1e-15);
  assert_true(record->true_residual < 100 * tolerance);
  assert_true(record->setup_seconds >= 0 && record->prefilter_seconds >= 0 && record->solve_seconds >= 0);
  assert_true(record->setup_seconds + record->prefilter_seconds + record->solve_seconds < 60);
  size_t matrix = (size_t)(g->row_start[g->rows] * g->block * g->block) * sizeof(double);
  assert_true(record->bytes > matrix && record->bytes < 1000 * matrix);
  if (record->method == MUS_METHOD_BOOMERAMG)
    assert_true(isnan(record->operator_complexity));
  else
    assert_true(record->operator_complexity >= 1 && record->operator_complexity < 10);
}

static void check_levels(const given *g, const mus_solve_record *record) {
  int has_levels = record->method == MUS_METHOD_SA || record->method == MUS_METHOD_SKINNING ||
                   record->method == MUS_METHOD_GEOMETRIC;
  if (!has_levels) {
    if (record->method != MUS_METHOD_GAMG && record->method != MUS_METHOD_BOOMERAMG) {
      assert_int_equal(record->levels, 0);
      assert_true(record->operator_complexity == 1);
    }
    return;
  }
  double nonzeros = 0;
  assert_in_range(record->levels, 2, 20);
  assert_int_equal(record->level[0].rows, g->rows);
  assert_int_equal(record->level[0].block, g->block);
  assert_int_equal(record->level[0].nonzeros, g->row_start[g->rows] * g->block * g->block);
  for (int k = 0; k < record->levels; ++k) {
    const mus_level_report *level = &record->level[k];
    assert_true(level->bytes > (size_t)level->nonzeros * sizeof(float));
    assert_true(k + 1 == record->levels ? level->spectral_radius == 0 : level->spectral_radius > 0.5);
    assert_true(k == 0 || level->rows < record->level[k - 1].rows);
    assert_in_range(level->special, 0, level->rows);
    nonzeros += (double)level->nonzeros;
  }
  assert_true(fabs(record->operator_complexity * (double)record->level[0].nonzeros - nonzeros) < 1e-6 * nonzeros);
}

static void the_record_tells_the_truth(void **state) {
  (void)state;
  sheet_options sheet = sheet_default_options();
  sheet.side = 9;
  sheet_system system;
  assert_int_equal(sheet_system_create(&sheet, &system), MUS_OK);
  given g = given_sheet(&system);
  double x[243];
  FOR_EACH_METHOD(method)
  for (int precision = 0; precision < 2; ++precision) {
    const double tolerance = 1e-7;
    mus_solver_options options = given_options(method, tolerance);
    options.precision = (mus_precision)precision;
    mus_solver *solver = given_solver(&g, &options);
    given_solve(solver, &g, x);
    check_record(&g, solver, method, tolerance, x);
    check_levels(&g, mus_solver_record(solver));
    mus_solver_free(solver);
  }
  sheet_system_free(&system);
}

// Filtering vectors instead of the matrix saves a copy of it.
static void no_method_copies_the_matrix(void **state) {
  (void)state;
  random_system system = random_system_create(60, 3, 85);
  given g = given_random(&system);
  mus_constraint constraint[60];
  g.count = random_constraints(60, 3, 86, constraint);
  g.constraint = constraint;
  double x[180];
  const mus_method methods[] = {MUS_METHOD_DIAG, MUS_METHOD_MPCG, MUS_METHOD_MPCG_ORIGINAL};
  size_t bytes[3];
  for (int m = 0; m < 3; ++m) {
    mus_solver_options options = given_options(methods[m], 1e-6);
    mus_solver *solver = given_solver(&g, &options);
    given_solve(solver, &g, x);
    bytes[m] = mus_solver_record(solver)->bytes;
    mus_solver_free(solver);
  }
  assert_true(bytes[0] < bytes[1] + (size_t)g.row_start[60] * 9 * sizeof(double)); // rows that are held are
  assert_int_equal(bytes[1], bytes[2]);
  random_system_free(&system);
}

static void the_level_report_is_a_table(void **state) {
  (void)state;
  random_system system = random_system_create(60, 3, 81);
  given g = given_random(&system);
  double x[180];
  const mus_method methods[] = {MUS_METHOD_SA, MUS_METHOD_DIAG};
  for (int m = 0; m < 2; ++m) {
    mus_solver_options options = given_options(methods[m], 1e-6);
    mus_solver *solver = given_solver(&g, &options);
    given_solve(solver, &g, x);
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    assert_non_null(file);
    mus_solve_record_print_levels(mus_solver_record(solver), file);
    fclose(file);
    int lines = 0;
    for (size_t k = 0; k < length; ++k)
      lines += text[k] == '\n';
    if (m == 0) {
      assert_int_equal(lines, mus_solver_record(solver)->levels + 2);
      assert_non_null(strstr(text, "direct"));
      assert_non_null(strstr(text, "operator complexity"));
    } else {
      assert_non_null(strstr(text, "diag"));
    }
    free(text);
    mus_solver_free(solver);
  }
  random_system_free(&system);
}

// --- stopping -------------------------------------------------------------------------------------------------------

static void a_good_guess_saves_iterations(void **state) {
  (void)state;
  random_system system = random_system_create(60, 3, 91);
  given g = given_random(&system);
  mus_constraint constraint[60];
  g.count = random_constraints(60, 3, 92, constraint);
  g.constraint = constraint;
  double *reference = given_reference(&g), x[180];
  const mus_method methods[] = {MUS_METHOD_SA, MUS_METHOD_DIAG, MUS_METHOD_MPCG};
  for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) {
    int iterations[2][2]; // stop, cold or warm
    for (int stop = 0; stop < 2; ++stop) {
      mus_solver_options options = given_options(methods[m], 1e-8);
      options.stop = (mus_stop)stop;
      mus_solver *solver = given_solver(&g, &options);
      for (int warm = 0; warm < 2; ++warm) {
        for (int i = 0; i < 180; ++i)
          x[i] = warm ? reference[i] * (1 + 1e-5 * mus_random(3, (uint64_t)i)) : 0;
        assert_int_equal(mus_solver_solve(solver, g.b, x), MUS_OK);
        iterations[stop][warm] = mus_solver_record(solver)->iterations;
      }
      mus_solver_free(solver);
    }
    assert_int_equal(iterations[MUS_STOP_INITIAL][0], iterations[MUS_STOP_RHS][0]);
    assert_true(iterations[MUS_STOP_RHS][1] < 0.7 * iterations[MUS_STOP_RHS][0]);
    if (methods[m] != MUS_METHOD_MPCG) // which always compares with the right-hand side
      assert_true(iterations[MUS_STOP_INITIAL][1] > iterations[MUS_STOP_RHS][1]);
  }
  free(reference);
  random_system_free(&system);
}

static void too_few_iterations_are_said(void **state) {
  (void)state;
  random_system system = random_system_create(60, 3, 95);
  given g = given_random(&system);
  double x[180];
  const mus_method methods[] = {MUS_METHOD_SA, MUS_METHOD_DIAG, MUS_METHOD_MPCG, MUS_METHOD_MPCG_ORIGINAL};
  for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) {
    mus_solver_options options = given_options(methods[m], 1e-12);
    options.iterations = 3;
    mus_solver *solver = given_solver(&g, &options);
    memset(x, 0, sizeof x);
    expect_status(MUS_NOT_CONVERGED, "3 iterations", mus_solver_solve(solver, g.b, x));
    const mus_solve_record *record = mus_solver_record(solver);
    assert_int_equal(record->status, MUS_NOT_CONVERGED);
    assert_int_equal(record->iterations, 3);
    double residual = given_residual(&g, x); // x holds the last iterate
    assert_true(residual < 1 && fabs(record->true_residual - residual) < 1e-10);
    mus_solver_free(solver);
  }
  random_system_free(&system);
}

// A tolerance of one is met by the guess, one of zero only by luck: neither is an accident.
static void extreme_tolerances_end(void **state) {
  (void)state;
  random_system system = random_system_create(20, 3, 97);
  given g = given_random(&system);
  double x[60];
  FOR_EACH_METHOD(method) {
    mus_solver_options options = given_options(method, 1);
    mus_solver *solver = given_solver(&g, &options);
    given_solve(solver, &g, x);
    assert_int_equal(mus_solver_record(solver)->iterations, 0);
    mus_solver_free(solver);
    options.tolerance = 0;
    options.iterations = 500;
    solver = given_solver(&g, &options);
    memset(x, 0, sizeof x);
    mus_status status = mus_solver_solve(solver, g.b, x);
    assert_true(status == MUS_OK || status == MUS_NOT_CONVERGED);
    assert_true(given_residual(&g, x) < 1e-12);
    mus_solver_free(solver);
  }
  random_system_free(&system);
}

static void zero_is_solved_by_zero(void **state) {
  (void)state;
  random_system system = random_system_create(20, 3, 98);
  given g = given_random(&system);
  double zero[60] = {0}, x[60];
  g.b = zero;
  FOR_EACH_METHOD(method) {
    mus_solver_options options = given_options(method, 1e-10);
    mus_solver *solver = given_solver(&g, &options);
    given_solve(solver, &g, x);
    assert_memory_equal(x, zero, sizeof x);
    assert_int_equal(mus_solver_record(solver)->iterations, 0);
    assert_true(mus_solver_record(solver)->true_residual == 0);
    mus_solver_free(solver);
  }
  random_system_free(&system);
}

// --- matrices that are not positive definite ------------------------------------------------------------------------

// Every method says so; the record then holds no numbers of an earlier solve, and better values are solved as usual.
static void breakdowns_are_said_and_over(void **state) {
  (void)state;
  random_system system = random_system_create(20, 3, 101);
  given g = given_random(&system);
  double *reference = given_reference(&g), x[60], guess[60];
  size_t count = (size_t)g.row_start[20] * 9;
  double *bad = malloc(count * sizeof *bad);
  assert_non_null(bad);
  for (int kind = 0; kind < 2; ++kind) {
    memcpy(bad, g.values, count * sizeof *bad);
    for (int i = 0; i < 20; ++i)
      for (int k = 0; k < 3; ++k) // a negative diagonal, or a positive one under a matrix that is indefinite
        bad[(size_t)system.place[i] * 9 + (size_t)(4 * k)] *= kind == 0 ? -1 : 0.55;
    FOR_EACH_METHOD(method) {
      mus_solver_options options = given_options(method, 1e-12);
      mus_solver *solver = given_solver(&g, &options);
      given_solve(solver, &g, x);
      assert_int_equal(mus_solver_set_values(solver, bad), MUS_OK);
      for (int i = 0; i < 60; ++i)
        x[i] = guess[i] = mus_random(2, (uint64_t)i);
      expect_status(MUS_BREAKDOWN, "positive definite", mus_solver_solve(solver, g.b, x));
      const mus_solve_record *record = mus_solver_record(solver);
      assert_int_equal(record->status, MUS_BREAKDOWN);
      assert_true(record->true_residual > 0);
      for (int i = 0; i < 60; ++i)
        assert_true(isfinite(x[i]));
      if (record->iterations == 0) {
        assert_memory_equal(x, guess, sizeof x);
        assert_true(isnan(record->residuals[0]) || record->residuals[0] > 0);
      }
      assert_int_equal(mus_solver_set_values(solver, g.values), MUS_OK);
      given_solve(solver, &g, x);
      expect_near(&g, x, reference, 1e-10, mus_method_name(method));
      mus_solver_free(solver);
    }
  }
  free(reference), free(bad);
  random_system_free(&system);
}

// Before any norm was computed there is none to show: not the last solve's, and not what memory happened to hold.
static void a_failed_set_up_leaves_no_residual(void **state) {
  (void)state;
  random_system system = random_system_create(20, 3, 103);
  given g = given_random(&system);
  double x[60];
  FOR_EACH_METHOD(method) {
    if (method == MUS_METHOD_GAMG || method == MUS_METHOD_BOOMERAMG)
      continue; // PETSc sets up for any matrix
    mus_solver_options options = given_options(method, 1e-12);
    mus_solver *solver = given_solver(&g, &options);
    given_solve(solver, &g, x);
    size_t place = (size_t)system.place[4] * 9;
    double kept = system.a.value[place];
    system.a.value[place] = -1; // no inverse of the diagonal, no factor
    assert_int_equal(mus_solver_set_values(solver, g.values), MUS_OK);
    expect_status(MUS_BREAKDOWN, "", mus_solver_solve(solver, g.b, x));
    const mus_solve_record *record = mus_solver_record(solver);
    assert_int_equal(record->iterations, 0);
    assert_true(isnan(record->residuals[0]));
    assert_true(record->rate == 0 && record->reference == 0);
    system.a.value[place] = kept;
    mus_solver_free(solver);
  }
  random_system_free(&system);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_method_agrees_with_the_null_space),
      cmocka_unit_test(cloth_is_solved_by_every_method),
      cmocka_unit_test(any_guess_will_do),
      cmocka_unit_test(any_block_size_will_do),
      cmocka_unit_test(one_node_will_do),
      cmocka_unit_test(every_node_may_be_held),
      cmocka_unit_test(every_node_may_be_isolated),
      cmocka_unit_test(coordinates_may_be_far_away),
      cmocka_unit_test(coordinates_are_followed),
      cmocka_unit_test(changes_are_followed),
      cmocka_unit_test(given_arrays_are_copied),
      cmocka_unit_test(patterns_may_change),
      cmocka_unit_test(kernels_replace_each_other),
      cmocka_unit_test(the_record_tells_the_truth),
      cmocka_unit_test(no_method_copies_the_matrix),
      cmocka_unit_test(the_level_report_is_a_table),
      cmocka_unit_test(a_good_guess_saves_iterations),
      cmocka_unit_test(too_few_iterations_are_said),
      cmocka_unit_test(extreme_tolerances_end),
      cmocka_unit_test(zero_is_solved_by_zero),
      cmocka_unit_test(breakdowns_are_said_and_over),
      cmocka_unit_test(a_failed_set_up_leaves_no_residual),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
