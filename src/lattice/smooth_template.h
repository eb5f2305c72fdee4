// Distributive smoothing in one precision, as text for base/both_precisions.h. See smooth.c.
#if SINGLE
#define LOOPS in_single
#else
#define LOOPS in_double
#endif

// 0 if the face or cell that begins a run has the colour, 1 if the next one has.
static inline int NAME(oddness)(const mus_lattice_domain *d, int row, int begin, int colour) {
  return (begin + row % d->count[1] + row / d->count[1] + colour) & 1;
}

// Rows of a plane, for faces of one colour: u_a += delta, p += div of that.
static void NAME(sweep_faces_of)(const TYPE(mus_lattice_level) *l, const TYPE(mus_lattice_loops) *loops, int a,
                                 int colour, int first, int last) {
  const mus_lattice_domain *d = l->domain;
  const mus_lattice_runs *runs = &d->runs[MUS_LATTICE_RUN_SWEPT + a];
  const REAL factor = -(REAL)FACES / (6 + l->inertia);
  for (int row = first; row < last; ++row)
    for (int run = runs->start[row]; run < runs->start[row + 1]; ++run) {
      const int *range = runs->range[run];
      loops->sweep_faces(l, a, (size_t)row * d->stride[1] + (size_t)range[0], range[1] - range[0],
                         NAME(oddness)(d, row, range[0], colour), factor);
    }
}

// Where a row's deltas are: planes of them are kept for all, or for as many as there are in `ring`.
static inline REAL *NAME(deltas_of)(const TYPE(mus_lattice_level) *l, int row, int plane, int ring) {
  const mus_lattice_domain *d = l->domain;
  return l->delta + (size_t)(plane % ring * d->count[1] + row % d->count[1]) * d->stride[1];
}

// For cells of one colour: p += what the deltas of the other colour give.
static void NAME(gather_cells)(const TYPE(mus_lattice_level) *l, const TYPE(mus_lattice_loops) *loops, int colour,
                               int first, int last, int ring) {
  const mus_lattice_domain *d = l->domain;
  const mus_lattice_runs *runs = &d->runs[MUS_LATTICE_RUN_SOLID];
  for (int row = first; row < last; ++row)
    for (int run = runs->start[row], plane = row / d->count[1]; run < runs->start[row + 1]; ++run) {
      const int *range = runs->range[run];
      const REAL *below = NAME(deltas_of)(l, row, plane - 1, ring), *delta = NAME(deltas_of)(l, row, plane, ring),
                 *above = NAME(deltas_of)(l, row, plane + 1, ring);
      loops->gather(l, (size_t)row * d->stride[1] + (size_t)range[0], range[1] - range[0],
                    NAME(oddness)(d, row, range[0], colour), below + range[0], delta + range[0], above + range[0]);
    }
}

// For cells of one colour: new deltas, with their own part of p, and u -= grad delta.
static void NAME(sweep_cells_of)(const TYPE(mus_lattice_level) *l, const TYPE(mus_lattice_loops) *loops, int colour,
                                 int first, int last, int ring) {
  const mus_lattice_domain *d = l->domain;
  const mus_lattice_runs *runs = &d->runs[MUS_LATTICE_RUN_SWEPT_P];
  const REAL own = 12 + l->inertia, factor = (REAL)CELLS / (6 + l->compressibility * own);
  for (int row = first; row < last; ++row) {
    REAL *delta = NAME(deltas_of)(l, row, row / d->count[1], ring);
    if (colour == 0)
      memset(delta, 0, d->stride[1] * sizeof *delta);
    for (int run = runs->start[row]; run < runs->start[row + 1]; ++run) {
      const int *range = runs->range[run];
      loops->sweep_cells(l, (size_t)row * d->stride[1] + (size_t)range[0], range[1] - range[0],
                         NAME(oddness)(d, row, range[0], colour), factor, own, delta + range[0]);
    }
  }
}

// A stage of the sweep on some rows of a plane.
static void NAME(run_stage)(const TYPE(mus_lattice_level) *l, const TYPE(mus_lattice_loops) *loops, int stage,
                            int first, int last, int ring) {
  if (stage < CELL_STAGES) {
    NAME(sweep_faces_of)(l, loops, stage / 2, stage % 2, first, last);
    return;
  }
  int colour = (stage - CELL_STAGES) % 2;
  if (stage > CELL_STAGES)
    NAME(gather_cells)(l, loops, colour, first, last, ring);
  if (stage < STAGES - 1)
    NAME(sweep_cells_of)(l, loops, colour, first, last, ring);
}

void NAME(mus_lattice_sweep_by_stage)(const TYPE(mus_lattice_level) *l) {
  const TYPE(mus_lattice_loops) *loops = &mus_lattice_kernels_current()->LOOPS;
  const mus_lattice_domain *d = l->domain;
  for (int stage = 0; stage < STAGES; ++stage)
    for (int turn = 0; turn < 2; ++turn) {
      MUS_PARALLEL_FOR_IF(mus_lattice_is_large(d))
      for (int k = turn; k < d->count[2]; k += 2)
        NAME(run_stage)(l, loops, stage, k * d->count[1], (k + 1) * d->count[1], d->count[2]);
    }
}

void NAME(mus_lattice_sweep_in_one_pass)(const TYPE(mus_lattice_level) *l) {
  const TYPE(mus_lattice_loops) *loops = &mus_lattice_kernels_current()->LOOPS;
  const mus_lattice_domain *d = l->domain;
  const int depth = mus_par_threads() > 1 ? STEP : 1, lag = depth + 2, ring = 2 * lag + depth + 1;
  int rows = d->count[1], pairs = (rows + 2 * STRIP - 1) / (2 * STRIP);
  for (int step = 0; step < d->count[2] + lag * (STAGES - 1); step += depth)
    for (int turn = 0; turn < 2; ++turn) {
      // threads keep to their strips, whose rows of all planes that stages are at then stay in their caches
      MUS_PARALLEL_FOR_IF(mus_lattice_is_large(d))
      for (int item = 0; item < STAGES * pairs; ++item) {
        int stage = item % STAGES, first = (2 * (item / STAGES) + turn) * STRIP;
        int last = first + STRIP < rows ? first + STRIP : rows;
        for (int k = step - lag * stage; k < step - lag * stage + depth; ++k)
          if (k >= 0 && k < d->count[2] && first < last)
            NAME(run_stage)(l, loops, stage, k * rows + first, k * rows + last, ring);
      }
    }
}

void NAME(mus_lattice_sweep)(const TYPE(mus_lattice_level) *l) {
  if (mus_lattice_is_huge(l->domain))
    NAME(mus_lattice_sweep_in_one_pass)(l);
  else
    NAME(mus_lattice_sweep_by_stage)(l);
}

#undef LOOPS
