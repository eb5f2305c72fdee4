// Local QR of the near-null space. See tentative.h.
#include "multigrid/aggregation/tentative.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "multigrid/aggregation/tentative_lanes.h"
#include "par/par.h"

static double column_dot(int rows, int columns, const double *q, int a, int b) {
  double sum = 0;
  for (int i = 0; i < rows; ++i)
    sum += q[i * columns + a] * q[i * columns + b];
  return sum;
}

int mus_local_qr(int rows, int columns, double *q, double *r, unsigned char *live) {
  int rank = 0;
  memset(r, 0, (size_t)(columns * columns) * sizeof *r);
  for (int c = 0; c < columns; ++c) {
    double before = sqrt(column_dot(rows, columns, q, c, c));
    for (int twice = 0; twice < 2; ++twice) // once more removes what rounding left of the earlier columns
      for (int e = 0; e < c; ++e)
        if (live[e]) {
          double part = column_dot(rows, columns, q, e, c);
          r[e * columns + c] += part;
          for (int i = 0; i < rows; ++i)
            q[i * columns + c] -= part * q[i * columns + e];
        }
    double after = sqrt(column_dot(rows, columns, q, c, c));
    live[c] = after > MUS_DEPENDENT * before && after > 1e-150;
    rank += live[c];
    r[c * columns + c] = live[c] ? after : 0;
    for (int i = 0; i < rows; ++i)
      q[i * columns + c] = live[c] ? q[i * columns + c] / after : 0;
  }
  return rank;
}

// Three and six columns are taken in several aggregates at once; NULL for others.
static const mus_tentative_lanes *lanes_for(int count) {
  if (count != 3 && count != 6)
    return NULL;
#if MUSLIN_X86
  if (mus_instructions_current() != MUS_SCALAR)
    return &mus_tentative_lanes_avx2;
#endif
  return &mus_tentative_lanes_scalar;
}

static void factor_one(const mus_tentative_task *t, int g, double *local) {
  const int *member = t->aggregates->member + t->aggregates->start[g];
  int members = t->aggregates->start[g + 1] - t->aggregates->start[g];
  size_t size = (size_t)(t->block * t->count);
  for (int m = 0; m < members; ++m)
    memcpy(local + (size_t)m * size, t->kernel + (size_t)member[m] * size, size * sizeof *local);
  mus_local_qr(members * t->block, t->count, local, t->coarse_kernel + (size_t)g * (size_t)(t->count * t->count),
               t->live + (size_t)g * (size_t)t->count);
  for (int m = 0; m < members; ++m)
    memcpy(t->q + (size_t)member[m] * size, local + (size_t)m * size, size * sizeof *local);
}

mus_status mus_tentative_fill(const mus_aggregates *aggregates, int nodes, int block, int count, const double *kernel,
                              double *q, double *coarse_kernel, unsigned char *live) {
  mus_tentative_task task = {aggregates, block, count, kernel, q, coarse_kernel, live};
  const mus_tentative_lanes *lanes = lanes_for(count);
  size_t size = (size_t)(block * count);
  int largest = 0, groups = lanes ? lanes->groups : 1;
  for (int g = 0; g < aggregates->count; ++g)
    if (aggregates->start[g + 1] - aggregates->start[g] > largest)
      largest = aggregates->start[g + 1] - aggregates->start[g];
  size_t room = (size_t)largest * size * (size_t)groups;
  double *local_all = mus_alloc((size_t)mus_par_threads() * room, sizeof *local_all);
  if (!local_all)
    return mus_fail_memory();
  MUS_PARALLEL
  {
    double *local = local_all + (size_t)mus_par_index() * room;
    MUS_SHARE_FOR
    for (int g = 0; g < aggregates->count; g += groups) {
      int end = aggregates->count - g < groups ? aggregates->count : g + groups;
      if (lanes)
        lanes->factor(&task, g, end, local);
      else
        factor_one(&task, g, local);
    }
    MUS_SHARE_FOR
    for (int i = 0; i < nodes; ++i)
      if (aggregates->of[i] < 0)
        memset(q + (size_t)i * size, 0, size * sizeof *q);
  }
  mus_free(local_all);
  return MUS_OK;
}
