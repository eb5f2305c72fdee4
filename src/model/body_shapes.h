// The surfaces of bodies that are made, not read: a table from a shape's kind to its solid. Private to model/.
#ifndef MUS_MODEL_BODY_SHAPES_H
#define MUS_MODEL_BODY_SHAPES_H

#include "mesh/mesh.h"
#include "muslin/scene.h"

// With y up; the numbers of `size` are those along the axes of a scene with this axis up. MUS_BAD_INPUT for a kind that
// is not in the table, such as a file.
mus_status mus_body_shape_make(mus_arena *arena, const mus_body_shape *shape, mus_up up, mus_mesh *out);

#endif
