// A run that is killed again and again, at any moment, ends with the same cache and report as one that never was.
//
// The run is a pretence: a recurrence that never comes to rest in the place of a cloth. It writes cache, report and
// checkpoints as the simulator does, and goes on from them.
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
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/random.h"
#include "base/timer.h"
#include "io/cache.h"
#include "io/checkpoint.h"
#include "io/report.h"
#include "support/animation.h"
#include "support/check.h"
#include "support/files.h"

enum {
  SHEET = 24,
  FRAMES = 16,
  STEPS = 2,
  EVERY = 4,
  POINTS = (SHEET + 1) * (SHEET + 1),
  NUMBERS = 3 * POINTS,
  VTU = 4
};

static const char *const names[] = {"a.pc2", "a.mdd", "frames", "a.usda", "b.pvd"};
static double positions[NUMBERS], velocities[NUMBERS];
static int steps;

// --- the run -------------------------------------------------------------------------------------------------------

static void begin_state(const mus_mesh *mesh) {
  memcpy(positions, mesh->position, sizeof positions);
  memset(velocities, 0, sizeof velocities);
  steps = 0;
}

// Every point follows its neighbour in a way that forgets no bit.
static void step_state(void) {
  for (int i = 0; i < NUMBERS; ++i) {
    velocities[i] += 0.1 * (positions[(i + 3) % NUMBERS] - positions[i]) + 1e-3 * mus_random(1, (uint64_t)(i + steps));
    positions[i] += 0.1 * velocities[i];
  }
  ++steps;
}

typedef struct outputs {
  mus_cache_writer *cache;
  mus_report *report;
} outputs;

static mus_status begin(const char *folder, int f, const mus_cache_definition *definition, outputs *out) {
  mus_status status = mus_checkpoint_forget(folder, -1);
  begin_state(definition->mesh);
  if (status == MUS_OK)
    status = mus_cache_create(files_path(folder, names[f]), mus_cache_format_at(f), definition, &out->cache);
  if (status == MUS_OK)
    status = mus_report_create(files_path(folder, "report.json"), 0, NULL, &out->report);
  return status == MUS_OK ? mus_cache_write(out->cache, positions) : status;
}

static mus_status go_on(const char *folder, int f, const mus_cache_definition *definition,
                        const mus_checkpoint *checkpoint, outputs *out) {
  const void *x, *v, *n;
  mus_status status = mus_checkpoint_find(checkpoint, "positions", sizeof positions, &x);
  if (status == MUS_OK)
    status = mus_checkpoint_find(checkpoint, "velocities", sizeof velocities, &v);
  if (status == MUS_OK)
    status = mus_checkpoint_find(checkpoint, "steps", sizeof steps, &n);
  if (status == MUS_OK)
    status = mus_cache_resume(files_path(folder, names[f]), mus_cache_format_at(f), definition, &out->cache);
  if (status == MUS_OK)
    status = mus_report_resume(files_path(folder, "report.json"), &out->report);
  if (status != MUS_OK)
    return status;
  memcpy(positions, x, sizeof positions);
  memcpy(velocities, v, sizeof velocities);
  memcpy(&steps, n, sizeof steps);
  status = mus_cache_keep(out->cache, checkpoint->frame + 1);
  return status == MUS_OK ? mus_report_keep(out->report, steps) : status;
}

static mus_status save(const char *folder, int frame, outputs *out) {
  mus_checkpoint_section sections[] = {{"positions", positions, sizeof positions},
                                       {"velocities", velocities, sizeof velocities},
                                       {"steps", &steps, sizeof steps}};
  mus_checkpoint checkpoint = {.frame = frame, .count = 3, .sections = sections};
  mus_status status = mus_cache_sync(out->cache);
  if (status == MUS_OK)
    status = mus_report_sync(out->report);
  return status == MUS_OK ? mus_checkpoint_save(folder, &checkpoint) : status;
}

static mus_status run_frame(const char *folder, int frame, outputs *out) {
  mus_status status = MUS_OK;
  for (int k = 0; k < STEPS && status == MUS_OK; ++k) {
    step_state();
    mus_report_item items[] = {{.name = "step", .number = steps}, {.name = "x", .number = positions[7]}};
    status = mus_report_step(out->report, 2, items);
  }
  if (status == MUS_OK)
    status = mus_cache_write(out->cache, positions);
  return status == MUS_OK && frame % EVERY == 0 ? save(folder, frame, out) : status;
}

