// What every element function must do, checked on one state at a time: force and Hessian against finite differences,
// semi-definiteness by LAPACK, balance of forces and torques, indifference to rigid motions. What fails ends the test.
#ifndef TESTS_ENERGY_CHECK_H
#define TESTS_ENERGY_CHECK_H

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "energy/element.h"
#include "support/dense.h"

enum { CHECK_ARITY = 4, CHECK_N = 3 * CHECK_ARITY, CHECK_BLOCKS = 9 * CHECK_ARITY * (CHECK_ARITY + 1) / 2 };

// An element function and its constant data.
typedef struct checked {
  int arity;
  const void *data;
  double (*evaluate)(const void *data, const mus_blend *blend, const double *x, const double *v, double *gradient,
                     double *block);
} checked;

static const mus_blend check_exact = {1, 0, 0, 1, 0}, check_definite = {1, 0, 0, 0, 0}, check_damping = {0, 1, 0, 0, 0};

static inline double check_energy(const checked *c, const double *x) {
  return c->evaluate(c->data, &check_exact, x, NULL, NULL, NULL);
}

static inline void check_gradient(const checked *c, const double *x, const double *v, double *gradient) {
  c->evaluate(c->data, &check_exact, x, v, gradient, NULL);
}

// The dense symmetric matrix of a blend; the order of its entries does not matter.
static inline void check_matrix(const checked *c, const mus_blend *blend, const double *x, double *full) {
  double block[CHECK_BLOCKS];
  c->evaluate(c->data, blend, x, NULL, NULL, block);
  mus_full_matrix(c->arity, block, full);
  for (int k = 0; k < 3 * c->arity; ++k) // diagonal blocks are symmetric in themselves, to the last bit
    for (int l = 0; l < 3 * c->arity; ++l)
      assert_true(full[3 * c->arity * k + l] == full[3 * c->arity * l + k]);
}

static inline double check_largest(int n, const double *a) {
  double largest = 0;
  for (int k = 0; k < n; ++k) {
    assert_true(isfinite(a[k]));
    largest = fmax(largest, fabs(a[k]));
  }
  return largest;
}

// |found - expected| <= tolerance, in double precision, which cmocka's own is not
#define check_near(found, expected, tolerance) check_near_at(found, expected, tolerance, __FILE__, __LINE__)
static inline void check_near_at(double found, double expected, double tolerance, const char *file, int line) {
  if (!(fabs(found - expected) <= tolerance))
    fail_msg("%s:%d: %.17g is not %.17g", file, line, found, expected);
}

// max |a - b| <= tolerance * max(|b|, floor), said with both numbers where it fails
static inline void check_close(const char *what, int n, const double *a, const double *b, double tolerance,
                               double floor) {
  double scale = fmax(check_largest(n, b), floor);
  for (int k = 0; k < n; ++k)
    if (!(fabs(a[k] - b[k]) <= tolerance * scale))
      fail_msg("%s: entry %d is %.12g, not %.12g (largest %.3g)", what, k, a[k], b[k], scale);
}

// dE/dx against central differences of E. `floor` is a force that counts as nothing.
static inline void check_force(const checked *c, const double *x, double step, double tolerance, double floor) {
  int n = 3 * c->arity;
  double gradient[CHECK_N], differences[CHECK_N], moved[CHECK_N];
  check_gradient(c, x, NULL, gradient);
  for (int k = 0; k < n; ++k) {
    memcpy(moved, x, sizeof(double) * (size_t)n);
    moved[k] = x[k] + step;
    double above = check_energy(c, moved);
    moved[k] = x[k] - step;
    differences[k] = (above - check_energy(c, moved)) / (2 * step);
  }
  check_close("gradient", n, gradient, differences, tolerance, floor);
}

