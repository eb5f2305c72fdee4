// Symmetric kernels in plain C: the reference that the others are tested against, and the only ones on other
// processors.
#include <string.h>

#include "sparse/symmetric_kernels.h"

#define TEMPLATE "sparse/symmetric_scalar_template.h"
#include "base/both_precisions.h"

static inline void add_two_f(const float *a, const float *x_i, const float *x_j, const float *x_l, wide_f *sum0,
                             wide_f *sum1, wide_f *sum2, float *y_j, float *y_l) {
  wide_f *sum[] = {sum0, sum1, sum2};
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) {
      const float left = a[6 * r + c], right = a[6 * r + 3 + c];
      sum[r]->lane[c] += left * x_j[c] + right * x_l[c];
      y_j[c] += left * x_i[r];
      y_l[c] += right * x_i[r];
    }
}

static inline void gather_two_f(const float *a, const float *x_j, const float *x_l, wide_f *sum0, wide_f *sum1,
                                wide_f *sum2) {
  wide_f *sum[] = {sum0, sum1, sum2};
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c)
      sum[r]->lane[c] += a[6 * r + c] * x_j[c] + a[6 * r + 3 + c] * x_l[c];
}
#define gather_ring_f gather_two_f

static inline void scatter_two_f(const float *a, vector_f x_i, float *y_j, float *y_l) {
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) {
      y_j[c] += a[6 * r + c] * x_i.lane[r];
      y_l[c] += a[6 * r + 3 + c] * x_i.lane[r];
    }
}

#include "sparse/symmetric_tables.h"

const mus_symmetric_kernels mus_symmetric_scalar = {table, table_f, two_table, two_table_f};
