/// Matrix Market files: read and write, plain or gzip-compressed.
///
/// Reads `coordinate` and `array`, `real`, `integer` and `pattern`, `general` and `symmetric`. Whatever a file
/// declares, memory grows with what it really holds. Errors name the file, the line and the remedy.
#ifndef MUSLIN_MATRIX_MARKET_H
#define MUSLIN_MATRIX_MARKET_H

#include <stddef.h>

#include "muslin/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A sparse matrix in compressed rows, or a dense one.
typedef struct mus_mm_matrix {
  int rows, columns;
  int dense;      ///< 1: value holds rows * columns numbers column after column, the other arrays are NULL
  int *row_start; ///< rows + 1
  int *column;    ///< ascending within a row; duplicates in the file have been added up
  double *value;
} mus_mm_matrix;

/// Both triangles are stored, whatever the file's symmetry. `out` is written on success only.
MUS_API mus_status mus_mm_read(const char *path, mus_mm_matrix *out);
/// The same from memory; `name` stands for the path in error texts.
MUS_API mus_status mus_mm_parse(const char *name, const char *text, size_t length, mus_mm_matrix *out);
/// `symmetric` writes the lower triangle only (square matrices; the upper one is not looked at). Numbers are written so
/// that reading gives the same bits. The file is written beside and renamed, so that a failure leaves no broken one.
MUS_API mus_status mus_mm_write(const char *path, const mus_mm_matrix *matrix, int symmetric);
MUS_API void mus_mm_free(mus_mm_matrix *matrix);

/// A sparse square matrix regrouped into blocks, ready for mus_solver_set_pattern and mus_solver_set_values. Missing
/// diagonal blocks are added as zeros. MUS_BAD_INPUT when `block` does not divide the size.
typedef struct mus_mm_blocks {
  int rows, block;
  int *row_start, *column;
  double *value;
} mus_mm_blocks;
MUS_API mus_status mus_mm_to_blocks(const mus_mm_matrix *matrix, int block, mus_mm_blocks *out);
MUS_API void mus_mm_blocks_free(mus_mm_blocks *blocks);

#ifdef __cplusplus
}
#endif
#endif
