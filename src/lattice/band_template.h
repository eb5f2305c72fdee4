// Smoothing near boundaries in one precision, as text for base/both_precisions.h. See band.c.

// Constants of a sweep: the inverse of each diagonal that a face may have, from the number of its edges on walls and
// its weight; 0 for faces that stay.
typedef struct TYPE(box_constants) {
  REAL inverse[5][16];
  REAL compressibility, inertia;
  REAL more; // by how much shear on walls counts more
} TYPE(box_constants);

static TYPE(box_constants) NAME(make_constants)(const TYPE(mus_lattice_level) *l) {
  TYPE(box_constants)
  c = {.compressibility = l->compressibility, .inertia = l->inertia, .more = (REAL)(l->domain->wall - 1)};
  for (int walls = 0; walls < 5; ++walls)
    for (int weight = 1; weight < 16; ++weight)
      c.inverse[walls][weight] = -1 / ((REAL)weight + (REAL)walls * c.more + l->inertia);
  return c;
}

// 1 or 0: a stress is computed, or given.
static inline REAL NAME(bit)(uint32_t bits, int place) { return (REAL)(bits >> place & 1); }

// The stresses around a cell: along each axis that in the cell below, in it and above, and those on its twelve edges.
static inline void NAME(box_stress)(const TYPE(mus_lattice_level) *l, size_t cell, uint32_t bits, uint32_t walls,
                                    REAL more, REAL normal[3][3], REAL shear[3][4]) {
  const REAL *p = l->x[3] + cell;
  for (int a = 0; a < 3; ++a) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    const ptrdiff_t s = (ptrdiff_t)l->domain->stride[a], t = (ptrdiff_t)l->domain->stride[b],
                    v = (ptrdiff_t)l->domain->stride[c];
    const REAL *u = l->x[a] + cell, *m = l->x[b] + cell, *w = l->x[c] + cell;
    for (int k = 0; k < 3; ++k)
      normal[a][k] =
          NAME(bit)(bits, MUS_LATTICE_BOX_NORMAL + 3 * a + k) * (2 * (u[k * s] - u[(k - 1) * s]) - p[(k - 1) * s]);
    for (int k = 0; k < 4; ++k) {
      const ptrdiff_t at = (k & 1 ? t : 0) + (k & 2 ? v : 0);
      shear[a][k] = NAME(bit)(bits, MUS_LATTICE_BOX_SHEAR + 4 * a + k) * ((m[at] - m[at - v]) + (w[at] - w[at - t]));
      if (walls)
        shear[a][k] *= 1 + NAME(bit)(walls, MUS_LATTICE_BOX_WALL + 4 * a + k) * more;
    }
  }
}

// The faces and the pressure of a cell, all at once, with the diagonal of L_u.
static inline void NAME(relax_box)(const TYPE(mus_lattice_level) *l, const TYPE(box_constants) *constants, size_t cell,
                                   uint32_t bits, uint32_t weights, uint32_t walls) {
  const size_t *stride = l->domain->stride;
  REAL normal[3][3], shear[3][4], residual[6], inverse[6], *p = l->x[3] + cell;
  REAL right = l->b[3][cell] - constants->compressibility * *p, diagonal = constants->compressibility;
  NAME(box_stress)(l, cell, bits, walls, constants->more, normal, shear);
  for (int a = 0; a < 3; ++a) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    const REAL computed = NAME(bit)(bits, MUS_LATTICE_BOX_NORMAL + 3 * a + 1);
    const REAL *u = l->x[a] + cell;
    for (int k = 0; k < 2; ++k) { // on edges along b, axis a is the later one, along c the earlier
      const size_t n = k ? stride[a] : 0;
      REAL sum =
          (normal[a][k + 1] - normal[a][k]) + (shear[b][2 * k + 1] - shear[b][2 * k]) + (shear[c][k + 2] - shear[c][k]);
      inverse[2 * a + k] =
          constants->inverse[walls >> (MUS_LATTICE_BOX_WALLS + 3 * (2 * a + k)) & 7][weights >> 4 * (2 * a + k) & 15];
      residual[2 * a + k] = l->b[a][cell + n] - (sum - constants->inertia * u[n]);
    }
    REAL lower = residual[2 * a] * inverse[2 * a], upper = residual[2 * a + 1] * inverse[2 * a + 1];
    right -= computed * ((u[stride[a]] - u[0]) + (upper - lower)) + (1 - computed) / 2 * *p;
    diagonal += (1 - computed) / 2 - computed * (inverse[2 * a] + inverse[2 * a + 1]);
  }
  const REAL pressure = right / diagonal;
  *p += pressure;
  for (int a = 0; a < 3; ++a) {
    const REAL push = NAME(bit)(bits, MUS_LATTICE_BOX_NORMAL + 3 * a + 1) * pressure;
    l->x[a][cell] += (residual[2 * a] + push) * inverse[2 * a];
    l->x[a][cell + stride[a]] += (residual[2 * a + 1] - push) * inverse[2 * a + 1];
  }
}

// The cells of a block, in their order or from the last to the first.
static void NAME(relax_block)(const TYPE(mus_lattice_level) *l, const TYPE(box_constants) *constants,
                              const mus_lattice_list *list, int block, int backward) {
  int first = list->block[block], last = list->block[block + 1] - 1;
  for (int k = 0; k <= last - first; ++k) {
    int at = backward ? last - k : first + k;
    if (list->walls)
      NAME(relax_box)(l, constants, (size_t)list->cell[at], list->stresses[at], list->weights[at], list->walls[at]);
    else
      NAME(relax_box)(l, constants, (size_t)list->cell[at], list->stresses[at], list->weights[at], 0);
  }
}

void NAME(mus_lattice_sweep_band)(const TYPE(mus_lattice_level) *l, const mus_lattice_list *list, int sweeps,
                                  int backward) {
  const TYPE(box_constants) constants = NAME(make_constants)(l);
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (int g = 0; g < MUS_LATTICE_GROUPS; ++g) {
      int group = backward ? MUS_LATTICE_GROUPS - 1 - g : g;
      int start = list->start[group], end = list->start[group + 1];
      MUS_PARALLEL_FOR_IF(end - start >= BLOCKS_LARGE)
      for (int block = start; block < end; ++block)
        NAME(relax_block)(l, &constants, list, block, backward);
    }
}
