// The curves along which surfaces go through each other, traced from crossing to crossing.
//
// Two triangles that go through each other have a segment in common, from one crossing (an edge of one of the two
// through the other triangle) to another. Where segments meet in a crossing they hang together: such a chain is a
// contour. It lies on two strands of surface, which may be parts of one cloth; each crossing's edge belongs to one
// strand and its triangle to the other.
#ifndef MUS_COLLIDE_CONTOURS_H
#define MUS_COLLIDE_CONTOURS_H

#include "collide/detector.h"

typedef struct mus_contours {
  int count;
  int *start;            // count + 1
  int *member;           // crossings, contour by contour, ascending
  unsigned char *strand; // crossings: that of the edge, 0 or 1; with a body, 0 is the cloth's
} mus_contours;

// Crossings in the order of the list; contours in the order of their first crossings.
mus_status mus_contours_trace(mus_arena *arena, const mus_surface *surface, const mus_list *crossings,
                              mus_contours *out);

// Which way to move the edge of a crossing against its triangle so that the contour becomes shorter (Volino and
// Magnenat-Thalmann 2006). The edge E, unit, goes through a triangle of normal N, and R_i are unit vectors along the
// contour, from the crossing into each triangle beside the edge. Moving the edge by u moves the crossing by
// u - E (u . N) / (E . N), and the contour becomes shorter by that times R = sum_i R_i. So the steepest way is
//   R - N (E . R) / (E . N),
// here times |E . N|, since where the edge hardly enters the triangle the way is long and the direction uncertain.
// About 0 where the contour runs on straight.
void mus_contour_shortening(const mus_surface *surface, const double *x, const mus_crossing *crossing, double way[3]);

// Unit normal of a triangle; zero where it has no area.
void mus_triangle_normal(const mus_surface *surface, const double *x, int triangle, double normal[3]);

#endif
