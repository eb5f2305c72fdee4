// The public solver: a system, and a method that runs on it. See muslin/solver.h.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/initialised.h"
#include "multigrid/skinning/handles.h"
#include "multigrid/smoother.h"
#include "par/par.h"
#include "par/subnormal.h"
#include "par/vector.h"
#include "solve/fallback.h"

enum { ITERATIONS_MAXIMUM = 1000000, THREADS_MAXIMUM = 1024 };

// --- options ---------------------------------------------------------------------------------------------------------

static const char *const preset_name[] = {"paper", "fast", "robust"};
enum { PRESETS = sizeof preset_name / sizeof *preset_name };

const char *mus_preset_name(mus_preset preset) {
  return (int)preset >= 0 && (int)preset < PRESETS ? preset_name[preset] : NULL;
}

mus_status mus_preset_from_name(const char *name, mus_preset *preset) {
  mus_status status = MUS_NEED(name);
  if (!status)
    status = MUS_NEED(preset);
  if (status)
    return status;
  for (int p = 0; p < PRESETS; ++p)
    if (strcmp(name, preset_name[p]) == 0) {
      *preset = (mus_preset)p;
      return MUS_OK;
    }
  return mus_fail(MUS_BAD_INPUT, "there is no preset \"%s\": take paper, fast or robust", name);
}

mus_solver_options mus_default_solver_options(void) { return mus_preset_solver_options(MUS_PRESET_FAST); }

static mus_solver_options robust_options(void) {
  return (mus_solver_options){.method = MUS_METHOD_SA,
                              .tolerance = 1e-5,
                              .iterations = 10000,
                              .stop = MUS_STOP_INITIAL,
                              .precision = MUS_PRECISION_DOUBLE,
                              .setup = MUS_SETUP_NUMERIC,
                              .threads = 0,
                              .preset = MUS_PRESET_ROBUST,
                              .fall_back = 1,
                              .prefilter = 1,
                              .multigrid = {.cycle = MUS_CYCLE_W,
                                            .smoother = "chebyshev",
                                            .smoother_order = 2,
                                            .smoother_range = 10,
                                            .lanczos_steps = 10,
                                            .levels = MUS_LEVELS_MAXIMUM,
                                            .bottom = 600},
                              .sa = {.strength = 0.48,
                                     .dominance = 0.1,
                                     .motions = MUS_MOTIONS_RIGID,
                                     .reach = 1,
                                     .kernel_sweeps = 1,
                                     .smooth_prolongator = 1,
                                     .filter_prolongator = 0},
                              .cookie = MUS_COOKIE};
}

mus_solver_options mus_preset_solver_options(mus_preset preset) {
  mus_solver_options options = robust_options();
  options.preset = preset;
  if (preset == MUS_PRESET_PAPER) {
    options.fall_back = 0;
    options.setup = MUS_SETUP_FULL;
    options.multigrid.cycle = MUS_CYCLE_V;
  } else if (preset == MUS_PRESET_FAST) {
    options.precision = MUS_PRECISION_SINGLE;
    options.setup = MUS_SETUP_AUTO;
    options.sa.strength = 0.3;
    options.sa.motions = MUS_MOTIONS_AUTO;
    options.sa.kernel_sweeps = 0;
    options.sa.filter_prolongator = 1;
    options.multigrid.cycle = MUS_CYCLE_V;
    options.multigrid.smoother_order = 1;
    snprintf(options.multigrid.smoother, sizeof options.multigrid.smoother, "%s", mus_sweep_smoother.name);
  }
  return options;
}

static const char *const device_name[] = {"cpu", "cuda", "auto"};
enum { DEVICES = sizeof device_name / sizeof *device_name };

const char *mus_device_name(mus_device_choice device) {
  return (int)device >= 0 && (int)device < DEVICES ? device_name[device] : NULL;
}

static const char *const fall_back_name[] = {"none", "robust", "direct"};

const char *mus_fall_back_name(mus_fall_back fall_back) {
  return (int)fall_back >= 0 && fall_back <= MUS_FALL_BACK_DIRECT ? fall_back_name[fall_back] : NULL;
}

static const char *const stop_name[] = {"initial", "rhs", "euclidean", "energy"};
enum { STOPS = sizeof stop_name / sizeof *stop_name };

const char *mus_stop_name(mus_stop stop) { return (int)stop >= 0 && (int)stop < STOPS ? stop_name[stop] : NULL; }

