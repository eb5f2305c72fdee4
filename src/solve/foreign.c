// See foreign.h.
#include "solve/foreign.h"

#include "base/error.h"
#include "base/timer.h"
#include "solve/coupled.h"

typedef struct state {
  const mus_foreign *foreign;
  const mus_solver_options *options;
  mus_system *system;
  void *inner; // NULL before the first set-up
  int is_stale;
  int has_positions; // when they were last looked at
  mus_coupled coupled;
} state;

mus_status mus_foreign_create(const mus_foreign *foreign, const mus_solver_options *options, mus_system *system,
                              void **self) {
  state *s = mus_alloc_zero(1, sizeof *s);
  if (!s)
    return mus_fail_memory();
  *s = (state){.foreign = foreign, .options = options, .system = system, .is_stale = 1, .coupled = {.is_stale = 1}};
  *self = s;
  return MUS_OK;
}

void mus_foreign_free(void *self) {
  state *s = self;
  if (s->inner)
    s->foreign->free(s->inner);
  mus_coupled_free(&s->coupled);
  mus_free(s);
}

// Couplings are smoothed around it, and positions that move on are taken over with the next values.
void mus_foreign_changed(void *self, unsigned what) {
  state *s = self;
  int has_positions = s->system->positions != NULL;
  if (what & (MUS_CHANGED_VALUES | MUS_CHANGED_CONSTRAINTS | MUS_CHANGED_EQUALITIES | MUS_CHANGED_KERNEL) ||
      has_positions != s->has_positions)
    s->is_stale = 1;
  if (what & (MUS_CHANGED_VALUES | MUS_CHANGED_CONSTRAINTS | MUS_CHANGED_EQUALITIES | MUS_CHANGED_COUPLINGS))
    s->coupled.is_stale = 1;
  s->has_positions = has_positions;
}

size_t mus_foreign_bytes(const void *self) {
  const state *s = self;
  return sizeof *s + s->coupled.arena.bytes + (s->inner ? s->foreign->bytes(s->inner) : 0);
}

static mus_status update(state *s) {
  const mus_system *system = s->system;
  mus_status status = MUS_OK;
  if (!s->inner) {
    s->is_stale = 1;
    status = s->foreign->create(s->foreign->method, s->options, &system->pattern, system->block, &s->inner);
  }
  if (!status && s->is_stale)
    status = s->foreign->set_up(s->inner, &system->a, system->positions);
  if (!status)
    s->is_stale = 0;
  return status;
}

mus_status mus_foreign_solve(void *self, mus_run *run, const mus_cg_options *limits) {
  state *s = self;
  run->recycle = NULL; // they are measured as they are
  mus_run_prefilter(run);
  mus_status status = s->foreign->start ? s->foreign->start() : MUS_OK;
  if (status)
    return status;
  double begin = mus_seconds();
  status = update(s);
  run->record->setup_seconds += mus_seconds() - begin;
  mus_preconditioner m = {.self = s->inner, .apply = s->foreign->apply};
  return status ? status : mus_coupled_run(&s->coupled, run, &m, limits);
}

void mus_foreign_report(const void *self, mus_solve_record *record) {
  const state *s = self;
  if (s->inner && !s->is_stale)
    s->foreign->report(s->inner, record);
}
