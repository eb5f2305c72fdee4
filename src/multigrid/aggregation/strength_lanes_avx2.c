// Strengths of several blocks at once, for AVX2. See strength_lanes.h.
#if MUSLIN_X86
#define TABLE mus_strength_lanes_avx2
#include "multigrid/aggregation/strength_lanes_template.h"
#else
typedef int mus_strength_lanes_avx2_not_built;
#endif
