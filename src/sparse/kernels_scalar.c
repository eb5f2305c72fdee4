// Plain C kernels: the reference that the others are tested against, and the only ones on other processors.
#include "sparse/kernels.h"

// Products with one partial sum for each entry of a block row, added up at the end: no long dependency chains.
#define ROW_PRODUCT(stem, block)                                                                                       \
  static inline void NAME(stem)(const TASK *t, int begin, int end, REAL *sum) {                                        \
    REAL part[(block) * (block)] = {0};                                                                                \
    for (int k = begin; k < end; ++k) {                                                                                \
      const REAL *a = t->value + (size_t)k * ((block) * (block));                                                      \
      const REAL *x = t->x + (size_t)t->column[k] * (block);                                                           \
      for (int r = 0; r < (block); ++r)                                                                                \
        for (int c = 0; c < (block); ++c)                                                                              \
          part[r * (block) + c] += a[r * (block) + c] * x[c];                                                          \
    }                                                                                                                  \
    for (int r = 0; r < (block); ++r) {                                                                                \
      sum[r] = 0;                                                                                                      \
      for (int c = 0; c < (block); ++c)                                                                                \
        sum[r] += part[r * (block) + c];                                                                               \
    }                                                                                                                  \
  }

#define REAL double
#define TASK mus_task
#define ROW_KERNEL mus_row_kernel
#define NAME(stem) stem##_d
ROW_PRODUCT(row_3x3, 3)
ROW_PRODUCT(row_6x6, 6)
#include "sparse/kernels_template.h"

#define REAL float
#define TASK mus_task_f
#define ROW_KERNEL mus_row_kernel_f
#define NAME(stem) stem##_f
ROW_PRODUCT(row_3x3, 3)
ROW_PRODUCT(row_6x6, 6)
#include "sparse/kernels_template.h"

#include "sparse/product_template.h"

const mus_kernels mus_kernels_scalar = {table_d, table_f, product_rows};
