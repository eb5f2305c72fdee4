// Bonds: a bound point is where it was, goes along with rigid motions exactly, and finds the nearest triangle.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "model/bond.h"

enum { VERTICES = 12, TRIANGLES = 4 };

// Triangles far from each other, and a point near one of them.
static void make(uint64_t seed, int near, double *position, int *triangle, double *x) {
  for (int k = 0; k < 3 * VERTICES; ++k)
    position[k] = 0.2 * mus_random(seed, (uint64_t)k) - 0.1 + (k % 3 == 0 ? (double)(k / 9) : 0);
  for (int k = 0; k < 3 * TRIANGLES; ++k)
    triangle[k] = k;
  for (int c = 0; c < 3; ++c)
    x[c] = 0.2 * mus_random(seed + 1000, (uint64_t)c) - 0.1 + (c == 0 ? near : 0);
}

static void bound_points_follow_rigid_motions(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    int triangle[3 * TRIANGLES], near = (int)(seed % TRIANGLES);
    double position[3 * VERTICES], moved[3 * VERTICES], x[3], found[3], wanted[3];
    mus_bond bond;
    make(seed, near, position, triangle, x);
    mus_bond_make(triangle, 0, TRIANGLES, position, x, &bond);
    assert_int_equal(bond.triangle, near);
    mus_bond_place(&bond, triangle, position, found);
    for (int c = 0; c < 3; ++c)
      assert_true(fabs(found[c] - x[c]) < 1e-14);
    double angle = 0.1 * (double)seed, cosine = cos(angle), sine = sin(angle);
    for (int i = 0; i <= VERTICES; ++i) {
      const double *from = i < VERTICES ? position + 3 * i : x;
      double *to = i < VERTICES ? moved + 3 * i : wanted;
      to[0] = cosine * from[0] - sine * from[1] + 3;
      to[1] = sine * from[0] + cosine * from[1] - 2;
      to[2] = from[2] + 0.5;
    }
    mus_bond_place(&bond, triangle, moved, found);
    for (int c = 0; c < 3; ++c)
      assert_true(fabs(found[c] - wanted[c]) < 1e-13);
  }
}

// Weights are those of the nearest point: inside, on an edge, at a corner.
static void the_nearest_point_is_found(void **state) {
  (void)state;
  const int triangle[3] = {0, 1, 2};
  const double position[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  const struct {
    double x[3], weight[3];
  } cases[] = {{{0.25, 0.25, 1}, {0.5, 0.25, 0.25}},
               {{0.5, -1, 0.3}, {0.5, 0.5, 0}},
               {{1, 1, 0}, {0, 0.5, 0.5}},
               {{-1, -2, 5}, {1, 0, 0}},
               {{0.2, 3, -1}, {0, 0, 1}}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    mus_bond bond;
    mus_bond_make(triangle, 0, 1, position, cases[k].x, &bond);
    for (int c = 0; c < 3; ++c)
      assert_true(fabs(bond.weight[c] - cases[k].weight[c]) < 1e-15);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(bound_points_follow_rigid_motions),
                                     cmocka_unit_test(the_nearest_point_is_found)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
