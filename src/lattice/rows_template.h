// Inner loops in one precision, as text for base/both_precisions.h. See rows.h.

// b - L x on a face perpendicular to a, all of whose stresses are computed: offsets to its neighbours along a, s, and
// along the other two axes, t and v. `m` and `w` are the displacements along these.
static inline REAL NAME(regular_face)(const REAL *b, const REAL *u, const REAL *m, const REAL *w, const REAL *p,
                                      ptrdiff_t s, ptrdiff_t t, ptrdiff_t v, REAL centre) {
  REAL along = 2 * (u[s] + u[-s]) - (p[0] - p[-s]);
  REAL across = (u[t] + u[-t]) + (u[v] + u[-v]);
  REAL mixed = ((m[t] - m[t - s]) - (m[0] - m[-s])) + ((w[v] - w[v - s]) - (w[0] - w[-s]));
  return b[0] - (along + across + mixed - centre * u[0]);
}

static inline REAL NAME(regular_cell)(const REAL *b, const REAL *u, const REAL *m, const REAL *w, const REAL *p,
                                      ptrdiff_t t, ptrdiff_t v, REAL compressibility) {
  return b[0] - ((u[1] - u[0]) + (m[t] - m[0]) + (w[v] - w[0]) + compressibility * p[0]);
}

static void NAME(face_deltas)(const TYPE(mus_lattice_level) *l, int a, size_t n, int count, int odd, REAL factor,
                              REAL *restrict delta) {
  const int k = (a + 1) % 3, q = (a + 2) % 3;
  const ptrdiff_t s = (ptrdiff_t)l->domain->stride[a], t = (ptrdiff_t)l->domain->stride[k],
                  v = (ptrdiff_t)l->domain->stride[q];
  const REAL *b = l->b[a] + n, *u = l->x[a] + n, *m = l->x[k] + n, *w = l->x[q] + n, *p = l->x[3] + n;
  const REAL centre = 8 + l->inertia;
  for (int i = 0; i < count; ++i) {
    REAL value = factor * NAME(regular_face)(b + i, u + i, m + i, w + i, p + i, s, t, v, centre);
    delta[i] = (i ^ odd) & 1 ? 0 : value;
  }
}

static void NAME(move_faces)(const TYPE(mus_lattice_level) *l, int a, size_t n, int count, const REAL *restrict delta) {
  REAL *restrict u = l->x[a] + n, *restrict p = l->x[3] + n, *restrict below = p - l->domain->stride[a];
  for (int i = 0; i < count; ++i)
    u[i] += delta[i];
  for (int i = 0; i < count; ++i)
    p[i] -= delta[i];
  for (int i = 0; i < count; ++i)
    below[i] += delta[i];
}

static void NAME(cell_deltas)(const TYPE(mus_lattice_level) *l, size_t n, int count, int odd, REAL factor, REAL own) {
  const ptrdiff_t t = (ptrdiff_t)l->domain->stride[1], v = (ptrdiff_t)l->domain->stride[2];
  const REAL *b = l->b[3] + n, *u = l->x[0] + n, *m = l->x[1] + n, *w = l->x[2] + n, c = l->compressibility;
  REAL *restrict p = l->x[3] + n, *restrict delta = l->delta + n;
  for (int i = 0; i < count; ++i) {
    REAL value = factor * NAME(regular_cell)(b + i, u + i, m + i, w + i, p + i, t, v, c);
    delta[i] = (i ^ odd) & 1 ? delta[i] : value;
    p[i] += (i ^ odd) & 1 ? 0 : own * value;
  }
}

static void NAME(move_cells)(const TYPE(mus_lattice_level) *l, size_t n, int count, int odd) {
  const REAL *restrict delta = l->delta + n;
  for (int a = 0; a < 3; ++a) {
    REAL *restrict u = l->x[a] + n, *restrict above = u + l->domain->stride[a];
    for (int i = 0; i < count; ++i)
      u[i] -= (i ^ odd) & 1 ? 0 : delta[i];
    for (int i = 0; i < count; ++i)
      above[i] += (i ^ odd) & 1 ? 0 : delta[i];
  }
}

static void NAME(gather)(const TYPE(mus_lattice_level) *l, size_t n, int count, int odd) {
  const ptrdiff_t t = (ptrdiff_t)l->domain->stride[1], v = (ptrdiff_t)l->domain->stride[2];
  const REAL *delta = l->delta + n;
  REAL *restrict p = l->x[3] + n;
  for (int i = 0; i < count; ++i) {
    const REAL *at = delta + i;
    REAL sum = ((at[-1] + at[1]) + (at[-t] + at[t])) + (at[-v] + at[v]);
    p[i] -= (i ^ odd) & 1 ? 0 : 2 * sum;
  }
}

static void NAME(face_residuals)(const TYPE(mus_lattice_level) *l, int a, size_t n, int count) {
  const int k = (a + 1) % 3, q = (a + 2) % 3;
  const ptrdiff_t s = (ptrdiff_t)l->domain->stride[a], t = (ptrdiff_t)l->domain->stride[k],
                  v = (ptrdiff_t)l->domain->stride[q];
  const REAL *b = l->b[a] + n, *u = l->x[a] + n, *m = l->x[k] + n, *w = l->x[q] + n, *p = l->x[3] + n;
  const REAL centre = 8 + l->inertia;
  REAL *restrict r = l->r[a] + n;
  for (int i = 0; i < count; ++i)
    r[i] = NAME(regular_face)(b + i, u + i, m + i, w + i, p + i, s, t, v, centre);
}

static void NAME(cell_residuals)(const TYPE(mus_lattice_level) *l, size_t n, int count) {
  const ptrdiff_t t = (ptrdiff_t)l->domain->stride[1], v = (ptrdiff_t)l->domain->stride[2];
  const REAL *b = l->b[3] + n, *u = l->x[0] + n, *m = l->x[1] + n, *w = l->x[2] + n, *p = l->x[3] + n;
  REAL *restrict r = l->r[3] + n;
  for (int i = 0; i < count; ++i)
    r[i] = NAME(regular_cell)(b + i, u + i, m + i, w + i, p + i, t, v, l->compressibility);
}
