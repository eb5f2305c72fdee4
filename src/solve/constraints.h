// From the caller's constraints (directions and values per node) to the filter S and target z of constrain/filter.h.
#ifndef MUS_SOLVE_CONSTRAINTS_H
#define MUS_SOLVE_CONSTRAINTS_H

#include "constrain/filter.h"
#include "muslin/solver.h"

// Directions are orthonormalised with their values; dependent ones that agree are dropped, contradicting ones and zero
// or non-finite directions are MUS_BAD_INPUT naming the node. Nodes with no direction left are left out.
mus_status mus_constraints_filter(mus_arena *arena, int rows, int block, int count, const mus_constraint *constraints,
                                  mus_filter *out);

#endif
