// Both precisions of kernels_template.h, product_template.h and galerkin_rows_template.h: included by each kernels_*.c
// once it has defined row_1x1 ... row_6x6, row_3x6, row_transposed_3x3, row_transposed_3x6, scatter_3x3, scatter_3x6
// and those that end with _f, and what product_template.h needs for 3x3 blocks. Leaves table, table_f, product_rows,
// product_rows_f, pass_rows and pass_rows_f.
#include <string.h>

#define TEMPLATE "sparse/kernels_template.h"
#include "base/both_precisions.h"

#define TEMPLATE "sparse/product_template.h"
#include "base/both_precisions.h"

enum { ROWS_AHEAD = 6 };
#define TEMPLATE "sparse/galerkin_rows_template.h"
#include "base/both_precisions.h"
