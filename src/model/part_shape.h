// The shape of a part, a cloth or a solid: where its vertices start in space, the triangles that collide and are shown,
// and what its elements are made from. cloth_mesh.h and solid_mesh.h make it.
#ifndef MUS_MODEL_PART_SHAPE_H
#define MUS_MODEL_PART_SHAPE_H

#include "io/mesh_file.h"
#include "mesh/refine.h"
#include "mesh/reorder.h"
#include "muslin/scene.h"

typedef struct mus_part_shape {
  mus_mesh mesh;         // in the order that is simulated; the triangles of a solid are those of its surface
  mus_topology topology; // of its triangles
  mus_order *order;      // from the order that users see, which files and results have; NULL where it is the same
  int *kept;             // the file's numbers of the vertices that were kept, ascending; NULL where all were
  char repairs[240];     // what was mended or left out, in words; "" for nothing

  // Of a cloth.
  mus_refinement *refined; // by the numbers that users see; NULL where it was not
  int shaped;              // 1: bending rests as the cloth starts, since the file's positions lie in no plane
  int stitches;            // of the file or the garment, then of the scene
  mus_stitch *stitch;      // by numbers of the simulation

  // Of a solid.
  int tetrahedra;
  int *corner;      // tetrahedra * 4 vertices, in the order that is simulated
  int *tetrahedron; // the number that each has in the file; NULL where it is the same
  int *region;      // of each, as the file has it; NULL: none
} mus_part_shape;

// The number that a vertex of the file (or of the generated mesh) has in the simulation. MUS_BAD_INPUT where it is not
// there.
mus_status mus_part_vertex(const mus_part_shape *shape, int number, int *vertex);
// From the order of the simulation to the one that users see, and back.
int mus_part_seen(const mus_part_shape *shape, int vertex);
int mus_part_simulated(const mus_part_shape *shape, int seen);

// The part's rotation, about x, then y, then z, in degrees, and its translation.
void mus_part_place(const double rotate[3], const double translate[3], mus_mesh *mesh);
// The upright direction of a file.
mus_up mus_file_up_of(mus_file_up up, mus_up otherwise);

#endif
