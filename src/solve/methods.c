// The methods behind the public solver, each from set-up to solution. See solver_state.h.
//
// All but the filtered ones (MPCG) work on the prefiltered system of Tamstorf et al. 2015, section 8:
//   (S A S + s (I - S)) y = S (b - A z),   x = S y + (I - S) z
// where A includes couplings. Hierarchies are made without them; see coupled.h.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/timer.h"
#include "par/vector.h"
#include "solve/near_kernel.h"
#include "solve/petsc.h"
#include "solve/solver_state.h"

enum { REFINEMENTS = 5 }; // of a direct solution, at most
// Weight of equalities in a factor, in units of the matrix's largest entry: each iteration gains about as many digits.
static const double penalty_part = 1e3;

void mus_solver_put(mus_solver *solver, mus_form form) {
  const mus_filter *s = &solver->filter;
  int filtered = form == MUS_FORM_FILTERED && s->count > 0;
  if (filtered && !solver->is_filtered)
    mus_filter_in_place(s, &solver->transpose, solver->diagonal, mus_filter_scale(&solver->a, solver->diagonal),
                        &solver->a, &solver->saved);
  else if (!filtered && solver->is_filtered)
    mus_filter_undo(s, &solver->transpose, &solver->saved, &solver->a);
  solver->is_filtered = filtered;
}

// Without constraints the two are the same.
static mus_form form_now(const mus_solver *solver) {
  return solver->is_filtered || solver->filter.count == 0 ? MUS_FORM_FILTERED : MUS_FORM_GIVEN;
}

// A, as it is now, with couplings.
static mus_block_operator system_now(const mus_solver *solver) {
  const mus_beyond *c = solver->is_filtered ? &solver->filtered_couplings : &solver->couplings;
  return (mus_block_operator){.a = &solver->a, .beyond = solver->couplings.count > 0 ? c : NULL};
}

static mus_status make_symmetric(mus_solver *solver) {
  int pays;
  solver->symmetric_tried = 1;
  mus_status status =
      mus_symmetric_plan(&solver->arena, &solver->pattern, solver->block, &solver->symmetric_pattern, &pays);
  return status || !pays ? status
                         : mus_symmetric_create(&solver->arena, &solver->symmetric_pattern, &solver->symmetric);
}

// The same for conjugate gradients, whose products read symmetric storage where that pays.
static mus_status system_for_products(mus_solver *solver, mus_block_operator *system) {
  double begin = mus_seconds();
  *system = system_now(solver);
  mus_status status = solver->symmetric_tried ? MUS_OK : make_symmetric(solver);
  if (!status && solver->symmetric.value) {
    if (solver->symmetric_form != form_now(solver))
      mus_symmetric_fill(&solver->a, &solver->symmetric);
    solver->symmetric_form = form_now(solver);
    system->symmetric = &solver->symmetric;
  }
  solver->record.setup_seconds += mus_seconds() - begin;
  return status;
}

// Filters matrix, right-hand side and first guess.
static void prefilter(mus_solver *solver, const double *b, const double *x) {
  double begin = mus_seconds();
  size_t n = mus_solver_unknowns(solver);
  const mus_filter *s = &solver->filter;
  mus_solver_put(solver, MUS_FORM_FILTERED);
  if (solver->couplings.count > 0 && solver->coupled_stale)
    mus_filter_beyond(s, &solver->couplings, solver->filtered_couplings.value);
  if (mus_filter_holds(s)) {
    double *z = solver->work;
    mus_filter_target(s, z);
    mus_filter_target_residual(s, &solver->transpose, &solver->saved, &solver->a, b, z, solver->right);
    if (solver->couplings.count > 0)
      mus_beyond_multiply_add(&solver->couplings, -1, z, solver->right);
    mus_filter_apply(s, solver->right);
  } else {
    mus_copy(n, b, solver->right);
  }
  mus_copy(n, x, solver->solution);
  mus_filter_apply(s, solver->solution);
  solver->record.prefilter_seconds += mus_seconds() - begin;
}

