// The hinge: its angle through the full circle, forces, Hessians, damping, and what they must never be.
#include "energy/check.h"

#include "energy/bend.h"

static double evaluate(const void *data, const mus_blend *blend, const double *x, const double *v, double *gradient,
                       double *block) {
  return mus_hinge_element(data, blend, x, v, gradient, block);
}

// Two triangles of about a centimetre that share the edge a b, the second turned by `angle` against the first, all of
// it turned and moved at random. Positive angles make the front a ridge.
static void fold(double angle, uint64_t seed, double *x) {
  double r[9], flat[12] = {0, 0, 0, 0.01, 0, 0, 0.003, 0.008, 0, 0.006, 0, 0};
  flat[3] += 0.004 * mus_random(seed, 50);
  flat[6] += 0.008 * mus_random(seed, 51);
  flat[7] += 0.004 * mus_random(seed, 52);
  flat[9] += 0.008 * mus_random(seed, 53);
  double height = 0.008 + 0.004 * mus_random(seed, 54);
  flat[10] = -height * cos(angle);
  flat[11] = -height * sin(angle);
  check_rotation(seed, r);
  check_rotate(r, 4, flat, x);
  for (int k = 0; k < 12; ++k)
    x[k] += 0.1;
}

static mus_hinge_rest create(uint64_t seed) {
  mus_hinge_rest rest = {1e-4 * (1.5 + mus_random(seed, 60)), 1e-6 * (1.5 + mus_random(seed, 61)),
                         seed % 2 ? 0 : 2.5 * mus_random(seed, 62)};
  return rest;
}

static const double angles[] = {0,    1e-9, -1e-6, 1e-3, -0.02, 0.1,  -0.5, 0.9,    -1.2,    1.5707963, -1.5707964,
                                1.58, -2,   2.3,   -2.6, 2.9,   -3.1, 3.13, -3.141, 3.14159, -3.1415926};
enum { ANGLES = sizeof angles / sizeof angles[0] };

static void angle_through_the_full_circle(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 50; ++seed)
    for (int k = 0; k < ANGLES; ++k) {
      double x[12];
      mus_hinge_state hinge;
      fold(angles[k], seed, x);
      mus_hinge_state_make(x, &hinge);
      assert_int_equal(hinge.folds, 1);
      if (!(fabs(hinge.angle - angles[k]) < 1e-12 + 1e-15 / 1e-2))
        fail_msg("the angle is %.17g, not %.17g", hinge.angle, angles[k]);
    }
}

// The same by the formula with normals.
static void angle_between_normals(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    double x[12], e[3], f[3], g[3], n1[3], n2[3], cross[3];
    mus_hinge_state hinge;
    check_fill(12, 1, seed, x);
    mus_hinge_state_make(x, &hinge);
    mus_subtract3(x + 3, x, e);
    mus_subtract3(x + 6, x, f);
    mus_subtract3(x + 9, x, g);
    mus_cross3(e, f, n1);
    mus_cross3(g, e, n2);
    mus_cross3(n1, n2, cross);
    check_near(hinge.angle, atan2(mus_dot3(e, cross) / sqrt(mus_dot3(e, e)), mus_dot3(n1, n2)), 1e-12);
  }
}

static void every_state(void (*look)(const checked *, const mus_hinge_rest *, const double *, const double *,
                                     uint64_t)) {
  for (uint64_t seed = 1; seed <= 20; ++seed)
    for (int k = 0; k < ANGLES + 5; ++k) {
      mus_hinge_rest rest = create(seed);
      checked c = {4, &rest, evaluate};
      double x[12], v[12];
      if (k < ANGLES)
        fold(angles[k], seed * 100 + (uint64_t)k, x);
      else
        check_fill(12, 0.02, seed * 100 + (uint64_t)k, x);
      check_fill(12, 1, seed + 1000, v);
      look(&c, &rest, x, v, seed);
    }
}

