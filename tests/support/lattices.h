// Cells for tests of lattices.
#ifndef TESTS_SUPPORT_LATTICES_H
#define TESTS_SUPPORT_LATTICES_H

#include <stdint.h>

#include "lattice/cells.h"
#include "lattice/lattice.h"

// side^3 interior cells in the unit cube, and a layer of Dirichlet cells beyond those of its sides whose bits are set:
// 1 and 2 for the lower and upper side along axis 0, 4 and 8 along axis 1, 16 and 32 along axis 2.
mus_cells box_cells(int side, int held);
// Interior, exterior and Dirichlet cells at random in side^3.
mus_cells random_cells(int side, uint64_t seed);
// A ball in the unit cube, held where |x - 1/2| > 0.45.
mus_cells ball_cells(int side);
void cells_free(mus_cells *cells);

// Where the variable of a field at a cell lies: component 0 to 2, or 3, the pressure.
void variable_place(const mus_cells *cells, int field, size_t cell, double x[3]);

#endif
