// Runs of triangles, hinges and tetrahedra, several at once: the elements of element.h with a vector of numbers in the
// place of each number. Private to energy/.
//
// lanes_template.h is compiled three times: for vectors of 2 that every machine has, of 4 with AVX2 and of 8 with
// AVX-512. All give the same bits, and the same as one element after the other.
#ifndef MUS_ENERGY_LANES_RUN_H
#define MUS_ENERGY_LANES_RUN_H

#include "energy/baraff_witkin.h"
#include "energy/bend.h"
#include "energy/corotated.h"
#include "energy/external.h"

// A run of elements, and where their numbers go.
typedef struct mus_lanes_task {
  int count;
  const int *vertex;      // of the first element on
  const double *rest;     // likewise: mus_membrane_rest, mus_hinge_rest or mus_tetrahedron_rest
  const double *position; // vertices * 3
  const double *velocity; // vertices * 3; NULL: at rest; or positions, see mus_blend.per_second
  mus_blend blend;        // exact for tetrahedra only
  mus_membrane_material material;
  mus_solid_constants solid;
  double scale;       // on a hinge's stiffness and damping
  const mus_air *air; // NULL: no drag on triangles
  const double *wind; // 3 numbers, or 3 an element:
  int gusts;
  double *energy;   // count; NULL: not wanted, as with all of these
  double *gradient; // count * arity * 3
  double *block;    // count * 54 of triangles, 90 of tetrahedra
  double *rank_one; // count * 12; hinges only: r with r r^T their blocks
  double *stretch;  // count * 2; tetrahedra only: the largest, and the smallest with its sign
} mus_lanes_task;

typedef struct mus_lanes {
  void (*membranes)(const mus_lanes_task *task);
  void (*hinges)(const mus_lanes_task *task);
  void (*corotated)(const mus_lanes_task *task); // tetrahedra by their laws
  void (*neo_hookean)(const mus_lanes_task *task);
  void (*venant_kirchhoff)(const mus_lanes_task *task);
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
