// Memory bandwidth and the plain product. See muslin/machine.h.
#include "muslin/machine.h"

#include "base/error.h"
#include "base/processor.h"
#include "base/timer.h"
#include "par/par.h"
#include "par/vector.h"
#include "sparse/matrix.h"

// Arrays well beyond any cache, and as many passes as STREAM (McCalpin 1995) takes the best of.
enum { TRIAD_ENTRIES = 16 << 20, TRIAD_PASSES = 10 };

static void triad(double *a, const double *b, const double *c, double scale) {
  MUS_PARALLEL_FOR
  for (int i = 0; i < TRIAD_ENTRIES; ++i)
    a[i] = b[i] + scale * c[i];
}

static mus_status measure_bandwidth(double *gigabytes) {
  mus_arena arena = {0};
  double *array[3], best = 0;
  for (int k = 0; k < 3; ++k) {
    array[k] = mus_arena_alloc(&arena, TRIAD_ENTRIES, sizeof(double));
    if (!array[k]) {
      mus_arena_clear(&arena);
      return mus_fail_memory();
    }
    mus_fill(TRIAD_ENTRIES, k, array[k]); // pages come to the threads that will use them
  }
  for (int pass = 0; pass < TRIAD_PASSES; ++pass) {
    double begin = mus_seconds();
    triad(array[pass % 3], array[(pass + 1) % 3], array[(pass + 2) % 3], 0.5);
    double rate = 3.0 * sizeof(double) * TRIAD_ENTRIES / (mus_seconds() - begin) * 1e-9;
    best = rate > best ? rate : best;
  }
  mus_arena_clear(&arena);
  *gigabytes = best;
  return MUS_OK;
}

mus_status mus_machine_measure(int threads, mus_machine *machine) {
  mus_machine found = {0};
  int before = mus_par_set_threads(threads);
  mus_processor_name(sizeof found.cpu, found.cpu);
  found.threads = mus_par_threads();
  mus_status status = measure_bandwidth(&found.stream_gb_s);
  mus_par_set_threads(before);
  if (!status)
    *machine = found;
  return status;
}

void mus_machine_multiply(int threads, int rows, int block, const int *row_start, const int *column,
                          const double *values, const double *x, double *y) {
  // The product reads only; pattern and matrix have no const twin.
  mus_pattern pattern = {.rows = rows, .columns = rows, .row_start = (int *)row_start, .column = (int *)column};
  mus_matrix a = {.pattern = &pattern, .row_block = block, .column_block = block, .value = (double *)values};
  int before = mus_par_set_threads(threads);
  mus_multiply(&a, x, y);
  mus_par_set_threads(before);
}
