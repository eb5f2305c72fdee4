#include "lattice/cycle.h"

#include "base/error.h"
#include "par/par.h"

enum { PRODUCT_RUNS = 64, PRODUCT_LARGE = 1 << 15 };

#define TEMPLATE "lattice/cycle_template.h"
#include "base/both_precisions.h"
