// Parts and bodies for an introduction: names, where they begin, and the colours that pictures give them.
#ifndef VIEW_COLOURS_H
#define VIEW_COLOURS_H

#include <jansson.h>

#include "muslin/scene.h"

// {"name", "fabric", "first", "colour": [r, g, b], "own"}; own: the colour is the scene's, and stays with any fabric.
// Solids have a "material" instead of a fabric.
json_t *view_describe_part(const mus_scene *scene, int part, int first_vertex);
// {"first", "colour", "hidden"}
json_t *view_describe_body(const mus_scene *scene, int body, int first_vertex);
// [["canvas", [r, g, b]], ...]: the scene's own, then the built-in ones; those that a message can name. None where
// there is no cloth.
json_t *view_describe_fabrics(const mus_scene *scene);

#endif
