// See lanes.h.
#include "par/lanes.h"

#include "par/par.h"

// A sum is split into at most this many runs, none shorter than RUN_MINIMUM.
enum { RUNS_MAXIMUM = 256, RUN_MINIMUM = 2048 };

static size_t run_length(size_t n) {
  size_t length = (n + RUNS_MAXIMUM - 1) / RUNS_MAXIMUM;
  return length < RUN_MINIMUM ? RUN_MINIMUM : length;
}

void mus_lanes_put(size_t n, int count, int lane, double factor, const double *x, float *v) {
  MUS_PARALLEL_FOR_IF(n >= RUN_MINIMUM)
  for (size_t i = 0; i < n; ++i)
    v[i * (size_t)count + (size_t)lane] = (float)(factor * x[i]);
}

void mus_lanes_put_f(size_t n, int count, int lane, const float *x, float *v) {
  MUS_PARALLEL_FOR_IF(n >= RUN_MINIMUM)
  for (size_t i = 0; i < n; ++i)
    v[i * (size_t)count + (size_t)lane] = x[i];
}

void mus_lanes_get(size_t n, int count, int lane, const float *v, double *x) {
  MUS_PARALLEL_FOR_IF(n >= RUN_MINIMUM)
  for (size_t i = 0; i < n; ++i)
    x[i] = (double)v[i * (size_t)count + (size_t)lane];
}

// All lanes of a vector register are used, whatever `count` is: what follows the last is summed up and not looked at.
static void dot_run(size_t begin, size_t end, int count, const float *v, const double *r, double *sum) {
  double here[MUS_LANES_MAXIMUM] = {0};
  for (size_t i = begin; i < end; ++i)
    for (int k = 0; k < MUS_LANES_MAXIMUM; ++k)
      here[k] += (double)v[i * (size_t)count + (size_t)k] * r[i];
  for (int k = 0; k < MUS_LANES_MAXIMUM; ++k)
    sum[k] = here[k];
}

void mus_lanes_dot(size_t n, int count, const float *v, const double *r, double *out) {
  double part[RUNS_MAXIMUM][MUS_LANES_MAXIMUM];
  size_t length = run_length(n);
  int runs = (int)((n + length - 1) / length);
  MUS_PARALLEL_FOR_IF(runs > 1)
  for (int k = 0; k < runs; ++k) {
    size_t begin = (size_t)k * length, end = begin + length < n ? begin + length : n;
    dot_run(begin, end, count, v, r, part[k]);
  }
  for (int lane = 0; lane < count; ++lane) {
    out[lane] = 0;
    for (int k = 0; k < runs; ++k)
      out[lane] += part[k][lane];
  }
}

void mus_lanes_add(size_t n, int count, const double *factor, const float *v, double *x) {
  MUS_PARALLEL_FOR_IF(n >= RUN_MINIMUM)
  for (size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (int k = 0; k < count; ++k)
      sum += factor[k] * (double)v[i * (size_t)count + (size_t)k];
    x[i] += sum;
  }
}
