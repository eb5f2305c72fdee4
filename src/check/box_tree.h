// A tree of boxes: which of many boxes overlap a given one?
//
// Items are sorted along a space-filling curve (Morton 1966), so that neighbours in the order are neighbours in space;
// a few of them in a row are a leaf, and a binary tree over the leaves, stored as a heap, holds the boxes around them.
// It is rebuilt for every frame, in O(n log n).
#ifndef MUS_CHECK_BOX_TREE_H
#define MUS_CHECK_BOX_TREE_H

#include <stdint.h>

#include "base/list.h"
#include "mesh/measure.h"

typedef struct mus_box_key {
  uint64_t code; // place on the curve
  int item;
} mus_box_key;

typedef struct mus_box_tree {
  int items, leaves;
  mus_box *box;     // items: fill them in, then build
  mus_box *node;    // 1 ... 2 leaves - 1; the children of i are 2 i and 2 i + 1
  mus_box_key *key; // items, in the order of the curve
} mus_box_tree;

static inline int mus_boxes_overlap(const mus_box *a, const mus_box *b) {
  return a->low[0] <= b->high[0] && b->low[0] <= a->high[0] && a->low[1] <= b->high[1] && b->low[1] <= a->high[1] &&
         a->low[2] <= b->high[2] && b->low[2] <= a->high[2];
}

// At least one item.
mus_status mus_box_tree_create(mus_arena *arena, int items, mus_box_tree *out);
// The first `inner` items (at least one) say where the curve goes; others may be far out or large.
void mus_box_tree_build(mus_box_tree *tree, int inner);
// Appends the numbers (int) of all items whose boxes overlap or touch the given one. False when memory is short.
bool mus_box_tree_find(const mus_box_tree *tree, const mus_box *box, mus_list *found);

#endif
