// Dirichlet cells: interior cells that overlap a region of space become cells whose displacement is prescribed.
//
// Only interior cells do. Cells beside the body that lie in the region as well would hold what merely passes by.
// Regions are numbered, so that each can be moved by something of its own; where two overlap, the later one has the
// cells.
#ifndef MUS_FILL_HELD_CELLS_H
#define MUS_FILL_HELD_CELLS_H

#include "lattice/cells.h"
#include "mesh/mesh.h"

enum { MUS_HELD_REGIONS = 65535 };

// For each cell the region that holds it, counted from 1; 0 for none.
typedef struct mus_held_cells {
  mus_cells *cells;
  unsigned short *region;
} mus_held_cells;

// `region`: from 0 to MUS_HELD_REGIONS - 1. Returns how many cells it holds.
size_t mus_hold_box(const mus_held_cells *to, int region, const double low[3], const double high[3]);
size_t mus_hold_ball(const mus_held_cells *to, int region, const double centre[3], double radius);

// A part of a bone, and the region that it moves.
typedef struct mus_held_segment {
  double from[3], to[3]; // m, which may be the same
  int region;
} mus_held_segment;
// Cells whose middle is within a radius, and half a cell, of a segment; each belongs to the nearest.
size_t mus_hold_segments(const mus_held_cells *to, int count, const mus_held_segment *segments, double radius);

// What a surface encloses, bones for instance, and all that it passes through. MUS_BAD_INPUT where it is closed nowhere
// or has numbers that are not finite.
mus_status mus_hold_inside(const mus_held_cells *to, int region, const mus_mesh *mesh, size_t *held);
// Only what it passes through: any surface, open or closed.
mus_status mus_hold_touched(const mus_held_cells *to, int region, const mus_mesh *mesh, size_t *held);

#endif
