// Progress: what is shown when, how long it says that it takes, on terminals and elsewhere.
#define _XOPEN_SOURCE 700 // posix_openpt
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/progress.h"

static double now; // what the clock of these tests says
static double tell_now(void) { return now; }

static mus_progress start(FILE *stream, int first, int last) {
  now = 0;
  mus_progress progress = mus_progress_start(stream, "drooping", first, last);
  progress.clock = tell_now;
  progress.frame_at = 0;
  return progress;
}

// All that has been written to the stream since the last call.
static const char *shown(FILE *stream) {
  static char text[1 << 16];
  rewind(stream);
  size_t size = fread(text, 1, sizeof text - 1, stream);
  text[size] = 0;
  rewind(stream);
  assert_int_equal(ftruncate(fileno(stream), 0), 0);
  return text;
}

static FILE *open_stream(void) {
  FILE *stream = tmpfile();
  assert_non_null(stream);
  return stream;
}

// --- lines ---------------------------------------------------------------------------------------------------------

static void what_has_no_iterations_tells_none(void **state) {
  (void)state;
  FILE *stream = open_stream();
  mus_progress progress = start(stream, 0, 3);
  now = 4;
  mus_progress_update(&progress, 1, -1);
  assert_string_equal(shown(stream), "drooping: frame 1 of 3, 8 s left\n");
  progress.terminal = 1;
  progress.columns = 80;
  now = 8;
  mus_progress_update(&progress, 2, -1);
  assert_non_null(strstr(shown(stream), " 66%, 4 s left"));
  fclose(stream);
}

static void files_get_plain_lines(void **state) {
  (void)state;
  FILE *stream = open_stream();
  mus_progress progress = start(stream, 0, 3);
  assert_int_equal(progress.terminal, 0);
  now = 2;
  mus_progress_update(&progress, 0.5, 7); // no frame is done yet
  assert_string_equal(shown(stream), "");
  now = 4;
  mus_progress_update(&progress, 1, 12);
  assert_string_equal(shown(stream), "drooping: frame 1 of 3, 12 iterations, 8 s left\n");
  now = 8;
  mus_progress_update(&progress, 2, 13);
  assert_string_equal(shown(stream), "drooping: frame 2 of 3, 13 iterations, 4 s left\n");
  now = 12;
  mus_progress_update(&progress, 3, 14);
  mus_progress_clear(&progress);
  mus_progress_end(&progress);
  assert_string_equal(shown(stream), "drooping: frame 3 of 3, 14 iterations, 0 s left\n");
  fclose(stream);
}

static int count_lines(const char *text) {
  int lines = 0;
  for (; *text; ++text)
    lines += *text == '\n';
  return lines;
}

// 1000 frames in ten seconds: the first, the last, and one a second.
static void lines_come_once_a_second(void **state) {
  (void)state;
  FILE *stream = open_stream();
  mus_progress progress = start(stream, 0, 1000);
  for (int frame = 1; frame <= 1000; ++frame) {
    now = 0.01 * frame;
    mus_progress_update(&progress, frame, 5);
  }
  const char *text = shown(stream);
  assert_int_equal(count_lines(text), 11);
  assert_non_null(strstr(text, "drooping: frame 1 of 1000, 5 iterations, 10 s left\n"));
  assert_non_null(strstr(text, "drooping: frame 1000 of 1000, 5 iterations, 0 s left\n"));
  fclose(stream);
}

// --- what is left --------------------------------------------------------------------------------------------------

static void nothing_is_known_at_first(void **state) {
  (void)state;
  FILE *stream = open_stream();
  mus_progress progress = start(stream, 10, 20);
  assert_true(mus_progress_left(&progress, 10) < 0);
  progress.terminal = 1;
  progress.columns = 100;
  mus_progress_update(&progress, 10, 0);
  assert_string_equal(shown(stream), "\rdrooping frame 10/20 [=======================>                       ]  50%, "
                                     "0 iterations, ? left\033[K");
  fclose(stream);
}

static void one_slow_frame_does_not_frighten(void **state) {
  (void)state;
  FILE *stream = open_stream();
  mus_progress progress = start(stream, 0, 100);
  for (int frame = 1; frame <= 20; ++frame) {
    now += frame == 18 ? 500 : 2;
    mus_progress_update(&progress, frame, 5);
  }
  assert_true(mus_progress_left(&progress, 20) == 160);
  assert_true(mus_progress_left(&progress, 20.5) == 159);
  assert_true(mus_progress_left(&progress, 101) == 0);
  fclose(stream);
}

static void slower_frames_are_noticed(void **state) {
  (void)state;
  FILE *stream = open_stream();
  mus_progress progress = start(stream, 0, 100);
  for (int frame = 1; frame <= 50; ++frame) {
    now += frame <= 40 ? 1 : 10;
    mus_progress_update(&progress, frame, 5);
  }
  assert_true(mus_progress_left(&progress, 50) == 500);
  fclose(stream);
}

