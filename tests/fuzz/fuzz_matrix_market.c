// libFuzzer target for the Matrix Market reader: any bytes give a status, and what is accepted is a sound matrix.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "muslin/matrix_market.h"
#include "sparse/pattern.h"

static void require(int condition) {
  if (!condition)
    abort();
}

static void check_blocks(const mus_matrix_market *matrix, int block) {
  mus_matrix_market_blocks blocks;
  if (mus_matrix_market_to_blocks(matrix, block, &blocks) != MUS_OK)
    return;
  require(mus_pattern_check(blocks.rows, blocks.rows, blocks.row_start, blocks.column) == MUS_OK);
  mus_matrix_market_blocks_free(&blocks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  mus_matrix_market matrix;
  if (mus_matrix_market_parse("fuzz", (const char *)data, size, &matrix) != MUS_OK)
    return 0;
  if (!matrix.dense)
    require(mus_pattern_check(matrix.rows, matrix.columns, matrix.row_start, matrix.column) == MUS_OK);
  size_t count = matrix.dense ? (size_t)matrix.rows * (size_t)matrix.columns : (size_t)matrix.row_start[matrix.rows];
  for (size_t k = 0; k < count; ++k)
    require(isfinite(matrix.value[k]));
  for (int block = 1; block <= 3 && matrix.rows <= 4096; ++block)
    check_blocks(&matrix, block);
  mus_matrix_market_free(&matrix);
  return 0;
}
