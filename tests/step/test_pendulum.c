// A stiff sheet that swings about its upper edge is a compound pendulum. Its period converges to that of mechanics,
//   T = 2 pi sqrt(I / (m g l)), I = sum of m_i r_i^2, m l = sum of m_i r_i,
// as steps get shorter. With steps of h, an oscillation of frequency w becomes one whose phase advances by atan(w h) a
// step for implicit Euler: its period is long by (w h)^2 / 3, an error of second order, although the amplitude it
// loses, w^2 h / 2 a second, is one of first order. BDF2 is of second order in the period and of third in what it
// loses, until that is so little (a two-hundredth of Euler's) that what one linearisation a step loses shows, too.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "support/runs.h"

static const double pi = 3.14159265358979323846;
enum { ROWS = 8 }; // of cells

// What a swing is like: its period, in s, and the logarithm of what a period takes off its amplitude.
typedef struct swing {
  double period, loss;
} swing;

// Least squares for y'' = p y' - q y over all triples of samples: the swing of which they are equidistant samples.
static swing fit(int count, const double *y, double h) {
  double a = 0, b = 0, c = 0, d = 0, e = 0;
  for (int k = 0; k + 2 < count; ++k) {
    a += y[k + 1] * y[k + 1];
    b += -y[k + 1] * y[k];
    c += y[k] * y[k];
    d += y[k + 1] * y[k + 2];
    e += -y[k] * y[k + 2];
  }
  double p = (d * c - e * b) / (a * c - b * b), q = (a * e - b * d) / (a * c - b * b);
  double angle = acos(p / (2 * sqrt(q))), period = 2 * pi / angle * h;
  return (swing){period, -log(q) / 2 * period / h};
}

// Three periods, from an angle of 1/200.
static swing measure(const char *integrator, double h) {
  enum { SAMPLES = 900 };
  char text[700];
  double y[SAMPLES];
  int count = (int)(2.2 / h);
  assert_true(count <= SAMPLES);
  snprintf(text, sizeof text,
           "{\"time_step\": %.9g, \"frame_rate\": %.9g, \"integrator\": \"%s\", \"air_density\": 0, \"solver\": "
           "{\"tolerance\": 1e-10}, \"cloths\": [{\"bend_scale\": 1e5, \"damping_scale\": 0, \"rotate\": [%.9g, 0, 0], "
           "\"shape\": {\"size\": [0.1, 0.2], \"vertices\": %d}, \"pins\": [{\"where\": {\"material\": [-1, -1, 1, "
           "-0.0999]}}]}]}",
           h, 1 / h, integrator, 90 + 0.005 * 180 / pi, (ROWS + 1) * (ROWS / 2 + 1));
  run *r = runs_scene(text);
  runs_begin(r);
  int last = 3 * (mus_sim_vertices(r->sim) - 1);
  for (int k = 0; k < count; ++k) {
    y[k] = mus_sim_positions(r->sim)[last + 2] - mus_sim_positions(r->sim)[2];
    runs_frame(r);
  }
  runs_free(r);
  return fit(count - 4, y + 4, h); // BDF2's first step is one of Euler's
}

// Of the sheet as it is cut: masses in rows, half as much in the first and the last.
static double exact_period(void) {
  double first = 0, second = 0;
  for (int row = 0; row <= ROWS; ++row) {
    double mass = row == ROWS ? 0.5 : 1, at = 0.2 * row / ROWS;
    first += mass * at;
    second += mass * at * at;
  }
  return 2 * pi * sqrt(second / (9.81 * first));
}

// Orders: two of the period, at least `loss_order` of the loss.
static void check(const char *integrator, double loss_order) {
  double exact = exact_period(), error[4], loss[4], h[4] = {0.02, 0.01, 0.005, 0.0025};
  for (int k = 0; k < 4; ++k) {
    swing s = measure(integrator, h[k]);
    error[k] = s.period / exact - 1;
    loss[k] = s.loss;
    print_message("%s, steps of %g ms: period %.5f s, off by %.4f %%; the amplitude decays by exp(-%.5f) a period",
                  integrator, 1000 * h[k], s.period, 100 * error[k], s.loss);
    if (k > 0) {
      double order = log2(error[k - 1] / error[k]), order_of_loss = log2(loss[k - 1] / loss[k]);
      print_message("; orders %.2f and %.2f", order, order_of_loss);
      assert_true(fabs(order - 2) < 0.3);
      assert_true(order_of_loss > loss_order - 0.1);
    }
    print_message("\n");
  }
  assert_true(fabs(error[3]) < 1e-3);
}

static void euler(void **state) {
  (void)state;
  print_message("exact: %.5f s; of a plate, %.5f s\n", exact_period(), 2 * pi * sqrt(2 * 0.2 / (3 * 9.81)));
  check("euler", 1);
}

static void bdf2(void **state) {
  (void)state;
  check("bdf2", 1.6);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(euler), cmocka_unit_test(bdf2)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
