// Steps that methods are made of. See run.h.
#include "solve/run.h"

#include <math.h>

#include "base/timer.h"
#include "par/subnormal.h"
#include "par/vector.h"

// Numbers beyond these have squares that lose their digits.
static const double smallest = 1e-100, largest = 1e100;

static int is_within(double size) { return size > smallest && size < largest; }

// Brings a right-hand side that is beyond them, and the guess with it, to the size of 1. Returns by what factor.
static double scale_down(mus_system *system) {
  size_t n = mus_system_unknowns(system);
  double size = mus_max_abs(n, system->right);
  int exponent;
  if (size == 0 || is_within(size))
    return 1;
  frexp(size, &exponent);
  double factor = ldexp(1, -(exponent > -1000 ? exponent : -1000));
  mus_scale(n, factor, system->right);
  if (mus_max_abs(n, system->solution) < largest / fmax(factor, 1))
    mus_scale(n, factor, system->solution);
  else
    mus_fill(n, 0, system->solution); // a guess that is no use
  return factor;
}

void mus_run_prefilter(mus_run *run) {
  double begin = mus_seconds();
  mus_system *system = run->system;
  size_t n = mus_system_unknowns(system);
  const mus_filter *s = &system->filter;
  mus_system_put(system, MUS_FORM_FILTERED);
  mus_system_filter_couplings(system);
  if (mus_filter_holds(s)) {
    double *z = system->work;
    mus_filter_target(s, z);
    mus_filter_target_residual(s, &system->transpose, &system->saved, &system->a, run->b, z, system->right);
    if (system->couplings.count > 0)
      mus_beyond_multiply_add(&system->couplings, -1, z, system->right);
    mus_filter_apply(s, system->right);
  } else {
    mus_copy(n, run->b, system->right);
  }
  mus_copy(n, run->x, system->solution);
  mus_filter_apply(s, system->solution);
  run->scale = scale_down(system);
  run->is_prefiltered = 1;
  run->record->prefilter_seconds += mus_seconds() - begin;
}

// From y to x, where there is one.
static void unfilter(const mus_run *run, mus_status status) {
  if (status != MUS_OK && status != MUS_NOT_CONVERGED && status != MUS_BREAKDOWN)
    return;
  mus_copy(mus_system_unknowns(run->system), run->system->solution, run->x);
  if (run->scale != 1)
    mus_scale(mus_system_unknowns(run->system), 1 / run->scale, run->x);
  mus_filter_impose(&run->system->filter, run->x);
}

double *mus_run_residuals(const mus_run *run) { return run->residuals + run->record->iterations; }

// Norms of a run that continues another are in units of another preconditioner: they are scaled to begin where that one
// ended.
void mus_run_note(mus_run *run, const mus_cg_result *result, double last) {
  mus_solve_record *record = run->record;
  int continues = record->iterations > 0 && !result->is_absolute;
  double first = result->residuals[0], unit = continues && first > 0 ? last / first : 1 / run->scale;
  if (!continues)
    record->reference = result->reference / run->scale;
  for (int k = 0; k <= result->iterations; ++k)
    result->residuals[k] *= unit;
  record->iterations += result->iterations;
  double begin = run->residuals[0], end = run->residuals[record->iterations];
  record->rate = record->iterations > 0 && begin > 0 ? pow(end / begin, 1.0 / record->iterations) : 0;
}

void mus_run_keep(mus_run *run, mus_status status, const mus_cg_result *result, double last) {
  unfilter(run, status);
  mus_run_note(run, result, last);
}

mus_cg_options mus_run_limits_left(const mus_run *run, const mus_cg_options *limits, int prefilter) {
  const mus_solve_record *record = run->record;
  double last = run->residuals[record->iterations];
  mus_cg_options left = *limits;
  left.iterations -= record->iterations;
  left.extend = NULL; // which knows nothing of the iterations before
  if (limits->stop == MUS_STOP_INITIAL && prefilter && record->iterations > 0 && last > 0)
    left.tolerance = fmin(limits->tolerance * record->reference / last, 1);
  return left;
}