// Column k of a Jacobian of the gradient by central differences, by x or (moving velocities) by v.
static inline void check_differences(const checked *c, const double *x, const double *v, int by_velocity, double step,
                                     double *jacobian) {
  int n = 3 * c->arity;
  double moved[CHECK_N], above[CHECK_N], below[CHECK_N];
  for (int k = 0; k < n; ++k) {
    const double *still = by_velocity ? v : x;
    memcpy(moved, still, sizeof(double) * (size_t)n);
    moved[k] = still[k] + step;
    check_gradient(c, by_velocity ? x : moved, by_velocity ? moved : v, above);
    moved[k] = still[k] - step;
    check_gradient(c, by_velocity ? x : moved, by_velocity ? moved : v, below);
    for (int l = 0; l < n; ++l)
      jacobian[n * l + k] = (above[l] - below[l]) / (2 * step);
  }
}

static inline void check_hessian(const checked *c, const double *x, double step, double tolerance, double floor) {
  int n = 3 * c->arity;
  double full[CHECK_N * CHECK_N], differences[CHECK_N * CHECK_N];
  check_matrix(c, &check_exact, x, full);
  check_differences(c, x, NULL, 0, step, differences);
  check_close("exact Hessian", n * n, full, differences, tolerance, floor);
}

// D against differences of the gradient by velocity.
static inline void check_damping_matrix(const checked *c, const double *x, const double *v, double tolerance) {
  int n = 3 * c->arity;
  double full[CHECK_N * CHECK_N], differences[CHECK_N * CHECK_N];
  check_matrix(c, &check_damping, x, full);
  check_differences(c, x, v, 1, 1e-3, differences);
  check_close("damping", n * n, full, differences, tolerance, 1e-12);
}

static inline double check_least_eigenvalue(int n, const double *full, double *largest) {
  double values[CHECK_N];
  dense_eigenvalues(n, full, values);
  *largest = fmax(fabs(values[0]), fabs(values[n - 1]));
  return values[0];
}

// K and D have no eigenvalue below zero, by more than rounding.
static inline void check_definite_matrix(const checked *c, const double *x) {
  double full[CHECK_N * CHECK_N], largest;
  const mus_blend *blends[2] = {&check_definite, &check_damping};
  for (int k = 0; k < 2; ++k) {
    check_matrix(c, blends[k], x, full);
    check_largest(9 * c->arity * c->arity, full);
    double least = check_least_eigenvalue(3 * c->arity, full, &largest);
    if (!(least >= -1e-13 * largest))
      fail_msg("%s has the eigenvalue %g beside %g", k == 0 ? "K" : "D", least, largest);
  }
}

// gradient with drift = gradient without + drift K v; block = stiffness K + damping D.
static inline void check_blend(const checked *c, const double *x, const double *v, int exact) {
  int n = 3 * c->arity;
  double k[CHECK_N * CHECK_N], d[CHECK_N * CHECK_N], both[CHECK_N * CHECK_N];
  double plain[CHECK_N], drifted[CHECK_N];
  mus_blend stiffness = {1, 0, 0, exact, 0}, blend = {0.3, 0.7, 0, exact, 0}, drift = {0.3, 0.7, 0.01, exact, 0};
  check_matrix(c, &stiffness, x, k);
  check_matrix(c, &check_damping, x, d);
  check_matrix(c, &blend, x, both);
  c->evaluate(c->data, &blend, x, v, plain, NULL);
  c->evaluate(c->data, &drift, x, v, drifted, NULL);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      plain[i] += 0.01 * k[n * i + j] * v[j];
      k[n * i + j] = 0.3 * k[n * i + j] + 0.7 * d[n * i + j];
    }
  check_close("blend", n * n, both, k, 1e-12, 1e-12);
  check_close("drift", n, drifted, plain, 1e-12, 1e-12);
}

