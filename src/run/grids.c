// See grids.h.
#include "run/grids.h"

#include <string.h>

#include "base/error.h"

// Fields of vertices: solids have neither warp nor folds.
static const mus_field cloth_fields[] = {MUS_FIELD_STRETCH, MUS_FIELD_BEND, MUS_FIELD_CONTACT};
static const mus_field solid_fields[] = {MUS_FIELD_CONTACT};
// On a lattice there are no tetrahedra to tell it.
static const mus_field lattice_fields[] = {MUS_FIELD_STRESS, MUS_FIELD_VOLUME, MUS_FIELD_STRETCH};
enum {
  CLOTH_FIELDS = sizeof cloth_fields / sizeof *cloth_fields,
  SOLID_FIELDS = sizeof solid_fields / sizeof *solid_fields,
  LATTICE_FIELDS = sizeof lattice_fields / sizeof *lattice_fields,
  VALUES = 1 + CLOTH_FIELDS + 6 // at most: velocity, fields, and numbers of tetrahedra
};

static mus_status add_fields(mus_arena *arena, mus_run_grids *grids, int part, int count, const mus_field *fields,
                             mus_grid_values *values, int *used) {
  size_t first = (size_t)mus_sim_first_vertex(grids->sim, part);
  values[(*used)++] =
      (mus_grid_values){.name = "velocity", .components = 3, .real = mus_sim_velocities(grids->sim) + 3 * first};
  for (int k = 0; k < count; ++k) {
    double **all = &grids->field[fields[k]];
    if (!*all && !(*all = mus_arena_alloc_zero(arena, (size_t)mus_sim_vertices(grids->sim), sizeof **all)))
      return mus_fail_memory();
    values[(*used)++] = (mus_grid_values){.name = mus_field_name(fields[k]), .components = 1, .real = *all + first};
  }
  return MUS_OK;
}

static mus_status add_cells(mus_arena *arena, const mus_part_shape *shape, mus_run_cells *cells,
                            mus_grid_values *values, int *used) {
  size_t count = (size_t)shape->tetrahedra;
  cells->mises = mus_arena_alloc_zero(arena, count, sizeof *cells->mises);
  cells->stress = mus_arena_alloc_zero(arena, 6 * count, sizeof *cells->stress);
  cells->volume = mus_arena_alloc_zero(arena, count, sizeof *cells->volume);
  cells->strain = mus_arena_alloc_zero(arena, 6 * count, sizeof *cells->strain);
  cells->stretch = mus_arena_alloc_zero(arena, count, sizeof *cells->stretch);
  cells->region = shape->region ? mus_arena_alloc(arena, count, sizeof *cells->region) : NULL;
  if (!cells->mises || !cells->stress || !cells->volume || !cells->strain || !cells->stretch ||
      (shape->region && !cells->region))
    return mus_fail_memory();
  for (size_t t = 0; t < count && shape->region; ++t)
    cells->region[shape->tetrahedron ? (size_t)shape->tetrahedron[t] : t] = shape->region[t];
  values[(*used)++] = (mus_grid_values){.name = "von_mises", .of_cells = 1, .components = 1, .real = cells->mises};
  values[(*used)++] = (mus_grid_values){.name = "stress", .of_cells = 1, .components = 6, .real = cells->stress};
  values[(*used)++] = (mus_grid_values){.name = "volume", .of_cells = 1, .components = 1, .real = cells->volume};
  values[(*used)++] = (mus_grid_values){.name = "strain", .of_cells = 1, .components = 6, .real = cells->strain};
  values[(*used)++] = (mus_grid_values){.name = "stretch", .of_cells = 1, .components = 1, .real = cells->stretch};
  if (shape->region)
    values[(*used)++] = (mus_grid_values){.name = "region", .of_cells = 1, .components = 1, .whole = cells->region};
  return MUS_OK;
}

