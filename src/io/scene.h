// What those who take a scene from a caller ask of it first. See muslin/scene.h.
#ifndef MUS_IO_SCENE_H
#define MUS_IO_SCENE_H

#include "muslin/scene.h"

// MUS_BAD_INPUT where the scene or one of its parts was not made by its mus_default_...().
mus_status mus_scene_check_initialised(const mus_scene *scene);

// MUS_BAD_INPUT where what a pin says does not go together, or a weight is out of range.
mus_status mus_pin_check(const mus_pin *pin);
// The number of the body of that name; -1 where there is none.
int mus_scene_body_named(const mus_scene *scene, const char *name);

// The scene's own fabric of that name; NULL where there is none.
const mus_scene_fabric *mus_scene_fabric_named(const mus_scene *scene, const char *name);
// MUS_BAD_INPUT where one has no name, or one that another fabric has.
mus_status mus_scene_check_fabrics(const mus_scene *scene);
// What a cloth has in contact: its own, its fabric's where that is one of the scene's, or the usual.
double mus_cloth_thickness(const mus_scene *scene, const mus_cloth *cloth);
double mus_cloth_friction(const mus_scene *scene, const mus_cloth *cloth);
// "baraff-witkin" and so on, as scene files name it. NULL if out of range.
const char *mus_cloth_model_name(mus_cloth_model model);
// "box" and so on, the same, which for shapes that are filled is their name there (muslin/fill.h).
const char *mus_solid_shape_name(mus_solid_shape_kind kind);
// The built-in fabric that pictures show it as: its own, or the one that its own is like; NULL where it names none.
const char *mus_cloth_look(const mus_scene *scene, const mus_cloth *cloth);

#endif
