// Stretch and shear of a triangle: forces, Hessians, damping, and what they must never be.
#include "energy/check.h"

#include "energy/baraff_witkin.h"

typedef struct triangle {
  mus_membrane_rest rest;
  mus_membrane_material material;
  double flat[9]; // at rest, in space
} triangle;

static double evaluate(const void *data, const mus_blend *blend, const double *x, const double *v, double *gradient,
                       double *block) {
  const triangle *t = data;
  return mus_membrane_element(&t->rest, &t->material, blend, x, v, gradient, block);
}

// A triangle of about a centimetre with random corners and random, unequal stiffnesses.
static triangle create(uint64_t seed) {
  triangle t = {.material = {{5000 * (1.5 + mus_random(seed, 20)), 3000 * (1.5 + mus_random(seed, 21))},
                             750 * (1.5 + mus_random(seed, 22)),
                             {10 * (1.5 + mus_random(seed, 23)), 7 * (1.5 + mus_random(seed, 24))},
                             2 * (1.5 + mus_random(seed, 25))}};
  double uv[6] = {0, 0, 0.01, 0, 0.003, 0.009};
  for (int k = 0; k < 6; ++k)
    uv[k] += 0.002 * mus_random(seed, (uint64_t)k);
  if (seed % 3 == 0) { // turned over
    for (int k = 0; k < 6; k += 2)
      uv[k] = -uv[k];
  }
  assert_true(mus_membrane_rest_make(uv, &t.rest));
  for (int i = 0; i < 3; ++i) {
    t.flat[3 * i] = uv[2 * i];
    t.flat[3 * i + 1] = uv[2 * i + 1];
    t.flat[3 * i + 2] = 0;
  }
  return t;
}

enum { NEAR, STRETCHED, COMPRESSED, SHEARED, INVERTED, ANYTHING, KINDS };

// A state of each kind, turned at random.
static void deform(const triangle *t, int kind, uint64_t seed, double *x) {
  double r[9], f[4] = {1, 0, 0, 1}, flat[9];
  double a = mus_random(seed, 30), b = mus_random(seed, 31), c = mus_random(seed, 32);
  if (kind == STRETCHED)
    f[0] = 1.3 + 0.2 * a, f[3] = 1.2 + 0.1 * b;
  else if (kind == COMPRESSED)
    f[0] = 0.5 + 0.4 * a, f[3] = 0.6 + 0.3 * b;
  else if (kind == SHEARED)
    f[1] = 1.5 * a, f[2] = 1.5 * b;
  else if (kind == INVERTED)
    f[0] = -0.8 + 0.3 * a, f[1] = 0.4 * c, f[3] = 0.9 + 0.3 * b;
  for (int i = 0; i < 3; ++i) {
    flat[3 * i] = f[0] * t->flat[3 * i] + f[1] * t->flat[3 * i + 1];
    flat[3 * i + 1] = f[2] * t->flat[3 * i] + f[3] * t->flat[3 * i + 1];
    flat[3 * i + 2] = 0;
  }
  check_rotation(seed, r);
  check_rotate(r, 3, flat, x);
  for (int k = 0; k < 9; ++k)
    x[k] += (kind == ANYTHING ? 0.02 : 1e-4) * mus_random(seed, (uint64_t)(40 + k)) + 0.1;
}

// All states of all kinds.
static void every_state(void (*look)(const checked *, const triangle *, const double *, const double *, uint64_t)) {
  for (uint64_t seed = 1; seed <= 40; ++seed)
    for (int kind = 0; kind < KINDS; ++kind) {
      triangle t = create(seed);
      checked c = {3, &t, evaluate};
      double x[9], v[9];
      deform(&t, kind, seed * 100 + (uint64_t)kind, x);
      check_fill(9, 1, seed + 1000, v);
      look(&c, &t, x, v, seed);
    }
}

static void look_at_forces(const checked *c, const triangle *t, const double *x, const double *v, uint64_t seed) {
  check_force(c, x, 1e-7, 1e-6, 1e-3);
  check_hessian(c, x, 1e-7, 1e-5, 1);
  check_damping_matrix(c, x, v, 1e-9);
  check_blend(c, x, v, (int)(seed % 2));
  (void)t;
}

