// Smoothed aggregation on a GPU: the host makes aggregates once in a while, the device makes all numbers for each
// matrix and runs conjugate gradients. See sa.h and cuda/stages.h.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/stop.h"
#include "base/timer.h"
#include "par/vector.h"
#include "solve/method/sa.h"
#include "solve/run.h"

// --- the device ------------------------------------------------------------------------------------------------------

static mus_status open_device(mus_sa_device *gpu) {
  mus_stage_failure failure;
  mus_status status = mus_device_stages(&gpu->stages);
  if (status)
    return status;
  status = gpu->stages->open(&gpu->device, &failure);
  if (status)
    return mus_fail(status, "%s; or use the device \"cpu\"", failure.text);
  gpu->stages->describe(gpu->device, &gpu->facts);
  return MUS_OK;
}

mus_status mus_sa_check_device(void) {
  mus_sa_device gpu = {0};
  mus_status status = open_device(&gpu);
  if (!status)
    gpu.stages->close(gpu.device);
  return status;
}

// The text of the failure that has just been told.
static void keep_failure(mus_sa_device *gpu) { snprintf(gpu->failure, sizeof gpu->failure, "%s", mus_last_error()); }

mus_status mus_sa_open_device(mus_sa *sa) {
  if (sa->options->device == MUS_DEVICE_CPU)
    return MUS_OK;
  mus_status status = open_device(&sa->gpu);
  if (sa->options->device != MUS_DEVICE_AUTO)
    return status;
  if (status)
    keep_failure(&sa->gpu);
  return MUS_OK;
}

static void forget_solver(mus_sa_device *gpu) {
  if (gpu->solver)
    gpu->stages->free(gpu->solver);
  gpu->solver = NULL;
  gpu->has_spectrum = gpu->has_kernel = gpu->has_held = gpu->has_couplings = gpu->has_equalities = 0;
  gpu->has_prolongators = gpu->has_values = 0;
}

void mus_sa_forget_device_solver(mus_sa *sa) { forget_solver(&sa->gpu); }

void mus_sa_close_device(mus_sa *sa) {
  forget_solver(&sa->gpu);
  if (sa->gpu.device)
    sa->gpu.stages->close(sa->gpu.device);
  sa->gpu.device = NULL;
}

const char *mus_sa_device_obstacle(const mus_sa *sa, const mus_run *run) {
  if (!mus_sa_equalities_fit(sa))
    return "as many equalities across nodes that hang together";
  if (sa->system->filter.across && run->there)
    return "equalities across nodes in systems that are there already";
  if (!sa->options->prefilter || run->stationary)
    return "filtered vectors and stationary cycles";
  if (sa->system->block != 3)
    return "blocks of other sizes than 3";
  if (sa->options->stop > MUS_STOP_RHS)
    return "the stops \"euclidean\" and \"energy\"";
  return NULL;
}

// What went wrong there, under our name. With MUS_DEVICE_AUTO, the device is given up.
static mus_status failed_there(mus_sa *sa, mus_status status, const mus_stage_failure *failure) {
  mus_fail(status, "%s", failure->text);
  if (sa->options->device == MUS_DEVICE_AUTO) {
    keep_failure(&sa->gpu);
    mus_sa_close_device(sa);
  } else {
    forget_solver(&sa->gpu);
  }
  return status;
}

// --- the hierarchy ---------------------------------------------------------------------------------------------------

static mus_stage_pattern pattern_of(const mus_pattern *p) {
  return (mus_stage_pattern){p->rows, p->columns, p->row_start, p->column};
}

static mus_stage_grouping grouping_of(const mus_aggregation_parts *parts) {
  mus_stage_grouping g = {.aggregates = parts->aggregates->count,
                          .aggregate = parts->aggregates->of,
                          .source = parts->part_source,
                          .is_filtered = parts->is_filtered};
  if (parts->part)
    g.part = pattern_of(parts->part);
  return g;
}

