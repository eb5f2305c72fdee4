// Do two triangles intersect? Exact answers for any triangles, those without area (segments and points) included.
//
// Triangles are closed: what only touches, at distance 0, intersects. Corners are points of three coordinates; those
// that are shared are the same in both.
#ifndef MUS_CHECK_TRIANGLE_PAIRS_H
#define MUS_CHECK_TRIANGLE_PAIRS_H

// Triangles that share no corner: 1 when they have a point in common.
int mus_triangles_meet(const double *const s[3], const double *const t[3]);

// Triangles that share the corner s[0] = t[0] alone: 1 when they have another point in common, or another corner that
// lies at that point.
int mus_triangles_meet_beyond_corner(const double *const s[3], const double *const t[3]);

// Triangles that share the edge from s[0] = t[0] to s[1] = t[1]: 1 when they have a point in common that is not on the
// edge's line: both lie in a plane, on the same side of the edge.
int mus_triangles_meet_beyond_edge(const double *const s[3], const double *const t[3]);

#endif
