// Interior cells of a lattice by their neighbours: layers around them, thin parts, pieces. Private to fill/.
#ifndef MUS_FILL_CELL_LAYERS_H
#define MUS_FILL_CELL_LAYERS_H

#include "base/memory.h"
#include "lattice/cells.h"
#include "muslin/status.h"

size_t mus_cells_count(const mus_cells *cells, mus_cell_kind kind);

// Makes every cell interior that has a face, an edge or a corner in common with one that is. The lattice must have
// room: its margin stays exterior.
mus_status mus_cell_layers_pad(mus_arena *scratch, mus_cells *cells);

// Cells that are neither in a block of 2 x 2 x 2 interior cells nor share a face with one that is get their neighbours
// on both sides along each axis along which they have none. `added` is how many became interior.
mus_status mus_cell_layers_thicken(mus_arena *scratch, mus_cells *cells, size_t *added);

// Pieces that are connected by faces, of all cells that are not exterior.
mus_status mus_cell_layers_pieces(mus_arena *scratch, const mus_cells *cells, int *pieces);

#endif
