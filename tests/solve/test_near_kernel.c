// Near kernels: rigid motions strain nothing, whatever the place and size of the body; constants are constant.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "par/par.h"
#include "solve/near_kernel.h"

enum { NODES = 50, N = 3 * NODES };

// Random positions in a box of the given size around (offset, offset, offset).
static void place_nodes(double size, double offset, double *positions) {
  for (int i = 0; i < N; ++i)
    positions[i] = offset + size * mus_random(3, (uint64_t)i);
}

// Moving two nodes along a rigid motion u leaves their distance as it is to first order: (x_i - x_j) . (u_i - u_j) = 0.
// `allowed` is relative to the size of the body.
static void check_rigid(const double *positions, double size, const double *motion, double allowed) {
  for (int i = 0; i < NODES; ++i)
    for (int j = 0; j < i; ++j) {
      double stretch = 0;
      for (int c = 0; c < 3; ++c)
        stretch += (positions[3 * i + c] - positions[3 * j + c]) * (motion[3 * i + c] - motion[3 * j + c]);
      assert_true(fabs(stretch) <= allowed * size);
    }
}

static double dot(const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < N; ++i)
    sum += a[i] * b[i];
  return sum;
}

static void rigid_motions_are_rigid(void **state) {
  (void)state;
  const struct { double size, offset; } body[] = {{1, 0}, {1e-4, 0}, {1e5, 0}, {1, 1e6}};
  double positions[N], motions[6][N];
  for (size_t k = 0; k < sizeof body / sizeof *body; ++k) {
    place_nodes(body[k].size, body[k].offset, positions);
    mus_rigid_motions(NODES, positions, motions[0]);
    for (int m = 0; m < 6; ++m)
      check_rigid(positions, body[k].size, motions[m], 1e-14 + 1e-15 * body[k].offset / body[k].size);
  }
}

// Six of them, none a mixture of the others and none much longer, whatever the units and the place of the body.
static void rigid_motions_are_of_one_size_and_independent(void **state) {
  (void)state;
  double positions[N], motions[6][N];
  for (int far = 0; far < 2; ++far) {
    place_nodes(1e-3, far ? 1e3 : 0, positions);
    mus_rigid_motions(NODES, positions, motions[0]);
    for (int m = 0; m < 6; ++m) {
      double size = 0;
      for (int i = 0; i < N; ++i)
        size = fmax(size, fabs(motions[m][i]));
      assert_true(size <= 1 && size > 0.3);
      for (int other = 0; other < m; ++other)
        assert_true(fabs(dot(motions[m], motions[other])) <
                    0.9 * sqrt(dot(motions[m], motions[m]) * dot(motions[other], motions[other])));
      for (int other = 0; other < 3 && m >= 3; ++other) // about the centre: no translation is left in a rotation
        assert_true(fabs(dot(motions[m], motions[other])) < 1e-9 * NODES);
    }
  }
}

static void translations_come_first(void **state) {
  (void)state;
  double positions[N], motions[6][N];
  place_nodes(2, 5, positions);
  mus_rigid_motions(NODES, positions, motions[0]);
  for (int m = 0; m < 3; ++m)
    for (int i = 0; i < N; ++i)
      assert_true(motions[m][i] == (i % 3 == m));
}

// A point cannot turn: its rotations are zero, not NaN.
static void points_do_not_turn(void **state) {
  (void)state;
  double positions[N], motions[6 * N];
  for (int i = 0; i < N; ++i)
    positions[i] = 4 + i % 3;
  mus_rigid_motions(1, positions, motions);
  for (int i = 9; i < 18; ++i)
    assert_true(motions[i] == 0);
  mus_rigid_motions(NODES, positions, motions); // rounding may leave a centre that is off by a bit
  for (int i = 3 * N; i < 6 * N; ++i)
    assert_true(fabs(motions[i]) <= 1);
}

static void constants_are_constant(void **state) {
  (void)state;
  double vectors[6 * 6 * NODES];
  for (int block = 1; block <= 6; ++block) {
    mus_constant_vectors(NODES, block, vectors);
    for (int k = 0; k < block; ++k)
      for (int i = 0; i < NODES * block; ++i)
        assert_true(vectors[k * NODES * block + i] == (i % block == k));
  }
}

static void threads_change_no_bits(void **state) {
  (void)state;
  enum { MANY = 4000 };
  double *positions = malloc(3 * MANY * sizeof *positions), *one = malloc(18 * MANY * sizeof *one);
  double *seven = malloc(18 * MANY * sizeof *seven);
  assert_true(positions && one && seven);
  for (int i = 0; i < 3 * MANY; ++i)
    positions[i] = mus_random(8, (uint64_t)i);
  mus_par_set_threads(1);
  mus_rigid_motions(MANY, positions, one);
  mus_par_set_threads(7);
  mus_rigid_motions(MANY, positions, seven);
  mus_par_set_threads(0);
  assert_memory_equal(one, seven, 18 * MANY * sizeof *one);
  free(positions), free(one), free(seven);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rigid_motions_are_rigid), cmocka_unit_test(rigid_motions_are_of_one_size_and_independent),
      cmocka_unit_test(translations_come_first), cmocka_unit_test(points_do_not_turn),
      cmocka_unit_test(constants_are_constant),  cmocka_unit_test(threads_change_no_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
