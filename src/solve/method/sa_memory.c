// What smoothed aggregation remembers from solve to solve. See sa.h.
//
// Aggregates are what is worth keeping: they are costly, and change slowly. The numbers of prolongators and everything
// below them are made anew after a rest, by every kind of set-up, so that they need not be saved.
#include <string.h>

#include "base/error.h"
#include "solve/method/sa.h"

// All that is not a list.
typedef struct sa_memory {
  int stale;
  int has_looked, fills_space;
  int has_released, deep_couplings, has_hierarchy, analysed_count, is_hard;
  double iteration_cost;
  mus_upkeep upkeep;
} sa_memory;

mus_status mus_sa_remember(void *self, mus_list *bytes) {
  mus_sa *sa = self;
  sa_memory m;
  memset(&m, 0, sizeof m); // no stray bytes between the members
  m.stale = sa->hierarchy ? MUS_SA_STALE_NUMBERS : MUS_SA_STALE_ALL;
  if (sa->stale == MUS_SA_STALE_ALL)
    m.stale = MUS_SA_STALE_ALL;
  m.has_looked = sa->has_looked;
  m.fills_space = sa->fills_space;
  m.has_released = sa->has_released;
  m.deep_couplings = sa->deep_couplings;
  m.has_hierarchy = sa->hierarchy && m.stale != MUS_SA_STALE_ALL;
  m.analysed_count = sa->analysed_count;
  m.iteration_cost = sa->iteration_cost;
  m.is_hard = sa->is_hard;
  m.upkeep = sa->upkeep;
  size_t lists = (size_t)m.analysed_count * sizeof(int);
  mus_status status = mus_bytes_put(bytes, &m, sizeof m);
  if (!status)
    status = mus_bytes_put(bytes, sa->analysed_node, lists);
  if (!status)
    status = mus_bytes_put(bytes, sa->analysed_rank, lists);
  if (!status && m.has_hierarchy && sa->aggregation)
    status = mus_aggregation_remember(sa->aggregation, bytes);
  if (!status)
    sa->rested = 1;
  return status;
}

static mus_status damaged(void) {
  return mus_fail(MUS_BAD_INPUT, "what is remembered of the solver is damaged: start again");
}

static mus_status recall_analysed(mus_sa *sa, int count, mus_bytes *from) {
  size_t rows = (size_t)sa->system->rows;
  if (count < 0 || (size_t)count > rows)
    return damaged();
  sa->analysed_node = mus_arena_alloc(&sa->arena, rows, sizeof(int));
  sa->analysed_rank = mus_arena_alloc(&sa->arena, rows, sizeof(int));
  if (!sa->analysed_node || !sa->analysed_rank)
    return mus_fail_memory();
  int good = mus_bytes_take(from, sa->analysed_node, (size_t)count * sizeof(int)) &&
             mus_bytes_take(from, sa->analysed_rank, (size_t)count * sizeof(int));
  for (int k = 0; k < count && good; ++k)
    good = sa->analysed_node[k] >= 0 && (size_t)sa->analysed_node[k] < rows;
  if (good)
    sa->analysed_count = count;
  return good ? MUS_OK : damaged();
}

mus_status mus_sa_recall(void *self, mus_bytes *from) {
  mus_sa *sa = self;
  sa_memory m;
  if (!mus_bytes_take(from, &m, sizeof m))
    return damaged();
  if ((unsigned)m.upkeep.machine >= MUS_UPKEEP_MACHINES)
    return damaged();
  mus_status status = recall_analysed(sa, m.analysed_count, from);
  sa->has_looked = m.has_looked != 0; // which the settings of the aggregation depend on, as the next
  sa->fills_space = m.fills_space != 0;
  if (!status && m.has_hierarchy)
    status = mus_sa_create_aggregation(sa);
  if (!status && m.has_hierarchy && sa->aggregation)
    status = mus_aggregation_recall(sa->aggregation, from);
  if (status)
    return status;
  sa->stale = m.stale == MUS_SA_STALE_ALL ? MUS_SA_STALE_ALL : MUS_SA_STALE_NUMBERS;
  sa->has_released = m.has_released;
  sa->deep_couplings = m.deep_couplings;
  sa->iteration_cost = m.iteration_cost;
  sa->is_hard = m.is_hard != 0;
  sa->upkeep = m.upkeep;
  sa->has_positions = sa->system->positions != NULL;
  sa->rested = 1;
  return MUS_OK;
}
