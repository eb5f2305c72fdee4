// Continuous detection: pairs that are known to meet are never missed, however they move; pairs that stay apart are
// left alone; the time is right. A million more are in test_ccd_large.c.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "ccd_cases.h"
#include "collide/distance.h"

static double distance_at(const ccd_case *c, double time) {
  double x[4][3], weight[4];
  for (int k = 0; k < 4; ++k)
    for (int i = 0; i < 3; ++i)
      x[k][i] = (1 - time) * c->x0[k][i] + time * c->x1[k][i];
  return c->kind == MUS_VERTEX_FACE ? mus_vertex_face_distance((const double(*)[3])x, weight)
                                    : mus_edge_edge_distance((const double(*)[3])x, weight);
}

static void test_never_misses(void **state) {
  (void)state;
  ccd_counts counts = ask_cases(1, 30000, 10000);
  expect_all_found(&counts, 30000, 1000, 1000);
}

// Random pairs, and the least distance among many times.
static void random_case(uint64_t number, ccd_case *c) {
  c->kind = number % 2 ? MUS_VERTEX_FACE : MUS_EDGE_EDGE;
  c->size = 1;
  double speed = number % 3 == 0 ? 3 : 1;
  for (int k = 0; k < 4; ++k)
    for (int i = 0; i < 3; ++i) {
      uint64_t at = number * 24 + (uint64_t)(k * 3 + i);
      c->x0[k][i] = mus_random(5, at);
      c->x1[k][i] = c->x0[k][i] + speed * mus_random(6, at);
    }
}

static void test_tolerance(void **state) {
  (void)state;
  enum { SAMPLES = 512 };
  int close = 0, apart = 0;
  for (uint64_t number = 0; number < 20000; ++number) {
    ccd_case c;
    random_case(number, &c);
    double near = ldexp(0.2, -(int)(number % 8)), time = 2, least = INFINITY, first = 2;
    for (int i = 0; i <= SAMPLES; ++i) {
      double distance = distance_at(&c, (double)i / SAMPLES);
      least = distance < least ? distance : least;
      if (distance < near && first > 1)
        first = (double)i / SAMPLES;
    }
    int hit = case_impact(&c, near, &time);
    // Between two samples nothing comes closer than this by much: no point moves faster than 2 * 3 sqrt(3).
    double between_samples = 0.5 * 2 * 3 * sqrt(3) / SAMPLES;
    if (first <= 1) {
      ++close;
      assert_true(hit && time <= first);
      assert_true(distance_at(&c, time) < near * (1 + MUS_CCD_TOLERANCE) || time == 0);
    } else if (least - between_samples > near * (1 + MUS_CCD_TOLERANCE)) {
      ++apart;
      assert_false(hit);
    }
  }
  assert_true(close > 1000 && apart > 1000);
}

// A vertex that falls onto a triangle: the time is that of its height, within the tolerance.
static void test_fall(void **state) {
  (void)state;
  ccd_case c = {.kind = MUS_VERTEX_FACE,
                .x0 = {{0.2, 1, 0.2}, {0, 0, 0}, {1, 0, 0}, {0, 0, 1}},
                .x1 = {{0.2, -1, 0.2}, {0, 0, 0}, {1, 0, 0}, {0, 0, 1}}};
  double time, near = 0.1;
  assert_true(case_impact(&c, near, &time));
  assert_true(time <= 0.45 && time >= 0.45 - 0.5 * MUS_CCD_TOLERANCE * near);
  assert_true(case_impact(&c, 0, &time));
  assert_true(time <= 0.5 && time > 0.5 - 1e-12);
  c.x1[0][1] = 0.2;
  assert_false(case_impact(&c, near, &time));
}

// Closer than `near` from the start: at once. Half of that by its share of the distance: not while they only slide.
static void test_start(void **state) {
  (void)state;
  ccd_case c = {.kind = MUS_EDGE_EDGE,
                .x0 = {{0, 0, 0}, {1, 0, 0}, {0.5, 1e-5, -1}, {0.5, 1e-5, 1}},
                .x1 = {{0.4, 0, 0}, {1.4, 0, 0}, {0.5, 1e-5, -1}, {0.5, 1e-5, 1}}};
  double time = 9, near = 1e-3;
  assert_true(case_impact(&c, near, &time));
  assert_true(time == 0);
  assert_false(mus_pair_impact(c.kind, (const double(*)[3])c.x0, (const double(*)[3])c.x1, 0.5, &near, &time));
  assert_true(near == 0.5e-5);
  c.x1[2][1] = c.x1[3][1] = 0;
  assert_true(mus_pair_impact(c.kind, (const double(*)[3])c.x0, (const double(*)[3])c.x1, 0.5, &near, &time));
  assert_true(time > 0.4 && time <= 0.5);
}

// Closer together than roundings of their closest points allow a direction to be told from: still apart.
static void test_very_close(void **state) {
  (void)state;
  for (int k = 0; k < 2; ++k)
    for (double height = 1e-7; height > 1e-11; height /= 3) {
      ccd_case c = {.kind = k ? MUS_EDGE_EDGE : MUS_VERTEX_FACE,
                    .x0 = {{0.31, height, 0.27}, {0, 0, 0}, {1, 0, 0}, {0.1, 0, 1}},
                    .x1 = {{0.37, height, 0.21}, {0.02, 0, 0.01}, {1.1, 0, 0}, {0, 0, 1}}};
      if (k)
        for (int i = 0; i < 2; ++i) {
          double *p = i ? c.x1[0] : c.x0[0], *q = i ? c.x1[1] : c.x0[1];
          p[0] = -1;
          q[0] = 1.5, q[1] = height, q[2] = 0.6;
        }
      double time;
      assert_false(case_impact(&c, height / 2, &time));
    }
}

static void test_not_finite(void **state) {
  (void)state;
  for (int k = 0; k < 48; ++k) {
    ccd_case c;
    random_case((uint64_t)k / 24, &c);
    double time, *entry = k % 24 < 12 ? &c.x0[0][0] : &c.x1[0][0];
    entry[k % 12] = NAN;
    assert_true(case_impact(&c, 1e-9, &time));
    entry[k % 12] = INFINITY;
    assert_true(case_impact(&c, 1e-9, &time));
    entry[k % 12] = 1e300;
    case_impact(&c, 1e-9, &time);
    assert_true(time >= 0 && time <= 1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_never_misses), cmocka_unit_test(test_tolerance),  cmocka_unit_test(test_fall),
      cmocka_unit_test(test_start),        cmocka_unit_test(test_very_close), cmocka_unit_test(test_not_finite),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
