// Caches: the bytes of every format, what is refused, growing files, and going on from what is there.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/cache.h"
#include "support/animation.h"
#include "support/check.h"
#include "support/files.h"

static const mus_cache_format *format_named(const char *name) {
  const mus_cache_format *format = NULL;
  assert_ok(mus_cache_format_from_name(name, &format));
  return format;
}

// One triangle at two frames: few enough numbers to write the files down by hand.
static double triangle_frames[2][9] = {{0, 0, 0, 1, 0, 0, 0, 0, -1}, {0.5, -2, 0.1, 1, 0.25, 0, 0, 3, -1}};
static int triangle_corners[3] = {0, 1, 2};
static double triangle_material[6] = {0, 0, 1, 0, 0, 0.5};
static const mus_mesh triangle = {
    .vertices = 3, .triangles = 1, .triangle = triangle_corners, .material = triangle_material};

static mus_cache_definition define_triangle(int frames) {
  return (mus_cache_definition){.points = 3, .frames = frames, .frames_per_second = 24, .mesh = &triangle};
}

// Writes both frames of the triangle as frames 0 and 1 of `planned`, from the definition given.
static void write_triangle(const char *path, const char *format, const mus_cache_definition *definition) {
  mus_cache_writer *writer = NULL;
  assert_ok(mus_cache_create(path, format_named(format), definition, &writer));
  for (int frame = 0; frame < 2; ++frame)
    assert_ok(mus_cache_write(writer, triangle_frames[frame]));
  assert_int_equal(mus_cache_frames(writer), 2);
  assert_ok(mus_cache_sync(writer));
  assert_ok(mus_cache_finish(writer));
  mus_cache_close(writer);
}

// --- bytes ---------------------------------------------------------------------------------------------------------

// 0.5 is 3f000000, -2 is c0000000, 0.1 is 3dcccccd, 0.25 is 3e800000, 3 is 40400000 and -1 is bf800000.
static const unsigned char pc2_bytes[] = {
    'P', 'O', 'I',  'N',  'T', 'C', 'A',  'C',  'H',  'E',  '2',  0, // magic
    1,   0,   0,    0,    3,   0,   0,    0,                         // version, points
    0,   0,   0xa0, 0x40, 0,   0,   0x80, 0x3f, 2,    0,    0,    0, // frame 5, rate 1, two samples
    0,   0,   0,    0,    0,   0,   0,    0,    0,    0,    0,    0, // frame 0
    0,   0,   0x80, 0x3f, 0,   0,   0,    0,    0,    0,    0,    0,
    0,   0,   0,    0,    0,   0,   0,    0,    0,    0,    0x80, 0xbf, //
    0,   0,   0,    0x3f, 0,   0,   0,    0xc0, 0xcd, 0xcc, 0xcc, 0x3d, // frame 1
    0,   0,   0x80, 0x3f, 0,   0,   0x80, 0x3e, 0,    0,    0,    0,
    0,   0,   0,    0,    0,   0,   0x40, 0x40, 0,    0,    0x80, 0xbf};

static void pc2_has_these_bytes(void **state) {
  const char *path = files_path(*state, "cloth.pc2");
  mus_cache_definition definition = define_triangle(9);
  definition.first_frame = 5;
  definition.mesh = NULL;
  write_triangle(path, "pc2", &definition);
  files_assert_bytes(path, pc2_bytes, sizeof pc2_bytes);
  assert_false(files_exists(files_path(*state, "cloth.pc2.partial")));
}

// At 4 frames a second from frame 5, the times are 1.25 (3fa00000) and 1.5 (3fc00000).
static const unsigned char mdd_bytes[] = {
    0,    0,    0, 2, 0,    0,    0, 3, 0x3f, 0xa0, 0,    0,    0x3f, 0xc0, 0, 0, // frames, points, times
    0,    0,    0, 0, 0,    0,    0, 0, 0,    0,    0,    0,                      // frame 0
    0x3f, 0x80, 0, 0, 0,    0,    0, 0, 0,    0,    0,    0,    0,    0,    0, 0, 0,    0,    0, 0, 0xbf, 0x80, 0, 0, //
    0x3f, 0,    0, 0, 0xc0, 0,    0, 0, 0x3d, 0xcc, 0xcc, 0xcd, // frame 1
    0x3f, 0x80, 0, 0, 0x3e, 0x80, 0, 0, 0,    0,    0,    0,    0,    0,    0, 0, 0x40, 0x40, 0, 0, 0xbf, 0x80, 0, 0};