// Differences are good to 1e-5 or so where the fold is not within a step of the angle opposite to the rest angle, and
// where no triangle is a needle.
static int smooth(const mus_hinge_rest *rest, const double *x) {
  mus_hinge_state hinge;
  mus_hinge_state_make(x, &hinge);
  return hinge.folds && fabs(mus_hinge_difference(rest, &hinge)) < MUS_PI - 1e-3 && hinge.side[0].square > 4e-6 &&
         hinge.side[1].square > 4e-6 && hinge.length > 2e-3;
}

static void look_at_forces(const checked *c, const mus_hinge_rest *rest, const double *x, const double *v,
                           uint64_t seed) {
  check_damping_matrix(c, x, v, 1e-9);
  check_blend(c, x, v, (int)(seed % 2));
  if (!smooth(rest, x))
    return;
  check_force(c, x, 1e-7, 1e-6, 1e-3);
  check_hessian(c, x, 1e-7, 1e-5, 1e-2);
}

static void forces_are_minus_the_gradient(void **state) {
  (void)state;
  every_state(look_at_forces);
}

static void look_at_matrices(const checked *c, const mus_hinge_rest *rest, const double *x, const double *v,
                             uint64_t seed) {
  check_definite_matrix(c, x);
  (void)rest, (void)v, (void)seed;
}

static void matrices_have_no_negative_eigenvalue(void **state) {
  (void)state;
  every_state(look_at_matrices);
}

static void look_at_momentum(const checked *c, const mus_hinge_rest *rest, const double *x, const double *v,
                             uint64_t seed) {
  if (!smooth(rest, x))
    return;
  check_balance(c, x, v);
  check_invariance(c, x, v, seed);
  check_rigid_velocity(c, x, seed);
}

static void momentum_is_kept(void **state) {
  (void)state;
  every_state(look_at_momentum);
}

// What Gauss-Newton drops has trace zero, so it can not be semi-definite: the header's reason for dropping it.
static void look_at_second(const checked *c, const mus_hinge_rest *rest, const double *x, const double *v,
                           uint64_t seed) {
  mus_hinge_state hinge;
  double block[90], full[144], trace = 0, largest;
  mus_hinge_state_make(x, &hinge);
  mus_hinge_second(&hinge, block);
  mus_full_matrix(4, block, full);
  for (int k = 0; k < 12; ++k)
    trace += full[13 * k];
  double least = check_least_eigenvalue(12, full, &largest);
  assert_true(fabs(trace) <= 1e-12 * largest);
  assert_true(least < -0.1 * largest);
  (void)c, (void)rest, (void)v, (void)seed;
}

static void what_is_dropped_is_indefinite(void **state) {
  (void)state;
  every_state(look_at_second);
}

static void look_at_jacobian(const checked *c, const mus_hinge_rest *rest, const double *x, const double *v,
                             uint64_t seed) {
  mus_hinge_rest damped = {0, rest->damping, rest->angle};
  checked d = {4, &damped, evaluate};
  double jacobian[144], differences[144];
  if (!smooth(rest, x))
    return;
  mus_hinge_damping_jacobian(rest, x, v, jacobian);
  check_differences(&d, x, v, 0, 1e-7, differences);
  for (int k = 0; k < 144; ++k)
    differences[k] = -differences[k]; // of the force
  check_close("damping by position", 144, jacobian, differences, 1e-5, 1e-6);
  (void)c, (void)seed;
}

static void damping_by_position(void **state) {
  (void)state;
  every_state(look_at_jacobian);
}

// From a rest angle of 3 the angle -3 is a fold of 2 pi - 6 away, not of 6.
static void differences_go_the_short_way(void **state) {
  (void)state;
  for (int sign = -1; sign <= 1; sign += 2) {
    mus_hinge_rest rest = {2, 0, 3.0 * sign};
    checked c = {4, &rest, evaluate};
    double x[12], d = 2 * MUS_PI - 6;
    fold(-3.0 * sign, 1, x);
    check_near(check_energy(&c, x), d * d, 1e-9);
    fold(3.0 * sign, 1, x);
    check_near(check_energy(&c, x), 0, 1e-20);
  }
}

