// Nested levels over the matrix of a minimisation (minimise_stages.h), for nonlinear full multigrid (Wang et al. 2018):
// Galerkin matrices by interpolations that are given, coloured Gauss-Seidel, the coarsest level by its inverse. Any
// level gives a correction, c = P_l V_l P_l^T r.
#ifndef MUS_CUDA_LADDER_STAGES_H
#define MUS_CUDA_LADDER_STAGES_H

#include "cuda/minimise_stages.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mus_device_ladder mus_device_ladder;

// As mus_interpolation, without joints: the nodes of a level as points between those of the next coarser.
typedef struct mus_stage_rung {
  int nodes, coarse;
  const int *carrier;   // nodes * 3
  const double *weight; // likewise
} mus_stage_rung;

struct mus_ladder_stages {
  // `sweeps` of Gauss-Seidel before, and after, each coarser level. Takes all memory.
  mus_status (*create)(mus_device_search *search, int rungs, const mus_stage_rung *rung, int sweeps,
                       mus_device_ladder **ladder, mus_stage_failure *failure);
  void (*free)(mus_device_ladder *ladder); // before its search; NULL is fine
  // Makes all matrices from that which was assembled last, without what is held.
  mus_status (*renew)(mus_device_ladder *ladder, mus_stage_failure *failure);
  // The change becomes what a level makes of r in the directions that are free: by a V-cycle from there, or by
  // smoothing alone. *work is in products with the finest matrix.
  mus_status (*correct)(mus_device_ladder *ladder, int level, int smooth_only, double *work,
                        mus_stage_failure *failure);
};

#ifdef __cplusplus
}
#endif
#endif
