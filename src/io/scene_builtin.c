// The built-in scenes, each as the text that a user would write. See docs/scene.md.
//
// pinned, drooping and re-entrant are those of Tamstorf et al. 2015, section 10 (1 m x 1 m, cotton, 2 ms); corners is
// the experiment of Ascher and Boxerman 2003, section 5.
#include <string.h>

#include "base/error.h"
#include "muslin/scene.h"

typedef struct builtin {
  const char *name, *about, *text;
} builtin;

static const builtin list[] = {
    {"pinned", "a sheet held along its whole boundary sags",
     "{\"name\": \"pinned\", \"frames\": 24,\n"
     " \"cloths\": [{\"name\": \"sheet\", \"pins\": [{\"where\": {\"boundary\": true}}]}]}\n"},
    {"drooping", "a sheet held along two opposite sides droops between them",
     "{\"name\": \"drooping\", \"frames\": 48,\n"
     " \"cloths\": [{\"name\": \"sheet\", \"pins\": [\n"
     "   {\"where\": {\"box\": [-0.6, -1, -1, -0.4999, 1, 1]}},\n"
     "   {\"where\": {\"box\": [0.4999, -1, -1, 0.6, 1, 1]}}]}]}\n"},
    {"re-entrant", "an L-shaped sheet held along its inner corner",
     "{\"name\": \"re-entrant\", \"frames\": 48,\n"
     " \"cloths\": [{\"name\": \"sheet\", \"shape\": {\"kind\": \"L\"}, \"pins\": [\n"
     "   {\"where\": {\"box\": [-0.0001, -1, -0.0001, 0.0001, 1, 1]}},\n"
     "   {\"where\": {\"box\": [-0.0001, -1, -0.0001, 1, 1, 0.0001]}}]}]}\n"},
    {"corners", "four corners move up and down: original against corrected MPCG",
     "{\"name\": \"corners\", \"frames\": 100, \"frame_rate\": 20, \"time_step\": 0.05,\n"
     " \"solver\": {\"method\": \"mpcg\", \"tolerance\": 0.01},\n"
     " \"cloths\": [{\"name\": \"sheet\", \"model\": \"choi-ko\", \"shape\": {\"vertices\": 1681}, \"pins\": [\n"
     "   {\"where\": {\"box\": [-0.6, -1, -0.6, -0.4999, 1, -0.4999]}, \"amplitude\": [0, 0.1, 0], \"frequency\": 1},\n"
     "   {\"where\": {\"box\": [0.4999, -1, -0.6, 0.6, 1, -0.4999]}, \"amplitude\": [0, 0.1, 0], \"frequency\": 1},\n"
     "   {\"where\": {\"box\": [-0.6, -1, 0.4999, -0.4999, 1, 0.6]}, \"amplitude\": [0, 0.1, 0], \"frequency\": 1},\n"
     "   {\"where\": {\"box\": [0.4999, -1, 0.4999, 0.6, 1, 0.6]}, \"amplitude\": [0, 0.1, 0], \"frequency\": "
     "1}]}]}\n"},
    {"flag", "a flag on a pole in gusty wind",
     "{\"name\": \"flag\", \"frames\": 120, \"wind\": [6, 0, 1], \"gust\": 0.5,\n"
     " \"cloths\": [{\"name\": \"flag\", \"fabric\": \"silk\", \"shape\": {\"size\": [1.5, 1]}, \"rotate\": [90, 0, "
     "0],\n"
     "   \"translate\": [0, 1, 0], \"pins\": [{\"where\": {\"box\": [-0.8, 0, -1, -0.7499, 2, 1]}}]}]}\n"},
    {"curtain", "a curtain is drawn aside",
     "{\"name\": \"curtain\", \"frames\": 96,\n"
     " \"cloths\": [{\"name\": \"curtain\", \"fabric\": \"wool\", \"shape\": {\"size\": [2, 2]}, \"rotate\": [90, 0, "
     "0],\n"
     "   \"translate\": [0, 1, 0], \"pins\": [\n"
     "     {\"where\": {\"box\": [-1.1, 1.9999, -1, 0.9, 2.1, 1]}},\n"
     "     {\"where\": {\"box\": [0.95, 1.9999, -1, 1.1, 2.1, 1]},\n"
     "      \"offset\": [{\"time\": 0, \"value\": [0, 0, 0]}, {\"time\": 3, \"value\": [-1, 0, 0]}]}]}]}\n"}};

enum { COUNT = sizeof list / sizeof *list };

const char *mus_scene_builtin_name(int index, const char **about) {
  if (index < 0 || index >= COUNT)
    return NULL;
  if (about)
    *about = list[index].about;
  return list[index].name;
}

mus_status mus_scene_builtin(const char *name, mus_scene *scene) {
  for (int k = 0; k < COUNT; ++k)
    if (strcmp(name, list[k].name) == 0)
      return mus_scene_parse(name, list[k].text, scene);
  return mus_fail(MUS_BAD_INPUT,
                  "there is no built-in scene \"%s\": take pinned, drooping, re-entrant, corners, flag or curtain",
                  name);
}
