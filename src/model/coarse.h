// Models of the same cloths on coarser meshes, for the full approximation scheme (step/minimise/fas.c): elements of the
// same kinds and fabrics, made anew from the coarser meshes; masses by restriction.
#ifndef MUS_MODEL_COARSE_H
#define MUS_MODEL_COARSE_H

#include "model/levels.h"

// Whether there can be any. MUS_UNSUPPORTED, in the words of `user`, for solids, stitches and buttons, which have no
// counterpart on coarser meshes.
mus_status mus_model_coarse_check(const mus_model *model, const char *user);

// The next coarser model after `fine`, whose vertices the mesh was made from. It has vertices, parts, elements and
// masses alone: no pins, no bodies, nothing that users see. The finer model and the mesh must stay. On failure nothing
// is left to free.
mus_status mus_model_coarsen(const mus_model *fine, const mus_coarser *coarser, mus_model *out);

#endif