// Of all that a residual has fallen, in digits: less tells nothing of how fast iterations are.
static const double enough_to_judge = 0.2;

static double iterations_in_all(const double *norm, int first, int now, double goal) {
  double wanted = log(goal / norm[first]), done = log(norm[now] / norm[first]);
  return wanted < 0 && done < 0 ? first + (now - first) * wanted / done : HUGE_VAL;
}

double mus_run_iterations_by(const mus_cg_result *result, double tolerance) {
  return iterations_in_all(result->residuals, result->is_projected, result->iterations, tolerance * result->reference);
}

double mus_run_iterations_in_all(const mus_run *run, const mus_cg_options *limits) {
  const mus_solve_record *record = run->record;
  return iterations_in_all(run->residuals, run->first, record->iterations, limits->tolerance * record->reference);
}

double mus_run_iterations_from_guess(const mus_run *run) {
  int end = run->record->iterations, first = run->first;
  const double *norm = run->residuals;
  if (first == 0)
    return end;
  double all = log(norm[0] / norm[end]), rest = first < end ? log(norm[first] / norm[end]) : 0;
  return rest > enough_to_judge * all ? (end - first) * fmax(all / rest, 1) : 0;
}

double mus_run_digits(double tolerance) { return -log10(fmin(fmax(tolerance, 1e-16), 0.1)); }

double mus_run_iterations_per_digit(const mus_run *run) {
  int end = run->record->iterations, first = run->first;
  const double *norm = run->residuals;
  double digits = first < end && norm[end] > 0 ? log10(norm[first] / norm[end]) : 0;
  return digits > 0.5 ? (end - first) / digits : 0;
}

// What the two kinds of conjugate gradients begin and end with alike.
typedef struct iterations {
  double begin;           // s
  double last;            // residual of the run that this one goes on from
  mus_block_operator now; // the system as it is, which `a` looks at
  mus_operator a;
  mus_projection s;
  mus_cg_result result;
  double products; // per iteration
  unsigned
      before_flush; // what mus_subnormal_flush() returned: right-hand sides are of a size that needs no such numbers
} iterations;

static mus_status begin_iterations(mus_run *run, const mus_preconditioner *m, iterations *i) {
  double start = mus_seconds();
  mus_status status = mus_system_for_products(run->system, &i->now);
  i->begin = mus_seconds();
  run->record->setup_seconds += i->begin - start;
  if (status)
    return status;
  i->a = mus_block_operator_view(&i->now);
  i->s = mus_filter_view(&run->system->filter);
  i->result = (mus_cg_result){.residuals = mus_run_residuals(run)};
  i->last = *i->result.residuals;
  i->products = 1 + m->products;
  return MUS_OK;
}

static mus_status end_iterations(mus_run *run, mus_status status, iterations *i) {
  mus_subnormal_restore(i->before_flush);
  mus_run_keep(run, status, &i->result, i->last);
  run->record->work += i->products * (i->result.iterations + 1); // one more for the residual of the guess
  run->record->solve_seconds += mus_seconds() - i->begin;
  return status;
}

// Earlier solutions as they count in this run, without what is held now. *out becomes NULL where there are none, or
// where an earlier run of the same solve has come further.
static mus_status earlier_solutions(mus_run *run, mus_recycle **out) {
  mus_system *system = run->system;
  mus_recycle *recycle = run->recycle;
  *out = NULL;
  if (!recycle || run->record->iterations > 0)
    return MUS_OK;
  mus_status status = mus_recycle_open(recycle, mus_system_unknowns(system));
  if (status || !mus_recycle_is_due(recycle))
    return status;
  mus_filter_apply_lanes(&system->filter, recycle->most + 1, system->work, recycle->v);
  *out = recycle;
  return MUS_OK;
}

// Of preconditioners that count their own work, in products: what the cheapest cycles cost.
static const double usual_iteration = 3;