// From y to x, where there is one.
static void unfilter(mus_solver *solver, mus_status status, double *x) {
  if (status != MUS_OK && status != MUS_NOT_CONVERGED && status != MUS_BREAKDOWN)
    return;
  mus_copy(mus_solver_unknowns(solver), solver->solution, x);
  mus_filter_impose(&solver->filter, x);
}

// Where the residuals of a run go: after those of the runs before it that it continues.
static double *residuals_to_fill(const mus_solver *solver) { return solver->residuals + solver->record.iterations; }

// Norms of a run that continues another are in units of another preconditioner: they are scaled to begin where that one
// ended.
static void keep(mus_solver *solver, const mus_cg_result *result, double last_before) {
  mus_solve_record *record = &solver->record;
  double first = result->residuals[0], unit = record->iterations > 0 && first > 0 ? last_before / first : 1;
  if (record->iterations == 0)
    record->reference = result->reference;
  for (int k = 0; k <= result->iterations; ++k)
    result->residuals[k] *= unit;
  record->iterations += result->iterations;
  double begin = solver->residuals[0], end = solver->residuals[record->iterations];
  record->rate = record->iterations > 0 && begin > 0 ? pow(end / begin, 1.0 / record->iterations) : 0;
}

// --- block-Jacobi
// -----------------------------------------------------------------------------------------------------

static void apply_diagonal(void *self, const double *r, double *z) {
  const mus_solver *solver = self;
  mus_block_diagonal_multiply(solver->rows, solver->block, 1, solver->inverse_diagonal, r, z);
}

static void apply_held_diagonal(void *self, const double *r, double *z) {
  const mus_solver *solver = self;
  mus_equalities_solve(solver->filter.across, solver->rows, solver->inverse_diagonal, r, z);
}

static mus_status set_up_diagonal(mus_solver *solver, const mus_block_operator *system) {
  double begin = mus_seconds();
  mus_status status = MUS_OK;
  if (!solver->inverse_diagonal) {
    size_t numbers = mus_solver_unknowns(solver) * (size_t)solver->block;
    solver->inverse_diagonal = mus_arena_alloc(&solver->arena, numbers, sizeof *solver->inverse_diagonal);
    if (!solver->inverse_diagonal)
      return mus_fail_memory();
  }
  if (solver->inverse_diagonal_form != form_now(solver)) {
    solver->inverse_diagonal_form = MUS_FORM_NONE;
    status = mus_block_operator_inverse_diagonal(system, solver->diagonal, solver->inverse_diagonal);
    if (!status)
      solver->inverse_diagonal_form = form_now(solver);
  }
  solver->record.setup_seconds += mus_seconds() - begin;
  return status;
}

// Filters vectors, not the matrix.
static mus_status run_mpcg(mus_solver *solver, const mus_preconditioner *m, int original, const mus_cg_options *limits,
                           const double *b, double *x) {
  mus_block_operator system;
  mus_solver_put(solver, MUS_FORM_GIVEN);
  mus_status status = system_for_products(solver, &system);
  if (status)
    return status;
  double begin = mus_seconds();
  mus_cg_result result = {.residuals = residuals_to_fill(solver)};
  double last = *result.residuals;
  mus_copy(mus_solver_unknowns(solver), x, solver->solution);
  mus_operator a = mus_block_operator_view(&system);
  mus_projection s = mus_filter_view(&solver->filter);
  status = mus_mpcg(&a, &s, m, original, b, solver->solution, limits, solver->work, &result);
  unfilter(solver, status, x);
  keep(solver, &result, last);
  solver->record.solve_seconds += mus_seconds() - begin;
  return status;
}

static mus_status run_filtered(mus_solver *solver, int original, const mus_cg_options *limits, const double *b,
                               double *x) {
  mus_solver_put(solver, MUS_FORM_GIVEN);
  mus_block_operator system = system_now(solver);
  mus_status status = set_up_diagonal(solver, &system);
  return status
             ? status
             : run_mpcg(solver, &(mus_preconditioner){.self = solver, .apply = apply_diagonal}, original, limits, b, x);
}

