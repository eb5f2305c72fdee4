// The built-in scenes by name. See builtin.h and docs/scene.md.
#include "scene/builtin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "muslin/scene.h"

static const mus_builtin_file files[] = {{"armadillo", "models/armadillo_4k.node", 0.35, {0, 0, 0}},
                                         {"car", "models/beetle.obj", 2, {0, -0.612, -0.38}},
                                         {"impact", "models/suzanne.obj", 0.22, {0.5487, -0.2754, -0.902}}};

static const mus_builtin *find(int index) {
  const struct {
    const mus_builtin *list;
    int count;
  } lists[] = {{mus_builtin_free, mus_builtin_free_count},
               {mus_builtin_contact, mus_builtin_contact_count},
               {mus_builtin_solids, mus_builtin_solids_count},
               {mus_builtin_lattices, mus_builtin_lattices_count}};
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

static mus_status take_file(const mus_builtin_file *from, mus_scene *scene) {
  const char *folder = getenv("MUSLIN_DATA");
  if (!folder)
    return MUS_OK;
  mus_solid_shape *shape = &scene->solids[0].shape;
  size_t size = strlen(folder) + strlen(from->file) + 2;
  char *path = malloc(size);
  if (!path)
    return mus_fail_memory();
  snprintf(path, size, "%s/%s", folder, from->file);
  if (access(path, R_OK) == 0) {
    shape->kind = MUS_SOLID_SHAPE_FILE;
    shape->file = path;
    shape->scale = from->scale;
    for (int c = 0; c < 3; ++c)
      scene->solids[0].translate[c] += from->shift[c];
  } else {
    free(path);
  }
  return MUS_OK;
}

static mus_status make(const mus_builtin *builtin, mus_scene *scene) {
  mus_status status = mus_scene_parse(builtin->name, builtin->text, scene);
  for (size_t k = 0; k < sizeof files / sizeof *files && !status; ++k)
    if (strcmp(builtin->name, files[k].scene) == 0)
      status = take_file(&files[k], scene);
  return status;
}

mus_status mus_scene_builtin(const char *name, mus_scene *scene) {
  for (int k = 0; find(k); ++k)
    if (strcmp(name, find(k)->name) == 0)
      return make(find(k), scene);
  return refuse(name);
}
