// Levels that are given, each a subset of the nodes of the one above, with weights between them: a coarsening for
// multigrid/hierarchy.h (Wang, Wu, Fratarcangeli, Tang and Wang 2018, section 3).
//
// A node is carried by up to three nodes of the coarser level; a node that is there itself, by that one alone. All
// unknowns of a node are carried alike, so that translations are reproduced exactly, and with weights from where nodes
// lie, linear functions are too. A coarse node whose fine ones are all held in one direction has no basis vector for
// it, whichever way that direction points.
//
// Nodes that are tightly coupled, such as those that stitches hold together, have a coarse node more, their joint,
// which moves them as one, x_i = sum_k w_ik X_k + X_joint. Smoothers cannot do that, since each node alone is held back
// by the other, and the carriers move neighbours, too. A joint is for one level, and has no carriers of its own.
#ifndef MUS_MULTIGRID_GEOMETRIC_NESTED_H
#define MUS_MULTIGRID_GEOMETRIC_NESTED_H

#include "multigrid/hierarchy.h"

// The state of the coarsening; must stay, with its arrays, as long as the hierarchy does.
typedef struct mus_nested {
  int levels; // that have a coarser one, the finest first
  mus_interpolation level[MUS_LEVELS_MAXIMUM];
} mus_nested;

extern const mus_coarsening mus_nested_coarsening;

#endif
