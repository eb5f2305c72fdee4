// Pairs of triangles on small lattices, where every degenerate case comes up, against another exact method.
//
// Two convex sets meet when 0 is in the hull of the differences of their points, and then it is in the hull of at most
// four of them (Caratheodory 1907), which are looked through one after the other.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/random.h"
#include "check/triangle_pairs.h"

enum { CASES = 60000 };

// --- the other method ------------------------------------------------------------------------------------------------

typedef struct whole3 {
  long c[3];
} whole3;

static whole3 minus(whole3 a, whole3 b) { return (whole3){{a.c[0] - b.c[0], a.c[1] - b.c[1], a.c[2] - b.c[2]}}; }
static long dot(whole3 a, whole3 b) { return a.c[0] * b.c[0] + a.c[1] * b.c[1] + a.c[2] * b.c[2]; }
static whole3 cross(whole3 a, whole3 b) {
  return (whole3){
      {a.c[1] * b.c[2] - a.c[2] * b.c[1], a.c[2] * b.c[0] - a.c[0] * b.c[2], a.c[0] * b.c[1] - a.c[1] * b.c[0]}};
}
static int is_zero(whole3 a) { return a.c[0] == 0 && a.c[1] == 0 && a.c[2] == 0; }
static whole3 negative(whole3 a) { return minus((whole3){{0, 0, 0}}, a); }

static int in_segment(whole3 a, whole3 b) { return is_zero(cross(a, b)) && dot(a, b) <= 0; }

static int in_triangle(whole3 a, whole3 b, whole3 c) {
  whole3 normal = cross(minus(b, a), minus(c, a));
  return !is_zero(normal) && dot(normal, a) == 0 && dot(normal, cross(a, b)) >= 0 && dot(normal, cross(b, c)) >= 0 &&
         dot(normal, cross(c, a)) >= 0;
}

// Each corner and 0 on the same side of the face across from it.
static int in_tetrahedron(const whole3 p[4]) {
  for (int k = 0; k < 4; ++k) {
    whole3 a = p[(k + 1) % 4], normal = cross(minus(p[(k + 2) % 4], a), minus(p[(k + 3) % 4], a));
    long corner = dot(normal, minus(p[k], a)), origin = dot(normal, negative(a));
    if (corner == 0 || (corner > 0 ? origin < 0 : origin > 0))
      return 0;
  }
  return 1;
}

static int in_hull(int count, const whole3 *p) {
  for (int i = 0; i < count; ++i)
    for (int j = 0; j <= i; ++j)
      for (int k = 0; k <= j; ++k) {
        if (in_segment(p[i], p[j]) || in_triangle(p[i], p[j], p[k]))
          return 1;
        for (int l = 0; l < k; ++l)
          if (in_tetrahedron((whole3[4]){p[i], p[j], p[k], p[l]}))
            return 1;
      }
  return 0;
}

static int meet(const whole3 s[3], const whole3 t[3]) {
  whole3 difference[9];
  for (int k = 0; k < 9; ++k)
    difference[k] = minus(s[k / 3], t[k % 3]);
  return in_hull(9, difference);
}

static int has_area(const whole3 t[3]) { return !is_zero(cross(minus(t[1], t[0]), minus(t[2], t[0]))); }

// From the corner, each triangle with area is a cone; cones have a ray in common when some mean of the directions of
// one and the opposite directions of the other is 0.
static int meet_beyond_corner(const whole3 s[3], const whole3 t[3]) {
  const whole3 direction[4] = {minus(s[1], s[0]), minus(s[2], s[0]), minus(t[0], t[1]), minus(t[0], t[2])};
  return in_hull(4, direction);
}

static int meet_beyond_edge(const whole3 s[3], const whole3 t[3]) {
  whole3 edge = minus(s[1], s[0]), n = cross(edge, minus(s[2], s[0])), m = cross(edge, minus(t[2], t[0]));
  return is_zero(cross(n, m)) && dot(n, m) > 0;
}

// --- comparisons -----------------------------------------------------------------------------------------------------

typedef int (*pair_test)(const double *const s[3], const double *const t[3]);

