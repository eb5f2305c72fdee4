// See examples.h.
#include "examples.h"

#include <stdio.h>

#include "failure.h"
#include "muslin/scene.h"
#include "options.h"

static const char *const program = "muslin examples";

static int vertices_of(const mus_scene *scene) {
  int vertices = 0;
  for (int k = 0; k < scene->cloth_count; ++k)
    vertices += scene->cloths[k].shape.vertices;
  for (int k = 0; k < scene->solid_count; ++k)
    vertices += scene->solids[k].shape.vertices;
  return vertices;
}

static int print_scene(const char *name, const char *about) {
  mus_scene scene;
  mus_status status = mus_scene_builtin(name, &scene);
  if (status)
    return failure_status(program, name, status);
  printf("  %-15s %9d %7d  %s\n", name, vertices_of(&scene), scene.frames, about);
  mus_scene_free(&scene);
  return 0;
}

int examples_command(int argc, char **argv) {
  int help = 0, failed;
  const option list[] = {
      {.name = "help", .letter = 'h', .kind = OPTION_FLAG, .target = &help, .help = "print this text"}};
  option_table table = {program, list, 1};
  if (!options_start(&table, &help, "muslin examples\n\nLists the built-in scenes.\n\nOptions:\n", argc, argv, &failed))
    return failed;
  const char *name, *about = NULL;
  printf("  %-15s %9s %7s\n", "scene", "vertices", "frames");
  for (int k = 0; (name = mus_scene_builtin_name(k, &about)) && !failed; ++k)
    failed = print_scene(name, about);
  if (!failed)
    printf(
        "\nRun one with `muslin run NAME`; `muslin info NAME` prints it as JSON, as a starting point for your own.\n");
  return failed;
}
