// All pairs of triangles that intersect. See intersections.h.
#include "check/intersections.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "check/box_tree.h"
#include "check/triangle_pairs.h"
#include "mesh/groups.h"
#include "par/par.h"

typedef struct sewn_pair {
  int a, b; // groups, the lower first
} sewn_pair;

struct mus_intersections {
  mus_arena arena;
  const mus_check_surface *surface;
  mus_box_tree tree;
  int *group;      // vertices: the same for those that are sewn to each other; NULL without seams
  char *at_seam;   // vertices: something is sewn to it
  int pair_count;  // of groups that are sewn together partly ...
  sewn_pair *pair; // ... in ascending order
};

// --- seams -----------------------------------------------------------------------------------------------------------

static int by_groups(const void *a, const void *b) {
  const sewn_pair *x = a, *y = b;
  return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

static sewn_pair pair_of(int a, int b) { return a < b ? (sewn_pair){a, b} : (sewn_pair){b, a}; }

// Groups that are sewn to places on edges, each with an end of the edge (b), and those that are sewn to edges with a
// common end, each with the other: the layers of a pleat, which a band holds. `list` has the first kind already, by
// ends.
static mus_status pair_groups(mus_intersections *finder, const sewn_pair *list, int count) {
  size_t most = (size_t)count;
  for (int i = 0; i < count; ++i)
    for (int j = i + 1; j < count && list[j].a == list[i].a; ++j)
      ++most;
  finder->pair = mus_arena_alloc(&finder->arena, most, sizeof *finder->pair);
  if (!finder->pair)
    return mus_fail_memory();
  for (int i = 0; i < count; ++i) {
    finder->pair[finder->pair_count++] = pair_of(list[i].a, list[i].b);
    for (int j = i + 1; j < count && list[j].a == list[i].a; ++j)
      finder->pair[finder->pair_count++] = pair_of(list[i].b, list[j].b);
  }
  qsort(finder->pair, (size_t)finder->pair_count, sizeof *finder->pair, by_groups);
  return MUS_OK;
}

static mus_status sew(mus_intersections *finder) {
  const mus_check_surface *surface = finder->surface;
  size_t vertices = (size_t)surface->vertices;
  finder->group = mus_arena_alloc(&finder->arena, vertices, sizeof *finder->group);
  finder->at_seam = mus_arena_alloc_zero(&finder->arena, vertices, sizeof *finder->at_seam);
  sewn_pair *list = mus_arena_alloc(&finder->arena, (size_t)surface->sewn_count, sizeof *list);
  if (!finder->group || !finder->at_seam || !list)
    return mus_fail_memory();
  for (int i = 0; i < surface->vertices; ++i)
    finder->group[i] = i;
  for (int k = 0; k < surface->sewn_count; ++k) {
    const mus_sewn *sewn = &surface->sewn[k];
    finder->at_seam[sewn->a] = finder->at_seam[sewn->b] = 1;
    if (!sewn->partly)
      mus_group_join(finder->group, sewn->a, sewn->b);
  }
  for (int i = 0; i < surface->vertices; ++i)
    finder->group[i] = mus_group_first(finder->group, i);
  int count = 0;
  for (int k = 0; k < surface->sewn_count; ++k)
    if (surface->sewn[k].partly)
      list[count++] = (sewn_pair){finder->group[surface->sewn[k].b], finder->group[surface->sewn[k].a]};
  qsort(list, (size_t)count, sizeof *list, by_groups);
  return pair_groups(finder, list, count);
}

static int vertices_are_sewn(const mus_intersections *finder, int i, int j) {
  if (i == j || !finder->at_seam[i] || !finder->at_seam[j])
    return 0;
  sewn_pair wanted = pair_of(finder->group[i], finder->group[j]);
  return wanted.a == wanted.b ||
         bsearch(&wanted, finder->pair, (size_t)finder->pair_count, sizeof wanted, by_groups) != NULL;
}

static int triangles_are_sewn(const mus_intersections *finder, const int *s, const int *t) {
  for (int i = 0; i < 3 && finder->group; ++i)
    for (int j = 0; j < 3; ++j)
      if (vertices_are_sewn(finder, s[i], t[j]))
        return 1;
  return 0;
}

// --- life ------------------------------------------------------------------------------------------------------------

mus_status mus_intersections_create(const mus_check_surface *surface, mus_intersections **out) {
  mus_intersections *finder = mus_alloc_zero(1, sizeof *finder);
  *out = NULL;
  if (!finder)
    return mus_fail_memory();
  finder->surface = surface;
  mus_status status = mus_box_tree_create(&finder->arena, surface->triangles, &finder->tree);
  if (!status && surface->sewn_count > 0)
    status = sew(finder);
  if (status)
    mus_intersections_free(finder);
  else
    *out = finder;
  return status;
}

void mus_intersections_free(mus_intersections *finder) {
  if (!finder)
    return;
  mus_arena_clear(&finder->arena);
  mus_free(finder);
}

// --- pairs -----------------------------------------------------------------------------------------------------------

static mus_box box_of(const double *x, const int *t) {
  mus_box box;
  for (int k = 0; k < 3; ++k) {
    double a = x[3 * (size_t)t[0] + (size_t)k], b = x[3 * (size_t)t[1] + (size_t)k],
           c = x[3 * (size_t)t[2] + (size_t)k];
    box.low[k] = fmin(a, fmin(b, c));
    box.high[k] = fmax(a, fmax(b, c));
  }
  return box;
}

static int has_surface(const int *t) { return t[0] != t[1] && t[1] != t[2] && t[2] != t[0]; }

// Brings the vertices that two triangles share to their fronts, in the same order. Returns how many there are.
static int align(int s[3], int t[3]) {
  int shared = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = shared; j < 3; ++j)
      if (s[i] == t[j]) {
        int from_s = s[i], from_t = t[j];
        s[i] = s[shared];
        t[j] = t[shared];
        s[shared] = from_s;
        t[shared] = from_t;
        ++shared;
        break;
      }
  return shared;
}

