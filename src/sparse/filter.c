// The constraint projection S on vectors, and S A S + scale (I - S). See filter.h.
#include "sparse/filter.h"

#include <string.h>

#include "par/par.h"
#include "par/vector.h"

enum { BLOCK_MAXIMUM = 3, ENTRIES_MAXIMUM = BLOCK_MAXIMUM * BLOCK_MAXIMUM };

// Calls a function whose first argument is the block size with a constant there, so that the compiler unrolls its
// loops.
#define FOR_BLOCK(block, function, ...)                                                                                \
  ((block) == 3 ? function(3, __VA_ARGS__) : (block) == 2 ? function(2, __VA_ARGS__) : function(1, __VA_ARGS__))

// y <- B y + t, or B y where t is NULL
static inline void project_node(int block, const double *b, const double *t, double *y) {
  double old[BLOCK_MAXIMUM];
  for (int k = 0; k < block; ++k)
    old[k] = y[k];
  for (int k = 0; k < block; ++k) {
    double sum = 0;
    for (int m = 0; m < block; ++m)
      sum += b[k * block + m] * old[m];
    y[k] = t ? sum + t[k] : sum;
  }
}

static void project(const mus_filter *s, const double *target, double *x) {
  size_t block = (size_t)s->block;
  MUS_PARALLEL_FOR_IF(s->count >= MUS_PAR_MINIMUM)
  for (int k = 0; k < s->count; ++k) {
    const double *t = target ? target + (size_t)k * block : NULL;
    FOR_BLOCK(s->block, project_node, s->projection + (size_t)k * block * block, t, x + (size_t)s->node[k] * block);
  }
}

void mus_filter_apply(const mus_filter *s, double *x) {
  project(s, NULL, x);
  if (s->across)
    mus_equalities_project(s->across, x);
}

void mus_filter_impose(const mus_filter *s, double *x) {
  project(s, s->target, x);
  if (s->across)
    mus_equalities_impose(s->across, x);
}

void mus_filter_target(const mus_filter *s, double *x) {
  size_t block = (size_t)s->block;
  mus_fill((size_t)s->rows * block, 0.0, x);
  for (int k = 0; k < s->count; ++k)
    memcpy(x + (size_t)s->node[k] * block, s->target + (size_t)k * block, block * sizeof *x);
  if (s->across)
    mus_equalities_impose(s->across, x);
}

// c <- a b
static inline void multiply_blocks(int block, const double *a, const double *b, double *c) {
  for (int k = 0; k < block; ++k)
    for (int l = 0; l < block; ++l) {
      double sum = 0;
      for (int m = 0; m < block; ++m)
        sum += a[k * block + m] * b[m * block + l];
      c[k * block + l] = sum;
    }
}

// a <- left a right, NULL standing for the identity. The projection of the lower-numbered node comes first, whichever
// side it is on: block (j, i) then goes through the same roundings as block (i, j), transposed.
static inline void project_block(int block, const double *left, const double *right, int left_first, double *a) {
  double middle[ENTRIES_MAXIMUM];
  size_t bytes = (size_t)(block * block) * sizeof *a;
  if (left && right) {
    multiply_blocks(block, left_first ? left : a, left_first ? a : right, middle);
    multiply_blocks(block, left_first ? middle : left, left_first ? right : middle, a);
  } else if (left) {
    memcpy(middle, a, bytes);
    multiply_blocks(block, left, middle, a);
  } else if (right) {
    memcpy(middle, a, bytes);
    multiply_blocks(block, middle, right, a);
  }
}

// a <- S a S + scale (I - S); the mean with its transpose removes the asymmetry of the roundings.
static inline void project_diagonal(int block, const double *s, double scale, double *a) {
  project_block(block, s, s, 1, a);
  for (int k = 0; k < block; ++k)
    for (int l = k; l < block; ++l) {
      double mean = 0.5 * (a[k * block + l] + a[l * block + k]) + scale * ((k == l ? 1.0 : 0.0) - s[k * block + l]);
      a[k * block + l] = mean;
      a[l * block + k] = mean;
    }
}

// One row of the pattern, which belongs to node `node`. `diagonal` is the place of its diagonal block, or -1.
static inline void filter_row(int block, const mus_filter *s, const mus_pattern *pattern, int row, int node,
                              int diagonal, double scale, double *value) {
  int entries = block * block;
  int here = s->index_of[node];
  const double *left = here < 0 ? NULL : s->projection + (size_t)here * (size_t)entries;
  for (int place = pattern->row_start[row]; place < pattern->row_start[row + 1]; ++place) {
    int there = s->index_of[pattern->column[place]];
    if (here < 0 && there < 0)
      continue;
    double *a = value + (size_t)place * (size_t)entries;
    if (place == diagonal)
      project_diagonal(block, left, scale, a);
    else
      project_block(block, left, there < 0 ? NULL : s->projection + (size_t)there * (size_t)entries,
                    node < pattern->column[place], a);
  }
}

void mus_filter_matrix(const mus_filter *s, const mus_matrix *from, const int *place, double scale, mus_matrix *to) {
  const mus_pattern *pattern = from->pattern;
  if (from->value != to->value)
    mus_copy(mus_matrix_values(from), from->value, to->value); // one sweep is faster than a copy a row
  if (s->count == 0)
    return;
  MUS_PARALLEL_FOR_IF(pattern->rows >= MUS_PAR_MINIMUM)
  for (int row = 0; row < pattern->rows; ++row)
    FOR_BLOCK(s->block, filter_row, s, pattern, row, row, place[row], scale, to->value);
}

void mus_filter_beyond(const mus_filter *s, const mus_beyond *from, double *to) {
  const mus_pattern *pattern = &from->pattern;
  if (from->value != to)
    mus_copy((size_t)mus_pattern_blocks(pattern) * (size_t)(from->block * from->block), from->value, to);
  if (s->count == 0)
    return;
  MUS_PARALLEL_FOR_IF(from->count >= MUS_PAR_MINIMUM)
  for (int k = 0; k < from->count; ++k)
    FOR_BLOCK(s->block, filter_row, s, pattern, k, from->node[k], -1, 0.0, to);
}

// The trace of the rows of one run.
static double trace_run(const mus_matrix *a, const int *place, int begin, int end) {
  size_t block = (size_t)a->row_block;
  double sum = 0;
  for (int row = begin; row < end; ++row) {
    const double *diagonal = a->value + (size_t)place[row] * block * block;
    for (size_t k = 0; k < block; ++k)
      sum += diagonal[k * (block + 1)];
  }
  return sum;
}

double mus_filter_scale(const mus_matrix *a, const int *place) {
  enum { RUNS = 256 }; // fixed, so that the order of the sum does not depend on the number of threads
  double part[RUNS];
  int rows = a->pattern->rows;
  if (rows == 0)
    return 1.0;
  MUS_PARALLEL_FOR_IF(rows >= MUS_PAR_MINIMUM)
  for (int run = 0; run < RUNS; ++run)
    part[run] = trace_run(a, place, (int)((long long)rows * run / RUNS), (int)((long long)rows * (run + 1) / RUNS));
  double trace = 0;
  for (int run = 0; run < RUNS; ++run)
    trace += part[run];
  return trace / ((double)rows * a->row_block);
}
