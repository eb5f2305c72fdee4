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
  const double *coordinates; // NULL: not known
  int special, dropped;
  // numeric
  mus_arena numbers;
  mus_matrix a, p;
  mus_matrix_f rounded, p_rounded; // what the cycle reads in single precision; of the finest matrix, nothing
  mus_packed packed;               // p_rounded in 16 bits; no values where its blocks are of other shapes
  double *inverse_diagonal;
  unsigned char *live; // for the unknowns of the coarser level
  mus_radius radius;
} mus_level;

struct mus_hierarchy {
  const mus_coarsening *method;
  void *self;
  mus_multigrid_options options;
  mus_level_smoother smoother[MUS_LEVELS_MAXIMUM];
  mus_precision precision;
  mus_cycle_work work;       // of all cycles so far
  const double *coordinates; // for the coarsening to see, of the finest level; NULL: not known
  const mus_filter *held;    // the same; NULL: nothing
  int own_finest, renewable, packed, levels, ready;
  int probes_due; // for renewal: see renew.h
  int is_hard;
  mus_level level[MUS_LEVELS_MAXIMUM];
  mus_arena patterns; // symbolic
  mus_arena cycle;    // rounded numbers and vectors
  mus_cycle_level d[MUS_LEVELS_MAXIMUM];
  mus_cycle_level_f f[MUS_LEVELS_MAXIMUM];
  mus_restriction passes[MUS_LEVELS_MAXIMUM];
  mus_renewal renewal[MUS_LEVELS_MAXIMUM];
  mus_renewal_f renewal_f[MUS_LEVELS_MAXIMUM];
  mus_cycle_bottom bottom;
  const mus_symmetric *symmetric;          // the finest matrix as the caller has it for products; NULL: not at all
  mus_symmetric_pattern symmetric_pattern; // of the finest level where the caller has none
  mus_symmetric_f symmetric_f;             // for the cycle in single precision; no values where it would not pay
  int clustered;                           // nodes of the finest level are smoothed in clusters ...
  mus_arena cluster_arena;                 // ... which are in here
  mus_clusters clusters;
  mus_clusters_f clusters_f;
  mus_arena made; // rows of the finest prolongator before what is held was taken out
  // The cycle with what lies beyond the pattern: the same prolongators and vectors, other matrices.
  int coupled;
  mus_arena coupled_arena;
  mus_pattern coupled_pattern[MUS_LEVELS_MAXIMUM];
  mus_cycle_level coupled_d[MUS_LEVELS_MAXIMUM];
  mus_cycle_level_f coupled_f[MUS_LEVELS_MAXIMUM];
  mus_beyond_f beyond_f;
  mus_clusters coupled_clusters;
  mus_clusters_f coupled_clusters_f;
  mus_cycle_bottom coupled_bottom;
};

static inline size_t mus_level_unknowns(const mus_level *l) { return (size_t)l->pattern->rows * (size_t)l->block; }

// A level needs a smoother unless it is solved directly.
static inline int mus_level_is_smoothed(const mus_hierarchy *h, int index) {
  return index + 1 < h->levels || !h->bottom.factor;
}

// Sets the smoother of a level up, whose system is new. A state that is NULL is made, in the arena.
mus_status mus_hierarchy_smooth(const mus_hierarchy *h, int index, mus_cycle_level *level, mus_arena *arena);
mus_status mus_hierarchy_smooth_f(const mus_hierarchy *h, int index, mus_cycle_level_f *level, mus_arena *arena);

// The cycle is again the one without.
void mus_hierarchy_uncouple(mus_hierarchy *h);

#endif
