// Corners of welded seams. Private to mesh/.
//
// A vertex that is tied to a place on an edge divides the triangles at that edge. Where two neighbours p and q on one
// side of a seam are tied to two edges x-b and b-y of the other, that leaves a slit: p-q is a side of one panel, p-b-q
// of the other. It is closed by having b divide the triangle at p-q, too.
#ifndef MUS_MESH_WELD_CORNERS_H
#define MUS_MESH_WELD_CORNERS_H

#include "mesh/mesh.h"

// A vertex on an edge, by numbers of the first members of their groups.
typedef struct mus_weld_insert {
  int low, high; // the ends of the edge, the lower first
  double ratio;  // from low to high
  int vertex;
} mus_weld_insert;

// Those of corners, for the inserts that there are. `group`: see mesh/groups.h. Memory comes from the arena.
mus_status mus_weld_corners(mus_arena *arena, const mus_mesh *mesh, int *group, int count,
                            const mus_weld_insert *insert, int *found, mus_weld_insert **corner);

#endif
