// How often the bodies wind around a point, and where their outside is nearest.
//
// The generalised winding number (Jacobson, Kavan and Sorkine-Hornung 2013) is the solid angle under which a point sees
// a surface, with the sign of the side that it sees, in parts of 4 pi: 1 inside a closed surface, 0 outside, 2 where
// two parts overlap, and something between for surfaces with holes, which so have an inside too. A tree of triangles
// makes it cheap (Barill et al. 2018): what lies far away counts as a dipole and its first moment, what lies near is
// summed exactly.
//
// Bodies that have an inside are solid; those that are mere sheets, such as a plane, are not, and do not count here.
// What tells them apart are their holes: a body is a sheet when the squares of the lengths of its boundary loops add up
// to more than twice its area. For a sphere without an eighth of its height at one end they are 1.6 times the area; for
// half a sphere 6.3, for a square 16, for an open tube that is ten times as long as its radius 1.3. Vertices at the
// same place count as one. Solid bodies whose triangles face inwards count as if turned over.
#ifndef MUS_COLLIDE_WINDING_H
#define MUS_COLLIDE_WINDING_H

#include "collide/surface.h"

typedef struct mus_winding mus_winding;

// The surface must outlive it. `x`: positions, which the tree is built from, and which say what is solid.
mus_status mus_winding_create(const mus_surface *surface, const double *x, mus_winding **out);
// The same, but whatever has an area counts as solid, however large its holes are.
mus_status mus_winding_create_of_all(const mus_surface *surface, const double *x, mus_winding **out);
// New positions of the bodies: the tree keeps its shape. What is known about the same positions stays known.
void mus_winding_fit(mus_winding *winding, const double *x);
void mus_winding_free(mus_winding *winding); // NULL is fine
size_t mus_winding_bytes(const mus_winding *winding);

// 1 for the triangles of solid bodies.
int mus_winding_is_solid(const mus_winding *winding, int triangle);

// Within this of what the exact sum gives, at points beside the surface too (tests compare; the largest error seen is
// 0.018, in the middle of a sphere, where those of all directions add up).
#define MUS_WINDING_ERROR 0.02
double mus_winding_number(const mus_winding *winding, const double p[3]);
// Whether it is more than a half. Where a coarse number leaves no doubt, this is faster.
int mus_winding_is_inside(const mus_winding *winding, const double p[3]);
// Whether p lies in the box around all solid bodies, outside of which nothing is inside.
int mus_winding_reaches(const mus_winding *winding, const double p[3]);

// Finds the triangles that are buried: those whose outer side lies inside, as where two parts of a body overlap.
// Needed after each fit before outer points are asked for; it takes a winding number for every triangle.
void mus_winding_bury(mus_winding *winding);

typedef struct mus_surface_point {
  int triangle; // of the surface
  double part[3];
  double point[3];
  double normal[3]; // the triangle's, unit, outwards
  double distance;  // m
} mus_surface_point;

// Which triangles to look at; {0} for all.
typedef struct mus_winding_filter {
  int outer;             // 1: none that are buried
  int behind;            // 1: only those that the point lies behind
  double reach;          // m: only those nearer than this, where it is not 0
  const double *along;   // where given, only those whose normal has an angle of less than about 80 degrees with it
  const double *against; // where given, only those whose normal has an angle of more than about 100 degrees with it
} mus_winding_filter;
// The nearest point of solid bodies; 0 where there is none.
int mus_winding_closest(const mus_winding *winding, const double p[3], mus_winding_filter filter,
                        mus_surface_point *out);

#endif
