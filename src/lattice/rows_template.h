// Inner loops in one precision, as text for base/both_precisions.h. See rows.h. Vectors may reach beyond the end of a
// row of faces or cells; what they find there is not used.

static inline TYPE(lane_truth) NAME(every_other)(int odd) {
  TYPE(lane_truth) where;
  for (int k = 0; k < LANES; ++k)
    where[k] = (k ^ odd) & 1 ? 0 : -1;
  return where;
}

// b - L x on faces perpendicular to a, all of whose stresses are computed: offsets to their neighbours along a, s, and
// along the other two axes, t and v. `m` and `w` are the displacements along these.
LANE_INLINE TYPE(lane_vector) NAME(regular_faces)(const REAL *b, const REAL *u, const REAL *m, const REAL *w,
                                                  const REAL *p, ptrdiff_t s, ptrdiff_t t, ptrdiff_t v, REAL centre) {
  TYPE(lane_vector) along = 2 * (AT(u + s) + AT(u - s)) - (AT(p) - AT(p - s));
  TYPE(lane_vector) across = (AT(u + t) + AT(u - t)) + (AT(u + v) + AT(u - v));
  TYPE(lane_vector) mixed =
      ((AT(m + t) - AT(m + t - s)) - (AT(m) - AT(m - s))) + ((AT(w + v) - AT(w + v - s)) - (AT(w) - AT(w - s)));
  return AT(b) - (along + across + mixed - centre * AT(u));
}

LANE_INLINE TYPE(lane_vector) NAME(regular_cells)(const REAL *b, const REAL *u, const REAL *m, const REAL *w,
                                                  const REAL *p, ptrdiff_t t, ptrdiff_t v, REAL compressibility) {
  return AT(b) - ((AT(u + 1) - AT(u)) + (AT(m + t) - AT(m)) + (AT(w + v) - AT(w)) + compressibility * AT(p));
}

// Faces of a colour have nothing to do with each other, in a row as elsewhere: each vector moves at once.
LANE_INLINE void NAME(sweep_faces_along)(const TYPE(mus_lattice_level) *l, int a, size_t n, int count, int odd,
                                         REAL factor) {
  const int k = (a + 1) % 3, q = (a + 2) % 3;
  const ptrdiff_t s = (ptrdiff_t)l->domain->stride[a], t = (ptrdiff_t)l->domain->stride[k],
                  v = (ptrdiff_t)l->domain->stride[q];
  const REAL *b = l->b[a] + n, *m = l->x[k] + n, *w = l->x[q] + n, centre = 8 + l->inertia;
  REAL *u = l->x[a] + n, *p = l->x[3] + n;
  const TYPE(lane_truth) where = NAME(every_other)(odd);
  for (int i = 0; i < count; i += LANES) {
    TYPE(lane_vector) delta = factor * NAME(regular_faces)(b + i, u + i, m + i, w + i, p + i, s, t, v, centre);
    delta = (TYPE(lane_vector))((TYPE(lane_truth))delta & where);
    NAME(put)(u + i, AT(u + i) + delta, count - i);
    NAME(put)(p + i, AT(p + i) - delta, count - i);
    NAME(put)(p + i - s, AT(p + i - s) + delta, count - i);
  }
}

static void NAME(sweep_faces)(const TYPE(mus_lattice_level) *l, int a, size_t n, int count, int odd, REAL factor) {
  if (a == 0)
    NAME(sweep_faces_along)(l, 0, n, count, odd, factor);
  else if (a == 1)
    NAME(sweep_faces_along)(l, 1, n, count, odd, factor);
  else
    NAME(sweep_faces_along)(l, 2, n, count, odd, factor);
}

static void NAME(sweep_cells)(const TYPE(mus_lattice_level) *l, size_t n, int count, int odd, REAL factor, REAL own,
                              REAL *delta) {
  const ptrdiff_t t = (ptrdiff_t)l->domain->stride[1], v = (ptrdiff_t)l->domain->stride[2];
  const REAL *b = l->b[3] + n, c = l->compressibility;
  REAL *u = l->x[0] + n, *m = l->x[1] + n, *w = l->x[2] + n, *p = l->x[3] + n;
  const TYPE(lane_truth) where = NAME(every_other)(odd);
  for (int i = 0; i < count; i += LANES) {
    TYPE(lane_vector) value = factor * NAME(regular_cells)(b + i, u + i, m + i, w + i, p + i, t, v, c);
    value = (TYPE(lane_vector))((TYPE(lane_truth))value & where);
    TYPE(lane_truth) both = (TYPE(lane_truth))value | ((TYPE(lane_truth))AT(delta + i) & ~where);
    NAME(put)(delta + i, (TYPE(lane_vector))both, count - i);
    NAME(put)(p + i, AT(p + i) + own * value, count - i);
    NAME(put)(u + i, AT(u + i) - value, count - i);
    NAME(put)(u + i + 1, AT(u + i + 1) + value, count - i);
    NAME(put)(m + i, AT(m + i) - value, count - i);
    NAME(put)(m + i + t, AT(m + i + t) + value, count - i);
    NAME(put)(w + i, AT(w + i) - value, count - i);
    NAME(put)(w + i + v, AT(w + i + v) + value, count - i);
  }
}

