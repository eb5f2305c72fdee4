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

mus_status mus_renderer_create(const mus_render_scene *scene, const mus_render_quality *quality, mus_renderer **out);
// Draws a scene whose meshes have the topology of the creation. `picture` has the quality's size.
mus_status mus_renderer_draw(mus_renderer *renderer, const mus_render_scene *scene, mus_picture *picture);
void mus_renderer_free(mus_renderer *renderer);

#endif
