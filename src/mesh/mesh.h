// Triangle meshes with a rest shape: what a cloth is before it is simulated.
//
// The rest shape is flat and given by material coordinates (u, v) in metres, warp along u and weft along v. They belong
// to the corners of triangles, not to vertices: where two panels are sewn together, a vertex lies at different places
// of the material. All arrays come from the arena given at creation and live as long as it does.
#ifndef MUS_MESH_MESH_H
#define MUS_MESH_MESH_H

#include "base/memory.h"
#include "muslin/status.h"

typedef struct mus_mesh {
  int vertices, triangles;
  double *position; // vertices * 3, in metres
  int *triangle;    // triangles * 3 vertices, counter-clockwise seen from the front
  double *material; // triangles * 3 corners * (u, v), in metres; NULL before there is a rest shape (see rest.h)
} mus_mesh;

// No mesh has more vertices or triangles than this, so that a corner's number easily fits an int.
enum { MUS_MESH_MAXIMUM = 1 << 28 };

// Arrays for this many vertices and triangles, uninitialised; material coordinates only if asked for. MUS_BAD_INPUT
// beyond MUS_MESH_MAXIMUM.
mus_status mus_mesh_create(mus_arena *arena, long long vertices, long long triangles, int with_material, mus_mesh *out);
// A mesh of its own with the same contents.
mus_status mus_mesh_copy(mus_arena *arena, const mus_mesh *mesh, mus_mesh *out);

#endif
