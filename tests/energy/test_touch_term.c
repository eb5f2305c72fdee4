// What keeps a vertex off bodies in steps that are minimised: its derivatives against finite differences, what a step
// begins with, searches that follow surfaces, and what presses at the end.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "energy/touch_term.h"

static const double length = 1.0 / 24;

// A turned frame, which has moved by the end.
static void place(double angle, double up, mus_touch_body *b) {
  for (int k = 0; k < 2; ++k) {
    double c = cos(angle + 0.2 * k), s = sin(angle + 0.2 * k), shift[3] = {0.1, up + 0.05 * k, -0.2};
    double map[12] = {c, -s, 0, shift[0], s, c, 0, shift[1], 0, 0, 1, shift[2]};
    if (k == 1) {
      memcpy(b->to, map, sizeof map);
      continue;
    }
    for (int r = 0; r < 3; ++r) {
      b->from[4 * r + 3] = 0;
      for (int d = 0; d < 3; ++d) {
        b->from[4 * r + d] = map[4 * d + r];
        b->from[4 * r + 3] -= map[4 * d + r] * shift[d];
      }
    }
  }
}

enum { BODIES = 6, GRID = 5, POINTS = 12 };

// Distances from a ball of 0.3 m, 0.1 m apart.
static float grid[POINTS * POINTS * POINTS];

static void make(mus_touch_body *b) {
  const mus_touch_body shapes[BODIES] = {
      {.shape = MUS_TOUCH_PLANE, .half = {5, 0, 5}},
      {.shape = MUS_TOUCH_CAPSULE, .half = {0, 0.1, 0}, .radius = 0.3},
      {.shape = MUS_TOUCH_BOX, .half = {0.4, 0.2, 0.3}, .radius = 0.05},
      {.shape = MUS_TOUCH_CYLINDER, .half = {0, 0.3, 0}, .radius = 0.2},
      {.shape = MUS_TOUCH_TORUS, .half = {0.1, 0, 0}, .radius = 0.3},
      {.shape = MUS_TOUCH_GRID, .origin = {-0.55, -0.55, -0.55}, .spacing = 0.1, .points = {POINTS, POINTS, POINTS}}};
  for (int i = 0; i < POINTS * POINTS * POINTS; ++i) {
    double p[3] = {i % POINTS * 0.1 - 0.55, i / POINTS % POINTS * 0.1 - 0.55, i / POINTS / POINTS * 0.1 - 0.55};
    grid[i] = (float)(sqrt(mus_dot3(p, p)) - 0.3);
  }
  for (int k = 0; k < BODIES; ++k) {
    b[k] = shapes[k];
    b[k].gap = 0.01;
    b[k].friction = 0.4;
    place(0.3 * k, 0.02 * k, &b[k]);
  }
}

// A point that is so deep in a body as the step ends, below the place of a direction.
static void point_in(const mus_touch_body *b, double gap, double depth, double u, double w, double *x) {
  double n[3];
  x[0] = b->to[3] + 0.5 * cos(u) * cos(w);
  x[1] = b->to[7] + 0.5 * sin(w);
  x[2] = b->to[11] + 0.5 * sin(u) * cos(w);
  for (int times = 0; times < 30; ++times) {
    double off = mus_touch_distance_at_end(b, grid, x, n) - gap + depth;
    for (int c = 0; c < 3; ++c)
      x[c] -= off * n[c];
  }
}

static double energy_at(const mus_touch_term *t, const mus_touch_among *among, const double *x0, const double *v) {
  double x[3];
  for (int c = 0; c < 3; ++c)
    x[c] = x0[c] + length * v[c];
  return mus_touch_term_energy(t, among, x, v);
}

static void impulse_at(const mus_touch_term *t, const mus_touch_among *among, const double *x0, const double *v,
                       double *block, double *right) {
  double x[3];
  for (int c = 0; c < 3; ++c)
    x[c] = x0[c] + length * v[c];
  memset(right, 0, 3 * sizeof *right);
  if (block)
    memset(block, 0, 9 * sizeof *block);
  mus_touch_term_load(t, among, x, v, block, right);
}

static void expect_near(double is, double ought, double allowed, const char *what, int k) {
  if (!(fabs(is - ought) <= allowed))
    fail_msg("body %d: %s is %g instead of %g", k, what, is, ought);
}

