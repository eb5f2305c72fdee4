// Sides of planes and lines against exact whole-number arithmetic, on random, degenerate and nearly degenerate points.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "check/predicates.h"

__extension__ typedef __int128 wide;
enum { CASES = 100000, SPLIT = 62 };

static int sign_of(wide value) { return (value > 0) - (value < 0); }

// Coordinates are whole numbers below 2^60, so minors are below 2^123, and the sum of three products of these with
// numbers below 2^61 is kept in two parts.
static int exact_plane(int64_t p[4][3]) {
  wide high = 0, low = 0;
  int64_t u[3], v[3], w[3];
  for (int k = 0; k < 3; ++k) {
    u[k] = p[1][k] - p[0][k];
    v[k] = p[2][k] - p[0][k];
    w[k] = p[3][k] - p[0][k];
  }
  for (int k = 0; k < 3; ++k) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    wide minor = (wide)u[i] * v[j] - (wide)u[j] * v[i];
    high += (minor >> SPLIT) * w[k];
    low += (minor & (((wide)1 << SPLIT) - 1)) * w[k];
  }
  high += low >> SPLIT;
  low &= ((wide)1 << SPLIT) - 1;
  return high != 0 ? sign_of(high) : sign_of(low);
}

static int exact_line(int axis, int64_t p[4][3]) {
  int i = (axis + 1) % 3, j = (axis + 2) % 3;
  return sign_of((wide)(p[1][i] - p[0][i]) * (p[2][j] - p[0][j]) - (wide)(p[1][j] - p[0][j]) * (p[2][i] - p[0][i]));
}

static int64_t random_whole(uint64_t seed, uint64_t k, int bits) {
  return (int64_t)(mus_random_bits(seed, k) >> (63 - bits)) - ((int64_t)1 << bits);
}

// Compares all answers for four points; `scale` is a power of two. Returns whether the plane's answer was zero.
static int compare(int64_t p[4][3], double scale) {
  double x[4][3];
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 3; ++k) {
      x[i][k] = (double)p[i][k] * scale;
      assert_true((int64_t)(x[i][k] / scale) == p[i][k]); // or it would be another number
    }
  int exact = exact_plane(p);
  assert_int_equal(mus_side_of_plane(x[0], x[1], x[2], x[3]), exact);
  assert_int_equal(mus_side_of_plane(x[1], x[0], x[2], x[3]), -exact);
  assert_int_equal(mus_side_of_plane(x[1], x[2], x[3], x[0]), -exact);
  assert_int_equal(mus_side_of_plane(x[3], x[2], x[1], x[0]), exact);
  for (int axis = 0; axis < 3; ++axis) {
    int line = exact_line(axis, p);
    assert_int_equal(mus_side_of_line(axis, x[0], x[1], x[2]), line);
    assert_int_equal(mus_side_of_line(axis, x[1], x[2], x[0]), line);
    assert_int_equal(mus_side_of_line(axis, x[2], x[1], x[0]), -line);
  }
  return exact == 0;
}

static void small_lattices(void **state) {
  (void)state;
  int zeros = 0;
  for (uint64_t n = 0; n < CASES; ++n) {
    int64_t p[4][3];
    for (int i = 0; i < 12; ++i)
      p[i / 3][i % 3] = random_whole(1, 12 * n + (uint64_t)i, 1 + (int)(n % 3));
    zeros += compare(p, 0x1p-20);
  }
  assert_in_range(zeros, CASES / 20, CASES / 2);
}

// Sizes from a few bits to 59, so that differences are rounded too.
static void numbers_of_all_sizes(void **state) {
  (void)state;
  for (uint64_t n = 0; n < CASES; ++n) {
    int64_t p[4][3];
    for (uint64_t i = 0; i < 12; ++i) {
      uint64_t bits = mus_random_bits(2, 24 * n + 2 * i);
      int used = 2 + (int)(bits % 50), shift = (int)((bits >> 32) % (uint64_t)(59 - used));
      p[i / 3][i % 3] = random_whole(3, 24 * n + i, used) * ((int64_t)1 << shift);
    }
    compare(p, n % 2 ? 0x1p-100 : 0x1p+60);
  }
}

// A point of the plane through three others, or one that is off it by the least that can be written.
static void nearly_coplanar_points(void **state) {
  (void)state;
  int zeros = 0;
  for (uint64_t n = 0; n < CASES; ++n) {
    int64_t p[4][3], r = random_whole(4, 4 * n, 3), s = random_whole(4, 4 * n + 1, 3);
    int size = 4 + (int)(n % 44); // below 2^53 with the factors: each is a double
    for (uint64_t i = 0; i < 9; ++i)
      p[i / 3][i % 3] = random_whole(5, 9 * n + i, size);
    for (int k = 0; k < 3; ++k)
      p[3][k] = p[0][k] + r * (p[1][k] - p[0][k]) + s * (p[2][k] - p[0][k]);
    zeros += compare(p, 0x1p-30);
    p[3][n % 3] += n % 2 ? 1 : -1;
    compare(p, 0x1p-30);
  }
  assert_int_equal(zeros, CASES);
}

// Single-precision numbers as caches have them: the same point of a line, seen from afar.
static void nearly_collinear_points(void **state) {
  (void)state;
  for (uint64_t n = 0; n < CASES; ++n) {
    int64_t p[4][3], offset = (int64_t)1 << (20 + n % 30), t = random_whole(6, 8 * n, 4);
    for (uint64_t k = 0; k < 3; ++k) {
      int64_t step = random_whole(6, 8 * n + 1 + k, 10);
      p[0][k] = offset;
      p[1][k] = offset + step;
      p[2][k] = offset + t * step;
      p[3][k] = offset + random_whole(7, 8 * n + k, 12);
    }
    assert_true(compare(p, 0x1p-24));
    p[2][n % 3] += 1;
    compare(p, 0x1p-24);
  }
}

static void the_limits_of_size(void **state) {
  (void)state;
  const double sizes[] = {MUS_EXACT_SMALLEST, 1, MUS_EXACT_LARGEST};
  for (int k = 0; k < 3; ++k) {
    double s = sizes[k], t = s * (1 + 0x1p-52);
    const double a[3] = {0, 0, 0}, b[3] = {s, s, s}, c[3] = {t, s, s}, d[3] = {t, t, s}, e[3] = {s, t, t};
    assert_int_equal(mus_side_of_plane(a, b, c, d), 1);
    assert_int_equal(mus_side_of_plane(a, b, c, e), 0); // (s, t, t) = multiples of the others' differences
    assert_int_equal(mus_side_of_line(2, a, b, c), -1);
    assert_int_equal(mus_side_of_line(2, a, b, d), 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(small_lattices), cmocka_unit_test(numbers_of_all_sizes),
                                     cmocka_unit_test(nearly_coplanar_points),
                                     cmocka_unit_test(nearly_collinear_points), cmocka_unit_test(the_limits_of_size)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