// NaN fails every comparison and so is outside every range.
static mus_status in_range(const char *name, double value, double low, double high) {
  if (value >= low && value <= high)
    return MUS_OK;
  return mus_fail(MUS_BAD_INPUT, "option %s is %g: it must be in %g...%g", name, value, low, high);
}

static mus_status check_options(const mus_solver_options *o) {
  const struct {
    const char *name;
    double value, low, high;
  } range[] = {{"method", o->method, 0, MUS_METHODS - 1},
               {"tolerance", o->tolerance, 0, 1},
               {"iterations", o->iterations, 1, ITERATIONS_MAXIMUM},
               {"stop", o->stop, 0, STOPS - 1},
               {"precision", o->precision, MUS_PRECISION_DOUBLE, MUS_PRECISION_SINGLE},
               {"setup", o->setup, MUS_SETUP_NUMERIC, MUS_SETUP_AUTO},
               {"threads", o->threads, 0, THREADS_MAXIMUM},
               {"device", o->device, 0, DEVICES - 1},
               {"preset", o->preset, 0, PRESETS - 1},
               {"fall_back", o->fall_back, 0, 1},
               {"recycle", o->recycle, 0, MUS_RECYCLE_MAXIMUM},
               {"prefilter", o->prefilter, 0, 1},
               {"count_from", o->count_from, 0, 1},
               {"stationary", o->stationary, 0, 1},
               {"sa.strength", o->sa.strength, 0, 0.999},
               {"sa.dominance", o->sa.dominance, 0, 1},
               {"sa.motions", o->sa.motions, MUS_MOTIONS_TRANSLATIONS, MUS_MOTIONS_AUTO},
               {"sa.reach", o->sa.reach, 1, 2},
               {"sa.kernel_sweeps", o->sa.kernel_sweeps, 0, 100},
               {"sa.smooth_prolongator", o->sa.smooth_prolongator, 0, 1},
               {"sa.filter_prolongator", o->sa.filter_prolongator, 0, 1},
               {"multigrid.cycle", o->multigrid.cycle, MUS_CYCLE_V, MUS_CYCLE_W},
               {"multigrid.smoother_order", o->multigrid.smoother_order, 1, 16},
               {"multigrid.smoother_range", o->multigrid.smoother_range, 1.01, 1000},
               {"multigrid.adaptive_smoothing", o->multigrid.adaptive_smoothing, 0, 10},
               {"multigrid.lanczos_steps", o->multigrid.lanczos_steps, 1, 64},
               {"multigrid.levels", o->multigrid.levels, 1, MUS_LEVELS_MAXIMUM},
               {"multigrid.bottom", o->multigrid.bottom, 1, 20000}};
  for (size_t k = 0; k < sizeof range / sizeof *range; ++k) {
    mus_status status = in_range(range[k].name, range[k].value, range[k].low, range[k].high);
    if (status)
      return status;
  }
  if (o->stationary && !o->prefilter)
    return mus_fail(MUS_BAD_INPUT, "stationary cycles need a prefiltered matrix: option prefilter must be 1");
  if (!memchr(o->multigrid.smoother, 0, MUS_SMOOTHER_TEXT) || !memchr(o->skinning.levels, 0, MUS_LEVELS_TEXT))
    return mus_fail(MUS_BAD_INPUT, "the text of option multigrid.smoother or skinning.levels has no end");
  int handles[MUS_LEVELS_MAXIMUM];
  mus_level_smoother smoother[MUS_LEVELS_MAXIMUM];
  mus_status status = mus_handles_read(o->skinning.levels, handles);
  return status ? status : mus_smoothers_read(&o->multigrid, MUS_LEVELS_MAXIMUM, smoother);
}

// --- life ------------------------------------------------------------------------------------------------------------

struct mus_solver {
  mus_solver_options options;
  mus_system *system; // NULL before there is a pattern; the method has no state then
  mus_linear_method method;
  mus_fallback fallback;
  mus_recycle recycle;
  double *residuals;
  mus_solve_record record;
  int is_prepared; // for corrections, and nothing has changed since
  mus_list memory; // unsigned char: what mus_solver_remember() has shown
  mus_list curves; // double: residuals of mus_solver_solve_several()
};

static size_t residuals_kept(const mus_solver *solver) { return (size_t)solver->options.iterations + 1; }

