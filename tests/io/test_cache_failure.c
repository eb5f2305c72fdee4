// Caches on full disks, in folders that cannot be written, and without memory: what was whole stays whole.
#define _DEFAULT_SOURCE // mount
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/cache.h"
#include "support/animation.h"
#include "support/check.h"
#include "support/files.h"

enum { SHEET = 12, FRAMES = 8, FORMATS = 5, MDD = 1 };
static const char *const names[FORMATS] = {"a.pc2", "a.mdd", "frames", "a.usda", "a.pvd"};

static int is_sequence(int f) { return mus_cache_format_folder(mus_cache_format_at(f)) != NULL; }

typedef struct run {
  mus_arena arena;
  mus_mesh mesh;
  double *positions;
  mus_cache_definition definition;
} run;

static int make_run(run *r, int sheet) {
  *r = (run){0};
  r->mesh = animation_sheet(&r->arena, sheet);
  r->positions = mus_arena_alloc(&r->arena, 3 * (size_t)r->mesh.vertices, sizeof(double));
  r->definition =
      (mus_cache_definition){.points = r->mesh.vertices, .frames = FRAMES, .frames_per_second = 24, .mesh = &r->mesh};
  return r->positions ? 0 : -1;
}

static mus_status write_frame(run *r, mus_cache_writer *writer) {
  animation_pose(&r->mesh, mus_cache_frames(writer), r->positions);
  return mus_cache_write(writer, r->positions);
}

static void write_whole(run *r, const char *path, int f) {
  mus_cache_writer *writer = NULL;
  assert_ok(mus_cache_create(path, mus_cache_format_at(f), &r->definition, &writer));
  for (int frame = 0; frame < FRAMES; ++frame)
    assert_ok(write_frame(r, writer));
  assert_ok(mus_cache_finish(writer));
  mus_cache_close(writer);
}

// The file of a frame of a sequence.
static void frame_name(int f, const char *cache, int frame, char name[64]) {
  const mus_cache_format *format = mus_cache_format_at(f);
  size_t length = strlen(cache) - strlen(mus_cache_format_extension(format));
  snprintf(name, 64, "%.*s%s/frame_%04d%s", (int)length, cache, mus_cache_format_folder(format), frame,
           mus_cache_format_frame(format));
}

static void assert_same_cache(void **state, int f, const char *a, const char *b) {
  if (mus_cache_format_extension(mus_cache_format_at(f))[0])
    files_assert_same(files_path(*state, a), files_path(*state, b));
  for (int frame = 0; frame < FRAMES && is_sequence(f); ++frame) {
    char names_of[2][64];
    frame_name(f, a, frame, names_of[0]);
    frame_name(f, b, frame, names_of[1]);
    files_assert_same(files_path(*state, names_of[0]), files_path(*state, names_of[1]));
  }
}

// --- full disks ----------------------------------------------------------------------------------------------------

