// Aggregates as users see them: of the finest nodes, level by level.
#include "solve/solver_state.h"

int mus_solver_aggregates(const mus_solver *solver, int level, int *aggregate) {
  int nodes = 0, count = 0;
  if (!solver->aggregation || level < 1)
    return 0;
  for (int l = 0; l < level; ++l) // none is missing, before anything is written
    if (!mus_aggregation_of(solver->aggregation, l, &nodes, &count))
      return 0;
  for (int i = 0; i < solver->rows; ++i)
    aggregate[i] = i;
  for (int l = 0; l < level; ++l) {
    const int *of = mus_aggregation_of(solver->aggregation, l, &nodes, &count);
    for (int i = 0; i < solver->rows; ++i)
      aggregate[i] = aggregate[i] < 0 ? -1 : of[aggregate[i]];
  }
  return count;
}
