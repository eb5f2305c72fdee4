// A cloth's mesh as a scene describes it: generated, cut for a body, or read from a file, repaired and given a rest
// shape; then turned and moved to where it starts. Private to model/.
#ifndef MUS_MODEL_CLOTH_MESH_H
#define MUS_MODEL_CLOTH_MESH_H

#include "io/mesh_file.h"
#include "mesh/refine.h"
#include "mesh/reorder.h"
#include "muslin/scene.h"

typedef struct mus_cloth_mesh {
  mus_mesh mesh;           // in the order that is simulated
  mus_topology topology;   // of it
  mus_order *order;        // from the order that users see, which files and results have; NULL where it is the same
  int *kept;               // the file's numbers of the vertices that were kept, ascending; NULL where all were
  mus_refinement *refined; // by the numbers that users see; NULL where it was not
  int shaped;              // 1: bending rests as the cloth starts, since the file's positions lie in no plane
  int stitches;            // of the file or the garment, then of the scene
  mus_stitch *stitch;      // by numbers of the simulation
  char repairs[240];       // what was mended or left out, in words; "" for nothing
} mus_cloth_mesh;

// `up` is the scene's, and `around` is the body that a garment is made for, where it starts and with y up; NULL for
// other shapes. Errors name the file, and say what to do.
mus_status mus_cloth_mesh_create(mus_arena *arena, mus_up up, const mus_cloth *cloth, const mus_mesh *around,
                                 mus_cloth_mesh *out);

// The number that a vertex of the file (or of the generated mesh) has in the simulation. MUS_BAD_INPUT where it is not
// there.
mus_status mus_cloth_mesh_vertex(const mus_cloth_mesh *shape, int number, int *vertex);
// From the order of the simulation to the one that users see, and back.
int mus_cloth_mesh_seen(const mus_cloth_mesh *shape, int vertex);
int mus_cloth_mesh_simulated(const mus_cloth_mesh *shape, int seen);

#endif
