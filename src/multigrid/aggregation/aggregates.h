// Grouping nodes into aggregates (Tamstorf et al. 2015, algorithms 1 and 2).
#ifndef MUS_MULTIGRID_AGGREGATES_H
#define MUS_MULTIGRID_AGGREGATES_H

#include "multigrid/aggregation/strength.h"

typedef struct mus_aggregates {
  int count;
  int *of;     // node -> aggregate, -1 for special nodes
  int *start;  // count + 1: the nodes of aggregate g are member[start[g]] ... member[start[g + 1] - 1]
  int *member; // ascending within an aggregate
} mus_aggregates;

// Every node that is not special gets an aggregate. Aggregates begin as what lies within `reach` strong connections of
// a node: 1 is the paper's.
mus_status mus_aggregates_create(mus_arena *arena, const mus_pattern *pattern, const mus_strength *strength, int reach,
                                 mus_aggregates *out);
// A grouping that is known: `of` is copied, with numbers below `count`.
mus_status mus_aggregates_repeat(mus_arena *arena, int nodes, int count, const int *of, mus_aggregates *out);

#endif
