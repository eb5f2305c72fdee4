// Local QR of several aggregates at once, on any machine. See tentative_lanes.h.
#define TABLE mus_tentative_lanes_scalar
#include "multigrid/aggregation/tentative_lanes_template.h"
