// Both precisions of symmetric_template.h: included by each symmetric_*.c once it has defined the vectors of both.
// Leaves table_d and table_f.
#define REAL double
#define TASK mus_symmetric_task
#define CHUNK_KERNEL mus_chunk_kernel
#define NAME(stem) stem##_d
#define BY_TWO 0
#include "sparse/symmetric_template.h"

#define REAL float
#define TASK mus_symmetric_task_f
#define CHUNK_KERNEL mus_chunk_kernel_f
#define NAME(stem) stem##_f
#define BY_TWO 1
#include "sparse/symmetric_template.h"
