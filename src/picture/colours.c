// The colours of cloths, solids and bodies, for those who draw them otherwise. See muslin/render.h.
#include <string.h>

#include "io/scene.h"
#include "muslin/render.h"
#include "picture/looks.h"

static void keep(mus_float3 from, double to[3]) {
  to[0] = (double)from.x;
  to[1] = (double)from.y;
  to[2] = (double)from.z;
}

static int same_look(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

void mus_render_fabric_colour(const char *fabric, double colour[3]) { keep(mus_fabric_look(fabric, 0).colour, colour); }

void mus_render_cloth_colour(const mus_scene *scene, int cloth, double colour[3]) {
  const mus_cloth *shown = &scene->cloths[cloth];
  const char *look = mus_cloth_look(scene, shown);
  int earlier = 0;
  for (int k = 0; k < cloth; ++k)
    earlier += same_look(mus_cloth_look(scene, &scene->cloths[k]), look);
  if (shown->colour.given)
    memcpy(colour, shown->colour.rgb, sizeof shown->colour.rgb);
  else
    keep(mus_fabric_look(look, earlier).colour, colour);
}

void mus_render_solid_colour(const mus_scene *scene, int solid, double colour[3]) {
  const mus_solid *shown = &scene->solids[solid];
  int earlier = 0;
  for (int k = 0; k < solid; ++k)
    earlier += same_look(scene->solids[k].material, shown->material);
  if (shown->colour.given)
    memcpy(colour, shown->colour.rgb, sizeof shown->colour.rgb);
  else
    keep(mus_solid_look(shown->material, earlier).colour, colour);
}

void mus_render_body_colour(const mus_scene *scene, int body, double colour[3]) {
  const mus_colour *own = &scene->bodies[body].colour;
  if (own->given)
    memcpy(colour, own->rgb, sizeof own->rgb);
  else
    keep(mus_body_look().colour, colour);
}
