// V(1,1)-cycles over the levels of a lattice (Zhu et al. 2010, algorithm 1), in both precisions.
#ifndef MUS_LATTICE_CYCLE_H
#define MUS_LATTICE_CYCLE_H

#include "lattice/bottom.h"
#include "lattice/level.h"

// How often cells at boundaries are smoothed, each time forth and back.
typedef struct mus_lattice_sweeps {
  int band;      // before, and again after each sweep inside
  int relocated; // where boundaries move from a level to the next: before residuals are restricted, and after
                 // corrections
  int visits;    // of a level to the next coarser one: 1 in V-cycles, 2 in W-cycles
} mus_lattice_sweeps;

#define TEMPLATE "lattice/cycle_types_template.h"
#include "base/both_precisions.h"

#endif
