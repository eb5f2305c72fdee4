// A garment for any upright figure: a dress of flat pieces with seams, cut to the figure's measures.
//
// Bodice, skirt and, where the arms stand away from the body, sleeves, each with a front and a back: the fronts lie in
// a plane before the body, the backs in one behind it, a few centimetres off, so that nothing crosses. Stitches along
// shoulders, sides, waist, armholes and sleeves join vertices of equal number on both sides, and draw the pieces
// together around the body. The rest shape is the flat pieces, warp upwards.
//
// Pieces are grids between four curves (Coons 1967), whose cells are cut along one diagonal and the other in turn, or
// along the shorter one where they lean.
#ifndef MUS_MESH_GARMENT_H
#define MUS_MESH_GARMENT_H

#include <stdint.h>

#include "mesh/mesh.h"

typedef struct mus_garment_options {
  int vertices;  // approximate number
  int irregular; // 1: inner vertices are moved at random by up to a fifth of their spacing
  uint64_t seed; // of that
} mus_garment_options;

typedef struct mus_garment {
  mus_mesh mesh;
  int pieces;
  int stitches;
  int *stitch; // stitches * 2: vertices to be sewn together
} mus_garment;

// Around a body where it starts, which stands upright along y. MUS_BAD_INPUT, with the reason, for one that cannot be
// dressed.
mus_status mus_garment_create(mus_arena *arena, const mus_mesh *body, const mus_garment_options *options,
                              mus_garment *out);

#endif