// --- conjugate gradients on the prefiltered system
// --------------------------------------------------------------------

static mus_status run_pcg(mus_solver *solver, const mus_preconditioner *m, const mus_cg_options *limits, double *x) {
  mus_block_operator system;
  mus_status status = system_for_products(solver, &system);
  if (status)
    return status;
  double begin = mus_seconds();
  mus_cg_result result = {.residuals = residuals_to_fill(solver)};
  double last = *result.residuals;
  mus_operator a = mus_block_operator_view(&system);
  mus_projection s = mus_filter_view(&solver->filter); // of it, what the matrix is not filtered by
  status =
      mus_pcg(&a, solver->filter.across ? &s : NULL, m, solver->right, solver->solution, limits, solver->work, &result);
  unfilter(solver, status, x);
  keep(solver, &result, last);
  solver->record.solve_seconds += mus_seconds() - begin;
  return status;
}

static mus_status run_diagonal(mus_solver *solver, const mus_cg_options *limits, const double *b, double *x) {
  if (!solver->options.prefilter)
    return run_filtered(solver, 0, limits, b, x);
  prefilter(solver, b, x);
  mus_block_operator system = system_now(solver);
  const mus_equalities *across = solver->filter.across;
  mus_status status = set_up_diagonal(solver, &system);
  double begin = mus_seconds();
  if (!status && across)
    status = mus_equalities_weigh(across, solver->inverse_diagonal);
  solver->record.setup_seconds += mus_seconds() - begin;
  mus_preconditioner m = {.self = solver, .apply = across ? apply_held_diagonal : apply_diagonal};
  return status ? status : run_pcg(solver, &m, limits, x);
}

// --- smoothed aggregation
// ---------------------------------------------------------------------------------------------

// Iterations with three translations, freshly set up, that a tenth of the residual may take. Beyond, rigid motions are
// cheaper: those take at most two thirds as many, at one and a half times the cost.
static const double translations_most = 3.5;

static int has_rotations(const mus_solver *solver) {
  mus_motions motions = solver->options.sa.motions;
  return solver->positions && (motions == MUS_MOTIONS_RIGID || (motions == MUS_MOTIONS_AUTO && solver->turned_rigid));
}

static int may_turn_rigid(const mus_solver *solver) {
  return solver->positions && solver->options.sa.motions == MUS_MOTIONS_AUTO && !solver->turned_rigid;
}

static void turn_rigid(mus_solver *solver) {
  mus_hierarchy_free(solver->hierarchy);
  mus_aggregation_free(solver->aggregation);
  solver->hierarchy = NULL;
  solver->aggregation = NULL;
  solver->hierarchy_stale = MUS_STALE_ALL;
  solver->coupled_stale = MUS_STALE_ALL;
  solver->upkeep = (mus_upkeep){0};
  solver->turned_rigid = 1;
}

mus_sa_options mus_solver_sa_options(const mus_solver *solver) {
  mus_sa_options sa = solver->options.sa;
  if (sa.motions == MUS_MOTIONS_AUTO && has_rotations(solver)) {
    sa.reach = 2;
    sa.smoother_order *= 2;
  }
  return sa;
}

static int kernel_count(const mus_solver *solver) {
  return has_rotations(solver) ? 6 : solver->kernel ? solver->kernel_count : solver->block;
}

// The near kernel with what constraints forbid taken out, handed to the aggregation. S may be NULL.
static mus_status give_kernel(mus_solver *solver, const mus_filter *s) {
  int count = kernel_count(solver);
  size_t n = mus_solver_unknowns(solver);
  double *vectors = mus_alloc((size_t)count * n, sizeof *vectors);
  if (!vectors)
    return mus_fail_memory();
  if (has_rotations(solver))
    mus_rigid_motions(solver->rows, solver->positions, vectors);
  else if (solver->kernel)
    mus_copy((size_t)count * n, solver->kernel, vectors);
  else
    mus_constant_vectors(solver->rows, solver->block, vectors);
  for (int k = 0; s && k < count; ++k)
    mus_filter_apply(s, vectors + (size_t)k * n);
  mus_status status = mus_aggregation_set_kernel(solver->aggregation, solver->rows, solver->block, count, vectors);
  mus_free(vectors);
  return status;
}

