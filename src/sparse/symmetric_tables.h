// Both precisions of symmetric_template.h: included by each symmetric_*.c once it has defined the vectors of both.
// Leaves table and table_f.
#define TEMPLATE "sparse/symmetric_sweep_template.h"
#include "base/both_precisions.h"

#define TEMPLATE "sparse/symmetric_template.h"
#include "base/both_precisions.h"
