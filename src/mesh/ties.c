// From ties to followers. See ties.h.
#include "mesh/ties.h"

#include <string.h>

#include "base/error.h"
#include "mesh/sort.h"

// What a vertex is made of, while it is found out.
typedef struct expression {
  int count, node[MUS_TIE_NODES];
  double weight[MUS_TIE_NODES];
} expression;

typedef enum progress { UNTOUCHED, BUSY, DONE } progress;

// Of members, by their places.
struct mus_tie_scratch {
  int *leader;         // a member nearer to the one that leads; itself where it does
  int *edge;           // the tie to an edge that a leader has; -1
  unsigned char *ends; // 1 where an edge ends that something is tied to
  progress *progress;
  expression *made;
};

static int is_whole(const mus_tie *tie) { return tie->b == tie->c; }

// --- life ------------------------------------------------------------------------------------------------------------

static void mark_members(mus_ties *t) {
  for (int i = 0; i < t->vertices; ++i)
    t->place[i] = t->member_of[i] = -1;
  for (int k = 0; k < t->all; ++k)
    t->member_of[t->tie[k].a] = t->member_of[t->tie[k].b] = t->member_of[t->tie[k].c] = 0;
  for (int i = 0; i < t->vertices; ++i)
    if (t->member_of[i] == 0)
      t->member_of[i] = t->members++;
}

static void list_members(mus_ties *t) {
  for (int i = 0; i < t->vertices; ++i)
    if (t->member_of[i] >= 0)
      t->member[t->member_of[i]] = i;
  for (int k = 0; k < t->all; ++k) {
    const mus_tie *tie = &t->tie[k];
    ++t->naming_start[t->member_of[tie->a]];
    ++t->naming_start[t->member_of[tie->b]];
    t->naming_start[t->member_of[tie->c]] += !is_whole(tie);
    if (!is_whole(tie))
      t->scratch->ends[t->member_of[tie->b]] = t->scratch->ends[t->member_of[tie->c]] = 1;
  }
  mus_accumulate(t->members, t->naming_start);
  for (int k = 0; k < t->all; ++k) { // each start moves to its list's end ...
    const mus_tie *tie = &t->tie[k];
    t->naming[t->naming_start[t->member_of[tie->a]]++] = k;
    t->naming[t->naming_start[t->member_of[tie->b]]++] = k;
    if (!is_whole(tie))
      t->naming[t->naming_start[t->member_of[tie->c]]++] = k;
  }
  for (int i = t->members; i > 0; --i) // ... which is the start of the next
    t->naming_start[i] = t->naming_start[i - 1];
  t->naming_start[0] = 0;
}

static mus_status allocate_members(mus_arena *arena, mus_ties *t) {
  size_t members = (size_t)t->members, names = 3 * (size_t)t->all;
  struct mus_tie_scratch *s = t->scratch = mus_arena_alloc_zero(arena, 1, sizeof *t->scratch);
  t->member = mus_arena_alloc(arena, members, sizeof *t->member);
  t->naming_start = mus_arena_alloc_zero(arena, members + 1, sizeof *t->naming_start);
  t->naming = mus_arena_alloc(arena, names, sizeof *t->naming);
  t->vertex = mus_arena_alloc(arena, members, sizeof *t->vertex);
  t->start = mus_arena_alloc_zero(arena, members + 1, sizeof *t->start);
  t->node = mus_arena_alloc(arena, MUS_TIE_NODES * members, sizeof *t->node);
  t->weight = mus_arena_alloc(arena, MUS_TIE_NODES * members, sizeof *t->weight);
  if (!s || !t->member || !t->naming_start || !t->naming || !t->vertex || !t->start || !t->node || !t->weight)
    return mus_fail_memory();
  s->leader = mus_arena_alloc(arena, members, sizeof *s->leader);
  s->edge = mus_arena_alloc(arena, members, sizeof *s->edge);
  s->ends = mus_arena_alloc_zero(arena, members, sizeof *s->ends);
  s->progress = mus_arena_alloc(arena, members, sizeof *s->progress);
  s->made = mus_arena_alloc(arena, members, sizeof *s->made);
  return s->leader && s->edge && s->ends && s->progress && s->made ? MUS_OK : mus_fail_memory();
}

