// Runs of elements, two at once: every machine has such vectors. See lanes_run.h.
#define MUS_LANES 2
#define TABLE mus_lanes_2
#include "energy/lanes_template.h"
