// Surfaces of simple bodies, made on the spot: what cloth and solids fall on.
//
// All but the plane are closed, and triangles run counter-clockwise seen from outside. Round surfaces have their
// vertices on the surface and facets that lie at most `facet` from it; where a body is hollow, its facets so lie in
// the hollow. Triangles are no needles: rings around a pole have six vertices more than the one before, and rows are at
// most a few times as high as they are wide.
#ifndef MUS_MESH_BODY_SURFACES_H
#define MUS_MESH_BODY_SURFACES_H

#include "mesh/mesh.h"

// y = 0, front upwards, around the origin.
mus_status mus_body_plane(mus_arena *arena, double width, double depth, mus_mesh *out);

// Around the origin, size along x, y and z.
mus_status mus_body_box(mus_arena *arena, const double size[3], mus_mesh *out);

// Along y around the origin; `length` between the centres of its two half spheres: 0 makes a sphere.
mus_status mus_body_capsule(mus_arena *arena, double radius, double length, double facet, mus_mesh *out);

// A box with a round hole along y. MUS_BAD_INPUT when the hole is wider than the box.
mus_status mus_body_box_with_hole(mus_arena *arena, const double size[3], double radius, double facet, mus_mesh *out);

// A cone's wall around y, its inner radius `low` at -height / 2 and `high` at height / 2. The wall is `wall` thick, at
// most 2 * low, and has round lips, which reach half of that beyond its ends.
mus_status mus_body_funnel(mus_arena *arena, double low, double high, double height, double wall, double facet,
                           mus_mesh *out);

// Along y around the origin, with flat ends.
mus_status mus_body_cylinder(mus_arena *arena, double radius, double length, double facet, mus_mesh *out);
// Its foot, of `radius`, at -length / 2, its tip at length / 2.
mus_status mus_body_cone(mus_arena *arena, double radius, double length, double facet, mus_mesh *out);

// A ring around y: a tube of radius `tube` around a circle of `radius`. MUS_BAD_INPUT where it leaves no hole.
mus_status mus_body_torus(mus_arena *arena, double radius, double tube, double facet, mus_mesh *out);

// A box with round edges and corners of that radius. Where that is small against the box, the strips beside its edges
// are narrow. MUS_BAD_INPUT where they leave nothing flat.
mus_status mus_body_rounded_box(mus_arena *arena, const double size[3], double radius, double facet, mus_mesh *out);

#endif
