// See state.h.
#include "step/state.h"

#include "base/error.h"

mus_status mus_state_create(mus_arena *arena, int vertices, mus_state *out) {
  *out = (mus_state){0};
  double **vectors[] = {&out->position, &out->velocity, &out->position_before, &out->velocity_before};
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; ++k)
    if (!(*vectors[k] = mus_arena_alloc_zero(arena, 3 * (size_t)vertices, sizeof(double))))
      return mus_fail_memory();
  return MUS_OK;
}
