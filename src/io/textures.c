// Material coordinates without repetitions. See textures.h.
#include "io/textures.h"

#include <string.h>

#include "base/error.h"

enum { LOOKED_AT = 16 }; // coordinates of a vertex, the latest, so that a vertex with very many takes no longer

mus_status mus_textures_list(mus_arena *arena, const mus_mesh *mesh, mus_textures *out) {
  int corners = mesh->triangles * 3;
  mus_arena scratch = {0};
  int *latest = mus_arena_alloc(&scratch, (size_t)mesh->vertices, sizeof *latest); // coordinates of a vertex, or -1
  int *before = mus_arena_alloc(&scratch, (size_t)corners, sizeof *before);        // those before them
  mus_textures list = {.source = mus_arena_alloc(arena, (size_t)corners, sizeof *list.source),
                       .corner = mus_arena_alloc(arena, (size_t)corners, sizeof *list.corner)};
  if (!latest || !before || !list.source || !list.corner) {
    mus_arena_clear(&scratch);
    return mus_fail_memory();
  }
  memset(latest, -1, (size_t)mesh->vertices * sizeof *latest);
  for (int i = 0; i < corners; ++i) {
    int vertex = mesh->triangle[i], at = latest[vertex];
    const double *uv = mesh->material + (size_t)i * 2;
    for (int looked = 0; at >= 0; at = before[at])
      if (memcmp(mesh->material + (size_t)list.source[at] * 2, uv, 2 * sizeof *uv) == 0 || ++looked == LOOKED_AT)
        break;
    if (at < 0 || memcmp(mesh->material + (size_t)list.source[at] * 2, uv, 2 * sizeof *uv) != 0) {
      at = list.count++;
      list.seams |= latest[vertex] >= 0;
      list.source[at] = i;
      before[at] = latest[vertex];
      latest[vertex] = at;
    }
    list.corner[i] = at;
  }
  mus_arena_clear(&scratch);
  *out = list;
  return MUS_OK;
}
