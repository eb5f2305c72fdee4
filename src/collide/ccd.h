// Continuous detection for one pair: when do two features that move along straight lines come closer than a distance?
//
// Conservative advancement (Mirtich 1996) by separating planes: at a time t, the direction n between the closest points
// is that of planes that lie between the two features. Seen along n, every node moves linearly, so the time until which
// no node of one comes within `near` of a node of the other is found by a division; until then nothing else of the two
// can either, because features lie between their nodes. There the closest points are found again, and so on, until the
// features have come close or the step is over. Whatever the closest points' rounding errors may be, what a plane
// separates is separate; see ccd.c for the bound, which tests compare with exact arithmetic.
#ifndef MUS_COLLIDE_CCD_H
#define MUS_COLLIDE_CCD_H

#include "collide/contact.h"

// x0, x1: the four nodes at the start and the end. 1, with `time` (no later than the first time at which the distance
// is `near`), when the pair comes within `near`; never 0 when it does. It may also be 1 for a pair that comes within
// (1 + MUS_CCD_TOLERANCE) near + MUS_CCD_ROUNDING m, no farther, where m is the largest difference of coordinates
// between the pair's nodes at any time; and for one that MUS_CCD_ROUNDS planes have not been enough for, which takes
// features that turn about each other at nearly that distance.
#define MUS_CCD_TOLERANCE 0.1
#define MUS_CCD_ROUNDING 0x1p-42
enum { MUS_CCD_ROUNDS = 1000 };
int mus_vertex_face_impact(const double x0[4][3], const double x1[4][3], double near, double *time);
int mus_edge_edge_impact(const double x0[4][3], const double x1[4][3], double near, double *time);

// The same with min(near, share * distance at the start) in place of `near`, which then receives it, unless the pair is
// seen to stay farther apart than `near` without that.
int mus_pair_impact(mus_pair_kind kind, const double x0[4][3], const double x1[4][3], double share, double *near,
                    double *time);

#endif
