// Runs of triangles and hinges, several at once: the elements of element.h with a vector of numbers in the place of
// each number. Private to energy/.
//
// lanes_template.h is compiled three times: for vectors of 2 that every machine has, of 4 with AVX2 and of 8 with
// AVX-512. All give the same bits, and the same as one element after the other.
#ifndef MUS_ENERGY_LANES_RUN_H
#define MUS_ENERGY_LANES_RUN_H

#include "energy/baraff_witkin.h"
#include "energy/bend.h"
#include "energy/external.h"

// A run of elements, and where their numbers go.
typedef struct mus_lanes_task {
  int count;
  const int *vertex;      // of the first element on
  const double *rest;     // likewise: mus_membrane_rest or mus_hinge_rest
  const double *position; // vertices * 3
  const double *velocity; // vertices * 3; NULL: at rest
  mus_blend blend;        // never exact
  mus_membrane_material material;
  double scale;       // on a hinge's stiffness and damping
  const mus_air *air; // NULL: no drag on triangles
  const double *wind; // 3 numbers, or 3 an element:
  int gusts;
  double *energy;   // count; NULL: not wanted, as with all of these
  double *gradient; // count * arity * 3
  double *block;    // count * 54; triangles only
  double *rank_one; // count * 12; hinges only: r with r r^T their blocks
} mus_lanes_task;

typedef struct mus_lanes {
  void (*membranes)(const mus_lanes_task *task);
  void (*hinges)(const mus_lanes_task *task);
} mus_lanes;

extern const mus_lanes mus_lanes_2;
#if MUSLIN_X86
extern const mus_lanes mus_lanes_4, mus_lanes_8;
#endif

// The functions for vectors of 2, 4 or 8; NULL where this machine has none so long.
const mus_lanes *mus_lanes_of(int lanes);
// Those for the longest vectors that this machine has.
const mus_lanes *mus_lanes_longest(void);

#endif