static mus_status create_hierarchy(mus_solver *solver) {
  mus_sa_options sa = mus_solver_sa_options(solver);
  mus_status status = MUS_OK;
  if (!solver->aggregation)
    status = mus_aggregation_create(&sa, &solver->aggregation);
  if (!status && !solver->hierarchy)
    status = mus_hierarchy_create(&mus_smoothed_aggregation, solver->aggregation, &sa, solver->options.precision,
                                  solver->options.setup, &solver->hierarchy);
  return status;
}

// What the matrix that hierarchies are made from is filtered by.
static const mus_filter *hierarchy_filter(const mus_solver *solver) {
  return solver->options.prefilter ? &solver->filter : NULL;
}

typedef mus_status make_hierarchy(mus_hierarchy *hierarchy, const mus_matrix *a);

// Notes which directions are held, for mus_solver_set_constraints().
static mus_status note_analysed(mus_solver *solver, const mus_filter *s) {
  size_t count = s ? (size_t)s->count : 0;
  if (count > 0 && !solver->analysed_node) {
    solver->analysed_node = mus_arena_alloc(&solver->arena, (size_t)solver->rows, sizeof(int));
    solver->analysed_rank = mus_arena_alloc(&solver->arena, (size_t)solver->rows, sizeof(int));
  }
  if (count > 0 && (!solver->analysed_node || !solver->analysed_rank)) {
    solver->analysed_node = solver->analysed_rank = NULL;
    return mus_fail_memory();
  }
  solver->analysed_count = (int)count;
  if (count > 0) {
    memcpy(solver->analysed_node, s->node, count * sizeof(int));
    memcpy(solver->analysed_rank, s->rank, count * sizeof(int));
  }
  return MUS_OK;
}

static mus_status make_from_kernel(mus_solver *solver, const mus_filter *s, make_hierarchy *make) {
  mus_status status = give_kernel(solver, s);
  if (!status)
    status = make(solver->hierarchy, &solver->a);
  mus_aggregation_drop_kernel(solver->aggregation);
  return status;
}

// Prolongators that are to hold for what follows: everything anew, or their numbers. Constraints that have come and
// gone once will again: they are then made without any. What is held and not in them is for refreshing or renewal to
// take out.
static mus_status make_prolongators(mus_solver *solver, make_hierarchy *make) {
  int without = solver->has_released && solver->options.setup != MUS_SETUP_FULL;
  const mus_filter *s = without ? NULL : hierarchy_filter(solver);
  if (without)
    mus_solver_put(solver, MUS_FORM_GIVEN);
  mus_status status = note_analysed(solver, s);
  return status ? status : make_from_kernel(solver, s, make);
}

static int is_kept(mus_setup setup) { return setup == MUS_SETUP_COARSE || setup == MUS_SETUP_AUTO; }

// What has to be done so that the hierarchy may precondition the matrix as it is now.
static mus_upkeep_kind upkeep_due(const mus_solver *solver) {
  mus_stale stale = solver->hierarchy_stale;
  if (solver->hierarchy && (stale == MUS_FRESH || solver->options.setup == MUS_SETUP_REUSE))
    return MUS_UPKEEP_NONE;
  if (!solver->hierarchy || stale == MUS_STALE_ALL)
    return MUS_UPKEEP_ALL;
  switch (solver->options.setup) {
  case MUS_SETUP_FULL:
    return MUS_UPKEEP_ALL;
  case MUS_SETUP_REUSE:
    return MUS_UPKEEP_NONE;
  case MUS_SETUP_COARSE:
    return MUS_UPKEEP_COARSE;
  case MUS_SETUP_AUTO:
    break;
  case MUS_SETUP_NUMERIC:
    return MUS_UPKEEP_NUMBERS;
  }
  mus_upkeep_kind due = mus_upkeep_due(&solver->upkeep);
  return due == MUS_UPKEEP_NONE && solver->held_changed ? MUS_UPKEEP_COARSE : due;
}

