// The two sides of a contour, and which of them has less area.
//
// Where a contour cuts a strand of surface in two, one side has gone through the other strand, and most likely it is
// the smaller one (the flood fill of Baraff, Witkin and Kass 2003, for one contour at a time). Floods start from both
// ends of an edge that the contour crosses and go on by turns over edges that it does not cross, and over seams. So
// this costs what the smaller side costs, and little where the two meet because the contour cuts nothing.
#ifndef MUS_COLLIDE_SIDES_H
#define MUS_COLLIDE_SIDES_H

#include "collide/contours.h"

double mus_triangle_area(const double *x, const int *corner);

typedef struct mus_sides {
  const mus_surface *surface;
  int *mark;              // vertices: the flood that last came here
  int flood;              // the latest
  int smaller;            // that of the smaller side
  double area;            // m^2, of the smaller side
  int vertices;           // of the smaller side
  int *queue;             // vertices: one side from the front, the other from the back
  unsigned char *crossed; // edges: 1 while the contour crosses them an odd number of times
} mus_sides;

mus_status mus_sides_create(mus_arena *arena, const mus_surface *surface, mus_sides *out);

// 1 where the contour cuts the strand in two.
int mus_sides_part(mus_sides *sides, const double *x, const mus_contours *contours, const mus_crossing *crossing,
                   int contour, int strand);

// After that: which end of a crossing's edge lies on the smaller side; -1 where none or both do.
int mus_sides_smaller_end(const mus_sides *sides, const mus_crossing *crossing);

#endif
