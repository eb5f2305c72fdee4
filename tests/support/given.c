// Systems for the public solver. See given.h.
#include "support/given.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "solve/method.h"

mus_method given_method_from(int method) {
  while (method < MUS_METHODS && (!mus_method_available((mus_method)method) || method == MUS_METHOD_AMGCL ||
                                  mus_method_table((mus_method)method)->is_stationary))
    ++method;
  return (mus_method)method;
}

static int is_petsc(mus_method method) { return method == MUS_METHOD_GAMG || method == MUS_METHOD_BOOMERAMG; }

given given_random(const random_system *system) {
  return (given){.rows = system->rows,
                 .block = system->block,
                 .n = system->n,
                 .row_start = system->pattern->row_start,
                 .column = system->pattern->column,
                 .values = system->a.value,
                 .b = system->b};
}

given given_sheet(const sheet_system *sheet) {
  return (given){.rows = sheet->rows,
                 .block = 3,
                 .n = 3 * sheet->rows,
                 .row_start = sheet->pattern->row_start,
                 .column = sheet->pattern->column,
                 .values = sheet->a.value,
                 .b = sheet->b,
                 .positions = sheet->position,
                 .count = sheet->constraint_count,
                 .constraint = sheet->constraint};
}

sheet_system given_cloth(int side) {
  sheet_options options = sheet_default_options();
  options.side = side;
  sheet_system sheet;
  assert_int_equal(sheet_system_create(&options, &sheet), MUS_OK);
  return sheet;
}

mus_solver_options given_options(mus_method method, double tolerance) {
  mus_solver_options options = mus_preset_solver_options(MUS_PRESET_ROBUST);
  options.method = method;
  options.tolerance = tolerance;
  options.multigrid.bottom = 24;
  options.recycle = 0; // so that solves have the same bits whatever was solved before
  return options;
}

mus_status given_levels(mus_solver *solver, mus_method method, int rows) {
  enum { FEW = 4 };
  mus_interpolation level[MUS_LEVELS_MAXIMUM];
  int count = 0;
  if (!mus_method_needs_levels(method))
    return MUS_OK;
  size_t numbers = 3 * (size_t)rows;
  int *carrier = calloc(MUS_LEVELS_MAXIMUM * numbers, sizeof *carrier);
  double *weight = calloc(numbers, sizeof *weight);
  assert_true(carrier && weight);
  for (size_t i = 0; i < numbers; i += 3)
    weight[i] = 1;
  for (int nodes = rows; nodes > FEW && count < MUS_LEVELS_MAXIMUM - 1; nodes = (nodes + 1) / 2, ++count) {
    int *to = carrier + (size_t)count * numbers;
    for (int i = 0; i < nodes; ++i)
      to[3 * i] = i / 2;
    level[count] = (mus_interpolation){nodes, (nodes + 1) / 2, to, weight, NULL};
  }
  mus_status status = mus_solver_set_levels(solver, count, level);
  free(carrier), free(weight);
  return status;
}

static mus_status give_across(mus_solver *solver, const given *system) {
  mus_status status = MUS_OK;
  if (system->coupling_count > 0)
    status = mus_solver_set_couplings(solver, system->coupling_count, system->coupling);
  if (!status && system->equality_count > 0)
    status = mus_solver_set_equalities(solver, system->equality_count, system->equality);
  return status;
}

mus_solver *given_solver(const given *system, const mus_solver_options *options) {
  mus_solver *solver = NULL;
  mus_status status = mus_solver_create(options, &solver);
  if (!status)
    status = mus_solver_set_pattern(solver, system->rows, system->block, system->row_start, system->column);
  if (!status)
    status = given_levels(solver, options->method, system->rows);
  if (!status)
    status = mus_solver_set_values(solver, system->values);
  if (!status && system->positions)
    status = mus_solver_set_coordinates(solver, system->positions);
  if (!status && system->count > 0)
    status = mus_solver_set_constraints(solver, system->count, system->constraint);
  if (!status)
    status = give_across(solver, system);
  if (status)
    fail_msg("the solver could not be given a system: %s", mus_last_error());
  return solver;
}

