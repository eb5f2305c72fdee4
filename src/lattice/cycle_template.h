// Cycles in one precision, as text for base/both_precisions.h. See cycle.h.

static mus_status NAME(make_room)(mus_arena *arena, const mus_lattice_domain *d, REAL **first, REAL **image) {
  *first = mus_arena_alloc_zero(arena, 4 * mus_lattice_field(d), sizeof(REAL));
  *image = mus_arena_alloc_zero(arena, 4 * mus_lattice_field(d), sizeof(REAL));
  return *first && *image ? MUS_OK : mus_fail_memory();
}

mus_status NAME(mus_lattice_cycle_create)(mus_arena *arena, const mus_lattice_domain *finest, int levels,
                                          double compressibility, double inertia, const mus_lattice_sweeps *sweeps,
                                          TYPE(mus_lattice_cycle) *out) {
  const mus_lattice_domain *d = finest;
  mus_status status = MUS_OK;
  *out = (TYPE(mus_lattice_cycle)){.levels = levels, .sweeps = *sweeps};
  out->level = mus_arena_alloc_zero(arena, (size_t)levels, sizeof *out->level);
  out->first = mus_arena_alloc_zero(arena, (size_t)levels, sizeof *out->first);
  out->image = mus_arena_alloc_zero(arena, (size_t)levels, sizeof *out->image);
  if (!out->level || !out->first || !out->image)
    return mus_fail_memory();
  for (int k = 0; k < levels && !status; ++k, d = d->coarse, inertia *= 4) {
    status = NAME(mus_lattice_level_create)(arena, d, compressibility, inertia, &out->level[k]);
    if (!status && k > 0 && k < levels - 1 && sweeps->visits > 1)
      status = NAME(make_room)(arena, d, &out->first[k], &out->image[k]);
    if (!status && k == levels - 1)
      status = mus_lattice_bottom_create(arena, d, compressibility, inertia, &out->bottom);
  }
  return status;
}

static void NAME(smooth)(const TYPE(mus_lattice_cycle) *cycle, const TYPE(mus_lattice_level) *l) {
  NAME(mus_lattice_sweep_band)(l, &l->domain->band, cycle->sweeps.band, 0);
  NAME(mus_lattice_sweep)(l);
  NAME(mus_lattice_sweep_band)(l, &l->domain->band, cycle->sweeps.band, 1);
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

static void NAME(run_from)(TYPE(mus_lattice_cycle) *cycle, int k);

// x . y, in an order that depends on nothing but n.
static double NAME(product)(size_t n, const REAL *x, const REAL *y) {
  double sums[PRODUCT_RUNS] = {0}, sum = 0;
  size_t run = (n + PRODUCT_RUNS - 1) / PRODUCT_RUNS;
  MUS_PARALLEL_FOR_IF(n >= PRODUCT_LARGE)
  for (int k = 0; k < PRODUCT_RUNS; ++k)
    for (size_t i = (size_t)k * run; i < (size_t)(k + 1) * run && i < n; ++i)
      sums[k] += (double)x[i] * (double)y[i];
  for (int k = 0; k < PRODUCT_RUNS; ++k)
    sum += sums[k];
  return sum;
}

// Two visits to a level, with x = 0 before: see cycle.h.
static void NAME(visit_twice)(TYPE(mus_lattice_cycle) *cycle, int k) {
  TYPE(mus_lattice_level) *l = &cycle->level[k];
  size_t n = 4 * mus_lattice_field(l->domain);
  REAL *x = l->x[0], *b = l->b[0], *r = l->r[0], *z = cycle->first[k], *lz = cycle->image[k];
  NAME(run_from)(cycle, k);
  NAME(mus_lattice_residual)(l);
  MUS_PARALLEL_FOR_IF(n >= PRODUCT_LARGE)
  for (size_t i = 0; i < n; ++i) {
    z[i] = x[i];
    lz[i] = b[i] - r[i];
    x[i] = 0;
  }
  double square = NAME(product)(n, lz, lz), alpha = square > 0 ? NAME(product)(n, b, lz) / square : 0;
  MUS_PARALLEL_FOR_IF(n >= PRODUCT_LARGE)
  for (size_t i = 0; i < n; ++i)
    b[i] -= (REAL)alpha * lz[i];
  NAME(run_from)(cycle, k);
  NAME(mus_lattice_residual)(l);
  MUS_PARALLEL_FOR_IF(n >= PRODUCT_LARGE)
  for (size_t i = 0; i < n; ++i)
    r[i] = b[i] - r[i]; // L z of the second
  double beta = square > 0 ? NAME(product)(n, r, lz) / square : 0;
  double rest = NAME(product)(n, r, r) - beta * beta * square;
  double gamma = rest > 0 ? NAME(product)(n, b, r) / rest : 0; // b . lz = 0
  MUS_PARALLEL_FOR_IF(n >= PRODUCT_LARGE)
  for (size_t i = 0; i < n; ++i)
    x[i] = (REAL)gamma * x[i] + (REAL)(alpha - gamma * beta) * z[i];
}

static void NAME(run_from)(TYPE(mus_lattice_cycle) *cycle, int k) {
  TYPE(mus_lattice_level) *l = cycle->level + k;
  if (k == cycle->levels - 1) {
    NAME(solve_bottom)(cycle);
    return;
  }
  NAME(smooth)(cycle, l);
  NAME(mus_lattice_sweep_band)(l, &l->domain->relocated, cycle->sweeps.relocated, 0);
  NAME(mus_lattice_restrict_residual)(l, l + 1);
  if (k + 2 < cycle->levels && cycle->sweeps.visits > 1)
    NAME(visit_twice)(cycle, k + 1);
  else
    NAME(run_from)(cycle, k + 1);
  NAME(mus_lattice_extend)(l + 1);
  NAME(mus_lattice_prolong)(l + 1, l);
  NAME(mus_lattice_sweep_band)(l, &l->domain->relocated, cycle->sweeps.relocated, 1);
  NAME(smooth)(cycle, l);
}

void NAME(mus_lattice_cycle_run)(TYPE(mus_lattice_cycle) *cycle) { NAME(run_from)(cycle, 0); }
