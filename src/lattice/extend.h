// Displacements beyond the border of a solid, extrapolated: E of lattice/embed.h for one component. Private to
// lattice/.
#ifndef MUS_LATTICE_EXTEND_H
#define MUS_LATTICE_EXTEND_H

#include "base/memory.h"
#include "lattice/cells.h"
#include "muslin/status.h"

enum { MUS_EXTEND_LAYERS = 6 };

typedef struct mus_extension {
  int layers;
  int layer_start[MUS_EXTEND_LAYERS + 1]; // rows of each layer
  int *target;                            // rows: the cell that is written
  int *start;                             // rows + 1, in the next two
  int *source;                            // cells
  double *weight;
} mus_extension;

// Whether the displacement along `axis` on a cell's lower face is a variable or prescribed.
int mus_extend_is_known(const mus_cells *cells, int axis, size_t cell);

// For the nodes marked in `needed`, one for each cell, which is used up. `lost`: a marked node that is too far away
// from known ones; with it MUS_BAD_INPUT.
mus_status mus_extension_create(mus_arena *arena, const mus_cells *cells, int axis, unsigned char *needed,
                                mus_extension *out, size_t *lost);

// With weights or, if `sizes`, their sizes.
void mus_extension_apply(const mus_extension *extension, int sizes, double *u);
// The transpose: what lies on targets goes to their sources, and they are 0 afterwards.
void mus_extension_fold(const mus_extension *extension, int sizes, double *f);

#endif
