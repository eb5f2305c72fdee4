// Gravity, drag and wind.
#include "energy/check.h"

#include "energy/external.h"

static const mus_air air = {1.2, 1.3, 0.05};

// Drag seen as an element: the gradient depends on velocities; there is no energy.
typedef struct draught {
  mus_air air;
  double wind[3];
} draught;

static double evaluate(const void *data, const mus_blend *blend, const double *x, const double *v, double *gradient,
                       double *block) {
  static const double still[9] = {0};
  const draught *d = data;
  for (int k = 0; k < 9 && gradient; ++k)
    gradient[k] = 0;
  for (int k = 0; k < 54 && block; ++k)
    block[k] = 0;
  mus_drag_element(&d->air, blend, d->wind, x, v ? v : still, gradient, block);
  return 0;
}

// A square metre's half, broadside on and edge on, in still air and in wind.
static void known_values(void **state) {
  (void)state;
  double x[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, v[9] = {0}, calm[3] = {0, 0, 0}, gradient[9] = {0};
  for (int i = 0; i < 3; ++i)
    v[3 * i + 2] = 3;
  mus_drag_element(&air, &check_damping, calm, x, v, gradient, NULL);
  for (int i = 0; i < 3; ++i) {
    check_near(gradient[3 * i + 2], 1.2 / 2 * 0.5 * 1.3 * 9 / 3, 1e-12); // against the motion
    check_near(gradient[3 * i], 0, 0);
  }
  double wind[3] = {4, 0, 3}; // the normal part moves along, the wind strokes the surface
  memset(gradient, 0, sizeof gradient);
  mus_drag_element(&air, &check_damping, wind, x, v, gradient, NULL);
  check_near(gradient[0], -1.2 / 2 * 0.5 * 0.05 * 16 / 3, 1e-12);
  check_near(gradient[2], 0, 1e-15);
}

static void jacobians(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    draught d = {air, {mus_random(seed, 0), mus_random(seed, 1), mus_random(seed, 2)}};
    checked c = {3, &d, evaluate};
    double x[9], v[9], full[81], differences[81], largest;
    check_fill(9, 0.01, seed, x);
    check_fill(9, 5, seed + 1000, v);
    mus_blend damping = {0, 1, 0, 0, 0};
    double block[54];
    evaluate(&d, &damping, x, v, NULL, block);
    mus_full_matrix(3, block, full);
    check_differences(&c, x, v, 1, 1e-5, differences);
    check_close("drag by velocity", 81, full, differences, 1e-6, 1e-12);
    double least = check_least_eigenvalue(9, full, &largest);
    assert_true(least >= -1e-13 * largest);
    check_finite(&c, x, v);
    double power = 0, gradient[9];
    evaluate(&d, &damping, x, v, gradient, NULL);
    for (int k = 0; k < 9; ++k)
      power -= gradient[k] * ((v[k % 3] + v[3 + k % 3] + v[6 + k % 3]) / 3 - d.wind[k % 3]);
    assert_true(power <= 0); // drag takes energy from what moves through the air
  }
}

static void degenerate_states(void **state) {
  (void)state;
  draught d = {air, {1, 2, 3}};
  checked c = {3, &d, evaluate};
  double x[9] = {0, 0, 0, 1, 1, 1, 2, 2, 2}, v[9] = {0}, gradient[9];
  check_finite(&c, x, v);
  evaluate(&d, &check_damping, x, v, gradient, NULL);
  assert_true(check_largest(9, gradient) < 1e-14);
  memset(x, 0, sizeof x);
  check_finite(&c, x, v);
  evaluate(&d, &check_damping, x, v, gradient, NULL);
  assert_true(check_largest(9, gradient) == 0);
  double y[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}; // at rest in still air
  memset(d.wind, 0, sizeof d.wind);
  check_finite(&c, y, v);
}

