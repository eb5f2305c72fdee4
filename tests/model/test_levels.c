// Nested levels of scenes, and the solver that uses them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/levels.h"
#include "sim/access.h"
#include "support/check.h"
#include "support/runs.h"

static void levels_join(void **state) {
  (void)state;
  run *r =
      runs_start("{\"cloths\": [{\"name\": \"a\", \"shape\": {\"vertices\": 1600}},"
                 " {\"name\": \"b\", \"shape\": {\"kind\": \"disc\", \"vertices\": 900}, \"translate\": [0, 1, 0]}]}");
  const mus_interpolation *level;
  int count, nodes = mus_sim_vertices(r->sim);
  assert_ok(mus_sim_levels(r->sim, &count, &level));
  assert_true(count >= 2);
  for (int l = 0; l < count; ++l) {
    assert_int_equal(level[l].nodes, nodes);
    assert_true(level[l].coarse < 0.3 * level[l].nodes);
    for (int i = 0; i < nodes; ++i) {
      const double *w = level[l].weight + 3 * i;
      assert_true(fabs(w[0] + w[1] + w[2] - 1) < 1e-12);
    }
    nodes = level[l].coarse;
  }
  assert_true(nodes <= 250);
  runs_free(r);
}

// The same motion as with the default, to what tolerances leave.
static void scenes_run_with_them(void **state) {
  (void)state;
  double *end[2];
  int vertices = 0;
  for (int k = 0; k < 2; ++k) {
    run *r =
        runs_scene("{\"time_step\": 0.01, \"cloths\": [{\"shape\": {\"vertices\": 900}, \"translate\": [0, 0.3, 0],"
                   " \"pins\": [{\"where\": {\"box\": [-1, -1, -1, -0.49, 1, 1]}}]}],"
                   " \"bodies\": [{\"shape\": {\"kind\": \"sphere\", \"facet\": 0.01}}]}");
    r->scene.solver = mus_preset_solver_options(MUS_PRESET_ROBUST);
    r->scene.solver.tolerance = 1e-9;
    r->scene.solver.method = k ? MUS_METHOD_GEOMETRIC : MUS_METHOD_SA;
    runs_begin(r);
    for (int frame = 0; frame < 4; ++frame) {
      const mus_step_record *record = runs_frame(r);
      assert_true(record->iterations < 60);
    }
    vertices = mus_sim_vertices(r->sim);
    end[k] = malloc(3 * (size_t)vertices * sizeof *end[k]);
    memcpy(end[k], mus_sim_positions(r->sim), 3 * (size_t)vertices * sizeof *end[k]);
    runs_free(r);
  }
  double most = 0;
  for (int i = 0; i < 3 * vertices; ++i)
    most = fmax(most, fabs(end[0][i] - end[1][i]));
  print_message("%.2g m apart\n", most);
  assert_true(most < 1e-5);
  free(end[0]);
  free(end[1]);
}

// Real garments, sewn of panels with some of them mirrored, and of a surface without a pattern: levels are made, and
// solves converge.
static void garments_have_levels(void **state) {
  (void)state;
  static const struct {
    const char *file;
    double scale;
    int levels, iterations;
  } garment[] = {{"../shared/data/garments/codim-ipc/dress_knife/stage.obj.gz", 1, 3, 40},
                 {"../shared/data/garments/diffcloth/dress-v7k-f14k.obj.gz", 0.04, 2, 60},
                 {"../shared/data/garments/diffcloth/skirt2011.obj", 1, 2, 60}};
  for (int k = 0; k < 3; ++k) {
    char text[400];
    if (access(garment[k].file, R_OK) != 0) {
      print_message("skipped: %s is not there\n", garment[k].file);
      skip();
    }
    snprintf(text, sizeof text,
             "{\"time_step\": 0.01, \"contact\": false, \"cloths\": [{\"shape\": {\"kind\": \"file\", "
             "\"file\": \"%s\", \"scale\": %g}}]}",
             garment[k].file, garment[k].scale);
    run *r = runs_scene(text);
    r->scene.solver = mus_preset_solver_options(MUS_PRESET_ROBUST);
    r->scene.solver.method = MUS_METHOD_GEOMETRIC;
    strcpy(r->scene.solver.multigrid.smoother, "gs:2");
    runs_begin(r);
    const mus_interpolation *level;
    int count;
    assert_ok(mus_sim_levels(r->sim, &count, &level));
    assert_int_equal(count, garment[k].levels);
    const mus_step_record *record = runs_frame(r);
    print_message("%s: %d levels, %d iterations\n", garment[k].file, count + 1, record->iterations);
    assert_true(record->iterations < garment[k].iterations);
    runs_free(r);
  }
}

static void what_has_no_levels_is_refused(void **state) {
  (void)state;
  run *r = runs_scene("{\"solids\": [{\"shape\": {\"vertices\": 100}}], \"solver\": {\"method\": \"geometric\"}}");
  mus_sim *sim = NULL;
  assert_fails(mus_sim_create(&r->scene, &sim), MUS_UNSUPPORTED, "is for cloth");
  runs_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(levels_join), cmocka_unit_test(scenes_run_with_them),
                                     cmocka_unit_test(garments_have_levels),
                                     cmocka_unit_test(what_has_no_levels_is_refused)};
  return cmocka_run_group_tests_name("model/levels", tests, NULL, NULL);
}
