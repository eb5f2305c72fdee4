// Seams in a step: a sheet that is cut and sewn moves as one that is whole; momentum is kept; what cannot close stays
// open and is told; the same bits for any number of threads.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector3.h"
#include "sim/access.h"
#include "support/files.h"
#include "support/runs.h"

enum { SIDE = 7 }; // vertices along a side of the sheet

// Where a vertex of the sheet is: uneven, so that nothing cancels by symmetry.
static void place(int i, int j, double *at) {
  at[0] = 0.03 * i + 0.004 * sin(2.0 * j + i);
  at[1] = 0.03 * j + 0.004 * cos(3.0 * i + j);
}

// A sheet of SIDE * SIDE vertices, cut after column `cut` (-1: whole), with material coordinates as positions. The
// right half starts `apart` to the right.
static void write_sheet(const char *path, int cut, double apart) {
  FILE *file = fopen(path, "w");
  int number[2][SIDE][SIDE], made = 0;
  assert_non_null(file);
  for (int half = 0; half < (cut < 0 ? 1 : 2); ++half)
    for (int j = 0; j < SIDE; ++j)
      for (int i = half ? cut : 0; i < (half || cut < 0 ? SIDE : cut + 1); ++i) {
        double at[2];
        place(i, j, at);
        fprintf(file, "v %.17g 0 %.17g\nvt %.17g %.17g\n", at[0] + half * apart, -at[1], at[0], at[1]);
        number[half][j][i] = ++made;
      }
  for (int j = 0; j + 1 < SIDE; ++j)
    for (int i = 0; i + 1 < SIDE; ++i) {
      int(*n)[SIDE] = number[cut >= 0 && i >= cut];
      int a = n[j][i], b = n[j][i + 1], c = n[j + 1][i + 1], d = n[j + 1][i];
      fprintf(file, "f %d/%d %d/%d %d/%d\nf %d/%d %d/%d %d/%d\n", a, a, b, b, c, c, a, a, c, c, d, d);
    }
  for (int j = 0; j < SIDE && cut >= 0; ++j)
    fprintf(file, "stitch %d %d %d 0\n", number[1][j][cut] - 1, number[0][j][cut] - 1, number[0][j][cut] - 1);
  assert_int_equal(fclose(file), 0);
}

// The same, where the right half has twice as many vertices along the seam, halfway between those of the left.
static void write_uneven(const char *path, double apart) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  for (int j = 0; j < 5; ++j)
    for (int i = 0; i < 3; ++i)
      fprintf(file, "v %g 0 %g\nvt %g %g\n", 0.04 * i, -0.04 * j, 0.04 * i, 0.04 * j);
  for (int j = 0; j < 9; ++j)
    for (int i = 0; i < 3; ++i)
      fprintf(file, "v %g 0 %g\nvt %g %g\n", 0.08 + 0.02 * i + apart, -0.02 * j, 0.08 + 0.02 * i, 0.02 * j);
  for (int part = 0; part < 2; ++part)
    for (int j = 0; j + 1 < (part ? 9 : 5); ++j)
      for (int i = 0; i < 2; ++i) {
        int a = (part ? 16 : 1) + 3 * j + i;
        fprintf(file, "f %d/%d %d/%d %d/%d\nf %d/%d %d/%d %d/%d\n", a, a, a + 1, a + 1, a + 4, a + 4, a, a, a + 4,
                a + 4, a + 3, a + 3);
      }
  for (int j = 0; j < 9; ++j)
    fprintf(file, "stitch %d %d %d %g\n", 15 + 3 * j, 3 * (j / 2) + 2, j < 8 ? 3 * (j / 2) + 5 : 14, j % 2 ? 0.5 : 0.0);
  assert_int_equal(fclose(file), 0);
}

// A cloth from that file, ready to begin.
static run *load(const char *path, const char *cloth, const char *scene) {
  char text[1000];
  snprintf(text, sizeof text,
           "{\"frames\": 20, \"time_step\": 0.004, \"solver\": {\"tolerance\": 1e-12}, %s \"cloths\": [{%s"
           "\"shape\": {\"kind\": \"file\", \"file\": \"%s\", \"material_scale\": 1}}]}",
           scene, cloth, path);
  return runs_scene(text);
}

static run *begin(const char *path, const char *cloth, const char *scene, int threads) {
  run *r = load(path, cloth, scene);
  r->scene.solver.threads = threads;
  runs_begin(r);
  return r;
}

static double distance(const double *x, int a, int b) {
  double way[3];
  mus_subtract3(x + 3 * a, x + 3 * b, way);
  return mus_length3(way);
}

// Both hang from a corner, and are bent by that. (In mass-spring cloth all springs along edges are alike, so that a
// seam has twice as many.)
static void sewn_sheets_move_as_whole_ones(void **state) {
  enum { CUT = 3 };
  for (int model = 0; model < 2; ++model) {
    static const char *const cloths[] = {"\"model\": \"baraff-witkin\", ", "\"model\": \"choi-ko\", "};
    char cloth[200];
    snprintf(cloth, sizeof cloth, "%s\"pins\": [{\"where\": {\"vertices\": [0, 1]}}], ", cloths[model]);
    write_sheet(files_path(*state, "whole.obj"), -1, 0);
    run *whole = begin(files_path(*state, "whole.obj"), cloth, "\"contact\": false, ", 1);
    write_sheet(files_path(*state, "sewn.obj"), CUT, 0);
    run *sewn = begin(files_path(*state, "sewn.obj"), cloth, "\"contact\": false, ", 1);
    for (int f = 0; f < 10; ++f) {
      runs_frame(whole);
      const mus_step_record *record = runs_frame(sewn);
      assert_true(record->seam_gap < 1e-15 && record->open_stitches == 0);
    }
    const double *x = mus_sim_positions(whole->sim), *y = mus_sim_positions(sewn->sim);
    double most = 0, moved = 0;
    for (int j = 0; j < SIDE; ++j)
      for (int i = 0; i < SIDE; ++i) {
        int a = SIDE * j + i, b = i <= CUT ? (CUT + 1) * j + i : (CUT + 1) * SIDE + (SIDE - CUT) * j + i - CUT;
        double way[3];
        mus_subtract3(x + 3 * a, y + 3 * b, way);
        most = fmax(most, mus_length3(way));
        moved = fmax(moved, -x[3 * a + 1]);
      }
    print_message("model %d: %g m apart after %g m\n", model, most, moved);
    assert_true(moved > 0.05 && most < 1e-7 * moved);
    runs_free(whole);
    runs_free(sewn);
  }
}

