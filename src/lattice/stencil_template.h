// Single equations of a level, for any shape, in one precision; as text for base/both_precisions.h. See level.h.

// sigma_aa in a cell
static inline REAL NAME(normal_stress)(const TYPE(mus_lattice_level) *l, int a, size_t cell) {
  const mus_lattice_domain *d = l->domain;
  if (!mus_lattice_is(d, cell, (uint32_t)MUS_LATTICE_NORMAL << a))
    return 0;
  return 2 * (l->x[a][cell + d->stride[a]] - l->x[a][cell]) - l->x[3][cell];
}

// 0 or 1 on an edge along an axis, whose shear stress is given or computed; on walls more.
static inline REAL NAME(shear_weight)(const TYPE(mus_lattice_level) *l, int axis, size_t cell) {
  uint32_t flags = l->domain->flags[cell];
  if (!(flags & (uint32_t)MUS_LATTICE_SHEAR << axis))
    return 0;
  return flags & (uint32_t)MUS_LATTICE_WALL << axis ? (REAL)l->domain->wall : 1;
}

// sigma_ab on the edge along the third axis
static inline REAL NAME(shear_stress)(const TYPE(mus_lattice_level) *l, int a, int b, size_t cell) {
  const mus_lattice_domain *d = l->domain;
  REAL weight = NAME(shear_weight)(l, 3 - a - b, cell);
  if (weight == 0)
    return 0;
  return weight * ((l->x[a][cell] - l->x[a][cell - d->stride[b]]) + (l->x[b][cell] - l->x[b][cell - d->stride[a]]));
}

// The left-hand side of the equation of u_a on a face that is unknown.
static inline REAL NAME(face_row)(const TYPE(mus_lattice_level) *l, int a, size_t cell) {
  const mus_lattice_domain *d = l->domain;
  int b = (a + 1) % 3, c = (a + 2) % 3;
  REAL sum = NAME(normal_stress)(l, a, cell) - NAME(normal_stress)(l, a, cell - d->stride[a]);
  sum += NAME(shear_stress)(l, a, b, cell + d->stride[b]) - NAME(shear_stress)(l, a, b, cell);
  sum += NAME(shear_stress)(l, a, c, cell + d->stride[c]) - NAME(shear_stress)(l, a, c, cell);
  return sum - l->inertia * l->x[a][cell];
}

// Its diagonal.
static inline REAL NAME(face_diagonal)(const TYPE(mus_lattice_level) *l, int a, size_t cell) {
  const mus_lattice_domain *d = l->domain;
  uint32_t normal = (uint32_t)MUS_LATTICE_NORMAL << a;
  REAL sum = (REAL)(2 * (mus_lattice_is(d, cell, normal) + mus_lattice_is(d, cell - d->stride[a], normal)));
  for (int b = 0; b < 3; ++b)
    if (b != a)
      sum += NAME(shear_weight)(l, 3 - a - b, cell) + NAME(shear_weight)(l, 3 - a - b, cell + d->stride[b]);
  return -sum - l->inertia;
}

// The diagonal D_p of a cell's equation.
static inline REAL NAME(cell_diagonal)(const TYPE(mus_lattice_level) *l, size_t cell) {
  int given = 3;
  for (int a = 0; a < 3; ++a)
    given -= mus_lattice_is(l->domain, cell, (uint32_t)MUS_LATTICE_NORMAL << a);
  return l->compressibility + (REAL)given / 2;
}

// The left-hand side of the equation of p in an interior cell.
static inline REAL NAME(cell_row)(const TYPE(mus_lattice_level) *l, size_t cell) {
  const mus_lattice_domain *d = l->domain;
  REAL sum = 0;
  for (int a = 0; a < 3; ++a)
    if (mus_lattice_is(d, cell, (uint32_t)MUS_LATTICE_NORMAL << a))
      sum += l->x[a][cell + d->stride[a]] - l->x[a][cell];
  return sum + NAME(cell_diagonal)(l, cell) * l->x[3][cell];
}
