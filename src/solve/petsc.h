// PETSc's multigrid preconditioners, for comparison with muslin's own: GAMG, and hypre's BoomerAMG. Builds without
// PETSc have none of it; the functions are there and say so.
//
// Only the preconditioner is PETSc's: the conjugate gradients around it are muslin's, so that all methods stop by the
// same rule.
#ifndef MUS_SOLVE_PETSC_H
#define MUS_SOLVE_PETSC_H

#include "muslin/solver.h"
#include "sparse/matrix.h"

typedef struct mus_petsc mus_petsc;

int mus_petsc_available(void);
// MUS_METHOD_GAMG or MUS_METHOD_BOOMERAMG for a square pattern. Starts PETSc where the process has not.
mus_status mus_petsc_create(mus_method method, const mus_pattern *pattern, int block, mus_petsc **out);
// Takes the values over and sets the preconditioner up. With positions (block size 3), the rigid-body motions become
// the matrix's near null space; NULL leaves that to PETSc.
mus_status mus_petsc_set_up(mus_petsc *petsc, const mus_matrix *a, const double *positions);
// z = M^-1 r
void mus_petsc_apply(mus_petsc *petsc, const double *r, double *z);
// levels and operator_complexity of the record, where PETSc tells.
void mus_petsc_report(const mus_petsc *petsc, mus_solve_record *record);
void mus_petsc_free(mus_petsc *petsc); // NULL is fine

#endif
