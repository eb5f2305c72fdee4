// See repair_parts.h.
#include "mesh/repair_parts.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "mesh/check.h"

mus_status mus_repair_weld(mus_arena *scratch, const mus_cornered *mesh, int *welded) {
  int *first = mus_arena_alloc(scratch, (size_t)mesh->vertices, sizeof *first);
  mus_mesh points = {.vertices = mesh->vertices, .position = mesh->position};
  mus_status status = first ? mus_first_at_place(&points, first) : mus_fail_memory();
  if (status)
    return status;
  for (int v = 0; v < mesh->vertices; ++v)
    *welded += first[v] != v;
  for (size_t i = 0; i < mesh->corners; ++i)
    if (mesh->corner[i] >= 0 && mesh->corner[i] < mesh->vertices)
      mesh->corner[i] = first[mesh->corner[i]];
  return MUS_OK;
}

mus_status mus_repair_remove_unused(mus_arena *scratch, mus_cornered *mesh, int *source, int *removed) {
  int *number = mus_arena_alloc_zero(scratch, (size_t)mesh->vertices, sizeof *number), kept = 0;
  if (!number)
    return mus_fail_memory();
  for (size_t i = 0; i < mesh->corners; ++i)
    number[mesh->corner[i]] = 1;
  for (int v = 0; v < mesh->vertices; ++v)
    if (number[v]) {
      memmove(mesh->position + (size_t)kept * 3, mesh->position + (size_t)v * 3, 3 * sizeof *mesh->position);
      source[kept] = source[v];
      number[v] = kept++;
    }
  for (size_t i = 0; i < mesh->corners; ++i)
    mesh->corner[i] = number[mesh->corner[i]];
  *removed = mesh->vertices - kept;
  mesh->vertices = kept;
  return MUS_OK;
}

void mus_repair_say(mus_repair_words *words, const char *before, int count, const char *one, const char *many) {
  if (count > 0)
    words->length += snprintf(words->text + words->length, sizeof words->text - (size_t)words->length, "%s%s%d %s",
                              words->length > 0 ? ", " : "", before, count, count > 1 ? many : one);
}
