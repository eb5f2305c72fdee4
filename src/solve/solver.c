// The public solver: takes the caller's data in, checks it, and keeps track of what has to be redone. See
// muslin/solver.h.
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/initialised.h"
#include "par/par.h"
#include "par/vector.h"
#include "solve/constraints.h"
#include "solve/couplings.h"
#include "solve/equalities.h"
#include "solve/petsc.h"
#include "solve/solver_state.h"
#include "sparse/soundness.h"

enum { ITERATIONS_MAXIMUM = 1000000, THREADS_MAXIMUM = 1024 };

// Asymmetry up to this part of the largest entry passes for rounding.
static const double asymmetry_allowed = 1e-8;

// --- options
// ----------------------------------------------------------------------------------------------------------

static const char *const method_name[MUS_METHODS] = {"sa",      "diag", "mpcg",      "mpcg-original",
                                                     "cholmod", "gamg", "boomeramg", "auto"};

const char *mus_method_name(mus_method method) {
  return (int)method >= 0 && method < MUS_METHODS ? method_name[method] : NULL;
}

mus_status mus_method_from_name(const char *name, mus_method *method) {
  for (int m = 0; m < MUS_METHODS; ++m)
    if (strcmp(name, method_name[m]) == 0) {
      *method = (mus_method)m;
      return MUS_OK;
    }
  return mus_fail(MUS_BAD_INPUT,
                  "there is no solver \"%s\": take sa, diag, mpcg, mpcg-original, cholmod, gamg, boomeramg or auto",
                  name);
}

int mus_method_available(mus_method method) {
  if (method == MUS_METHOD_CHOLMOD)
    return mus_factor_has_sparse();
  if (method == MUS_METHOD_GAMG || method == MUS_METHOD_BOOMERAMG)
    return mus_petsc_available();
  return mus_method_name(method) != NULL;
}

static const char *const preset_name[] = {"paper", "fast", "robust"};
enum { PRESETS = sizeof preset_name / sizeof *preset_name };

const char *mus_preset_name(mus_preset preset) {
  return (int)preset >= 0 && (int)preset < PRESETS ? preset_name[preset] : NULL;
}

mus_status mus_preset_from_name(const char *name, mus_preset *preset) {
  for (int p = 0; p < PRESETS; ++p)
    if (strcmp(name, preset_name[p]) == 0) {
      *preset = (mus_preset)p;
      return MUS_OK;
    }
  return mus_fail(MUS_BAD_INPUT, "there is no preset \"%s\": take paper, fast or robust", name);
}

mus_solver_options mus_default_solver_options(void) {
  return (mus_solver_options){.method = MUS_METHOD_SA,
                              .tolerance = 1e-5,
                              .iterations = 10000,
                              .stop = MUS_STOP_INITIAL,
                              .precision = MUS_PRECISION_DOUBLE,
                              .setup = MUS_SETUP_NUMERIC,
                              .threads = 0,
                              .preset = MUS_PRESET_ROBUST,
                              .prefilter = 1,
                              .sa = {.strength = 0.48,
                                     .dominance = 0.1,
                                     .motions = MUS_MOTIONS_RIGID,
                                     .reach = 1,
                                     .kernel_sweeps = 1,
                                     .smooth_prolongator = 1,
                                     .filter_prolongator = 0,
                                     .cycle = MUS_CYCLE_W,
                                     .smoother_order = 2,
                                     .smoother_range = 10,
                                     .lanczos_steps = 10,
                                     .levels = MUS_LEVELS_MAXIMUM,
                                     .bottom = 600},
                              .cookie = MUS_COOKIE};
}

