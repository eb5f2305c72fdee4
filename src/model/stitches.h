// The model's stitches as seams: what a step may tie together, and the blocks of the matrix which that takes. Private
// to model/.
#ifndef MUS_MODEL_STITCHES_H
#define MUS_MODEL_STITCHES_H

#include "base/list.h"
#include "model/model.h"

// Fills model->stitches from all sewings; those that tie a vertex to itself are left out.
mus_status mus_stitches_make(mus_model *model, int sewings, const mus_sewing *sewing);
// Adds pairs of vertices, two ints each, whose blocks tied vertices need beside those of the elements: what acts on a
// vertex goes to those that it follows (mesh/ties.h).
mus_status mus_stitches_fill(const mus_model *model, mus_list *pairs);

#endif
