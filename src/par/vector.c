// Vector updates and ordered sums. See vector.h.
#include "par/vector.h"

#include <math.h>
#include <string.h>

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

// By way of short pieces in double precision: conversions between sums are not vectorised.
static double dot_run_f(size_t begin, size_t end, const double *x, const float *y) {
  enum { PIECE = 256 };
  double piece[PIECE], sum = 0;
  for (size_t i = begin; i < end; i += PIECE) {
    size_t count = smaller(PIECE, end - i);
    for (size_t k = 0; k < count; ++k)
      piece[k] = (double)y[i + k];
    sum += dot_run(0, count, x + i, piece);
  }
  return sum;
}

// The second loops find r still in the cache.
static double residual_run(size_t begin, size_t end, double alpha, const double *q, double *r) {
  for (size_t i = begin; i < end; ++i)
    r[i] -= alpha * q[i];
  return dot_run(begin, end, r, r);
}

static double residual_run_f(size_t begin, size_t end, double alpha, const double *q, double *r, double factor,
                             float *rounded) {
  for (size_t i = begin; i < end; ++i)
    r[i] -= alpha * q[i];
  for (size_t i = begin; i < end; ++i)
    rounded[i] = (float)(factor * r[i]);
  return dot_run(begin, end, r, r);
}

static double add_in_order(int runs, const double *part) {
  double sum = 0;
  for (int k = 0; k < runs; ++k)
    sum += part[k];
  return sum;
}

// The sum over all runs of what `run`, an expression in begin and end, makes of each.
#define SUM_OF_RUNS(n, run)                                                                                            \
  double part[RUNS_MAXIMUM];                                                                                           \
  size_t length = run_length(n);                                                                                       \
  int runs = (int)((n + length - 1) / length);                                                                         \
  MUS_PARALLEL_FOR_IF(runs > 1)                                                                                        \
  for (int k = 0; k < runs; ++k) {                                                                                     \
    size_t begin = (size_t)k * length, end = smaller(n, begin + length);                                               \
    part[k] = run;                                                                                                     \
  }                                                                                                                    \
  return add_in_order(runs, part);

double mus_dot(size_t n, const double *x, const double *y) { SUM_OF_RUNS(n, dot_run(begin, end, x, y)) }

double mus_dot_f(size_t n, const double *x, const float *y) { SUM_OF_RUNS(n, dot_run_f(begin, end, x, y)) }

double mus_cg_residual(size_t n, double alpha, const double *q, double *r) {
  SUM_OF_RUNS(n, residual_run(begin, end, alpha, q, r))
}

double mus_cg_residual_f(size_t n, double alpha, const double *q, double *r, double factor, float *rounded) {
  SUM_OF_RUNS(n, residual_run_f(begin, end, alpha, q, r, factor, rounded))
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

// In one run a thread: for long ones the C library goes past the cache.
void mus_copy(size_t n, const double *from, double *to) {
  int runs = n > MUS_PAR_MINIMUM ? mus_par_threads() : 1;
  MUS_PARALLEL_FOR_IF(runs > 1)
  for (int run = 0; run < runs; ++run) {
    size_t begin = n * (size_t)run / (size_t)runs, end = n * (size_t)(run + 1) / (size_t)runs;
    memmove(to + begin, from + begin, (end - begin) * sizeof *to);
  }
}

void mus_scale(size_t n, double factor, double *x) { MUS_EACH(n) x[i] *= factor; }

void mus_axpy(size_t n, double factor, const double *x, double *y) { MUS_EACH(n) y[i] += factor * x[i]; }

void mus_axpy_f(size_t n, double factor, const float *x, double *y) {
  MUS_PARALLEL_FOR_IF(n >= RUN_MINIMUM)
  for (size_t i = 0; i < n; ++i)
    y[i] += factor * (double)x[i];
}

void mus_xpay(size_t n, const double *x, double factor, double *y) { MUS_EACH(n) y[i] = x[i] + factor * y[i]; }

void mus_cg_advance(size_t n, double alpha, const double *z, double beta, double *x, double *p) {
  MUS_EACH(n) {
    double old = p[i];
    x[i] += alpha * old;
    p[i] = z[i] + beta * old;
  }
}

void mus_cg_advance_f(size_t n, double alpha, double factor, const float *z, double beta, double *x, double *p) {
  MUS_EACH(n) {
    double old = p[i];
    x[i] += alpha * old;
    p[i] = factor * (double)z[i] + beta * old;
  }
}

void mus_fill_random(size_t n, uint64_t seed, double *x) { MUS_EACH(n) x[i] = mus_random(seed, i); }

void mus_to_float(size_t n, double factor, const double *from, float *to) {
  MUS_EACH(n) to[i] = (float)(factor * from[i]);
}

void mus_to_double(size_t n, double factor, const float *from, double *to) {
  MUS_EACH(n) to[i] = factor * (double)from[i];
}
