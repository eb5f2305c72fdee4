// The choice among methods by cost. See docs/solver.md.
//
// Costs are counted in products with the fine matrix, not in seconds, so that the same calls make the same choice on
// every machine, every run and any number of threads. What a solve costs is measured on the solves themselves:
// iterations of block-Jacobi are known after it has run, or extrapolated from the rate it showed; iterations of
// smoothed aggregation and the work of its cycle likewise. What a factor costs is known from its analysis. The first
// solve tries block-Jacobi, and gives up where smoothed aggregation would have been done; that is looked at after some
// iterations, and gives way to a factor that costs less than what it has left. A method that was set aside is tried
// again from time to time.
//
// A hierarchy that is kept is paid for once: what block-Jacobi costs beyond what smoothed aggregation would with one
// adds up from solve to solve, until that has reached its price. An analysis is paid for in the same way, by what
// solves cost beyond the cheapest factor there is.
#include <math.h>

#include "base/error.h"
#include "par/vector.h"
#include "solve/method/direct.h"
#include "solve/run.h"

enum { SOLVES_BETWEEN_TRIALS = 32 };
// Iterations of smoothed aggregation that are usual where its near-null space is a guess.
static const double blind_solve = 30;
// Iterations of smoothed aggregation, for a tenth of the residual, after which it is looked at: where its near-null
// space is known, and where it is a guess.
static const double usual_iterations = 10, blind_iterations = 3;
// The residual falls faster at first than later on: what a run takes is so many times what its start tells, and twice
// as much whenever that has been believed and was wrong.
static const double usual_doubt = 1, blind_doubt = 1.5;
// Block-Jacobi is looked at halfway when it is first tried, and given up where it has so many times as much left as
// another method would cost. When it has cost as much, it goes on where it has less left than so much of that, until it
// has taken so many times as long. What the other would cost is a guess, too, where its near-null space is one.
static const double hopeless = 2, usual_worth = 0.5, blind_worth = 1, longest = 3, little = 0.25;

// From the cheapest to the one that never fails.
enum { SIMPLE, STRONG, DIRECT, CHOICES };
static const mus_method_kind *const choice[CHOICES] = {&mus_method_diag, &mus_method_sa, &mus_method_cholmod};

