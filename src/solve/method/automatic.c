// The choice among methods by cost. See docs/solver.md.
//
// Costs are counted in products with the fine matrix, not in seconds, so that the same calls make the same choice on
// every machine, every run and any number of threads. What a solve costs is measured on the solves themselves:
// iterations of block-Jacobi are known after it has run, or extrapolated from the rate it showed; iterations of
// smoothed aggregation and the work of its cycle likewise. The first solve tries block-Jacobi, and gives up where
// smoothed aggregation would have been done. A method that was set aside is tried again from time to time.
//
// A hierarchy that is kept is paid for once: what block-Jacobi costs beyond what smoothed aggregation would with one
// adds up from solve to solve, until that has reached its price.
#include <math.h>

#include "base/error.h"
#include "par/vector.h"
#include "solve/method.h"

enum { SOLVES_BETWEEN_TRIALS = 32 };

// From the cheapest to the one that never fails.
enum { SIMPLE, STRONG, LAST_RESORT, CHOICES };
static const mus_method_kind *const choice[CHOICES] = {&mus_method_diag, &mus_method_sa, &mus_method_cholmod};

typedef struct automatic {
  mus_system *system;
  mus_linear_method method[CHOICES];
  int last; // which of them ran last
  // what earlier solves have shown, in products where it is a cost
  double simple_iterations;                        // 0: not known yet
  double strong_iterations, strong_iteration_cost; // 0: not known yet
  double lost;                                     // by the simple method, since the strong one last ran
  int solves_since_trial;
} automatic;

static void destroy(void *self) {
  automatic *a = self;
  for (int k = 0; k < CHOICES; ++k)
    mus_linear_method_free(&a->method[k]);
  mus_free(a);
}

static mus_status create(const mus_solver_options *options, mus_system *system, void **self) {
  automatic *a = mus_alloc_zero(1, sizeof *a);
  if (!a)
    return mus_fail_memory();
  *a = (automatic){.system = system};
  mus_status status = MUS_OK;
  for (int k = 0; k < CHOICES && !status; ++k)
    if (mus_method_kind_available(choice[k]))
      status = mus_linear_method_create(choice[k], options, system, &a->method[k]);
  if (status)
    destroy(a);
  else
    *self = a;
  return status;
}

static void changed(void *self, unsigned what) {
  automatic *a = self;
  for (int k = 0; k < CHOICES; ++k)
    mus_linear_method_changed(&a->method[k], what);
}

static size_t bytes(const void *self) {
  const automatic *a = self;
  size_t sum = sizeof *a;
  for (int k = 0; k < CHOICES; ++k)
    sum += mus_linear_method_bytes(&a->method[k]);
  return sum;
}

static mus_method_cost cost_of(const mus_linear_method *method) { return method->kind->cost(method->self); }

// Iterations to the tolerance at the rate that the last solve showed.
static double iterations_at_rate(const mus_solve_record *record, double tolerance) {
  if (!(record->rate > 0) || record->rate >= 1 || !(tolerance > 0) || tolerance >= 1)
    return record->iterations;
  return fmax(record->iterations, log(tolerance) / log(record->rate));
}

// Of the iterations of the strong method.
static double strong_solve_cost(const automatic *a, const mus_method_cost *strong) {
  double iterations = a->strong_iterations > 0 ? a->strong_iterations : strong->iterations;
  return iterations * (a->strong_iteration_cost > 0 ? a->strong_iteration_cost : strong->iteration);
}

// With what of its set-up is not paid for yet.
static double strong_cost(const automatic *a) {
  mus_method_cost strong = cost_of(&a->method[STRONG]);
  double left = fmax(strong.setup - a->lost, fmin(strong.setup, strong.renewal));
  return left + strong_solve_cost(a, &strong);
}

static void note_loss(automatic *a, double cost) {
  mus_method_cost strong = cost_of(&a->method[STRONG]);
  a->lost = fmax(a->lost + cost - strong.renewal - strong_solve_cost(a, &strong), 0);
}

static mus_status run_choice(automatic *a, int which, mus_run *run, const mus_cg_options *limits) {
  a->last = which;
  return mus_linear_method_solve(&a->method[which], run, limits);
}

static mus_status run_simple(automatic *a, mus_run *run, const mus_cg_options *limits) {
  mus_status status = run_choice(a, SIMPLE, run, limits);
  if (status == MUS_OK || status == MUS_NOT_CONVERGED)
    a->simple_iterations =
        status == MUS_OK ? run->record->iterations : iterations_at_rate(run->record, limits->tolerance);
  if (status == MUS_OK)
    note_loss(a, run->record->iterations * cost_of(&a->method[SIMPLE]).iteration);
  return status;
}

