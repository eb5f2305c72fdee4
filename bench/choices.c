// How well `auto` chooses: the processor time of block-Jacobi, smoothed aggregation, a direct solve and `auto` on the
// same systems, in turn, cold and warm, on one thread.
//
//   bench_choices                  sheets of 961 to 40,401 vertices and solids
//   bench_choices VERTICES         a sheet of about so many
//   bench_choices A.mtx ...        matrices, to 1e-5 and to 1e-8
//
// Each system is solved twenty times, each time with other values: those of D A D, with D close to 1 and different from
// step to step. Cold is the first solve; warm are solves 11 to 20 together, in ms. The last columns are the method that
// `auto` has chosen in the end, and its times in units of the best. Every solver is there three times, and the
// fastest of the three counts, for the machine may be noisy; of more than 100,000 nodes there is one, and no direct
// solve.
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/random.h"
#include "muslin/matrix_market.h"
#include "sheet_system.h"
#include "solid_system.h"

enum { METHODS = 4, COPIES = 3, SOLVES = 20, WARM = 10, LARGE = 100000 };
static const mus_method method[METHODS] = {MUS_METHOD_DIAG, MUS_METHOD_SA, MUS_METHOD_CHOLMOD, MUS_METHOD_AUTO};

typedef struct problem {
  const char *name;
  int rows, block;
  const int *row_start, *column;
  const double *values, *b, *positions;
  int held;
  const mus_constraint *constraints;
  double tolerance;
} problem;

typedef struct outcome {
  double cold, warm; // s
  int iterations;    // of the last solve
  mus_method ran;    // in it
  int failed;
} outcome;

static double processor_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// D A D
static void change(const problem *p, int step, double *values) {
  size_t block = (size_t)p->block, size = block * block;
  for (int i = 0; i < p->rows; ++i)
    for (int k = p->row_start[i]; k < p->row_start[i + 1]; ++k) {
      double left = 1 + 0.002 * step * mus_random(1, (uint64_t)i),
             right = 1 + 0.002 * step * mus_random(1, (uint64_t)p->column[k]);
      for (size_t e = 0; e < size; ++e)
        values[(size_t)k * size + e] = left * right * p->values[(size_t)k * size + e];
    }
}

static mus_status create(const problem *p, mus_method which, mus_solver **solver) {
  mus_solver_options options = mus_default_solver_options();
  options.method = which;
  options.tolerance = p->tolerance;
  options.threads = 1;
  mus_status status = mus_solver_create(&options, solver);
  if (!status)
    status = mus_solver_set_pattern(*solver, p->rows, p->block, p->row_start, p->column);
  if (!status && p->positions)
    status = mus_solver_set_coordinates(*solver, p->positions);
  if (!status && p->held > 0)
    status = mus_solver_set_constraints(*solver, p->held, p->constraints);
  return status;
}

static mus_status solve(const problem *p, mus_solver *solver, const double *values, double *x, double *seconds) {
  memset(x, 0, (size_t)p->rows * (size_t)p->block * sizeof *x);
  double begin = processor_seconds();
  mus_status status = mus_solver_set_values(solver, values);
  if (!status)
    status = mus_solver_solve(solver, p->b, x);
  *seconds = processor_seconds() - begin;
  return status;
}

// All of them, in turn.
static mus_status run(const problem *p, double *values, double *x, outcome out[METHODS]) {
  mus_solver *solver[METHODS][COPIES] = {{NULL}};
  double warm[METHODS][COPIES] = {{0}};
  mus_status status = MUS_OK;
  int is_large = p->rows > LARGE, copies = is_large ? 1 : COPIES;
  for (int m = 0; m < METHODS; ++m) {
    int runs = mus_method_available(method[m]) && !(is_large && method[m] == MUS_METHOD_CHOLMOD);
    out[m] = (outcome){.cold = HUGE_VAL, .warm = HUGE_VAL, .failed = !runs};
  }
  for (int m = 0; m < METHODS; ++m)
    for (int c = 0; c < copies && !status && !out[m].failed; ++c)
      status = create(p, method[m], &solver[m][c]);
  for (int step = 0; step < SOLVES && !status; ++step) {
    change(p, step, values);
    for (int m = 0; m < METHODS; ++m)
      for (int c = 0; c < copies && !out[m].failed; ++c) {
        double seconds;
        out[m].failed = solve(p, solver[m][c], values, x, &seconds) != MUS_OK;
        out[m].iterations = mus_solver_record(solver[m][c])->iterations;
        out[m].ran = mus_solver_record(solver[m][c])->method;
        out[m].cold = step == 0 ? fmin(out[m].cold, seconds) : out[m].cold;
        warm[m][c] += step >= SOLVES - WARM ? seconds : 0;
      }
  }
  for (int m = 0; m < METHODS; ++m)
    for (int c = 0; c < copies; ++c) {
      out[m].warm = fmin(out[m].warm, warm[m][c]);
      mus_solver_free(solver[m][c]);
    }
  return status;
}