static mus_status check_device(const mus_method_kind *kind) {
  if (kind->check_device)
    return kind->check_device();
  return mus_fail(MUS_UNSUPPORTED, "the solver \"%s\" does not run on a GPU: choose \"sa\", or the device \"cpu\"",
                  kind->name);
}

mus_status mus_solver_create_with(const mus_solver_options *options, const mus_method_kind *kind, mus_solver **out) {
  mus_status status =
      mus_check_initialised(options->cookie, "the options of the solver were", "mus_default_solver_options");
  if (!status)
    status = check_options(options);
  if (status)
    return status;
  if (!mus_method_kind_available(kind))
    return mus_fail(MUS_UNSUPPORTED, "this build has no solver %s: build with -DMUSLIN_%s=ON", kind->name,
                    kind->build_option);
  if (options->device == MUS_DEVICE_CUDA && (status = check_device(kind)))
    return status;
  mus_solver *solver = mus_alloc_zero(1, sizeof *solver);
  if (!solver)
    return mus_fail_memory();
  *solver = (mus_solver){.options = *options, .method = {.kind = kind}, .recycle = {.most = options->recycle}};
  solver->residuals = mus_alloc(residuals_kept(solver), sizeof *solver->residuals);
  if (!solver->residuals) {
    mus_free(solver);
    return mus_fail_memory();
  }
  *out = solver;
  return MUS_OK;
}

mus_status mus_solver_create(const mus_solver_options *options, mus_solver **out) {
  if (!options)
    return mus_fail(MUS_BAD_INPUT, "the solver needs options: take those of mus_default_solver_options");
  if (!out)
    return mus_fail(MUS_BAD_INPUT, "mus_solver_create(): solver is NULL, where it is to be put");
  return mus_solver_create_with(options, mus_method_table(options->method), out);
}

static void forget_system(mus_solver *solver) {
  mus_fallback_end(&solver->fallback);
  mus_linear_method_free(&solver->method);
  mus_system_free(solver->system);
  mus_recycle_free(&solver->recycle);
  solver->system = NULL;
  solver->is_prepared = 0;
  solver->record = (mus_solve_record){0};
}

void mus_solver_free(mus_solver *solver) {
  if (!solver)
    return;
  forget_system(solver);
  mus_free(solver->memory.items);
  mus_free(solver->curves.items);
  mus_free(solver->residuals);
  mus_free(solver);
}

// --- the system ------------------------------------------------------------------------------------------------------

static mus_status need_pattern(const mus_solver *solver) {
  return solver->system ? MUS_OK : mus_fail(MUS_BAD_INPUT, "the solver has no pattern: call mus_solver_set_pattern");
}

// A call that gives the system something. Each runs with the solver's number of threads and its way to count, and
// leaves the caller's as they were; at the end, the method is told what has changed.
typedef struct call {
  int threads_before, count_before;
  mus_status status;
  unsigned changed;
} call;

static call begin_any_call(const mus_solver *solver, const char *function) {
  mus_status status = mus_fail_if_null(solver, function, "solver");
  if (status)
    return (call){.status = status};
  return (call){.threads_before = mus_par_set_threads(solver->options.threads),
                .count_before = mus_count_from(solver->options.count_from)};
}

static call begin_call(const mus_solver *solver, const char *function) {
  call c = begin_any_call(solver, function);
  if (!c.status)
    c.status = need_pattern(solver);
  return c;
}

static mus_status end_call(mus_solver *solver, const call *c) {
  if (!solver)
    return c->status;
  mus_par_set_threads(c->threads_before);
  mus_count_from(c->count_before);
  if (c->changed)
    solver->is_prepared = 0;
  mus_linear_method_changed(&solver->method, c->changed);
  mus_fallback_changed(&solver->fallback, c->changed);
  return c->status;
}

// An argument that must be there, and a list that must be unless it is empty.
#define NEED(c, argument)                                                                                              \
  if (!(c).status)                                                                                                     \
  (c).status = MUS_NEED(argument)
#define NEED_LIST(c, count, argument)                                                                                  \
  if (!(c).status && (count) > 0)                                                                                      \
  (c).status = MUS_NEED(argument)

