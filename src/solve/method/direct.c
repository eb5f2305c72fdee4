// Sparse Cholesky factorisation of the prefiltered system, by CHOLMOD.
#include "solve/method/direct.h"

#include <math.h>

#include "base/error.h"
#include "base/stop.h"
#include "base/timer.h"
#include "par/vector.h"
#include "solve/run.h"
#include "sparse/factor.h"

enum { REFINEMENTS = 5 }; // of a direct solution, at most
// Weight of equalities in a factor, in units of the matrix's largest entry: each iteration gains about as many digits.
static const double penalty_part = 1e3;

// How much of the factor has to be redone.
typedef enum stale { FRESH, STALE_NUMBERS, STALE_ALL } stale;

typedef struct direct {
  mus_system *system;
  mus_factor *factor;
  stale stale;
} direct;

static mus_status create(const mus_solver_options *options, mus_system *system, void **self) {
  (void)options;
  direct *d = mus_alloc_zero(1, sizeof *d);
  if (!d)
    return mus_fail_memory();
  *d = (direct){.system = system, .stale = STALE_ALL};
  *self = d;
  return MUS_OK;
}

static void destroy(void *self) {
  direct *d = self;
  mus_factor_free(d->factor);
  mus_free(d);
}

// Couplings and equalities are in the factor's pattern.
static void changed(void *self, unsigned what) {
  direct *d = self;
  if (what & (MUS_CHANGED_COUPLINGS | MUS_CHANGED_EQUALITIES))
    d->stale = STALE_ALL;
  else if (what & (MUS_CHANGED_VALUES | MUS_CHANGED_CONSTRAINTS) && d->stale < STALE_NUMBERS)
    d->stale = STALE_NUMBERS;
}

static size_t bytes(const void *self) {
  const direct *d = self;
  return sizeof *d + (d->factor ? mus_factor_bytes(d->factor) : 0);
}

// What is factorised: the filtered matrix with couplings and, for equalities across nodes, a large multiple of E^T E,
// in a pattern of its own. With that the factor is nearly the inverse on what the equalities leave free.
static mus_status merge(const mus_system *system, mus_arena *arena, mus_pattern pattern[2], mus_matrix *merged) {
  mus_block_operator now = mus_system_now(system);
  mus_status status = MUS_OK;
  *merged = *now.a;
  if (now.beyond)
    status = mus_block_operator_merge(arena, &now, &pattern[0], merged);
  if (status || !system->filter.across)
    return status;
  mus_matrix before = *merged;
  mus_beyond penalty;
  mus_equality_terms weighted = {system->filter.across,
                                 penalty_part * mus_max_abs(mus_matrix_values(&before), before.value)};
  mus_terms terms = mus_equalities_terms(&weighted);
  status = mus_beyond_create(arena, system->rows, system->block, &terms, &penalty);
  return status ? status
                : mus_block_operator_merge(arena, &(mus_block_operator){.a = &before, .beyond = &penalty}, &pattern[1],
                                           merged);
}

// Analyses the pattern of `merged` where that is due.
static mus_status analyse(direct *d, const mus_matrix *merged) {
  if (d->stale == STALE_ALL) {
    mus_factor_free(d->factor);
    d->factor = NULL;
  }
  mus_status status =
      d->factor ? MUS_OK : mus_factor_create(merged->pattern, d->system->block, MUS_FACTOR_SPARSE, &d->factor);
  if (!status && d->stale == STALE_ALL)
    d->stale = STALE_NUMBERS;
  return status;
}

static mus_status compute_factor(direct *d) {
  mus_arena arena = {0};
  mus_pattern pattern[2];
  mus_matrix merged;
  mus_status status = merge(d->system, &arena, pattern, &merged);
  if (!status)
    status = analyse(d, &merged);
  if (!status)
    status = mus_stop_check();
  if (!status)
    status = mus_factor_compute(d->factor, &merged);
  mus_arena_clear(&arena);
  return status;
}

static mus_status set_up(direct *d, mus_run *run) {
  double begin = mus_seconds();
  mus_status status = d->stale ? compute_factor(d) : MUS_OK;
  if (!status)
    d->stale = FRESH;
  run->record->setup_seconds += mus_seconds() - begin;
  return status;
}

static void apply(void *self, const double *r, double *z) { mus_factor_solve(self, r, z); }

// The norm that is asked for of what is left, r: Euclidean, or of the error, which is *change = A^-1 r then.
static mus_status norm_left(const direct *d, mus_stop stop, const double *r, double *change, double *norm) {
  size_t n = mus_system_unknowns(d->system);
  mus_status status = MUS_OK;
  if (stop == MUS_STOP_ENERGY)
    status = mus_factor_solve(d->factor, r, change);
  if (!status)
    *norm = sqrt(fmax(mus_dot(n, r, stop == MUS_STOP_ENERGY ? change : r), 0));
  return status;
}

