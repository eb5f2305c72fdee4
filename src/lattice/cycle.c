#include "lattice/cycle.h"

#include "base/error.h"

#define TEMPLATE "lattice/cycle_template.h"
#include "base/both_precisions.h"
