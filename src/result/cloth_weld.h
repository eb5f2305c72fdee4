// A cloth of a result with its closed seams welded (mesh/weld.h), for copies and pictures.
#ifndef MUS_RESULT_CLOTH_WELD_H
#define MUS_RESULT_CLOTH_WELD_H

#include "io/result_reader.h"
#include "mesh/weld.h"

typedef struct mus_cloth_weld {
  mus_weld weld;
  int stitches, closed; // that there are, and that are welded
} mus_cloth_weld;

// Welds what is closed, to 0.1 mm, at all of these positions. Memory comes from the arena.
mus_status mus_cloth_weld_create(mus_arena *arena, const mus_result_part *cloth, int count,
                                 const double *const *position, mus_cloth_weld *out);

#endif