// A ridge and a valley, by hand: right-angled fold over an edge of length 1, heights 1 and 2.
static void known_values(void **state) {
  (void)state;
  double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, -2}, gradient[12];
  mus_hinge_rest rest = {3, 0, 0};
  checked c = {4, &rest, evaluate};
  check_near(check_energy(&c, x), 1.5 * MUS_PI * MUS_PI / 4, 1e-12);
  check_gradient(&c, x, NULL, gradient);
  check_near(gradient[8], -3 * MUS_PI / 2 / 1, 1e-12); // c is pushed up, towards flat
  check_near(gradient[10], 3 * MUS_PI / 2 / 2, 1e-12); // d is pushed towards -y
  x[11] = 2;
  check_gradient(&c, x, NULL, gradient);
  check_near(gradient[8], 3 * MUS_PI / 2, 1e-12);
}

static void stiffness_by_direction(void **state) {
  (void)state;
  double half = sqrt(0.5);
  check_near(mus_bend_stiffness(2, 5, 3, 1, 0), 2, 1e-15);
  check_near(mus_bend_stiffness(2, 5, 3, 0, -1), 5, 1e-15);
  check_near(mus_bend_stiffness(2, 5, 3, half, half), 3, 1e-14);
  check_near(mus_bend_stiffness(2, 5, 3, -half, half), 3, 1e-14);
  for (int k = 0; k < 20; ++k)
    check_near(mus_bend_stiffness(4, 4, 4, cos(k), sin(k)), 4, 1e-14);
}

static void degenerate_states(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 20; ++seed)
    for (int which = 0; which < 11; ++which) {
      mus_hinge_rest rest = create(seed);
      checked c = {4, &rest, evaluate};
      double x[12], v[12], gradient[12];
      fold(1, seed, x);
      check_fill(12, 1, seed, v);
      if (which < 4) // one corner on another
        for (int k = 0; k < 3; ++k)
          x[3 * which + k] = x[3 * ((which + 1) % 4) + k];
      else if (which == 4) // all in one place
        for (int k = 3; k < 12; ++k)
          x[k] = x[k % 3];
      else if (which == 5) // c on the edge
        for (int k = 0; k < 3; ++k)
          x[6 + k] = (x[k] + x[3 + k]) / 2;
      else if (which == 6) // d on the edge, but for rounding
        for (int k = 0; k < 3; ++k)
          x[9 + k] = 0.3 * x[k] + 0.7 * x[3 + k];
      else if (which == 7) // c in the edge's line, beyond
        for (int k = 0; k < 3; ++k)
          x[6 + k] = 2 * x[k] - x[3 + k];
      else if (which == 8) // c on d: folded flat
        for (int k = 0; k < 3; ++k)
          x[9 + k] = x[6 + k];
      else if (which == 9) // an edge of next to no length
        for (int k = 0; k < 3; ++k)
          x[3 + k] = x[k] + 1e-7 * (x[3 + k] - x[k]);
      else // c at next to no height
        for (int k = 0; k < 3; ++k)
          x[6 + k] = x[k] + 0.3 * (x[3 + k] - x[k]) + 1e-9 * mus_random(seed, (uint64_t)k);
      check_finite(&c, x, v);
      check_definite_matrix(&c, x);
      check_gradient(&c, x, v, gradient);
      if (which != 2 && which != 8)
        assert_true(check_largest(12, gradient) == 0);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(angle_through_the_full_circle),
      cmocka_unit_test(angle_between_normals),
      cmocka_unit_test(forces_are_minus_the_gradient),
      cmocka_unit_test(matrices_have_no_negative_eigenvalue),
      cmocka_unit_test(momentum_is_kept),
      cmocka_unit_test(what_is_dropped_is_indefinite),
      cmocka_unit_test(damping_by_position),
      cmocka_unit_test(differences_go_the_short_way),
      cmocka_unit_test(known_values),
      cmocka_unit_test(stiffness_by_direction),
      cmocka_unit_test(degenerate_states),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
