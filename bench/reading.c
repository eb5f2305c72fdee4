// How fast this machine reads memory. See reading.h.
#include "reading.h"

#include <stddef.h>
#include <stdlib.h>

#include "par/par.h"

enum { READ_RUNS = 1024 };

// Four streams with four chains of additions each: what reads fastest of what was tried.
static double sum_run(const double *x, size_t count) {
  double sum[16] = {0}, total = 0;
  size_t quarter = count / 4;
  for (size_t i = 0; i < quarter; i += 4)
    for (size_t stream = 0; stream < 4; ++stream)
      for (size_t k = 0; k < 4; ++k)
        sum[4 * stream + k] += x[stream * quarter + i + k];
  for (int k = 0; k < 16; ++k)
    total += sum[k];
  return total;
}

double reading_sum(const double *array) {
  const size_t run = READ_BYTES / sizeof(double) / READ_RUNS;
  double part[READ_RUNS], total = 0;
  MUS_PARALLEL_FOR
  for (int k = 0; k < READ_RUNS; ++k)
    part[k] = sum_run(array + (size_t)k * run, run);
  for (int k = 0; k < READ_RUNS; ++k)
    total += part[k];
  return total;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double reading_quantile(double part, int count, double scale, const double *above, const double *below) {
  double ratio[REPEATS_MAXIMUM];
  for (int i = 0; i < count; ++i)
    ratio[i] = scale * above[i] / (below ? below[i] : 1);
  qsort(ratio, (size_t)count, sizeof *ratio, compare);
  return ratio[(int)(part * (count - 1) + 0.5)];
}

double reading_median(int count, double scale, const double *above, const double *below) {
  return reading_quantile(0.5, count, scale, above, below);
}
