// PETSc's multigrid preconditioners, for comparison with muslin's own: GAMG, and hypre's BoomerAMG. Builds without
// PETSc have none of it; the functions are there and say so.
//
// Only the preconditioner is PETSc's: the conjugate gradients around it are muslin's, so that all methods stop by the
// same rule. PETSc knows no threads: each call runs on the calling thread alone, and calls of several threads wait for
// each other.
#ifndef MUS_SOLVE_PETSC_H
#define MUS_SOLVE_PETSC_H

#include "muslin/solver.h"
#include "sparse/matrix.h"

typedef struct mus_petsc mus_petsc;

int mus_petsc_available(void);
// Starts PETSc, and with it MPI, where the process has not; that takes up to half a second. They end with the process.
mus_status mus_petsc_start(void);
// MUS_METHOD_GAMG or MUS_METHOD_BOOMERAMG for a square pattern. Starts PETSc too.
mus_status mus_petsc_create(mus_method method, const mus_pattern *pattern, int block, mus_petsc **out);
// Takes the values over and sets the preconditioner up, from nothing: PETSc's own ways to keep part of an older one are
// not used. With positions (block size 3), GAMG gets the rigid-body motions as near null space. Should they break it
// down (an aggregate of a single node is enough), or without positions, it has the translations only: the blocks of the
// level report tell, 6 x 6 or 3 x 3 below the finest level. BoomerAMG makes no use of positions. MUS_BREAKDOWN when
// PETSc gives up; that a matrix is not positive definite may show only in the iteration.
mus_status mus_petsc_set_up(mus_petsc *petsc, const mus_matrix *a, const double *positions);
// z = M^-1 r, after a successful set-up. Should PETSc fail, z is NaN.
void mus_petsc_apply(mus_petsc *petsc, const double *r, double *z);
// levels and operator_complexity of the record, where PETSc tells: BoomerAMG has no levels and a complexity of NaN.
void mus_petsc_report(const mus_petsc *petsc, mus_solve_record *record);
// What it holds, as far as the allocator tells: what other threads allocate during the set-up is counted too.
size_t mus_petsc_bytes(const mus_petsc *petsc);
void mus_petsc_free(mus_petsc *petsc); // NULL is fine

#endif
