// Minimisations (step/minimise/minimise.h) on a GPU: the iterate, r, the matrix and all directions lie there, and the
// solver solves there. The host decides by a few numbers. See cuda/minimise_stages.h.
#ifndef MUS_STEP_SEARCH_H
#define MUS_STEP_SEARCH_H

#include "cuda/minimise_stages.h"
#include "step/minimise/minimise.h"

// A minimisation there, from the state that is there; `there` of mus_minimisation.
typedef struct mus_search {
  const mus_minimise_stages *stages;
  mus_device_search *device;
  mus_stage_moment moment;
  const double *scale;  // of lists
  mus_stage_hold *hold; // as many as there are vertices
  mus_status failed;
  mus_stage_memory memory;
  mus_stage_direction direction; // of the last search
  double length;                 // how much of it was gone
} mus_search;

extern const mus_minimise_machine mus_minimise_there;

#endif
