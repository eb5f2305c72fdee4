// Transfer in one precision, as text for base/both_precisions.h. See transfer.c.
#if SINGLE
#define LOOPS in_single
#else
#define LOOPS in_double
#endif

// The coarse equation of u_a: B^2 along a, B^1 across, and 4 for (2h)^2 in place of h^2.
static REAL NAME(restricted_face)(const TYPE(mus_lattice_level) *fine, int a, size_t low) {
  const size_t *stride = fine->domain->stride, s = stride[a], t = stride[(a + 1) % 3], v = stride[(a + 2) % 3];
  const REAL *r = fine->r[a];
  REAL sum = 0;
  for (int k = 0; k < 4; ++k) {
    size_t n = low + (k & 1 ? t : 0) + (k & 2 ? v : 0);
    sum += r[n - s] + 2 * r[n] + r[n + s];
  }
  return sum / 4;
}

// The coarse equation of p: B^1 along all axes, and 2 for 2h in place of h.
static REAL NAME(restricted_cell)(const TYPE(mus_lattice_level) *fine, size_t low) {
  const size_t *stride = fine->domain->stride;
  REAL sum = 0;
  for (int k = 0; k < 8; ++k)
    sum += fine->r[3][low + (k & 1 ? stride[0] : 0) + (k & 2 ? stride[1] : 0) + (k & 4 ? stride[2] : 0)];
  return sum / 4;
}

void NAME(mus_lattice_restrict)(const TYPE(mus_lattice_level) *fine, const TYPE(mus_lattice_level) *coarse) {
  const mus_lattice_domain *d = coarse->domain, *from = fine->domain;
  for (int f = 0; f < 4; ++f)
    memset(coarse->x[f], 0, d->cells * sizeof(REAL));
  MUS_PARALLEL_FOR_IF(mus_lattice_is_large(d))
  for (int row = 0; row < mus_lattice_rows(d); ++row) {
    int j = 2 * (row % d->count[1]) - from->shift[1], k = 2 * (row / d->count[1]) - from->shift[2];
    for (int i = d->begin[row]; i < d->end[row]; ++i) {
      size_t n = (size_t)row * d->stride[1] + (size_t)i;
      size_t low = (size_t)(2 * i - from->shift[0]) + (size_t)j * from->stride[1] + (size_t)k * from->stride[2];
      for (int a = 0; a < 3; ++a)
        if (mus_lattice_is(d, n, (uint32_t)MUS_LATTICE_UNKNOWN << a))
          coarse->b[a][n] = NAME(restricted_face)(fine, a, low);
      if (mus_lattice_is(d, n, MUS_LATTICE_SOLID))
        coarse->b[3][n] = NAME(restricted_cell)(fine, low);
    }
  }
}

// Where a face lies between coarse ones, along an axis: the two that are nearest, and their weights.
typedef struct TYPE(between) {
  size_t at[2];
  REAL weight[2];
} TYPE(between);

static TYPE(between) NAME(place)(const mus_lattice_domain *d, int fine, int axis, int is_normal) {
  int parent = (fine + d->shift[axis]) / 2, upper = (fine + d->shift[axis]) & 1;
  size_t stride = d->coarse->stride[axis];
  const REAL own = !is_normal ? (REAL)0.75 : upper ? (REAL)0.5 : 1;
  return (TYPE(between)){
      {(size_t)parent * stride, (size_t)(parent + mus_lattice_other_parent(upper, is_normal)) * stride},
      {own, 1 - own}};
}

// What the mean over coarse displacements that have values is on a fine face more than over all.
static REAL NAME(lack)(const TYPE(mus_lattice_level) *coarse, int a, const TYPE(between) *places) {
  const uint32_t value = (uint32_t)(MUS_LATTICE_UNKNOWN | MUS_LATTICE_HELD | MUS_LATTICE_NEAR | MUS_LATTICE_FAR) << a;
  REAL sum = 0, total = 0, all = 0;
  for (int k = 0; k < 8; ++k) {
    size_t n = places[0].at[k & 1] + places[1].at[k >> 1 & 1] + places[2].at[k >> 2];
    REAL weight = places[0].weight[k & 1] * places[1].weight[k >> 1 & 1] * places[2].weight[k >> 2];
    all += weight * coarse->x[a][n];
    if (!(coarse->domain->flags[n] & value))
      continue;
    sum += weight * coarse->x[a][n];
    total += weight;
  }
  return (total > 0 ? sum / total : 0) - all;
}

