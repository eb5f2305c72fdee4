// Runs of elements, four at once, for AVX2. See lanes_run.h.
#if MUSLIN_X86
#define MUS_LANES 4
#define TABLE mus_lanes_4
#include "energy/lanes_template.h"
#else
typedef int mus_lanes_4_not_built;
#endif
