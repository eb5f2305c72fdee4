// Runs: names in the folder, state to and from checkpoints, stopping and going on, and memory that is short anywhere.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "muslin/run.h"
#include "muslin/sim.h"
#include "run/saved.h"
#include "support/check.h"
#include "support/files.h"

static mus_scene parse(const char *text) {
  mus_scene scene;
  assert_ok(mus_scene_parse("scene", text, &scene));
  return scene;
}

#define SHEET                                                                                                          \
  "{\"shape\": {\"vertices\": 49}, \"pins\": [{\"where\": {\"box\": [-1, -1, -1, -0.49, 1, 1]},"                       \
  " \"amplitude\": [0, 0.2, 0], \"frequency\": 2}]}"

static mus_scene sheet_scene(void) {
  return parse("{\"name\": \"sheet\", \"frames\": 7, \"time_step\": 0.01, \"wind\": [3, 0, 0], \"gust\": 0.5,"
               " \"cloths\": [" SHEET "]}");
}

// --- names -----------------------------------------------------------------------------------------------------------

static void names_are_safe_and_differ(void **state) {
  (void)state;
  mus_scene scene = parse("{\"cloths\": [{}, {\"name\": \"\"}, {\"name\": \"a/../b\"}, {\"name\": \"A____B\"},"
                          " {\"name\": \"a____b-2\"}, {\"name\": \"-o\"}, {\"name\": \"\\u00e9t\\u00e9\"},"
                          " {\"name\": \"0123456789012345678901234567890123456789012345678901234567890123456789\"}]}");
  static const char *const expected[] = {
      "cloth",      "cloth-2", "a____b", "A____B-2",
      "a____b-2-2", "_o",      "__t__",  "012345678901234567890123456789012345678901234567890123456789"};
  char name[128];
  for (int k = 0; k < scene.cloth_count; ++k) {
    assert_ok(mus_cloth_file_name(&scene, k, sizeof name, name));
    assert_string_equal(name, expected[k]);
  }
  assert_fails(mus_cloth_file_name(&scene, scene.cloth_count, sizeof name, name), MUS_BAD_INPUT, "outside 0...7");
  mus_scene_free(&scene);
}

// --- saved states ----------------------------------------------------------------------------------------------------

static void run_frames(mus_sim *sim, int frames) {
  for (int k = 0; k < frames; ++k)
    assert_ok(mus_sim_frame(sim, NULL));
}

// A simulator that was saved and goes on, and another that goes on from what was saved, stay the same in every bit.
static void restored_states_go_on_alike(void **state) {
  (void)state;
  for (int integrator = MUS_INTEGRATOR_EULER; integrator < MUS_INTEGRATORS; ++integrator) {
    mus_scene scene = sheet_scene();
    scene.integrator = (mus_integrator)integrator;
    if (integrator == MUS_INTEGRATOR_PROJECTIVE)
      scene.cloths[0].model = MUS_CLOTH_MODEL_MASS_SPRING;
    mus_sim *saved = NULL, *restored = NULL;
    mus_checkpoint_section sections[MUS_SAVED_SECTIONS];
    mus_saved kept = {0};
    assert_ok(mus_sim_create(&scene, &saved));
    assert_ok(mus_sim_create(&scene, &restored));
    run_frames(saved, 3);
    assert_ok(mus_saved_take(saved, &kept));
    mus_saved_list(&kept, sections);
    mus_checkpoint checkpoint = {.frame = 3, .count = MUS_SAVED_SECTIONS, .sections = sections};
    assert_ok(mus_saved_restore(&checkpoint, restored));
    assert_int_equal(mus_sim_frame_number(restored), 3);
    assert_true(mus_sim_time(restored) == mus_sim_time(saved));
    mus_saved_free(&kept);
    run_frames(saved, 2);
    run_frames(restored, 2);
    size_t bytes = 3 * (size_t)mus_sim_vertices(saved) * sizeof(double);
    assert_memory_equal(mus_sim_positions(saved), mus_sim_positions(restored), bytes);
    assert_memory_equal(mus_sim_velocities(saved), mus_sim_velocities(restored), bytes);
    mus_sim_free(saved);
    mus_sim_free(restored);
    mus_scene_free(&scene);
  }
}

static uint64_t fingerprint(const mus_scene *scene) {
  mus_sim *sim = NULL;
  uint64_t sum = 0;
  assert_ok(mus_sim_create(scene, &sim));
  assert_ok(mus_saved_fingerprint(sim, &sum));
  mus_sim_free(sim);
  return sum;
}

