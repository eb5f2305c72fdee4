// Soft bodies that drop through pegs, carry cloth, and are squeezed between plates: nothing intersects by the exact
// check, and no tetrahedron stays inside out.
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

static const char squeezed[] =
    "{\"time_step\": 0.005, \"bodies\": ["
    " {\"shape\": {\"kind\": \"box\", \"size\": [2, 0.1, 2]}, \"translate\": [0, -0.05, 0]},"
    " {\"shape\": {\"kind\": \"box\", \"size\": [2, 0.1, 2]}, \"translate\": ["
    "  {\"time\": 0.2, \"value\": [0, 1.03, 0]}, {\"time\": 1, \"value\": [0, 0.55, 0]},"
    "  {\"time\": 1.2, \"value\": [0, 0.55, 0]}, {\"time\": 1.8, \"value\": [0, 1.03, 0]}]}],"
    " \"solids\": ["
    " {\"name\": \"ball\", \"young\": 6e4, \"shape\": {\"kind\": \"ball\", \"radius\": 0.2, \"vertices\": 800},"
    "  \"translate\": [0.02, 0.202, 0]},"
    " {\"name\": \"dice\", \"young\": 6e4, \"shape\": {\"size\": [0.4, 0.4, 0.4], \"vertices\": 800},"
    "  \"rotate\": [20, 10, 0], \"translate\": [0, 0.69, 0]}]}";

static void stays_free(const void *folder, const char *scene, int vertices, int frames) {
  run *r = runs_scene(scene);
  mus_run_options options = mus_default_run_options();
  mus_check_options check = mus_default_check_options();
  mus_run_record record;
  mus_check_record found;
  r->scene.frames = frames;
  if (vertices > 0)
    mus_scene_resize(&r->scene, vertices, MUS_TESSELLATION_REGULAR);
  options.folder = files_path(folder, "result");
  assert_ok(mus_run(&r->scene, &options, &record));
  assert_ok(mus_check(options.folder, NULL, &check, &found));
  print_message("%.20s: %lld steps, %lld halved, %lld with tetrahedra inside out, %d frames with intersections\n",
                scene, record.steps, record.halved, record.inverted, found.frames_with);
  assert_int_equal(found.frames_with, 0);
  assert_int_equal(record.inverted, 0);
  assert_int_equal(record.impossible, 0);
  runs_free(r);
}

static void pachinko(void **state) { stays_free(*state, "pachinko", 2500, 60); }
static void cushion(void **state) { stays_free(*state, "cushion", 2500, 48); }
static void two_between_plates(void **state) { stays_free(*state, squeezed, 0, 48); }

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(pachinko, files_setup, files_teardown),
                                     cmocka_unit_test_setup_teardown(cushion, files_setup, files_teardown),
                                     cmocka_unit_test_setup_teardown(two_between_plates, files_setup, files_teardown)};
  return cmocka_run_group_tests_name("step/solid_contact", tests, NULL, NULL);
}
