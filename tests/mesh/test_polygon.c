// Polygons: every cut covers the polygon once, whatever its shape, and takes the better diagonal.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "mesh/polygon.h"

static double area(const double *corner, int a, int b, int c) {
  const double *p = corner + 3 * a, *q = corner + 3 * b, *r = corner + 3 * c;
  return 0.5 * ((q[0] - p[0]) * (r[1] - p[1]) - (r[0] - p[0]) * (q[1] - p[1]));
}

// For a polygon in the x-y plane without crossings: all triangles positive, their areas add up to its own, each of its
// sides is a side of one triangle, and every other side is there both ways.
static void check_cut(int count, const double *corner) {
  int *triangle = malloc((size_t)count * 3 * sizeof *triangle);
  assert_non_null(triangle);
  assert_true(mus_polygon_triangulate(count, corner, triangle));
  double sum = 0, whole = 0;
  for (int i = 0; i < count; ++i)
    whole +=
        0.5 * (corner[3 * i] * corner[3 * ((i + 1) % count) + 1] - corner[3 * i + 1] * corner[3 * ((i + 1) % count)]);
  for (int t = 0; t < count - 2; ++t) {
    double one = area(corner, triangle[3 * t], triangle[3 * t + 1], triangle[3 * t + 2]);
    assert_true(one > -1e-12);
    sum += one;
  }
  assert_true(fabs(sum - whole) < 1e-9 * (1 + fabs(whole)));
  for (int i = 0; i < (count - 2) * 3; ++i) {
    int a = triangle[i], b = triangle[i - i % 3 + (i + 1) % 3], back = 0;
    for (int k = 0; k < (count - 2) * 3; ++k)
      back += triangle[k] == b && triangle[k - k % 3 + (k + 1) % 3] == a;
    assert_int_equal(back, b != (a + 1) % count);
  }
  free(triangle);
}

static void assert_cut(const double *corner, const int expected[6]) {
  int triangle[6];
  assert_true(mus_polygon_triangulate(4, corner, triangle));
  assert_memory_equal(triangle, expected, sizeof triangle);
}

static void quadrilaterals(void **state) {
  (void)state;
  const int first[] = {0, 1, 2, 0, 2, 3}, second[] = {0, 1, 3, 1, 2, 3};
  assert_cut((const double[]){0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0}, first);
  assert_cut((const double[]){0, 0, 0, 1, 0, 0, 2, 1, 0, 1, 1, 0}, second);   // a sheared one
  assert_cut((const double[]){0, 0, 0, 1, 0, 0, 0, 1, 0, -1, 1, 0}, first);   // the other way
  assert_cut((const double[]){0, 0, 0, 4, 0, 0, 1, 1, 0, 0, 4, 0}, first);    // an arrow, open towards 2
  assert_cut((const double[]){4, 0, 0, 1, 1, 0, 0, 4, 0, 0, 0, 0}, second);   // the same, open towards 1
  assert_cut((const double[]){-1, 0, 0, 0, 5, 0, 1, 0, 0, 0, 10, 0}, second); // a dart: the shorter cut is outside
  assert_cut((const double[]){0, 0, 0, 0, 4, 0, 1, 1, 0, 4, 0, 0}, first);    // the same from behind
  assert_cut((const double[]){0, 0, 1e6, 4, 0, 1e6, 1, 1, 1e6, 0, 4, 1e6}, first);
  assert_cut((const double[]){0, 0, 0, 1, 0, 0.5, 1, 1, 0, 0, 1, 0.5}, first); // a saddle
  int triangle[6];
  assert_true(mus_polygon_triangulate(4, (const double[12]){0}, triangle)); // a point
}

// Star-shaped polygons around the origin with random radii, most of them far from convex.
static void any_shape(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    int count = 5 + (int)(seed % 60);
    double corner[3 * MUS_POLYGON_EARS];
    for (int i = 0; i < count; ++i) {
      double radius = 1 + 0.95 * mus_random(seed, (uint64_t)i), turn = 6.283185307179586 * i / count;
      corner[3 * i] = radius * cos(turn);
      corner[3 * i + 1] = radius * sin(turn);
      corner[3 * i + 2] = 0;
    }
    check_cut(count, corner);
  }
}

static void a_comb_and_a_line(void **state) {
  (void)state;
  double comb[3 * 40];
  for (int i = 0; i < 19; ++i) {
    comb[3 * i] = 18 - i, comb[3 * i + 1] = i % 2 ? 0.1 : 5, comb[3 * i + 2] = 0;
  }
  static const double ends[] = {0, 0, 0, 18, 0, 0};
  memcpy(comb + 57, ends, sizeof ends);
  check_cut(21, comb);
  // A square with extra corners on its sides.
  static const double sides[] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 3, 1, 0, 3, 2, 0, 3, 3, 0, 0, 3, 0, 0, 2, 0};
  check_cut(9, sides);
}

static void large_ones_must_be_convex(void **state) {
  (void)state;
  enum { COUNT = 500 };
  double corner[3 * COUNT];
  for (int i = 0; i < COUNT; ++i) {
    corner[3 * i] = cos(6.283185307179586 * i / COUNT);
    corner[3 * i + 1] = sin(6.283185307179586 * i / COUNT);
    corner[3 * i + 2] = 0;
  }
  check_cut(COUNT, corner);
  int triangle[3 * COUNT] = {-7};
  corner[3 * 77] *= 0.5, corner[3 * 77 + 1] *= 0.5;
  assert_false(mus_polygon_triangulate(COUNT, corner, triangle));
  assert_int_equal(triangle[0], -7);
  for (int i = 0; i < COUNT; ++i) { // twice around
    corner[3 * i] = cos(2 * 6.283185307179586 * i / COUNT);
    corner[3 * i + 1] = sin(2 * 6.283185307179586 * i / COUNT);
  }
  assert_false(mus_polygon_triangulate(COUNT, corner, triangle));
}

// Crossing and degenerate ones end, with corners that exist.
static void nonsense_is_cut_somehow(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    int count = 3 + (int)(seed % 62), triangle[3 * MUS_POLYGON_EARS];
    double corner[3 * MUS_POLYGON_EARS];
    for (int i = 0; i < 3 * count; ++i)
      corner[i] = seed % 3 ? mus_random(seed, (uint64_t)i) : (double)(mus_random_bits(seed, (uint64_t)i) % 3);
    assert_true(mus_polygon_triangulate(count, corner, triangle));
    for (int i = 0; i < 3 * (count - 2); ++i)
      assert_true(triangle[i] >= 0 && triangle[i] < count);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(quadrilaterals),          cmocka_unit_test(any_shape),
      cmocka_unit_test(a_comb_and_a_line),       cmocka_unit_test(large_ones_must_be_convex),
      cmocka_unit_test(nonsense_is_cut_somehow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
