// VTK's XML files of unstructured grids (.vtu), written only: cells of one kind, with numbers of points and of cells.
//
// The numbers stand behind the XML, as bytes with the least significant first, each array after its length in bytes.
// Positions are in double precision, other real numbers in single.
#ifndef MUS_IO_VTU_H
#define MUS_IO_VTU_H

#include "base/output.h"
#include "io/grid.h"

void mus_vtu_put(mus_output *out, const mus_grid *grid);

#endif