// Panels apart are drawn together in free space; from then on they stay together, and nothing is pushed off.
static void momentum_is_kept_in_closing(void **state) {
  for (int uneven = 0; uneven < 2; ++uneven) {
    const char *path = files_path(*state, "apart.obj");
    if (uneven)
      write_uneven(path, 0.02);
    else
      write_sheet(path, 2, 0.02);
    run *r = begin(path, "\"close\": 0.2, \"velocity\": [0.3, 0.1, -0.2], ",
                   "\"gravity\": [0, 0, 0], \"air_density\": 0, ", 1);
    double first[3] = {0, 0, 0};
    for (int f = 0; f < 14; ++f) {
      const mus_step_record *record = runs_frame(r);
      if (f == 0)
        memcpy(first, record->momentum, sizeof first);
      double way[3];
      mus_subtract3(record->momentum, first, way);
      assert_true(mus_length3(way) < 1e-9 * mus_length3(first));
      if (f >= 7)
        assert_true(record->open_stitches == 0 && record->seam_gap < 1e-15);
      assert_true(record->strain_maximum < 0.3);
    }
    runs_free(r);
  }
}

// Fast motion, at large steps too: a pinned corner is swung about, over a ball.
static void closed_seams_stay_closed(void **state) {
  static const double steps[] = {0.002, 0.0083, 0.0417};
  const char *path = files_path(*state, "uneven.obj");
  write_uneven(path, 0);
  for (size_t k = 0; k < sizeof steps / sizeof *steps; ++k) {
    run *r = load(path,
                  "\"pins\": [{\"where\": {\"vertices\": [0]}, \"offset\": [{\"time\": 0, \"value\": [0, 0, 0]},"
                  "{\"time\": 0.3, \"value\": [0.3, 0.1, 0]}, {\"time\": 0.5, \"value\": [-0.2, 0, 0.1]}]}], ",
                  "\"bodies\": [{\"shape\": {\"kind\": \"sphere\", \"radius\": 0.05}, \"translate\": [0.1, -0.06, "
                  "-0.08]}], ");
    r->scene.time_step = steps[k];
    r->scene.solver.threads = 1;
    runs_begin(r);
    for (int f = 0; f < 16; ++f) {
      const mus_step_record *record = runs_frame(r);
      assert_true(record->time_step <= steps[k] * 1.001);
      assert_true(record->open_stitches == 0 && record->seam_gap < 1e-9);
      assert_int_equal(runs_crossings(r), 0);
    }
    runs_free(r);
  }
}

// Both sides of a seam are pinned, too far apart: they stay there, and nothing explodes.
static void seams_that_cannot_close_stay_open(void **state) {
  const char *path = files_path(*state, "held.obj");
  write_sheet(path, 3, 0.1);
  run *r = begin(path,
                 "\"close\": 0.1, \"pins\": [{\"where\": {\"material\": [0, 0, 0.01, 1]}},"
                 "{\"where\": {\"material\": [0.15, 0, 1, 1]}}], ",
                 "", 1);
  for (int f = 0; f < 20; ++f) {
    const mus_step_record *record = runs_frame(r);
    if (f > 4)
      assert_true(record->open_stitches > 3 && record->open_stitches <= SIDE);
    assert_true(record->strain_maximum < 1 && runs_speed(r) < 5);
  }
  runs_free(r);
}

static void same_bits_for_any_number_of_threads(void **state) {
  double *first = NULL;
  const char *path = files_path(*state, "uneven.obj");
  write_uneven(path, 0.01);
  for (int threads = 1; threads <= 3; threads += 2) {
    run *r = begin(path, "\"close\": 0.1, ", "", threads);
    for (int f = 0; f < 8; ++f)
      runs_frame(r);
    size_t bytes = 3 * (size_t)mus_sim_vertices(r->sim) * sizeof(double);
    if (!first)
      first = memcpy(malloc(bytes), mus_sim_positions(r->sim), bytes);
    assert_memory_equal(first, mus_sim_positions(r->sim), bytes);
    assert_true(distance(mus_sim_positions(r->sim), 2, 15) == 0);
    runs_free(r);
  }
  free(first);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(sewn_sheets_move_as_whole_ones, files_setup, files_teardown),
      cmocka_unit_test_setup_teardown(momentum_is_kept_in_closing, files_setup, files_teardown),
      cmocka_unit_test_setup_teardown(closed_seams_stay_closed, files_setup, files_teardown),
      cmocka_unit_test_setup_teardown(seams_that_cannot_close_stay_open, files_setup, files_teardown),
      cmocka_unit_test_setup_teardown(same_bits_for_any_number_of_threads, files_setup, files_teardown)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
