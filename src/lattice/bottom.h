// The coarsest level, solved exactly: the system for displacements alone, -(L_u - G D_p^-1 G^T), as a dense Cholesky
// factor in double precision. Directions in which nothing is stiff (a part that no Dirichlet cell holds) are left at 0.
#ifndef MUS_LATTICE_BOTTOM_H
#define MUS_LATTICE_BOTTOM_H

#include "lattice/level.h"

typedef struct mus_lattice_bottom {
  mus_lattice_level level; // room for it in double precision
  int unknowns;
  int *cell; // of each unknown displacement
  unsigned char *axis;
  double *factor; // lower triangle by rows; a zero on its diagonal: the direction is left out
  double *right;
} mus_lattice_bottom;

mus_status mus_lattice_bottom_create(mus_arena *arena, const mus_lattice_domain *domain, double compressibility,
                                     double inertia, mus_lattice_bottom *out);

// x from b, both in out->level.
void mus_lattice_bottom_solve(mus_lattice_bottom *bottom);

// A dense symmetric matrix, by rows, becomes its lower Cholesky factor; x = b before, the solution after. Directions
// in which nothing is stiff are left at 0.
void mus_lattice_factorise(int n, double *a);
void mus_lattice_substitute(int n, const double *factor, double *x);

#endif
