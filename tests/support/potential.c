// See potential.h.
#include "support/potential.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "sim/simulator.h"

// m/s: of the differences. Terms that are quadratic need no small one, those of friction that is bounded do.
static const double quadratic = 1e-4, one_sided = 1e-6;

static double *vector(size_t count) {
  double *made = calloc(count, sizeof *made);
  assert_non_null(made);
  return made;
}

static double largest(size_t count, const double *value) {
  double most = 0;
  for (size_t i = 0; i < count; ++i)
    most = fmax(most, fabs(value[i]));
  return most;
}

static void check_gradient(const mus_contact_workspace *work, size_t n, double *velocity, double step) {
  double *right = vector(n);
  mus_contact_load(work, velocity, NULL, right);
  double most = largest(n, right);
  assert_true(most > 0);
  for (size_t i = 0; i < n; ++i) {
    double here = velocity[i];
    velocity[i] = here + step;
    double more = mus_contact_energy(work, velocity);
    velocity[i] = here - step;
    double less = mus_contact_energy(work, velocity);
    velocity[i] = here;
    assert_true(fabs((more - less) / (2 * step) + right[i]) < 1e-7 * most + 1e-13 * more / step);
  }
  free(right);
}

// The product of the matrix and random numbers, and by differences that of the derivative.
static void check_matrix(const mus_sim *sim, size_t n, double *velocity, uint64_t seed, double step, int exact) {
  mus_matrix matrix = sim->linear.matrix;
  matrix.value = vector(mus_matrix_values(&matrix));
  double *right = vector(n), *before = vector(n), *along = vector(n), *product = vector(n);
  for (size_t i = 0; i < n; ++i)
    along[i] = mus_random(seed, i);
  mus_contact_load(sim->contact, velocity, &matrix, right);
  mus_multiply(&matrix, along, product);
  mus_contact_couple(sim->contact, along, product);
  memset(right, 0, n * sizeof *right);
  for (int side = -1; side < 2; side += 2) {
    for (size_t i = 0; i < n; ++i)
      velocity[i] += side * step * along[i];
    mus_contact_load(sim->contact, velocity, NULL, side < 0 ? before : right);
    for (size_t i = 0; i < n; ++i)
      velocity[i] -= side * step * along[i];
  }
  double most = largest(n, product), slack = 1e-12 * largest(n, right) / step, above = 0;
  assert_true(most > 0);
  for (size_t i = 0; i < n; ++i) {
    double difference = (right[i] - before[i]) / (2 * step) + product[i];
    assert_true(!exact || fabs(difference) < 1e-8 * most + slack);
    above += along[i] * difference;
  }
  assert_true(above > -1e-6 * most);
  free(right), free(before), free(along), free(product), free(matrix.value);
}

static void check(mus_sim *sim, uint64_t seed, double step, int exact) {
  size_t n = 3 * (size_t)sim->model.vertices;
  double *velocity = vector(n);
  for (size_t i = 0; i < n; ++i)
    velocity[i] = sim->state.velocity[i] + 0.3 * mus_random(seed, i);
  check_gradient(sim->contact, n, velocity, step);
  check_matrix(sim, n, velocity, seed + 1, step, exact);
  free(velocity);
}

void potential_check(mus_sim *sim, uint64_t seed) { check(sim, seed, quadratic, 1); }

void potential_check_one_sided(mus_sim *sim, uint64_t seed) { check(sim, seed, one_sided, 0); }
