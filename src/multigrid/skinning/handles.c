// Furthest point sampling, and the grouping that follows from it. See handles.h.
#include "multigrid/skinning/handles.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/list.h"
#include "base/stop.h"

// Where levels are chosen: nodes to a handle of the first coarse level, but fewer where there would be less than FEW
// handles, and at most so many handles to one of the next. Of solids of 50,000 to 130,000 vertices, half as many nodes
// to a handle made set-ups dearer without saving iterations.
enum { FIRST_RATIO = 48, LEAST_RATIO = 12, FEW = 50, UNKNOWNS = 12 };
static const double largest_ratio = 16;

struct mus_handles {
  int given[MUS_LEVELS_MAXIMUM]; // finest first, up to a 0
  int bottom;
  mus_arena arena;
  int levels;                     // below the finest
  int count[MUS_LEVELS_MAXIMUM];  // handles of level k + 1
  int *owner[MUS_LEVELS_MAXIMUM]; // nodes of level k: the handle of level k + 1 that each belongs to
};

// --- a heap ----------------------------------------------------------------------------------------------------------
// Of nodes with keys, the least first; equal keys by their node, so that the order is always the same.

typedef struct entry {
  double key;
  int node;
} entry;

static int is_before(entry a, entry b) { return a.key < b.key || (a.key == b.key && a.node < b.node); }

static mus_status push(mus_list *heap, double key, int node) {
  entry *all, e = {key, node};
  if (!mus_list_add(heap, sizeof *all))
    return mus_fail_memory();
  all = heap->items;
  size_t at = heap->count - 1;
  for (; at > 0 && is_before(e, all[(at - 1) / 2]); at = (at - 1) / 2)
    all[at] = all[(at - 1) / 2];
  all[at] = e;
  return MUS_OK;
}

// There must be one.
static entry pop(mus_list *heap) {
  entry *all = heap->items, first = all[0], last = all[--heap->count];
  size_t at = 0;
  for (size_t next; (next = 2 * at + 1) < heap->count; at = next) {
    next += next + 1 < heap->count && is_before(all[next + 1], all[next]);
    if (!is_before(all[next], last))
      break;
    all[at] = all[next];
  }
  all[at] = last;
  return first;
}

// --- sampling --------------------------------------------------------------------------------------------------------

typedef struct sampling {
  const mus_pattern *pattern;
  const double *coordinates;
  double *distance; // of each node to the nearest sample
  int *nearest;     // its place in the order
  mus_list near;    // entry: Dijkstra's heap
  mus_list far; // entry: a heap of nodes by minus their distance, or what it once was: distances only become smaller
} sampling;