// Solves, then refines while the norm is above the tolerance and still falls.
static mus_status refine(const direct *d, const mus_cg_options *limits, mus_cg_result *result) {
  const mus_system *system = d->system;
  size_t n = mus_system_unknowns(system);
  int energy = limits->stop == MUS_STOP_ENERGY;
  double *r = system->work, *change = system->work + n, *residuals = result->residuals, goal = 0;
  int allowed = limits->iterations < REFINEMENTS ? limits->iterations : REFINEMENTS;
  mus_block_operator now = mus_system_now(system);
  mus_status status = mus_factor_solve(d->factor, system->right, system->solution);
  if (!status) {
    result->reference = sqrt(fmax(mus_dot(n, system->right, energy ? system->solution : system->right), 0));
    goal = limits->tolerance * result->reference;
  }
  for (int k = 0; !status; ++k) {
    mus_block_operator_residual(&now, system->right, system->solution, r);
    status = norm_left(d, limits->stop, r, change, &residuals[k]);
    if (status)
      break;
    result->iterations = k;
    int falling = k == 0 || residuals[k] < 0.5 * residuals[k - 1];
    if (residuals[k] <= goal || k == allowed || !falling)
      break;
    if (!energy)
      status = mus_factor_solve(d->factor, r, change);
    mus_axpy(n, 1, change, system->solution);
  }
  if (!status && !(residuals[result->iterations] <= goal))
    status = mus_fail(MUS_NOT_CONVERGED,
                      "the direct solution leaves a relative %s of %.2g, above the tolerance %.2g, after %d "
                      "refinements: the matrix is ill-conditioned",
                      energy ? "error" : "residual", residuals[result->iterations] / result->reference,
                      limits->tolerance, result->iterations);
  return status;
}

static double products_of(const direct *d) {
  return mus_factor_numbers(d->factor) / (double)mus_matrix_values(&d->system->a);
}

// In products, measured on one core for sheets of 961 to 26,569 vertices, octopuses of 983 to 6,535 and matrices of
// structures with some 4,500 unknowns: the analysis; what a number of the factor takes to be filled in, beside a number
// of the matrix; BLAS makes so many multiplications in the time that a product makes one; and passing over the factor
// takes so many times as long as passing over as many numbers of a matrix.
const double mus_direct_analysis = 300, mus_direct_least = 180;
static const double factor_fill = 40, dense_speed = 8, factor_pass = 4;

mus_status mus_direct_price_of(void *self, mus_direct_price *out) {
  direct *d = self;
  if (!mus_factor_has_sparse() || mus_system_unknowns(d->system) > MUS_DIRECT_MOST)
    return mus_fail(MUS_UNSUPPORTED, "the system is too large for a direct solve, or this build has none");
  int is_new = !d->factor || d->stale == STALE_ALL;
  if (is_new) {
    mus_arena arena = {0};
    mus_pattern pattern[2];
    mus_matrix merged;
    mus_status status = merge(d->system, &arena, pattern, &merged);
    if (!status)
      status = analyse(d, &merged);
    mus_arena_clear(&arena);
    if (status)
      return status;
  }
  double matrix = (double)mus_matrix_values(&d->system->a), size = mus_factor_numbers(d->factor) / matrix;
  *out = (mus_direct_price){.analysis = is_new ? mus_direct_analysis : 0,
                            .factor = factor_fill * size + mus_factor_work(d->factor) / (dense_speed * matrix),
                            .solution = 1 + factor_pass * size,
                            .size = size / 2};
  return MUS_OK;
}

static mus_status solve(void *self, mus_run *run, const mus_cg_options *limits) {
  direct *d = self;
  mus_run_prefilter(run);
  mus_status status = set_up(d, run);
  if (status)
    return status;
  run->recycle = NULL;            // there is nothing to save
  if (run->system->filter.across) // a few iterations
    return mus_run_pcg(run, &(mus_preconditioner){.self = d->factor, .apply = apply, .products = products_of(d)},
                       limits);
  double begin = mus_seconds();
  mus_cg_result result = {.residuals = mus_run_residuals(run)};
  status = refine(d, limits, &result);
  mus_run_keep(run, status, &result, 0);
  run->record->work += (1 + products_of(d)) * (result.iterations + 1);
  run->record->solve_seconds += mus_seconds() - begin;
  return status;
}

const mus_method_kind mus_method_cholmod = {.name = "cholmod",
                                            .build_option = "CHOLMOD",
                                            .available = mus_factor_has_sparse,
                                            .is_direct = 1,
                                            .is_prefiltered = 1,
                                            .create = create,
                                            .free = destroy,
                                            .changed = changed,
                                            .solve = solve,
                                            .bytes = bytes};