mus_solver_options mus_preset_solver_options(mus_preset preset) {
  mus_solver_options options = mus_default_solver_options();
  options.preset = preset;
  if (preset == MUS_PRESET_PAPER) {
    options.setup = MUS_SETUP_FULL;
    options.sa.cycle = MUS_CYCLE_V;
  } else if (preset == MUS_PRESET_FAST) {
    options.precision = MUS_PRECISION_SINGLE;
    options.setup = MUS_SETUP_AUTO;
    options.sa.strength = 0.3;
    options.sa.motions = MUS_MOTIONS_AUTO;
    options.sa.kernel_sweeps = 0;
    options.sa.filter_prolongator = 1;
    options.sa.cycle = MUS_CYCLE_V;
    options.sa.smoother_order = 1;
  }
  return options;
}

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
               {"stop", o->stop, MUS_STOP_INITIAL, MUS_STOP_RHS},
               {"precision", o->precision, MUS_PRECISION_DOUBLE, MUS_PRECISION_SINGLE},
               {"setup", o->setup, MUS_SETUP_NUMERIC, MUS_SETUP_AUTO},
               {"threads", o->threads, 0, THREADS_MAXIMUM},
               {"preset", o->preset, 0, PRESETS - 1},
               {"prefilter", o->prefilter, 0, 1},
               {"sa.strength", o->sa.strength, 0, 0.999},
               {"sa.dominance", o->sa.dominance, 0, 1},
               {"sa.motions", o->sa.motions, MUS_MOTIONS_TRANSLATIONS, MUS_MOTIONS_AUTO},
               {"sa.reach", o->sa.reach, 1, 2},
               {"sa.kernel_sweeps", o->sa.kernel_sweeps, 0, 100},
               {"sa.smooth_prolongator", o->sa.smooth_prolongator, 0, 1},
               {"sa.filter_prolongator", o->sa.filter_prolongator, 0, 1},
               {"sa.cycle", o->sa.cycle, MUS_CYCLE_V, MUS_CYCLE_W},
               {"sa.smoother_order", o->sa.smoother_order, 1, 16},
               {"sa.smoother_range", o->sa.smoother_range, 1.01, 1000},
               {"sa.lanczos_steps", o->sa.lanczos_steps, 1, 64},
               {"sa.levels", o->sa.levels, 1, MUS_LEVELS_MAXIMUM},
               {"sa.bottom", o->sa.bottom, 1, 20000}};
  for (size_t k = 0; k < sizeof range / sizeof *range; ++k) {
    mus_status status = in_range(range[k].name, range[k].value, range[k].low, range[k].high);
    if (status)
      return status;
  }
  if (!mus_method_available(o->method))
    return mus_fail(MUS_UNSUPPORTED, "this build has no solver %s: build with -DMUSLIN_%s=ON", method_name[o->method],
                    o->method == MUS_METHOD_CHOLMOD ? "CHOLMOD" : "PETSC");
  return MUS_OK;
}

// --- life
// -------------------------------------------------------------------------------------------------------------

mus_status mus_solver_create(const mus_solver_options *options, mus_solver **out) {
  mus_status status =
      mus_check_initialised(options->cookie, "the options of the solver were", "mus_default_solver_options");
  if (!status)
    status = check_options(options);
  if (status)
    return status;
  mus_solver *solver = mus_alloc_zero(1, sizeof *solver);
  if (!solver)
    return mus_fail_memory();
  solver->options = *options;
  *out = solver;
  return MUS_OK;
}

static void forget_system(mus_solver *solver) {
  mus_hierarchy_free(solver->hierarchy);
  mus_aggregation_free(solver->aggregation);
  mus_factor_free(solver->factor);
  mus_petsc_free(solver->petsc);
  mus_arena_clear(&solver->arena);
  mus_arena_clear(&solver->constraint_arena);
  mus_arena_clear(&solver->equality_arena);
  mus_arena_clear(&solver->across_arena);
  mus_arena_clear(&solver->coupling_arena);
  mus_arena_clear(&solver->kernel_arena);
  mus_solver_options options = solver->options;
  memset(solver, 0, sizeof *solver);
  solver->options = options;
}

void mus_solver_free(mus_solver *solver) {
  if (!solver)
    return;
  forget_system(solver);
  mus_free(solver);
}

// --- the system
// -------------------------------------------------------------------------------------------------------

static void everything_stale(mus_solver *solver) {
  solver->hierarchy_stale = solver->coupled_stale = MUS_STALE_ALL;
  solver->factor_stale = solver->petsc_stale = MUS_STALE_ALL;
}

