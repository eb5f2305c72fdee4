// What intersects in a run: the run and the check agree on it, at the start and at the end, also when the run was
// resumed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "muslin/check.h"
#include "muslin/run.h"
#include "run/tangles.h"
#include "support/check.h"
#include "support/files.h"

// A sheet through a ball, another through its edge, and both through nothing else; a third far away. All are pinned, so
// that they stay so.
static const char tangled[] =
    "{\"frames\": 3, \"time_step\": 0.02, \"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"ball\", \"shape\":"
    " {\"kind\": \"sphere\", \"radius\": 0.1, \"facet\": 0.01}}], \"cloths\": ["
    "{\"name\": \"wide\", \"shape\": {\"vertices\": 121, \"size\": [1, 1]}, \"pins\": [{\"where\": {\"box\":"
    " [-9, -9, -9, 9, 9, 9]}}]},"
    "{\"name\": \"steep\", \"shape\": {\"vertices\": 49, \"size\": [0.2, 0.2]}, \"rotate\": [90, 0, 0], "
    "\"translate\": [0.4, 0.02, 0.013], \"pins\": [{\"where\": {\"box\": [-9, -9, -9, 9, 9, 9]}}]},"
    "{\"name\": \"away\", \"shape\": {\"vertices\": 25, \"size\": [0.2, 0.2]}, \"translate\": [0, 3, 0]}]}";

static long long check_frame(const char *folder, int frame) {
  mus_check_options options = mus_default_check_options();
  mus_check_record record;
  options.first = options.last = frame;
  assert_ok(mus_check(folder, NULL, &options, &record));
  return record.total.cloth_cloth + record.total.cloth_body;
}

static const mus_run_tangle *find(const mus_run_record *record, const char *cloth, const char *other) {
  for (int k = 0; k < record->tangle_count; ++k)
    if (strcmp(record->tangle[k].cloth, cloth) == 0 && strcmp(record->tangle[k].other, other) == 0)
      return &record->tangle[k];
  fail_msg("%s and %s are not told", cloth, other);
  return NULL;
}

static void the_run_and_the_check_agree(void **state) {
  mus_scene scene;
  assert_ok(mus_scene_parse("scene", tangled, &scene));
  mus_run_options options = mus_default_run_options();
  mus_run_record record;
  options.folder = files_path(*state, "run");
  assert_ok(mus_run(&scene, &options, &record));
  assert_true(record.start_pairs > 10);
  assert_int_equal(record.start_pairs, check_frame(options.folder, 0));
  assert_int_equal(record.end_pairs, check_frame(options.folder, 3));
  assert_int_equal(record.tangle_count, 2);
  const mus_run_tangle *ball = find(&record, "wide", "ball"), *steep = find(&record, "wide", "steep");
  assert_true(ball->is_body && !steep->is_body);
  assert_int_equal(ball->pairs + steep->pairs, record.end_pairs);
  assert_true(record.tangle[0].pairs >= record.tangle[1].pairs);
  for (int c = 0; c < 3; ++c)
    assert_true(ball->place[c] > -0.05 && ball->place[c] < 0.05);
  assert_true(ball->size > 0.15 && ball->size < 0.3);
  assert_true(steep->place[0] > 0.35 && steep->place[0] < 0.45);
  assert_int_equal(ball->since, 0);
  // Longer, from where it was: since when is not forgotten.
  scene.frames = 4;
  options.resume = 1;
  assert_ok(mus_run(&scene, &options, &record));
  assert_int_equal(record.from, 3);
  assert_int_equal(record.start_pairs, check_frame(options.folder, 0));
  assert_int_equal(record.end_pairs, check_frame(options.folder, 4));
  assert_int_equal(find(&record, "wide", "ball")->since, 0);
  mus_scene_free(&scene);
}

static void what_cannot_be_read_is_not_counted(void **state) {
  mus_scene scene;
  assert_ok(mus_scene_parse("scene", tangled, &scene));
  mus_run_options options = mus_default_run_options();
  mus_run_record record;
  options.folder = files_path(*state, "usda");
  options.formats = "usda";
  assert_ok(mus_run(&scene, &options, &record));
  assert_int_equal(record.start_pairs, -1);
  assert_int_equal(record.end_pairs, -1);
  assert_int_equal(record.tangle_count, 0);
  options.folder = files_path(*state, "free");
  options.formats = NULL;
  scene.contact = 0;
  assert_ok(mus_run(&scene, &options, &record));
  assert_int_equal(record.end_pairs, -1);
  mus_scene_free(&scene);
}

// Regions of pairs that are made up: chains of near ones are one region, the largest come first.
static void pairs_form_regions(void **state) {
  (void)state;
  enum { PAIRS = 9 };
  mus_check_pair pairs[PAIRS] = {0};
  static const double place[PAIRS] = {0, 5, 0.9, 1.8, 5.5, 2.7, 9, 5.2, 0};
  for (int k = 0; k < PAIRS; ++k) {
    pairs[k].kind = k == 6 ? MUS_CHECK_SEAM : MUS_CHECK_CLOTH_CLOTH;
    pairs[k].name[0] = "a";
    pairs[k].name[1] = k == 8 ? "c" : "b";
    pairs[k].place[0] = place[k];
  }
  mus_tangles tangles = {.reach = 1, .found = {.pair_count = PAIRS, .pairs = pairs}};
  mus_run_tangle region[3];
  assert_int_equal(mus_tangles_regions(&tangles, 3, region), 3);
  assert_int_equal(region[0].pairs, 4);
  assert_true(region[0].place[0] == 1.35 && region[0].size == 2.7);
  assert_int_equal(region[1].pairs, 3);
  assert_true(region[1].place[0] == 5.25);
  assert_int_equal(region[2].pairs, 1);
  assert_string_equal(region[2].other, "c");
  assert_int_equal(mus_tangles_regions(&tangles, 1, region), 3);
  assert_int_equal(region[0].pairs, 4);
  assert_int_equal(mus_tangles_regions(&tangles, 0, NULL), 3);
}

int main(void) {
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, files_setup, files_teardown)
  const struct CMUnitTest tests[] = {IN_FOLDER(the_run_and_the_check_agree),
                                     IN_FOLDER(what_cannot_be_read_is_not_counted),
                                     cmocka_unit_test(pairs_form_regions)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