static void forces_are_minus_the_gradient(void **state) {
  (void)state;
  every_state(look_at_forces);
}

static void look_at_matrices(const checked *c, const triangle *t, const double *x, const double *v, uint64_t seed) {
  check_definite_matrix(c, x);
  (void)t, (void)v, (void)seed;
}

static void matrices_have_no_negative_eigenvalue(void **state) {
  (void)state;
  every_state(look_at_matrices);
}

static void look_at_momentum(const checked *c, const triangle *t, const double *x, const double *v, uint64_t seed) {
  check_balance(c, x, v);
  check_invariance(c, x, v, seed);
  check_rigid_velocity(c, x, seed);
  (void)t;
}

static void momentum_is_kept(void **state) {
  (void)state;
  every_state(look_at_momentum);
}

void dsyev_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w, double *work,
            const int *lwork, int *info, size_t, size_t);

// a becomes the nearest positive semi-definite matrix: LAPACK's eigenvalues, the negative ones left out.
static void clamp_by_lapack(int n, double *a) {
  double vectors[81], values[9], work[600];
  int size = 600, info;
  memcpy(vectors, a, sizeof(double) * (size_t)(n * n));
  dsyev_("V", "L", &n, vectors, &n, values, work, &size, &info, 1, 1);
  assert_int_equal(info, 0);
  memset(a, 0, sizeof(double) * (size_t)(n * n));
  for (int e = 0; e < n; ++e)
    for (int k = 0; k < n && values[e] > 0; ++k)
      for (int l = 0; l < n; ++l)
        a[n * k + l] += values[e] * vectors[n * e + k] * vectors[n * e + l];
}

// A form as 6x6.
static void form_matrix(const mus_membrane_form *form, double *a) {
  double uu[9], vv[9];
  mus_expand_square(form->uu, uu);
  mus_expand_square(form->vv, vv);
  for (int k = 0; k < 3; ++k)
    for (int l = 0; l < 3; ++l) {
      a[6 * k + l] = uu[3 * k + l];
      a[6 * k + 3 + l] = a[6 * (3 + l) + k] = form->uv[3 * k + l];
      a[6 * (3 + k) + 3 + l] = vv[3 * k + l];
    }
}

// Each of the three energies' closed form is what LAPACK makes of its exact Hessian on (w_u, w_v).
static void look_at_clamping(const checked *c, const triangle *t, const double *x, const double *v, uint64_t seed) {
  for (int which = 0; which < 3; ++which) {
    mus_membrane_material one = {{which == 0 ? 7 : 0, which == 1 ? 7 : 0}, which == 2 ? 7 : 0, {0, 0}, 0};
    mus_membrane_state state;
    mus_membrane_form form;
    double clamped[36], exact[36];
    mus_membrane_state_make(&t->rest, x, &state);
    mus_membrane_stiffness(&t->rest, &one, &state, 0, &form);
    form_matrix(&form, clamped);
    mus_membrane_stiffness(&t->rest, &one, &state, 1, &form);
    form_matrix(&form, exact);
    clamp_by_lapack(6, exact);
    check_close("clamped", 36, clamped, exact, 1e-12, 1e-300);
  }
  (void)c, (void)v, (void)seed;
}

static void clamping_is_the_nearest(void **state) {
  (void)state;
  every_state(look_at_clamping);
}

// The position derivative of the damping force, against differences.
static void look_at_jacobian(const checked *c, const triangle *t, const double *x, const double *v, uint64_t seed) {
  triangle damped = *t;
  damped.material.stretch[0] = damped.material.stretch[1] = damped.material.shear = 0;
  checked d = {3, &damped, evaluate};
  double jacobian[81], differences[81];
  mus_membrane_damping_jacobian(&t->rest, &t->material, x, v, jacobian);
  check_differences(&d, x, v, 0, 1e-7, differences);
  for (int k = 0; k < 81; ++k)
    differences[k] = -differences[k]; // of the force
  check_close("damping by position", 81, jacobian, differences, 1e-5, 1e-6);
  (void)c, (void)seed;
}

