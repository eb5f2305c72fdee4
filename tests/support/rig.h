// A hierarchy over smoothed aggregation with a spy in between: a coarsening that hands every call on and keeps copies
// of what it saw and of what came back.
#ifndef TESTS_SUPPORT_RIG_H
#define TESTS_SUPPORT_RIG_H

#include "multigrid/aggregation/aggregation.h"
#include "support/problem.h"

typedef struct rig_level {
  mus_matrix a;        // as the coarsening saw it
  double radius;       // the same
  int special;         // nodes that the coarser levels do not see
  mus_matrix p;        // what came back; no value where the level was not made coarser
  unsigned char *live; // for the unknowns of the coarser level
} rig_level;

typedef struct rig {
  mus_solver_options options;
  mus_aggregation *aggregation;
  mus_hierarchy *hierarchy;
  mus_arena arena;
  int seen; // levels that the coarsening was asked about
  rig_level level[MUS_LEVELS_MAXIMUM];
} rig;

// Default options.
mus_solver_options rig_options(void);

// An empty hierarchy that knows the problem's near-null space. What goes wrong ends the test.
rig *rig_create(const problem *problem, const mus_solver_options *options, mus_precision precision, mus_setup setup);
// The same, analysed.
rig *rig_analysed(const problem *problem, const mus_solver_options *options, mus_precision precision);
void rig_free(rig *rig);

// The cycle as a dense n x n matrix, one application a column; to be freed with free().
double *rig_matrix(rig *rig, int n);
// The same by dense algebra from the levels that the spy saw: what the cycle ought to be.
double *rig_reference(const rig *rig);

// Conjugate gradients on the problem with the hierarchy as preconditioner: iterations, or a negative status.
int rig_iterations(rig *rig, const problem *problem, double tolerance);

#endif
