// Cycles for co-rotational solids on lattices, as stages of a device: the part of stages.h that lattice/corotational.h
// uses. The host finds rotations and cofactors, evaluates residuals and combines corrections; a cycle turns a residual
// into a correction.
//
//   create (levels) -> [ renew (rotations) -> cycle ... ] ... -> free
#ifndef MUS_CUDA_TURNED_STAGES_H
#define MUS_CUDA_TURNED_STAGES_H

#include "cuda/lattice_stages.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mus_device_turned mus_device_turned;

enum { MUS_STAGE_TURNED_GROUPS = 64 };

// What a level has beside mus_stage_lattice_level: lattice/turned.h says what it means.
typedef struct mus_stage_turned_level {
  const uint64_t *samples; // for each cell
  const uint32_t *weights;
  const int *start; // of each group of interior cells, and behind the last
  const int *cell;
} mus_stage_turned_level;

typedef struct mus_stage_turned {
  int levels, visits;
  mus_stage_lattice_level level[MUS_LATTICE_STAGES_LEVELS]; // without lists of cells at boundaries
  mus_stage_turned_level turned[MUS_LATTICE_STAGES_LEVELS];
  double compressibility;
  int plain;       // 1: kernel by kernel, without graphs
  int unknowns;    // displacements of the coarsest level
  const int *cell; // of each
  const unsigned char *axis;
} mus_stage_turned;

// Numbers of a level, for each cell one after the other: R, 9 by rows, the diagonals D_p, c_a on faces, 3, and the
// cofactors C, 9; and the inverse diagonals of faces' equations, 3.
enum { MUS_TURNED_NUMBERS = 22, MUS_TURNED_INVERSES = 3 };
typedef struct mus_stage_turned_numbers {
  const double *numbers, *inverses;
} mus_stage_turned_numbers;

// Every function that may fail says why. Numbers of the finest level, b and x must stay where they are until free(),
// though what they hold may change.
typedef struct mus_turned_stages {
  mus_status (*create)(struct mus_device *device, const mus_stage_turned *description, mus_device_turned **turned,
                       struct mus_stage_failure *failure);
  void (*free)(mus_device_turned *turned); // NULL is fine
  size_t (*bytes)(const mus_device_turned *turned);
  // For each level. `turns`: whether corrections turn cells.
  mus_status (*renew)(mus_device_turned *turned, const mus_stage_turned_numbers *numbers, int turns,
                      struct mus_stage_failure *failure);
  // One cycle for b: vectors of four fields. `seconds`: on the device, without transfers.
  mus_status (*cycle)(mus_device_turned *turned, const double *b, double *x, double *seconds,
                      struct mus_stage_failure *failure);
} mus_turned_stages;

#ifdef __cplusplus
}
#endif
#endif
