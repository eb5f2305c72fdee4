#include "lattice/level.h"

#include "base/error.h"
#include "lattice/rows.h"
#include "par/par.h"

#define TEMPLATE "lattice/stencil_template.h"
#include "base/both_precisions.h"

#define TEMPLATE "lattice/level_template.h"
#include "base/both_precisions.h"