static mus_status run_strong(automatic *a, mus_run *run, const mus_cg_options *limits) {
  mus_status status = run_choice(a, STRONG, run, limits);
  a->lost = 0;
  if (status == MUS_OK) {
    a->strong_iterations = fmax(run->record->iterations, 1);
    a->strong_iteration_cost = cost_of(&a->method[STRONG]).iteration;
  }
  return status;
}

// Runs what is expected to be cheapest.
static mus_status run_cheapest(automatic *a, mus_run *run, const mus_cg_options *limits, const double *guess) {
  double strong = strong_cost(a), step = cost_of(&a->method[SIMPLE]).iteration, simple = a->simple_iterations * step;
  int trial = a->simple_iterations <= 0 || ++a->solves_since_trial >= SOLVES_BETWEEN_TRIALS;
  if (trial || simple <= strong) {
    if (trial)
      a->solves_since_trial = 0;
    mus_cg_options budget = *limits;
    budget.iterations = (int)fmin(limits->iterations, ceil(strong / step));
    mus_status status = run_simple(a, run, &budget);
    if (status != MUS_NOT_CONVERGED)
      return status;
    mus_copy(mus_system_unknowns(a->system), guess, run->x);
  }
  return run_strong(a, run, limits);
}

static int has_failed(mus_status status) { return status == MUS_NOT_CONVERGED || status == MUS_BREAKDOWN; }

// A failure is not the last word while a stronger method is left.
static mus_status run_up(automatic *a, mus_run *run, const mus_cg_options *limits, const double *guess) {
  size_t n = mus_system_unknowns(a->system);
  mus_status status = run_cheapest(a, run, limits, guess);
  if (has_failed(status) && a->last != STRONG) {
    mus_copy(n, guess, run->x);
    status = run_strong(a, run, limits);
  }
  if (has_failed(status) && a->method[LAST_RESORT].self) {
    mus_copy(n, guess, run->x);
    status = run_choice(a, LAST_RESORT, run, limits);
  }
  return status;
}

static mus_status solve(void *self, mus_run *run, const mus_cg_options *limits) {
  automatic *a = self;
  size_t n = mus_system_unknowns(a->system);
  double *guess = mus_alloc(n, sizeof *guess);
  if (!guess)
    return mus_fail_memory();
  mus_copy(n, run->x, guess);
  mus_status status = run_up(a, run, limits, guess);
  mus_free(guess);
  return status;
}

// --- memory ----------------------------------------------------------------------------------------------------------

static mus_status remember(void *self, mus_list *bytes) {
  automatic *a = self;
  double seen[] = {a->simple_iterations, a->strong_iterations, a->strong_iteration_cost, a->lost,
                   a->solves_since_trial};
  mus_status status = mus_bytes_put(bytes, seen, sizeof seen);
  for (int k = 0; k < CHOICES && !status; ++k)
    status = mus_linear_method_remember(&a->method[k], bytes);
  return status;
}

static mus_status recall(void *self, mus_bytes *from) {
  automatic *a = self;
  double seen[5];
  if (!mus_bytes_take(from, seen, sizeof seen))
    return mus_fail(MUS_BAD_INPUT, "what is remembered of the solver is damaged: start again");
  a->simple_iterations = seen[0];
  a->strong_iterations = seen[1];
  a->strong_iteration_cost = seen[2];
  a->lost = seen[3];
  a->solves_since_trial = (int)seen[4];
  mus_status status = MUS_OK;
  for (int k = 0; k < CHOICES && !status; ++k)
    status = mus_linear_method_recall(&a->method[k], from);
  return status;
}

static void report(const void *self, mus_solve_record *record) {
  const automatic *a = self;
  mus_linear_method_report(&a->method[a->last], record);
}

static int aggregates(const void *self, int level, int *aggregate) {
  const automatic *a = self;
  return mus_linear_method_aggregates(&a->method[STRONG], level, aggregate);
}

const mus_method_kind mus_method_auto = {.name = "auto",
                                         .is_prefiltered = 1,
                                         .create = create,
                                         .free = destroy,
                                         .changed = changed,
                                         .solve = solve,
                                         .report = report,
                                         .bytes = bytes,
                                         .remember = remember,
                                         .recall = recall,
                                         .aggregates = aggregates};
