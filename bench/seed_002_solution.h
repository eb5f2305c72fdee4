// The disc of section 9.2 of Zhu et al. 2010, and a ball like it, on cells of any size: the exact displacements, what
// acts on it, and where it is held.
//
// The disc (2 axes) and the ball (3) have the radius 1/4 around 1/2 along each axis. Displacements are phi(X) - X with
//   phi = (2 x / sqrt(pi)) (cos(pi y / 2), sin(pi y / 2))      (equation 17)
// and for the ball, along the third axis, z (1 + x / 2). In units of mu. Two quadrants of the outline, those around the
// axis 0, are held; tractions act on the others.
#ifndef BENCH_SEED_002_SOLUTION_H
#define BENCH_SEED_002_SOLUTION_H

#include "base/memory.h"
#include "lattice/cells.h"
#include "muslin/status.h"

typedef struct solution {
  int axes;
  double poisson, lambda; // lambda over mu
} solution;

solution solution_make(int axes, double poisson);
void solution_displacement(const solution *s, const double x[3], double u[3]);
// The divergence of stresses; the negative of it is the force per volume, or area, that holds the solid in place.
void solution_divergence(const solution *s, const double x[3], double f[3]);
void solution_stress(const solution *s, const double x[3], double sigma[3][3]);
// On the outline, whose normal points away from the middle.
void solution_traction(const solution *s, const double x[3], double t[3]);
// The nearest point of the outline, and its normal.
void solution_nearest(const solution *s, const double x[3], double nearest[3], double normal[3]);
int solution_is_inside(const solution *s, const double x[3]);

// Cells, `across` along the diameter, that the solid overlaps, and those that its held outline goes through. A disc is
// made of `layers` equal layers.
mus_status solution_cells(mus_arena *arena, const solution *s, int across, int layers, mus_cells *out);

// Points on the outline, several for each cell, with the forces of tractions on them (0 where the outline is held); and
// further points inside, one for each cell. For a disc, the third coordinate is `depth`.
typedef struct solution_points {
  int outline, all;
  double *position, *force; // 3 for each; forces of those on the outline
} solution_points;

mus_status solution_sample(mus_arena *arena, const solution *s, const mus_cells *cells, double depth,
                           solution_points *out);

#endif
