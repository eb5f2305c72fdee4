// See bench_measure.h.
#include "bench_measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "failure.h"
#include "fix_file.h"
#include "system_save.h"

// The solution that errors are taken from: direct where that is built in and costs little, else by multigrid, which
// takes less time and memory than most of what is measured.
enum { DIRECT_MAXIMUM = 20000 };
static const double reference_tolerance = 1e-12;
static const double reference_margin = 1e-3; // of the tolerance measured at: above this, it is no reference

enum { PRODUCTS = 5 };       // timed before every step
enum { DEVICE_PASSES = 20 }; // of each kind, timed at the end

// A step's system as the solvers get it, with what their solutions are compared with.
typedef struct problem {
  mus_sim_system system; // right and constraints are those of the unknown that was asked for
  size_t unknowns;
  int threads;
  double *values;                           // of the matrix, as a simulator of one's own would lend them
  double *right, *guess, *exact, *x, *work; // unknowns each
  mus_constraint *constraint;               // one a vertex at most
  double first_error;                       // ||x_0 - x||_A; NaN where x is not known
  double time;                              // s, at the step's beginning
} problem;

// One of the copies of a solver: each meets every system once, so that what it keeps from the last one is what it would
// keep in a simulation.
typedef struct trial {
  mus_solver *solver;
  bench_result result;
} trial;

typedef struct bench {
  const bench_plan *plan;
  const mus_scene *scene;
  mus_sim *sim;
  problem problem;
  mus_solver *reference;
  int trials;      // variants * repeat
  trial *trial;    // copies of all variants, one after the other
  double *product; // PRODUCTS a step, s
} bench;

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void tell_progress(const char *what, int done, int all) {
  if (isatty(STDERR_FILENO))
    fprintf(stderr, "\r%-12s %d of %d%s", what, done, all, done == all ? "\r\033[K" : "\033[K");
}

// --- the system ------------------------------------------------------------------------------------------------------

static void multiply(const problem *p, const double *x, double *y) {
  const mus_sim_system *s = &p->system;
  mus_machine_multiply(p->threads, s->rows, 3, s->row_start, s->column, s->values, x, y);
  for (int k = 0; k < s->coupling_count; ++k) {
    const mus_coupling *c = &s->couplings[k];
    for (int i = 0; i < c->count; ++i)
      for (int j = 0; j < c->count; ++j)
        for (int e = 0; e < 9; ++e)
          y[3 * (size_t)c->node[i] + (size_t)(e / 3)] +=
              c->weight[i] * c->weight[j] * c->block[e] * x[3 * (size_t)c->node[j] + (size_t)(e % 3)];
  }
}

// From changes of velocity d to changes of position h (v + d): right <- h (b + A v), and the last step's change of
// position, h v, is the initial guess.
static void turn_to_positions(problem *p) {
  mus_sim_system *s = &p->system;
  double h = s->time_step;
  multiply(p, s->velocities, p->right);
  for (size_t i = 0; i < p->unknowns; ++i) {
    p->right[i] = h * (p->right[i] + s->right[i]);
    p->guess[i] = h * s->velocities[i];
  }
  for (int k = 0; k < s->constraint_count; ++k) {
    mus_constraint *c = &p->constraint[k];
    *c = s->constraints[k];
    const double *v = s->velocities + 3 * (size_t)c->node;
    for (int d = 0; d < c->count; ++d)
      c->value[d] =
          h * (c->value[d] + c->direction[d][0] * v[0] + c->direction[d][1] * v[1] + c->direction[d][2] * v[2]);
  }
  s->right = p->right;
  s->constraints = p->constraint;
}

// Solves the problem at hand from `from` into x.
static mus_status run_solver(const problem *p, mus_solver *solver, const double *from, double *x) {
  const mus_sim_system *s = &p->system;
  mus_status status = mus_solver_lend_values(solver, p->values);
  if (!status)
    status = mus_solver_set_coordinates(solver, s->positions);
  if (!status)
    status = mus_solver_set_constraints(solver, s->constraint_count, s->constraints);
  if (!status)
    status = mus_solver_set_couplings(solver, s->coupling_count, s->couplings);
  memcpy(x, from, p->unknowns * sizeof *x);
  return status ? status : mus_solver_solve(solver, s->right, x);
}

// sqrt(e . A e) of e = x - exact.
static double energy_error(const problem *p, const double *x) {
  double *e = p->work, *product = p->work + p->unknowns, sum = 0;
  for (size_t i = 0; i < p->unknowns; ++i)
    e[i] = x[i] - p->exact[i];
  multiply(p, e, product);
  for (size_t i = 0; i < p->unknowns; ++i)
    sum += e[i] * product[i];
  return sqrt(fmax(sum, 0));
}