// MUS_UNSUPPORTED for a level whose smoother is no polynomial, or for a bottom that is only smoothed.
static mus_status describe_level(const mus_sa *sa, int level, mus_stage_level *out, mus_stage_failure *failure) {
  mus_level_parts parts = mus_hierarchy_parts(sa->hierarchy, level);
  *out = (mus_stage_level){.a = pattern_of(parts.a), .block = parts.block};
  const char *trouble = parts.p && !(parts.smoother->kind->pass && parts.probe) ? "only the smoother \"chebyshev\""
                        : !parts.p && parts.smoother                            ? "only a coarsest level that is solved"
                                                                                : NULL;
  if (trouble) {
    snprintf(failure->text, sizeof failure->text, "%s runs on a GPU: use the device \"cpu\"", trouble);
    return MUS_UNSUPPORTED;
  }
  if (!parts.p)
    return MUS_OK;
  mus_aggregation_parts grouping = mus_aggregation_look(sa->aggregation, level);
  out->p = pattern_of(parts.p);
  out->grouping = grouping_of(&grouping);
  const mus_level_smoother *smoother = parts.smoother;
  while (out->passes < MUS_STAGES_PASSES &&
         smoother->kind->pass(&smoother->options, 1, out->passes, &out->alpha[out->passes], &out->beta[out->passes]))
    ++out->passes;
  return MUS_OK;
}

static mus_status create_solver(mus_sa *sa, mus_stage_failure *failure) {
  mus_stage_hierarchy *h = mus_alloc_zero(1, sizeof *h);
  const char *plain = getenv("MUSLIN_CUDA_PLAIN");
  mus_status status = MUS_OK;
  if (!h) {
    snprintf(failure->text, sizeof failure->text, "out of memory on the host");
    return MUS_OUT_OF_MEMORY;
  }
  h->levels = mus_hierarchy_levels(sa->hierarchy);
  h->visits = sa->options->multigrid.cycle == MUS_CYCLE_W ? 2 : 1;
  h->kernel_sweeps = mus_sa_settings(sa).kernel_sweeps;
  h->iterations_most = sa->options->iterations;
  h->plain = plain && *plain && *plain != '0';
  for (int k = 0; k < h->levels && !status; ++k)
    status = describe_level(sa, k, &h->level[k], failure);
  if (!status)
    status = sa->gpu.stages->create(sa->gpu.device, h, &sa->gpu.solver, failure);
  mus_free(h);
  return status;
}

static mus_status give_spectrum(mus_sa *sa, mus_stage_failure *failure) {
  mus_stage_spectrum spectrum[MUS_LEVELS_MAXIMUM];
  for (int k = 0; k < mus_hierarchy_levels(sa->hierarchy); ++k) {
    mus_level_parts parts = mus_hierarchy_parts(sa->hierarchy, k);
    spectrum[k] = (mus_stage_spectrum){parts.probe, parts.growth, parts.radius};
  }
  return sa->gpu.stages->start(sa->gpu.solver, spectrum, failure);
}

static mus_status give_kernel(mus_sa *sa, const mus_run *run, mus_stage_failure *failure) {
  const mus_system *system = sa->system;
  if (mus_sa_has_rotations(sa))
    return sa->gpu.stages->set_kernel(
        sa->gpu.solver, MUS_STAGE_POSITIONS,
        run->there && run->there->coordinates ? run->there->coordinates : system->positions, failure);
  return sa->gpu.stages->set_kernel(sa->gpu.solver, system->kernel ? MUS_STAGE_VECTORS : MUS_STAGE_CONSTANT,
                                    system->kernel, failure);
}

static mus_status give_held(mus_sa *sa, mus_stage_failure *failure) {
  const mus_filter *filter = &sa->system->filter;
  mus_stage_held held = {filter->count, filter->node, filter->projection, filter->target};
  return sa->gpu.stages->set_held(sa->gpu.solver, &held, failure);
}

// C z at the nodes that couplings touch.
static void pull_of(const mus_beyond *c, const mus_filter *filter, double *pull) {
  for (size_t k = 0; k < 3 * (size_t)c->count; ++k) {
    size_t row = k / 3, r = k % 3;
    pull[k] = 0;
    for (int b = c->pattern.row_start[row]; b < c->pattern.row_start[row + 1]; ++b) {
      int held = filter->count > 0 ? filter->index_of[c->pattern.column[b]] : -1;
      for (size_t e = 0; e < 3 && held >= 0; ++e)
        pull[k] += c->value[9 * (size_t)b + 3 * r + e] * filter->target[3 * (size_t)held + e];
    }
  }
}

