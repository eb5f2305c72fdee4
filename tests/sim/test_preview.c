// Previews: they show the run as it is, keep all cloth in sight, never change it, and say once what goes wrong.
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

#include "base/memory.h"
#include "render/embree.h"
#include "sim/preview.h"
#include "support/check.h"
#include "support/files.h"

// Two sheets of silk, the second of which gets another colour; nothing holds them, so they fall.
static const char text[] = "{\"frame_rate\": 24, \"time_step\": 0.02, \"air_density\": 0, \"cloths\": ["
                           "{\"fabric\": \"silk\", \"shape\": {\"vertices\": 25}},"
                           "{\"fabric\": \"silk\", \"shape\": {\"vertices\": 25}, \"translate\": [1.5, 0, 0]}]}";

static char folder[256], search_path[4096];
static mus_scene scene;
static mus_sim *sim;

static int set_up(void **state) {
  const char *given = getenv("PATH");
  snprintf(search_path, sizeof search_path, "%s", given ? given : "/usr/bin:/bin");
  if (files_setup(state) || mus_scene_parse("fall", text, &scene) || mus_sim_create(&scene, &sim))
    return -1;
  snprintf(folder, sizeof folder, "%s", (const char *)*state);
  return 0;
}

static int tear_down(void **state) {
  mus_sim_free(sim);
  sim = NULL;
  mus_scene_free(&scene);
  chmod(folder, 0755);
  return setenv("PATH", search_path, 1) || files_teardown(state);
}

static int draws(void) {
  if (mus_tracer_version()[0])
    return 1;
  print_message("skipped: built without Embree\n");
  return 0;
}

// Puts a program of our own in ffmpeg's place, the `script` of a shell.
static void pretend_ffmpeg(const char *script) {
  const char *program = files_path(folder, "ffmpeg");
  FILE *file = fopen(program, "w");
  assert_non_null(file);
  fprintf(file, "#!/bin/sh\n%s\n", script);
  fclose(file);
  assert_int_equal(chmod(program, 0755), 0);
  setenv("PATH", folder, 1);
}

typedef struct seen {
  int red, blue, edge; // pixels of the first and the second sheet; of either at the picture's edge
} seen;

static seen look_at_picture(void) {
  png_image png = {.version = PNG_IMAGE_VERSION};
  assert_true(png_image_begin_read_from_file(&png, files_path(folder, "preview.png")));
  png.format = PNG_FORMAT_RGB;
  unsigned char *pixel = malloc(PNG_IMAGE_SIZE(png));
  assert_non_null(pixel);
  assert_true(png_image_finish_read(&png, NULL, pixel, 0, NULL));
  seen it = {0};
  for (unsigned i = 0; i < png.width * png.height; ++i) {
    const unsigned char *p = &pixel[3 * i];
    unsigned x = i % png.width, y = i / png.width;
    int red = p[0] > 2 * p[1] && p[0] > 60, blue = p[2] > 1.4 * p[0] && p[2] > 50;
    it.red += red;
    it.blue += blue;
    it.edge += (red || blue) && (x == 0 || y == 0 || x == png.width - 1 || y == png.height - 1);
  }
  free(pixel);
  return it;
}

static void cloths_stay_in_sight(void **state) {
  (void)state;
  if (!draws())
    return;
  pretend_ffmpeg("/bin/cat >/dev/null; for last in \"$@\"; do :; done; echo video >\"${last#file:}\"");
  mus_preview *preview;
  double before[3 * 50];
  assert_ok(mus_preview_create(sim, &scene, folder, &preview));
  for (int frame = 0; frame < 12; ++frame) { // falls by 1.2 m
    memcpy(before, mus_sim_positions(sim), sizeof before);
    assert_ok(mus_preview_draw(preview, sim));
    assert_memory_equal(before, mus_sim_positions(sim), sizeof before);
    seen it = look_at_picture();
    assert_true(it.red > 2000 && it.blue > 2000);
    assert_int_equal(it.edge, 0);
    assert_ok(mus_sim_frame(sim, NULL));
  }
  assert_ok(mus_preview_close(preview));
  assert_true(files_exists(files_path(folder, "preview.mp4")));
}

static void a_failing_ffmpeg_is_said_once(void **state) {
  (void)state;
  if (!draws())
    return;
  pretend_ffmpeg("echo 'no such encoder' >&2; exit 3");
  mus_preview *preview;
  int failed = 0;
  assert_ok(mus_preview_create(sim, &scene, folder, &preview));
  for (int frame = 0; frame < 6; ++frame)
    if (mus_preview_draw(preview, sim) != MUS_OK) {
      ++failed;
      assert_non_null(strstr(mus_last_error(), "no such encoder"));
    }
  assert_int_equal(failed, 1);
  assert_ok(mus_preview_close(preview));
  assert_true(files_exists(files_path(folder, "preview.png")));
  assert_false(files_exists(files_path(folder, "preview.mp4")));
}

static void a_folder_that_is_gone_is_said_once(void **state) {
  (void)state;
  if (!draws())
    return;
  char gone[300];
  snprintf(gone, sizeof gone, "%s/gone", folder);
  mus_preview *preview;
  assert_ok(mus_preview_create(sim, &scene, gone, &preview));
  assert_fails(mus_preview_draw(preview, sim), MUS_IO_ERROR, "preview.png: cannot be written");
  assert_ok(mus_preview_draw(preview, sim));
  assert_ok(mus_preview_close(preview));
}

static void what_an_earlier_one_left_is_removed(void **state) {
  (void)state;
  const char *const left[] = {"preview.png", "preview.mp4", "preview.mp4.tmp123"}, *const kept[] = {"preview.mp4x",
                                                                                                    "a"};
  for (int k = 0; k < 3; ++k)
    files_write(files_path(folder, left[k]), "x", 1);
  for (int k = 0; k < 2; ++k)
    files_write(files_path(folder, kept[k]), "x", 1);
  mus_preview *preview;
  assert_ok(mus_preview_create(sim, &scene, folder, &preview));
  assert_ok(mus_preview_close(preview));
  for (int k = 0; k < 3; ++k)
    assert_false(files_exists(files_path(folder, left[k])));
  for (int k = 0; k < 2; ++k)
    assert_true(files_exists(files_path(folder, kept[k])));
}

static void memory_that_is_short_is_said(void **state) {
  (void)state;
  mus_status status = MUS_OUT_OF_MEMORY;
  for (long failures = 0; status != MUS_OK; ++failures) {
    mus_preview *preview;
    mus_memory_fail_after(failures);
    status = mus_preview_create(sim, &scene, folder, &preview);
    mus_memory_fail_after(-1);
    assert_true(failures < 1000 && (status == MUS_OK || status == MUS_OUT_OF_MEMORY));
    mus_preview_close(preview);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(cloths_stay_in_sight, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_failing_ffmpeg_is_said_once, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_folder_that_is_gone_is_said_once, set_up, tear_down),
      cmocka_unit_test_setup_teardown(what_an_earlier_one_left_is_removed, set_up, tear_down),
      cmocka_unit_test_setup_teardown(memory_that_is_short_is_said, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