static void damping_by_position(void **state) {
  (void)state;
  every_state(look_at_jacobian);
}

// Conditions and their derivatives make up energy and damping.
static void look_at_conditions(const checked *c, const triangle *t, const double *x, const double *v, uint64_t seed) {
  double condition[3], derivative[27], force[9] = {0}, elastic[9], all[9], energy = 0;
  double k[3] = {t->material.stretch[0], t->material.stretch[1], t->material.shear};
  double d[3] = {t->material.stretch_damping[0], t->material.stretch_damping[1], t->material.shear_damping};
  mus_membrane_conditions(&t->rest, x, condition, derivative);
  for (int i = 0; i < 3; ++i) {
    double rate = 0;
    for (int m = 0; m < 9; ++m)
      rate += derivative[9 * i + m] * v[m];
    for (int m = 0; m < 9; ++m)
      force[m] += (k[i] * condition[i] + d[i] * rate) * derivative[9 * i + m];
    energy += k[i] / 2 * condition[i] * condition[i];
  }
  check_gradient(c, x, v, all);
  check_gradient(c, x, NULL, elastic);
  check_close("conditions", 9, all, force, 1e-11, 1e-9);
  assert_true(fabs(check_energy(c, x) - energy) <= 1e-12 * energy);
  assert_true(check_largest(9, elastic) >= 0);
  (void)seed;
}

static void conditions_make_up_the_energy(void **state) {
  (void)state;
  every_state(look_at_conditions);
}

// At rest, however turned and whichever way round its material is, a triangle has no energy and no forces.
static void rest_is_rest(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    triangle t = create(seed);
    checked c = {3, &t, evaluate};
    double r[9], x[9], gradient[9];
    check_rotation(seed, r);
    check_rotate(r, 3, t.flat, x);
    check_gradient(&c, x, NULL, gradient);
    assert_true(check_largest(9, gradient) < 1e-12);
    assert_true(check_energy(&c, x) < 1e-28);
  }
}

// By hand: a unit square's half, pulled along the warp by a tenth, then sheared by 0.2 rad or so.
static void known_values(void **state) {
  (void)state;
  triangle t = {.material = {{100, 10}, 1, {0, 0}, 0}};
  double uv[6] = {0, 0, 1, 0, 0, 1}, pulled[9] = {0, 0, 0, 1.1, 0, 0, 0, 1, 0},
         sheared[9] = {0, 0, 0, 1, 0, 0, .2, 1, 0};
  checked c = {3, &t, evaluate};
  double gradient[9];
  assert_true(mus_membrane_rest_make(uv, &t.rest));
  check_near(t.rest.area, 0.5, 1e-15);
  check_near(check_energy(&c, pulled), 0.5 * 0.5 * 100 * 0.01, 1e-12);
  check_gradient(&c, pulled, NULL, gradient);
  check_near(gradient[3], 0.5 * 100 * 0.1, 1e-12); // area times stress
  double weft = sqrt(1.04) - 1;
  check_near(check_energy(&c, sheared), 0.25 * (10 * weft * weft + 1 * 0.04), 1e-12);
}

// Two points or all in one place, a needle, a triangle in a line: finite, and zero force where nothing has a direction.
static void degenerate_states(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    triangle t = create(seed);
    checked c = {3, &t, evaluate};
    double x[9], v[9], gradient[9];
    check_fill(9, 1, seed, v);
    for (int k = 0; k < 9; ++k)
      x[k] = 0.5;
    check_finite(&c, x, v);
    check_gradient(&c, x, NULL, gradient);
    assert_true(check_largest(9, gradient) == 0);
    check_definite_matrix(&c, x);
    x[0] = 0.51; // two together
    check_finite(&c, x, v);
    check_definite_matrix(&c, x);
    x[4] = x[1], x[5] = x[2], x[7] = x[1], x[8] = x[2], x[3] = 0.53; // in a line
    check_finite(&c, x, v);
    check_definite_matrix(&c, x);
    for (int k = 3; k < 9; ++k)
      x[k] = x[k % 3] + 1e-14 * mus_random(seed, (uint64_t)k); // all but together
    check_finite(&c, x, v);
    check_definite_matrix(&c, x);
    for (int k = 0; k < 9; ++k)
      x[k] = 1e6 * mus_random(seed, (uint64_t)k); // torn apart
    check_finite(&c, x, v);
    check_definite_matrix(&c, x);
  }
}