static void NAME(gather)(const TYPE(mus_lattice_level) *l, size_t n, int count, int odd, const REAL *below,
                         const REAL *delta, const REAL *above) {
  const ptrdiff_t t = (ptrdiff_t)l->domain->stride[1];
  REAL *p = l->x[3] + n;
  const TYPE(lane_truth) where = NAME(every_other)(odd);
  for (int i = 0; i < count; i += LANES) {
    const REAL *at = delta + i;
    TYPE(lane_vector) sum = ((AT(at - 1) + AT(at + 1)) + (AT(at - t) + AT(at + t))) + (AT(below + i) + AT(above + i));
    sum = (TYPE(lane_vector))((TYPE(lane_truth))(2 * sum) & where);
    NAME(put)(p + i, AT(p + i) - sum, count - i);
  }
}

static void NAME(face_residuals)(const TYPE(mus_lattice_level) *l, int a, size_t n, int count) {
  const int k = (a + 1) % 3, q = (a + 2) % 3;
  const ptrdiff_t s = (ptrdiff_t)l->domain->stride[a], t = (ptrdiff_t)l->domain->stride[k],
                  v = (ptrdiff_t)l->domain->stride[q];
  const REAL *b = l->b[a] + n, *u = l->x[a] + n, *m = l->x[k] + n, *w = l->x[q] + n, *p = l->x[3] + n;
  const REAL centre = 8 + l->inertia;
  REAL *r = l->r[a] + n;
  for (int i = 0; i < count; i += LANES)
    NAME(put)(r + i, NAME(regular_faces)(b + i, u + i, m + i, w + i, p + i, s, t, v, centre), count - i);
}

static void NAME(cell_residuals)(const TYPE(mus_lattice_level) *l, size_t n, int count) {
  const ptrdiff_t t = (ptrdiff_t)l->domain->stride[1], v = (ptrdiff_t)l->domain->stride[2];
  const REAL *b = l->b[3] + n, *u = l->x[0] + n, *m = l->x[1] + n, *w = l->x[2] + n, *p = l->x[3] + n;
  REAL *r = l->r[3] + n;
  for (int i = 0; i < count; i += LANES)
    NAME(put)(r + i, NAME(regular_cells)(b + i, u + i, m + i, w + i, p + i, t, v, l->compressibility), count - i);
}

static void NAME(settle_cells)(const TYPE(mus_lattice_level) *l, size_t n, int count, REAL factor) {
  const ptrdiff_t t = (ptrdiff_t)l->domain->stride[1], v = (ptrdiff_t)l->domain->stride[2];
  const REAL *b = l->b[3] + n, *u = l->x[0] + n, *m = l->x[1] + n, *w = l->x[2] + n;
  REAL *p = l->x[3] + n;
  for (int i = 0; i < count; i += LANES)
    NAME(put)(p + i, factor * NAME(regular_cells)(b + i, u + i, m + i, w + i, b + i, t, v, 0), count - i);
}

enum { NAME(ROW_OF_PARENTS) = 256 }; // at a time

// One fine face or two of each parent, which lie as `low` and `high` say between its value and that before or behind.
static inline void NAME(spread_parents)(const REAL *restrict parent, int along, int odd, int count, REAL *restrict to) {
  const REAL near = along ? 1 : (REAL)0.75, before = along ? 0 : (REAL)0.25;
  const REAL own = along ? (REAL)0.5 : (REAL)0.75, behind = along ? (REAL)0.5 : (REAL)0.25;
  if (odd && count > 0)
    *to++ += own * parent[0] + behind * parent[1];
  parent += odd;
  count -= odd;
  for (int q = 0; q < count / 2; ++q) {
    to[2 * q] += near * parent[q] + before * parent[q - 1];
    to[2 * q + 1] += own * parent[q] + behind * parent[q + 1];
  }
  if (count > 0 && count % 2)
    to[count - 1] += near * parent[count / 2] + before * parent[count / 2 - 1];
}

static void NAME(prolong_faces)(const REAL *const from[4], const REAL weight[4], int along, int odd, int count,
                                REAL *to) {
  REAL row[NAME(ROW_OF_PARENTS) + 4];
  for (int first = 0; first < count;) {
    int offset = (first + odd) / 2, rest = count - first;
    int some = rest < 2 * NAME(ROW_OF_PARENTS) ? rest : 2 * NAME(ROW_OF_PARENTS) - odd;
    const REAL *r0 = from[0] + offset, *r1 = from[1] + offset, *r2 = from[2] + offset, *r3 = from[3] + offset;
    for (int i = -1; i < (some + odd) / 2 + 1; ++i)
      row[i + 1] = (weight[0] * r0[i] + weight[1] * r1[i]) + (weight[2] * r2[i] + weight[3] * r3[i]);
    NAME(spread_parents)(row + 1, along, odd, some, to + first);
    first += some;
    odd = 0;
  }
}

static void NAME(prolong_cells)(const REAL *from, int odd, int count, REAL *to) {
  if (odd && count > 0)
    *to++ += *from / 2;
  from += odd;
  count -= odd;
  for (int q = 0; q < count / 2; ++q) {
    to[2 * q] += from[q] / 2;
    to[2 * q + 1] += from[q] / 2;
  }
  if (count > 0 && count % 2)
    to[count - 1] += from[count / 2] / 2;
}
