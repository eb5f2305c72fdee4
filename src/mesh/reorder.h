// An order of vertices and triangles in which neighbours in the mesh are neighbours in memory.
//
// Reverse Cuthill-McKee (Cuthill and McKee 1969, reversed as by George 1971, from the ends that George and Liu 1979
// find). It was chosen over a Hilbert curve by measurement on a million vertices: a bandwidth of 1001 against 866,000,
// a mean distance of neighbours of 446 against 834, gathers a third faster and half the time to find it. Where vertices
// are in random order to begin with, products with the stiffness matrix become five times faster.
//
// Everything a user sees stays in the order of the file: mus_order_restore() takes values back to it.
#ifndef MUS_MESH_REORDER_H
#define MUS_MESH_REORDER_H

#include "mesh/topology.h"

typedef struct mus_order {
  int vertices, triangles;
  int *vertex;     // the number that vertex v had before
  int *new_vertex; // the inverse: the number that it gets
  int *triangle;   // the number that triangle t had before: in the order of their first vertices
} mus_order;

// The order of vertices alone, for any graph: `edges` pairs of different vertices, each pair once. `vertex` and
// `new_vertex` receive what mus_order has.
mus_status mus_order_vertices(int vertices, int edges, const int *edge, int *vertex, int *new_vertex);

mus_status mus_order_find(mus_arena *arena, const mus_mesh *mesh, const mus_topology *topology, mus_order *out);
// A mesh in the new order. The corners of triangles stay as they are.
mus_status mus_order_apply(mus_arena *arena, const mus_order *order, const mus_mesh *mesh, mus_mesh *out);

// `width` numbers per vertex in the new order, back in the order before.
void mus_order_restore(const mus_order *order, int width, const double *value, double *before);

// How far apart in memory the ends of edges lie.
typedef struct mus_spread {
  int bandwidth; // the largest distance
  double mean;
} mus_spread;
mus_spread mus_mesh_spread(const mus_topology *topology);
// The same for a mesh in the new order; the topology is that of the order before.
mus_spread mus_order_spread(const mus_order *order, const mus_topology *topology);

#endif
