// V(1,1)-cycles over the levels of a lattice (Zhu et al. 2010, algorithm 1), in both precisions, and K-cycles (Notay
// and Vassilevski 2008): each level but the coarsest is visited twice by the next finer one, and the two corrections
// are combined to what leaves the least residual there,
//
//   z_1 from b,  x = alpha z_1,  z_2 from b - alpha L z_1,  x += gamma (z_2 - beta z_1),
//
// with L (z_2 - beta z_1) orthogonal to L z_1. Next to free boundaries, a coarse level is softer than a fine one, thin
// parts the more so: V-cycles converge badly for that, or not at all, and W-cycles, which add up both corrections, do
// not always.
#ifndef MUS_LATTICE_CYCLE_H
#define MUS_LATTICE_CYCLE_H

#include "lattice/bottom.h"
#include "lattice/level.h"

// How often cells at boundaries are smoothed.
typedef struct mus_lattice_sweeps {
  int band;      // forth before, and back after each sweep inside
  int relocated; // where boundaries move from a level to the next: before residuals are restricted, and after
                 // corrections
  int visits;    // of a level to the next coarser one: 1 in V-cycles, 2 in K-cycles
} mus_lattice_sweeps;

#define TEMPLATE "lattice/cycle_types_template.h"
#include "base/both_precisions.h"

#endif
