// Coarser meshes between some of the vertices of a finer one, for hierarchies: vertices are removed one by one, each by
// sliding it along an edge into a neighbour, the shortest edges first, so that what is left is spread evenly.
//
// Everything happens in the material. Where it is cut (at the boundary, and along creases, whose two sides lie at
// different places of it) vertices slide along the cut only, and its corners stay; so panels keep their outlines, holes
// stay holes, and the two sides of a seam are coarsened together. Vertices that are sewn to each other go at once, into
// neighbours that are sewn to each other, too, and are carried alike: by the next ones along their sides that are left,
// with weights by the lengths of all sides together. Coarse pairs that move together so move every pair. No triangle is
// turned over, none becomes a needle, and no vertex gets more than MUS_COARSE_NEIGHBOURS. What cannot be coarsened
// under these rules stays as it is.
//
// A piece of a mesh whose rest shape is known by triangles only, each laid flat by itself, is coarsened on its surface
// in space instead: places are positions, and stars are looked at along their mean normal.
#ifndef MUS_MESH_COARSEN_H
#define MUS_MESH_COARSEN_H

#include "mesh/mesh.h"

enum { MUS_COARSE_NEIGHBOURS = 14 };

typedef struct mus_coarser {
  mus_mesh mesh; // with material; positions are those of the vertices kept
  int *kept;     // mesh.vertices: their numbers in the finer mesh, ascending
  // Of each finer vertex: where it lies in the material of the coarser mesh, as coarse vertices and weights, which are
  // not negative and sum to 1. Vertices that were kept are carried by themselves alone.
  int *carrier;   // finer vertices * 3
  double *weight; // finer vertices * 3
} mus_coarser;

// About `wanted` vertices, or as few as it gets above that. `mesh` must have a rest shape. Vertices without triangles
// are kept. `pair` (pairs * 2) are vertices that are sewn together: they stay or go together as far as possible.
mus_status mus_mesh_coarsen(mus_arena *arena, const mus_mesh *mesh, int wanted, int pairs, const int *pair,
                            mus_coarser *out);

#endif
