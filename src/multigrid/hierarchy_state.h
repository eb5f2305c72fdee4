// What a hierarchy holds. Private to multigrid/: hierarchy.c sets levels up and runs the cycle, couple.c adds what lies
// beyond the finest pattern.
#ifndef MUS_MULTIGRID_HIERARCHY_STATE_H
#define MUS_MULTIGRID_HIERARCHY_STATE_H

#include "multigrid/cycle.h"
#include "multigrid/hierarchy.h"
#include "multigrid/lanczos.h"
#include "multigrid/renew.h"
#include "sparse/factor.h"
#include "sparse/product.h"

typedef struct mus_level {
  // symbolic
  const mus_pattern *pattern; // of the matrix
  int block, coarse_block;
  int *diagonal;
  mus_pattern prolongator;
  mus_galerkin plan;
  int special, dropped;
  // numeric
  mus_arena numbers;
  mus_matrix a, p;
  double *inverse_diagonal;
  unsigned char *live; // for the unknowns of the coarser level
  mus_radius radius;
} mus_level;

struct mus_hierarchy {
  const mus_coarsening *method;
  void *self;
  mus_sa_options options;
  mus_precision precision;
  int own_finest, renewable, levels, ready;
  mus_level level[MUS_LEVELS_MAXIMUM];
  mus_arena patterns; // symbolic
  mus_arena cycle;    // rounded numbers and vectors
  mus_cycle_level d[MUS_LEVELS_MAXIMUM];
  mus_cycle_level_f f[MUS_LEVELS_MAXIMUM];
  mus_restriction passes[MUS_LEVELS_MAXIMUM];
  mus_renewal renewal[MUS_LEVELS_MAXIMUM];
  mus_renewal_f renewal_f[MUS_LEVELS_MAXIMUM];
  mus_cycle_bottom bottom;
  mus_symmetric_pattern symmetric_pattern; // of the finest level, for the cycle in single precision ...
  mus_symmetric_f symmetric_f;             // ... no values where it would not pay
  mus_arena made;                          // rows of the finest prolongator before what is held was taken out
  // The cycle with what lies beyond the pattern: the same prolongators and vectors, other matrices.
  int coupled;
  mus_arena coupled_arena;
  mus_pattern coupled_pattern[MUS_LEVELS_MAXIMUM];
  mus_cycle_level coupled_d[MUS_LEVELS_MAXIMUM];
  mus_cycle_level_f coupled_f[MUS_LEVELS_MAXIMUM];
  mus_beyond_f beyond_f;
  mus_cycle_bottom coupled_bottom;
};

static inline size_t mus_level_unknowns(const mus_level *l) { return (size_t)l->pattern->rows * (size_t)l->block; }

// The smoother for a spectral radius of D^-1 A.
static inline mus_chebyshev mus_hierarchy_smoother(const mus_hierarchy *h, double radius) {
  return (mus_chebyshev){h->options.smoother_order, radius / h->options.smoother_range, radius};
}

// The cycle is again the one without.
void mus_hierarchy_uncouple(mus_hierarchy *h);

#endif
