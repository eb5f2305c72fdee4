// A tree of boxes. See box_tree.h.
#include "check/box_tree.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "par/par.h"

enum { LEAF = 4, BITS = 21, DEEPEST = 64 };

mus_status mus_box_tree_create(mus_arena *arena, int items, mus_box_tree *out) {
  mus_box_tree tree = {.items = items, .leaves = (items - 1) / LEAF + 1};
  tree.box = mus_arena_alloc(arena, (size_t)items, sizeof *tree.box);
  tree.node = mus_arena_alloc(arena, 2 * (size_t)tree.leaves, sizeof *tree.node);
  tree.key = mus_arena_alloc(arena, (size_t)items, sizeof *tree.key);
  if (!tree.box || !tree.node || !tree.key)
    return mus_fail_memory();
  *out = tree;
  return MUS_OK;
}

// --- building --------------------------------------------------------------------------------------------------------

static const mus_box empty = {{DBL_MAX, DBL_MAX, DBL_MAX}, {-DBL_MAX, -DBL_MAX, -DBL_MAX}};

static void grow(mus_box *box, const mus_box *other) {
  for (int k = 0; k < 3; ++k) {
    box->low[k] = fmin(box->low[k], other->low[k]);
    box->high[k] = fmax(box->high[k], other->high[k]);
  }
}

// The lower 21 bits, two zeros after each.
static uint64_t spread(uint64_t bits) {
  bits = (bits | bits << 32) & 0x001F00000000FFFFu;
  bits = (bits | bits << 16) & 0x001F0000FF0000FFu;
  bits = (bits | bits << 8) & 0x100F00F00F00F00Fu;
  bits = (bits | bits << 4) & 0x10C30C30C30C30C3u;
  return (bits | bits << 2) & 0x1249249249249249u;
}

static uint64_t place(const mus_box *box, const mus_box *space, double scale) {
  uint64_t code = 0;
  for (int k = 0; k < 3; ++k) {
    double at = (0.5 * box->low[k] + 0.5 * box->high[k] - space->low[k]) * scale;
    code |= spread((uint64_t)fmin(fmax(at, 0), (1 << BITS) - 1)) << k;
  }
  return code;
}

static int by_place(const void *a, const void *b) {
  const mus_box_key *x = a, *y = b;
  return x->code != y->code ? (x->code > y->code) - (x->code < y->code) : (x->item > y->item) - (x->item < y->item);
}

static void sort_items(mus_box_tree *tree, int inner) {
  mus_box space = empty;
  double largest = 0;
  for (int i = 0; i < inner; ++i)
    grow(&space, &tree->box[i]);
  for (int k = 0; k < 3; ++k)
    largest = fmax(largest, space.high[k] - space.low[k]);
  double scale = largest > 0 ? (1 << BITS) / largest : 0;
  MUS_PARALLEL_FOR
  for (int i = 0; i < tree->items; ++i)
    tree->key[i] = (mus_box_key){place(&tree->box[i], &space, scale), i};
  qsort(tree->key, (size_t)tree->items, sizeof *tree->key, by_place);
}

// Leaves that are one level deeper come first from left to right; heaps number them last.
static int leaf_node(const mus_box_tree *tree, int deepest_first, int leaf) {
  int node = deepest_first + leaf;
  return node < 2 * tree->leaves ? node : node - tree->leaves;
}

static int leaf_of_node(const mus_box_tree *tree, int deepest_first, int node) {
  return node >= deepest_first ? node - deepest_first : node + tree->leaves - deepest_first;
}

// The first node of the deepest level.
static int deepest_level(const mus_box_tree *tree) {
  int first = 1;
  while (2 * first < 2 * tree->leaves)
    first *= 2;
  return first;
}

void mus_box_tree_build(mus_box_tree *tree, int inner) {
  sort_items(tree, inner);
  int deepest = deepest_level(tree);
  MUS_PARALLEL_FOR
  for (int leaf = 0; leaf < tree->leaves; ++leaf) {
    mus_box *box = &tree->node[leaf_node(tree, deepest, leaf)];
    *box = empty;
    for (int i = LEAF * leaf; i < LEAF * (leaf + 1) && i < tree->items; ++i)
      grow(box, &tree->box[tree->key[i].item]);
  }
  for (int node = tree->leaves - 1; node > 0; --node) {
    tree->node[node] = tree->node[2 * node];
    grow(&tree->node[node], &tree->node[2 * node + 1]);
  }
}

// --- finding ---------------------------------------------------------------------------------------------------------

static bool find_in_leaf(const mus_box_tree *tree, int leaf, const mus_box *box, mus_list *found) {
  for (int i = LEAF * leaf; i < LEAF * (leaf + 1) && i < tree->items; ++i) {
    int item = tree->key[i].item;
    if (!mus_boxes_overlap(&tree->box[item], box))
      continue;
    int *place_of = mus_list_add(found, sizeof *place_of);
    if (!place_of)
      return false;
    *place_of = item;
  }
  return true;
}

bool mus_box_tree_find(const mus_box_tree *tree, const mus_box *box, mus_list *found) {
  int waiting[DEEPEST], count = 0, deepest = deepest_level(tree);
  waiting[count++] = 1;
  while (count > 0) {
    int node = waiting[--count];
    if (!mus_boxes_overlap(&tree->node[node], box))
      continue;
    if (node < tree->leaves) {
      waiting[count++] = 2 * node + 1;
      waiting[count++] = 2 * node;
    } else if (!find_in_leaf(tree, leaf_of_node(tree, deepest, node), box, found))
      return false;
  }
  return true;
}