static void mdd_has_these_bytes_however_many_frames_were_planned(void **state) {
  for (int planned = 2; planned <= 1000; planned += 499) {
    const char *path = files_path(*state, "cloth.mdd");
    mus_cache_definition definition = define_triangle(planned);
    definition.first_frame = 5;
    definition.frames_per_second = 4;
    definition.mesh = NULL;
    write_triangle(path, "mdd", &definition);
    files_assert_bytes(path, mdd_bytes, sizeof mdd_bytes);
    assert_false(files_exists(files_path(*state, "cloth.mdd.partial")));
    assert_false(files_exists(files_path(*state, "cloth.mdd.partial.partial")));
  }
}

static const char usda_head[] = "#usda 1.0\n"
                                "(\n"
                                "    doc = \"muslin: mesh ";
static const char usda_text[] = "\"\n"
                                "    defaultPrim = \"cloth\"\n"
                                "    metersPerUnit = 1\n"
                                "    upAxis = \"Y\"\n"
                                "    timeCodesPerSecond = 23.976\n"
                                "    framesPerSecond = 23.976\n"
                                "    startTimeCode = 5\n"
                                "    endTimeCode = 6       \n"
                                ")\n"
                                "\n"
                                "def Mesh \"cloth\"\n"
                                "{\n"
                                "    uniform bool doubleSided = 1\n"
                                "    uniform token subdivisionScheme = \"none\"\n"
                                "    int[] faceVertexCounts = [3]\n"
                                "    int[] faceVertexIndices = [0, 1, 2]\n"
                                "    texCoord2f[] primvars:st = [(0, 0), (1, 0), (0, 0.5)] (\n"
                                "        interpolation = \"faceVarying\"\n"
                                "    )\n"
                                "    point3f[] points.timeSamples = {\n"
                                "        5: [(0, 0, 0), (1, 0, 0), (0, 0, -1)],\n"
                                "        6: [(0.5, -2, 0.100000001), (1, 0.25, 0), (0, 3, -1)],\n"
                                "    }\n"
                                "}\n";

static void assert_usda(const char *path) {
  files_bytes there = files_read(path);
  size_t head = sizeof usda_head - 1;
  assert_true(there.size > head + 16);
  assert_memory_equal(there.data, usda_head, head);
  assert_int_equal(strspn((char *)there.data + head, "0123456789abcdef"), 16);
  assert_string_equal((char *)there.data + head + 16, usda_text);
  free(there.data);
}

static mus_cache_definition define_usda(void) {
  mus_cache_definition definition = define_triangle(9);
  definition.first_frame = 5;
  definition.frames_per_second = 23.976;
  return definition;
}

static void usda_has_this_text(void **state) {
  mus_cache_definition definition = define_usda();
  write_triangle(files_path(*state, "cloth.usda"), "usda", &definition);
  assert_usda(files_path(*state, "cloth.usda"));
}

static void text_has_decimal_points_in_any_locale(void **state) {
  if (!setlocale(LC_NUMERIC, "de_DE.UTF-8")) {
    print_message("skipped: no locale with a decimal comma here\n");
    skip();
  }
  mus_cache_definition definition = define_usda();
  write_triangle(files_path(*state, "cloth.usda"), "usda", &definition);
  setlocale(LC_NUMERIC, "C");
  assert_usda(files_path(*state, "cloth.usda"));
}

static void obj_sequences_have_a_file_a_frame(void **state) {
  mus_cache_definition definition = define_triangle(2);
  definition.first_frame = 9;
  write_triangle(files_path(*state, "frames"), "obj", &definition);
  static const char first[] = "v 0 0 0\nv 1 0 0\nv 0 0 -1\nvt 0 0\nvt 1 0\nvt 0 0.5\nf 1/1 2/2 3/3\n";
  static const char second[] = "v 0.5 -2 0.1\nv 1 0.25 0\nv 0 3 -1\nvt 0 0\nvt 1 0\nvt 0 0.5\nf 1/1 2/2 3/3\n";
  files_assert_bytes(files_path(*state, "frames/frame_0009.obj"), first, sizeof first - 1);
  files_assert_bytes(files_path(*state, "frames/frame_0010.obj"), second, sizeof second - 1);
}

static void meshes_without_material_are_written(void **state) {
  mus_mesh bare = triangle;
  bare.material = NULL;
  mus_cache_definition definition = define_triangle(2);
  definition.mesh = &bare;
  write_triangle(files_path(*state, "frames"), "obj", &definition);
  static const char first[] = "v 0 0 0\nv 1 0 0\nv 0 0 -1\nf 1 2 3\n";
  files_assert_bytes(files_path(*state, "frames/frame_0000.obj"), first, sizeof first - 1);
  write_triangle(files_path(*state, "cloth.usda"), "usda", &definition);
  files_bytes there = files_read(files_path(*state, "cloth.usda"));
  assert_null(strstr((char *)there.data, "primvars"));
  assert_non_null(strstr((char *)there.data, "faceVertexIndices = [0, 1, 2]\n    point3f[] points.timeSamples = {\n"));
  free(there.data);
}

