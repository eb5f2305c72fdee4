// Boxes and beams of tetrahedra, made on the spot.
//
// Cells as cubic as they can be have a vertex in the middle of each, and four tetrahedra across every face between two
// of them: the lattice of isosurface stuffing (fill/stuffing.h), which prefers no direction. At the surface, the
// pyramid over a cell's face is halved along one diagonal and the other in turn. Of cubic cells no dihedral angle is
// smaller than 45 degrees, nor greater than 120.
#ifndef MUS_MESH_TETRAHEDRA_GENERATE_H
#define MUS_MESH_TETRAHEDRA_GENERATE_H

#include "mesh/tetrahedra.h"

// Around the origin, `size` along x, y and z in metres, with cells[k] cells along axis k. MUS_BAD_INPUT where a size or
// a number of cells is not positive.
mus_status mus_solid_box_of_cells(mus_arena *arena, const double size[3], const int cells[3], mus_tetrahedra *out);
// The numbers of cells that come nearest to an edge length, the cells' sides, at least one along each axis; and to a
// number of vertices.
mus_status mus_solid_box_cells(const double size[3], double edge, int cells[3]);
mus_status mus_solid_box_cells_for(const double size[3], long long vertices, int cells[3]);

#endif
