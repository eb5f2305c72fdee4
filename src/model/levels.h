// Nested levels of all cloths of a model, for the solver's method "geometric" and for minimisers: they are coarsened in
// their material (mesh/coarsen.h), four times fewer vertices per level. Vertices that are sewn together are chosen
// together, and have joints (multigrid/geometric/nested.h).
#ifndef MUS_MODEL_LEVELS_H
#define MUS_MODEL_LEVELS_H

#include "mesh/coarsen.h"
#include "model/model.h"
#include "muslin/solver.h"

// Levels down to a few hundred vertices, as far as they get; all arrays come from the arena. `level` has room for
// MUS_LEVELS_MAXIMUM. MUS_UNSUPPORTED for a model with solids.
mus_status mus_model_levels(const mus_model *model, mus_arena *arena, int *count, mus_interpolation *level);
// The same levels with their meshes, each of all cloths together.
mus_status mus_model_coarse_meshes(const mus_model *model, mus_arena *arena, int *count, mus_coarser *level);

#endif
