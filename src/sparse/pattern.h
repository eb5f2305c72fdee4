// The pattern of a block sparse matrix: which blocks exist, without their values.
//
// Compressed rows, in units of blocks. Columns ascend within a row. A pattern is made once, from topology, and outlives
// many sets of values. All arrays come from the arena given at creation and live as long as it does.
#ifndef MUS_SPARSE_PATTERN_H
#define MUS_SPARSE_PATTERN_H

#include <stddef.h>

#include "base/memory.h"
#include "muslin/status.h"

typedef struct mus_pattern {
  int rows, columns; // in blocks
  int *row_start;    // rows + 1; row_start[rows] is the number of blocks
  int *column;       // ascending within a row
} mus_pattern;

static inline int mus_pattern_blocks(const mus_pattern *pattern) { return pattern->row_start[pattern->rows]; }

// Where block (row, column) is stored, or -1. Binary search.
int mus_pattern_find(const mus_pattern *pattern, int row, int column);

// The columns that rows begin ... end - 1 have blocks in lie in low ... high - 1; low = high where there are none.
void mus_pattern_columns(const mus_pattern *pattern, int begin, int end, int *low, int *high);

// Checks a pattern that came from outside: row_start monotone from 0, columns in range, ascending, no duplicates.
mus_status mus_pattern_check(int rows, int columns, const int *row_start, const int *column);

// A copy of outside arrays. They must have passed mus_pattern_check.
mus_status mus_pattern_copy(mus_arena *arena, int rows, int columns, const int *row_start, const int *column,
                            mus_pattern *out);

// The transpose of a pattern, with the way back: block k of the transpose is block source[k] of the original. A matrix
// needs no transposed values: its transpose is read through `source`.
typedef struct mus_transpose {
  mus_pattern pattern;
  int *source; // a block of the transpose -> the block of the original
} mus_transpose;

mus_status mus_transpose_create(mus_arena *arena, const mus_pattern *pattern, mus_transpose *out);

// True when the pattern is square and (i, j) implies (j, i).
int mus_pattern_is_symmetric(const mus_pattern *pattern, const mus_transpose *transpose);

#endif
