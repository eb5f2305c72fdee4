// y = A^T x by chunks of A's rows. See matrix.h.
#include <string.h>

#include "base/error.h"
#include "par/par.h"
#include "sparse/kernels.h"

enum { ROWS_MINIMUM = 512, COLUMNS_AT_ONCE = 64 };

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
  out->sums = mus_arena_alloc(arena, numbers, number_size);
  return out->sums ? MUS_OK : mus_fail_memory();
}

#define TEMPLATE "sparse/restriction_template.h"
#include "base/both_precisions.h"
