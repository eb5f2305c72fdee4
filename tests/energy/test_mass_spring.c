// Plain springs: forces, Hessians, damping, and what they must never be.
#include "energy/check.h"

#include "energy/mass_spring.h"

static double evaluate(const void *data, const mus_blend *blend, const double *x, const double *v, double *gradient,
                       double *block) {
  return mus_spring_element(data, blend, x, v, gradient, block);
}

static const mus_spring_rest spring = {0.02, 100, 0.3};
static const checked plain = {2, &spring, evaluate};

static void forces_and_jacobians(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    double x[6], v[6];
    check_fill(6, seed % 2 ? 0.04 : 0.008, seed, x);
    check_fill(6, 1, seed + 1000, v);
    check_force(&plain, x, 1e-7, 1e-6, 1e-6);
    check_hessian(&plain, x, 1e-7, 1e-5, 1e-2);
    check_damping_matrix(&plain, x, v, 1e-9);
    check_definite_matrix(&plain, x);
    check_blend(&plain, x, v, (int)(seed % 2));
    check_balance(&plain, x, v);
    check_invariance(&plain, x, v, seed);
    check_rigid_velocity(&plain, x, seed);
  }
}

// Nothing is dropped in extension; only what points across is, under compression.
static void what_is_dropped(void **state) {
  (void)state;
  double x[6] = {0, 0, 0, 0.03, 0, 0}, exact[36], definite[36];
  check_matrix(&plain, &check_exact, x, exact);
  check_matrix(&plain, &check_definite, x, definite);
  check_close("extension", 36, definite, exact, 1e-15, 0);
  check_near(definite[7], 100 * (1 - 2.0 / 3), 1e-12);
  x[3] = 0.01;
  check_matrix(&plain, &check_definite, x, definite);
  check_near(definite[0], 100, 1e-12);
  check_near(definite[7], 0, 0);
}

static void known_values(void **state) {
  (void)state;
  double x[6] = {1, 0, 0, 1, 0.05, 0}, v[6] = {0, 0, 0, 5, 2, 0}, gradient[6];
  check_near(check_energy(&plain, x), 50 * 0.03 * 0.03, 1e-14);
  check_gradient(&plain, x, v, gradient);
  check_near(gradient[4], 100 * 0.03 + 0.3 * 2, 1e-12);
  check_near(gradient[3], 0, 1e-15);
}

static void degenerate_states(void **state) {
  (void)state;
  double x[6] = {1, 2, 3, 1, 2, 3}, v[6] = {0, 0, 0, 1, 2, 3}, gradient[6];
  check_finite(&plain, x, v);
  check_definite_matrix(&plain, x);
  check_gradient(&plain, x, v, gradient);
  assert_true(check_largest(6, gradient) == 0);
  x[4] = 2 + 1e-15;
  check_finite(&plain, x, v);
  check_definite_matrix(&plain, x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces_and_jacobians),
      cmocka_unit_test(what_is_dropped),
      cmocka_unit_test(known_values),
      cmocka_unit_test(degenerate_states),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
