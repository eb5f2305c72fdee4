// Minimisations (step/minimise/minimise.h) on a GPU: the iterate, r, the matrix and all directions lie there, and the
// solver solves there. The host decides by a few numbers. See cuda/minimise_stages.h.
#ifndef MUS_STEP_SEARCH_H
#define MUS_STEP_SEARCH_H

#include "cuda/ladder_stages.h"
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
  int is_directed;               // 1: the search along it has not begun
  int searches;                  // in this iteration
  // nested levels, for nonlinear multigrid; NULL: none
  const mus_ladder_stages *ladder_stages;
  mus_device_ladder *ladder;
  int levels;
} mus_search;

// What runs there of minimisers: Newton's method, with a solver that solves there; nonlinear multigrid as published, by
// the search's levels.
int mus_search_runs(const mus_minimiser *minimiser, const mus_solver_options *solver);
int mus_search_climbs(const mus_minimiser *minimiser);
extern const mus_minimise_machine mus_minimise_there;        // for the former
extern const mus_minimise_machine mus_minimise_levels_there; // for the latter

#endif