// The impulse is minus the slope of the energy. The matrix is that of the impulse for a plane and for friction; for
// curved bodies it is along the normal, where a distance has no curvature. It is never negative.
static void derivatives_are_those_of_the_energy(void **state) {
  (void)state;
  mus_touch_body body[BODIES];
  make(body);
  for (int k = 0; k < BODIES; ++k)
    for (int sample = 0; sample < 40; ++sample) {
      mus_touch_among among = {1, &body[k], grid, 0.005, length};
      mus_touch_term t = {.stiffness = 3, .give = 1e-3, .limit = 0.02 * (sample % 3), .velocity = {0.1, 0.2, -0.1}};
      double x0[3], v[3], x[3], n[3], right[3], block[9], scale = sample % 2 ? 1 : 3e-4, along[3];
      point_in(&body[k], 0.014, 0.004 * sin(sample + 0.5) * sin(sample + 0.5), 0.7 * sample, 0.4 * sin(1.0 * sample),
               x);
      mus_touch_distance_at_end(&body[k], grid, x, n);
      memcpy(t.normal, n, sizeof n);
      mus_touch_unit(t.normal);
      for (int c = 0; c < 3; ++c) {
        v[c] = t.velocity[c] + scale * sin(2.0 * sample + c);
        x0[c] = x[c] - length * v[c];
      }
      impulse_at(&t, &among, x0, v, block, right);
      for (int c = 0; c < 3; ++c) {
        const double step = 1e-7;
        double less[3], more[3], after[3], before[3], own = energy_at(&t, &among, x0, v);
        memcpy(less, v, sizeof v);
        memcpy(more, v, sizeof v);
        less[c] -= step;
        more[c] += step;
        double slope = (energy_at(&t, &among, x0, more) - energy_at(&t, &among, x0, less)) / (2 * step);
        expect_near(-right[c], slope, 1e-6 * (own + 1), "the slope", k);
        impulse_at(&t, &among, x0, less, NULL, before);
        impulse_at(&t, &among, x0, more, NULL, after);
        for (int r = 0; r < 3 && k == 0; ++r)
          expect_near(block[3 * r + c], (before[r] - after[r]) / (2 * step), 1e-4 * (3 + t.limit / MUS_TOUCH_CREEP),
                      "the second derivative", k);
        along[c] = 0;
        for (int r = 0; r < 3; ++r)
          along[c] += block[3 * c + r] * n[r];
      }
      double end[3], push[3];
      for (int c = 0; c < 3; ++c)
        end[c] = v[c] + 1e-6 * n[c];
      impulse_at(&t, &among, x0, end, NULL, push);
      if (k < GRID) // its slopes change from place to place
        expect_near(mus_dot3(along, n), (mus_dot3(right, n) - mus_dot3(push, n)) / 1e-6, 1e-3, "the stiffness", k);
      for (int way = 0; way < 20; ++way) {
        double d[3] = {sin(way), sin(2.0 * way + 1), sin(3.0 * way + 2)}, product = 0;
        for (int r = 0; r < 3; ++r)
          product += d[r] * mus_dot3(block + 3 * r, d);
        assert_true(product >= -1e-9 * (3 + t.limit / MUS_TOUCH_CREEP));
      }
    }
}

static mus_touch_term begin(const mus_touch_body *body, const double *x, double *v, double push) {
  const double gravity[3] = {0, -9.81, 0};
  mus_touch_among among = {1, body, NULL, 0.0005, length};
  double start[3] = {v[0], v[1], v[2]};
  mus_touch_vertex vertex = {x, start, x, 2e-5, 0.0005, push, length, length};
  mus_touch_term t;
  mus_touch_begin(&vertex, gravity, &among, 0.3, v, &t);
  return t;
}

static mus_touch_body ball(void) {
  mus_touch_body b = {.shape = MUS_TOUCH_CAPSULE, .radius = 0.1, .gap = 0.0005, .friction = 0.5};
  b.from[0] = b.from[5] = b.from[10] = b.to[0] = b.to[5] = b.to[10] = 1;
  return b;
}

