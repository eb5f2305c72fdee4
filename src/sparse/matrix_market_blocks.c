// Scalar rows regrouped into blocks. See muslin/matrix_market.h.
//
// The `block` scalar rows of a block row are sorted lists; walking them side by side, always at the smallest block
// column that any of them has reached, gives the blocks in order in one pass and without a table of columns.
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "muslin/matrix_market.h"
#include "sparse/matrix.h"

void mus_matrix_market_blocks_free(mus_matrix_market_blocks *blocks) {
  if (!blocks)
    return;
  mus_free(blocks->row_start);
  mus_free(blocks->column);
  mus_free(blocks->value);
  *blocks = (mus_matrix_market_blocks){0};
}

// Where the walk through one block row is.
typedef struct walk {
  const mus_matrix_market *matrix;
  int block, row;              // the block row
  int next[MUS_BLOCK_MAXIMUM]; // a scalar row: its next entry
  bool diagonal_done;
} walk;

static walk begin_walk(const mus_matrix_market *matrix, int block, int row) {
  walk w = {.matrix = matrix, .block = block, .row = row};
  for (int i = 0; i < block; ++i)
    w.next[i] = matrix->row_start[row * block + i];
  return w;
}

// The block column to come, or -1 at the end of the row.
static int next_column(const walk *w) {
  int least = w->diagonal_done ? -1 : w->row;
  for (int i = 0; i < w->block; ++i) {
    if (w->next[i] == w->matrix->row_start[w->row * w->block + i + 1])
      continue;
    int column = w->matrix->column[w->next[i]] / w->block;
    if (least < 0 || column < least)
      least = column;
  }
  return least;
}

// Walks over the entries in block column `column` and copies them into `value`, unless that is NULL.
static void take_block(walk *w, int column, double *value) {
  const mus_matrix_market *m = w->matrix;
  for (int i = 0; i < w->block; ++i) {
    int end = m->row_start[w->row * w->block + i + 1], k = w->next[i];
    for (; k < end && m->column[k] / w->block == column; ++k)
      if (value)
        value[i * w->block + m->column[k] % w->block] = m->value[k];
    w->next[i] = k;
  }
  w->diagonal_done |= column == w->row;
}

static void count_blocks(const mus_matrix_market *matrix, mus_matrix_market_blocks *out) {
  out->row_start[0] = 0;
  for (int row = 0; row < out->rows; ++row) {
    walk w = begin_walk(matrix, out->block, row);
    int count = 0;
    for (int column; (column = next_column(&w)) >= 0; ++count)
      take_block(&w, column, NULL);
    out->row_start[row + 1] = out->row_start[row] + count;
  }
}

static void fill_blocks(const mus_matrix_market *matrix, mus_matrix_market_blocks *out) {
  size_t size = (size_t)(out->block * out->block);
  int k = 0;
  for (int row = 0; row < out->rows; ++row) {
    walk w = begin_walk(matrix, out->block, row);
    for (int column; (column = next_column(&w)) >= 0; ++k) {
      out->column[k] = column;
      take_block(&w, column, out->value + (size_t)k * size);
    }
  }
}

static mus_status regroup(const mus_matrix_market *matrix, mus_matrix_market_blocks *out) {
  out->row_start = mus_alloc((size_t)out->rows + 1, sizeof *out->row_start);
  if (!out->row_start)
    return mus_fail_memory();
  count_blocks(matrix, out);
  size_t blocks = (size_t)out->row_start[out->rows];
  out->column = mus_alloc(blocks, sizeof *out->column);
  out->value = mus_alloc_zero(blocks, (size_t)(out->block * out->block) * sizeof *out->value);
  if (!out->column || !out->value)
    return mus_fail_memory();
  fill_blocks(matrix, out);
  return MUS_OK;
}

// The non-zeros of a dense square matrix in compressed rows.
static mus_status compress_dense(const mus_matrix_market *dense, mus_matrix_market *out) {
  size_t n = (size_t)dense->rows;
  size_t count = 0;
  for (size_t k = 0; k < n * n; ++k)
    count += dense->value[k] != 0;
  if (count > INT_MAX)
    return mus_fail(MUS_BAD_INPUT, "the dense matrix has %zu non-zeros, more than the %d that fit: use a smaller one",
                    count, INT_MAX);
  *out = (mus_matrix_market){.rows = dense->rows, .columns = dense->columns};
  out->row_start = mus_alloc(n + 1, sizeof *out->row_start);
  out->column = mus_alloc(count, sizeof *out->column);
  out->value = mus_alloc(count, sizeof *out->value);
  if (!out->row_start || !out->column || !out->value)
    return mus_fail_memory();
  int k = 0;
  for (size_t i = 0; i < n; ++i) {
    out->row_start[i] = k;
    for (size_t j = 0; j < n; ++j)
      if (dense->value[i + n * j] != 0) {
        out->column[k] = (int)j;
        out->value[k++] = dense->value[i + n * j];
      }
  }
  out->row_start[n] = k;
  return MUS_OK;
}

static mus_status check(const mus_matrix_market *m, int block) {
  if (m->rows < 1 || m->rows != m->columns)
    return mus_fail(MUS_BAD_INPUT, "the matrix is %d x %d: a square one is needed", m->rows, m->columns);
  if (block < 1 || block > MUS_BLOCK_MAXIMUM)
    return mus_fail(MUS_BAD_INPUT, "block size %d is outside 1...%d", block, MUS_BLOCK_MAXIMUM);
  if (m->rows % block != 0)
    return mus_fail(MUS_BAD_INPUT, "block size %d does not divide the %d rows: choose one that does, or 1", block,
                    m->rows);
  return m->dense ? MUS_OK : mus_pattern_check(m->rows, m->columns, m->row_start, m->column);
}

mus_status mus_matrix_market_to_blocks(const mus_matrix_market *matrix, int block, mus_matrix_market_blocks *out) {
  mus_status status = check(matrix, block);
  if (status != MUS_OK)
    return status;
  mus_matrix_market compressed = {0};
  if (matrix->dense)
    status = compress_dense(matrix, &compressed);
  mus_matrix_market_blocks blocks = {.rows = matrix->rows / block, .block = block};
  if (status == MUS_OK)
    status = regroup(matrix->dense ? &compressed : matrix, &blocks);
  if (status == MUS_OK)
    *out = blocks;
  else
    mus_matrix_market_blocks_free(&blocks);
  mus_matrix_market_free(&compressed);
  return status;
}