void given_solve(mus_solver *solver, const given *system, double *x) {
  memset(x, 0, (size_t)system->n * sizeof *x);
  if (mus_solver_solve(solver, system->b, x) != MUS_OK)
    fail_msg("%s: %s", mus_method_name(mus_solver_record(solver)->method), mus_last_error());
}

static mus_pattern pattern_of(const given *system) {
  return (mus_pattern){system->rows, system->rows, (int *)system->row_start, (int *)system->column};
}

static void add_coupling(const mus_coupling *coupling, int n, double *dense) {
  for (int i = 0; i < coupling->count; ++i)
    for (int j = 0; j < coupling->count; ++j)
      for (int e = 0; e < 9; ++e)
        dense[(size_t)(3 * coupling->node[j] + e % 3) * (size_t)n + (size_t)(3 * coupling->node[i] + e / 3)] +=
            coupling->weight[i] * coupling->weight[j] * coupling->block[e];
}

// All equations, those of constraints first, of unit length.
static int all_equations(const given *g, double **c, double **d) {
  double *held, *values;
  int first = constraint_equations(g->rows, g->block, g->count, g->constraint, &held, &values);
  size_t n = (size_t)g->n, total = (size_t)(first + g->equality_count);
  *c = calloc(total * n + 1, sizeof **c), *d = calloc(total + 1, sizeof **d);
  assert_true(*c && *d);
  memcpy(*c, held, (size_t)first * n * sizeof **c);
  memcpy(*d, values, (size_t)first * sizeof **d);
  for (int k = 0; k < g->equality_count; ++k) {
    const mus_equality *equality = &g->equality[k];
    double *row = *c + (size_t)(first + k) * n, square = 0;
    for (int i = 0; i < equality->count; ++i)
      for (int m = 0; m < g->block; ++m)
        row[equality->node[i] * g->block + m] += equality->direction[i][m];
    for (size_t i = 0; i < n; ++i)
      square += row[i] * row[i];
    for (size_t i = 0; i < n; ++i)
      row[i] /= sqrt(square);
    (*d)[first + k] = equality->value / sqrt(square);
  }
  free(held), free(values);
  return first + g->equality_count;
}

double *given_reference(const given *system) {
  mus_pattern pattern = pattern_of(system);
  double *dense = dense_from_matrix(&(mus_matrix){&pattern, system->block, system->block, (double *)system->values});
  for (int k = 0; k < system->coupling_count; ++k)
    add_coupling(&system->coupling[k], system->n, dense);
  double *c, *d, *x = malloc((size_t)system->n * sizeof *x);
  assert_non_null(x);
  int equations = all_equations(system, &c, &d);
  dense_null_space_solve(system->n, dense, system->b, equations, c, d, x);
  free(dense), free(c), free(d);
  return x;
}

// The length of r without its parts along the constraints: Gram-Schmidt over the directions of each node.
static double free_length(const given *system, double *r) {
  int block = system->block;
  for (int i = 0; i < system->count; ++i) {
    double q[3][3], *at = r + (size_t)system->constraint[i].node * (size_t)block;
    for (int k = 0; k < system->constraint[i].count; ++k) {
      double square = 0, along = 0;
      memcpy(q[k], system->constraint[i].direction[k], sizeof q[k]);
      for (int pass = 0; pass < 2; ++pass)
        for (int e = 0; e < k; ++e) {
          double part = 0;
          for (int c = 0; c < block; ++c)
            part += q[e][c] * q[k][c];
          for (int c = 0; c < block; ++c)
            q[k][c] -= part * q[e][c];
        }
      for (int c = 0; c < block; ++c)
        square += q[k][c] * q[k][c];
      for (int c = 0; c < block; ++c) {
        q[k][c] /= sqrt(square);
        along += q[k][c] * at[c];
      }
      for (int c = 0; c < block; ++c)
        at[c] -= along * q[k][c];
    }
  }
  double square = 0;
  for (int i = 0; i < system->n; ++i)
    square += r[i] * r[i];
  return sqrt(square);
}

static double residual_length(const given *system, const double *x) {
  mus_pattern pattern = pattern_of(system);
  double *r = malloc((size_t)system->n * sizeof *r);
  assert_non_null(r);
  mus_residual(&(mus_matrix){&pattern, system->block, system->block, (double *)system->values}, system->b, x, r);
  double length = free_length(system, r);
  free(r);
  return length;
}

