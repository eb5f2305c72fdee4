// `muslin solve`: the linear solver on a Matrix Market system. See solve.h.
//
// Loads the system, runs the named solvers on it one after another, compares them in one table, and writes what was
// asked for. The solution is written only if its solver converged; reports are written for failed solves too, because
// they say why.
#include "solve.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"
#include "linear_system.h"
#include "options.h"
#include "preset.h"
#include "report.h"

static const char *const program = "muslin solve";

enum { SOLVERS_MAXIMUM = 16 };

typedef struct solve_options {
  mus_solver_options solver;
  system_files files;
  int precision; // a mus_precision
  int motions;   // a mus_motions
  int cycle;     // a mus_cycle
  int preset;    // a mus_preset
  int device;    // a mus_device_choice
  int stop;      // a mus_stop
  const char *solvers;
  const char *handles, *smoother; // NULL: as the preset says
  mus_method method[SOLVERS_MAXIMUM];
  int methods;
  const char *solution, *json, *plot;
  int levels, help;
} solve_options;

// --- options ------------------------------------------------------------------------------------------------------

enum { OPTIONS_MAXIMUM = 40 };

static const char *const precisions[] = {"double", "single", NULL};
static const char *const motions[] = {"translations", "rigid", "auto", NULL}; // in the order of mus_motions
static const char *const cycles[] = {"v", "w", NULL};                         // in the order of mus_cycle

static void take_preset(solve_options *o) {
  o->solver = mus_preset_solver_options((mus_preset)o->preset);
  o->precision = (int)o->solver.precision;
  o->motions = (int)o->solver.sa.motions;
  o->cycle = (int)o->solver.multigrid.cycle;
}

static int solver_options(solve_options *o, option *list) {
  int n = 0;
  list[n++] =
      option_text("solver", &o->solvers, "LIST", "one solver, or several separated by commas to compare them (sa)");
  list[n++] =
      option_choice("preset", &o->preset, "P", preset_words, "settings to start from: paper, fast or robust (fast)");
  list[n++] = option_text("coords", &o->files.coordinates, "X.mtx",
                          "vertex positions, n x 3: the rigid-body motions become the\nnear-null space");
  list[n++] =
      option_text("kernel", &o->files.kernel, "K.mtx", "any near-null space, one vector per column (constants)");
  list[n++] =
      option_whole("block", &o->files.block, 0, INT_MAX,
                   "unknowns per vertex, numbered consecutively, 1 to 12\n(3 if that divides the size, else 1)");
  list[n++] = option_text("fix", &o->files.fix, "FILE", "constraints, see below");
  list[n++] = option_real("tol", &o->solver.tolerance, "relative residual at which to stop (1e-5); see --stop");
  list[n++] = option_choice("stop", &o->stop, "S", stop_words,
                            "what the tolerance is of: the residual in the norm of the preconditioner\n"
                            "(initial, or rhs: the same here), in the euclidean one, or the energy norm of\n"
                            "the error, estimated (initial)");
  list[n++] = option_whole("iterations", &o->solver.iterations, 0, INT_MAX, "at most this many (10000)");
  list[n++] = option_whole("recycle", &o->solver.recycle, 0, 7,
                           "with several right-hand sides, earlier solutions that solves begin from (0)");
  list[n++] =
      option_choice("precision", &o->precision, "P", precisions, "of the preconditioner: double or single (single)");
  list[n++] = option_whole("threads", &o->solver.threads, 0, INT_MAX,
                           "0: all cores (0); the results are bit-identical for any number");
  list[n++] = option_choice("device", &o->device, "D", device_words,
                            "cpu, cuda (sa on a GPU) or auto (a GPU if there is one) (cpu)");
  list[n++] =
      option_text("output", &o->solution, "x.mtx", "write the solution; the first solver's if there are several");
  list[n - 1].letter = 'o';
  list[n++] = option_text("json", &o->json, "FILE", "write everything that was measured");
  list[n++] = option_text("plot", &o->plot, "FILE.svg", "draw the residual curves");
  list[n++] = option_flag("levels", &o->levels, "print the hierarchy's levels and the residual curves");
  list[n++] = option_flag("help", &o->help, "print this text");
  list[n - 1].letter = 'h';
  return n;
}

