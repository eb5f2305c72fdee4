// Defects of meshes, found and named.
//
// A report counts every kind of defect and keeps the first few places of each. Which of them matter is for the caller
// to say: a body may branch, a cloth must have a rest shape with an area everywhere.
#ifndef MUS_MESH_CHECK_H
#define MUS_MESH_CHECK_H

#include "mesh/mesh.h"

typedef enum mus_defect {
  MUS_DEFECT_INDEX,               // a triangle with a vertex that is not there
  MUS_DEFECT_POSITION,            // a vertex whose position is not finite
  MUS_DEFECT_MATERIAL,            // a triangle whose material coordinates are not finite
  MUS_DEFECT_REPEATED,            // a triangle with a vertex twice
  MUS_DEFECT_DEGENERATE,          // a triangle without area in space
  MUS_DEFECT_DEGENERATE_MATERIAL, // a triangle without area in the material
  MUS_DEFECT_FLIPPED,             // a triangle with negative area in the material
  MUS_DEFECT_DUPLICATE,           // a triangle with the same vertices as an earlier one
  MUS_DEFECT_BRANCHING_EDGE,      // an edge of three triangles or more
  MUS_DEFECT_BRANCHING_VERTEX,    // a vertex whose triangles do not hang together by edges
  MUS_DEFECT_TURNED,              // an edge whose two triangles have opposite fronts
  MUS_DEFECT_UNREFERENCED,        // a vertex without triangles
  MUS_DEFECT_COINCIDENT,          // a vertex at exactly the same place as an earlier one
  MUS_DEFECTS
} mus_defect;

enum { MUS_DEFECT_PLACES = 6 };

typedef struct mus_mesh_report {
  int count[MUS_DEFECTS];
  // The first places, at most MUS_DEFECT_PLACES: a vertex, a triangle, or the two vertices of an edge; for duplicates
  // and coincident vertices the second number is the earlier one's. It is -1 where there is none.
  int place[MUS_DEFECTS][MUS_DEFECT_PLACES][2];
} mus_mesh_report;

// A triangle has no area when its height is less than this part of its longest edge.
#define MUS_AREA_TOLERANCE 1e-10

// Fails only when memory is short. Where a triangle has several defects, each kind is counted, but what comes later in
// the list is looked for only where it has a meaning.
mus_status mus_mesh_check(const mus_mesh *mesh, mus_mesh_report *report);

// "2 triangles without area in space: 17, 20", and the like; "" when there are none.
void mus_defect_text(const mus_mesh_report *report, mus_defect defect, size_t size, char *text);
// MUS_BAD_INPUT, with text and remedy, when the report has a defect that no simulation bears: indices, numbers that are
// not finite, vertices twice in a triangle, or a rest shape without area.
mus_status mus_mesh_require_sound(const mus_mesh_report *report);

// Whether a triangle has no area in space, or in the material.
int mus_is_degenerate(const mus_mesh *mesh, int triangle);
int mus_is_degenerate_in_material(const mus_mesh *mesh, int triangle);

// For every vertex the first at exactly the same place, often itself; a position that is not finite equals none.
mus_status mus_first_at_place(const mus_mesh *mesh, int *first);
// For every triangle the first with the same three vertices, in any order, often itself. All indices must be in range.
mus_status mus_first_with_corners(const mus_mesh *mesh, int *first);

#endif