// --- formats and definitions ---------------------------------------------------------------------------------------

static void formats_are_known_by_name(void **state) {
  (void)state;
  static const char *const names[] = {"pc2", "mdd", "obj", "usda", "vtu"}, *const ends[] = {".pc2", ".mdd", "", ".usda",
                                                                                            ".pvd"};
  for (int i = 0; i < 5; ++i) {
    assert_string_equal(mus_cache_format_name(mus_cache_format_at(i)), names[i]);
    assert_string_equal(mus_cache_format_extension(mus_cache_format_at(i)), ends[i]);
    assert_ptr_equal(format_named(names[i]), mus_cache_format_at(i));
  }
  assert_null(mus_cache_format_at(5));
  assert_null(mus_cache_format_at(-1));
  const mus_cache_format *format;
  assert_int_equal(mus_cache_format_from_name("abc", &format), MUS_BAD_INPUT);
  assert_string_equal(mus_last_error(), "there is no cache format \"abc\": choose one of pc2, mdd, obj, usda, vtu");
}

static void assert_refused(void **state, const char *format, mus_cache_definition definition, const char *why) {
  mus_cache_writer *writer = NULL;
  const char *path = files_path(*state, "refused");
  assert_int_equal(mus_cache_create(path, format_named(format), &definition, &writer), MUS_BAD_INPUT);
  assert_null(writer);
  assert_non_null(strstr(mus_last_error(), path));
  assert_non_null(strstr(mus_last_error(), why));
  assert_false(files_exists(path));
}

static void definitions_are_checked(void **state) {
  mus_cache_definition good = define_triangle(2), bad = good;
  bad.points = 0;
  assert_refused(state, "pc2", bad, "0 points");
  bad = good, bad.points = 4;
  assert_refused(state, "pc2", bad, "4 points for a mesh of 3");
  bad = good, bad.frames = 0;
  assert_refused(state, "mdd", bad, "0 frames");
  bad = good, bad.frames = 10000001;
  assert_refused(state, "mdd", bad, "10000001 frames");
  bad = good, bad.first_frame = -1;
  assert_refused(state, "pc2", bad, "frame -1");
  bad = good, bad.frames_per_second = 0;
  assert_refused(state, "usda", bad, "0 frames per second");
  bad = good, bad.frames_per_second = (double)NAN;
  assert_refused(state, "usda", bad, "nan frames per second");
  bad = good, bad.mesh = NULL;
  assert_refused(state, "usda", bad, "without a mesh");
  assert_refused(state, "obj", bad, "without a mesh");
}

static void bad_frames_are_refused(void **state) {
  static const double bad[] = {NAN, INFINITY, -INFINITY, 3.5e38};
  for (int f = 0; f < 4; ++f) {
    mus_cache_writer *writer = NULL;
    mus_cache_definition definition = define_triangle(2);
    assert_ok(mus_cache_create(files_path(*state, "bad"), mus_cache_format_at(f), &definition, &writer));
    assert_fails(mus_cache_finish(writer), MUS_BAD_INPUT, "has no frame");
    assert_ok(mus_cache_write(writer, triangle_frames[0]));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
      double positions[9] = {0};
      positions[7] = bad[i];
      assert_fails(mus_cache_write(writer, positions), MUS_BAD_INPUT, "point 2 of frame 1 is at");
    }
    assert_ok(mus_cache_write(writer, triangle_frames[1]));
    assert_fails(mus_cache_write(writer, triangle_frames[1]), MUS_BAD_INPUT, "planned for 2 frames");
    assert_int_equal(mus_cache_frames(writer), 2);
    assert_ok(mus_cache_finish(writer));
    mus_cache_close(writer);
    const char *path = files_path(*state, "bad");
    if (strcmp(mus_cache_format_name(mus_cache_format_at(f)), "obj") != 0)
      remove(path);
    else
      assert_int_equal(rename(path, files_path(*state, "moved")), 0);
  }
}

static void paths_that_cannot_be_written_are_named(void **state) {
  files_write(files_path(*state, "file"), "x", 1);
  static const char *const bad[] = {"missing/a", "file/a"};
  static const char *const why[] = {"No such file or directory", "Not a directory"};
  for (int i = 0; i < 2; ++i)
    for (int f = 0; f < 4; ++f) {
      mus_cache_writer *writer = NULL;
      mus_cache_definition definition = define_triangle(2);
      const char *path = files_path(*state, bad[i]);
      assert_fails(mus_cache_create(path, mus_cache_format_at(f), &definition, &writer), MUS_IO_ERROR, path);
      assert_non_null(strstr(mus_last_error(), why[i]));
      assert_fails(mus_cache_resume(path, mus_cache_format_at(f), &definition, &writer), MUS_IO_ERROR,
                   "nothing to resume");
      assert_null(writer);
    }
}

