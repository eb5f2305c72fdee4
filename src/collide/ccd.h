// Continuous detection for one pair: when do two features that move along straight lines come closer than a distance?
//
// Conservative advancement (Mirtich 1996; in the additive form of Li et al. 2021): no point of the pair moves relative
// to the other feature faster than a bound l, after the mean motion is taken away; so nothing closer than `near` can
// happen before the time has advanced by (distance - near) / l. Advancing by a little less, over and over, never goes
// past the first time at which the distance is `near`. The distance itself is computed with a relative error far below
// the safety margin; see ccd.c for the bound, which tests compare with exact arithmetic.
#ifndef MUS_COLLIDE_CCD_H
#define MUS_COLLIDE_CCD_H

#include "collide/contact.h"

// x0, x1: the four nodes at the start and the end. 1, with `time` (no later than the first time at which the distance
// is `near`), when the pair comes within `near`; never 0 when it does. It may also be 1 for a pair that comes within
// (1 + MUS_CCD_TOLERANCE) near, no farther.
#define MUS_CCD_TOLERANCE 0.1
int mus_vertex_face_impact(const double x0[4][3], const double x1[4][3], double near, double *time);
int mus_edge_edge_impact(const double x0[4][3], const double x1[4][3], double near, double *time);

#endif