static double edge_length(const sampling *s, int i, int j) {
  if (!s->coordinates)
    return 1;
  const double *a = s->coordinates + 3 * (size_t)i, *b = s->coordinates + 3 * (size_t)j;
  return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

// Dijkstra's algorithm from a new sample, as far as it is the nearest.
static mus_status add_sample(sampling *s, int node, int place) {
  const mus_pattern *p = s->pattern;
  s->distance[node] = 0;
  s->nearest[node] = place;
  mus_status status = push(&s->near, 0, node);
  while (!status && s->near.count > 0) {
    entry e = pop(&s->near);
    if (e.key > s->distance[e.node])
      continue; // reached by a shorter way since
    for (int k = p->row_start[e.node]; k < p->row_start[e.node + 1] && !status; ++k) {
      int j = p->column[k];
      double reached = e.key + edge_length(s, e.node, j);
      if (j == e.node || !(reached < s->distance[j]))
        continue;
      s->distance[j] = reached;
      s->nearest[j] = place;
      status = push(&s->near, reached, j);
    }
  }
  return status;
}

// The node that is furthest from all samples; the first of those that none reaches, where there are such.
static mus_status find_furthest(sampling *s, int *node) {
  for (;;) {
    entry e = pop(&s->far);
    if (-e.key > s->distance[e.node]) {
      mus_status status = push(&s->far, -s->distance[e.node], e.node);
      if (status)
        return status;
      continue;
    }
    *node = e.node;
    return MUS_OK;
  }
}

static mus_status sample(sampling *s, int stages, int *stage, int *const *nearest, int *order) {
  int rows = s->pattern->rows, taken = 0;
  mus_status status = MUS_OK;
  for (int i = 0; i < rows && !status; ++i) {
    s->distance[i] = INFINITY;
    s->nearest[i] = -1;
    status = push(&s->far, -INFINITY, i);
  }
  for (int at = 0; at < stages && !status;) {
    int node = -1;
    if (taken < rows)
      status = find_furthest(s, &node);
    if (status)
      break;
    int more_parts = node >= 0 && s->distance[node] == INFINITY;
    if (taken >= rows || (taken >= stage[at] && !more_parts)) {
      stage[at] = taken;
      memcpy(nearest[at++], s->nearest, (size_t)rows * sizeof **nearest);
      if (node >= 0)
        status = push(&s->far, -s->distance[node], node); // it may still be the next
      continue;
    }
    order[taken] = node;
    status = add_sample(s, node, taken++);
    if (!status && taken % 64 == 0)
      status = mus_stop_check();
  }
  return status;
}

mus_status mus_sample_furthest(const mus_pattern *pattern, const double *coordinates, int stages, int *stage,
                               int *const *nearest, int *order) {
  mus_arena arena = {0};
  sampling s = {.pattern = pattern,
                .coordinates = coordinates,
                .distance = mus_arena_alloc(&arena, (size_t)pattern->rows, sizeof *s.distance),
                .nearest = mus_arena_alloc(&arena, (size_t)pattern->rows, sizeof *s.nearest)};
  mus_status status = s.distance && s.nearest ? sample(&s, stages, stage, nearest, order) : mus_fail_memory();
  mus_free(s.near.items);
  mus_free(s.far.items);
  mus_arena_clear(&arena);
  return status;
}

// --- levels ----------------------------------------------------------------------------------------------------------

// Evenly spaced levels between the first and the coarsest. Returns how many.
static int choose_levels(int rows, int bottom, int *count) {
  int most = rows / LEAST_RATIO > 1 ? rows / LEAST_RATIO : 1, few = most < FEW ? most : FEW, levels = 1;
  count[0] = rows / FIRST_RATIO > few ? rows / FIRST_RATIO : few;
  if (count[0] <= bottom)
    return levels;
  double whole = (double)bottom / count[0], steps = ceil(-log(whole) / log(largest_ratio));
  for (; levels <= (int)steps && levels < MUS_LEVELS_MAXIMUM - 1; ++levels)
    count[levels] = levels == (int)steps ? bottom : (int)(count[0] * pow(whole, levels / steps));
  return levels;
}

int mus_handles_choose(const int *given, int bottom, int rows, int *stage) {
  int count[MUS_LEVELS_MAXIMUM], levels = 0;
  for (; levels < MUS_LEVELS_MAXIMUM && given[levels] > 0; ++levels)
    count[levels] = given[levels] < rows ? given[levels] : rows;
  if (levels == 0)
    levels = choose_levels(rows, bottom / UNKNOWNS > 1 ? bottom / UNKNOWNS : 1, count);
  for (int k = 0; k < levels; ++k)
    stage[k] = count[levels - 1 - k];
  return levels;
}

int mus_handles_levels(const mus_handles *handles, int rows) {
  int stage[MUS_LEVELS_MAXIMUM];
  return 1 + mus_handles_choose(handles->given, handles->bottom, rows, stage);
}

// Samples the finest level and notes who belongs to whom on all.
static mus_status make_levels(mus_handles *h, const mus_level_view *finest) {
  int rows = finest->a->pattern->rows, stage[MUS_LEVELS_MAXIMUM];
  int *nearest[MUS_LEVELS_MAXIMUM];
  mus_arena_clear(&h->arena);
  h->levels = 0;
  int levels = mus_handles_choose(h->given, h->bottom, rows, stage);
  mus_arena scratch = {0};
  int *order = mus_arena_alloc(&scratch, (size_t)rows, sizeof *order);
  int all = order != NULL;
  for (int s = 0; s < levels && all; ++s)
    all = (nearest[s] = mus_arena_alloc(s + 1 < levels ? &scratch : &h->arena, (size_t)rows, sizeof **nearest)) != NULL;
  mus_status status = all ? mus_sample_furthest(finest->a->pattern, finest->coordinates, levels, stage, nearest, order)
                          : mus_fail_memory();
  for (int k = 0; k < levels && !status; ++k) {
    int s = levels - 1 - k, nodes = k == 0 ? rows : h->count[k - 1];
    h->count[k] = stage[s];
    h->owner[k] = k == 0 ? nearest[s] : mus_arena_alloc(&h->arena, (size_t)nodes, sizeof **h->owner);
    if (!h->owner[k])
      status = mus_fail_memory();
    for (int i = 0; i < nodes && k > 0 && !status; ++i)
      h->owner[k][i] = nearest[s][order[i]];
  }
  mus_arena_clear(&scratch);
  h->levels = status ? 0 : levels;
  return status;
}

static mus_status group(void *self, const mus_level_view *fine, mus_arena *arena, mus_aggregates *out) {
  mus_handles *h = self;
  mus_status status = fine->level == 0 ? make_levels(h, fine) : MUS_OK;
  if (status || fine->level >= h->levels)
    return status;
  return mus_aggregates_repeat(arena, fine->a->pattern->rows, h->count[fine->level], h->owner[fine->level], out);
}

mus_grouping mus_handles_grouping(mus_handles *handles) { return (mus_grouping){handles, group}; }

// --- life ------------------------------------------------------------------------------------------------------------

static mus_status refuse(const char *levels) {
  return mus_fail(MUS_BAD_INPUT,
                  "\"%.40s\" are no levels: give the numbers of handles from the coarsest level up, with / in between, "
                  "and all for the finest, as in 25/500/all; at most %d levels",
                  levels, MUS_LEVELS_MAXIMUM);
}

mus_status mus_handles_read(const char *levels, int count[MUS_LEVELS_MAXIMUM]) {
  int found[MUS_LEVELS_MAXIMUM] = {0}, all = 0;
  const char *at = levels;
  while (*at >= '0' && *at <= '9') {
    int handles = 0;
    for (; *at >= '0' && *at <= '9'; ++at)
      handles = handles < INT_MAX / 10 - 1 ? 10 * handles + (*at - '0') : INT_MAX / 10;
    if (*at++ != '/' || all == MUS_LEVELS_MAXIMUM - 1 || handles < 1 || handles == INT_MAX / 10 ||
        (all > 0 && handles <= found[all - 1]))
      return refuse(levels);
    found[all++] = handles;
  }
  if (*levels && (strcmp(at, "all") != 0 || all == 0))
    return refuse(levels);
  for (int k = 0; k < MUS_LEVELS_MAXIMUM; ++k)
    count[k] = k < all ? found[all - 1 - k] : 0;
  return MUS_OK;
}

mus_status mus_handles_create(const char *levels, int bottom, mus_handles **out) {
  int count[MUS_LEVELS_MAXIMUM];
  mus_status status = mus_handles_read(levels, count);
  mus_handles *h = status ? NULL : mus_alloc_zero(1, sizeof *h);
  if (!h)
    return status ? status : mus_fail_memory();
  memcpy(h->given, count, sizeof count);
  h->bottom = bottom;
  *out = h;
  return MUS_OK;
}

void mus_handles_free(mus_handles *handles) {
  if (!handles)
    return;
  mus_arena_clear(&handles->arena);
  mus_free(handles);
}

size_t mus_handles_bytes(const mus_handles *handles) { return sizeof *handles + handles->arena.bytes; }
