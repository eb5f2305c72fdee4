// Building, fitting and walking a tree of boxes. See tree.h.
#include "collide/tree.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "par/par.h"

enum { LEAF = 4 }; // triangles in a leaf, at most

// --- building ------------------------------------------------------------------------------------------------------

typedef struct builder {
  int *triangle;
  const int *corner;
  const double *x;
  int axis;
} builder;

// Three times the middle of a triangle along an axis.
static double middle(const builder *b, int triangle, int axis) {
  const int *corner = b->corner + (size_t)triangle * 3;
  return b->x[(size_t)corner[0] * 3 + (size_t)axis] + b->x[(size_t)corner[1] * 3 + (size_t)axis] +
         b->x[(size_t)corner[2] * 3 + (size_t)axis];
}

static int longest_axis(const builder *b, int begin, int end) {
  int longest = 0;
  double length = -1;
  for (int axis = 0; axis < 3; ++axis) {
    double low = DBL_MAX, high = -DBL_MAX;
    for (int i = begin; i < end; ++i) {
      double m = middle(b, b->triangle[i], axis);
      low = m < low ? m : low;
      high = m > high ? m : high;
    }
    if (high - low > length) {
      length = high - low;
      longest = axis;
    }
  }
  return longest;
}

// One order for all triangles along an axis: equal middles by number.
static int comes_before(const builder *b, int t, int u) {
  double p = middle(b, t, b->axis), q = middle(b, u, b->axis);
  return p < q || (p == q && t < u);
}

// Hoare's selection: what belongs before place `at` goes there.
static void split(builder *b, int begin, int end, int at) {
  b->axis = longest_axis(b, begin, end);
  int *triangle = b->triangle, last = end - 1;
  while (begin < last) {
    int pivot = triangle[begin + (last - begin) / 2], i = begin, j = last;
    while (i <= j) {
      while (comes_before(b, triangle[i], pivot))
        ++i;
      while (comes_before(b, pivot, triangle[j]))
        --j;
      if (i <= j) {
        int other = triangle[i];
        triangle[i++] = triangle[j];
        triangle[j--] = other;
      }
    }
    if (at <= j)
      last = j;
    else if (at >= i)
      begin = i;
    else
      return;
  }
}

static int levels_for(int triangles) {
  int levels = 0;
  while ((LEAF << levels) < triangles)
    ++levels;
  return levels;
}

mus_status mus_tree_create(mus_arena *arena, int first, int count, const int *corner, const double *x, mus_tree *out) {
  mus_tree tree = {.triangles = count, .levels = levels_for(count)};
  size_t nodes = (size_t)2 << tree.levels;
  tree.triangle = mus_arena_alloc(arena, (size_t)count, sizeof *tree.triangle);
  tree.triangle_box = mus_arena_alloc(arena, (size_t)count, sizeof *tree.triangle_box);
  tree.moved = mus_arena_alloc(arena, (size_t)count, 1);
  tree.box = mus_arena_alloc(arena, nodes, sizeof *tree.box);
  tree.node_moved = mus_arena_alloc_zero(arena, nodes, 1);
  if (!tree.triangle || !tree.triangle_box || !tree.moved || !tree.box || !tree.node_moved)
    return mus_fail_memory();
  for (int i = 0; i < count; ++i)
    tree.triangle[i] = first + i;
  builder b = {.triangle = tree.triangle, .corner = corner, .x = x};
  for (int level = 0; level < tree.levels; ++level)
    for (int i = 0; i < 1 << level; ++i) {
      int leaf = i << (tree.levels - level), half = 1 << (tree.levels - level - 1);
      split(&b, mus_tree_leaf_start(&tree, leaf), mus_tree_leaf_start(&tree, leaf + 2 * half),
            mus_tree_leaf_start(&tree, leaf + half));
    }
  *out = tree;
  return MUS_OK;
}

// --- fitting -------------------------------------------------------------------------------------------------------

