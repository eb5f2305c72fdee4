// Local QR of several aggregates at once, as text: TABLE is the name of the table that it defines. See
// tentative_lanes.h.
//
// Gram and Schmidt's method, column by column, each taken out of all that follow, and all of it once more, which
// removes what rounding left of earlier columns. The first time, what is left of a column that depends on those before
// it stays as it is, with 1 in R, so that the second time finds what it still has of them; then it goes.
#include <string.h>

#include "base/small_lanes.h"
#include "multigrid/aggregation/tentative_lanes.h"

enum { COLUMNS = 6 }; // at most

// Column c, which is a constant where this is called. `before` is NULL the second time, when it is known who is live.
LANES_INLINE void take_out(int rows, int columns, int c, const lanes *before, lanes *q, lanes *r, lanes_truth *live) {
  lanes part[COLUMNS];
  for (int j = c; j < columns; ++j)
    part[j] = lanes_all(0);
  for (int i = 0; i < rows; ++i)
    for (int j = c; j < columns; ++j)
      part[j] += q[i * columns + c] * q[i * columns + j];
  lanes after = lanes_root(part[c]);
  if (before)
    live[c] = (after > MUS_DEPENDENT * before[c]) & (after > 1e-150);
  lanes unit = lanes_select(live[c], 1 / after, lanes_all(0)), dead = lanes_all(before != NULL);
  for (int j = 0; j < columns; ++j)
    r[c * columns + j] = j < c ? lanes_all(0) : part[j] * unit;
  r[c * columns + c] = lanes_select(live[c], after, dead);
  for (int j = c + 1; j < columns; ++j)
    part[j] *= unit;
  lanes scale = lanes_select(live[c], unit, dead);
  for (int i = 0; i < rows; ++i) {
    lanes own = q[i * columns + c] * scale;
    q[i * columns + c] = own;
    for (int j = c + 1; j < columns; ++j)
      q[i * columns + j] -= own * part[j];
  }
}

LANES_INLINE void orthogonalise(int rows, int columns, const lanes *before, lanes *q, lanes *r, lanes_truth *live) {
  take_out(rows, columns, 0, before, q, r, live);
  take_out(rows, columns, 1, before, q, r, live);
  take_out(rows, columns, 2, before, q, r, live);
  if (columns == 3)
    return;
  take_out(rows, columns, 3, before, q, r, live);
  take_out(rows, columns, 4, before, q, r, live);
  take_out(rows, columns, 5, before, q, r, live);
}

LANES_INLINE void factor_lanes(int rows, int columns, lanes *q, lanes *r, lanes_truth *live) {
  lanes before[COLUMNS], first[COLUMNS * COLUMNS], again[COLUMNS * COLUMNS];
  for (int j = 0; j < columns; ++j)
    before[j] = lanes_all(0);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      before[j] += q[i * columns + j] * q[i * columns + j];
  for (int j = 0; j < columns; ++j)
    before[j] = lanes_root(before[j]);
  orthogonalise(rows, columns, before, q, first, live);
  orthogonalise(rows, columns, NULL, q, again, live);
  small_multiply_lanes(columns, again, first, r); // upper triangles both
}

LANES_INLINE void factor_groups(const mus_tentative_task *t, int begin, int end, int columns, lanes *local) {
  const int *start = t->aggregates->start, *member = t->aggregates->member;
  int size = t->block * columns, most = 0;
  lanes r[COLUMNS * COLUMNS];
  lanes_truth live[COLUMNS];
  for (int g = begin; g < end; ++g)
    most = start[g + 1] - start[g] > most ? start[g + 1] - start[g] : most;
  memset(local, 0, (size_t)(most * size) * sizeof *local);
  for (int g = begin; g < end; ++g)
    for (int m = start[g]; m < start[g + 1]; ++m) {
      const double *from = t->kernel + (size_t)member[m] * (size_t)size;
      double *to = (double *)(local + (m - start[g]) * size) + (g - begin);
      for (int e = 0; e < size; ++e)
        to[e * LANES] = from[e];
    }
  factor_lanes(most * t->block, columns, local, r, live);
  for (int g = begin; g < end; ++g) {
    for (int m = start[g]; m < start[g + 1]; ++m) {
      const double *from = (const double *)(local + (m - start[g]) * size) + (g - begin);
      double *to = t->q + (size_t)member[m] * (size_t)size;
      for (int e = 0; e < size; ++e)
        to[e] = from[e * LANES];
    }
    for (int e = 0; e < columns * columns; ++e)
      t->coarse_kernel[(size_t)g * (size_t)(columns * columns) + (size_t)e] = ((double *)r)[e * LANES + g - begin];
    for (int c = 0; c < columns; ++c)
      t->live[(size_t)g * (size_t)columns + (size_t)c] = live[c][g - begin] != 0;
  }
}

static void factor(const mus_tentative_task *task, int begin, int end, double *local) {
  if (task->count == 3)
    factor_groups(task, begin, end, 3, (lanes *)(void *)local);
  else
    factor_groups(task, begin, end, 6, (lanes *)(void *)local);
}

const mus_tentative_lanes TABLE = {LANES, factor};