static mus_status set_pattern(mus_solver *solver, int rows, int block, const int *row_start, const int *column) {
  const mus_method_kind *kind = solver->method.kind;
  mus_system *system = NULL;
  mus_linear_method method = {0};
  mus_status status = mus_system_create(rows, block, row_start, column, kind->is_prefiltered, &system);
  if (!status)
    status = mus_linear_method_create(kind, &solver->options, system, &method);
  if (status) { // what was there before stays whole
    mus_system_free(system);
    return status;
  }
  forget_system(solver);
  solver->system = system;
  solver->method = method;
  mus_fallback_begin(&solver->fallback, &solver->options, kind, system);
  return MUS_OK;
}

mus_status mus_solver_set_pattern(mus_solver *solver, int rows, int block, const int *row_start, const int *column) {
  call c = begin_any_call(solver, __func__);
  NEED(c, row_start);
  NEED(c, column);
  if (!c.status)
    c.status = set_pattern(solver, rows, block, row_start, column);
  return end_call(solver, &c);
}

mus_status mus_solver_set_values(mus_solver *solver, const double *values) {
  call c = begin_call(solver, __func__);
  NEED(c, values);
  if (!c.status)
    c.status = mus_system_set_values(solver->system, values, &c.changed);
  return end_call(solver, &c);
}

mus_status mus_solver_lend_values(mus_solver *solver, double *values) {
  call c = begin_call(solver, __func__);
  NEED(c, values);
  if (!c.status)
    c.status = mus_system_lend_values(solver->system, values, &c.changed);
  return end_call(solver, &c);
}

mus_status mus_solver_map_values(mus_solver *solver, double **values) {
  mus_status status = MUS_NEED(solver);
  if (!status)
    status = MUS_NEED(values);
  if (!status)
    status = need_pattern(solver);
  if (status)
    return status;
  solver->is_prepared = 0;
  return mus_system_map_values(solver->system, values);
}

mus_status mus_solver_unmap_values(mus_solver *solver) {
  call c = begin_call(solver, __func__);
  if (!c.status)
    c.status = mus_system_unmap_values(solver->system, &c.changed);
  return end_call(solver, &c);
}

mus_status mus_solver_set_coordinates(mus_solver *solver, const double *positions) {
  call c = begin_call(solver, __func__);
  NEED(c, positions);
  if (!c.status)
    c.status = mus_system_set_coordinates(solver->system, positions, &c.changed);
  return end_call(solver, &c);
}

mus_status mus_solver_set_levels(mus_solver *solver, int count, const mus_interpolation *levels) {
  call c = begin_call(solver, __func__);
  NEED_LIST(c, count, levels);
  if (!c.status)
    c.status = mus_system_set_levels(solver->system, count, levels, &c.changed);
  return end_call(solver, &c);
}

mus_status mus_solver_set_kernel(mus_solver *solver, int count, const double *vectors) {
  call c = begin_call(solver, __func__);
  NEED_LIST(c, count, vectors);
  if (!c.status)
    c.status = mus_system_set_kernel(solver->system, count, vectors, &c.changed);
  return end_call(solver, &c);
}

mus_status mus_solver_set_constraints(mus_solver *solver, int count, const mus_constraint *constraints) {
  call c = begin_call(solver, __func__);
  NEED_LIST(c, count, constraints);
  if (!c.status)
    c.status = mus_system_set_constraints(solver->system, count, constraints, &c.changed);
  return end_call(solver, &c);
}

mus_status mus_solver_set_equalities(mus_solver *solver, int count, const mus_equality *equalities) {
  call c = begin_call(solver, __func__);
  NEED_LIST(c, count, equalities);
  if (!c.status)
    c.status = mus_system_set_equalities(solver->system, count, equalities, &c.changed);
  return end_call(solver, &c);
}

mus_status mus_solver_set_couplings(mus_solver *solver, int count, const mus_coupling *couplings) {
  call c = begin_call(solver, __func__);
  NEED_LIST(c, count, couplings);
  if (!c.status)
    c.status = mus_system_set_couplings(solver->system, count, couplings, &c.changed);
  return end_call(solver, &c);
}

// --- solving ---------------------------------------------------------------------------------------------------------

// Of what a run has left, in one product where the filtered system is at hand.
static double true_residual(const mus_run *run) {
  mus_system *system = run->system;
  int is_at_hand =
      run->is_prefiltered && run->scale == 1 && !system->filter.across && mus_system_form(system) == MUS_FORM_FILTERED;
  if (is_at_hand)
    return mus_system_filtered_residual(system);
  mus_system_put(system, MUS_FORM_GIVEN);
  return mus_system_true_residual(system, run->b, run->x);
}

