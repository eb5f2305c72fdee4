// A surface with its vertices doubled along sharp edges, so that pictures, which round normals off between the
// triangles at a vertex, show boxes as boxes. Private to picture/.
#ifndef MUS_PICTURE_CREASES_H
#define MUS_PICTURE_CREASES_H

#include "mesh/mesh.h"

typedef struct mus_creased {
  int vertices, triangles;
  int *source;   // vertices: the number in the mesh
  int *triangle; // triangles * 3
} mus_creased;

// Triangles at a vertex share it as long as normals, from one to the next, differ by less than so many degrees.
mus_status mus_crease(mus_arena *arena, const mus_mesh *mesh, double degrees, mus_creased *out);

#endif