typedef struct automatic {
  const mus_solver_options *options;
  mus_system *system;
  mus_linear_method method[CHOICES];
  int last; // which of them ran last
  // what earlier solves have shown, in products where it is a cost
  double simple_iterations;                        // 0: not known yet
  double strong_iterations, strong_iteration_cost; // 0: not known yet
  double lost;                                     // by the simple method, since the strong one last ran
  int solves_since_trial;
  double direct_price;           // of a factor and a solution; 0: not known yet, infinite: it does not fit
  double direct_solution;        // of that, of the solution
  double overpaid;               // by the others, beyond the cheapest factor, while its price is not known
  unsigned changed_since_direct; // MUS_CHANGED_... bits
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
  *a = (automatic){.options = options, .system = system, .changed_since_direct = ~0u};
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
  a->changed_since_direct |= what;
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

// Whether the near-null space is a guess.
static int is_blind(const automatic *a) { return !a->system->positions && !a->system->kernel; }

// Of the iterations of the strong method.
static double strong_solve_cost(const automatic *a, const mus_method_cost *strong) {
  double usual = is_blind(a) ? fmax(strong->iterations, blind_solve) : strong->iterations;
  double iterations = a->strong_iterations > 0 ? a->strong_iterations : usual;
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

// --- a factor --------------------------------------------------------------------------------------------------------

// A factor that has more numbers than so many matrices does not fit.
static const double direct_size = 40;

static int may_be_direct(const automatic *a) {
  return a->method[DIRECT].self && mus_system_unknowns(a->system) <= MUS_DIRECT_MOST && !isinf(a->direct_price);
}

// Analyses the pattern, while a solve has the system in a form.
static void ask_price(automatic *a) {
  mus_direct_price price;
  int fits = !mus_direct_price_of(a->method[DIRECT].self, &price) && price.size <= direct_size;
  a->direct_price = fits ? price.factor + price.solution : HUGE_VAL;
  a->direct_solution = fits ? price.solution : 0;
  a->overpaid = 0;
  if (fits)
    a->changed_since_direct &= ~(unsigned)(MUS_CHANGED_COUPLINGS | MUS_CHANGED_EQUALITIES);
}

// With what of it is left to be done; infinite where that is not known.
static double direct_cost(const automatic *a) {
  if (!may_be_direct(a) || a->direct_price <= 0)
    return HUGE_VAL;
  unsigned since = a->changed_since_direct;
  if (!(since & (MUS_CHANGED_VALUES | MUS_CHANGED_CONSTRAINTS | MUS_CHANGED_COUPLINGS | MUS_CHANGED_EQUALITIES)))
    return a->direct_solution;
  return a->direct_price + (since & (MUS_CHANGED_COUPLINGS | MUS_CHANGED_EQUALITIES) ? mus_direct_analysis : 0);
}

// The same, at the least where it is not known.
static double direct_least(const automatic *a) {
  return may_be_direct(a) && a->direct_price <= 0 ? mus_direct_analysis + mus_direct_least : direct_cost(a);
}

// After a solve by another method.
static void note_overpaid(automatic *a, double cost) {
  if (!may_be_direct(a) || a->direct_price > 0)
    return;
  a->overpaid = fmax(a->overpaid + cost - mus_direct_least, 0);
  if (a->overpaid > mus_direct_analysis)
    ask_price(a);
}

// --- solving ---------------------------------------------------------------------------------------------------------

static int has_failed(mus_status status) { return status == MUS_NOT_CONVERGED || status == MUS_BREAKDOWN; }

static mus_status run_choice(automatic *a, int which, mus_run *run, const mus_cg_options *limits) {
  a->last = which;
  return mus_linear_method_solve(&a->method[which], run, limits);
}

// A method that is looked at from time to time. more() says how many more iterations it is worth, 0: none, by those
// that it has made and would make in all.
typedef struct trial {
  automatic *a;
  mus_run *run;
  const mus_cg_options *limits;
  int (*more)(struct trial *t, int done, double in_all);
  double other; // what another method would cost
  int most;     // iterations of the same cost
  int patience; // iterations until it is looked at next
  double doubt; // what a run takes, in units of what its start tells
} trial;

// For conjugate gradients, which need not start anew.
static int extend(void *self, const mus_cg_result *result) {
  trial *t = self;
  int done = result->iterations, left = t->limits->iterations - done;
  int more = t->more(t, done, mus_run_iterations_by(result, t->limits->tolerance));
  return more < left ? more : left;
}

// From the iterate reached, where there is one.
static mus_status go_on(trial *t, int which, int patience) {
  automatic *a = t->a;
  mus_run *run = t->run;
  mus_linear_method *method = &a->method[which];
  int is_first = a->last != which || !(run->record->iterations > 0);
  mus_cg_options left = is_first ? *t->limits : mus_run_limits_left(run, t->limits, a->options->prefilter);
  if (patience < left.iterations)
    left.iterations = patience;
  left.extend = is_first ? extend : NULL;
  left.extender = t;
  return is_first ? run_choice(a, which, run, &left) : method->kind->solve(method->self, run, &left);
}

// For so many iterations, and more as long as that is worth it.
static mus_status try(trial *t, int which, int patience) {
  mus_solve_record *record = t->run->record;
  mus_status status;
  t->a->last = CHOICES;
  do {
    status = go_on(t, which, patience);
    if (status != MUS_NOT_CONVERGED || record->iterations >= t->limits->iterations)
      return status;
    patience = t->more(t, record->iterations, mus_run_iterations_in_all(t->run, t->limits));
  } while (patience > 0);
  return status;
}

static void note_simple(automatic *a, mus_status status, const mus_run *run, const mus_cg_options *limits) {
  if (status != MUS_OK && status != MUS_NOT_CONVERGED)
    return;
  a->simple_iterations =
      status == MUS_OK ? run->record->iterations : iterations_at_rate(run->record, limits->tolerance);
  if (status == MUS_OK) {
    double cost = run->record->iterations * cost_of(&a->method[SIMPLE]).iteration;
    note_loss(a, cost);
    note_overpaid(a, cost);
  }
}

static int simple_more(trial *t, int done, double in_all) {
  double step = cost_of(&t->a->method[SIMPLE]).iteration, left = (in_all - done) * step;
  double worth = (is_blind(t->a) && t->a->simple_iterations <= 0 ? blind_worth : usual_worth) * t->other;
  if (done < t->most)
    return left < hopeless * t->other ? t->most - done : 0;
  return left < little * done * step || (done < longest * t->most && left < worth) ? t->most : 0;
}

// Block-Jacobi for what another method would cost, and longer where it has less left than a part of that.
static mus_status run_simple(automatic *a, mus_run *run, const mus_cg_options *limits, double other) {
  int most = (int)fmax(fmin(limits->iterations, ceil(other / cost_of(&a->method[SIMPLE]).iteration)), 1);
  trial t = {.a = a, .run = run, .limits = limits, .more = simple_more, .other = other, .most = most};
  mus_status status = try(&t, SIMPLE, a->simple_iterations <= 0 ? (most + 1) / 2 : most);
  note_simple(a, status, run, limits);
  return status;
}

static mus_status run_direct(automatic *a, mus_run *run, const mus_cg_options *limits) {
  mus_status status = run_choice(a, DIRECT, run, limits);
  if (!status)
    a->changed_since_direct = 0;
  return status;
}

// Iterations that smoothed aggregation has before it is looked at for the first time.
static int strong_patience(const automatic *a, const mus_cg_options *limits) {
  double usual = is_blind(a) ? blind_iterations : usual_iterations;
  return (int)ceil(fmax(usual * mus_run_digits(limits->tolerance), 2 * a->strong_iterations));
}

// As long as a factor would not be cheaper than what it has left by how far it has come.
static int strong_more(trial *t, int done, double in_all) {
  automatic *a = t->a;
  double left = (in_all * t->doubt - done) * cost_of(&a->method[STRONG]).iteration;
  if (left > direct_least(a) && a->direct_price <= 0)
    ask_price(a);
  if (left > direct_cost(a))
    return 0;
  t->patience *= 2;
  t->doubt *= 2;
  return t->patience;
}

// Smoothed aggregation, or a factor where that turns out to be cheaper.
static mus_status run_strong(automatic *a, mus_run *run, const mus_cg_options *limits, const double *guess) {
  trial t = {.a = a,
             .run = run,
             .limits = limits,
             .more = strong_more,
             .patience = may_be_direct(a) ? strong_patience(a, limits) : limits->iterations,
             .doubt = is_blind(a) ? blind_doubt : usual_doubt};
  a->lost = 0;
  mus_status status = try(&t, STRONG, t.patience);
  mus_method_cost cost = cost_of(&a->method[STRONG]);
  int done = run->record->iterations;
  if (status != MUS_OK && (status != MUS_NOT_CONVERGED || done >= limits->iterations))
    return status;
  a->strong_iteration_cost = cost.iteration;
  if (!status) {
    a->strong_iterations = fmax(done * cost.foreseen, 1);
    note_overpaid(a, done * cost.iteration);
    return status;
  }
  a->strong_iterations = fmin(mus_run_iterations_in_all(run, limits) * t.doubt, limits->iterations);
  mus_copy(mus_system_unknowns(a->system), guess, run->x);
  return run_direct(a, run, limits);
}

// Runs what is expected to be cheapest.
static mus_status run_cheapest(automatic *a, mus_run *run, const mus_cg_options *limits, const double *guess) {
  double strong = strong_cost(a), direct = direct_cost(a), other = fmin(strong, direct);
  double step = cost_of(&a->method[SIMPLE]).iteration, simple = a->simple_iterations * step;
  int is_due = a->simple_iterations <= 0 || ++a->solves_since_trial >= SOLVES_BETWEEN_TRIALS;
  if (is_due || simple <= other) {
    if (is_due)
      a->solves_since_trial = 0;
    mus_status status = run_simple(a, run, limits, other);
    if (status != MUS_NOT_CONVERGED)
      return status;
    mus_copy(mus_system_unknowns(a->system), guess, run->x);
  }
  return direct < strong ? run_direct(a, run, limits) : run_strong(a, run, limits, guess);
}

// A failure is not the last word while a stronger method is left.
static mus_status run_up(automatic *a, mus_run *run, const mus_cg_options *limits, const double *guess) {
  size_t n = mus_system_unknowns(a->system);
  mus_status status = run_cheapest(a, run, limits, guess);
  if (has_failed(status) && a->last == SIMPLE) {
    mus_copy(n, guess, run->x);
    status = run_strong(a, run, limits, guess);
  }
  if (has_failed(status) && a->last != DIRECT && a->method[DIRECT].self) {
    mus_copy(n, guess, run->x);
    status = run_direct(a, run, limits);
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
  double seen[] = {a->simple_iterations,  a->strong_iterations, a->strong_iteration_cost, a->lost,
                   a->solves_since_trial, a->direct_price,      a->direct_solution,       a->overpaid};
  a->changed_since_direct = ~0u;
  mus_status status = mus_bytes_put(bytes, seen, sizeof seen);
  for (int k = 0; k < CHOICES && !status; ++k)
    status = mus_linear_method_remember(&a->method[k], bytes);
  return status;
}

static mus_status recall(void *self, mus_bytes *from) {
  automatic *a = self;
  double seen[8];
  if (!mus_bytes_take(from, seen, sizeof seen))
    return mus_fail(MUS_BAD_INPUT, "what is remembered of the solver is damaged: start again");
  a->simple_iterations = seen[0];
  a->strong_iterations = seen[1];
  a->strong_iteration_cost = seen[2];
  a->lost = seen[3];
  a->solves_since_trial = (int)seen[4];
  a->direct_price = seen[5];
  a->direct_solution = seen[6];
  a->overpaid = seen[7];
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
