// See full_cycle.h.
#include "step/minimise/full_cycle.h"

mus_status mus_full_cycle_rise(mus_minimisation *m, int levels, mus_level_search *search, void *own) {
  mus_status status = MUS_OK;
  for (int level = levels - 1; level > 0 && !status; --level)
    status = search(m, own, level, MUS_CORRECT_CYCLE);
  return status;
}

mus_status mus_full_cycle_largest(mus_minimisation *m, int middle, mus_level_search *search, void *own) {
  mus_status status = MUS_OK;
  for (int level = 0; level < middle && !status; ++level)
    status = search(m, own, level, MUS_CORRECT_SMOOTH);
  if (!status)
    status = search(m, own, middle, MUS_CORRECT_CYCLE);
  for (int level = middle - 1; level >= 0 && !status; --level)
    status = search(m, own, level, MUS_CORRECT_SMOOTH);
  return status;
}