static void devices_are_left_alone(void **state) {
  (void)state;
  mus_cache_writer *writer = NULL;
  mus_cache_definition definition = define_triangle(2);
  assert_fails(mus_cache_create("/dev/null", format_named("pc2"), &definition, &writer), MUS_BAD_INPUT,
               "/dev/null: is not a plain file");
  assert_false(files_exists("/dev/null.partial"));
}

static void links_are_followed(void **state) {
  const char *real = files_path(*state, "real.pc2"), *link = files_path(*state, "link.pc2");
  files_write(real, "old", 3);
  assert_int_equal(symlink(real, link), 0);
  mus_cache_definition definition = define_triangle(2);
  definition.first_frame = 5;
  write_triangle(link, "pc2", &definition);
  files_assert_bytes(real, pc2_bytes, sizeof pc2_bytes);
  struct stat about;
  assert_int_equal(lstat(link, &about), 0);
  assert_true(S_ISLNK(about.st_mode));
}

// --- growing files -------------------------------------------------------------------------------------------------

static void what_is_finished_stays_until_the_next_is(void **state) {
  const char *path = files_path(*state, "cloth.pc2");
  files_write(path, "earlier", 7);
  mus_cache_writer *writer = NULL;
  mus_cache_definition definition = define_triangle(2);
  definition.first_frame = 5;
  assert_ok(mus_cache_create(path, format_named("pc2"), &definition, &writer));
  assert_ok(mus_cache_write(writer, triangle_frames[0]));
  files_assert_bytes(path, "earlier", 7);
  mus_cache_close(writer);
  files_assert_bytes(path, "earlier", 7);
  assert_ok(mus_cache_resume(path, format_named("pc2"), &definition, &writer));
  assert_int_equal(mus_cache_frames(writer), 1);
  assert_ok(mus_cache_keep(writer, 1));
  assert_ok(mus_cache_write(writer, triangle_frames[1]));
  assert_ok(mus_cache_finish(writer));
  mus_cache_close(writer);
  files_assert_bytes(path, pc2_bytes, sizeof pc2_bytes);
}

// A file that grows can be read, with the frames that are whole.
static void growing_files_can_be_read(void **state) {
  static const char *const names[] = {"a.pc2", "a.mdd"};
  for (int f = 0; f < 2; ++f) {
    char partial[32];
    snprintf(partial, sizeof partial, "%s.partial", names[f]);
    mus_cache_writer *writer = NULL;
    mus_cache_definition definition = define_triangle(7);
    mus_cache_reader *follower = NULL;
    double last[9];
    assert_ok(mus_cache_create(files_path(*state, names[f]), mus_cache_format_at(f), &definition, &writer));
    assert_ok(mus_cache_open(files_path(*state, partial), &follower));
    for (int frame = 0; frame <= 2; ++frame) {
      mus_cache_reader *reader = NULL;
      assert_ok(mus_cache_open(files_path(*state, partial), &reader));
      assert_int_equal(mus_cache_about(reader)->frames, frame);
      assert_int_equal(mus_cache_about(reader)->points, 3);
      for (int k = 0; k < frame; ++k) {
        double positions[9];
        assert_ok(mus_cache_read(reader, k, positions));
        for (int i = 0; i < 9; ++i)
          assert_true(positions[i] == (float)triangle_frames[k % 2][i]);
      }
      mus_cache_reader_free(reader);
      assert_ok(mus_cache_write(writer, triangle_frames[frame % 2]));
      assert_int_equal(mus_cache_about(follower)->frames, frame);
      assert_ok(mus_cache_refresh(follower));
      assert_int_equal(mus_cache_about(follower)->frames, frame + 1);
      assert_ok(mus_cache_read(follower, frame, last));
      assert_true(last[3] == (float)triangle_frames[frame % 2][3]);
    }
    assert_ok(mus_cache_finish(writer));
    assert_ok(mus_cache_refresh(follower)); // it has got its name
    assert_int_equal(mus_cache_about(follower)->frames, 3);
    assert_ok(mus_cache_read(follower, 2, last));
    mus_cache_reader_free(follower);
    mus_cache_close(writer);
  }
}

