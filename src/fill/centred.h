// The body-centred cubic lattice of isosurface stuffing. Private to fill/.
//
// Points of the first grid, then those of the second, half a cell further along each axis, in one numbering: point p of
// grid g at cell (i, j, k) is g * points + (k * count[1] + j) * count[0] + i. Every point has 14 edges: 0 to 5 are the
// long ones, back and forth along x, y and z; 6 to 13 the short ones, to the corners of a cube around it.
#ifndef MUS_FILL_CENTRED_H
#define MUS_FILL_CENTRED_H

#include "fill/stuffing.h"

enum { MUS_CENTRED_EDGES = 14, MUS_CENTRED_OWNED = 7 };

typedef struct mus_centred {
  int count[3];  // points of each grid along each axis
  int points;    // of each grid
  double low[3]; // where the first point is
  double spacing;
  double *value; // 2 * points: negative inside
} mus_centred;

// Over the shape's box, with its outermost points outside. Values come from scratch.
mus_status mus_centred_create(mus_arena *scratch, const mus_shape *shape, double spacing, mus_centred *out);

void mus_centred_cell(const mus_centred *lattice, int point, int cell[3]);
void mus_centred_position(const mus_centred *lattice, int point, double p[3]);
// The other end of an edge; -1 beyond the lattice.
int mus_centred_neighbour(const mus_centred *lattice, int point, int edge);
// The same edge seen from its other end.
static inline int mus_centred_reverse(int edge) { return edge < 6 ? edge ^ 1 : 6 + (7 ^ (edge - 6)); }
static inline int mus_centred_is_long(int edge) { return edge < 6; }
// Each edge belongs to one of its ends: for these, 0 ... 6 is its place among those of the end.
static inline int mus_centred_owned(int edge) {
  return edge < 6 ? (edge & 1 ? edge / 2 : -1) : edge < 10 ? -1 : edge - 7;
}

#endif