// A vertex that falls through a ball within the step begins on its upper side, stopped by the impulse that it takes.
static void steps_begin_where_bodies_are_met(void **state) {
  (void)state;
  mus_touch_body b = ball();
  double x[3] = {0.01, 0.15, 0}, v[3] = {0, -8, 0}, n[3], end[3];
  mus_touch_term t = begin(&b, x, v, 0);
  for (int c = 0; c < 3; ++c)
    end[c] = x[c] + length * v[c];
  double off = mus_touch_distance_at_end(&b, NULL, end, n) - 0.001;
  assert_true(end[1] > 0.09 && off < 0 && off > -5e-4);
  assert_true(t.normal[1] > 0.99);
  assert_true(t.limit > 0.5 * 2e-5 * 6.5 && t.limit < 0.5 * 2e-5 * 8);
  assert_true(t.give == 0);

  // one that lies there is rubbed by what it was pushed with, and stays
  double lying[3] = {0, 0.101, 0}, still[3] = {0, 0, 0};
  t = begin(&b, lying, still, 0.004);
  assert_true(fabs(t.limit - 0.5 * 0.004 * length) < 1e-9);
  assert_true(t.stopped == 0 && fabs(still[1]) < 1e-4);

  // one that is far inside is brought back in part
  double inside[3] = {0, 0.05, 0}, rest[3] = {0, 0, 0};
  t = begin(&b, inside, rest, 0);
  assert_true(fabs(t.give - (0.051 - MUS_TOUCH_SPEED * length)) < 1e-9);

  // one that is far away meets nothing
  double away[3] = {0.5, 0.3, 0}, gone[3] = {1, 0, 0};
  t = begin(&b, away, gone, 0);
  assert_true(t.limit == 0 && gone[0] == 1 && gone[1] == 0);
}

static void searches_follow_surfaces(void **state) {
  (void)state;
  mus_touch_body b = ball();
  mus_touch_among among = {1, &b, NULL, 0.0005, length};
  mus_touch_term t = {.stiffness = 1};
  double n[3], out[3] = {0, 0.12, 0}, deep[3] = {0.01, -0.05, 0};
  // from outside, through the ball: stopped at the upper side
  assert_int_equal(mus_touch_guard(&t, &among, out, deep), 1);
  assert_true(deep[1] > 0.1);
  double inner[3] = {0.01, 0.08, 0};
  assert_int_equal(mus_touch_guard(&t, &among, out, inner), 1);
  expect_near(mus_touch_distance_at_end(&b, NULL, inner, n), 0.001 * (1 - MUS_TOUCH_ENTRY), 1e-9, "its distance", 0);
  // along the tangent from a place on it: it stays as deep
  double on[3] = {0, 0.1009, 0}, beside[3] = {0.02, 0.1009, 0};
  assert_int_equal(mus_touch_guard(&t, &among, on, beside), 1);
  expect_near(mus_touch_distance_at_end(&b, NULL, beside, n), 0.0009, 1e-7, "its distance", 0);
  // away from it, and nowhere
  double off[3] = {0, 0.13, 0}, same[3] = {0, 0.1009, 0};
  assert_int_equal(mus_touch_guard(&t, &among, on, off), 0);
  mus_touch_guard(&t, &among, on, same);
  expect_near(same[1], 0.1009, 1e-15, "its height", 0);
}

// A tenth of a millinewton, told by what other forces leave, whatever the depth.
static void what_presses_is_what_others_leave(void **state) {
  (void)state;
  mus_touch_body b = ball();
  mus_touch_among among = {1, &b, NULL, 0.0005, length};
  mus_touch_term t = {.stiffness = 0.1};
  mus_touched found;
  const double v[3] = {0, 0, 0};
  for (int k = 0; k < 3; ++k) {
    double depth = 1e-8 * k, x[3] = {0, 0.101 - depth, 0}, pressed = 1e-4 * length, impulse[3];
    double left[3] = {0, t.stiffness * depth / length - pressed, 0};
    double push = mus_touch_settle(&t, &among, x, v, left, &found);
    expect_near(push, 1e-4, 1e-9, "the push", k);
    expect_near(mus_touch_end(&found, v, length, impulse), k ? t.stiffness * depth / length / length : 0, 1e-9,
                "by depth", k);
  }
  double close[3] = {0, 0.10101, 0}, high[3] = {0, 0.102, 0};
  double lying = mus_touch_settle(&t, &among, close, v, v, &found);
  assert_true(lying > 0 && lying < 1e-200);
  assert_true(mus_touch_settle(&t, &among, high, v, v, &found) == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_are_those_of_the_energy), cmocka_unit_test(steps_begin_where_bodies_are_met),
      cmocka_unit_test(searches_follow_surfaces), cmocka_unit_test(what_presses_is_what_others_leave)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
