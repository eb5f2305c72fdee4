// glTF 2.0 (.gltf, .glb): the triangles that a file's scene shows, and how its animations move them.
//
// Read are nodes, meshes (triangles, strips and fans; points and lines are passed over), skins, morph targets and
// animations of translation, rotation, scale and morph weights, with all three interpolations; buffers inside the file,
// in data: addresses or in files beside it. Appearance is not. Files that need an extension which changes where things
// are (such as compression) are rejected.
//
// Vertices that lie at one place and move alike become one: exporters split them where texture coordinates jump, which
// would leave the surface open there. Coordinates are the file's: metres, y up, unless its author thought otherwise.
//
// Nothing in a file is believed: every index, offset, count and stride is checked against what is really there. Errors
// name the file and the place in it.
#ifndef MUS_IO_GLTF_H
#define MUS_IO_GLTF_H

#include "base/affine.h"
#include "mesh/bone.h"
#include "mesh/mesh.h"

typedef struct mus_gltf mus_gltf;

mus_status mus_gltf_read(const char *path, mus_gltf **out);
// The same from memory; `name` stands for the path in error texts, and no other file is read.
mus_status mus_gltf_parse(const char *name, const void *bytes, size_t length, mus_gltf **out);
void mus_gltf_free(mus_gltf *gltf); // NULL is fine
size_t mus_gltf_bytes(const mus_gltf *gltf);
// Whether a path ends as such files do.
int mus_gltf_is_path(const char *path);

// The surface as it stands without any animation. No material coordinates.
const mus_mesh *mus_gltf_mesh(const mus_gltf *gltf);

typedef struct mus_gltf_about {
  int nodes, parts, skins, joints; // parts: meshes where nodes show them
  int vertices;                    // before those that move alike were merged
  int targets;                     // for morphing
  int animations;
} mus_gltf_about;
mus_gltf_about mus_gltf_describe(const mus_gltf *gltf);

// "" where it has no name.
const char *mus_gltf_animation_name(const mus_gltf *gltf, int animation);
// s, from its first key to its last.
double mus_gltf_animation_length(const mus_gltf *gltf, int animation);
// By its name, or the first where that is NULL: -1 when there are none. MUS_BAD_INPUT, with the list of names, when
// there is none of that name.
mus_status mus_gltf_find_animation(const mus_gltf *gltf, const char *name, int *animation);

// Positions, vertices * 3, `time` seconds after the animation's first key. It goes round: after its last key it begins
// again. -1 is no animation. Only scratch memory of `gltf` changes. MUS_BAD_INPUT when numbers grow beyond all bounds.
mus_status mus_gltf_at(mus_gltf *gltf, int animation, double time, double *position);

// Bones: the joints of all its skins, each counted once. From a bone's own frame to that of the file at a time, as
// above.
int mus_gltf_bones(const mus_gltf *gltf);
void mus_gltf_bones_at(mus_gltf *gltf, int animation, double time, mus_affine *frame);
// From each joint to those that hang on it, or a point where there is none, as they stand without any animation. All
// come from the arena.
mus_status mus_gltf_axes(mus_gltf *gltf, mus_arena *arena, int *count, mus_bone_axis **axes);

#endif
