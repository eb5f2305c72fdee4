// A cloth's mesh as a scene describes it: generated, cut for a body, or read from a file, repaired and given a rest
// shape; then turned and moved to where it starts. Private to model/.
#ifndef MUS_MODEL_CLOTH_MESH_H
#define MUS_MODEL_CLOTH_MESH_H

#include "model/part_shape.h"
#include "muslin/scene.h"

// `up` is the scene's, and `around` is the body that a garment is made for, where it starts and with y up; NULL for
// other shapes. Errors name the file, and say what to do.
mus_status mus_cloth_mesh_create(mus_arena *arena, mus_up up, const mus_cloth *cloth, const mus_mesh *around,
                                 mus_part_shape *out);

#endif
