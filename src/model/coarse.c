// See coarse.h.
#include "model/coarse.h"

#include <string.h>

#include "base/error.h"

mus_status mus_model_coarse_check(const mus_model *model, const char *user) {
  int joined = 0, solid = 0;
  for (int l = 0; l < model->list_count; ++l)
    joined |= model->lists[l].part < 0 || model->lists[l].source;
  for (int k = 0; k < model->part_count; ++k)
    solid |= !model->parts[k].cloth;
  if (!solid && !joined)
    return MUS_OK;
  return mus_fail(MUS_UNSUPPORTED,
                  "%s needs coarser meshes of everything, and there are none of %s: choose \"newton-sa\" or \"fmg-sa\"",
                  user, solid ? "solids" : "stitches and buttons");
}

// The triangles of the mesh from number `first` on that lie between vertices from `begin` to before `end`.
static int triangles_within(const mus_mesh *mesh, int first, int end) {
  int last = first;
  while (last < mesh->triangles && mesh->triangle[3 * (size_t)last] < end)
    ++last;
  return last - first;
}

// Vertices were numbered part by part, and triangles too; coarsening keeps their order.
static mus_status make_part(const mus_coarser *coarser, const mus_model_part *fine, mus_arena *arena,
                            mus_model_part *part) {
  const mus_mesh *all = &coarser->mesh;
  int end = fine->first_vertex + fine->shape.mesh.vertices, last = part->first_vertex;
  while (last < all->vertices && coarser->kept[last] < end)
    ++last;
  size_t vertices = (size_t)(last - part->first_vertex), from = (size_t)part->first_triangle;
  size_t triangles = (size_t)triangles_within(all, part->first_triangle, last);
  mus_mesh *mesh = &part->shape.mesh;
  mus_status status = mus_mesh_create(arena, (long long)vertices, (long long)triangles, 1, mesh);
  if (status)
    return status;
  memcpy(mesh->position, all->position + 3 * (size_t)part->first_vertex, 3 * vertices * sizeof *mesh->position);
  memcpy(mesh->material, all->material + 6 * from, 6 * triangles * sizeof *mesh->material);
  for (size_t k = 0; k < 3 * triangles; ++k)
    mesh->triangle[k] = all->triangle[3 * from + k] - part->first_vertex;
  return mus_topology_create(arena, mesh, &part->shape.topology);
}

static mus_status make_parts(const mus_model *fine, const mus_coarser *coarser, mus_model *out) {
  mus_status status = MUS_OK;
  out->parts = mus_arena_alloc_zero(&out->arena, (size_t)fine->part_count, sizeof *out->parts);
  if (!out->parts)
    return mus_fail_memory();
  for (int k = 0, vertex = 0, triangle = 0; k < fine->part_count && !status; ++k) {
    mus_model_part *part = &out->parts[out->part_count++];
    *part = fine->parts[k];
    part->pins = 0;
    part->shape = (mus_part_shape){.shaped = fine->parts[k].shape.shaped};
    part->first_vertex = vertex;
    part->first_triangle = triangle;
    status = make_part(coarser, &fine->parts[k], &out->arena, part);
    vertex += part->shape.mesh.vertices;
    triangle += part->shape.mesh.triangles;
  }
  return status;
}

// Of each of the finer model's lists, the same kind.
static mus_status make_lists(const mus_model *fine, mus_model *out) {
  out->lists = mus_arena_alloc_zero(&out->arena, (size_t)fine->list_count, sizeof *out->lists);
  mus_status status = out->lists ? MUS_OK : mus_fail_memory();
  for (int l = 0; l < fine->list_count && !status; ++l) {
    const mus_model_list *from = &fine->lists[l];
    mus_model_list *to = &out->lists[out->list_count];
    const mus_model_part *part = &out->parts[from->part];
    mus_element_source source = {.mesh = &part->shape.mesh,
                                 .topology = &part->shape.topology,
                                 .fabric = &part->fabric,
                                 .first_vertex = part->first_vertex,
                                 .shaped = part->shape.shaped,
                                 .air = out->scene->air_density > 0};
    *to = (mus_model_list){.part = from->part, .since = from->since};
    status = mus_element_list_create(from->elements.kind, &out->arena, &source, &to->elements);
    out->list_count += to->elements.count > 0;
  }
  return status;
}

// Each vertex hands its mass on to those that carry it.
static mus_status weigh(const mus_model *fine, const mus_coarser *coarser, mus_model *out) {
  out->mass = mus_arena_alloc_zero(&out->arena, (size_t)out->vertices, sizeof *out->mass);
  if (!out->mass)
    return mus_fail_memory();
  for (size_t i = 0; i < 3 * (size_t)fine->vertices; ++i)
    out->mass[coarser->carrier[i]] += coarser->weight[i] * fine->mass[i / 3];
  out->total_mass = fine->total_mass;
  return MUS_OK;
}

mus_status mus_model_coarsen(const mus_model *fine, const mus_coarser *coarser, mus_model *out) {
  *out = (mus_model){.scene = fine->scene,
                     .vertices = coarser->mesh.vertices,
                     .triangles = coarser->mesh.triangles,
                     .start = coarser->mesh.position,
                     .driven = fine->driven,
                     .revision = fine->revision,
                     .gusts = fine->gusts};
  mus_status status = make_parts(fine, coarser, out);
  if (!status)
    status = make_lists(fine, out);
  if (!status)
    status = mus_model_join_elements(out);
  if (!status)
    status = weigh(fine, coarser, out);
  if (status)
    mus_model_free(out);
  return status;
}
