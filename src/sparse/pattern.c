// Patterns: look-up, checks, copies, transposes. See pattern.h.
#include "sparse/pattern.h"

#include <string.h>

#include "base/error.h"

int mus_pattern_find(const mus_pattern *pattern, int row, int column) {
  int low = pattern->row_start[row], high = pattern->row_start[row + 1];
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (pattern->column[middle] < column)
      low = middle + 1;
    else
      high = middle;
  }
  return low < pattern->row_start[row + 1] && pattern->column[low] == column ? low : -1;
}

void mus_pattern_columns(const mus_pattern *pattern, int begin, int end, int *low, int *high) {
  int first = pattern->columns, after = 0;
  for (int k = pattern->row_start[begin]; k < pattern->row_start[end]; ++k) {
    first = pattern->column[k] < first ? pattern->column[k] : first;
    after = pattern->column[k] >= after ? pattern->column[k] + 1 : after;
  }
  *low = first < after ? first : after;
  *high = after;
}

mus_status mus_pattern_check(int rows, int columns, const int *row_start, const int *column) {
  if (rows < 1 || columns < 1)
    return mus_fail(MUS_BAD_INPUT, "the pattern has %d rows and %d columns: both must be at least 1", rows, columns);
  if (row_start[0] != 0)
    return mus_fail(MUS_BAD_INPUT, "row_start[0] is %d: it must be 0", row_start[0]);
  for (int i = 0; i < rows; ++i) // all of them before the columns, which are there up to the last row start only
    if (row_start[i + 1] < row_start[i])
      return mus_fail(MUS_BAD_INPUT, "row_start[%d] = %d is less than row_start[%d] = %d: it must not decrease", i + 1,
                      row_start[i + 1], i, row_start[i]);
  for (int i = 0; i < rows; ++i)
    for (int k = row_start[i]; k < row_start[i + 1]; ++k) {
      if (column[k] < 0 || column[k] >= columns)
        return mus_fail(MUS_BAD_INPUT, "column %d in row %d is outside 0...%d", column[k], i, columns - 1);
      if (k > row_start[i] && column[k] <= column[k - 1])
        return mus_fail(MUS_BAD_INPUT, "column %d follows column %d in row %d: columns must ascend, each once",
                        column[k], column[k - 1], i);
    }
  return MUS_OK;
}

mus_status mus_pattern_copy(mus_arena *arena, int rows, int columns, const int *row_start, const int *column,
                            mus_pattern *out) {
  size_t blocks = (size_t)row_start[rows];
  int *start = mus_arena_alloc(arena, (size_t)rows + 1, sizeof *start);
  int *copy = mus_arena_alloc(arena, blocks, sizeof *copy);
  if (!start || !copy)
    return mus_fail_memory();
  memcpy(start, row_start, ((size_t)rows + 1) * sizeof *start);
  memcpy(copy, column, blocks * sizeof *copy);
  *out = (mus_pattern){rows, columns, start, copy};
  return MUS_OK;
}

mus_status mus_transpose_create(mus_arena *arena, const mus_pattern *pattern, mus_transpose *out) {
  size_t blocks = (size_t)mus_pattern_blocks(pattern);
  int *start = mus_arena_alloc_zero(arena, (size_t)pattern->columns + 1, sizeof *start);
  int *column = mus_arena_alloc(arena, blocks, sizeof *column);
  int *source = mus_arena_alloc(arena, blocks, sizeof *source);
  if (!start || !column || !source)
    return mus_fail_memory();
  for (size_t k = 0; k < blocks; ++k)
    ++start[pattern->column[k] + 1];
  for (int j = 0; j < pattern->columns; ++j)
    start[j + 1] += start[j];
  // Rows are visited in order, so columns of the transpose ascend. start[j] runs ahead while row j fills ...
  for (int i = 0; i < pattern->rows; ++i)
    for (int k = pattern->row_start[i]; k < pattern->row_start[i + 1]; ++k) {
      int place = start[pattern->column[k]]++;
      column[place] = i;
      source[place] = k;
    }
  // ... and is moved back by one row at the end.
  memmove(start + 1, start, (size_t)pattern->columns * sizeof *start);
  start[0] = 0;
  *out = (mus_transpose){{pattern->columns, pattern->rows, start, column}, source};
  return MUS_OK;
}

int mus_pattern_is_symmetric(const mus_pattern *pattern, const mus_transpose *transpose) {
  const mus_pattern *other = &transpose->pattern;
  return pattern->rows == pattern->columns &&
         memcmp(pattern->row_start, other->row_start, ((size_t)pattern->rows + 1) * sizeof(int)) == 0 &&
         memcmp(pattern->column, other->column, (size_t)mus_pattern_blocks(pattern) * sizeof(int)) == 0;
}
