// The springs of Choi and Ko: the buckled beam's closed forms, forces, Jacobians, and what they must never be.
#include "energy/check.h"

#include "energy/choi_ko.h"

static double evaluate_stretch(const void *data, const mus_blend *blend, const double *x, const double *v,
                               double *gradient, double *block) {
  return mus_choi_ko_stretch_element(data, blend, x, v, gradient, block);
}

static double evaluate_bend(const void *data, const mus_blend *blend, const double *x, const double *v,
                            double *gradient, double *block) {
  return mus_choi_ko_bend_element(data, blend, x, v, gradient, block);
}

// A spring of type 2 of length 2 cm as a mesh of cotton has it.
static mus_buckling_rest beam(double limit) {
  mus_buckling_rest rest;
  mus_buckling_rest_make(0.02, 3e-7, limit, 0.01, &rest);
  return rest;
}

// Two points `length` apart in a random direction.
static void place(double length, uint64_t seed, double *x) {
  double r[9];
  check_rotation(seed, r);
  for (int k = 0; k < 3; ++k) {
    x[k] = 0.2 + 0.1 * k;
    x[3 + k] = x[k] + length * r[k];
  }
}

// S, G and G' against trigonometry, where that is not near zero, and at zero.
static void series(void **state) {
  (void)state;
  double s, g, slope;
  for (double z = 0.5; z <= MUS_PI * MUS_PI; z += 0.1) {
    double a = sqrt(z), c = cos(a), q = sin(a) / a;
    mus_buckling_series(z, &s, &g, &slope);
    check_near(s, q, 1e-15);
    check_near(g, (c - q) / z, 1e-14);
    // d/dz of (cos - sinc)/z, with dcos/dz = -sinc/2 and dsinc/dz = (cos - sinc)/(2z)
    check_near(slope, (-q / 2 - (c - q) / (2 * z)) / z - (c - q) / (z * z), 1e-13);
  }
  mus_buckling_series(0, &s, &g, &slope);
  check_near(s, 1, 0);
  check_near(g, -1.0 / 3, 1e-16);
  check_near(slope, 1.0 / 30, 1e-16);
}

static void inverse(void **state) {
  (void)state;
  double s, g, slope;
  for (int k = 0; k <= 1000; ++k) {
    double ratio = k / 1000.0, z = mus_buckling_inverse(ratio);
    mus_buckling_series(z, &s, &g, &slope);
    check_near(s, ratio, 1e-15);
    assert_true(z >= 0 && z <= MUS_PI * MUS_PI * (1 + 1e-14));
  }
  check_near(mus_buckling_inverse(0), MUS_PI * MUS_PI, 1e-13);
  check_near(mus_buckling_inverse(1 - 1e-12), 6e-12, 1e-15);
}

// Arc and chord: the beam's energy is k_b/2 L kappa^2 with the kappa that makes the chord, by bisection; its tension
// ends at -12 and -4 pi^2 k_b/L^2.
static void beam_by_hand(void **state) {
  (void)state;
  double length = 0.02, stiffness = 3e-7, energy, tension, slope;
  for (double ratio = 0.05; ratio < 1; ratio += 0.05) {
    double low = 1e-9, high = 2 * MUS_PI / length;
    for (int k = 0; k < 200; ++k) {
      double kappa = (low + high) / 2;
      if (2 / kappa * sin(kappa * length / 2) > ratio * length)
        low = kappa;
      else
        high = kappa;
    }
    mus_buckling_beam(length, stiffness, mus_buckling_inverse(ratio), &energy, &tension, &slope);
    check_near(energy / (stiffness / 2 * length * low * low), 1, 1e-12);
    double a = low * length / 2;
    check_near(tension / (stiffness * low * low / (cos(a) - sin(a) / a)), 1, 1e-10);
    assert_true(slope > 0);
  }
  mus_buckling_beam(length, stiffness, 0, &energy, &tension, &slope);
  check_near(tension * length * length / stiffness, -12, 1e-12);
  mus_buckling_beam(length, stiffness, MUS_PI * MUS_PI, &energy, &tension, &slope);
  check_near(tension * length * length / stiffness, -4 * MUS_PI * MUS_PI, 1e-11);
}

static void every_state(void (*look)(const checked *, const double *, const double *, uint64_t)) {
  mus_spring_rest spring = {0.02, 500, 0.3};
  mus_buckling_rest soft = beam(0.05), medium = beam(1), stiff = beam(50);
  const checked kinds[] = {{2, &spring, evaluate_stretch},
                           {2, &soft, evaluate_bend},
                           {2, &medium, evaluate_bend},
                           {2, &stiff, evaluate_bend}};
  for (uint64_t seed = 1; seed <= 30; ++seed)
    for (int kind = 0; kind < 4; ++kind)
      for (double ratio = 0.013; ratio < 1.6; ratio += 0.1) {
        double x[6], v[6];
        place(0.02 * ratio, seed, x);
        check_fill(6, 1, seed + 7, v);
        look(&kinds[kind], x, v, seed);
      }
}

