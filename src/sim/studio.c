// Cloths before the camera. See studio.h.
#include "sim/studio.h"

#include <string.h>

#include "base/error.h"
#include "sim/looks.h"

mus_status mus_studio_create(int cloths, const mus_render_quality *quality, mus_studio *out) {
  mus_studio studio = {.quality = *quality, .scene = mus_default_render_scene()};
  mus_status status = mus_quality_check(quality);
  if (!status)
    status = mus_picture_create(quality->width, quality->height, &studio.picture);
  if (!status && !(studio.mesh = mus_arena_alloc(&studio.arena, (size_t)cloths, sizeof *studio.mesh)))
    status = mus_fail_memory();
  if (status) {
    mus_studio_free(&studio);
    return status;
  }
  for (int k = 0; k < cloths; ++k)
    studio.mesh[k] = mus_default_render_mesh();
  studio.scene.mesh = studio.mesh;
  studio.scene.meshes = cloths;
  *out = studio;
  return MUS_OK;
}

static int same_fabric(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

void mus_studio_dress(mus_studio *studio, int cloth, const char *const *fabrics) {
  int earlier = 0;
  for (int k = 0; k < cloth; ++k)
    earlier += same_fabric(fabrics[k], fabrics[cloth]);
  studio->mesh[cloth].look = mus_fabric_look(fabrics[cloth], earlier);
}

mus_status mus_studio_draw(mus_studio *studio) {
  mus_status status = MUS_OK;
  if (!studio->renderer)
    status = mus_renderer_create(&studio->scene, &studio->quality, &studio->renderer);
  return status ? status : mus_renderer_draw(studio->renderer, &studio->scene, &studio->picture);
}

void mus_studio_free(mus_studio *studio) {
  mus_renderer_free(studio->renderer);
  mus_picture_free(&studio->picture);
  mus_arena_clear(&studio->arena);
  *studio = (mus_studio){0};
}

void mus_studio_measure(const mus_studio *studio, mus_framing *framing) {
  for (int k = 0; k < studio->scene.meshes; ++k)
    mus_framing_add(framing, (size_t)studio->mesh[k].vertices, studio->mesh[k].position);
}
