// Repairs what is wrong with a mesh as far as that needs no taste, and says what it did.
//
// In this order: vertices at the same place become one; triangles without area, duplicates and those with a vertex that
// is not there are dropped; triangles are turned over so that neighbours have their fronts on the same side; triangles
// that are turned over in the material get u -> -u, which keeps warp and weft where they are; vertices without
// triangles are removed. What is left keeps its order. Branching edges and vertices stay, and so does what cannot be
// oriented.
#ifndef MUS_MESH_REPAIR_H
#define MUS_MESH_REPAIR_H

#include "mesh/check.h"

// A set of defects: MUS_REPAIR(MUS_DEFECT_TURNED) | ...
#define MUS_REPAIR(defect) (1u << (defect))
// All that changes no shape and no connection.
#define MUS_REPAIR_USUAL                                                                                               \
  (MUS_REPAIR(MUS_DEFECT_REPEATED) | MUS_REPAIR(MUS_DEFECT_DEGENERATE) | MUS_REPAIR(MUS_DEFECT_DEGENERATE_MATERIAL) |  \
   MUS_REPAIR(MUS_DEFECT_DUPLICATE) | MUS_REPAIR(MUS_DEFECT_TURNED) | MUS_REPAIR(MUS_DEFECT_UNREFERENCED))
// These too: MUS_DEFECT_INDEX, MUS_DEFECT_FLIPPED, MUS_DEFECT_COINCIDENT (welding, which joins what was cut apart).

typedef struct mus_repair_record {
  int welded;               // vertices that became others
  int dropped[MUS_DEFECTS]; // triangles, by the first reason
  int turned, mirrored;     // triangles
  int removed;              // vertices without triangles, welded ones among them
  int *vertex_source;       // the number that each vertex had before
  int *triangle_source;     // the same of the triangles
} mus_repair_record;

// A repaired copy. MUS_BAD_INPUT when numbers are not finite, or when indices are out of range and triangles with such
// ones are not to be dropped.
mus_status mus_mesh_repair(mus_arena *arena, const mus_mesh *mesh, unsigned what, mus_mesh *out,
                           mus_repair_record *record);

// "dropped 3 triangles without area in space, turned 2 triangles", and the like; "" when nothing was done.
void mus_repair_text(const mus_repair_record *record, size_t size, char *text);

#endif
