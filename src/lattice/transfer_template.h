// Transfer in one precision, as text for base/both_precisions.h. See transfer.c.
#if SINGLE
#define LOOPS in_single
#else
#define LOOPS in_double
#endif

// Residuals of a field in three planes of a fine level: that below a coarse plane's, and its two.
typedef struct TYPE(fine_planes) {
  const REAL *r[4][3];
} TYPE(fine_planes);

// The coarse equation of u_a, B^2 along a, B^1 across, and 4 for (2h)^2 in place of h^2, for axes within the planes ...
static REAL NAME(restricted_within)(const REAL *const r[3], size_t low, size_t along, size_t across) {
  REAL sum = 0;
  for (int k = 0; k < 4; ++k) {
    const REAL *at = r[1 + (k & 1)] + low + (k & 2 ? across : 0);
    sum += at[-(ptrdiff_t)along] + 2 * at[0] + at[along];
  }
  return sum / 4;
}

// ... and for the one across them.
static REAL NAME(restricted_across)(const REAL *const r[3], size_t low, size_t row) {
  REAL sum = 0;
  for (int k = 0; k < 4; ++k) {
    size_t n = low + (k & 1 ? 1 : 0) + (k & 2 ? row : 0);
    sum += r[0][n] + 2 * r[1][n] + r[2][n];
  }
  return sum / 4;
}

// The coarse equation of p: B^1 along all axes, and 2 for 2h in place of h.
static REAL NAME(restricted_cell)(const REAL *const r[3], size_t low, size_t row) {
  REAL sum = 0;
  for (int k = 0; k < 8; ++k)
    sum += r[1 + (k >> 2)][low + (k & 1 ? 1 : 0) + (k & 2 ? row : 0)];
  return sum / 4;
}

// A coarse plane: b from the fine planes, and x = 0.
static void NAME(restrict_plane)(const TYPE(fine_planes) *planes, const mus_lattice_domain *from,
                                 const TYPE(mus_lattice_level) *coarse, int plane) {
  const mus_lattice_domain *d = coarse->domain;
  size_t start = (size_t)plane * d->stride[2], row = from->stride[1];
  for (int f = 0; f < 4; ++f)
    memset(coarse->x[f] + start, 0, d->stride[2] * sizeof(REAL));
  for (int j = 0; j < d->count[1]; ++j) {
    int number = plane * d->count[1] + j;
    for (int i = d->begin[number]; i < d->end[number]; ++i) {
      size_t n = start + (size_t)j * d->stride[1] + (size_t)i;
      size_t low = (size_t)(2 * i - from->shift[0]) + (size_t)(2 * j - from->shift[1]) * row;
      if (mus_lattice_is(d, n, MUS_LATTICE_UNKNOWN))
        coarse->b[0][n] = NAME(restricted_within)(planes->r[0], low, 1, row);
      if (mus_lattice_is(d, n, MUS_LATTICE_UNKNOWN << 1))
        coarse->b[1][n] = NAME(restricted_within)(planes->r[1], low, row, 1);
      if (mus_lattice_is(d, n, MUS_LATTICE_UNKNOWN << 2))
        coarse->b[2][n] = NAME(restricted_across)(planes->r[2], low, row);
      if (mus_lattice_is(d, n, MUS_LATTICE_SOLID))
        coarse->b[3][n] = NAME(restricted_cell)(planes->r[3], low, row);
    }
  }
}

// Whether a coarse plane has any equations.
static int NAME(has_equations)(const mus_lattice_domain *d, int plane) {
  for (int row = plane * d->count[1]; row < (plane + 1) * d->count[1]; ++row)
    if (d->begin[row] < d->end[row])
      return 1;
  return 0;
}

// x = 0 in planes without equations.
static void NAME(clear_plane)(const TYPE(mus_lattice_level) *coarse, int plane) {
  for (int f = 0; f < 4; ++f)
    memset(coarse->x[f] + (size_t)plane * coarse->domain->stride[2], 0, coarse->domain->stride[2] * sizeof(REAL));
}

