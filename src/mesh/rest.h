// The rest shape of a mesh that comes from a file: material coordinates in metres for every corner.
//
// From texture coordinates, where they are laid out as the cut pieces are, scaled to metres. Or from the positions,
// when the mesh is as it lies or hangs at rest: one frame for all when it is flat, else one for every triangle. Frames
// have their u axis, the warp, along the projection of one direction in space, so that neighbours agree as far as their
// planes do; each triangle's shape is kept exactly.
#ifndef MUS_MESH_REST_H
#define MUS_MESH_REST_H

#include "mesh/mesh.h"

typedef enum mus_rest_source {
  MUS_REST_AUTOMATIC, // texture coordinates where they change no edge by more than a factor of two, else positions
  MUS_REST_TEXTURE,   // those that the mesh came with; MUS_BAD_INPUT where it has none
  MUS_REST_POSITIONS, // flat or by triangles
  MUS_REST_FLAT,      // only as a result
  MUS_REST_TRIANGLES  // only as a result
} mus_rest_source;

typedef struct mus_rest_options {
  mus_rest_source source;
  double scale;   // metres a unit of texture coordinates; 0: so that the rest shape has the area of the mesh (0)
  double warp[3]; // direction in space that the warp follows, when positions are used (0, 1, 0)
} mus_rest_options;

mus_rest_options mus_rest_default_options(void);

typedef struct mus_rest_record {
  mus_rest_source source; // MUS_REST_TEXTURE, MUS_REST_FLAT or MUS_REST_TRIANGLES
  double scale;           // what texture coordinates were multiplied with; 1 for positions
  double shortest,
      longest; // the extremes of edges' lengths in space over those at rest: 1 and 1 when nothing is strained
} mus_rest_record;

// Gives the mesh material coordinates, or scales those that it has. Memory comes from the arena.
mus_status mus_rest_shape(mus_arena *arena, mus_mesh *mesh, const mus_rest_options *options, mus_rest_record *record);

#endif
