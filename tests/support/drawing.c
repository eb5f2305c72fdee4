// Tests of what is drawn. See drawing.h.
#include "support/drawing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "render/embree.h"
#include "support/files.h"

int drawing_possible(void) {
  if (mus_tracer_version()[0])
    return 1;
  print_message("skipped: built without Embree\n");
  return 0;
}

image drawing_load(const char *path) {
  png_image png = {.version = PNG_IMAGE_VERSION};
  if (!png_image_begin_read_from_file(&png, path))
    fail_msg("%s: %s", path, png.message);
  png.format = PNG_FORMAT_RGB;
  image it = {(int)png.width, (int)png.height, malloc(PNG_IMAGE_SIZE(png))};
  assert_non_null(it.pixel);
  assert_true(png_image_finish_read(&png, NULL, it.pixel, 0, NULL));
  return it;
}

// Where the pretended program is: not with other files of tests, for memory file systems may refuse to run programs.
static char folder[32], *search_path;

void drawing_pretend_ffmpeg(const char *script) {
  char text[1024];
  if (!search_path) {
    const char *given = getenv("PATH");
    search_path = strdup(given ? given : "/usr/bin:/bin");
    strcpy(folder, "/tmp/muslin-test-XXXXXX");
    assert_non_null(search_path);
    assert_non_null(mkdtemp(folder));
  }
  const char *program = files_path(folder, "ffmpeg");
  unlink(program);
  if (script) {
    files_write(program, text, (size_t)snprintf(text, sizeof text, "#!/bin/sh\n%s\n", script));
    assert_int_equal(chmod(program, 0755), 0);
  }
  assert_int_equal(setenv("PATH", folder, 1), 0);
}

int drawing_real_ffmpeg(void **state) {
  (void)state;
  if (!search_path)
    return 0;
  int bad = setenv("PATH", search_path, 1);
  unlink(files_path(folder, "ffmpeg"));
  free(search_path);
  search_path = NULL;
  return rmdir(folder) || bad;
}
