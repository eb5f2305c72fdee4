// The colour of a place on a surface: what is painted on it, and what of the light that reaches it goes to the eye.
#ifndef MUS_RENDER_SHADE_H
#define MUS_RENDER_SHADE_H

#include "render/lighting.h"

// A place that a ray from the eye has met.
typedef struct mus_sight {
  int mesh, triangle;
  float u, v;           // as in mus_hits
  float x, y;           // pixel coordinates
  mus_float3 direction; // unit, from the eye
  mus_spot spot;
  float pixel; // m: a pixel's size there, held against the ray
} mus_sight;

// Radiance towards the eye, linear.
mus_float3 mus_shade_mesh(const mus_world *world, const mus_sight *sight, const mus_lit *lit);
mus_float3 mus_shade_ground(const mus_world *world, const mus_lit *lit);

// How much of the place is covered by the lines of a wireframe, 0 to 1. Lines fade where the mesh is too fine to show.
float mus_wire_cover(const mus_world *world, const mus_view *view, const mus_sight *sight);

#endif