// The tetrahedra of a solid by numbers of its own vertices.
static mus_status number_corners(mus_arena *arena, const mus_sim *sim, int part, int count, const int **out) {
  int first = mus_sim_first_vertex(sim, part), *corner = mus_arena_alloc(arena, 4 * (size_t)count, sizeof *corner);
  const int *all = mus_sim_tetrahedron_list(sim) + 4 * (size_t)mus_sim_first_tetrahedron(sim, part);
  if (!corner)
    return mus_fail_memory();
  for (size_t i = 0; i < 4 * (size_t)count; ++i)
    corner[i] = all[i] - first;
  *out = corner;
  return MUS_OK;
}

static mus_status make_grid(mus_arena *arena, mus_run_grids *grids, int k, const mus_run_part *part) {
  const mus_sim *sim = grids->sim;
  const mus_part_shape *shape = &mus_sim_model(sim)->parts[k].shape;
  mus_grid *grid = &grids->grid[k];
  int is_filled = shape->tetrahedra > 0;
  mus_grid_values *values = mus_arena_alloc_zero(arena, VALUES, sizeof *values);
  if (!values)
    return mus_fail_memory();
  *grid = (mus_grid){.points = mus_sim_first_vertex(sim, k + 1) - mus_sim_first_vertex(sim, k),
                     .cells = is_filled ? shape->tetrahedra : part->mesh.triangles,
                     .corners = is_filled ? 4 : 3,
                     .corner = part->mesh.triangle,
                     .values = values};
  mus_status status = is_filled ? add_fields(arena, grids, k, SOLID_FIELDS, solid_fields, values, &grid->value_count)
                      : part->is_solid
                          ? add_fields(arena, grids, k, LATTICE_FIELDS, lattice_fields, values, &grid->value_count)
                          : add_fields(arena, grids, k, CLOTH_FIELDS, cloth_fields, values, &grid->value_count);
  if (!status && is_filled)
    status = number_corners(arena, sim, k, grid->cells, &grid->corner);
  return !status && is_filled ? add_cells(arena, shape, &grids->cells[k], values, &grid->value_count) : status;
}

mus_status mus_run_grids_create(mus_arena *arena, mus_sim *sim, const mus_run_part *parts, mus_run_grids *out) {
  int count = mus_sim_parts(sim);
  size_t largest = 0;
  *out = (mus_run_grids){.sim = sim, .parts = count};
  out->grid = mus_arena_alloc_zero(arena, (size_t)count, sizeof *out->grid);
  out->cells = mus_arena_alloc_zero(arena, (size_t)count, sizeof *out->cells);
  mus_status status = out->grid && out->cells ? MUS_OK : mus_fail_memory();
  for (int k = 0; k < count && !status; ++k) {
    status = make_grid(arena, out, k, &parts[k]);
    largest = out->grid[k].corners == 4 && (size_t)out->grid[k].cells > largest ? (size_t)out->grid[k].cells : largest;
  }
  if (!status && !(out->measure = mus_arena_alloc(arena, largest, sizeof *out->measure)))
    status = mus_fail_memory();
  return status;
}

static mus_status update_cells(const mus_run_grids *grids, int part) {
  const mus_run_cells *cells = &grids->cells[part];
  mus_status status = mus_sim_measure(grids->sim, part, grids->measure);
  for (size_t t = 0; t < (size_t)grids->grid[part].cells && !status; ++t) {
    const mus_solid_measure *m = &grids->measure[t];
    cells->mises[t] = m->mises;
    cells->volume[t] = 100 * m->volume;
    cells->stretch[t] = 100 * mus_solid_strain(m);
    memcpy(cells->stress + 6 * t, m->stress, sizeof m->stress);
    memcpy(cells->strain + 6 * t, m->strain, sizeof m->strain);
  }
  return status;
}

mus_status mus_run_grids_update(const mus_run_grids *grids) {
  mus_status status = MUS_OK;
  for (int k = 0; k < MUS_FIELDS && !status; ++k)
    if (grids->field[k])
      status = mus_sim_field(grids->sim, (mus_field)k, grids->field[k]);
  for (int k = 0; k < grids->parts && !status; ++k)
    if (grids->cells[k].mises)
      status = update_cells(grids, k);
  return status;
}
