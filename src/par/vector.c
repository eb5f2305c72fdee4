// Vector updates and ordered sums. See vector.h.
#include "par/vector.h"

#include <math.h>

#include "base/random.h"
#include "par/par.h"

// A sum is split into at most this many runs, none shorter than RUN_MINIMUM.
enum { RUNS_MAXIMUM = 1024, RUN_MINIMUM = 4096 };

static size_t run_length(size_t n) {
  size_t length = (n + RUNS_MAXIMUM - 1) / RUNS_MAXIMUM;
  return length < RUN_MINIMUM ? RUN_MINIMUM : length;
}

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

// Four interleaved partial sums: fixed order, and short enough chains for the compiler to vectorise.
static double dot_run(size_t begin, size_t end, const double *x, const double *y) {
  double sum[4] = {0, 0, 0, 0};
  size_t i = begin;
  for (; i + 4 <= end; i += 4)
    for (int k = 0; k < 4; ++k)
      sum[k] += x[i + (size_t)k] * y[i + (size_t)k];
  for (; i < end; ++i)
    sum[0] += x[i] * y[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static double add_in_order(int runs, const double *part) {
  double sum = 0;
  for (int k = 0; k < runs; ++k)
    sum += part[k];
  return sum;
}

double mus_dot(size_t n, const double *x, const double *y) {
  double part[RUNS_MAXIMUM];
  size_t length = run_length(n);
  int runs = (int)((n + length - 1) / length);
  MUS_PARALLEL_FOR_IF(runs > 1)
  for (int k = 0; k < runs; ++k)
    part[k] = dot_run((size_t)k * length, smaller(n, (size_t)(k + 1) * length), x, y);
  return add_in_order(runs, part);
}

double mus_cg_update(size_t n, double alpha, const double *p, const double *q, double *x, double *r) {
  double part[RUNS_MAXIMUM];
  size_t length = run_length(n);
  int runs = (int)((n + length - 1) / length);
  MUS_PARALLEL_FOR_IF(runs > 1)
  for (int k = 0; k < runs; ++k) {
    size_t begin = (size_t)k * length, end = smaller(n, begin + length);
    for (size_t i = begin; i < end; ++i) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    }
    part[k] = dot_run(begin, end, r, r);
  }
  return add_in_order(runs, part);
}

// The larger magnitude; NaN once either is NaN.
static double larger(double largest, double candidate) {
  return isnan(largest) || candidate <= largest ? largest : candidate;
}

double mus_max_abs(size_t n, const double *x) {
  double part[RUNS_MAXIMUM];
  size_t length = run_length(n);
  int runs = (int)((n + length - 1) / length);
  MUS_PARALLEL_FOR_IF(runs > 1)
  for (int k = 0; k < runs; ++k) {
    double largest = 0;
    for (size_t i = (size_t)k * length, end = smaller(n, i + length); i < end; ++i)
      largest = larger(largest, fabs(x[i]));
    part[k] = largest;
  }
  double largest = 0;
  for (int k = 0; k < runs; ++k)
    largest = larger(largest, part[k]);
  return largest;
}

#define MUS_EACH(n) MUS_PARALLEL_FOR_IF((n) > RUN_MINIMUM) for (size_t i = 0; i < (n); ++i)

void mus_fill(size_t n, double value, double *x) { MUS_EACH(n) x[i] = value; }

void mus_copy(size_t n, const double *from, double *to) { MUS_EACH(n) to[i] = from[i]; }

void mus_scale(size_t n, double factor, double *x) { MUS_EACH(n) x[i] *= factor; }

void mus_axpy(size_t n, double factor, const double *x, double *y) { MUS_EACH(n) y[i] += factor * x[i]; }

void mus_xpay(size_t n, const double *x, double factor, double *y) { MUS_EACH(n) y[i] = x[i] + factor * y[i]; }

void mus_fill_random(size_t n, uint64_t seed, double *x) { MUS_EACH(n) x[i] = mus_random(seed, i); }

void mus_to_float(size_t n, double factor, const double *from, float *to) {
  MUS_EACH(n) to[i] = (float)(factor * from[i]);
}

void mus_to_double(size_t n, double factor, const float *from, double *to) {
  MUS_EACH(n) to[i] = factor * (double)from[i];
}
