// A mesh whose closed seams are welded: vertices that are tied to each other become one, and a vertex that is tied to a
// place on an edge divides the triangles there, so that no T-junction is left.
#ifndef MUS_MESH_WELD_H
#define MUS_MESH_WELD_H

#include "mesh/mesh.h"
#include "mesh/ties.h"

typedef struct mus_weld {
  mus_mesh mesh; // without positions; with material coordinates, by corners, where the mesh has them
  int *vertex;   // vertices of the mesh before: their numbers now
  int *kept;     // vertices now: the one before, of lowest number, whose position it takes; ascending
  int *source;   // triangles now: the one before of which it is all or a part; ascending
} mus_weld;

// Welds by those ties for which `closed` is 1. Triangles of which two corners become one are left out. `corners`: 1 to
// close the slits that are left where vertices of the one side lie on different edges of the other (weld_corners.h),
// which bends triangles there out of their plane. Memory comes from the arena.
mus_status mus_weld_create(mus_arena *arena, const mus_mesh *mesh, int count, const mus_tie *tie,
                           const unsigned char *closed, int corners, mus_weld *out);

// Numbers by vertex before, `width` each, as those of the vertices now.
void mus_weld_values(const mus_weld *weld, int width, const double *before, double *now);

#endif