static void numbers_stale(mus_solver *solver) {
  mus_stale *stale[] = {&solver->hierarchy_stale, &solver->coupled_stale, &solver->factor_stale, &solver->petsc_stale};
  for (size_t k = 0; k < sizeof stale / sizeof *stale; ++k)
    if (*stale[k] < MUS_STALE_NUMBERS)
      *stale[k] = MUS_STALE_NUMBERS;
  solver->inverse_diagonal_form = solver->symmetric_form = MUS_FORM_NONE;
}

static mus_status allocate_system(mus_solver *solver, int rows, int block, const int *row_start, const int *column) {
  mus_arena *arena = &solver->arena;
  size_t n = (size_t)rows * (size_t)block;
  mus_status status = mus_pattern_copy(arena, rows, rows, row_start, column, &solver->pattern);
  if (!status)
    status = mus_transpose_create(arena, &solver->pattern, &solver->transpose);
  if (!status && !mus_pattern_is_symmetric(&solver->pattern, &solver->transpose))
    status = mus_fail(MUS_BAD_INPUT, "the pattern is not symmetric: give both (i, j) and (j, i)");
  if (!status && !(solver->diagonal = mus_arena_alloc(arena, (size_t)rows, sizeof *solver->diagonal)))
    status = mus_fail_memory();
  if (!status)
    status = mus_diagonal_places(&solver->pattern, solver->diagonal);
  if (!status)
    status = mus_matrix_create(arena, &solver->pattern, block, block, &solver->a);
  if (status)
    return status;
  solver->work = mus_arena_alloc(arena, MUS_CG_VECTORS * n, sizeof *solver->work);
  solver->right = mus_arena_alloc(arena, n, sizeof *solver->right);
  solver->solution = mus_arena_alloc(arena, n, sizeof *solver->solution);
  solver->residuals = mus_arena_alloc(arena, (size_t)solver->options.iterations + 1, sizeof *solver->residuals);
  if (!solver->work || !solver->right || !solver->solution || !solver->residuals)
    return mus_fail_memory();
  solver->rows = rows;
  solver->block = block;
  solver->filter = (mus_filter){.rows = rows, .block = block};
  return MUS_OK;
}

mus_status mus_solver_set_pattern(mus_solver *solver, int rows, int block, const int *row_start, const int *column) {
  if (block < 1 || block > MUS_BLOCK_MAXIMUM)
    return mus_fail(MUS_BAD_INPUT, "block size %d: 1 to %d are possible", block, MUS_BLOCK_MAXIMUM);
  mus_status status = mus_pattern_check(rows, rows, row_start, column);
  if (!status && (double)rows * block > INT_MAX)
    status = mus_fail(MUS_BAD_INPUT, "%d rows of %d unknowns: at most %d unknowns are possible", rows, block, INT_MAX);
  if (status)
    return status;
  // Made beside the old system, which stays whole when something fails.
  mus_solver fresh = {.options = solver->options};
  status = allocate_system(&fresh, rows, block, row_start, column);
  if (status) {
    mus_arena_clear(&fresh.arena);
    return status;
  }
  forget_system(solver);
  *solver = fresh;
  // Patterns are referred to by address, and theirs has just changed.
  solver->transpose = fresh.transpose;
  solver->a.pattern = &solver->pattern;
  everything_stale(solver);
  return MUS_OK;
}

static mus_status need_pattern(const mus_solver *solver) {
  return solver->rows > 0 ? MUS_OK : mus_fail(MUS_BAD_INPUT, "the solver has no pattern: call mus_solver_set_pattern");
}

// Names the first number that is not finite.
static mus_status not_finite(const mus_solver *solver, const double *values) {
  size_t size = (size_t)(solver->block * solver->block);
  for (int i = 0; i < solver->rows; ++i)
    for (int k = solver->pattern.row_start[i]; k < solver->pattern.row_start[i + 1]; ++k)
      for (size_t c = 0; c < size; ++c)
        if (!isfinite(values[(size_t)k * size + c]))
          return mus_fail(MUS_BAD_INPUT, "the matrix holds %g in block (%d, %d): all values must be finite",
                          values[(size_t)k * size + c], i, solver->pattern.column[k]);
  return mus_fail(MUS_BAD_INPUT, "the matrix holds values that are not finite");
}

