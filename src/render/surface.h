// Meshes made ready for drawing: single precision, smooth normals, linear colours.
//
// Topology is taken in once; positions and what is painted on them are taken in for every frame. Normals are weighted
// by the corners' angles (Thürmer and Wüthrich 1998), so that they do not depend on how a fold was triangulated.
#ifndef MUS_RENDER_SURFACE_H
#define MUS_RENDER_SURFACE_H

#include "base/memory.h"
#include "render/scene.h"

typedef struct mus_render_surface {
  int vertices, triangles;
  int *triangle;
  float *position, *normal; // vertices * 3; a vertex without area has normal 0
  float *material;          // triangles * 3 corners * (u, v), or NULL
  float *paint;             // vertices * 3, linear colours, or NULL
  mus_surface_look look;    // with linear colours
  int wireframe;
  float shading;              // part of the light's own brightness that is shown; the rest is 1 (see mus_heat_map)
  int *corner_start, *corner; // the corners (3 * triangle + k) at each vertex, in ascending order
  float *angle;               // of each corner
} mus_render_surface;

// Takes in topology and material coordinates. Arrays come from the arena.
mus_status mus_render_surface_create(mus_arena *arena, const mus_render_mesh *mesh, mus_render_surface *out);
// Takes in positions, look and colours of a mesh of the same topology. The map's range is not empty.
void mus_render_surface_update(mus_render_surface *surface, const mus_render_mesh *mesh, const mus_heat_map *heat);

// A place on a surface, seen from somewhere.
typedef struct mus_spot {
  mus_float3 position;
  mus_float3 geometric; // the triangle's unit normal, on the viewer's side
  mus_float3 normal;    // the smooth one, on the viewer's side
  mus_float3 raised;    // the position on the smooth surface that the normals pretend: where shadow rays start
  int back;             // the viewer sees the back
} mus_spot;

mus_spot mus_render_surface_spot(const mus_render_surface *surface, int triangle, float u, float v,
                                 mus_float3 direction);

#endif
