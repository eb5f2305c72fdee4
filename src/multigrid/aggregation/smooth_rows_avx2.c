// Rows of smoothed prolongators for AVX2. See smooth_rows.h.
#if MUSLIN_X86
#define ROWS mus_smooth_rows_avx2
#include "multigrid/aggregation/smooth_rows_template.h"
#else
typedef int mus_smooth_rows_avx2_not_built;
#endif