static int aggregation_options(solve_options *o, option *list) {
  mus_sa_options *sa = &o->solver.sa;
  mus_multigrid_options *multigrid = &o->solver.multigrid;
  int n = 0;
  list[n++] = option_real("theta", &sa->strength, "strength above which nodes are aggregated (0.3)");
  list[n++] =
      option_real("dominance", &sa->dominance, "nodes coupled by less than this are left to the smoother (0.1)");
  list[n++] = option_choice("motions", &o->motions, "M", motions,
                            "motions that --coords gives: translations, rigid or auto (auto)");
  list[n++] = option_whole("reach", &sa->reach, 1, 2, "strong connections from an aggregate's centre to its edge (1)");
  list[n++] = option_whole("kernel-sweeps", &sa->kernel_sweeps, 0, INT_MAX, "relaxations of the near-null space (0)");
  list[n++] = option_flag("tentative-prolongator", &sa->smooth_prolongator, "do not smooth the prolongator");
  list[n - 1].kind = OPTION_CLEAR;
  list[n++] = option_flag("filter-prolongator", &sa->filter_prolongator,
                          "drop weak connections while smoothing the prolongator (as the preset fast\n"
                          "does anyway)");
  list[n++] = option_choice("cycle", &o->cycle, "C", cycles, "visit coarser levels once (v) or twice (w) (v)");
  list[n++] = option_text("smoother", &o->smoother, "LIST",
                          "chebyshev, gs or jacobi, with sweeps if need be, gs:3 for instance; by\n"
                          "level, the finest last: jacobi:10/gs:3 (chebyshev)");
  list[n++] = option_whole("smoother-order", &multigrid->smoother_order, 0, INT_MAX,
                           "of the Chebyshev polynomial, and sweeps of others, 1 to 16 (1)");
  list[n++] = option_real("smoother-range", &multigrid->smoother_range, "the smoother damps from rho / this to rho");
  list[n++] =
      option_whole("lanczos-steps", &multigrid->lanczos_steps, 0, INT_MAX, "for the spectral radius, 1 to 64 (10)");
  list[n++] = option_whole("max-levels", &multigrid->levels, 0, INT_MAX, "at most this many, 1 to 20 (20)");
  list[n++] =
      option_whole("bottom", &multigrid->bottom, 0, INT_MAX, "unknowns at which a direct solve takes over (600)");
  list[n++] = option_text("handles", &o->handles, "LIST",
                          "of skinning, from the coarsest level up, as in 25/500/all; needs --coords\n"
                          "(chosen by size)");
  list[n++] = option_flag("no-fall-back", &o->solver.fall_back,
                          "sa does not hand over to something stronger where it stagnates");
  list[n - 1].kind = OPTION_CLEAR;
  list[n++] = option_flag("cycles", &o->solver.stationary, "cycles alone, without conjugate gradients");
  return n;
}

static void print_help(const option_table *general, const option_table *aggregation) {
  printf(
      "muslin solve A.mtx [b.mtx] [options]\n\n"
      "Solves A x = b for a symmetric positive definite matrix in a Matrix Market file (plain or gzip-compressed).\n"
      "A file b with several columns is as many right-hand sides: each is solved for, with one set-up for all.\n"
      "Without b, b is A times a fixed pseudo-random vector, so that the error of the solution is known and reported.\n"
      "\nSolvers:");
  for (int method = 0; method < MUS_METHODS; ++method)
    if (mus_method_available((mus_method)method) && !mus_method_needs_levels((mus_method)method))
      printf(" %s", mus_method_name((mus_method)method));
  printf("\n\nOptions:\n");
  options_print(general, stdout);
  printf("\nMultigrid (sa and skinning):\n");
  options_print(aggregation, stdout);
  printf(
      "\nConstraints (--fix) are lines of text; vertices are numbered from 1, as in Matrix Market files:\n"
      "  vertex dx dy dz value      the solution at the vertex satisfies d . x = value; up to three lines per vertex\n"
      "  vertex all x y z           the solution at the vertex is (x, y, z)\n"
      "  # a comment\n"
      "(With blocks of 1 or 2, directions and values have as many numbers.)\n"
      "\nExit status: 0 if everything was done; 1 if a solver failed or a file could not be written; 2 for bad input.\n"
      "The solution is written only if its solver converged; --json and --plot report failed solvers too.\n");
}

