// Reading caches: round trips, and files that are damaged, cut short, or something else.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/random.h"
#include "io/cache.h"
#include "support/check.h"
#include "support/files.h"

static const char *const names[] = {"a.pc2", "a.mdd"};

// Numbers of all sizes, and the edges of what a float holds.
static double number(int frame, size_t i) {
  static const double edges[] = {0.0, -0.0, 3.4028234663852886e38, 1.401298464324817e-45, 1e-46, 0.1, -1e-300};
  uint64_t k = (uint64_t)frame * 100003 + i;
  if (k % 17 < sizeof edges / sizeof edges[0])
    return edges[k % 17];
  return mus_random(3, k) * pow(10, 30 * mus_random(4, k));
}

static void fill(double *positions, int frame, size_t count) {
  for (size_t i = 0; i < count; ++i)
    positions[i] = number(frame, i);
}

static void write_cache(const char *path, int f, int points, int frames) {
  mus_cache_definition definition = {.points = points, .frames = frames, .first_frame = 3, .frames_per_second = 30};
  double *positions = malloc(3 * (size_t)points * sizeof *positions);
  mus_cache_writer *writer = NULL;
  assert_non_null(positions);
  assert_ok(mus_cache_create(path, mus_cache_format_at(f), &definition, &writer));
  for (int frame = 0; frame < frames; ++frame) {
    fill(positions, frame, 3 * (size_t)points);
    assert_ok(mus_cache_write(writer, positions));
  }
  assert_ok(mus_cache_finish(writer));
  mus_cache_close(writer);
  free(positions);
}

// --- round trips ---------------------------------------------------------------------------------------------------

static void check_info(const mus_cache_info *info, int f, int points, int frames) {
  assert_ptr_equal(info->format, mus_cache_format_at(f));
  assert_int_equal(info->points, points);
  assert_int_equal(info->frames, frames);
  if (f == 0) {
    assert_true(info->start == 3 && info->rate == 1);
    assert_null(info->time);
  } else
    for (int k = 0; k < frames; ++k)
      assert_true(info->time[k] == (float)((3 + k) / 30.0));
}

static void what_is_written_is_read(void **state) {
  static const int sizes[] = {1, 2, 1365, 1366, 5461, 5462, 5463, 22000}; // around the buffers' sizes
  for (int f = 0; f < 2; ++f)
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s) {
      const char *path = files_path(*state, names[f]);
      size_t count = 3 * (size_t)sizes[s];
      write_cache(path, f, sizes[s], 3);
      mus_cache_reader *reader = NULL;
      assert_ok(mus_cache_open(path, &reader));
      check_info(mus_cache_about(reader), f, sizes[s], 3);
      double *positions = malloc(count * sizeof *positions);
      assert_non_null(positions);
      for (int frame = 2; frame >= 0; --frame) {
        assert_ok(mus_cache_read(reader, frame, positions));
        for (size_t i = 0; i < count; ++i) {
          double expected = (float)number(frame, i);
          assert_memory_equal(&positions[i], &expected, sizeof expected); // also the sign of zero
        }
      }
      assert_fails(mus_cache_read(reader, 3, positions), MUS_BAD_INPUT, "frame 3 is outside 0...2");
      assert_fails(mus_cache_read(reader, -1, positions), MUS_BAD_INPUT, "frame -1 is outside 0...2");
      free(positions);
      mus_cache_reader_free(reader);
    }
}

// Frames that lie beyond 4 GiB are found: the file is mostly a hole.
static void large_files_are_read(void **state) {
  const char *path = files_path(*state, "large.pc2.partial");
  const uint64_t points = 100000000, frames = 5, bytes = 32 + points * 12 * frames;
  unsigned char head[32] = "POINTCACHE2";
  head[12] = 1, head[28] = 5;
  for (int i = 0; i < 4; ++i)
    head[16 + i] = (unsigned char)(points >> 8 * i);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(head, 1, sizeof head, file), sizeof head);
  if (fseek(file, (long)bytes - 1, SEEK_SET) != 0 || fputc(0, file) == EOF || fclose(file) != 0) {
    print_message("skipped: no file of %llu bytes can be made here\n", (unsigned long long)bytes);
    skip();
  }
  mus_cache_reader *reader = NULL;
  assert_ok(mus_cache_open(path, &reader));
  assert_int_equal(mus_cache_about(reader)->frames, 5);
  mus_cache_reader_free(reader);
}

