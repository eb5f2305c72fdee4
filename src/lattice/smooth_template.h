// Distributive smoothing in one precision, as text for base/both_precisions.h. See smooth.c.

// Whether a face or a cell at the number n in a row has the colour.
static inline size_t NAME(first_of_colour)(const mus_lattice_domain *d, int row, int colour) {
  int j = row % d->count[1], k = row / d->count[1];
  return (size_t)d->begin[row] + (size_t)((d->begin[row] + j + k + colour) & 1);
}

// u_a of one colour: u_a += delta, p += div of that.
static void NAME(sweep_faces)(const TYPE(mus_lattice_level) *l, int a, int colour) {
  const mus_lattice_domain *d = l->domain;
  const REAL inverse = -(REAL)FACES / (6 + l->inertia);
  const uint32_t swept = (uint32_t)MUS_LATTICE_SWEPT << a;
  MUS_PARALLEL_FOR_IF(mus_lattice_is_large(d))
  for (int row = 0; row < mus_lattice_rows(d); ++row) {
    size_t first = (size_t)row * d->stride[1];
    for (size_t n = first + NAME(first_of_colour)(d, row, colour); n < first + (size_t)d->end[row]; n += 2) {
      if (!mus_lattice_is(d, n, swept))
        continue;
      REAL delta = (l->b[a][n] - NAME(face_row)(l, a, n)) * inverse;
      l->x[a][n] += delta;
      l->x[3][n] -= delta;
      l->x[3][n - d->stride[a]] += delta;
    }
  }
}

// -2 times the neighbours' part of the Laplacian of delta
static inline REAL NAME(from_neighbours)(const mus_lattice_domain *d, const REAL *delta, size_t n) {
  REAL sum = 0;
  for (int a = 0; a < 3; ++a)
    sum += delta[n - d->stride[a]] + delta[n + d->stride[a]];
  return -2 * sum;
}

// p of one colour, in which each face and each neighbour's pressure that changes is met once: the deltas of the other
// colour are gathered first where `gather` says so, and new ones made where `make` does.
static void NAME(sweep_cells)(const TYPE(mus_lattice_level) *l, int colour, int gather, int make) {
  const mus_lattice_domain *d = l->domain;
  const REAL own = 12 + l->inertia, inverse = (REAL)CELLS / (6 + l->compressibility * own);
  REAL *delta = l->r[3];
  MUS_PARALLEL_FOR_IF(mus_lattice_is_large(d))
  for (int row = 0; row < mus_lattice_rows(d); ++row) {
    size_t first = (size_t)row * d->stride[1];
    for (size_t n = first + NAME(first_of_colour)(d, row, colour); n < first + (size_t)d->end[row]; n += 2) {
      if (!mus_lattice_is(d, n, MUS_LATTICE_SOLID))
        continue;
      if (gather)
        l->x[3][n] += NAME(from_neighbours)(d, delta, n);
      if (!make || !mus_lattice_is(d, n, MUS_LATTICE_SWEPT_P))
        continue;
      delta[n] = (l->b[3][n] - NAME(cell_row)(l, n)) * inverse;
      l->x[3][n] += own * delta[n];
      for (int a = 0; a < 3; ++a) {
        l->x[a][n] -= delta[n];
        l->x[a][n + d->stride[a]] += delta[n];
      }
    }
  }
}

void NAME(mus_lattice_sweep)(const TYPE(mus_lattice_level) *l) {
  for (int a = 0; a < 3; ++a)
    for (int colour = 0; colour < 2; ++colour)
      NAME(sweep_faces)(l, a, colour);
  memset(l->r[3], 0, l->domain->cells * sizeof(REAL));
  NAME(sweep_cells)(l, 0, 0, 1);
  NAME(sweep_cells)(l, 1, 1, 1);
  NAME(sweep_cells)(l, 0, 1, 0);
}