static mus_status keep_up(mus_solver *solver, mus_upkeep_kind kind) {
  int kept = is_kept(solver->options.setup);
  mus_status status = MUS_OK;
  if (kind == MUS_UPKEEP_ALL)
    status = make_prolongators(solver, mus_hierarchy_analyse);
  else if (kind == MUS_UPKEEP_NUMBERS)
    status = kept ? make_prolongators(solver, mus_hierarchy_refresh)
                  : make_from_kernel(solver, hierarchy_filter(solver), mus_hierarchy_refresh);
  mus_solver_put(solver, solver->options.prefilter ? MUS_FORM_FILTERED : MUS_FORM_GIVEN);
  // What is held and was not when that was made.
  int more = kind > MUS_UPKEEP_COARSE && solver->options.prefilter && solver->analysed_count < solver->filter.count;
  if (!status && !kept && more && kind == MUS_UPKEEP_ALL)
    status = make_from_kernel(solver, hierarchy_filter(solver), mus_hierarchy_refresh);
  if (!status && kept && (more || kind == MUS_UPKEEP_COARSE))
    status = mus_hierarchy_renew(solver->hierarchy, &solver->a, hierarchy_filter(solver));
  return status;
}

static mus_status set_up_hierarchy(mus_solver *solver, mus_upkeep_kind kind) {
  double begin = mus_seconds();
  mus_status status = create_hierarchy(solver);
  if (!status)
    status = keep_up(solver, kind);
  if (status) { // nothing half made stays
    mus_hierarchy_free(solver->hierarchy);
    solver->hierarchy = NULL;
    solver->hierarchy_stale = MUS_STALE_ALL;
  } else {
    solver->hierarchy_stale = MUS_FRESH;
    solver->held_changed = 0;
  }
  solver->record.setup_seconds += mus_seconds() - begin;
  return status;
}

static void apply_hierarchy(void *self, const double *r, double *z) { mus_hierarchy_apply(self, r, z); }
static const float *apply_hierarchy_f(void *self) { return mus_hierarchy_apply_f(self); }

// Runs conjugate gradients with a preconditioner that knows nothing of couplings and of equalities across nodes, and
// smooths over these around it.
static mus_status run_coupled(mus_solver *solver, const mus_preconditioner *inner, const mus_cg_options *limits,
                              double *x) {
  const mus_filter *s = solver->filter.across ? &solver->filter : NULL;
  if (solver->couplings.count == 0 && !s)
    return run_pcg(solver, inner, limits, x);
  double begin = mus_seconds();
  mus_block_operator system = system_now(solver);
  mus_status status =
      solver->coupled_stale ? mus_coupled_set_up(&solver->coupled, &system, s, solver->diagonal) : MUS_OK;
  if (!status)
    solver->coupled_stale = MUS_FRESH;
  solver->coupled.inner = inner;
  solver->record.setup_seconds += mus_seconds() - begin;
  return status
             ? status
             : run_pcg(solver, &(mus_preconditioner){.self = &solver->coupled, .apply = mus_coupled_apply}, limits, x);
}

// Makes the hierarchy one for A + C, where couplings are taken that deep.
static mus_status couple_hierarchy(mus_solver *solver, mus_upkeep_kind kind) {
  if (kind == MUS_UPKEEP_NONE && !solver->coupled_stale)
    return MUS_OK;
  double begin = mus_seconds();
  const mus_beyond *c = solver->options.prefilter ? &solver->filtered_couplings : &solver->couplings;
  int deep = solver->couplings.count > 0 && solver->deep_couplings;
  mus_status status = mus_hierarchy_couple(solver->hierarchy, &solver->a, deep ? c : NULL);
  if (!status && deep && !solver->filter.across)
    solver->coupled_stale = MUS_FRESH;
  solver->record.setup_seconds += mus_seconds() - begin;
  return status;
}

