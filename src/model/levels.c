// See levels.h.
#include "model/levels.h"

#include <string.h>

#include "base/error.h"
#include "mesh/coarsen.h"

// Coarsening ends at so many vertices in all, or where a level would have more than this part of the one above.
enum { BOTTOM = 250, FEWER = 4 };
static const double hardly = 0.6;

// One level of all cloths, whose meshes become those of the coarser.
static mus_status coarsen_all(mus_arena *arena, int parts, mus_mesh *mesh, mus_interpolation *out) {
  int nodes = 0;
  for (int k = 0; k < parts; ++k)
    nodes += mesh[k].vertices;
  int *carrier = mus_arena_alloc(arena, 3 * (size_t)nodes, sizeof *carrier);
  double *weight = mus_arena_alloc(arena, 3 * (size_t)nodes, sizeof *weight);
  *out = (mus_interpolation){.nodes = nodes, .carrier = carrier, .weight = weight};
  if (!carrier || !weight)
    return mus_fail_memory();
  for (int k = 0; k < parts; ++k) {
    mus_coarser coarser;
    size_t numbers = 3 * (size_t)mesh[k].vertices;
    mus_status status = mus_mesh_coarsen(arena, &mesh[k], mesh[k].vertices / FEWER, &coarser);
    if (status)
      return status;
    for (size_t i = 0; i < numbers; ++i)
      *carrier++ = out->coarse + coarser.carrier[i];
    memcpy(weight, coarser.weight, numbers * sizeof *weight);
    weight += numbers;
    out->coarse += coarser.mesh.vertices;
    mesh[k] = coarser.mesh;
  }
  return MUS_OK;
}

mus_status mus_model_levels(const mus_model *model, mus_arena *arena, int *count, mus_interpolation *level) {
  mus_mesh *mesh = mus_arena_alloc(arena, (size_t)model->part_count, sizeof *mesh);
  if (!mesh)
    return mus_fail_memory();
  for (int k = 0; k < model->part_count; ++k) {
    if (!model->parts[k].cloth)
      return mus_fail(MUS_UNSUPPORTED,
                      "the solver \"geometric\" is for cloth, and the scene has solids: choose \"sa\" or \"skinning\"");
    mesh[k] = model->parts[k].shape.mesh;
  }
  int nodes = model->vertices;
  for (*count = 0; nodes > BOTTOM && *count < MUS_LEVELS_MAXIMUM - 1; ++*count) {
    mus_interpolation made;
    mus_status status = coarsen_all(arena, model->part_count, mesh, &made);
    if (status)
      return status;
    if (made.coarse > hardly * made.nodes)
      break;
    level[*count] = made;
    nodes = made.coarse;
  }
  return MUS_OK;
}
