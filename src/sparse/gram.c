// See gram.h.
#include "sparse/gram.h"

#include <string.h>

#include "par/par.h"
#include "sparse/symmetric_kernels.h"

// Rows are cut into at most this many runs, none shorter than RUN_MINIMUM, by their number alone: sums have the same
// bits for any number of threads.
enum { RUNS_MAXIMUM = 64, RUN_MINIMUM = 256 };

// w += factor B v_j for a block B and the numbers of a node
static inline void add_block(int block, double factor, const double *b, int count, const float *v,
                             double w[][MUS_LANES_MAXIMUM]) {
  for (int r = 0; r < block; ++r)
    for (int c = 0; c < block; ++c) {
      double value = factor * b[r * block + c];
      for (int k = 0; k < count; ++k)
        w[r][k] += value * (double)v[c * count + k];
    }
}

static inline void rows(int block, const mus_gram_rows *a, int begin, int end, int count, const float *v,
                        mus_gram_sum sum) {
  size_t numbers = (size_t)block * (size_t)count, entries = (size_t)(block * block);
  for (int i = begin; i < end; ++i) {
    double w[MUS_BLOCK_MAXIMUM][MUS_LANES_MAXIMUM] = {{0}};
    int row = a->node ? a->node[i] : i, first, pairs;
    const float *here = v + (size_t)row * numbers;
    mus_gram_row(a, i, row, &first, &pairs);
    for (int e = first; e < a->row_start[i + 1]; ++e) {
      int is_pair = e >= pairs && a->pair_start;
      const float *there =
          is_pair ? here + mus_pair_apart(a->where[e]) * (size_t)count : v + (size_t)a->where[e] * numbers;
      add_block(block, e < pairs ? 0.5 : 1, a->value + (size_t)e * entries, count, there, w);
    }
    for (int r = 0; r < block; ++r)
      for (int j = 0; j < count; ++j)
        for (int k = 0; k < count; ++k)
          sum[j][k] += (double)here[r * count + j] * w[r][k];
  }
}

static void sum_rows(const mus_gram_rows *a, int begin, int end, int count, const float *v, mus_gram_sum sum) {
  memset(sum, 0, sizeof(mus_gram_sum));
#if MUSLIN_X86
  if (a->block == 3 && mus_instructions_current() != MUS_SCALAR) {
    mus_gram_rows_avx2(a, begin, end, count, v, sum);
    return;
  }
#endif
  if (a->block == 3)
    rows(3, a, begin, end, count, v, sum);
  else
    rows(a->block, a, begin, end, count, v, sum);
}

static void add(const mus_gram_rows *a, int all, int count, const float *v, double *gram) {
  mus_gram_sum part[RUNS_MAXIMUM];
  int length = (all + RUNS_MAXIMUM - 1) / RUNS_MAXIMUM;
  length = length < RUN_MINIMUM ? RUN_MINIMUM : length;
  int runs = (all + length - 1) / length;
  MUS_PARALLEL_FOR_IF(runs > 1)
  for (int k = 0; k < runs; ++k)
    sum_rows(a, k * length, (k + 1) * length < all ? (k + 1) * length : all, count, v, part[k]);
  for (int r = 0; r < runs; ++r)
    for (int j = 0; j < count; ++j)
      for (int k = 0; k < count; ++k)
        gram[j * count + k] += part[r][j][k] + part[r][k][j];
}

void mus_gram_add(const mus_matrix *a, const int *node, int count, const float *v, double *gram) {
  const mus_pattern *p = a->pattern;
  add(&(mus_gram_rows){a->row_block, p->row_start, p->column, NULL, node, a->value}, p->rows, count, v, gram);
}

void mus_symmetric_gram_add(const mus_symmetric *a, int count, const float *v, double *gram) {
  const mus_symmetric_pattern *p = a->pattern;
  add(&(mus_gram_rows){p->block, p->row_start, p->where, p->pair_start, NULL, a->value}, p->rows, count, v, gram);
}
