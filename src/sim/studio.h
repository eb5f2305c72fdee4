// Cloths before the camera: what pictures of results and previews of runs have in common.
//
//   mus_studio_create(cloths, &quality, &studio);
//   for each cloth: fill in studio.mesh[k] but for positions, by mus_studio_dress() and by hand
//   for each frame: point studio.mesh[k].position to positions; mus_studio_draw(&studio);  then use studio.picture
//   mus_studio_free(&studio);
#ifndef MUS_SIM_STUDIO_H
#define MUS_SIM_STUDIO_H

#include "base/memory.h"
#include "render/renderer.h"

typedef struct mus_studio {
  mus_arena arena;
  mus_render_quality quality;
  mus_render_scene scene; // its meshes are ...
  mus_render_mesh *mesh;  // ... these
  mus_renderer *renderer; // made with the first picture, and used for all
  mus_picture picture;    // the last one
} mus_studio;

mus_status mus_studio_create(int cloths, const mus_render_quality *quality, mus_studio *out);
// Gives a cloth the look of its fabric; NULL where that is not known. Those before it tell whether that look is taken.
void mus_studio_dress(mus_studio *studio, int cloth, const char *const *fabrics);
mus_status mus_studio_draw(mus_studio *studio);
void mus_studio_free(mus_studio *studio);

// Adds all cloths as they are now.
void mus_studio_measure(const mus_studio *studio, mus_framing *framing);

#endif
