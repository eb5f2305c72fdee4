// Isosurface stuffing (Labelle and Shewchuk 2007): tetrahedra that fill whatever a function says is inside.
//
// A body-centred cubic lattice lies over the shape: two cubic grids of spacing a, each with its points in the middle of
// the other's cells. Its tetrahedra have two opposite edges of length a and four of sqrt(3)/2 a. Where an edge joins a
// point inside with one outside, the surface cuts it somewhere. Lattice points with such a cut close by (0.284 a on the
// long edges, 0.398 of the length on the short ones) move into it, and so come to lie on the surface; of what is still
// cut, the part inside is divided into at most three tetrahedra by fixed rules.
//
// No tetrahedron is inverted, and dihedral angles are between 10.6 and 164.8 degrees in all that was ever found. The
// paper proves bounds of about that size; the thresholds here, which are others, come from a search over all states
// that a tetrahedron of the lattice can be in: which points are inside, outside or moved, where to, by nothing, by all
// of the threshold or by something between, and where edges are cut. The worst that it found are 10.69 and 164.4
// degrees. Inside, where nothing was cut or moved, angles are 60 and 90 degrees. Surface vertices lie on the surface to
// a thousandth of a; sharp edges and corners are rounded off, and what is thinner than a may be lost.
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
  double slope;           // it changes by no more than this times the way, so that a point far away speaks for those
                          // around it; 0: not known, every point of the lattice is asked
} mus_shape;

// The angles' bounds, in degrees.
#define MUS_STUFFING_LEAST_ANGLE 10.6
#define MUS_STUFFING_LARGEST_ANGLE 164.8

// `spacing` is a, in metres: edges inside are 0.87 a and a long, there are 12 / a^3 tetrahedra and 2 / a^3 vertices per
// cubic metre. The result does not depend on the number of threads, and has no tetrahedra where the shape is empty or
// too thin. MUS_BAD_INPUT where the lattice would have too many points.
mus_status mus_stuff(mus_arena *arena, const mus_shape *shape, double spacing, mus_tetrahedra *out);

#endif
