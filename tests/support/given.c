// Systems for the public solver. See given.h.
#include "support/given.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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

mus_solver_options given_options(mus_method method, double tolerance) {
  mus_solver_options options = mus_default_solver_options();
  options.method = method;
  options.tolerance = tolerance;
  options.sa.bottom = 24;
  return options;
}

mus_solver *given_solver(const given *system, const mus_solver_options *options) {
  mus_solver *solver = NULL;
  mus_status status = mus_solver_create(options, &solver);
  if (!status)
    status = mus_solver_set_pattern(solver, system->rows, system->block, system->row_start, system->column);
  if (!status)
    status = mus_solver_set_values(solver, system->values);
  if (!status && system->positions)
    status = mus_solver_set_coordinates(solver, system->positions);
  if (!status && system->count > 0)
    status = mus_solver_set_constraints(solver, system->count, system->constraint);
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

double *given_reference(const given *system) {
  mus_pattern pattern = pattern_of(system);
  double *dense = dense_from_matrix(&(mus_matrix){&pattern, system->block, system->block, (double *)system->values});
  double *c, *d, *x = malloc((size_t)system->n * sizeof *x);
  assert_non_null(x);
  int equations = constraint_equations(system->rows, system->block, system->count, system->constraint, &c, &d);
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

void expect_status(mus_status wanted, const char *words, mus_status answered) {
  if (answered != wanted)
    fail_msg("\"%s\" instead of \"%s\" about \"%s\": %s", mus_status_name(answered), mus_status_name(wanted), words,
             mus_last_error());
  if (!strstr(mus_last_error(), words))
    fail_msg("\"%s\" does not say \"%s\"", mus_last_error(), words);
}
