// Finer meshes of the same cloth come to rest in the same shape. Sheets of 10, 20, 40 and 80 cells a side, held along
// two sides that meet, droop until they rest; the vertices of the coarsest are vertices of all. How far these move
// from one mesh to the next falls by a factor that tells the order. The cloth bends as a thick felt does, with a
// bending length of one coarse cell: folds of cotton are finer than that, and a mesh that has none of them tells
// nothing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/runs.h"

enum { COARSE = 10, POINTS = (COARSE + 1) * (COARSE + 1), MESHES = 4 };

// Where the coarsest sheet's vertices are at rest on a sheet of so many cells a side.
static void rest(int cells, double (*point)[3]) {
  run *r = runs_scene("drooping");
  mus_scene_resize(&r->scene, (cells + 1) * (cells + 1), MUS_TESSELLATION_REGULAR);
  r->scene.time_step = 1.0 / 24;
  r->scene.solver.tolerance = 1e-7;
  r->scene.cloths[0].bend_scale = 160;
  r->scene.cloths[0].damping_scale = 0; // Euler's own is enough, and creeps less
  runs_begin(r);
  int frames = runs_to_rest(r, 1e-5, 300), every = cells / COARSE;
  for (int i = 0; i < POINTS; ++i) {
    int row = i / (COARSE + 1) * every, column = i % (COARSE + 1) * every;
    memcpy(point[i], mus_sim_positions(r->sim) + 3 * (row * (cells + 1) + column), sizeof *point);
  }
  print_message("%d cells a side: at rest after %d frames, the free corner %.2f mm below the held sides\n", cells,
                frames, -1000 * point[POINTS - 1][1]);
  runs_free(r);
}

// The root of the mean square of how far points are apart, in m.
static double apart(double (*a)[3], double (*b)[3]) {
  double sum = 0;
  for (int i = 0; i < POINTS; ++i)
    for (int c = 0; c < 3; ++c)
      sum += (a[i][c] - b[i][c]) * (a[i][c] - b[i][c]);
  return sqrt(sum / POINTS);
}

static void the_drooping_shape_converges(void **state) {
  (void)state;
  double point[MESHES][POINTS][3], moved[MESHES];
  for (int k = 0; k < MESHES; ++k) {
    rest(COARSE << k, point[k]);
    if (k == 0)
      continue;
    moved[k] = apart(point[k - 1], point[k]);
    print_message("from %d to %d cells, points move by %.3f mm", COARSE << (k - 1), COARSE << k, 1000 * moved[k]);
    print_message(k > 1 ? ": order %.2f\n" : "\n", k > 1 ? log2(moved[k - 1] / moved[k]) : 0.0);
  }
  assert_true(moved[2] < moved[1] / 3 && moved[3] < moved[2] / 1.4); // orders of 2.0, and 0.7 from there
  assert_true(moved[3] < 2e-3);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_drooping_shape_converges)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
