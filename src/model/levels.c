// See levels.h.
#include "model/levels.h"

#include <string.h>

#include "base/error.h"

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

mus_status mus_model_coarse_meshes(const mus_model *model, mus_arena *arena, int *count, mus_coarser *level) {
  for (int k = 0; k < model->part_count; ++k)
    if (!model->parts[k].cloth)
      return mus_fail(MUS_UNSUPPORTED,
                      "the solver \"geometric\" is for cloth, and the scene has solids: choose \"sa\" or \"skinning\"");
  mus_mesh mesh;
  mus_status status = join_cloths(model, arena, &mesh);
  for (*count = 0; !status && mesh.vertices > BOTTOM && *count < MUS_LEVELS_MAXIMUM - 1; ++*count) {
    mus_coarser made;
    status = mus_mesh_coarsen(arena, &mesh, mesh.vertices / FEWER, &made);
    if (status || made.mesh.vertices > hardly * mesh.vertices)
      break;
    level[*count] = made;
    mesh = made.mesh;
  }
  return status;
}

mus_status mus_model_levels(const mus_model *model, mus_arena *arena, int *count, mus_interpolation *level) {
  mus_coarser made[MUS_LEVELS_MAXIMUM];
  mus_status status = mus_model_coarse_meshes(model, arena, count, made);
  int nodes = model->vertices;
  for (int l = 0; l < *count && !status; nodes = level[l++].coarse)
    level[l] = (mus_interpolation){nodes, made[l].mesh.vertices, made[l].carrier, made[l].weight};
  return status;
}
