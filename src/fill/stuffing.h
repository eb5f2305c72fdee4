// Isosurface stuffing (Labelle and Shewchuk 2007): tetrahedra that fill whatever a function says is inside.
//
// A body-centred cubic lattice lies over the shape: two cubic grids of spacing a, each with its points in the middle of
// the other's cells. Its tetrahedra have two opposite edges of length a and four of sqrt(3)/2 a. Where an edge joins a
// point inside with one outside, the surface cuts it somewhere. Lattice points with such a cut close by (0.24999 a on
// the long edges, 0.41189 of the length on the short ones) move into it, and so come to lie on the surface; of what is
// still cut, the part inside is divided into at most three tetrahedra by fixed rules.
//
// Every dihedral angle is then between 10.78 and 164.74 degrees, whatever the shape: that is the paper's theorem for
// lattices of one size, proved there by interval arithmetic. Inside, where nothing was cut or moved, angles are 60 and
// 90 degrees. Surface vertices lie on the surface; sharp edges and corners, and what is thinner than a, are rounded off
// or lost.
#ifndef MUS_FILL_STUFFING_H
#define MUS_FILL_STUFFING_H

#include "mesh/tetrahedra.h"

// What is inside. Called from several threads at once.
typedef struct mus_shape {
  // Negative inside, positive outside. Only its sign must be right; the nearer to a distance it is near the surface,
  // the faster that is found.
  double (*distance)(const void *data, const double p[3]);
  const void *data;
  double low[3], high[3]; // nothing is inside beyond this box
  double slope;           // 1: it is never greater than the distance to the surface, so that far points tell of all
                          // around them; 0: no such promise, every point of the lattice is asked
} mus_shape;

// The angles' bounds, in degrees.
#define MUS_STUFFING_LEAST_ANGLE 10.78
#define MUS_STUFFING_LARGEST_ANGLE 164.74

// `spacing` is a, in metres: edges inside are 0.87 a and a long, there are 12 / a^3 tetrahedra and 2 / a^3 vertices per
// cubic metre. The result does not depend on the number of threads, and has no tetrahedra where the shape is empty or
// too thin. MUS_BAD_INPUT where the lattice would have too many points.
mus_status mus_stuff(mus_arena *arena, const mus_shape *shape, double spacing, mus_tetrahedra *out);

#endif
