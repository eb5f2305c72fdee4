// From the caller's couplings to a matrix beyond the given one's pattern (constrain/beyond.h).
#ifndef MUS_SOLVE_COUPLINGS_H
#define MUS_SOLVE_COUPLINGS_H

#include "constrain/beyond.h"
#include "muslin/solver.h"

// Checks the couplings and adds them up, B made symmetric to the last bit. MUS_BAD_INPUT names the coupling: nodes out
// of range, numbers that are not finite, a block that is not symmetric or not positive semi-definite.
mus_status mus_couplings_sum(mus_arena *arena, int rows, int count, const mus_coupling *couplings, mus_beyond *out);

#endif
