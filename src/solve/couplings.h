// From the caller's couplings to terms beyond the matrix's pattern (sparse/beyond.h).
#ifndef MUS_SOLVE_COUPLINGS_H
#define MUS_SOLVE_COUPLINGS_H

#include "muslin/solver.h"
#include "sparse/beyond.h"

// Checks and copies the couplings, B made symmetric to the last bit, and finds what they add to a matrix of that
// pattern with 3 x 3 blocks. MUS_BAD_INPUT names the coupling: nodes out of range, numbers that are not finite, a block
// that is not symmetric or not positive semi-definite. Everything is in the arena.
mus_status mus_couplings_terms(mus_arena *arena, const mus_pattern *pattern, int count, const mus_coupling *couplings,
                               mus_beyond *out);

#endif
