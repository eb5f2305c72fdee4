// The built-in scenes by name. See builtin.h and docs/scene.md.
#include "scene/builtin.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "muslin/scene.h"

static const mus_builtin *find(int index) {
  if (index >= 0 && index < mus_builtin_free_count)
    return &mus_builtin_free[index];
  index -= mus_builtin_free_count;
  return index >= 0 && index < mus_builtin_contact_count ? &mus_builtin_contact[index] : NULL;
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

mus_status mus_scene_builtin(const char *name, mus_scene *scene) {
  for (int k = 0; find(k); ++k)
    if (strcmp(name, find(k)->name) == 0)
      return mus_scene_parse(name, find(k)->text, scene);
  return refuse(name);
}
