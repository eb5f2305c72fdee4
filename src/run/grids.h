// What VTK series hold of each part beside positions: velocities and fields, brought up to date frame by frame. Private
// to run/.
#ifndef MUS_RUN_GRIDS_H
#define MUS_RUN_GRIDS_H

#include "io/grid.h"
#include "io/mesh_file.h"
#include "muslin/sim.h"

typedef struct mus_run_grids {
  mus_sim *sim;
  mus_grid *grid;            // of each part; no positions
  double *field[MUS_FIELDS]; // of all vertices; NULL for those that are not written
} mus_run_grids;

// Of the simulator's cloths, whose meshes number their own vertices, and which live as long as the grids.
mus_status mus_run_grids_create(mus_arena *arena, mus_sim *sim, int cloths, const mus_mesh *meshes, mus_run_grids *out);
// The numbers become those of the simulator's present state.
mus_status mus_run_grids_update(const mus_run_grids *grids);

#endif
