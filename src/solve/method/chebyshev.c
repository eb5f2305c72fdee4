// Block-Jacobi with the acceleration of Chebyshev's semi-iterative method (Wang 2015). For comparison: it takes about
// as many iterations as conjugate gradients with the same preconditioner, and no inner products.
#include "base/error.h"
#include "base/timer.h"
#include "multigrid/lanczos.h"
#include "solve/method/block_jacobi.h"
#include "solve/run.h"

// Steps of Lanczos' method for the upper end of the spectrum.
enum { LANCZOS_STEPS = 10 };

static mus_status find_high(const mus_block_jacobi *jacobi, double *high) {
  mus_block_operator now = mus_system_now(jacobi->system);
  double *work = mus_alloc(4 * mus_system_unknowns(jacobi->system), sizeof *work);
  if (!work)
    return mus_fail_memory();
  mus_radius radius;
  mus_status status = mus_spectral_radius(&now, jacobi->inverse, LANCZOS_STEPS, work, &radius);
  mus_free(work);
  if (!status)
    *high = radius.value;
  return status;
}

static mus_status solve(void *self, mus_run *run, const mus_cg_options *limits) {
  mus_block_jacobi *jacobi = self;
  mus_run_prefilter(run);
  mus_preconditioner m;
  mus_status status = mus_block_jacobi_prepare(jacobi, run, &m);
  double begin = mus_seconds(), high = 0;
  if (!status)
    status = find_high(jacobi, &high);
  run->record->setup_seconds += mus_seconds() - begin;
  return status ? status : mus_run_semi_iterative(run, &m, high, limits);
}

const mus_method_kind mus_method_chebyshev = {.name = "chebyshev",
                                              .is_stationary = 1,
                                              .is_prefiltered = 1,
                                              .create = mus_block_jacobi_create,
                                              .free = mus_block_jacobi_free,
                                              .changed = mus_block_jacobi_changed,
                                              .solve = solve,
                                              .bytes = mus_block_jacobi_bytes};
