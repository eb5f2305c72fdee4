// See levels.h.
#include "model/levels.h"

#include <string.h>

#include "base/error.h"
#include "mesh/coarsen.h"

// Coarsening ends at so many vertices in all, or where a level would have more than this part of the one above.
enum { BOTTOM = 250, FEWER = 4 };
static const double hardly = 0.6;

// All cloths as one mesh, in the numbering of the simulation.
static mus_status join_cloths(const mus_model *model, mus_arena *arena, mus_mesh *out) {
  mus_status status = mus_mesh_create(arena, model->vertices, model->triangles, 1, out);
  if (status)
    return status;
  for (int k = 0; k < model->part_count; ++k) {
    const mus_model_part *part = &model->parts[k];
    size_t first = 3 * (size_t)part->first_triangle, corners = 3 * (size_t)part->shape.mesh.triangles;
    for (size_t i = 0; i < corners; ++i)
      out->triangle[first + i] = part->shape.mesh.triangle[i] + part->first_vertex;
    memcpy(out->material + 2 * first, part->shape.mesh.material, 2 * corners * sizeof(double));
  }
  memcpy(out->position, model->start, 3 * (size_t)model->vertices * sizeof(double));
  return MUS_OK;
}

static mus_status coarsen(mus_arena *arena, mus_mesh *mesh, mus_interpolation *out) {
  mus_coarser coarser;
  mus_status status = mus_mesh_coarsen(arena, mesh, mesh->vertices / FEWER, &coarser);
  if (status)
    return status;
  *out = (mus_interpolation){mesh->vertices, coarser.mesh.vertices, coarser.carrier, coarser.weight};
  *mesh = coarser.mesh;
  return MUS_OK;
}

mus_status mus_model_levels(const mus_model *model, mus_arena *arena, int *count, mus_interpolation *level) {
  for (int k = 0; k < model->part_count; ++k)
    if (!model->parts[k].cloth)
      return mus_fail(MUS_UNSUPPORTED,
                      "the solver \"geometric\" is for cloth, and the scene has solids: choose \"sa\" or \"skinning\"");
  mus_mesh mesh;
  mus_status status = join_cloths(model, arena, &mesh);
  for (*count = 0; !status && mesh.vertices > BOTTOM && *count < MUS_LEVELS_MAXIMUM - 1; ++*count) {
    mus_interpolation made;
    status = coarsen(arena, &mesh, &made);
    if (status || made.coarse > hardly * made.nodes)
      break;
    level[*count] = made;
  }
  return status;
}
