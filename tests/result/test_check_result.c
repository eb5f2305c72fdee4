// Bodies and seams in result folders, and results searched for intersections.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/result_reader.h"
#include "model/bodies.h"
#include "muslin/check.h"
#include "muslin/run.h"
#include "support/check.h"
#include "support/drawing.h"
#include "support/files.h"

// A sheet that falls through a floor, which has no hold on it, and beside it a ball that turns.
static const char falling[] =
    "{\"frames\": 6, \"time_step\": 0.01, \"contact\": false, \"cloths\": [{\"name\": \"sheet\","
    " \"shape\": {\"vertices\": 49}, \"rotate\": [10, 0, 0], \"translate\": [0, 0.1, 0]}],"
    " \"bodies\": [{\"name\": \"Sheet\", \"shape\": {\"kind\": \"sphere\", \"radius\": 0.2, \"facet\": 0.01},"
    " \"rotate\": [{\"time\": 0, \"value\": [0, 0, 0]}, {\"time\": 1, \"value\": [0, 90, 0]}], \"translate\": [2, 0, "
    "0]},"
    " {\"shape\": {\"kind\": \"plane\", \"size\": [10, 1, 10]}}]}";

static mus_scene parse(const char *text) {
  mus_scene scene;
  assert_ok(mus_scene_parse("scene", text, &scene));
  return scene;
}

// A few questions after the third frame was written.
typedef struct stopper {
  const char *folder;
  int asked;
} stopper;

static int stop_soon(void *data) {
  stopper *s = data;
  mus_result result;
  if (s->asked == 0 && mus_result_open(s->folder, NULL, &result) == MUS_OK) {
    s->asked = result.frames == 4;
    mus_result_close(&result);
  }
  return s->asked > 0 && s->asked++ > 8;
}

// Stops in the middle of the fourth frame, where that is wanted.
static void run(const mus_scene *scene, const char *folder, int resume, int stops) {
  stopper s = {.folder = folder};
  mus_run_options options = mus_default_run_options();
  mus_run_record record;
  options.folder = folder;
  options.checkpoint = 2;
  options.resume = resume;
  options.stop = stops ? stop_soon : NULL;
  options.data = &s;
  assert_ok(mus_run(scene, &options, &record));
}

static const char *folder_in(void **state, const char *name) {
  static char path[256];
  snprintf(path, sizeof path, "%s", files_path(*state, name));
  return path;
}

// --- bodies ----------------------------------------------------------------------------------------------------------

static void bodies_are_written_and_read(void **state) {
  const char *folder = folder_in(state, "r");
  mus_scene scene = parse(falling);
  mus_bodies *bodies = NULL;
  mus_result result;
  run(&scene, folder, 0, 0);
  assert_ok(mus_bodies_create(&scene, &bodies));
  assert_ok(mus_result_open(folder, NULL, &result));
  assert_int_equal(result.body_count, 2);
  assert_string_equal(result.bodies[0].name, "Sheet-2"); // file systems may not tell it from the cloth's
  assert_string_equal(result.bodies[1].name, "body");
  assert_non_null(result.bodies[0].cache);
  assert_null(result.bodies[1].cache);
  assert_false(files_exists(files_path(folder, "body.pc2")));
  double *all = malloc(3 * (size_t)mus_bodies_vertices(bodies) * sizeof *all), *x = malloc(3000 * sizeof *x);
  assert_true(all && x && mus_bodies_vertices(bodies) < 1000);
  for (int frame = 0; frame <= scene.frames; ++frame) {
    assert_ok(mus_bodies_at(bodies, frame / scene.frame_rate, all));
    for (int k = 0; k < 2; ++k) {
      const mus_result_body *body = &result.bodies[k];
      int first = mus_bodies_first_vertex(bodies, k), face = mus_bodies_first_triangle(bodies, k);
      assert_int_equal(body->mesh.vertices, mus_bodies_first_vertex(bodies, k + 1) - first);
      for (int i = 0; i < 3 * body->mesh.triangles; ++i)
        assert_int_equal(body->mesh.triangle[i], mus_bodies_triangle_list(bodies)[3 * face + i] - first);
      assert_ok(mus_result_body_positions(&result, k, frame, x));
      for (int i = 0; i < 3 * body->mesh.vertices; ++i)
        assert_float_equal(x[i], all[3 * first + i], 1e-6);
      assert_true(x[0] == (double)(float)x[0]);
    }
  }
  free(all);
  free(x);
  mus_result_close(&result);
  mus_bodies_free(bodies);
  mus_scene_free(&scene);
}

