// The surface that collides: all cloths and all bodies in one numbering, cloths first.
//
// Only topology and thickness are here, which do not change; positions are arrays of their own, vertices * 3 numbers.
// Pairs of features that share a vertex never collide, nor do two features of bodies. Vertices that are sewn together
// count as shared: two features are neighbours when a vertex of one is, or is sewn to, a vertex of the other. (A seam
// may tie one vertex to both ends of an edge; whoever is sewn to the same edge is not sewn to each other.)
#ifndef MUS_COLLIDE_SURFACE_H
#define MUS_COLLIDE_SURFACE_H

#include "mesh/topology.h"

// In place of the number of a body.
enum {
  MUS_SURFACE_CLOTH = -1,
  MUS_SURFACE_ABSENT = -2 // a vertex among those of cloth that nothing meets: it has no triangles, and is elsewhere too
};

typedef struct mus_surface {
  int vertices, edges, triangles;
  int cloth_vertices, cloth_edges, cloth_triangles; // those of cloths come first
  int *triangle;                                    // triangles * 3
  int *edge;                                        // edges * 2, the smaller first
  int *triangle_edge;                               // triangles * 3: edge k lies opposite corner k
  int *vertex_start, *vertex_triangle;              // the triangles around a vertex, as in mus_topology
  int *edge_start, *edge_triangle;                  // the triangles beside an edge
  int seams;                                        // pairs of vertices that are sewn together
  int *sewn_start, *sewn;                           // the vertices that a vertex is sewn to, both ways, ascending
  int *body;                                        // vertices: which body, or one of the above
  double *radius;                                   // vertices: half the thickness, m
} mus_surface;

// What a surface is made of. Vertices and triangles of cloths come first. Everything is copied.
typedef struct mus_surface_parts {
  int vertices, triangles, cloth_vertices, cloth_triangles;
  const int *triangle;  // triangles * 3
  const int *body;      // vertices
  const double *radius; // vertices
  int sewn;             // pairs of vertices that are sewn together
  const int *pair;      // sewn * 2
} mus_surface_parts;

mus_status mus_surface_create(mus_arena *arena, const mus_surface_parts *parts, mus_surface *out);

// How far apart two features rest: the smallest radius among the nodes of the first and among those of the second.
double mus_vertex_face_gap(const mus_surface *surface, int vertex, int triangle);
double mus_edge_edge_gap(const mus_surface *surface, int first, int second);

// Whether a vertex of one feature is, or is sewn to, a vertex of the other.
int mus_are_neighbours(const mus_surface *surface, int count_a, const int *a, int count_b, const int *b);

#endif
