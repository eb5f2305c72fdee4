// Conjugate gradients with block-Jacobi on the prefiltered system.
#include "solve/method/block_jacobi.h"
#include "solve/run.h"

// What an iteration costs beside its product, in products: the unit that other methods' costs are measured in.
static const double iteration_rest = 0.1;

static mus_status solve(void *self, mus_run *run, const mus_cg_options *limits) {
  mus_block_jacobi *jacobi = self;
  if (!jacobi->options->prefilter)
    return mus_block_jacobi_run_filtered(jacobi, run, 0, limits);
  mus_run_prefilter(run);
  mus_preconditioner m;
  mus_status status = mus_block_jacobi_prepare(jacobi, run, &m);
  return status ? status : mus_run_pcg(run, &m, limits);
}

static mus_method_cost cost(const void *self) {
  const mus_block_jacobi *jacobi = self;
  return (mus_method_cost){.iteration = mus_system_product_cost(jacobi->system) + iteration_rest, .foreseen = 1};
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
