// Videos: ffmpeg is fed and checked, and what fails leaves no file. Skipped, saying so, where there is no ffmpeg.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "render/video.h"
#include "support/drawing.h"
#include "support/files.h"

static const char *folder;

static int set_up(void **state) {
  int bad = files_setup(state);
  folder = *state;
  return bad;
}

static const char *path_of(const char *name) { return files_path(folder, name); }

static int have_ffmpeg(void) {
  mus_video *video;
  if (mus_video_open(path_of("probe.mp4"), 16, 16, 24, &video))
    return 0;
  mus_video_close(video, MUS_UNSUPPORTED);
  return 1;
}

static void skip_without_ffmpeg(void) {
  if (have_ffmpeg())
    return;
  print_message("no ffmpeg here: left out\n");
  skip();
}

static mus_status write_frames(const char *path, int width, int height, int frames) {
  mus_video *video;
  mus_picture picture;
  assert_int_equal(mus_picture_create(width, height, &picture), MUS_OK);
  mus_status status = mus_video_open(path, width, height, 25, &video);
  if (!status) {
    for (int k = 0; k < frames && !status; ++k) {
      memset(picture.pixel, 20 * k, (size_t)width * (size_t)height * 3);
      status = mus_video_add(video, &picture);
    }
    status = mus_video_close(video, status);
  }
  mus_picture_free(&picture);
  return status;
}

// Frames that ffprobe counts, or -1 where it is missing.
static int count_frames(const char *path) {
  char command[512], answer[64] = "";
  snprintf(command, sizeof command,
           "ffprobe -v error -count_frames -select_streams v -show_entries stream=nb_read_frames -of csv=p=0 '%s'",
           path);
  FILE *pipe = popen(command, "r");
  if (!pipe)
    return -1;
  char *line = fgets(answer, sizeof answer, pipe);
  return pclose(pipe) == 0 && line ? atoi(answer) : -1;
}

static void videos_hold_their_frames(void **state) {
  (void)state;
  skip_without_ffmpeg();
  const int sizes[][2] = {{64, 48}, {33, 17}, {2, 2}};
  for (int i = 0; i < 3; ++i) {
    const char *path = path_of("it's a: %d.mp4"); // no shell, no pattern
    mus_status status = write_frames(path, sizes[i][0], sizes[i][1], 7);
    if (status)
      fail_msg("%s", mus_last_error());
    assert_int_equal(files_count(folder), 1);
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    assert_true(about.st_size > 500);
    unlink(path);
    const char *plain = path_of("plain.mp4");
    assert_int_equal(write_frames(plain, sizes[i][0], sizes[i][1], 7), MUS_OK);
    int frames = count_frames(plain);
    assert_true(frames == 7 || frames == -1);
    unlink(plain);
  }
}

static void a_missing_ffmpeg_is_said(void **state) {
  (void)state;
  drawing_pretend_ffmpeg(NULL);
  mus_video *video;
  assert_int_equal(mus_video_open(path_of("v.mp4"), 16, 16, 24, &video), MUS_UNSUPPORTED);
  assert_null(video);
  assert_non_null(strstr(mus_last_error(), "ffmpeg"));
  assert_int_equal(files_count(folder), 0);
}

static void an_ffmpeg_that_fails_is_quoted(void **state) {
  (void)state;
  drawing_pretend_ffmpeg("echo 'Unknown encoder libx264' >&2; exit 3");
  assert_int_equal(write_frames(path_of("v.mp4"), 640, 480, 20), MUS_IO_ERROR);
  assert_non_null(strstr(mus_last_error(), "Unknown encoder libx264"));
  drawing_pretend_ffmpeg("exec /bin/cat >/dev/null; exit 0"); // reads all, writes nothing: nothing to rename
  assert_int_equal(write_frames(path_of("v.mp4"), 64, 48, 2), MUS_IO_ERROR);
  drawing_pretend_ffmpeg("kill -9 $$");
  assert_int_equal(write_frames(path_of("v.mp4"), 640, 480, 20), MUS_IO_ERROR);
  assert_non_null(strstr(mus_last_error(), "signal 9"));
  assert_int_equal(files_count(folder), 0);
}

static void what_fails_leaves_no_file(void **state) {
  (void)state;
  skip_without_ffmpeg();
  assert_int_equal(write_frames(path_of("none.mp4"), 64, 48, 0), MUS_BAD_INPUT);
  assert_non_null(strstr(mus_last_error(), "at least one frame"));
  assert_int_equal(write_frames(path_of("no/such/v.mp4"), 64, 48, 2), MUS_IO_ERROR);
  assert_non_null(strstr(mus_last_error(), "no/such/v.mp4"));
  mus_video *video;
  mus_picture picture;
  assert_int_equal(mus_picture_create(16, 8, &picture), MUS_OK);
  assert_int_equal(mus_video_open(path_of("v.mp4"), 16, 16, 24, &video), MUS_OK);
  assert_int_equal(mus_video_add(video, &picture), MUS_BAD_INPUT);
  assert_int_equal(mus_video_close(video, MUS_BAD_INPUT), MUS_BAD_INPUT);
  assert_non_null(strstr(mus_last_error(), "16 x 8")); // the first error's text is kept
  mus_picture_free(&picture);
  assert_int_equal(files_count(folder), 0);
}

static void bad_sizes_and_rates_are_refused(void **state) {
  (void)state;
  mus_video *video;
  assert_int_equal(mus_video_open("v.mp4", 0, 16, 24, &video), MUS_BAD_INPUT);
  assert_int_equal(mus_video_open("v.mp4", 16, 16, 0, &video), MUS_BAD_INPUT);
  assert_int_equal(mus_video_open("v.mp4", 16, 16, 0.0 / 0.0, &video), MUS_BAD_INPUT);
}

static void failing_allocations_start_nothing(void **state) {
  (void)state;
  for (long n = 0; n < 4; ++n) {
    mus_video *video;
    mus_memory_fail_after(n);
    mus_status status = mus_video_open(path_of("v.mp4"), 16, 16, 24, &video);
    mus_memory_fail_after(-1);
    assert_int_equal(status, MUS_OUT_OF_MEMORY);
    assert_null(video);
  }
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); // no child is left
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(videos_hold_their_frames),
      cmocka_unit_test_teardown(a_missing_ffmpeg_is_said, drawing_real_ffmpeg),
      cmocka_unit_test_teardown(an_ffmpeg_that_fails_is_quoted, drawing_real_ffmpeg),
      cmocka_unit_test(what_fails_leaves_no_file),
      cmocka_unit_test(bad_sizes_and_rates_are_refused),
      cmocka_unit_test(failing_allocations_start_nothing),
  };
  return cmocka_run_group_tests(tests, set_up, files_teardown);
}
