// The scene made ready for rays: surfaces, tracer, linear lights, and how much light the ground throws back.
#ifndef MUS_RENDER_WORLD_H
#define MUS_RENDER_WORLD_H

#include "base/memory.h"
#include "render/camera.h"
#include "render/embree.h"
#include "render/scene.h"
#include "render/surface.h"

typedef struct mus_world_light {
  mus_float3 direction, across, along; // unit: towards the light, and two across it
  mus_float3 colour;                   // linear, with strength and exposure
  float radius;                        // of the disc at distance 1
} mus_world_light;

enum { MUS_GROUND_SIDE = 48 };

typedef struct mus_world {
  mus_arena arena;
  int meshes;
  mus_render_surface *surface;
  mus_tracer *tracer;
  mus_bounds bounds; // of this frame
  float radius;      // half its diagonal
  float offset;      // m: rays start this far from the surface they leave
  int lights;
  mus_world_light light[MUS_LIGHTS];
  mus_float3 zenith, horizon; // linear, with strength and exposure
  int ground;
  float ground_height, fade_start, fade_end;
  mus_float3 ground_colour;
  mus_float3 ground_low; // a corner of the square in which the ground's light is known ...
  float ground_step;     // ... at points this far apart
  mus_float3 ground_open;
  mus_float3 ground_light[MUS_GROUND_SIDE * MUS_GROUND_SIDE]; // radiance that it sends up
  mus_heat_map heat;                                          // with the range that is used
} mus_world;

// Takes in the scene's topology. The scene must have passed mus_scene_check().
mus_status mus_world_create(const mus_render_scene *scene, mus_world **out);
// Takes in a frame: positions, looks, lights. The topology must be that of the creation.
mus_status mus_world_update(mus_world *world, const mus_render_scene *scene);
void mus_world_free(mus_world *world);

mus_float3 mus_world_sky(const mus_world *world, mus_float3 direction);
// What comes from the ground to `from` along the unit vector `direction`, which goes down.
mus_float3 mus_world_bounce(const mus_world *world, mus_float3 from, mus_float3 direction);

#endif
