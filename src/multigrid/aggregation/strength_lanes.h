// Strength of connection for blocks of 3 x 3 and 6 x 6, several at once, compiled for each machine. Private to
// strength.
#ifndef MUS_MULTIGRID_STRENGTH_LANES_H
#define MUS_MULTIGRID_STRENGTH_LANES_H

#include "multigrid/hierarchy.h"

// A block that maps a node's unknowns around in a circle has a small spectral radius and yet couples: the strength
// never falls below this part of the norm.
#define MUS_NORM_SHARE 1e-3

typedef struct mus_strength_lanes {
  // D_i^(-1/2) of the rows begin ... end - 1.
  void (*roots)(const mus_level_view *level, int begin, int end, double *root);
  // Strengths and norms of their blocks right of the diagonal.
  void (*values)(const mus_level_view *level, const double *root, int begin, int end, double *value, double *norm);
} mus_strength_lanes;

// They give the same bits.
extern const mus_strength_lanes mus_strength_lanes_scalar;
#if MUSLIN_X86
extern const mus_strength_lanes mus_strength_lanes_avx2;
#endif

#endif