static mus_status run_recycled(mus_run *run, const mus_preconditioner *m, const mus_cg_options *limits, iterations *i,
                               const mus_projection *s) {
  mus_system *system = run->system;
  mus_recycle *recycle;
  mus_status status = earlier_solutions(run, &recycle);
  if (status)
    return status;
  status = mus_pcg_recycled(&i->a, s, m, recycle, system->right, system->solution, limits, system->work, &i->result);
  run->first = run->record->iterations > 0 ? run->first : i->result.is_projected;
  if (recycle && i->result.is_projected && !status)
    mus_recycle_note(recycle, i->result.residuals, i->result.iterations,
                     m->products > 0 ? i->products : usual_iteration);
  if (i->result.is_projected)
    run->record->work += 1; // the pass for the products of the vectors
  return status;
}

mus_status mus_run_pcg(mus_run *run, const mus_preconditioner *m, const mus_cg_options *limits) {
  mus_system *system = run->system;
  iterations i;
  mus_status status = begin_iterations(run, m, &i);
  if (status)
    return status;
  const mus_projection *s = system->filter.across ? &i.s : NULL; // what the matrix is not filtered by
  i.before_flush = mus_subnormal_flush();
  if (run->stationary)
    status = mus_stationary(&i.a, s, m, system->right, system->solution, limits, system->work, &i.result);
  else
    status = run_recycled(run, m, limits, &i, s);
  return end_iterations(run, status, &i);
}

mus_status mus_run_semi_iterative(mus_run *run, const mus_preconditioner *m, double high,
                                  const mus_cg_options *limits) {
  mus_system *system = run->system;
  iterations i;
  mus_status status = begin_iterations(run, m, &i);
  if (status)
    return status;
  i.before_flush = mus_subnormal_flush();
  status = mus_semi_iterative(&i.a, system->filter.across ? &i.s : NULL, m, high, system->right, system->solution,
                              limits, system->work, &i.result);
  return end_iterations(run, status, &i);
}

// S with nothing prescribed: what is held, is held at zero.
typedef struct zero_target {
  const mus_projection *s;
  size_t n;
} zero_target;

static void apply_s(const void *self, double *x) {
  const mus_projection *s = ((const zero_target *)self)->s;
  s->apply(s->self, x);
}

static void no_target(const void *self, double *x) { mus_fill(((const zero_target *)self)->n, 0, x); }

// Puts right = S(b - A (I - S) z), and the guess without what is held, where their squares would lose their digits:
// scaled, and for a target of zero. Returns whether that was done.
static int scale_mpcg(mus_run *run, const iterations *i) {
  mus_system *system = run->system;
  size_t n = mus_system_unknowns(system);
  double *z = system->work;
  mus_copy(n, run->b, system->right);
  i->s.apply(i->s.self, system->right);
  if (is_within(mus_max_abs(n, system->right)))
    return 0;
  i->s.target(i->s.self, z);
  mus_operator_residual(&i->a, run->b, z, system->right);
  i->s.apply(i->s.self, system->right);
  mus_copy(n, run->x, system->solution);
  i->s.apply(i->s.self, system->solution);
  run->scale = scale_down(system);
  return run->scale != 1;
}

mus_status mus_run_mpcg(mus_run *run, const mus_preconditioner *m, int original, const mus_cg_options *limits) {
  mus_system *system = run->system;
  iterations i;
  mus_system_put(system, MUS_FORM_GIVEN);
  mus_status status = begin_iterations(run, m, &i);
  if (status)
    return status;
  zero_target zero = {&i.s, mus_system_unknowns(system)};
  mus_projection plain = {.self = &zero, .apply = apply_s, .impose = apply_s, .target = no_target};
  int scaled = scale_mpcg(run, &i);
  if (!scaled)
    mus_copy(zero.n, run->x, system->solution);
  i.before_flush = mus_subnormal_flush();
  status = mus_mpcg(&i.a, scaled ? &plain : &i.s, m, original, scaled ? system->right : run->b, system->solution,
                    limits, system->work, &i.result);
  return end_iterations(run, status, &i);
}
