// What a surface of triangles encloses, as a shape that can be filled.
//
// Inside is where the generalised winding number (collide/winding.h) is above a half, so that holes, overlapping parts,
// edges of three triangles and the like do no harm: holes are closed by something like a soap film. Fronts must all be
// outside, or all inside.
#ifndef MUS_FILL_FILLED_SURFACE_H
#define MUS_FILL_FILLED_SURFACE_H

#include "fill/stuffing.h"
#include "mesh/measure.h"

typedef struct mus_filled_surface mus_filled_surface;

// A copy is kept. Defects that need no taste are repaired first (mesh/repair.h); `repairs`, where it is not NULL, gets
// what was done in words. MUS_BAD_INPUT for numbers that are not finite, and for a surface that encloses nothing, such
// as a sheet.
mus_status mus_filled_surface_create(const mus_mesh *mesh, size_t size, char *repairs, mus_filled_surface **out);
void mus_filled_surface_free(mus_filled_surface *surface); // NULL is fine

// For a lattice of that spacing, which distances matter as far as; the last one asked for is valid.
mus_shape mus_filled_surface_shape(mus_filled_surface *surface, double spacing);
// The box around it.
mus_box mus_filled_surface_box(const mus_filled_surface *surface);
// As repaired.
const mus_mesh *mus_filled_surface_mesh(const mus_filled_surface *surface);
// Whether it is closed everywhere, so that the winding number is the same wherever no triangle lies between.
int mus_filled_surface_is_closed(const mus_filled_surface *surface);
// The winding number (collide/winding.h), and whether it is more than a half, which is found faster.
double mus_filled_surface_number(const mus_filled_surface *surface, const double p[3]);
int mus_filled_surface_is_inside(const mus_filled_surface *surface, const double p[3]);

// How far a filling and its surface are apart, in metres: the farthest that a vertex or the middle of a triangle of
// `mesh`, the filling's skin, is from the surface. Where the nearest is the rim of a hole, which the filling has
// closed, it counts as `closed` instead.
mus_status mus_filled_surface_deviation(const mus_filled_surface *surface, const mus_mesh *mesh, double *farthest,
                                        double *closed);
// What a filling has lost: the farthest that the border of what the surface encloses is from the skin of the filling.
// Triangles with the same on both sides, inside where parts overlap or outside, are no border.
mus_status mus_filled_surface_loss(const mus_filled_surface *surface, const mus_filled_surface *skin, double *farthest);

#endif