mus_status mus_ties_create(mus_arena *arena, int vertices, int count, const mus_tie *tie, mus_ties *out) {
  mus_ties t = {.vertices = vertices, .all = count};
  t.place = mus_arena_alloc(arena, (size_t)vertices, sizeof *t.place);
  t.member_of = mus_arena_alloc(arena, (size_t)vertices, sizeof *t.member_of);
  t.tie = mus_arena_alloc(arena, (size_t)count, sizeof *t.tie);
  t.refused = mus_arena_alloc_zero(arena, (size_t)count, 1);
  t.never = mus_arena_alloc_zero(arena, (size_t)count, 1);
  if (!t.place || !t.member_of || !t.tie || !t.refused || !t.never)
    return mus_fail_memory();
  if (count > 0)
    memcpy(t.tie, tie, (size_t)count * sizeof *tie);
  mark_members(&t);
  mus_status status = allocate_members(arena, &t);
  if (status)
    return status;
  list_members(&t);
  int found[MUS_TIE_REACH];
  for (int k = 0; k < count; ++k)
    t.never[k] = mus_ties_reach(&t, t.tie[k].a, found) < 0;
  *out = t;
  return MUS_OK;
}

// --- what a vertex may come to follow --------------------------------------------------------------------------------

// Returns 0 when there are too many.
static int add_found(int vertex, int *found, int *count) {
  for (int k = 0; k < *count; ++k)
    if (found[k] == vertex)
      return 1;
  if (*count == MUS_TIE_REACH)
    return 0;
  found[(*count)++] = vertex;
  return 1;
}

// -1 while there are ties that lead to too many, which mus_ties_create() then leaves out.
int mus_ties_reach(const mus_ties *t, int vertex, int *found) {
  int count = 1, enough = 1;
  found[0] = vertex;
  if (t->member_of[vertex] < 0)
    return 1;
  for (int done = 0; done < count && enough; ++done) {
    int i = t->member_of[found[done]];
    for (int n = t->naming_start[i]; n < t->naming_start[i + 1] && enough; ++n) {
      const mus_tie *tie = &t->tie[t->naming[n]];
      if (t->never[t->naming[n]] || (!is_whole(tie) && tie->a != found[done]))
        continue;
      enough = add_found(tie->a, found, &count) && add_found(tie->b, found, &count) && add_found(tie->c, found, &count);
    }
  }
  return enough ? count : -1;
}

// --- who leads -------------------------------------------------------------------------------------------------------

static int leader_of(const mus_ties *t, int vertex) {
  int *leader = t->scratch->leader, i = t->member_of[vertex];
  while (leader[i] != i)
    i = leader[i] = leader[leader[i]];
  return i;
}

static int is_pinned(const mus_ties *t, const int *pinned, int member) {
  return pinned && pinned[t->member[member]] >= 0;
}

// How much a member is to lead.
static int rank_of(const mus_ties *t, const int *pinned, int member) {
  return 2 * is_pinned(t, pinned, member) + t->scratch->ends[member];
}

static void join_whole(mus_ties *t, int k, const int *pinned) {
  int a = leader_of(t, t->tie[k].a), b = leader_of(t, t->tie[k].b);
  if (a == b)
    return;
  if (is_pinned(t, pinned, a) && is_pinned(t, pinned, b)) {
    t->refused[k] = 1;
    return;
  }
  int rank_a = rank_of(t, pinned, a), rank_b = rank_of(t, pinned, b);
  int a_leads = rank_a != rank_b ? rank_a > rank_b : a < b;
  t->scratch->leader[a_leads ? b : a] = a_leads ? a : b;
}

static void join_edge(mus_ties *t, int k, const int *pinned) {
  int a = leader_of(t, t->tie[k].a);
  if (t->scratch->edge[a] >= 0 || is_pinned(t, pinned, a))
    t->refused[k] = 1;
  else
    t->scratch->edge[a] = k;
}

// --- what followers are made of --------------------------------------------------------------------------------------

// Returns 0 where that are too many nodes.
static int add_expression(double factor, const expression *from, expression *to) {
  for (int k = 0; k < from->count; ++k) {
    int at = 0;
    while (at < to->count && to->node[at] != from->node[k])
      ++at;
    if (at == MUS_TIE_NODES)
      return 0;
    if (at == to->count) {
      to->node[to->count] = from->node[k];
      to->weight[to->count++] = 0;
    }
    to->weight[at] += factor * from->weight[k];
  }
  return 1;
}

