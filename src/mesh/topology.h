// Adjacency in a triangle mesh: edges, hinges, boundary loops, the triangles around a vertex, components.
//
// A side of a triangle has the number 3 t + k when it lies opposite corner k of triangle t; it runs from corner k + 1
// to corner k + 2. An edge is what one or more sides share: one at the boundary, two inside, more where the surface
// branches (non-manifold). All of it depends on the triangles alone, takes linear time, and is in one order that
// depends on nothing else.
#ifndef MUS_MESH_TOPOLOGY_H
#define MUS_MESH_TOPOLOGY_H

#include "mesh/mesh.h"

typedef struct mus_topology {
  int edges;
  int *edge;            // edges * 2 vertices, the smaller first; ascending, by the first and then by the second
  int *edge_side_start; // edges + 1
  int *edge_side;       // the sides of edge e, ascending: from edge_side_start[e] to edge_side_start[e + 1]
  int *side_edge;       // triangles * 3: the edge of a side
  int boundary_edges;   // with one side
  int branching_edges;  // with three sides or more

  // Interior edges with their two opposite vertices, where cloth bends: (a, b, c, d), the first triangle has a, b, c in
  // its order, the second has b, a, d in its own unless it is turned over against the first. In the order of the edges.
  // Branching edges have no hinge, nor have two triangles with the same three vertices.
  int hinges;
  int *hinge;      // hinges * 4
  int *hinge_edge; // hinges

  // Boundary vertices in the order in which the triangles' sides run, so that the surface lies to the left seen from
  // the front. A loop that meets a branching edge ends there and is not closed.
  int loops;
  int *loop_start; // loops + 1
  int *loop;       // vertices, each once a visit; a closed loop does not repeat its first
  unsigned char *loop_closed;

  int *vertex_start;    // vertices + 1
  int *vertex_triangle; // the triangles around vertex v, ascending

  int components; // of triangles that hang together by vertices
  int *component; // vertices: from 0 in the order of their first vertices; -1 where no triangle is
} mus_topology;

// MUS_BAD_INPUT names the first triangle whose corners are out of range or not three different vertices.
mus_status mus_topology_create(mus_arena *arena, const mus_mesh *mesh, mus_topology *out);

// The vertex that a side lies opposite to, and those from and to which it runs.
static inline int mus_side_apex(const mus_mesh *mesh, int side) { return mesh->triangle[side]; }
static inline int mus_side_from(const mus_mesh *mesh, int side) {
  return mesh->triangle[side % 3 == 2 ? side - 2 : side + 1];
}
static inline int mus_side_to(const mus_mesh *mesh, int side) {
  return mesh->triangle[side % 3 == 0 ? side + 2 : side - 1];
}

// Sides of an edge.
static inline int mus_edge_sides(const mus_topology *topology, int edge) {
  return topology->edge_side_start[edge + 1] - topology->edge_side_start[edge];
}

#endif
