// See workspace.h.
#include "step/workspace.h"

#include "base/error.h"

mus_status mus_workspace_create(mus_arena *arena, const mus_model *model, mus_workspace *out) {
  *out = (mus_workspace){.unknowns = 3 * (size_t)model->vertices};
  double **vectors[] = {&out->predicted, &out->right, &out->change, &out->start_position, &out->start_velocity};
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; ++k)
    if (!(*vectors[k] = mus_arena_alloc_zero(arena, out->unknowns, sizeof(double))))
      return mus_fail_memory();
  out->strain = mus_arena_alloc(arena, model->strains, sizeof *out->strain);
  mus_status status = out->strain ? mus_prescribed_create(arena, model, &out->prescribed) : mus_fail_memory();
  return status ? status : mus_seams_create(arena, model, &out->seams);
}

void mus_workspace_free(mus_workspace *work) {
  mus_prescribed_free(&work->prescribed);
  mus_seams_free(&work->seams);
}

size_t mus_workspace_bytes(const mus_workspace *work) {
  return (size_t)work->prescribed.capacity * sizeof *work->prescribed.list + mus_seams_bytes(&work->seams);
}