static mus_status solve_checked(mus_solver *solver, const double *b, double *x, const mus_device_system *there) {
  mus_solve_record *record = &solver->record;
  mus_run run = {.system = solver->system,
                 .b = b,
                 .x = x,
                 .there = there,
                 .scale = 1,
                 .residuals = solver->residuals,
                 .stationary = solver->options.stationary,
                 .recycle = solver->options.recycle > 0 ? &solver->recycle : NULL,
                 .record = record};
  mus_cg_options limits = {
      .tolerance = solver->options.tolerance, .iterations = solver->options.iterations, .stop = solver->options.stop};
  *record = (mus_solve_record){.true_residual = NAN};
  mus_status status = mus_fallback_solve(&solver->fallback, &solver->method, &run, &limits);
  mus_fallback_report(&solver->fallback, &solver->method, record);
  int has_x = status == MUS_OK || status == MUS_NOT_CONVERGED || status == MUS_BREAKDOWN;
  if (has_x && !there && !*record->device) // which computes its own
    record->true_residual = true_residual(&run);
  if (!status && !there)
    mus_recycle_keep(&solver->recycle, x);
  mus_system_put(solver->system, MUS_FORM_GIVEN);
  record->status = status;
  record->residuals = solver->residuals;
  record->bytes = mus_solver_bytes(solver);
  return status;
}

mus_status mus_solver_solve(mus_solver *solver, const double *b, double *x) {
  call c = begin_call(solver, __func__);
  NEED(c, b);
  NEED(c, x);
  if (!c.status)
    c.status = mus_system_check(solver->system, b, x, &c.changed);
  if (!solver)
    return c.status;
  mus_linear_method_changed(&solver->method, c.changed);
  mus_fallback_changed(&solver->fallback, c.changed);
  c.changed = 0;
  solver->is_prepared = 0; // methods may leave their hierarchies as they were, or take couplings in otherwise
  if (!c.status)
    c.status = solve_checked(solver, b, x, NULL);
  return end_call(solver, &c);
}

// Each vector by itself; what equalities leave beside the constraints is brought up to date.
static mus_status check_several(mus_solver *solver, int count, const double *b, const double *x, unsigned *changed) {
  size_t n = mus_system_unknowns(solver->system);
  mus_status status = MUS_OK;
  for (int k = 0; k < count && !status; ++k) {
    unsigned also = 0;
    status = mus_system_check(solver->system, b + (size_t)k * n, x + (size_t)k * n, &also);
    *changed |= also;
    if (status && count > 1)
      mus_fail_prefix(status, "right-hand side %d", mus_counted(k));
  }
  return status;
}

// Takes the record of the last solve over, with a copy of its residuals, for which there is memory.
static void keep_record(mus_solver *solver, mus_solve_record *record) {
  size_t count = (size_t)solver->record.iterations + 1;
  *record = solver->record;
  memcpy((double *)solver->curves.items + solver->curves.count, solver->residuals, count * sizeof(double));
  solver->curves.count += count;
}

// The list may have moved while it grew.
static void point_to_curves(const mus_solver *solver, int count, mus_solve_record *records) {
  const double *next = solver->curves.items;
  for (int k = 0; k < count; ++k) {
    records[k].residuals = next;
    next += records[k].iterations + 1;
  }
}

static mus_status solve_several(mus_solver *solver, int count, const double *b, double *x, mus_solve_record *records) {
  enum { TEXT = 512 };
  size_t n = mus_system_unknowns(solver->system);
  mus_status told = MUS_OK;
  char text[TEXT] = "";
  int done = 0;
  solver->curves.count = 0;
  for (; done < count; ++done) {
    mus_status status = MUS_OK;
    if (records && !mus_list_reserve(&solver->curves, residuals_kept(solver), sizeof(double)))
      status = mus_fail_memory();
    if (!status)
      status = solve_checked(solver, b + (size_t)done * n, x + (size_t)done * n, NULL);
    int is_end = status && status != MUS_NOT_CONVERGED && status != MUS_BREAKDOWN;
    if (status && (is_end || !told)) {
      if (count > 1)
        mus_fail_prefix(status, "right-hand side %d", mus_counted(done));
      snprintf(text, sizeof text, "%s", mus_last_error());
      told = status;
    }
    if (is_end)
      break;
    if (records)
      keep_record(solver, &records[done]);
  }
  if (records)
    point_to_curves(solver, done, records);
  for (int k = done; records && k < count; ++k)
    records[k] = (mus_solve_record){.status = told, .true_residual = NAN};
  return told ? mus_fail(told, "%s", text) : MUS_OK;
}