// Smoothing over couplings around the cycle needs next to no set-up and costs products in every iteration; taking them
// into the coarse levels is a set-up, and mends what smoothing cannot. The second pays where iterations are many.
enum { DEEP_ABOVE = 12, SHALLOW_BELOW = 6 };

static void choose_depth(mus_solver *solver) {
  int iterations = solver->record.iterations, deep = solver->deep_couplings;
  if (solver->couplings.count == 0)
    return;
  solver->deep_couplings = deep ? iterations >= SHALLOW_BELOW : iterations > DEEP_ABOVE;
  if (solver->deep_couplings != deep)
    solver->coupled_stale = MUS_STALE_NUMBERS;
}

static mus_status run_with_hierarchy(mus_solver *solver, mus_upkeep_kind kind, const mus_cg_options *limits,
                                     const double *b, double *x) {
  mus_status status = set_up_hierarchy(solver, kind);
  if (status)
    return status;
  if ((status = couple_hierarchy(solver, kind)))
    return status;
  mus_hierarchy_report(solver->hierarchy, &solver->record);
  mus_preconditioner m = {
      .self = solver->hierarchy, .apply = apply_hierarchy, .right = mus_hierarchy_right_f(solver->hierarchy)};
  m.apply_f = m.right ? apply_hierarchy_f : NULL;
  if (!solver->options.prefilter)
    return run_mpcg(solver, &m, 0, limits, b, x);
  int around = solver->filter.across || (solver->couplings.count > 0 && !solver->deep_couplings);
  return around ? run_coupled(solver, &m, limits, x) : run_pcg(solver, &m, limits, x);
}

static int translations_patience(double tolerance) {
  return (int)ceil(fmin(translations_most * -log10(fmax(tolerance, 1e-300)), 1e6));
}

// Iterations that a solve would take from its start with the rigid motions that have taken over in the middle, by those
// that they took for the rest of it. Where that was little, by the most that they ought to.
static int rigid_iterations(const mus_solver *solver, int begun, double tolerance) {
  int end = solver->record.iterations;
  double reduction = solver->residuals[end] / solver->residuals[begun];
  double share = reduction > 0 && reduction < 1 ? log(reduction) / log(fmax(tolerance, 1e-300)) : 0;
  return (int)ceil(share > 0.2 ? (end - begun) / share : translations_patience(tolerance) * 2 / 3.0);
}

// With a hierarchy that is kept as long as it pays. Where it turns out to be worn out, or too simple, a better one
// takes over from the iterate that was reached.
static mus_status run_kept(mus_solver *solver, const mus_cg_options *limits, const double *b, double *x) {
  mus_solve_record *record = &solver->record;
  mus_upkeep_kind kind = upkeep_due(solver);
  mus_cg_options left = *limits;
  for (int turned = 0;;) {
    int thorough = kind == MUS_UPKEEP_ALL || !is_kept(solver->options.setup);
    int last_resort = thorough && !may_turn_rigid(solver), begun = record->iterations;
    if (!last_resort) {
      int patience = thorough ? translations_patience(left.tolerance)
                              : mus_upkeep_patience(&solver->upkeep, kind, solver->iteration_cost);
      left.iterations = patience < left.iterations ? patience : left.iterations;
    }
    mus_status status = run_with_hierarchy(solver, kind, &left, b, x);
    if (!status) {
      solver->iteration_cost = mus_iteration_cost(solver);
      int whole = turned ? rigid_iterations(solver, begun, limits->tolerance) : record->iterations;
      if (begun == 0 || turned)
        mus_upkeep_note(&solver->upkeep, kind, whole, solver->iteration_cost);
      choose_depth(solver);
      return status;
    }
    if (last_resort || status == MUS_OUT_OF_MEMORY || record->iterations >= limits->iterations)
      return status;
    if (thorough) {
      turn_rigid(solver);
      turned = 1;
      kind = MUS_UPKEEP_ALL;
    } else {
      mus_upkeep_end_patience(&solver->upkeep, kind);
      ++kind;
    }
    double last = solver->residuals[record->iterations];
    left = *limits;
    left.iterations -= record->iterations;
    if (limits->stop == MUS_STOP_INITIAL && solver->options.prefilter && record->iterations > 0 && last > 0)
      left.tolerance = fmin(limits->tolerance * record->reference / last, 1);
  }
}