static void print(const problem *p, const outcome out[METHODS]) {
  double best_cold = HUGE_VAL, best_warm = HUGE_VAL;
  const outcome *chosen = &out[METHODS - 1];
  printf("%-22s %7.0e", p->name, p->tolerance);
  for (int m = 0; m < METHODS; ++m) {
    if (out[m].failed)
      printf("  %20s", "-");
    else
      printf("  %8.2f %9.2f ", 1e3 * out[m].cold, 1e3 * out[m].warm);
    if (m + 1 < METHODS && !out[m].failed) {
      best_cold = fmin(best_cold, out[m].cold);
      best_warm = fmin(best_warm, out[m].warm);
    }
  }
  printf(" %-8s %5.2f %5.2f\n", mus_method_name(chosen->ran), chosen->cold / best_cold, chosen->warm / best_warm);
  fflush(stdout);
}

static mus_status compare(const problem *p) {
  size_t block = (size_t)p->block, blocks = (size_t)p->row_start[p->rows];
  double *values = malloc(blocks * block * block * sizeof *values), *x = malloc((size_t)p->rows * block * sizeof *x);
  outcome out[METHODS];
  mus_status status = values && x ? run(p, values, x, out) : mus_fail_memory();
  if (!status)
    print(p, out);
  free(values);
  free(x);
  return status;
}

// --- systems ---------------------------------------------------------------------------------------------------------

static mus_status sheet(int vertices, sheet_boundary boundary) {
  sheet_options options = sheet_default_options();
  options.side = (int)lround(sqrt(vertices));
  options.boundary = boundary;
  sheet_system s;
  mus_status status = sheet_system_create(&options, &s);
  if (status)
    return status;
  char name[64];
  snprintf(name, sizeof name, "%s %d", boundary == SHEET_PINNED ? "pinned" : "drooping", s.rows);
  status = compare(&(problem){name, s.rows, 3, s.pattern->row_start, s.pattern->column, s.a.value, s.b, s.position,
                              s.constraint_count, s.constraint, 1e-5});
  sheet_system_free(&s);
  return status;
}

static mus_status solid(int vertices, double time_step) {
  solid_options options = solid_default_options();
  options.time_step = time_step;
  solid_system s;
  mus_status status = solid_system_of_shape(&options, "octopus", vertices, &s);
  if (status)
    return status;
  char name[64];
  snprintf(name, sizeof name, "octopus %d, %.0f ms", s.mesh.vertices, 1e3 * time_step);
  status = compare(&(problem){name, s.mesh.vertices, 3, s.pattern->row_start, s.pattern->column, s.a.value, s.b,
                              s.position, s.constraint_count, s.constraint, 1e-5});
  solid_system_free(&s);
  return status;
}

static mus_status file(const char *path) {
  mus_matrix_market m = {0};
  mus_matrix_market_blocks a = {0};
  mus_status status = mus_matrix_market_read(path, &m);
  int block = m.rows % 3 == 0 ? 3 : 1; // as `muslin solve` does
  if (!status)
    status = mus_matrix_market_to_blocks(&m, block, &a);
  double *b = status ? NULL : malloc((size_t)m.rows * sizeof *b);
  if (!status && !b)
    status = mus_fail_memory();
  for (int i = 0; i < m.rows && !status; ++i)
    b[i] = mus_random(2, (uint64_t)i);
  const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
  for (int k = 0; k < 2 && !status; ++k)
    status = compare(
        &(problem){name, a.rows, a.block, a.row_start, a.column, a.value, b, NULL, 0, NULL, k == 0 ? 1e-5 : 1e-8});
  free(b);
  mus_matrix_market_blocks_free(&a);
  mus_matrix_market_free(&m);
  return status;
}

static mus_status usual(void) {
  static const int size[] = {961, 3721, 10201, 40401};
  mus_status status = MUS_OK;
  for (size_t k = 0; k < sizeof size / sizeof *size && !status; ++k) {
    status = sheet(size[k], SHEET_PINNED);
    if (!status)
      status = sheet(size[k], SHEET_DROOPING);
  }
  if (!status)
    status = solid(6600, 0.002);
  return status ? status : solid(6600, 1.0 / 30);
}

int main(int count, char **argument) {
  printf("%-22s %7s", "system", "to");
  for (int m = 0; m < METHODS; ++m)
    printf("  %8s %9s ", mus_method_name(method[m]), "warm");
  printf(" %-8s %5s %5s\n", "chosen", "cold", "warm");
  mus_status status = count == 1 ? usual() : MUS_OK;
  for (int k = 1; k < count && !status; ++k)
    status = isdigit((unsigned char)*argument[k]) ? sheet(atoi(argument[k]), SHEET_DROOPING) : file(argument[k]);
  if (status)
    fprintf(stderr, "bench_choices: %s\n", mus_last_error());
  return status != MUS_OK;
}
