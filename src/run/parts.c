// See parts.h.
#include "run/parts.h"

#include <string.h>

#include "base/error.h"
#include "sim/access.h"

// Numbers the vertices that triangles use, in their order, and turns the triangles to these numbers.
static mus_status find_surface(mus_arena *arena, int vertices, mus_run_part *part) {
  mus_mesh *mesh = &part->mesh;
  mus_arena scratch = {0};
  size_t corners = 3 * (size_t)mesh->triangles;
  int *number = mus_arena_alloc_zero(&scratch, (size_t)vertices, sizeof *number);
  part->vertex = mus_arena_alloc(arena, (size_t)vertices, sizeof *part->vertex);
  mus_status status = number && part->vertex ? MUS_OK : mus_fail_memory();
  for (size_t i = 0; i < corners && !status; ++i)
    number[mesh->triangle[i]] = 1;
  mesh->vertices = 0;
  for (int v = 0; v < vertices && !status; ++v)
    if (number[v]) {
      part->vertex[mesh->vertices] = v;
      number[v] = mesh->vertices++;
    }
  for (size_t i = 0; i < corners && !status; ++i)
    mesh->triangle[i] = number[mesh->triangle[i]];
  mus_arena_clear(&scratch);
  if (!status && !(part->numbers = mus_arena_alloc(arena, 3 * (size_t)mesh->vertices, sizeof *part->numbers)))
    status = mus_fail_memory();
  return status;
}

static mus_status make_part(mus_arena *arena, const mus_sim *sim, int k, mus_run_part *part) {
  int face = mus_sim_first_triangle(sim, k), vertices = mus_sim_first_vertex(sim, k + 1) - mus_sim_first_vertex(sim, k);
  mus_mesh *mesh = &part->mesh;
  part->first = mus_sim_first_vertex(sim, k);
  part->is_solid = mus_sim_model(sim)->parts[k].solid != NULL;
  mesh->vertices = vertices;
  mesh->triangles = mus_sim_first_triangle(sim, k + 1) - face;
  size_t corners = 3 * (size_t)mesh->triangles;
  mesh->triangle = mus_arena_alloc(arena, corners, sizeof *mesh->triangle);
  if (!mesh->triangle)
    return mus_fail_memory();
  for (size_t i = 0; i < corners; ++i)
    mesh->triangle[i] = mus_sim_triangle_list(sim)[3 * (size_t)face + i] - part->first;
  if (part->is_solid)
    return find_surface(arena, vertices, part);
  mesh->material = (double *)mus_sim_material(sim) + 6 * (size_t)face; // which is not written to through the mesh
  return MUS_OK;
}

mus_status mus_run_parts_create(mus_arena *arena, const mus_sim *sim, mus_run_part **out) {
  int count = mus_sim_parts(sim);
  mus_run_part *parts = mus_arena_alloc_zero(arena, (size_t)count, sizeof *parts);
  mus_status status = parts ? MUS_OK : mus_fail_memory();
  for (int k = 0; k < count && !status; ++k)
    status = make_part(arena, sim, k, &parts[k]);
  if (!status)
    *out = parts;
  return status;
}

const double *mus_run_part_numbers(const mus_run_part *part, const double *all) {
  const double *own = all + 3 * (size_t)part->first;
  if (!part->vertex)
    return own;
  for (size_t v = 0; v < (size_t)part->mesh.vertices; ++v)
    memcpy(part->numbers + 3 * v, own + 3 * (size_t)part->vertex[v], 3 * sizeof *own);
  return part->numbers;
}

const double *mus_run_part_join(const mus_run_part *part, double *const all[3]) {
  for (size_t v = 0; v < (size_t)part->mesh.vertices; ++v)
    for (size_t c = 0; c < 3; ++c)
      part->numbers[3 * v + c] = all[c][part->first + part->vertex[v]];
  return part->numbers;
}
