// Previews: they show the run as it is, keep all cloth in sight, never change it, and say once what goes wrong.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "run/preview.h"
#include "support/check.h"
#include "support/drawing.h"
#include "support/files.h"

// Two sheets of silk, the second of which gets another colour; nothing holds them, so they fall.
static const char text[] = "{\"frame_rate\": 24, \"time_step\": 0.02, \"air_density\": 0, \"cloths\": ["
                           "{\"fabric\": \"silk\", \"shape\": {\"vertices\": 25}},"
                           "{\"fabric\": \"silk\", \"shape\": {\"vertices\": 25}, \"translate\": [1.5, 0, 0]}]}";

static char folder[256];
static mus_scene scene;
static mus_sim *sim;

static int set_up(void **state) {
  if (files_setup(state) || mus_scene_parse("fall", text, &scene) || mus_sim_create(&scene, &sim))
    return -1;
  snprintf(folder, sizeof folder, "%s", (const char *)*state);
  return 0;
}

static int tear_down(void **state) {
  mus_sim_free(sim);
  sim = NULL;
  mus_scene_free(&scene);
  return drawing_real_ffmpeg(NULL) || files_teardown(state);
}

typedef struct seen {
  int red, blue, edge; // pixels of the first and the second sheet; of either at the picture's edge
} seen;

static seen look_at_picture(void) {
  image picture = drawing_load(files_path(folder, "preview.png"));
  seen it = {0};
  for (int i = 0; i < picture.width * picture.height; ++i) {
    const unsigned char *p = &picture.pixel[3 * i];
    int x = i % picture.width, y = i / picture.width;
    int red = p[0] > 2 * p[1] && p[0] > 60, blue = p[2] > 1.4 * p[0] && p[2] > 50;
    it.red += red;
    it.blue += blue;
    it.edge += (red || blue) && (x == 0 || y == 0 || x == picture.width - 1 || y == picture.height - 1);
  }
  free(picture.pixel);
  return it;
}

static void cloths_stay_in_sight(void **state) {
  (void)state;
  if (!drawing_possible())
    return;
  drawing_pretend_ffmpeg("/bin/cat >/dev/null; for last in \"$@\"; do :; done; echo video >\"${last#file:}\"");
  mus_preview *preview;
  double before[3 * 50];
  assert_ok(mus_preview_create(sim, &scene, folder, &preview));
  for (int picture = 0; picture < 4; ++picture) { // while they fall by 1.2 m
    memcpy(before, mus_sim_positions(sim), sizeof before);
    assert_ok(mus_preview_draw(preview, sim));
    assert_memory_equal(before, mus_sim_positions(sim), sizeof before);
    seen it = look_at_picture();
    assert_true(it.red > 2000 && it.blue > 2000);
    assert_int_equal(it.edge, 0);
    for (int frame = 0; frame < 4; ++frame)
      assert_ok(mus_sim_frame(sim, NULL));
  }
  assert_ok(mus_preview_close(preview));
  assert_true(files_exists(files_path(folder, "preview.mp4")));
}

// Sheets that fly off by 8 m stay about as large as they began: the camera goes along.
static void the_camera_follows(void **state) {
  (void)state;
  if (!drawing_possible())
    return;
  drawing_pretend_ffmpeg("/bin/cat >/dev/null; for last in \"$@\"; do :; done; echo video >\"${last#file:}\"");
  mus_sim_free(sim);
  for (int k = 0; k < 2; ++k)
    scene.cloths[k].velocity[2] = -4;
  scene.gravity = (mus_keys){1, 3, calloc(1, sizeof(double)), calloc(3, sizeof(double))}; // none
  scene.frame_rate = 4;
  assert_ok(mus_sim_create(&scene, &sim));
  mus_preview *preview;
  assert_ok(mus_preview_create(sim, &scene, folder, &preview));
  assert_ok(mus_preview_draw(preview, sim));
  seen first = look_at_picture();
  for (int frame = 0; frame < 8; ++frame) {
    assert_ok(mus_sim_frame(sim, NULL));
    assert_ok(mus_preview_draw(preview, sim));
  }
  seen last = look_at_picture();
  print_message("%d pixels, then %d\n", first.red + first.blue, last.red + last.blue);
  assert_true(mus_sim_positions(sim)[2] < -7);
  assert_true(last.red + last.blue > (first.red + first.blue) / 2);
  assert_int_equal(last.edge, 0);
  assert_ok(mus_preview_close(preview));
}

static void a_failing_ffmpeg_is_said_once(void **state) {
  (void)state;
  if (!drawing_possible())
    return;
  drawing_pretend_ffmpeg("echo 'no such encoder' >&2; exit 3");
  mus_preview *preview;
  int failed = 0;
  assert_ok(mus_preview_create(sim, &scene, folder, &preview));
  for (int frame = 0; frame < 3; ++frame)
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
  if (!drawing_possible())
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
      cmocka_unit_test_setup_teardown(the_camera_follows, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_failing_ffmpeg_is_said_once, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_folder_that_is_gone_is_said_once, set_up, tear_down),
      cmocka_unit_test_setup_teardown(what_an_earlier_one_left_is_removed, set_up, tear_down),
      cmocka_unit_test_setup_teardown(memory_that_is_short_is_said, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
