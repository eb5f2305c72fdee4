// Distributive Gauss-Seidel (Zhu et al. 2010, section 4.2), red and black. With u = M v,
//
//   M = ( I      -grad          )   L M = ( Laplacian - c            0                            )
//       ( div    -2 Laplacian+c )         ( (1 + mu/lambda) div   -(1 + 2 mu/lambda) Laplacian + .. )
//
// the composed system is triangular, with Laplacians on its diagonal. A change delta of v_i changes u by delta times
// column i of M. Displacements come first, in any order, then pressures.
#include "lattice/level.h"

#include <string.h>

#include "lattice/rows.h"
#include "par/par.h"

// Over-relaxation, which serves red-black sweeps of Laplacians in three dimensions well (Yavneh 1996): on a box of 32^3
// cells with two ends held, it takes the rate of W-cycles from 0.26 to 0.14.
#define FACES 1.1
#define CELLS 1.2

// A sweep has nine stages: the colours of displacements, axis by axis, and of pressures, whose neighbours' part of the
// last deltas is gathered at the end. They change variables of the planes and rows next to those that they work on, so
// that what works at once keeps apart: every other plane, stage by stage; or, in one pass over memory, all stages at
// once, each two planes and a step behind the last, on every other strip of rows. Both give the same bits. A step is of
// one plane, or of several where threads have to wait for each other after each.
enum { STAGES = 9, CELL_STAGES = 6, STRIP = 4, STEP = 4 };

#define TEMPLATE "lattice/smooth_template.h"
#include "base/both_precisions.h"