static void fingerprints_tell_scenes_apart(void **state) {
  (void)state;
  mus_scene scene = sheet_scene();
  uint64_t first = fingerprint(&scene);
  scene.frames = 100;
  scene.solver.threads = 1;
  assert_true(fingerprint(&scene) == first);
  scene.cloths[0].density = 0.30000000000000004;
  uint64_t second = fingerprint(&scene);
  assert_true(second != first);
  scene.cloths[0].density = 0.3; // the last bit
  assert_true(fingerprint(&scene) != second);
  scene.cloths[0].density = 0;
  assert_true(fingerprint(&scene) == first);
  scene.cloths[0].pins[0].frequency = 3;
  assert_true(fingerprint(&scene) != first);
  mus_scene_free(&scene);
}

// A checkpoint of another mesh is refused and leaves the simulator as it was.
static void states_of_others_are_refused(void **state) {
  (void)state;
  mus_scene small = sheet_scene(), large = sheet_scene();
  large.cloths[0].shape.vertices = 64;
  mus_sim *from = NULL, *to = NULL;
  mus_checkpoint_section sections[MUS_SAVED_SECTIONS];
  mus_saved kept = {0};
  assert_ok(mus_sim_create(&small, &from));
  assert_ok(mus_sim_create(&large, &to));
  run_frames(from, 1);
  assert_ok(mus_saved_take(from, &kept));
  mus_saved_list(&kept, sections);
  mus_checkpoint checkpoint = {.frame = 1, .count = MUS_SAVED_SECTIONS, .sections = sections};
  assert_fails(mus_saved_restore(&checkpoint, to), MUS_BAD_INPUT, "belongs to another scene");
  assert_int_equal(mus_sim_frame_number(to), 0);
  mus_saved_free(&kept);
  mus_sim_free(from);
  mus_sim_free(to);
  mus_scene_free(&small);
  mus_scene_free(&large);
}

// --- runs ------------------------------------------------------------------------------------------------------------

// Says yes from a certain question on.
typedef struct stopper {
  long asked, limit;
} stopper;

static int stop_soon(void *data) {
  stopper *s = data;
  return ++s->asked > s->limit;
}

static void check_whole(const mus_run_record *whole) {
  assert_int_equal(whole->frames, 7);
  assert_int_equal(whole->vertices, 49);
  assert_int_equal(whole->steps, 7 * 5);
  assert_int_equal(whole->saved, 7);
  assert_true(whole->began && !whole->stopped && !whole->complete && whole->from == 0);
  assert_true(whole->bytes > 0 && whole->seconds > 0 && whole->iterations >= whole->steps);
}

// Stopped again and again, at any point of a step, a run loses no frame and ends with the same bits, whatever the
// interval of its checkpoints. Most stops are in no frame that it would have saved.
static void stop_and_go_on(const mus_scene *scene, const char *whole_folder, const char *folder) {
  mus_run_options options = mus_default_run_options();
  mus_run_record whole, part;
  stopper s = {.limit = LONG_MAX};
  options.stop = stop_soon;
  options.data = &s;
  options.folder = whole_folder;
  options.checkpoint = 5;
  assert_ok(mus_run(scene, &options, &whole));
  check_whole(&whole);
  long questions = s.asked;
  assert_true(questions > 3 * whole.steps);
  options.folder = folder;
  options.resume = 1;
  options.checkpoint = 3;
  int done = 0, stops = 0;
  for (part.stopped = 1; part.stopped;) {
    assert_true(++stops < 40);
    s = (stopper){.limit = questions / 3};
    assert_ok(mus_run(scene, &options, &part));
    assert_int_equal(part.from, done);
    assert_true(s.asked <= s.limit + 1);
    done = part.frames;
    assert_int_equal(part.saved, done);
    assert_true(part.stopped == !files_exists(files_path(folder, "cloth.pc2")));
  }
  assert_true(stops > 3);
  assert_int_equal(part.steps, whole.steps);
  assert_int_equal(part.iterations, whole.iterations);
  files_assert_same(files_path(whole_folder, "cloth.pc2"), files_path(folder, "cloth.pc2"));
  assert_false(files_exists(files_path(folder, "cloth.pc2.partial")));
  assert_ok(mus_run(scene, &options, &part));
  assert_true(part.complete);
}

static void stopped_runs_go_on(void **state) {
  for (int k = 0; k < 4; ++k) {
    mus_scene scene = sheet_scene();
    char whole[128], folder[128];
    snprintf(whole, sizeof whole, "%s/above/whole%d", (char *)*state, k);
    snprintf(folder, sizeof folder, "%s/stopped%d", (char *)*state, k);
    scene.solver = mus_preset_solver_options(k < 3 ? (mus_preset)k : MUS_PRESET_FAST);
    if (k == 3)
      scene.solver.method = MUS_METHOD_AUTO;
    scene.solver.threads = 1;
    scene.solver.multigrid.bottom = 30; // so that there are levels
    stop_and_go_on(&scene, whole, folder);
    mus_scene_free(&scene);
  }
}

