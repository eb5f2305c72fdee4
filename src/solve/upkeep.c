// When a hierarchy is set up how thoroughly. See upkeep.h.
#include "solve/upkeep.h"

#include <math.h>

// Prices in products with the fine matrix.
static const double price[MUS_UPKEEP_KINDS] = {0, 10, 60, 200};

mus_upkeep_kind mus_upkeep_due(const mus_upkeep *upkeep) {
  for (int k = MUS_UPKEEP_ALL; k > MUS_UPKEEP_NONE; --k) {
    double coming = fmax(2 * upkeep->of[k].excess - upkeep->of[k].old_excess, 0);
    if (upkeep->of[k].debt + coming > price[k])
      return (mus_upkeep_kind)k;
  }
  return MUS_UPKEEP_NONE;
}

int mus_upkeep_patience(const mus_upkeep *upkeep, mus_upkeep_kind done, double iteration_cost) {
  int next = (int)done + 1;
  return upkeep->of[next].iterations + 1 + (int)ceil(price[next] / iteration_cost);
}

void mus_upkeep_note(mus_upkeep *upkeep, mus_upkeep_kind done, int iterations, double iteration_cost) {
  for (int k = MUS_UPKEEP_COARSE; k < MUS_UPKEEP_KINDS; ++k) {
    if (k <= (int)done) {
      upkeep->of[k].iterations = iterations;
      upkeep->of[k].debt = upkeep->of[k].excess = upkeep->of[k].old_excess = 0;
      continue;
    }
    upkeep->of[k].old_excess = upkeep->of[k].excess;
    upkeep->of[k].excess = (iterations - upkeep->of[k].iterations) * iteration_cost;
    upkeep->of[k].debt = fmax(upkeep->of[k].debt + upkeep->of[k].excess, 0);
  }
}