static mus_status check_vector(const char *name, size_t n, const double *x) {
  if (isfinite(mus_max_abs(n, x)))
    return MUS_OK;
  size_t at = 0;
  while (isfinite(x[at]))
    ++at;
  return mus_fail(MUS_BAD_INPUT, "%s: number %zu, counted from 0, is %g; all must be finite", name, at, x[at]);
}

static mus_status look_closely(const mus_solver *solver, const mus_matrix *given) {
  if (!isfinite(mus_max_abs(mus_matrix_values(given), given->value)))
    return not_finite(solver, given->value);
  double asymmetry = mus_asymmetry(given, &solver->transpose);
  if (asymmetry <= asymmetry_allowed)
    return MUS_OK;
  return mus_fail(MUS_BAD_INPUT,
                  "the matrix is not symmetric: entries differ from their mirror image by %.2g of the largest",
                  asymmetry);
}

static mus_status need_unmapped(const mus_solver *solver) {
  return solver->is_mapped
             ? mus_fail(MUS_BAD_INPUT, "the solver's values are mapped: call mus_solver_unmap_values first")
             : MUS_OK;
}

static mus_status check_values(const mus_solver *solver, const double *values) {
  mus_matrix given = {&solver->pattern, solver->block, solver->block, (double *)values}; // read only
  return mus_matrix_is_sound(&given, &solver->transpose) ? MUS_OK : look_closely(solver, &given);
}

static mus_status set_values(mus_solver *solver, const double *values) {
  mus_status status = need_pattern(solver);
  if (!status)
    status = need_unmapped(solver);
  if (!status)
    status = check_values(solver, values);
  if (status)
    return status;
  mus_copy(mus_matrix_values(&solver->a), values, solver->a.value);
  solver->has_values = 1;
  numbers_stale(solver);
  return MUS_OK;
}

mus_status mus_solver_map_values(mus_solver *solver, double **values) {
  mus_status status = need_pattern(solver);
  if (status)
    return status;
  solver->is_mapped = 1;
  *values = solver->a.value;
  return MUS_OK;
}

static mus_status unmap_values(mus_solver *solver) {
  if (!solver->is_mapped)
    return mus_fail(MUS_BAD_INPUT, "the solver's values are not mapped: call mus_solver_map_values first");
  mus_status status = check_values(solver, solver->a.value);
  solver->is_mapped = 0;
  solver->has_values = !status; // what was there before is gone
  numbers_stale(solver);
  return status;
}

mus_status mus_solver_set_coordinates(mus_solver *solver, const double *positions) {
  mus_status status = need_pattern(solver);
  if (status)
    return status;
  if (solver->block != 3)
    return mus_fail(MUS_BAD_INPUT,
                    "coordinates make a near kernel for 3 unknowns a node, not %d: give one by mus_solver_set_kernel",
                    solver->block);
  size_t n = 3 * (size_t)solver->rows;
  if ((status = check_vector("the coordinates", n, positions)))
    return status;
  if (!solver->positions) {
    int had_kernel = solver->kernel != NULL;
    mus_arena arena = {0};
    double *room = mus_arena_alloc(&arena, n, sizeof *room);
    if (!room)
      return mus_fail_memory();
    mus_arena_clear(&solver->kernel_arena);
    solver->kernel_arena = arena;
    solver->kernel = NULL;
    solver->positions = room;
    solver->petsc_stale = MUS_STALE_ALL;
    if (solver->options.sa.motions != MUS_MOTIONS_TRANSLATIONS || had_kernel)
      solver->hierarchy_stale = MUS_STALE_ALL; // another number of vectors
  }
  mus_copy(n, positions, solver->positions);
  if (solver->hierarchy_stale < MUS_STALE_NUMBERS && solver->options.sa.motions != MUS_MOTIONS_TRANSLATIONS)
    solver->hierarchy_stale = MUS_STALE_NUMBERS;
  return MUS_OK;
}

