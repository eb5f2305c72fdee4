// Tetrahedra of all laws: forces, Hessians and damping by differences, flat and inverted ones too; what small strains
// cost; singular values of every kind of matrix.
#include "energy/check.h"

#include "energy/tetrahedron.h"

typedef struct solid {
  mus_solid_law *law;
  mus_tetrahedron_rest rest;
  mus_solid_constants constants;
} solid;

static double evaluate(const void *data, const mus_blend *blend, const double *x, const double *v, double *gradient,
                       double *block) {
  const solid *s = data;
  return mus_tetrahedron_element(s->law, &s->rest, &s->constants, blend, x, v, gradient, block, NULL);
}

static mus_solid_law *const laws[] = {mus_corotated_law, mus_neo_hookean_law, mus_venant_kirchhoff_law};
enum { LAWS = 3 };

static const double corners[12] = {0.1, 0.2, 0, 1.2, 0.1, 0.1, 0.2, 1.1, -0.1, 0.3, 0.2, 0.9};

static solid solid_of(int law, double young, double poisson, double damping) {
  solid s = {.law = laws[law], .constants = {mus_lame_of(young, poisson), damping}};
  mus_tetrahedron_rest_make(corners, &s.rest);
  return s;
}

// --- singular values -------------------------------------------------------------------------------------------------

static void check_svd(const double *f) {
  double u[9], s[3], v[9], size = check_largest(9, f);
  mus_svd3(f, u, s, v);
  check_largest(9, u), check_largest(9, v);
  assert_true(s[0] >= s[1] && s[1] >= fabs(s[2]) - 1e-15 * s[0]);
  for (int k = 0; k < 3; ++k)
    for (int l = 0; l < 3; ++l) {
      double again = 0, uu = 0, vv = 0;
      for (int e = 0; e < 3; ++e) {
        again += u[3 * k + e] * s[e] * v[3 * l + e];
        uu += u[3 * e + k] * u[3 * e + l];
        vv += v[3 * e + k] * v[3 * e + l];
      }
      check_near(again, f[3 * k + l], 4e-15 * size);
      check_near(uu, k == l, 1e-14);
      check_near(vv, k == l, 1e-14);
    }
  for (int m = 0; m < 2; ++m) { // rotations
    const double *a = m ? u : v;
    double cross[3];
    mus_cross3(a, a + 3, cross);
    check_near(mus_dot3(cross, a + 6), 1, 1e-13);
  }
}

static void singular_values_of_any_matrix(void **state) {
  (void)state;
  double f[9];
  for (uint64_t seed = 1; seed <= 500; ++seed) {
    check_fill(9, 1, seed, f);
    check_svd(f);
    for (int k = 0; k < 9; ++k) // rank two, then one
      f[k] = k >= 6 ? f[k - 6] - 0.5 * f[k - 3] : f[k];
    check_svd(f);
    for (int k = 3; k < 9; ++k)
      f[k] = (k < 6 ? 2 : -0.3) * f[k % 3];
    check_svd(f);
    check_fill(9, 1e-9, seed, f); // nearly the identity: all singular values alike
    for (int k = 0; k < 9; k += 4)
      f[k] += 1;
    check_svd(f);
  }
  const double special[][9] = {{0},
                               {1, 0, 0, 0, 1, 0, 0, 0, 1},
                               {-1, 0, 0, 0, 1, 0, 0, 0, 1},
                               {0, 0, 1, 0, 0, 0, 0, 0, 0},
                               {1e-200, 0, 0, 0, 1e-200, 0, 0, 0, 1e-200},
                               {1e100, 0, 0, 0, 1, 0, 0, 0, 1e-100},
                               {0, 1, 0, 1, 0, 0, 0, 0, 1},
                               {1, 1, 1, 1, 1, 1, 1, 1, 1}};
  for (size_t k = 0; k < sizeof special / sizeof *special; ++k)
    check_svd(special[k]);
}

// Small singular values keep their digits beside large ones where columns differ in size.
static void small_singular_values_are_accurate(void **state) {
  (void)state;
  double r[9], f[9], u[9], s[3], v[9];
  check_rotation(7, r);
  for (int k = 0; k < 3; ++k)
    for (int l = 0; l < 3; ++l)
      f[3 * k + l] = r[3 * k + l] * pow(1e-8, l);
  mus_svd3(f, u, s, v);
  check_near(s[0], 1, 1e-14);
  check_near(s[1] / 1e-8, 1, 1e-13);
  check_near(s[2] / 1e-16, 1, 1e-12);
}

// --- elements --------------------------------------------------------------------------------------------------------

// States from gentle to wild; some inverted.
static void deform(uint64_t seed, double *x) {
  double noise[12];
  check_fill(12, seed % 3 == 0 ? 0.05 : seed % 3 == 1 ? 0.5 : 1.2, seed, noise);
  for (int k = 0; k < 12; ++k)
    x[k] = corners[k] + noise[k];
}

