// A mannequin: a figure of capsules under one smooth closed skin, that stands, walks and runs.
//
// The skin is where the smooth union of the capsules' distances, -k log(sum exp(-d_i / k)), is zero, cut into quads on
// a grid and halved. Each vertex hangs on a few bones (linear blend skinning), whose shares are smoothed over the
// surface. Legs reach for their feet by inverse kinematics: a foot on the ground stays where it is while the figure
// goes on, and swings to its next place on a smooth arc. Cadence grows linearly with speed, so that the phase of the
// gait is a sum of time and distance.
//
// It stands on y = 0 around the origin, faces +z and goes along it. At time 0 its arms hang 38 degrees away from the
// body, its feet are a little apart.
#ifndef MUS_MESH_MANNEQUIN_H
#define MUS_MESH_MANNEQUIN_H

#include "base/affine.h"
#include "mesh/bone.h"
#include "mesh/mesh.h"

typedef struct mus_mannequin mus_mannequin;

// `height` in m. Speed in m/s, `keys` of them at ascending times (s), linear between and constant outside, none
// negative; without keys it stands for 0.9 s, walks, and runs from 3.5 s on. Everything lives in the
// arena, the keys are copied.
mus_status mus_mannequin_create(mus_arena *arena, double height, int keys, const double *time, const double *speed,
                                mus_mannequin **out);

// About 18,000 triangles, fronts outwards, at time 0. No material coordinates.
const mus_mesh *mus_mannequin_mesh(const mus_mannequin *mannequin);

// Its vertices' positions (vertices * 3) at a time: a pure function of it.
void mus_mannequin_at(const mus_mannequin *mannequin, double time, double *position);

// Its bones: from the frame of each to that of the figure at a time, and the axes of the capsules that are on them.
int mus_mannequin_bones(void);
void mus_mannequin_bones_at(const mus_mannequin *mannequin, double time, mus_affine *frame);
mus_status mus_mannequin_axes(const mus_mannequin *mannequin, mus_arena *arena, int *count, mus_bone_axis **axes);

#endif
