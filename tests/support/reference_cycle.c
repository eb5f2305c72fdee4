// Dense cycles. See reference_cycle.h.
#include "support/reference_cycle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/dense.h"

static double chebyshev_polynomial(int order, double x) {
  if (fabs(x) <= 1)
    return cos(order * acos(x));
  return (x < 0 && order % 2 == 1 ? -1 : 1) * cosh(order * acosh(fabs(x)));
}

double reference_polynomial(const mus_chebyshev *c, double lambda) {
  double theta = (c->high + c->low) / 2, delta = (c->high - c->low) / 2;
  return chebyshev_polynomial(c->order, (theta - lambda) / delta) / chebyshev_polynomial(c->order, theta / delta);
}

// V f(Lambda) V^T for f given at the eigenvalues
static double *function_of(const pencil *p, const double *f) {
  int n = p->n;
  double *scaled = malloc((size_t)n * (size_t)n * sizeof *scaled),
         *transposed = malloc((size_t)n * (size_t)n * sizeof *scaled);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      scaled[j * n + i] = p->vectors[j * n + i] * f[j];
      transposed[i * n + j] = p->vectors[j * n + i];
    }
  double *result = dense_product(n, n, n, scaled, transposed);
  free(scaled), free(transposed);
  return result;
}

double *reference_smoother(const pencil *p, const mus_chebyshev *c) {
  double *f = malloc((size_t)p->n * sizeof *f);
  for (int k = 0; k < p->n; ++k)
    f[k] = (1 - reference_polynomial(c, p->values[k])) / p->values[k];
  double *smoother = function_of(p, f);
  free(f);
  return smoother;
}

double *reference_inverse(int n, const double *a) {
  double *inverse = calloc((size_t)n * (size_t)n, sizeof *inverse);
  for (int k = 0; k < n; ++k) {
    inverse[k * n + k] = 1;
    dense_solve(n, a, inverse + k * n, inverse + k * n);
  }
  return inverse;
}

// I - A B
static double *left_over(int n, const double *a, const double *b) {
  double *rest = dense_product(n, n, n, a, b);
  for (int k = 0; k < n * n; ++k)
    rest[k] = (k % (n + 1) == 0) - rest[k];
  return rest;
}

// B + C (I - A B): what is done by B, then C for what that leaves
static double *one_after_the_other(int n, const double *a, const double *b, const double *c) {
  double *rest = left_over(n, a, b), *both = dense_product(n, n, n, c, rest);
  for (int k = 0; k < n * n; ++k)
    both[k] += b[k];
  free(rest);
  return both;
}

double *reference_two_sweeps(int n, const double *a, const double *smoother) {
  return one_after_the_other(n, a, smoother, smoother);
}

double *reference_cycle(int n, const double *a, const double *smoother, int coarse, const double *p,
                        const double *coarse_a, const double *coarse_cycle, int visits) {
  double *transposed = malloc((size_t)(n * coarse) * sizeof *transposed);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < coarse; ++j)
      transposed[i * coarse + j] = p[j * n + i];
  double *twice = one_after_the_other(coarse, coarse_a, coarse_cycle, coarse_cycle);
  double *restricted = dense_product(coarse, coarse, n, visits > 1 ? twice : coarse_cycle, transposed);
  double *correction = dense_product(n, coarse, n, p, restricted);
  double *half = one_after_the_other(n, a, smoother, correction);
  double *whole = one_after_the_other(n, a, half, smoother);
  free(transposed), free(twice), free(restricted), free(correction), free(half);
  return whole;
}
