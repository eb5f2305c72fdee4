// Building, fitting and walking a tree of boxes. See tree.h.
#include "collide/tree.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "par/par.h"

enum { GROUP = MUS_TREE_GROUP };

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

// Splits the triangles from `begin` on into the parts that the groups of a level hold, and those again.
static void arrange(builder *b, int begin, int end) {
  int part = GROUP;
  while (part * GROUP < end - begin)
    part *= GROUP;
  int parts = (end - begin + part - 1) / part;
  if (parts < 2)
    return;
  int at = begin + parts / 2 * part;
  split(b, begin, end, at);
  arrange(b, begin, at);
  arrange(b, at, end);
}

int mus_tree_levels(int triangles) {
  int levels = 1;
  for (int groups = (triangles + GROUP - 1) / GROUP; groups > 1; groups = (groups + GROUP - 1) / GROUP)
    ++levels;
  return levels;
}

mus_status mus_tree_create(mus_arena *arena, int first, int count, int levels, const int *corner, const double *x,
                           mus_tree *out) {
  mus_tree tree = {.first = first, .triangles = count, .levels = levels};
  int things = count;
  for (int level = 0; level < levels; ++level) {
    int groups = things > GROUP ? (things + GROUP - 1) / GROUP : 1;
    tree.level_start[level + 1] = tree.level_start[level] + groups;
    things = groups;
  }
  size_t groups = (size_t)tree.level_start[levels];
  tree.triangle = mus_arena_alloc(arena, (size_t)count, sizeof *tree.triangle);
  tree.triangle_box = mus_arena_alloc(arena, (size_t)count, sizeof *tree.triangle_box);
  tree.group = mus_arena_alloc(arena, groups, sizeof *tree.group);
  tree.moved = mus_arena_alloc_zero(arena, groups, 1);
  tree.changed = mus_arena_alloc(arena, groups, 1);
  if (!tree.triangle || !tree.triangle_box || !tree.group || !tree.moved || !tree.changed)
    return mus_fail_memory();
  for (int i = 0; i < count; ++i)
    tree.triangle[i] = first + i;
  arrange(&(builder){.triangle = tree.triangle, .corner = corner, .x = x}, 0, count);
  *out = tree;
  return MUS_OK;
}

// --- fitting -------------------------------------------------------------------------------------------------------

static const mus_box nothing = {{{FLT_MAX, FLT_MAX, FLT_MAX}, {FLT_MAX, FLT_MAX, FLT_MAX}},
                                {{-FLT_MAX, -FLT_MAX, -FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}}};

static void set_box(mus_box_group *group, int place, const mus_box *box) {
  for (int i = 0; i < 2; ++i)
    for (int c = 0; c < 3; ++c) {
      group->low[i][c][place] = box->low[i][c];
      group->high[i][c][place] = box->high[i][c];
    }
}

// Whether one of the corners is marked; all are where nothing is said.
static int is_marked(const unsigned char *mark, const int *corner) {
  return !mark || mark[corner[0]] || mark[corner[1]] || mark[corner[2]];
}

static void fit_triangles(mus_tree *tree, int group, const int *corner, const mus_box *vertex_box,
                          const unsigned char *changed, const unsigned char *moved) {
  int any_changed = 0, bits = 0;
  for (int k = 0; k < GROUP; ++k) {
    int place = GROUP * group + k;
    if (place >= tree->triangles) {
      set_box(&tree->group[group], k, &nothing);
      continue;
    }
    const int *v = corner + (size_t)tree->triangle[place] * 3;
    bits |= is_marked(moved, v) << k;
    if (!is_marked(changed, v))
      continue;
    mus_box box = mus_box_around(&vertex_box[v[0]], &vertex_box[v[1]]);
    tree->triangle_box[place] = box = mus_box_around(&box, &vertex_box[v[2]]);
    set_box(&tree->group[group], k, &box);
    any_changed = 1;
  }
  tree->moved[group] = (unsigned char)bits;
  tree->changed[group] = (unsigned char)any_changed;
}

static mus_box box_of_group(const mus_box_group *group) {
  mus_box box = mus_group_box(group, 0);
  for (int k = 1; k < GROUP; ++k) {
    mus_box other = mus_group_box(group, k);
    box = mus_box_around(&box, &other);
  }
  return box;
}

static void fit_groups(mus_tree *tree, int level, int group) {
  int below = tree->level_start[level - 1], end = tree->level_start[level], any_changed = 0, bits = 0;
  for (int k = 0; k < GROUP; ++k) {
    int child = below + GROUP * group + k;
    if (child >= end)
      set_box(&tree->group[end + group], k, &nothing);
    if (child >= end || (bits |= (tree->moved[child] != 0) << k, !tree->changed[child]))
      continue;
    mus_box box = box_of_group(&tree->group[child]);
    set_box(&tree->group[end + group], k, &box);
    any_changed = 1;
  }
  tree->moved[end + group] = (unsigned char)bits;
  tree->changed[end + group] = (unsigned char)any_changed;
}

static int groups_of(const mus_tree *tree, int level) {
  return tree->level_start[level + 1] - tree->level_start[level];
}