static mus_status run(const char *folder, int f) {
  mus_arena arena = {0};
  mus_mesh mesh = animation_sheet(&arena, SHEET);
  mus_cache_definition definition = {.points = POINTS, .frames = FRAMES + 1, .frames_per_second = 24, .mesh = &mesh};
  mus_checkpoint checkpoint = {.frame = 0};
  outputs out = {0};
  mus_status status = mus_checkpoint_newest(folder, INT_MAX, &arena, &checkpoint) == MUS_OK
                          ? go_on(folder, f, &definition, &checkpoint, &out)
                          : begin(folder, f, &definition, &out);
  for (int frame = checkpoint.frame + 1; frame <= FRAMES && status == MUS_OK; ++frame)
    status = run_frame(folder, frame, &out);
  if (status == MUS_OK)
    status = mus_cache_finish(out.cache);
  if (status == MUS_OK)
    status = mus_report_finish(out.report, 0, NULL);
  mus_cache_close(out.cache);
  mus_report_close(out.report);
  mus_arena_clear(&arena);
  return status;
}

// --- the test ------------------------------------------------------------------------------------------------------

// What a kill has left of a PC2 or MDD cache can be read, and its frames are those of the whole cache.
static void check_what_is_left(const char *folder, const char *whole_folder, int f) {
  char partial[32];
  snprintf(partial, sizeof partial, "%s.partial", names[f]);
  mus_cache_reader *there = NULL, *whole = NULL;
  if (f > 1 || mus_cache_open(files_path(folder, partial), &there) != MUS_OK)
    return; // not begun, or just finished
  assert_ok(mus_cache_open(files_path(whole_folder, names[f]), &whole));
  static double a[NUMBERS], b[NUMBERS];
  for (int frame = 0; frame < mus_cache_about(there)->frames; ++frame) {
    assert_ok(mus_cache_read(there, frame, a));
    assert_ok(mus_cache_read(whole, frame, b));
    assert_memory_equal(a, b, sizeof a);
  }
  mus_cache_reader_free(there);
  mus_cache_reader_free(whole);
}

// Runs and kills until a run ends by itself; returns the number of kills. A run takes about `seconds` from the start.
static int run_and_kill(const char *folder, const char *whole_folder, int f, double seconds, uint64_t seed) {
  for (int kills = 0;; ++kills) {
    assert_true(kills < 1000);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
      mus_status status = run(folder, f);
      if (status != MUS_OK)
        fprintf(stderr, "%s\n", mus_last_error());
      _exit(status != MUS_OK);
    }
    // Longer and longer, so that slow machines come to an end too.
    double most = 0.3 * seconds * (1 + kills / 20.0), wait = 0.5 * most * (1 + mus_random(seed, (uint64_t)kills));
    struct timespec pause = {.tv_sec = (time_t)wait, .tv_nsec = (long)(1e9 * (wait - floor(wait)))};
    nanosleep(&pause, NULL);
    kill(child, SIGKILL);
    int how;
    assert_int_equal(waitpid(child, &how, 0), child);
    if (WIFEXITED(how)) {
      assert_int_equal(WEXITSTATUS(how), 0);
      return kills;
    }
    check_what_is_left(folder, whole_folder, f);
  }
}

// The file of a frame, where the format has one each; else that of all.
static void output_name(int f, int frame, char name[48]) {
  const mus_cache_format *format = mus_cache_format_at(f);
  if (mus_cache_format_folder(format))
    snprintf(name, 48, "%.*s%s/frame_%04d%s", (int)strcspn(names[f], "."), names[f], mus_cache_format_folder(format),
             frame, mus_cache_format_frame(format));
  else
    snprintf(name, 48, "%s", names[f]);
}

static void assert_same_output(const char *a, const char *b, int f) {
  files_assert_same(files_path(a, "report.json"), files_path(b, "report.json"));
  if (mus_cache_format_extension(mus_cache_format_at(f))[0])
    files_assert_same(files_path(a, names[f]), files_path(b, names[f]));
  for (int frame = 0; frame <= FRAMES; ++frame) {
    char name[48];
    output_name(f, frame, name);
    files_assert_same(files_path(a, name), files_path(b, name));
  }
  if (f == VTU)
    assert_int_equal(files_count(files_path(a, "b.frames")), FRAMES + 1);
}

