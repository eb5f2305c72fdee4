// PETSc's preconditioners. See petsc.h.
#include "solve/petsc.h"

#include "base/error.h"

#if !MUSLIN_PETSC

int mus_petsc_available(void) { return 0; }

mus_status mus_petsc_create(mus_method method, const mus_pattern *pattern, int block, mus_petsc **out) {
  (void)pattern, (void)block, (void)out;
  return mus_fail(MUS_UNSUPPORTED, "this build has no solver %s: build with -DMUSLIN_PETSC=ON",
                  mus_method_name(method));
}

// Without a mus_petsc, none of these can be called.
mus_status mus_petsc_set_up(mus_petsc *petsc, const mus_matrix *a, const double *positions) {
  (void)petsc, (void)a, (void)positions;
  return MUS_UNSUPPORTED;
}

void mus_petsc_apply(mus_petsc *petsc, const double *r, double *z) { (void)petsc, (void)r, (void)z; }

void mus_petsc_report(const mus_petsc *petsc, mus_solve_record *record) { (void)petsc, (void)record; }

void mus_petsc_free(mus_petsc *petsc) { (void)petsc; }

#endif
