// See info.h.
#include "info.h"

#include <stdio.h>

#include "failure.h"
#include "muslin/info.h"
#include "options.h"

static const char *const program = "muslin info";

int info_command(int argc, char **argv) {
  int help = 0, count = 0;
  const char *path = NULL;
  const option list[] = {
      {.name = "help", .letter = 'h', .kind = OPTION_FLAG, .target = &help, .help = "print this text"}};
  option_table table = {program, list, 1};
  int failed = options_parse(&table, argc, argv, &path, 1, &count);
  if (failed)
    return failed;
  if (help) {
    printf("muslin info FILE\n\n"
           "Describes a file: a mesh (OBJ, PLY: sizes, rest shape, defects and what a run does about them;\n"
           "glTF: its animations too), a solid of tetrahedra (Gmsh, Medit, VTK, TetGen: volume, angles, quality,\n"
           "defects), a scene (every key with its value, as JSON; built-in scenes by name), a cache (PC2, MDD),\n"
           "a matrix (Matrix Market), a checkpoint, a report, or a result folder.\n\nOptions:\n");
    options_print(&table, stdout);
    return 0;
  }
  if (count == 0)
    return failure_input(program,
                         "no file given: name a mesh, solid, scene, cache, matrix, checkpoint or result folder");
  mus_status status = mus_info(path, stdout);
  fflush(stdout);
  return status ? failure_status(program, NULL, status) : 0;
}
