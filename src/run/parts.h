// Parts as results have them: all of a cloth, and of a solid its surface, whose vertices keep their order. Private to
// run/.
#ifndef MUS_RUN_PARTS_H
#define MUS_RUN_PARTS_H

#include "io/mesh_file.h"
#include "muslin/sim.h"

typedef struct mus_run_part {
  mus_mesh mesh; // numbers its own vertices; material coordinates of cloths only; no positions
  int first;     // the simulator's number of the part's first vertex
  int is_solid;
  int *vertex;     // of a solid: the number in the part of each vertex of its surface; NULL for cloths
  double *numbers; // of a solid: workspace, mesh.vertices * 3
} mus_run_part;

// A record for each of the simulator's parts.
mus_status mus_run_parts_create(mus_arena *arena, const mus_sim *sim, mus_run_part **out);
// Three numbers per vertex of the simulator's become those of the part's mesh: a piece of `all`, or, of a solid, a copy
// that is valid until the next call.
const double *mus_run_part_numbers(const mus_run_part *part, const double *all);
// Three numbers per vertex of a solid's mesh from one of the simulator's in each list. Valid likewise.
const double *mus_run_part_join(const mus_run_part *part, double *const all[3]);

#endif
