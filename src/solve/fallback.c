// See fallback.h.
#include "solve/fallback.h"

#include <math.h>

#include "base/error.h"
#include "solve/method/direct.h"
#include "solve/run.h"

// --- life ------------------------------------------------------------------------------------------------------------

void mus_fallback_begin(mus_fallback *f, const mus_solver_options *options, const mus_method_kind *kind,
                        mus_system *system) {
  // On a GPU, iterations cost so much less than anything here that they are left to themselves.
  int is_wanted =
      options->fall_back && kind == &mus_method_sa && !options->stationary && options->device == MUS_DEVICE_CPU;
  *f = (mus_fallback){.options = options, .system = is_wanted ? system : NULL};
  f->robust_options = mus_preset_solver_options(MUS_PRESET_ROBUST);
  f->robust_options.tolerance = options->tolerance;
  f->robust_options.iterations = options->iterations;
  f->robust_options.stop = options->stop;
  f->robust_options.prefilter = options->prefilter;
  f->robust_options.threads = options->threads;
}

void mus_fallback_end(mus_fallback *f) {
  mus_linear_method_free(&f->robust);
  mus_linear_method_free(&f->direct);
  *f = (mus_fallback){0};
}

void mus_fallback_changed(mus_fallback *f, unsigned what) {
  mus_linear_method_changed(&f->robust, what);
  mus_linear_method_changed(&f->direct, what);
}

size_t mus_fallback_bytes(const mus_fallback *f) {
  return mus_linear_method_bytes(&f->robust) + mus_linear_method_bytes(&f->direct);
}

static mus_status make(mus_fallback *f, const mus_method_kind *kind, mus_linear_method *method) {
  return method->self ? MUS_OK : mus_linear_method_create(kind, &f->robust_options, f->system, method);
}

// --- prices ----------------------------------------------------------------------------------------------------------

// In products, of the preset robust: its set-up, an iteration, and iterations that it takes for one of the others.
static const double robust_setup = 440, robust_iteration = 26, robust_share = 0.4;
// A factor that has more numbers than so many matrices does not fit.
static const double direct_size = 40;
// Iterations that no method is denied, for a tenth of the residual.
static const double usual_iterations = 6;

// Whether the options are those of the preset robust, or as thorough.
static int is_robust(const mus_solver_options *o) {
  return o->sa.motions == MUS_MOTIONS_RIGID && o->multigrid.cycle == MUS_CYCLE_W &&
         o->precision == MUS_PRECISION_DOUBLE && o->sa.smooth_prolongator && !o->sa.filter_prolongator;
}

static int may_be_direct(const mus_fallback *f) {
  return mus_method_kind_available(&mus_method_cholmod) && mus_system_unknowns(f->system) <= MUS_DIRECT_MOST;
}

// What is left to be paid for a direct solve; infinite where it does not fit.
static double direct_price(mus_fallback *f) {
  mus_direct_price price;
  if (!may_be_direct(f) || make(f, &mus_method_cholmod, &f->direct) || mus_direct_price_of(f->direct.self, &price) ||
      price.size > direct_size)
    return HUGE_VAL;
  return price.factor + price.solution;
}

// Of a direct solve, where it has not been analysed yet: at least.
static double direct_least(void) { return mus_direct_analysis + mus_direct_least; }

static int robust_comes_next(const mus_fallback *f, mus_fall_back stage) {
  return stage == MUS_FALL_BACK_NONE && !is_robust(f->options);
}

// Iterations at which what comes next would have been paid for. 0: nothing comes next. Where the near-null space is a
// guess, more iterations than usual tell that it is a bad one, which no hierarchy mends.
static int patience(const mus_fallback *f, mus_fall_back stage, double iteration, double tolerance) {
  int robust = robust_comes_next(f, stage), blind = !f->system->positions && !f->system->kernel;
  double next = robust ? robust_setup + mus_run_digits(tolerance) * 2 * robust_iteration : HUGE_VAL;
  if (may_be_direct(f) && (blind || !robust))
    next = fmin(next, direct_least());
  if (stage == MUS_FALL_BACK_DIRECT || isinf(next))
    return 0;
  return (int)ceil(usual_iterations * mus_run_digits(tolerance) + next / iteration);
}

// --- solving ---------------------------------------------------------------------------------------------------------

static int has_failed(mus_status status) { return status == MUS_NOT_CONVERGED || status == MUS_BREAKDOWN; }

// What takes over after a stage that has taken so long; the stage itself where nothing is better, for what is left of
// it, or where that is little. The residual falls faster at first than later on: each time that a stage is believed to
// have little left, it has to be half as much.
static mus_fall_back choose_next(mus_fallback *f, mus_fall_back stage, mus_status status, const mus_run *run,
                                 const mus_cg_options *limits, double iteration, int *believed) {
  int robust_left = robust_comes_next(f, stage);
  if (status == MUS_BREAKDOWN) // of a matrix that is not definite, all would
    return robust_left ? MUS_FALL_BACK_ROBUST : stage;
  double iterations = mus_run_iterations_in_all(run, limits), left = fmax(iterations - run->record->iterations, 1);
  double robust = robust_left ? robust_setup + robust_share * iterations * robust_iteration : left * iteration;
  double direct = robust > direct_least() ? direct_price(f) : HUGE_VAL;
  if (robust_left && ldexp(left * iteration, *believed + 1) < fmin(robust, direct)) {
    ++*believed;
    return stage;
  }
  if (direct < robust)
    return MUS_FALL_BACK_DIRECT;
  return robust_left ? MUS_FALL_BACK_ROBUST : stage;
}