static int intersect(const mus_check_surface *surface, const double *x, int first, int second) {
  int s[3], t[3];
  const double *p[3], *q[3];
  memcpy(s, surface->triangle + 3 * (size_t)first, sizeof s);
  memcpy(t, surface->triangle + 3 * (size_t)second, sizeof t);
  if (!has_surface(s) || !has_surface(t))
    return 0;
  int shared = align(s, t);
  for (int k = 0; k < 3; ++k) {
    p[k] = x + 3 * (size_t)s[k];
    q[k] = x + 3 * (size_t)t[k];
  }
  return shared == 0   ? mus_triangles_meet(p, q)
         : shared == 1 ? mus_triangles_meet_beyond_corner(p, q)
         : shared == 2 ? mus_triangles_meet_beyond_edge(p, q)
                       : !surface->source; // sewn onto each other
}

// --- finding ---------------------------------------------------------------------------------------------------------

static const int *whole_of(const mus_check_surface *surface, int triangle) {
  return (surface->whole ? surface->whole : surface->triangle) + 3 * (size_t)triangle;
}

static mus_intersection told(const mus_intersections *finder, int first, int second) {
  const mus_check_surface *surface = finder->surface;
  mus_intersection pair = {first, second, 0};
  if (surface->source) {
    pair.first = surface->source[first];
    pair.second = surface->source[second];
  }
  pair.at_seam = triangles_are_sewn(finder, whole_of(surface, pair.first), whole_of(surface, pair.second));
  return pair;
}

// Cloth triangle `first` against all that come after it.
static bool find_with(const mus_intersections *finder, const double *x, int first, mus_list *candidates,
                      mus_list *pairs) {
  const mus_check_surface *surface = finder->surface;
  candidates->count = 0;
  if (!mus_box_tree_find(&finder->tree, &finder->tree.box[first], candidates))
    return false;
  const int *candidate = candidates->items;
  for (size_t k = 0; k < candidates->count; ++k) {
    int second = candidate[k];
    if (second <= first || (surface->source && surface->source[first] == surface->source[second]) ||
        !intersect(surface, x, first, second))
      continue;
    mus_intersection *pair = mus_list_add(pairs, sizeof *pair);
    if (!pair)
      return false;
    *pair = told(finder, first, second);
  }
  return true;
}

static bool append(const mus_list *from, mus_list *to) {
  if (from->count == 0)
    return true;
  if (!mus_list_reserve(to, from->count, sizeof(mus_intersection)))
    return false;
  memcpy((mus_intersection *)to->items + to->count, from->items, from->count * sizeof(mus_intersection));
  to->count += from->count;
  return true;
}

int mus_intersection_order(const void *a, const void *b) {
  const mus_intersection *x = a, *y = b;
  return x->first != y->first ? (x->first > y->first) - (x->first < y->first)
                              : (x->second > y->second) - (x->second < y->second);
}

// Several parts of two triangles may intersect.
static void drop_repeated(mus_list *pairs) {
  mus_intersection *pair = pairs->items;
  size_t kept = 0;
  for (size_t k = 0; k < pairs->count; ++k)
    if (kept == 0 || mus_intersection_order(&pair[kept - 1], &pair[k]) != 0)
      pair[kept++] = pair[k];
  pairs->count = kept;
}

mus_status mus_intersections_find(mus_intersections *finder, const double *x, mus_list *pairs) {
  const mus_check_surface *surface = finder->surface;
  bool good = true;
  MUS_PARALLEL_FOR
  for (int i = 0; i < surface->triangles; ++i)
    finder->tree.box[i] = box_of(x, surface->triangle + 3 * (size_t)i);
  mus_box_tree_build(&finder->tree, surface->cloth_triangles);
  pairs->count = 0;
  MUS_PARALLEL
  {
    mus_list candidates = {0}, mine = {0};
    bool all = true;
    MUS_SHARE_FOR
    for (int k = 0; k < surface->triangles; ++k) { // in the tree's order, so that threads stay in a region
      int first = finder->tree.key[k].item;
      if (first < surface->cloth_triangles)
        all = all && find_with(finder, x, first, &candidates, &mine);
    }
    MUS_ONE_AT_A_TIME
    good = append(&mine, pairs) && all && good;
    mus_free(candidates.items);
    mus_free(mine.items);
  }
  if (!good)
    return mus_fail_memory();
  if (pairs->count > 0)
    qsort(pairs->items, pairs->count, sizeof(mus_intersection), mus_intersection_order);
  if (surface->source)
    drop_repeated(pairs);
  return MUS_OK;
}

void mus_intersection_place(const mus_check_surface *surface, const double *x, const mus_intersection *pair,
                            double place[3]) {
  mus_box a = box_of(x, whole_of(surface, pair->first)), b = box_of(x, whole_of(surface, pair->second));
  for (int k = 0; k < 3; ++k)
    place[k] = 0.5 * fmax(a.low[k], b.low[k]) + 0.5 * fmin(a.high[k], b.high[k]);
}
