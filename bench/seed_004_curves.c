// How errors fall with iterations and with time. See seed_004.h.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "seed_004.h"

curve_system curve_system_of_solid(const solid_system *s) {
  return (curve_system){.rows = s->mesh.vertices,
                        .row_start = s->pattern->row_start,
                        .column = s->pattern->column,
                        .values = s->a.value,
                        .b = s->b,
                        .positions = s->position,
                        .held = s->constraint_count,
                        .constraints = s->constraint};
}

static mus_status make_solver(const curve_system *s, const mus_solver_options *options, mus_solver **solver) {
  mus_status status = mus_solver_create(options, solver);
  if (!status)
    status = mus_solver_set_pattern(*solver, s->rows, 3, s->row_start, s->column);
  if (!status)
    status = mus_solver_set_values(*solver, s->values);
  if (!status)
    status = mus_solver_set_coordinates(*solver, s->positions);
  if (!status)
    status = mus_solver_set_constraints(*solver, s->held, s->constraints);
  return status;
}

mus_status curve_solution(const curve_system *s, double *x) {
  mus_solver_options options = mus_preset_solver_options(MUS_PRESET_ROBUST);
  options.tolerance = 1e-12;
  mus_solver *solver = NULL;
  mus_status status = make_solver(s, &options, &solver);
  memset(x, 0, 3 * (size_t)s->rows * sizeof *x);
  if (!status)
    status = mus_solver_solve(solver, s->b, x);
  mus_solver_free(solver);
  return status;
}

// e^T A e of e = x - y; y may be NULL, for zero. Held vertices have no error.
static double energy(const curve_system *s, const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < s->rows; ++i)
    for (int k = s->row_start[i]; k < s->row_start[i + 1]; ++k)
      for (int e = 0; e < 9; ++e) {
        size_t row = 3 * (size_t)i + (size_t)(e / 3), column = 3 * (size_t)s->column[k] + (size_t)(e % 3);
        double left = x[row] - (y ? y[row] : 0), right = x[column] - (y ? y[column] : 0);
        sum += left * s->values[9 * (size_t)k + (size_t)e] * right;
      }
  return sum;
}

// The second of two solves from zero, whose set-up the first has done.
static mus_status measure_point(const curve_system *s, const mus_solver_options *options, double *x, double *seconds,
                                double *residual) {
  size_t bytes = 3 * (size_t)s->rows * sizeof *x;
  mus_solver *solver = NULL;
  mus_status status = make_solver(s, options, &solver);
  *seconds = INFINITY;
  for (int run = 0; run < 3 && !status; ++run) {
    memset(x, 0, bytes);
    clock_t begin = clock();
    status = mus_solver_solve(solver, s->b, x);
    if (status == MUS_NOT_CONVERGED)
      status = MUS_OK;
    if (run > 0)
      *seconds = fmin(*seconds, (double)(clock() - begin) / CLOCKS_PER_SEC);
  }
  *residual = mus_solver_record(solver)->true_residual;
  mus_solver_free(solver);
  return status;
}

mus_status curve_measure(const curve_system *s, const mus_solver_options *options, const double *solution, int count,
                         const int *iterations, double most, curve *out) {
  double *x = mus_alloc(3 * (size_t)s->rows, sizeof *x), whole = energy(s, solution, NULL);
  mus_status status = x ? MUS_OK : mus_fail_memory();
  *out = (curve){.count = 1, .error = {1}, .residual = {1}};
  for (int k = 0; k < count && !status && out->seconds[out->count - 1] < most; ++k) {
    mus_solver_options limited = *options;
    int at = out->count;
    limited.iterations = iterations[k];
    limited.tolerance = 1e-14;
    limited.threads = 1;
    status = measure_point(s, &limited, x, &out->seconds[at], &out->residual[at]);
    out->iterations[at] = iterations[k];
    out->error[at] = status ? 0 : energy(s, x, solution) / whole;
    out->count += !status;
  }
  mus_free(x);
  return status;
}