static void rest_shapes_without_area(void **state) {
  (void)state;
  mus_membrane_rest rest;
  double point[6] = {1, 1, 1, 1, 1, 1}, line[6] = {0, 0, 1, 1, 2, 2}, broken[6] = {0, 0, NAN, 0, 0, 1};
  double infinite[6] = {0, 0, INFINITY, 0, 0, 1}, thin[6] = {0, 0, 1, 0, 0.5, 1e-9};
  assert_false(mus_membrane_rest_make(point, &rest));
  assert_false(mus_membrane_rest_make(line, &rest));
  assert_false(mus_membrane_rest_make(broken, &rest));
  assert_false(mus_membrane_rest_make(infinite, &rest));
  assert_true(mus_membrane_rest_make(thin, &rest));
}

// With damping as a potential of the step, the semi-definite Hessian of shear is the exact one with its negative
// eigenvalues replaced by zero: it has those eigenvalues, and is nowhere below the exact one. In a triangle whose
// material is its own frame, the blocks of corners 1 and 2 are the matrix on (w_u, w_v).
static void shear_in_a_step_is_clamped(void **state) {
  (void)state;
  const mus_membrane_rest rest = {{1, 0}, {0, 1}, 1};
  const mus_membrane_material shear = {{0, 0}, 3, {0, 0}, 0.1};
  int kept[2] = {0, 0};
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    double x[9] = {0}, start[9] = {0}, block[2][54], full[2][81], part[2][36], apart[36], value[2][6], least[6];
    double per_second = pow(10, 2 + 2 * mus_random(7, seed));
    check_fill(6, 1, seed, x + 3);
    check_fill(6, 1, seed + 5000, start + 3);
    if (seed % 10 == 0) // nearly collapsed, or wholly
      for (int k = 0; k < 3; ++k)
        x[6 + k] = (seed % 20 == 0 ? 1 : -1) * x[3 + k] + (seed % 3 == 0 ? 0 : 1e-9) * x[6 + k];
    if (seed == 1)
      memset(x, 0, sizeof x);
    for (int exact = 0; exact < 2; ++exact) {
      mus_blend blend = {1, per_second, 0, exact, per_second};
      mus_membrane_element(&rest, &shear, &blend, x, start, NULL, block[exact]);
      mus_full_matrix(3, block[exact], full[exact]);
      for (int k = 0; k < 36; ++k)
        part[exact][k] = full[exact][9 * (3 + k / 6) + 3 + k % 6];
      dense_eigenvalues(6, part[exact], value[exact]);
    }
    // What is nearly collapsed is found less accurately: its vectors are differences of nearly equal ones.
    double largest = fmax(value[1][5], -value[1][0]), allowed = (seed % 10 == 0 ? 1e-6 : 1e-12) * largest;
    for (int k = 0; k < 36; ++k)
      apart[k] = part[0][k] - part[1][k];
    dense_eigenvalues(6, apart, least);
    assert_true(least[0] >= -allowed);
    for (int k = 0; k < 6; ++k)
      check_near(value[0][k], fmax(value[1][k], 0), allowed);
    ++kept[value[1][2] > 1e-6 * largest]; // three eigenvalues are positive, or four
  }
  assert_true(kept[0] > 100 && kept[1] > 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces_are_minus_the_gradient),
      cmocka_unit_test(matrices_have_no_negative_eigenvalue),
      cmocka_unit_test(momentum_is_kept),
      cmocka_unit_test(clamping_is_the_nearest),
      cmocka_unit_test(damping_by_position),
      cmocka_unit_test(conditions_make_up_the_energy),
      cmocka_unit_test(rest_is_rest),
      cmocka_unit_test(known_values),
      cmocka_unit_test(degenerate_states),
      cmocka_unit_test(rest_shapes_without_area),
      cmocka_unit_test(shear_in_a_step_is_clamped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
