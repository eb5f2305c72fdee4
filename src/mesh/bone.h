// A piece of a bone, for bodies that have a skeleton: from one point to another in the bone's own frame, which may be
// the same point.
#ifndef MUS_MESH_BONE_H
#define MUS_MESH_BONE_H

typedef struct mus_bone_axis {
  int bone;
  double from[3], to[3]; // m
} mus_bone_axis;

#endif
