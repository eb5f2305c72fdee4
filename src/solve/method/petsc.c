// PETSc's multigrid preconditioners, GAMG and BoomerAMG, on the prefiltered system.
#include "solve/petsc.h"
#include "base/error.h"
#include "base/timer.h"
#include "solve/coupled.h"

typedef struct foreign {
  mus_method method; // MUS_METHOD_GAMG or MUS_METHOD_BOOMERAMG
  mus_system *system;
  mus_petsc *petsc;
  int is_stale;
  int has_positions; // when they were last looked at
  mus_coupled coupled;
} foreign;

static mus_status create(mus_method method, mus_system *system, void **self) {
  foreign *f = mus_alloc_zero(1, sizeof *f);
  if (!f)
    return mus_fail_memory();
  *f = (foreign){.method = method, .system = system, .is_stale = 1, .coupled = {.is_stale = 1}};
  *self = f;
  return MUS_OK;
}

static mus_status create_gamg(const mus_solver_options *options, mus_system *system, void **self) {
  (void)options;
  return create(MUS_METHOD_GAMG, system, self);
}

static mus_status create_boomeramg(const mus_solver_options *options, mus_system *system, void **self) {
  (void)options;
  return create(MUS_METHOD_BOOMERAMG, system, self);
}

static void destroy(void *self) {
  foreign *f = self;
  mus_petsc_free(f->petsc);
  mus_coupled_free(&f->coupled);
  mus_free(f);
}

// PETSc takes the couplings from around it, and positions that move on with the next values.
static void changed(void *self, unsigned what) {
  foreign *f = self;
  int has_positions = f->system->positions != NULL;
  if (what & (MUS_CHANGED_VALUES | MUS_CHANGED_CONSTRAINTS | MUS_CHANGED_EQUALITIES | MUS_CHANGED_KERNEL) ||
      has_positions != f->has_positions)
    f->is_stale = 1;
  if (what & (MUS_CHANGED_VALUES | MUS_CHANGED_CONSTRAINTS | MUS_CHANGED_EQUALITIES | MUS_CHANGED_COUPLINGS))
    f->coupled.is_stale = 1;
  f->has_positions = has_positions;
}

static size_t bytes(const void *self) {
  const foreign *f = self;
  return sizeof *f + f->coupled.arena.bytes + (f->petsc ? mus_petsc_bytes(f->petsc) : 0);
}

static mus_status update(foreign *f) {
  const mus_system *system = f->system;
  mus_status status = MUS_OK;
  if (!f->petsc) {
    f->is_stale = 1;
    status = mus_petsc_create(f->method, &system->pattern, system->block, &f->petsc);
  }
  if (!status && f->is_stale)
    status = mus_petsc_set_up(f->petsc, &system->a, system->positions);
  if (!status)
    f->is_stale = 0;
  return status;
}

static void apply(void *self, const double *r, double *z) { mus_petsc_apply(self, r, z); }

static mus_status solve(void *self, mus_run *run, const mus_cg_options *limits) {
  foreign *f = self;
  mus_run_prefilter(run);
  mus_status status = mus_petsc_start(); // before the clock: it takes up to half a second, once a process
  if (status)
    return status;
  double begin = mus_seconds();
  status = update(f);
  run->record->setup_seconds += mus_seconds() - begin;
  return status ? status
                : mus_coupled_run(&f->coupled, run, &(mus_preconditioner){.self = f->petsc, .apply = apply}, limits);
}

static void report(const void *self, mus_solve_record *record) {
  const foreign *f = self;
  if (f->petsc && !f->is_stale)
    mus_petsc_report(f->petsc, record);
}

const mus_method_kind mus_method_gamg = {.name = "gamg",
                                         .build_option = "PETSC",
                                         .available = mus_petsc_available,
                                         .is_prefiltered = 1,
                                         .create = create_gamg,
                                         .free = destroy,
                                         .changed = changed,
                                         .solve = solve,
                                         .report = report,
                                         .bytes = bytes};

const mus_method_kind mus_method_boomeramg = {.name = "boomeramg",
                                              .build_option = "PETSC",
                                              .available = mus_petsc_available,
                                              .is_prefiltered = 1,
                                              .create = create_boomeramg,
                                              .free = destroy,
                                              .changed = changed,
                                              .solve = solve,
                                              .report = report,
                                              .bytes = bytes};
