// Material coordinates as files hold them: a list without repetitions, and the place in it for every corner.
#ifndef MUS_IO_TEXTURES_H
#define MUS_IO_TEXTURES_H

#include "mesh/mesh.h"

typedef struct mus_textures {
  int count;
  int *source; // count: a corner that has these coordinates
  int *corner; // triangles * 3: the number of its coordinates
  int seams;   // 1: some vertex has more than one pair
} mus_textures;

// Corners of the same vertex with the same coordinates share them; where a vertex has very many, not all are found.
mus_status mus_textures_list(mus_arena *arena, const mus_mesh *mesh, mus_textures *out);

#endif