// The text that grows is whole with every frame.
static void growing_usda_is_closed(void **state) {
  mus_cache_writer *writer = NULL;
  mus_cache_definition definition = define_usda();
  assert_ok(mus_cache_create(files_path(*state, "a.usda"), format_named("usda"), &definition, &writer));
  files_bytes empty = files_read(files_path(*state, "a.usda.partial"));
  assert_non_null(strstr((char *)empty.data, "timeSamples = {\n    }\n}\n"));
  assert_non_null(strstr((char *)empty.data, "endTimeCode = 5 "));
  free(empty.data);
  assert_ok(mus_cache_write(writer, triangle_frames[0]));
  assert_ok(mus_cache_write(writer, triangle_frames[1]));
  assert_usda(files_path(*state, "a.usda.partial"));
  mus_cache_close(writer);
}

static void two_processes_do_not_write_one_cache(void **state) {
  const char *path = files_path(*state, "cloth.pc2");
  mus_cache_definition definition = define_triangle(2);
  int ready[2];
  assert_int_equal(pipe(ready), 0);
  pid_t child = fork();
  if (child == 0) {
    mus_cache_writer *writer = NULL;
    char done = mus_cache_create(path, format_named("pc2"), &definition, &writer) == MUS_OK;
    if (write(ready[1], &done, 1) == 1)
      pause();
    _exit(0);
  }
  char done = 0;
  assert_int_equal(read(ready[0], &done, 1), 1);
  assert_true(done);
  mus_cache_writer *writer = NULL;
  assert_int_equal(mus_cache_create(path, format_named("pc2"), &definition, &writer), MUS_IO_ERROR);
  char expected[64];
  snprintf(expected, sizeof expected, "process %ld is writing it", (long)child);
  assert_non_null(strstr(mus_last_error(), expected));
  assert_int_equal(mus_cache_resume(path, format_named("pc2"), &definition, &writer), MUS_IO_ERROR);
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  close(ready[0]);
  close(ready[1]);
  assert_ok(mus_cache_create(path, format_named("pc2"), &definition, &writer));
  mus_cache_close(writer);
}

// --- going on ------------------------------------------------------------------------------------------------------

enum { SHEET = 6, FRAMES = 10 };

typedef struct run {
  mus_arena arena;
  mus_mesh mesh;
  double *positions;
  mus_cache_definition definition;
} run;

static run make_run(int frames) {
  run r = {0};
  r.mesh = animation_sheet(&r.arena, SHEET);
  r.positions = mus_arena_alloc(&r.arena, 3 * (size_t)r.mesh.vertices, sizeof(double));
  assert_non_null(r.positions);
  r.definition =
      (mus_cache_definition){.points = r.mesh.vertices, .frames = frames, .first_frame = 1, .frames_per_second = 25};
  return r;
}

static void write_frames(run *r, mus_cache_writer *writer, int from, int to) {
  for (int frame = from; frame < to; ++frame) {
    animation_pose(&r->mesh, frame, r->positions);
    assert_ok(mus_cache_write(writer, r->positions));
  }
}

// Writes frames, and finishes or not.
static void write_cache(const char *path, int f, int planned, int frames, int finish) {
  run r = make_run(planned);
  r.definition.mesh = &r.mesh;
  mus_cache_writer *writer = NULL;
  assert_ok(mus_cache_create(path, mus_cache_format_at(f), &r.definition, &writer));
  write_frames(&r, writer, 0, frames);
  if (finish)
    assert_ok(mus_cache_finish(writer));
  mus_cache_close(writer);
  mus_arena_clear(&r.arena);
}

static void go_on(const char *path, int f, int planned, int expected, int keep, int frames) {
  run r = make_run(planned);
  r.definition.mesh = &r.mesh;
  mus_cache_writer *writer = NULL;
  assert_ok(mus_cache_resume(path, mus_cache_format_at(f), &r.definition, &writer));
  assert_int_equal(mus_cache_frames(writer), expected);
  animation_pose(&r.mesh, 0, r.positions);
  assert_fails(mus_cache_write(writer, r.positions), MUS_BAD_INPUT, "state which frames to keep");
  assert_int_equal(mus_cache_keep(writer, expected + 1), MUS_BAD_INPUT);
  assert_int_equal(mus_cache_keep(writer, -1), MUS_BAD_INPUT);
  assert_ok(mus_cache_keep(writer, keep));
  assert_int_equal(mus_cache_frames(writer), keep);
  write_frames(&r, writer, keep, frames);
  assert_ok(mus_cache_finish(writer));
  mus_cache_close(writer);
  mus_arena_clear(&r.arena);
}

