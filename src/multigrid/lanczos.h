// The spectral radius of D^-1 A by the generalised Lanczos method (van der Vorst 1982; Tamstorf et al. 2015, section
// 7).
#ifndef MUS_MULTIGRID_LANCZOS_H
#define MUS_MULTIGRID_LANCZOS_H

#include "constrain/beyond.h"

typedef struct mus_radius {
  double ritz;   // the largest Ritz value: a lower bound
  double value;  // ritz plus the norm of its residual, and 3%: what to use as the upper end of the spectrum
  int converged; // 1 when value is at most 1.1 ritz after 8 steps or more: it then lies in [radius, 1.1 radius]
} mus_radius;

// A symmetric positive definite, D its block diagonal with the given inverse. `work` holds 4 * rows * block numbers.
// Systems of up to 64 unknowns get as many steps as unknowns, and the exact answer.
// MUS_BREAKDOWN when A or D shows itself indefinite or not finite.
mus_status mus_spectral_radius(const mus_block_operator *a, const double *inverse_diagonal, int steps, double *work,
                               mus_radius *out);

#endif
