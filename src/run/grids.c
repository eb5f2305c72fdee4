// See grids.h.
#include "run/grids.h"

#include "base/error.h"

// Fields of vertices.
static const mus_field cloth_fields[] = {MUS_FIELD_STRETCH, MUS_FIELD_BEND, MUS_FIELD_CONTACT};
enum { CLOTH_FIELDS = sizeof cloth_fields / sizeof *cloth_fields };

static mus_status make_fields(mus_arena *arena, mus_run_grids *grids) {
  for (int k = 0; k < CLOTH_FIELDS; ++k) {
    double *value = mus_arena_alloc_zero(arena, (size_t)mus_sim_vertices(grids->sim), sizeof *value);
    if (!value)
      return mus_fail_memory();
    grids->field[cloth_fields[k]] = value;
  }
  return MUS_OK;
}

static mus_status make_cloth(mus_arena *arena, const mus_run_grids *grids, int part, const mus_mesh *mesh) {
  size_t first = (size_t)mus_sim_first_vertex(grids->sim, part);
  mus_grid_values *values = mus_arena_alloc_zero(arena, 1 + CLOTH_FIELDS, sizeof *values);
  if (!values)
    return mus_fail_memory();
  values[0] =
      (mus_grid_values){.name = "velocity", .components = 3, .real = mus_sim_velocities(grids->sim) + 3 * first};
  for (int k = 0; k < CLOTH_FIELDS; ++k)
    values[1 + k] = (mus_grid_values){
        .name = mus_field_name(cloth_fields[k]), .components = 1, .real = grids->field[cloth_fields[k]] + first};
  grids->grid[part] = (mus_grid){.points = mesh->vertices,
                                 .cells = mesh->triangles,
                                 .corners = 3,
                                 .corner = mesh->triangle,
                                 .value_count = 1 + CLOTH_FIELDS,
                                 .values = values};
  return MUS_OK;
}

mus_status mus_run_grids_create(mus_arena *arena, mus_sim *sim, int cloths, const mus_mesh *meshes,
                                mus_run_grids *out) {
  *out = (mus_run_grids){.sim = sim};
  out->grid = mus_arena_alloc_zero(arena, (size_t)cloths, sizeof *out->grid);
  mus_status status = out->grid ? make_fields(arena, out) : mus_fail_memory();
  for (int k = 0; k < cloths && !status; ++k)
    status = make_cloth(arena, out, k, &meshes[k]);
  return status;
}

mus_status mus_run_grids_update(const mus_run_grids *grids) {
  mus_status status = MUS_OK;
  for (int k = 0; k < MUS_FIELDS && !status; ++k)
    if (grids->field[k])
      status = mus_sim_field(grids->sim, (mus_field)k, grids->field[k]);
  return status;
}
