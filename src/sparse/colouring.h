// Graph colouring: nodes of one colour share no block, so they can be relaxed or written at once.
#ifndef MUS_SPARSE_COLOURING_H
#define MUS_SPARSE_COLOURING_H

#include "sparse/pattern.h"

typedef struct mus_colouring {
  int colours;
  int *start; // colours + 1: nodes of colour c are node[start[c]] ... node[start[c + 1] - 1]
  int *node;  // ascending within a colour
  int *colour_of;
} mus_colouring;

// Greedy in node order, for a square pattern (read as undirected). Uses at most (largest degree + 1) colours. With
// distance 2, nodes that share a neighbour get different colours too.
mus_status mus_colour(mus_arena *arena, const mus_pattern *pattern, int distance, mus_colouring *out);

#endif