static mus_status give_couplings(mus_sa *sa, mus_stage_failure *failure) {
  mus_system *system = sa->system;
  mus_system_filter_couplings(system);
  const mus_beyond *c = &system->couplings;
  double *pull = mus_alloc(3 * (size_t)c->count + 1, sizeof *pull);
  if (!pull) {
    snprintf(failure->text, sizeof failure->text, "out of memory on the host");
    return MUS_OUT_OF_MEMORY;
  }
  pull_of(c, &system->filter, pull);
  mus_stage_couplings given = {.count = c->count,
                               .node = c->node,
                               .row_start = c->pattern.row_start,
                               .column = c->pattern.column,
                               .values = system->filtered_couplings.value,
                               .pull = pull,
                               .radius = c->widest};
  mus_status status = sa->gpu.stages->set_couplings(sa->gpu.solver, &given, failure);
  mus_free(pull);
  return status;
}

void mus_sa_device_changed(mus_sa *sa, unsigned what) {
  if (what & (MUS_CHANGED_VALUES | MUS_CHANGED_CONSTRAINTS | MUS_CHANGED_EQUALITIES))
    sa->gpu.has_values = 0;
  if (what & MUS_CHANGED_CONSTRAINTS)
    sa->gpu.has_held = 0;
  if (what & (MUS_CHANGED_CONSTRAINTS | MUS_CHANGED_COUPLINGS))
    sa->gpu.has_couplings = 0;
  if (what & (MUS_CHANGED_CONSTRAINTS | MUS_CHANGED_EQUALITIES))
    sa->gpu.has_equalities = 0;
  if (what & (MUS_CHANGED_COORDINATES | MUS_CHANGED_KERNEL))
    sa->gpu.has_kernel = 0;
  if (what & MUS_CHANGED_HELD)
    sa->gpu.has_prolongators = 0;
}

// Solves to less than this take so few iterations that these do not tell how good a hierarchy is, and what is saved by
// keeping it is less than what Newton's method loses by the directions that it leads to.
static const double loose_tolerance = 1e-2;

// Products there are those with its own copy of the matrix: a new one takes the finest level with it at least.
mus_upkeep_kind mus_sa_device_upkeep(const mus_sa *sa, mus_upkeep_kind due, double tolerance) {
  int is_new = !sa->gpu.has_values;
  if (due >= MUS_UPKEEP_NUMBERS)
    return due;
  if (!sa->gpu.has_prolongators || (is_new && tolerance > loose_tolerance))
    return MUS_UPKEEP_NUMBERS;
  return due == MUS_UPKEEP_NONE && is_new ? MUS_UPKEEP_FINEST : due;
}

mus_status mus_sa_fetch(void *self, const mus_device_system *there, const double *from, size_t count, double *to) {
  mus_sa *sa = self;
  mus_stage_failure failure = {""};
  if (!sa->gpu.device)
    return mus_fail(MUS_UNSUPPORTED, "there is no GPU, or it has failed before: solve on the host");
  mus_status status = sa->gpu.stages->fetch(sa->gpu.device, there->stream, from, count, to, &failure);
  return status ? mus_fail(status, "%s", failure.text) : MUS_OK;
}

// The matrix and coordinates that the host's hierarchy is made from.
static mus_status fetch_system(mus_sa *sa, const mus_device_system *there) {
  mus_system *system = sa->system;
  mus_status status = mus_system_own_values(system);
  if (!status)
    status = mus_sa_fetch(sa, there, there->values, mus_matrix_values(&system->a), system->own);
  system->symmetric_form = MUS_FORM_NONE;
  if (!status && there->coordinates && system->positions)
    status = mus_sa_fetch(sa, there, there->coordinates, 3 * (size_t)system->rows, system->positions);
  return status;
}

