// The mannequin's skin: its surface and the bones that carry each vertex. Private to mannequin.c.
#ifndef MUS_MESH_MANNEQUIN_SKIN_H
#define MUS_MESH_MANNEQUIN_SKIN_H

#include "mesh/bone.h"
#include "mesh/mannequin_pose.h"
#include "mesh/mesh.h"

enum { MUS_SKIN_BONES = 4 }; // that carry a vertex, at most

typedef struct mus_skin {
  mus_mesh mesh;       // around the bones where they were given
  unsigned char *bone; // vertices * MUS_SKIN_BONES
  double *share;       // the same: how much of the vertex each carries; they sum to 1
} mus_skin;

// Cut on a grid with cells of `cell` metres.
mus_status mus_skin_create(mus_arena *arena, const mus_bone_place place[MUS_BONES], double cell, mus_skin *out);

// The axes of the capsules that the surface is around, and how many there are.
int mus_skin_axes(void);
void mus_skin_list_axes(mus_bone_axis *axes);

#endif