// The tight solution, and the error of the initial guess. Without one, errors are not known, which is reported once.
static void solve_tightly(bench *b) {
  problem *p = &b->problem;
  mus_status status = run_solver(p, b->reference, p->guess, p->exact);
  double residual = mus_solver_record(b->reference)->true_residual;
  p->first_error = NAN;
  if ((status && status != MUS_NOT_CONVERGED) || !(residual <= reference_margin * b->scene->solver.tolerance)) {
    fprintf(stderr, "%s: no true errors, because the reference solve %s\n", b->plan->program,
            status ? "failed" : "is not accurate enough");
    return;
  }
  memcpy(p->x, p->guess, p->unknowns * sizeof *p->x);
  fix_impose(3, p->system.constraint_count, p->system.constraints, p->x);
  p->first_error = energy_error(p, p->x);
}

static mus_status next_problem(bench *b, int step) {
  problem *p = &b->problem;
  p->time = mus_sim_time(b->sim);
  p->first_error = NAN;
  mus_status status = mus_sim_next_system(b->sim, &p->system);
  if (status)
    return status;
  memcpy(p->values, p->system.values, (size_t)p->system.row_start[p->system.rows] * 9 * sizeof *p->values);
  if (b->plan->unknown == BENCH_POSITION)
    turn_to_positions(p);
  if (b->reference && step % b->plan->errors == 0)
    solve_tightly(b);
  return MUS_OK;
}

// --- solving ---------------------------------------------------------------------------------------------------------

static bench_solve solve_of(const problem *p, const mus_solve_record *r, double seconds_in_all, const double *x) {
  double known = r->setup_seconds + r->prefilter_seconds + r->solve_seconds;
  return (bench_solve){.time = p->time,
                       .iterations = r->iterations,
                       .rate = r->rate,
                       .setup = r->setup,
                       .values_s = fmax(seconds_in_all - known, 0),
                       .setup_s = r->setup_seconds,
                       .prefilter_s = r->prefilter_seconds,
                       .solve_s = r->solve_seconds,
                       .transfer_s = r->transfer_seconds,
                       .true_residual = r->true_residual,
                       .true_error = p->first_error > 0 ? energy_error(p, x) / p->first_error : NAN};
}

static mus_status create_solver(const bench *b, const mus_solver_options *options, mus_solver **solver) {
  const mus_sim_system *s = &b->problem.system;
  mus_status status = mus_solver_create(options, solver);
  if (!status)
    status = mus_solver_set_pattern(*solver, s->rows, 3, s->row_start, s->column);
  if (status || !mus_method_needs_levels(options->method))
    return status;
  const mus_interpolation *levels;
  int count;
  status = mus_sim_levels(b->sim, &count, &levels);
  return status ? status : mus_solver_set_levels(*solver, count, levels);
}

static const bench_variant *variant_of(const bench *b, int which) {
  return &b->plan->variant[which % b->plan->variants];
}

static mus_status create_trial(const bench *b, int which) {
  mus_solver_options options = bench_variant_options(variant_of(b, which), &b->scene->solver);
  return create_solver(b, &options, &b->trial[which].solver);
}

// One solve by one solver; 0 when it failed, and then it is gone.
static int solve_once(const bench *b, int which, bench_solve *out) {
  const problem *p = &b->problem;
  trial *t = &b->trial[which];
  bench_result *result = &t->result;
  if (b->plan->cold) {
    mus_solver_free(t->solver);
    t->solver = NULL;
  }
  double begin = seconds();
  if (b->plan->cold)
    result->status = create_trial(b, which);
  if (!result->status)
    result->status = run_solver(p, t->solver, p->guess, p->x);
  double end = seconds();
  if (result->status) {
    snprintf(result->text, sizeof result->text, "%s", mus_last_error());
    mus_solver_free(t->solver);
    t->solver = NULL;
    return 0;
  }
  const mus_solve_record *record = mus_solver_record(t->solver);
  result->ran = record->method;
  result->levels = record->levels;
  memcpy(result->level, record->level, sizeof result->level);
  result->operator_complexity = record->operator_complexity;
  result->bytes = record->bytes;
  memcpy(result->device, record->device, sizeof result->device);
  result->device_bytes = record->device_bytes;
  *out = solve_of(p, record, end - begin, p->x);
  return 1;
}

static void measure_products(const bench *b, double *product) {
  const problem *p = &b->problem;
  const mus_sim_system *s = &p->system;
  for (int k = 0; k < PRODUCTS; ++k) {
    double begin = seconds();
    mus_machine_multiply(p->threads, s->rows, 3, s->row_start, s->column, s->values, p->guess, p->work);
    product[k] = seconds() - begin;
  }
}

