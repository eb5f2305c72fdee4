// Distributive Gauss-Seidel (Zhu et al. 2010, section 4.2), red and black. With u = M v,
//
//   M = ( I      -grad          )   L M = ( Laplacian - c            0                            )
//       ( div    -2 Laplacian+c )         ( (1 + mu/lambda) div   -(1 + 2 mu/lambda) Laplacian + .. )
//
// the composed system is triangular, with Laplacians on its diagonal. A change delta of v_i changes u by delta times
// column i of M. Displacements come first, in any order, then pressures.
#include "lattice/level.h"

#include "lattice/rows.h"
#include "par/par.h"

// Over-relaxation, which serves red-black sweeps of Laplacians in three dimensions well (Yavneh 1996): on a box of 32^3
// cells with two ends held, it takes the rate of W-cycles from 0.26 to 0.14.
#define FACES 1.1
#define CELLS 1.2

enum { ROW = 512 }; // faces whose deltas are made at a time

#define TEMPLATE "lattice/smooth_template.h"
#include "base/both_precisions.h"