static void runs_that_were_stopped_go_on_alike(void **state) {
  char whole[256], parts[256];
  snprintf(whole, sizeof whole, "%s", files_path(*state, "whole"));
  snprintf(parts, sizeof parts, "%s", files_path(*state, "parts"));
  mus_scene scene = parse(falling);
  run(&scene, whole, 0, 0);
  run(&scene, parts, 0, 1);
  assert_true(files_exists(files_path(parts, "Sheet-2.pc2.partial")));
  run(&scene, parts, 1, 0);
  static const char *const files[] = {"sheet.pc2", "Sheet-2.pc2", "Sheet-2.obj", "body.obj", "sheet.obj"};
  for (size_t k = 0; k < sizeof files / sizeof *files; ++k)
    files_assert_same(files_path(whole, files[k]), files_path(parts, files[k]));
  mus_scene_free(&scene);
}

static void previews_show_bodies_and_change_nothing(void **state) {
  if (!drawing_possible())
    return;
  char plain[256], watched[256];
  snprintf(plain, sizeof plain, "%s", files_path(*state, "plain"));
  snprintf(watched, sizeof watched, "%s", files_path(*state, "watched"));
  mus_scene scene = parse(falling);
  mus_run_options options = mus_default_run_options();
  mus_run_record record;
  scene.frames = 1;
  options.folder = watched;
  options.preview = 1;
  options.checkpoint = 2;
  assert_ok(mus_run(&scene, &options, &record));
  run(&scene, plain, 0, 0);
  assert_true(files_exists(files_path(watched, "preview.png")));
  static const char *const files[] = {"sheet.pc2", "Sheet-2.pc2", "body.obj"};
  for (size_t k = 0; k < sizeof files / sizeof *files; ++k)
    files_assert_same(files_path(plain, files[k]), files_path(watched, files[k]));
  mus_scene_free(&scene);
}

static void new_runs_forget_bodies(void **state) {
  const char *folder = folder_in(state, "r");
  mus_scene scene = parse(falling), bare = parse("{\"frames\": 1, \"cloths\": [{\"shape\": {\"vertices\": 9}}]}");
  run(&scene, folder, 0, 0);
  run(&bare, folder, 0, 0);
  assert_false(files_exists(files_path(folder, "Sheet-2.obj")));
  assert_false(files_exists(files_path(folder, "Sheet-2.pc2")));
  assert_false(files_exists(files_path(folder, "body.obj")));
  mus_scene_free(&scene);
  mus_scene_free(&bare);
}

