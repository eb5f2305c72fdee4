// Rows of smoothed prolongators for any machine. See smooth_rows.h.
#define ROWS mus_smooth_rows_scalar
#include "multigrid/aggregation/smooth_rows_template.h"
