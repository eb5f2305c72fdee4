// An order of vertices and tetrahedra in which neighbours in the mesh are neighbours in memory: that of reorder.h.
#ifndef MUS_MESH_TETRAHEDRA_ORDER_H
#define MUS_MESH_TETRAHEDRA_ORDER_H

#include "mesh/tetrahedra.h"

typedef struct mus_solid_order {
  int vertices, tetrahedra;
  int *vertex;      // the number that vertex v had before
  int *new_vertex;  // the inverse: the number that it gets
  int *tetrahedron; // the number that tetrahedron t had before: in the order of their first vertices
} mus_solid_order;

// Corners must be in range and different.
mus_status mus_solid_order_find(mus_arena *arena, const mus_tetrahedra *mesh, mus_solid_order *out);
// A mesh in the new order. The corners of tetrahedra stay as they are.
mus_status mus_solid_order_apply(mus_arena *arena, const mus_solid_order *order, const mus_tetrahedra *mesh,
                                 mus_tetrahedra *out);
// `width` numbers per vertex in the new order, back in the order before.
void mus_solid_order_restore(const mus_solid_order *order, int width, const double *value, double *before);

// How far apart in memory the ends of edges lie, on average; each edge counts once per tetrahedron.
double mus_tetrahedra_spread(const mus_tetrahedra *mesh);

#endif
