// From the caller's equalities across nodes to the projection of constrain/equalities.h.
#ifndef MUS_SOLVE_EQUALITIES_H
#define MUS_SOLVE_EQUALITIES_H

#include "constrain/filter.h"
#include "muslin/solver.h"

// MUS_BAD_INPUT names the equality: nodes out of range, numbers that are not finite, no direction at all.
mus_status mus_equalities_check(int rows, int block, int count, const mus_equality *equalities);

// What is left of checked equalities beside the constraints of single nodes, which `nodes` holds (its `across` is not
// read): what these fix is taken out of directions and values. Equalities that follow from constraints or other
// equalities are dropped; MUS_BAD_INPUT names one that contradicts them.
mus_status mus_equalities_beside(mus_arena *arena, const mus_filter *nodes, int count, const mus_equality *equalities,
                                 mus_equalities *out);

#endif
