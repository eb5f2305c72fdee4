// See scene_argument.h.
#include "scene_argument.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "failure.h"
#include "options.h"

enum { BUILTINS = 32 };
static const int most_vertices = 100000000;

static int is_builtin(const char *word) {
  const char *name;
  for (int k = 0; (name = mus_scene_builtin_name(k, NULL)); ++k)
    if (strcmp(name, word) == 0)
      return 1;
  return 0;
}

static int load_builtin(const char *program, const char *word, mus_scene *scene) {
  if (is_builtin(word)) {
    mus_status status = mus_scene_builtin(word, scene);
    return status ? failure_status(program, NULL, status) : 0;
  }
  const char *names[BUILTINS + 1] = {NULL};
  char list[512] = "";
  for (int k = 0; k < BUILTINS && (names[k] = mus_scene_builtin_name(k, NULL)); ++k) {
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", k > 0 ? ", " : "", names[k]);
  }
  const char *nearest = options_nearest(word, names);
  return failure_input(program,
                       "there is neither a file %s nor a built-in scene of that name%s%s%s: the built-in scenes are %s",
                       word, nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "", list);
}

// "drooping" for "scenes/drooping.json".
static char *stem_of(const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash && slash[1] ? slash + 1 : path, *dot = strrchr(name, '.');
  size_t length = dot && dot > name ? (size_t)(dot - name) : strlen(name);
  char *stem = malloc(length + 1);
  if (stem) {
    memcpy(stem, name, length);
    stem[length] = 0;
  }
  return stem;
}

static int ends_with(const char *text, size_t length, const char *end) {
  size_t size = strlen(end);
  return length >= size && strncasecmp(text + length - size, end, size) == 0;
}

// Files that are taken for scenes by mistake: what they are, and the list of a scene that names such files, or what
// else to do.
static const struct {
  const char *end, *what, *list, *advice;
} others[] = {{".obj", "a mesh", "\"cloths\": [", NULL},
              {".ply", "a mesh", "\"cloths\": [", NULL},
              {".glb", "a glTF model", "\"cloths\": [{}], \"bodies\": [", NULL},
              {".gltf", "a glTF model", "\"cloths\": [{}], \"bodies\": [", NULL},
              {".msh", "a solid", "\"solids\": [", NULL},
              {".mesh", "a solid", "\"solids\": [", NULL},
              {".vtk", "a solid", "\"solids\": [", NULL},
              {".node", "a solid", "\"solids\": [", NULL},
              {".ele", "a solid", "\"solids\": [", NULL},
              {".pvd", "a VTK series", NULL, "give the folder of the run that wrote it"},
              {".vtu", "a frame of a VTK series", NULL, "give the folder of the run that wrote it"},
              {".pc2", "a cache", NULL, "give the folder of the run that wrote it"},
              {".mdd", "a cache", NULL, "give the folder of the run that wrote it"},
              {".usda", "a cache", NULL, "give the folder of the run that wrote it"},
              {".mtx", "a matrix", NULL, "muslin solve takes it"}};

// The number in `others`; -1 for files that may be scenes.
static int find_other(const char *path) {
  size_t length = strlen(path);
  if (ends_with(path, length, ".gz"))
    length -= strlen(".gz");
  for (size_t k = 0; k < sizeof others / sizeof *others; ++k)
    if (ends_with(path, length, others[k].end))
      return (int)k;
  return -1;
}

static int refuse_other(const char *program, const char *path, int which) {
  const char *what = others[which].what, *list = others[which].list;
  if (!list)
    return failure_input(program, "%s is %s, not a scene: %s", path, what, others[which].advice);
  return failure_input(
      program,
      "%s is %s, not a scene: write a scene that names it to a file such as scene.json, and give that:\n"
      "  {%s{\"shape\": {\"kind\": \"file\", \"file\": \"%s\"}}]}\n"
      "docs/scene.md has all keys, and muslin info %s describes the file",
      path, what, list, path, path);
}

static int load_file(const char *program, const char *path, mus_scene *scene) {
  int other = find_other(path);
  if (other >= 0)
    return refuse_other(program, path, other);
  mus_status status = mus_scene_load(path, scene);
  if (status)
    return failure_status(program, NULL, status);
  if (!scene->name && !(scene->name = stem_of(path))) {
    mus_scene_free(scene);
    return failure_memory(program);
  }
  return 0;
}

int scene_argument_load(const char *program, const char *word, mus_scene *scene, int *folder) {
  struct stat about;
  int exists = stat(word, &about) == 0, is_folder = exists && S_ISDIR(about.st_mode);
  if (is_folder && is_builtin(word)) // more likely the result of an earlier run than what is meant
    exists = is_folder = 0;
  if (folder)
    *folder = is_folder;
  if (!exists)
    return load_builtin(program, word, scene);
  if (!is_folder)
    return load_file(program, word, scene);
  static const char inside[] = "/scene.json";
  char *path = malloc(strlen(word) + sizeof inside);
  if (!path)
    return failure_memory(program);
  strcpy(path, word);
  strcat(path, inside);
  int failed = stat(path, &about) == 0 ? load_file(program, path, scene)
                                       : failure_input(program,
                                                       "%s: it contains no scene.json: name a folder that "
                                                       "muslin run has written",
                                                       word);
  free(path);
  return failed;
}

int scene_argument_vertices(const mus_scene *scene, int *generated) {
  double total = 0;
  int parts = 0;
  for (int k = 0; k < scene->cloth_count; ++k)
    if (scene->cloths[k].shape.kind != MUS_CLOTH_SHAPE_FILE) {
      ++parts;
      total += scene->cloths[k].shape.vertices;
    }
  for (int k = 0; k < scene->solid_count; ++k)
    if (scene->solids[k].shape.kind != MUS_SOLID_SHAPE_FILE) {
      ++parts;
      total += scene->solids[k].shape.vertices;
    }
  if (generated)
    *generated = parts;
  return total < most_vertices ? (int)total : most_vertices;
}

// Of so many vertices in total, that of a part, shared as they are in the scene.
static int share(int wanted, int part, int total, int least) {
  return (int)fmax(least, floor(wanted * ((double)part / total) + 0.5));
}

int scene_argument_shape(const char *program, const char *word, const scene_shape *wanted, mus_scene *scene) {
  int asked = wanted->vertices > 0 || wanted->tessellation >= 0 || wanted->seed >= 0, generated;
  int total = scene_argument_vertices(scene, &generated);
  if (asked && generated == 0)
    return failure_input(program, "--vertices and --tessellation have no effect: every part of %s is from a file",
                         word);
  for (int k = 0; k < scene->cloth_count; ++k) {
    mus_cloth_shape *shape = &scene->cloths[k].shape;
    if (shape->kind == MUS_CLOTH_SHAPE_FILE)
      continue;
    if (wanted->vertices > 0)
      shape->vertices = share(wanted->vertices, shape->vertices, total, 4);
    if (wanted->tessellation >= 0)
      shape->tessellation = (mus_tessellation)wanted->tessellation;
    if (wanted->seed >= 0)
      shape->seed = (unsigned)wanted->seed;
  }
  for (int k = 0; k < scene->solid_count && wanted->vertices > 0; ++k) {
    mus_solid_shape *shape = &scene->solids[k].shape;
    if (shape->kind != MUS_SOLID_SHAPE_FILE) {
      shape->vertices = share(wanted->vertices, shape->vertices, total, 9);
      shape->edge = 0;
    }
  }
  return 0;
}
