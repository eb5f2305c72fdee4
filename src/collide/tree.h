// A tree of boxes over triangles: who may touch whom, at the cost of a box test for most that do not.
//
// The tree is a perfect binary one: node i has the children 2 i and 2 i + 1, the root is 1, and leaf i of the 2^levels
// leaves has the i-th part of the triangles, two to four, in an order that splits the triangles at the median along the
// longest side of their middles' box, over and over. Built once; boxes are then fitted to any positions, level by
// level, in parallel. Boxes are in single precision, rounded outward.
#ifndef MUS_COLLIDE_TREE_H
#define MUS_COLLIDE_TREE_H

#include "base/memory.h"
#include "muslin/status.h"

typedef struct mus_box {
  float low[3], high[3];
} mus_box;

static inline int mus_boxes_meet(const mus_box *a, const mus_box *b) {
  return (a->low[0] <= b->high[0]) & (b->low[0] <= a->high[0]) & (a->low[1] <= b->high[1]) & (b->low[1] <= a->high[1]) &
         (a->low[2] <= b->high[2]) & (b->low[2] <= a->high[2]);
}

static inline mus_box mus_box_around(const mus_box *a, const mus_box *b) {
  mus_box box;
  for (int c = 0; c < 3; ++c) {
    box.low[c] = a->low[c] < b->low[c] ? a->low[c] : b->low[c];
    box.high[c] = a->high[c] > b->high[c] ? a->high[c] : b->high[c];
  }
  return box;
}

typedef struct mus_tree {
  int triangles, levels;
  int *triangle;             // in the order of the leaves: their numbers ...
  mus_box *triangle_box;     // ... their boxes ...
  unsigned char *moved;      // ... and whether a vertex of theirs is marked
  mus_box *box;              // nodes
  unsigned char *node_moved; // nodes: whether a triangle below is marked
} mus_tree;

// A tree over triangles first ... first + count - 1 of `corner` (3 a triangle).
mus_status mus_tree_create(mus_arena *arena, int first, int count, const int *corner, const double *x, mus_tree *out);

// Boxes around the boxes of the triangles' vertices. moved: vertices, NULL when all are.
void mus_tree_fit(mus_tree *tree, const int *corner, const mus_box *vertex_box, const unsigned char *moved);

// Pairs of nodes of two trees (or of one with itself) that may meet: parts of a walk that can be taken on their own.
typedef struct mus_tree_task {
  const mus_tree *first, *second; // the same for a walk of a tree with itself
  int a, b;
} mus_tree_task;

enum { MUS_TREE_TASKS = 2048 };
// At most MUS_TREE_TASKS tasks; how many. They depend on the trees alone.
int mus_tree_tasks(const mus_tree *first, const mus_tree *second, mus_tree_task *task);

// Calls `visit` for the places (in `triangle`) of all pairs of triangles, one or both of them marked, whose boxes meet.
typedef void mus_tree_visit(void *context, const mus_tree_task *task, int place_a, int place_b);
void mus_tree_walk(const mus_tree_task *task, mus_tree_visit *visit, void *context);

// The first triangle's place in a leaf.
static inline int mus_tree_leaf_start(const mus_tree *tree, int leaf) {
  return (int)((long long)tree->triangles * leaf >> tree->levels);
}

#endif
