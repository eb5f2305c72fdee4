// Whole frames of scenes with contact in single steps: nothing intersects, steps are hardly ever halved, nothing
// hovers or runs away.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "muslin/check.h"
#include "muslin/run.h"
#include "support/check.h"
#include "support/files.h"
#include "support/runs.h"

static void stays_free(const void *folder, const char *scene, int vertices, int frames) {
  run *r = runs_scene(scene);
  mus_run_options options = mus_default_run_options();
  mus_check_options check = mus_default_check_options();
  mus_run_record record;
  mus_check_record found;
  r->scene.integrator = MUS_INTEGRATOR_MINIMISE;
  r->scene.time_step = 1.0 / 24;
  r->scene.frames = frames;
  mus_scene_resize(&r->scene, vertices, MUS_TESSELLATION_REGULAR);
  options.folder = files_path(folder, "result");
  assert_ok(mus_run(&r->scene, &options, &record));
  assert_ok(mus_check(options.folder, NULL, &check, &found));
  print_message("%s: %lld steps, %lld halved, %d frames with intersections\n", scene, record.steps, record.halved,
                found.frames_with);
  assert_int_equal(found.frames_with, 0);
  assert_true(record.steps <= frames + frames / 4);
  runs_free(r);
}

static void a_tablecloth(void **state) { stays_free(*state, "tablecloth", 2500, 16); }
static void a_curtain(void **state) { stays_free(*state, "curtain", 2500, 16); }
static void a_dress(void **state) { stays_free(*state, "dressed", 2500, 16); }

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(a_tablecloth, files_setup, files_teardown),
                                     cmocka_unit_test_setup_teardown(a_curtain, files_setup, files_teardown),
                                     cmocka_unit_test_setup_teardown(a_dress, files_setup, files_teardown)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
