// Which vertices count as one where cloth is sewn, so that they do not collide. Private to model/.
#ifndef MUS_MODEL_SEWN_H
#define MUS_MODEL_SEWN_H

#include "base/list.h"
#include "model/model.h"

// Adds pairs of vertices, two ints each. Vertices that stitches tie to each other, directly or through a third, are
// one; a vertex that is tied to a place on an edge is sewn to both ends of it, and to what else is tied to that edge's
// ends: the layers of a pleat, which a band holds, meet there. The ends themselves stay apart, or a whole seam would be
// one.
mus_status mus_sewn_pairs(const mus_model *model, mus_list *pairs);

#endif
