// Transfer between levels (Zhu et al. 2010, section 6). Residuals are averaged, corrections interpolated linearly;
// those of pressures are constant within a coarse cell. Fine faces near free boundaries also take from coarse
// displacements beyond them, which tractions give.
#include "lattice/level.h"

#include <string.h>

#include "lattice/rows.h"
#include "par/par.h"

// Residuals that are restricted at once lie in so many planes of r, for at least so many coarse ones: of two coarse
// planes, each chunk has four fine ones of its own, of which others, at the end, take three at most.
enum { ROOM_PLANES = 4, LEAST_CHUNK = 4 };

#define TEMPLATE "lattice/transfer_template.h"
#include "base/both_precisions.h"
