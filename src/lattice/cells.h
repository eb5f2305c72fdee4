// Cubic cells over a solid, and where the variables of a staggered lattice lie (Zhu, Sifakis, Teran and Brandt 2010).
//
// Cell (i, j, k), counted from 0, fills low + spacing * ([i, i + 1] x [j, j + 1] x [k, k + 1]); its number is
// (k * count[1] + j) * count[0] + i. Component a of displacements lies in the middle of faces perpendicular to axis a,
// pressure in the middle of cells. Arrays of either have an entry for each cell: that of a component at a cell belongs
// to the cell's lower face, the one it shares with its neighbour at a lower coordinate.
//
// The outermost layers are exterior, so that no stencil leaves the arrays.
#ifndef MUS_LATTICE_CELLS_H
#define MUS_LATTICE_CELLS_H

#include <stddef.h>

enum { MUS_CELLS_MARGIN = 2 }; // layers of exterior cells on each side

typedef enum mus_cell_kind {
  MUS_CELL_EXTERIOR,
  MUS_CELL_INTERIOR, // elastic
  MUS_CELL_DIRICHLET // moved by what the user prescribes: all faces of it
} mus_cell_kind;

typedef struct mus_cells {
  int count[3];
  double low[3];  // m
  double spacing; // m
  unsigned char *kind;
} mus_cells;

static inline size_t mus_cells_total(const mus_cells *cells) {
  return (size_t)cells->count[0] * (size_t)cells->count[1] * (size_t)cells->count[2];
}

static inline size_t mus_cells_number(const mus_cells *cells, int i, int j, int k) {
  return ((size_t)k * (size_t)cells->count[1] + (size_t)j) * (size_t)cells->count[0] + (size_t)i;
}

#endif
