// Sweeps over lists of cells in one precision, as text for base/both_precisions.h. See band.c.
#if SINGLE
#define LOOPS in_single
#else
#define LOOPS in_double
#endif

void NAME(mus_lattice_sweep_band)(const TYPE(mus_lattice_level) *l, const mus_lattice_list *list, int sweeps,
                                  int backward) {
  const TYPE(mus_lattice_loops) *loops = &mus_lattice_kernels_current()->LOOPS;
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (int g = 0; g < MUS_LATTICE_GROUPS; ++g) {
      int group = backward ? MUS_LATTICE_GROUPS - 1 - g : g;
      int start = list->start[group], end = list->start[group + 1];
      MUS_PARALLEL_FOR_IF(end - start >= BLOCKS_LARGE)
      for (int block = start; block < end; ++block)
        loops->relax_block(l, list, block, backward);
    }
}

#undef LOOPS
