// Both precisions of kernels_template.h: included by each kernels_*.c once it has defined row_3x3_d, row_6x6_d,
// row_3x3_f and row_6x6_f. Leaves table_d and table_f.
#define REAL double
#define TASK mus_task
#define ROW_KERNEL mus_row_kernel
#define NAME(stem) stem##_d
#include "sparse/kernels_template.h"

#define REAL float
#define TASK mus_task_f
#define ROW_KERNEL mus_row_kernel_f
#define NAME(stem) stem##_f
#include "sparse/kernels_template.h"
