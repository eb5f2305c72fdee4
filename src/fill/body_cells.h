// The cells that a body occupies: those of a lattice that overlap what a surface encloses, or a shape, become interior.
//
// Cells that triangles pass through (fill/touched_cells.h), however little of them, and cells whose middle is inside:
// where the generalised winding number is above a half (collide/winding.h), so that holes, overlapping parts and edges
// of three triangles do no harm. Parts of a closed surface that are turned inside out count as if they were not.
// Surfaces that are closed nowhere are rejected; where only some of their parts are, these are left out. All repairs
// are reported.
//
// The lattice lies symmetrically around the body's box. A layer of cells that is one cell thick has no variable across
// it, so parts without a cell in a block of 2 x 2 x 2, or beside one, get a layer more on either side.
#ifndef MUS_FILL_BODY_CELLS_H
#define MUS_FILL_BODY_CELLS_H

#include "fill/filled_surface.h"
#include "lattice/cells.h"

typedef struct mus_cells_options {
  double spacing;        // m; 0: as `along` says
  int along;             // cells along the longest side of the body's box
  int padding;           // layers that are added around the body, along edges and corners too
  double bytes_per_cell; // that the caller is going to need besides
} mus_cells_options;

enum { MUS_CELLS_TEXT = 512, MUS_CELLS_MOST = 1 << 16 }; // MOST: along an axis

typedef struct mus_cells_report {
  size_t interior;              // all
  size_t touched;               // that the surface passes through
  size_t thickened;             // that were added to thin parts
  size_t padded;                // that were added around
  size_t inside_out;            // that lie in parts that are turned inside out
  int pieces;                   // that are not connected by faces
  int sheets;                   // parts of the surface that enclose nothing, which were left out
  int holes;                    // edges of one triangle, across which the surface was closed
  char repairs[MUS_CELLS_TEXT]; // all of it in words; "" where nothing was repaired
} mus_cells_report;

// All arrays come from the arena; scratch memory is given back. MUS_BAD_INPUT, before anything is allocated for cells,
// where they would need more memory than the machine has. The result does not depend on the number of threads.
mus_status mus_cells_of_surface(mus_arena *arena, const mus_mesh *mesh, const mus_cells_options *options,
                                mus_cells *out, mus_cells_report *report);
mus_status mus_cells_of_shape(mus_arena *arena, const mus_shape *shape, const mus_cells_options *options,
                              mus_cells *out, mus_cells_report *report);

// Sets inside[c] to 1 for the cells of a lattice that overlap what a surface encloses, and leaves the others.
// `inside_out`, where not NULL, is how many of them lie in parts that are turned inside out.
mus_status mus_cells_inside_surface(const mus_cells *cells, const mus_filled_surface *surface, unsigned char *inside,
                                    size_t *inside_out);

#endif
