// Delaunay triangulations in the plane, by qhull (Barber, Dobkin and Huhdanpaa 1996).
#ifndef MUS_MESH_DELAUNAY_H
#define MUS_MESH_DELAUNAY_H

#include "base/memory.h"
#include "muslin/status.h"

// The triangles (three numbers of points each, counter-clockwise, ordered by their smallest, their second and their
// largest point) whose circumcircles hold no other of the `count` points (x, y). They fill the convex hull. Four points
// on one circle are not to be relied on. MUS_UNSUPPORTED without qhull, MUS_BAD_INPUT when there is no triangulation.
mus_status mus_delaunay(mus_arena *arena, int count, const double *point, int *triangles, int **triangle);

#endif