static void limit_files(rlim_t bytes) {
  struct rlimit limit;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
  limit.rlim_cur = bytes == RLIM_INFINITY ? limit.rlim_max : bytes;
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

// The whole frames of a PC2 or MDD file that grows, all as they should be.
static void check_growing(void **state, run *r, int f, int frames) {
  char partial[32];
  snprintf(partial, sizeof partial, "%s.partial", names[f]);
  mus_cache_reader *reader = NULL;
  assert_ok(mus_cache_open(files_path(*state, partial), &reader));
  assert_int_equal(mus_cache_about(reader)->frames, frames);
  size_t count = 3 * (size_t)r->mesh.vertices;
  double *there = malloc(count * sizeof *there);
  assert_non_null(there);
  for (int frame = 0; frame < frames; ++frame) {
    assert_ok(mus_cache_read(reader, frame, there));
    animation_pose(&r->mesh, frame, r->positions);
    for (size_t i = 0; i < count; ++i)
      assert_true(there[i] == (float)r->positions[i]);
  }
  free(there);
  mus_cache_reader_free(reader);
}

// Files may grow to a limit: frames up to there are whole, the writer goes on when the limit is lifted.
static void fill_and_lift(void **state, run *r, int f, size_t limit) {
  mus_cache_writer *writer = NULL;
  assert_ok(mus_cache_create(files_path(*state, names[f]), mus_cache_format_at(f), &r->definition, &writer));
  limit_files(limit);
  mus_status status = MUS_OK;
  while (status == MUS_OK && mus_cache_frames(writer) < FRAMES)
    status = write_frame(r, writer);
  int frames = mus_cache_frames(writer);
  assert_fails(status, MUS_IO_ERROR, "File too large");
  assert_non_null(strstr(mus_last_error(), names[f]));
  assert_int_equal(write_frame(r, writer), MUS_IO_ERROR);
  limit_files(RLIM_INFINITY);
  assert_true(frames < FRAMES);
  if (f <= MDD)
    check_growing(state, r, f, frames);
  while (mus_cache_frames(writer) < FRAMES)
    assert_ok(write_frame(r, writer));
  assert_ok(mus_cache_finish(writer));
  mus_cache_close(writer);
  assert_same_cache(state, f, names[f], "whole");
}

// Frames that are written at once, and frames that are written in parts.
static void writing_goes_on_when_there_is_room_again(void **state) {
  static const int sheets[] = {SHEET, 160}, most[] = {10, 3};
  signal(SIGXFSZ, SIG_IGN);
  for (size_t s = 0; s < 2; ++s) {
    run r;
    assert_int_equal(make_run(&r, sheets[s]), 0);
    for (int f = 0; f < FORMATS; ++f) {
      if (is_sequence(f))
        continue; // no file of a sequence grows
      write_whole(&r, files_path(*state, "whole"), f);
      files_bytes whole = files_read(files_path(*state, "whole"));
      // Text has the mesh before its frames.
      size_t head = f > MDD ? (size_t)(strstr((char *)whole.data, "timeSamples") - (char *)whole.data) + 50 : 100;
      for (int part = 1; part < most[s]; ++part)
        fill_and_lift(state, &r, f, head + (whole.size - head) * (size_t)part / (size_t)most[s]);
      free(whole.data);
    }
    mus_arena_clear(&r.arena);
  }
  signal(SIGXFSZ, SIG_DFL);
}

static void a_cache_that_cannot_be_begun_leaves_nothing(void **state) {
  run r;
  assert_int_equal(make_run(&r, SHEET), 0);
  signal(SIGXFSZ, SIG_IGN);
  limit_files(7);
  for (int f = 0; f < FORMATS; ++f) {
    if (!mus_cache_format_extension(mus_cache_format_at(f))[0])
      continue; // it begins with its first frame
    mus_cache_writer *writer = NULL;
    const char *path = files_path(*state, names[f]);
    assert_fails(mus_cache_create(path, mus_cache_format_at(f), &r.definition, &writer), MUS_IO_ERROR, path);
    assert_null(writer);
    char partial[32];
    snprintf(partial, sizeof partial, "%s.partial", names[f]);
    assert_false(files_exists(files_path(*state, partial)));
  }
  limit_files(RLIM_INFINITY);
  signal(SIGXFSZ, SIG_DFL);
  mus_arena_clear(&r.arena);
}

// MDD needs room for a copy where it ends early. Without it, all frames stay.
static void mdd_without_room_to_finish_stays(void **state) {
  run r;
  assert_int_equal(make_run(&r, SHEET), 0);
  signal(SIGXFSZ, SIG_IGN);
  mus_cache_writer *writer = NULL;
  assert_ok(mus_cache_create(files_path(*state, "a.mdd"), mus_cache_format_at(MDD), &r.definition, &writer));
  for (int frame = 0; frame < 5; ++frame)
    assert_ok(write_frame(&r, writer));
  limit_files(3000);
  assert_fails(mus_cache_finish(writer), MUS_IO_ERROR, "a.mdd.partial.partial: cannot be written");
  limit_files(RLIM_INFINITY);
  assert_false(files_exists(files_path(*state, "a.mdd.partial.partial")));
  check_growing(state, &r, MDD, 5);
  assert_ok(mus_cache_finish(writer));
  mus_cache_close(writer);
  r.definition.frames = 5;
  assert_ok(mus_cache_create(files_path(*state, "whole"), mus_cache_format_at(MDD), &r.definition, &writer));
  for (int frame = 0; frame < 5; ++frame)
    assert_ok(write_frame(&r, writer));
  assert_ok(mus_cache_finish(writer));
  mus_cache_close(writer);
  files_assert_same(files_path(*state, "a.mdd"), files_path(*state, "whole"));
  signal(SIGXFSZ, SIG_DFL);
  mus_arena_clear(&r.arena);
}

// Writes until the disk is full, makes it larger, writes the rest. Returns what went wrong, so that the disk can be
// unmounted before the test fails.
static const char *fill_and_go_on(run *r, const char *disk, const char *path, int f) {
  mus_cache_writer *writer = NULL;
  const mus_cache_format *format = mus_cache_format_at(f);
  mus_status status = mus_cache_create(path, format, &r->definition, &writer);
  while (status == MUS_OK && mus_cache_frames(writer) < FRAMES)
    status = write_frame(r, writer);
  if (status != MUS_IO_ERROR || !strstr(mus_last_error(), "No space left on device"))
    return "the full disk was not noticed";
  if (mount("none", disk, "tmpfs", MS_REMOUNT, "size=4m") != 0)
    return "the disk could not be made larger";
  status = writer ? MUS_OK : mus_cache_create(path, format, &r->definition, &writer);
  while (status == MUS_OK && mus_cache_frames(writer) < FRAMES)
    status = write_frame(r, writer);
  if (status == MUS_OK)
    status = mus_cache_finish(writer);
  mus_cache_close(writer);
  return status == MUS_OK ? NULL : mus_last_error();
}

// A real disk of a few pages. Mounting one is for root, and not everywhere.
static void full_disks_are_survived(void **state) {
  run r;
  char disk[64], path[96];
  assert_int_equal(make_run(&r, SHEET), 0);
  snprintf(disk, sizeof disk, "%s", files_path(*state, "disk"));
  assert_int_equal(mkdir(disk, 0777), 0);
  for (int f = 0; f < FORMATS; ++f) {
    write_whole(&r, files_path(*state, names[f]), f);
    if (mount("none", disk, "tmpfs", 0, "size=12k") != 0) {
      mus_arena_clear(&r.arena);
      print_message("skipped: no disk can be mounted here\n");
      skip();
    }
    snprintf(path, sizeof path, "%s/%s", disk, names[f]);
    const char *wrong = fill_and_go_on(&r, disk, path, f);
    snprintf(path, sizeof path, "cp -r %s %s/copy%d", disk, (char *)*state, f);
    int copied = system(path);
    umount(disk);
    if (wrong)
      fail_msg("%s: %s", names[f], wrong);
    assert_int_equal(copied, 0);
    snprintf(path, sizeof path, "copy%d/%s", f, names[f]);
    assert_same_cache(state, f, path, names[f]);
  }
  mus_arena_clear(&r.arena);
}

static void folders_without_rights_are_named(void **state) {
  run r;
  assert_int_equal(make_run(&r, SHEET), 0);
  assert_int_equal(mkdir(files_path(*state, "locked"), 0555), 0);
  uid_t user = geteuid();
  if (user == 0) // root may write everywhere
    assert_int_equal(seteuid(65534), 0);
  for (int f = 0; f < FORMATS; ++f) {
    char path[32];
    mus_cache_writer *writer = NULL;
    snprintf(path, sizeof path, "locked/%s", names[f]);
    assert_fails(mus_cache_create(files_path(*state, path), mus_cache_format_at(f), &r.definition, &writer),
                 MUS_IO_ERROR, "Permission denied");
  }
  assert_int_equal(seteuid(user), 0);
  mus_arena_clear(&r.arena);
}

// --- memory --------------------------------------------------------------------------------------------------------

// Makes, goes on, finishes; the status of what fails first.
static mus_status whole_life(void **state, run *r, int f) {
  mus_cache_writer *writer = NULL;
  const mus_cache_format *format = mus_cache_format_at(f);
  mus_status status = mus_cache_create(files_path(*state, names[f]), format, &r->definition, &writer);
  for (int frame = 0; frame < 3 && status == MUS_OK; ++frame)
    status = write_frame(r, writer);
  mus_cache_close(writer);
  writer = NULL;
  if (status == MUS_OK)
    status = mus_cache_resume(files_path(*state, names[f]), format, &r->definition, &writer);
  if (status == MUS_OK)
    status = mus_cache_keep(writer, 2);
  if (status == MUS_OK)
    status = write_frame(r, writer);
  if (status == MUS_OK)
    status = mus_cache_finish(writer);
  mus_cache_close(writer);
  return status;
}

static mus_status read_back(void **state, run *r, int f) {
  mus_cache_reader *reader = NULL;
  mus_status status = mus_cache_open(files_path(*state, names[f]), &reader);
  if (status == MUS_OK)
    status = mus_cache_read(reader, 2, r->positions);
  mus_cache_reader_free(reader);
  return status;
}

static void missing_memory_is_told(void **state) {
  run r;
  assert_int_equal(make_run(&r, SHEET), 0);
  for (int f = 0; f < FORMATS; ++f)
    for (int reading = 0; reading < (f <= MDD ? 2 : 1); ++reading) {
      mus_status status = MUS_OUT_OF_MEMORY;
      int failures = 0;
      while (status != MUS_OK) {
        mus_memory_fail_after(failures);
        status = reading ? read_back(state, &r, f) : whole_life(state, &r, f);
        mus_memory_fail_after(-1);
        if (status != MUS_OK)
          assert_fails(status, MUS_OUT_OF_MEMORY, "out of memory");
        assert_true(++failures < 100);
      }
      assert_true(failures > 2);
    }
  mus_arena_clear(&r.arena);
}

int main(void) {
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, files_setup, files_teardown)
  const struct CMUnitTest tests[] = {
      IN_FOLDER(writing_goes_on_when_there_is_room_again), IN_FOLDER(a_cache_that_cannot_be_begun_leaves_nothing),
      IN_FOLDER(mdd_without_room_to_finish_stays),         IN_FOLDER(full_disks_are_survived),
      IN_FOLDER(folders_without_rights_are_named),         IN_FOLDER(missing_memory_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
