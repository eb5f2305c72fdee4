// What generated cloths must be, for tests of any size.
#ifndef TESTS_SUPPORT_CLOTHS_H
#define TESTS_SUPPORT_CLOTHS_H

#include "mesh/generate.h"
#include "mesh/topology.h"

typedef mus_status (*cloth_generator)(mus_arena *, const mus_generate_options *, mus_mesh *);

// Whether irregular cloths can be made; the error text says how they could when not.
int cloths_have_qhull(void);
// What goes wrong ends the test.
mus_mesh cloths_made(mus_arena *arena, cloth_generator generate, const mus_generate_options *options);
// Ends the test unless the cloth is flat, without defects, in one piece with one boundary, and of that area.
mus_topology cloths_check(mus_arena *arena, const mus_mesh *mesh, double area);
// A vertex exactly on the boundary of a rectangle around the origin.
int cloths_on_rectangle(const double *p, double width, double depth);
// Makes a square sheet and checks all of that, its counts, its boundary and its angles.
void cloths_check_square(int side, int irregular);

#endif
