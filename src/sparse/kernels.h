// The products' inner loops, one table for each instruction set. Private to sparse/.
//
// A kernel works on the rows begin ... end - 1 of a task and touches nothing else, so rows can be dealt to threads in
// any way. kernels_scalar.c is plain C and always there; kernels_avx2.c and kernels_avx512.c replace the row products
// of 3x6 blocks and of square ones of 1 to 6, and are otherwise the same text (kernels_template.h) compiled for that
// machine.
#ifndef MUS_SPARSE_KERNELS_H
#define MUS_SPARSE_KERNELS_H

#include "sparse/galerkin_pass.h"
#include "sparse/product.h"

typedef enum mus_operation {
  MUS_OP_MULTIPLY,   // y = A x
  MUS_OP_ADD,        // y += A x
  MUS_OP_RESIDUAL,   // y = b - A x
  MUS_OP_CHEBYSHEV,  // y = x + alpha D^-1 (b - A x) + beta x - gamma y
  MUS_OP_TRANSPOSED, // y = A^T x: row_start and column are the transpose's, source leads to A's blocks
  MUS_OP_SCATTER,    // y += A^T x for some rows of A; y is padded and starts with the block column first_column
  MUS_OP_RELAX,      // relaxed = D^-1 (b - y - A x), y = A x; row k is that of node source[k] in x and relaxed alone
  MUS_OPERATIONS
} mus_operation;

#define TEMPLATE "sparse/kernels_types_template.h"
#include "base/both_precisions.h"

// MUS_OP_SCATTER: from one block column of y to the next. What lies between them becomes anything.
static inline int mus_scatter_stride(int column_block) { return (column_block + 3) / 4 * 4; }

// The sums of a chunk as zeros, and y = the sums of all chunks.
double *mus_restriction_zero(const mus_restriction *plan, int chunk, int block);
float *mus_restriction_zero_f(const mus_restriction *plan, int chunk, int block);
void mus_restriction_add_up(const mus_restriction *plan, int columns, int block, double *y);
void mus_restriction_add_up_f(const mus_restriction *plan, int columns, int block, float *y);

// Block shapes with kernels of their own.
typedef enum mus_shape {
  MUS_SHAPE_ANY,
  MUS_SHAPE_1X1,
  MUS_SHAPE_2X2,
  MUS_SHAPE_3X3,
  MUS_SHAPE_4X4,
  MUS_SHAPE_5X5,
  MUS_SHAPE_6X6,
  MUS_SHAPE_3X6,
  MUS_SHAPE_12X12,
  MUS_SHAPE_3X12,
  MUS_SHAPES
} mus_shape;

static inline mus_shape mus_shape_of(int row_block, int column_block) {
  static const mus_shape square[MUS_BLOCK_MAXIMUM + 1] = {
      [1] = MUS_SHAPE_1X1, [2] = MUS_SHAPE_2X2, [3] = MUS_SHAPE_3X3,   [4] = MUS_SHAPE_4X4,
      [5] = MUS_SHAPE_5X5, [6] = MUS_SHAPE_6X6, [12] = MUS_SHAPE_12X12};
  if (row_block == column_block)
    return square[row_block];
  if (row_block == 3 && column_block == 6)
    return MUS_SHAPE_3X6;
  if (row_block == 3 && column_block == 12)
    return MUS_SHAPE_3X12;
  return MUS_SHAPE_ANY;
}

// A thread's workspace for sparse products: a place for each column of C, and the sums of C's longest row in blocks of
// up to MUS_SUM_STRIDE numbers. Uninitialised.
enum { MUS_SUM_STRIDE = 16 };
typedef struct mus_product_workspace {
  int *place;
  void *sums;
} mus_product_workspace;

typedef struct mus_kernels {
  mus_row_kernel *const (*rows)[MUS_SHAPES];     // indexed by operation, then shape
  mus_row_kernel_f *const (*rows_f)[MUS_SHAPES]; // the same in single precision
  void (*product_rows)(const mus_product_task *task, int begin, int end, const mus_product_workspace *workspace);
  void (*product_rows_f)(const mus_product_task_f *task, int begin, int end, const mus_product_workspace *workspace);
  // Rows of A in P^T A P; `row` has room for a row of U P, with padded rows of blocks (galerkin_pass.h).
  void (*pass_rows)(const mus_pass_task *task, int begin, int end, double *row);
  void (*pass_rows_f)(const mus_pass_task_f *task, int begin, int end, float *row);
} mus_kernels;

// The kernels in use; see mus_instructions_use.
const mus_kernels *mus_kernels_current(void);

// In single precision the processor's own reading ahead does not keep up: with this, found by measurement, products
// with matrices beyond the cache take a tenth less time. In double it does keep up, and this would cost as much.
enum { MUS_BYTES_AHEAD = 4096 };

// add(k, 0) and add(k, 1) in turn for the blocks begin ... end - 1: even and odd ones have sums of their own, because
// short blocks would otherwise wait for each other.
#define MUS_EVEN_AND_ODD(add)                                                                                          \
  int k = begin;                                                                                                       \
  for (; k + 1 < end; k += 2) {                                                                                        \
    add(k, 0);                                                                                                         \
    add((k + 1), 1);                                                                                                   \
  }                                                                                                                    \
  if (k < end)                                                                                                         \
    add(k, 0);

// sum[r] = the lanes that belong to row r of a block, in order.
#define MUS_FOLD(rows, columns, lane, sum)                                                                             \
  for (int r = 0; r < (rows); ++r) {                                                                                   \
    sum[r] = lane[r * (columns)];                                                                                      \
    for (int c = 1; c < (columns); ++c)                                                                                \
      sum[r] += lane[r * (columns) + c];                                                                               \
  }

extern const mus_kernels mus_kernels_scalar;
#if MUSLIN_X86
extern const mus_kernels mus_kernels_avx2, mus_kernels_avx512;
#endif

#endif