// Neither the order of the corners behind `fixed` shared ones nor that of the triangles may matter.
static void compare(pair_test test, int fixed, const whole3 s[3], const whole3 t[3], int expected) {
  double x[6][3];
  for (int i = 0; i < 6; ++i)
    for (int k = 0; k < 3; ++k)
      x[i][k] = 0.1f * 0x1p-10 + (double)(i < 3 ? s[i] : t[i - 3]).c[k] * 0x1p-14; // coordinates of many bits
  const double *p[3] = {x[0], x[1], x[2]}, *q[3] = {x[3], x[4], x[5]};
  assert_int_equal(test(p, q), expected);
  assert_int_equal(test(q, p), expected);
  if (fixed < 2) {
    const double *turned[3] = {p[0], p[2], p[1]};
    assert_int_equal(test(turned, q), expected);
    assert_int_equal(test(q, turned), expected);
  }
  if (fixed == 0) {
    const double *turned[3] = {q[2], q[0], q[1]};
    assert_int_equal(test(p, turned), expected);
  }
}

static void fill(uint64_t n, long range, whole3 s[3], whole3 t[3]) {
  for (uint64_t i = 0; i < 18; ++i)
    (i < 9 ? s : t)[i / 3 % 3].c[i % 3] = (long)(mus_random_bits(11, 18 * n + i) % (uint64_t)range);
}

static void apart_or_not(void **state) {
  (void)state;
  int met = 0, without_area = 0;
  for (uint64_t n = 0; n < CASES; ++n) {
    whole3 s[3], t[3];
    fill(n, 2 + (long)(n % 6), s, t);
    if (n % 5 == 0)
      for (int i = 0; i < 3; ++i)
        s[i].c[0] = t[i].c[0] = 1; // in one plane
    int expected = meet(s, t);
    met += expected;
    without_area += !has_area(s) || !has_area(t);
    compare(mus_triangles_meet, 0, s, t, expected);
  }
  assert_in_range(met, CASES / 10, CASES * 9 / 10);
  assert_true(without_area > CASES / 50);
}

static void a_common_corner(void **state) {
  (void)state;
  int met = 0, compared = 0;
  for (uint64_t n = 0; n < CASES; ++n) {
    whole3 s[3], t[3];
    fill(n, 2 + (long)(n % 6), s, t);
    if (n % 4 == 0)
      for (int i = 0; i < 3; ++i)
        s[i].c[1] = t[i].c[1] = s[0].c[1];
    t[0] = s[0];
    if (!has_area(s) || !has_area(t))
      continue;
    int expected = meet_beyond_corner(s, t);
    met += expected;
    ++compared;
    compare(mus_triangles_meet_beyond_corner, 1, s, t, expected);
  }
  assert_in_range(met, compared / 20, compared * 9 / 10);
}

static void a_common_edge(void **state) {
  (void)state;
  int met = 0;
  for (uint64_t n = 0; n < CASES; ++n) {
    whole3 s[3], t[3];
    fill(n, 2 + (long)(n % 4), s, t);
    t[0] = s[0];
    t[1] = s[1];
    int expected = meet_beyond_edge(s, t);
    met += expected;
    compare(mus_triangles_meet_beyond_edge, 2, s, t, expected);
  }
  assert_in_range(met, CASES / 50, CASES / 2);
}

// Triangles without area that share a corner: segments, and points on them.
static void corners_without_area(void **state) {
  (void)state;
  const whole3 o = {{0, 0, 0}}, x = {{2, 0, 0}}, minus_x = {{-2, 0, 0}}, y = {{0, 2, 0}}, z = {{0, 0, 2}};
  const whole3 minus_y = {{0, -2, 0}}, xy = {{1, 1, 0}};
  const struct {
    whole3 s[3], t[3];
    int met;
  } cases[] = {
      {{o, x, minus_x}, {o, y, z}, 0},       // a segment through the corner of a triangle
      {{o, y, minus_y}, {o, y, z}, 1},       // along its edge
      {{o, xy, minus_x}, {o, x, y}, 1},      // a triangle, into another in its plane
      {{o, minus_x, minus_x}, {o, x, y}, 0}, // a segment that ends at the corner
      {{o, xy, xy}, {o, x, y}, 1},           // and one that goes on inside
      {{o, x, minus_x}, {o, y, minus_y}, 0}, // two segments that cross at the corner
      {{o, x, minus_x}, {o, x, x}, 1},       // and two on a line
      {{o, o, o}, {o, x, y}, 1},             // three vertices at one place touch what is there
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k)
    compare(mus_triangles_meet_beyond_corner, 1, cases[k].s, cases[k].t, cases[k].met);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(apart_or_not), cmocka_unit_test(a_common_corner),
                                     cmocka_unit_test(a_common_edge), cmocka_unit_test(corners_without_area)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
