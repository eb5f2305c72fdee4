// Plain C kernels: the reference that the others are tested against, and the only ones on other processors.
#include "sparse/kernels.h"

#include <string.h>

// Products with one partial sum for each entry of a block row, added up at the end: no long dependency chains.
#define ROW_PRODUCT(name, rows, columns, real, task)                                                                   \
  static inline void name(const task *t, int begin, int end, real *sum) {                                              \
    real part[(rows) * (columns)] = {0};                                                                               \
    for (int k = begin; k < end; ++k) {                                                                                \
      const real *a = t->value + (size_t)k * ((rows) * (columns));                                                     \
      const real *x = t->x + (size_t)t->column[k] * (columns);                                                         \
      for (int r = 0; r < (rows); ++r)                                                                                 \
        for (int c = 0; c < (columns); ++c)                                                                            \
          part[r * (columns) + c] += a[r * (columns) + c] * x[c];                                                      \
    }                                                                                                                  \
    MUS_FOLD(rows, columns, part, sum)                                                                                 \
  }

ROW_PRODUCT(row_3x3_d, 3, 3, double, mus_task)
ROW_PRODUCT(row_6x6_d, 6, 6, double, mus_task)
ROW_PRODUCT(row_3x6_d, 3, 6, double, mus_task)
ROW_PRODUCT(row_3x3_f, 3, 3, float, mus_task_f)
ROW_PRODUCT(row_6x6_f, 6, 6, float, mus_task_f)
ROW_PRODUCT(row_3x6_f, 3, 6, float, mus_task_f)

#define ROW_TRANSPOSED(name, columns, real, task)                                                                      \
  static inline void name(const task *t, int begin, int end, int limit, real *sum) {                                   \
    (void)limit;                                                                                                       \
    real part[3 * (columns)] = {0};                                                                                    \
    for (int k = begin; k < end; ++k) {                                                                                \
      const real *a = t->value + (size_t)t->source[k] * (3 * (columns)), *x = t->x + (size_t)t->column[k] * 3;         \
      for (int e = 0; e < 3 * (columns); ++e)                                                                          \
        part[e] += a[e] * x[e / (columns)];                                                                            \
    }                                                                                                                  \
    for (int c = 0; c < (columns); ++c)                                                                                \
      sum[c] = part[c] + part[(columns) + c] + part[2 * (columns) + c];                                                \
  }

ROW_TRANSPOSED(row_transposed_3x3_d, 3, double, mus_task)
ROW_TRANSPOSED(row_transposed_3x6_d, 6, double, mus_task)
ROW_TRANSPOSED(row_transposed_3x3_f, 3, float, mus_task_f)
ROW_TRANSPOSED(row_transposed_3x6_f, 6, float, mus_task_f)

#define SCATTER(name, columns, real)                                                                                   \
  static inline void name(const real *a, const real *x, real *y) {                                                     \
    for (int c = 0; c < (columns); ++c)                                                                                \
      y[c] += a[c] * x[0] + a[(columns) + c] * x[1] + a[2 * (columns) + c] * x[2];                                     \
  }

SCATTER(scatter_3x3_d, 3, double)
SCATTER(scatter_3x6_d, 6, double)
SCATTER(scatter_3x3_f, 3, float)
SCATTER(scatter_3x6_f, 6, float)

// Products of 3x3 blocks, for product_template.h.
#define BLOCK_PRODUCT(real, factors, factors_of, add_blocks, store_block)                                              \
  typedef struct factors {                                                                                             \
    real of[9]; /* by rows */                                                                                          \
  } factors;                                                                                                           \
  static inline factors factors_of(const real *a, int transposed) {                                                    \
    factors f;                                                                                                         \
    for (int k = 0; k < 9; ++k)                                                                                        \
      f.of[k] = a[transposed ? k % 3 * 3 + k / 3 : k];                                                                 \
    return f;                                                                                                          \
  }                                                                                                                    \
  static inline void add_blocks(const factors *f, const real *b, real *sum) {                                          \
    for (int r = 0; r < 3; ++r)                                                                                        \
      for (int c = 0; c < 3; ++c)                                                                                      \
        sum[r * 3 + c] += f->of[r * 3] * b[c] + f->of[r * 3 + 1] * b[3 + c] + f->of[r * 3 + 2] * b[6 + c];             \
  }                                                                                                                    \
  static inline void store_block(const real *sum, real *c) { memcpy(c, sum, 9 * sizeof *c); }

enum { SUM_d = 9, SUM_f = 9 };
BLOCK_PRODUCT(double, factors_d, factors_of_d, add_blocks_d, store_block_d)
BLOCK_PRODUCT(float, factors_f, factors_of_f, add_blocks_f, store_block_f)

#include "sparse/kernels_tables.h"

const mus_kernels mus_kernels_scalar = {table_d, table_f, product_rows_d, product_rows_f};