mus_status mus_solver_set_kernel(mus_solver *solver, int count, const double *vectors) {
  mus_status status = need_pattern(solver);
  if (status)
    return status;
  if (count < 1 || count > MUS_BLOCK_MAXIMUM)
    return mus_fail(MUS_BAD_INPUT, "%d near-kernel vectors: 1 to %d are possible", count, MUS_BLOCK_MAXIMUM);
  size_t numbers = (size_t)count * mus_solver_unknowns(solver);
  if ((status = check_vector("the near kernel", numbers, vectors)))
    return status;
  mus_arena arena = {0};
  double *kernel = mus_arena_alloc(&arena, numbers, sizeof *kernel);
  if (!kernel)
    return mus_fail_memory();
  mus_copy(numbers, vectors, kernel);
  mus_arena_clear(&solver->kernel_arena);
  solver->kernel_arena = arena;
  solver->kernel = kernel;
  solver->kernel_count = count;
  solver->positions = NULL;
  solver->hierarchy_stale = solver->petsc_stale = MUS_STALE_ALL;
  return MUS_OK;
}

// Whether a direction is free now that was held when aggregates were made: coarser levels may not see its node. More
// held directions do no harm, for prolongators are computed anew and leave them alone.
static int releases(const mus_solver *solver, const mus_filter *filter) {
  for (int k = 0; k < solver->analysed_count; ++k) {
    int now = filter->count > 0 ? filter->index_of[solver->analysed_node[k]] : -1;
    if ((now < 0 ? 0 : filter->rank[now]) < solver->analysed_rank[k])
      return 1;
  }
  return 0;
}

static int holds_the_same(const mus_filter *a, const mus_filter *b) {
  size_t count = (size_t)a->count, numbers = count * (size_t)(a->block * a->block);
  return a->count == b->count &&
         (count == 0 || (memcmp(a->node, b->node, count * sizeof *a->node) == 0 &&
                         memcmp(a->projection, b->projection, numbers * sizeof *a->projection) == 0));
}

static mus_status set_constraints(mus_solver *solver, int count, const mus_constraint *constraints) {
  mus_status status = need_pattern(solver);
  if (status)
    return status;
  if (count > 0 && solver->block > 3)
    return mus_fail(MUS_BAD_INPUT, "constraints are for 1 to 3 unknowns a node, not %d", solver->block);
  mus_arena arena = {0};
  mus_filter filter = {.rows = solver->rows, .block = solver->block};
  if (count != 0)
    status = mus_constraints_filter(&arena, solver->rows, solver->block, count, constraints, &filter);
  mus_filter_saved saved = {0};
  if (!status && filter.count > 0 && !mus_method_is_filtered(solver->options.method))
    status = mus_filter_saved_create(&arena, &filter, &solver->pattern, &saved);
  if (status) {
    mus_arena_clear(&arena);
    return status;
  }
  if (!holds_the_same(&solver->filter, &filter))
    solver->held_changed = 1;
  mus_arena_clear(&solver->constraint_arena);
  solver->constraint_arena = arena;
  solver->filter = filter;
  solver->filter.across = solver->across.count > 0 ? &solver->across : NULL;
  solver->saved = saved;
  solver->across_stale = MUS_STALE_NUMBERS;
  numbers_stale(solver);
  if (releases(solver, &filter)) {
    solver->hierarchy_stale = MUS_STALE_ALL;
    solver->has_released = 1;
  }
  return MUS_OK;
}

// Room for smoothing around preconditioners that know nothing of couplings and equalities.
static mus_status need_coupled(mus_solver *solver) {
  mus_method method = solver->options.method;
  int needed = method == MUS_METHOD_SA || method == MUS_METHOD_GAMG || method == MUS_METHOD_BOOMERAMG ||
               method == MUS_METHOD_AUTO;
  return needed && !solver->coupled.other
             ? mus_coupled_create(&solver->arena, solver->rows, solver->block, &solver->coupled)
             : MUS_OK;
}

