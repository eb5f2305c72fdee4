// Chebyshev acceleration of a minimiser's iterates (Golub and Varga 1961; Wang 2015): with c the correction that an
// iteration has found at v_k,
//   v_{k+1} = omega_{k+1} (v_k + c - v_{k-1}) + v_{k-1},   omega_{k+1} = 4 / (4 - rho^2 omega_k).
// rho, by which plain iterations reduce the error, is measured over the first of them, and raised later on by what
// accelerated ones fall short of what it promises: the parts of the error that last longest show late. Private to
// step/minimise/.
#ifndef MUS_STEP_MINIMISE_ACCELERATION_H
#define MUS_STEP_MINIMISE_ACCELERATION_H

#include "step/minimise/minimise.h"

typedef struct mus_acceleration {
  double *before; // unknowns: v_{k-1}
  double omega, rho;
  double size; // of the correction at the last look at rho
  int since;   // iterations since it began anew
} mus_acceleration;

// The memory comes from the arena.
mus_status mus_acceleration_create(mus_arena *arena, size_t unknowns, mus_acceleration *out);
// From these velocities on: another energy, or an iteration that did not go where it led.
void mus_acceleration_begin(mus_acceleration *acceleration, size_t unknowns, const double *velocity);
// What leaves a correction of r, at the iterate, in work->change.
typedef mus_status mus_correct(mus_minimisation *m, void *own);
// Goes along a correction, accelerated unless `acceleration` is NULL; where that does not lead downhill, along another
// without, and acceleration begins anew. `gone`, which stays as it was until the first correction is made, becomes the
// part of a plain correction that was gone, 0 of another.
mus_status mus_acceleration_go(mus_acceleration *acceleration, mus_minimisation *m, mus_correct *correct, void *own,
                               double *gone);

#endif
