// Strengths of several blocks at once, on any machine. See strength_lanes.h.
#define TABLE mus_strength_lanes_scalar
#include "multigrid/aggregation/strength_lanes_template.h"