// Takes over a projection that was made in that arena.
static void take_across(mus_solver *solver, mus_arena arena, const mus_equalities *across) {
  mus_arena_clear(&solver->across_arena);
  solver->across_arena = arena;
  solver->across = *across;
  solver->filter.across = across->count > 0 ? &solver->across : NULL;
  solver->across_stale = MUS_FRESH;
  solver->factor_stale = MUS_STALE_ALL; // its pattern has them
}

mus_status mus_solver_update_across(mus_solver *solver) {
  if (solver->across_stale == MUS_FRESH || solver->equality_count == 0)
    return MUS_OK;
  mus_arena arena = {0};
  mus_equalities across;
  mus_status status = mus_equalities_beside(&arena, &solver->filter, solver->equality_count, solver->equality, &across);
  if (status)
    mus_arena_clear(&arena);
  else
    take_across(solver, arena, &across);
  return status;
}

static mus_status set_equalities(mus_solver *solver, int count, const mus_equality *equalities) {
  mus_status status = need_pattern(solver);
  if (!status)
    status = mus_equalities_check(solver->rows, solver->block, count, equalities);
  if (status)
    return status;
  mus_arena list = {0}, arena = {0};
  mus_equalities across = {.block = solver->block};
  mus_equality *copy = count > 0 ? mus_arena_alloc(&list, (size_t)count, sizeof *copy) : NULL;
  if (count > 0 && !copy)
    return mus_fail_memory();
  if (count > 0) {
    memcpy(copy, equalities, (size_t)count * sizeof *copy);
    status = mus_equalities_beside(&arena, &solver->filter, count, copy, &across);
    if (!status)
      status = need_coupled(solver);
  }
  if (status) {
    mus_arena_clear(&list);
    mus_arena_clear(&arena);
    return status;
  }
  mus_arena_clear(&solver->equality_arena);
  solver->equality_arena = list;
  solver->equality = copy;
  solver->equality_count = count;
  take_across(solver, arena, &across);
  numbers_stale(solver);
  return MUS_OK;
}

static mus_status set_couplings(mus_solver *solver, int count, const mus_coupling *couplings) {
  mus_status status = need_pattern(solver);
  if (status)
    return status;
  if (count > 0 && solver->block != 3)
    return mus_fail(MUS_BAD_INPUT, "couplings are for 3 unknowns a node, not %d", solver->block);
  mus_arena arena = {0};
  mus_beyond sum = {0}, filtered = {0};
  if (count != 0)
    status = mus_couplings_sum(&arena, solver->rows, count, couplings, &sum);
  if (!status && count > 0) {
    filtered = sum;
    filtered.value = mus_arena_alloc(&arena, 9 * (size_t)mus_pattern_blocks(&sum.pattern), sizeof(double));
    if (!filtered.value)
      status = mus_fail_memory();
  }
  if (!status && count > 0)
    status = need_coupled(solver);
  if (status) {
    mus_arena_clear(&arena);
    return status;
  }
  mus_arena_clear(&solver->coupling_arena);
  solver->coupling_arena = arena;
  solver->couplings = sum;
  solver->filtered_couplings = filtered;
  // The filtered matrix and its hierarchy know nothing of couplings; a factor has them in its pattern.
  solver->coupled_stale = solver->factor_stale = MUS_STALE_ALL;
  solver->inverse_diagonal_form = MUS_FORM_NONE;
  return MUS_OK;
}

// --- solving
// ----------------------------------------------------------------------------------------------------------

size_t mus_solver_bytes(const mus_solver *solver) {
  size_t bytes = sizeof *solver + solver->arena.bytes + solver->constraint_arena.bytes + solver->equality_arena.bytes +
                 solver->across_arena.bytes + solver->coupling_arena.bytes + solver->kernel_arena.bytes;
  if (solver->hierarchy)
    bytes += mus_hierarchy_bytes(solver->hierarchy);
  if (solver->aggregation)
    bytes += mus_aggregation_bytes(solver->aggregation);
  if (solver->factor)
    bytes += mus_factor_bytes(solver->factor);
  if (solver->petsc)
    bytes += mus_petsc_bytes(solver->petsc);
  return bytes;
}

