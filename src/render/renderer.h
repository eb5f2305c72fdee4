// Pictures of meshes, ray-traced: create a renderer for the topology, then draw frame by frame.
//
//   mus_renderer *renderer;
//   mus_renderer_create(&scene, &quality, &renderer);
//   for each frame: write positions; mus_renderer_draw(renderer, &scene, &picture);
//   mus_renderer_free(renderer);
//
// A picture is a function of scene and quality alone: the same bits for any number of threads.
#ifndef MUS_RENDER_RENDERER_H
#define MUS_RENDER_RENDERER_H

#include "render/picture.h"
#include "render/scene.h"

typedef struct mus_renderer mus_renderer;

// Where a frame's time went, in seconds.
typedef struct mus_render_times {
  double update;  // normals and Embree's tree
  double sight;   // what each pixel sees
  double light;   // rays to lights and sky
  double shade;   // antialiasing, colours, tone mapping
  double overlay; // legend and caption
} mus_render_times;

mus_status mus_renderer_create(const mus_render_scene *scene, const mus_render_quality *quality, mus_renderer **out);
// Draws a scene whose meshes have the topology of the creation. `picture` has the quality's size.
mus_status mus_renderer_draw(mus_renderer *renderer, const mus_render_scene *scene, mus_picture *picture);
mus_render_times mus_renderer_times(const mus_renderer *renderer); // of the last picture
void mus_renderer_free(mus_renderer *renderer);

#endif
