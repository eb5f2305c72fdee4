// Finer meshes: edges that are longer than asked for are halved until none is.
//
// All edges too long are marked, and with any edge of a triangle its longest one. Triangles are then cut between the
// middles of marked edges: in two or three from the longest edge's middle, or, where all three are marked, into four of
// the same shape. Halving longest edges keeps the smallest angle above half of what it was, and four of the same shape
// keep it; so no slivers come about, and both triangles at an edge have the same middle. Lengths are those of the
// material. Edges of the boundary that are sewn together are cut together.
//
// The vertices of the mesh before come first, with their numbers; the others follow.
#ifndef MUS_MESH_REFINE_H
#define MUS_MESH_REFINE_H

#include "base/list.h"
#include "mesh/mesh.h"

typedef struct mus_refinement {
  int before, vertices; // of the mesh before, and now
  int *parent;          // (vertices - before) * 2: the vertices that a new one lies in the middle of
  int slots, *slot;     // finds a new vertex by its parents: vertex - before, or -1; by hashing
  // The boundary of the mesh before.
  int boundary_edges;
  int *boundary_edge;      // * 2 vertices, the smaller first; ascending
  double *boundary_length; // m, in the material
  int *neighbour;          // before * 2: along the boundary; -1 where there is none
} mus_refinement;

// `mesh` must have a rest shape; `pair` has pairs * 2 vertices that are sewn together. A length of 0 changes nothing
// and only tells the boundary. The new mesh shares nothing with the one before unless they are the same.
mus_status mus_mesh_refine(mus_arena *arena, const mus_mesh *mesh, double length, int pairs, const int *pair,
                           mus_mesh *out, mus_refinement *record);

// The boundary edge of the mesh before with these ends; -1 where there is none.
int mus_refinement_boundary(const mus_refinement *r, int a, int b);

// A vertex on an edge of the mesh before, and the part of the way along it.
typedef struct mus_edge_point {
  int vertex;
  double part;
} mus_edge_point;

// Adds the vertices that an edge of the mesh before has now, mus_edge_point each, from a at 0 to b at 1. The list must
// be empty.
mus_status mus_refinement_chain(const mus_refinement *r, int a, int b, mus_list *points);

#endif
