// A tree of boxes over triangles: who may touch whom, at the cost of a box test for most that do not.
//
// Boxes come in groups of four, entry by entry, so that one is tested against four at once. Groups of level 0 hold
// triangles; those of each further level hold the groups of the level below, four by four, up to a single group. The
// triangles' order splits them at about the median along the longest side of their middles' box, over and over, at
// places where groups end. Built once; boxes are then fitted to any positions, level by level, in parallel. Boxes are
// in single precision; who makes them rounds them outward.
#ifndef MUS_COLLIDE_TREE_H
#define MUS_COLLIDE_TREE_H

#include "base/memory.h"
#include "muslin/status.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

// Two boxes: at the start and at the end of a motion, the same where nothing moves. What they hold moves along straight
// lines between. The fourth entries are 0 and fill a cache line.
typedef struct mus_box {
  float low[2][4], high[2][4];
} mus_box;

// False only where some axis has one above the other both at the start and at the end. Any two points, one of each,
// then keep their order along that axis all the time: what goes the same way at the same speed does not meet.
static inline int mus_boxes_meet_plain(const mus_box *a, const mus_box *b) {
  int apart = 0;
  for (int c = 0; c < 3; ++c)
    apart |= ((a->low[0][c] > b->high[0][c]) & (a->low[1][c] > b->high[1][c])) |
             ((b->low[0][c] > a->high[0][c]) & (b->low[1][c] > a->high[1][c]));
  return !apart;
}

#ifdef __SSE2__
static inline int mus_boxes_meet(const mus_box *a, const mus_box *b) {
  __m128 above = _mm_and_ps(_mm_cmpgt_ps(_mm_loadu_ps(a->low[0]), _mm_loadu_ps(b->high[0])),
                            _mm_cmpgt_ps(_mm_loadu_ps(a->low[1]), _mm_loadu_ps(b->high[1])));
  __m128 below = _mm_and_ps(_mm_cmpgt_ps(_mm_loadu_ps(b->low[0]), _mm_loadu_ps(a->high[0])),
                            _mm_cmpgt_ps(_mm_loadu_ps(b->low[1]), _mm_loadu_ps(a->high[1])));
  return _mm_movemask_ps(_mm_or_ps(above, below)) == 0;
}
#else
static inline int mus_boxes_meet(const mus_box *a, const mus_box *b) { return mus_boxes_meet_plain(a, b); }
#endif

static inline float mus_lesser(float a, float b) { return a < b ? a : b; }
static inline float mus_greater(float a, float b) { return a > b ? a : b; }

static inline mus_box mus_box_around(const mus_box *a, const mus_box *b) {
  mus_box box;
  for (int i = 0; i < 2; ++i)
    for (int c = 0; c < 4; ++c) {
      box.low[i][c] = mus_lesser(a->low[i][c], b->low[i][c]);
      box.high[i][c] = mus_greater(a->high[i][c], b->high[i][c]);
    }
  return box;
}

enum { MUS_TREE_GROUP = 4, MUS_TREE_LEVELS = 16 };

typedef struct mus_box_group {
  float low[2][3][MUS_TREE_GROUP], high[2][3][MUS_TREE_GROUP]; // a place without anything has low > high
} mus_box_group;

static inline mus_box mus_group_box(const mus_box_group *group, int place) {
  mus_box box = {{{0}}, {{0}}};
  for (int i = 0; i < 2; ++i)
    for (int c = 0; c < 3; ++c) {
      box.low[i][c] = group->low[i][c][place];
      box.high[i][c] = group->high[i][c][place];
    }
  return box;
}

// Bit 4 i + j is set where box i of the first group meets box j of the second.
unsigned mus_groups_meet(const mus_box_group *a, const mus_box_group *b);
// The same, one by one.
unsigned mus_groups_meet_plain(const mus_box_group *a, const mus_box_group *b);

typedef struct mus_tree {
  int first, triangles, levels;         // the triangles are numbered from `first` on
  int *triangle;                        // their numbers, in order: four a group of level 0
  mus_box *triangle_box;                // their boxes once more, each on its own
  int level_start[MUS_TREE_LEVELS + 1]; // where the groups of a level begin
  mus_box_group *group;
  unsigned char *moved;   // groups: bit k is set where something at place k is marked
  unsigned char *changed; // groups: whether the last fit changed a box
} mus_tree;

// How many levels a tree over this many triangles has.
int mus_tree_levels(int triangles);
// A tree over triangles first ... first + count - 1 of `corner` (3 a triangle). Trees that are walked together need the
// same number of levels, at least what mus_tree_levels() says for each.
mus_status mus_tree_create(mus_arena *arena, int first, int count, int levels, const int *corner, const double *x,
                           mus_tree *out);

// Boxes around the boxes of the triangles' vertices. changed: vertices, those whose boxes are others than in the last
// fit; NULL, as it must be the first time: all. moved: vertices that are marked; NULL: all.
void mus_tree_fit(mus_tree *tree, const int *corner, const mus_box *vertex_box, const unsigned char *changed,
                  const unsigned char *moved);

// Two groups of one level, of two trees or of one with itself, whose boxes may meet: a part of a walk that can be taken
// on its own.
typedef struct mus_tree_task {
  const mus_tree *first, *second; // the same for a walk of a tree with itself
  int level, a, b;                // counted within the level
} mus_tree_task;

enum { MUS_TREE_TASKS = 1024 };
// At most MUS_TREE_TASKS tasks; how many. They depend on the trees alone.
int mus_tree_tasks(const mus_tree *first, const mus_tree *second, mus_tree_task *task);

// Calls `visit` for the places (in `triangle`) of all pairs of triangles, one or both of them marked, whose boxes meet.
typedef void mus_tree_visit(void *context, const mus_tree_task *task, int place_a, int place_b);
void mus_tree_walk(const mus_tree_task *task, mus_tree_visit *visit, void *context);

#endif
