// y = A^T x by chunks of A's rows. See matrix.h.
#include <string.h>

#include "base/error.h"
#include "par/par.h"
#include "sparse/kernels.h"

enum { ROWS_MINIMUM = 512, COLUMNS_AT_ONCE = 256 };

// Sums of chunks may overlap so much: they take this many times as many numbers as y.
static const double most_overlap = 4;

// Cuts the rows into so many chunks; returns the block columns that all of them together meet.
static double cut(const mus_pattern *a, int chunks, mus_restriction *out) {
  double columns = 0;
  out->chunks = chunks;
  for (int c = 0; c <= chunks; ++c)
    out->row[c] = (int)((long long)a->rows * c / chunks);
  for (int c = 0; c < chunks; ++c) {
    mus_pattern_columns(a, out->row[c], out->row[c + 1], &out->low[c], &out->high[c]);
    columns += out->high[c] - out->low[c];
  }
  return columns;
}

mus_status mus_restriction_create(mus_arena *arena, const mus_pattern *pattern, int column_block, size_t number_size,
                                  mus_restriction *out) {
  int chunks = pattern->rows / ROWS_MINIMUM;
  chunks = chunks < 1 ? 1 : chunks > MUS_RESTRICTION_CHUNKS ? MUS_RESTRICTION_CHUNKS : chunks;
  *out = (mus_restriction){0};
  if (cut(pattern, chunks, out) > most_overlap * pattern->columns) {
    out->chunks = 0;
    return MUS_OK;
  }
  size_t numbers = 0;
  for (int c = 0; c < chunks; ++c) {
    out->at[c] = numbers;
    numbers += (size_t)(out->high[c] - out->low[c]) * (size_t)mus_scatter_stride(column_block);
  }
  out->room = mus_arena_alloc(arena, numbers, number_size);
  return out->room ? MUS_OK : mus_fail_memory();
}

#define RESTRICT(real, matrix, task_type, table, name, add_sums)                                                       \
  /* y = the chunks' sums for the block columns begin ... end - 1 */                                                   \
  static void add_sums(const mus_restriction *plan, int begin, int end, int block, real *y) {                          \
    int stride = mus_scatter_stride(block);                                                                            \
    memset(y + (size_t)begin * (size_t)block, 0, (size_t)(end - begin) * (size_t)block * sizeof(real));                \
    for (int c = 0; c < plan->chunks; ++c) {                                                                           \
      int low = plan->low[c] > begin ? plan->low[c] : begin, high = plan->high[c] < end ? plan->high[c] : end;         \
      const real *sum = (const real *)plan->room + plan->at[c];                                                        \
      for (int j = low; j < high; ++j)                                                                                 \
        for (int e = 0; e < block; ++e)                                                                                \
          y[(size_t)j * (size_t)block + (size_t)e] += sum[(size_t)(j - plan->low[c]) * (size_t)stride + (size_t)e];    \
    }                                                                                                                  \
  }                                                                                                                    \
  void name(const matrix *a, const mus_restriction *plan, const real *x, real *y) {                                    \
    mus_shape shape = mus_shape_of(a->row_block, a->column_block);                                                     \
    void (*kernel)(const task_type *, int, int) = mus_kernels_current()->table[MUS_OP_SCATTER][shape];                 \
    int stride = mus_scatter_stride(a->column_block), columns = a->pattern->columns;                                   \
    MUS_PARALLEL_FOR_IF(plan->chunks > 1)                                                                              \
    for (int c = 0; c < plan->chunks; ++c) {                                                                           \
      real *sum = (real *)plan->room + plan->at[c];                                                                    \
      memset(sum, 0, (size_t)(plan->high[c] - plan->low[c]) * (size_t)stride * sizeof(real));                          \
      kernel(&(task_type){.row_block = a->row_block,                                                                   \
                          .column_block = a->column_block,                                                             \
                          .row_start = a->pattern->row_start,                                                          \
                          .column = a->pattern->column,                                                                \
                          .first_column = plan->low[c],                                                                \
                          .value = a->value,                                                                           \
                          .x = x,                                                                                      \
                          .y = sum},                                                                                   \
             plan->row[c], plan->row[c + 1]);                                                                          \
    }                                                                                                                  \
    MUS_PARALLEL_FOR_IF(columns > MUS_PAR_MINIMUM)                                                                     \
    for (int begin = 0; begin < columns; begin += COLUMNS_AT_ONCE) {                                                   \
      int end = columns - begin > COLUMNS_AT_ONCE ? begin + COLUMNS_AT_ONCE : columns;                                 \
      add_sums(plan, begin, end, a->column_block, y);                                                                  \
    }                                                                                                                  \
  }

RESTRICT(double, mus_matrix, mus_task, rows, mus_restrict, add_sums)
RESTRICT(float, mus_matrix_f, mus_task_f, rows_f, mus_restrict_f, add_sums_f)