mus_status mus_solver_solve_several(mus_solver *solver, int count, const double *b, double *x,
                                    mus_solve_record *records) {
  call c = begin_call(solver, __func__);
  if (!c.status && count < 0)
    c.status = mus_fail(MUS_BAD_INPUT, "the number of right-hand sides is %d", count);
  NEED_LIST(c, count, b);
  NEED_LIST(c, count, x);
  if (!c.status)
    c.status = check_several(solver, count, b, x, &c.changed);
  if (!solver)
    return c.status;
  mus_linear_method_changed(&solver->method, c.changed);
  mus_fallback_changed(&solver->fallback, c.changed);
  c.changed = 0;
  solver->is_prepared = 0;
  if (!c.status)
    c.status = solve_several(solver, count, b, x, records);
  return end_call(solver, &c);
}

static mus_status check_there(const mus_solver *solver, const mus_device_system *s) {
  if (solver->options.device == MUS_DEVICE_CPU || !solver->method.kind->fetch_device)
    return mus_fail(MUS_UNSUPPORTED, "mus_solver_solve_device() is for solvers whose options ask for a GPU and for the "
                                     "method \"sa\"");
  if (!s || !s->values || !s->b || !s->x)
    return mus_fail(MUS_BAD_INPUT, "mus_solver_solve_device() needs values, b and x");
  return MUS_OK;
}

// Coordinates that come for the first time are told to the system, which then knows that there are some.
static mus_status take_coordinates(mus_solver *solver, const mus_device_system *s, unsigned *changed) {
  mus_system *system = solver->system;
  size_t count = 3 * (size_t)system->rows;
  *changed |= s->coordinates ? MUS_CHANGED_COORDINATES : 0;
  if (!s->coordinates || system->positions)
    return MUS_OK;
  double *copy = mus_alloc(count, sizeof *copy);
  if (!copy)
    return mus_fail_memory();
  unsigned also = 0;
  mus_status status = solver->method.kind->fetch_device(solver->method.self, s, s->coordinates, count, copy);
  if (!status)
    status = mus_system_set_coordinates(system, copy, &also);
  *changed |= also;
  mus_free(copy);
  return status;
}

mus_status mus_solver_solve_device(mus_solver *solver, const mus_device_system *s) {
  call c = begin_call(solver, __func__);
  if (!c.status)
    c.status = check_there(solver, s);
  if (!c.status)
    c.status = mus_system_check_rest(solver->system, &c.changed);
  if (!c.status)
    c.status = take_coordinates(solver, s, &c.changed);
  if (!solver)
    return c.status;
  c.changed |= MUS_CHANGED_VALUES;
  mus_linear_method_changed(&solver->method, c.changed);
  c.changed = 0;
  solver->is_prepared = 0;
  if (!c.status) {
    c.status = solve_checked(solver, s->b, s->x, s);
    solver->system->has_values = 0; // what the host has may be of an earlier matrix
  }
  return end_call(solver, &c);
}

mus_status mus_solver_measure_device(mus_solver *solver, int repeat, mus_device_speeds *speeds) {
  mus_status status = MUS_NEED(solver);
  if (!status)
    status = MUS_NEED(speeds);
  if (status)
    return status;
  if (!*solver->record.device)
    return mus_fail(MUS_BAD_INPUT, "the last solve was not on a GPU, so there is nothing to measure there");
  if (repeat < 1)
    return mus_fail(MUS_BAD_INPUT, "%d measurements have no median: ask for 1 or more", repeat);
  return solver->method.kind->measure_device(solver->method.self, repeat, speeds);
}

// --- corrections -----------------------------------------------------------------------------------------------------

static mus_status prepare_checked(mus_solver *solver) {
  mus_solve_record *record = &solver->record;
  mus_run run = {.system = solver->system, .scale = 1, .residuals = solver->residuals, .record = record};
  *record = (mus_solve_record){.true_residual = NAN};
  mus_status status = mus_linear_method_prepare(&solver->method, &run);
  mus_system_put(solver->system, MUS_FORM_GIVEN);
  mus_linear_method_report(&solver->method, record);
  record->status = status;
  record->residuals = solver->residuals;
  record->bytes = mus_solver_bytes(solver);
  return status;
}