// What the host has to do first: everything at times, else nothing.
static mus_status set_up_host(mus_sa *sa, const mus_run *run, mus_upkeep_kind kind) {
  if (kind < MUS_UPKEEP_ALL && sa->hierarchy)
    return MUS_OK;
  forget_solver(&sa->gpu);
  mus_status status = run->there ? fetch_system(sa, run->there) : MUS_OK;
  mus_system_put(sa->system, MUS_FORM_FILTERED);
  if (!status)
    status = mus_sa_set_up(sa, sa->rested ? kind : MUS_UPKEEP_ALL); // with the aggregates that are remembered
  mus_system_put(sa->system, MUS_FORM_GIVEN);
  return status;
}

// What the device lacks but for the matrix. The near-null space is for new prolongators.
static mus_status set_up_device(mus_sa *sa, mus_upkeep_kind kind, const mus_run *run, mus_stage_failure *failure) {
  mus_sa_device *gpu = &sa->gpu;
  mus_status status = gpu->solver ? MUS_OK : create_solver(sa, failure);
  if (!status && run->there && run->there->stream)
    status = gpu->stages->wait_for(gpu->solver, run->there->stream, failure);
  if (!status && !gpu->has_spectrum)
    gpu->has_spectrum = !(status = give_spectrum(sa, failure));
  if (!status && !gpu->has_kernel && kind >= MUS_UPKEEP_NUMBERS)
    gpu->has_kernel = !(status = give_kernel(sa, run, failure));
  if (!status && !gpu->has_held)
    gpu->has_held = !(status = give_held(sa, failure));
  if (!status && !gpu->has_couplings)
    gpu->has_couplings = !(status = give_couplings(sa, failure));
  if (!status && !gpu->has_equalities)
    gpu->has_equalities = !(status = mus_sa_give_equalities(sa, failure));
  return status;
}

// What follows from the matrix.
static mus_status renew_device(mus_sa *sa, mus_upkeep_kind kind, const mus_run *run, mus_stage_failure *failure) {
  const double *values = run->there ? run->there->values : sa->system->a.value;
  mus_stage_renewal what = kind >= MUS_UPKEEP_NUMBERS  ? MUS_STAGE_EVERYTHING
                           : kind == MUS_UPKEEP_COARSE ? MUS_STAGE_COARSE
                                                       : MUS_STAGE_FINEST;
  mus_status status = sa->gpu.stages->set_values(sa->gpu.solver, values, failure);
  if (!status)
    status = sa->gpu.stages->renew(sa->gpu.solver, what, failure);
  if (!status && what == MUS_STAGE_EVERYTHING) {
    sa->gpu.has_prolongators = 1;
    sa->rested = 0;
  }
  return status;
}

// --- solving ---------------------------------------------------------------------------------------------------------

static mus_status status_of(const mus_stage_result *r, const mus_stage_limits *limits) {
  const char *broke = "conjugate gradients broke down at iteration";
  switch (r->end) {
  case MUS_STAGE_CONVERGED:
    return MUS_OK;
  case MUS_STAGE_EXHAUSTED:
    return mus_fail(MUS_NOT_CONVERGED,
                    "conjugate gradients did not converge: after %d iterations the residual is %.3g where %.3g was "
                    "asked for; allow more iterations or a larger tolerance, or use a stronger method",
                    r->iterations, r->residuals[r->iterations], limits->tolerance * r->reference);
  case MUS_STAGE_NOT_FINITE:
    return mus_fail(MUS_BREAKDOWN,
                    "%s %d: the residual is not finite; look for NaN or infinity in the right-hand side, the guess and "
                    "the preconditioner",
                    broke, r->iterations + 1);
  case MUS_STAGE_INDEFINITE_M:
    return mus_fail(MUS_BREAKDOWN, "%s %d: r.M^-1 r = %g, so the preconditioner is not positive definite", broke,
                    r->iterations + 1, r->last);
  case MUS_STAGE_INDEFINITE_A:
    return mus_fail(MUS_BREAKDOWN, "%s %d: p.Ap = %g, so the matrix is not positive definite", broke, r->iterations + 1,
                    r->curvature);
  case MUS_STAGE_BAD_LEVEL:
    return mus_fail(MUS_BREAKDOWN, "level %d of the hierarchy is not positive definite", r->level);
  }
  return mus_fail(MUS_DEVICE_FAILED, "the device has ended a solve in a way that is not known");
}

