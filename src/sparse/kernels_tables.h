// Both precisions of kernels_template.h and product_template.h: included by each kernels_*.c once it has defined
// row_3x3_d, row_6x6_d, row_3x6_d, row_transposed_3x3_d, row_transposed_3x6_d, scatter_3x3_d, scatter_3x6_d and those
// that end with f, and what product_template.h needs for 3x3 blocks. Leaves table_d, table_f, product_rows_d and
// product_rows_f.
#include <string.h>

#define REAL double
#define TASK mus_task
#define PRODUCT_TASK mus_product_task
#define ROW_KERNEL mus_row_kernel
#define NAME(stem) stem##_d
#include "sparse/kernels_template.h"
#include "sparse/product_template.h"
#undef NAME
#undef ROW_KERNEL
#undef PRODUCT_TASK
#undef TASK
#undef REAL

#define REAL float
#define TASK mus_task_f
#define PRODUCT_TASK mus_product_task_f
#define ROW_KERNEL mus_row_kernel_f
#define NAME(stem) stem##_f
#include "sparse/kernels_template.h"
#include "sparse/product_template.h"
#undef NAME
#undef ROW_KERNEL
#undef PRODUCT_TASK
#undef TASK
#undef REAL