static void calm_wind_is_its_mean(void **state) {
  (void)state;
  double mean[3] = {3, -1, 2}, x[3] = {5, 6, 7}, w[3];
  mus_gusts gusts;
  mus_gusts_make(mean, 0, 2, 1, &gusts);
  mus_wind_at(mean, &gusts, x, 1.5, w);
  check_close("wind", 3, w, mean, 0, 0);
  mus_wind_at(mean, NULL, x, 1.5, w);
  check_close("wind", 3, w, mean, 0, 0);
}

// Over many places and times gusts average out, are as strong as asked for, and have no divergence; without a mean
// wind there are none.
static void gusts_are_as_strong_as_asked_for(void **state) {
  (void)state;
  double mean[3] = {3, -1, 2}, calm[3] = {0, 0, 0}, speed = sqrt(14), sum[3] = {0, 0, 0}, squares = 0, w[3];
  enum { SAMPLES = 200000 };
  mus_gusts gusts;
  mus_gusts_make(mean, 0.4, 2, 7, &gusts);
  for (int k = 0; k < SAMPLES; ++k) {
    double x[3] = {50 * mus_random(1, (uint64_t)(4 * k)), 50 * mus_random(1, (uint64_t)(4 * k + 1)),
                   50 * mus_random(1, (uint64_t)(4 * k + 2))};
    mus_wind_at(mean, &gusts, x, 100 * mus_random(1, (uint64_t)(4 * k + 3)), w);
    for (int m = 0; m < 3; ++m) {
      sum[m] += w[m] / SAMPLES;
      squares += (w[m] - mean[m]) * (w[m] - mean[m]) / SAMPLES;
    }
  }
  check_close("mean", 3, sum, mean, 0.01, 0);
  check_near(sqrt(squares), 0.4 * speed, 0.01 * speed);
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    double divergence = 0, steepest = 0;
    for (int m = 0; m < 3; ++m)
      for (int n = 0; n < 3; ++n) {
        double x[3], above[3], below[3];
        check_fill(3, 5, seed, x);
        x[m] += 1e-5;
        mus_wind_at(mean, &gusts, x, 2, above);
        x[m] -= 2e-5;
        mus_wind_at(mean, &gusts, x, 2, below);
        double slope = (above[n] - below[n]) / 2e-5;
        divergence += m == n ? slope : 0;
        steepest = fmax(steepest, fabs(slope));
      }
    assert_true(fabs(divergence) < 1e-6 * steepest);
  }
  double x[3] = {1, 2, 3};
  mus_wind_at(calm, &gusts, x, 1, w);
  assert_true(check_largest(3, w) == 0);
}

// The same place and time always have the same wind, other seeds another; gusts are carried along with the wind.
static void gusts_have_no_memory(void **state) {
  (void)state;
  double mean[3] = {3, -1, 2}, x[3] = {1, 2, 3}, w[3], again[3];
  mus_gusts one, same, other;
  mus_gusts_make(mean, 0.4, 2, 7, &one);
  mus_gusts_make(mean, 0.4, 2, 7, &same);
  mus_gusts_make(mean, 0.4, 2, 8, &other);
  mus_wind_at(mean, &one, x, 2, w);
  mus_wind_at(mean, &same, x, 2, again);
  check_close("the same wind", 3, again, w, 0, 0);
  mus_wind_at(mean, &other, x, 2, again);
  assert_true(fabs(again[0] - w[0]) + fabs(again[1] - w[1]) > 1e-3);
  for (int k = 0; k < one.waves; ++k)
    one.wave[k].frequency = 0;
  mus_wind_at(mean, &one, x, 2, w);
  for (int m = 0; m < 3; ++m)
    x[m] += 0.7 * mean[m];
  mus_wind_at(mean, &one, x, 2.7, again);
  check_close("carried along", 3, again, w, 1e-12, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_values),
      cmocka_unit_test(jacobians),
      cmocka_unit_test(degenerate_states),
      cmocka_unit_test(calm_wind_is_its_mean),
      cmocka_unit_test(gusts_are_as_strong_as_asked_for),
      cmocka_unit_test(gusts_have_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