static void make_expression(mus_ties *t, int leader) {
  struct mus_tie_scratch *s = t->scratch;
  expression self = {1, {t->member[leader]}, {1}}, made = {0};
  if (s->progress[leader] != UNTOUCHED)
    return;
  s->progress[leader] = BUSY;
  int k = s->edge[leader], good = k >= 0;
  for (int end = 0; end < 2 && good; ++end) {
    int to = leader_of(t, end == 0 ? t->tie[k].b : t->tie[k].c);
    make_expression(t, to);
    good = s->progress[to] == DONE &&
           add_expression(end == 0 ? 1 - t->tie[k].ratio : t->tie[k].ratio, &s->made[to], &made);
  }
  if (k >= 0 && !good)
    t->refused[k] = 1;
  s->made[leader] = good ? made : self;
  s->progress[leader] = DONE;
}

static void keep_follower(mus_ties *t, int vertex, const expression *made) {
  int first = t->start[t->count];
  if (made->count == 1 && made->node[0] == vertex)
    return;
  memcpy(t->node + first, made->node, (size_t)made->count * sizeof *t->node);
  memcpy(t->weight + first, made->weight, (size_t)made->count * sizeof *t->weight);
  t->place[vertex] = t->count;
  t->vertex[t->count++] = vertex;
  t->start[t->count] = first + made->count;
}

void mus_ties_make(mus_ties *t, const unsigned char *holds, const int *pinned) {
  struct mus_tie_scratch *s = t->scratch;
  for (int i = 0; i < t->members; ++i) {
    s->leader[i] = i;
    s->edge[i] = -1;
    s->progress[i] = UNTOUCHED;
    t->place[t->member[i]] = -1;
  }
  for (int k = 0; k < t->all; ++k) {
    t->refused[k] = holds[k] && t->never[k];
    if (holds[k] && !t->never[k] && is_whole(&t->tie[k]))
      join_whole(t, k, pinned);
  }
  for (int k = 0; k < t->all; ++k)
    if (holds[k] && !t->never[k] && !is_whole(&t->tie[k]))
      join_edge(t, k, pinned);
  t->count = 0;
  for (int i = 0; i < t->members; ++i) {
    int leader = leader_of(t, t->member[i]);
    make_expression(t, leader);
    keep_follower(t, t->member[i], &s->made[leader]);
  }
}

// --- rows ------------------------------------------------------------------------------------------------------------

static void add_to_row(const mus_ties *ties, int vertex, double factor, mus_tie_row *row) {
  mus_followed f = mus_ties_followed(ties, &vertex);
  for (int n = 0; n < f.count; ++n) {
    int at = 0;
    while (at < row->count && row->node[at] != f.node[n])
      ++at;
    if (at == row->count) {
      row->node[row->count] = f.node[n];
      row->weight[row->count++] = 0;
    }
    row->weight[at] += factor * f.weight[n];
  }
}

mus_tie_row mus_ties_row(const mus_ties *ties, const mus_tie *tie) {
  mus_tie_row row = {0};
  add_to_row(ties, tie->a, 1, &row);
  add_to_row(ties, tie->b, tie->ratio - 1, &row);
  if (tie->c != tie->b)
    add_to_row(ties, tie->c, -tie->ratio, &row);
  return row;
}

// --- vectors ---------------------------------------------------------------------------------------------------------

void mus_ties_follow(const mus_ties *ties, double *value) {
  for (int k = 0; k < ties->count; ++k) {
    double sum[3] = {0, 0, 0};
    for (int n = ties->start[k]; n < ties->start[k + 1]; ++n)
      for (int c = 0; c < 3; ++c)
        sum[c] += ties->weight[n] * value[3 * (size_t)ties->node[n] + (size_t)c];
    memcpy(value + 3 * (size_t)ties->vertex[k], sum, sizeof sum);
  }
}

void mus_ties_lead(const mus_ties *ties, double *value) {
  for (int k = 0; k < ties->count; ++k) {
    double *from = value + 3 * (size_t)ties->vertex[k];
    for (int n = ties->start[k]; n < ties->start[k + 1]; ++n)
      for (int c = 0; c < 3; ++c)
        value[3 * (size_t)ties->node[n] + (size_t)c] += ties->weight[n] * from[c];
    memset(from, 0, 3 * sizeof *from);
  }
}

void mus_ties_share_mass(const mus_ties *ties, const double *mass, double *shared) {
  memcpy(shared, mass, (size_t)ties->vertices * sizeof *shared);
  for (int k = 0; k < ties->count; ++k)
    for (int n = ties->start[k]; n < ties->start[k + 1]; ++n)
      shared[ties->node[n]] += ties->weight[n] * mass[ties->vertex[k]];
}