void NAME(mus_lattice_restrict)(const TYPE(mus_lattice_level) *fine, const TYPE(mus_lattice_level) *coarse) {
  const mus_lattice_domain *d = coarse->domain, *from = fine->domain;
  MUS_PARALLEL_FOR_IF(mus_lattice_is_large(d))
  for (int plane = 0; plane < d->count[2]; ++plane) {
    TYPE(fine_planes) planes;
    if (!NAME(has_equations)(d, plane)) {
      NAME(clear_plane)(coarse, plane);
      continue;
    }
    for (int f = 0; f < 4; ++f)
      for (int k = 0; k < 3; ++k)
        planes.r[f][k] = fine->r[f] + (size_t)(2 * plane - from->shift[2] + k - 1) * from->stride[2];
    NAME(restrict_plane)(&planes, from, coarse, plane);
  }
}

// Residuals of a fine plane, into one of four planes of r from `room` on.
static void NAME(residuals_in_room)(const TYPE(mus_lattice_level) *fine, int plane, int room) {
  const mus_lattice_domain *d = fine->domain;
  TYPE(mus_lattice_level) moved = *fine;
  ptrdiff_t offset = (ptrdiff_t)(room + plane % ROOM_PLANES - plane) * (ptrdiff_t)d->stride[2];
  for (int f = 0; f < 4; ++f) {
    memset(fine->r[f] + (size_t)(room + plane % ROOM_PLANES) * d->stride[2], 0, d->stride[2] * sizeof(REAL));
    moved.r[f] = fine->r[f] + offset;
  }
  NAME(mus_lattice_plane_residual)(&moved, plane);
}

// Coarse planes one after the other, with residuals that are not kept: these stay in a cache.
static void NAME(restrict_planes)(const TYPE(mus_lattice_level) *fine, const TYPE(mus_lattice_level) *coarse, int first,
                                  int last) {
  const mus_lattice_domain *d = coarse->domain, *from = fine->domain;
  int room = 2 * first - from->shift[2], done = -1;
  room = room < 0 ? 0 : room > from->count[2] - ROOM_PLANES ? from->count[2] - ROOM_PLANES : room;
  for (int plane = first; plane < last; ++plane) {
    TYPE(fine_planes) planes;
    int low = 2 * plane - from->shift[2];
    if (!NAME(has_equations)(d, plane)) {
      NAME(clear_plane)(coarse, plane);
      continue;
    }
    for (int k = low - 1; k <= low + 1; ++k)
      if (k > done)
        NAME(residuals_in_room)(fine, k, room);
    done = low + 1;
    for (int f = 0; f < 4; ++f)
      for (int k = 0; k < 3; ++k)
        planes.r[f][k] = fine->r[f] + (size_t)(room + (low + k - 1) % ROOM_PLANES) * from->stride[2];
    NAME(restrict_plane)(&planes, from, coarse, plane);
  }
  for (int f = 0; f < 4 && done >= 0; ++f)
    memset(fine->r[f] + (size_t)room * from->stride[2], 0, ROOM_PLANES * from->stride[2] * sizeof(REAL));
}

// Threads share the planes in chunks, each with room in planes of r that no other has.
void NAME(mus_lattice_restrict_residual)(const TYPE(mus_lattice_level) *fine, const TYPE(mus_lattice_level) *coarse) {
  int count = coarse->domain->count[2], threads = mus_lattice_is_large(fine->domain) ? mus_par_threads() : 1;
  int chunk = (count + threads - 1) / threads > LEAST_CHUNK ? (count + threads - 1) / threads : LEAST_CHUNK;
  if (fine->domain->count[2] < 2 * ROOM_PLANES) {
    NAME(mus_lattice_residual)(fine);
    NAME(mus_lattice_restrict)(fine, coarse);
    return;
  }
  MUS_PARALLEL_FOR_IF(threads > 1)
  for (int first = 0; first < count; first += chunk)
    NAME(restrict_planes)(fine, coarse, first, first + chunk < count ? first + chunk : count);
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