static mus_status run_sa(mus_solver *solver, const mus_cg_options *limits, const double *b, double *x) {
  if (solver->options.prefilter)
    prefilter(solver, b, x);
  return run_kept(solver, limits, b, x);
}

// --- direct
// -----------------------------------------------------------------------------------------------------------

// What is factorised: the filtered matrix with couplings and, for equalities across nodes, a large multiple of E^T E,
// in a pattern of its own. With that the factor is nearly the inverse on what the equalities leave free.
static mus_status merge(mus_solver *solver, mus_arena *arena, mus_pattern pattern[2], mus_matrix *merged) {
  mus_block_operator system = system_now(solver);
  mus_status status = MUS_OK;
  *merged = *system.a;
  if (system.beyond)
    status = mus_block_operator_merge(arena, &system, &pattern[0], merged);
  if (status || !solver->filter.across)
    return status;
  mus_matrix before = *merged;
  mus_beyond penalty;
  mus_equality_terms room = {solver->filter.across,
                             penalty_part * mus_max_abs(mus_matrix_values(&before), before.value)};
  mus_terms terms = mus_equalities_terms(&room);
  status = mus_beyond_create(arena, solver->rows, solver->block, &terms, &penalty);
  return status ? status
                : mus_block_operator_merge(arena, &(mus_block_operator){.a = &before, .beyond = &penalty}, &pattern[1],
                                           merged);
}

static mus_status compute_factor(mus_solver *solver) {
  mus_arena arena = {0};
  mus_pattern pattern[2];
  mus_matrix merged;
  mus_status status = merge(solver, &arena, pattern, &merged);
  if (!status && solver->factor_stale == MUS_STALE_ALL) {
    mus_factor_free(solver->factor);
    solver->factor = NULL;
  }
  if (!status && !solver->factor)
    status = mus_factor_create(merged.pattern, solver->block, MUS_FACTOR_SPARSE, &solver->factor);
  if (!status)
    status = mus_factor_compute(solver->factor, &merged);
  mus_arena_clear(&arena);
  return status;
}

static mus_status set_up_factor(mus_solver *solver) {
  double begin = mus_seconds();
  mus_status status = solver->factor_stale ? compute_factor(solver) : MUS_OK;
  if (!status)
    solver->factor_stale = MUS_FRESH;
  solver->record.setup_seconds += mus_seconds() - begin;
  return status;
}

static void apply_factor(void *self, const double *r, double *z) { mus_factor_solve(self, r, z); }

// Solves, then refines while the residual is above the tolerance and still falls. Norms are Euclidean.
static mus_status run_direct(mus_solver *solver, const mus_cg_options *limits, const double *b, double *x) {
  prefilter(solver, b, x);
  mus_status status = set_up_factor(solver);
  if (status)
    return status;
  if (solver->filter.across) // a few iterations
    return run_pcg(solver, &(mus_preconditioner){.self = solver->factor, .apply = apply_factor}, limits, x);
  double begin = mus_seconds();
  size_t n = mus_solver_unknowns(solver);
  double *r = solver->work, *change = solver->work + n;
  mus_cg_result result = {.residuals = solver->residuals, .reference = sqrt(mus_dot(n, solver->right, solver->right))};
  double goal = limits->tolerance * result.reference;
  int allowed = limits->iterations < REFINEMENTS ? limits->iterations : REFINEMENTS;
  mus_block_operator system = system_now(solver);
  status = mus_factor_solve(solver->factor, solver->right, solver->solution);
  for (int k = 0; !status; ++k) {
    mus_block_operator_residual(&system, solver->right, solver->solution, r);
    solver->residuals[k] = sqrt(mus_dot(n, r, r));
    result.iterations = k;
    int falling = k == 0 || solver->residuals[k] < 0.5 * solver->residuals[k - 1];
    if (solver->residuals[k] <= goal || k == allowed || !falling)
      break;
    status = mus_factor_solve(solver->factor, r, change);
    mus_axpy(n, 1, change, solver->solution);
  }
  if (!status && !(solver->residuals[result.iterations] <= goal))
    status = mus_fail(MUS_NOT_CONVERGED,
                      "the direct solution leaves a relative residual of %.2g, above the tolerance %.2g, after %d "
                      "refinements: the matrix is ill-conditioned",
                      solver->residuals[result.iterations] / result.reference, limits->tolerance, result.iterations);
  unfilter(solver, status, x);
  keep(solver, &result, 0);
  solver->record.solve_seconds += mus_seconds() - begin;
  return status;
}

