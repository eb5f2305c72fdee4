// Cusick's drape test (BS 5058, ISO 9073-9) on every fabric: a disc of 30 cm is held on one of 18 cm, and the ring
// around it falls into folds. The drape coefficient is the area of the ring's shadow, lit from above, over that of the
// flat ring: 1 for a board, 0 for what hangs straight down.
//
// What to expect comes from the bending length c in cm and the angle A in degrees at which a cloth buckles when it is
// sheared, by the regression of Cusick 1965: 17.0 + 35.6 c - 3.61 c^2 - 2.59 A + 0.0461 A^2, in percent, with an A
// between 0 and 25; leather, which is no woven cloth, was measured by Memon, Chaklie, Yesuf and Zhu 2021.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "energy/fabric.h"
#include "support/runs.h"

static const double pi = 3.14159265358979323846, support = 0.09, radius = 0.15; // m

// --- shadows -------------------------------------------------------------------------------------------------------

enum { PIXELS = 640 };
static const double pixel = 0.32 / PIXELS; // m

static double cross(const double *a, const double *b, double x, double z) {
  return (b[0] - a[0]) * (z - a[1]) - (b[1] - a[1]) * (x - a[0]);
}

// Darkens all pixels whose centre lies in the triangle with corners (x, z), counted in pixels.
static void darken(double corner[3][2], char (*dark)[PIXELS]) {
  double area = cross(corner[0], corner[1], corner[2][0], corner[2][1]);
  int low[2], high[2];
  for (int c = 0; c < 2; ++c) {
    double least = fmin(corner[0][c], fmin(corner[1][c], corner[2][c]));
    double most = fmax(corner[0][c], fmax(corner[1][c], corner[2][c]));
    low[c] = (int)fmax(0, floor(least));
    high[c] = (int)fmin(PIXELS - 1, ceil(most));
  }
  for (int i = low[0]; i <= high[0]; ++i)
    for (int j = low[1]; j <= high[1]; ++j) {
      int inside = 1;
      for (int k = 0; k < 3; ++k)
        inside &= cross(corner[k], corner[(k + 1) % 3], i + 0.5, j + 0.5) * area >= 0;
      dark[i][j] |= (char)inside;
    }
}

// The area that a cloth's shadow covers, in m^2.
static double shadow(const mus_sim *sim) {
  char(*dark)[PIXELS] = calloc(PIXELS, sizeof *dark);
  assert_non_null(dark);
  for (int t = 0; t < mus_sim_triangles(sim); ++t) {
    double corner[3][2];
    for (int k = 0; k < 3; ++k) {
      const double *x = mus_sim_positions(sim) + 3 * (size_t)mus_sim_triangle_list(sim)[3 * t + k];
      corner[k][0] = x[0] / pixel + PIXELS / 2.0;
      corner[k][1] = x[2] / pixel + PIXELS / 2.0;
    }
    darken(corner, dark);
  }
  int count = 0;
  for (int i = 0; i < PIXELS * PIXELS; ++i)
    count += dark[0][i];
  free(dark);
  return count * pixel * pixel;
}

// --- drapes --------------------------------------------------------------------------------------------------------

// On a disc of so many rings, of which the support holds three in five. A breath of air in the first half second
// tells the folds where to begin; steps of 1/24 s let them settle.
static double drape_coefficient(const char *fabric, int rings) {
  char text[600];
  snprintf(text, sizeof text,
           "{\"time_step\": 0.0417, \"gust\": 1, \"wind\": [{\"time\": 0, \"value\": [0.3, 0, 0.2]}, {\"time\": 0.5, "
           "\"value\": [0, 0, 0]}], \"cloths\": [{\"fabric\": \"%s\", \"shape\": {\"kind\": \"disc\", \"size\": [0.3, "
           "0.3], \"vertices\": %d}, \"pins\": [{\"where\": {\"sphere\": [0, 0, 0, 0.0901]}}]}]}",
           fabric, 1 + 3 * rings * (rings + 1));
  run *r = runs_scene(text);
  runs_begin(r);
  double held = pi * support * support, flat = shadow(r->sim);
  assert_true(fabs(flat / (pi * radius * radius) - 1) < 3e-3); // the disc is a polygon
  int frames = runs_to_rest(r, 4e-3, 400);
  double coefficient = (shadow(r->sim) - held) / (flat - held);
  print_message("%s, %d rings: %.1f %%, at rest after %.1f s\n", fabric, rings, 100 * coefficient, frames / 24.0);
  runs_free(r);
  return coefficient;
}

// By Cusick's regression, from the mean of the bending lengths.
static double expected(const mus_fabric *fabric, double angle) {
  double weight = fabric->density * 9.81, c = 0;
  for (int k = 0; k < 2; ++k)
    c += 100 * cbrt(fabric->bend[k] / weight) / 2;
  return (17.0 + 35.6 * c - 3.61 * c * c - 2.59 * angle + 0.0461 * angle * angle) / 100;
}

static void every_fabric_drapes_like_its_kind(void **state) {
  (void)state;
  const double scatter = 0.03; // of a regression over many cloths
  const mus_fabric *fabric;
  for (int k = 0; (fabric = mus_fabric_at(k)); ++k) {
    int leather = strcmp(fabric->name, "leather") == 0;
    double coarse = drape_coefficient(fabric->name, 25), fine = drape_coefficient(fabric->name, 35);
    double least = leather ? 0.4735 : expected(fabric, 25) - scatter,
           most = leather ? 0.699 : expected(fabric, 0) + scatter;
    print_message("%s: expected %.0f to %.0f %%\n", fabric->name, 100 * least, 100 * most);
    assert_true(fabs(coarse - fine) < 0.05);
    assert_true(coarse > least && coarse < most && fine > least && fine < most);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_fabric_drapes_like_its_kind)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
