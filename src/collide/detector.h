// Finding contacts: what lies near what, what will touch what, what crosses what. One tree of boxes over the triangles
// of a surface (one for cloths, one for bodies) serves all questions; it is refitted to new positions, not built again.
//
// Answers are lists that do not depend on the number of threads; they take the place of what the list held before.
// Pairs that can never collide (see surface.h) and those that are released (see below) are left out.
//
// The tree is our own because it is faster than Embree's rtcCollide() on user geometry with refitting: by
// bench_broad_phase on a pleated sheet of 40,401 vertices that moves by 2 mm a step, fitting takes 3.5 ms of processor
// time against 43, and finding the pairs of triangles 30 ms against 93; both about nine times that at 361,201 vertices.
// Its boxes are those at the start and at the end of a motion, not around it, so it finds half as many pairs. All of
// the impacts then take 152 ms of processor time, shared by the threads; 1445 ms at 361,201 vertices.
//
// Continuous detection never misses: see ccd.h for the bound. With `separation` s, a pair of gap g (surface.h) whose
// features are d0 apart at the start is reported when its distance falls below min(s g, d0 / 2) at any time of the
// straight motion from x0 to x1, and possibly when it comes within the tolerance of ccd.h of that. So a pair that
// starts apart and is not reported ends apart, by a known distance, and positions may be rounded to single precision.
#ifndef MUS_COLLIDE_DETECTOR_H
#define MUS_COLLIDE_DETECTOR_H

#include "collide/contact.h"
#include "collide/surface.h"

// Part of their distance below which close features are reported. As much as the tolerance of ccd.h
// leaves room for: what is pressed together step after step must not creep below what single precision tells apart.
#define MUS_IMPACT_SHARE 0.5

typedef struct mus_detector mus_detector;

// The surface must outlive the detector. `x`: typical positions, which the tree is built from.
mus_status mus_detector_create(const mus_surface *surface, const double *x, mus_detector **out);
void mus_detector_free(mus_detector *detector); // NULL is fine
size_t mus_detector_bytes(const mus_detector *detector);

// Contacts at positions x whose distance is below `reach` times their gap. Vertex-face contacts have their closest
// point anywhere on the triangle; where it lies on an edge or corner that several triangles share, or where the closest
// points of two edges are ends, the same vector would come several times: only the contact with the lowest kind and
// numbers is kept.
mus_status mus_detector_near(mus_detector *detector, const double *x, double reach, mus_list *contacts);

// Contacts that happen between x0 and x1, at the time when they do: node weights and normal are those at that time.
// `moved`: vertices; only pairs with a node that is marked are looked at. NULL: all.
mus_status mus_detector_impacts(mus_detector *detector, const double *x0, const double *x1, double separation,
                                const unsigned char *moved, mus_list *contacts);

// An edge that goes through a triangle.
typedef struct mus_crossing {
  int edge, triangle;
  double along;   // 0 ... 1 on the edge
  double part[3]; // barycentric coordinates in the triangle
} mus_crossing;
// All crossings at positions x, of cloth with cloth and of cloth with bodies, in the order of their numbers. Released
// pairs are not left out. For response, not for proof: signs are those of rounded determinants.
mus_status mus_detector_crossings(mus_detector *detector, const double *x, mus_list *crossings);

// Features of cloth that are inside a solid body or go through it, and all features of solid bodies: 1 for each.
typedef struct mus_loose {
  unsigned char *vertex, *edge, *triangle; // of the whole surface
} mus_loose;

// Marks a vertex or an edge of cloth, and all that it is part of.
void mus_loosen_vertex(const mus_surface *surface, int vertex, const mus_loose *loose);
void mus_loosen_edge(const mus_surface *surface, int edge, const mus_loose *loose);

// Releases pairs, and only these, from now on: what is tangled could not come apart otherwise. NULL or an empty list:
// none.
//   crossings: a pair of features is free to pass when one lies within a ring of triangles around the edge of a
//     crossing and the other within a ring around its triangle.
//   loose: a feature of cloth and one of a body are free to pass when both are marked. What is not marked stays apart:
//     cloth that has come out of a body does not fall back. Must outlive the next call.
mus_status mus_detector_release(mus_detector *detector, const mus_list *crossings, const mus_loose *loose);

#endif
