// Distances of features: proved by a plane between them, and by pairs that are known to touch.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ccd_cases.h"
#include "collide/distance.h"

static double distance(mus_pair_kind kind, const double x[4][3], double weight[4]) {
  return kind == MUS_VERTEX_FACE ? mus_vertex_face_distance(x, weight) : mus_edge_edge_distance(x, weight);
}

// The weights are those of points of the features, and the distance is theirs.
static void check_weights(mus_pair_kind kind, const double x[4][3], const double weight[4], double given) {
  int split = kind == MUS_VERTEX_FACE ? 1 : 2;
  double sum[2] = {0}, u[3] = {0}, size = 0;
  for (int k = 0; k < 4; ++k) {
    double w = k < split ? weight[k] : -weight[k];
    assert_true(w >= 0 && w <= 1);
    sum[k >= split] += w;
    for (int c = 0; c < 3; ++c) {
      u[c] += weight[k] * (x[k][c] - x[0][c]);
      size = fmax(size, fabs(x[k][c] - x[0][c]));
    }
  }
  assert_true(fabs(sum[0] - 1) < 4e-16 && fabs(sum[1] - 1) < 4e-16);
  assert_true(fabs(sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) - given) <= 1e-14 * size);
}

// How much closer the features might be than the points that were found: along their difference, everything of the
// first feature lies beyond its point's height less this, and everything of the second below.
static double doubt(mus_pair_kind kind, const double x[4][3], const double weight[4]) {
  int split = kind == MUS_VERTEX_FACE ? 1 : 2;
  double u[3] = {0}, length = 0, low = INFINITY, high = -INFINITY;
  for (int k = 0; k < 4; ++k)
    for (int c = 0; c < 3; ++c)
      u[c] += weight[k] * (x[k][c] - x[0][c]);
  length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  for (int k = 0; k < 4; ++k) {
    double height = 0;
    for (int c = 0; c < 3; ++c)
      height += u[c] * (x[k][c] - x[0][c]) / length;
    if (k < split)
      low = fmin(low, height);
    else
      high = fmax(high, height);
  }
  return length - (low - high);
}

// Shapes from round to degenerate: 0 random, 1 nearly without area or parallel, 2 exactly so, 3 without extent.
static void shape(uint64_t number, mus_pair_kind kind, int manner, double x[4][3]) {
  for (int k = 0; k < 4; ++k)
    for (int c = 0; c < 3; ++c)
      x[k][c] = mus_random(3, number * 12 + (uint64_t)(k * 3 + c));
  int thin = 3 + (int)(number % 13); // decimal places
  for (int c = 0; c < 3; ++c) {
    double along = kind == MUS_VERTEX_FACE ? x[2][c] - x[1][c] : x[1][c] - x[0][c], part = mus_random(4, number);
    int from = kind == MUS_VERTEX_FACE ? 1 : 2;
    if (manner == 1)
      x[3][c] = x[from][c] + part * along + pow(10, -thin) * x[3][c];
    if (manner == 2)
      x[3][c] = x[from][c] + (part < 0 ? -2 : 0.5) * along;
    if (manner == 3)
      x[3][c] = x[2][c] = x[from][c];
  }
}

static void test_closest(void **state) {
  (void)state;
  double worst[4] = {0};
  for (uint64_t number = 0; number < 200000; ++number) {
    mus_pair_kind kind = number % 2 ? MUS_VERTEX_FACE : MUS_EDGE_EDGE;
    int manner = (int)(number / 2 % 4);
    double x[4][3], weight[4];
    shape(number, kind, manner, x);
    double d = distance(kind, (const double(*)[3])x, weight);
    check_weights(kind, (const double(*)[3])x, weight, d);
    if (d > 1e-3)
      worst[manner] = fmax(worst[manner], doubt(kind, (const double(*)[3])x, weight));
  }
  print_message("doubt: %.1e random, %.1e thin, %.1e flat, %.1e without extent\n", worst[0], worst[1], worst[2],
                worst[3]);
  assert_true(worst[0] < 1e-10 && worst[1] < 1e-10 && worst[2] < 1e-10 && worst[3] < 1e-10);
}

// Pairs that touch at a time that is exact: their distance then is a rounding of their size.
static void test_touching(void **state) {
  (void)state;
  for (uint64_t number = 0; number < 100000; ++number) {
    ccd_case c;
    double x[4][3], weight[4], size = 0;
    constructed_case(17, number, &c);
    for (int k = 0; k < 4; ++k)
      for (int i = 0; i < 3; ++i) {
        x[k][i] = c.x0[k][i] + c.time * (c.x1[k][i] - c.x0[k][i]); // exact
        size = fmax(size, fabs(x[k][i] - x[0][i]));
      }
    assert_true(distance(c.kind, (const double(*)[3])x, weight) <= 1e-15 * size);
  }
}

// Beyond a corner or an end the other weights are exactly zero, which tells contacts with the same vector apart.
static void test_ends(void **state) {
  (void)state;
  double weight[4];
  const double above_corner[4][3] = {{-1, 1, -1}, {0, 0, 0}, {1, 0.1, 0}, {0, 0.3, 1}};
  mus_vertex_face_distance(above_corner, weight);
  assert_true(weight[0] == 1 && weight[1] == -1 && weight[2] == 0 && weight[3] == 0);
  const double beside_edge[4][3] = {{0.3, 1, -1}, {0, 0, 0}, {1, 0, 0}, {0, 0, 1}};
  mus_vertex_face_distance(beside_edge, weight);
  assert_true(weight[1] < 0 && weight[2] < 0 && weight[3] == 0);
  const double in_line[4][3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}};
  assert_true(mus_edge_edge_distance(in_line, weight) == 1);
  assert_true(weight[0] == 0 && weight[1] == 1 && weight[2] == -1 && weight[3] == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_closest),
      cmocka_unit_test(test_touching),
      cmocka_unit_test(test_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