static void assert_same_cache(void **state, int f, const char *a, const char *b, int frames) {
  const mus_cache_format *format = mus_cache_format_at(f);
  const char *folder = mus_cache_format_folder(format);
  if (!folder)
    files_assert_same(files_path(*state, a), files_path(*state, b));
  for (int frame = 1; frame <= frames + 1 && folder; ++frame) {
    char names[2][64];
    snprintf(names[0], sizeof names[0], "%s%s/frame_%04d%s", a, folder, frame, mus_cache_format_frame(format));
    snprintf(names[1], sizeof names[1], "%s%s/frame_%04d%s", b, folder, frame, mus_cache_format_frame(format));
    if (frame <= frames)
      files_assert_same(files_path(*state, names[0]), files_path(*state, names[1]));
    else
      assert_false(files_exists(files_path(*state, names[0])));
  }
}

// However a cache came to be, it ends with the same bytes.
static void going_on_gives_the_same_bytes(void **state) {
  for (int f = 0; f < 5; ++f) {
    char plain[32], other[32];
    snprintf(plain, sizeof plain, "plain%d.mdd", f);
    write_cache(files_path(*state, plain), f, FRAMES, FRAMES, 1);
    static const struct {
      int planned, written, finish, keep;
    } cases[] = {{FRAMES, 4, 0, 4}, {FRAMES, 4, 0, 2}, {FRAMES, 4, 0, 0}, {FRAMES, FRAMES, 0, FRAMES},
                 {FRAMES, 4, 1, 4}, {FRAMES, 4, 1, 3}, {7, 7, 1, 7},      {30, 15, 0, 9},
                 {7, 5, 0, 5},      {30, 15, 1, 10},   {30, 3, 0, 3},     {FRAMES, FRAMES, 1, FRAMES}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
      snprintf(other, sizeof other, "o%d-%zu.mdd", f, i);
      write_cache(files_path(*state, other), f, cases[i].planned, cases[i].written, cases[i].finish);
      int expected = cases[i].written < FRAMES ? cases[i].written : FRAMES;
      go_on(files_path(*state, other), f, FRAMES, expected, cases[i].keep, FRAMES);
      assert_same_cache(state, f, other, plain, FRAMES);
    }
  }
}

// What is not kept is gone at once, not only when something is written in its place.
static void what_is_not_kept_is_gone(void **state) {
  for (int f = 0; f < 5; ++f) {
    char name[32];
    snprintf(name, sizeof name, "a%d.mdd", f);
    write_cache(files_path(*state, name), f, FRAMES, 5, 0);
    run r = make_run(FRAMES);
    r.definition.mesh = &r.mesh;
    for (int frames = 5; frames > 0; --frames) {
      mus_cache_writer *writer = NULL;
      assert_ok(mus_cache_resume(files_path(*state, name), mus_cache_format_at(f), &r.definition, &writer));
      assert_int_equal(mus_cache_frames(writer), frames);
      assert_ok(mus_cache_keep(writer, frames - 1));
      mus_cache_close(writer);
    }
    mus_arena_clear(&r.arena);
  }
}

// After a loss of power, the head of a PC2 file and its length may tell of different numbers of frames: the smaller
// counts. MDD may be longer than what it is laid out for, if it comes from elsewhere.
static void frames_count_that_head_and_length_agree_on(void **state) {
  mus_cache_definition definition = define_triangle(9);
  for (int f = 0; f < 2; ++f) {
    write_triangle(files_path(*state, "a"), mus_cache_format_name(mus_cache_format_at(f)), &definition);
    files_bytes bytes = files_read(files_path(*state, "a"));
    for (unsigned char told = 1; told <= 3; ++told) {
      unsigned char *longer = calloc(1, bytes.size + 72);
      assert_non_null(longer);
      memcpy(longer, bytes.data, bytes.size);
      longer[f == 0 ? 28 : 3] = told; // for MDD, this moves where the frames begin; their number counts here
      files_write(files_path(*state, "a.partial"), longer, bytes.size + (f == 0 ? 0 : 72));
      free(longer);
      mus_cache_writer *writer = NULL;
      mus_status status = mus_cache_resume(files_path(*state, "a"), mus_cache_format_at(f), &definition, &writer);
      assert_int_equal(status, MUS_OK);
      assert_int_equal(mus_cache_frames(writer), f == 0 && told == 3 ? 2 : told);
      mus_cache_close(writer);
    }
    free(bytes.data);
    remove(files_path(*state, "a.partial"));
  }
}