void mus_tree_fit(mus_tree *tree, const int *corner, const mus_box *vertex_box, const unsigned char *changed,
                  const unsigned char *moved) {
  int groups = groups_of(tree, 0);
  MUS_PARALLEL_FOR_IF(groups >= MUS_PAR_MINIMUM)
  for (int group = 0; group < groups; ++group)
    fit_triangles(tree, group, corner, vertex_box, changed, moved);
  for (int level = 1; level < tree->levels; ++level) {
    groups = groups_of(tree, level);
    MUS_PARALLEL_FOR_IF(groups >= MUS_PAR_MINIMUM)
    for (int group = 0; group < groups; ++group)
      fit_groups(tree, level, group);
  }
}

// --- walking -------------------------------------------------------------------------------------------------------

unsigned mus_groups_meet_plain(const mus_box_group *a, const mus_box_group *b) {
  unsigned meets = 0;
  for (int i = 0; i < GROUP; ++i)
    for (int j = 0; j < GROUP; ++j) {
      mus_box first = mus_group_box(a, i), second = mus_group_box(b, j);
      meets |= (unsigned)mus_boxes_meet_plain(&first, &second) << (GROUP * i + j);
    }
  return meets;
}

#ifdef __SSE2__
// Every box of the second group at once against one of the first.
unsigned mus_groups_meet(const mus_box_group *a, const mus_box_group *b) {
  unsigned meets = 0;
  for (int i = 0; i < GROUP; ++i) {
    __m128 apart = _mm_setzero_ps();
    for (int c = 0; c < 3; ++c) {
      __m128 above = _mm_and_ps(_mm_cmpgt_ps(_mm_set1_ps(a->low[0][c][i]), _mm_loadu_ps(b->high[0][c])),
                                _mm_cmpgt_ps(_mm_set1_ps(a->low[1][c][i]), _mm_loadu_ps(b->high[1][c])));
      __m128 below = _mm_and_ps(_mm_cmplt_ps(_mm_set1_ps(a->high[0][c][i]), _mm_loadu_ps(b->low[0][c])),
                                _mm_cmplt_ps(_mm_set1_ps(a->high[1][c][i]), _mm_loadu_ps(b->low[1][c])));
      apart = _mm_or_ps(apart, _mm_or_ps(above, below));
    }
    meets |= ((unsigned)_mm_movemask_ps(apart) ^ 15) << (GROUP * i);
  }
  return meets;
}
#else
unsigned mus_groups_meet(const mus_box_group *a, const mus_box_group *b) { return mus_groups_meet_plain(a, b); }
#endif

// The same, where one of the two is marked. In a group with itself each pair counts once; at level 0 nothing is paired
// with itself.
static unsigned meetings(const mus_tree_task *task) {
  int a = task->first->level_start[task->level] + task->a, b = task->second->level_start[task->level] + task->b;
  unsigned moved_a = task->first->moved[a], moved_b = task->second->moved[b];
  unsigned meets = mus_groups_meet(&task->first->group[a], &task->second->group[b]);
  if (task->first == task->second && a == b)
    meets &= task->level == 0 ? 0x08CE : 0x8CEF; // places above the diagonal, or from it on
  unsigned rows =
      (moved_a & 1) * 0xF | (moved_a >> 1 & 1) * 0xF0 | (moved_a >> 2 & 1) * 0xF00 | (moved_a >> 3) * 0xF000;
  return meets & (rows | moved_b * 0x1111);
}

// The places of the lowest bit, which is taken away.
static void next_pair(unsigned *meets, int *i, int *j) {
  int place = __builtin_ctz(*meets);
  *meets &= *meets - 1;
  *i = place / GROUP;
  *j = place % GROUP;
}

enum { CHILDREN = GROUP * GROUP };

// The pairs of groups below that may meet, of a task above level 0.
static int children(const mus_tree_task *task, mus_tree_task *child) {
  int count = 0, i, j;
  for (unsigned meets = meetings(task); meets != 0;) {
    next_pair(&meets, &i, &j);
    child[count++] =
        (mus_tree_task){task->first, task->second, task->level - 1, GROUP * task->a + i, GROUP * task->b + j};
  }
  return count;
}

int mus_tree_tasks(const mus_tree *first, const mus_tree *second, mus_tree_task *task) {
  if (first->triangles == 0 || second->triangles == 0)
    return 0;
  int count = 1, grown = 1;
  task[0] = (mus_tree_task){first, second, first->levels - 1, 0, 0};
  // Each task gives way to its children, pass by pass, while they fit.
  while (grown) {
    grown = 0;
    for (int i = count - 1; i >= 0 && count + CHILDREN <= MUS_TREE_TASKS; --i) {
      if (task[i].level == 0)
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

static void visit_triangles(const mus_tree_task *task, mus_tree_visit *visit, void *context) {
  int i, j;
  for (unsigned meets = meetings(task); meets != 0;) {
    next_pair(&meets, &i, &j);
    visit(context, task, GROUP * task->a + i, GROUP * task->b + j);
  }
}

void mus_tree_walk(const mus_tree_task *task, mus_tree_visit *visit, void *context) {
  mus_tree_task stack[CHILDREN * MUS_TREE_LEVELS]; // a pair leaves less than that many waiting at each level
  int count = 1;
  stack[0] = *task;
  while (count > 0) {
    mus_tree_task top = stack[--count];
    if (top.level == 0)
      visit_triangles(&top, visit, context);
    else
      count += children(&top, stack + count);
  }
}