// A row of faces perpendicular to an axis.
static void NAME(prolong_row)(const TYPE(mus_lattice_level) *coarse, const TYPE(mus_lattice_level) *fine,
                              const TYPE(mus_lattice_loops) *loops, int a, int row) {
  const mus_lattice_domain *d = fine->domain;
  const mus_lattice_runs *runs = &d->runs[MUS_LATTICE_RUN_UNKNOWN + a];
  if (runs->start[row] == runs->start[row + 1])
    return;
  TYPE(between) y = NAME(place)(d, row % d->count[1], 1, a == 1), z = NAME(place)(d, row / d->count[1], 2, a == 2);
  for (int run = runs->start[row]; run < runs->start[row + 1]; ++run) {
    int begin = runs->range[run][0], count = runs->range[run][1] - begin, parent = begin + d->shift[0];
    const REAL *from[4];
    REAL weight[4];
    for (int k = 0; k < 4; ++k) {
      from[k] = coarse->x[a] + y.at[k & 1] + z.at[k >> 1] + parent / 2;
      weight[k] = y.weight[k & 1] * z.weight[k >> 1];
    }
    loops->prolong_faces(from, weight, a == 0, parent & 1, count,
                         fine->x[a] + (size_t)row * d->stride[1] + (size_t)begin);
  }
}

static void NAME(prolong_pressures)(const TYPE(mus_lattice_level) *coarse, const TYPE(mus_lattice_level) *fine,
                                    const TYPE(mus_lattice_loops) *loops, int row) {
  const mus_lattice_domain *d = fine->domain, *from = coarse->domain;
  const mus_lattice_runs *runs = &d->runs[MUS_LATTICE_RUN_SOLID];
  size_t at = (size_t)((row % d->count[1] + d->shift[1]) / 2) * from->stride[1] +
              (size_t)((row / d->count[1] + d->shift[2]) / 2) * from->stride[2];
  for (int run = runs->start[row]; run < runs->start[row + 1]; ++run) {
    int begin = runs->range[run][0], count = runs->range[run][1] - begin, parent = begin + d->shift[0];
    loops->prolong_cells(coarse->x[3] + at + parent / 2, parent & 1, count,
                         fine->x[3] + (size_t)row * d->stride[1] + (size_t)begin);
  }
}

void NAME(mus_lattice_prolong)(const TYPE(mus_lattice_level) *coarse, const TYPE(mus_lattice_level) *fine) {
  const TYPE(mus_lattice_loops) *loops = &mus_lattice_kernels_current()->LOOPS;
  const mus_lattice_domain *d = fine->domain;
  MUS_PARALLEL_FOR_IF(mus_lattice_is_large(d))
  for (int row = 0; row < mus_lattice_rows(d); ++row) {
    for (int a = 0; a < 3; ++a)
      NAME(prolong_row)(coarse, fine, loops, a, row);
    NAME(prolong_pressures)(coarse, fine, loops, row);
  }
  MUS_PARALLEL_FOR_IF(d->partial_count >= MUS_PAR_MINIMUM)
  for (int k = 0; k < d->partial_count; ++k) {
    const mus_lattice_face *face = &d->partial[k];
    const size_t n = (size_t)face->cell;
    const int a = face->axis,
              at[3] = {(int)(n % d->stride[1]), (int)(n % d->stride[2] / d->stride[1]), (int)(n / d->stride[2])};
    TYPE(between) places[3];
    for (int b = 0; b < 3; ++b)
      places[b] = NAME(place)(d, at[b], b, a == b);
    fine->x[a][n] += NAME(lack)(coarse, a, places);
  }
}

#undef LOOPS
