// See soundness.h.
#include "sparse/soundness.h"

#include <math.h>

#include "par/par.h"

// Adds up by how much the block `there` is not the mirror image of `here`.
static inline void compare(int block, const double *here, const double *there, double *sum) {
  for (int r = 0; r < block; ++r)
    for (int c = 0; c < block; ++c)
      sum[r * block + c] += fabs(here[r * block + c] - there[c * block + r]);
}

// x - x is 0 where x is finite, and no number otherwise.
static inline void look_at(int block, const double *here, double *sum) {
  for (int k = 0; k < block * block; ++k)
    sum[k] += here[k] - here[k];
}

// Some rows: the sums stay 0 as long as all is well, and never become 0 again. Blocks above the diagonal are only
// looked at, so that they come from memory in order; those below are compared with them, which are in the cache by
// then.
static inline int are_sound(int block, const mus_matrix *a, const mus_transpose *at, int begin, int end) {
  const mus_pattern *p = a->pattern;
  size_t size = (size_t)(block * block);
  double sum[MUS_BLOCK_MAXIMUM * MUS_BLOCK_MAXIMUM] = {0}, total = 0; // many, so that none waits for another
  for (int i = begin; i < end; ++i) {
    int k = p->row_start[i];
    for (; k < p->row_start[i + 1] && p->column[k] <= i; ++k)
      compare(block, a->value + (size_t)k * size, a->value + (size_t)at->source[k] * size, sum);
    for (; k < p->row_start[i + 1]; ++k)
      look_at(block, a->value + (size_t)k * size, sum);
  }
  for (size_t k = 0; k < size; ++k)
    total += sum[k];
  return total == 0;
}

int mus_matrix_is_sound(const mus_matrix *a, const mus_transpose *at) {
  enum { RUN = 64 };
  int sound = 1, rows = a->pattern->rows, runs = (rows + RUN - 1) / RUN;
  MUS_PARALLEL
  {
    int mine = 1;
    MUS_SHARE_RUNS
    for (int run = 0; run < runs; ++run) {
      int begin = run * RUN, end = rows - begin < RUN ? rows : begin + RUN;
      mine &= a->row_block == 3 ? are_sound(3, a, at, begin, end) : are_sound(a->row_block, a, at, begin, end);
    }
    MUS_ONE_AT_A_TIME
    sound &= mine;
  }
  return sound;
}