static void look_at_everything(const checked *c, const double *x, const double *v, uint64_t seed) {
  check_force(c, x, 1e-8, 1e-6, 1e-7);
  check_hessian(c, x, 1e-8, 1e-5, 1e-5);
  check_damping_matrix(c, x, v, 1e-9);
  check_definite_matrix(c, x);
  check_blend(c, x, v, (int)(seed % 2));
  check_balance(c, x, v);
  check_invariance(c, x, v, seed);
}

static void forces_and_jacobians(void **state) {
  (void)state;
  every_state(look_at_everything);
}

// Type 1 is slack under compression, type 2 under tension.
static void slack(void **state) {
  (void)state;
  mus_spring_rest spring = {0.02, 500, 0.3};
  mus_buckling_rest bend = beam(1);
  checked one = {2, &spring, evaluate_stretch}, two = {2, &bend, evaluate_bend};
  double x[6], v[6] = {0, 0, 0, 1, 2, 3}, gradient[6];
  place(0.019, 1, x);
  check_gradient(&one, x, v, gradient);
  assert_true(check_largest(6, gradient) == 0 && check_energy(&one, x) == 0);
  check_gradient(&two, x, v, gradient);
  assert_true(check_largest(6, gradient) > 0 && check_energy(&two, x) > 0);
  place(0.021, 1, x);
  check_gradient(&two, x, v, gradient);
  assert_true(check_largest(6, gradient) == 0 && check_energy(&two, x) == 0);
  check_gradient(&one, x, NULL, gradient);
  check_near(sqrt(mus_dot3(gradient, gradient)), 500 * 0.001, 1e-12);
}

// Both types damp the rate of their length while they act.
static void damping(void **state) {
  (void)state;
  mus_spring_rest spring = {0.02, 500, 0.3};
  mus_buckling_rest bend = beam(1);
  checked one = {2, &spring, evaluate_stretch}, two = {2, &bend, evaluate_bend};
  double x[6] = {0, 0, 0, 0.021, 0, 0}, v[6] = {0, 1, 0, 2, 0, 0}, gradient[6], still[6];
  check_gradient(&one, x, v, gradient);
  check_near(gradient[3], 500 * 0.001 + 0.3 * 2, 1e-12);
  check_near(gradient[0], -gradient[3], 0);
  check_near(gradient[4], 0, 0);
  for (x[3] = 0.005; x[3] < 0.02; x[3] += 0.002) {
    check_gradient(&two, x, v, gradient);
    check_gradient(&two, x, NULL, still);
    check_near(gradient[3] - still[3], 0.01 * 2, 1e-12);
  }
}

// Energy and force are continuous where the linear spring hands over to the beam, and the weaker of the two acts.
static void handing_over(void **state) {
  (void)state;
  double limits[] = {1e-3, 0.05, 1, 50, 1e4};
  for (int k = 0; k < 5; ++k) {
    mus_buckling_rest rest = beam(limits[k]);
    checked c = {2, &rest, evaluate_bend};
    for (double ratio = 0.01; ratio < 1; ratio += 0.01) {
      double x[6], gradient[6], energy, tension, slope;
      place(0.02 * ratio, 1, x);
      check_gradient(&c, x, NULL, gradient);
      mus_buckling_beam(0.02, 3e-7, mus_buckling_inverse(ratio), &energy, &tension, &slope);
      double linear = limits[k] * 0.02 * (ratio - 1);
      check_near(-sqrt(mus_dot3(gradient, gradient)), tension > linear ? tension : linear, 1e-9 * fabs(linear));
    }
    if (rest.crossover <= 0)
      continue;
    double below[6], above[6], step = 1e-7 * (rest.length - rest.crossover);
    place(rest.crossover - step, 1, below);
    place(rest.crossover + step, 1, above);
    check_near(check_energy(&c, below) / check_energy(&c, above), 1, 1e-6);
  }
  assert_true(beam(1e-3).crossover == 0 && beam(50).crossover > 0.019);
}

static void degenerate_states(void **state) {
  (void)state;
  mus_spring_rest spring = {0.02, 500, 0.3};
  mus_buckling_rest bend = beam(1), linear = beam(1e-3);
  const checked kinds[] = {{2, &spring, evaluate_stretch}, {2, &bend, evaluate_bend}, {2, &linear, evaluate_bend}};
  double x[6] = {1, 2, 3, 1, 2, 3}, v[6] = {0, 0, 0, 1, 2, 3}, gradient[6];
  for (int k = 0; k < 3; ++k) {
    x[3] = 1;
    check_finite(&kinds[k], x, v);
    check_gradient(&kinds[k], x, v, gradient);
    assert_true(check_largest(6, gradient) == 0);
    check_definite_matrix(&kinds[k], x);
    x[3] = 1 + 1e-15;
    check_finite(&kinds[k], x, v);
    check_definite_matrix(&kinds[k], x);
    x[3] = 1e9;
    check_finite(&kinds[k], x, v);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(series),
      cmocka_unit_test(inverse),
      cmocka_unit_test(beam_by_hand),
      cmocka_unit_test(slack),
      cmocka_unit_test(damping),
      cmocka_unit_test(handing_over),
      cmocka_unit_test(forces_and_jacobians),
      cmocka_unit_test(degenerate_states),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
