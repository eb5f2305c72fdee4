// The scene that a word on the command line means: a scene file, a result folder, or a built-in scene's name.
#ifndef CLI_SCENE_ARGUMENT_H
#define CLI_SCENE_ARGUMENT_H

#include "muslin/scene.h"

// A file wins over a built-in scene of the same name, which wins over a folder; of a folder, its scene.json is meant
// (*folder, where wanted, says whether). A scene without a name is named after its file. Returns 0 or an exit status,
// after saying on stderr what is wrong; scene is the caller's to free on success.
int scene_argument_load(const char *program, const char *word, mus_scene *scene, int *folder);

// The vertices of all parts that are not from files; `generated`, where wanted, is the number of these.
int scene_argument_vertices(const mus_scene *scene, int *generated);

// What a command asks of parts that are not from files: 0 vertices, or a negative choice, leave what the scene says.
typedef struct scene_shape {
  int vertices, tessellation, seed; // tessellation: a mus_tessellation
} scene_shape;

// Returns 0, or an exit status where something is asked for and every part is from a file.
int scene_argument_shape(const char *program, const char *word, const scene_shape *wanted, mus_scene *scene);

#endif
