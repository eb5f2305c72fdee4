// The scene that a word on the command line means: a scene file, a result folder, or a built-in scene's name.
#ifndef CLI_SCENE_ARGUMENT_H
#define CLI_SCENE_ARGUMENT_H

#include "muslin/scene.h"

// A file wins over a built-in scene of the same name, which wins over a folder; of a folder, its scene.json is meant
// (*folder, where wanted, says whether). A scene without a name is called as its file. Returns 0 or an exit status, after saying on stderr what is
// wrong; scene is the caller's to free on success.
int scene_argument_load(const char *program, const char *word, mus_scene *scene, int *folder);

#endif