static void forces_and_jacobians(void **state) {
  (void)state;
  for (int law = 0; law < LAWS; ++law)
    for (int stiff = 0; stiff < 3; ++stiff) {
      solid s = solid_of(law, 1000, stiff == 0 ? 0 : stiff == 1 ? 0.3 : 0.49, 0.02);
      checked c = {4, &s, evaluate};
      for (uint64_t seed = 1; seed <= 120; ++seed) {
        double x[12], v[12], f[9], u[9], sigma[3], w[9];
        deform(seed, x);
        check_fill(12, 1, seed + 1000, v);
        mus_tetrahedron_map(&s.rest, x, f);
        mus_svd3(f, u, sigma, w);
        // Co-rotated energy has a kink where two singular values are opposites: differences are of no use near it.
        int smooth = law != 0 || sigma[1] + sigma[2] > 0.05;
        if (smooth) {
          check_force(&c, x, 1e-6, 1e-6, 1e-3);
          check_hessian(&c, x, 1e-6, 1e-5, 1e-3);
        }
        check_damping_matrix(&c, x, v, 1e-8);
        check_definite_matrix(&c, x);
        check_blend(&c, x, v, (int)(seed % 2));
        check_balance(&c, x, v);
        check_invariance(&c, x, v, seed);
        check_rigid_velocity(&c, x, seed);
      }
    }
}

// Flat, needle-like, pointlike, mirrored: everything is finite and what should be definite is.
static void broken_elements(void **state) {
  (void)state;
  double flat[12], line[12], point[12] = {0}, mirrored[12], v[12];
  memcpy(flat, corners, sizeof flat), memcpy(line, corners, sizeof line), memcpy(mirrored, corners, sizeof mirrored);
  for (int k = 0; k < 4; ++k) {
    flat[3 * k + 2] = 0;
    line[3 * k + 1] = line[3 * k + 2] = 0;
    mirrored[3 * k] = -mirrored[3 * k];
  }
  check_fill(12, 1, 5, v);
  const double *const states[] = {flat, line, point, mirrored};
  for (int law = 0; law < LAWS; ++law)
    for (int k = 0; k < 4; ++k) {
      solid s = solid_of(law, 1000, 0.4, 0.02);
      checked c = {4, &s, evaluate};
      check_finite(&c, states[k], v);
      check_definite_matrix(&c, states[k]);
      check_balance(&c, states[k], v);
      if (law > 0) { // the stable laws are smooth even there
        check_force(&c, states[k], 1e-6, 1e-6, 1e-3);
        check_hessian(&c, states[k], 1e-6, 1e-5, 1e-3);
      }
    }
}

// At rest, turned: no energy, no force, and definite is exact.
static void rest_costs_nothing(void **state) {
  (void)state;
  for (int law = 0; law < LAWS; ++law)
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      solid s = solid_of(law, 1e6, 0.45, 0.02);
      checked c = {4, &s, evaluate};
      double r[9], x[12], gradient[12], exact[144], definite[144];
      check_rotation(seed, r);
      check_rotate(r, 4, corners, x);
      check_gradient(&c, x, NULL, gradient);
      check_near(check_energy(&c, x), 0, 1e-9);
      for (int k = 0; k < 12; ++k)
        check_near(gradient[k], 0, 1e-8);
      check_matrix(&c, &check_exact, x, exact);
      check_matrix(&c, &check_definite, x, definite);
      check_close("definite", 144, definite, exact, 1e-12, 1);
    }
}

// Small strains cost what Young's modulus and Poisson's ratio say, whatever the law: E/2 e^2 where the sides are free
// to give, and mu/2 g^2 for a shear.
static void small_strains(void **state) {
  (void)state;
  const double young = 2e5, poisson = 0.3, e = 1e-5, mu = young / (2 * (1 + poisson));
  for (int law = 0; law < LAWS; ++law) {
    solid s = solid_of(law, young, poisson, 0);
    checked c = {4, &s, evaluate};
    double stretched[12], sheared[12];
    for (int k = 0; k < 4; ++k) {
      const double *at = corners + 3 * k;
      stretched[3 * k] = (1 + e) * at[0];
      stretched[3 * k + 1] = (1 - poisson * e) * at[1];
      stretched[3 * k + 2] = (1 - poisson * e) * at[2];
      memcpy(sheared + 3 * k, at, 3 * sizeof *at);
      sheared[3 * k] += e * at[1];
    }
    check_near(check_energy(&c, stretched) / s.rest.volume / (young / 2 * e * e), 1, 1e-4);
    check_near(check_energy(&c, sheared) / s.rest.volume / (mu / 2 * e * e), 1, 1e-4);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(singular_values_of_any_matrix),
                                     cmocka_unit_test(small_singular_values_are_accurate),
                                     cmocka_unit_test(forces_and_jacobians),
                                     cmocka_unit_test(broken_elements),
                                     cmocka_unit_test(rest_costs_nothing),
                                     cmocka_unit_test(small_strains)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