static const char *make_folder(void **state, const char *name) {
  static char folder[64];
  snprintf(folder, sizeof folder, "%s/%s", (char *)*state, name);
  assert_int_equal(mkdir(folder, 0777), 0);
  return folder;
}

// An undisturbed run; returns how long it took.
static double run_whole(void **state, int f, char whole[64]) {
  snprintf(whole, 64, "%s", make_folder(state, "whole"));
  assert_ok(run(whole, f));
  double began = mus_seconds();
  assert_ok(run(make_folder(state, "again"), f)); // the first run has been slowed by what happens only once
  return mus_seconds() - began;
}

static void kill_at_any_time(void **state, int f) {
  enum { ROUNDS = 4 };
  int kills = 0;
  char whole[64];
  double seconds = run_whole(state, f, whole);
  for (int round = 0; round < ROUNDS; ++round) {
    char name[32];
    snprintf(name, sizeof name, "killed%d", round);
    const char *killed = make_folder(state, name);
    kills += run_and_kill(killed, whole, f, seconds, (uint64_t)(10 * f + round));
    assert_same_output(killed, whole, f);
  }
  print_message("%d kills\n", kills);
}

// The kernel ends a process that lets a file grow beyond its limit, after the bytes up to it have been written.
static void run_to_byte(const char *folder, int f, rlim_t limit) {
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    struct rlimit no_dump = {0}, bytes = {.rlim_cur = limit, .rlim_max = limit};
    signal(SIGXFSZ, SIG_DFL);
    setrlimit(RLIMIT_CORE, &no_dump);
    setrlimit(RLIMIT_FSIZE, &bytes);
    run(folder, f);
    _exit(0);
  }
  int how;
  assert_int_equal(waitpid(child, &how, 0), child);
  assert_true(WIFSIGNALED(how) && WTERMSIG(how) == SIGXFSZ);
}

static void kill_at_any_byte(void **state, int f) {
  enum { KILLS = 20 };
  char whole[64];
  struct stat about;
  run_whole(state, f, whole);
  char first[48];
  output_name(f, 0, first);
  assert_int_equal(stat(files_path(whole, first), &about), 0);
  for (int k = 0; k < KILLS; ++k) {
    char name[32];
    snprintf(name, sizeof name, "killed%d", k);
    const char *killed = make_folder(state, name);
    run_to_byte(killed, f, (rlim_t)(mus_random_bits(5, (uint64_t)(100 * f + k)) % (uint64_t)about.st_size));
    check_what_is_left(killed, whole, f);
    assert_ok(run(killed, f));
    assert_same_output(killed, whole, f);
  }
}

static void pc2_survives_any_time(void **state) { kill_at_any_time(state, 0); }
static void mdd_survives_any_time(void **state) { kill_at_any_time(state, 1); }
static void obj_survives_any_time(void **state) { kill_at_any_time(state, 2); }
static void usda_survives_any_time(void **state) { kill_at_any_time(state, 3); }
static void vtu_survives_any_time(void **state) { kill_at_any_time(state, VTU); }
static void pc2_survives_any_byte(void **state) { kill_at_any_byte(state, 0); }
static void mdd_survives_any_byte(void **state) { kill_at_any_byte(state, 1); }
static void obj_survives_any_byte(void **state) { kill_at_any_byte(state, 2); }
static void usda_survives_any_byte(void **state) { kill_at_any_byte(state, 3); }
static void vtu_survives_any_byte(void **state) { kill_at_any_byte(state, VTU); }

int main(void) {
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, files_setup, files_teardown)
  const struct CMUnitTest tests[] = {
      IN_FOLDER(pc2_survives_any_time),  IN_FOLDER(mdd_survives_any_time),  IN_FOLDER(obj_survives_any_time),
      IN_FOLDER(usda_survives_any_time), IN_FOLDER(pc2_survives_any_byte),  IN_FOLDER(mdd_survives_any_byte),
      IN_FOLDER(obj_survives_any_byte),  IN_FOLDER(usda_survives_any_byte), IN_FOLDER(vtu_survives_any_time),
      IN_FOLDER(vtu_survives_any_byte),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
