// Handles: the nodes that stand for others on coarser levels (Xian, Tong and Liu 2019, sections 4.1 and 4.2).
//
// Furthest point sampling: the next handle is the node that is furthest from all handles before, along the edges of the
// matrix. The handles of a level are the first so many of that order, so that levels are nested: 25/500/all has 500
// handles, of which the first 25 are those of the coarsest level. A node belongs to the nearest handle of the next
// level, and to no other: coarse matrices stay as sparse as the finest.
//
// This is a grouping for multigrid/aggregation/aggregation.h. With the affine motions x -> A x + t as its near-null
// space, 12 vectors, the local bases that aggregation makes are the paper's U, centred and scaled for each handle:
//   U_i = X_i^T (x) I_3,   X_i = (x, y, z, 1)
// and what the paper regularises, handles whose nodes lie in a plane, loses the columns that it can do without.
#ifndef MUS_MULTIGRID_SKINNING_HANDLES_H
#define MUS_MULTIGRID_SKINNING_HANDLES_H

#include "multigrid/aggregation/aggregation.h"

// Of a tree of levels: which node belongs to which handle.
typedef struct mus_handles mus_handles;

// `levels` as in mus_skinning_options; where they are chosen, the coarsest has at most `bottom` unknowns.
// MUS_BAD_INPUT for a text that names no levels.
mus_status mus_handles_create(const char *levels, int bottom, mus_handles **out);
void mus_handles_free(mus_handles *handles); // NULL is fine
size_t mus_handles_bytes(const mus_handles *handles);

// Handles of the levels below the finest, finest first, up to a 0. MUS_BAD_INPUT for a text that names no levels.
mus_status mus_handles_read(const char *levels, int count[MUS_LEVELS_MAXIMUM]);

// How many handles the levels below the finest of `rows` nodes have, as stages of the sampling below: coarsest first.
// `given` as mus_handles_read() leaves it; where it names none, they are chosen. Returns how many levels.
int mus_handles_choose(const int *given, int bottom, int rows, int *stage);

// Levels of `rows` nodes, the finest included.
int mus_handles_levels(const mus_handles *handles, int rows);

mus_grouping mus_handles_grouping(mus_handles *handles);

// The first `count` nodes by furthest point sampling, from node 0 on. Distances are sums of edges' lengths between
// coordinates (three a node; NULL: each edge has length 1). At least one is taken of each connected part, so that there
// may be more: `order` has room for all rows. After the first stage[s] of them (stages ascend), nearest[s] has for each
// node the place of the nearest in that order. Returns how many there are, each stage included: stage[s] is updated.
mus_status mus_sample_furthest(const mus_pattern *pattern, const double *coordinates, int stages, int *stage,
                               int *const *nearest, int *order);

#endif