double given_residual(const given *system, const double *x) {
  // z, the point nearest to zero that the constraints allow, solves the problem with A = I and b = 0.
  given nearest = *system;
  int *start = malloc(((size_t)system->rows + 1) * sizeof *start), *column = malloc((size_t)system->rows * sizeof(int));
  size_t size = (size_t)(system->block * system->block);
  double *identity = calloc((size_t)system->rows * size, sizeof *identity),
         *zero = calloc((size_t)system->n, sizeof *zero);
  assert_true(start && column && identity && zero);
  for (int i = 0; i < system->rows; ++i) {
    start[i] = column[i] = i;
    for (int k = 0; k < system->block; ++k)
      identity[(size_t)i * size + (size_t)(k * (system->block + 1))] = 1;
  }
  start[system->rows] = system->rows;
  nearest.row_start = start, nearest.column = column, nearest.values = identity, nearest.b = zero;
  double *z = given_reference(&nearest);
  double relative = residual_length(system, x) / residual_length(system, z);
  free(start), free(column), free(identity), free(zero), free(z);
  return relative;
}

void expect_solution(mus_solver *solver, const given *system, const double *reference, double allowed) {
  double *x = malloc((size_t)system->n * sizeof *x);
  assert_non_null(x);
  given_solve(solver, system, x);
  double off = dense_difference(system->n, x, reference);
  if (!(off <= allowed))
    fail_msg("%s: the solution is off by %g", mus_method_name(mus_solver_record(solver)->method), off);
  free(x);
}

void expect_solution_by_every_method(const given *system, double allowed) {
  double *reference = given_reference(system);
  FOR_EACH_METHOD(method) {
    mus_solver_options options = given_options(method, 1e-13);
    mus_solver *solver = given_solver(system, &options);
    expect_solution(solver, system, reference, allowed);
    mus_solver_free(solver);
  }
  free(reference);
}

void expect_same_bits(const given *system, double tolerance) {
  size_t bytes = (size_t)system->n * sizeof(double);
  double *x = malloc(bytes), *first = malloc(bytes);
  assert_true(x && first);
  const int threads[] = {1, 2, 7};
  FOR_EACH_METHOD(method)
  for (int t = 0; t < 3 && !is_petsc(method); ++t) {
    mus_solver_options options = given_options(method, tolerance);
    options.threads = threads[t];
    mus_solver *solver = given_solver(system, &options);
    given_solve(solver, system, t == 0 ? first : x);
    if (t > 0)
      assert_memory_equal(x, first, bytes);
    mus_solver_free(solver);
  }
  free(x), free(first);
}

// With the k-th allocation failing. Returns whether there were fewer.
static int fail_once(const given *system, const mus_solver_options *options, long k, const double *reference) {
  given bare = *system;
  bare.coupling_count = bare.equality_count = 0;
  double *x = calloc((size_t)system->n, sizeof *x);
  assert_non_null(x);
  mus_solver *solver = given_solver(&bare, options);
  mus_memory_fail_after(k);
  mus_status status = give_across(solver, system);
  if (!status)
    status = mus_solver_solve(solver, system->b, x);
  mus_memory_fail_after(-1);
  if (status)
    assert_int_equal(status, MUS_OUT_OF_MEMORY);
  assert_int_equal(give_across(solver, system), MUS_OK);
  expect_solution(solver, system, reference, 1e-9);
  mus_solver_free(solver);
  free(x);
  return status == MUS_OK;
}

void expect_clean_failures(const given *system) {
  double *reference = given_reference(system);
  FOR_EACH_METHOD(method) {
    mus_solver_options options = given_options(method, 1e-12);
    for (long k = 0; !is_petsc(method) && !fail_once(system, &options, k, reference); ++k)
      ;
  }
  free(reference);
}

void expect_status(mus_status wanted, const char *words, mus_status answered) {
  if (answered != wanted)
    fail_msg("\"%s\" instead of \"%s\" about \"%s\": %s", mus_status_name(answered), mus_status_name(wanted), words,
             mus_last_error());
  if (!strstr(mus_last_error(), words))
    fail_msg("\"%s\" does not say \"%s\"", mus_last_error(), words);
}