static const mus_box nothing = {{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};

static void fit_leaf(mus_tree *tree, int leaf, const int *corner, const mus_box *vertex_box,
                     const unsigned char *moved) {
  mus_box around = nothing;
  int any = 0;
  for (int i = mus_tree_leaf_start(tree, leaf); i < mus_tree_leaf_start(tree, leaf + 1); ++i) {
    const int *v = corner + (size_t)tree->triangle[i] * 3;
    mus_box box = mus_box_around(&vertex_box[v[0]], &vertex_box[v[1]]);
    tree->triangle_box[i] = mus_box_around(&box, &vertex_box[v[2]]);
    tree->moved[i] = !moved || moved[v[0]] || moved[v[1]] || moved[v[2]];
    around = mus_box_around(&around, &tree->triangle_box[i]);
    any |= tree->moved[i];
  }
  size_t node = ((size_t)1 << tree->levels) + (size_t)leaf;
  tree->box[node] = around;
  tree->node_moved[node] = (unsigned char)any;
}

void mus_tree_fit(mus_tree *tree, const int *corner, const mus_box *vertex_box, const unsigned char *moved) {
  int leaves = 1 << tree->levels;
  MUS_PARALLEL_FOR_IF(leaves >= MUS_PAR_MINIMUM)
  for (int leaf = 0; leaf < leaves; ++leaf)
    fit_leaf(tree, leaf, corner, vertex_box, moved);
  for (int begin = leaves / 2; begin >= 1; begin /= 2) {
    MUS_PARALLEL_FOR_IF(begin >= MUS_PAR_MINIMUM)
    for (int i = begin; i < 2 * begin; ++i) {
      tree->box[i] = mus_box_around(&tree->box[2 * i], &tree->box[2 * i + 1]);
      tree->node_moved[i] = tree->node_moved[2 * i] | tree->node_moved[2 * i + 1];
    }
  }
}

// --- walking -------------------------------------------------------------------------------------------------------

static int is_inner(const mus_tree *tree, int node) { return node < 1 << tree->levels; }

static int may_meet(const mus_tree_task *task) {
  return (task->first->node_moved[task->a] | task->second->node_moved[task->b]) &&
         mus_boxes_meet(&task->first->box[task->a], &task->second->box[task->b]);
}

enum { CHILDREN = 4 };

// The pairs below a pair that may meet: none for two leaves. A node with itself has three.
static int children(const mus_tree_task *task, mus_tree_task *child) {
  int own = task->first == task->second && task->a == task->b, count = 0;
  int inner_a = is_inner(task->first, task->a), inner_b = is_inner(task->second, task->b);
  if (!inner_a && !inner_b)
    return 0;
  for (int i = 0; i <= inner_a; ++i)
    for (int j = own ? i : 0; j <= inner_b; ++j) {
      mus_tree_task pair = {task->first, task->second, inner_a ? 2 * task->a + i : task->a,
                            inner_b ? 2 * task->b + j : task->b};
      if (may_meet(&pair))
        child[count++] = pair;
    }
  return count;
}

static int is_leaf_pair(const mus_tree_task *task) {
  return !is_inner(task->first, task->a) && !is_inner(task->second, task->b);
}

int mus_tree_tasks(const mus_tree *first, const mus_tree *second, mus_tree_task *task) {
  mus_tree_task root = {first, second, 1, 1};
  if (first->triangles == 0 || second->triangles == 0 || !may_meet(&root))
    return 0;
  int count = 1, grown = 1;
  task[0] = root;
  // Each task gives way to its children, pass by pass, while there is room.
  while (grown) {
    grown = 0;
    for (int i = count - 1; i >= 0 && count + CHILDREN <= MUS_TREE_TASKS; --i) {
      if (is_leaf_pair(&task[i]))
        continue;
      mus_tree_task below[CHILDREN];
      int more = children(&task[i], below);
      task[i] = more > 0 ? below[0] : task[--count];
      for (int k = 1; k < more; ++k)
        task[count++] = below[k];
      grown = 1;
    }
  }
  return count;
}

static void visit_leaves(const mus_tree_task *task, mus_tree_visit *visit, void *context) {
  const mus_tree *first = task->first, *second = task->second;
  int own = first == second && task->a == task->b;
  int leaf_a = task->a - (1 << first->levels), leaf_b = task->b - (1 << second->levels);
  int end_a = mus_tree_leaf_start(first, leaf_a + 1), end_b = mus_tree_leaf_start(second, leaf_b + 1);
  for (int i = mus_tree_leaf_start(first, leaf_a); i < end_a; ++i)
    for (int j = own ? i + 1 : mus_tree_leaf_start(second, leaf_b); j < end_b; ++j)
      if ((first->moved[i] | second->moved[j]) && mus_boxes_meet(&first->triangle_box[i], &second->triangle_box[j]))
        visit(context, task, i, j);
}

void mus_tree_walk(const mus_tree_task *task, mus_tree_visit *visit, void *context) {
  // A pair leaves at most three of its children waiting at each of the 2 * 30 levels.
  mus_tree_task stack[CHILDREN * 64];
  int count = 1;
  stack[0] = *task;
  while (count > 0) {
    mus_tree_task top = stack[--count];
    if (is_leaf_pair(&top))
      visit_leaves(&top, visit, context);
    else
      count += children(&top, stack + count);
  }
}
