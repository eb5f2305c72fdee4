// What checks and repairs of tetrahedra share. Private to mesh/.
#ifndef MUS_MESH_TETRAHEDRA_PRIVATE_H
#define MUS_MESH_TETRAHEDRA_PRIVATE_H

#include "mesh/tetrahedra.h"

int mus_solid_corners_exist(const mus_tetrahedra *mesh, int tetrahedron);
int mus_solid_corners_differ(const mus_tetrahedra *mesh, int tetrahedron);

// For every tetrahedron the first with the same four vertices, in any order, often itself. Vertices must be in range.
mus_status mus_solid_first_alike(const mus_tetrahedra *mesh, int *first);

// For every vertex the first one of the piece that it belongs to; itself where it has no tetrahedra.
void mus_solid_find_pieces(const mus_tetrahedra *mesh, int *piece);

#endif
