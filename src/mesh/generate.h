// Cloths made on the spot: rectangles, the L of the re-entrant example (Tamstorf, Jones and McCormick 2015), discs,
// tubes.
//
// All but tubes lie flat in the x-z plane around the origin, with material coordinates (u, v) = (x, z), so that a box
// or a sphere picks the same vertices in space and in the material. Fronts point down (-y), since (x, z) is then a
// right-handed sight of them.
//
// Regular tessellations are grids, whose cells are cut along one diagonal and the other in turn, like the colours of a
// chessboard, or rings. Tamstorf, Jones and McCormick run their examples on regular and irregular tessellations but do
// not say how the regular ones are cut. Hinges decide: where all cells are cut alike, they resist bending 0.6 to 2.9
// times as much as they should, by direction; cut in turn, 0.88 to 0.90 in every direction (docs/fabrics.md).
//
// Irregular tessellations have the same number of vertices and triangles: the same points, each moved at random by up
// to a fifth of their spacing s (along the boundary where they lie on it; corners stay), triangulated by Delaunay's
// rule. Of a grid with square cells no angle is then smaller than 19 degrees: points are at least (1 - 2/5) s apart, no
// empty circle with its centre inside has a radius above (sqrt(1/2) + 1/5) s, and the angle opposite an edge has the
// sine edge / (2 radius).
#ifndef MUS_MESH_GENERATE_H
#define MUS_MESH_GENERATE_H

#include <stdint.h>

#include "mesh/mesh.h"

typedef struct mus_generate_options {
  int vertices;        // about so many: cells are as square as they can be, and of equal size
  double width, depth; // m, along x and z
  int irregular;       // needs qhull, and is MUS_UNSUPPORTED without
  uint64_t seed;       // of an irregular tessellation: the same seed gives the same mesh
} mus_generate_options;

// A square gets the nearest square number of vertices: 961 for 31 a side, 1002001 for 1001. Row by row, along x.
mus_status mus_generate_rectangle(mus_arena *arena, const mus_generate_options *options, mus_mesh *out);

// The same without the quarter where x and z are positive: its two inner edges, which meet in the origin, are all that
// is left there. Numbers of cells are even.
mus_status mus_generate_l(mus_arena *arena, const mus_generate_options *options, mus_mesh *out);

// Of diameter `width`, with 1 + 3 k (k + 1) vertices on k rings around the middle one; `depth` does not count.
mus_status mus_generate_disc(mus_arena *arena, const mus_generate_options *options, mus_mesh *out);

// A rectangle whose sides along x are one: `depth` is the circumference, `width` the length along x, fronts are
// outside. Across the line where it closes, v jumps from depth / 2 to -depth / 2. Facets of a regular one are as in the
// flat rectangle; edges of an irregular one are shorter by the difference of an arc and its chord at most. Rows are
// even in number, six at least.
mus_status mus_generate_tube(mus_arena *arena, const mus_generate_options *options, mus_mesh *out);

#endif
