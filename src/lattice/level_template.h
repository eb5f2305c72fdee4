// Levels in one precision, as text for base/both_precisions.h. See level.h.
#if SINGLE
#define LOOPS in_single
#else
#define LOOPS in_double
#endif

mus_status NAME(mus_lattice_level_create)(mus_arena *arena, const mus_lattice_domain *domain, double compressibility,
                                          double inertia, TYPE(mus_lattice_level) *out) {
  *out =
      (TYPE(mus_lattice_level)){.domain = domain, .compressibility = (REAL)compressibility, .inertia = (REAL)inertia};
  size_t field = mus_lattice_field(domain);
  REAL *memory = mus_arena_alloc_zero(arena, 13 * field, sizeof(REAL));
  if (!memory)
    return mus_fail_memory();
  for (size_t f = 0; f < 4; ++f) {
    out->x[f] = memory + f * field;
    out->b[f] = memory + (4 + f) * field;
    out->r[f] = memory + (8 + f) * field;
  }
  out->delta = memory + 12 * field;
  return MUS_OK;
}

static void NAME(residuals_of_row)(const TYPE(mus_lattice_level) *l, const TYPE(mus_lattice_loops) *loops, int fields,
                                   int row) {
  const mus_lattice_domain *d = l->domain;
  for (int f = 0; f < fields; ++f) {
    const mus_lattice_runs *runs = &d->runs[MUS_LATTICE_RUN_REGULAR + f];
    for (int run = runs->start[row]; run < runs->start[row + 1]; ++run) {
      int begin = runs->range[run][0], count = runs->range[run][1] - begin;
      size_t n = (size_t)row * d->stride[1] + (size_t)begin;
      if (f < 3)
        loops->face_residuals(l, f, n, count);
      else
        loops->cell_residuals(l, n, count);
    }
  }
}

static void NAME(irregular_residuals)(const TYPE(mus_lattice_level) *l, int fields, size_t n) {
  const mus_lattice_domain *d = l->domain;
  for (int a = 0; a < 3; ++a)
    if (mus_lattice_is(d, n, (uint32_t)MUS_LATTICE_UNKNOWN << a))
      l->r[a][n] = l->b[a][n] - NAME(face_row)(l, a, n);
  if (fields == 4 && mus_lattice_is(d, n, MUS_LATTICE_SOLID))
    l->r[3][n] = l->b[3][n] - NAME(cell_row)(l, n);
}

// Of the first so many fields.
static void NAME(take_residuals)(const TYPE(mus_lattice_level) *l, int fields) {
  const TYPE(mus_lattice_loops) *loops = &mus_lattice_kernels_current()->LOOPS;
  const mus_lattice_domain *d = l->domain;
  MUS_PARALLEL_FOR_IF(mus_lattice_is_large(d))
  for (int row = 0; row < mus_lattice_rows(d); ++row)
    NAME(residuals_of_row)(l, loops, fields, row);
  MUS_PARALLEL_FOR_IF(d->irregular_count >= MUS_PAR_MINIMUM)
  for (int k = 0; k < d->irregular_count; ++k)
    NAME(irregular_residuals)(l, fields, (size_t)d->irregular[k]);
}

void NAME(mus_lattice_residual)(const TYPE(mus_lattice_level) *l) { NAME(take_residuals)(l, 4); }

void NAME(mus_lattice_plane_residual)(const TYPE(mus_lattice_level) *l, int plane) {
  const TYPE(mus_lattice_loops) *loops = &mus_lattice_kernels_current()->LOOPS;
  const mus_lattice_domain *d = l->domain;
  for (int row = plane * d->count[1]; row < (plane + 1) * d->count[1]; ++row)
    NAME(residuals_of_row)(l, loops, 4, row);
  for (int k = d->irregular_start[plane]; k < d->irregular_start[plane + 1]; ++k)
    NAME(irregular_residuals)(l, 4, (size_t)d->irregular[k]);
}

void NAME(mus_lattice_face_residual)(const TYPE(mus_lattice_level) *l) { NAME(take_residuals)(l, 3); }

// A displacement on a face at a free boundary, from sigma_aa in its only interior cell, which is what acts on the face.
static REAL NAME(near_value)(const TYPE(mus_lattice_level) *l, int a, size_t cell) {
  const mus_lattice_domain *d = l->domain;
  size_t above = cell + d->stride[a], below = cell - d->stride[a];
  if (mus_lattice_is(d, cell, MUS_LATTICE_SOLID))
    return l->x[a][above] - (l->x[3][cell] + l->b[a][cell]) / 2;
  return l->x[a][below] + (l->x[3][below] - l->b[a][cell]) / 2;
}

// D_a u_b on the edge between axes a and b at the cell's lower corner; 0 where one of its displacements is nowhere.
static REAL NAME(slope)(const TYPE(mus_lattice_level) *l, int a, int b, size_t cell) {
  const uint32_t value = (uint32_t)(MUS_LATTICE_UNKNOWN | MUS_LATTICE_HELD | MUS_LATTICE_NEAR) << b;
  size_t below = cell - l->domain->stride[a];
  return l->domain->flags[cell] & value && l->domain->flags[below] & value ? l->x[b][cell] - l->x[b][below] : 0;
}

// A displacement half a cell beyond a free boundary, from sigma_ab = 0 there; the mean where there are several.
static REAL NAME(far_value)(const TYPE(mus_lattice_level) *l, int a, size_t cell) {
  const mus_lattice_domain *d = l->domain;
  uint32_t unknown = (uint32_t)MUS_LATTICE_UNKNOWN << a;
  REAL sum = 0;
  int count = 0;
  for (int b = 0; b < 3; ++b) {
    size_t above = cell + d->stride[b], below = cell - d->stride[b];
    if (b != a && mus_lattice_is(d, below, unknown)) {
      sum += l->x[a][below] - NAME(slope)(l, a, b, cell);
      ++count;
    }
    if (b != a && mus_lattice_is(d, above, unknown)) {
      sum += l->x[a][above] + NAME(slope)(l, a, b, above);
      ++count;
    }
  }
  return sum / (REAL)count;
}

void NAME(mus_lattice_extend)(const TYPE(mus_lattice_level) *l) {
  const mus_lattice_domain *d = l->domain;
  MUS_PARALLEL_FOR_IF(d->outer_count >= MUS_PAR_MINIMUM)
  for (int k = 0; k < d->outer_count; ++k)
    for (int a = 0; a < 3; ++a) {
      size_t cell = (size_t)d->outer[k];
      if (mus_lattice_is(d, cell, (uint32_t)MUS_LATTICE_NEAR << a))
        l->x[a][cell] = NAME(near_value)(l, a, cell);
    }
  MUS_PARALLEL_FOR_IF(d->outer_count >= MUS_PAR_MINIMUM)
  for (int k = 0; k < d->outer_count; ++k)
    for (int a = 0; a < 3; ++a) {
      size_t cell = (size_t)d->outer[k];
      if (mus_lattice_is(d, cell, (uint32_t)MUS_LATTICE_FAR << a))
        l->x[a][cell] = NAME(far_value)(l, a, cell);
    }
}

#undef LOOPS
