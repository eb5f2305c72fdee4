// Which cells of a lattice the triangles of a mesh pass through.
//
// A triangle and a cell have something in common unless one of thirteen directions separates them (Akenine-Moeller
// 2001): the three axes, the triangle's normal and the nine cross products of its sides and the axes. In each row of
// cells these leave one run, which is found at once.
#ifndef MUS_FILL_TOUCHED_CELLS_H
#define MUS_FILL_TOUCHED_CELLS_H

#include "lattice/cells.h"
#include "mesh/mesh.h"

// What lies on a cell's border, to a millionth of its size: a box whose sides lie between cells passes through none,
// but touches those on either side.
typedef enum mus_cell_border { MUS_BORDER_OUT, MUS_BORDER_IN } mus_cell_border;

// Sets touched[c] to 1 for these cells, and leaves the others as they are. Triangles beyond the lattice do not matter.
// The mesh must have finite positions. The result does not depend on the number of threads.
mus_status mus_touched_cells(const mus_cells *cells, const mus_mesh *mesh, mus_cell_border border,
                             unsigned char *touched);

#endif
