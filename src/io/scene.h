// What those who take a scene from a caller ask of it first. See muslin/scene.h.
#ifndef MUS_IO_SCENE_H
#define MUS_IO_SCENE_H

#include "muslin/scene.h"

// MUS_BAD_INPUT where the scene or one of its parts was not made by its mus_default_...().
mus_status mus_scene_check_initialised(const mus_scene *scene);

#endif
