// The passes that group nodes. See aggregates.h.
#include "multigrid/aggregation/aggregates.h"

#include <string.h>

#include "base/error.h"

enum { FREE = -1 };

// Whether no node within `reach` strong connections of i is in an aggregate.
static int is_free(const mus_pattern *pattern, const mus_strength *s, int i, int reach, const int *of) {
  int all_free = of[i] == FREE;
  for (int k = pattern->row_start[i]; k < pattern->row_start[i + 1] && all_free && reach > 0; ++k)
    if (s->strong[k])
      all_free = is_free(pattern, s, pattern->column[k], reach - 1, of);
  return all_free;
}

static void take(const mus_pattern *pattern, const mus_strength *s, int i, int reach, int aggregate, int *of) {
  of[i] = aggregate;
  for (int k = pattern->row_start[i]; k < pattern->row_start[i + 1] && reach > 0; ++k)
    if (s->strong[k])
      take(pattern, s, pattern->column[k], reach - 1, aggregate, of);
}

static int has_strong(const mus_pattern *pattern, const mus_strength *s, int i) {
  int strong = 0;
  for (int k = pattern->row_start[i]; k < pattern->row_start[i + 1] && !strong; ++k)
    strong = s->strong[k];
  return strong;
}

// Pass 1: a node whose strong neighbours, or their neighbours too, are all free takes them along as a new aggregate.
static int form(const mus_pattern *pattern, const mus_strength *s, int reach, int *of) {
  int count = 0;
  for (int i = 0; i < pattern->rows; ++i)
    if (!s->special[i] && has_strong(pattern, s, i) && is_free(pattern, s, i, reach, of))
      take(pattern, s, i, reach, count++, of);
  return count;
}

// The aggregate of the node that i is connected to most strongly, FREE when it has no neighbour in one. `before` limits
// the choice to aggregates as they were when the pass began, so that they do not grow into chains.
static int strongest_aggregate(const mus_pattern *pattern, const mus_strength *s, int i, int strong_only,
                               const int *before) {
  int best = FREE;
  double best_value = 0;
  for (int k = pattern->row_start[i]; k < pattern->row_start[i + 1]; ++k) {
    int aggregate = before[pattern->column[k]];
    if (aggregate != FREE && (s->strong[k] || !strong_only) && s->value[k] > best_value) {
      best = aggregate;
      best_value = s->value[k];
    }
  }
  return best;
}

// Pass 2, in the form that the paper gives as the alternative: each free node joins the aggregate that it is connected
// to most strongly. Returns how many joined.
static int join(const mus_pattern *pattern, const mus_strength *s, int strong_only, int *of, int *before) {
  int joined = 0;
  for (int i = 0; i < pattern->rows; ++i)
    before[i] = of[i];
  for (int i = 0; i < pattern->rows; ++i)
    if (before[i] == FREE && !s->special[i]) {
      of[i] = strongest_aggregate(pattern, s, i, strong_only, before);
      joined += of[i] != FREE;
    }
  return joined;
}

static mus_status list_members(mus_arena *arena, int nodes, mus_aggregates *a) {
  a->start = mus_arena_alloc_zero(arena, (size_t)a->count + 2, sizeof *a->start);
  a->member = mus_arena_alloc(arena, (size_t)nodes, sizeof *a->member);
  if (!a->start || !a->member)
    return mus_fail_memory();
  for (int i = 0; i < nodes; ++i)
    if (a->of[i] != FREE)
      ++a->start[a->of[i] + 2];
  for (int g = 0; g < a->count; ++g)
    a->start[g + 2] += a->start[g + 1];
  for (int i = 0; i < nodes; ++i)
    if (a->of[i] != FREE)
      a->member[a->start[a->of[i] + 1]++] = i;
  return MUS_OK;
}

mus_status mus_aggregates_create(mus_arena *arena, const mus_pattern *pattern, const mus_strength *strength, int reach,
                                 mus_aggregates *out) {
  int nodes = pattern->rows;
  out->of = mus_arena_alloc(arena, (size_t)nodes, sizeof *out->of);
  int *before = mus_alloc((size_t)nodes, sizeof *before);
  if (!out->of || !before) {
    mus_free(before);
    return mus_fail_memory();
  }
  for (int i = 0; i < nodes; ++i)
    out->of[i] = FREE;
  out->count = form(pattern, strength, reach, out->of);
  while (join(pattern, strength, 1, out->of, before) > 0)
    ;
  // Strength is relative to a row, so a node may be strongly connected to none that is in an aggregate: weak
  // connections will do. What is left then is cut off from all aggregates and forms its own.
  while (join(pattern, strength, 0, out->of, before) > 0)
    ;
  for (int i = 0; i < nodes; ++i)
    if (out->of[i] == FREE && !strength->special[i]) {
      out->of[i] = out->count++;
      while (join(pattern, strength, 0, out->of, before) > 0)
        ;
    }
  mus_free(before);
  return list_members(arena, nodes, out);
}

mus_status mus_aggregates_repeat(mus_arena *arena, int nodes, int count, const int *of, mus_aggregates *out) {
  out->of = mus_arena_alloc(arena, (size_t)nodes, sizeof *out->of);
  if (!out->of)
    return mus_fail_memory();
  memcpy(out->of, of, (size_t)nodes * sizeof *of);
  out->count = count;
  return list_members(arena, nodes, out);
}