static int parse_solvers(solve_options *o) {
  char word[32];
  for (const char *rest = o->solvers; rest;) {
    size_t length = strcspn(rest, ",");
    snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), rest);
    if (o->methods == SOLVERS_MAXIMUM)
      return failure_input(program, "--solver: more than %d names", SOLVERS_MAXIMUM);
    mus_method *method = &o->method[o->methods++];
    int failed = method_choose(program, word, method);
    if (!failed && mus_method_needs_levels(*method))
      failed = failure_input(program,
                             "--solver %s: its levels come from meshes, and a matrix has none; take sa, or a scene "
                             "with `muslin bench --solvers %s` or `muslin run --solver %s`",
                             word, word, word);
    if (failed)
      return failed;
    rest = rest[length] ? rest + length + 1 : NULL;
  }
  return 0;
}

// The library knows the ranges; asking it now saves loading a large system for nothing.
static int check_ranges(const mus_solver_options *options) {
  mus_solver *solver = NULL;
  mus_status status = mus_solver_create(options, &solver);
  mus_solver_free(solver);
  return status ? failure_status(program, NULL, status) : 0;
}

static int parse_command(int argc, char **argv, solve_options *o) {
  option list[OPTIONS_MAXIMUM];
  const char *plain[2];
  int plain_count;
  int general = solver_options(o, list);
  int all = general + aggregation_options(o, list + general);
  option_table table = {program, list, all};
  int failed = options_parse(&table, argc, argv, plain, 2, &plain_count);
  if (!failed && o->preset != (int)o->solver.preset) { // the others count wherever they stand
    take_preset(o);
    failed = options_parse(&table, argc, argv, plain, 2, &plain_count);
  }
  if (failed)
    return failed;
  if (o->help) {
    print_help(&(option_table){program, list, general}, &(option_table){program, list + general, all - general});
    return 0;
  }
  if (plain_count == 0)
    return failure_input(program, "no matrix given: name a Matrix Market file, or use --help");
  o->files.matrix = plain[0];
  o->files.right_hand_side = plain_count > 1 ? plain[1] : NULL;
  o->solver.precision = (mus_precision)o->precision;
  o->solver.device = (mus_device_choice)o->device;
  o->solver.stop = (mus_stop)o->stop;
  o->solver.sa.motions = (mus_motions)o->motions;
  o->solver.multigrid.cycle = (mus_cycle)o->cycle;
  o->solver.count_from = 1; // as the files do
  failed = parse_solvers(o);
  if (!failed)
    failed = option_copy(program, "smoother", o->smoother, MUS_SMOOTHER_TEXT, o->solver.multigrid.smoother);
  if (!failed)
    failed = option_copy(program, "handles", o->handles, MUS_LEVELS_TEXT, o->solver.skinning.levels);
  return failed ? failed : check_ranges(&o->solver);
}

// --- running ------------------------------------------------------------------------------------------------------

static mus_status prepare(mus_solver *solver, const linear_system *s) {
  mus_status status = mus_solver_set_pattern(solver, s->a.rows, s->a.block, s->a.row_start, s->a.column);
  if (!status)
    status = mus_solver_set_values(solver, s->a.value);
  if (!status && s->positions)
    status = mus_solver_set_coordinates(solver, s->positions);
  if (!status && s->kernel)
    status = mus_solver_set_kernel(solver, s->kernel_count, s->kernel);
  if (!status && s->constraint_count)
    status = mus_solver_set_constraints(solver, s->constraint_count, s->constraint);
  return status;
}

// Copies the residuals of a record, which belong to a solver that goes away.
static int keep_residuals(solver_run *run) {
  size_t count = (size_t)run->record.iterations + 1;
  const double *residuals = run->record.residuals;
  run->record.residuals = NULL;
  if (!residuals)
    return 0;
  run->residuals = malloc(count * sizeof *run->residuals);
  if (!run->residuals)
    return failure_memory(program);
  memcpy(run->residuals, residuals, count * sizeof *residuals);
  run->record.residuals = run->residuals;
  return 0;
}

// Takes what was solved for into `runs`, one for each column. The text is that of the first that failed.
static int keep_records(const linear_system *s, mus_method method, const mus_solve_record *records, solver_run *runs) {
  int failed = 0, told = 0;
  for (int k = 0; k < s->columns && !failed; ++k) {
    runs[k].asked = method;
    runs[k].column = s->columns > 1 ? k + 1 : 0;
    runs[k].record = records[k];
    runs[k].status = records[k].status;
    if (runs[k].status && !told)
      snprintf(runs[k].text, sizeof runs[k].text, "%s", mus_last_error());
    told |= runs[k].status != MUS_OK;
    failed = keep_residuals(&runs[k]);
  }
  return failed;
}

