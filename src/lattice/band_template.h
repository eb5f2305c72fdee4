// Smoothing near boundaries in one precision, as text for base/both_precisions.h. See band.c.

// The faces and the pressure of a cell, all at once, with the diagonal of L_u.
static void NAME(relax_box)(const TYPE(mus_lattice_level) *l, size_t cell) {
  const mus_lattice_domain *d = l->domain;
  REAL residual[6], inverse[6], sign[6];
  REAL right = l->b[3][cell] - NAME(cell_row)(l, cell), diagonal = NAME(cell_diagonal)(l, cell);
  for (int f = 0; f < 6; ++f) {
    int a = f / 2;
    size_t n = f % 2 ? cell + d->stride[a] : cell;
    REAL own = mus_lattice_is(d, n, (uint32_t)MUS_LATTICE_UNKNOWN << a) ? NAME(face_diagonal)(l, a, n) : 0;
    inverse[f] = own < 0 ? 1 / own : 0;
    residual[f] = own < 0 ? l->b[a][n] - NAME(face_row)(l, a, n) : 0;
    sign[f] = mus_lattice_is(d, cell, (uint32_t)MUS_LATTICE_NORMAL << a) ? (REAL)(f % 2 ? 1 : -1) : 0;
    right -= sign[f] * residual[f] * inverse[f];
    diagonal -= sign[f] * sign[f] * inverse[f];
  }
  REAL pressure = right / diagonal;
  l->x[3][cell] += pressure;
  for (int f = 0; f < 6; ++f) {
    size_t n = f % 2 ? cell + d->stride[f / 2] : cell;
    l->x[f / 2][n] += (residual[f] - sign[f] * pressure) * inverse[f];
  }
}

// The cells of a block, in their order or from the last to the first.
static void NAME(relax_block)(const TYPE(mus_lattice_level) *l, const mus_lattice_list *list, int block, int backward) {
  int first = list->block[block], last = list->block[block + 1] - 1;
  for (int k = 0; k <= last - first; ++k)
    NAME(relax_box)(l, (size_t)list->cell[backward ? last - k : first + k]);
}

void NAME(mus_lattice_sweep_band)(const TYPE(mus_lattice_level) *l, const mus_lattice_list *list, int sweeps,
                                  int backward) {
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (int g = 0; g < MUS_LATTICE_GROUPS; ++g) {
      int group = backward ? MUS_LATTICE_GROUPS - 1 - g : g;
      int start = list->start[group], end = list->start[group + 1];
      MUS_PARALLEL_FOR_IF(end - start >= BLOCKS_LARGE)
      for (int block = start; block < end; ++block)
        NAME(relax_block)(l, list, block, backward);
    }
}
