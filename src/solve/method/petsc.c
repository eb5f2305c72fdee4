// PETSc's multigrid preconditioners, GAMG and BoomerAMG, on the prefiltered system.
#include "solve/petsc.h"
#include "solve/foreign.h"

static mus_status create(mus_method method, const mus_solver_options *options, const mus_pattern *pattern, int block,
                         void **self) {
  mus_petsc *petsc = NULL;
  (void)options;
  mus_status status = mus_petsc_create(method, pattern, block, &petsc);
  *self = petsc;
  return status;
}

static mus_status set_up(void *self, const mus_matrix *a, const double *positions) {
  return mus_petsc_set_up(self, a, positions);
}

static void apply(void *self, const double *r, double *z) { mus_petsc_apply(self, r, z); }
static void report(const void *self, mus_solve_record *record) { mus_petsc_report(self, record); }
static size_t bytes(const void *self) { return mus_petsc_bytes(self); }
static void destroy(void *self) { mus_petsc_free(self); }

// Starting PETSc takes up to half a second.
#define FOREIGN(METHOD)                                                                                                \
  {                                                                                                                    \
    .method = METHOD, .start = mus_petsc_start, .create = create, .set_up = set_up, .apply = apply, .report = report,  \
    .bytes = bytes, .free = destroy                                                                                    \
  }
static const mus_foreign gamg = FOREIGN(MUS_METHOD_GAMG), boomeramg = FOREIGN(MUS_METHOD_BOOMERAMG);

static mus_status create_gamg(const mus_solver_options *options, mus_system *system, void **self) {
  return mus_foreign_create(&gamg, options, system, self);
}

static mus_status create_boomeramg(const mus_solver_options *options, mus_system *system, void **self) {
  return mus_foreign_create(&boomeramg, options, system, self);
}

const mus_method_kind mus_method_gamg = {.name = "gamg",
                                         .build_option = "PETSC",
                                         .available = mus_petsc_available,
                                         .is_prefiltered = 1,
                                         .create = create_gamg,
                                         .free = mus_foreign_free,
                                         .changed = mus_foreign_changed,
                                         .solve = mus_foreign_solve,
                                         .report = mus_foreign_report,
                                         .bytes = mus_foreign_bytes};

const mus_method_kind mus_method_boomeramg = {.name = "boomeramg",
                                              .build_option = "PETSC",
                                              .available = mus_petsc_available,
                                              .is_prefiltered = 1,
                                              .create = create_boomeramg,
                                              .free = mus_foreign_free,
                                              .changed = mus_foreign_changed,
                                              .solve = mus_foreign_solve,
                                              .report = mus_foreign_report,
                                              .bytes = mus_foreign_bytes};
