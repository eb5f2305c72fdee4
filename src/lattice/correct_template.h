// Corrections by cycles in one precision, as text for base/both_precisions.h. See solve.c.

// b of the cycle's finest level = factor * b, of cells' equations less the weight in norms, and x = 0.
static void NAME(begin_cycle)(const mus_lattice *lattice, const TYPE(mus_lattice_level) *l, double factor,
                              const double *b) {
  size_t n = vector_size(lattice), cells = n - mus_lattice_field(lattice->domain);
  double last = factor / lattice->weight;
  MUS_PARALLEL_FOR_IF(n >= VECTOR_LARGE)
  for (size_t i = 0; i < n; ++i) {
    l->b[0][i] = (REAL)((i < cells ? factor : last) * b[i]);
    l->x[0][i] = 0;
  }
}

// The new direction from r, by one cycle: z and L z, both divided by the size of r, so that no number is too small.
static void NAME(correct)(mus_lattice *lattice, TYPE(mus_lattice_cycle) *cycle, double size) {
  size_t n = vector_size(lattice), field = mus_lattice_field(lattice->domain);
  TYPE(mus_lattice_level) *l = cycle->level;
  float *z = lattice->directions.z[lattice->directions.now], *lz = lattice->directions.lz[lattice->directions.now];
#if SINGLE
  for (size_t f = 0; f < 4; ++f) { // in place
    l->x[f] = z + f * field;
    l->r[f] = lz + f * field;
  }
#endif
  NAME(begin_cycle)(lattice, l, 1 / size, lattice->finest.r[0]);
  NAME(mus_lattice_cycle_run)(cycle);
  NAME(mus_lattice_residual)(l);
  MUS_PARALLEL_FOR_IF(n >= VECTOR_LARGE)
  for (size_t i = 0; i < n; ++i) {
    const REAL weight = i < n - field ? 1 : (REAL)lattice->weight;
    z[i] = (float)l->x[0][i];
    lz[i] = (float)(weight * (l->b[0][i] - l->r[0][i]));
  }
}

// r of the finest level, in double precision, if nothing had moved but what is held.
static void NAME(take_still_residual)(const mus_lattice *lattice, const TYPE(mus_lattice_level) *l) {
  const mus_lattice_domain *d = lattice->domain;
  size_t n = vector_size(lattice), field = mus_lattice_field(d);
  NAME(begin_cycle)(lattice, l, 1, lattice->finest.b[0]);
  for (int a = 0; a < 3; ++a) {
    MUS_PARALLEL_FOR_IF(n >= VECTOR_LARGE)
    for (size_t k = 0; k < d->cells; ++k)
      if (mus_lattice_is(d, k, (uint32_t)MUS_LATTICE_HELD << a))
        l->x[a][k] = (REAL)lattice->finest.x[a][k];
  }
  MUS_PARALLEL_FOR_IF(n >= VECTOR_LARGE)
  for (size_t k = 0; k < field; ++k)
    l->b[3][k] = (REAL)lattice->finest.b[3][k];
  NAME(mus_lattice_residual)(l);
  MUS_PARALLEL_FOR_IF(n >= VECTOR_LARGE)
  for (size_t i = 0; i < n; ++i)
    lattice->finest.r[0][i] = (i < n - field ? 1 : lattice->weight) * (double)l->r[0][i];
}