static mus_status run_stage(mus_fallback *f, mus_fall_back stage, mus_linear_method *own, mus_run *run,
                            const mus_cg_options *limits) {
  mus_linear_method *method = stage == MUS_FALL_BACK_ROBUST   ? &f->robust
                              : stage == MUS_FALL_BACK_DIRECT ? &f->direct
                                                              : own;
  int is_first = !(run->record->iterations > 0);
  mus_cg_options left = is_first ? *limits : mus_run_limits_left(run, limits, f->options->prefilter);
  mus_status status = MUS_OK;
  if (stage == MUS_FALL_BACK_ROBUST)
    status = make(f, &mus_method_sa, method);
  else if (stage == MUS_FALL_BACK_DIRECT)
    status = make(f, &mus_method_cholmod, method);
  if (status)
    return status;
  if (is_first || stage == MUS_FALL_BACK_DIRECT)
    return mus_linear_method_solve(method, run, stage == MUS_FALL_BACK_DIRECT ? limits : &left);
  return method->kind->solve(method->self, run, &left);
}

static double iteration_of(mus_fall_back stage, const mus_linear_method *own) {
  return stage == MUS_FALL_BACK_NONE && own->kind->cost ? own->kind->cost(own->self).iteration : robust_iteration;
}

enum { FIRST_BAN = 4, LONGEST_BAN = 256 };

static void note(mus_fallback *f, mus_fall_back begun, mus_fall_back ended) {
  if (ended > begun) { // begun too low
    f->next_ban = f->next_ban == 0 ? FIRST_BAN : f->next_ban < LONGEST_BAN ? 2 * f->next_ban : f->next_ban;
    f->ban = f->next_ban;
    f->begin = (int)ended;
  } else if (begun == MUS_FALL_BACK_NONE) {
    f->next_ban /= 2;
  }
  f->count += ended >= MUS_FALL_BACK_ROBUST;
}

mus_status mus_fallback_solve(mus_fallback *f, mus_linear_method *own, mus_run *run, const mus_cg_options *limits) {
  if (!f->system)
    return mus_linear_method_solve(own, run, limits);
  mus_fall_back begun = MUS_FALL_BACK_NONE, inside = MUS_FALL_BACK_NONE;
  const char *reason = NULL;
  if (f->ban > 0) {
    --f->ban;
    begun = (mus_fall_back)f->begin;
    reason = "earlier";
  }
  mus_fall_back stage = begun;
  mus_status status;
  for (int is_last = 0, believed = 0;;) {
    int before = run->record->iterations;
    int most = is_last ? 0 : patience(f, stage, iteration_of(stage, own), limits->tolerance);
    mus_cg_options capped = *limits;
    if (most > 0 && before + most < limits->iterations)
      capped.iterations = before + most;
    status = run_stage(f, stage, own, run, &capped);
    if (stage == MUS_FALL_BACK_NONE)
      inside = run->record->fall_back;
    if (status == MUS_OUT_OF_MEMORY && stage > begun) { // what there is has to do
      stage = begun;
      is_last = 1;
      continue;
    }
    if (!has_failed(status) || is_last || capped.iterations == limits->iterations)
      break;
    int believed_before = believed;
    mus_fall_back next = choose_next(f, stage, status, run, limits, iteration_of(stage, own), &believed);
    is_last = next == stage && believed == believed_before;
    if (is_last && status == MUS_BREAKDOWN)
      break;
    if (next != stage)
      reason = status == MUS_BREAKDOWN ? "breakdown" : "stagnation";
    stage = next;
  }
  if (status == MUS_OK)
    note(f, begun, stage);
  run->record->fall_back = stage > MUS_FALL_BACK_NONE ? stage : inside;
  run->record->fall_back_reason = stage > MUS_FALL_BACK_NONE ? reason : inside ? "stagnation" : NULL;
  run->record->fall_backs = f->count;
  return status;
}

// --- reports and memory ----------------------------------------------------------------------------------------------

void mus_fallback_report(const mus_fallback *f, const mus_linear_method *own, mus_solve_record *record) {
  const mus_linear_method *last = record->fall_back == MUS_FALL_BACK_ROBUST   ? &f->robust
                                  : record->fall_back == MUS_FALL_BACK_DIRECT ? &f->direct
                                                                              : own;
  mus_linear_method_report(last, record);
}

mus_status mus_fallback_remember(mus_fallback *f, mus_list *bytes) {
  int state[] = {f->begin, f->ban, f->next_ban, f->count, f->robust.self != NULL};
  if (!f->system)
    return MUS_OK;
  mus_status status = mus_bytes_put(bytes, state, sizeof state);
  return status ? status : mus_linear_method_remember(&f->robust, bytes);
}

mus_status mus_fallback_recall(mus_fallback *f, mus_bytes *from) {
  int state[5];
  if (!f->system || from->left == 0) // what was written before there was anything to take over
    return MUS_OK;
  if (!mus_bytes_take(from, state, sizeof state) || state[0] < 0 || state[0] > MUS_FALL_BACK_DIRECT || state[1] < 0 ||
      state[2] < 0)
    return mus_fail(MUS_BAD_INPUT, "what is remembered of the solver is damaged: start again");
  f->begin = state[0], f->ban = state[1], f->next_ban = state[2], f->count = state[3];
  mus_status status = state[4] ? make(f, &mus_method_sa, &f->robust) : MUS_OK;
  return status ? status : mus_linear_method_recall(&f->robust, from);
}
