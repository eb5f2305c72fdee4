// How many iterations the default solver takes in small scenes with seams and in contact. Without clusters of vertices
// that are smoothed as one (sparse/clusters.h), it takes 57, 20 and 49.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/check.h"
#include "support/runs.h"

// The mean over the steps of frames from `first` to `last`.
static double iterations_of(const char *scene, int vertices, double time_step, int first, int last) {
  run *r = runs_scene(scene);
  mus_scene_resize(&r->scene, vertices, MUS_TESSELLATION_REGULAR);
  r->scene.time_step = time_step;
  r->scene.solver.threads = 1;
  runs_begin(r);
  double sum = 0;
  int count = 0;
  for (int frame = 1; frame <= last; ++frame) {
    int steps = 0;
    assert_ok(mus_sim_frame(r->sim, &steps));
    for (int k = 0; k < steps && frame >= first; ++k, ++count)
      sum += mus_sim_step_record(r->sim, k)->iterations;
  }
  runs_free(r);
  print_message("%s: %.1f\n", scene, sum / count);
  return sum / count;
}

static void seams_that_are_drawn_together(void **state) {
  (void)state;
  assert_true(iterations_of("dressed", 2600, 1.0 / 480, 1, 2) < 26);
}

static void layers_that_rest_on_each_other(void **state) {
  (void)state;
  assert_true(iterations_of("stack", 1000, 1.0 / 240, 16, 18) < 19);
}

static void folds(void **state) {
  (void)state;
  assert_true(iterations_of("drop-vertical", 1000, 1.0 / 240, 18, 20) < 36);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(seams_that_are_drawn_together),
                                     cmocka_unit_test(layers_that_rest_on_each_other), cmocka_unit_test(folds)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
