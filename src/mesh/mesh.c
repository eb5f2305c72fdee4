// Arrays of meshes. See mesh.h.
#include "mesh/mesh.h"

#include <string.h>

#include "base/error.h"

mus_status mus_mesh_create(mus_arena *arena, long long vertices, long long triangles, int with_material,
                           mus_mesh *out) {
  if (vertices < 0 || triangles < 0 || vertices > MUS_MESH_MAXIMUM || triangles > MUS_MESH_MAXIMUM)
    return mus_fail(MUS_BAD_INPUT,
                    "a mesh of %lld vertices and %lld triangles exceeds the limit of %d of each: split it", vertices,
                    triangles, MUS_MESH_MAXIMUM);
  mus_mesh mesh = {.vertices = (int)vertices, .triangles = (int)triangles};
  mesh.position = mus_arena_alloc(arena, (size_t)vertices * 3, sizeof *mesh.position);
  mesh.triangle = mus_arena_alloc(arena, (size_t)triangles * 3, sizeof *mesh.triangle);
  if (with_material)
    mesh.material = mus_arena_alloc(arena, (size_t)triangles * 6, sizeof *mesh.material);
  if (!mesh.position || !mesh.triangle || (with_material && !mesh.material))
    return mus_fail_memory();
  *out = mesh;
  return MUS_OK;
}

mus_status mus_mesh_copy(mus_arena *arena, const mus_mesh *mesh, mus_mesh *out) {
  mus_mesh copy;
  mus_status status = mus_mesh_create(arena, mesh->vertices, mesh->triangles, mesh->material != NULL, &copy);
  if (status != MUS_OK)
    return status;
  if (mesh->vertices > 0)
    memcpy(copy.position, mesh->position, (size_t)mesh->vertices * 3 * sizeof *mesh->position);
  if (mesh->triangles > 0)
    memcpy(copy.triangle, mesh->triangle, (size_t)mesh->triangles * 3 * sizeof *mesh->triangle);
  if (mesh->material && mesh->triangles > 0)
    memcpy(copy.material, mesh->material, (size_t)mesh->triangles * 6 * sizeof *mesh->material);
  *out = copy;
  return MUS_OK;
}
