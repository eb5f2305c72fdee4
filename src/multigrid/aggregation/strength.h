// Strength of connection (Tamstorf et al. 2015, section 5):
//   s_ij = rho(A_ii^(-1/2) A_ij A_jj^(-1/2)),  strong when s_ij > theta max_j s_ij
// and the special nodes, which need no coarse correction: rows without neighbours, or so dominated by their diagonal
// that the smoother alone removes their error. A row whose strongest neighbours are all special has no strong
// connection and is not special for that: its weaker neighbours may need it.
#ifndef MUS_MULTIGRID_STRENGTH_H
#define MUS_MULTIGRID_STRENGTH_H

#include "multigrid/hierarchy.h"

typedef struct mus_strength {
  double *value;          // for each block of the matrix; 0 on the diagonal
  unsigned char *strong;  // for each block; 0 on the diagonal and towards special nodes
  unsigned char *special; // for each node
  int special_nodes;
} mus_strength;

// A row is dominated when the norms of its scaled off-diagonal blocks add up to `dominance` or less.
mus_status mus_strength_create(mus_arena *arena, const mus_level_view *level, double theta, double dominance,
                               mus_strength *out);
// Marks strong connections by another theta, among the same nodes.
void mus_strength_mark(const mus_pattern *pattern, double theta, mus_strength *s);

#endif
