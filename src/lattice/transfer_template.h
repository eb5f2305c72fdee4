// Transfer in one precision, as text for base/both_precisions.h. See transfer.c.

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

// Where a face lies between coarse ones, along an axis: the two that are nearest, and the weight of the second.
typedef struct TYPE(between) {
  size_t at[2];
  REAL weight[2];
} TYPE(between);

static TYPE(between) NAME(place)(int fine, int shift, int is_normal, size_t stride) {
  size_t parent = (size_t)((fine + shift) / 2), upper = (size_t)((fine + shift) & 1);
  if (is_normal)
    return (TYPE(between)){{parent * stride, (parent + upper) * stride}, {(REAL)0.5, (REAL)0.5}};
  return (TYPE(between)){{parent * stride, (parent + 2 * upper - 1) * stride}, {(REAL)0.75, (REAL)0.25}};
}

// What coarse displacements are on a fine face, where these have values.
static REAL NAME(prolonged_face)(const TYPE(mus_lattice_level) *coarse, int a, const TYPE(between) *places) {
  const uint32_t value = (uint32_t)(MUS_LATTICE_UNKNOWN | MUS_LATTICE_HELD | MUS_LATTICE_NEAR | MUS_LATTICE_FAR) << a;
  REAL sum = 0, total = 0;
  for (int k = 0; k < 8; ++k) {
    size_t n = places[0].at[k & 1] + places[1].at[k >> 1 & 1] + places[2].at[k >> 2];
    REAL weight = places[0].weight[k & 1] * places[1].weight[k >> 1 & 1] * places[2].weight[k >> 2];
    if (!(coarse->domain->flags[n] & value))
      continue;
    sum += weight * coarse->x[a][n];
    total += weight;
  }
  return total > 0 ? sum / total : 0;
}

void NAME(mus_lattice_prolong)(const TYPE(mus_lattice_level) *coarse, const TYPE(mus_lattice_level) *fine) {
  const mus_lattice_domain *d = fine->domain, *from = coarse->domain;
  MUS_PARALLEL_FOR_IF(mus_lattice_is_large(d))
  for (int row = 0; row < mus_lattice_rows(d); ++row) {
    int at[3] = {0, row % d->count[1], row / d->count[1]};
    for (int i = d->begin[row]; i < d->end[row]; ++i) {
      size_t n = (size_t)row * d->stride[1] + (size_t)i, parent = 0;
      at[0] = i;
      for (int a = 0; a < 3; ++a) {
        TYPE(between) places[3];
        parent += (size_t)((at[a] + d->shift[a]) / 2) * from->stride[a];
        if (!mus_lattice_is(d, n, (uint32_t)MUS_LATTICE_UNKNOWN << a))
          continue;
        for (int b = 0; b < 3; ++b)
          places[b] = NAME(place)(at[b], d->shift[b], a == b, from->stride[b]);
        fine->x[a][n] += NAME(prolonged_face)(coarse, a, places);
      }
      if (mus_lattice_is(d, n, MUS_LATTICE_SOLID))
        fine->x[3][n] += coarse->x[3][parent] / 2;
    }
  }
}