// ||S(b - Ax)|| / ||S(b - Az)||, A with its couplings
static double true_residual(mus_solver *solver, const double *b, const double *x) {
  size_t n = mus_solver_unknowns(solver);
  double *r = solver->work, *z = solver->work + n;
  mus_block_operator given = mus_solver_given(solver);
  mus_block_operator_residual(&given, b, x, r);
  mus_filter_apply(&solver->filter, r);
  double norm = sqrt(mus_dot(n, r, r));
  mus_filter_target(&solver->filter, z);
  mus_block_operator_residual(&given, b, z, r);
  mus_filter_apply(&solver->filter, r);
  double start = sqrt(mus_dot(n, r, r));
  return start > 0 ? norm / start : norm > 0 ? HUGE_VAL : 0;
}

static mus_status solve(mus_solver *solver, const double *b, double *x) {
  mus_status status = need_pattern(solver);
  if (!status)
    status = need_unmapped(solver);
  if (!status && !solver->has_values)
    status = mus_fail(MUS_BAD_INPUT, "the solver has no values: call mus_solver_set_values");
  if (!status)
    status = check_vector("the right-hand side", mus_solver_unknowns(solver), b);
  if (!status)
    status = check_vector("the first guess", mus_solver_unknowns(solver), x);
  if (!status)
    status = mus_solver_update_across(solver);
  if (status)
    return status;
  solver->record = (mus_solve_record){.method = solver->options.method, .true_residual = NAN, .operator_complexity = 1};
  solver->residuals[0] = NAN; // no norm yet
  mus_cg_options limits = {solver->options.tolerance, solver->options.iterations, solver->options.stop};
  status = solver->options.method == MUS_METHOD_AUTO ? mus_run_automatic(solver, &limits, b, x)
                                                     : mus_run_method(solver, solver->options.method, &limits, b, x);
  mus_solver_put(solver, MUS_FORM_GIVEN);
  if (status == MUS_OK || status == MUS_NOT_CONVERGED || status == MUS_BREAKDOWN)
    solver->record.true_residual = true_residual(solver, b, x);
  solver->record.status = status;
  solver->record.residuals = solver->residuals;
  solver->record.bytes = mus_solver_bytes(solver);
  return status;
}

// Each call runs with the solver's number of threads and leaves the caller's as it was.
static mus_status threads_back(int before, mus_status status) {
  mus_par_set_threads(before);
  return status;
}

mus_status mus_solver_solve(mus_solver *solver, const double *b, double *x) {
  int before = mus_par_set_threads(solver->options.threads);
  return threads_back(before, solve(solver, b, x));
}

mus_status mus_solver_set_values(mus_solver *solver, const double *values) {
  int before = mus_par_set_threads(solver->options.threads);
  return threads_back(before, set_values(solver, values));
}

mus_status mus_solver_unmap_values(mus_solver *solver) {
  int before = mus_par_set_threads(solver->options.threads);
  return threads_back(before, unmap_values(solver));
}

mus_status mus_solver_set_constraints(mus_solver *solver, int count, const mus_constraint *constraints) {
  int before = mus_par_set_threads(solver->options.threads);
  return threads_back(before, set_constraints(solver, count, constraints));
}

mus_status mus_solver_set_equalities(mus_solver *solver, int count, const mus_equality *equalities) {
  int before = mus_par_set_threads(solver->options.threads);
  return threads_back(before, set_equalities(solver, count, equalities));
}

mus_status mus_solver_set_couplings(mus_solver *solver, int count, const mus_coupling *couplings) {
  int before = mus_par_set_threads(solver->options.threads);
  return threads_back(before, set_couplings(solver, count, couplings));
}

const mus_solve_record *mus_solver_record(const mus_solver *solver) { return &solver->record; }