// Runs one solver from zero guesses into x, for all columns. A solver that fails is a result; only what is wrong with
// the input or this program's own memory is a failure here.
static int run_solver(const solve_options *o, const linear_system *s, mus_method method, mus_solve_record *records,
                      solver_run *runs, double *x) {
  mus_solver_options options = o->solver;
  mus_solver *solver = NULL;
  options.method = method;
  mus_status status = mus_solver_create(&options, &solver);
  if (!status)
    status = prepare(solver, s);
  if (status) {
    mus_solver_free(solver);
    return failure_status(program, o->files.matrix, status);
  }
  memset(x, 0, (size_t)s->unknowns * (size_t)s->columns * sizeof *x);
  status = mus_solver_solve_several(solver, s->columns, s->b, x, records);
  int failed = status == MUS_BAD_INPUT ? failure_status(program, NULL, status) : keep_records(s, method, records, runs);
  if (!failed && s->exact && system_error_of(s, x, &runs->error))
    failed = failure_memory(program);
  mus_solver_free(solver);
  return failed;
}

static int run_solvers(const solve_options *o, const linear_system *s, solver_run *runs, double *solution) {
  size_t numbers = (size_t)s->unknowns * (size_t)s->columns;
  double *other = o->methods > 1 ? malloc(numbers * sizeof *other) : NULL;
  mus_solve_record *records = calloc((size_t)s->columns, sizeof *records);
  int failed = !records || (o->methods > 1 && !other) ? failure_memory(program) : 0;
  for (int i = 0; i < o->methods && !failed; ++i)
    failed = run_solver(o, s, o->method[i], records, runs + (size_t)i * (size_t)s->columns, i ? other : solution);
  free(records);
  free(other);
  return failed;
}

// --- results ------------------------------------------------------------------------------------------------------

static int write_solution(const solve_options *o, const linear_system *s, const solver_run *runs, double *x) {
  for (int k = 0; k < s->columns; ++k)
    if (runs[k].status) {
      fprintf(stderr, "%s: %s was not written, because %s failed\n", program, o->solution,
              mus_method_name(runs[k].asked));
      return CLI_FAILED;
    }
  mus_matrix_market matrix = {.rows = s->unknowns, .columns = s->columns, .dense = 1, .value = x};
  if (mus_matrix_market_write(o->solution, &matrix, 0) == MUS_OK)
    return 0;
  fprintf(stderr, "%s: %s\n", program, mus_last_error());
  return CLI_FAILED;
}

static int tell(const solve_options *o, const linear_system *s, int count, const solver_run *runs, double *solution) {
  solve_report r = {
      .program = program, .matrix = o->files.matrix, .system = s, .options = o->solver, .count = count, .runs = runs};
  int failed = 0;
  report_print_system(&r, stdout);
  report_print_table(&r, stdout);
  if (o->levels)
    report_print_levels(&r, stdout);
  fflush(stdout);
  for (int i = 0; i < count; ++i) {
    failed = runs[i].status ? CLI_FAILED : failed;
    if (*runs[i].text)
      fprintf(stderr, "%s: %s: %s: %s\n", program, mus_method_name(runs[i].asked), mus_status_name(runs[i].status),
              runs[i].text);
  }
  if (o->solution && write_solution(o, s, runs, solution))
    failed = CLI_FAILED;
  if (o->json && report_write_json(&r, o->json))
    failed = CLI_FAILED;
  if (o->plot && report_write_plot(&r, o->plot))
    failed = CLI_FAILED;
  return failed;
}

static int run_and_tell(const solve_options *o, const linear_system *s) {
  double *solution = malloc((size_t)s->unknowns * (size_t)s->columns * sizeof *solution);
  int count = o->methods * s->columns;
  solver_run *runs = calloc((size_t)o->methods * (size_t)s->columns, sizeof *runs);
  int failed = solution && runs ? run_solvers(o, s, runs, solution) : failure_memory(program);
  if (!failed)
    failed = tell(o, s, count, runs, solution);
  for (int i = 0; runs && i < count; ++i)
    free(runs[i].residuals);
  free(runs);
  free(solution);
  return failed;
}

int solve_command(int argc, char **argv) {
  solve_options o = {.preset = MUS_PRESET_FAST, .solvers = "sa"};
  take_preset(&o);
  linear_system system = {0};
  int failed = parse_command(argc, argv, &o);
  if (failed || o.help)
    return failed;
  failed = system_load(program, &o.files, &system);
  if (!failed)
    failed = run_and_tell(&o, &system);
  system_free(&system);
  return failed;
}