// --- refusals ------------------------------------------------------------------------------------------------------

static void assert_refused(const char *path, mus_status status, const char *why) {
  mus_cache_reader *reader = NULL;
  assert_fails(mus_cache_open(path, &reader), status, why);
  assert_null(reader);
  if (!strstr(mus_last_error(), path))
    fail_msg("\"%s\" does not name the file", mus_last_error());
}

static void files_of_another_length_are_refused(void **state) {
  for (int f = 0; f < 2; ++f) {
    const char *path = files_path(*state, names[f]);
    char place[32];
    write_cache(path, f, 2, 3);
    files_bytes good = files_read(path);
    for (size_t length = 0; length < good.size; ++length) {
      files_write(path, good.data, length);
      snprintf(place, sizeof place, "byte %zu: ", length);
      assert_refused(path, MUS_BAD_INPUT, f == 0 && length < 11 ? "neither PC2" : place);
    }
    unsigned char *longer = calloc(1, good.size + 100);
    assert_non_null(longer);
    memcpy(longer, good.data, good.size);
    for (size_t more = 1; more <= 100; ++more) {
      files_write(path, longer, good.size + more);
      snprintf(place, sizeof place, "byte %zu: something follows", good.size);
      assert_refused(path, MUS_BAD_INPUT, place);
    }
    free(longer);
    free(good.data);
  }
}

// Of a file that grows, the whole frames count.
static void growing_files_may_have_any_length(void **state) {
  static const char *const partial[] = {"a.pc2.partial", "a.mdd.partial"};
  for (int f = 0; f < 2; ++f) {
    write_cache(files_path(*state, names[f]), f, 2, 3);
    files_bytes good = files_read(files_path(*state, names[f]));
    size_t head = f == 0 ? 32 : 20;
    for (size_t length = 0; length <= good.size; ++length) {
      const char *path = files_path(*state, partial[f]);
      files_write(path, good.data, length);
      mus_cache_reader *reader = NULL;
      if (length < head) {
        assert_int_equal(mus_cache_open(path, &reader), MUS_BAD_INPUT);
        continue;
      }
      double positions[6];
      assert_ok(mus_cache_open(path, &reader));
      int frames = mus_cache_about(reader)->frames;
      assert_int_equal(frames, (length - head) / 24);
      for (int frame = 0; frame < frames; ++frame)
        assert_ok(mus_cache_read(reader, frame, positions));
      assert_int_equal(mus_cache_read(reader, frames, positions), MUS_BAD_INPUT);
      mus_cache_reader_free(reader);
    }
    free(good.data);
  }
}

// A file with 32 bits of it changed.
static const char *changed(void **state, int f, size_t offset, const char bits[5]) {
  const char *path = files_path(*state, names[f]);
  write_cache(path, f, 2, 3);
  files_bytes bytes = files_read(path);
  memcpy(bytes.data + offset, bits, 4);
  files_write(path, bytes.data, bytes.size);
  free(bytes.data);
  return path;
}