// Finishing at once what is reopened, without saying which frames stay, keeps all.
static void finishing_keeps_all(void **state) {
  for (int f = 0; f < 5; ++f) {
    char plain[32], other[32];
    snprintf(plain, sizeof plain, "plain%d.mdd", f);
    snprintf(other, sizeof other, "other%d.mdd", f);
    write_cache(files_path(*state, plain), f, 5, 5, 1);
    write_cache(files_path(*state, other), f, FRAMES, 5, 0);
    run r = make_run(FRAMES);
    r.definition.mesh = &r.mesh;
    mus_cache_writer *writer = NULL;
    assert_ok(mus_cache_resume(files_path(*state, other), mus_cache_format_at(f), &r.definition, &writer));
    assert_ok(mus_cache_finish(writer));
    mus_cache_close(writer);
    mus_arena_clear(&r.arena);
    assert_same_cache(state, f, other, plain, 5);
  }
}

// An earlier, longer sequence is gone when a shorter one is finished.
static void shorter_sequences_leave_no_frames_behind(void **state) {
  int f = 2;
  write_cache(files_path(*state, "long"), f, 8, 8, 1);
  write_cache(files_path(*state, "short"), f, 3, 3, 1);
  files_write(files_path(*state, "long/frame_0002.obj.tmp12345"), "x", 1);
  files_write(files_path(*state, "long/notes.txt"), "x", 1);
  write_cache(files_path(*state, "long"), f, 3, 3, 1);
  assert_same_cache(state, f, "long", "short", 3);
  for (int frame = 4; frame <= 8; ++frame) {
    char name[64];
    snprintf(name, sizeof name, "long/frame_%04d.obj", frame);
    assert_false(files_exists(files_path(*state, name)));
  }
  assert_false(files_exists(files_path(*state, "long/frame_0002.obj.tmp12345")));
  assert_true(files_exists(files_path(*state, "long/notes.txt")));
}

static void assert_not_resumed(const char *path, int f, const mus_cache_definition *definition, const char *why) {
  files_bytes before = files_read(path);
  mus_cache_writer *writer = NULL;
  assert_int_equal(mus_cache_resume(path, mus_cache_format_at(f), definition, &writer), MUS_BAD_INPUT);
  assert_null(writer);
  if (!strstr(mus_last_error(), why))
    fail_msg("\"%s\" does not say \"%s\"", mus_last_error(), why);
  files_assert_bytes(path, before.data, before.size); // what does not fit stays where and as it is
  free(before.data);
}

static void other_caches_are_not_gone_on_from(void **state) {
  static const char *const why[4][4] = {
      {"points: 49 where the scene has 48", "first frame: 1 where the scene has 2", NULL, NULL},
      {"points: 49 where the scene has 48", "seconds at a frame: 0.0399999991 where", "seconds at a frame", NULL},
      {NULL},
      {"holds another mesh", "holds another mesh or other frames", "other frames", "holds another mesh"}};
  for (int f = 0; f < 4; ++f) {
    char name[32];
    snprintf(name, sizeof name, "a%d", f);
    const char *path = files_path(*state, name);
    if (f == 2)
      continue; // frames of a sequence do not say what they are
    write_cache(path, f, FRAMES, 3, 1);
    run r = make_run(FRAMES);
    mus_mesh smaller = r.mesh;
    smaller.vertices = 48;
    mus_cache_definition other = r.definition;
    other.points = 48, other.mesh = &smaller;
    assert_not_resumed(path, f, &other, why[f][0]);
    other = r.definition, other.mesh = &r.mesh, other.first_frame = 2;
    assert_not_resumed(path, f, &other, why[f][1]);
    other = r.definition, other.mesh = &r.mesh, other.frames_per_second = 24;
    if (why[f][2])
      assert_not_resumed(path, f, &other, why[f][2]);
    other = r.definition, other.mesh = &r.mesh;
    r.mesh.triangle[7] ^= 1;
    if (why[f][3])
      assert_not_resumed(path, f, &other, why[f][3]);
    mus_arena_clear(&r.arena);
  }
}

