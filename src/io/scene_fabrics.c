// The fabrics of a scene's own. See scene.h.
#include <string.h>

#include "base/error.h"
#include "io/scene.h"

const mus_scene_fabric *mus_scene_fabric_named(const mus_scene *scene, const char *name) {
  for (int k = 0; k < scene->fabric_count && name; ++k)
    if (scene->fabrics[k].name && strcmp(scene->fabrics[k].name, name) == 0)
      return &scene->fabrics[k];
  return NULL;
}

double mus_cloth_thickness(const mus_scene *scene, const mus_cloth *cloth) {
  const mus_scene_fabric *own = mus_scene_fabric_named(scene, cloth->fabric);
  return cloth->thickness > 0 ? cloth->thickness : own ? own->thickness : MUS_CLOTH_THICKNESS;
}

double mus_cloth_friction(const mus_scene *scene, const mus_cloth *cloth) {
  const mus_scene_fabric *own = mus_scene_fabric_named(scene, cloth->fabric);
  return cloth->friction >= 0 ? cloth->friction : own ? own->friction : MUS_CLOTH_FRICTION;
}

const char *mus_cloth_look(const mus_scene *scene, const mus_cloth *cloth) {
  const mus_scene_fabric *own = mus_scene_fabric_named(scene, cloth->fabric);
  return own ? mus_fabric_name(own->like) : cloth->fabric;
}

mus_status mus_scene_check_fabrics(const mus_scene *scene) {
  for (int k = 0; k < scene->fabric_count; ++k) {
    const char *name = scene->fabrics[k].name;
    if (!name || !name[0])
      return mus_fail(MUS_BAD_INPUT, "fabrics[%d] has no name: give it one, for cloths to use as their \"fabric\"", k);
    for (int known = 0; mus_fabric_name(known); ++known)
      if (strcmp(mus_fabric_name(known), name) == 0)
        return mus_fail(MUS_BAD_INPUT, "fabrics[%d]: \"%s\" is a built-in fabric: choose another name", k, name);
    const mus_scene_fabric *first = mus_scene_fabric_named(scene, name);
    if (first != &scene->fabrics[k])
      return mus_fail(MUS_BAD_INPUT, "fabrics[%d] and fabrics[%d] are both named \"%s\": names must differ",
                      (int)(first - scene->fabrics), k, name);
  }
  return MUS_OK;
}
