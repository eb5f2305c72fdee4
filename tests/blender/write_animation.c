// Writes a waving sheet for Blender: FOLDER/cloth.pc2, cloth.mdd, obj/frame_0000.obj and on, and positions.txt with a
// line "frame x y z" for every vertex at three frames.
//
//   write_animation FOLDER
#include <stdio.h>
#include <stdlib.h>

#include "io/cache.h"
#include "support/animation.h"

enum { SHEET = 20, FRAMES = 31 };

static void require(int condition, const char *what) {
  if (condition)
    return;
  fprintf(stderr, "write_animation: %s\n", what);
  exit(1);
}

static void write_cache(const char *path, int index, const mus_mesh *mesh, double *positions) {
  mus_cache_definition definition = {.points = mesh->vertices, .frames = FRAMES, .frames_per_second = 24, .mesh = mesh};
  mus_cache_writer *writer = NULL;
  mus_status status = mus_cache_create(path, mus_cache_format_at(index), &definition, &writer);
  for (int frame = 0; frame < FRAMES && status == MUS_OK; ++frame) {
    animation_pose(mesh, frame, positions);
    status = mus_cache_write(writer, positions);
  }
  if (status == MUS_OK)
    status = mus_cache_finish(writer);
  mus_cache_close(writer);
  require(status == MUS_OK, mus_last_error());
}

static void write_positions(const char *path, const mus_mesh *mesh, double *positions) {
  static const int frames[] = {0, 13, FRAMES - 1};
  FILE *file = fopen(path, "w");
  require(file != NULL, path);
  for (int k = 0; k < 3; ++k) {
    animation_pose(mesh, frames[k], positions);
    for (size_t i = 0; i < (size_t)mesh->vertices; ++i)
      fprintf(file, "%d %.17g %.17g %.17g\n", frames[k], positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]);
  }
  require(fclose(file) == 0, path);
}

int main(int count, char **arguments) {
  static const char *const names[] = {"cloth.pc2", "cloth.mdd", "obj"};
  require(count == 2, "usage: write_animation FOLDER");
  mus_arena arena = {0};
  mus_mesh mesh = animation_sheet(&arena, SHEET);
  double *positions = mus_arena_alloc(&arena, 3 * (size_t)mesh.vertices, sizeof *positions);
  require(positions != NULL, "out of memory");
  char path[1024];
  for (int i = 0; i < 3; ++i) {
    snprintf(path, sizeof path, "%s/%s", arguments[1], names[i]);
    write_cache(path, i, &mesh, positions);
  }
  snprintf(path, sizeof path, "%s/positions.txt", arguments[1]);
  write_positions(path, &mesh, positions);
  mus_arena_clear(&arena);
  return 0;
}
