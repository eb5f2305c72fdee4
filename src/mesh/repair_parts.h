// What repairs of triangles and of tetrahedra have in common: corners are lists of vertices, whatever they make up.
#ifndef MUS_MESH_REPAIR_PARTS_H
#define MUS_MESH_REPAIR_PARTS_H

#include "base/memory.h"
#include "muslin/status.h"

// Vertices, and the corners that name them. Corners may be out of range only where that is said.
typedef struct mus_cornered {
  int vertices;
  double *position; // vertices * 3
  size_t corners;
  int *corner;
} mus_cornered;

// Lets corners name the first of the vertices at a place; those out of range stay. `welded`: vertices that are no
// longer named.
mus_status mus_repair_weld(mus_arena *scratch, const mus_cornered *mesh, int *welded);
// Removes vertices that no corner names, and their entries of `source`. `removed`: how many.
mus_status mus_repair_remove_unused(mus_arena *scratch, mus_cornered *mesh, int *source, int *removed);

// What was done, in words: "welded 3 vertices, dropped 1 triangle".
typedef struct mus_repair_words {
  char text[512];
  int length;
} mus_repair_words;

// Adds "BEFORE COUNT ONE" or "... MANY", unless the count is 0.
void mus_repair_say(mus_repair_words *words, const char *before, int count, const char *one, const char *many);

#endif