mus_status mus_solver_prepare(mus_solver *solver) {
  call c = begin_call(solver, __func__);
  if (!c.status)
    c.status = mus_system_check(solver->system, NULL, NULL, &c.changed);
  if (!solver)
    return c.status;
  mus_linear_method_changed(&solver->method, c.changed);
  mus_fallback_changed(&solver->fallback, c.changed);
  c.changed = 0;
  if (!c.status)
    c.status = prepare_checked(solver);
  solver->is_prepared = !c.status;
  return end_call(solver, &c);
}

int mus_solver_levels(const mus_solver *solver) { return solver ? mus_linear_method_levels(&solver->method) : 0; }

mus_status mus_solver_correct(mus_solver *solver, int level, mus_correction kind, const double *r, double *out) {
  call c = begin_call(solver, __func__);
  NEED(c, r);
  if (!c.status)
    c.status = mus_fail_if_null(out, __func__, "c");
  if (!c.status && !solver->is_prepared)
    c.status = mus_fail(MUS_BAD_INPUT, "the solver is not prepared for corrections, or has been given something since: "
                                       "call mus_solver_prepare");
  int levels = mus_solver_levels(solver);
  if (!c.status && (level < 0 || level >= levels))
    c.status = mus_fail(MUS_BAD_INPUT, "there is no level %d: the hierarchy has %d, from 0", level, levels);
  if (!c.status)
    c.status = mus_system_check_vector(solver->system, "the residual", r);
  if (!c.status) {
    mus_system *system = solver->system;
    mus_copy(mus_system_unknowns(system), r, system->right);
    mus_filter_apply(&system->filter, system->right);
    unsigned before = mus_subnormal_flush();
    solver->method.kind->correct(solver->method.self, level, kind, system->right, out, &solver->record);
    mus_subnormal_restore(before);
    mus_filter_apply(&system->filter, out);
    mus_system_put(system, MUS_FORM_GIVEN);
  }
  return end_call(solver, &c);
}

double mus_solver_work(const mus_solver *solver) { return solver ? solver->record.work : 0; }

// --- the rest --------------------------------------------------------------------------------------------------------

size_t mus_solver_bytes(const mus_solver *solver) {
  if (!solver)
    return 0;
  return sizeof *solver + mus_fallback_bytes(&solver->fallback) + mus_recycle_bytes(&solver->recycle) +
         residuals_kept(solver) * sizeof *solver->residuals + solver->memory.capacity +
         solver->curves.capacity * sizeof(double) + (solver->system ? mus_system_bytes(solver->system) : 0) +
         mus_linear_method_bytes(&solver->method);
}

const mus_solve_record *mus_solver_record(const mus_solver *solver) { return solver ? &solver->record : NULL; }

int mus_solver_aggregates(const mus_solver *solver, int level, int *aggregate) {
  return solver && aggregate ? mus_linear_method_aggregates(&solver->method, level, aggregate) : 0;
}

// --- memory ----------------------------------------------------------------------------------------------------------

mus_status mus_solver_remember(mus_solver *solver, const void **bytes, size_t *size) {
  mus_status status = MUS_NEED(solver);
  if (!status)
    status = MUS_NEED(bytes);
  if (!status)
    status = MUS_NEED(size);
  if (status)
    return status;
  status = need_pattern(solver);
  solver->memory.count = 0;
  solver->is_prepared = 0;
  mus_recycle_free(&solver->recycle); // they would take more room than all else, and are soon there again
  if (!status)
    status = mus_linear_method_remember(&solver->method, &solver->memory);
  if (!status)
    status = mus_fallback_remember(&solver->fallback, &solver->memory);
  *bytes = status ? NULL : solver->memory.items;
  *size = status ? 0 : solver->memory.count;
  return status;
}

mus_status mus_solver_recall(mus_solver *solver, const void *bytes, size_t size) {
  mus_bytes from = {bytes, size};
  mus_status status = MUS_NEED(solver);
  if (!status && size > 0)
    status = MUS_NEED(bytes);
  if (!status)
    status = need_pattern(solver);
  if (!status) {
    mus_recycle_free(&solver->recycle);
    status = mus_linear_method_recall(&solver->method, &from);
  }
  if (!status)
    status = mus_fallback_recall(&solver->fallback, &from);
  if (!status && from.left > 0)
    status =
        mus_fail(MUS_BAD_INPUT, "what a solver remembers has %zu bytes too many: it is of another method", from.left);
  return status;
}
