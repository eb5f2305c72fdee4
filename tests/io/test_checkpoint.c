// Checkpoints: bytes, round trips, damage of every kind, and folders of them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/checksum.h"
#include "base/random.h"
#include "io/checkpoint.h"
#include "support/check.h"
#include "support/files.h"

static double positions[5] = {0.1, -0.0, NAN, INFINITY, 5e-324};
static unsigned char odd[3] = {1, 0, 255};
static mus_checkpoint_section sections[3] = {
    {"positions", positions, sizeof positions}, {"odd bytes", odd, sizeof odd}, {"nothing", odd, 0}};
static const mus_checkpoint checkpoint = {.frame = 120, .count = 3, .sections = sections};

static void assert_same_checkpoint(const mus_checkpoint *a, const mus_checkpoint *b) {
  assert_int_equal(a->frame, b->frame);
  assert_int_equal(a->count, b->count);
  for (int i = 0; i < a->count; ++i) {
    assert_string_equal(a->sections[i].name, b->sections[i].name);
    assert_int_equal(a->sections[i].bytes, b->sections[i].bytes);
    assert_memory_equal(a->sections[i].data, b->sections[i].data, b->sections[i].bytes);
  }
}

// --- sums ----------------------------------------------------------------------------------------------------------

// Every single changed bit, byte put at the end, and pair of words exchanged gives another sum.
static void sums_tell_changes(void **state) {
  (void)state;
  unsigned char data[67];
  for (size_t i = 0; i < sizeof data; ++i)
    data[i] = (unsigned char)mus_random_bits(9, i);
  for (size_t size = 0; size <= 66; ++size) {
    uint64_t sum = mus_checksum(0, data, size);
    assert_true(sum != mus_checksum(1, data, size));
    assert_true(sum != mus_checksum(0, data, size + 1));
    for (size_t bit = 0; bit < 8 * size; ++bit) {
      data[bit / 8] ^= (unsigned char)(1 << bit % 8);
      assert_true(mus_checksum(0, data, size) != sum);
      data[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
  }
  static const unsigned char zeros[16] = {0};
  assert_true(mus_checksum(0, zeros, 8) != mus_checksum(0, zeros, 9));
  static const uint64_t words[2] = {1, 2}, exchanged[2] = {2, 1};
  assert_true(mus_checksum(0, words, 16) != mus_checksum(0, exchanged, 16));
}

// --- files ---------------------------------------------------------------------------------------------------------

// The head and the table as they lie in the file, on a little-endian machine; sums are computed here.
static void files_have_this_layout(void **state) {
  const char *path = files_path(*state, "a.bin");
  assert_ok(mus_checkpoint_write(path, &checkpoint));
  files_bytes there = files_read(path);
  uint64_t head[8], entry[3];
  assert_int_equal(there.size, 384);
  memcpy(head, there.data, sizeof head);
  assert_memory_equal(there.data, "MUSLINCP", 8);
  const uint32_t order = 0x01020304, version = 1;
  assert_memory_equal(there.data + 8, &order, 4);
  assert_memory_equal(there.data + 12, &version, 4);
  assert_int_equal(head[2], 120);
  assert_int_equal(head[3], 3);
  assert_int_equal(head[4], there.size);
  assert_int_equal(head[5], 0);
  assert_true(head[6] == mus_checksum(0, there.data + 64, 3 * 64));
  assert_true(head[7] == mus_checksum(0, there.data, 56));
  static const struct {
    const char *name;
    uint64_t offset, bytes;
  } expected[] = {{"positions", 256, 40}, {"odd bytes", 320, 3}, {"nothing", 384, 0}};
  for (size_t i = 0; i < 3; ++i) {
    const unsigned char *place = there.data + 64 + 64 * i;
    assert_string_equal((const char *)place, expected[i].name);
    memcpy(entry, place + 40, sizeof entry);
    assert_int_equal(entry[0], expected[i].offset);
    assert_int_equal(entry[1], expected[i].bytes);
    assert_true(entry[2] == mus_checksum(0, sections[i].data, sections[i].bytes));
  }
  assert_memory_equal(there.data + 256, positions, sizeof positions);
  free(there.data);
}

static void what_is_written_is_read(void **state) {
  const char *path = files_path(*state, "a.bin");
  mus_arena arena = {0};
  mus_checkpoint out;
  assert_ok(mus_checkpoint_write(path, &checkpoint));
  assert_false(files_exists(files_path(*state, "a.bin.partial")));
  assert_ok(mus_checkpoint_read(path, &arena, &out));
  assert_same_checkpoint(&out, &checkpoint);
  for (int i = 0; i < out.count; ++i)
    assert_true((uintptr_t)out.sections[i].data % MUS_ALIGNMENT == 0);
  const void *data = NULL;
  assert_ok(mus_checkpoint_find(&out, "odd bytes", 3, &data));
  assert_ptr_equal(data, out.sections[1].data);
  assert_fails(mus_checkpoint_find(&out, "odd bytes", 4, &data), MUS_BAD_INPUT,
               "frame 120 has 3 bytes of odd bytes where 4 are needed");
  assert_fails(mus_checkpoint_find(&out, "velocities", 4, &data), MUS_BAD_INPUT, "frame 120 has no velocities");
  mus_arena_clear(&arena);
}

static void large_sections_are_kept(void **state) {
  enum { COUNT = 300001 };
  double *large = malloc(COUNT * sizeof *large);
  assert_non_null(large);
  for (uint64_t i = 0; i < COUNT; ++i)
    large[i] = mus_random(5, i);
  mus_checkpoint_section section = {"large", large, COUNT * sizeof *large};
  mus_checkpoint one = {.frame = 0, .count = 1, .sections = &section}, out;
  mus_arena arena = {0};
  const char *path = files_path(*state, "large.bin");
  assert_ok(mus_checkpoint_write(path, &one));
  assert_ok(mus_checkpoint_read(path, &arena, &out));
  assert_same_checkpoint(&out, &one);
  mus_arena_clear(&arena);
  free(large);
}

static void what_cannot_be_written_is_refused(void **state) {
  const char *path = files_path(*state, "a.bin");
  mus_checkpoint_section twice[2] = {sections[0], sections[0]}, nameless = {"", odd, 1},
                         long_name = {"1234567890123456789012345678901234567890", odd, 1};
  mus_checkpoint bad = {.frame = 1, .count = 2, .sections = twice};
  assert_fails(mus_checkpoint_write(path, &bad), MUS_BAD_INPUT, "two sections are called \"positions\"");
  bad = (mus_checkpoint){.frame = 1, .count = 1, .sections = &nameless};
  assert_fails(mus_checkpoint_write(path, &bad), MUS_BAD_INPUT, "a name has 1 to 39 bytes");
  bad.sections = &long_name;
  assert_fails(mus_checkpoint_write(path, &bad), MUS_BAD_INPUT, "a name has 1 to 39 bytes");
  bad = (mus_checkpoint){.frame = -1, .count = 1, .sections = sections};
  assert_fails(mus_checkpoint_write(path, &bad), MUS_BAD_INPUT, "frame -1");
  bad = (mus_checkpoint){.frame = 1, .count = 0, .sections = sections};
  assert_fails(mus_checkpoint_write(path, &bad), MUS_BAD_INPUT, "0 sections");
  bad.count = MUS_CHECKPOINT_SECTIONS + 1;
  assert_fails(mus_checkpoint_write(path, &bad), MUS_BAD_INPUT, "1025 sections");
  assert_false(files_exists(path));
  assert_fails(mus_checkpoint_write(files_path(*state, "missing/a.bin"), &checkpoint), MUS_IO_ERROR,
               "missing/a.bin.partial: cannot be written (No such file or directory)");
}

// A full disk leaves the old checkpoint and nothing beside it.
static void full_disks_leave_the_old_one(void **state) {
  const char *path = files_path(*state, "a.bin");
  assert_ok(mus_checkpoint_write(path, &checkpoint));
  files_bytes old = files_read(path);
  struct rlimit limit, small;
  signal(SIGXFSZ, SIG_IGN);
  getrlimit(RLIMIT_FSIZE, &limit);
  small = limit;
  small.rlim_cur = 300;
  setrlimit(RLIMIT_FSIZE, &small);
  mus_checkpoint other = checkpoint;
  other.frame = 121;
  assert_fails(mus_checkpoint_write(path, &other), MUS_IO_ERROR, "File too large");
  setrlimit(RLIMIT_FSIZE, &limit);
  signal(SIGXFSZ, SIG_DFL);
  files_assert_bytes(path, old.data, old.size);
  assert_false(files_exists(files_path(*state, "a.bin.partial")));
  free(old.data);
}

// --- damage --------------------------------------------------------------------------------------------------------

static void assert_unreadable(const char *path, const void *data, size_t size, mus_status status, const char *why) {
  mus_arena arena = {0};
  mus_checkpoint out = {.count = -7};
  files_write(path, data, size);
  assert_fails(mus_checkpoint_read(path, &arena, &out), status, why);
  if (!strstr(mus_last_error(), path))
    fail_msg("\"%s\" does not name the file", mus_last_error());
  assert_int_equal(out.count, -7);
  assert_null(arena.newest);
}

static void every_damage_is_found(void **state) {
  const char *path = files_path(*state, "a.bin");
  assert_ok(mus_checkpoint_write(path, &checkpoint));
  files_bytes good = files_read(path);
  for (size_t length = 0; length < good.size; ++length)
    assert_unreadable(path, good.data, length, MUS_BAD_INPUT, "truncated");
  unsigned char *bad = malloc(good.size + 1);
  assert_non_null(bad);
  memcpy(bad, good.data, good.size + 1);
  assert_unreadable(path, bad, good.size + 1, MUS_BAD_INPUT, "byte 384: something follows the checkpoint");
  int refused = 0;
  for (size_t bit = 0; bit < 8 * good.size; ++bit) {
    mus_arena arena = {0};
    mus_checkpoint out;
    bad[bit / 8] ^= (unsigned char)(1 << bit % 8);
    files_write(path, bad, good.size);
    if (mus_checkpoint_read(path, &arena, &out) == MUS_OK)
      assert_same_checkpoint(&out, &checkpoint); // only the zeros between sections do not matter
    else
      ++refused;
    bad[bit / 8] ^= (unsigned char)(1 << bit % 8);
    mus_arena_clear(&arena);
  }
  assert_int_equal(refused, 8 * (256 + 40 + 3));
  free(bad);
  free(good.data);
}

// Files that are whole, but say what cannot be: written by another program, or on purpose.
static void foreign_files_are_refused(void **state) {
  const char *path = files_path(*state, "a.bin");
  assert_ok(mus_checkpoint_write(path, &checkpoint));
  files_bytes good = files_read(path);
  unsigned char bad[384];
#define CHANGED(offset, bits)                                                                                          \
  do {                                                                                                                 \
    memcpy(bad, good.data, sizeof bad);                                                                                \
    memcpy(bad + (offset), &bits, sizeof bits);                                                                        \
    uint64_t table_sum = mus_checksum(0, bad + 64, 3 * 64);                                                            \
    memcpy(bad + 48, &table_sum, 8);                                                                                   \
    uint64_t sum = mus_checksum(0, bad, 56);                                                                           \
    memcpy(bad + 56, &sum, 8);                                                                                         \
  } while (0)
  const uint32_t other_order = 0x04030201, no_order = 7, version = 2;
  const uint64_t zero = 0, many = 1025, far = UINT64_MAX, one = 1;
  const int64_t negative = -1, late = (int64_t)INT_MAX + 1;
  CHANGED(0, many);
  assert_unreadable(path, bad, sizeof bad, MUS_BAD_INPUT, "byte 0: not a checkpoint");
  CHANGED(8, other_order);
  assert_unreadable(path, bad, sizeof bad, MUS_BAD_INPUT, "a machine of the other byte order");
  CHANGED(8, no_order);
  assert_unreadable(path, bad, sizeof bad, MUS_BAD_INPUT, "the byte order is damaged");
  CHANGED(12, version);
  assert_unreadable(path, bad, sizeof bad, MUS_UNSUPPORTED, "version 2 of checkpoints: this program reads version 1");
  CHANGED(16, negative);
  assert_unreadable(path, bad, sizeof bad, MUS_BAD_INPUT, "header is impossible");
  CHANGED(16, late);
  assert_unreadable(path, bad, sizeof bad, MUS_BAD_INPUT, "header is impossible");
  CHANGED(24, zero);
  assert_unreadable(path, bad, sizeof bad, MUS_BAD_INPUT, "header is impossible");
  CHANGED(24, many);
  assert_unreadable(path, bad, sizeof bad, MUS_BAD_INPUT, "header is impossible");
  CHANGED(32, far);
  assert_unreadable(path, bad, sizeof bad, MUS_BAD_INPUT, "byte 384: the file is truncated");
  CHANGED(64, zero);
  assert_unreadable(path, bad, sizeof bad, MUS_BAD_INPUT, "byte 64: a section has no name");
  CHANGED(96, far);
  assert_unreadable(path, bad, sizeof bad, MUS_BAD_INPUT, "byte 64: a section has no name");
  CHANGED(104, one);
  assert_unreadable(path, bad, sizeof bad, MUS_BAD_INPUT, "byte 64: a section is out of place");
  CHANGED(112, far);
  assert_unreadable(path, bad, sizeof bad, MUS_BAD_INPUT, "byte 64: a section is out of place");
  CHANGED(176, far);
  assert_unreadable(path, bad, sizeof bad, MUS_BAD_INPUT, "byte 128: a section is out of place");
  CHANGED(240, one);
  assert_unreadable(path, bad, sizeof bad, MUS_BAD_INPUT, "byte 192: a section is out of place");
  free(good.data);
}

// --- folders -------------------------------------------------------------------------------------------------------

static void save(void **state, int frame) {
  mus_checkpoint one = checkpoint;
  one.frame = frame;
  assert_ok(mus_checkpoint_save(*state, &one));
}

static int newest(void **state, int most) {
  mus_arena arena = {0};
  mus_checkpoint out = {.frame = -1};
  mus_status status = mus_checkpoint_newest(*state, most, &arena, &out);
  if (status == MUS_OK) {
    mus_checkpoint expected = checkpoint;
    expected.frame = out.frame;
    assert_same_checkpoint(&out, &expected);
  } else
    assert_int_equal(status, MUS_IO_ERROR);
  mus_arena_clear(&arena);
  return out.frame;
}

static void folders_keep_two(void **state) {
  for (int frame = 0; frame <= 40; frame += 10) {
    save(state, frame);
    assert_int_equal(newest(state, INT_MAX), frame);
    assert_int_equal(newest(state, frame - 1), frame - 10 < 0 ? -1 : frame - 10);
  }
  assert_false(files_exists(files_path(*state, "checkpoint_000020.bin")));
  assert_true(files_exists(files_path(*state, "checkpoint_000030.bin")));
  assert_true(files_exists(files_path(*state, "checkpoint_000040.bin")));
  save(state, 30); // again: those after it stay
  assert_int_equal(newest(state, INT_MAX), 40);
}

static void damaged_ones_are_passed_over(void **state) {
  save(state, 10);
  save(state, 20);
  files_write(files_path(*state, "checkpoint_000020.bin"), "damaged", 7);
  files_write(files_path(*state, "checkpoint_000030.bin.partial"), "unfinished", 10);
  files_write(files_path(*state, "checkpoint_99.bin"), "short", 5);
  files_write(files_path(*state, "checkpoint_99999999999.bin"), "long", 4);
  files_write(files_path(*state, "checkpoint_9999999999.bin"), "large", 5);
  files_write(files_path(*state, "other.bin"), "other", 5);
  assert_int_equal(newest(state, INT_MAX), 10);
  assert_non_null(strstr(mus_last_error(), "checkpoint_000020.bin: byte 7: the file is truncated"));
  files_bytes good = files_read(files_path(*state, "checkpoint_000010.bin"));
  files_write(files_path(*state, "checkpoint_000040.bin"), good.data, good.size);
  assert_int_equal(newest(state, INT_MAX), 10);
  free(good.data);
  files_write(files_path(*state, "checkpoint_000010.bin"), "damaged", 7);
  mus_arena arena = {0};
  mus_checkpoint out;
  assert_fails(mus_checkpoint_newest(*state, 30, &arena, &out), MUS_IO_ERROR, "holds no intact checkpoint: ");
  assert_fails(mus_checkpoint_newest(*state, 5, &arena, &out), MUS_IO_ERROR, "no checkpoint of frame 5 or earlier");
  assert_fails(mus_checkpoint_newest(files_path(*state, "missing"), 5, &arena, &out), MUS_IO_ERROR,
               "No such file or directory");
  mus_arena_clear(&arena);
}

static void forgotten_ones_are_gone(void **state) {
  for (int frame = 10; frame <= 1000000; frame *= 10)
    save(state, frame);
  save(state, 500);
  files_write(files_path(*state, "checkpoint_000030.bin.partial"), "unfinished", 10);
  files_write(files_path(*state, "other.bin"), "other", 5);
  assert_ok(mus_checkpoint_forget(*state, 500));
  assert_int_equal(newest(state, INT_MAX), 500);
  assert_false(files_exists(files_path(*state, "checkpoint_1000000.bin")));
  assert_false(files_exists(files_path(*state, "checkpoint_000030.bin.partial")));
  assert_ok(mus_checkpoint_forget(*state, -1));
  assert_int_equal(newest(state, INT_MAX), -1);
  assert_true(files_exists(files_path(*state, "other.bin")));
  assert_int_equal(mus_checkpoint_forget(files_path(*state, "missing"), 0), MUS_IO_ERROR);
}

// A program that saves and is killed at any moment leaves a whole checkpoint, once it has saved one.
static void a_kill_leaves_a_whole_checkpoint(void **state) {
  enum { COUNT = 20000, KILLS = 40 };
  double *large = malloc(COUNT * sizeof *large);
  assert_non_null(large);
  int last = -1;
  for (unsigned k = 0; k < KILLS; ++k) {
    pid_t child = fork();
    if (child == 0) {
      for (int frame = last + 1;; ++frame) {
        for (int i = 0; i < COUNT; ++i)
          large[i] = frame + i;
        mus_checkpoint_section section = {"large", large, COUNT * sizeof *large};
        mus_checkpoint one = {.frame = frame, .count = 1, .sections = &section};
        if (mus_checkpoint_save(*state, &one) != MUS_OK)
          _exit(1);
      }
    }
    struct timespec pause = {.tv_nsec = (long)(mus_random_bits(7, k) % 20000000)};
    nanosleep(&pause, NULL);
    kill(child, SIGKILL);
    int how;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFSIGNALED(how));
    mus_arena arena = {0};
    mus_checkpoint out;
    mus_status status = mus_checkpoint_newest(*state, INT_MAX, &arena, &out);
    if (status == MUS_OK) {
      assert_true(out.frame >= last);
      last = out.frame;
      const void *data;
      assert_ok(mus_checkpoint_find(&out, "large", COUNT * sizeof *large, &data));
      for (int i = 0; i < COUNT; ++i)
        assert_true(((const double *)data)[i] == last + i);
    } else
      assert_int_equal(last, -1);
    mus_arena_clear(&arena);
  }
  assert_true(last > 0);
  free(large);
}

static mus_status save_and_read(void **state) {
  mus_arena arena = {0};
  mus_checkpoint out;
  mus_status status = mus_checkpoint_save(*state, &checkpoint);
  if (status == MUS_OK)
    status = mus_checkpoint_newest(*state, INT_MAX, &arena, &out);
  if (status == MUS_OK)
    status = mus_checkpoint_forget(*state, -1);
  mus_arena_clear(&arena);
  return status;
}

static void missing_memory_is_told(void **state) {
  mus_status status = MUS_OUT_OF_MEMORY;
  int failures = 0;
  while (status != MUS_OK) {
    mus_memory_fail_after(failures);
    status = save_and_read(state);
    mus_memory_fail_after(-1);
    if (status != MUS_OK)
      assert_fails(status, MUS_OUT_OF_MEMORY, "out of memory");
    assert_true(++failures < 100);
  }
  assert_true(failures > 8);
}

int main(void) {
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, files_setup, files_teardown)
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums_tell_changes),
      IN_FOLDER(files_have_this_layout),
      IN_FOLDER(what_is_written_is_read),
      IN_FOLDER(large_sections_are_kept),
      IN_FOLDER(what_cannot_be_written_is_refused),
      IN_FOLDER(full_disks_leave_the_old_one),
      IN_FOLDER(every_damage_is_found),
      IN_FOLDER(foreign_files_are_refused),
      IN_FOLDER(folders_keep_two),
      IN_FOLDER(damaged_ones_are_passed_over),
      IN_FOLDER(forgotten_ones_are_gone),
      IN_FOLDER(a_kill_leaves_a_whole_checkpoint),
      IN_FOLDER(missing_memory_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
