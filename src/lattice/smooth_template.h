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

static void NAME(sweep_face_plane)(const TYPE(mus_lattice_level) *l, const TYPE(mus_lattice_loops) *loops, int a,
                                   int colour, int k) {
  const mus_lattice_domain *d = l->domain;
  const mus_lattice_runs *runs = &d->runs[MUS_LATTICE_RUN_SWEPT + a];
  const REAL factor = -(REAL)FACES / (6 + l->inertia);
  REAL delta[ROW];
  for (int row = k * d->count[1]; row < (k + 1) * d->count[1]; ++row)
    for (int run = runs->start[row]; run < runs->start[row + 1]; ++run)
      for (int begin = runs->range[run][0], end = runs->range[run][1]; begin < end; begin += ROW) {
        int count = end - begin < ROW ? end - begin : ROW;
        size_t n = (size_t)row * d->stride[1] + (size_t)begin;
        loops->face_deltas(l, a, n, count, NAME(oddness)(d, row, begin, colour), factor, delta);
        loops->move_faces(l, a, n, count, delta);
      }
}

// u_a of one colour: u_a += delta, p += div of that. Faces along axis 2 also change pressures of the plane below, so
// that planes take turns.
static void NAME(sweep_faces)(const TYPE(mus_lattice_level) *l, const TYPE(mus_lattice_loops) *loops, int a,
                              int colour) {
  const mus_lattice_domain *d = l->domain;
  int turns = a == 2 ? 2 : 1;
  for (int turn = 0; turn < turns; ++turn) {
    MUS_PARALLEL_FOR_IF(mus_lattice_is_large(d))
    for (int k = turn; k < d->count[2]; k += turns)
      NAME(sweep_face_plane)(l, loops, a, colour, k);
  }
}

static void NAME(gather_plane)(const TYPE(mus_lattice_level) *l, const TYPE(mus_lattice_loops) *loops, int colour,
                               int k) {
  const mus_lattice_domain *d = l->domain;
  const mus_lattice_runs *runs = &d->runs[MUS_LATTICE_RUN_SOLID];
  for (int row = k * d->count[1]; row < (k + 1) * d->count[1]; ++row)
    for (int run = runs->start[row]; run < runs->start[row + 1]; ++run) {
      const int *range = runs->range[run];
      loops->gather(l, (size_t)row * d->stride[1] + (size_t)range[0], range[1] - range[0],
                    NAME(oddness)(d, row, range[0], colour));
    }
}

static void NAME(sweep_cell_plane)(const TYPE(mus_lattice_level) *l, const TYPE(mus_lattice_loops) *loops, int colour,
                                   int k) {
  const mus_lattice_domain *d = l->domain;
  const mus_lattice_runs *runs = &d->runs[MUS_LATTICE_RUN_SWEPT_P];
  const REAL own = 12 + l->inertia, factor = (REAL)CELLS / (6 + l->compressibility * own);
  for (int row = k * d->count[1]; row < (k + 1) * d->count[1]; ++row)
    for (int run = runs->start[row]; run < runs->start[row + 1]; ++run) {
      const int *range = runs->range[run];
      size_t n = (size_t)row * d->stride[1] + (size_t)range[0];
      int odd = NAME(oddness)(d, row, range[0], colour);
      loops->cell_deltas(l, n, range[1] - range[0], odd, factor, own);
      loops->move_cells(l, n, range[1] - range[0], odd);
    }
}

// p of one colour. The deltas of the other colour are gathered first where `gather` says so, and new ones made where
// `make` does. Cells also change displacements of the plane above, so that planes take turns.
static void NAME(sweep_cells)(const TYPE(mus_lattice_level) *l, const TYPE(mus_lattice_loops) *loops, int colour,
                              int gather, int make) {
  const mus_lattice_domain *d = l->domain;
  for (int turn = 0; turn < 2; ++turn) {
    MUS_PARALLEL_FOR_IF(mus_lattice_is_large(d))
    for (int k = turn; k < d->count[2]; k += 2) {
      if (gather)
        NAME(gather_plane)(l, loops, colour, k);
      if (make)
        NAME(sweep_cell_plane)(l, loops, colour, k);
    }
  }
}

void NAME(mus_lattice_sweep)(const TYPE(mus_lattice_level) *l) {
  const TYPE(mus_lattice_loops) *loops = &mus_lattice_kernels_current()->LOOPS;
  for (int a = 0; a < 3; ++a)
    for (int colour = 0; colour < 2; ++colour)
      NAME(sweep_faces)(l, loops, a, colour);
  NAME(sweep_cells)(l, loops, 0, 0, 1);
  NAME(sweep_cells)(l, loops, 1, 1, 1);
  NAME(sweep_cells)(l, loops, 0, 1, 0);
}

#undef LOOPS
