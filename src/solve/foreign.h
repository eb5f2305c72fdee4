// Preconditioners by others, for comparison with muslin's own. Only the preconditioner is theirs: the conjugate
// gradients around it are muslin's, on the prefiltered system, so that all methods stop by the same rule.
//
// A library is a table of functions, and a method of the list is a line that names its table: see method/petsc.c.
#ifndef MUS_SOLVE_FOREIGN_H
#define MUS_SOLVE_FOREIGN_H

#include "solve/method.h"

typedef struct mus_foreign {
  mus_method method;
  mus_status (*start)(void); // before the clock: what a process does once. NULL: nothing
  mus_status (*create)(mus_method method, const mus_solver_options *options, const mus_pattern *pattern, int block,
                       void **self);
  mus_status (*set_up)(void *self, const mus_matrix *a, const double *positions); // positions: NULL, or block size 3
  void (*apply)(void *self, const double *r, double *z);                          // z = M^-1 r
  void (*report)(const void *self, mus_solve_record *record);                     // as that of a mus_method_kind
  size_t (*bytes)(const void *self);
  void (*free)(void *self);
} mus_foreign;

// For a method's own create(), which adds the table that it is for. The others are as they stand.
mus_status mus_foreign_create(const mus_foreign *foreign, const mus_solver_options *options, mus_system *system,
                              void **self);
void mus_foreign_free(void *self);
void mus_foreign_changed(void *self, unsigned what);
mus_status mus_foreign_solve(void *self, mus_run *run, const mus_cg_options *limits);
void mus_foreign_report(const void *self, mus_solve_record *record);
size_t mus_foreign_bytes(const void *self);

#endif
