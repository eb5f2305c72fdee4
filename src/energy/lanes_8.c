// Runs of elements, eight at once, for AVX-512. See lanes_run.h.
#if MUSLIN_X86
#define MUS_LANES 8
#define TABLE mus_lanes_8
#include "energy/lanes_template.h"
#else
typedef int mus_lanes_8_not_built;
#endif
