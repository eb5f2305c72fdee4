// Linear elasticity in the ways that the lattice solver is compared with, as elements for reference.h.
//
// On a staggered lattice without pressures as unknowns; and linear or trilinear finite elements on the same cells. All
// in units of the spacing and of mu: a matrix times displacements is a force over mu h, or in the plane, per unit of
// thickness, over mu.
#ifndef BENCH_REFERENCE_SOLIDS_H
#define BENCH_REFERENCE_SOLIDS_H

#include "lattice/domain.h"
#include "reference.h"

// --- a staggered lattice -------------------------------------------------------------------------------------------

// A level of a lattice; where `layer` is not negative, that layer of it alone, in the plane strain of displacements
// that do not depend on axis 2, and have nothing along it.
typedef struct reference_lattice {
  const mus_lattice_domain *domain;
  int layer, axes;
  int rows;
  int *row; // of variable 3 * cell + axis: the unknown's number, or -1
  reference_elements elements;
  double matrix[8][36]; // of cells, for each set of axes whose normal stress is computed
  double shear[16];
} reference_lattice;

// compressibility: mu / lambda. `out` stays where it is as long as it is used: its elements point into it.
mus_status reference_lattice_create(mus_arena *arena, const mus_lattice_domain *domain, int layer,
                                    double compressibility, reference_lattice *out);
// From the next coarser level: linear, weights of displacements that are held left out, and those of displacements that
// are nowhere given to the others.
mus_status reference_lattice_prolong(mus_arena *arena, const reference_lattice *fine, const reference_lattice *coarse,
                                     reference_matrix *out);

// --- finite elements -----------------------------------------------------------------------------------------------

enum { REFERENCE_ELEMENT = 24 };

// The stiffness of a square (2 axes) or cube of size 1 divided into the triangles or tetrahedra around its diagonal
// (Kuhn's), of linear elements; and of a cube with trilinear displacements. Variable axes * corner + axis; bit a of a
// corner is its place along axis a.
void reference_simplices(int axes, double lambda, double *matrix);
void reference_trilinear(double lambda, double *matrix);
// Weights of the corners for a point in [0, 1]^axes of an element of simplices.
void reference_simplex_weights(int axes, const double *x, double *weight);

// Nodes on a box of side^3 elements, held at both ends along axis 0.
typedef struct reference_box {
  int side, rows;
  int *row; // of variable 3 * node + axis
  reference_elements elements;
} reference_box;

mus_status reference_box_create(mus_arena *arena, int side, const double *matrix, reference_box *out);
// From a box of half as many: trilinear, or linear in simplices.
mus_status reference_box_prolong(mus_arena *arena, const reference_box *fine, const reference_box *coarse,
                                 int simplices, reference_matrix *out);

#endif