// --- PETSc
// ------------------------------------------------------------------------------------------------------------

static mus_status set_up_petsc(mus_solver *solver, mus_method method) {
  mus_status status = mus_petsc_start(); // before the clock: it takes up to half a second, once a process
  if (status)
    return status;
  double begin = mus_seconds();
  if (solver->petsc && solver->petsc_method != method) {
    mus_petsc_free(solver->petsc);
    solver->petsc = NULL;
  }
  if (!solver->petsc) {
    status = mus_petsc_create(method, &solver->pattern, solver->block, &solver->petsc);
    solver->petsc_method = method;
    solver->petsc_stale = MUS_STALE_ALL;
  }
  if (!status && solver->petsc_stale)
    status = mus_petsc_set_up(solver->petsc, &solver->a, solver->positions);
  if (!status)
    solver->petsc_stale = MUS_FRESH;
  solver->record.setup_seconds += mus_seconds() - begin;
  return status;
}

static void apply_petsc(void *self, const double *r, double *z) { mus_petsc_apply(self, r, z); }

static mus_status run_petsc(mus_solver *solver, mus_method method, const mus_cg_options *limits, const double *b,
                            double *x) {
  prefilter(solver, b, x);
  mus_status status = set_up_petsc(solver, method);
  if (status)
    return status;
  mus_petsc_report(solver->petsc, &solver->record);
  return run_coupled(solver, &(mus_preconditioner){.self = solver->petsc, .apply = apply_petsc}, limits, x);
}

// What an earlier method left in the record goes, but for the seconds that it took.
static void forget_run(mus_solver *solver, mus_method method) {
  mus_solve_record *record = &solver->record;
  *record = (mus_solve_record){.method = method,
                               .true_residual = record->true_residual,
                               .setup_seconds = record->setup_seconds,
                               .prefilter_seconds = record->prefilter_seconds,
                               .solve_seconds = record->solve_seconds,
                               .operator_complexity = 1};
  solver->residuals[0] = NAN;
}

mus_status mus_run_method(mus_solver *solver, mus_method method, const mus_cg_options *limits, const double *b,
                          double *x) {
  forget_run(solver, method);
  switch (method) {
  case MUS_METHOD_SA:
    return run_sa(solver, limits, b, x);
  case MUS_METHOD_DIAG:
    return run_diagonal(solver, limits, b, x);
  case MUS_METHOD_MPCG:
    return run_filtered(solver, 0, limits, b, x);
  case MUS_METHOD_MPCG_ORIGINAL:
    return run_filtered(solver, 1, limits, b, x);
  case MUS_METHOD_CHOLMOD:
    return run_direct(solver, limits, b, x);
  case MUS_METHOD_GAMG:
  case MUS_METHOD_BOOMERAMG:
    return run_petsc(solver, method, limits, b, x);
  case MUS_METHOD_AUTO:
  case MUS_METHODS:
    break;
  }
  return mus_fail(MUS_BAD_INPUT, "method %d cannot be run", (int)method);
}
