// A solid's tetrahedra as a scene describes them: generated, filled, or read from a file and repaired; then turned and
// moved to where it starts. Private to model/.
#ifndef MUS_MODEL_SOLID_MESH_H
#define MUS_MODEL_SOLID_MESH_H

#include "model/part_shape.h"
#include "muslin/scene.h"

// `up` is the scene's. Errors name the file, and say what to do.
mus_status mus_solid_mesh_create(mus_arena *arena, mus_up up, const mus_solid *solid, mus_part_shape *out);

// Its surface alone, for a solid on a lattice: as its file has it, or that of the tetrahedra. A body's is not made
// here.
mus_status mus_solid_surface_create(mus_arena *arena, mus_up up, const mus_solid *solid, mus_part_shape *out);

#endif
