// Defects of meshes of tetrahedra: found, named, and repaired as far as that needs no taste.
#ifndef MUS_MESH_TETRAHEDRA_CHECK_H
#define MUS_MESH_TETRAHEDRA_CHECK_H

#include "mesh/tetrahedra.h"

typedef enum mus_solid_defect {
  MUS_SOLID_INDEX,            // a tetrahedron with a vertex that is not there
  MUS_SOLID_POSITION,         // a vertex whose position is not finite
  MUS_SOLID_REPEATED,         // a tetrahedron with a vertex twice
  MUS_SOLID_FLAT,             // a tetrahedron without volume
  MUS_SOLID_INVERTED,         // a tetrahedron with negative volume
  MUS_SOLID_DUPLICATE,        // a tetrahedron with the same vertices as an earlier one
  MUS_SOLID_BRANCHING_FACE,   // a face of three tetrahedra or more, named by the first
  MUS_SOLID_FOLDED,           // a face with its two tetrahedra on the same side, named by these
  MUS_SOLID_BRANCHING_EDGE,   // an edge where four triangles of the surface or more meet
  MUS_SOLID_BRANCHING_VERTEX, // a vertex where parts of the surface meet that do not hang together by edges
  MUS_SOLID_UNREFERENCED,     // a vertex without tetrahedra
  MUS_SOLID_COINCIDENT,       // a vertex at exactly the same place as an earlier one
  MUS_SOLID_PIECE,            // a piece that shares no vertex with any before, named by its first vertex
  MUS_SOLID_DEFECTS
} mus_solid_defect;

enum { MUS_SOLID_PLACES = 6 };
typedef struct mus_solid_report {
  int count[MUS_SOLID_DEFECTS];
  // The first places: a vertex, a tetrahedron, the two vertices of an edge; for duplicates, folded faces and coincident
  // vertices the second number is the other one's. It is -1 where there is none.
  int place[MUS_SOLID_DEFECTS][MUS_SOLID_PLACES][2];
  int pieces; // that hang together by vertices
} mus_solid_report;

// Fails only when memory is short. What has a meaning only for sound tetrahedra (from branching faces on) is looked for
// only if no vertex is missing, and passes over those with a vertex twice.
mus_status mus_tetrahedra_check(const mus_tetrahedra *mesh, mus_solid_report *report);

// "2 inverted tetrahedra: 17, 20", and the like; "" when there are none.
void mus_solid_defect_text(const mus_solid_report *report, mus_solid_defect defect, size_t size, char *text);
// MUS_BAD_INPUT, with text and remedy, when the report has a defect that no simulation bears: missing vertices, numbers
// that are not finite, tetrahedra that are flat or inverted, have a vertex twice or are there twice, faces of three
// tetrahedra, folded faces.
mus_status mus_tetrahedra_require_sound(const mus_solid_report *report);

// --- repair --------------------------------------------------------------------------------------------------------

// A set of defects: MUS_SOLID_REPAIR(MUS_SOLID_FLAT) | ...
#define MUS_SOLID_REPAIR(defect) (1u << (defect))
// All that changes no shape and no connection. In this order: tetrahedra with a vertex twice and flat ones are dropped,
// inverted ones turned over by exchanging two corners, duplicates dropped, vertices without tetrahedra removed.
#define MUS_SOLID_REPAIR_USUAL                                                                                         \
  (MUS_SOLID_REPAIR(MUS_SOLID_REPEATED) | MUS_SOLID_REPAIR(MUS_SOLID_FLAT) | MUS_SOLID_REPAIR(MUS_SOLID_INVERTED) |    \
   MUS_SOLID_REPAIR(MUS_SOLID_DUPLICATE) | MUS_SOLID_REPAIR(MUS_SOLID_UNREFERENCED))
// These too: MUS_SOLID_INDEX, drop such tetrahedra. MUS_SOLID_COINCIDENT, weld vertices at the same place first.
// MUS_SOLID_PIECE, keep only the piece of the greatest volume. MUS_SOLID_BRANCHING_VERTEX, cut apart what touches at
// vertices or edges only: each set of tetrahedra around a vertex that hangs together by faces gets a copy of it.

typedef struct mus_solid_repair {
  int welded;                     // vertices that became others
  int dropped[MUS_SOLID_DEFECTS]; // tetrahedra, by the first reason
  int turned;                     // tetrahedra
  int split;                      // vertices that were added
  int removed;                    // vertices without tetrahedra, welded ones among them
  int *vertex_source;             // the number that each vertex had before
  int *tetrahedron_source;        // the same of the tetrahedra
} mus_solid_repair;

// A repaired copy; what is left keeps its order, and vertices that are added come last. MUS_BAD_INPUT when numbers are
// not finite, or when vertices are missing and such tetrahedra are not to be dropped.
mus_status mus_tetrahedra_repair(mus_arena *arena, const mus_tetrahedra *mesh, unsigned what, mus_tetrahedra *out,
                                 mus_solid_repair *record);
// A copy without crumbs: pieces with less than `part` of the greatest piece's volume are dropped, and their vertices
// removed.
mus_status mus_tetrahedra_drop_pieces(mus_arena *arena, const mus_tetrahedra *mesh, double part, mus_tetrahedra *out,
                                      mus_solid_repair *record);
// "dropped 3 flat tetrahedra, turned 2 inverted tetrahedra", and the like; "" when nothing was done.
void mus_solid_repair_text(const mus_solid_repair *record, size_t size, char *text);

#endif
