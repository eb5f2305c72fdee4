// Small result folders. See results.h.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/cache.h"
#include "io/mesh_file.h"
#include "io/result.h"
#include "support/animation.h"
#include "support/check.h"
#include "support/files.h"
#include "support/results.h"

static void write_scene(const char *folder, const results_wish *wish) {
  char text[2048], path[512];
  int n = snprintf(text, sizeof text, "{\"frames\": %d, \"frame_rate\": 12, \"cloths\": [", wish->frames - 1);
  for (int k = 0; k < wish->cloths; ++k)
    n += snprintf(text + n, sizeof text - (size_t)n, "%s{\"name\": \"%c\", \"fabric\": \"%s\"}", k ? ", " : "", 'a' + k,
                  wish->fabrics[k]);
  n += snprintf(text + n, sizeof text - (size_t)n, "]}\n");
  snprintf(path, sizeof path, "%s/%s", folder, MUS_RESULT_SCENE);
  files_write(path, text, (size_t)n);
}

static void write_cache(const char *path, const mus_mesh *mesh, const results_wish *wish, int cloth, int residual) {
  const mus_cache_format *format;
  mus_cache_definition definition = {
      .points = mesh->vertices, .frames = wish->frames, .frames_per_second = 12, .mesh = mesh};
  mus_cache_writer *writer;
  double *x = malloc(3 * (size_t)mesh->vertices * sizeof *x);
  assert_non_null(x);
  assert_ok(mus_cache_format_from_name(residual ? "pc2" : wish->format, &format));
  assert_ok(mus_cache_create(path, format, &definition, &writer));
  for (int frame = 0; frame < wish->frames; ++frame) {
    animation_pose(mesh, frame, x);
    for (size_t i = 0; i < (size_t)mesh->vertices; ++i) {
      x[3 * i] += 1.2 * cloth;
      if (residual) {
        x[3 * i] = frame;
        x[3 * i + 1] = x[3 * i + 2] = 0;
      }
    }
    assert_ok(mus_cache_write(writer, x));
  }
  if (!wish->unfinished)
    assert_ok(mus_cache_finish(writer));
  mus_cache_close(writer);
  free(x);
}

void results_make(const char *folder, const results_wish *wish) {
  char path[512];
  mus_arena arena = {0};
  mus_mesh_file file = {.mesh = animation_sheet(&arena, wish->cells)};
  mkdir(folder, 0777);
  write_scene(folder, wish);
  for (int k = 0; k < wish->cloths; ++k) {
    snprintf(path, sizeof path, "%s/%c.obj", folder, 'a' + k);
    assert_ok(mus_mesh_file_write(path, &file));
    snprintf(path, sizeof path, "%s/%c.%s", folder, 'a' + k, wish->format);
    write_cache(path, &file.mesh, wish, k, 0);
    snprintf(path, sizeof path, "%s/%c.residual.pc2", folder, 'a' + k);
    if (wish->residual)
      write_cache(path, &file.mesh, wish, k, 1);
  }
  mus_arena_clear(&arena);
}
