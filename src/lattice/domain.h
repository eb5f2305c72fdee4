// What each variable of a lattice is, and which equations it has: Zhu et al. 2010, sections 5.1 to 5.3.
//
// A displacement between two interior cells is unknown. One on a face of a Dirichlet cell is held. Every other
// displacement that a stencil would reach lies beyond a free boundary, and is eliminated by the traction there: the
// stress components it belongs to are given instead of computed. So a domain says of each stress component whether it
// is computed, and an equation is the divergence of those that are. That keeps the operator symmetric for any shape.
//
// Axes are 0, 1 and 2. An edge along axis a at a cell is the one at the cell's lower corner; the shear between the
// other two axes lies on it.
#ifndef MUS_LATTICE_DOMAIN_H
#define MUS_LATTICE_DOMAIN_H

#include <stdint.h>

#include "base/memory.h"
#include "lattice/boxes.h"
#include "lattice/cells.h"
#include "muslin/status.h"

// Flags of a cell, of its lower faces and of the edges at its lower corner. Those with an axis: MUS_LATTICE_... <<
// axis.
enum {
  MUS_LATTICE_UNKNOWN = 1,         // the displacement on the face is unknown
  MUS_LATTICE_HELD = 1 << 3,       // ... is prescribed
  MUS_LATTICE_NORMAL = 1 << 6,     // the normal stress along the axis in an interior cell is computed
  MUS_LATTICE_SHEAR = 1 << 9,      // the shear stress on the edge is computed
  MUS_LATTICE_SWEPT = 1 << 12,     // the face's equation is smoothed distributively
  MUS_LATTICE_SOLID = 1 << 15,     // the cell is interior: it has a pressure
  MUS_LATTICE_SWEPT_P = 1 << 16,   // the cell's equation is smoothed distributively
  MUS_LATTICE_REGULAR = 1 << 17,   // all stresses of the face's equation are computed
  MUS_LATTICE_REGULAR_P = 1 << 20, // all normal stresses of the cell are computed
  MUS_LATTICE_NEAR = 1 << 21,      // the face is that of one interior cell at a free boundary
  MUS_LATTICE_FAR = 1 << 24,       // the face lies half a cell beyond a free boundary, beside an unknown one
  MUS_LATTICE_WALL = 1 << 27       // the edge lies on the side of a Dirichlet cell, on any level but the finest
};

// Unbroken runs of faces or cells with a flag, row by row: those of a row are range[start[row]] ... range[start[row +
// 1] - 1], each from range[0] to range[1] - 1 along axis 0. Kinds of runs; those with an axis: + axis.
enum {
  MUS_LATTICE_RUN_SWEPT,
  MUS_LATTICE_RUN_SWEPT_P = 3,
  MUS_LATTICE_RUN_REGULAR,
  MUS_LATTICE_RUN_REGULAR_P = 7,
  MUS_LATTICE_RUN_UNKNOWN,
  MUS_LATTICE_RUN_SOLID = 11,
  MUS_LATTICE_RUNS
};

typedef struct mus_lattice_runs {
  int *start;
  int (*range)[2];
} mus_lattice_runs;

typedef struct mus_lattice_face {
  int cell, axis;
} mus_lattice_face;

typedef struct mus_lattice_domain {
  int count[3];
  size_t stride[3];
  size_t cells;          // all of them
  size_t solid;          // interior ones
  size_t unknowns;       // displacements
  double wall;           // what shear stresses on walls are multiplied by: see domain.c
  uint32_t *flags;       // for each cell
  int *begin, *end;      // for each row of cells along axis 0: the part in which anything is computed
  int shift[3];          // cell (i, j, k) is part of cell ((i + shift[0]) / 2, ...) of the next coarser domain
  mus_lattice_list band; // interior cells at the boundary, whose equations are not smoothed distributively
  mus_lattice_list
      relocated; // interior cells where the next coarser domain has another boundary; empty on the coarsest
  mus_lattice_runs runs[MUS_LATTICE_RUNS];
  int irregular_count;
  int *irregular;       // cells that have equations in which stresses are given
  int *irregular_start; // for each plane across axis 2, and behind the last: where its cells are in `irregular`
  int partial_count;
  mus_lattice_face *partial; // unknown ones for which the next coarser domain lacks values to interpolate
  int outer_count;
  int *outer;                        // cells with faces that are NEAR or FAR
  struct mus_lattice_domain *coarse; // NULL on the coarsest
} mus_lattice_domain;

static inline int mus_lattice_rows(const mus_lattice_domain *d) { return d->count[1] * d->count[2]; }

// Whether it pays to share a pass over the cells among threads.
static inline int mus_lattice_is_large(const mus_lattice_domain *d) { return d->cells >= 1 << 13; }

// Whether the fields do not fit into caches.
static inline int mus_lattice_is_huge(const mus_lattice_domain *d) { return d->cells >= 1 << 18; }

// Numbers between the starts of two fields of a level, each aligned.
static inline size_t mus_lattice_field(const mus_lattice_domain *d) { return (d->cells + 15) / 16 * 16; }

// Along an axis, the other parent that a fine face is interpolated from lies so many places from its own. `upper`: the
// face lies in the second half of that one. `is_normal`: it is perpendicular to the axis.
static inline int mus_lattice_other_parent(int upper, int is_normal) { return is_normal ? upper : 2 * upper - 1; }

static inline int mus_lattice_is(const mus_lattice_domain *d, size_t cell, uint32_t flags) {
  return (d->flags[cell] & flags) == flags;
}

// Domains from the cells down to one that is small, all in the arena. MUS_BAD_INPUT if no displacement is unknown.
mus_status mus_lattice_domains_create(mus_arena *arena, const mus_cells *cells, mus_lattice_domain **finest,
                                      int *levels);

#endif
