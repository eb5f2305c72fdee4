// A result must not depend on how much the solver was given to do. Stiffnesses over six decades, at the default
// accuracy and at a hundredth of it:
// - A sheet that hangs by its corners comes to rest in the same place to less than a tenth of a millimetre, and no
//   stiffness takes many more iterations than another.
// - Steps of a tablecloth that falls, each from the same state, end as near each other as the accuracy says. (Whole
// falls
//   do not: a sheet that hits a table buckles, and ends up elsewhere if it starts 1e-12 m away.)
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "sim/simulator.h"
#include "support/check.h"
#include "support/runs.h"

enum { VERTICES = 441, FIRST_DECADE = -3, LAST_DECADE = 3 };
static const double finer = 0.01;

static const char canopy[] = "{\"frame_rate\": 24, \"contact\": false, \"cloths\": [{\"pins\": ["
                             "{\"where\": {\"box\": [-0.6, -1, -0.6, -0.49, 1, -0.49]}}, {\"where\": {\"box\": [0.49, "
                             "-1, -0.6, 0.6, 1, -0.49]}},"
                             "{\"where\": {\"box\": [-0.6, -1, 0.49, -0.49, 1, 0.6]}}, {\"where\": {\"box\": [0.49, "
                             "-1, 0.49, 0.6, 1, 0.6]}}]}]}";

// The scene at so many times its accuracy, a step per frame.
static run *begin(const char *scene, double stiffness, double accuracy) {
  run *r = runs_scene(scene);
  assert_ok(mus_scene_resize(&r->scene, VERTICES, MUS_TESSELLATION_REGULAR));
  r->scene.integrator = MUS_INTEGRATOR_MINIMISE;
  r->scene.time_step = 1 / r->scene.frame_rate;
  r->scene.accuracy *= accuracy;
  r->scene.solver.threads = 1;
  r->scene.cloths[0].stretch_scale = r->scene.cloths[0].shear_scale = stiffness;
  runs_begin(r);
  return r;
}

typedef struct distance {
  double mean, farthest; // mm: the root mean square over all vertices, and the largest
} distance;

static distance between(const run *a, const run *b) {
  int vertices = mus_sim_vertices(a->sim);
  double sum = 0, most = 0;
  for (int i = 0; i < vertices; ++i) {
    const double *p = mus_sim_positions(a->sim) + 3 * (size_t)i, *q = mus_sim_positions(b->sim) + 3 * (size_t)i;
    double way = 1000 * hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]);
    sum += way * way;
    most = fmax(most, way);
  }
  return (distance){sqrt(sum / vertices), most};
}

static void cloth_at_rest_does_not_depend_on_the_accuracy(void **state) {
  (void)state;
  enum { FRAMES = 144 };
  double fewest = INFINITY, most = 0;
  for (int k = FIRST_DECADE; k <= LAST_DECADE; ++k) {
    run *usual = begin(canopy, pow(10, k), 1), *fine = begin(canopy, pow(10, k), finer);
    double iterations = 0;
    for (int frame = 0; frame < FRAMES; ++frame) {
      const mus_step_record *record = runs_frame(usual);
      assert_false(record->unfinished);
      iterations += (double)record->newton_iterations / FRAMES;
      assert_false(runs_frame(fine)->unfinished);
    }
    distance d = between(usual, fine);
    print_message("stiffness x %g: %.5f mm apart at most, %.2f iterations per step\n",
                  usual->scene.cloths[0].stretch_scale, d.farthest, iterations);
    assert_true(d.farthest < 0.1);
    fewest = fmin(fewest, iterations);
    most = fmax(most, iterations);
    runs_free(usual);
    runs_free(fine);
  }
  assert_true(most <= 2 * fewest);
}

static void steps_end_where_finer_ones_do(void **state) {
  (void)state;
  enum { FRAMES = 30 };
  double fewest = INFINITY, most = 0;
  for (int k = FIRST_DECADE; k <= LAST_DECADE; ++k) {
    run *usual = begin("tablecloth", pow(10, k), 1), *fine = begin("tablecloth", pow(10, k), finer);
    double squares = 0, worst = 0, farthest = 0, iterations = 0, accuracy = usual->scene.accuracy;
    int unfinished = 0;
    for (int frame = 0; frame < FRAMES; ++frame) {
      mus_state_copy(&usual->sim->state, mus_sim_vertices(usual->sim), &fine->sim->state);
      assert_ok(mus_sim_forget(fine->sim));
      const mus_step_record *record = runs_frame(usual);
      iterations += (double)record->newton_iterations / FRAMES;
      assert_false(record->unfinished);
      unfinished += runs_frame(fine)->unfinished;
      distance d = between(usual, fine);
      squares += d.mean * d.mean / FRAMES;
      worst = fmax(worst, d.mean);
      farthest = fmax(farthest, d.farthest);
    }
    print_message("stiffness x %g: steps %.3f mm apart (worst %.3f, a vertex %.3f), %.1f iterations per step; %d of %d "
                  "finer ones were not finished\n",
                  usual->scene.cloths[0].stretch_scale, sqrt(squares), worst, farthest, iterations, unfinished, FRAMES);
    assert_true(sqrt(squares) < 2 * accuracy && farthest < 30 * accuracy);
    fewest = fmin(fewest, iterations);
    most = fmax(most, iterations);
    runs_free(usual);
    runs_free(fine);
  }
  assert_true(most <= 2.5 * fewest);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(cloth_at_rest_does_not_depend_on_the_accuracy),
                                     cmocka_unit_test(steps_end_where_finer_ones_do)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
