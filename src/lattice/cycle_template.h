// Cycles in one precision, as text for base/both_precisions.h. See cycle.h.

mus_status NAME(mus_lattice_cycle_create)(mus_arena *arena, const mus_lattice_domain *finest, int levels,
                                          double compressibility, double inertia, const mus_lattice_sweeps *sweeps,
                                          TYPE(mus_lattice_cycle) *out) {
  const mus_lattice_domain *d = finest;
  mus_status status = MUS_OK;
  *out = (TYPE(mus_lattice_cycle)){.levels = levels, .sweeps = *sweeps};
  out->level = mus_arena_alloc_zero(arena, (size_t)levels, sizeof *out->level);
  if (!out->level)
    return mus_fail_memory();
  for (int k = 0; k < levels && !status; ++k, d = d->coarse, inertia *= 4) {
    status = NAME(mus_lattice_level_create)(arena, d, compressibility, inertia, &out->level[k]);
    if (!status && k == levels - 1)
      status = mus_lattice_bottom_create(arena, d, compressibility, inertia, &out->bottom);
  }
  return status;
}

static void NAME(smooth)(const TYPE(mus_lattice_cycle) *cycle, const TYPE(mus_lattice_level) *l) {
  NAME(mus_lattice_sweep_band)(l, &l->domain->band, cycle->sweeps.band);
  NAME(mus_lattice_sweep)(l);
  NAME(mus_lattice_sweep_band)(l, &l->domain->band, cycle->sweeps.band);
}

static void NAME(solve_bottom)(TYPE(mus_lattice_cycle) *cycle) {
  const TYPE(mus_lattice_level) *l = &cycle->level[cycle->levels - 1];
  mus_lattice_level *exact = &cycle->bottom.level;
  for (int f = 0; f < 4; ++f)
    for (size_t n = 0; n < l->domain->cells; ++n)
      exact->b[f][n] = (double)l->b[f][n];
  mus_lattice_bottom_solve(&cycle->bottom);
  for (int f = 0; f < 4; ++f)
    for (size_t n = 0; n < l->domain->cells; ++n)
      l->x[f][n] = (REAL)exact->x[f][n];
}

static void NAME(run_from)(TYPE(mus_lattice_cycle) *cycle, int k) {
  TYPE(mus_lattice_level) *l = cycle->level + k;
  if (k == cycle->levels - 1) {
    NAME(solve_bottom)(cycle);
    return;
  }
  NAME(smooth)(cycle, l);
  NAME(mus_lattice_sweep_band)(l, &l->domain->relocated, cycle->sweeps.relocated);
  NAME(mus_lattice_residual)(l);
  NAME(mus_lattice_restrict)(l, l + 1);
  for (int visit = 0; visit < (k + 2 < cycle->levels ? cycle->sweeps.visits : 1); ++visit)
    NAME(run_from)(cycle, k + 1);
  NAME(mus_lattice_extend)(l + 1);
  NAME(mus_lattice_prolong)(l + 1, l);
  NAME(mus_lattice_sweep_band)(l, &l->domain->relocated, cycle->sweeps.relocated);
  NAME(smooth)(cycle, l);
}

void NAME(mus_lattice_cycle_run)(TYPE(mus_lattice_cycle) *cycle) { NAME(run_from)(cycle, 0); }
