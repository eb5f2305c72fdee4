// What a device does for a step that is the minimum of an energy (step/objective.h), as a table of stages beside those
// of linearised steps (step_stages.h), whose state, elements and system they use:
//
//   create -> begin -> [ assemble -> (the solver finds the change) -> direct -> try ... ] ... -> end -> commit
//
// Where the model has bodies, `touch` has placed them before `begin`: they are part of the energy, of r and of the
// matrix (energy/touch_term.h), and hold back what goes far into them along a direction.
//
// The iterate is velocities v' with x' = X + H v'. What is decided between stages, such as how far to go along a
// direction, the host decides by a few numbers; no vectors cross the bus. Sums have a fixed order.
#ifndef MUS_CUDA_MINIMISE_STAGES_H
#define MUS_CUDA_MINIMISE_STAGES_H

#include "cuda/step_stages.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mus_device_search mus_device_search; // what minimisations need besides a mus_device_step

// Directions in which a node is held, and what its velocity has to change by along them: unit vectors at right angles.
typedef struct mus_stage_hold {
  int node, count;
  double direction[9], value[3];
} mus_stage_hold;

// What a direction of search keeps of the one before: see step/minimise/conjugate.h.
typedef struct mus_stage_memory {
  double product; // r . z of the search before
  double slope;   // of the descent along z alone that must be left
  int anew;       // 1: there is none before
} mus_stage_memory;

typedef struct mus_stage_direction {
  double product;          // r . z, of the change as the solver found it
  double downhill;         // r . d, of the direction d
  double square, farthest; // of all d_i of nodes: the sum of squares, and the largest square; m^2/s^2
} mus_stage_direction;

// Every function that may fail says why.
struct mus_minimise_stages {
  // Takes all memory that minimisations need. It goes with the step's.
  mus_status (*create)(mus_device_step *step, mus_device_search **search, mus_stage_failure *failure);
  void (*free)(mus_device_search *search); // before its step; NULL is fine
  // From the state: the first iterate has its velocities, changed as what holds nodes says, from then on exactly.
  // `scale` is a number for each list, on stiffnesses. *energy is that of the iterate, J.
  mus_status (*begin)(mus_device_search *search, const mus_stage_moment *moment, const double *scale, int holds,
                      const mus_stage_hold *hold, double *energy, mus_stage_failure *failure);
  // r at the iterate and, where wanted, the positive definite matrix; a change of zero. Done when it returns.
  mus_status (*assemble)(mus_device_search *search, int with_matrix, mus_stage_failure *failure);
  // Where the system lies, with the iterate's positions.
  void (*system)(const mus_device_search *search, mus_stage_system *system);
  // Makes the change a direction, which keeps part of the one before, and begins a search along it from the iterate.
  mus_status (*direct)(mus_device_search *search, const mus_stage_memory *memory, mus_stage_direction *direction,
                       mus_stage_failure *failure);
  // The iterate becomes the point so much of the way along the direction; its energy.
  mus_status (*go)(mus_device_search *search, double length, double *energy, mus_stage_failure *failure);
  // r there, and r . d.
  mus_status (*slope)(mus_device_search *search, double *slope, mus_stage_failure *failure);
  // Where the iterate is now is remembered; how far it has come since, as in mus_stage_direction.
  mus_status (*mark)(mus_device_search *search, mus_stage_failure *failure);
  mus_status (*distance)(mus_device_search *search, double *square, double *farthest, mus_stage_failure *failure);
  // The iterate becomes the end of the step, beside the state, with its sums. In the system, the right-hand side is
  // what is left of r where nothing is held, and the change zero.
  mus_status (*end)(mus_device_search *search, mus_stage_sums *sums, mus_stage_failure *failure);
  // The end of the step for the host, without making it the state.
  mus_status (*look)(mus_device_search *search, double *position, double *velocity, mus_stage_failure *failure);
  // r of the last assemble() without what is held, for tests.
  mus_status (*get_free)(mus_device_search *search, double *free_right, mus_stage_failure *failure);
};

#ifdef __cplusplus
}
#endif
#endif