static void measure_step(bench *b, int step) {
  bench_solve solve = {0};
  if (step == 0)
    for (int k = 0; k < b->trials; ++k)
      if (solve_once(b, k, &solve))
        b->trial[k].result.first_setup_s = solve.setup_s;
  measure_products(b, b->product + (size_t)step * PRODUCTS);
  for (int k = 0; k < b->trials; ++k) {
    int which = (step + k) % b->trials;
    bench_result *result = &b->trial[which].result;
    if (!result->status && solve_once(b, which, &solve))
      result->solves[result->count++] = solve;
  }
}

// How fast GPUs pass over the last matrix. One that fails now has solved everything, so its figures stay.
static void measure_devices(const bench *b) {
  for (int k = 0; k < b->trials; ++k) {
    const trial *t = &b->trial[k];
    if (t->solver && *t->result.device &&
        mus_solver_measure_device(t->solver, DEVICE_PASSES, &b->trial[k].result.speeds))
      fprintf(stderr, "%s: %s\n", b->plan->program, mus_last_error());
  }
}

// Of the copies of a solver, the one that took the least time altogether; one that failed, where one did.
static trial *best_copy(const bench *b, int variant) {
  trial *best = NULL;
  double least = INFINITY;
  for (int k = variant; k < b->trials; k += b->plan->variants) {
    const bench_result *r = &b->trial[k].result;
    double seconds_in_all = 0;
    for (int i = 0; i < r->count; ++i)
      seconds_in_all += bench_total(&r->solves[i]);
    if (r->status)
      return &b->trial[k];
    if (seconds_in_all < least) {
      least = seconds_in_all;
      best = &b->trial[k];
    }
  }
  return best;
}

static void choose_results(const bench *b, bench_results *out) {
  for (int k = 0; k < b->plan->variants; ++k) {
    trial *best = best_copy(b, k);
    out->result[k] = best->result;
    best->result.solves = NULL; // they are out's now
  }
}

// --- all of it -------------------------------------------------------------------------------------------------------

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static int simulate_step(const bench *b) {
  mus_status status = mus_sim_step(b->sim, NULL);
  return status ? failure_status(b->plan->program, NULL, status) : 0;
}

static int measure_all(bench *b, bench_results *out) {
  const bench_plan *plan = b->plan;
  int failed = 0;
  for (int k = 0; k < plan->warmup && !failed; ++k) {
    tell_progress("warm-up", k, plan->warmup);
    failed = simulate_step(b);
  }
  for (int k = 0; k < plan->steps && !failed; ++k) {
    tell_progress("step", k, plan->steps);
    mus_status status = next_problem(b, k);
    if (status)
      return failure_status(plan->program, NULL, status);
    measure_step(b, k);
    int apart = (k + 1) % plan->burst == 0 ? plan->stride : 1;
    for (int skipped = 0; skipped < apart && k + 1 < plan->steps && !failed; ++skipped)
      failed = simulate_step(b);
  }
  tell_progress("step", plan->steps, plan->steps);
  if (failed)
    return failed;
  int products = plan->steps * PRODUCTS;
  qsort(b->product, (size_t)products, sizeof *b->product, compare);
  out->product_s = b->product[products / 2];
  measure_devices(b);
  choose_results(b, out);
  out->constrained = b->problem.system.constraint_count;
  out->couplings = b->problem.system.coupling_count;
  return plan->save ? system_save(plan->program, plan->save, &b->problem.system) : 0;
}

static mus_status create_reference(bench *b, mus_method *method) {
  int direct = mus_method_available(MUS_METHOD_CHOLMOD) && b->problem.system.rows <= DIRECT_MAXIMUM;
  const bench_variant variant = {.method = direct ? MUS_METHOD_CHOLMOD : MUS_METHOD_SA, .preset = MUS_PRESET_FAST};
  mus_solver_options options = bench_variant_options(&variant, &b->scene->solver);
  options.tolerance = reference_tolerance;
  options.stop = MUS_STOP_RHS;
  options.precision = MUS_PRECISION_DOUBLE;
  *method = options.method;
  return create_solver(b, &options, &b->reference);
}

static mus_status create_solvers(bench *b, bench_results *out) {
  mus_status status = b->plan->errors > 0 ? create_reference(b, &out->reference) : MUS_OK;
  for (int k = 0; k < b->trials && !status && !b->plan->cold; ++k)
    status = create_trial(b, k);
  return status;
}

