/// Matrix Market files: reading and writing, plain or gzip-compressed.
///
/// Reads `coordinate` and `array`, `real`, `integer` and `pattern` (every entry is 1), `general` and `symmetric`; other
/// kinds are MUS_UNSUPPORTED. Whatever a file declares, memory grows only with what it actually holds. Errors name the
/// file, the line and the remedy, e.g. "A.mtx:17: row 5001 is outside 1...5000: check the size line".
///
/// Rejected, apart from anything that is not a Matrix Market file: values that are not finite, empty matrices (no rows
/// or columns), entries above the diagonal of a symmetric matrix, more than INT_MAX rows, columns or entries (counting
/// both triangles), and matrices with more than 2^24 rows that are mostly empty (fewer than one entry per 16 rows).
/// Numbers are read and written with a decimal point and correctly rounded, whatever the locale.
#ifndef MUSLIN_MATRIX_MARKET_H
#define MUSLIN_MATRIX_MARKET_H

#include <stddef.h>

#include "muslin/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A sparse matrix in compressed rows, or a dense one.
typedef struct mus_matrix_market {
  int rows, columns;
  int dense;      ///< 1: value holds rows * columns numbers, column by column, and the other arrays are NULL
  int *row_start; ///< rows + 1
  int *column;    ///< ascending within a row; duplicates in the file are summed
  double *value;
} mus_matrix_market;

/// Both triangles are stored, whatever the file's symmetry. `out` is written only on success; free it with
/// mus_matrix_market_free. MUS_IO_ERROR if the file cannot be opened or read, MUS_BAD_INPUT if it is wrong.
MUS_API mus_status mus_matrix_market_read(const char *path, mus_matrix_market *out);
/// The same from memory; `name` stands for the path in error texts.
MUS_API mus_status mus_matrix_market_parse(const char *name, const char *text, size_t length, mus_matrix_market *out);
/// `symmetric` writes only the lower triangle (square matrices; the upper one is ignored). A path that ends in .gz is
/// compressed. Numbers are written so that reading them gives the same bits; those that are not finite are rejected.
/// The file is written under a temporary name (path.tmp and the process number) and renamed, so that a failure leaves
/// no broken file; devices and pipes are written to directly.
MUS_API mus_status mus_matrix_market_write(const char *path, const mus_matrix_market *matrix, int symmetric);
/// Frees the contents of a matrix; one that is all zero, and NULL, are fine.
MUS_API void mus_matrix_market_free(mus_matrix_market *matrix);

/// A square matrix regrouped into blocks, ready for mus_solver_set_pattern and mus_solver_set_values.
typedef struct mus_matrix_market_blocks {
  int rows, block;
  int *row_start, *column;
  double *value; ///< row_start[rows] blocks of block * block numbers, row by row
} mus_matrix_market_blocks;
/// Every block with an entry in it, and missing diagonal blocks as zeros; for a dense matrix, every block with a
/// non-zero. MUS_BAD_INPUT if the matrix is not square, or if `block` is outside 1...12 or does not divide the size.
/// `out` is written only on success.
MUS_API mus_status mus_matrix_market_to_blocks(const mus_matrix_market *matrix, int block,
                                               mus_matrix_market_blocks *out);
MUS_API void mus_matrix_market_blocks_free(mus_matrix_market_blocks *blocks);

#ifdef __cplusplus
}
#endif
#endif
