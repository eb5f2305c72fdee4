// The mannequin's skeleton and its gait. Lengths are those of a figure 1.75 m tall. Private to mannequin.c and its
// skin.
#ifndef MUS_MESH_MANNEQUIN_POSE_H
#define MUS_MESH_MANNEQUIN_POSE_H

#include "mesh/turn.h"

// Bones that there are twice come left, then right.
typedef enum mus_bone {
  MUS_BONE_PELVIS,
  MUS_BONE_SPINE,
  MUS_BONE_CHEST,
  MUS_BONE_NECK,
  MUS_BONE_HEAD,
  MUS_BONE_UPPER_ARM,
  MUS_BONE_LOWER_ARM = MUS_BONE_UPPER_ARM + 2,
  MUS_BONE_HAND = MUS_BONE_LOWER_ARM + 2,
  MUS_BONE_THIGH = MUS_BONE_HAND + 2,
  MUS_BONE_SHIN = MUS_BONE_THIGH + 2,
  MUS_BONE_FOOT = MUS_BONE_SHIN + 2,
  MUS_BONE_TOES = MUS_BONE_FOOT + 2,
  MUS_BONES = MUS_BONE_TOES + 2
} mus_bone;

// Where a bone's joint is and how it is turned. Limbs point along their own -y, feet along +z.
typedef struct mus_bone_place {
  mus_point joint;
  mus_turn turn;
} mus_bone_place;

// Strides a second at a speed: cadence[0] + cadence[1] * speed, the latter in m/s for a figure of 1.75 m.
extern const double mus_mannequin_cadence[2];

// All bones at a speed, `distance` metres along z, and a phase of the gait: the left foot strikes at every whole
// number, the right one half a stride later. At rest, speed 0, the phase does not count.
void mus_mannequin_pose(double speed, double distance, double phase, mus_bone_place place[MUS_BONES]);

#endif