static int allocate(bench *b) {
  problem *p = &b->problem;
  size_t n = p->unknowns = 3 * (size_t)p->system.rows, steps = (size_t)b->plan->steps;
  p->values = calloc((size_t)p->system.row_start[p->system.rows] * 9, sizeof *p->values);
  p->right = calloc(n, sizeof *p->right);
  p->guess = calloc(n, sizeof *p->guess);
  p->exact = calloc(n, sizeof *p->exact);
  p->x = calloc(n, sizeof *p->x);
  p->work = calloc(2 * n, sizeof *p->work);
  p->constraint = calloc(n / 3, sizeof *p->constraint);
  b->product = calloc(steps * PRODUCTS, sizeof *b->product);
  b->trial = calloc((size_t)b->trials, sizeof *b->trial);
  int missing = !p->values || !p->right || !p->guess || !p->exact || !p->x || !p->work || !p->constraint ||
                !b->product || !b->trial;
  for (int k = 0; k < b->trials && !missing; ++k) {
    bench_result *result = &b->trial[k].result;
    result->ran = variant_of(b, k)->method;
    result->solves = calloc(steps, sizeof *result->solves);
    missing |= !result->solves;
  }
  return missing ? failure_memory(b->plan->program) : 0;
}

static int prepare(bench *b, bench_results *out) {
  mus_status status = mus_sim_create(b->scene, &b->sim);
  if (status)
    return failure_status(b->plan->program, NULL, status);
  const mus_sim_system *s = &b->problem.system;
  status = mus_sim_next_system(b->sim, &b->problem.system);
  if (status)
    return failure_status(b->plan->program, NULL, status);
  out->vertices = s->rows;
  out->blocks = s->row_start[s->rows];
  out->time_step = s->time_step;
  out->count = b->plan->variants;
  b->problem.threads = b->scene->solver.threads;
  int failed = allocate(b);
  if (failed)
    return failed;
  status = create_solvers(b, out);
  return status ? failure_status(b->plan->program, NULL, status) : 0;
}

static void release(bench *b) {
  problem *p = &b->problem;
  mus_solver_free(b->reference);
  for (int k = 0; b->trial && k < b->trials; ++k) {
    mus_solver_free(b->trial[k].solver);
    free(b->trial[k].result.solves);
  }
  free(b->trial);
  mus_sim_free(b->sim);
  free(p->values);
  free(p->right);
  free(p->guess);
  free(p->exact);
  free(p->x);
  free(p->work);
  free(p->constraint);
  free(b->product);
}

int bench_measure(const bench_plan *plan, const mus_scene *scene, bench_results *out) {
  bench b = {.plan = plan, .scene = scene, .trials = plan->variants * plan->repeat};
  double begin = seconds();
  *out = (bench_results){0};
  mus_status status = mus_machine_measure(scene->solver.threads, &out->machine);
  int failed = status ? failure_status(plan->program, NULL, status) : prepare(&b, out);
  if (!failed)
    failed = measure_all(&b, out);
  release(&b);
  struct rusage usage;
  out->peak_kib = getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss : 0; // Linux counts in KiB
  out->wall_s = seconds() - begin;
  return failed;
}

void bench_results_free(bench_results *results) {
  for (int k = 0; k < BENCH_SOLVERS; ++k)
    free(results->result[k].solves);
}

double bench_worst_error(const bench_result *result) {
  double worst = NAN;
  for (int k = 0; k < result->count; ++k)
    worst = fmax(worst, result->solves[k].true_error);
  return worst;
}

static double mean_error(const bench_result *result) {
  double sum = 0;
  int known = 0;
  for (int k = 0; k < result->count; ++k)
    if (!isnan(result->solves[k].true_error)) {
      sum += result->solves[k].true_error;
      ++known;
    }
  return known > 0 ? sum / known : NAN;
}

bench_solve bench_mean(const bench_result *result, double *iterations) {
  bench_solve mean = {.true_error = mean_error(result)};
  double weight = result->count > 0 ? 1.0 / result->count : NAN;
  *iterations = result->count > 0 ? 0 : NAN;
  for (int k = 0; k < result->count; ++k) {
    const bench_solve *s = &result->solves[k];
    *iterations += s->iterations * weight;
    mean.rate += s->rate * weight;
    mean.values_s += s->values_s * weight;
    mean.setup_s += s->setup_s * weight;
    mean.prefilter_s += s->prefilter_s * weight;
    mean.solve_s += s->solve_s * weight;
    mean.transfer_s += s->transfer_s * weight;
    mean.true_residual += s->true_residual * weight;
  }
  if (result->count == 0)
    mean = (bench_solve){.rate = NAN,
                         .values_s = NAN,
                         .setup_s = NAN,
                         .prefilter_s = NAN,
                         .solve_s = NAN,
                         .true_residual = NAN,
                         .true_error = NAN};
  return mean;
}
