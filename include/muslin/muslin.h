/// Everything that libmuslin offers, in one header. Each part is its own manual:
///
///   muslin/version.h        which version this is
///   muslin/status.h         what calls return
///   muslin/scene.h          what to simulate
///   muslin/run.h            simulate into a folder
///   muslin/check.h          proof that nothing intersects in such folders
///   muslin/render.h         pictures and videos of such folders
///   muslin/sim.h            simulate step by step, and pull at the cloth
///   muslin/batch.h          simulate many small scenes together
///   muslin/recording.h      read the frames of such a folder
///   muslin/info.h           what a file contains
///   muslin/fill.h           surfaces and shapes filled with tetrahedra
///   muslin/lattice.h        solids on a lattice, measured
///   muslin/solver.h         the linear solver
///   muslin/matrix_market.h  matrices from and to files
///   muslin/machine.h        how fast the machine is, for measurements
///   muslin/memory.h         memory that is kept, to be given back
#ifndef MUSLIN_MUSLIN_H
#define MUSLIN_MUSLIN_H

#include "muslin/batch.h"
#include "muslin/check.h"
#include "muslin/fill.h"
#include "muslin/info.h"
#include "muslin/lattice.h"
#include "muslin/machine.h"
#include "muslin/matrix_market.h"
#include "muslin/memory.h"
#include "muslin/recording.h"
#include "muslin/render.h"
#include "muslin/run.h"
#include "muslin/scene.h"
#include "muslin/sim.h"
#include "muslin/solver.h"
#include "muslin/status.h"
#include "muslin/version.h"
#include "muslin/weld.h"

#endif
