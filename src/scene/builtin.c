// The built-in scenes by name. See builtin.h and docs/scene.md.
#include "scene/builtin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "muslin/scene.h"

static const mus_builtin *find(int index) {
  const struct {
    const mus_builtin *list;
    int count;
  } lists[] = {{mus_builtin_free, mus_builtin_free_count},
               {mus_builtin_contact, mus_builtin_contact_count},
               {mus_builtin_solids, mus_builtin_solids_count}};
  for (size_t k = 0; k < sizeof lists / sizeof *lists && index >= 0; index -= lists[k++].count)
    if (index < lists[k].count)
      return &lists[k].list[index];
  return NULL;
}

const char *mus_scene_builtin_name(int index, const char **about) {
  const mus_builtin *found = find(index);
  if (found && about)
    *about = found->about;
  return found ? found->name : NULL;
}

static mus_status refuse(const char *name) {
  char names[400] = "";
  size_t length = 0;
  for (int k = 0; find(k) && length < sizeof names; ++k) {
    const char *before = k == 0 ? "" : find(k + 1) ? ", " : " or ";
    length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", before, find(k)->name);
  }
  return mus_fail(MUS_BAD_INPUT, "there is no built-in scene \"%s\": choose %s", name, names);
}

// A mesh that is not ours to give: taken from the folder that MUSLIN_DATA names, where it is there.
static mus_status take_armadillo(mus_scene *scene) {
  const char *folder = getenv("MUSLIN_DATA");
  if (strcmp(scene->name, "armadillo") != 0 || !folder)
    return MUS_OK;
  mus_solid_shape *shape = &scene->solids[0].shape;
  static const char file[] = "/models/armadillo_4k.node";
  char *path = malloc(strlen(folder) + sizeof file);
  if (!path)
    return mus_fail_memory();
  strcat(strcpy(path, folder), file);
  if (access(path, R_OK) == 0) {
    shape->kind = MUS_SOLID_SHAPE_FILE;
    shape->file = path;
    shape->scale = 0.35;
  } else {
    free(path);
  }
  return MUS_OK;
}

mus_status mus_scene_builtin(const char *name, mus_scene *scene) {
  for (int k = 0; find(k); ++k)
    if (strcmp(name, find(k)->name) == 0) {
      mus_status status = mus_scene_parse(name, find(k)->text, scene);
      return status ? status : take_armadillo(scene);
    }
  return refuse(name);
}
