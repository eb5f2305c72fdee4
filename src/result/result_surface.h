// All meshes of a result as one surface, parts first and bodies behind them, and its intersections frame by frame.
// Where a seam is closed in a frame, vertices that are sewn together are one there, and those that are sewn to edges
// divide these (mesh/weld.h): what meets at a seam is joined there, and intersects only beyond it. Private to result/.
#ifndef MUS_RESULT_RESULT_SURFACE_H
#define MUS_RESULT_RESULT_SURFACE_H

#include "check/intersections.h"
#include "io/result_reader.h"
#include "mesh/weld.h"

typedef struct mus_result_surface {
  mus_arena arena;
  const mus_result *result;
  int meshes;
  int *first_vertex, *first_triangle; // meshes + 1
  mus_mesh whole;                     // all triangles, before seams are welded; no positions
  int tie_count;
  mus_tie *tie;                   // stitches as ties
  unsigned char *closed, *welded; // tie_count: those of the frame that was searched last, and of `surface`
  mus_arena weld;                 // for what follows
  mus_check_surface surface;      // with the seams welded that are closed in that frame
  mus_intersections *finder;
  double *x;      // vertices * 3, of the frame that was searched last
  mus_list pairs; // mus_intersection, of that frame, without those of solids with bodies that hold them
} mus_result_surface;

// The result must outlive it. On failure there is nothing to free.
mus_status mus_result_surface_create(const mus_result *result, mus_result_surface *out);
void mus_result_surface_free(mus_result_surface *all); // one that is all zero is fine

// Reads a frame and finds its pairs.
mus_status mus_result_surface_search(mus_result_surface *all, int frame);

// The mesh that a triangle belongs to, and its name.
int mus_result_surface_mesh(const mus_result_surface *all, int triangle);
const char *mus_result_surface_name(const mus_result_surface *all, int mesh);

#endif
