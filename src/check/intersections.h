// All pairs of triangles that intersect: cloth with cloth and cloth with bodies, found exactly.
//
// It shares no code with the collision handling of the simulator, whose results it is there to check.
//
//   Triangles that share no vertex intersect when they have a point in common; what only touches counts. Triangles that
//   share a vertex or an edge intersect when they overlap beyond it (triangle_pairs.h). Triangles that name a vertex
//   twice have no surface and are left out. Bodies may cross bodies. Parts of one triangle do not intersect.
#ifndef MUS_CHECK_INTERSECTIONS_H
#define MUS_CHECK_INTERSECTIONS_H

#include "base/list.h"
#include "base/memory.h"
#include "muslin/status.h"

// Two vertices that are sewn together. Partly: `a` to a place on an edge that ends at `b`. Others that are sewn to an
// edge with that end count as sewn to `a` too; the ends of an edge do not count as sewn to each other.
typedef struct mus_sewn {
  int a, b;
  int partly;
} mus_sewn;

typedef struct mus_check_surface {
  int vertices, triangles;
  int cloth_triangles; // the first ones; those behind are of bodies
  const int *triangle; // triangles * 3
  int sewn_count;
  const mus_sewn *sewn;
  // Where seams are welded, triangles are parts of others, by whose numbers and corners pairs are told.
  const int *source; // triangles, ascending; NULL: they are themselves
  const int *whole;  // the others' corners; NULL with `source`
} mus_check_surface;

typedef struct mus_intersection {
  int first, second; // triangles, by `source`; the first is cloth, and lower
  int at_seam;       // 1: vertices of the two are sewn together
} mus_intersection;

// For qsort and bsearch: by ascending `first` and `second`.
int mus_intersection_order(const void *a, const void *b);

typedef struct mus_intersections mus_intersections;

// The surface must outlive it. There must be a cloth triangle.
mus_status mus_intersections_create(const mus_check_surface *surface, mus_intersections **out);
void mus_intersections_free(mus_intersections *finder); // NULL is fine

// The pairs at positions x (vertices * 3, see the limits in predicates.h) into a list of mus_intersection that is
// written over, in that order, the same for any number of threads.
mus_status mus_intersections_find(mus_intersections *finder, const double *x, mus_list *pairs);
// About where: the middle of the overlap of the two triangles' boxes.
void mus_intersection_place(const mus_check_surface *surface, const double *x, const mus_intersection *pair,
                            double place[3]);

#endif
