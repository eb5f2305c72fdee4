// The bodies of a scene: their surfaces in one numbering, and where they are at any time. Private to model/.
#ifndef MUS_MODEL_BODIES_H
#define MUS_MODEL_BODIES_H

#include "base/affine.h"
#include "mesh/bone.h"
#include "mesh/mesh.h"
#include "muslin/scene.h"

typedef struct mus_bodies mus_bodies;

// Reads or makes all surfaces. Errors name body, file and remedy. The scene must outlive them.
mus_status mus_bodies_create(const mus_scene *scene, mus_bodies **out);
void mus_bodies_free(mus_bodies *bodies); // NULL is fine
size_t mus_bodies_bytes(const mus_bodies *bodies);

int mus_bodies_vertices(const mus_bodies *bodies);
int mus_bodies_triangles(const mus_bodies *bodies);
const int *mus_bodies_triangle_list(const mus_bodies *bodies); // vertices counted over all bodies
// First vertex and triangle of a body; the totals for body_count.
int mus_bodies_first_vertex(const mus_bodies *bodies, int body);
int mus_bodies_first_triangle(const mus_bodies *bodies, int body);
// 1 where the body's positions ever change.
int mus_bodies_moves(const mus_bodies *bodies, int body);

// Positions at a time, s, vertices * 3 numbers: a pure function of time. Fails when a file of a sequence cannot be
// read.
mus_status mus_bodies_at(mus_bodies *bodies, double time, double *position);

// From the body's own frame, in which y is up, to space at a time, s.
mus_affine mus_bodies_frame_at(const mus_bodies *bodies, int body, double time);

// Bones of a body: those of a mannequin, or the joints of a glTF file's skins; 0 for any other. From each bone's own
// frame to space at a time, s, and their axes, which come from the arena.
int mus_bodies_bones(const mus_bodies *bodies, int body);
void mus_bodies_bones_at(mus_bodies *bodies, int body, double time, mus_affine *frame);
mus_status mus_bodies_axes(mus_bodies *bodies, int body, mus_arena *arena, int *count, mus_bone_axis **axes);

#endif
