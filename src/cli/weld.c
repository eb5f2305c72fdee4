// See weld.h.
#include "weld.h"

#include <stdio.h>

#include "failure.h"
#include "muslin/weld.h"
#include "options.h"

static const char *const name = "muslin weld";

static void print_help(const option_table *table) {
  printf("muslin weld FOLDER [options]\n\n"
         "Writes copies of a result's meshes and caches in which closed seams are welded: one vertex where panels are\n"
         "sewn together, as NAME.welded.obj, NAME.welded.pc2 and so on (docs/caches.md). FOLDER is what muslin run\n"
         "writes. Seams that are closed in the last frame are welded in all frames.\n\nOptions:\n");
  options_print(table, stdout);
  printf("\nExit status: 0 if everything was written; 1 if that failed; 2 for bad input.\n");
}

int weld_folder(const char *program, const char *folder, const char *formats) {
  mus_weld_record record;
  mus_status status = mus_weld_result(folder, formats, &record);
  if (status)
    return failure_status(program, folder, status);
  printf("%s: welded %d of %d stitches in %d frames: %d vertices of %d, %d triangles of %d\n", folder, record.welded,
         record.stitches, record.frames, record.vertices, record.vertices_before, record.triangles,
         record.triangles_before);
  return 0;
}

int weld_command(int argc, char **argv) {
  const char *folder = NULL, *formats = NULL;
  int help = 0, count = 0;
  option list[2];
  list[0] = option_text("format", &formats, "LIST", "caches: pc2, mdd, obj, usda, vtu, separated by commas (pc2)");
  list[1] = option_flag("help", &help, "print this text");
  list[1].letter = 'h';
  option_table table = {name, list, 2};
  int failed = options_parse(&table, argc, argv, &folder, 1, &count);
  if (failed)
    return failed;
  if (help) {
    print_help(&table);
    return 0;
  }
  if (count == 0)
    return failure_input(name, "no result given: name the folder that a run has written, or use --help");
  return weld_folder(name, folder, formats);
}
