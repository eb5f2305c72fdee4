// Block-Jacobi: the inverses of the diagonal blocks, which the methods diag, mpcg and chebyshev share as their state.
#ifndef MUS_SOLVE_METHOD_BLOCK_JACOBI_H
#define MUS_SOLVE_METHOD_BLOCK_JACOBI_H

#include "solve/method.h"

typedef struct mus_block_jacobi {
  const mus_solver_options *options;
  mus_system *system;
  mus_arena arena;
  double *inverse; // of the blocks of A + C
  mus_form form;   // of what it was made from
} mus_block_jacobi;

// As in mus_method_kind; self is a mus_block_jacobi.
mus_status mus_block_jacobi_create(const mus_solver_options *options, mus_system *system, void **self);
void mus_block_jacobi_free(void *self);
void mus_block_jacobi_changed(void *self, unsigned what);
size_t mus_block_jacobi_bytes(const void *self);

// Brings the inverses up to date with the system in the form that it is in.
mus_status mus_block_jacobi_set_up(mus_block_jacobi *jacobi, mus_run *run);
mus_preconditioner mus_block_jacobi_view(mus_block_jacobi *jacobi);
// Both for a prefiltered system, whose equalities across nodes the preconditioner holds.
mus_status mus_block_jacobi_prepare(mus_block_jacobi *jacobi, mus_run *run, mus_preconditioner *out);
// Conjugate gradients that filter vectors, from x to x. `original` as in mus_mpcg().
mus_status mus_block_jacobi_run_filtered(mus_block_jacobi *jacobi, mus_run *run, int original,
                                         const mus_cg_options *limits);

#endif
