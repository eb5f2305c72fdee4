// Corrections combined: generalised conjugate residuals, truncated (Eisenstat, Elman and Schultz 1983), which suit a
// system that is symmetric but indefinite, and cycles, which are no symmetric preconditioner.
//
// A new correction z, with L z, is made conjugate to those that are kept, L z . L z_k = 0, and taken as far as leaves
// the least residual: x += alpha z with alpha = r . L z / |L z|^2. Vectors are kept in single precision, sums are in
// double precision. So the next residual is taken from x, rather than as r - alpha L z; and as it is not quite
// orthogonal to all L z_k, as it would be otherwise, x takes a step along these as well, where it matters.
#ifndef MUS_LATTICE_DIRECTIONS_H
#define MUS_LATTICE_DIRECTIONS_H

#include "base/memory.h"
#include "muslin/status.h"

typedef struct mus_lattice_directions {
  int most, kept;        // other directions that a new one is made conjugate to; how many there are
  int now;               // which one is new
  size_t size;           // of a vector
  float **z, **lz;       // most + 1 of each; lz[now] is room until the new one is complete
  double *square;        // |L z|^2
  double *factor, *step; // of the new one against the others; how far x goes along each
  double *sums;          // room
} mus_lattice_directions;

// z and lz, unless they are NULL, are room for the first direction.
mus_status mus_lattice_directions_create(mus_arena *arena, int most, size_t size, float *z, float *lz,
                                         mus_lattice_directions *out);
// Forgets all of them.
void mus_lattice_directions_clear(mus_lattice_directions *d);
// Makes the new direction conjugate to the others, adds what leaves the least of the residual r to x and keeps it; the
// oldest makes room. Returns 0, and leaves x, if numbers are not finite.
int mus_lattice_directions_add(mus_lattice_directions *d, const double *r, double *x);

#endif
