// Levels of a cycle in one precision, as text for base/both_precisions.h. See cycle.h.

typedef struct TYPE(mus_lattice_cycle) {
  int levels;
  REAL **first, **image; // for each level between the finest and the coarsest: room for z and L z of a first visit
  TYPE(mus_lattice_level) *level; // the finest first
  mus_lattice_bottom bottom;
  mus_lattice_sweeps sweeps;
} TYPE(mus_lattice_cycle);

mus_status NAME(mus_lattice_cycle_create)(mus_arena *arena, const mus_lattice_domain *finest, int levels,
                                          double compressibility, double inertia, const mus_lattice_sweeps *sweeps,
                                          TYPE(mus_lattice_cycle) *out);

// One V(1,1)-cycle for b of the finest level, from its x.
void NAME(mus_lattice_cycle_run)(TYPE(mus_lattice_cycle) *cycle);
