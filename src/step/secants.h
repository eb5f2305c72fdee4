// Secants: what the last corrections of an iteration have shown of its matrix, by the limited-memory method of Broyden,
// Fletcher, Goldfarb and Shanno (Nocedal 1980), as Liu, Bouaziz and Kavan 2017 speed up Projective Dynamics with it.
//
// For r(v) = 0 with -dr/dv symmetric, a correction s changed r by -y. The two-loop recursion makes of any approximate
// inverse C, symmetric and positive definite, one that takes every y to its s:
//   down:  q = r, then for each pair, newest first, a = s.q / y.s, q -= a y
//   z = C q
//   up:    for each pair, oldest first, z += (a - y.z / y.s) s
#ifndef MUS_STEP_SECANTS_H
#define MUS_STEP_SECANTS_H

#include <stddef.h>

#include "base/memory.h"
#include "muslin/status.h"

enum { MUS_SECANTS_MAXIMUM = 20 };

typedef struct mus_secants {
  size_t unknowns;
  int most;                                                        // pairs that are kept; 0: everything below is unused
  int count, next;                                                 // pairs that there are; where the next one goes
  double *s, *y;                                                   // most * unknowns
  double *before;                                                  // unknowns: r before the last correction
  double product[MUS_SECANTS_MAXIMUM], along[MUS_SECANTS_MAXIMUM]; // y.s, and a
} mus_secants;

// No pairs yet. The memory comes from the arena.
mus_status mus_secants_create(mus_arena *arena, size_t unknowns, int most, mus_secants *out);
void mus_secants_clear(mus_secants *secants);
// A correction, `part` of `change`, has led from the r that `down` was last given to this one.
void mus_secants_note(mus_secants *secants, double part, const double *change, const double *r);
void mus_secants_down(mus_secants *secants, const double *r, double *q);
void mus_secants_up(const mus_secants *secants, double *z);

#endif
