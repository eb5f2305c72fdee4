// Conjugate gradients with block-Jacobi on the prefiltered system.
#include "base/timer.h"
#include "solve/method/block_jacobi.h"
#include "solve/run.h"

// An iteration in products, measured on sheets of 40,401 and 160,801 vertices.
static const double iteration_cost = 1.3;

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

static mus_status solve(void *self, mus_run *run, const mus_cg_options *limits) {
  mus_block_jacobi *jacobi = self;
  if (!jacobi->options->prefilter)
    return mus_block_jacobi_run_filtered(jacobi, run, 0, limits);
  mus_run_prefilter(run);
  const mus_equalities *across = run->system->filter.across;
  mus_status status = mus_block_jacobi_set_up(jacobi, run);
  if (!status && across)
    status = weigh(across, jacobi, run);
  mus_preconditioner m = mus_block_jacobi_view(jacobi);
  if (across)
    m.apply = apply_held;
  return status ? status : mus_run_pcg(run, &m, limits);
}

static mus_method_cost cost(const void *self) {
  (void)self;
  return (mus_method_cost){.iteration = iteration_cost};
}

const mus_method_kind mus_method_diag = {.name = "diag",
                                         .is_prefiltered = 1,
                                         .may_filter_vectors = 1,
                                         .create = mus_block_jacobi_create,
                                         .free = mus_block_jacobi_free,
                                         .changed = mus_block_jacobi_changed,
                                         .solve = solve,
                                         .bytes = mus_block_jacobi_bytes,
                                         .cost = cost};