// Every way to cut a growing file short: what is whole is found, and the end is the same.
static void files_cut_anywhere_are_gone_on_from(void **state) {
  static const char *const names[] = {"a.pc2", "a.mdd", NULL, "a.usda"};
  for (int f = 0; f < 4; ++f) {
    if (!names[f])
      continue;
    char partial[32];
    snprintf(partial, sizeof partial, "%s.partial", names[f]);
    mus_cache_definition definition = define_triangle(3);
    write_triangle(files_path(*state, "whole"), mus_cache_format_name(mus_cache_format_at(f)), &definition);
    mus_cache_writer *writer = NULL;
    assert_ok(mus_cache_create(files_path(*state, names[f]), mus_cache_format_at(f), &definition, &writer));
    assert_ok(mus_cache_write(writer, triangle_frames[0]));
    assert_ok(mus_cache_write(writer, triangle_frames[1]));
    mus_cache_close(writer);
    files_bytes good = files_read(files_path(*state, partial));
    int seen[3] = {0}, refused = 0;
    for (size_t length = 0; length <= good.size; ++length) {
      remove(files_path(*state, names[f]));
      files_write(files_path(*state, partial), good.data, length);
      mus_status status = mus_cache_resume(files_path(*state, names[f]), mus_cache_format_at(f), &definition, &writer);
      if (status != MUS_OK) { // a part of the head
        assert_int_equal(status, MUS_BAD_INPUT);
        assert_int_equal(seen[0] + seen[1] + seen[2], 0);
        ++refused;
        continue;
      }
      int whole = mus_cache_frames(writer);
      ++seen[whole];
      assert_ok(mus_cache_keep(writer, whole));
      for (int frame = whole; frame < 2; ++frame)
        assert_ok(mus_cache_write(writer, triangle_frames[frame]));
      assert_ok(mus_cache_finish(writer));
      mus_cache_close(writer);
      files_assert_same(files_path(*state, names[f]), files_path(*state, "whole"));
    }
    assert_true(refused > 0 && seen[0] > 0 && seen[1] > 0 && seen[2] > 0);
    free(good.data);
    remove(files_path(*state, partial));
  }
}

// A frame that is written over the text's tail may be cut anywhere too: the bytes behind are those of the tail.
static void torn_text_is_gone_on_from(void **state) {
  mus_cache_definition definition = define_triangle(3);
  const mus_cache_format *usda = format_named("usda");
  const char *path = files_path(*state, "a.usda"), *partial = files_path(*state, "a.usda.partial");
  write_triangle(path, "usda", &definition);
  files_bytes good = files_read(path);
  remove(path);
  size_t second = (size_t)(strstr((char *)good.data, "        1: [") - (char *)good.data), end = good.size;
  static const char tail[] = "    }\n}\n";
  for (size_t length = second; length <= end; ++length) {
    unsigned char *torn = malloc(end + sizeof tail);
    assert_non_null(torn);
    memcpy(torn, good.data, second);
    memcpy(torn + second, tail, sizeof tail - 1);
    memcpy(torn + second, good.data + second, length - second);
    size_t size = length < second + sizeof tail - 1 ? second + sizeof tail - 1 : length;
    files_write(partial, torn, size);
    free(torn);
    mus_cache_writer *writer = NULL;
    assert_ok(mus_cache_resume(files_path(*state, "a.usda"), usda, &definition, &writer));
    int whole = mus_cache_frames(writer);
    assert_int_equal(whole, length >= end - (sizeof tail - 1) ? 2 : 1);
    assert_ok(mus_cache_keep(writer, 1));
    assert_ok(mus_cache_write(writer, triangle_frames[1]));
    assert_ok(mus_cache_finish(writer));
    mus_cache_close(writer);
    files_assert_bytes(files_path(*state, "a.usda"), good.data, good.size);
    remove(files_path(*state, "a.usda"));
    partial = files_path(*state, "a.usda.partial");
  }
  free(good.data);
}

int main(void) {
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, files_setup, files_teardown)
  const struct CMUnitTest tests[] = {
      IN_FOLDER(pc2_has_these_bytes),
      IN_FOLDER(mdd_has_these_bytes_however_many_frames_were_planned),
      IN_FOLDER(usda_has_this_text),
      IN_FOLDER(text_has_decimal_points_in_any_locale),
      IN_FOLDER(obj_sequences_have_a_file_a_frame),
      IN_FOLDER(meshes_without_material_are_written),
      cmocka_unit_test(formats_are_known_by_name),
      IN_FOLDER(definitions_are_checked),
      IN_FOLDER(bad_frames_are_refused),
      IN_FOLDER(paths_that_cannot_be_written_are_named),
      cmocka_unit_test(devices_are_left_alone),
      IN_FOLDER(links_are_followed),
      IN_FOLDER(what_is_finished_stays_until_the_next_is),
      IN_FOLDER(growing_files_can_be_read),
      IN_FOLDER(growing_usda_is_closed),
      IN_FOLDER(two_processes_do_not_write_one_cache),
      IN_FOLDER(going_on_gives_the_same_bytes),
      IN_FOLDER(what_is_not_kept_is_gone),
      IN_FOLDER(frames_count_that_head_and_length_agree_on),
      IN_FOLDER(finishing_keeps_all),
      IN_FOLDER(shorter_sequences_leave_no_frames_behind),
      IN_FOLDER(other_caches_are_not_gone_on_from),
      IN_FOLDER(files_cut_anywhere_are_gone_on_from),
      IN_FOLDER(torn_text_is_gone_on_from),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
