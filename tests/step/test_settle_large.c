// Settling of garments and bodies that others have made, scaled and shifted into each other, from the optional data
// folder; a test skips where that is missing. Also tubes that are too tight for the mannequin.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <unistd.h>

#include "support/check.h"
#include "support/runs.h"

#define DATA "../shared/data/"
#define MANNEQUIN "\"bodies\": [{\"shape\": {\"kind\": \"mannequin\", \"height\": 1.7, \"speed\": 0}}]"
// Steps as long as frames: what settling leaves undone, they would not mend.
#define SCENE "{\"time_step\": 0.0416666667, \"gravity\": [0, 0, 0], "

// Free before time begins, and for some frames after.
static void comes_free(const char *name, const char *scene) {
  run *r = runs_start(scene);
  mus_settling settling;
  assert_ok(mus_sim_settle(r->sim, &settling));
  print_message("%s: %d crossings, free after %d steps\n", name, settling.crossings, settling.steps);
  assert_true(settling.crossings > 0);
  assert_int_equal(settling.tangled, 0);
  for (int f = 0; f < 3; ++f) {
    assert_int_equal(runs_crossings(r), 0);
    runs_frame(r);
  }
  assert_int_equal(runs_crossings(r), 0);
  runs_free(r);
}

static void needs(const char *path) {
  if (access(path, R_OK) == 0)
    return;
  print_message("skipped: %s is not there\n", path);
  skip();
}

static void a_tube_comes_out_of_the_waist(void **state) {
  (void)state;
  comes_free("tube", SCENE MANNEQUIN ", \"cloths\": [{\"rotate\": [0, 0, 90], \"translate\": [0, 1.1, 0],"
                                     "\"shape\": {\"kind\": \"tube\", \"size\": [0.76, 0.25], \"vertices\": 3000}}]}");
}

// The arm goes in by its upper side and out by its lower one.
static void a_sleeve_slides_off_an_arm_that_pierces_it(void **state) {
  (void)state;
  comes_free("sleeve", SCENE MANNEQUIN ", \"cloths\": [{\"translate\": [0.35, 1.2, 0],"
                                       "\"shape\": {\"kind\": \"tube\", \"size\": [0.3, 0.25], \"vertices\": 1500}}]}");
}

static void skirts_come_out_of_the_mannequin(void **state) {
  (void)state;
  needs(DATA "garments/diffcloth/skirt2011.obj");
  comes_free("skirt",
             SCENE MANNEQUIN ", \"cloths\": [{\"translate\": [0.018, -0.09, -0.025], \"shape\": {\"kind\": \"file\","
                             "\"file\": \"" DATA "garments/diffcloth/skirt2011.obj\", \"scale\": 1.09}}]}");
  comes_free("small skirt",
             SCENE MANNEQUIN ", \"cloths\": [{\"translate\": [0, -0.02, 0.02], \"shape\": {\"kind\": \"file\","
                             "\"file\": \"" DATA "garments/diffcloth/skirt2011.obj\", \"scale\": 0.9}}]}");
}

// A T-shirt that is too small, on a body with holes, eyes and hair.
static void a_shirt_comes_out_of_a_body(void **state) {
  (void)state;
  needs(DATA "garments/codim-ipc/wm2_15k.obj.gz");
  comes_free("shirt",
             SCENE "\"cloths\": [{\"translate\": [0, 0.663, -0.118], \"shape\": {\"kind\": \"file\", \"scale\": 0.056,"
                   "\"file\": \"" DATA "garments/diffcloth/tshirt1900.obj.gz\"}}],"
                   "\"bodies\": [{\"rotate\": [-90, 0, 0], \"translate\": [0, 0.75, 0], \"shape\": {\"kind\": \"file\","
                   "\"file\": \"" DATA "garments/codim-ipc/wm2_15k.obj.gz\"}}]}");
}

static void a_sheet_leaves_an_open_body(void **state) {
  (void)state;
  needs(DATA "models/suzanne.obj");
  comes_free("sheet",
             SCENE "\"cloths\": [{\"rotate\": [90, 0, 0], \"translate\": [0, 0, 0.282],"
                   "\"shape\": {\"size\": [1.5, 1.5], \"vertices\": 3721}}], \"bodies\": [{\"translate\": [1.267, "
                   "-0.636, -2.085], \"shape\": {\"kind\": \"file\", \"scale\": 0.508, \"file\": \"" DATA
                   "models/suzanne.obj\"}}]}");
}

static void a_dress_comes_apart(void **state) {
  (void)state;
  needs(DATA "garments/diffcloth/dress-v7k-f14k.obj.gz");
  comes_free("dress", SCENE "\"cloths\": [{\"shape\": {\"kind\": \"file\", \"scale\": 0.0333, \"file\": \"" DATA
                            "garments/diffcloth/dress-v7k-f14k.obj.gz\"}}]}");
}

// One stands upright in the middle of the other; and three of them.
static void sheets_come_apart(void **state) {
  (void)state;
#define SHEET "\"shape\": {\"size\": [0.5, 0.5], \"vertices\": 1600}"
  comes_free("two sheets",
             SCENE "\"cloths\": [{\"name\": \"a\", " SHEET "}, {\"name\": \"b\", \"rotate\": [90, 0, 0], " SHEET "}]}");
  comes_free("three sheets", SCENE "\"cloths\": [{\"name\": \"a\", " SHEET
                                   "}, {\"name\": \"b\", \"rotate\": [90, 0, 0], \"translate\": [0.2, 0, 0], " SHEET
                                   "}, {\"name\": \"c\", \"rotate\": [0, 0, 90], " SHEET "}]}");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_tube_comes_out_of_the_waist),
                                     cmocka_unit_test(a_sleeve_slides_off_an_arm_that_pierces_it),
                                     cmocka_unit_test(skirts_come_out_of_the_mannequin),
                                     cmocka_unit_test(a_shirt_comes_out_of_a_body),
                                     cmocka_unit_test(a_sheet_leaves_an_open_body),
                                     cmocka_unit_test(a_dress_comes_apart),
                                     cmocka_unit_test(sheets_come_apart)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
