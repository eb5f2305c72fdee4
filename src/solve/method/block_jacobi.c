// Block-Jacobi. See block_jacobi.h.
#include "solve/method/block_jacobi.h"

#include "base/error.h"
#include "base/timer.h"
#include "solve/run.h"

mus_status mus_block_jacobi_create(const mus_solver_options *options, mus_system *system, void **self) {
  mus_block_jacobi *jacobi = mus_alloc_zero(1, sizeof *jacobi);
  if (!jacobi)
    return mus_fail_memory();
  *jacobi = (mus_block_jacobi){.options = options, .system = system};
  *self = jacobi;
  return MUS_OK;
}

void mus_block_jacobi_free(void *self) {
  mus_block_jacobi *jacobi = self;
  mus_arena_clear(&jacobi->arena);
  mus_free(jacobi);
}

void mus_block_jacobi_changed(void *self, unsigned what) {
  mus_block_jacobi *jacobi = self;
  if (what & (MUS_CHANGED_VALUES | MUS_CHANGED_CONSTRAINTS | MUS_CHANGED_EQUALITIES | MUS_CHANGED_COUPLINGS))
    jacobi->form = MUS_FORM_NONE;
}

size_t mus_block_jacobi_bytes(const void *self) {
  const mus_block_jacobi *jacobi = self;
  return sizeof *jacobi + jacobi->arena.bytes;
}

static mus_status update(mus_block_jacobi *jacobi) {
  const mus_system *system = jacobi->system;
  mus_form form = mus_system_form(system);
  if (!jacobi->inverse) {
    size_t numbers = mus_system_unknowns(system) * (size_t)system->block;
    jacobi->inverse = mus_arena_alloc(&jacobi->arena, numbers, sizeof *jacobi->inverse);
    if (!jacobi->inverse)
      return mus_fail_memory();
  }
  if (jacobi->form == form)
    return MUS_OK;
  mus_block_operator now = mus_system_now(system);
  jacobi->form = MUS_FORM_NONE;
  mus_status status = mus_block_operator_inverse_diagonal(&now, system->diagonal, jacobi->inverse);
  if (!status)
    jacobi->form = form;
  return status;
}

mus_status mus_block_jacobi_set_up(mus_block_jacobi *jacobi, mus_run *run) {
  double begin = mus_seconds();
  mus_status status = update(jacobi);
  run->record->setup_seconds += mus_seconds() - begin;
  return status;
}

static void apply(void *self, const double *r, double *z) {
  const mus_block_jacobi *jacobi = self;
  mus_block_diagonal_multiply(jacobi->system->rows, jacobi->system->block, 1, jacobi->inverse, r, z);
}

mus_preconditioner mus_block_jacobi_view(mus_block_jacobi *jacobi) {
  const mus_pattern *pattern = &jacobi->system->pattern;
  return (mus_preconditioner){
      .self = jacobi, .apply = apply, .products = (double)pattern->rows / mus_pattern_blocks(pattern)};
}

// The inverse of D among vectors that hold the equalities across nodes.
static void apply_held(void *self, const double *r, double *z) {
  const mus_block_jacobi *jacobi = self;
  mus_equalities_solve(jacobi->system->filter.across, jacobi->system->rows, jacobi->inverse, r, z);
}

static mus_status weigh(const mus_equalities *across, const mus_block_jacobi *jacobi, mus_run *run) {
  double begin = mus_seconds();
  mus_status status = mus_equalities_weigh(across, jacobi->inverse);
  run->record->setup_seconds += mus_seconds() - begin;
  return status;
}

mus_status mus_block_jacobi_prepare(mus_block_jacobi *jacobi, mus_run *run, mus_preconditioner *out) {
  const mus_equalities *across = run->system->filter.across;
  mus_status status = mus_block_jacobi_set_up(jacobi, run);
  if (!status && across)
    status = weigh(across, jacobi, run);
  *out = mus_block_jacobi_view(jacobi);
  if (across)
    out->apply = apply_held;
  return status;
}

mus_status mus_block_jacobi_run_filtered(mus_block_jacobi *jacobi, mus_run *run, int original,
                                         const mus_cg_options *limits) {
  mus_system_put(run->system, MUS_FORM_GIVEN);
  mus_status status = mus_block_jacobi_set_up(jacobi, run);
  mus_preconditioner m = mus_block_jacobi_view(jacobi);
  return status ? status : mus_run_mpcg(run, &m, original, limits);
}