// Of an even number of times, the median is between the two in the middle.
static void few_frames_have_a_median(void **state) {
  (void)state;
  FILE *stream = open_stream();
  mus_progress progress = start(stream, 0, 10);
  now = 1;
  mus_progress_update(&progress, 1, 5);
  now = 4;
  mus_progress_update(&progress, 2, 5);
  assert_true(mus_progress_left(&progress, 2) == 16);
  now = 104;
  mus_progress_update(&progress, 3, 5);
  assert_true(mus_progress_left(&progress, 3) == 21);
  fclose(stream);
}

// Updates that skip frames share their time among them.
static void frames_done_at_once_share_the_time(void **state) {
  (void)state;
  FILE *stream = open_stream();
  mus_progress progress = start(stream, 0, 1000);
  now = 400;
  mus_progress_update(&progress, 100, 5);
  assert_true(mus_progress_left(&progress, 100) == 3600);
  assert_non_null(strstr(shown(stream), " 1:00:00 left"));
  now = 404;
  mus_progress_update(&progress, 101, 5);
  assert_non_null(strstr(shown(stream), " 59:56 left"));
  fclose(stream);
}

// --- bars ----------------------------------------------------------------------------------------------------------

static void terminals_get_a_bar(void **state) {
  (void)state;
  FILE *stream = open_stream();
  mus_progress progress = start(stream, 0, 4);
  progress.terminal = 1;
  progress.columns = 80;
  now = 1;
  mus_progress_update(&progress, 1, 12);
  assert_string_equal(shown(stream),
                      "\rdrooping frame 1/4 [=======>                    ]  25%, 12 iterations, 3 s left\033[K");
  now = 1.05;
  mus_progress_update(&progress, 1.5, 12); // too soon
  assert_string_equal(shown(stream), "");
  now = 1.2;
  mus_progress_update(&progress, 2.5, 12);
  assert_string_equal(shown(stream),
                      "\rdrooping frame 2/4 [=================>          ]  62%, 12 iterations, 1 s left\033[K");
  mus_progress_clear(&progress);
  assert_string_equal(shown(stream), "\r\033[K");
  mus_progress_clear(&progress);
  assert_string_equal(shown(stream), "");
  now = 1.21;
  mus_progress_update(&progress, 4, 9); // the last is always shown
  assert_non_null(strstr(shown(stream), "100%, 9 iterations, 0 s left\033[K"));
  mus_progress_end(&progress);
  mus_progress_end(&progress);
  assert_string_equal(shown(stream), "\n");
  fclose(stream);
}

static void bars_fit_any_terminal(void **state) {
  (void)state;
  FILE *stream = open_stream();
  for (int columns = 1; columns <= 300; ++columns) {
    mus_progress progress = start(stream, 0, 1000000000);
    progress.terminal = 1;
    progress.columns = columns;
    now = 1e6;
    mus_progress_update(&progress, 500000000, 1000000000);
    const char *text = shown(stream);
    size_t length = strlen(text);
    assert_true(length >= 5);
    assert_true(length - 4 <= (size_t)(columns > 1 ? columns - 1 : 1));
    assert_memory_equal(text + length - 3, "\033[K", 3);
  }
  fclose(stream);
}

// A pseudo-terminal is a terminal; one that is dumb gets lines.
static void terminals_are_recognised(void **state) {
  (void)state;
  int master = posix_openpt(O_RDWR | O_NOCTTY);
  if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) {
    print_message("skipped: no pseudo-terminals here\n");
    skip();
  }
  int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
  FILE *stream = slave >= 0 ? fdopen(slave, "w") : NULL;
  assert_non_null(stream);
  setenv("TERM", "xterm", 1);
  mus_progress progress = mus_progress_start(stream, "a", 0, 2);
  assert_int_equal(progress.terminal, 1);
  mus_progress_update(&progress, 1, 3);
  char text[400];
  ssize_t size = read(master, text, sizeof text - 1);
  assert_true(size > 0);
  text[size] = 0;
  assert_memory_equal(text, "\ra frame 1/2 [", 14);
  setenv("TERM", "dumb", 1);
  assert_int_equal(mus_progress_start(stream, "a", 0, 2).terminal, 0);
  unsetenv("TERM");
  assert_int_equal(mus_progress_start(stream, "a", 0, 2).terminal, 0);
  fclose(stream);
  close(master);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(files_get_plain_lines),
      cmocka_unit_test(what_has_no_iterations_tells_none),
      cmocka_unit_test(lines_come_once_a_second),
      cmocka_unit_test(nothing_is_known_at_first),
      cmocka_unit_test(one_slow_frame_does_not_frighten),
      cmocka_unit_test(slower_frames_are_noticed),
      cmocka_unit_test(few_frames_have_a_median),
      cmocka_unit_test(frames_done_at_once_share_the_time),
      cmocka_unit_test(terminals_get_a_bar),
      cmocka_unit_test(bars_fit_any_terminal),
      cmocka_unit_test(terminals_are_recognised),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