// Before anything is written, too.
static void stopped_before_they_begin(void **state) {
  mus_scene scene = sheet_scene();
  mus_run_options options = mus_default_run_options();
  mus_run_record record;
  stopper s = {.limit = 0};
  options.folder = files_path(*state, "none");
  mus_set_stop(stop_soon, &s);
  assert_ok(mus_run(&scene, &options, &record));
  mus_set_stop(NULL, NULL);
  assert_true(record.stopped && !record.began);
  assert_false(files_exists(options.folder));
  mus_scene_free(&scene);
}

// A run that fails leaves its last frame to resume from.
static void failed_runs_keep_their_frames(void **state) {
  mus_scene scene = parse("{\"frames\": 8, \"time_step\": 0.05, \"adaptive\": false, \"cloths\": [{\"shape\":"
                          " {\"vertices\": 25}, \"pins\": [{\"where\": {\"box\": [-1, -1, -1, -0.49, 1, 1]}},"
                          " {\"where\": {\"box\": [0.49, -1, -1, 1, 1, 1]}, \"offset\": [{\"time\": 0.15, \"value\":"
                          " [0, 0, 0]}, {\"time\": 0.2, \"value\": [1000, 0, 0]}]}]}]}");
  mus_run_options options = mus_default_run_options();
  mus_run_record record;
  options.folder = files_path(*state, "wild");
  assert_int_equal(mus_run(&scene, &options, &record), MUS_BREAKDOWN);
  assert_true(record.frames > 0 && record.frames < 8 && !record.stopped);
  assert_int_equal(record.saved, record.frames);
  mus_scene_free(&scene);
}

static void bad_options_are_refused(void **state) {
  mus_scene scene = sheet_scene();
  mus_run_options options = mus_default_run_options();
  mus_run_record record;
  assert_fails(mus_run(&scene, &options, &record), MUS_BAD_INPUT, "needs a folder");
  options.folder = files_path(*state, "none");
  options.formats = "pc2,";
  assert_fails(mus_run(&scene, &options, &record), MUS_BAD_INPUT, "choose one of pc2, mdd, obj, usda, vtu");
  options.formats = "pc2,pc2,pc2,pc2,pc2,pc2,pc2,pc2,pc2,pc2,pc2,pc2,pc2,pc2,pc2,pc2,pc2,pc2,pc2";
  assert_fails(mus_run(&scene, &options, &record), MUS_BAD_INPUT, "name each once");
  assert_false(files_exists(options.folder));
  assert_false(record.began);
  mus_scene_free(&scene);
}

// Whichever allocation fails, the run says so, and goes on later to the same end.
static void short_memory_is_survived(void **state) {
  mus_scene scene = parse("{\"frames\": 2, \"time_step\": 0.05, \"cloths\": [{\"shape\": {\"vertices\": 16},"
                          " \"pins\": [{\"where\": {\"vertices\": [0]}}]}]}");
  scene.solver.threads = 1;
  mus_run_options options = mus_default_run_options();
  mus_run_record record;
  char folder[128], whole[128];
  snprintf(folder, sizeof folder, "%s/short", (char *)*state);
  snprintf(whole, sizeof whole, "%s/whole", (char *)*state);
  options.folder = whole;
  options.checkpoint = 1;
  assert_ok(mus_run(&scene, &options, &record));
  options.folder = folder;
  options.resume = 1;
  int failures = 0;
  mus_status status = MUS_OUT_OF_MEMORY;
  for (long n = 0; status; n += 1 + n / 40) {
    assert_true(n < 1000000);
    mus_memory_fail_after(n);
    status = mus_run(&scene, &options, &record);
    mus_memory_fail_after(-1);
    if (status && status != MUS_OUT_OF_MEMORY)
      fail_msg("allocation %ld: %s: %s", n, mus_status_name(status), mus_last_error());
    failures += status != MUS_OK;
  }
  assert_true(failures > 50);
  assert_ok(mus_run(&scene, &options, &record));
  files_assert_same(files_path(folder, "cloth.pc2"), files_path(whole, "cloth.pc2"));
  mus_scene_free(&scene);
}

int main(void) {
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, files_setup, files_teardown)
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_are_safe_and_differ),
      cmocka_unit_test(restored_states_go_on_alike),
      cmocka_unit_test(fingerprints_tell_scenes_apart),
      cmocka_unit_test(states_of_others_are_refused),
      IN_FOLDER(stopped_runs_go_on),
      IN_FOLDER(stopped_before_they_begin),
      IN_FOLDER(failed_runs_keep_their_frames),
      IN_FOLDER(bad_options_are_refused),
      IN_FOLDER(short_memory_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
