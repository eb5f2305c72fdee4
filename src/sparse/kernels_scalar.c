// Plain C kernels: the reference that the others are tested against, and the only ones on other processors.
#include "sparse/kernels.h"

// Products with one partial sum for each entry of a block row, added up at the end: no long dependency chains.
#define ROW_PRODUCT(name, block, real, task)                                                                           \
  static inline void name(const task *t, int begin, int end, real *sum) {                                              \
    real part[(block) * (block)] = {0};                                                                                \
    for (int k = begin; k < end; ++k) {                                                                                \
      const real *a = t->value + (size_t)k * ((block) * (block));                                                      \
      const real *x = t->x + (size_t)t->column[k] * (block);                                                           \
      for (int r = 0; r < (block); ++r)                                                                                \
        for (int c = 0; c < (block); ++c)                                                                              \
          part[r * (block) + c] += a[r * (block) + c] * x[c];                                                          \
    }                                                                                                                  \
    MUS_FOLD(block, part, sum)                                                                                         \
  }

ROW_PRODUCT(row_3x3_d, 3, double, mus_task)
ROW_PRODUCT(row_6x6_d, 6, double, mus_task)
ROW_PRODUCT(row_3x3_f, 3, float, mus_task_f)
ROW_PRODUCT(row_6x6_f, 6, float, mus_task_f)

#include "sparse/kernels_tables.h"

const mus_kernels mus_kernels_scalar = {table_d, table_f, product_rows_d, product_rows_f};
