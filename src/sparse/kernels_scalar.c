// Plain C kernels: the reference that the others are tested against, and the only ones on other processors.
#include "sparse/kernels.h"

#include <string.h>

#define TEMPLATE "sparse/kernels_scalar_template.h"
#include "base/both_precisions.h"

#include "sparse/kernels_tables.h"

const mus_kernels mus_kernels_scalar = {table, table_f, product_rows, product_rows_f, pass_rows, pass_rows_f};