// Forces, damping's too, sum to zero and have no torque.
static inline void check_balance(const checked *c, const double *x, const double *v) {
  double gradient[CHECK_N], force[3] = {0, 0, 0}, torque[3] = {0, 0, 0}, one[3], reach = 0;
  check_gradient(c, x, v, gradient);
  for (int i = 0; i < c->arity; ++i) {
    mus_cross3(x + 3 * i, gradient + 3 * i, one);
    mus_add_scaled3(1, gradient + 3 * i, force);
    mus_add_scaled3(1, one, torque);
    reach = fmax(reach, sqrt(mus_dot3(x + 3 * i, x + 3 * i)));
  }
  double scale = check_largest(3 * c->arity, gradient);
  for (int k = 0; k < 3; ++k) {
    assert_true(fabs(force[k]) <= 1e-12 * scale);
    assert_true(fabs(torque[k]) <= 1e-11 * scale * reach);
  }
}

// A random rotation, by rows.
static inline void check_rotation(uint64_t seed, double *r) {
  double a[3], b[3];
  for (int k = 0; k < 3; ++k) {
    a[k] = mus_random(seed, (uint64_t)k);
    b[k] = mus_random(seed, (uint64_t)(3 + k));
  }
  mus_unit3(a, r);
  mus_cross3(r, b, r + 3);
  mus_unit3(r + 3, r + 3);
  mus_cross3(r, r + 3, r + 6);
}

static inline void check_rotate(const double *r, int count, const double *from, double *to) {
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < 3; ++k)
      to[3 * i + k] = mus_dot3(r + 3 * k, from + 3 * i);
}

// Turned and moved, a state has the same energy and turned forces.
static inline void check_invariance(const checked *c, const double *x, const double *v, uint64_t seed) {
  double r[9], turned[CHECK_N], velocity[CHECK_N], gradient[CHECK_N], expected[CHECK_N], found[CHECK_N];
  check_rotation(seed, r);
  check_gradient(c, x, v, gradient);
  check_rotate(r, c->arity, gradient, expected);
  check_rotate(r, c->arity, x, turned);
  check_rotate(r, c->arity, v, velocity);
  for (int k = 0; k < 3 * c->arity; ++k)
    turned[k] += 0.25 * (k % 3 + 1);
  check_gradient(c, turned, velocity, found);
  check_close("turned forces", 3 * c->arity, found, expected, 1e-9, 1e-12);
  double before = check_energy(c, x), after = check_energy(c, turned);
  assert_true(fabs(after - before) <= 1e-10 * fabs(before) + 1e-20);
}

// A rigid motion's velocities are not damped.
static inline void check_rigid_velocity(const checked *c, const double *x, uint64_t seed) {
  double v[CHECK_N], still[CHECK_N], moving[CHECK_N], spin[3], drift[3];
  for (int k = 0; k < 3; ++k) {
    spin[k] = mus_random(seed, (uint64_t)k);
    drift[k] = mus_random(seed, (uint64_t)(3 + k));
  }
  for (int i = 0; i < c->arity; ++i) {
    mus_cross3(spin, x + 3 * i, v + 3 * i);
    mus_add_scaled3(1, drift, v + 3 * i);
  }
  check_gradient(c, x, NULL, still);
  check_gradient(c, x, v, moving);
  double d[CHECK_N * CHECK_N];
  check_matrix(c, &check_damping, x, d);
  check_close("rigid motion", 3 * c->arity, moving, still, 1e-11, check_largest(9 * c->arity * c->arity, d));
}

// Everything there is must be finite.
static inline void check_finite(const checked *c, const double *x, const double *v) {
  double gradient[CHECK_N], block[CHECK_BLOCKS];
  int n = 3 * c->arity, entries = 9 * c->arity * (c->arity + 1) / 2;
  for (int exact = 0; exact < 2; ++exact) {
    mus_blend blend = {1, 1, 0.01, exact, 0};
    assert_true(isfinite(c->evaluate(c->data, &blend, x, v, gradient, block)));
    check_largest(n, gradient);
    check_largest(entries, block);
  }
}

// Random numbers in [-size, size).
static inline void check_fill(int n, double size, uint64_t seed, double *x) {
  for (int k = 0; k < n; ++k)
    x[k] = size * mus_random(seed, (uint64_t)k);
}

#endif