static void heads_are_checked(void **state) {
  assert_refused(changed(state, 0, 0, "JOIN"), MUS_BAD_INPUT, "byte 0: neither PC2 by its first bytes");
  assert_refused(changed(state, 0, 12, "\2\0\0\0"), MUS_BAD_INPUT, "byte 12: version 2");
  assert_refused(changed(state, 0, 16, "\0\0\0\0"), MUS_BAD_INPUT, "byte 16: 0 points");
  assert_refused(changed(state, 0, 16, "\377\377\377\377"), MUS_BAD_INPUT, "byte 16: 4294967295 points");
  assert_refused(changed(state, 0, 16, "\377\377\377\177"), MUS_BAD_INPUT, "ends in frame 0 of 3");
  assert_refused(changed(state, 0, 20, "\0\0\200\177"), MUS_BAD_INPUT, "byte 20: first frame inf");
  assert_refused(changed(state, 0, 24, "\0\0\300\177"), MUS_BAD_INPUT, "step nan");
  assert_refused(changed(state, 0, 28, "\0\0\0\0"), MUS_BAD_INPUT, "byte 28: 0 samples");
  assert_refused(changed(state, 0, 28, "\377\377\377\177"), MUS_BAD_INPUT, "ends in frame 3 of 2147483647");
  assert_refused(changed(state, 0, 28, "\0\0\0\200"), MUS_BAD_INPUT, "byte 28: 2147483648 samples");
  assert_refused(changed(state, 1, 0, "\0\0\0\0"), MUS_BAD_INPUT, "byte 0: 0 frames");
  assert_refused(changed(state, 1, 0, "\200\0\0\0"), MUS_BAD_INPUT, "byte 0: 2147483648 frames");
  assert_refused(changed(state, 1, 0, "\177\377\377\377"), MUS_BAD_INPUT, "in the times of its 2147483647 frames");
  assert_refused(changed(state, 1, 4, "\0\0\0\0"), MUS_BAD_INPUT, "byte 4: 0 points");
  assert_refused(changed(state, 1, 4, "\177\377\377\377"), MUS_BAD_INPUT, "ends in frame 0 of 3");
  assert_refused(changed(state, 1, 12, "\177\200\0\0"), MUS_BAD_INPUT, "byte 12: the time of frame 1 is not finite");
}

static void positions_that_are_not_finite_are_refused(void **state) {
  for (int f = 0; f < 2; ++f) {
    size_t head = f == 0 ? 32 : 20;
    const char *path = changed(state, f, head + 24 + 16, f == 0 ? "\0\0\300\377" : "\377\300\0\0");
    mus_cache_reader *reader = NULL;
    double positions[6];
    char expected[80];
    assert_ok(mus_cache_open(path, &reader));
    assert_ok(mus_cache_read(reader, 0, positions));
    snprintf(expected, sizeof expected, "byte %zu: point 1 of frame 1 is not finite", head + 24 + 16);
    assert_fails(mus_cache_read(reader, 1, positions), MUS_BAD_INPUT, expected);
    assert_ok(mus_cache_read(reader, 2, positions));
    mus_cache_reader_free(reader);
  }
}

static void what_is_no_cache_is_refused(void **state) {
  assert_refused(files_path(*state, "missing.pc2"), MUS_IO_ERROR, "No such file or directory");
  assert_refused(*state, MUS_IO_ERROR, "is not a plain file");
  const char *pipe_path = files_path(*state, "pipe.mdd");
  assert_int_equal(mkfifo(pipe_path, 0666), 0);
  assert_refused(pipe_path, MUS_IO_ERROR, "is not a plain file");
  files_write(files_path(*state, "text.obj"), "v 0 0 0\n", 8);
  assert_refused(files_path(*state, "text.obj"), MUS_BAD_INPUT, "neither PC2 by its first bytes nor MDD");
}

// MDD is known by its name, which may be written large; PC2 by its first bytes, whatever its name.
static void formats_are_recognised(void **state) {
  static const char *const other[] = {"b.data", "B.MDD"};
  for (int f = 0; f < 2; ++f) {
    write_cache(files_path(*state, other[f]), f, 2, 1);
    mus_cache_reader *reader = NULL;
    assert_ok(mus_cache_open(files_path(*state, other[f]), &reader));
    assert_ptr_equal(mus_cache_about(reader)->format, mus_cache_format_at(f));
    mus_cache_reader_free(reader);
  }
}

int main(void) {
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, files_setup, files_teardown)
  const struct CMUnitTest tests[] = {
      IN_FOLDER(what_is_written_is_read),
      IN_FOLDER(large_files_are_read),
      IN_FOLDER(files_of_another_length_are_refused),
      IN_FOLDER(growing_files_may_have_any_length),
      IN_FOLDER(heads_are_checked),
      IN_FOLDER(positions_that_are_not_finite_are_refused),
      IN_FOLDER(what_is_no_cache_is_refused),
      IN_FOLDER(formats_are_recognised),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
