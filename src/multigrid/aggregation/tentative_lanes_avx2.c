// Local QR of several aggregates at once, for AVX2. See tentative_lanes.h.
#if MUSLIN_X86
#define TABLE mus_tentative_lanes_avx2
#include "multigrid/aggregation/tentative_lanes_template.h"
#else
typedef int mus_tentative_lanes_avx2_not_built;
#endif
