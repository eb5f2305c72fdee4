// From entries in any order to compressed rows: counted, placed, sorted where needed, duplicates added up.
#ifndef MUS_SPARSE_MATRIX_MARKET_COMPRESS_H
#define MUS_SPARSE_MATRIX_MARKET_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "muslin/matrix_market.h"

typedef struct mus_entry {
  int row, column; // from 0, in range
  double value;
} mus_entry;

// Linear time for entries that come row by row or column by column. `mirror` stores (j, i) for every (i, j) off the
// diagonal as well; entries and their mirror images together may not be more than INT_MAX. Duplicates are added in the
// order they come in; MUS_BAD_INPUT when a sum overflows. `out` is written on success only.
mus_status mus_compress_entries(int rows, int columns, size_t count, const mus_entry *entries, bool mirror,
                                mus_matrix_market *out);

#endif