// Names of files in the folder's scene do not depend on where one stands; a sequence is no file by its own name.
static void files_of_bodies_are_found_again(void **state) {
  const char *folder = folder_in(state, "r"), text[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  const char other[] = "v 0 0 0\nv 2 0 0\nv 0 1 0\nf 1 2 3\n";
  files_write(files_path(*state, "b_01.obj"), text, sizeof text - 1);
  files_write(files_path(*state, "b_02.obj"), text, sizeof text - 1);
  const char json[] = "{\"frames\": 1, \"contact\": false, \"cloths\": [{\"shape\": {\"vertices\": 9}, \"translate\":"
                      " [5, 5, 5]}], \"bodies\": [{\"shape\": {\"kind\": \"file\", \"file\": \"b_01.obj\"}},"
                      " {\"shape\": {\"kind\": \"file\", \"file\": \"./b_##.obj\"}}]}";
  files_write(files_path(*state, "scene.json"), json, sizeof json - 1);
  mus_scene scene, again;
  assert_ok(mus_scene_load(files_path(*state, "scene.json"), &scene));
  run(&scene, folder, 0, 0);
  assert_ok(mus_scene_load(files_path(folder, "scene.json"), &again));
  for (int k = 0; k < 2; ++k) {
    const char *file = again.bodies[k].shape.file;
    assert_true(file[0] == '/' && !strstr(file, "./"));
    assert_string_equal(strrchr(file, '/'), k ? "/b_##.obj" : "/b_01.obj");
  }
  again.frames = 2;
  run(&again, folder, 1, 0); // by their new names it is the same scene
  files_write(files_path(*state, "b_01.obj"), other, sizeof other - 1);
  mus_run_options options = mus_default_run_options();
  mus_run_record record;
  options.folder = folder;
  options.resume = 1;
  again.frames = 3;
  assert_fails(mus_run(&again, &options, &record), MUS_BAD_INPUT, "it holds a run of another scene");
  mus_scene_free(&scene);
  mus_scene_free(&again);
}

static void bodies_are_not_written_over(void **state) {
  const char *folder = *state, text[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  char json[512];
  files_write(files_path(folder, "ball.obj"), text, sizeof text - 1);
  snprintf(json, sizeof json,
           "{\"frames\": 1, \"cloths\": [{\"shape\": {\"vertices\": 9}}], \"bodies\": [{\"name\": \"ball\", \"shape\":"
           " {\"kind\": \"file\", \"file\": \"%s/ball.obj\"}}]}",
           folder);
  mus_scene scene = parse(json);
  mus_run_options options = mus_default_run_options();
  mus_run_record record;
  options.folder = folder;
  assert_fails(mus_run(&scene, &options, &record), MUS_BAD_INPUT,
               "a body is read from it, and the run would overwrite it");
  files_assert_bytes(files_path(folder, "ball.obj"), text, sizeof text - 1);
  mus_scene_free(&scene);
}

// --- searching -------------------------------------------------------------------------------------------------------

typedef struct seen {
  int frames, first_with;
  mus_check_counts sum;
  mus_check_pair last;
  char names[2][32]; // of it
} seen;

static void look(void *data, int frame, const mus_check_counts *counts, int pair_count, const mus_check_pair *pairs) {
  seen *s = data;
  ++s->frames;
  s->sum.cloth_cloth += counts->cloth_cloth;
  s->sum.cloth_body += counts->cloth_body;
  s->sum.seam += counts->seam;
  s->sum.fresh += counts->fresh;
  if (pair_count > 0) {
    s->first_with = s->first_with < 0 ? frame : s->first_with;
    s->last = pairs[pair_count - 1];
    for (int k = 0; k < 2; ++k)
      snprintf(s->names[k], sizeof s->names[k], "%s", s->last.name[k]);
  }
}

static mus_check_record search(const char *folder, int first, seen *s) {
  mus_check_options options = mus_default_check_options();
  mus_check_record record;
  *s = (seen){.first_with = -1};
  options.first = first;
  options.frame = look;
  options.data = s;
  assert_ok(mus_check(folder, NULL, &options, &record));
  assert_int_equal(record.last - record.first + 1, s->frames);
  assert_true(record.total.cloth_cloth == s->sum.cloth_cloth && record.total.cloth_body == s->sum.cloth_body &&
              record.total.seam == s->sum.seam && record.total.fresh == s->sum.fresh);
  return record;
}

static void what_falls_through_a_floor_is_found(void **state) {
  const char *folder = folder_in(state, "r");
  mus_scene scene = parse(falling);
  seen s;
  run(&scene, folder, 0, 0);
  mus_check_record record = search(folder, 0, &s);
  assert_int_equal(record.last, 6);
  assert_true(record.bodies == 2 && record.vertices == 49 && record.triangles == 72 && record.body_triangles > 50);
  assert_true(s.first_with > 0 && record.worst >= s.first_with);
  assert_true(record.start.cloth_body == 0 && record.total.cloth_body > 0 && record.total.cloth_cloth == 0);
  assert_true(record.total.fresh == record.total.cloth_body && record.total.seam == 0);
  assert_true(s.last.kind == MUS_CHECK_CLOTH_BODY && s.last.is_new);
  assert_string_equal(s.names[0], "sheet");
  assert_string_equal(s.names[1], "body");
  assert_true(s.last.triangle[0] < 72 && s.last.triangle[1] < 2 && s.last.place[1] == 0);
  mus_check_record rest = search(folder, record.worst, &s);
  assert_int_equal(s.first_with, record.worst);
  assert_true(rest.total.fresh == rest.total.cloth_body); // frame 0 is looked at all the same
  mus_scene_free(&scene);
}

// What starts in the floor is nothing new while it stays there.
static void what_is_there_at_the_start_is_not_new(void **state) {
  const char *folder = folder_in(state, "r");
  mus_scene scene = parse(falling);
  seen s;
  scene.cloths[0].translate[1] = 0.04; // between two rows of vertices
  scene.frames = 1;
  scene.frame_rate = 1000;
  run(&scene, folder, 0, 0);
  mus_check_record record = search(folder, 0, &s);
  assert_true(record.start.cloth_body > 0 && record.start.fresh == 0);
  assert_true(record.total.cloth_body == 2 * record.start.cloth_body && record.total.fresh == 0);
  mus_scene_free(&scene);
}

// Two sheets beside each other that touch along an edge: sewn there, they are one. Sewn where they are not in one
// place, they cross at a seam.
static void seams_of_scenes_are_told_apart(void **state) {
  const char *folder = folder_in(state, "r");
  static const char apart[] = "{\"frames\": 0, \"contact\": false, \"cloths\": ["
                              "{\"name\": \"a\", \"shape\": {\"vertices\": 9}},"
                              "{\"name\": \"b\", \"shape\": {\"vertices\": 9}, \"translate\": [%s, 0, 0]}]%s}";
  static const char seams[] =
      ", \"seams\": [{\"from\": \"a\", \"to\": \"b\", \"pairs\": [0,0, 2,0, 3,3, 5,3, 6,6, 8,6, 0,2, 3,5, 6,8]}]";
  char text[512];
  seen s;
  snprintf(text, sizeof text, apart, "1", "");
  mus_scene scene = parse(text);
  run(&scene, folder, 0, 0);
  mus_check_record record = search(folder, 0, &s);
  assert_true(record.total.cloth_cloth > 0 && record.total.seam == 0);
  mus_scene_free(&scene);
  // Vertices are in rows; which side is which does not matter when all are sewn.
  for (int open = 0; open < 2; ++open) {
    snprintf(text, sizeof text, apart, open ? "0.999" : "1", seams);
    scene = parse(text);
    run(&scene, folder, 0, 0);
    record = search(folder, 0, &s);
    assert_true(record.total.cloth_cloth == 0 && record.frames_with == 0);
    assert_true(open ? record.total.seam > 0 : record.total.seam == 0);
    mus_scene_free(&scene);
  }
  assert_int_equal(s.last.kind, MUS_CHECK_SEAM);
}

static void stitches_are_in_the_mesh(void **state) {
  const char *folder = folder_in(state, "r");
  mus_scene scene =
      parse("{\"frames\": 0, \"cloths\": [{\"shape\": {\"vertices\": 100, \"tessellation\": \"irregular\"},"
            " \"stitches\": [3, 90, 17, 4]}]}");
  mus_result result;
  run(&scene, folder, 0, 0);
  assert_ok(mus_result_open(folder, NULL, &result));
  assert_int_equal(result.parts[0].stitches, 2);
  assert_true(result.parts[0].stitch[0].a == 3 && result.parts[0].stitch[0].b == 90);
  assert_true(result.parts[0].stitch[1].a == 17 && result.parts[0].stitch[1].b == 4);
  mus_result_close(&result);
  mus_scene_free(&scene);
}

static void memory_that_is_short_is_said(void **state) {
  const char *folder = folder_in(state, "r");
  mus_scene scene = parse(falling);
  mus_check_options options = mus_default_check_options();
  mus_check_record record;
  run(&scene, folder, 0, 0);
  mus_status status = MUS_OUT_OF_MEMORY;
  for (long failures = 0; status != MUS_OK; ++failures) {
    mus_memory_fail_after(failures);
    status = mus_check(folder, NULL, &options, &record);
    mus_memory_fail_after(-1);
    assert_true(failures < 10000 && (status == MUS_OK || status == MUS_OUT_OF_MEMORY));
  }
  assert_true(record.total.cloth_body > 0);
  mus_scene_free(&scene);
}

static void runs_with_bodies_survive_short_memory(void **state) {
  const char *folder = folder_in(state, "r");
  mus_scene scene = parse(falling);
  mus_run_options options = mus_default_run_options();
  mus_run_record record;
  options.folder = folder;
  scene.frames = 1;
  mus_status status = MUS_OUT_OF_MEMORY;
  for (long failures = 0; status != MUS_OK; ++failures) {
    mus_memory_fail_after(failures);
    status = mus_run(&scene, &options, &record);
    mus_memory_fail_after(-1);
    assert_true(failures < 10000 && (status == MUS_OK || status == MUS_OUT_OF_MEMORY));
  }
  mus_scene_free(&scene);
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, files_setup, files_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {WITH_FOLDER(bodies_are_written_and_read),
                                     WITH_FOLDER(runs_that_were_stopped_go_on_alike),
                                     WITH_FOLDER(previews_show_bodies_and_change_nothing),
                                     WITH_FOLDER(new_runs_forget_bodies),
                                     WITH_FOLDER(files_of_bodies_are_found_again),
                                     WITH_FOLDER(bodies_are_not_written_over),
                                     WITH_FOLDER(what_falls_through_a_floor_is_found),
                                     WITH_FOLDER(what_is_there_at_the_start_is_not_new),
                                     WITH_FOLDER(seams_of_scenes_are_told_apart),
                                     WITH_FOLDER(stitches_are_in_the_mesh),
                                     WITH_FOLDER(memory_that_is_short_is_said),
                                     WITH_FOLDER(runs_with_bodies_survive_short_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
