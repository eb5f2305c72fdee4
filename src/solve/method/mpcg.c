// Filtered conjugate gradients with block-Jacobi, in both forms (Ascher and Boxerman 2003; Baraff and Witkin 1998).
#include "solve/method/block_jacobi.h"

static mus_status solve_corrected(void *self, mus_run *run, const mus_cg_options *limits) {
  return mus_block_jacobi_run_filtered(self, run, 0, limits);
}

static mus_status solve_original(void *self, mus_run *run, const mus_cg_options *limits) {
  return mus_block_jacobi_run_filtered(self, run, 1, limits);
}

const mus_method_kind mus_method_mpcg = {.name = "mpcg",
                                         .create = mus_block_jacobi_create,
                                         .free = mus_block_jacobi_free,
                                         .changed = mus_block_jacobi_changed,
                                         .solve = solve_corrected,
                                         .bytes = mus_block_jacobi_bytes};

const mus_method_kind mus_method_mpcg_original = {.name = "mpcg-original",
                                                  .create = mus_block_jacobi_create,
                                                  .free = mus_block_jacobi_free,
                                                  .changed = mus_block_jacobi_changed,
                                                  .solve = solve_original,
                                                  .bytes = mus_block_jacobi_bytes};
