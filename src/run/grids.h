// What VTK series hold of each part beside positions: velocities, fields, and of solids the stress and strain of their
// tetrahedra; brought up to date frame by frame. Private to run/.
#ifndef MUS_RUN_GRIDS_H
#define MUS_RUN_GRIDS_H

#include "io/grid.h"
#include "run/parts.h"
#include "sim/access.h"

// Numbers of a solid's tetrahedra, in the order of its file.
typedef struct mus_run_cells {
  double *mises, *stress, *volume, *strain, *stretch;
  int *region; // NULL: its file has none
} mus_run_cells;

typedef struct mus_run_grids {
  mus_sim *sim;
  int parts;
  mus_grid *grid;             // of each part, with all vertices of a solid; no positions
  mus_run_cells *cells;       // of each part; all NULL for cloths
  mus_solid_measure *measure; // of the largest solid's tetrahedra
  double *field[MUS_FIELDS];  // of all vertices; NULL for those that are not written
} mus_run_grids;

// The parts live as long as the grids.
mus_status mus_run_grids_create(mus_arena *arena, mus_sim *sim, const mus_run_part *parts, mus_run_grids *out);
// The numbers become those of the simulator's present state.
mus_status mus_run_grids_update(const mus_run_grids *grids);

#endif
