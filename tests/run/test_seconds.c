// Where the time of a run goes: the parts in records and reports add up to the wall time, rejected attempts included.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "base/timer.h"
#include "muslin/run.h"
#include "support/check.h"
#include "support/files.h"

#define SHEET                                                                                                          \
  " \"cloths\": [{\"shape\": {\"vertices\": 49}, \"pins\": [{\"where\": {\"box\": [-1, -1, -1, -0.49, 1, 1]},"         \
  " \"amplitude\": [0, 0.2, 0], \"frequency\": 2}]}]}"

static const char plain[] = "{\"frames\": 6, \"time_step\": 0.002, " SHEET;
// Newton's method is not given the iterations that it needs, so that its steps are halved again and again.
static const char halved[] = "{\"frames\": 1, \"time_step\": 0.02, \"integrator\": \"newton\","
                             " \"newton_iterations\": 2, \"newton_tolerance\": 1e-8, " SHEET;

static double sum_of(const double seconds[MUS_STAGES]) {
  double sum = 0;
  for (int k = 0; k < MUS_STAGES; ++k)
    sum += seconds[k];
  return sum;
}

static double sum_of_parts(const mus_run_seconds *s) {
  return s->build + s->settle + sum_of(s->step) + sum_of(s->rejected) + s->write + s->check + s->checkpoint +
         s->preview + s->rest;
}

static double number(const json_t *object, const char *group, const char *name) {
  const json_t *value = json_object_get(group ? json_object_get(object, group) : object, name);
  assert_true(json_is_number(value));
  return json_number_value(value);
}

static void near(double a, double b, double whole) {
  if (!(fabs(a - b) <= 1e-9 * whole))
    fail_msg("%g s and %g s, of %g s", a, b, whole);
}

// Steps against the summary, by stage; the summary against its total.
static void check_report(const char *path, const mus_run_record *record) {
  static const char *const others[] = {"build", "settle", "write", "check", "checkpoint", "preview", "rest"};
  json_error_t error;
  json_t *report = json_load_file(path, 0, &error);
  assert_non_null(report);
  const json_t *steps = json_object_get(report, "steps"), *summary = json_object_get(report, "summary");
  double attempts = 0, all = 0, total = number(summary, "seconds", "total");
  assert_true(total <= record->seconds); // which also counts what came after it
  assert_int_equal(json_array_size(steps), record->steps);
  for (size_t i = 0; i < json_array_size(steps); ++i)
    attempts += number(json_array_get(steps, i), NULL, "rejected_attempts");
  assert_true(attempts == number(summary, NULL, "rejected_attempts"));
  for (int k = 0; k < MUS_STAGES; ++k) {
    const char *stage = mus_stage_name((mus_stage)k);
    double done = 0, rejected = 0;
    for (size_t i = 0; i < json_array_size(steps); ++i) {
      done += number(json_array_get(steps, i), "seconds", stage);
      rejected += number(json_array_get(steps, i), "rejected_seconds", stage);
    }
    near(done, number(summary, "seconds", stage), total);
    near(rejected, number(summary, "rejected_seconds", stage), total);
    all += done + rejected;
  }
  for (size_t k = 0; k < sizeof others / sizeof *others; ++k)
    all += number(summary, "seconds", others[k]);
  near(all, total, total);
  json_decref(report);
}

static void run(void *folder, const char *text, mus_run_record *record) {
  mus_scene scene;
  assert_ok(mus_scene_parse("scene", text, &scene));
  mus_run_options options = mus_default_run_options();
  options.folder = files_path(folder, "run");
  double begin = mus_seconds();
  assert_ok(mus_run(&scene, &options, record));
  double wall = mus_seconds() - begin;
  near(sum_of_parts(&record->spent), record->seconds, wall);
  if (!(fabs(wall - record->seconds) <= 0.03 * wall + 0.02))
    fail_msg("%g s of wall time, %g s recorded", wall, record->seconds);
  check_report(files_path(options.folder, "report.json"), record);
  mus_scene_free(&scene);
}

static void parts_add_up(void **state) {
  mus_run_record record;
  run(*state, plain, &record);
  assert_int_equal(record.rejected, 0);
  assert_true(sum_of(record.spent.rejected) == 0);
  assert_true(record.spent.build > 0 && record.spent.write > 0 && record.spent.checkpoint > 0);
}

static void rejected_attempts_are_counted(void **state) {
  mus_run_record record;
  run(*state, halved, &record);
  assert_true(record.rejected > 10);
  assert_true(record.halved > record.rejected);
  assert_true(sum_of(record.spent.rejected) > 0.02 * record.seconds);
}

static void stages_have_names(void **state) {
  (void)state;
  for (int k = 0; k < MUS_STAGES; ++k)
    assert_non_null(mus_stage_name((mus_stage)k));
  assert_string_equal(mus_stage_name(MUS_STAGE_DETECT), "detect");
  assert_null(mus_stage_name(MUS_STAGES));
}

int main(void) {
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, files_setup, files_teardown)
  const struct CMUnitTest tests[] = {IN_FOLDER(parts_add_up), IN_FOLDER(rejected_attempts_are_counted),
                                     cmocka_unit_test(stages_have_names)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