static void keep_record(mus_sa *sa, mus_run *run, double wall, const mus_stage_result *r, int has_renewed) {
  mus_solve_record *record = run->record;
  double renew = has_renewed ? r->seconds.renew : 0;
  record->setup_seconds += renew;
  record->solve_seconds += r->seconds.solve;
  record->transfer_seconds += wall - renew - r->seconds.solve;
  record->true_residual = r->true_residual;
  snprintf(record->device, sizeof record->device, "%s", sa->gpu.facts.name);
  record->device_bytes = sa->gpu.stages->bytes(sa->gpu.solver);
}

// Set-up on both sides; *begin is when it was done.
static mus_status set_up(mus_sa *sa, mus_upkeep_kind kind, mus_run *run, double *begin) {
  mus_stage_failure failure = {""};
  double start = mus_seconds();
  mus_status status = set_up_host(sa, run, kind);
  if (!status && (status = set_up_device(sa, kind, run, &failure)))
    status = failed_there(sa, status, &failure);
  *begin = mus_seconds();
  run->record->setup_seconds += *begin - start;
  return status;
}

mus_status mus_sa_device_run(mus_sa *sa, mus_upkeep_kind kind, mus_run *run, const mus_cg_options *limits) {
  mus_sa_device *gpu = &sa->gpu;
  mus_stage_failure failure = {""};
  double begin, last = *mus_run_residuals(run);
  mus_status status = mus_stop_check();
  mus_system_put(sa->system, MUS_FORM_GIVEN);
  int is_new = kind != MUS_UPKEEP_NONE || !gpu->has_values || !gpu->has_couplings;
  if (!status)
    status = set_up(sa, kind, run, &begin);
  if (status)
    return status;
  if (is_new && (status = renew_device(sa, kind, run, &failure)))
    return failed_there(sa, status, &failure);
  if (is_new && (status = mus_sa_weigh_equalities(sa, &failure)))
    return status == MUS_BREAKDOWN ? mus_fail(status, "%s", failure.text) : failed_there(sa, status, &failure);
  gpu->is_ahead = gpu->has_values = 1;
  sa->stale = MUS_SA_FRESH;
  sa->held_changed = 0;
  mus_stage_limits asked = {limits->tolerance, limits->iterations,
                            limits->stop == MUS_STOP_RHS &&
                                (run->there || mus_max_abs(mus_system_unknowns(sa->system), run->x) != 0)};
  mus_stage_result result = {.residuals = mus_run_residuals(run)};
  status = gpu->stages->solve(gpu->solver, run->b, run->x, &asked, &result, &failure);
  if (status)
    return failed_there(sa, status, &failure);
  keep_record(sa, run, mus_seconds() - begin, &result, is_new);
  status = status_of(&result, &asked);
  mus_cg_result kept = {.iterations = result.iterations, .reference = result.reference, .residuals = result.residuals};
  if (result.end != MUS_STAGE_BAD_LEVEL)
    mus_run_note(run, &kept, last);
  return status;
}

mus_status mus_sa_measure_device(void *self, int repeat, mus_device_speeds *speeds) {
  mus_sa *sa = self;
  mus_stage_speeds found;
  mus_stage_failure failure;
  if (!sa->gpu.solver)
    return mus_fail(MUS_BAD_INPUT, "the last solve was not on a GPU, so there is nothing to measure there");
  mus_status status = sa->gpu.stages->measure(sa->gpu.solver, repeat, &found, &failure);
  if (status)
    return failed_there(sa, status, &failure);
  sa->gpu.has_values = 0; // its copy of the matrix has been written over
  *speeds = (mus_device_speeds){found.product_s,     found.smoother_s,     found.cycle_s,
                                found.product_bytes, found.smoother_bytes, found.copy_bytes_s};
  return MUS_OK;
}
