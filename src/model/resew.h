// Stitches of refined cloth: where both ends of an edge are sewn to a boundary, the vertices that the edge has got in
// between are sewn to it too, so that the seam stays closed. Private to model/.
#ifndef MUS_MODEL_RESEW_H
#define MUS_MODEL_RESEW_H

#include "base/list.h"
#include "io/mesh_file.h"
#include "mesh/refine.h"

// `stitches` (mus_stitch) tie vertices of the one cloth to points of the other, or of the same; all are numbered as
// before the refinement, whose numbers stay. Points on edges that have been cut are given by the pieces, and stitches
// for new vertices are added. Where the other side is finer, its new vertices are tied to this one: these stitches go
// to `back`, which is `stitches` itself for one cloth.
mus_status mus_resew(const mus_refinement *from, const mus_refinement *to, mus_list *stitches, mus_list *back);

#endif
