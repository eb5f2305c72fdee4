// A small sheet that waves: a mesh and its positions at any frame by a formula, for what is written frame by frame.
#ifndef SUPPORT_ANIMATION_H
#define SUPPORT_ANIMATION_H

#include "base/memory.h"
#include "mesh/mesh.h"

// (n + 1)^2 vertices over a square metre, two triangles a cell, flat. The test fails when memory is short.
mus_mesh animation_sheet(mus_arena *arena, int n);
// Positions at a frame, vertices * 3: every coordinate moves, so that axes cannot be mistaken for one another.
void animation_pose(const mus_mesh *mesh, int frame, double *positions);

#endif
