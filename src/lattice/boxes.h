// Cells at boundaries in the order in which they are smoothed, one after the other or many at a time (band.c).
//
// Cells lie in blocks, and blocks in groups. Blocks of a group are a block apart, so that what is done to the cells of
// one neither reads nor writes what is done to another's: they can be worked on in any order, or at once, with the same
// result. Within a block, cells that are three apart along every axis have nothing to do with each other either. Those
// of them that are alike make a batch, which is worked on lane by lane.
#ifndef MUS_LATTICE_BOXES_H
#define MUS_LATTICE_BOXES_H

#include <stdint.h>

#include "base/memory.h"
#include "muslin/status.h"

struct mus_lattice_domain;

enum { MUS_LATTICE_GROUPS = 8, MUS_LATTICE_LANES = 16 };

// What a cell is like: which stresses around it are computed, and what its faces' equations are.
typedef struct mus_lattice_pattern {
  uint32_t stresses; // MUS_LATTICE_BOX_NORMAL, ..._SHEAR
  uint32_t weights;  // 4 bits for each face, lower and upper along axis 0 first: minus the diagonal of the face's
                     // equation without inertia and walls; 0 if the face is not unknown
  uint32_t walls;    // MUS_LATTICE_BOX_WALL..., 0 on the finest level
} mus_lattice_pattern;

// Cells of one pattern: `count` cells of the list from `first`; or, if `lanes` is not 0, those of the cells `first`,
// first + 1, ... of the lattice, all in one row, whose bits are set.
typedef struct mus_lattice_batch {
  mus_lattice_pattern pattern;
  int first;
  uint16_t count, lanes;
} mus_lattice_batch;

typedef struct mus_lattice_list {
  size_t cells;                      // in all
  int start[MUS_LATTICE_GROUPS + 1]; // of each group in `block`
  int *block;                        // start of each block in `batch`
  mus_lattice_batch *batch;
  int *cell;
} mus_lattice_list;

// Bits of stresses around a cell. Along axis a: the normal stress in the cell below, in the cell and in the one above,
// at NORMAL + 3 a. On edges along axis a: those at the cell's corners 0 and 1 along the next axis, and the same again
// with 1 along the one after that, at SHEAR + 4 a.
enum { MUS_LATTICE_BOX_NORMAL = 0, MUS_LATTICE_BOX_SHEAR = 9 };
// Of these edges, those on walls, in the same order; and for each face how many of the four in its equation, 3 bits
// each.
enum { MUS_LATTICE_BOX_WALL = 0, MUS_LATTICE_BOX_WALLS = 12 };

// The list of the cells that are marked.
mus_status mus_lattice_list_create(mus_arena *arena, const struct mus_lattice_domain *d, const unsigned char *mark,
                                   mus_lattice_list *list);

#endif
