// Smoothing over a matrix and its couplings around a preconditioner for the matrix alone. See coupled.h.
#include "solve/coupled.h"

#include "base/error.h"
#include "base/timer.h"
#include "multigrid/lanczos.h"
#include "par/vector.h"

// The polynomial damps the upper nine tenths of the spectrum, as that of the hierarchies does. Two stacked sheets with
// springs on 60% of the vertices, ten times as stiff as inertia, needed 32 iterations without, 11 with order 2, 7 with
// order 4 and 6 with order 6; wider ranges needed more.
static const double RANGE = 10;
enum { LANCZOS_STEPS = 10 };

static mus_status allocate(mus_coupled *c, int rows, int block) {
  size_t n = (size_t)rows * (size_t)block;
  c->inverse_diagonal = mus_arena_alloc(&c->arena, n * (size_t)block, sizeof(double));
  c->other = mus_arena_alloc(&c->arena, n, sizeof(double));
  c->residual = mus_arena_alloc(&c->arena, n, sizeof(double));
  c->correction = mus_arena_alloc(&c->arena, n, sizeof(double));
  if (c->inverse_diagonal && c->other && c->residual && c->correction)
    return MUS_OK;
  mus_coupled_free(c);
  return mus_fail_memory();
}

void mus_coupled_free(mus_coupled *coupled) {
  mus_arena_clear(&coupled->arena);
  *coupled = (mus_coupled){.is_stale = 1};
}

static size_t unknowns(const mus_coupled *c) {
  return (size_t)c->system.a->pattern->rows * (size_t)c->system.a->row_block;
}

// Takes the system over as it is now.
static mus_status set_up(mus_coupled *c, const mus_system *system) {
  c->system = mus_system_now(system);
  c->filter = system->filter.across ? &system->filter : NULL;
  mus_status status = c->inverse_diagonal ? MUS_OK : allocate(c, system->rows, system->block);
  if (!status)
    status = mus_block_operator_inverse_diagonal(&c->system, system->diagonal, c->inverse_diagonal);
  if (!status && c->filter)
    status = mus_equalities_weigh(c->filter->across, c->inverse_diagonal);
  if (status)
    return status;
  double *work = mus_alloc(4 * unknowns(c), sizeof *work);
  if (!work)
    return mus_fail_memory();
  mus_radius radius;
  status = mus_spectral_radius(&c->system, c->inverse_diagonal, LANCZOS_STEPS, work, &radius);
  mus_free(work);
  if (!status)
    c->smoother = (mus_chebyshev){MUS_COUPLED_ORDER, radius.value / RANGE, radius.value};
  return status;
}

// The recurrence of multigrid/smoothers/chebyshev.h among vectors that hold equalities: D^-1 is in no fused step. The
// radius is an upper bound there.
static void smooth_held(const mus_coupled *c, int from_zero, const double *b, double *x) {
  double theta = (c->smoother.high + c->smoother.low) / 2, delta = (c->smoother.high - c->smoother.low) / 2;
  double sigma = theta / delta, rho = delta / theta;
  double *step = c->other, *change = c->correction;
  size_t n = unknowns(c);
  if (from_zero)
    mus_fill(n, 0.0, x);
  for (int k = 0; k < c->smoother.order; ++k) {
    const double *r = k == 0 && from_zero ? b : c->residual;
    if (r != b)
      mus_block_operator_residual(&c->system, b, x, c->residual);
    mus_equalities_solve(c->filter->across, c->system.a->pattern->rows, c->inverse_diagonal, r, change);
    if (k == 0) {
      mus_copy(n, change, step);
      mus_scale(n, 1 / theta, step);
    } else {
      double next = 1 / (2 * sigma - rho);
      mus_scale(n, next * rho, step);
      mus_axpy(n, 2 * next / delta, change, step);
      rho = next;
    }
    mus_axpy(n, 1, step, x);
  }
}

static void apply_held(mus_coupled *c, const double *r, double *z) {
  smooth_held(c, 1, r, z);
  mus_block_operator_residual(&c->system, r, z, c->residual);
  mus_filter_apply(c->filter, c->residual);
  c->inner->apply(c->inner->self, c->residual, c->correction);
  mus_filter_apply(c->filter, c->correction);
  mus_axpy(unknowns(c), 1, c->correction, z);
  smooth_held(c, 0, r, z);
}

static void apply(void *self, const double *r, double *z) {
  mus_coupled *c = self;
  size_t n = unknowns(c);
  if (c->filter) {
    apply_held(c, r, z);
    return;
  }
  double *x = z, *other = c->other;
  mus_chebyshev_start(&c->smoother, &c->system, c->inverse_diagonal, r, &x, &other);
  if (x != z) // an odd number of passes trades the two
    mus_copy(n, x, z);
  mus_block_operator_residual(&c->system, r, z, c->residual);
  c->inner->apply(c->inner->self, c->residual, c->correction);
  mus_axpy(n, 1, c->correction, z);
  x = z;
  other = c->other;
  mus_chebyshev_sweep(&c->smoother, &c->system, c->inverse_diagonal, r, &x, &other);
  if (x != z)
    mus_copy(n, x, z);
}

mus_status mus_coupled_run(mus_coupled *coupled, mus_run *run, const mus_preconditioner *inner,
                           const mus_cg_options *limits) {
  const mus_system *system = run->system;
  if (system->couplings.count == 0 && !system->filter.across)
    return mus_run_pcg(run, inner, limits);
  double begin = mus_seconds();
  mus_status status = coupled->is_stale ? set_up(coupled, system) : MUS_OK;
  if (!status)
    coupled->is_stale = 0;
  coupled->inner = inner;
  run->record->setup_seconds += mus_seconds() - begin;
  return status ? status
                : mus_run_pcg(run,
                              &(mus_preconditioner){.self = coupled, .apply = apply, .products = MUS_COUPLED_PRODUCTS},
                              limits);
}
